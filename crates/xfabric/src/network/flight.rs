//! Frames that are on circuits or wait before them, in one flat array.
//!
//! A frame's time of arrival is known when its port takes it, because ports send first in, first out. Where it will arrive is known
//! too, until somebody changes the circuit: then frames that have not left yet go elsewhere, and what the crosspoint was
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

/// A frame on its way from a port.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flying {
    pub frame: Frame,
    /// The port that it leaves by.
    pub port: u32,
    pub end: End,
    /// When its last bit arrives.
    pub at: Time,
    /// Circuits that it has passed, this one counted.
    pub hops: u8,
}

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
#[derive(Debug, Clone, Default)]
pub(super) struct Flight {
    places: Vec<Flying>,
    free: Vec<u32>,
}

impl Flight {
    /// Keeps a frame; says where.
    #[inline]
    pub(super) fn put(&mut self, flying: Flying) -> u32 {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = flying;
            return place;
        }
        let place = u32::try_from(self.places.len()).expect("fewer than 2^32 frames are on their way");
        self.places.push(flying);
        place
    }
    /// The frame in `place`.
    #[inline]
    pub(super) fn get(&self, place: u32) -> Flying {
        debug_assert_ne!(self.places[place as usize].end, End::FREE, "a frame arrives once");
        self.places[place as usize]
    }
    /// The frame in `place` goes on.
    #[inline]
    pub(super) fn pass(&mut self, place: u32, flying: Flying) {
        self.places[place as usize] = flying;
    }
    /// The frame in `place` is on its way no longer.
    #[inline]
    pub(super) fn free(&mut self, place: u32) {
        self.places[place as usize].end = End::FREE;
        self.free.push(place);
    }
    /// How many are on their way.
    pub(super) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }
    pub(super) fn iter(&self) -> impl Iterator<Item = &Flying> {
        self.places.iter().filter(|flying| flying.end != End::FREE)
    }
    pub(super) fn inside(&self) -> Vec<Inside> {
        self.iter().map(|flying| Inside { frame: flying.frame, link: flying.port }).collect()
    }

    /// Circuits change now, by port. `passage` says from a frame and its arrival when its first and its last bit pass the crosspoint.
    pub(super) fn divert(&mut self, now: Time, changes: &[Option<Change>], passage: impl Fn(&Flying) -> [Time; 2]) {
        for flying in self.places.iter_mut().filter(|flying| !flying.end.is_settled()) {
            let Some(change) = changes[flying.port as usize] else { continue };
            let [first, last] = passage(flying);
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
