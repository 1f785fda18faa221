//! The queue of pulls of a host: one goes for each time that a full packet takes on its link. Connections take turns, after those that the host
//! prefers: it alone knows all that is sent to it, and so can have a straggler or a short message come first (§3.2, receiver-driven
//! prioritization).

use std::collections::VecDeque;
use units::{Span, Time};

/// A host's pulls.
#[derive(Debug, Clone)]
pub struct Puller {
    /// By priority: connections that want pulls, each once, whose turn it is first.
    turns: Vec<VecDeque<(u32, u32)>>,
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
        Puller { turns: Vec::new(), pace, next: Time::ZERO, timer: None }
    }

    /// The connection in this place and epoch wants a pull, and wanted none before. Those of the least `priority` go first.
    pub fn join(&mut self, place: u32, epoch: u32, priority: u8) {
        let priority = usize::from(priority);
        if priority >= self.turns.len() {
            self.turns.resize(priority + 1, VecDeque::new());
        }
        self.turns[priority].push_back((place, epoch));
    }

    /// When the next pull is to go; `None` if none is wanted.
    pub fn deadline(&self) -> Option<Time> {
        self.turns.iter().any(|turns| !turns.is_empty()).then_some(self.next)
    }

    /// Whose pull goes now, if it is time. The connection joins again if it wants more.
    pub fn turn(&mut self, now: Time) -> Option<(u32, u32)> {
        if now < self.next {
            return None;
        }
        self.turns.iter_mut().find_map(VecDeque::pop_front)
    }

    /// A pull went.
    pub fn went(&mut self, now: Time) {
        self.next = now + self.pace;
    }
}
