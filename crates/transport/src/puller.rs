//! The queue of pulls of a host: one goes for each time that a full packet takes on its link. Connections take turns, after those that the host
//! prefers: it alone knows all that is sent to it, and so can have a straggler or a short message come first (NDP §3.2, receiver-driven
//! prioritization).

use fabric::Frame;
use std::collections::VecDeque;
use units::{Span, Time, bounds};

/// A receiving end that asks for data when its host says so.
pub trait Pulled {
    /// In which class's turns it is to stand from now on, if it wants a pull and does not stand there already. The least has its turns first.
    fn joins(&mut self) -> Option<u8>;

    /// It has its turn in this class: what it sends, unless it wants nothing any more.
    fn pull(&mut self, now: Time, class: u8) -> Option<Pull>;
}

/// A pull that goes.
#[derive(Debug, Clone, Copy)]
pub struct Pull {
    /// To the sender.
    pub frame: Frame,
    /// The part of the link's rate at which what it asks for is to come.
    pub rate: f64,
}

/// A host's pulls.
#[derive(Debug, Clone)]
pub struct Puller {
    /// By class: connections that want pulls, each once, whose turn it is first.
    turns: Vec<VecDeque<(u32, u32)>>,
    /// Time that a full packet takes on the host's link.
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

    /// The connection in this place and epoch stands in the turns of `class`, and did not before.
    pub fn join(&mut self, place: u32, epoch: u32, class: u8) {
        let class = usize::from(class);
        if class >= self.turns.len() {
            self.turns.resize(class + 1, VecDeque::new());
        }
        self.turns[class].push_back((place, epoch));
    }

    /// When the next pull is to go; `None` if none is wanted.
    pub fn deadline(&self) -> Option<Time> {
        self.turns.iter().any(|turns| !turns.is_empty()).then_some(self.next)
    }

    /// Whose turn it is now, if it is time: place, epoch and class. The connection joins again if it wants more.
    pub fn turn(&mut self, now: Time) -> Option<(u32, u32, u8)> {
        if now < self.next {
            return None;
        }
        let turns = (0..).zip(&mut self.turns);
        turns.into_iter().find_map(|(class, turns)| turns.pop_front().map(|(place, epoch)| (place, epoch, class)))
    }

    /// A pull went, for data that is to come at this part of the link's rate.
    pub fn went(&mut self, now: Time, rate: f64) {
        let pace = if rate < 1.0 { Span::from_ps((self.pace.as_ps() as f64 / rate) as u64) } else { self.pace };
        self.next = now + pace.min(bounds::TIME);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_class_goes_first_and_others_take_turns_at_the_pace_of_what_went() {
        let us = |us| Time::ZERO + Span::from_us(us);
        let mut puller = Puller::new(Span::from_us(10));
        assert_eq!((puller.deadline(), puller.turn(us(0))), (None, None));
        for (place, class) in [(1, 3), (2, 3), (3, 0)] {
            puller.join(place, 7, class);
        }
        assert_eq!(puller.turn(us(5)), Some((3, 7, 0)));
        puller.went(us(5), 1.0);
        assert_eq!((puller.deadline(), puller.turn(us(14))), (Some(us(15)), None));
        assert_eq!(puller.turn(us(15)), Some((1, 7, 3)));
        puller.went(us(15), 0.5);
        assert_eq!((puller.turn(us(34)), puller.turn(us(35))), (None, Some((2, 7, 3))));
        // However slow, sums of times fit.
        puller.join(2, 7, 3);
        puller.went(us(35), 1e-300);
        assert_eq!(puller.deadline(), Some(us(35) + bounds::TIME));
    }
}
