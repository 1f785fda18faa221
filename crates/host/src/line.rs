//! The order of an interface: connections that have something to send, in turns.

use std::collections::VecDeque;

/// A host's connections that have something to send: strict priority, then round robin.
#[derive(Debug, Default)]
pub(crate) struct Line(VecDeque<Waiting>);

/// A connection that has something to send.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiting {
    pub place: u32,
    pub epoch: u32,
    pub priority: u8,
}

impl Line {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whose turn it is.
    #[inline]
    pub(crate) fn front(&self) -> Option<Waiting> {
        self.0.front().copied()
    }

    /// Stands behind all that are as urgent or more.
    pub(crate) fn join(&mut self, waiting: Waiting) {
        let behind = self.0.iter().rposition(|other| other.priority <= waiting.priority);
        self.0.insert(behind.map_or(0, |position| position + 1), waiting);
    }

    /// The first of those that `may` go comes to the front, so that what follows is about it; it leaves or has its turn before another joins. Whether
    /// there is one.
    pub(crate) fn bring_forward(&mut self, may: impl Fn(u8) -> bool) -> bool {
        let Some(place) = self.0.iter().position(|waiting| may(waiting.priority)) else { return false };
        if let Some(waiting) = self.0.remove(place) {
            self.0.push_front(waiting);
        }
        true
    }

    /// The first one goes.
    pub(crate) fn leave(&mut self) {
        self.0.pop_front();
    }

    /// The first one has had its turn, and stands in line for another.
    #[inline]
    pub(crate) fn next_turn(&mut self) {
        if self.0.len() > 1
            && let Some(waiting) = self.0.pop_front()
        {
            self.join(waiting);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(line: &mut Line, count: usize) -> Vec<u32> {
        let turn = |_| {
            let front = line.front().map(|waiting| waiting.place);
            line.next_turn();
            front
        };
        (0..count).filter_map(turn).collect()
    }

    #[test]
    fn equals_take_turns_and_the_urgent_go_first() {
        let mut line = Line::default();
        assert!(line.front().is_none());
        for (place, priority) in [(5, 1), (3, 1), (4, 2)] {
            line.join(Waiting { place, epoch: 0, priority });
        }
        assert_eq!(turns(&mut line, 5), [5, 3, 5, 3, 5]);
        line.join(Waiting { place: 9, epoch: 0, priority: 0 });
        assert_eq!(turns(&mut line, 3), [9, 9, 9]);
        line.leave();
        assert_eq!(turns(&mut line, 2), [3, 5]);
        assert!(line.bring_forward(|priority| priority == 2));
        assert_eq!(turns(&mut line, 3), [4, 3, 5], "4 has had its turn, and is behind the others again");
        assert!(!line.bring_forward(|priority| priority == 0));
        line.leave();
        line.leave();
        assert_eq!(turns(&mut line, 1), [4]);
        line.leave();
        assert!(line.is_empty());
    }
}
