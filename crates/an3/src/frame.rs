//! What a link carries (§3, Fig. 4): frame after frame, and in each as many control cells as data cells.

use units::{Bytes, Rate, Span};

/// Slots of a frame on a link of an L1 switch (§3).
pub const SLOTS: u32 = 128;

/// A control cell (§3), in bytes.
pub const CONTROL: u64 = 8;

/// A data cell (§3), in bytes: all of it payload, since 10 KB are 157 of them (§8.2).
pub const DATA: u64 = 64;

/// The frame of the network, which lasts as long on all links: a slower link has fewer slots in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Of a data cell and a control cell on a link of an L1 switch.
    slot: Span,
}

impl Frame {
    /// The frame of a network whose L1 switches have ports of this `rate`: that of the payload, which a 10 Gb/s port has after its 66/64 line code (§3).
    pub fn of(rate: Rate) -> Frame {
        Frame { slot: rate.time_for(Bytes::new(CONTROL + DATA)) }
    }

    /// How long a frame lasts: 7.37 us at 10 Gb/s. The paper prints 7.32 (§3).
    pub fn length(self) -> Span {
        self.slot * u64::from(SLOTS)
    }

    /// How long a slot lasts on a link that has this many of them.
    ///
    /// # Panics
    ///
    /// If the link has none.
    pub fn slot(self, slots: u32) -> Span {
        self.length() / u64::from(slots)
    }

    /// How long the control cell of a slot lasts, with which the slot begins, on a link that has this many of them.
    pub fn control(self, slots: u32) -> Span {
        self.slot(slots) * CONTROL / (CONTROL + DATA)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_at_10_gbps_lasts_7_4_us_and_a_slot_57_6_ns() {
        let frame = Frame::of(Rate::from_gbps(10));
        assert_eq!(frame.slot(SLOTS), Span::from_ps(57_600));
        assert_eq!(frame.length(), Span::from_ps(7_372_800));
        assert_eq!(frame.slot(64), Span::from_ps(115_200), "half as many on a link of half the rate");
    }
}
