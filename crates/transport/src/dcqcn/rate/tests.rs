//! Timelines of the reaction point in exact numbers, by the equations of §3.1 with the values of Fig. 14.

use super::*;

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// A flow on a link of 40 Gb/s, as in the paper.
fn flow() -> RateControl {
    RateControl::new(&Dcqcn::default(), Rate::from_gbps(40))
}

/// Current and target rate in Mb/s, which is exact for all that is asked here.
fn rates(control: &RateControl) -> (f64, f64) {
    (control.rate().as_bps() as f64 / 1e6, control.target().as_bps() as f64 / 1e6)
}

/// The rates after each of the next `steps` of the timer.
fn steps(control: &mut RateControl, from: Time, steps: u64) -> Vec<(f64, f64)> {
    let step = |n| {
        let at = from + Span::from_us(55) * n;
        let mut before = *control;
        before.advance(at - Span::from_ps(1));
        control.advance(at);
        assert_eq!(before.rate() < control.rate(), !before.is_unlimited(), "not a picosecond earlier");
        rates(control)
    };
    (1..=steps).map(step).collect()
}

#[test]
fn a_flow_begins_at_the_rate_of_its_link_and_stays_there() {
    let mut control = flow();
    control.advance(us(1_000_000));
    control.send(1_000_000_000);
    assert_eq!((rates(&control), control.is_unlimited()), ((40_000.0, 40_000.0), true));
    assert_eq!(control.end_of(us(5), 1500), us(5), "the link says how fast it is, not the rate limiter");
}

#[test]
fn each_notification_cuts_the_rate_by_half_of_alpha() {
    let mut control = flow();
    // Alpha begins at 1, and stays there as long as every interval brings a notification.
    for (n, rate) in [20_000.0, 10_000.0, 5_000.0, 2_500.0].into_iter().enumerate() {
        control.notify(us(50 * n as u64));
        assert_eq!((rates(&control), control.alpha()), ((rate, 2.0 * rate), 1.0));
    }
    // At 205 us the timer of 55 us goes off for the first time since the last one, at 150 us.
    control.notify(us(205));
    // One step halfway up to 5000, then cut by half of 255/256: 3750 (1 - 255/512).
    assert_eq!(rates(&control), (1_882.324_218, 3_750.0));
    assert_eq!(control.alpha(), 255.0 / 256.0 * (255.0 / 256.0) + 1.0 / 256.0);
}

#[test]
fn alpha_falls_while_no_notification_comes() {
    let mut control = flow();
    control.notify(us(0));
    // Ten times 55 us, and not yet eleven.
    control.notify(us(600));
    let rested = (255.0_f64 / 256.0).powi(10);
    let expected = rested * 255.0 / 256.0 + 1.0 / 256.0;
    assert!((control.alpha() - expected).abs() < 1e-15, "{} and {expected}", control.alpha());
    // After a second it is as small as one notification makes it, and the cut hardly one.
    let line = {
        control.advance(us(1_000_000));
        control.rate()
    };
    assert_eq!(line, Rate::from_gbps(40));
    control.notify(us(1_000_600));
    assert!((control.alpha() - 1.0 / 256.0).abs() < 1e-15);
    assert_eq!(control.rate(), Rate::from_gbps(40), "alpha was less than a bit a second of 40 Gb/s");
}

#[test]
fn five_steps_go_halfway_back_and_then_the_target_grows() {
    let mut control = flow();
    control.notify(us(0));
    control.notify(us(10));
    assert_eq!(rates(&control), (10_000.0, 20_000.0));
    // Fast recovery (equation 3): the target stays.
    let fast = [15_000.0, 17_500.0, 18_750.0, 19_375.0, 19_687.5].map(|rate| (rate, 20_000.0));
    assert_eq!(steps(&mut control, us(10), 5), fast);
    // Additive increase (equation 4): 40 Mb/s more each time, for ever if only time passes.
    let additive = [(19_863.75, 20_040.0), (19_971.875, 20_080.0), (20_045.937_5, 20_120.0)];
    assert_eq!(steps(&mut control, us(10 + 5 * 55), 3), additive);
    let later = steps(&mut control, us(10 + 8 * 55), 100);
    assert_eq!(later[99].1, 20_120.0 + 100.0 * 40.0);
}

#[test]
fn bytes_make_the_rate_grow_as_time_does() {
    let mut control = flow();
    control.notify(us(0));
    control.notify(us(0));
    // 10 MB in packets of 1000 B: not one earlier.
    for _ in 0..9_999 {
        control.send(1000);
    }
    assert_eq!(rates(&control), (10_000.0, 20_000.0));
    control.send(1000);
    assert_eq!(rates(&control), (15_000.0, 20_000.0));
    for rate in [17_500.0, 18_750.0, 19_375.0, 19_687.5] {
        control.send(10_000_000);
        assert_eq!(rates(&control), (rate, 20_000.0));
    }
    control.send(10_000_000);
    assert_eq!(rates(&control), (19_863.75, 20_040.0), "the sixth is additive");
    // A notification begins anew, the bytes as well.
    control.send(9_999_999);
    control.notify(us(1));
    control.send(9_999_999);
    let (current, target) = rates(&control);
    assert_eq!((current, target), (9_931.875, 19_863.75));
    control.send(1);
    assert_eq!(control.rate(), Rate::from_bps(14_897_812_500));
}

#[test]
fn steps_are_large_once_both_time_and_bytes_have_brought_more_than_five() {
    let mut control = flow();
    control.notify(us(0));
    control.notify(us(0));
    control.notify(us(0));
    assert_eq!(rates(&control), (5_000.0, 10_000.0));
    // Six steps by bytes, one of them additive.
    for _ in 0..6 {
        control.send(10_000_000);
    }
    assert_eq!(rates(&control).1, 10_040.0);
    // Six by time: all additive, as bytes have had more than fast recovery.
    steps(&mut control, us(0), 6);
    assert_eq!(rates(&control).1, 10_040.0 + 6.0 * 40.0);
    // From now on both counts are above five, and steps are of 200 Mb/s (hyper increase).
    let hyper = steps(&mut control, us(6 * 55), 3);
    let targets: Vec<f64> = hyper.into_iter().map(|(_, target)| target).collect();
    assert_eq!(targets, [10_480.0, 10_680.0, 10_880.0]);
    control.send(10_000_000);
    assert_eq!(rates(&control).1, 11_080.0);
}

#[test]
fn no_cut_goes_below_the_least_rate_and_no_step_above_the_link() {
    let mut control = flow();
    for n in 0..100 {
        control.notify(us(n));
    }
    assert_eq!(control.rate(), Rate::from_bps(5_000_000));
    // Up again by 40 Mb/s in 55 us.
    control.advance(us(200_000));
    assert!(control.is_unlimited());
    assert_eq!(rates(&control), (40_000.0, 40_000.0));
    // On a link that is slower than the least rate there is nothing to cut.
    let mut slow = RateControl::new(&Dcqcn::default(), Rate::from_bps(1_000_000));
    slow.notify(us(0));
    assert!(slow.is_unlimited());
}

#[test]
fn packets_are_as_far_apart_as_the_rate_says_also_where_it_grows_meanwhile() {
    let mut control = flow();
    control.notify(us(0));
    // 1500 B at 20 Gb/s: 600 ns.
    assert_eq!(control.end_of(us(1), 1500), us(1) + Span::from_ns(600));
    // 300 kB: 2.4 Mb, of which 1.1 Mb go in 55 us at 20 Gb/s and the rest at 30, in 43.3 us.
    assert_eq!(control.end_of(us(0), 300_000), us(55) + Span::from_ps(43_333_334));
    assert_eq!(control.rate(), Rate::from_gbps(20), "asking changes nothing");
    // Over several steps: 55 us each at 20, 30, 35 and 37.5 Gb/s are 6.7375 Mb, and 38,748 bits are left for 38.75 Gb/s.
    assert_eq!(control.end_of(us(0), 842_187 + 4_844), us(220) + Span::from_ps(999_949));
}

/// What is carried until a packet has gone is the packet, at whatever rates.
#[test]
fn what_is_carried_in_a_packets_time_is_the_packet() {
    let mut control = flow();
    for now in (0..400).step_by(50) {
        control.notify(us(now));
    }
    for bytes in [64, 1500, 9000, 1_000_000] {
        let end = control.end_of(us(360), bytes);
        let Load(carried) = control.carried(us(360), end);
        let packet = u128::from(bytes) * 8 * u128::from(SECOND);
        // Ends are whole picoseconds, up to one more than it takes.
        assert!((packet..packet + 40_000_000_000).contains(&carried), "{carried} of {packet}");
        assert_eq!(control.end_of_load(us(360), Load(carried)), end);
    }
}
