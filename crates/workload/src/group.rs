//! What a person asks for: groups of flows, by kind.

use crate::bursts::Bursts;
use crate::pattern::Pattern;
use crate::sizes::Sizes;
use crate::trace::Trace;
use std::sync::Arc;
use units::{Bytes, Span, Time};

/// One `[[workload]]` of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its name, unlike that of any other group: chance depends on it.
    pub name: String,
    /// What it sends.
    pub kind: Kind,
    /// Priority of all its flows.
    pub priority: u8,
    /// When it begins.
    pub start: Time,
    /// From when on it starts no more flows.
    pub stop: Option<Time>,
    /// Each host begins up to this much later than told, evenly at random (again in each round or iteration): exact
    /// synchrony has effects of its own.
    pub jitter: Span,
}

impl Group {
    /// A group of this kind that begins with the run, has the lowest priority and no jitter.
    pub fn new(name: impl Into<String>, kind: Kind) -> Group {
        Group { name: name.into(), kind, priority: 0, start: Time::ZERO, stop: None, jitter: Span::ZERO }
    }
}

impl Group {
    /// Flows that it holds in a list, from the beginning of the run to its end.
    pub fn listed(&self) -> usize {
        if let Kind::Trace { trace, .. } = &self.kind { trace.flows.len() } else { 0 }
    }
}

/// What a group sends.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Every host sends to one other, every host receives from one other.
    Permutation(Permutation),
    /// Every host sends to every other.
    AllToAll(AllToAll),
    /// Every host sends to some others.
    AllToMany(AllToMany),
    /// Many hosts send to one.
    Incast(Incast),
    /// Flows that arrive at random times.
    Poisson(Poisson),
    /// Long-running flows to random hosts.
    Background(Background),
    /// Each host works through flows of its own, so many at a time.
    ClosedLoop(ClosedLoop),
    /// Ring all-reduce.
    RingAllReduce(Collective),
    /// Tree all-reduce.
    TreeAllReduce(Collective),
    /// The collective operation in which each participant has something for each other one.
    CollectiveAllToAll {
        /// Who, how much, how often; each participant sends `bytes` / n to each other one.
        collective: Collective,
        /// Whether a step begins only when all participants have ended the one before.
        barrier: bool,
    },
    /// Flows from a list.
    Trace {
        /// The list, which the runs of a sweep share.
        trace: Arc<Trace>,
        /// Whether to move the trace so that its first flow starts when the group does. Otherwise the group's start is
        /// added to the times in the trace.
        rebase: bool,
    },
}

impl Kind {
    /// The names of all kinds, as experiment files have them, with what each sends.
    pub const NAMES: [(&'static str, &'static str); 11] = [
        ("permutation", "Every host sends to one other, every host receives from one other"),
        ("all-to-all", "Every host sends to every other, in random, fixed or shifted order"),
        ("all-to-many", "Every host sends to some others at once"),
        ("incast", "Many hosts send to one at once"),
        ("poisson", "Flows arrive at random at a load or a rate, with sizes from a distribution"),
        ("background", "Every host keeps some flows to random others going"),
        ("closed-loop", "Every host works through a list of flows, so many at a time"),
        ("ring-all-reduce", "Each participant passes pieces on to the next, twice around the ring"),
        ("tree-all-reduce", "Sums go up a binary tree of participants, and the result comes down"),
        ("collective-all-to-all", "Each participant sends a piece to each other one, step by step"),
        ("trace", "Flows from a file, with their dependencies"),
    ];

    /// Its name in experiment files.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Permutation(_) => "permutation",
            Kind::AllToAll(_) => "all-to-all",
            Kind::AllToMany(_) => "all-to-many",
            Kind::Incast(_) => "incast",
            Kind::Poisson(_) => "poisson",
            Kind::Background(_) => "background",
            Kind::ClosedLoop(_) => "closed-loop",
            Kind::RingAllReduce(_) => "ring-all-reduce",
            Kind::TreeAllReduce(_) => "tree-all-reduce",
            Kind::CollectiveAllToAll { .. } => "collective-all-to-all",
            Kind::Trace { .. } => "trace",
        }
    }
}

/// A choice of hosts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Hosts {
    /// All (that can be meant: an incast's senders never include its receiver).
    #[default]
    All,
    /// So many, from host 0 up.
    First(u32),
    /// So many, at random.
    Random(u32),
    /// These, in this order.
    List(Vec<u32>),
}

/// Rounds of flows: the next begins when the last flow of the one before has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rounds {
    /// How many, at least 1.
    pub count: u64,
    /// From the end of a round to the start of the next.
    pub gap: Span,
}

impl Default for Rounds {
    fn default() -> Rounds {
        Rounds { count: 1, gap: Span::ZERO }
    }
}

/// Who sends to whom in a permutation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pairs {
    /// A random derangement of all hosts, another one each round: each host sends to one other and receives from one
    /// other, never itself; every derangement is equally likely.
    Random {
        /// Only so many of its pairs, at random.
        count: Option<u32>,
    },
    /// These (source, destination) pairs, whether or not they are a permutation.
    List(Vec<(u32, u32)>),
}

/// See [`Kind::Permutation`].
#[derive(Debug, Clone, PartialEq)]
pub struct Permutation {
    /// Who sends to whom.
    pub pairs: Pairs,
    /// Sizes; none: the flows never end.
    pub size: Option<Sizes>,
    /// How often; once if the flows never end.
    pub rounds: Rounds,
}

/// In which order a host sends to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// In a random order of its own.
    #[default]
    Random,
    /// From the first host to the last, all alike, so that all send to one host at a time: the worst order (AN3 §8.3).
    Fixed,
    /// Beginning with the next host, and around: at each step every host receives from one.
    Shifted,
}

/// See [`Kind::AllToAll`].
#[derive(Debug, Clone, PartialEq)]
pub struct AllToAll {
    /// Who takes part.
    pub hosts: Hosts,
    /// Sizes.
    pub size: Sizes,
    /// In which order a host sends to the others.
    pub order: Order,
    /// How many flows a host sends at a time, starting the next when one ends; none: all at once.
    pub concurrent: Option<u32>,
}

/// To whom the hosts of an all-to-many send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receivers {
    /// Each to so many others, drawn by each for itself (AN3 §8.3).
    Each(u32),
    /// All to the same.
    Shared(Hosts),
}

/// See [`Kind::AllToMany`].
#[derive(Debug, Clone, PartialEq)]
pub struct AllToMany {
    /// Who sends.
    pub senders: Hosts,
    /// To whom.
    pub receivers: Receivers,
    /// Sizes; none: the flows never end.
    pub size: Option<Sizes>,
    /// How often, drawing receivers anew each time; once if the flows never end.
    pub rounds: Rounds,
}

/// See [`Kind::Incast`].
#[derive(Debug, Clone, PartialEq)]
pub struct Incast {
    /// Who receives; none: a random host that is not in a list of senders, another one each round.
    pub receiver: Option<u32>,
    /// Who sends: random ones are drawn anew each round.
    pub senders: Hosts,
    /// Sizes; none: the flows never end.
    pub size: Option<Sizes>,
    /// How often; once if the flows never end.
    pub rounds: Rounds,
}

/// How often flows arrive, all hosts together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arrivals {
    /// Offered payload bytes a second of all hosts over the sum of their link rates: load 0.5 on hosts of 10 Gb/s is 5 Gb/s
    /// a host on average.
    Load(f64),
    /// Flows a second.
    Rate(f64),
}

/// See [`Kind::Poisson`].
#[derive(Debug, Clone, PartialEq)]
pub struct Poisson {
    /// How often.
    pub arrivals: Arrivals,
    /// How many in all; none: as many as arrive until the group stops.
    pub flows: Option<u64>,
    /// Sizes.
    pub size: Sizes,
    /// Who sends to whom.
    pub pattern: Pattern,
    /// How many flows a host starts at once; none: one.
    pub burst: Option<Bursts>,
    /// Whether to offer more than the hosts' links can carry.
    pub allow_overload: bool,
}

/// See [`Kind::Background`].
#[derive(Debug, Clone, PartialEq)]
pub struct Background {
    /// Who sends.
    pub hosts: Hosts,
    /// How many flows each of them keeps going.
    pub flows_per_host: u32,
    /// Instead: so many flows in all, each from one of them at random.
    pub flows: Option<u32>,
    /// Sizes: where one ends another starts, to another random host; none: they never end.
    pub size: Option<Sizes>,
}

/// See [`Kind::ClosedLoop`].
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedLoop {
    /// How many flows in all: hosts get equal shares, or with a matrix shares by what each sends. None: each host goes on as long
    /// as it may.
    pub flows: Option<u64>,
    /// How many flows of a host are active at a time; when one ends the next one starts.
    pub flows_per_host: u32,
    /// Sizes.
    pub size: Sizes,
    /// To whom: the pattern, given its source.
    pub pattern: Pattern,
    /// So many flows, one after the other in a host's list, go to the same destination.
    pub repeat: u32,
}

/// A collective operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collective {
    /// Who takes part, in the order of their ranks.
    pub participants: Hosts,
    /// How much each participant contributes.
    pub bytes: Bytes,
    /// How often, at least 1.
    pub repeat: u64,
    /// Computation between one operation's end, when the last participant has all it needs, and the next one's start.
    pub gap: Span,
}
