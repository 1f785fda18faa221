//! What a sender knows of each segment between the first that is not acknowledged and the last that was sent: RFC 6675, with the instants
//! that RFC 8985 goes by.
//!
//! Segments are counted from the message's beginning: all are full but its last. Those whose last transmission may still arrive are a list in the
//! order of sending (RFC 8985 §6.2 step 5), through the ring of all that are outstanding.

use std::collections::VecDeque;
use units::Time;

/// Segments received beyond one that stand for its loss (RFC 6675 §2).
const DUPLICATES: usize = 3;

/// A segment that was sent and is not acknowledged.
#[derive(Debug, Clone, Copy)]
struct Segment {
    /// When it was sent last.
    sent: Time,
    /// Its neighbours in the order of sending, as the low halves of their numbers.
    earlier: u32,
    later: u32,
    /// It was received, beyond a hole.
    received: bool,
    /// It is lost, or was when it was sent first.
    lost: bool,
    /// A retransmission may still arrive.
    again: bool,
    /// It was sent more than once.
    repeated: bool,
}

/// A segment of which an acknowledgement says for the first time that it was received.
#[derive(Debug, Clone, Copy)]
pub(super) struct Delivered {
    /// Its number.
    pub(super) number: u64,
    /// When it was sent last.
    pub(super) sent: Time,
    /// It was sent more than once.
    pub(super) repeated: bool,
}

/// All segments that are outstanding.
#[derive(Debug, Clone)]
pub(super) struct Scoreboard {
    segments: VecDeque<Segment>,
    /// Number of the first of them.
    first: u64,
    /// Payload of a full segment, and of all of the message.
    full: u64,
    message: u64,
    /// Those that may still arrive, by the time at which they were sent: how many, the first and the last.
    underway: usize,
    oldest: u32,
    newest: u32,
    /// Segments received beyond a hole, and the bytes of them.
    received: usize,
    received_bytes: u64,
    /// Bytes that were lost when they were sent first.
    lost_bytes: u64,
    /// Bytes that were sent again and may still arrive.
    again_bytes: u64,
    /// Bytes of all that are outstanding.
    bytes: u64,
    /// The numbers of the highest that were received beyond a hole, ascending.
    highest: [u64; DUPLICATES],
    /// Everything below was judged by what was received beyond it.
    judged: u64,
    /// Lost segments of which no retransmission may still arrive; no such segment is below `repair`.
    waiting: usize,
    repair: u64,
}

impl Scoreboard {
    /// Of a message of so many bytes, in segments of so many.
    pub(super) fn new(message: u64, full: u32) -> Scoreboard {
        Scoreboard {
            segments: VecDeque::new(),
            first: 0,
            full: u64::from(full),
            message,
            underway: 0,
            oldest: 0,
            newest: 0,
            received: 0,
            received_bytes: 0,
            lost_bytes: 0,
            again_bytes: 0,
            bytes: 0,
            highest: [0; DUPLICATES],
            judged: 0,
            waiting: 0,
            repair: 0,
        }
    }

    /// The number of the first segment that was never sent.
    pub(super) fn end(&self) -> u64 {
        self.first + self.segments.len() as u64
    }

    /// Payload of a segment.
    pub(super) fn payload(&self, number: u64) -> u64 {
        (self.message - number * self.full).min(self.full)
    }

    /// Bytes that may still be in the network: RFC 6675 §4, `SetPipe`.
    pub(super) fn pipe(&self) -> u64 {
        self.bytes - self.received_bytes - self.lost_bytes + self.again_bytes
    }

    /// Segments that were received beyond a hole.
    pub(super) fn received(&self) -> usize {
        self.received
    }

    /// The highest segment that was received beyond a hole.
    pub(super) fn highest(&self) -> u64 {
        self.highest[DUPLICATES - 1]
    }

    /// Whether a segment was neither received nor sent again.
    pub(super) fn is_untried(&self, number: u64) -> bool {
        let segment = &self.segments[(number - self.first) as usize];
        !segment.received && !segment.again
    }

    /// Whether a segment was received beyond a hole.
    pub(super) fn is_received(&self, number: u64) -> bool {
        self.segments[(number - self.first) as usize].received
    }

    /// A segment is sent: the next that never was, or one that is outstanding.
    pub(super) fn send(&mut self, number: u64, now: Time) {
        if number == self.end() {
            let (received, lost, again, repeated) = (false, false, false, false);
            self.segments.push_back(Segment { sent: now, earlier: 0, later: 0, received, lost, again, repeated });
            self.bytes += self.payload(number);
        } else {
            let payload = self.payload(number);
            let segment = *self.at(number as u32);
            debug_assert!(!segment.received, "what was received is not sent again");
            if segment.again || !segment.lost {
                self.unlink(number as u32);
            }
            if segment.lost && !segment.again {
                self.waiting -= 1;
            }
            if !segment.again {
                self.again_bytes += payload;
            }
            *self.at(number as u32) = Segment { sent: now, again: true, repeated: true, ..segment };
        }
        self.link(number as u32);
    }

    /// All segments below `to` are acknowledged. Those of which nothing was heard before are told.
    pub(super) fn acknowledge(&mut self, to: u64, mut tell: impl FnMut(Delivered)) -> u64 {
        let mut bytes = 0;
        while self.first < to {
            let number = self.first;
            let payload = self.payload(number);
            let segment = *self.at(number as u32);
            if segment.received {
                self.received -= 1;
                self.received_bytes -= payload;
            } else {
                self.forget(number as u32, segment, payload);
                bytes += payload;
                tell(Delivered { number, sent: segment.sent, repeated: segment.repeated });
            }
            self.segments.pop_front();
            self.bytes -= payload;
            self.first += 1;
        }
        bytes
    }

    /// Segments `from..to` were received, though there is a hole before them. Those of which nothing was heard before are told; their bytes.
    pub(super) fn select(&mut self, from: u64, to: u64, mut tell: impl FnMut(Delivered)) -> u64 {
        let mut bytes = 0;
        for number in from.max(self.first)..to.min(self.end()) {
            let segment = *self.at(number as u32);
            if segment.received {
                continue;
            }
            let payload = self.payload(number);
            self.forget(number as u32, segment, payload);
            *self.at(number as u32) = Segment { received: true, lost: false, again: false, ..segment };
            self.received += 1;
            self.received_bytes += payload;
            bytes += payload;
            if number > self.highest[0] {
                self.highest[0] = number;
                self.highest.sort_unstable();
            }
            tell(Delivered { number, sent: segment.sent, repeated: segment.repeated });
        }
        bytes
    }

    /// RFC 6675 §4, `IsLost`: what three segments were received beyond is lost. Whether something is that was not before.
    pub(super) fn judge(&mut self) -> bool {
        let mut found = false;
        for number in self.judged.max(self.first)..self.highest[0] {
            let segment = *self.at(number as u32);
            if segment.received || segment.lost {
                continue;
            }
            found = true;
            self.at(number as u32).lost = true;
            self.lost_bytes += self.payload(number);
            if !segment.again {
                self.unlink(number as u32);
                self.wait(number);
            }
        }
        self.judged = self.judged.max(self.highest[0]);
        found
    }

    /// A segment is lost, with all of its retransmissions.
    pub(super) fn lose(&mut self, number: u64) {
        let payload = self.payload(number);
        let segment = *self.at(number as u32);
        if segment.received || segment.lost && !segment.again {
            return;
        }
        self.unlink(number as u32);
        if segment.again {
            self.again_bytes -= payload;
        }
        if !segment.lost {
            self.lost_bytes += payload;
        }
        *self.at(number as u32) = Segment { lost: true, again: false, ..segment };
        self.wait(number);
    }

    /// The first lost segment that is to be sent again.
    pub(super) fn next_lost(&mut self) -> Option<u64> {
        if self.waiting == 0 {
            return None;
        }
        self.repair = self.repair.max(self.first);
        loop {
            let segment = self.at(self.repair as u32);
            if segment.lost && !segment.again {
                return Some(self.repair);
            }
            self.repair += 1;
        }
    }

    /// The segment that was sent first of all that may still arrive, and when.
    pub(super) fn oldest(&self) -> Option<(u64, Time)> {
        (self.underway > 0).then(|| self.told(self.oldest))
    }

    /// The segment that was sent after this one, of those that may still arrive, and when.
    pub(super) fn later(&self, number: u64) -> Option<(u64, Time)> {
        let low = number as u32;
        (low != self.newest).then(|| self.told(self.segments[self.index(low)].later))
    }

    /// It waits to be sent again.
    fn wait(&mut self, number: u64) {
        self.repair = if self.waiting == 0 { number } else { self.repair.min(number) };
        self.waiting += 1;
    }

    /// Nothing of it counts as lost or on its way any more.
    fn forget(&mut self, low: u32, segment: Segment, payload: u64) {
        if segment.again || !segment.lost {
            self.unlink(low);
        }
        if segment.lost {
            self.lost_bytes -= payload;
            self.waiting -= usize::from(!segment.again);
        }
        if segment.again {
            self.again_bytes -= payload;
        }
    }

    fn told(&self, low: u32) -> (u64, Time) {
        let index = self.index(low);
        (self.first + index as u64, self.segments[index].sent)
    }

    /// Fewer than 2^32 segments are outstanding, so the low halves of their numbers tell them apart.
    fn index(&self, low: u32) -> usize {
        low.wrapping_sub(self.first as u32) as usize
    }

    fn at(&mut self, low: u32) -> &mut Segment {
        let index = self.index(low);
        &mut self.segments[index]
    }

    fn link(&mut self, low: u32) {
        if self.underway == 0 {
            self.oldest = low;
        } else {
            let newest = self.newest;
            self.at(newest).later = low;
            self.at(low).earlier = newest;
        }
        self.newest = low;
        self.underway += 1;
    }

    fn unlink(&mut self, low: u32) {
        let Segment { earlier, later, .. } = *self.at(low);
        if low == self.oldest {
            self.oldest = later;
        } else {
            self.at(earlier).later = later;
        }
        if low == self.newest {
            self.newest = earlier;
        } else {
            self.at(later).earlier = earlier;
        }
        self.underway -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use units::Span;

    /// A segment as RFC 6675 speaks of it, without any running count.
    #[derive(Debug, Clone, Copy, Default)]
    struct Plain {
        received: bool,
        lost: bool,
        again: bool,
        sent: u64,
    }

    proptest! {
        /// Whatever is sent, acknowledged and lost: counts are those of a list of segments that are looked through each time.
        #[test]
        fn it_counts_as_rfc_6675_says(steps in prop::collection::vec((0_u8..6, 0_u64..30, 1_u64..6), 0..200)) {
            let (message, full) = (199_500, 1000);
            let mut board = Scoreboard::new(message, full);
            let mut plain: Vec<Plain> = Vec::new();
            let mut first = 0_usize;
            let payload = |number: usize| (message - number as u64 * 1000).min(1000);
            for (clock, (kind, place, length)) in (1_u64..).zip(steps) {
                let now = Time::ZERO + Span::from_us(clock);
                let outstanding = plain.len() - first;
                let chosen = first + if outstanding > 0 { place as usize % outstanding } else { 0 };
                match kind {
                    0 | 1 => for _ in 0..length {
                        if plain.len() < 200 {
                            board.send(plain.len() as u64, now);
                            plain.push(Plain { sent: clock, ..Plain::default() });
                        }
                    },
                    2 if outstanding > 0 => {
                        let to = (chosen + 1).min(plain.len());
                        let expected: u64 = (first..to).filter(|n| !plain[*n].received).map(payload).sum();
                        prop_assert_eq!(board.acknowledge(to as u64, |_| ()), expected);
                        first = to;
                    }
                    3 if outstanding > 1 => {
                        let from = chosen.max(first + 1);
                        let to = (from + length as usize).min(plain.len());
                        let expected: u64 = (from..to).filter(|n| !plain[*n].received).map(payload).sum();
                        prop_assert_eq!(board.select(from as u64, to as u64, |_| ()), expected);
                        (from..to).for_each(|n| plain[n].received = true);
                    }
                    4 => {
                        board.judge();
                        for number in first..plain.len() {
                            let beyond = plain[number + 1..].iter().filter(|segment| segment.received).count();
                            plain[number].lost |= beyond >= 3 && !plain[number].received;
                        }
                    }
                    5 if outstanding > 0 && !plain[chosen].received => {
                        board.lose(chosen as u64);
                        (plain[chosen].lost, plain[chosen].again) = (true, false);
                    }
                    _ => if let Some(number) = board.next_lost() {
                        board.send(number, now);
                        (plain[number as usize].again, plain[number as usize].sent) = (true, clock);
                    },
                }
                let rest = first..plain.len();
                let lost = |n: &usize| plain[*n].lost && !plain[*n].received;
                let again = |n: &usize| plain[*n].again && !plain[*n].received;
                // RFC 6675 §4, `SetPipe`.
                let pipe = |n: usize| payload(n) * (u64::from(!plain[n].received && !plain[n].lost) + u64::from(again(&n)));
                prop_assert_eq!(board.pipe(), rest.clone().map(pipe).sum::<u64>());
                let next = rest.clone().find(|n| lost(n) && !again(n)).map(|n| n as u64);
                prop_assert_eq!(board.next_lost(), next);
                prop_assert_eq!(board.received(), rest.clone().filter(|n| plain[*n].received).count());
                // Those that may still arrive, as they were sent.
                let mut underway: Vec<usize> = rest.filter(|n| !plain[*n].received && (!lost(n) || again(n))).collect();
                underway.sort_by_key(|n| (plain[*n].sent, *n));
                let listed = std::iter::successors(board.oldest(), |(number, _)| board.later(*number));
                let listed: Vec<usize> = listed.take(300).map(|(number, _)| number as usize).collect();
                prop_assert_eq!(listed, underway);
            }
        }
    }
}
