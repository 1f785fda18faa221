use super::*;
use crate::newreno::Reno;
use crate::tcp::Selective;
use proptest::prelude::*;
use units::Span;

const SEGMENT: u64 = 1000;

fn control(fast_convergence: bool) -> CubicWindow {
    Cubic::new(config::Cubic { fast_convergence, ..config::Cubic::default() }).congestion
}

/// A sender whose window is always full, over a path of a fixed round trip.
struct Path<C> {
    congestion: C,
    window: Window,
    round_trip: Span,
    now: Time,
    una: u64,
}

impl<C: Congestion> Path<C> {
    fn new(congestion: C, segments: u64, round_trip: Span) -> Path<C> {
        let size = segments * SEGMENT;
        let window = Window { size, threshold: size, segment: SEGMENT as u32, avoided: 0, largest: u64::MAX };
        Path { congestion, window, round_trip, now: Time::ZERO, una: 0 }
    }
    fn segments(&self) -> f64 {
        self.window.size as f64 / SEGMENT as f64
    }
    /// A segment is acknowledged: as many in a round trip as the window has.
    fn ack(&mut self) {
        let flight = self.window.size;
        self.now += Span::from_ps((self.round_trip.as_ps() as f64 / self.segments()) as u64);
        self.una += SEGMENT;
        let Path { round_trip, now, una, .. } = *self;
        let news =
            News { acked: SEGMENT, una, sent: una + flight, echo: false, flight, now, round_trip, delay: round_trip };
        self.congestion.on_ack(&mut self.window, news);
    }
    fn lose(&mut self, loss: Loss) {
        let flight = self.window.size;
        self.window.threshold = self.congestion.on_loss(&self.window, flight, loss, Time::ZERO);
        self.window.avoided = 0;
        self.window.size = match loss {
            Loss::Found => self.window.threshold,
            Loss::Timeout => SEGMENT,
        };
    }
}

/// RFC 9438 §4.2, Figures 1 and 2: W(t) = C (t - K)^3 + W_max, and K is the cube root of (W_max - cwnd) / C.
#[test]
fn the_window_follows_its_cubic_between_losses() {
    let mut path = Path::new(control(true), 1000, Span::from_ms(50));
    path.lose(Loss::Found);
    assert_eq!(path.segments(), 700.0, "beta is 0.7 (§4.6)");
    path.ack();
    let began = path.now;
    let plateau = (300.0_f64 / 0.4).cbrt();
    let mut furthest = 0.0_f64;
    while path.now.since(began) < Span::from_ms(18_000) {
        path.ack();
        let time = path.now.since(began).as_secs_f64();
        let cubic = 0.4 * (time - plateau).powi(3) + 1000.0;
        furthest = furthest.max((path.segments() - cubic).abs());
    }
    assert!(furthest < 1.0, "{furthest} segments off");
    assert!(path.segments() > 1200.0, "well beyond the plateau: {}", path.segments());
}

/// The window over a long time when one segment of so many is lost: what is acknowledged in a round trip, on average.
fn mean_window(congestion: impl Congestion, one_of: u64) -> f64 {
    let mut path = Path::new(congestion, 20, Span::from_us(100));
    let losses = 200;
    let mut began = Time::ZERO;
    for number in 0..losses {
        if number == losses / 2 {
            began = path.now;
        }
        (0..one_of).for_each(|_| path.ack());
        path.lose(Loss::Found);
    }
    let round_trips = path.now.since(began).as_secs_f64() / path.round_trip.as_secs_f64();
    (losses / 2 * one_of) as f64 / round_trips
}

/// RFC 9438 §4.3: where windows are small, it has Reno's average window, sqrt(3/2 / p) at a loss rate of p.
#[test]
fn small_windows_are_those_of_reno_on_average() {
    for one_of in [500, 2000] {
        let expected = (1.5 * one_of as f64).sqrt();
        let (cubic, reno) = (mean_window(control(true), one_of), mean_window(Reno, one_of));
        assert!((cubic / expected - 1.0).abs() < 0.05, "{cubic}, expected {expected}");
        assert!((cubic / reno - 1.0).abs() < 0.05, "{cubic}, Reno {reno}");
    }
}

/// RFC 9438 §4.7.
#[test]
fn a_flow_that_loses_below_its_plateau_takes_its_aim_lower() {
    for (fast_convergence, second) in [(true, 900.0 * 0.85), (false, 900.0)] {
        let mut cubic = control(fast_convergence);
        let window = Path::new(cubic, 1, Span::ZERO).window;
        cubic.on_loss(&window, 1000 * SEGMENT, Loss::Found, Time::ZERO);
        assert_eq!(cubic.most, 1000.0);
        cubic.on_loss(&window, 900 * SEGMENT, Loss::Found, Time::ZERO);
        assert!((cubic.most - second).abs() < 1e-9, "{}", cubic.most);
        cubic.on_loss(&window, 950 * SEGMENT, Loss::Found, Time::ZERO);
        assert!((cubic.most - 950.0).abs() < 1e-9, "{}", cubic.most);
    }
}

/// RFC 9438 §4.8: after a timeout and slow start, the plateau is where congestion avoidance begins.
#[test]
fn after_a_timeout_the_window_begins_on_its_plateau() {
    let mut path = Path::new(control(true), 1000, Span::from_ms(50));
    path.lose(Loss::Timeout);
    while path.window.size < path.window.threshold {
        path.ack();
    }
    assert_eq!(path.segments(), 700.0, "slow start ends at 0.7 of the window");
    path.ack();
    let began = path.now;
    while path.now.since(began) < Span::from_ms(5000) {
        path.ack();
    }
    // C t^3 above that, where Reno would have had 100 round trips of 0.53 segments.
    let time = path.now.since(began).as_secs_f64();
    let expected = (700.0 + 0.4 * time.powi(3)).max(700.0 + 0.53 * time / 0.05);
    assert!((path.segments() - expected).abs() < 2.0, "{}, expected {expected}", path.segments());
}

/// RFC 9438 §5.8: time in which the window is not used does not count.
#[test]
fn an_idle_window_does_not_grow() {
    let mut path = Path::new(control(true), 1000, Span::from_ms(50));
    path.lose(Loss::Found);
    (0..7000).for_each(|_| path.ack());
    let before = path.segments();
    // Ten seconds with one segment in flight.
    for _ in 0..200 {
        path.now += Span::from_ms(50);
        let (una, flight) = (path.una + SEGMENT, SEGMENT);
        path.una = una;
        let Path { round_trip, now, .. } = path;
        let news =
            News { acked: SEGMENT, una, sent: una + flight, echo: false, flight, now, round_trip, delay: round_trip };
        path.congestion.on_ack(&mut path.window, news);
    }
    assert_eq!(path.segments(), before);
    (0..700).for_each(|_| path.ack());
    // Without that the window would have been past its plateau, at 1000, by now.
    assert!(path.segments() < before + 60.0, "{before}, then {}", path.segments());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn it_delivers_through_anything(trial in crate::conformance::trials(), every in 1_u32..3, form in 0..3) {
        let tcp = config::Tcp { ack_every: every, ..config::Tcp::default() };
        let tcp = Cubic::new(config::Cubic { tcp, ..config::Cubic::default() });
        match form {
            0 => crate::conformance::delivers(&tcp, trial),
            form => crate::conformance::delivers(&Selective { tcp, rack: form == 1 }, trial),
        }
    }
}
