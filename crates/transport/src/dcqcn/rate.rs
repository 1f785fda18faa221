//! The reaction point (§3.1): at which rate a flow may send. No IO, and no timers either: what happens at times that are known beforehand is made up for
//! when somebody asks.

use crate::config::Dcqcn;
use units::{Bytes, Rate, Span, Time};

/// Rates are whole bits a second; means are rounded up, so that the current rate reaches its target in the end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateControl {
    rules: Rules,
    /// R_C.
    current: u64,
    /// R_T: the rate before the last cut, and what was added since.
    target: u64,
    /// How far a rate is cut, twice: near 1 if every interval has brought a notification, near 0 if none has for long.
    alpha: f64,
    /// The last notification.
    notified: Time,
    /// When the rate grows next because time passes, if the flow is limited.
    timer: Time,
    /// How often it has grown so since the last notification.
    times: u32,
    /// How often because bytes went, and those that went since.
    fills: u32,
    bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Rules {
    line: u64,
    least: u64,
    gain: f64,
    alpha_timer: Span,
    rate_timer: Span,
    byte_counter: u64,
    fast_recovery: u32,
    additive: u64,
    hyper: u64,
}

/// Bits times 10^12: what a rate carries in a picosecond is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load(u128);

/// Picoseconds in a second.
const SECOND: u64 = 1_000_000_000_000;

impl RateControl {
    /// A flow that may send at `line`, the rate of its host's link: there is no slow start (§3.1).
    pub fn new(config: &Dcqcn, line: Rate) -> RateControl {
        let line = line.as_bps().max(1);
        let rules = Rules {
            line,
            least: config.min_rate.as_bps().clamp(1, line),
            gain: config.gain,
            alpha_timer: config.alpha_timer,
            rate_timer: config.rate_timer,
            byte_counter: config.byte_counter.get(),
            fast_recovery: config.fast_recovery,
            additive: config.additive_increase.as_bps(),
            hyper: config.hyper_increase.as_bps(),
        };
        RateControl {
            rules,
            current: line,
            target: line,
            alpha: 1.0,
            notified: Time::ZERO,
            timer: Time::MAX,
            times: 0,
            fills: 0,
            bytes: 0,
        }
    }

    /// The current rate, as of the last call with a time.
    pub fn rate(&self) -> Rate {
        Rate::from_bps(self.current)
    }

    /// The target rate, likewise.
    pub fn target(&self) -> Rate {
        Rate::from_bps(self.target)
    }

    /// How far the next notification cuts the rate, twice.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Whether the flow may send as fast as its link does.
    #[inline]
    pub fn is_unlimited(&self) -> bool {
        self.current == self.rules.line
    }

    /// A notification has come. Equation 1: the target is the current rate, which is cut, and alpha rises. Counters and timers begin anew.
    pub fn notify(&mut self, now: Time) {
        self.advance(now);
        // Equation 2, for each time that the timer has gone off since the last notification.
        let rested = now.since(self.notified).as_ps() / self.rules.alpha_timer.as_ps().max(1);
        self.alpha *= power(1.0 - self.rules.gain, rested);
        self.target = self.current;
        let cut = self.current as f64 * (1.0 - self.alpha / 2.0);
        self.current = (cut as u64).max(self.rules.least);
        self.alpha = (1.0 - self.rules.gain) * self.alpha + self.rules.gain;
        (self.notified, self.timer) = (now, now + self.rules.rate_timer);
        (self.times, self.fills, self.bytes) = (0, 0, 0);
    }

    /// It is `now`.
    #[inline]
    pub fn advance(&mut self, now: Time) {
        while self.timer <= now {
            self.grow_by_time();
        }
    }

    /// A packet of so many bytes goes.
    #[inline]
    pub fn send(&mut self, bytes: u32) {
        if self.is_unlimited() {
            return;
        }
        self.bytes += u64::from(bytes);
        while self.bytes >= self.rules.byte_counter && !self.is_unlimited() {
            self.bytes -= self.rules.byte_counter;
            self.increase();
            self.fills = self.fills.saturating_add(1);
        }
    }

    /// When a packet of so many bytes that begins `now` has gone, at the rates that the flow will have if no notification comes.
    #[inline]
    pub fn end_of(&self, now: Time, bytes: u32) -> Time {
        if self.is_unlimited() {
            return now;
        }
        let end = now + span(u64::from(bytes) * 8, self.current);
        if end <= self.timer { end } else { self.end_over_increases(now, bytes) }
    }

    /// As [`RateControl::end_of`], where the rate grows meanwhile.
    fn end_over_increases(self, now: Time, bytes: u32) -> Time {
        self.end_of_load(now, Load(u128::from(bytes) * 8 * u128::from(SECOND)))
    }

    /// What the flow carries from `now` to `end` if no notification comes.
    pub fn carried(mut self, now: Time, end: Time) -> Load {
        let (mut at, mut carried) = (now, 0);
        while self.timer < end {
            carried += u128::from(self.timer.since(at).as_ps()) * u128::from(self.current);
            at = self.timer;
            self.grow_by_time();
        }
        Load(carried + u128::from(end.since(at).as_ps()) * u128::from(self.current))
    }

    /// When so much that begins `now` has gone, if no notification comes.
    pub fn end_of_load(mut self, now: Time, Load(mut left): Load) -> Time {
        let mut at = now;
        loop {
            let rate = u128::from(self.current);
            let carried = u128::from(self.timer.since(at).as_ps()) * rate;
            if left <= carried {
                return at + Span::from_ps(left.div_ceil(rate) as u64);
            }
            left -= carried;
            at = self.timer;
            self.grow_by_time();
        }
    }

    /// The timer goes off.
    fn grow_by_time(&mut self) {
        self.increase();
        self.times = self.times.saturating_add(1);
        self.timer = if self.is_unlimited() { Time::MAX } else { self.timer + self.rules.rate_timer };
    }

    /// One more step up (equations 3 and 4, Fig. 7): halfway to the target; after `fast_recovery` steps by the timer or by bytes the target grows
    /// itself, and after as many by both it grows fast.
    fn increase(&mut self) {
        let (most, least) = (self.times.max(self.fills), self.times.min(self.fills));
        if most >= self.rules.fast_recovery {
            let step = if least > self.rules.fast_recovery { self.rules.hyper } else { self.rules.additive };
            self.target = (self.target + step).min(self.rules.line);
        }
        self.current = (self.target + self.current).div_ceil(2);
    }
}

/// Time for so many bits at so many a second, rounded up.
#[inline]
fn span(bits: u64, rate: u64) -> Span {
    match bits.checked_mul(SECOND) {
        Some(scaled) => Span::from_ps(scaled.div_ceil(rate)),
        None => Rate::from_bps(rate).time_for(Bytes::new(bits.div_ceil(8))),
    }
}

/// By multiplication alone, which is the same on all platforms.
fn power(mut base: f64, mut exponent: u64) -> f64 {
    let mut product = 1.0;
    while exponent > 0 {
        if exponent & 1 == 1 {
            product *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    product
}

#[cfg(test)]
mod tests;
