//! TCP NewReno's congestion control: slow start, congestion avoidance (RFC 5681 §3.1). Its loss recovery is
//! [`crate::tcp::sender`]'s.

use crate::config;
use crate::tcp::{Congestion, News, Tcp, Window};
use fabric::Needs;

/// TCP NewReno.
pub type NewReno = Tcp<Reno>;

impl NewReno {
    /// NewReno with these parameters.
    pub fn new(config: config::Tcp) -> NewReno {
        Tcp { config, congestion: Reno }
    }
}

/// Grows as RFC 5681 says; takes no notice of marks.
#[derive(Debug, Clone, Copy)]
pub struct Reno;

impl Congestion for Reno {
    const ECN: bool = false;

    fn needs(&self) -> Needs {
        Needs::default()
    }
    fn on_ack(&mut self, window: &mut Window, news: News) {
        window.grow(news.acked, news.flight);
    }
}
