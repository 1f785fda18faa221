//! What travels.

use units::{Span, Time};

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
    /// What its kind has beside that, see [`Options`].
    pub options: Options,
    /// What it is to the transport.
    pub kind: Kind,
    /// Strict priority, 0 first.
    pub priority: u8,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: Ecn,
    /// An acknowledgement's news that what it answers was marked; a data frame's wish to be acknowledged.
    pub echo: bool,
    /// Whether all of it is still on its way to its destination.
    pub fate: Fate,
    /// How long it waited at its host's interface, where the fabric is to tell that time from the time inside.
    pub waited: Waited,
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
        options: Options::NONE,
        kind: Kind::Data,
        priority: 0,
        ecn: Ecn::NotCapable,
        echo: false,
        fate: Fate::Whole,
        waited: Waited::NOT,
    };

    /// What disciplines that order frames by rank go by, least first: bytes of the message that remain, say. Only data of transports that rank it
    /// has one; all else has 0.
    #[inline]
    pub fn rank(&self) -> u64 {
        match (self.kind, self.options) {
            (Kind::Data, Options([low, high, Options::RANKED])) => u64::from(low) | u64::from(high) << 32,
            (Kind::Data | Kind::Ack | Kind::Nack | Kind::Pull | Kind::Notification | Kind::Request, _) => 0,
        }
    }

    /// Up to where its sender wants to be let send, in packets that it was let send since the connection began.
    #[inline]
    pub fn target(&self) -> u64 {
        u64::from(self.options.0[0]) | u64::from(self.options.0[1]) << 32
    }

    /// The low half of a packet's number, and which of the 64 packets from there on have come, the first in the lowest bit.
    #[inline]
    pub fn arrived(&self) -> (u32, u64) {
        let Options([low, high, first]) = self.options;
        (first, u64::from(low) | u64::from(high) << 32)
    }

    /// What an acknowledgement says beside [`Frame::sequence`], in its order. Only acknowledgements of TCPs do.
    #[inline]
    pub fn blocks(&self) -> impl Iterator<Item = SackBlock> + use<> {
        let words = if self.kind == Kind::Ack { self.options.0 } else { Options::NONE.0 };
        words.into_iter().map(SackBlock::of_word).take_while(|block| block.length > 0)
    }

    /// The subflow that a frame of a TCP over several paths belongs to, and what of the message: data's first byte, or the byte that an
    /// acknowledgement expects next.
    #[inline]
    pub fn subflow(&self) -> (usize, u64) {
        let Options([low, high, subflow]) = self.options;
        (subflow as usize, u64::from(low) | u64::from(high) << 32)
    }

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

/// Twelve bytes of a frame whose meaning depends on its [`Kind`]: a rank for data ([`Frame::rank`]), blocks that were received beyond a hole for
/// acknowledgements ([`Frame::blocks`]), the subflow and what of the message in frames of subflows ([`Frame::subflow`]), what a sender asks for or which
/// packets have come where receivers give credit ([`Frame::target`], [`Frame::arrived`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options([u32; 3]);

impl Options {
    /// Nothing.
    pub const NONE: Options = Options([0; 3]);

    /// Tells data that has a rank from data of a subflow: no subflow has this number.
    const RANKED: u32 = u32::MAX;

    /// Of data with this rank.
    pub fn of_rank(rank: u64) -> Options {
        Options([rank as u32, (rank >> 32) as u32, Options::RANKED])
    }

    /// Of a subflow's frame, see [`Frame::subflow`].
    pub fn of_subflow(subflow: usize, data: u64) -> Options {
        Options([data as u32, (data >> 32) as u32, subflow as u32])
    }

    /// Of a frame whose sender asks for credit, see [`Frame::target`].
    pub fn of_target(target: u64) -> Options {
        Options::of_rank(target)
    }

    /// Of an acknowledgement of single packets, see [`Frame::arrived`].
    pub fn of_arrived(first: u32, packets: u64) -> Options {
        Options([packets as u32, (packets >> 32) as u32, first])
    }

    /// Of an acknowledgement, with up to three blocks: as many as TCP's option has room for beside a time stamp (RFC 2018 §3). Empty ones come last.
    pub fn of_blocks(blocks: [SackBlock; 3]) -> Options {
        Options(blocks.map(SackBlock::word))
    }
}

/// A selective acknowledgement (RFC 2018), in full segments from the byte that is expected next on. All segments of a message are full but its
/// last, so they count exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SackBlock {
    /// Its first segment. Below 0, what was received once more although it had been acknowledged (RFC 2883 §4).
    pub start: i16,
    /// How many segments; 0 is no block.
    pub length: u16,
}

impl SackBlock {
    /// No block.
    pub const NONE: SackBlock = SackBlock { start: 0, length: 0 };

    #[inline]
    fn word(self) -> u32 {
        u32::from(self.start.cast_unsigned()) | u32::from(self.length) << 16
    }
    #[inline]
    fn of_word(word: u32) -> SackBlock {
        SackBlock { start: (word as u16).cast_signed(), length: (word >> 16) as u16 }
    }
}

/// A time to within one part in 2048, in what room a [`Frame`] has left: as a floating-point number of picoseconds without a sign, of 5 bits of exponent
/// and 11 of mantissa. Up to 4.4 s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waited(u16);

impl Waited {
    /// Not at all.
    pub const NOT: Waited = Waited(0);

    /// Rounded down; longer times than there can be become the longest.
    pub fn new(span: Span) -> Waited {
        let ps = span.as_ps();
        let exponent = (u64::BITS - ps.leading_zeros()).saturating_sub(12);
        if exponent > 30 {
            return Waited(u16::MAX);
        }
        // The leading one of the mantissa adds itself to the exponent.
        Waited((exponent << 11) as u16 + (ps >> exponent) as u16)
    }

    /// The time.
    pub fn span(self) -> Span {
        let exponent = (self.0 >> 11).saturating_sub(1);
        Span::from_ps(u64::from(self.0 - (exponent << 11)) << exponent)
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
    /// From the receiver to the sender: this has not come as it should: only its header has, or what follows it.
    Nack,
    /// From the receiver to the sender: so much may be sent.
    Pull,
    /// From the receiver to the sender: something of this was marked (RoCEv2's congestion notification packet).
    Notification,
    /// From the sender to the receiver: it has something to send and may not (request to send, RTS).
    Request,
}

impl Kind {
    /// Whether it goes from a message's sender to its receiver.
    #[inline]
    pub fn is_from_sender(self) -> bool {
        match self {
            Kind::Data | Kind::Request => true,
            Kind::Ack | Kind::Nack | Kind::Pull | Kind::Notification => false,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_kept_to_a_2048th() {
        for ps in (0..64).flat_map(|bits| [1_u64 << bits, (1 << bits) + (1 << bits) / 3, (1 << bits) - 1]) {
            let kept = Waited::new(Span::from_ps(ps)).span().as_ps();
            if ps < 4095 << 30 {
                assert!(kept <= ps && ps - kept <= ps / 2048, "{ps} ps are kept as {kept}");
            } else {
                assert_eq!(kept, 4095 << 30, "{ps}");
            }
        }
    }

    #[test]
    fn options_are_what_was_put_into_them() {
        for rank in [0, 1, u64::from(u32::MAX), u64::MAX, 0x0123_4567_89ab_cdef] {
            let data = Frame { options: Options::of_rank(rank), ..Frame::EMPTY };
            assert_eq!((data.rank(), data.blocks().count()), (rank, 0));
        }
        let of_subflow = Frame { options: Options::of_subflow(1, 7000), ..Frame::EMPTY };
        assert_eq!((of_subflow.subflow(), of_subflow.rank()), ((1, 7000), 0), "a place in the message is no rank");
        let [first, second] =
            [SackBlock { start: i16::MIN, length: u16::MAX }, SackBlock { start: i16::MAX, length: 1 }];
        let blocks = [first, second, SackBlock::NONE];
        let ack = Frame { kind: Kind::Ack, options: Options::of_blocks(blocks), ..Frame::EMPTY };
        assert_eq!((ack.rank(), ack.blocks().collect::<Vec<_>>()), (0, vec![first, second]));
        for number in [0, 1, u64::from(u32::MAX), u64::MAX, 0x0123_4567_89ab_cdef] {
            let request = Frame { kind: Kind::Request, options: Options::of_target(number), ..Frame::EMPTY };
            assert_eq!((request.target(), request.rank()), (number, 0));
            let ack = Frame { kind: Kind::Ack, options: Options::of_arrived(7, number), ..Frame::EMPTY };
            assert_eq!(ack.arrived(), (7, number));
        }
    }
}
