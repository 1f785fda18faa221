//! Transports: how the two ends of a connection move a message over any fabric. One file a protocol, sans-IO.
//!
//! | file | protocol | source |
//! |---|---|---|
//! | [`newreno`] | TCP NewReno | RFC 5681, 6582, 6298, 3042 |
//! | [`cubic`] | TCP with CUBIC | RFC 9438 |
//! | [`dctcp`] | Data Center TCP | RFC 8257 |
//! | [`swift`] | Swift | Kumar et al., SIGCOMM 2020 |
//! | [`dcqcn`] | DCQCN over RoCEv2 | Zhu et al., SIGCOMM 2015 |
//! | [`ndp`] | NDP | Handley et al., SIGCOMM 2017 |
//! | [`eqds`] | EQDS | Olteanu et al., NSDI 2022 |
//! | [`mptcp`] | Multipath TCP | Raiciu et al., SIGCOMM 2011; RFC 6356 |
//! | [`pfabric`] | pFabric | Alizadeh et al., SIGCOMM 2013 |
//! | [`direct`] | none: every packet at once | |
//!
//! [`tcp`] holds what TCPs share: sequence numbers, retransmission (RFC 6582, 6675, 8985), timers; a TCP is that plus a [`tcp::Congestion`].
//! [`puller`] paces what all receiving ends of a host ask for.

pub mod any;
pub mod config;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod cubic;
pub mod dcqcn;
pub mod dctcp;
pub mod direct;
pub mod eqds;
mod flight;
pub mod mptcp;
pub mod ndp;
pub mod newreno;
pub mod pfabric;
pub mod puller;
mod ranges;
mod rounds;
pub mod swift;
pub mod tcp;

pub use any::{AnyReceiver, AnySender};
pub use config::Config;
pub use tcp::Tcp;

use fabric::{Device, Frame, Kind, Needs};
use units::{Bytes, Rate, Span, Time};

/// What the two ends of a connection know from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connection {
    /// Its place, which its frames carry.
    pub flow: u32,
    /// Tells it from earlier connections in the same place.
    pub epoch: u32,
    /// The host that sends.
    pub src: u32,
    /// The host that receives.
    pub dst: u32,
    /// The message's size; [`Bytes::MAX`] has no end.
    pub bytes: Bytes,
    /// What switches hash. The way back hashes it too.
    pub entropy: u32,
    /// Strict priority of its frames, 0 first.
    pub priority: u8,
    /// Paths that its sender may choose from ([`Frame::path`]).
    pub paths: u32,
    /// Largest packet.
    pub mtu: Bytes,
    /// Time that such a packet takes on its sender's interface.
    pub pace: Span,
    /// Links from its sender to its receiver, and the time from sending such a packet until its acknowledgement comes where nothing else is under way; nothing of
    /// both where its transport does not ask for it ([`Config::knows_path`]).
    pub hops: u32,
    /// See `hops`.
    pub round_trip: Span,
}

impl Connection {
    /// A data frame of it that leaves its sender now, `len` bytes with its header.
    #[inline]
    pub fn data(&self, now: Time, sequence: u64, len: u32) -> Frame {
        self.address().data(now, sequence, len)
    }

    /// A frame from its receiver back to its sender. `stamp` is that of what it answers.
    #[inline]
    pub fn answer(&self, kind: Kind, stamp: Time, sequence: u64, len: u32) -> Frame {
        self.address().answer(kind, stamp, sequence, len)
    }

    #[inline]
    fn address(&self) -> Address {
        let Connection { flow, epoch, src, dst, entropy, priority, .. } = *self;
        Address { flow, epoch, src, dst, entropy, priority }
    }
}

/// What all frames of a [`Connection`] say of it: a third of what there is to know, for ends that are many and should be small.
#[derive(Debug, Clone, Copy)]
struct Address {
    flow: u32,
    epoch: u32,
    src: u32,
    dst: u32,
    entropy: u32,
    priority: u8,
}

impl Address {
    /// See [`Connection::data`].
    #[inline]
    fn data(self, now: Time, sequence: u64, len: u32) -> Frame {
        let Address { flow, epoch, src, dst, entropy, priority } = self;
        Frame { sequence, stamp: now, flow, epoch, src, dst, len, entropy, priority, ..Frame::EMPTY }
    }

    /// See [`Connection::answer`].
    #[inline]
    fn answer(self, kind: Kind, stamp: Time, sequence: u64, len: u32) -> Frame {
        Frame { kind, src: self.dst, dst: self.src, ..self.data(stamp, sequence, len) }
    }
}

#[cfg(test)]
impl Connection {
    /// For timelines: packets of 1000 B and a header of 40 B.
    pub(crate) const EXAMPLE: Connection = Connection {
        flow: 0,
        epoch: 0,
        src: 1,
        dst: 2,
        bytes: Bytes::ZERO,
        entropy: 7,
        priority: 0,
        paths: 1,
        mtu: Bytes::new(1040),
        pace: Span::from_us(1),
        hops: 0,
        round_trip: Span::ZERO,
    };
}

/// A protocol: makes the two ends of connections.
pub trait Transport {
    /// The end that has the message.
    type Sender: Sender;
    /// The end that wants it.
    type Receiver: Receiver;

    /// What the fabric must offer.
    fn needs(&self) -> Needs;
    /// Bytes of each packet that are not message.
    fn header(&self) -> Bytes;
    /// Begins a connection.
    fn open(&self, connection: &Connection) -> (Self::Sender, Self::Receiver);
}

/// The sending end: a device with one port, its host's interface.
pub trait Sender: Device<Frame = Frame> {
    /// Nothing is left to send or to hear.
    fn is_done(&self) -> bool;
    /// What it did so far.
    fn counters(&self) -> Counters;
    /// How it stands and what it waits for, in words, for the stall report.
    fn state(&self) -> String;
    /// Bytes that it may have in flight, if a window limits it.
    fn window(&self) -> Option<Bytes> {
        None
    }
    /// At what rate it sends, if one limits it: as of when it last looked at the time.
    fn rate(&self) -> Option<Rate> {
        None
    }
    /// It knows that it has nothing to send until a frame comes for it, or its timer goes off: until then [`Device::transmit`] would hand out
    /// nothing and change nothing. One that is done waits for nothing.
    fn is_waiting(&self) -> bool {
        false
    }
    /// Its place among the connections of its host that are as urgent, if they do not take turns: the least sends first.
    fn rank(&self) -> Option<u64> {
        None
    }
}

/// The receiving end: a device with one port, its host's interface.
pub trait Receiver: Device<Frame = Frame> {
    /// Bytes of the message that the application has, in order where the protocol orders them.
    fn delivered(&self) -> Bytes;
}

/// What a sender did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Data frames sent, retransmissions included.
    pub frames: u64,
    /// Data frames sent again.
    pub retransmits: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Acknowledgements that echoed a mark, or notifications of one.
    pub marks: u64,
}
