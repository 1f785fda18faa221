//! The contract of fabrics: they carry frames between hosts.

use crate::Frame;
use engine::{Event, EventQueue};
use units::{Bytes, Span, Time};

/// Kinds of event, in the order in which they go at the same instant (see [`engine::queue`]): what arrives, then what may
/// leave, then what is too late, then what begins, then who looks on.
pub mod kind {
    /// A frame arrives over a link. Device: the link.
    pub const ARRIVAL: u8 = 0;
    /// A link has sent a frame and asks for the next. Device: the link.
    pub const LINK_FREE: u8 = 1;
    /// A host's interface has room again. Device: the host.
    pub const READY: u8 = 2;
    /// A connection's timer. Device: the connection's sender (even) or receiver (odd).
    pub const TIMER: u8 = 3;
    /// The workload has a flow to start. Device: 0.
    pub const START: u8 = 4;
    /// Counters begin anew: the warm-up is over. Device: 0.
    pub const WARM: u8 = 5;
    /// Series are sampled. Device: 0.
    pub const SAMPLE: u8 = 6;
}

/// What a fabric offers to transports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offers {
    /// Marks frames instead of, or before, dropping them.
    pub ecn: bool,
    /// Never drops a frame.
    pub lossless: bool,
    /// Frames of a flow arrive in the order in which they were offered.
    pub in_order: bool,
    /// Strict priority classes.
    pub priorities: u8,
}

/// What a transport needs of its fabric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Cannot work without marks.
    pub ecn: bool,
    /// Cannot work with losses.
    pub lossless: bool,
}

impl Needs {
    /// What is needed and not offered, in words; `None` if the two fit.
    pub fn unmet(self, offers: Offers) -> Option<&'static str> {
        match (self.ecn && !offers.ecn, self.lossless && !offers.lossless) {
            (true, _) => Some("ECN marks"),
            (_, true) => Some("a fabric that loses nothing"),
            (false, false) => None,
        }
    }
}

/// Frames so far. At every instant `offered = delivered + dropped + lost + in_flight`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Handed to the fabric by hosts.
    pub offered: u64,
    /// Handed to hosts by the fabric.
    pub delivered: u64,
    /// Dropped for want of room.
    pub dropped: u64,
    /// Corrupted on a link.
    pub lost: u64,
    /// Inside the fabric, counted where they are kept.
    pub in_flight: u64,
    /// Frames over links: the unit of work.
    pub hops: u64,
}

/// A link's counters since they last began anew.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LinkCounters {
    /// Frames sent or waiting to be.
    pub frames: u64,
    /// Bytes sent, framing included.
    pub bytes: u64,
    /// Frames dropped before it for want of room.
    pub dropped: u64,
    /// Frames corrupted on it.
    pub lost: u64,
    /// Frames marked before it.
    pub marked: u64,
    /// Longest queue before it, in bytes.
    pub peak: Bytes,
    /// Queue before it summed over time, in byte-seconds.
    pub byte_seconds: f64,
}

/// A fabric: carries frames between hosts `0..hosts`, by events of its own.
pub trait Network {
    /// What transports may count on.
    fn offers(&self) -> Offers;

    /// Whether the interface of `host` takes another data frame now. If not, ask with [`Network::call_when_ready`].
    fn has_room(&self, now: Time, host: u32) -> bool;

    /// An event of kind [`kind::READY`] follows for `host`, once its interface has room.
    fn call_when_ready(&mut self, now: Time, host: u32, queue: &mut EventQueue);

    /// Takes a frame from its source's interface. Data frames only after [`Network::has_room`]; acknowledgements always.
    fn offer(&mut self, now: Time, frame: Frame, queue: &mut EventQueue);

    /// Handles an event of kind [`kind::ARRIVAL`] or [`kind::LINK_FREE`]. A frame that reaches its host is returned.
    fn handle(&mut self, event: Event, queue: &mut EventQueue) -> Option<Frame>;

    /// Frames so far.
    fn totals(&self) -> Totals;

    /// The counters of a link at `now`.
    fn link_counters(&self, now: Time, link: u32) -> LinkCounters;

    /// What waits before a link at `now`.
    fn queue(&self, now: Time, link: u32) -> Bytes;

    /// Links' counters begin anew.
    fn begin_measurement(&mut self, now: Time);

    /// Time from handing the first packet of `bytes` of payload to the source's interface until the last bit is at the
    /// destination, alone in the fabric: serialisation at the bottleneck plus the path's latency. `header` is what the
    /// transport adds to each packet. The denominator of slowdown.
    fn ideal(&self, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span;

    /// Largest packet, transport header included.
    fn mtu(&self) -> Bytes;

    /// Distance between events when every link is busy, to choose the event queue's buckets by.
    fn event_gap(&self) -> Span;

    /// Checks in debug builds what must hold at any instant and costs too much to check at every one.
    fn check(&self);

    /// Every frame that is inside, in no particular order: for the stall report and for checks.
    fn frames_inside(&self) -> Vec<Inside>;
}

/// A frame inside a fabric, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inside {
    /// The frame.
    pub frame: Frame,
    /// The link that it is on or waits for.
    pub link: u32,
}
