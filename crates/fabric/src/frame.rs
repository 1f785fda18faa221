//! What travels.

use units::Time;

/// A packet as the fabric sees it, with the few header fields that transports use. Its payload exists only as a length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Data: its first byte's place in the flow. Acknowledgement: the byte expected next.
    pub sequence: u64,
    /// When it was handed to the fabric. An acknowledgement carries back the stamp of what it answers (as RFC 7323).
    pub stamp: Time,
    /// The connection it belongs to; `epoch` tells it from earlier connections in the same place.
    pub flow: u32,
    /// See `flow`.
    pub epoch: u32,
    /// The host that sends it.
    pub src: u32,
    /// The host that it goes to.
    pub dst: u32,
    /// Length of the packet in bytes, headers included; the fabric adds its own framing.
    pub len: u32,
    /// Equal for all frames of a flow: what switches hash to choose among paths.
    pub entropy: u32,
    /// Which of [`Network::paths`](crate::Network::paths) it takes, where its source chooses; [`Frame::ANY_PATH`] where switches do. Switches
    /// take their part of the number off it on the way.
    pub path: u32,
    /// What disciplines that order frames by rank go by, least first: bytes of the message that remain, say.
    pub rank: u64,
    /// What it is to the transport.
    pub kind: Kind,
    /// Strict priority, 0 first.
    pub priority: u8,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: Ecn,
    /// An acknowledgement's news that what it answers was marked.
    pub echo: bool,
    /// Whether all of it is still on its way to its destination.
    pub fate: Fate,
}

// A frame is copied at every hop: it fits into one cache line.
const _: () = assert!(size_of::<Frame>() <= 64);

impl Frame {
    /// The path of a frame whose source leaves it to the switches.
    pub const ANY_PATH: u32 = u32::MAX;

    /// The destination of frames that a fabric has for itself, which go to no host.
    pub const NO_HOST: u32 = u32::MAX;

    /// A whole data frame of nothing, from host 0 to itself, that leaves its path to switches: to fill in what does not matter.
    pub const EMPTY: Frame = Frame {
        sequence: 0,
        stamp: Time::ZERO,
        flow: 0,
        epoch: 0,
        src: 0,
        dst: 0,
        len: 0,
        entropy: 0,
        path: Frame::ANY_PATH,
        rank: 0,
        kind: Kind::Data,
        priority: 0,
        ecn: Ecn::NotCapable,
        echo: false,
        fate: Fate::Whole,
    };

    /// Cuts off its payload. Bytes that are gone.
    pub fn trim(&mut self, header: u32) -> u32 {
        let cut = self.len.saturating_sub(header);
        (self.len, self.fate) = (self.len - cut, Fate::Trimmed);
        cut
    }

    /// Sends it back to its source, over whatever path.
    pub fn turn_back(&mut self) {
        std::mem::swap(&mut self.src, &mut self.dst);
        (self.path, self.fate) = (Frame::ANY_PATH, Fate::Returned);
    }
}

/// What switches have made of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Nothing. Where there is no room for it, it is dropped.
    Whole,
    /// Nothing. Where there is no room for it, it may be trimmed.
    Trimmable,
    /// Its payload was cut off for want of room, and its header goes on.
    Trimmed,
    /// There was no room for its header either, which goes back to its source.
    Returned,
}

/// What a frame is to the transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Part of a message, from its sender to its receiver.
    Data,
    /// From the receiver to the sender: this much has come.
    Ack,
    /// From the receiver to the sender: only the header of this has come.
    Nack,
    /// From the receiver to the sender: so much may be sent.
    Pull,
}

/// The two ECN bits of the IP header (RFC 3168 §5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ecn {
    /// Its transport does not understand marks.
    NotCapable,
    /// It may be marked.
    Capable,
    /// It met congestion.
    Marked,
}
