//! The queue of pulls of a host: its connections take turns, and one pull goes for each time that a full packet takes on its link.

use std::collections::VecDeque;
use units::{Span, Time};

/// A host's pulls.
#[derive(Debug, Clone)]
pub struct Puller {
    /// Connections that want pulls, each once, whose turn it is first.
    turns: VecDeque<(u32, u32)>,
    /// Time between pulls.
    pace: Span,
    /// When the next one may go.
    next: Time,
    /// When its host's pending timer goes off.
    pub timer: Option<Time>,
}

impl Puller {
    /// A host that lets data come at one packet each `pace`.
    pub fn new(pace: Span) -> Puller {
        Puller { turns: VecDeque::new(), pace, next: Time::ZERO, timer: None }
    }

    /// The connection in this place and epoch wants a pull, and wanted none before.
    pub fn join(&mut self, place: u32, epoch: u32) {
        self.turns.push_back((place, epoch));
    }

    /// When the next pull is to go; `None` if none is wanted.
    pub fn deadline(&self) -> Option<Time> {
        (!self.turns.is_empty()).then_some(self.next)
    }

    /// Whose pull goes now, if it is time. The connection joins again if it wants more.
    pub fn turn(&mut self, now: Time) -> Option<(u32, u32)> {
        if now < self.next {
            return None;
        }
        self.turns.pop_front()
    }

    /// A pull went.
    pub fn went(&mut self, now: Time) {
        self.next = now + self.pace;
    }
}
