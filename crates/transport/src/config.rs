//! What a person can say of a transport.

use crate::Transport;
use crate::newreno::NewReno;
use fabric::Needs;
use units::{Bytes, Span};

/// A transport and its parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum Config {
    /// TCP NewReno: RFC 5681, 6582, 6298.
    NewReno(Tcp),
    /// Data Center TCP: RFC 8257.
    Dctcp(Dctcp),
    /// No transport: every message goes to the fabric at once, and what is lost stays lost.
    Direct(Direct),
}

impl Config {
    /// Its name, as experiment files and results have it.
    pub fn name(&self) -> &'static str {
        match self {
            Config::NewReno(_) => "newreno",
            Config::Dctcp(_) => "dctcp",
            Config::Direct(_) => "direct",
        }
    }

    /// What it needs of its fabric.
    pub fn needs(&self) -> Needs {
        match self {
            Config::NewReno(tcp) => NewReno::new(tcp.clone()).needs(),
            Config::Dctcp(dctcp) => crate::dctcp::Dctcp::new(dctcp.clone()).needs(),
            Config::Direct(direct) => direct.needs(),
        }
    }
}

/// What all TCPs share.
#[derive(Debug, Clone, PartialEq)]
pub struct Tcp {
    /// Full segments that may be sent before the first acknowledgement (RFC 6928: 10).
    pub initial_window: u32,
    /// Largest window, as a receiver's buffer would bound it.
    pub max_window: Bytes,
    /// Shortest retransmission timeout. RFC 6298 says 1 s, Linux has 200 ms, data centres go lower.
    pub min_rto: Span,
    /// Timeout before the first round-trip time is known (RFC 6298: 1 s).
    pub initial_rto: Span,
    /// Segments that one acknowledgement may cover: 1 acknowledges each, 2 is delayed ACK (RFC 5681 §4.2).
    pub ack_every: u32,
    /// A delayed acknowledgement goes out after this at the latest.
    pub ack_delay: Span,
    /// TCP and IP header of a segment, within the MTU; an acknowledgement is only that (20 + 20 B).
    pub header: Bytes,
}

/// DCTCP.
#[derive(Debug, Clone, PartialEq)]
pub struct Dctcp {
    /// What it shares with every TCP.
    pub tcp: Tcp,
    /// Weight of the newest round in the estimate of the marked fraction (RFC 8257 §3.3: 1/16).
    pub gain: f64,
}

/// No transport.
#[derive(Debug, Clone, PartialEq)]
pub struct Direct {
    /// Header of a packet, within the MTU.
    pub header: Bytes,
}
