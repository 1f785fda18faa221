//! Frames that are on circuits or wait before them, in one flat array.
//!
//! A frame's time of arrival is known when its port takes it, because ports send first in, first out. So of what a port sends only
//! the next to arrive is in the event queue; each frame knows the one that leaves after it. Where it will arrive is known too, until somebody changes the circuit: then frames that have not left yet go elsewhere, and what the crosspoint was
//! passing on is cut.

use fabric::{Frame, Inside};
use units::Time;

/// What becomes of a frame that does not arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Its circuit was changed while it passed, or was dark when it came: it fails its check at the receiver (§4.4).
    Cut,
    /// Its port is on no circuit.
    Nowhere,
    /// Something on its way is broken.
    Broken,
    /// A bit was received wrong.
    BitError,
}

/// Where a frame will be at the end: a port, or a fate. One number, since one is written and read for every hop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End(u32);

impl End {
    /// It was on its way when this happened, so nothing repairs it.
    const CUT: End = End(u32::MAX);
    const BROKEN: End = End(u32::MAX - 1);
    const ERROR: End = End(u32::MAX - 5);
    /// It has not left: another change may give it an end.
    const NOWHERE: End = End(u32::MAX - 2);
    const DEAD: End = End(u32::MAX - 3);
    const FREE: End = End(u32::MAX - 4);
    const FIRST: u32 = u32::MAX - 5;

    pub(super) fn port(port: u32) -> End {
        End(port)
    }
    /// Whatever leaves now meets this.
    pub(super) fn lost(fate: Fate) -> End {
        match fate {
            Fate::Cut => End::CUT,
            Fate::Nowhere => End::NOWHERE,
            Fate::Broken => End::DEAD,
            Fate::BitError => End::ERROR,
        }
    }
    /// The port, or why there is none.
    #[inline]
    pub(super) fn arrival(self) -> Result<u32, Fate> {
        if self.0 < End::FIRST {
            return Ok(self.0);
        }
        Err(match self {
            End::CUT => Fate::Cut,
            End::NOWHERE => Fate::Nowhere,
            End::ERROR => Fate::BitError,
            _broken => Fate::Broken,
        })
    }
    fn is_settled(self) -> bool {
        self == End::CUT || self == End::BROKEN || self == End::ERROR || self == End::FREE
    }
}

/// What is known of a frame on its way. Apart from the frame, which nothing on the way has to read in full.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flying {
    /// When its last bit arrives.
    pub at: Time,
    /// The port that it leaves by.
    pub port: u32,
    pub end: End,
    /// The place of the frame that leaves by the same port after it, or the next free place; [`NONE`] at the end.
    pub next: u32,
    /// Circuits that it has passed, this one counted.
    pub hops: u8,
}

/// No place.
pub(super) const NONE: u32 = u32::MAX;

/// What happens to a port's circuit at an instant.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// It leads to this end from `live` on; until then it is dark.
    Circuit {
        /// Where it leads.
        end: End,
        /// When it works.
        live: Time,
    },
    /// Something on it breaks, or is repaired: whatever is on it now is lost.
    Severed(End),
    /// Its SoC stops: whatever is on it or waits is lost.
    Stopped,
}

/// All of them. Memory grows with what is in flight.
#[derive(Debug, Clone)]
pub(super) struct Flight {
    flying: Vec<Flying>,
    frames: Vec<Frame>,
    /// The place freed last.
    free: u32,
    len: usize,
}

impl Default for Flight {
    fn default() -> Flight {
        Flight { flying: Vec::new(), frames: Vec::new(), free: NONE, len: 0 }
    }
}

impl Flight {
    /// Keeps a frame that is to go somewhere; says where.
    #[inline(always)]
    pub(super) fn put(&mut self, frame: Frame) -> u32 {
        let flying = Flying { at: Time::ZERO, port: 0, end: End::NOWHERE, next: NONE, hops: 0 };
        self.len += 1;
        let place = self.free;
        if let Some(free) = self.flying.get_mut(place as usize) {
            self.free = free.next;
            *free = flying;
            self.frames[place as usize] = frame;
            return place;
        }
        let place = u32::try_from(self.flying.len()).expect("fewer than 2^32 frames are on their way");
        self.flying.push(flying);
        self.frames.push(frame);
        place
    }
    /// What is known of the frame in `place`.
    #[inline(always)]
    pub(super) fn flying(&self, place: u32) -> &Flying {
        &self.flying[place as usize]
    }
    /// The frame in `place`.
    #[inline(always)]
    pub(super) fn frame(&self, place: u32) -> &Frame {
        &self.frames[place as usize]
    }
    /// The frame in `place` goes on under another destination.
    pub(super) fn readdress(&mut self, place: u32, dst: u32) {
        self.frames[place as usize].dst = dst;
    }
    /// The frame in `place` goes by a port and will arrive at `end`.
    #[inline(always)]
    pub(super) fn send(&mut self, place: u32, port: u32, end: End, at: Time) {
        let flying = &mut self.flying[place as usize];
        *flying = Flying { at, port, end, next: NONE, hops: flying.hops + 1 };
    }
    /// The frame in `next` leaves by the same port as that in `place`, after it.
    #[inline(always)]
    pub(super) fn follow(&mut self, place: u32, next: u32) {
        debug_assert!(self.flying(place).at < self.flying(next).at, "a port sends first in, first out");
        self.flying[place as usize].next = next;
    }
    /// The frame in `place` is on its way no longer.
    #[inline(always)]
    pub(super) fn free(&mut self, place: u32) {
        let flying = &mut self.flying[place as usize];
        debug_assert_ne!(flying.end, End::FREE, "a frame arrives once");
        (flying.end, flying.next) = (End::FREE, self.free);
        self.free = place;
        self.len -= 1;
    }
    /// How many are on their way.
    pub(super) fn len(&self) -> usize {
        self.len
    }
    pub(super) fn inside(&self) -> Vec<Inside> {
        let all = self.flying.iter().zip(&self.frames).filter(|(flying, _)| flying.end != End::FREE);
        all.map(|(flying, frame)| Inside { frame: *frame, link: flying.port }).collect()
    }

    /// Circuits change now, by port. `passage` says from a frame and its arrival when its first and its last bit pass the crosspoint.
    pub(super) fn divert(
        &mut self,
        now: Time,
        changes: &[Option<Change>],
        passage: impl Fn(Time, &Frame) -> [Time; 2],
    ) {
        let unsettled = self.flying.iter_mut().zip(&self.frames).filter(|(flying, _)| !flying.end.is_settled());
        for (flying, frame) in unsettled {
            let Some(change) = changes[flying.port as usize] else { continue };
            let [first, last] = passage(flying.at, frame);
            match change {
                Change::Circuit { end, live } if first >= live => flying.end = end,
                // What the crosspoint has let through arrives where it was sent; what fails to get through is lost.
                Change::Circuit { .. } => {
                    if last > now {
                        flying.end = End::CUT;
                    }
                }
                Change::Severed(end) if first >= now => flying.end = end,
                Change::Severed(_) | Change::Stopped => flying.end = End::BROKEN,
            }
        }
    }
}
