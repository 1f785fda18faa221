use super::*;
use crate::schedule::{Order, Schedule};
use proptest::prelude::*;
use units::Time;

fn ps(ps: u64) -> Span {
    Span::from_ps(ps)
}

/// §7.1.
const GUARD: GuardBand = GuardBand {
    reconfiguration: Span::from_ps(2500),
    propagation_variation: Span::from_ps(200),
    synchronisation_error: Span::from_ps(50),
};
const SLOT: Slot = Slot { guard: GUARD, overhead: Span::ZERO, usable: Span::from_ps(20_500) };

#[test]
fn the_rack_of_section_7() {
    assert_eq!((GUARD.total(), SLOT.length()), (ps(2750), ps(23_250)));
    assert_eq!((SLOT.cell(Rate::from_gbps(25)), SLOT.cell(Rate::from_gbps(50))), (Bytes::new(64), Bytes::new(128)));
    assert!((SLOT.duty() - 0.882).abs() < 0.001); // "max throughput of 90 Gbps" of 100
    assert_eq!(SLOT.left_of(Rate::from_gbps(100)), Rate::from_bps(88_172_043_011));
    assert_eq!(SLOT.carries(Bytes::new(64), 4), Rate::from_bps(88_086_021_505));
    assert!((SLOT.guard_share() - 0.118_28).abs() < 1e-5);
    // "2.9 us". 511/4 slots would be 2.97 us; there are no quarters of slots.
    let epoch = |channels| SLOT.epoch(Schedule::new(512, channels, Order::Rearranged).unwrap().epoch());
    assert_eq!((epoch(4), epoch(2), epoch(1)), (ps(2_976_000), ps(5_952_000), ps(11_904_000)));
    // 64 B at 25 Gb/s take 20.48 ns.
    assert_eq!(Slot::for_cell(Bytes::new(64), Bytes::new(0), Rate::from_gbps(25), GUARD).length(), ps(23_230));
}

#[test]
fn the_prototype_of_section_6() {
    let cycle = ps(6400);
    let guard =
        GuardBand { reconfiguration: cycle, propagation_variation: Span::ZERO, synchronisation_error: Span::ZERO };
    let slot = Slot::for_cell(Bytes::new(64), Bytes::new(24), Rate::from_gbps(10), guard);
    assert_eq!((slot.overhead, slot.usable, slot.length()), (cycle * 3, cycle * 8, ps(76_800)));
    assert_eq!(slot.epoch(7), ps(537_600)); // "0.53 us"
}

#[test]
fn an_odd_sum_is_not_lost() {
    let guard = GuardBand { synchronisation_error: ps(51), ..GUARD };
    assert_eq!((guard.early(), guard.late(), guard.total()), (ps(125), ps(126), ps(2751)));
}

fn clock(offset: i64, drift: i32) -> Clock {
    Clock { offset, drift }
}

fn timekeeping(frequency: Frequency, masterless: &[(u64, Option<u64>)]) -> Timekeeping {
    let at = |us: u64| Time::ZERO + Span::from_us(us);
    let masterless = masterless.iter().map(|&(from, until)| (at(from), until.map(at))).collect();
    Timekeeping { interval: Span::from_us(10), frequency, masterless }
}

/// A cell from one node's clock over leaf, spine and leaf to another, with all links as designed.
fn passages(clocks: [Clock; 4]) -> [Passage; 4] {
    clocks.map(|clock| Passage { clock, deviation: 0 })
}

#[test]
fn a_cell_leaves_its_window_early_and_late() {
    let keeping = timekeeping(Frequency::Distributed, &[]);
    let check = |sender: i64, offsets: [i64; 4]| {
        SLOT.passes(&keeping, clock(sender, 0), &passages(offsets.map(|offset| clock(offset, 0))), Time::ZERO)
    };
    assert_eq!(check(0, [0; 4]), Ok(()));
    assert_eq!(check(-25, [100, -150, 100, -100]), Ok(()));
    let violation = |passage, side, by| Err(Violation { passage, side, by: ps(by) });
    assert_eq!(check(0, [0, 126, 0, 500]), violation(1, Side::Late, 1));
    assert_eq!(check(0, [0, 0, -130, 0]), violation(2, Side::Early, 5));
    assert_eq!(check(130, [0; 4]), violation(0, Side::Early, 5));
    assert_eq!(check(-130, [0, 0, 0, 10]), violation(0, Side::Late, 5));
}

#[test]
fn what_is_late_stays_late() {
    let keeping = timekeeping(Frequency::Distributed, &[]);
    let check = |deviations: [i64; 4]| {
        let passages = deviations.map(|deviation| Passage { clock: clock(0, 0), deviation });
        SLOT.passes(&keeping, clock(0, 0), &passages, Time::ZERO)
    };
    assert_eq!(check([60, 60, -60, 60]), Ok(()));
    assert_eq!(check([60, 60, 60, -60]), Err(Violation { passage: 2, side: Side::Late, by: ps(55) }));
}

/// The slot as a drawing: when the circuit is up, and when bits pass, both in the master's time.
#[test]
fn the_window_is_that_of_the_circuit() {
    let keeping = timekeeping(Frequency::Distributed, &[]);
    for ahead in -300..300 {
        // A clock that is ahead begins its slot so much earlier.
        let begins = 10_000 - ahead;
        let (up, down) = (begins + 2500, begins + 23_250);
        let first = 10_000 + 2500 + 125;
        let last = first + 20_500;
        let fits = up <= first && last <= down;
        let passages = [Passage { clock: clock(ahead, 0), deviation: 0 }];
        assert_eq!(SLOT.passes(&keeping, clock(0, 0), &passages, Time::ZERO).is_ok(), fits, "{ahead}");
    }
}

#[test]
fn clocks_drift_from_setting_to_setting() {
    let us = |us| Time::ZERO + Span::from_us(us);
    let alone = |keeping: &Timekeeping, at: &[u64]| -> Vec<u64> {
        at.iter().map(|&at| keeping.alone(us(at)).as_ps() / 1_000_000).collect()
    };
    let own = timekeeping(Frequency::Own, &[]);
    assert_eq!(alone(&own, &[0, 9, 10, 11, 25]), [0, 9, 0, 1, 5]);
    // The master fails at 25 us, another has taken over at 42 us, which fails at 57 us for good.
    let gaps = [(25, Some(42)), (57, None)];
    let own = timekeeping(Frequency::Own, &gaps);
    assert_eq!(alone(&own, &[24, 25, 41, 42, 51, 52, 57, 62, 152]), [4, 5, 21, 0, 9, 0, 5, 10, 100]);
    let distributed = timekeeping(Frequency::Distributed, &gaps);
    assert_eq!(alone(&distributed, &[24, 25, 41, 42, 57, 58, 157]), [0, 0, 16, 0, 0, 1, 100]);
    assert_eq!((clock(-3, 100_000).ahead(Span::from_us(1)), clock(7, -1).ahead(Span::from_ms(2))), (97, 5));
    assert_eq!((clock(0, 1).ahead(ps(500_000_000)), clock(0, -1).ahead(ps(500_000_001))), (1, -1));
}

/// How long the guard band of §7.1 holds when the master has failed, from exact synchronisation_error: 125 ps, at the relative drift.
#[test]
fn how_soon_another_master_must_take_over() {
    let hold = |drift: i32| holdover(GUARD.early(), Span::ZERO, &[clock(0, -drift), clock(0, 0), clock(0, drift)]);
    assert_eq!(hold(100_000), Some(ps(625_000))); // oscillators of 100 ppm: 0.6 us, a fifth of an epoch
    assert_eq!(hold(4_600), Some(ps(13_586_956))); // 4.6 ppm: 13.6 us, four epochs
    assert_eq!(hold(10), Some(Span::from_us(6250)));
    assert_eq!(hold(0), None);
    let late = holdover(GUARD.early(), ps(100), &[clock(12, 0), clock(-12, 0), clock(0, -10)]);
    assert_eq!(late, Some(Span::from_us(1300))); // 12 + 13 ahead of the slowest
    assert_eq!(holdover(GUARD.early(), ps(100), &[clock(13, 0), clock(-13, 0)]), Some(Span::ZERO));
    assert_eq!(holdover(GUARD.early(), ps(100), &[clock(13, 9)]), None);
}

proptest! {
    /// Until the holdover is over every cell of the rack passes; just after, one does not.
    #[test]
    fn holdover_is_when_the_first_cell_is_lost(
        clocks in prop::collection::vec((-60..=60_i64, -100_000..=100_000_i32), 2..8),
        fails in 0..1000_u64,
    ) {
        let clocks: Vec<_> = clocks.into_iter().map(|(offset, drift)| clock(offset, drift)).collect();
        let keeping = timekeeping(Frequency::Distributed, &[(fails, None)]);
        let failed = Time::ZERO + Span::from_us(fails);
        let passes = |at| {
            clocks.iter().all(|&sender| {
                clocks.iter().all(|&clock| {
                    SLOT.passes(&keeping, sender, &[Passage { clock, deviation: 0 }], at).is_ok()
                })
            })
        };
        // Two clocks, each rounded to a picosecond, differ by one more or less than they do by holdover's exact arithmetic.
        let after = |tolerance: u64| holdover(ps(tolerance), Span::ZERO, &clocks);
        if let Some(span) = after(124).filter(|&span| span > Span::ZERO) {
            prop_assert!(passes(failed) && passes(failed + span));
        }
        if let Some(span) = after(126) {
            prop_assert!(!passes(failed + span + ps(1)) || span == Span::ZERO);
        }
    }

    /// §3.4's sum is enough: with clocks and ways within half of what it counts for either, no cell leaves its window.
    #[test]
    fn the_guard_band_covers_what_it_is_the_sum_of(
        propagation in 0..1000_u64, synchronisation in 0..1000_u64,
        sender in -1.0..=1.0_f64, switches in prop::collection::vec((-1.0..=1.0_f64, -1.0..=1.0_f64), 1..5),
    ) {
        let guard = GuardBand { propagation_variation: ps(propagation), synchronisation_error: ps(synchronisation), ..GUARD };
        let slot = Slot { guard, ..SLOT };
        // Clocks within a quarter of the width of the master's, so within half of it of each other.
        let offset = |part: f64| clock((part * (synchronisation / 4) as f64) as i64, 0);
        let mut so_far = 0;
        let passages: Vec<_> = switches.iter().map(|&(ahead, longer)| {
            let longer = (longer * (propagation / 2) as f64) as i64;
            let deviation = longer - std::mem::replace(&mut so_far, longer);
            Passage { clock: offset(ahead), deviation }
        }).collect();
        let keeping = timekeeping(Frequency::Distributed, &[]);
        prop_assert_eq!(slot.passes(&keeping, offset(sender), &passages, Time::ZERO), Ok(()));
    }
}
