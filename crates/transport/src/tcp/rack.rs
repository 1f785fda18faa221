//! Losses found by time: the RACK part of RFC 8985 (§6).

use super::scoreboard::{Delivered, Scoreboard};
use units::{Span, Time};

/// Segments received beyond a hole that stand for a loss as long as nothing was seen to be reordered (RFC 8985 §6.2 step 4).
const DUPLICATES: usize = 3;
/// Recoveries without a segment that came twice, after which the reordering window is as at first (RFC 8985 §6.2 step 4).
const PERSISTENCE: u32 = 16;

/// What was delivered last of all that was sent, and how far others may lag behind that.
#[derive(Debug, Clone)]
pub(super) struct Rack {
    /// Of all segments that were delivered, the one that was sent last (RACK.segment): when, and its number.
    sent: Time,
    number: u64,
    /// The round-trip time of what was delivered last (RACK.rtt).
    rtt: Span,
    /// The shortest of all (RACK.min_RTT). RFC 8985 has that of some minutes, which no run lasts.
    shortest: Span,
    /// The segment after the highest that was delivered (RACK.fack).
    beyond: u64,
    /// Something was delivered after what was sent later (RACK.reordering_seen).
    reordered: bool,
    /// The reordering window in quarters of the shortest round-trip time (RACK.reo_wnd_mult).
    quarters: u64,
    /// Recoveries that are left until it is one again (RACK.reo_wnd_persist).
    persistence: u32,
    /// The window grows once in a round: not again until this byte is acknowledged (RACK.dsack_round).
    round: Option<u64>,
    /// When more will be known to be lost, if nothing is heard.
    pub(super) timer: Option<Time>,
}

/// How the sender stands when [`Rack`] is to say what is lost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    /// In recovery from a loss.
    pub(super) recovering: bool,
    /// The smoothed round-trip time.
    pub(super) smoothed: Span,
}

impl Rack {
    pub(super) fn new() -> Rack {
        Rack {
            sent: Time::ZERO,
            number: 0,
            rtt: Span::ZERO,
            shortest: Span::MAX,
            beyond: 0,
            reordered: false,
            quarters: 1,
            persistence: PERSISTENCE,
            round: None,
            timer: None,
        }
    }

    /// What an acknowledgement answers was sent at `stamp` (RFC 8985 §6.2 step 1).
    pub(super) fn sample(&mut self, now: Time, stamp: Time) {
        self.shortest = self.shortest.min(now.since(stamp));
    }

    /// A segment was delivered, as an acknowledgement says that answers what was sent at `stamp` (RFC 8985 §6.2 steps 2 and 3).
    pub(super) fn deliver(&mut self, now: Time, stamp: Time, delivered: Delivered) {
        let Delivered { number, sent, repeated } = delivered;
        if number >= self.beyond {
            self.beyond = number + 1;
        } else if !repeated {
            self.reordered = true;
        }
        let rtt = now.since(sent);
        if repeated && (stamp < sent || rtt < self.shortest) {
            return; // an earlier transmission of it came
        }
        self.rtt = rtt;
        if (sent, number) > (self.sent, self.number) {
            (self.sent, self.number) = (sent, number);
        }
    }

    /// Whether something was delivered after what was sent later.
    pub(super) fn has_seen_reordering(&self) -> bool {
        self.reordered
    }

    /// The reordering window follows what came twice (RFC 8985 §6.2 step 4): whether an acknowledgement says that something did, or ends a
    /// recovery. All below `una` is acknowledged, all below `next` was sent.
    pub(super) fn adapt(&mut self, twice: bool, recovered: bool, una: u64, next: u64) {
        self.round = self.round.filter(|end| una < *end);
        if self.round.is_none() && twice {
            self.round = Some(next);
            self.quarters += 1;
            self.persistence = PERSISTENCE;
        } else if recovered {
            self.persistence = self.persistence.saturating_sub(1);
            if self.persistence == 0 {
                self.quarters = 1;
            }
        }
    }

    /// For how long segments may lag behind (RACK.reo_wnd).
    fn window(&self, board: &Scoreboard, Standing { recovering, smoothed }: Standing) -> Span {
        if !self.reordered && (recovering || board.received() >= DUPLICATES) {
            return Span::ZERO;
        }
        // Until there is a smoothed round-trip time, it bounds nothing.
        let bound = if smoothed == Span::ZERO { Span::MAX } else { smoothed };
        (self.shortest.saturating_mul(self.quarters) / 4).min(bound)
    }

    /// RFC 8985 §6.2 step 5: what was sent before something that was delivered, and lags behind it by more than the window, is lost. Whether
    /// something is. The timer is set for the rest.
    pub(super) fn detect(&mut self, now: Time, board: &mut Scoreboard, standing: Standing) -> bool {
        let allowed = self.rtt + self.window(board, standing);
        self.timer = None;
        let mut found = false;
        let mut next = board.oldest();
        while let Some((number, sent)) = next.filter(|&(number, sent)| (sent, number) < (self.sent, self.number)) {
            next = board.later(number);
            let due = sent + allowed;
            if due <= now {
                board.lose(number);
                found = true;
            } else {
                self.timer = Some(due); // they come in the order of sending: the last is due last
            }
        }
        found
    }

    /// RFC 8985 §6.3: the retransmission timer went off.
    pub(super) fn lose_late(&mut self, now: Time, board: &mut Scoreboard, first: u64, standing: Standing) {
        let allowed = self.rtt + self.window(board, standing);
        board.lose(first);
        while let Some((number, _)) = board.oldest().filter(|&(_, sent)| sent + allowed <= now) {
            board.lose(number);
        }
        self.timer = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8985 §6.2 step 4.
    #[test]
    fn the_window_widens_once_a_round_and_is_forgotten_after_sixteen_recoveries() {
        let mut rack = Rack::new();
        let mut quarters = |twice, recovered, una, next| {
            rack.adapt(twice, recovered, una, next);
            rack.quarters
        };
        assert_eq!(quarters(true, false, 0, 10_000), 2);
        assert_eq!(quarters(true, false, 9_000, 20_000), 2, "the same round");
        assert_eq!(quarters(true, false, 10_000, 30_000), 3);
        for _ in 0..15 {
            assert_eq!(quarters(false, true, 40_000, 50_000), 3);
        }
        assert_eq!(quarters(false, false, 40_000, 50_000), 3);
        assert_eq!(quarters(false, true, 40_000, 50_000), 1);
    }
}
