//! What waits at a gateway for one of the two networks.

use std::collections::VecDeque;
use units::{Bytes, Time};

/// A gateway's buffer for one network, and what its own host has for it.
///
/// Packets are passed on by strict priority, first in, first out in each class; with one that the gateway's own host has ready they take
/// turns.
#[derive(Debug)]
pub(crate) struct Line {
    /// By class: where the frames are, their lengths, and since when they wait.
    waiting: Vec<VecDeque<Waiting>>,
    /// A data frame of the gateway's own, which has an interface of one packet as any host.
    own: Option<u32>,
    /// The gateway's own frame goes next, if there is one.
    own_turn: bool,
    /// The network will say when its interface has room.
    pub asked: bool,
    bytes: u64,
    pub counts: Counts,
}

#[derive(Debug, Clone, Copy)]
struct Waiting {
    place: u32,
    len: u32,
    since: Time,
}

/// What a line has counted since the measurement began.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub frames: u64,
    pub dropped: u64,
    pub marked: u64,
    /// Lost with the gateway.
    pub lost: u64,
    /// Longest queue, in bytes.
    pub peak: u64,
    /// Bytes times picoseconds until `last`.
    area: u128,
    last: Time,
}

impl Line {
    pub(crate) fn new(classes: u8) -> Line {
        let waiting = vec![VecDeque::new(); usize::from(classes)];
        Line { waiting, own: None, own_turn: false, asked: false, bytes: 0, counts: Counts::default() }
    }

    /// Bytes of others' packets that wait.
    pub(crate) fn bytes(&self) -> Bytes {
        Bytes::new(self.bytes)
    }

    fn change(&mut self, now: Time, bytes: u64) {
        self.counts.area += u128::from(self.bytes) * u128::from(now.since(self.counts.last).as_ps());
        self.counts.last = now;
        self.bytes = bytes;
    }

    /// A packet begins to wait.
    pub(crate) fn join(&mut self, now: Time, place: u32, len: u32, class: u8) {
        let last = self.waiting.len() - 1;
        self.waiting[usize::from(class).min(last)].push_back(Waiting { place, len, since: now });
        self.change(now, self.bytes + u64::from(len));
        self.counts.frames += 1;
        self.counts.peak = self.counts.peak.max(self.bytes);
    }

    /// The gateway's own host has a packet.
    pub(crate) fn join_own(&mut self, place: u32) {
        debug_assert!(self.own.is_none(), "an interface holds one packet");
        self.own = Some(place);
    }

    pub(crate) fn has_own(&self) -> bool {
        self.own.is_some()
    }

    /// Packets that wait, the gateway's own among them.
    pub(crate) fn len(&self) -> usize {
        self.waiting.iter().map(VecDeque::len).sum::<usize>() + usize::from(self.own.is_some())
    }

    /// The frame that goes next, and since when it waited if it was another's.
    pub(crate) fn next(&mut self, now: Time) -> Option<(u32, Option<Time>)> {
        let class = self.waiting.iter().position(|class| !class.is_empty());
        let own = self.own.is_some() && (self.own_turn || class.is_none());
        self.own_turn = !own;
        if own {
            return self.own.take().map(|place| (place, None));
        }
        let Waiting { place, len, since } = self.waiting[class?].pop_front()?;
        self.change(now, self.bytes - u64::from(len));
        Some((place, Some(since)))
    }

    /// Loses everything: where the frames are.
    pub(crate) fn lose(&mut self, now: Time) -> Vec<u32> {
        let lost: Vec<u32> = self.places().collect();
        self.waiting.iter_mut().for_each(VecDeque::clear);
        self.own = None;
        self.change(now, 0);
        self.counts.lost += lost.len() as u64;
        lost
    }

    /// Where all frames are that wait.
    pub(crate) fn places(&self) -> impl Iterator<Item = u32> + '_ {
        self.others().chain(self.own)
    }

    /// Where those of other hosts are.
    pub(crate) fn others(&self) -> impl Iterator<Item = u32> + '_ {
        self.waiting.iter().flatten().map(|waiting| waiting.place)
    }

    pub(crate) fn begin_measurement(&mut self, now: Time) {
        self.counts = Counts { peak: self.bytes, last: now, ..Counts::default() };
    }

    /// The queue summed over time, in byte-seconds.
    pub(crate) fn byte_seconds(&self, now: Time) -> f64 {
        let area = self.counts.area + u128::from(self.bytes) * u128::from(now.since(self.counts.last).as_ps());
        area as f64 * 1e-12
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(ns: u64) -> Time {
        Time::from_ps(ns * 1000)
    }

    #[test]
    fn own_packets_take_turns_and_classes_go_first() {
        let mut line = Line::new(2);
        for place in [1, 2, 3] {
            line.join(ns(10), place, 100, 1);
        }
        line.join(ns(20), 4, 50, 0);
        line.join_own(9);
        assert_eq!((line.len(), line.bytes()), (5, Bytes::new(350)));
        let mut order = Vec::new();
        while let Some((place, since)) = line.next(ns(30)) {
            order.push((place, since.map(Time::as_ps)));
            if place == 9 && order.len() < 4 {
                line.join_own(9);
            }
        }
        // The class that goes first, then turns with the gateway's own, which has two packets.
        let (own, early) = (None, Some(10_000));
        assert_eq!(order, [(4, Some(20_000)), (9, own), (1, early), (9, own), (2, early), (3, early)]);
        assert_eq!((line.len(), line.bytes()), (0, Bytes::ZERO));
        assert_eq!((line.counts.frames, line.counts.peak), (4, 350));
        // 300 B for 10 ns and 350 B for 10 ns.
        assert!((line.byte_seconds(ns(99)) - 6.5e-6).abs() < 1e-15);
    }

    #[test]
    fn what_is_lost_is_counted_and_measuring_begins_anew() {
        let mut line = Line::new(1);
        line.join(ns(0), 7, 100, 3);
        line.join_own(8);
        line.begin_measurement(ns(5));
        assert_eq!((line.counts.frames, line.counts.peak), (0, 100));
        assert_eq!(line.lose(ns(10)), [7, 8]);
        assert_eq!((line.counts.lost, line.len(), line.next(ns(10))), (2, 0, None));
        assert!((line.byte_seconds(ns(50)) - 0.5e-6).abs() < 1e-15);
    }
}
