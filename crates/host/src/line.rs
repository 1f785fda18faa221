//! The order of an interface: connections that have something to send, in turns or by rank.

use std::collections::VecDeque;

/// A host's connections that have something to send: strict priority, then the least rank, then round robin.
#[derive(Debug, Default)]
pub(crate) struct Line(VecDeque<Waiting>);

/// A connection that has something to send.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiting {
    pub place: u32,
    pub epoch: u32,
    pub order: Order,
}

/// What comes first has less of it: a priority, and among equals a rank, of which 56 bits count. In one word, as it is compared with that of all that wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Order(u64);

impl Order {
    const RANK_BITS: u32 = 56;

    #[inline]
    pub(crate) fn new(priority: u8, rank: Option<u64>) -> Order {
        let rank = rank.unwrap_or(0).min((1 << Order::RANK_BITS) - 1);
        Order(u64::from(priority) << Order::RANK_BITS | rank)
    }

    #[inline]
    pub(crate) fn priority(self) -> u8 {
        (self.0 >> Order::RANK_BITS) as u8
    }
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

    /// Who stands in it alone.
    #[inline]
    pub(crate) fn only(&self) -> Option<Waiting> {
        if self.0.len() == 1 { self.front() } else { None }
    }

    /// Stands behind all that are as urgent or more.
    #[inline]
    pub(crate) fn join(&mut self, waiting: Waiting) {
        if self.0.back().is_none_or(|last| last.order <= waiting.order) {
            self.0.push_back(waiting); // the usual case
        } else {
            self.push_in(waiting);
        }
    }

    #[cold]
    fn push_in(&mut self, waiting: Waiting) {
        let behind = self.0.iter().rposition(|other| other.order <= waiting.order);
        self.0.insert(behind.map_or(0, |position| position + 1), waiting);
    }

    /// The first of those that `may` go comes to the front, so that what follows is about it; it leaves or has its turn before another joins. Whether
    /// there is one.
    pub(crate) fn bring_forward(&mut self, may: impl Fn(u8) -> bool) -> bool {
        let Some(place) = self.0.iter().position(|waiting| may(waiting.order.priority())) else { return false };
        if let Some(waiting) = self.0.remove(place) {
            self.0.push_front(waiting);
        }
        true
    }

    /// The first one goes.
    #[inline]
    pub(crate) fn leave(&mut self) {
        self.0.pop_front();
    }

    /// The first one has had its turn and has this order now. It has another turn unless somebody comes before it.
    pub(crate) fn next_turn_by_rank(&mut self, order: Order) {
        if let Some(waiting) = self.0.front_mut() {
            waiting.order = order;
        }
        if self.0.get(1).is_some_and(|second| second.order < order) {
            self.next_turn();
        }
    }

    /// A connection that waits in line has this order now.
    pub(crate) fn reorder(&mut self, place: u32, order: Order) {
        let stands = self.0.iter().position(|waiting| waiting.place == place);
        if let Some(stands) = stands.filter(|stands| self.0[*stands].order != order)
            && let Some(waiting) = self.0.remove(stands)
        {
            self.join(Waiting { order, ..waiting });
        }
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

    fn waiting(place: u32, priority: u8, rank: Option<u64>) -> Waiting {
        Waiting { place, epoch: 0, order: Order::new(priority, rank) }
    }

    #[test]
    fn among_equals_the_least_rank_goes_on_until_another_has_less() {
        let mut line = Line::default();
        for (place, priority, rank) in [(1, 1, 10), (2, 1, 50), (3, 1, 10), (4, 2, 1), (5, 2, u64::MAX)] {
            line.join(waiting(place, priority, Some(rank)));
        }
        let front = |line: &Line| line.front().map(|waiting| waiting.place);
        line.next_turn_by_rank(Order::new(1, Some(10)));
        assert_eq!(front(&line), Some(1), "it has no more than the next");
        line.next_turn_by_rank(Order::new(1, Some(11)));
        assert_eq!(front(&line), Some(3));
        line.reorder(2, Order::new(1, Some(9)));
        assert_eq!(front(&line), Some(2), "it was heard of something while it waited");
        line.reorder(7, Order::new(0, Some(1)));
        let rest = std::iter::from_fn(|| {
            let place = front(&line);
            line.leave();
            place
        });
        assert_eq!(rest.collect::<Vec<_>>(), [2, 3, 1, 4, 5]);
    }

    #[test]
    fn equals_take_turns_and_the_urgent_go_first() {
        let mut line = Line::default();
        assert!(line.front().is_none());
        for (place, priority) in [(5, 1), (3, 1), (4, 2)] {
            line.join(waiting(place, priority, None));
        }
        assert_eq!(turns(&mut line, 5), [5, 3, 5, 3, 5]);
        line.join(waiting(9, 0, None));
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
