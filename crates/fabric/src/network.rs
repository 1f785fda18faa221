//! The contract of fabrics: they carry frames between hosts.

use crate::{Frame, Observer, Offer};
use engine::{Event, EventQueue};
use units::{Bytes, Span, Time};

/// Kinds of event, in the order in which they go at the same instant (see [`engine::queue`]): what arrives, then what may
/// leave, then what is too late, then what begins, then who looks on, then what breaks.
pub mod kind {
    /// A frame or cell arrives over a link. Device: the link. This kind and those up to [`TICK`] are the network's own.
    pub const ARRIVAL: u8 = 0;
    /// A link has sent a frame and asks for the next. Device: the link.
    pub const LINK_FREE: u8 = 1;
    /// A scheduler inside the fabric has its turn. Device: the port or node that it is of.
    pub const SCHEDULE: u8 = 2;
    /// A device of the fabric has waited long enough. Device: as the fabric numbers what waits.
    pub const DEADLINE: u8 = 3;
    /// The fabric's own clock: a slot, a period. Device: as the fabric numbers its clocks.
    pub const TICK: u8 = 4;
    /// A host's interface has room again. Device: the host. Slot: 0, or one more than the place of the one connection that it has
    /// room for (see [`Network::takes`](super::Network::takes)).
    pub const READY: u8 = 5;
    /// A connection's timer. Device: the connection's sender (even) or receiver (odd).
    pub const TIMER: u8 = 6;
    /// A host's own timer. Device: the host.
    pub const HOST_TIMER: u8 = 7;
    /// The workload has a flow to start. Device: 0.
    pub const START: u8 = 8;
    /// Counters begin anew: the warm-up is over. Device: 0.
    pub const WARM: u8 = 9;
    /// Series are sampled. Device: 0.
    pub const SAMPLE: u8 = 10;
    /// Something breaks or is repaired. Device: its place in the list of faults.
    pub const FAULT: u8 = 11;
}

/// Something that happens to the fabric itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// A directed link carries nothing any more, or does so again. What is on it when it breaks is lost.
    Link {
        /// Which.
        link: u32,
        /// Whether it works from now on.
        up: bool,
    },
    /// A switch or host stops, or begins again with empty queues. What it holds is lost, and so is what comes to it.
    Node {
        /// Which.
        node: u32,
        /// Whether it works from now on.
        up: bool,
    },
    /// Bits on a directed link are received wrong with this probability from now on; a frame with a wrong bit is discarded
    /// where it arrives.
    BitErrors {
        /// Which.
        link: u32,
        /// Probability for each bit, in [0, 1).
        rate: f64,
    },
}

impl Fault {
    /// Probability that some bit of so many bytes is received wrong, if each bit is with probability `rate` ([`Fault::BitErrors`]).
    pub fn frame_error(rate: f64, bytes: u64) -> f64 {
        -libm::expm1((bytes * 8) as f64 * libm::log1p(-rate))
    }
}

/// Something that a fabric counts beyond what all fabrics count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counter {
    /// What it counts, such as `"credits granted"`.
    pub name: &'static str,
    /// In what, such as `"credits"` or `"B"`.
    pub unit: &'static str,
    /// How much since the measurement began.
    pub value: f64,
}

/// A value of a series that only one kind of fabric has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampled {
    /// What it is of, such as `"circuits changed"`.
    pub name: &'static str,
    /// In what unit.
    pub unit: &'static str,
    /// The value.
    pub value: f64,
    /// What time it is of.
    pub over: Over,
}

/// What time a sample is of, and so how the samples of two intervals, one after the other, become one of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The instant at the end of the interval: the later one stands.
    Instant,
    /// A mean over the interval: the mean of both.
    Mean,
    /// What happened in the interval: the sum of both.
    Sum,
}

/// A distribution that a fabric keeps beyond what all fabrics keep.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// What is distributed, such as `"cell latency"`.
    pub name: &'static str,
    /// In what unit.
    pub unit: &'static str,
    /// Least value of each bin, least value above it, and how many are in it, in order; empty bins may be left out.
    pub bins: Vec<(u64, u64, u64)>,
}

/// Two packets that were at one port at the same time, where a fabric is to see to it that this never happens. One of them is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collision {
    /// When the later one came.
    pub at: Time,
    /// The node whose port it is.
    pub from: u32,
    /// The link behind the port; none: it leads to what controls the fabric, and is none of the topology's.
    pub link: Option<u32>,
    /// The one that came later, and is lost.
    pub lost: Party,
    /// The one that had the port.
    pub met: Party,
}

/// A packet that took part in a [`Collision`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Party {
    /// What it carries, such as `"data"`.
    pub kind: &'static str,
    /// The host that it is from; none: what controls the fabric.
    pub source: Option<u32>,
    /// The host that it is for.
    pub destination: Option<u32>,
    /// Connection and epoch, as [`Frame`] has them, if it carries data of one.
    pub flow: Option<[u32; 2]>,
    /// The time slot in which it was sent, if it was given one.
    pub slot: Option<u64>,
}

/// What a fabric offers to transports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offers {
    /// Marks frames instead of, or before, dropping them.
    pub ecn: Offer,
    /// Never drops a frame.
    pub lossless: Offer,
    /// Frames of a flow arrive in the order in which they were offered.
    pub in_order: bool,
    /// Strict priority classes.
    pub priorities: u8,
    /// Trims data frames to their headers for want of room, and sends headers back for which there is none either.
    pub trimming: Offer,
    /// Sends the frames of the least rank first where frames wait, and drops those of the greatest ([`Frame::rank`]).
    pub ranked: Offer,
}

/// What a transport needs of its fabric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Cannot work without marks.
    pub ecn: bool,
    /// Cannot work with losses.
    pub lossless: bool,
    /// Cannot work where frames are dropped whole.
    pub trimming: bool,
    /// Cannot work where frames are not ordered by rank.
    pub ranked: bool,
    /// Works with losses, and with frames that overtake each other, but sends very much again.
    pub goes_back: bool,
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
    /// Corrupted on a link, or lost to something broken.
    pub lost: u64,
    /// Inside the fabric, counted where they are kept.
    pub in_flight: u64,
    /// Bytes of those that are inside.
    pub held: u64,
    /// Frames over links: the unit of work.
    pub hops: u64,
}

impl Totals {
    /// A host hands over a frame of so many bytes.
    #[inline]
    pub fn offer(&mut self, len: u32) {
        self.offered += 1;
        self.held += u64::from(len);
    }

    /// A host gets one.
    #[inline]
    pub fn deliver(&mut self, len: u32) {
        self.delivered += 1;
        self.held -= u64::from(len);
    }

    /// So many bytes of one are cut off, and what is left goes on.
    pub fn trim(&mut self, bytes: u32) {
        self.held -= u64::from(bytes);
    }

    /// There is no room for one.
    pub fn drop_one(&mut self, len: u32) {
        self.dropped += 1;
        self.held -= u64::from(len);
    }

    /// One is corrupted, or lost to something broken.
    pub fn lose(&mut self, len: u32) {
        self.lost += 1;
        self.held -= u64::from(len);
    }
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
    /// Frames corrupted on it, or lost with it.
    pub lost: u64,
    /// Frames marked before it.
    pub marked: u64,
    /// Longest queue before it, in bytes.
    pub peak: Bytes,
    /// Queue before it summed over time, in byte-seconds.
    pub byte_seconds: f64,
    /// How often a class was paused before it, for how long all of them together were, and the longest pause.
    pub pauses: u64,
    /// See `pauses`.
    pub paused: Span,
    /// See `pauses`.
    pub longest_pause: Span,
}

/// A fabric: carries frames between hosts `0..hosts`, by events of its own.
pub trait Network {
    /// Who looks on.
    type Observer: Observer;

    /// Whoever looks on, to be told of what happens outside the network, and to be asked what was seen.
    fn observer(&mut self) -> &mut Self::Observer;

    /// What transports may count on.
    fn offers(&self) -> Offers;

    /// Paths from a host to another that its frames may choose from ([`Frame::path`]); 1 where they may not.
    fn paths(&self, _src: u32, _dst: u32) -> u32 {
        1
    }

    /// Time that the largest packet takes on the interface of `host`, for those that pace what others send it; `None`: not known.
    fn packet_time(&self, _host: u32) -> Option<Span> {
        None
    }

    /// Whether the interface of `host` takes another data frame now. If not, ask with [`Network::call_when_ready`].
    fn has_room(&self, now: Time, host: u32) -> bool;

    /// An event of kind [`kind::READY`] follows for `host`, once its interface has room. By then something else may have filled or
    /// paused it again: look with [`Network::has_room`].
    fn call_when_ready(&mut self, now: Time, host: u32, queue: &mut EventQueue);

    /// When that event would come, from a network that knows and does nothing else when it is asked for one. [`Network::has_room`] then answers for
    /// that instant later as well, as long as nothing is offered or breaks meanwhile.
    #[inline(always)]
    fn room_at(&self, _now: Time, _host: u32) -> Option<Time> {
        None
    }

    /// Whether the interface of `host` must not take data frames of this priority class now, though it has room, as the network has paused the
    /// class. Others may go. If so, ask with [`Network::call_when_resumed`].
    #[inline(always)]
    fn is_paused(&self, _now: Time, _host: u32, _priority: u8) -> bool {
        false
    }

    /// An event of kind [`kind::READY`] follows for `host`, once a class that is paused there goes on. Asking again changes nothing.
    fn call_when_resumed(&mut self, _host: u32) {}

    /// Whether the interface, which has room, takes a data frame of the connection in this place and epoch. One that keeps a queue for
    /// each connection may have enough of this one, which then stands aside: an event of kind [`kind::READY`] in its name follows.
    #[inline(always)]
    fn takes(&mut self, _flow: u32, _epoch: u32) -> bool {
        true
    }

    /// Takes a frame from its source's interface. Data frames only after [`Network::has_room`]; acknowledgements always.
    fn offer(&mut self, now: Time, frame: Frame, queue: &mut EventQueue);

    /// Handles an event of a kind from [`kind::ARRIVAL`] to [`kind::TICK`]. A frame that reaches its host is returned.
    fn handle(&mut self, event: Event, queue: &mut EventQueue) -> Option<Frame>;

    /// Whether it has anything fetched beforehand: without, looking ahead would only cost time.
    const LOOKS_AHEAD: bool = false;

    /// This event is to be handled, some ten events from now: what it is about can be fetched from memory meanwhile ([`engine::prefetch`]). Most events
    /// are announced so. It changes nothing.
    #[inline(always)]
    fn expect(&self, _event: Event) {}

    /// An event is about to be handled, and after it comes this one, unless others are put in before it or none is known. What it is about was fetched by
    /// now, and what that leads to can be.
    #[inline(always)]
    fn expect_next(&mut self, _event: Option<Event>) {}

    /// Tells of what comes. For whoever takes events out, between taking one out and having it handled.
    #[inline(always)]
    fn look_ahead(&mut self, queue: &mut EventQueue) {
        if Self::LOOKS_AHEAD {
            if let Some(event) = queue.upcoming() {
                self.expect(event);
            }
            self.expect_next(queue.first());
        }
    }

    /// The run begins: a fabric with clocks of its own puts their first events in.
    fn begin(&mut self, _queue: &mut EventQueue) {}

    /// Something breaks or is repaired, now. What is broken already breaks no further, and what works is not repaired. Frames that
    /// are lost with it are counted as lost. A host that is down has no room at its interface until it is up again, and then
    /// calls whoever asked with [`Network::call_when_ready`].
    fn fault(&mut self, now: Time, fault: Fault, queue: &mut EventQueue);

    /// For a rack that is joined to an outside: the gateway of a host of the rack, for packets out and in, if the rack decides on it.
    fn gateway(&self, _host: u32) -> Option<u32> {
        None
    }

    /// For a rack that is joined to an outside: bytes that the interface of a gateway has taken and not sent, if it keeps a queue for each host
    /// and so takes all. They count as what waits at the gateway.
    fn backlog(&self, _gateway: u32) -> Bytes {
        Bytes::ZERO
    }

    /// What only this kind of fabric counts, since the measurement began.
    fn counters(&self) -> Vec<Counter> {
        Vec::new()
    }

    /// Distributions that only this kind of fabric keeps, since the measurement began.
    fn distributions(&self) -> Vec<Distribution> {
        Vec::new()
    }

    /// A collision that nobody has asked for yet, the first one first: asked after every event. Most fabrics have none.
    #[inline(always)]
    fn take_collision(&mut self) -> Option<Collision> {
        None
    }

    /// What only this kind of fabric watches over time: values for series, since the last call.
    fn sample(&mut self, _now: Time) -> Vec<Sampled> {
        Vec::new()
    }

    /// When this fabric first let a flow that is open send, if a flow has to ask: a circuit was acknowledged. None: it need not, or has not been let yet.
    fn admitted(&self, _flow: u32, _epoch: u32) -> Option<Time> {
        None
    }

    /// Frames so far.
    fn totals(&self) -> Totals;

    /// Whether frames wait in buffers that a real network would have, so that the bytes it holds mean something.
    fn has_buffers(&self) -> bool {
        true
    }

    /// The counters of a link at `now`.
    fn link_counters(&self, now: Time, link: u32) -> LinkCounters;

    /// Their bytes alone, which every sample of the utilisation asks of every link.
    fn bytes_sent(&self, now: Time, link: u32) -> u64 {
        self.link_counters(now, link).bytes
    }

    /// What waits before a link at `now`.
    fn queue(&self, now: Time, link: u32) -> Bytes;

    /// Links' counters begin anew.
    fn begin_measurement(&mut self, now: Time);

    /// Time from handing the first packet of `bytes` of payload to the source's interface until the last bit is at the
    /// destination, alone in the fabric: serialisation at the bottleneck plus the path's latency. `header` is what the
    /// transport adds to each packet. The denominator of slowdown.
    fn ideal(&self, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span;

    /// The same for a message whose source sends its packets over different paths, though the fabric would let all take one.
    fn ideal_over_paths(&self, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span {
        self.ideal(src, dst, bytes, header)
    }

    /// Links from one host to another, as far as hosts can tell: that to the fabric and that from it, unless frames count those that they take.
    fn hops(&self, _src: u32, _dst: u32) -> u32 {
        2
    }

    /// Largest packet, transport header included.
    fn mtu(&self) -> Bytes;

    /// Distance between events when every link is busy, to choose the event queue's buckets by.
    fn event_gap(&self) -> Span;

    /// Counts in its totals all that has happened by `now`, `now` included: what nothing depends on yet, a network may have left for later.
    fn catch_up(&mut self, _now: Time, _queue: &mut EventQueue) {}

    /// Checks in debug builds what must hold at any instant and costs too much to check at every one.
    fn check(&self);

    /// For how long a port has been paused before which frames wait, the longest of all: a deadlock is looked for when that is long.
    fn longest_pause(&self, _now: Time) -> Span {
        Span::ZERO
    }

    /// Frames that wait for each other in a circle, so that none of them will ever move: for the stall report. Only what is certain.
    fn deadlock(&self) -> Option<Deadlock> {
        None
    }

    /// Every frame that is inside, in no particular order: for the stall report and for checks.
    fn frames_inside(&self) -> Vec<Inside>;
}

/// Links before which frames wait for each other in a circle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadlock {
    /// Links and priority classes, each of which waits for the next, and the last for the first.
    pub circle: Vec<(u32, u8)>,
    /// What pauses them, such as `"PFC"`.
    pub by: &'static str,
}

/// A frame inside a fabric, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inside {
    /// The frame.
    pub frame: Frame,
    /// The link that it is on or waits for.
    pub link: u32,
}
