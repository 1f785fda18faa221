//! `[transport]`: what a person can say of a transport.

use crate::any::{AnyReceiver, AnySender};
use crate::tcp::{self, Congestion, Selective, SelectiveSender, TcpSender};
use crate::{Connection, Transport, cubic, dctcp, newreno, swift};
use fabric::Needs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{BufferText, LastingText, PacketText, RateText, SizeText, VolumeText};
use units::{Bytes, Rate, Span};

/// The kinds of transports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(extend("x-default-kind" = "newreno"))]
pub enum Config {
    /// TCP NewReno: halves its window at a loss (RFC 5681, 6582, 6298).
    #[serde(rename = "newreno")]
    NewReno(Tcp),
    /// Data Center TCP: shrinks its window by the fraction of marked packets (RFC 8257). Needs `fabric.ecn_threshold`.
    Dctcp(Dctcp),
    /// TCP with CUBIC, which is what Linux, Windows and macOS run by default: after a loss the window comes back as a cubic function of time (RFC
    /// 9438).
    Cubic(Cubic),
    /// Swift (Kumar et al., SIGCOMM 2020): a window that grows until the delay reaches its target, and shrinks by what it is above, below a packet too. Losses are
    /// found by selective acknowledgements.
    Swift(Swift),
    /// Multipath TCP (Raiciu et al., SIGCOMM 2011): a message goes over several NewReno subflows at once, which ECMP puts on different paths, and whose
    /// windows grow together as one TCP's would (RFC 6356).
    Mptcp(Mptcp),
    /// NDP (Handley et al., SIGCOMM 2017): a sender pushes its first window over all paths, full queues trim packets to headers, and receivers pull
    /// the rest at the rate of their links. Needs `fabric.trimming`.
    Ndp(Ndp),
    /// EQDS (Olteanu et al., NSDI 2022): packets wait at their sender until its receiver gives credit for them, at the rate of its link; only a first window goes
    /// without, over all paths. Needs `fabric.trimming`, but with `backend = "rts"`.
    Eqds(Eqds),
    /// DCQCN (Zhu et al., SIGCOMM 2015) over RoCEv2's reliable connections: receivers notify senders of marks, and senders cut their rates and raise them again.
    /// Nothing limits what is in flight, so that it wants a fabric that pauses (`fabric.pfc`). Needs `fabric.red`, or `fabric.ecn_threshold`.
    Dcqcn(Dcqcn),
    /// pFabric (Alizadeh et al., SIGCOMM 2013): senders begin at the rate of their links, and switches send the message of which least remains first and drop the
    /// packets of the one of which most remains. Hosts order their messages in the same way. Needs `fabric.pfabric`.
    Pfabric(Pfabric),
    /// No transport: every message goes to the fabric at once, and what is lost stays lost. For fabrics with their own
    /// control; and an ideal source over others, if `fabric.queue` is long enough that nothing is dropped.
    Direct(Direct),
}

impl Config {
    /// Length of a packet that carries no data, of transports that say how long theirs are.
    pub fn control(&self) -> Option<Bytes> {
        match self {
            Config::Ndp(ndp) => Some(ndp.control),
            Config::Eqds(eqds) => Some(eqds.control),
            Config::Dcqcn(dcqcn) => Some(dcqcn.control),
            Config::NewReno(_)
            | Config::Dctcp(_)
            | Config::Cubic(_)
            | Config::Swift(_)
            | Config::Mptcp(_)
            | Config::Pfabric(_)
            | Config::Direct(_) => None,
        }
    }

    /// How many subflows a connection has beside itself.
    pub fn subflows(&self) -> u8 {
        if let Config::Mptcp(mptcp) = self { mptcp.subflows } else { 0 }
    }

    /// Its name, as experiment files and results have it.
    pub fn name(&self) -> &'static str {
        match self {
            Config::NewReno(_) => "newreno",
            Config::Dctcp(_) => "dctcp",
            Config::Cubic(_) => "cubic",
            Config::Swift(_) => "swift",
            Config::Mptcp(_) => "mptcp",
            Config::Ndp(_) => "ndp",
            Config::Eqds(_) => "eqds",
            Config::Dcqcn(_) => "dcqcn",
            Config::Pfabric(_) => "pfabric",
            Config::Direct(_) => "direct",
        }
    }

    /// The most that a connection may have in flight; `None` if nothing bounds it.
    pub fn max_window(&self) -> Option<Bytes> {
        match self {
            Config::NewReno(tcp) => Some(tcp.max_window),
            Config::Dctcp(dctcp) => Some(dctcp.tcp.max_window),
            Config::Cubic(cubic) => Some(cubic.tcp.max_window),
            Config::Swift(swift) => Some(swift.tcp.max_window),
            Config::Mptcp(mptcp) => Some(mptcp.tcp.max_window),
            // Receivers let come what their links carry.
            Config::Ndp(_) | Config::Eqds(_) | Config::Direct(_) => None,
            // Rates are limited, and nothing else (DCQCN §3).
            Config::Dcqcn(_) => None,
            // Of packets, however long they are.
            Config::Pfabric(_) => None,
        }
    }

    /// How long a connection of which everything was dropped waits until it is sent again for the second time; `None` if it never is.
    pub fn patience(&self) -> Option<Span> {
        let of_tcp = |tcp: &Tcp| tcp.initial_rto.max(tcp.min_rto).saturating_mul(3);
        match self {
            Config::NewReno(tcp) => Some(of_tcp(tcp)),
            Config::Dctcp(dctcp) => Some(of_tcp(&dctcp.tcp)),
            Config::Cubic(cubic) => Some(of_tcp(&cubic.tcp)),
            Config::Swift(swift) => Some(of_tcp(&swift.tcp)),
            Config::Mptcp(mptcp) => Some(of_tcp(&mptcp.tcp)),
            Config::Ndp(ndp) => Some(ndp.timeout.saturating_mul(2)),
            Config::Eqds(eqds) => Some(eqds.timeout.saturating_mul(2)),
            Config::Dcqcn(dcqcn) => Some(dcqcn.timeout.saturating_mul(2)),
            Config::Pfabric(pfabric) => Some(pfabric.timeout.saturating_mul(2)),
            Config::Direct(_) => None,
        }
    }

    /// How often a connection has sent again what is answered after this long: at all only if its timeout is shorter. TCP's and EQDS's timeouts double each time.
    pub fn repeats(&self, answered: Span) -> u64 {
        let times = |timeout: Span| answered.as_ps() / timeout.as_ps().max(1);
        let doubling = |timeout: Span| times(timeout).saturating_add(1).ilog2().into();
        let of_tcp = |tcp: &Tcp| doubling(tcp.initial_rto.max(tcp.min_rto));
        match self {
            Config::NewReno(tcp) => of_tcp(tcp),
            Config::Dctcp(dctcp) => of_tcp(&dctcp.tcp),
            Config::Cubic(cubic) => of_tcp(&cubic.tcp),
            Config::Swift(swift) => of_tcp(&swift.tcp),
            Config::Mptcp(mptcp) => of_tcp(&mptcp.tcp),
            Config::Eqds(eqds) => doubling(eqds.timeout),
            Config::Ndp(ndp) => times(ndp.timeout),
            Config::Dcqcn(dcqcn) => times(dcqcn.timeout),
            Config::Pfabric(pfabric) => times(pfabric.timeout),
            Config::Direct(_) => 0,
        }
    }

    /// Whether a sender sends a message over several paths, though the fabric would let all of it take one.
    pub fn spreads(&self) -> bool {
        match self {
            Config::Mptcp(_) | Config::Ndp(_) | Config::Eqds(_) => true,
            Config::NewReno(_)
            | Config::Dctcp(_)
            | Config::Cubic(_)
            | Config::Swift(_)
            | Config::Dcqcn(_)
            | Config::Pfabric(_)
            | Config::Direct(_) => false,
        }
    }

    /// Whether a host paces what its receiving ends ask for ([`crate::puller`]).
    pub fn pulls(&self) -> bool {
        match self {
            Config::Ndp(_) | Config::Eqds(_) => true,
            Config::NewReno(_)
            | Config::Dctcp(_)
            | Config::Cubic(_)
            | Config::Swift(_)
            | Config::Mptcp(_)
            | Config::Dcqcn(_)
            | Config::Pfabric(_)
            | Config::Direct(_) => false,
        }
    }

    /// Whether a connection is to know how long its path is ([`Connection::hops`]).
    pub fn knows_path(&self) -> bool {
        matches!(self, Config::Swift(_))
    }

    /// Acknowledgements for each data packet when nothing is lost.
    pub fn acks_per_packet(&self) -> f64 {
        match self {
            Config::NewReno(tcp) => 1.0 / f64::from(tcp.ack_every),
            Config::Dctcp(dctcp) => 1.0 / f64::from(dctcp.tcp.ack_every),
            Config::Cubic(cubic) => 1.0 / f64::from(cubic.tcp.ack_every),
            Config::Swift(swift) => 1.0 / f64::from(swift.tcp.ack_every),
            Config::Mptcp(mptcp) => 1.0 / f64::from(mptcp.tcp.ack_every),
            // And pulls.
            Config::Ndp(_) => 2.0,
            // And credits.
            Config::Eqds(eqds) => 1.0 + 1.0 / f64::from(eqds.ack_every),
            Config::Dcqcn(dcqcn) => 1.0 / f64::from(dcqcn.ack_every),
            Config::Pfabric(_) => 1.0,
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
            Config::Cubic(cubic) => cubic::Cubic::new(cubic.clone()).needs(),
            Config::Swift(_) | Config::Direct(_) => Needs::default(),
            Config::Mptcp(mptcp) => mptcp.needs(),
            Config::Ndp(ndp) => ndp.needs(),
            Config::Eqds(eqds) => eqds.needs(),
            Config::Dcqcn(dcqcn) => dcqcn.needs(),
            Config::Pfabric(pfabric) => pfabric.needs(),
        }
    }

    fn header(&self) -> Bytes {
        match self {
            Config::NewReno(tcp) => tcp.header,
            Config::Dctcp(dctcp) => dctcp.tcp.header,
            Config::Cubic(cubic) => cubic.tcp.header,
            Config::Swift(swift) => swift.tcp.header,
            Config::Mptcp(mptcp) => mptcp.tcp.header,
            Config::Ndp(ndp) => ndp.header,
            Config::Eqds(eqds) => eqds.header,
            Config::Dcqcn(dcqcn) => dcqcn.header,
            Config::Pfabric(pfabric) => pfabric.header,
            Config::Direct(direct) => direct.header,
        }
    }

    fn open(&self, connection: &Connection) -> (AnySender, AnyReceiver) {
        match self {
            Config::NewReno(tcp) => open_tcp(
                newreno::NewReno::new(tcp.clone()),
                tcp.recovery.unwrap_or(Recovery::NewReno),
                connection,
                AnySender::NewReno,
                AnySender::SelectiveReno,
            ),
            Config::Dctcp(dctcp) => open_tcp(
                dctcp::Dctcp::new(dctcp.clone()),
                dctcp.tcp.recovery.unwrap_or(Recovery::Rack),
                connection,
                AnySender::Dctcp,
                AnySender::SelectiveDctcp,
            ),
            Config::Cubic(cubic) => open_tcp(
                cubic::Cubic::new(cubic.clone()),
                cubic.tcp.recovery.unwrap_or(Recovery::Rack),
                connection,
                |sender| AnySender::Cubic(Box::new(sender)),
                AnySender::SelectiveCubic,
            ),
            Config::Swift(swift) => {
                let (sender, receiver) = swift::Swift::new(swift, connection).open(connection);
                (AnySender::Swift(Box::new(sender)), AnyReceiver::Tcp(receiver))
            }
            Config::Mptcp(mptcp) => {
                let (sender, receiver) = mptcp.open(connection);
                (AnySender::Mptcp(Box::new(sender)), AnyReceiver::Mptcp(Box::new(receiver)))
            }
            Config::Ndp(ndp) => {
                let (sender, receiver) = ndp.open(connection);
                (AnySender::Ndp(Box::new(sender)), AnyReceiver::Ndp(receiver))
            }
            Config::Eqds(eqds) => {
                let (sender, receiver) = eqds.open(connection);
                (AnySender::Eqds(Box::new(sender)), AnyReceiver::Eqds(receiver))
            }
            Config::Dcqcn(dcqcn) => {
                let (sender, receiver) = dcqcn.open(connection);
                (AnySender::Dcqcn(Box::new(sender)), AnyReceiver::Dcqcn(receiver))
            }
            Config::Pfabric(pfabric) => {
                let (sender, receiver) = pfabric.open(connection);
                (AnySender::Pfabric(Box::new(sender)), AnyReceiver::Pfabric(receiver))
            }
            Config::Direct(direct) => {
                let (sender, receiver) = direct.open(connection);
                (AnySender::Direct(sender), AnyReceiver::Direct(receiver))
            }
        }
    }
}

/// Begins a connection of a TCP, whose sender is one of two by how it repairs losses.
fn open_tcp<C: Congestion>(
    tcp: tcp::Tcp<C>,
    recovery: Recovery,
    connection: &Connection,
    plain: fn(TcpSender<C>) -> AnySender,
    selective: fn(Box<SelectiveSender<C>>) -> AnySender,
) -> (AnySender, AnyReceiver) {
    let rack = match recovery {
        Recovery::NewReno => {
            let (sender, receiver) = tcp.open(connection);
            return (plain(sender), AnyReceiver::Tcp(receiver));
        }
        Recovery::Sack => false,
        Recovery::Rack => true,
    };
    let (sender, receiver) = Selective { tcp, rack }.open(connection);
    (selective(Box::new(sender)), AnyReceiver::Tcp(receiver))
}

/// What all TCPs share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Tcp {
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
    /// How losses are found and repaired. By default "newreno" with NewReno, "sack" with Swift, and "rack" with DCTCP and CUBIC, which is what
    /// Linux does.
    pub recovery: Option<Recovery>,
    /// With `recovery = "newreno"`: what an acknowledgement of some of what was in flight at a loss does to the retransmission timer.
    pub partial_acks: PartialAcks,
}

/// How a TCP finds losses and repairs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Recovery {
    /// Three duplicate acknowledgements stand for a loss, and one segment is repaired a round trip (RFC 6582), as in the papers of most transports.
    NewReno,
    /// Receivers acknowledge selectively (RFC 2018). What three segments were received beyond is lost, and all that is lost is repaired at
    /// once (RFC 6675).
    Sack,
    /// Receivers acknowledge selectively. What was sent before something that was received, and lags behind it by more than a window of reordering,
    /// which adapts, is lost; a probe finds out what became of the end of a flight (RACK-TLP, RFC 8985). What is lost is repaired at once.
    Rack,
}

/// What a partial acknowledgement does to the retransmission timer (RFC 6582 §4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartialAcks {
    /// Only the first one sets it anew: where many segments are lost, it goes off and all are sent again.
    Impatient,
    /// Each sets it anew: one segment is repaired a round trip, however many there are.
    SlowButSteady,
}

/// DCTCP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Dctcp {
    /// What it shares with every TCP.
    #[serde(flatten)]
    pub tcp: Tcp,
    /// Weight of the newest round in the estimate of the marked fraction (RFC 8257 §3.3: 1/16).
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub gain: f64,
}

/// CUBIC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Cubic {
    /// What it shares with every TCP.
    #[serde(flatten)]
    pub tcp: Tcp,
    /// What a loss leaves of the window (RFC 9438 §4.6: 0.7).
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0))]
    pub beta: f64,
    /// How fast the window grows away from where it was at the last loss, in segments for each cubed second (RFC 9438 §5.1: 0.4).
    #[schemars(range(max = 1e12), extend("exclusiveMinimum" = 0.0))]
    pub c: f64,
    /// A flow that loses with a smaller window than at its last loss takes its aim lower, which leaves room to newer flows (RFC 9438 §4.7).
    pub fast_convergence: bool,
}

/// Swift. Sections and names are of its paper, whose text was not at hand; values are those of csg-htsim (`swift.cpp`), which calls them guesses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Swift {
    /// What it shares with every TCP. Losses are found as with `recovery = "sack"`, or with `"rack"`.
    #[serde(flatten)]
    pub tcp: Tcp,
    /// The part of the target that does not depend on the path: how long a queue may take (§3.5; csg-htsim's 20 us). Several packets' time at least, or the link
    /// is not used all the time.
    #[schemars(with = "LastingText")]
    pub base_target: Span,
    /// What each link of the path adds to the target (§3.5). By default the path adds what a full packet and its acknowledgement take over it when nothing else is
    /// under way, which the simulator knows; the paper's hosts count links by the time to live.
    #[schemars(with = "Option<LastingText>")]
    pub hop_target: Option<Span>,
    /// fs_range: what the smallest windows add to the target at most (§3.5; csg-htsim's five base targets).
    #[schemars(with = "LastingText")]
    pub flow_range: Span,
    /// fs_min_cwnd: windows of so many packets, and smaller ones, add all of that.
    #[schemars(range(max = 1e6), extend("exclusiveMinimum" = 0.0))]
    pub flow_min_window: f64,
    /// fs_max_cwnd: windows of so many packets, and larger ones, add nothing. More than `flow_min_window`.
    #[schemars(range(max = 1e6), extend("exclusiveMinimum" = 0.0))]
    pub flow_max_window: f64,
    /// ai: packets that the window grows by in a round trip below the target (algorithm 1).
    #[schemars(range(max = 1e6), extend("exclusiveMinimum" = 0.0))]
    pub additive_increase: f64,
    /// beta: what part of the excess of the delay over its target is taken from the window (algorithm 1).
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub beta: f64,
    /// max_mdf: the most of the window that is taken at once (algorithm 1), and what a loss takes.
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0))]
    pub max_decrease: f64,
    /// min_cwnd: no window is smaller, in packets. Ours: csg-htsim has 10 B.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub min_window: f64,
    /// RETX_RESET_THRESHOLD: so many timeouts without an acknowledgement make the window the least (algorithm 1).
    #[schemars(range(min = 1, max = 1_000_000))]
    pub reset_after: u32,
}

/// Multipath TCP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Mptcp {
    /// What its subflows share with every TCP: windows begin with `initial_window` in each, and `max_window` bounds each and all of them. They repair
    /// losses as NewReno does.
    #[serde(flatten)]
    pub tcp: Tcp,
    /// How many subflows a message has. The paper has 8 (SIGCOMM 2011 §3.1), with which a permutation over a fat-tree comes near its full rate.
    #[schemars(range(min = 1, max = 64))]
    pub subflows: u8,
}

/// NDP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ndp {
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

impl Ndp {
    /// When a sender leaves out a path; `None`: never.
    pub fn scoreboard(&self) -> Option<Scoreboard> {
        (self.path_samples > 0).then_some(Scoreboard {
            samples: self.path_samples,
            outlier: self.path_outlier,
            trimmed: self.path_trimmed,
            rounds: self.path_rounds,
        })
    }
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

/// EQDS. Where its paper has no number, csg-htsim's are taken, the simulator of its authors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Eqds {
    /// What keeps the queues of switches short until credits come.
    pub backend: Backend,
    /// Packets that a sender asks for in advance; and with trimming, those that it pushes before it hears of the first: a bandwidth-delay product at least
    /// (csg-htsim's 50, of 4 KB at 100 Gb/s). More only waits at senders, since nothing goes without credit once something was heard.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub window: u32,
    /// The part of its link's rate at which a host gives credit. Slightly less than all of it lets a queue that others have left behind drain (csg-htsim says 0.99).
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub credit_rate: f64,
    /// A receiver acknowledges one packet in so many, and which of those around it have come (csg-htsim's 16 KB, four of its packets); and at once what was sent
    /// again, what was marked, and the last before its sender waits. A quarter of `timeout` is never passed without.
    #[schemars(range(min = 1, max = 64))]
    pub ack_every: u32,
    /// After this a packet of which nothing was heard counts as lost; and, give or take a quarter by chance, a request that was not answered goes again
    /// (csg-htsim's 100 us, at 100 Gb/s).
    #[schemars(with = "LastingText")]
    pub timeout: Span,
    /// Header of a packet, within the MTU.
    #[schemars(with = "PacketText")]
    pub header: Bytes,
    /// Length of an acknowledgement, a refusal, a credit or a request.
    #[schemars(with = "PacketText")]
    pub control: Bytes,
    /// A host gives credit to connections with the lowest number first, and to others only when none of those wants any; those with equal ones take turns, but
    /// who has had a packet trimmed comes before who has not.
    #[schemars(range(max = 7))]
    pub credit_priority: u8,
}

/// How EQDS keeps the queues of switches short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// A first window goes without credit; switches trim what they have no room for, and receivers have it sent again.
    Trimming,
    /// For switches that only drop: nothing goes without credit, so that a message begins with a request to send.
    Rts,
}

/// DCQCN. Sections are of its paper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Dcqcn {
    /// g, the weight of the newest notification in alpha, which says how far a rate is cut: by alpha / 2 of it (§3.1, equations 1 and 2; §5.2 and Fig. 14: 1/256).
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub gain: f64,
    /// K: each time that a sender has had no notification for so long, alpha falls by `gain` of it. More than `notification_interval` (§3.1: 55 us).
    #[schemars(with = "LastingText")]
    pub alpha_timer: Span,
    /// T: each time that so long has passed since a cut, the rate grows by a step (§5.2, Fig. 14: 55 us; QCN has 1.5 ms).
    #[schemars(with = "LastingText")]
    pub rate_timer: Span,
    /// B: each time that so much has been sent since a cut, it grows by a step too (§5.2, Fig. 14: 10 MB; QCN has 150 KB).
    #[schemars(with = "VolumeText")]
    pub byte_counter: Bytes,
    /// F: so many steps go halfway to the rate before the cut: fast recovery. After so many by time or by bytes the target itself grows with each (§3.1: 5).
    #[schemars(range(max = 1_000_000))]
    pub fast_recovery: u32,
    /// R_AI: what a step adds to the target then, at 40 Gb/s (40 Mb/s in the simulator of the paper's first author, bobzhuyb/ns3-rdma).
    #[schemars(with = "RateText")]
    pub additive_increase: Rate,
    /// R_HAI: what it adds after more than `fast_recovery` steps by time and as many by bytes: hyper increase. The paper (§3.1) has
    /// no number; 200 Mb/s is that simulator's.
    #[schemars(with = "RateText")]
    pub hyper_increase: Rate,
    /// No cut goes below this rate. The paper has none; 5 Mb/s is QCN's (IEEE 802.1Qau, rpgMinRate).
    #[schemars(with = "RateText")]
    pub min_rate: Rate,
    /// N: a receiver notifies the sender of a flow at most once in this time (§3.1: 50 us).
    #[schemars(with = "LastingText")]
    pub notification_interval: Span,
    /// One packet in so many asks for an acknowledgement, and the last; and one in each quarter of `timeout`. Linux has ConnectX adapters ask with one
    /// in 256 too (mlx5, `log_ack_req_freq` 8).
    #[schemars(range(min = 1, max = 1_000_000))]
    pub ack_every: u32,
    /// After this without an acknowledgement everything that has none is sent again. 67 ms are InfiniBand's 4.096 us x 2^14, which is common. Where a
    /// fabric drops, a lower one is kinder to short flows.
    #[schemars(with = "LastingText")]
    pub timeout: Span,
    /// Header of a packet, within the MTU: IP 20 B, UDP 8 B, base transport header 12 B, invariant check 4 B (RoCEv2).
    #[schemars(with = "PacketText")]
    pub header: Bytes,
    /// Length of an acknowledgement, a refusal or a notification. A notification has 16 B that are reserved beside the header (RoCEv2).
    #[schemars(with = "PacketText")]
    pub control: Bytes,
    /// Strict priority of those, if it is not that of their flow (`fabric.priorities`): 0 goes first.
    #[schemars(range(max = 7))]
    pub control_priority: Option<u8>,
}

/// pFabric, its paper's section on rate control. Its numbers are those of 10 Gb/s and round trips of 15 us; for other networks, write the first three by the
/// bandwidth-delay product and the round trip there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pfabric {
    /// Packets that a sender sends at once, at the rate of its link: a bandwidth-delay product (12 in the paper).
    #[schemars(range(min = 1, max = 1_000_000))]
    pub initial_window: u32,
    /// The most packets that may be unacknowledged, to which the window grows: at least `initial_window`. The paper has no number; 15 is that of YAPS
    /// (NetSys/simulator), the simulator of a group that built on it.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_window: u32,
    /// After this without an acknowledgement of the first packet that has none, everything that has none is sent again, in slow start. It never grows: about
    /// three round trips (45 us in the paper).
    #[schemars(with = "LastingText")]
    pub timeout: Span,
    /// After so many timeouts in a row a sender sends nothing but probes, packets without a payload, one each `timeout`, until it hears of something (5 in
    /// the paper).
    #[schemars(range(min = 1, max = 1_000_000))]
    pub probe_after: u32,
    /// Header of a packet, within the MTU; an acknowledgement or a probe is only that.
    #[schemars(with = "PacketText")]
    pub header: Bytes,
}

/// No transport.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Direct {
    /// Header of a packet, within the MTU.
    #[schemars(with = "SizeText")]
    pub header: Bytes,
}

impl Default for Config {
    fn default() -> Config {
        Config::NewReno(Tcp::default())
    }
}
impl Default for Tcp {
    fn default() -> Tcp {
        Tcp {
            initial_window: 10,
            max_window: Bytes::new(4_000_000),
            min_rto: Span::from_ms(1),
            initial_rto: Span::from_ms(1),
            ack_every: 1,
            ack_delay: Span::from_us(500),
            header: Bytes::new(40),
            recovery: None,
            partial_acks: PartialAcks::Impatient,
        }
    }
}
impl Default for Dctcp {
    fn default() -> Dctcp {
        Dctcp { tcp: Tcp::default(), gain: 1.0 / 16.0 }
    }
}
impl Default for Cubic {
    fn default() -> Cubic {
        Cubic { tcp: Tcp::default(), beta: 0.7, c: 0.4, fast_convergence: true }
    }
}
impl Default for Swift {
    fn default() -> Swift {
        Swift {
            tcp: Tcp::default(),
            base_target: Span::from_us(20),
            hop_target: None,
            flow_range: Span::from_us(100),
            flow_min_window: 0.1,
            flow_max_window: 100.0,
            additive_increase: 1.0,
            beta: 0.8,
            max_decrease: 0.5,
            min_window: 0.001,
            reset_after: 5,
        }
    }
}
impl Default for Mptcp {
    fn default() -> Mptcp {
        Mptcp { tcp: Tcp::default(), subflows: 8 }
    }
}
impl Default for Ndp {
    fn default() -> Ndp {
        Ndp {
            initial_window: 30,
            timeout: Span::from_ms(1),
            header: Bytes::new(40),
            control: Bytes::new(64),
            path_samples: 100,
            path_outlier: 1.25,
            path_trimmed: 0.3,
            path_rounds: 100,
            pull_priority: 0,
        }
    }
}
impl Default for Eqds {
    fn default() -> Eqds {
        Eqds {
            backend: Backend::Trimming,
            window: 50,
            credit_rate: 0.99,
            ack_every: 4,
            timeout: Span::from_ms(1),
            header: Bytes::new(40),
            control: Bytes::new(64),
            credit_priority: 0,
        }
    }
}
impl Default for Dcqcn {
    /// The paper's deployment (Fig. 14), and where it has no number, the simulator of its first author (bobzhuyb/ns3-rdma: R_AI and R_HAI, one
    /// acknowledgement for 256 packets), the Ethernet standard from which it has its increase (IEEE 802.1Qau, rpgMinRate), and common adapters (a timeout of
    /// 4.096 us times 2^14).
    fn default() -> Dcqcn {
        Dcqcn {
            gain: 1.0 / 256.0,
            alpha_timer: Span::from_us(55),
            rate_timer: Span::from_us(55),
            byte_counter: Bytes::new(10_000_000),
            fast_recovery: 5,
            additive_increase: Rate::from_bps(40_000_000),
            hyper_increase: Rate::from_bps(200_000_000),
            min_rate: Rate::from_bps(5_000_000),
            notification_interval: Span::from_us(50),
            ack_every: 256,
            timeout: Span::from_ns(67_108_864),
            header: Bytes::new(44),
            control: Bytes::new(60),
            control_priority: None,
        }
    }
}
impl Default for Pfabric {
    fn default() -> Pfabric {
        Pfabric {
            initial_window: 12,
            max_window: 15,
            timeout: Span::from_us(45),
            probe_after: 5,
            header: Bytes::new(40),
        }
    }
}
impl Default for Direct {
    fn default() -> Direct {
        Direct { header: Bytes::new(40) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_repaired_as_in_linux_by_default_but_newrenos() {
        let connection = Connection { bytes: Bytes::new(1), mtu: Bytes::new(1500), ..Connection::EXAMPLE };
        let open = |config: Config| config.open(&connection).0;
        let with = |recovery| Tcp { recovery: Some(recovery), ..Tcp::default() };
        assert!(matches!(open(Config::default()), AnySender::NewReno(_)));
        assert!(matches!(open(Config::Dctcp(Dctcp::default())), AnySender::SelectiveDctcp(_)));
        assert!(matches!(open(Config::Cubic(Cubic::default())), AnySender::SelectiveCubic(_)));
        // And each as it is written.
        assert!(matches!(open(Config::NewReno(with(Recovery::Sack))), AnySender::SelectiveReno(_)));
        let tcp = with(Recovery::NewReno);
        assert!(matches!(open(Config::Dctcp(Dctcp { tcp: tcp.clone(), gain: 0.5 })), AnySender::Dctcp(_)));
        assert!(matches!(open(Config::Cubic(Cubic { tcp, ..Cubic::default() })), AnySender::Cubic(_)));
    }

    #[test]
    fn what_is_not_answered_is_sent_again_and_again() {
        let us = Span::from_us;
        let tcp = Tcp { initial_rto: us(10), min_rto: us(5), ..Tcp::default() };
        let ndp = Ndp { timeout: us(10), ..Ndp::default() };
        for (answered, doubling, steady) in
            [(us(9), 0, 0), (us(10), 1, 1), (us(29), 1, 2), (us(30), 2, 3), (us(700), 6, 70)]
        {
            assert_eq!(Config::NewReno(tcp.clone()).repeats(answered), doubling, "{answered}");
            assert_eq!(Config::Ndp(ndp.clone()).repeats(answered), steady, "{answered}");
        }
    }
}
