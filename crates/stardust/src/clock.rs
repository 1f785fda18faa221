//! The fabric's clocks.

use engine::{Event, Rank};
use fabric::kind;
use units::Time;

/// Clocks of the fabric, as devices of [`kind::TICK`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    /// A device's reachability messages are due.
    Reachability(u32),
    /// The far end of a link pauses it, or lets it go on.
    Hold(u32),
    Release(u32),
    /// The device at the end of a link sees that it has no signal.
    Dark(u32),
    /// The interior's own.
    Step,
}

impl Clock {
    pub(crate) fn event(self, at: Time) -> Event {
        let (clock, device) = match self {
            Clock::Step => (0, 0),
            Clock::Reachability(device) => (1, device),
            Clock::Hold(link) => (2, link),
            Clock::Release(link) => (3, link),
            Clock::Dark(link) => (4, link),
        };
        Event { at, rank: Rank::new(kind::TICK, device * 5 + clock), slot: 0 }
    }
    pub(crate) fn of(event: Event) -> Clock {
        let (clock, device) = (event.rank.device() % 5, event.rank.device() / 5);
        match clock {
            0 => Clock::Step,
            1 => Clock::Reachability(device),
            2 => Clock::Hold(device),
            3 => Clock::Release(device),
            _four => Clock::Dark(device),
        }
    }
}
