//! Flows that start together, round after round: permutation, all-to-many, incast.

use super::{delay, size};
use crate::group::{Hosts, Incast, Pairs, Permutation, Receivers, Rounds};
use crate::operation::{Operation, OperationKind};
use crate::order::{derangement, sample};
use crate::prose;
use crate::setting::Chance;
use crate::sizes::Sizes;
use crate::source::{Due, Source, Start, Wait};
use units::{Span, Time};

/// Who sends to whom in one round.
pub(crate) enum Round {
    Permutation(Pairs),
    AllToMany { senders: Hosts, receivers: Receivers },
    Incast { receiver: Option<u32>, senders: Hosts },
}

impl Round {
    pub(crate) fn of_permutation(permutation: &Permutation) -> Round {
        Round::Permutation(permutation.pairs.clone())
    }
    pub(crate) fn of_incast(incast: &Incast) -> Round {
        Round::Incast { receiver: incast.receiver, senders: incast.senders.clone() }
    }

    fn pairs(&self, hosts: u32, chance: &Chance, round: u64) -> Vec<(u32, u32)> {
        let mut stream = chance.stream("round", round);
        match self {
            Round::Permutation(Pairs::List(pairs)) => pairs.clone(),
            Round::Permutation(Pairs::Random { count }) => {
                let to = derangement(hosts, &mut stream);
                let pair = |host: u32| (host, to[host as usize]);
                match count {
                    None => (0..hosts).map(pair).collect(),
                    Some(count) => {
                        let mut sources = sample(hosts, *count, &mut stream);
                        sources.sort_unstable();
                        sources.into_iter().map(pair).collect()
                    }
                }
            }
            Round::AllToMany { senders, receivers } => {
                let senders = senders.choose(hosts, None, &mut stream);
                match receivers {
                    Receivers::Each(count) => {
                        let to = |src: u32, stream: &mut _| Hosts::Random(*count).choose(hosts, Some(src), stream);
                        let mut pairs = Vec::new();
                        for src in senders {
                            pairs.extend(to(src, &mut stream).into_iter().map(|dst| (src, dst)));
                        }
                        pairs
                    }
                    Receivers::Shared(receivers) => {
                        let receivers = receivers.choose(hosts, None, &mut stream);
                        let pairs = senders.iter().flat_map(|src| receivers.iter().map(|dst| (*src, *dst)));
                        pairs.filter(|(src, dst)| src != dst).collect()
                    }
                }
            }
            Round::Incast { receiver, senders } => {
                let receiver = receiver.unwrap_or_else(|| match senders {
                    Hosts::List(list) => {
                        let mut list = list.clone();
                        list.sort_unstable();
                        // The n-th of the hosts that are not in the list.
                        let pick = stream.below(u64::from(hosts) - list.len() as u64) as u32;
                        list.iter().fold(pick, |pick, taken| pick + u32::from(pick >= *taken))
                    }
                    Hosts::All | Hosts::First(_) | Hosts::Random(_) => stream.below(u64::from(hosts)) as u32,
                });
                let senders = senders.choose(hosts, Some(receiver), &mut stream);
                senders.into_iter().map(|src| (src, receiver)).collect()
            }
        }
    }
}

/// Rounds of flows; the next begins when the last of the one before has ended.
pub(crate) struct RoundSource {
    round: Round,
    size: Option<Sizes>,
    rounds: Rounds,
    jitter: Span,
    hosts: u32,
    chance: Chance,
    /// The round that has begun.
    at: u64,
    /// Its flows, and how many of them have not ended.
    flows: u64,
    left: u64,
    /// Hosts that take part in it.
    ranks: u32,
    /// Flows of the rounds before it.
    before: u64,
    due: Due,
}

impl RoundSource {
    pub(crate) fn new(
        round: Round,
        size: Option<Sizes>,
        rounds: Rounds,
        jitter: Span,
        start: Time,
        hosts: u32,
        chance: Chance,
    ) -> RoundSource {
        let due = Due::default();
        let mut source = RoundSource {
            round,
            size,
            rounds,
            jitter,
            hosts,
            chance,
            at: 0,
            flows: 0,
            left: 0,
            ranks: 0,
            before: 0,
            due,
        };
        source.begin(start);
        source
    }

    fn begin(&mut self, now: Time) {
        let pairs = self.round.pairs(self.hosts, &self.chance, self.at);
        self.before += self.flows;
        self.flows = pairs.len() as u64;
        self.left = self.flows;
        let watched = self.at + 1 < self.rounds.count;
        let mut hosts: Vec<u32> = pairs.iter().flat_map(|(src, dst)| [*src, *dst]).collect();
        hosts.sort_unstable();
        hosts.dedup();
        self.ranks = hosts.len() as u32;
        // Flows without end are no operation.
        let round = self.size.as_ref().map(|_| self.at.min(u32::MAX.into()) as u32);
        for (order, (src, dst)) in (self.before..).zip(pairs) {
            let at = now + delay(&self.chance, self.jitter, order);
            let bytes = size(&self.chance, self.size.as_ref(), order);
            self.due.push(Start { at, order, src, dst, bytes, watched, round });
        }
    }
}

impl Source for RoundSource {
    fn next_start(&self) -> Option<Time> {
        self.due.next_start()
    }
    fn start_next(&mut self) -> Option<Start> {
        self.due.pop()
    }
    fn finish(&mut self, _order: u64, now: Time) {
        self.left -= 1;
        if self.left == 0 {
            self.at += 1;
            self.begin(now + self.rounds.gap);
        }
    }
    fn waiting(&self, in_flight: &[u64]) -> Vec<Wait> {
        if in_flight.is_empty() {
            return Vec::new();
        }
        let what = format!("round {} of {} ({})", self.at + 2, self.rounds.count, prose::count(self.flows, "flow"));
        vec![Wait { what, on: in_flight.to_vec() }]
    }
    fn held(&self) -> usize {
        self.due.len()
    }
    fn operation(&self) -> Option<Operation> {
        let kind = match self.round {
            Round::Permutation(_) => OperationKind::Permutation,
            Round::AllToMany { .. } => OperationKind::AllToMany,
            Round::Incast { .. } => OperationKind::Incast,
        };
        let fixed = if let Some(Sizes::Fixed(size)) = self.size { Some(size.get() * self.flows) } else { None };
        Some(Operation { kind, ranks: self.ranks, flows: self.flows, bytes: fixed })
    }
}
