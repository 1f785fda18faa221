//! Frames inside, each kept once, as it was when it was offered.
//!
//! The two networks carry frames of their own, between hosts that they know, whose `sequence` says where the original is. A network does
//! not say which frames it drops, so places of those stay taken until there are so many that it is worth while to look which frames are
//! still somewhere: when twice as many places are taken as then. That costs a constant for each frame, and loses nothing.

use fabric::{Arena, Ecn, Frame};

/// Fewer places than this are not worth a look.
const FEW: usize = 1024;

/// Frames by place, some of them lost.
#[derive(Debug)]
pub(crate) struct Held {
    frames: Arena,
    /// Places that may be taken before the next look.
    limit: usize,
}

impl Held {
    pub(crate) fn new() -> Held {
        Held { frames: Arena::default(), limit: FEW }
    }

    pub(crate) fn put(&mut self, frame: Frame) -> u32 {
        self.frames.put(frame)
    }

    pub(crate) fn frame(&self, place: u32) -> &Frame {
        &self.frames[place]
    }

    pub(crate) fn set_ecn(&mut self, place: u32, ecn: Ecn) {
        self.frames[place].ecn = ecn;
    }

    pub(crate) fn take(&mut self, place: u32) -> Frame {
        self.frames.take(place)
    }

    /// Places that are taken, some of them by frames that were lost.
    pub(crate) fn taken(&self) -> usize {
        self.frames.len()
    }

    /// Whether it is time to look which frames are still somewhere.
    pub(crate) fn is_crowded(&self) -> bool {
        self.taken() >= self.limit
    }

    /// Frees the places of all frames but these.
    pub(crate) fn keep(&mut self, places: impl Iterator<Item = u32>) {
        self.frames.retain(places);
        self.limit = FEW.max(2 * self.taken());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabric::Kind;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use units::Time;

    fn frame(flow: u32) -> Frame {
        let (kind, ecn, stamp) = (Kind::Data, Ecn::NotCapable, Time::ZERO);
        let (sequence, epoch, src, dst, len, entropy, priority, echo) = (7, 0, 1, 2, 64, 3, 0, false);
        Frame { sequence, stamp, flow, epoch, src, dst, len, entropy, kind, priority, ecn, echo, ..Frame::EMPTY }
    }

    proptest! {
        /// Frames that come, leave and are lost without a word: those inside are always as they came, and there are never more places
        /// than are needed but for a factor of two.
        #[test]
        fn nothing_is_confused_and_nothing_leaks(steps in prop::collection::vec((0_u8..4, any::<prop::sample::Index>()), 1..8000)) {
            let (mut held, mut inside, mut most) = (Held::new(), BTreeMap::new(), 0);
            for (number, (step, which)) in (0..).zip(steps) {
                if step < 2 {
                    if held.is_crowded() {
                        held.keep(inside.keys().copied());
                    }
                    prop_assert!(inside.insert(held.put(frame(number)), number).is_none(), "a place was given twice");
                    most = most.max(inside.len());
                } else if let Some((place, number)) = inside.iter().nth(which.index(inside.len().max(1))).map(|(a, b)| (*a, *b)) {
                    inside.remove(&place);
                    if step == 2 {
                        prop_assert_eq!(held.take(place).flow, number);
                    }
                }
                prop_assert!(held.taken() >= inside.len() && held.taken() <= FEW.max(2 * most));
            }
            held.keep(inside.keys().copied());
            prop_assert_eq!(held.taken(), inside.len());
            for (place, number) in inside {
                prop_assert_eq!(held.frame(place).flow, number);
            }
        }
    }
}
