//! MPTCP: a message over several TCPs at once, each of which takes a path of its own.
//!
//! Raiciu et al., "Improving datacenter performance and robustness with multipath TCP" (SIGCOMM 2011): eight subflows, which ECMP puts on as many
//! paths, with the increase of Wischik et al., "Design, implementation and evaluation of congestion control for multipath TCP" (NSDI 2011), as in
//! RFC 6356. Subflows are NewReno's, with sequence numbers of their own; the message's are beside them in every frame (RFC 8684 §3.3.1). Subflows
//! are there from the start: as no TCP here has a handshake, none has the one that joins it.

mod receiver;
mod sender;
#[cfg(test)]
mod tests;

pub use receiver::MptcpReceiver;
pub use sender::MptcpSender;

use crate::config::Mptcp;
use crate::tcp::{Congestion, News, Window};
use crate::{Connection, Transport};
use fabric::Needs;
use units::{Bytes, Span};

/// The linked increase of RFC 6356 §3 for one subflow.
#[derive(Debug, Clone, Copy, Default)]
pub struct Linked {
    /// alpha / cwnd_total, in 1 / B: set before each acknowledgement, as it depends on all subflows.
    coupling: f64,
    /// What the window is still to grow by, below a byte.
    credit: f64,
}

impl Congestion for Linked {
    const ECN: bool = false;

    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// In slow start as any TCP. In congestion avoidance by what all subflows together may take, and by no more than a TCP alone would.
    fn on_ack(&mut self, window: &mut Window, news: News) {
        if window.size < window.threshold {
            return window.grow(news.acked, news.flight);
        }
        let segment = u64::from(window.segment);
        if news.flight + segment < window.size {
            return; // as in Window::grow: a window that is not used says nothing of the path
        }
        self.credit += news.acked as f64 * segment as f64 * self.coupling.min(1.0 / window.size as f64);
        let whole = self.credit as u64;
        self.credit -= whole as f64;
        window.size = (window.size + whole).min(window.largest);
    }
}

/// A subflow as the others see it.
#[derive(Debug, Clone, Copy)]
struct Share {
    /// Its window over its round-trip time, in B/s.
    rate: f64,
    /// That over its round-trip time again.
    growth: f64,
}

impl Share {
    /// One that was never acknowledged anything.
    const NONE: Share = Share { rate: 0.0, growth: 0.0 };

    /// Of a subflow with this congestion window in bytes, without what recovery adds to it, and this smoothed round-trip time, if there is one.
    fn new(window: u64, round_trip: Span) -> Share {
        if round_trip == Span::ZERO {
            return Share::NONE;
        }
        let round_trip = round_trip.as_secs_f64();
        let rate = window as f64 / round_trip;
        Share { rate, growth: rate / round_trip }
    }
}

/// alpha / cwnd_total: max (w / r^2) / (sum w / r)^2, for windows w and round-trip times r of subflows (RFC 6356 §3).
fn coupling(shares: impl Iterator<Item = Share>) -> f64 {
    let mut best = 0.0_f64;
    let mut sum = 0.0;
    for Share { rate, growth } in shares {
        best = best.max(growth);
        sum += rate;
    }
    if sum > 0.0 { best / (sum * sum) } else { f64::INFINITY }
}

/// The places of the bits that are set, in order.
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(place)
    })
}

/// What switches hash of a subflow: that of the connection for the first one.
fn entropy(connection: &Connection, subflow: u32) -> u32 {
    connection.entropy.wrapping_add(subflow.wrapping_mul(0x9e37_79b9))
}

impl Transport for Mptcp {
    type Sender = MptcpSender;
    type Receiver = MptcpReceiver;

    fn needs(&self) -> Needs {
        Needs::default()
    }
    fn header(&self) -> Bytes {
        self.tcp.header
    }
    fn open(&self, connection: &Connection) -> (MptcpSender, MptcpReceiver) {
        (MptcpSender::new(connection, self), MptcpReceiver::new(connection, self))
    }
}
