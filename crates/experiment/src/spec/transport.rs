//! `[transport]`: what the hosts do to share the fabric. The next transport is one more kind here.

use ::transport::config::Scoreboard;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{BufferText, LastingText, PacketText, SizeText};
use units::{Bytes, Span};

/// The kinds of transports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(extend("x-default-kind" = "newreno"))]
pub enum TransportSpec {
    /// TCP NewReno: halves its window at a loss (RFC 5681, 6582, 6298).
    #[serde(rename = "newreno")]
    NewReno(TcpSpec),
    /// Data Center TCP: shrinks its window by the fraction of marked packets (RFC 8257). Needs `fabric.ecn_threshold`.
    Dctcp(DctcpSpec),
    /// NDP (Handley et al., SIGCOMM 2017): a sender pushes its first window over all paths, full queues trim packets to headers, and receivers pull
    /// the rest at the rate of their links. Needs `fabric.trimming`.
    Ndp(NdpSpec),
    /// No transport: every message goes to the fabric at once, and what is lost stays lost. For fabrics with their own
    /// control; and an ideal source over others, if `fabric.queue` is long enough that nothing is dropped.
    Direct(DirectSpec),
}

/// What all TCPs share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TcpSpec {
    /// Full segments that may be sent before the first acknowledgement (RFC 6928: 10).
    #[schemars(range(min = 1, max = 1_000_000))]
    pub initial_window: u32,
    /// The largest window, as a receiver's buffer would bound it.
    #[schemars(with = "BufferText")]
    pub max_window: Bytes,
    /// The shortest retransmission timeout. RFC 6298 says 1 s, Linux has 200 ms, DCTCP's paper 10 ms: hundreds of times a data
    /// centre's round trip. Vasudevan et al. (SIGCOMM 2009) found that timeouts may safely be as short as the measured round
    /// trips make them; 1 ms keeps clear of delays inside hosts, which are not modelled.
    #[schemars(with = "LastingText")]
    pub min_rto: Span,
    /// The timeout before the first round-trip time is known (RFC 6298: 1 s). Real hosts measure one in the handshake, which is
    /// not modelled, and begin with a timeout of about `min_rto`.
    #[schemars(with = "LastingText")]
    pub initial_rto: Span,
    /// Segments that one acknowledgement may cover: 1 acknowledges each, 2 is delayed ACK (RFC 5681 §4.2).
    #[schemars(range(min = 1, max = 1000))]
    pub ack_every: u32,
    /// A delayed acknowledgement goes out after this at the latest.
    #[schemars(with = "LastingText")]
    pub ack_delay: Span,
    /// TCP and IP header of a segment, within the MTU; an acknowledgement is only that (20 B + 20 B).
    #[schemars(with = "PacketText")]
    pub header: Bytes,
}

/// DCTCP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DctcpSpec {
    /// What it shares with every TCP.
    #[serde(flatten)]
    pub tcp: TcpSpec,
    /// Weight of the newest round in the estimate of the marked fraction (RFC 8257 §3.3: 1/16).
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub gain: f64,
}

/// NDP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NdpSpec {
    /// Packets that a sender pushes before the first pull.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub initial_window: u32,
    /// After this a packet of which nothing was heard counts as lost. Packets are trimmed and not dropped, so that only what fails or a lost
    /// header makes it go off.
    #[schemars(with = "LastingText")]
    pub timeout: Span,
    /// Header of a packet, within the MTU.
    #[schemars(with = "PacketText")]
    pub header: Bytes,
    /// Length of an acknowledgement, a refusal or a pull.
    #[schemars(with = "PacketText")]
    pub control: Bytes,
    /// Once a sender has heard of so many of its packets on a path, it judges the path, by about as many that were last: one that is slower than
    /// others, or loses packets, is left out for a time (§3.2 of the paper, which has no numbers; 100 is csg-htsim's, of the same
    /// authors). 0: no path is ever left out.
    #[schemars(range(max = 1_000_000))]
    pub path_samples: u32,
    /// A path is left out if it has more trimmed packets for each delivered one than this many times what all of the connection's paths have
    /// together (csg-htsim's 1.25); or if of packets of which nothing is heard it has more than this many times its share, and three at least.
    #[schemars(range(min = 1.0, max = 1e6))]
    pub path_outlier: f64,
    /// With fewer trimmed packets than this for each delivered one a path is not left out (csg-htsim's 0.3).
    #[schemars(range(min = 0.0, max = 1e6))]
    pub path_trimmed: f64,
    /// For how many rounds over all other paths a path is left out. After that it is tried with ten packets, and left out for twice as long if it is no
    /// better, up to 64 times as long. Our choice.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub path_rounds: u32,
    /// A host pulls connections with the lowest number first, and others only when none of those wants a pull; with equal ones, they take turns. For
    /// messages that are to come before others to the same host, in a `transport` of their workload.
    #[schemars(range(max = 7))]
    pub pull_priority: u8,
}

/// No transport.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DirectSpec {
    /// Header of a packet, within the MTU.
    #[schemars(with = "SizeText")]
    pub header: Bytes,
}

impl Default for TransportSpec {
    fn default() -> TransportSpec {
        TransportSpec::NewReno(TcpSpec::default())
    }
}
impl Default for TcpSpec {
    fn default() -> TcpSpec {
        TcpSpec {
            initial_window: 10,
            max_window: Bytes::new(4_000_000),
            min_rto: Span::from_ms(1),
            initial_rto: Span::from_ms(1),
            ack_every: 1,
            ack_delay: Span::from_us(500),
            header: Bytes::new(40),
        }
    }
}
impl Default for DctcpSpec {
    fn default() -> DctcpSpec {
        DctcpSpec { tcp: TcpSpec::default(), gain: 1.0 / 16.0 }
    }
}
impl Default for NdpSpec {
    fn default() -> NdpSpec {
        let Scoreboard { samples, outlier, trimmed, rounds } = Scoreboard::default();
        NdpSpec {
            initial_window: 30,
            timeout: Span::from_ms(1),
            header: Bytes::new(40),
            control: Bytes::new(64),
            path_samples: samples,
            path_outlier: outlier,
            path_trimmed: trimmed,
            path_rounds: rounds,
            pull_priority: 0,
        }
    }
}
impl Default for DirectSpec {
    fn default() -> DirectSpec {
        DirectSpec { header: Bytes::new(40) }
    }
}
