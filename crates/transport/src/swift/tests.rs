use super::*;
use crate::conformance::{delivers, trials};
use crate::tcp::SelectiveSender;
use crate::{Sender, Transport};
use fabric::conformance::Recorder;
use fabric::{Device, Frame, Kind, Port};
use proptest::prelude::*;
use units::Bytes;

/// Payload of a full packet.
const FULL: u64 = 1000;

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

fn connection(packets: u64) -> Connection {
    let round_trip = Span::from_us(30);
    Connection { bytes: Bytes::new(packets * FULL), hops: 4, round_trip, ..Connection::EXAMPLE }
}

fn control(config: &config::Swift) -> DelayWindow {
    Swift::new(config, &connection(1)).tcp.congestion
}

fn window(size: u64) -> Window {
    Window { size, threshold: u64::MAX, segment: FULL as u32, avoided: 0, largest: 1_000_000 }
}

/// An acknowledgement of so many packets, in use of the whole window, after this delay; the round trip is 30 us.
fn news(at: u64, packets: u64, delay: u64) -> News {
    News {
        acked: packets * FULL,
        una: 0,
        sent: 0,
        echo: false,
        flight: u64::MAX,
        now: us(at),
        round_trip: Span::from_us(30),
        delay: Span::from_us(delay),
    }
}

#[test]
fn the_target_grows_with_the_path_and_for_small_windows() {
    // 20 us and the round trip of 30 us, and up to 100 us for windows from 100 packets to a tenth of one: 32.655 / sqrt(w) - 3.2655.
    let target = |config: &config::Swift, window: f64| control(config).target.of(window) / 1e6;
    let expected = [(1000.0, 50.0), (100.0, 50.0), (25.0, 53.266), (1.0, 79.390), (0.1, 150.0), (0.001, 150.0)];
    for (window, us) in expected {
        let found = target(&config::Swift::default(), window);
        assert!((found - us).abs() < 1e-3, "{window}: {found}");
    }
    // Each of four links adds 5 us, whatever the round trip.
    let by_hops = config::Swift { hop_target: Some(Span::from_us(5)), ..config::Swift::default() };
    assert!((target(&by_hops, 100.0) - 40.0).abs() < 1e-9);
    let plain = config::Swift { flow_range: Span::ZERO, ..by_hops };
    assert!((target(&plain, 0.01) - 40.0).abs() < 1e-9);
}

#[test]
fn below_the_target_the_window_grows_by_a_packet_a_round_trip() {
    let mut swift = control(&config::Swift::default());
    let mut window = window(10_000);
    for at in 0..10 {
        swift.on_ack(&mut window, news(at, 1, 40));
    }
    // Ten acknowledgements of a tenth of a packet each, less and less.
    assert!((swift.window - 10.959).abs() < 1e-3, "{}", swift.window);
    assert_eq!(window.size, 10_958);
    // One that is not used stays.
    swift.on_ack(&mut window, News { flight: 9000, ..news(11, 1, 40) });
    assert_eq!(window.size, 10_958);
    // Below a packet: by one for each.
    swift.window = 0.25;
    swift.on_ack(&mut window, news(12, 1, 40));
    assert_eq!(window.size, 1250);
}

#[test]
fn above_the_target_it_shrinks_by_the_excess_once_a_round_trip() {
    let config = config::Swift { flow_range: Span::ZERO, ..config::Swift::default() };
    let mut swift = control(&config);
    let mut window = window(10_000);
    // The target is 50 us: of 62.5 a fifth is above, of which 0.8 counts.
    swift.on_ack(&mut window, news(100, 1, 50));
    assert_eq!(window.size, 10_000, "at the target it shrinks by nothing");
    swift.on_ack(&mut window, News { delay: Span::from_ns(62_500), ..news(130, 1, 0) });
    assert_eq!(window.size, 8400);
    swift.on_ack(&mut window, news(159, 1, 1000));
    assert_eq!(window.size, 8400);
    // No more than by half.
    swift.on_ack(&mut window, news(160, 1, 1000));
    assert_eq!(window.size, 4200);
    // Least of all, and largest.
    (0..100).for_each(|round| swift.on_ack(&mut window, news(200 + 30 * round, 1, 1000)));
    assert_eq!((window.size, swift.window), (1, 0.001));
    swift.window = 2000.0;
    swift.on_ack(&mut window, news(9000, 1, 10));
    assert_eq!(window.size, 1_000_000);
}

#[test]
fn losses_and_timeouts_shrink_it_once_a_round_trip_and_many_timeouts_to_the_least() {
    let mut swift = control(&config::Swift::default());
    let mut window = window(10_000);
    swift.on_ack(&mut window, News { flight: 0, ..news(0, 1, 10) });
    let mut lose = |loss, at| swift.on_loss(&window, 0, loss, us(at));
    assert_eq!(lose(Loss::Found, 100), 5000);
    assert_eq!(lose(Loss::Found, 129), 5000);
    let timeouts: Vec<u64> = (1..6).map(|round| lose(Loss::Timeout, round * 1000)).collect();
    assert_eq!(timeouts, [2500, 1250, 625, 312, 1]);
}

/// All that it sends now.
fn sends(sender: &mut SelectiveSender<DelayWindow>, now: Time) -> usize {
    std::iter::from_fn(|| sender.transmit(now, Port(0), &mut Recorder::default())).count()
}

fn acknowledges(sender: &mut SelectiveSender<DelayWindow>, packets: u64, sent: Time, now: Time) {
    let ack = Frame { kind: Kind::Ack, sequence: packets * FULL, stamp: sent, ..Frame::EMPTY };
    sender.receive(now, Port(0), ack, &mut Recorder::default());
}

#[test]
fn a_window_below_a_packet_paces() {
    let tcp = config::Tcp { initial_window: 1, ..config::Swift::default().tcp };
    let config = config::Swift { tcp, flow_range: Span::ZERO, ..config::Swift::default() };
    let connection = connection(10);
    let (mut sender, _) = Swift::new(&config, &connection).open(&connection);
    assert_eq!(sends(&mut sender, us(0)), 1);
    // A round trip of 100 us, half of which is above the target: the window falls to 0.6 of a packet.
    acknowledges(&mut sender, 1, us(0), us(100));
    assert_eq!(sender.congestion_window(), 600);
    assert_eq!(sends(&mut sender, us(100)), 1);
    // The next goes after 100 us / 0.6, though the window has room from the acknowledgement on; that leaves the window as it is.
    let next = us(100) + Span::from_ps(100_000_000 * 1000 / 600);
    acknowledges(&mut sender, 2, us(100), us(150));
    assert_eq!((sends(&mut sender, us(150)), sender.deadline()), (0, Some(next)));
    sender.expire(us(200), &mut Recorder::default());
    assert_eq!(sends(&mut sender, us(200)), 0);
    sender.expire(next, &mut Recorder::default());
    assert_eq!(sends(&mut sender, next), 1);
    // A delay below the target lets it grow to more than a packet, which ends pacing.
    acknowledges(&mut sender, 3, next, next + Span::from_us(40));
    assert_eq!(sender.congestion_window(), 1600);
    assert_eq!(sends(&mut sender, next + Span::from_us(40)), 1);
    // Nothing is left of it at the end.
    let (mut now, mut sent) = (next + Span::from_us(40), 4);
    for packets in 4..=10 {
        acknowledges(&mut sender, packets, now, now + Span::from_us(100));
        now += Span::from_us(100);
        sent += sends(&mut sender, now) as u64;
        while packets < 10 && sent == packets {
            now = sender.deadline().unwrap();
            sender.expire(now, &mut Recorder::default());
            sent += sends(&mut sender, now) as u64;
        }
    }
    assert!(sender.is_done());
    assert_eq!(sender.deadline(), None);
}

proptest! {
    #[test]
    fn it_delivers_through_anything(trial in trials(), window in 1_u32..20, rack in any::<bool>()) {
        let recovery = Some(if rack { config::Recovery::Rack } else { config::Recovery::Sack });
        let tcp = config::Tcp { initial_window: window, recovery, ..config::Swift::default().tcp };
        let swift = config::Config::Swift(config::Swift { tcp, min_window: 0.01, ..config::Swift::default() });
        delivers(&swift, trial);
    }
}
