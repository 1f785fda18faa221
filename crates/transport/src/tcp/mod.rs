//! What TCPs share.

pub mod receiver;
pub mod rto;
pub mod sender;

pub use receiver::TcpReceiver;
pub use sender::TcpSender;

use crate::{Connection, Transport, config};
use fabric::Needs;
use units::Bytes;

/// A TCP: what all share, and how it answers congestion.
#[derive(Debug, Clone)]
pub struct Tcp<C> {
    /// What all TCPs share.
    pub config: config::Tcp,
    /// What a connection begins with.
    pub congestion: C,
}

/// How a TCP answers acknowledgements, marks and losses.
pub trait Congestion: Copy {
    /// Its frames may be marked.
    const ECN: bool;
    /// What the fabric must offer.
    fn needs(&self) -> Needs;
    /// New data was acknowledged, outside of loss recovery.
    fn on_ack(&mut self, window: &mut Window, news: News);
    /// A loss was found; the window has been set as RFC 5681 says.
    fn on_loss(&mut self, window: &mut Window);
}

/// What an acknowledgement says.
#[derive(Debug, Clone, Copy)]
pub struct News {
    /// Bytes that it acknowledges for the first time.
    pub acked: u64,
    /// First byte that is not acknowledged.
    pub una: u64,
    /// First byte that was never sent.
    pub sent: u64,
    /// It echoes a mark.
    pub echo: bool,
    /// Bytes in flight when it came.
    pub flight: u64,
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
        (TcpSender::new(connection, &self.config, self.congestion), TcpReceiver::new(connection, &self.config, C::ECN))
    }
}

#[cfg(test)]
mod tests;
