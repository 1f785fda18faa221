//! A port's scheduler as a machine.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use units::Bytes;

const LONGEST: u32 = 1500;

/// Ports of 8 Gb/s, a byte a nanosecond, in one adapter; time in nanoseconds.
struct Machine {
    scheduler: Scheduler,
    now: u64,
    /// Turns that are arranged: when, which port.
    turns: Vec<(Time, u32)>,
}

fn ns(ns: u64) -> Time {
    Time::ZERO + Span::from_ns(ns)
}

fn credits() -> Credits {
    let defaults = crate::Config::default().credits;
    Credits { size: Bytes::new(4000), speed_up: 0.0, interval: Span::ZERO, window: Span::from_ms(1), ..defaults }
}

fn fair() -> Vec<Class> {
    vec![Class { weight: 0, low_latency: false }]
}

impl Machine {
    fn new(ports: usize, classes: &[Class], credits: Credits) -> Machine {
        let ports = vec![(0, Rate::from_gbps(8)); ports];
        Machine {
            scheduler: Scheduler::new(&ports, 1, classes, credits, Packets { longest: LONGEST, uncounted: 0 }),
            now: 0,
            turns: Vec::new(),
        }
    }
    fn arrange(&mut self, port: u32, wanted: bool) {
        if wanted {
            let at = self.scheduler.turn(ns(self.now), port);
            self.turns.push((at, port));
        }
    }
    fn asks_of(&mut self, voq: u32, port: u32, class: u8, reported: u32) {
        let turn = self.scheduler.request(voq, port, class, reported);
        self.arrange(port, turn);
    }
    fn asks(&mut self, voq: u32, reported: u32) {
        self.asks_of(voq, 0, 0, reported);
    }
    /// Takes turns in their order until none is arranged or time is over: when credits were given, to whom, and how much.
    fn gives(&mut self, until: u64) -> Vec<(Time, u32, u32)> {
        let mut given = Vec::new();
        loop {
            self.turns.sort_unstable();
            let Some((at, port)) = self.turns.first().copied().filter(|(at, _)| *at < ns(until)) else { break };
            self.turns.remove(0);
            if let Some(Grant { voq, bytes }) = self.scheduler.grant(at, port) {
                given.push((at, voq, bytes));
            }
            if self.scheduler.has_turn(port) {
                let at = self.scheduler.turn(at, port);
                self.turns.push((at, port));
            }
        }
        self.now = until;
        given
    }
    fn leaves(&mut self, voq: u32, bytes: u32) {
        self.scheduler.complete(voq, 0, bytes);
        let turn = self.scheduler.settle(0, bytes);
        self.arrange(0, turn);
    }
    fn committed(&self) -> u32 {
        self.scheduler.ports[0].committed()
    }
}

fn voqs(given: &[(Time, u32, u32)]) -> Vec<u32> {
    given.iter().map(|(_, voq, _)| *voq).collect()
}

fn bytes_of(given: &[(Time, u32, u32)], voq: u32) -> u32 {
    given.iter().filter(|grant| grant.1 == voq).map(|grant| grant.2).sum()
}

#[test]
fn credits_are_as_large_as_is_wanted_and_spaced_by_their_time_at_the_port() {
    let mut machine = Machine::new(1, &fair(), credits());
    machine.asks(7, 9000);
    assert_eq!(machine.gives(20_000), [(ns(0), 7, 4000), (ns(4000), 7, 4000), (ns(8000), 7, 1000)]);
    // The time of the last one is over; more is reported in all, not anew.
    machine.asks(7, 9500);
    assert_eq!(machine.gives(30_000), [(ns(20_000), 7, 500)]);
    // A request that was overtaken changes nothing.
    machine.asks(7, 9200);
    assert_eq!(machine.gives(40_000), []);
}

#[test]
fn speed_up_shortens_the_spacing_to_the_picosecond() {
    let mut machine = Machine::new(1, &fair(), Credits { speed_up: 0.02, ..credits() });
    machine.asks(0, 12_000);
    // 32000 bits at 8.16 Gb/s are 3921568.6 ps; what a link takes is never less.
    let given = machine.gives(20_000);
    let at: Vec<u64> = given.iter().map(|grant| grant.0.as_ps()).collect();
    let spacing = (32_000.0f64 / 8.16e9 * 1e12) as u64;
    assert_eq!(at.len(), 3);
    assert!(at.windows(2).all(|pair| (spacing..=spacing + 1).contains(&(pair[1] - pair[0]))), "{at:?}");
}

#[test]
fn voqs_take_turns() {
    let mut machine = Machine::new(1, &fair(), credits());
    for voq in 0..3 {
        machine.asks(voq, 12_000);
    }
    assert_eq!(voqs(&machine.gives(20_000)), [0, 1, 2, 0, 1]);
    machine.asks(9, 4000);
    assert_eq!(voqs(&machine.gives(60_000)), [2, 0, 1, 9, 2]);
}

#[test]
fn strict_classes_go_first() {
    let class = |weight| Class { weight, low_latency: false };
    let mut machine = Machine::new(1, &[class(0), class(0), class(1)], credits());
    for voq in 0..3u8 {
        machine.asks_of(u32::from(voq), 0, 2 - voq, 12_000);
    }
    assert_eq!(voqs(&machine.gives(8_000)), [2, 2]);
    machine.asks_of(3, 0, 0, 4000);
    assert_eq!(voqs(&machine.gives(60_000)), [2, 3, 1, 1, 1, 0, 0, 0]);
}

#[test]
fn weighted_classes_share_by_weight_whatever_the_number_of_their_voqs() {
    let class = |weight| Class { weight, low_latency: false };
    let mut machine = Machine::new(1, &[class(3), class(1)], credits());
    machine.asks_of(0, 0, 0, 100_000_000);
    for voq in 1..5 {
        machine.asks_of(voq, 0, 1, 100_000_000);
    }
    let given = machine.gives(900_000);
    let shares: Vec<u32> = (0..5).map(|voq| bytes_of(&given, voq)).collect();
    let total: u32 = shares.iter().sum();
    assert!(shares[0].abs_diff(total / 4 * 3) <= 4000, "{shares:?}");
    assert!(shares[1..].iter().all(|share| share.abs_diff(total / 16) <= 4000), "{shares:?}");
}

#[test]
fn a_class_that_comes_back_has_no_claim_on_what_it_left_unused() {
    let class = |weight| Class { weight, low_latency: false };
    let mut machine = Machine::new(1, &[class(1), class(1)], Credits { window: Span::from_ms(10), ..credits() });
    machine.asks_of(0, 0, 0, 100_000_000);
    machine.gives(400_000);
    machine.asks_of(1, 0, 1, 100_000_000);
    let given = machine.gives(800_000);
    assert!(
        bytes_of(&given, 0).abs_diff(bytes_of(&given, 1)) <= 4000,
        "{} and {}",
        bytes_of(&given, 0),
        bytes_of(&given, 1)
    );
}

#[test]
fn an_adapter_gives_a_credit_only_every_interval_whatever_the_port() {
    let mut machine = Machine::new(4, &fair(), Credits { interval: Span::from_ns(2500), ..credits() });
    for port in 0..4 {
        machine.asks_of(port, port, 0, 8000);
    }
    let at: Vec<Time> = machine.gives(100_000).iter().map(|grant| grant.0).collect();
    assert_eq!(at.len(), 8);
    assert!(at.windows(2).all(|pair| pair[1].since(pair[0]) >= Span::from_ns(2500)), "{at:?}");
    assert_eq!(at[7], ns(17_500), "none is left out");
}

#[test]
fn credits_stop_at_the_window_and_go_on_as_packets_leave() {
    let mut machine = Machine::new(1, &fair(), Credits { window: Span::from_us(10), ..credits() });
    machine.asks(0, 100_000);
    assert_eq!(machine.gives(50_000).len(), 2, "8000 of 10000 B");
    assert_eq!(machine.committed(), 8000);
    machine.leaves(0, 1500);
    assert_eq!(machine.gives(51_000), [], "6500 and 4000 are too much");
    machine.leaves(0, 500);
    assert_eq!(machine.gives(60_000), [(ns(51_000), 0, 4000)]);
    // What is lost makes room as well.
    assert!(machine.scheduler.give_up(0, 0, 8000));
    assert_eq!(machine.committed(), 2000);
}

#[test]
fn surplus_that_leaves_before_it_is_paid_for_does_not_leak() {
    let mut machine = Machine::new(1, &fair(), credits());
    machine.asks(0, 4500);
    assert_eq!(machine.gives(1000), [(ns(0), 0, 4000)]);
    // Three packets of 1500 B on a credit of 4000, gone before the rest is credited.
    (0..3).for_each(|_| machine.leaves(0, 1500));
    assert_eq!(machine.committed(), 0);
    assert_eq!(machine.gives(10_000), [(ns(4000), 0, 500)]);
    assert_eq!(machine.committed(), 0);
}

#[test]
fn packets_without_credits_fill_the_window_and_no_more() {
    // A low-latency VOQ's packets wait in the same memory, and leave none of it to others that they did not take.
    let mut machine = Machine::new(1, &fair(), Credits { window: Span::from_us(10), ..credits() });
    machine.asks(0, 100_000);
    machine.gives(50_000);
    for _ in 0..1000 {
        machine.leaves(5, 1500);
    }
    assert_eq!(machine.committed(), 8000);
    machine.scheduler.complete(5, 0, 1500);
    assert_eq!(machine.committed(), 9500);
    assert_eq!(machine.gives(90_000), []);
}

#[test]
fn indications_throttle_in_proportion_and_the_rate_comes_back() {
    let throttle = Throttle { cut: 0.5, recover: 0.125, interval: Span::from_us(10), least: 0.25 };
    let mut machine = Machine::new(1, &fair(), Credits { throttle, ..credits() });
    let observe = |machine: &mut Machine, from: u64, indicated: u64| {
        for cell in 0..100 {
            machine.scheduler.observe(ns(from + cell * 100), 0, cell < indicated);
        }
    };
    // An interval ends with the first cell after it.
    machine.scheduler.observe(ns(0), 0, false);
    observe(&mut machine, 1, 50);
    machine.scheduler.observe(ns(10_001), 0, false);
    let share = 1.0 - 0.5 * 50.0 / 101.0 + 0.125;
    assert!((machine.scheduler.share(0) - share).abs() < 1e-12);
    assert_eq!(machine.scheduler.cuts, 1);
    // Credits are further apart by as much.
    machine.asks(0, 8000);
    let given = machine.gives(20_000);
    assert_eq!(given[1].0.since(given[0].0), Span::from_ps((4_000_000.0 / share) as u64));
    // Never below the least, whatever comes; back to all when cells come without.
    for round in 0..20 {
        observe(&mut machine, 20_000 + round * 10_000, 100);
    }
    assert!(machine.scheduler.share(0) >= 0.25 && machine.scheduler.share(0) < 0.4);
    for round in 20..30 {
        observe(&mut machine, 20_000 + round * 10_000, 0);
    }
    assert_eq!(machine.scheduler.share(0), 1.0);
}

#[test]
fn a_resync_takes_the_place_of_all_that_was_said() {
    let mut machine = Machine::new(1, &fair(), credits());
    machine.asks(0, 4000);
    assert_eq!(machine.gives(5000).len(), 1);
    // The credit was lost: a millisecond later the VOQ says it has had 6000 and was credited nothing.
    machine.now = 1_000_000;
    let turn = machine.scheduler.resync(ns(1_000_000), 0, 0, 0, (6000, 0));
    machine.arrange(0, turn);
    assert_eq!(machine.committed(), 0);
    assert_eq!(machine.gives(1_100_000), [(ns(1_000_000), 0, 4000), (ns(1_004_000), 0, 2000)]);
    assert_eq!(machine.committed(), 6000);
    // Early, a credit may still be in flight: it counts.
    let turn = machine.scheduler.resync(ns(1_100_000), 0, 0, 0, (6000, 0));
    assert!(!turn);
    assert_eq!(machine.committed(), 6000);
}

#[test]
fn a_port_that_has_stopped_goes_on_when_what_it_awaited_is_void() {
    for forgotten in [false, true] {
        let mut machine = Machine::new(1, &fair(), Credits { window: Span::from_us(8), ..credits() });
        machine.asks(0, 8000);
        machine.asks(1, 4000);
        assert_eq!(voqs(&machine.gives(100_000)), [0, 1], "the third finds the window full");
        machine.scheduler.complete(1, 0, 4000);
        machine.now = 1_200_000;
        let turn = if forgotten {
            machine.scheduler.settle(0, 4000);
            machine.scheduler.forget(0, 0, 0);
            machine.asks(2, 4000);
            machine.scheduler.audit(ns(1_200_000), 0)
        } else {
            machine.scheduler.resync(ns(1_200_000), 0, 0, 0, (8000, 0))
        };
        assert!(turn || forgotten);
        machine.arrange(0, turn);
        assert_eq!(voqs(&machine.gives(1_201_000)), [if forgotten { 2 } else { 0 }]);
    }
}

#[test]
fn a_voq_that_wants_less_than_it_was_granted_gets_nothing() {
    let mut machine = Machine::new(1, &fair(), credits());
    machine.asks(0, 40_000);
    assert_eq!(machine.gives(3000).len(), 1);
    // Its packets were discarded meanwhile, a few came after, and a credit is still in flight to it.
    let turn = machine.scheduler.resync(ns(3000), 0, 0, 0, (2000, 0));
    machine.arrange(0, turn);
    assert_eq!(machine.gives(100_000), []);
}

#[test]
fn what_never_comes_is_awaited_no_longer_than_the_watchdog() {
    let mut machine = Machine::new(1, &fair(), Credits { window: Span::from_us(10), ..credits() });
    machine.asks(0, 4000);
    machine.gives(500_000);
    machine.asks(1, 100_000);
    assert_eq!(machine.gives(900_000).len(), 1);
    assert_eq!(machine.committed(), 8000);
    assert!(!machine.scheduler.audit(ns(999_999), 0));
    assert_eq!(machine.committed(), 8000);
    // The next look is a watchdog's time after the last: the second VOQ was granted something less than that ago.
    assert!(!machine.scheduler.audit(ns(1_400_000), 0), "it looked at 999999 ns");
    machine.now = 2_000_000;
    let turn = machine.scheduler.audit(ns(2_000_000), 0);
    assert!(turn, "it had stopped");
    machine.arrange(0, turn);
    assert_eq!(machine.committed(), 0);
    assert_eq!(machine.gives(2_003_000).len(), 1);
    // And what comes after all is paid for once.
    machine.leaves(0, 1500);
    assert_eq!(machine.committed(), 4000);
}

#[test]
fn forgetting_a_voq_keeps_the_turns_of_the_others() {
    let mut machine = Machine::new(1, &fair(), credits());
    for voq in 0..4 {
        machine.asks(voq, 4000);
    }
    machine.gives(1000);
    machine.scheduler.forget(2, 0, 0);
    assert_eq!(voqs(&machine.gives(60_000)), [1, 3]);
    machine.scheduler.forget(0, 0, 0);
    assert_eq!(machine.committed(), 8000);
    // It is heard of again.
    machine.asks(2, 5000);
    assert_eq!(machine.gives(90_000), [(ns(60_000), 2, 4000), (ns(64_000), 2, 1000)]);
}

#[test]
fn credits_match_the_port_whatever_packets_take_beside_their_bytes() {
    // A byte takes a nanosecond. Packets of 400 B: ten to a credit.
    for (uncounted, expected) in [(0, 25), (40, 23), (400, 13), (-40, 28)] {
        let mut machine = Machine::new(1, &fair(), credits());
        machine.scheduler.packets.uncounted = uncounted;
        machine.asks(0, 1 << 20);
        let mut given = 0;
        for time in (0..100_000).step_by(100) {
            machine.now = time;
            for _ in machine.gives(time + 100) {
                given += 1;
                for _ in 0..10 {
                    machine.scheduler.complete(0, 0, 400);
                    machine.scheduler.settle(0, 400);
                }
            }
        }
        // Packets of one credit are charged with the next.
        assert_eq!(given, expected, "{uncounted} B beside each packet of 400 B");
    }
}
