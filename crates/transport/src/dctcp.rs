//! Data Center TCP: RFC 8257. The window shrinks in proportion to the fraction of bytes that were marked.

use crate::config;
use crate::tcp::{Congestion, News, Tcp, Window};
use fabric::Needs;

/// DCTCP.
pub type Dctcp = Tcp<MarkedFraction>;

impl Dctcp {
    /// DCTCP with these parameters.
    pub fn new(config: config::Dctcp) -> Dctcp {
        let congestion =
            MarkedFraction { gain: config.gain, alpha: 1.0, acked: 0, marked: 0, round_end: 0, reduced_until: 0 };
        Tcp { config: config.tcp, congestion }
    }
}

/// Estimates the fraction of marked bytes, a round at a time.
#[derive(Debug, Clone, Copy)]
pub struct MarkedFraction {
    /// g.
    gain: f64,
    /// The estimate. Begins at 1: the first mark halves the window (RFC 8257 §3.3).
    alpha: f64,
    /// Bytes acknowledged in this round.
    acked: u64,
    /// Those of them whose acknowledgement echoed a mark.
    marked: u64,
    /// The round ends when this is acknowledged (DCTCP.WindowEnd).
    round_end: u64,
    /// The window was reduced for what was sent up to here: once a round is enough (RFC 8257 §3.3, RFC 3168 §6.1.2).
    reduced_until: u64,
}

// RFC 8257 §3.4: a loss is answered as by any TCP, and the estimate goes on.
impl Congestion for MarkedFraction {
    const ECN: bool = true;

    fn needs(&self) -> Needs {
        Needs { ecn: true, ..Needs::default() }
    }

    fn on_ack(&mut self, window: &mut Window, news: News) {
        self.acked += news.acked;
        if news.echo {
            self.marked += news.acked;
        }
        if news.una > self.round_end {
            // RFC 8257 §3.3, steps 3 to 7.
            let fraction = if self.acked > 0 { self.marked as f64 / self.acked as f64 } else { 0.0 };
            self.alpha += self.gain * (fraction - self.alpha);
            (self.acked, self.marked, self.round_end) = (0, 0, news.sent);
        }
        if !news.echo {
            window.grow(news.acked, news.flight);
        } else if news.una > self.reduced_until {
            let reduced = (window.size as f64 * (1.0 - self.alpha / 2.0)) as u64;
            window.threshold = reduced.max(2 * u64::from(window.segment));
            window.size = window.threshold;
            self.reduced_until = news.sent;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::{Bytes, Span, Time};

    fn control() -> MarkedFraction {
        let tcp = config::Tcp {
            initial_window: 10,
            max_window: Bytes::new(1 << 30),
            min_rto: Span::from_ms(1),
            initial_rto: Span::from_ms(1),
            ack_every: 1,
            ack_delay: Span::from_us(500),
            header: Bytes::new(40),
            ..config::Tcp::default()
        };
        Dctcp::new(config::Dctcp { tcp, gain: 0.0625 }).congestion
    }

    #[test]
    fn the_estimate_follows_the_marked_fraction_and_scales_the_cut() {
        let mut dctcp = control();
        let mut window = Window { size: 100_000, threshold: u64::MAX, segment: 1000, avoided: 0, largest: u64::MAX };
        // Ten rounds of 100 segments, none marked: alpha falls by 15/16 a round from 1.
        let mut una = 0;
        let (now, round_trip) = (Time::ZERO, Span::from_us(100));
        let (flight, delay) = (100_000, round_trip);
        let news = |una, echo| News { acked: 1000, una, sent: una + flight, echo, flight, now, round_trip, delay };
        for _ in 0..1000 {
            una += 1000;
            dctcp.on_ack(&mut window, news(una, false));
        }
        let rounds = (dctcp.alpha.log2() / 0.9375_f64.log2()).round();
        assert!((dctcp.alpha - 0.9375_f64.powi(rounds as i32)).abs() < 1e-12, "{}", dctcp.alpha);
        assert!((9.0..=11.0).contains(&rounds), "{rounds}");
        // One mark: the window falls by alpha / 2, once a round.
        let (before, alpha) = (window.size, dctcp.alpha);
        una += 1000;
        dctcp.on_ack(&mut window, news(una, true));
        assert_eq!(window.size, (before as f64 * (1.0 - alpha / 2.0)) as u64);
        let after = window.size;
        una += 1000;
        dctcp.on_ack(&mut window, news(una, true));
        assert_eq!(window.size, after);
    }
}
