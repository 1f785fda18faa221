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
    /// What it is to the transport.
    pub kind: Kind,
    /// Strict priority, 0 first.
    pub priority: u8,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: Ecn,
    /// An acknowledgement's news that what it answers was marked.
    pub echo: bool,
}

/// What a frame is to the transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Part of a message, from its sender to its receiver.
    Data,
    /// From the receiver to the sender.
    Ack,
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
