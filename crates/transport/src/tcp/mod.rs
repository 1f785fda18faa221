//! What TCPs share.

mod probe;
mod rack;
pub mod receiver;
mod reports;
pub mod rto;
mod scoreboard;
pub mod selective;
pub mod sender;

pub use receiver::TcpReceiver;
pub use selective::SelectiveSender;
pub use sender::TcpSender;

use crate::{Connection, Transport, config};
use fabric::Needs;
use units::{Bytes, Span, Time};

/// A TCP: what all share, and how it answers congestion. It repairs losses as NewReno does.
#[derive(Debug, Clone)]
pub struct Tcp<C> {
    /// What all TCPs share.
    pub config: config::Tcp,
    /// What a connection begins with.
    pub congestion: C,
}

/// A TCP that repairs losses by selective acknowledgements (RFC 2018).
#[derive(Debug, Clone)]
pub struct Selective<C> {
    /// What does not depend on that.
    pub tcp: Tcp<C>,
    /// Finds losses by time (RFC 8985), and not by what was received beyond them (RFC 6675).
    pub rack: bool,
}

/// How a TCP answers acknowledgements, marks and losses.
pub trait Congestion: Copy {
    /// Its frames may be marked.
    const ECN: bool;
    /// It goes by delays: it takes every acknowledgement into account, a loss or a timeout leaves what it says of the window, and a window below a segment
    /// lets one go in more than a round trip. Only with selective acknowledgements.
    const BY_DELAY: bool = false;
    /// What the fabric must offer.
    fn needs(&self) -> Needs;
    /// New data was acknowledged; outside of loss recovery, but for those that go by delays.
    fn on_ack(&mut self, window: &mut Window, news: News);
    /// A loss was found, or the timer went off, with so many bytes in flight: what the window is to fall to, if that is two segments at least. RFC
    /// 5681 (4): half of them. Less than two segments only for those that go by delays.
    fn on_loss(&mut self, _: &Window, flight: u64, _: Loss, _: Time) -> u64 {
        flight / 2
    }
}

/// How a loss showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// By acknowledgements.
    Found,
    /// The timer went off.
    Timeout,
}

/// What an acknowledgement says.
#[derive(Debug, Clone, Copy)]
pub struct News {
    /// Bytes that it acknowledges for the first time, selectively or not.
    pub acked: u64,
    /// First byte that is not acknowledged.
    pub una: u64,
    /// First byte that was never sent.
    pub sent: u64,
    /// It echoes a mark.
    pub echo: bool,
    /// Bytes in flight when it came.
    pub flight: u64,
    /// When it came.
    pub now: Time,
    /// The smoothed round-trip time.
    pub round_trip: Span,
    /// The time from sending what it answers until it came.
    pub delay: Span,
}

/// A congestion window, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// cwnd.
    pub size: u64,
    /// ssthresh.
    pub threshold: u64,
    /// SMSS: the largest segment's payload.
    pub segment: u32,
    /// Bytes acknowledged in congestion avoidance since the window last grew.
    pub avoided: u64,
    /// The receiver's window.
    pub largest: u64,
}

impl Window {
    /// Of a connection that begins, with segments of so many bytes of payload.
    fn new(config: &config::Tcp, segment: u32) -> Window {
        let largest = config.max_window.get().max(u64::from(segment));
        let size = (u64::from(config.initial_window) * u64::from(segment)).min(largest);
        Window { size, threshold: u64::MAX, segment, avoided: 0, largest }
    }

    /// Slow start and congestion avoidance by bytes acknowledged (RFC 5681 §3.1), as long as the window is what holds the
    /// sender back (RFC 7661 §4.3: a window that is not used says nothing of the path).
    #[inline]
    pub fn grow(&mut self, acked: u64, flight: u64) {
        let segment = u64::from(self.segment);
        if self.size < self.threshold {
            if 2 * flight >= self.size {
                self.size += acked.min(segment);
            }
        } else if flight + segment >= self.size {
            self.avoided += acked;
            if self.avoided >= self.size {
                self.avoided -= self.size;
                self.size += segment;
            }
        }
        self.size = self.size.min(self.largest);
    }
}

impl<C: Congestion> Transport for Tcp<C> {
    type Sender = TcpSender<C>;
    type Receiver = TcpReceiver;

    fn needs(&self) -> Needs {
        self.congestion.needs()
    }
    fn header(&self) -> Bytes {
        self.config.header
    }
    fn open(&self, connection: &Connection) -> (TcpSender<C>, TcpReceiver) {
        (
            TcpSender::new(connection, &self.config, self.congestion),
            TcpReceiver::new(connection, &self.config, C::ECN, false),
        )
    }
}

impl<C: Congestion> Transport for Selective<C> {
    type Sender = SelectiveSender<C>;
    type Receiver = TcpReceiver;

    fn needs(&self) -> Needs {
        self.tcp.needs()
    }
    fn header(&self) -> Bytes {
        self.tcp.header()
    }
    fn open(&self, connection: &Connection) -> (SelectiveSender<C>, TcpReceiver) {
        let Selective { tcp: Tcp { config, congestion }, rack } = self;
        let sender = SelectiveSender::new(connection, config, *congestion, *rack);
        (sender, TcpReceiver::new(connection, config, C::ECN, true))
    }
}

#[cfg(test)]
mod tests;
