//! What a person can say of a transport.

use crate::any::{AnyReceiver, AnySender};
use crate::{Connection, Transport, dctcp, newreno};
use fabric::Needs;
use units::{Bytes, Span};

/// A transport and its parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum Config {
    /// TCP NewReno: RFC 5681, 6582, 6298.
    NewReno(Tcp),
    /// Data Center TCP: RFC 8257.
    Dctcp(Dctcp),
    /// NDP: Handley et al., SIGCOMM 2017.
    Ndp(Ndp),
    /// No transport: every message goes to the fabric at once, and what is lost stays lost.
    Direct(Direct),
}

impl Config {
    /// Its name, as experiment files and results have it.
    pub fn name(&self) -> &'static str {
        match self {
            Config::NewReno(_) => "newreno",
            Config::Dctcp(_) => "dctcp",
            Config::Ndp(_) => "ndp",
            Config::Direct(_) => "direct",
        }
    }

    /// The most that a connection may have in flight; `None` if nothing bounds it.
    pub fn max_window(&self) -> Option<Bytes> {
        match self {
            Config::NewReno(tcp) => Some(tcp.max_window),
            Config::Dctcp(dctcp) => Some(dctcp.tcp.max_window),
            // Receivers let come what their links carry.
            Config::Ndp(_) | Config::Direct(_) => None,
        }
    }

    /// How long a connection of which everything was dropped waits until it is sent again for the second time; `None` if it never is.
    pub fn patience(&self) -> Option<Span> {
        let of_tcp = |tcp: &Tcp| tcp.initial_rto.max(tcp.min_rto).saturating_mul(3);
        match self {
            Config::NewReno(tcp) => Some(of_tcp(tcp)),
            Config::Dctcp(dctcp) => Some(of_tcp(&dctcp.tcp)),
            Config::Ndp(ndp) => Some(ndp.timeout.saturating_mul(2)),
            Config::Direct(_) => None,
        }
    }

    /// Acknowledgements for each data packet when nothing is lost.
    pub fn acks_per_packet(&self) -> f64 {
        match self {
            Config::NewReno(tcp) => 1.0 / f64::from(tcp.ack_every),
            Config::Dctcp(dctcp) => 1.0 / f64::from(dctcp.tcp.ack_every),
            // And pulls.
            Config::Ndp(_) => 2.0,
            Config::Direct(_) => 0.0,
        }
    }
}

impl Transport for Config {
    type Sender = AnySender;
    type Receiver = AnyReceiver;

    fn needs(&self) -> Needs {
        match self {
            Config::NewReno(tcp) => newreno::NewReno::new(tcp.clone()).needs(),
            Config::Dctcp(dctcp) => dctcp::Dctcp::new(dctcp.clone()).needs(),
            Config::Ndp(ndp) => ndp.needs(),
            Config::Direct(direct) => direct.needs(),
        }
    }

    fn header(&self) -> Bytes {
        match self {
            Config::NewReno(tcp) => tcp.header,
            Config::Dctcp(dctcp) => dctcp.tcp.header,
            Config::Ndp(ndp) => ndp.header,
            Config::Direct(direct) => direct.header,
        }
    }

    fn open(&self, connection: &Connection) -> (AnySender, AnyReceiver) {
        match self {
            Config::NewReno(tcp) => {
                let (sender, receiver) = newreno::NewReno::new(tcp.clone()).open(connection);
                (AnySender::NewReno(sender), AnyReceiver::Tcp(receiver))
            }
            Config::Dctcp(dctcp) => {
                let (sender, receiver) = dctcp::Dctcp::new(dctcp.clone()).open(connection);
                (AnySender::Dctcp(sender), AnyReceiver::Tcp(receiver))
            }
            Config::Ndp(ndp) => {
                let (sender, receiver) = ndp.open(connection);
                (AnySender::Ndp(Box::new(sender)), AnyReceiver::Ndp(receiver))
            }
            Config::Direct(direct) => {
                let (sender, receiver) = direct.open(connection);
                (AnySender::Direct(sender), AnyReceiver::Direct(receiver))
            }
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

/// NDP.
#[derive(Debug, Clone, PartialEq)]
pub struct Ndp {
    /// Packets that a sender pushes before the first pull.
    pub initial_window: u32,
    /// After this a packet of which nothing was heard counts as lost. Where frames are trimmed and not dropped, nothing but a failure is.
    pub timeout: Span,
    /// Header of a packet, within the MTU.
    pub header: Bytes,
    /// Length of an acknowledgement, a refusal or a pull.
    pub control: Bytes,
    /// When a sender leaves out a path; `None`: never.
    pub scoreboard: Option<Scoreboard>,
    /// A host sends pulls of connections with the least number first; those with equal ones take turns.
    pub pull_priority: u8,
}

/// When a sender of NDP leaves out a path for a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scoreboard {
    /// A path is judged once so many packets on it were heard of, and by about as many that were last.
    pub samples: u32,
    /// How many times the trimmed packets to each delivered one on all paths it must have, or of its share of all that were lost.
    pub outlier: f64,
    /// Fewer trimmed packets to each delivered one are no reason.
    pub trimmed: f64,
    /// For how many rounds over all other paths it is left out; for twice as many each time that it proves bad again.
    pub rounds: u32,
}

impl Default for Scoreboard {
    /// As in the simulator of NDP's authors (csg-htsim, `NdpSrc::count_feedback`); the rounds are our choice.
    fn default() -> Scoreboard {
        Scoreboard { samples: 100, outlier: 1.25, trimmed: 0.3, rounds: 100 }
    }
}

/// No transport.
#[derive(Debug, Clone, PartialEq)]
pub struct Direct {
    /// Header of a packet, within the MTU.
    pub header: Bytes,
}
