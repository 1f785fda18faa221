//! Swift's congestion control: Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the Datacenter", SIGCOMM 2020.
//!
//! The window grows by a packet or so a round trip as long as the delay is below its target, and shrinks by how much it is above, at most once a round trip
//! (algorithm 1). The target is a base, so much for each link of the path (topology scaling), and more for smaller windows, so that many flows have room for
//! their variation and small ones grow towards large ones (flow scaling, §3.5). A window may fall below a packet: then packets are paced (§3.4). Losses are
//! found by selective acknowledgements and a timer, and answered by no more than the largest decrease ([`crate::tcp::selective`]).
//!
//! The delay is that of the fabric, the whole round trip: hosts here take no time, so that the window for their delay (§3.3) would never hold anything back,
//! and there is none.

use crate::Connection;
use crate::config;
use crate::tcp::{Congestion, Loss, News, Selective, Tcp, Window};
use fabric::Needs;
use units::{Span, Time};

/// Swift.
pub type Swift = Selective<DelayWindow>;

impl Swift {
    /// Swift with these parameters, for this connection.
    pub fn new(config: &config::Swift, connection: &Connection) -> Swift {
        let segment = connection.mtu.saturating_sub(config.tcp.header).get();
        let congestion = DelayWindow {
            increase: config.additive_increase,
            decrease: config.beta,
            most: config.max_decrease,
            target: Target::new(config, connection),
            least: config.min_window,
            resets_after: config.reset_after,
            window: f64::from(config.tcp.initial_window),
            timeouts: 0,
            decreased: None,
            round_trip: Span::ZERO,
            segment: segment as f64,
        };
        let rack = config.tcp.recovery == Some(config::Recovery::Rack);
        Selective { tcp: Tcp { config: config.tcp.clone(), congestion }, rack }
    }
}

/// The target of the delay, in picoseconds: §3.5.
#[derive(Debug, Clone, Copy)]
struct Target {
    /// `base_target` and what the path adds.
    path: f64,
    /// `fs_range`, and alpha and beta of the flow scaling.
    range: f64,
    alpha: f64,
    beta: f64,
}

impl Target {
    fn new(config: &config::Swift, connection: &Connection) -> Target {
        let ps = |span: Span| span.as_ps() as f64;
        let of_path = match config.hop_target {
            Some(hop) => ps(hop) * f64::from(connection.hops),
            None => ps(connection.round_trip),
        };
        let range = ps(config.flow_range);
        let [small, large] = [config.flow_min_window, config.flow_max_window].map(|window| 1.0 / window.sqrt());
        let alpha = range / (small - large);
        Target { path: ps(config.base_target) + of_path, range, alpha, beta: -alpha * large }
    }

    /// For a window of so many packets.
    fn of(&self, window: f64) -> f64 {
        // In this order, so that a range of nothing adds nothing.
        let scaled = (self.alpha / window.sqrt() + self.beta).min(self.range).max(0.0);
        self.path + scaled
    }
}

/// The window, in packets.
#[derive(Debug, Clone, Copy)]
pub struct DelayWindow {
    /// ai.
    increase: f64,
    /// beta.
    decrease: f64,
    /// max_mdf.
    most: f64,
    target: Target,
    /// min_cwnd.
    least: f64,
    /// RETX_RESET_THRESHOLD.
    resets_after: u32,
    /// cwnd.
    window: f64,
    /// Timeouts since something was acknowledged.
    timeouts: u32,
    /// When the window last shrank.
    decreased: Option<Time>,
    round_trip: Span,
    /// Payload of a full packet.
    segment: f64,
}

impl DelayWindow {
    /// Once a round trip.
    fn may_decrease(&self, now: Time) -> bool {
        self.decreased.is_none_or(|at| now.since(at) >= self.round_trip)
    }

    /// The window is this part of what it was, from now on.
    fn shrink(&mut self, now: Time, part: f64) {
        (self.window, self.decreased) = (self.window * part, Some(now));
    }

    /// The window in bytes, within its bounds.
    fn bounded(&mut self, largest: u64) -> u64 {
        self.window = self.window.clamp(self.least, (largest as f64 / self.segment).max(self.least));
        ((self.window * self.segment) as u64).max(1)
    }
}

impl Congestion for DelayWindow {
    const ECN: bool = false;
    const BY_DELAY: bool = true;

    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Algorithm 1, on receiving an acknowledgement.
    fn on_ack(&mut self, window: &mut Window, news: News) {
        (self.timeouts, self.round_trip) = (0, news.round_trip);
        let (delay, target) = (news.delay.as_ps() as f64, self.target.of(self.window));
        if delay < target {
            // A window that is not used says nothing of the path (RFC 7661 §4.3), as with all TCPs here.
            if news.flight as f64 + self.segment >= window.size as f64 {
                let acked = news.acked as f64 / self.segment;
                self.window += self.increase * acked / self.window.max(1.0);
            }
        } else if self.may_decrease(news.now) {
            self.shrink(news.now, (1.0 - self.decrease * (delay - target) / delay).max(1.0 - self.most));
        }
        window.size = self.bounded(window.largest);
    }

    /// On fast recovery, and on a retransmission timeout.
    fn on_loss(&mut self, window: &Window, _: u64, loss: Loss, now: Time) -> u64 {
        match loss {
            Loss::Found => self.timeouts = 0,
            Loss::Timeout => self.timeouts = self.timeouts.saturating_add(1),
        }
        if self.timeouts >= self.resets_after {
            (self.window, self.decreased) = (self.least, Some(now));
        } else if self.may_decrease(now) {
            self.shrink(now, 1.0 - self.most);
        }
        self.bounded(window.largest)
    }
}

#[cfg(test)]
mod tests;
