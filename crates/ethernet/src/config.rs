//! What a person can say of an Ethernet fabric.

use crate::pausing::{PAUSE, QUANTUM};
use fabric::footprint::on_all_links;
use fabric::{Footprint, Red};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{BufferText, DelayText, Length, PacketText, QueueText, SizeText, ThresholdText, TimeText, or_none};
use topology::{Link, LinkId, Topology};
use units::{Bytes, Span};

/// Output-queued Ethernet: the same for every port, but for what `[topology]` says of single links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Config {
    /// How a switch passes a frame on.
    pub switching: Switching,
    /// With cut-through: how much of a frame a switch must have before it can choose a port.
    #[schemars(with = "PacketText")]
    pub cut_through_header: Bytes,
    /// How a switch chooses among equally short paths.
    pub routing: Routing,
    /// The largest packet, headers of the transport included. 1500 B is the Internet's; data centres often allow 9000 B.
    #[schemars(with = "PacketText", extend("default" = "1500 B"))]
    pub mtu: Bytes,
    /// What each packet takes on the wire beyond itself. Ethernet has preamble and start 8 B, header 14 B, check sequence 4 B
    /// and gap 12 B (IEEE 802.3). Simulators that count packets only have "0 B".
    #[schemars(with = "SizeText")]
    pub framing: Bytes,
    /// Hosts hold each packet back by a random time up to this, in order, as drivers, buses and interrupts do. It takes no
    /// throughput. Where long flows meet on links that are all alike, "200 ns" keeps them from moving in step, in which case
    /// one can shut out another for ever (phase effects: Floyd and Jacobson, 1992).
    #[schemars(with = "DelayText")]
    pub jitter: Span,
    /// From the moment at which something breaks or is repaired (`[[fault]]`) until all switches have changed their paths; what is
    /// sent to a dead link until then is lost. A broken fibre is often noticed within milliseconds (RFC 7938 §7.1), and then the
    /// news must spread: "1 ms" is fast, "100 ms" is not rare.
    #[schemars(with = "TimeText")]
    pub convergence: Span,
    /// Ports pause those that send to them, class by class, and share the memory of their switch (IEEE 802.1Qbb): nothing is dropped in lossless
    /// classes. Ports have no `queue` of their own then.
    pub pfc: Option<Pfc>,
    /// What each port has.
    #[serde(flatten)]
    pub port: Port,
    /// Strict priority classes of each port; class 0 is served first. One class is plain first in, first out.
    #[schemars(range(min = 1, max = 8))]
    pub priorities: u8,
    /// A data packet that finds `queue` full goes on as its header, in a queue of headers as long, which goes ahead; a header that finds that one
    /// full goes back to its source. For `transport.kind = "ndp"` and `"eqds"`; packets of other transports are dropped. NDP has a `queue` of 8 packets.
    pub trimming: Option<Trim>,
    /// Ports send the packets of the message of which the fewest bytes remain first, and drop those of the one of which most remain when `queue` is
    /// full (pFabric: Alizadeh et al., SIGCOMM 2013). For `transport.kind = "pfabric"`; acknowledgements and packets of other transports have no rank
    /// and go first. The paper has a `queue` of about two bandwidth-delay products, which are 24 packets of 1500 B at 10 Gb/s.
    pub pfabric: bool,
    /// Whether to keep the distribution `in-network latency` as well: of data frames, the time from the first bit's leaving their host until the
    /// last bit's arrival. The distribution `latency`, which there always is, is of the time since they were handed to the host's interface,
    /// which may be sending another. Not with `pfc`.
    pub in_network_latency: bool,
    /// What some ports have instead; of several that match, the last one wins, field by field.
    #[serde(skip)]
    pub rules: Vec<Rule>,
}

impl Config {
    /// For each directed link, the headroom that a class needs at its far end so that nothing is lost: what still comes when the switch there
    /// has decided on a pause. Nothing where there is no switch.
    ///
    /// It is the frame with which the threshold is exceeded; what the link carries while the PAUSE waits for a frame on the way back, is sent,
    /// travels and takes effect, and while what was sent before is on its way; and the frame that has just begun then. Of these parts is the
    /// delay that IEEE 802.1Qbb has buffers be large enough for.
    pub fn headroom_needs(&self, topology: &Topology) -> Vec<Bytes> {
        let Some(pfc) = &self.pfc else { return vec![Bytes::ZERO; topology.links().len()] };
        let wire = self.mtu + self.framing;
        let before = self.longest_turn(topology);
        let need = |(number, link): (u32, &Link)| {
            if topology.is_host(link.to) {
                return Bytes::ZERO;
            }
            let back = topology.link(topology.reverse(LinkId(number)));
            let pause = back.rate.time_for(PAUSE + self.framing);
            let jitter = if topology.is_host(link.from) { self.jitter } else { Span::ZERO };
            let in_flight = before(back) + pause + back.delay + pfc.response + link.delay + jitter;
            Bytes::new(2 * wire.get() + link.rate.bytes_in(in_flight).get() + 1)
        };
        (0..).zip(topology.links()).map(need).collect()
    }

    /// For how long a PAUSE may have to wait for the frame that is being sent on its link.
    fn longest_turn(&self, topology: &Topology) -> impl Fn(&Link) -> Span + use<> {
        let frame = (self.mtu + self.framing).max(PAUSE + self.framing);
        // With cut-through a frame may leave as slowly as it comes, over whichever link that was.
        let slowest = topology.links().iter().map(|link| link.rate).min();
        let slowest = slowest.filter(|_| self.switching != Switching::StoreAndForward);
        move |link| slowest.unwrap_or(link.rate).time_for(frame)
    }

    /// The fewest quanta that a PAUSE may last, so that it is still in force when it has been repeated, at half of its time: twice what the repetition may
    /// have to wait.
    pub fn shortest_quanta(&self, topology: &Topology) -> u64 {
        let turn = self.longest_turn(topology);
        let into_switches = (0..).zip(topology.links()).filter(|(_, link)| !topology.is_host(link.to));
        let least = |(number, link): (u32, &Link)| {
            let back = topology.link(topology.reverse(LinkId(number)));
            // Half of a pause is rounded down to a picosecond, and what a link carries in a time to a byte.
            let bytes = link.rate.bytes_in(turn(back).saturating_mul(2) + Span::from_ps(2)).get() + 1;
            bytes.div_ceil(QUANTUM)
        };
        into_switches.map(least).max().unwrap_or(1)
    }

    /// Whether nothing is ever dropped for want of room: every class is lossless and has the headroom that takes.
    pub fn is_lossless(&self, topology: &Topology) -> bool {
        self.pfc.is_some_and(|pfc| {
            let every = (0..self.priorities).all(|class| pfc.is_lossless(class));
            every && self.headroom_needs(topology).into_iter().all(|need| pfc.headroom.is_none_or(|has| has >= need))
        })
    }

    /// For each directed link, the headroom that is reserved for all lossless classes at its far end.
    pub fn headroom(&self, topology: &Topology) -> Vec<Bytes> {
        let Some(pfc) = &self.pfc else { return self.headroom_needs(topology) };
        let classes = (0..self.priorities).filter(|class| pfc.is_lossless(*class)).count() as u64;
        let needs = self.headroom_needs(topology).into_iter().zip(topology.links());
        let of_class = |(need, link): (Bytes, &Link)| match pfc.headroom {
            _ if topology.is_host(link.to) => Bytes::ZERO,
            Some(headroom) => headroom,
            None => need,
        };
        needs.map(of_class).map(|bytes| Bytes::new(bytes.get().saturating_mul(classes))).collect()
    }

    /// What the fabric takes of memory on this topology: queues as long as they may be, and links full of the largest packets.
    pub fn footprint(&self, topology: &Topology) -> Footprint {
        let wire = self.mtu + self.framing;
        let mut queues = vec![self.port.queue; topology.links().len()];
        for rule in &self.rules {
            let changed = rule.links.iter().filter_map(|link| Some((*link, rule.queue?)));
            changed.for_each(|(link, queue)| queues[link as usize] = queue);
        }
        let held = |queue: &Length| match *queue {
            Length::Packets(packets) => u64::from(packets),
            Length::Bytes(bytes) => bytes.get() / wire.get().max(1),
        };
        let waiting = match &self.pfc {
            Some(pfc) => held(&Length::Bytes(pfc.buffer)).saturating_mul(u64::from(topology.switches())),
            None => queues.iter().map(held).fold(0, u64::saturating_add),
        };
        Footprint {
            fixed: topology.links().len() as u64 * (300 + 120 * u64::from(self.priorities))
                + u64::from(topology.nodes()) * 150,
            frames: waiting.saturating_add(on_all_links(topology, wire)),
            frame: 160,
            ..Footprint::default()
        }
    }
}

/// Priority flow control (IEEE 802.1Qbb). Sizes are bytes on the wire, `framing` included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pfc {
    /// The packet memory of each switch. What is not reserved as headroom is shared by all ports. Switches of the Trident II kind have 12 MB (DCQCN,
    /// SIGCOMM 2015, §4).
    #[schemars(with = "BufferText")]
    pub buffer: Bytes,
    /// A sender is paused when its packets of a class hold more of a switch's shared memory than this many times what is free of it (dynamic
    /// thresholds: Choudhury and Hahne, 1998). 1/8 is our choice.
    #[schemars(range(max = 1e6), extend("exclusiveMinimum" = 0.0))]
    pub alpha: f64,
    /// A fixed threshold in place of `alpha`.
    #[schemars(with = "Option<BufferText>", extend("examples" = ["100 KB"]))]
    pub xoff: Option<Bytes>,
    /// A paused sender goes on when its packets hold so much less than the threshold, or nothing. By default two of the largest packets.
    #[schemars(with = "Option<SizeText>", extend("examples" = ["3 KB"]))]
    pub resume_offset: Option<Bytes>,
    /// Memory that is reserved on each port that packets come in at, for each lossless class: for what is in flight when its sender is paused. By
    /// default as much as that can be, by the port's link: two of the largest packets, and what the link carries while the pause waits for a packet
    /// that is being sent, is sent, travels and takes effect, and while what was sent before arrives. With less, packets can be dropped.
    #[schemars(with = "Option<SizeText>", extend("examples" = ["25 KB"]))]
    pub headroom: Option<Bytes>,
    /// From the arrival of a pause until no further packet begins.
    #[schemars(with = "DelayText")]
    pub response: Span,
    /// How long a pause lasts unless it is repeated, which it is at half of that: in times of 512 bits on the paused link.
    #[schemars(range(min = 1, max = 65535))]
    pub quanta: u16,
    /// Classes that are not paused, by their numbers: what finds no room is dropped. All others are lossless.
    #[serde(rename = "lossy", with = "but_lossy")]
    #[schemars(with = "Vec<u8>")]
    pub lossless: u8,
    /// The queue of such a class at a port holds at most this many times what is free of the shared memory.
    #[schemars(range(max = 1e6), extend("exclusiveMinimum" = 0.0))]
    pub lossy_alpha: f64,
}

impl Pfc {
    /// Whether senders of this class are paused.
    pub fn is_lossless(&self, class: u8) -> bool {
        self.lossless.checked_shr(u32::from(class)).is_some_and(|bits| bits & 1 == 1)
    }
}

impl Default for Pfc {
    fn default() -> Pfc {
        Pfc {
            buffer: Bytes::new(12 << 20),
            alpha: 0.125,
            xoff: None,
            resume_offset: None,
            headroom: None,
            response: Span::ZERO,
            quanta: u16::MAX,
            lossless: u8::MAX,
            lossy_alpha: 1.0,
        }
    }
}

/// Lossless classes, one bit each, as a list of those that are not.
mod but_lossy {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(lossless: &u8, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..8_u8).filter(|class| lossless >> class & 1 == 0))
    }
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
        let lossy = Vec::<u8>::deserialize(deserializer)?;
        Ok(lossy.iter().filter(|class| **class < 8).fold(u8::MAX, |lossless, class| lossless & !(1 << class)))
    }
}

/// How packets are trimmed (NDP: Handley et al., SIGCOMM 2017).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Trim {
    /// What is left of a packet.
    #[schemars(with = "PacketText")]
    pub header: Bytes,
    /// Headers that go before a data packet has its turn, where both wait.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub headers_in_a_row: u32,
}

/// An output port's buffer and its link's quality.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Port {
    /// What each output port can hold; frames beyond it are dropped. In packets, which are all frames, acknowledgements too; or in bytes on
    /// the wire.
    #[schemars(with = "QueueText")]
    pub queue: Length,
    /// Frames that find more than this waiting are marked (ECN, RFC 3168), at the instant at which they arrive (DCTCP §3.1).
    /// Without it nothing is marked, and transports that need marks are refused. DCTCP's paper has 65 packets of 1500 B at
    /// 10 Gb/s and 20 at 1 Gb/s.
    #[serde(with = "or_none")]
    #[schemars(with = "ThresholdText")]
    pub ecn_threshold: Option<Length>,
    /// Frames are marked by random early detection in place of a threshold: the likelier, the more they find waiting. For `transport.kind = "dcqcn"`.
    pub red: Option<Red>,
    /// Probability that a frame is corrupted on a link and never arrives, on every link.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0))]
    pub loss: f64,
}

/// Other values for some ports.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Which ports, as indices of directed links in the topology.
    pub links: Vec<u32>,
    /// The queue limit, if it is another one.
    pub queue: Option<Length>,
    /// The marking threshold, if it is another one (`Some(None)`: none). RED marks there no more.
    pub ecn_threshold: Option<Option<Length>>,
    /// What RED marks, if that is something else. There is no threshold there.
    pub red: Option<Red>,
    /// The loss probability, if it is another one.
    pub loss: Option<f64>,
}

impl Rule {
    /// Has a port mark as this says, if it says anything of that.
    pub(crate) fn mark(&self, port: &mut Port) {
        if let Some(threshold) = self.ecn_threshold {
            (port.ecn_threshold, port.red) = (threshold, None);
        }
        if let Some(red) = self.red {
            (port.ecn_threshold, port.red) = (None, Some(red));
        }
    }
}

/// How a switch passes a frame on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Switching {
    /// Once its last bit has arrived.
    StoreAndForward,
    /// Once `cut_through_header` of it has arrived, if the port is free and the frame can't run dry on the way.
    CutThrough,
}

/// How a switch chooses among equally short paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Routing {
    /// By a hash of the flow: each flow keeps its path, and two flows may share one (RFC 2992).
    Ecmp,
    /// Anew for each packet, at random: evens out the load, but packets overtake each other, which TCPs take for losses.
    Spray,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            switching: Switching::StoreAndForward,
            cut_through_header: Bytes::new(64),
            routing: Routing::Ecmp,
            mtu: Bytes::new(1500),
            framing: Bytes::new(38),
            jitter: Span::ZERO,
            convergence: Span::from_ms(1),
            port: Port::default(),
            priorities: 1,
            trimming: None,
            pfabric: false,
            in_network_latency: false,
            pfc: None,
            rules: Vec::new(),
        }
    }
}

impl Default for Port {
    fn default() -> Port {
        Port { queue: Length::Packets(100), ecn_threshold: None, red: None, loss: 0.0 }
    }
}

impl Default for Trim {
    fn default() -> Trim {
        Trim { header: Bytes::new(64), headers_in_a_row: 10 }
    }
}
