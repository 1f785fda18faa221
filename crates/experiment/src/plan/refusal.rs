//! Why a well-formed experiment can't be run.

use crate::nearest::cure;
use ::topology::{BuildError, ReadError, RouteError, UnknownLink, UnknownNode};
use units::{Bytes, Span, Time};

/// Why a well-formed experiment can't be run, and what to do about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Nothing would be measured.
    #[error(
        "is not before the end of the run at {duration}: nothing would be measured; shorten it, or lengthen duration"
    )]
    WarmupBeyondDuration {
        /// When the run ends.
        duration: Time,
    },
    /// A series without a point.
    #[error("is longer than the run of {duration}: a series would have no point")]
    SampleBeyondDuration {
        /// When the run ends.
        duration: Time,
    },
    /// A series with too many points.
    #[error("would give {points} points a series; the limit is {limit}: write at least \"{shortest}\"")]
    TooManySamples {
        /// Points of one series.
        points: u64,
        /// The most there may be.
        limit: u64,
        /// The shortest interval that is allowed.
        shortest: Span,
    },
    /// The topology can't be built.
    #[error("{}", of_build(.0))]
    Build(BuildError),
    /// A topology file can't be read.
    #[error("{0}")]
    TopologyFile(ReadError),
    /// A file can't be opened.
    #[error("can't read {path}: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// A file whose name doesn't tell its format.
    #[error("does not end in .json or .topo; write format = \"node-link\" or format = \"htsim\"")]
    UnknownFormat,
    /// Hosts that can't reach each other.
    #[error("{0}")]
    Routes(RouteError),
    /// No links are of this class.
    #[error("no such class of links; {}", cure("the classes of this topology are", class, classes.iter().map(String::as_str)))]
    UnknownClass {
        /// The class.
        class: String,
        /// Those there are.
        classes: Vec<String>,
    },
    /// No link has this name.
    #[error("{}", quoted(&.0.to_string()))]
    UnknownLink(UnknownLink),
    /// No node has this name.
    #[error("{}", quoted(&.0.to_string()))]
    UnknownNode(UnknownNode),
    /// No nodes are of this kind.
    #[error("no such kind of nodes; {}", cure("the kinds of this topology are", kind, kinds.iter().map(String::as_str)))]
    UnknownKind {
        /// The kind.
        kind: String,
        /// Those there are.
        kinds: Vec<String>,
    },
    /// A fault that nobody would see.
    #[error("is not before the end of the run at {duration}: it would never happen")]
    FaultBeyondDuration {
        /// When the run ends.
        duration: Time,
    },
    /// Mended before it breaks.
    #[error("is not after at, which is {at}")]
    MendedBeforeBroken {
        /// When it breaks.
        at: Time,
    },
    /// A fault of nothing.
    #[error("what breaks? Write one of link = \"{link}\", node = \"{node}\", links = \"{class}\", nodes = \"switch\"")]
    NothingBreaks {
        /// A link there is.
        link: String,
        /// A switch there is.
        node: String,
        /// A class of links there is.
        class: String,
    },
    /// A fault of several things.
    #[error("{other} says already what breaks; keep one of the two, and write a [[fault]] for each")]
    SeveralBreak {
        /// The other key.
        other: &'static str,
    },
    /// A key that means nothing beside what breaks.
    #[error("is only for a fault with {keys}")]
    NotForThisFault {
        /// The keys that it goes with.
        keys: &'static str,
    },
    /// Flaps without a length.
    #[error("missing: write for example {example}")]
    HalfAFlap {
        /// The other key.
        example: String,
    },
    /// Flaps that never come up.
    #[error("is not shorter than the period of {period}, so it would never work in between")]
    NeverUp {
        /// The period.
        period: Span,
    },
    /// More than anyone means.
    #[error("gives {times} breaks and repairs; the limit is {limit}: lengthen the period")]
    TooManyFaults {
        /// Breaks and repairs.
        times: u64,
        /// The most there may be.
        limit: u64,
    },
    /// No room for data in a packet.
    #[error("leaves no room for data beside the transport's header of {}; write at least \"{}\"", plain(*header), plain(*least))]
    MtuTooSmall {
        /// The transport's header.
        header: Bytes,
        /// The smallest packet that carries a byte.
        least: Bytes,
    },
    /// Longer than the longest frame.
    #[error("makes frames of {} with its framing; the longest are {}: write at most \"{}\"", plain(*frame), plain(*longest), plain(*most))]
    MtuTooLarge {
        /// Packet and framing.
        frame: Bytes,
        /// The longest frame there is.
        longest: Bytes,
        /// The largest packet that fits.
        most: Bytes,
    },
    /// Longer than any frame.
    #[error("is longer than the longest frame of {}; write at most that, or switching = \"store-and-forward\"", plain(*frame))]
    CutThroughHeader {
        /// Packet and framing.
        frame: Bytes,
    },
    /// The topology is no Stardust fabric.
    #[error("does not make a Stardust fabric: {0}")]
    NoStardust(::stardust::BuildError),
    /// The topology is no rack.
    #[error("does not make a Shoal rack: {0}")]
    NoShoal(::shoal::BuildError),
    /// The topology is no XFabric rack.
    #[error("does not make an XFabric rack: {0}")]
    NoXFabric(::xfabric::network::BuildError),
    /// A rack that should begin with circuits for some demand.
    #[error("missing: start = \"demand\" needs a file of demand, for example demand = \"demand.csv\"")]
    NoDemand,
    /// Demand that nothing asks for.
    #[error("is read only with start = \"demand\"; write that, or leave this out")]
    UselessDemand,
    /// Nothing to generate a topology for.
    #[error("has no weight above 0, so there is nothing to generate a topology for")]
    NoWeight,
    /// A fabric that is not joined to anything.
    #[error(
        "joins a rack to what is outside, and a fabric of kind {fabric} is no rack; leave it out, or write fabric.kind = \"shoal\" or \"xfabric\""
    )]
    NoGateways {
        /// The fabric.
        fabric: &'static str,
    },
    /// Gateways or uplinks to nowhere.
    #[error(
        "is for a rack with an outside, and there is none; write [topology.outside] with for example {by} = 4, kind = \"star\" and hosts = 16"
    )]
    NothingOutside {
        /// What joins racks of this kind to it.
        by: &'static str,
    },
    /// Two ways to be joined.
    #[error("is for a rack of kind xfabric, and gateways for one of kind shoal; leave one of the two out")]
    GatewaysAndUplinks,
    /// No way to be joined.
    #[error(
        "is joined to nothing; write for example gateways = 4 (for a Shoal rack) or uplinks = 4 (for an XFabric rack)"
    )]
    NeitherGatewaysNorUplinks,
    /// Joined as the other kind of rack is.
    #[error("is not what joins a rack of kind {fabric} to its outside; write {by} = {count} in its place")]
    JoinedOtherwise {
        /// The fabric.
        fabric: &'static str,
        /// What joins it.
        by: &'static str,
        /// How many there are.
        count: u32,
    },
    /// Packets that would have to be cut on their way.
    #[error("must be that of the rack, fabric.mtu = \"{}\": gateways pass packets on as they are", plain(*rack))]
    OtherMtu {
        /// The rack's.
        rack: Bytes,
    },
    /// A threshold that is never reached.
    #[error("is never reached: fabric.{table}.buffer is {}", plain(*buffer))]
    ThresholdAboveGateway {
        /// Of gateways or of uplinks.
        table: &'static str,
        /// The buffer.
        buffer: Bytes,
    },
    /// A transport that needs marks, and a joined rack where nothing marks.
    #[error(
        "{transport} needs ECN marks: set fabric.outside.ecn_threshold, for example \"20 packets\", or fabric.{table}.ecn_threshold, or use newreno"
    )]
    NeedsEcnOutside {
        /// The transport.
        transport: &'static str,
        /// Of gateways or of uplinks.
        table: &'static str,
    },
    /// The topology is no fluid network.
    #[error("does not make a fluid network: {0}")]
    NoFluid(::fluid::BuildError),
    /// Pairs of hosts are kept one by one.
    #[error("has {hosts} hosts, and with fabric.sharing = \"detours\" there may be {most}")]
    TooManyForDetours {
        /// How many there are.
        hosts: u32,
        /// The most there may be.
        most: u32,
    },
    /// Nothing in it could fail.
    #[error(
        "is not possible in a fluid network, which has nothing that could fail; leave it out, or take another fabric"
    )]
    NoFaultsInFluid,
    /// A slot that its parts do not fit in.
    #[error("is shorter than guard band, overhead and cell together, {least}; write at least that, or leave it out")]
    SlotTooShort {
        /// What they add up to.
        least: Span,
    },
    /// A switch that should have the master's clock.
    #[error("is a switch; a node of the rack has the master's clock: write the name of a host")]
    MasterIsNoHost,
    /// Lengths on links are counted in 16 bits.
    #[error("makes {}, and {} is the most; choose less", plain(*size), plain(*most))]
    TooLong {
        /// What it comes to.
        size: Bytes,
        /// The most there may be.
        most: Bytes,
    },
    /// A cell must carry something.
    #[error("leaves no room in a cell of {}; make it shorter, or fabric.cell longer", plain(*cell))]
    CellWithoutRoom {
        /// The longest cell.
        cell: Bytes,
    },
    /// Padding is limited.
    #[error("is too long: at most {} (fabric.cell, and 256 B more than fabric.cell_header)", plain(*most))]
    ShortestCell {
        /// The most there may be.
        most: Bytes,
    },
    /// Every full packet would be dropped.
    #[error("holds less than one packet of {}", plain(*packet))]
    BufferTooSmall {
        /// Packet and header.
        packet: Bytes,
    },
    /// A threshold that is never reached.
    #[error("is never reached: fabric.buffer is {}", plain(*buffer))]
    ThresholdAboveBuffer {
        /// The buffer.
        buffer: Bytes,
    },
    /// Adapters count bytes.
    #[error("must be in bytes here, such as \"100 KB\": adapters of a Stardust fabric count bytes")]
    ThresholdInBytes,
    /// A weight for each class.
    #[error("has {weights} numbers for fabric.priorities = {classes} classes; write one for each")]
    WeightsOfClasses {
        /// Written.
        weights: usize,
        /// Classes.
        classes: u8,
    },
    /// A class that is not there.
    #[error("names class {class}, and there are {classes}, from 0 on (fabric.priorities)")]
    NoSuchClass {
        /// Written.
        class: u8,
        /// Classes.
        classes: u8,
    },
    /// A key of Ethernet ports.
    #[error("is for the ports of Ethernet switches; {fabric} has no {key} of single links, see [fabric]")]
    OfPorts {
        /// The key.
        key: &'static str,
        /// The fabric, as `"a Shoal rack"`.
        fabric: &'static str,
    },
    /// Every full frame would be dropped.
    #[error("is shorter than one frame of {} (mtu and framing), so every full one would be dropped", plain(*frame))]
    QueueTooShort {
        /// Packet and framing.
        frame: Bytes,
    },
    /// Nothing would be marked.
    #[error("is not below the queue of {queue}, so nothing would ever be marked; lower it, or lengthen the queue")]
    ThresholdAboveQueue {
        /// The queue.
        queue: String,
    },
    /// A transport that needs marks.
    #[error("{transport} needs ECN marks: set fabric.ecn_threshold, for example \"20 packets\", or use newreno")]
    NeedsEcn {
        /// The transport.
        transport: &'static str,
    },
    /// A transport that needs frames to be trimmed.
    #[error(
        "{transport} needs switches that trim packets: set fabric.trimming = {{}} and fabric.queue = \"8 packets\", with fabric.kind = \"ethernet\", or use \
         dctcp"
    )]
    NeedsTrimming {
        /// The transport.
        transport: &'static str,
    },
    /// Trimming where gateways join a rack to an outside.
    #[error("only an Ethernet fabric by itself trims packets; leave it out")]
    TrimmingOutside,
    /// Trimming and priority classes.
    #[error("ports that trim have one class; write fabric.priorities = 1, or leave trimming out")]
    TrimmingWithPriorities,
    /// A transport that needs marks, and a fabric that has none.
    #[error("{transport} needs ECN marks, and a fabric of kind {fabric} has none; use newreno, or direct")]
    NeverMarked {
        /// The transport.
        transport: &'static str,
        /// The fabric.
        fabric: &'static str,
    },
    /// A transport that does not send again, and a fabric that must drop.
    #[error(
        "does not send again what is dropped, and some of {workload} must be: {sent} go to one host at once, of which its link \
         carries {carried} meanwhile, and buffers hold {holds} in all; set {cure}, or use newreno"
    )]
    MustLose {
        /// The workload.
        workload: String,
        /// What its senders send in a round.
        sent: Bytes,
        /// What the receiver's link carries while they send.
        carried: Bytes,
        /// What all buffers hold.
        holds: Bytes,
        /// What would keep it.
        cure: &'static str,
    },
    /// A window that holds less than a packet.
    #[error("is less than the {} of data in one packet (mtu less header), so nothing could be sent", plain(*segment))]
    WindowTooSmall {
        /// Data in one packet.
        segment: Bytes,
    },
    /// A priority that the fabric doesn't have.
    #[error("the fabric has {}; raise fabric.priorities or lower this", if *.classes == 1 { "only priority 0".to_owned() } else { format!("priorities 0 to {}", .classes - 1) })]
    NoSuchPriority {
        /// Priority classes of the fabric.
        classes: u8,
    },
    /// Two workloads with the same name.
    #[error("another workload is called that too; the results could not be told apart")]
    NameTwice,
    /// What the workload itself refuses.
    #[error("{}", without_key(.0))]
    Workload(String),
    /// More than there are.
    #[error("there are only {there} to choose from")]
    NotSoMany {
        /// How many there are.
        there: u32,
    },
    /// Nothing between start and stop.
    #[error("is not after the start at {start}")]
    StopsBeforeStart {
        /// When it begins.
        start: Time,
    },
    /// Nobody to send to.
    #[error("makes a network of one host, which has nobody to send to; a run needs two at least")]
    OneHost,
    /// Byte counts that would not fit.
    #[error(
        "is so long that all links together could carry more than 2^63 bytes, which is more than is counted; write at most \"{longest}\""
    )]
    TooMuchToCount {
        /// The longest duration on this topology.
        longest: Time,
    },
    /// A link that no run can have.
    #[error("link {link} has a {what} of {value}; it must be {bounds}")]
    LinkBeyond {
        /// The link, by the names of its ends.
        link: String,
        /// "rate", "delay" or "queue".
        what: &'static str,
        /// What the file says.
        value: String,
        /// What it may be.
        bounds: String,
    },
    /// A run without a flow.
    #[error(
        "is not before the end of the run at {end}, so no flow would ever start; begin earlier, or lengthen duration"
    )]
    NothingStarts {
        /// When the run ends.
        end: Time,
    },
    /// Zero where nothing would happen.
    #[error("must be at least 1")]
    Zero,
    /// Arrivals without a rate.
    #[error("missing: write for example load = 0.5, or flows_per_second = 1000")]
    NoLoad,
    /// Arrivals with two rates.
    #[error("flows_per_second says already how much to offer; keep one of the two")]
    TwoLoads,
    /// Flows in all, and flows of each host.
    #[error("is written, and so is flows_per_host; write one of them")]
    TwoCounts,
    /// Form and types don't agree: a mistake of this program.
    #[error("can't be read: {0}; this is a fault of the program, please report it")]
    Inconsistent(String),
}

/// A message without the "`key` is value; " or "`key`: " that a message about a key has said already, and with names in the
/// quotes that TOML has.
fn without_key(message: &str) -> String {
    let told = |message: &str| -> Option<String> {
        let (_, rest) = message.strip_prefix('`')?.split_once('`')?;
        if let Some(rest) = rest.strip_prefix(": ") {
            return Some(rest.to_owned());
        }
        let (_, rest) = rest.strip_prefix(" is ")?.split_once("; ")?;
        Some(rest.to_owned())
    };
    quoted(&told(message).unwrap_or_else(|| message.to_owned()))
}

/// Names in the quotes that TOML has, and lines of a file (`allow_overload = true`) without.
fn quoted(message: &str) -> String {
    let mut parts = message.split('`');
    let mut text = parts.next().unwrap_or_default().to_owned();
    while let Some(inside) = parts.next() {
        let quote = if inside.contains(" = ") { "" } else { "\"" };
        text += &format!("{quote}{inside}{quote}{}", parts.next().unwrap_or_default());
    }
    text
}

/// What a builder refuses, without what the key and the value have said already.
fn of_build(error: &BuildError) -> String {
    if let BuildError::PartOfAHost { k, hosts, below, above, .. } = error {
        return format!(
            "with k = {k} gives {hosts} hosts an edge switch, which must be whole: write {below} or {above}"
        );
    }
    if let BuildError::TooManyLeaves { radix, .. } = error {
        return format!("spine switches of radix {radix} reach 1 to {radix} leaves");
    }
    without_key(&error.to_string())
}

/// Sizes of packets, as people give them: 1500 B rather than 1.5 KB.
fn plain(bytes: Bytes) -> String {
    format!("{} B", bytes.get())
}
