//! A port's parameters, made ready for the hot path: lengths of queues become lengths of time.

use crate::config::Trim;
use crate::faults::Losses;
use engine::Stream;
use fabric::{Fault, Red};
use settings::Length;
use units::{Bytes, Pace, Rate, Span};

/// No probability: a mark is no matter of chance.
const CERTAIN: f32 = -1.0;

/// What ports of one kind have in common. There are few, so they stay in the nearest cache.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PortClass {
    /// Rate of its link.
    pub rate: Rate,
    /// The same, ready.
    pub pace: Pace,
    /// Propagation delay of its link.
    pub delay: Span,
    /// What each packet takes on the wire beyond itself.
    pub framing: u32,
    /// Time that a full queue lasts, if the limit is in bytes; [`Span::MAX`] otherwise.
    pub limit: Span,
    /// Time that a queue at the marking threshold lasts, if that is in bytes; [`Span::MAX`] otherwise.
    pub mark: Span,
    /// With RED: by how much the probability of a mark grows for each picosecond that a frame waits longer than `mark`, and the probability from
    /// which on all frames are marked. Negative: all that find more than the threshold are.
    pub ramp: f32,
    /// See `ramp`.
    pub most: f32,
    /// Frames in a full queue, if the limit is in packets; [`u32::MAX`] otherwise.
    pub limit_packets: u32,
    /// Frames in a queue at the marking threshold, if that is in packets; [`u32::MAX`] otherwise.
    pub mark_packets: u32,
    /// A queue that lasts no longer has too few packets to be full or marked, whatever their size.
    pub sparse: Span,
    /// The link does not deliver every frame, for one of the next three reasons.
    pub lossy: bool,
    /// Probability that the link corrupts a frame, of 2^64; 0: never.
    pub loss: u64,
    /// Probability that the link corrupts a bit; 0: never.
    pub bit_errors: f64,
    /// The link, or the node at one of its ends, is broken.
    pub dead: bool,
    /// Length of a header that is left of a frame that is trimmed.
    pub header: u32,
    /// Time that a full queue of headers lasts.
    pub headers: Span,
    /// Headers that go before data has its turn.
    pub headers_in_a_row: u32,
    /// Time from a frame's first bit until a switch at the other end may pass it on; `None`: when it is whole.
    pub head: Option<Span>,
}

// Looked up by number for every hop.
const _: () = assert!(size_of::<PortClass>() == 128);

impl PortClass {
    /// A port on a link of this rate and delay: an unbounded, unmarked queue and a perfect link.
    pub fn new(rate: Rate, delay: Span, framing: Bytes) -> PortClass {
        PortClass {
            rate,
            pace: Pace::new(rate),
            delay,
            framing: framing.get() as u32,
            limit: Span::MAX,
            mark: Span::MAX,
            ramp: 0.0,
            most: CERTAIN,
            limit_packets: u32::MAX,
            mark_packets: u32::MAX,
            sparse: Span::ZERO,
            lossy: false,
            loss: 0,
            bit_errors: 0.0,
            dead: false,
            header: 0,
            headers: Span::ZERO,
            headers_in_a_row: 0,
            head: None,
        }
    }

    /// With a queue of this length.
    pub fn with_limit(self, queue: Length) -> PortClass {
        let (limit, limit_packets) = self.spans(queue);
        PortClass { limit, limit_packets, ..self }.with_sparse()
    }

    /// With marks above this length.
    pub fn with_marks(self, threshold: Option<Length>) -> PortClass {
        let (mark, mark_packets) = threshold.map_or((Span::MAX, u32::MAX), |length| self.spans(length));
        PortClass { mark, mark_packets, most: CERTAIN, ..self }.with_sparse()
    }

    /// With marks that are the likelier the longer the queue is.
    pub fn with_red(self, red: Red) -> PortClass {
        let [mark, all] = [red.min_threshold, red.max_threshold].map(|bytes| self.rate.time_for(bytes));
        let ramp = red.max_probability / all.saturating_sub(mark).as_ps().max(1) as f64;
        let (ramp, most) = (ramp as f32, red.max_probability as f32);
        PortClass { mark, ramp, most, mark_packets: u32::MAX, ..self }.with_sparse()
    }

    /// Whether a frame that finds more than the threshold is marked. `chance` is drawn from only if that is a matter of chance.
    #[inline]
    pub fn marks(&self, wait: Span, chance: &mut Stream) -> bool {
        self.most == CERTAIN || self.marks_by_chance(wait, chance)
    }

    #[cold]
    #[inline(never)]
    fn marks_by_chance(&self, wait: Span, chance: &mut Stream) -> bool {
        let probability = wait.saturating_sub(self.mark).as_ps() as f64 * f64::from(self.ramp);
        probability > f64::from(self.most) || chance.unit() < probability
    }

    /// With frames that are trimmed, and a queue of headers of this length.
    pub fn with_trimming(self, trim: Trim, queue: Bytes) -> PortClass {
        let (header, headers_in_a_row) = (trim.header.get() as u32, trim.headers_in_a_row);
        PortClass { header, headers: self.rate.time_for(queue), headers_in_a_row, ..self }
    }

    /// No packet is shorter than a byte.
    fn with_sparse(self) -> PortClass {
        let packets = self.limit_packets.min(self.mark_packets);
        let shortest = self.time_on_wire(1);
        PortClass { sparse: shortest.saturating_mul(u64::from(packets.saturating_sub(1))), ..self }
    }

    /// With a link that corrupts frames with this probability, in [0, 1).
    pub fn with_loss(self, loss: f64) -> PortClass {
        PortClass { loss: (loss * 2_f64.powi(64)) as u64, ..self }.with_lossy()
    }

    /// With a link that corrupts bits with this probability, in [0, 1).
    pub fn with_bit_errors(self, rate: f64) -> PortClass {
        PortClass { bit_errors: rate, ..self }.with_lossy()
    }

    /// With a link that delivers nothing. A switch's port then has no room: nothing waits for what is broken.
    pub fn dead(self, at_host: bool) -> PortClass {
        let limit = if at_host { self.limit } else { Span::ZERO };
        PortClass { dead: true, limit, ..self }.with_lossy()
    }

    fn with_lossy(self) -> PortClass {
        PortClass { lossy: self.loss > 0 || self.bit_errors > 0.0 || self.dead, ..self }
    }

    /// Probability that some bit of a packet of `len` bytes, or of what it takes on the wire beside itself, is corrupted.
    pub fn frame_error(&self, len: u32) -> f64 {
        Fault::frame_error(self.bit_errors, u64::from(len + self.framing))
    }

    /// Whether a link that does not deliver every frame loses this one.
    #[inline(never)]
    pub(crate) fn loses(&self, len: u32, stream: &mut Stream, errors: &mut Stream, losses: &mut Losses) -> bool {
        if self.dead {
            losses.broken += 1;
            return true;
        }
        if self.loss > 0 && stream.bits() < self.loss {
            return true;
        }
        let in_error = self.bit_errors > 0.0 && errors.unit() < self.frame_error(len);
        losses.bit_errors += u64::from(in_error);
        in_error
    }

    /// A queue's length as time, or as packets.
    fn spans(&self, length: Length) -> (Span, u32) {
        match length {
            Length::Bytes(bytes) => (self.rate.time_for(bytes), u32::MAX),
            Length::Packets(packets) => (Span::MAX, packets),
        }
    }

    /// Whether anything is counted in packets.
    #[inline]
    pub fn counts_packets(&self) -> bool {
        (self.limit_packets & self.mark_packets) != u32::MAX
    }

    /// Time on the wire of a packet of `len` bytes.
    #[inline]
    pub fn time_on_wire(&self, len: u32) -> Span {
        self.pace.span(len + self.framing)
    }
}
