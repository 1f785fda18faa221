//! Why a well-formed experiment can't be run.

use ::topology::{BuildError, ReadError, RouteError, UnknownLink, UnknownNode};
use settings::{cure, plain, quoted};
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
    /// Uplinks of a network whose hosts pass on what others send.
    #[error(
        "is for a rack of kind xfabric; an AN3 network, whose hosts are joined to each other, has a network operations centre: write for example gateways = 1"
    )]
    UplinksOfNics,
    /// A fabric for hosts that are ends of paths.
    #[error(
        "runs over switches alone; hosts of this topology are joined to each other and pass on what others send: choose another topology.kind"
    )]
    HostsForward,
    /// A fabric of NICs that pass on what others send, where hosts are ends of paths.
    #[error(
        "makes hosts that are ends of paths; fabric.kind = \"{fabric}\" runs over NICs that are joined to each other: write kind = \"an3\""
    )]
    HostsDoNotForward {
        /// The fabric.
        fabric: &'static str,
    },
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
    /// Repaired before it breaks.
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
    /// An acknowledgement that no packet of the network could carry.
    #[error("is longer than the largest packet, {}: write at most that, or a larger fabric.mtu", plain(*mtu))]
    ControlTooLarge {
        /// The largest packet.
        mtu: Bytes,
    },
    /// Two ways to be joined.
    #[error("is for a rack of kind xfabric, and gateways for one of kind shoal or an3; leave one of the two out")]
    GatewaysAndUplinks,
    /// No way to be joined.
    #[error(
        "is joined to nothing; write for example gateways = 4 (for a Shoal rack or an AN3 network) or uplinks = 4 (for an XFabric rack)"
    )]
    NeitherGatewaysNorUplinks,
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
    /// A transport that needs what its fabric would offer if it were set.
    #[error("{transport} needs {what}: set {setting}, or use newreno")]
    Needs {
        /// The transport.
        transport: &'static str,
        /// What it needs.
        what: &'static str,
        /// The setting.
        setting: &'static str,
    },
    /// A transport that needs what its fabric never offers.
    #[error("{transport} needs {what}, and a fabric of kind {fabric} has none; use newreno, or direct")]
    NeverOffered {
        /// The transport.
        transport: &'static str,
        /// What it needs.
        what: &'static str,
        /// The fabric.
        fabric: &'static str,
    },
    /// Nothing in it could fail.
    #[error(
        "is not possible with fabric.kind = \"{fabric}\", in which nothing can fail; leave it out, or take another fabric"
    )]
    NoFaults {
        /// The fabric.
        fabric: &'static str,
    },
    /// A window that holds less than a packet.
    #[error("is less than the {} of data in one packet (mtu less header), so nothing could be sent", plain(*segment))]
    WindowTooSmall {
        /// Data in one packet.
        segment: Bytes,
    },
    /// A largest window that is below the first.
    #[error("is below the window that a sender begins with; write at least {least}, or lower initial_window")]
    WindowShrinks {
        /// The first window, in packets.
        least: u32,
    },
    /// A way to repair losses that subflows do not have.
    #[error("subflows of MPTCP repair losses as NewReno does: leave this out, or write \"newreno\"")]
    RecoveryOfSubflows,
    /// A way to repair losses that Swift does not have.
    #[error("swift finds losses by selective acknowledgements: write \"sack\" or \"rack\", or leave this out")]
    RecoveryOfSwift,
    /// Windows between which Swift's target falls, the wrong way around.
    #[error("must be above flow_min_window, which is {least}")]
    NoFlowScaling {
        /// `flow_min_window`.
        least: f64,
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
