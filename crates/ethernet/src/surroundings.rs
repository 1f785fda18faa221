//! What surrounds a switch while it handles a frame: chance, who watches, and what is counted of frames that do not go on.

use crate::faults::Losses;
use engine::Stream;
use fabric::{Frame, Observer, Seen, Totals, What};
use units::Time;

/// What a switch sees of the world. It stays in registers as long as nobody asks for its address: what is not inlined gets its parts.
pub(crate) struct Surroundings<'a, O> {
    pub now: Time,
    pub observer: &'a mut O,
    pub stream: &'a mut Stream,
    pub losses: &'a mut Losses,
    pub totals: &'a mut Totals,
}

impl<O: Observer> Surroundings<'_, O> {
    /// Something happens to a frame before a link.
    #[inline(always)]
    pub(crate) fn see(&mut self, frame: &Frame, link: u32, what: What) {
        self.observer.see(self.now, Seen::Frame { frame, link, what });
    }

    /// A whole number below `choices`, at random.
    #[inline(always)]
    pub(crate) fn pick(&mut self, choices: u32) -> u32 {
        self.stream.below(u64::from(choices)) as u32
    }

    /// No room for this frame before `link`, or the link is dead.
    #[inline(always)]
    pub(crate) fn dropped(&mut self, frame: &Frame, link: u32, is_dead: bool) {
        self.see(frame, link, if is_dead { What::Lost } else { What::Dropped });
        drop_one(is_dead, frame.len, self.losses, self.totals);
    }

    /// So many bytes were cut off this frame, or off one that waits before `link`.
    #[inline(always)]
    pub(crate) fn trimmed(&mut self, frame: &Frame, link: u32, cut: u32) {
        self.see(frame, link, What::Trimmed { cut });
        self.totals.trim(cut);
        self.losses.trimmed += 1;
    }

    /// The header of this frame is sent back to its source, for want of room before `link`.
    #[inline(always)]
    pub(crate) fn returned(&mut self, frame: &Frame, link: u32) {
        self.see(frame, link, What::Returned);
        self.losses.returned += 1;
    }

    /// No path is left to this frame's host from the switch whose first link this is.
    #[inline(always)]
    pub(crate) fn unreachable(&mut self, frame: &Frame, first: u32) {
        self.see(frame, first, What::Lost);
        self.totals.lose(frame.len);
        self.losses.unreachable += 1;
    }
}

/// A frame of so many bytes finds no room, or a dead link.
#[cold]
#[inline(never)]
fn drop_one(is_dead: bool, len: u32, losses: &mut Losses, totals: &mut Totals) {
    if is_dead {
        totals.lose(len);
        losses.broken += 1;
    } else {
        totals.drop_one(len);
    }
}
