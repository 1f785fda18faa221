//! CUBIC's congestion control: RFC 9438. Between losses the window is a cubic function of time, so that it does not depend on the round trip how fast
//! a large window comes back. Slow start is RFC 5681's; HyStart++ (RFC 9406) would end it by delays of 4 ms and more, which no data centre has.

use crate::config;
use crate::tcp::{Congestion, Loss, News, Tcp, Window};
use fabric::Needs;
use units::Time;

/// TCP with CUBIC.
pub type Cubic = Tcp<CubicWindow>;

impl Cubic {
    /// CUBIC with these parameters.
    pub fn new(config: config::Cubic) -> Cubic {
        let config::Cubic { tcp, beta, c, fast_convergence } = config;
        let congestion = CubicWindow {
            beta,
            c,
            fast_convergence,
            most: 0.0,
            prior: 0.0,
            timed_out: false,
            stage: None,
            part: 0.0,
            last: Time::ZERO,
        };
        Tcp { config: tcp, congestion }
    }
}

/// The window as a function of time. Windows are in segments, times in seconds, as in the RFC.
#[derive(Debug, Clone, Copy)]
pub struct CubicWindow {
    beta: f64,
    c: f64,
    fast_convergence: bool,
    /// W_max: the window that the function has its plateau at.
    most: f64,
    /// cwnd_prior: the window before it was last reduced.
    prior: f64,
    /// It was the timer that reduced it.
    timed_out: bool,
    stage: Option<Stage>,
    /// What the window has beyond whole bytes.
    part: f64,
    /// When something was last acknowledged.
    last: Time,
}

/// A stage of congestion avoidance: from one loss to the next.
#[derive(Debug, Clone, Copy)]
struct Stage {
    /// When it began; later by as long as the window was not used.
    began: Time,
    /// K: how long it takes to the plateau.
    plateau: f64,
    /// W_est: what Reno's window would be.
    reno: f64,
}

impl CubicWindow {
    /// W_cubic: RFC 9438 §4.2.
    fn at(&self, stage: &Stage, time: f64) -> f64 {
        let from_plateau = time - stage.plateau;
        self.c * from_plateau * from_plateau * from_plateau + self.most
    }

    /// Congestion avoidance begins with this window.
    fn begin(&mut self, now: Time, window: f64) -> Stage {
        // RFC 9438 §4.8: after a timeout its plateau is where it begins. So it is where it begins above the last one.
        if self.timed_out || window >= self.most {
            self.most = window;
            self.timed_out = false;
        }
        // RFC 9438 §4.2.
        Stage { began: now, plateau: libm::cbrt((self.most - window) / self.c), reno: window }
    }
}

impl Congestion for CubicWindow {
    const ECN: bool = false;

    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn on_ack(&mut self, window: &mut Window, news: News) {
        let idle = news.now.since(std::mem::replace(&mut self.last, news.now));
        if window.size < window.threshold {
            self.stage = None;
            window.grow(news.acked, news.flight);
            return;
        }
        let segment = f64::from(window.segment);
        let size = (window.size as f64 + self.part) / segment;
        let mut stage = match self.stage {
            Some(stage) => stage,
            None => self.begin(news.now, size),
        };
        // A window that is not used does not grow (RFC 7661 §4.3), and time stands still for it (RFC 9438 §5.8).
        if news.flight + u64::from(window.segment) < window.size {
            stage.began += idle;
            self.stage = Some(stage);
            return;
        }
        let acked = news.acked as f64 / segment;
        let time = news.now.since(stage.began).as_secs_f64();
        // RFC 9438 §4.3: as Reno on average, until its window is as it was before the loss, and then one segment a round trip as Reno.
        let alpha = if stage.reno >= self.prior { 1.0 } else { 3.0 * (1.0 - self.beta) / (1.0 + self.beta) };
        stage.reno += alpha * acked / size;
        let next = if self.at(&stage, time) < stage.reno {
            size.max(stage.reno)
        } else {
            // RFC 9438 §4.2, §4.4 and §4.5, for each segment that is acknowledged.
            let target = self.at(&stage, time + news.round_trip.as_secs_f64()).clamp(size, 1.5 * size);
            target.min(size + acked * (target - size) / size)
        };
        let bytes = (next * segment).min(window.largest as f64);
        window.size = bytes as u64;
        self.part = bytes - window.size as f64;
        self.stage = Some(stage);
    }

    fn on_loss(&mut self, window: &Window, flight: u64, loss: Loss, _: Time) -> u64 {
        let size = flight as f64 / f64::from(window.segment);
        // RFC 9438 §4.7: a flow that loses below its last plateau makes room for others.
        let yields = self.fast_convergence && size < self.most;
        self.most = if yields { size * (1.0 + self.beta) / 2.0 } else { size };
        self.prior = size;
        (self.stage, self.part, self.timed_out) = (None, 0.0, loss == Loss::Timeout);
        (flight as f64 * self.beta) as u64 // RFC 9438 §4.6
    }
}

#[cfg(test)]
mod tests;
