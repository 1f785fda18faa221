//! The scoreboard of the paths of a sender of NDP.
//!
//! Every path is used once, in random order, then all again in another order (§3.1; [`Rounds`]). In a network that is not symmetric, where a link
//! is slower than others or loses packets, that would waste pulls on the worst path. So the sender keeps score of what becomes of its
//! packets on each path, and leaves out for a time those on which many more are trimmed or lost than on the others (§3.2).
//! The paper has no numbers. Those for trimmed packets are of its authors' simulator (csg-htsim, `NdpSrc::count_feedback`); how a path
//! comes back is ours.

use crate::config::Scoreboard;
use crate::rounds::Rounds;

/// For how many refused packets one counts that came back to its sender, as there was no room for its header either (csg-htsim).
const RETURNED: u32 = 3;

/// Of so few lost packets nothing is concluded. A packet is lost when something is broken, which queues are not.
const LEAST_LOST: u32 = 3;

/// After so many packets a path that has come back is judged again.
const TRIAL: u32 = 10;

/// A path that has proved bad again and again is left out for so many times the usual at most.
const LONGEST: u32 = 64;

/// What has become of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// It arrived.
    Delivered,
    /// Its header arrived.
    Trimmed,
    /// Its header came back.
    Returned,
    /// Nothing was heard of it.
    Lost,
}

/// What is known of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Score {
    delivered: u32,
    refused: u32,
    lost: u32,
    /// It is judged once so many packets were heard of.
    due: u32,
    /// For so many rounds more it is left out.
    out: u32,
    /// For how many times the usual it will be left out next.
    times: u32,
}

/// Every path once, in random order, but those that are left out; then again in another order.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    rounds: Rounds,
    scores: Vec<Score>,
    rules: Option<Scoreboard>,
}

impl Score {
    fn new(due: u32) -> Score {
        Score { delivered: 0, refused: 0, lost: 0, due, out: 0, times: 1 }
    }

    fn heard(&self) -> u32 {
        self.delivered + self.refused + self.lost
    }
}

impl Paths {
    pub(super) fn new(paths: u32, rules: Option<Scoreboard>) -> Paths {
        let rounds = Rounds::new(paths);
        let score = Score::new(rules.map_or(0, |rules| rules.samples));
        Paths { scores: vec![score; rounds.places()], rounds, rules }
    }

    /// The path of the next packet, of `paths`: its place here and its number. `pick` draws a number below another.
    pub(super) fn next(&mut self, paths: u32, mut pick: impl FnMut(u32) -> u32) -> (u16, u32) {
        if self.rounds.places() == 1 {
            return (0, 0);
        }
        loop {
            if self.rounds.is_over() {
                self.judge();
            }
            let (place, number) = self.rounds.next(paths, &mut pick);
            if self.scores[usize::from(place)].out == 0 {
                return (place, number);
            }
        }
    }

    /// Something was heard of a packet that took the path at this place.
    pub(super) fn hear(&mut self, place: u16, heard: Heard) {
        let Some(Scoreboard { samples, .. }) = self.rules else { return };
        let score = &mut self.scores[usize::from(place)];
        match heard {
            Heard::Delivered => score.delivered += 1,
            Heard::Trimmed => score.refused += 1,
            Heard::Returned => score.refused += RETURNED,
            Heard::Lost => score.lost += 1,
        }
        // What was long ago counts less and less.
        if score.heard() >= samples.saturating_mul(2) {
            for count in [&mut score.delivered, &mut score.refused, &mut score.lost] {
                *count /= 2;
            }
        }
    }

    /// A round begins: paths are left out or come back. One always stays.
    fn judge(&mut self) {
        let Some(Scoreboard { samples, outlier, trimmed, rounds }) = self.rules else { return };
        for score in self.scores.iter_mut().filter(|score| score.out > 0) {
            score.out -= 1;
            if score.out == 0 {
                *score = Score { times: score.times, ..Score::new(samples.min(TRIAL)) };
            }
        }
        let mut used = 0;
        let [mut delivered, mut refused, mut lost] = [0.0; 3];
        for score in self.scores.iter().filter(|score| score.out == 0) {
            used += 1;
            delivered += f64::from(score.delivered);
            refused += f64::from(score.refused);
            lost += f64::from(score.lost);
        }
        let share = lost / f64::from(used);
        for score in self.scores.iter_mut().filter(|score| score.out == 0) {
            let own = [score.delivered, score.refused, score.lost].map(f64::from);
            let is_due = score.heard() >= score.due;
            // Ratios multiplied out, as there may be no packet that was delivered.
            let is_trimmed = own[1] > trimmed * own[0] && own[1] * delivered > outlier * refused * own[0];
            let loses = score.lost >= LEAST_LOST && own[2] > outlier * share;
            if used > 1 && (loses || (is_due && is_trimmed)) {
                used -= 1;
                score.out = rounds.saturating_mul(score.times);
                score.times = (score.times * 2).min(LONGEST);
            } else if is_due {
                // It is as good as others, for now or for good.
                score.times = if score.heard() >= samples { 1 } else { score.times };
                score.due = samples;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Scoreboard = Scoreboard { samples: 20, outlier: 1.25, trimmed: 0.3, rounds: 5 };

    /// Sends so many packets, of which is heard at once what `heard` says for each path. How many took each path.
    fn send(paths: &mut Paths, of: u32, packets: u32, mut heard: impl FnMut(u32) -> Heard) -> Vec<u32> {
        let mut took = vec![0; of as usize];
        let mut draws = 0;
        for _ in 0..packets {
            let (place, path) = paths.next(of, |ways| {
                draws += 1;
                draws % ways
            });
            took[path as usize] += 1;
            paths.hear(place, heard(path));
        }
        took
    }

    fn trimmed_on(bad: u32) -> impl Fn(u32) -> Heard {
        move |path| if path == bad { Heard::Trimmed } else { Heard::Delivered }
    }

    #[test]
    fn a_path_that_is_trimmed_more_than_others_is_left_out_for_longer_and_longer_times() {
        let mut paths = Paths::new(4, Some(RULES));
        // Judged after 20 packets, when a round begins.
        assert_eq!(send(&mut paths, 4, 80, trimmed_on(2)), [20; 4]);
        // Left out for five rounds of three, and back at the sixth for ten packets.
        assert_eq!(send(&mut paths, 4, 15, trimmed_on(2)), [5, 5, 0, 5]);
        assert_eq!(send(&mut paths, 4, 40, trimmed_on(2)), [10; 4]);
        // Then for ten rounds, and for twenty.
        assert_eq!(send(&mut paths, 4, 30, trimmed_on(2)), [10, 10, 0, 10]);
        assert_eq!(send(&mut paths, 4, 40, trimmed_on(2)), [10; 4]);
        assert_eq!(send(&mut paths, 4, 60, trimmed_on(2)), [20, 20, 0, 20]);
        // Once it is repaired it stays, and the next time it is bad it is left out as at first.
        assert_eq!(send(&mut paths, 4, 400, |_| Heard::Delivered), [100; 4]);
        let took = send(&mut paths, 4, 400, trimmed_on(1));
        assert!(took[1] < 50 && took[0] > 110, "{took:?}");
    }

    #[test]
    fn where_all_are_trimmed_alike_none_is_left_out() {
        let mut paths = Paths::new(4, Some(RULES));
        // Five of nine on each.
        let mut counts = [0; 4];
        let alike = |path: u32| {
            let count = &mut counts[path as usize];
            *count += 1;
            if *count % 9 < 5 { Heard::Trimmed } else { Heard::Delivered }
        };
        assert_eq!(send(&mut paths, 4, 4000, alike), [1000; 4]);
        let mut paths = Paths::new(4, Some(RULES));
        assert_eq!(send(&mut paths, 4, 4000, |_| Heard::Lost), [1000; 4]);
        let mut paths = Paths::new(4, Some(RULES));
        assert_eq!(send(&mut paths, 4, 4000, |_| Heard::Trimmed), [1000; 4]);
    }

    #[test]
    fn few_trimmed_packets_are_no_reason() {
        // A quarter of those delivered on one path, none on others.
        let mut paths = Paths::new(4, Some(RULES));
        let mut count = 0;
        let some = |path| {
            count += u32::from(path == 0);
            if path == 0 && count % 5 == 0 { Heard::Trimmed } else { Heard::Delivered }
        };
        assert_eq!(send(&mut paths, 4, 4000, some), [1000; 4]);
    }

    #[test]
    fn a_path_that_loses_three_is_left_out_at_once() {
        let mut paths = Paths::new(3, Some(RULES));
        let lost = |path| if path == 0 { Heard::Lost } else { Heard::Delivered };
        assert_eq!(send(&mut paths, 3, 9, lost), [3; 3]);
        assert_eq!(send(&mut paths, 3, 10, lost), [0, 5, 5]);
        assert_eq!(send(&mut paths, 3, 9, lost), [3; 3]);
    }

    #[test]
    fn a_header_that_comes_back_counts_for_three_that_arrive() {
        let judged_after = |heard: Heard| {
            let mut paths = Paths::new(2, Some(RULES));
            (0..)
                .take_while(|_| send(&mut paths, 2, 2, |path| if path == 0 { heard } else { Heard::Delivered })[0] == 1)
                .count()
        };
        assert_eq!((judged_after(Heard::Trimmed), judged_after(Heard::Returned)), (20, 7));
    }

    #[test]
    fn one_path_is_always_used() {
        // All but one are hopeless, and then that one is as well.
        let mut paths = Paths::new(5, Some(RULES));
        let one = |path| if path == 3 { Heard::Delivered } else { Heard::Trimmed };
        let took = send(&mut paths, 5, 2000, one);
        assert!(took[3] > 1200, "{took:?}");
        send(&mut paths, 5, 2000, |_| Heard::Trimmed);
        send(&mut paths, 5, 2000, |_| Heard::Lost);
        // Each of two is worse than the other, in its way.
        let mut paths = Paths::new(2, Some(RULES));
        let took = send(&mut paths, 2, 2000, |path| if path == 0 { Heard::Lost } else { Heard::Trimmed });
        assert!(took[0] > 0 && took[1] > 0, "{took:?}");
    }

    #[test]
    fn without_a_scoreboard_nothing_is_left_out() {
        let mut paths = Paths::new(4, None);
        assert_eq!(send(&mut paths, 4, 4000, trimmed_on(2)), [1000; 4]);
    }
}
