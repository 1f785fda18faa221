//! Who sends to whom, for flows that arrive at random.

#[cfg(test)]
mod tests;

use crate::alias::Alias;
use crate::error::Problem;
use crate::group::Hosts;
use crate::hosts::other;
use crate::order::derangement;
use crate::prose;
use crate::setting::{Chance, Setting};
use engine::Stream;
use std::collections::BTreeMap;

/// Who sends to whom: the law that each flow's source and destination are drawn from.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Pattern {
    /// Every pair of different hosts alike.
    #[default]
    Uniform,
    /// Every source alike, each with one destination of its own, fixed for the run: a random derangement.
    Permutation,
    /// Every source alike; this fraction of flows stays in the rack, the rest leaves it, each to a random host there.
    RackLocal {
        /// Fraction of flows that stay.
        fraction: f64,
    },
    /// This fraction of flows goes to the hot hosts, from all others alike; the rest goes from any host to any other, hot or not. So an
    /// only hot host has its part in the rest alone, and the others send that much more.
    Hotspot {
        /// The hot hosts.
        targets: Hosts,
        /// Fraction of flows that go to them.
        fraction: f64,
    },
    /// Hosts in clusters drawn at random, the last of what is left over; flows stay in their cluster, every pair in it alike. Who is
    /// left over alone sends nothing (XFabric §6.5).
    Clusters {
        /// Hosts of a cluster.
        hosts: u32,
    },
    /// This fraction of flows goes from one of these hosts to another of them, every such pair alike; the rest between every two hosts
    /// that are not both of them, alike.
    Among {
        /// The hosts.
        hosts: Hosts,
        /// Fraction of flows that stay among them.
        fraction: f64,
    },
    /// Each source in proportion to a weight of its own, drawn once from a log-normal distribution whose logarithm has this standard deviation;
    /// every destination alike.
    Skewed {
        /// Standard deviation of the logarithm of weights.
        sigma: f64,
    },
    /// Each pair in proportion to its weight.
    Matrix(Matrix),
}

impl Pattern {
    /// In words, for so many hosts.
    pub(crate) fn describe(&self, hosts: u32) -> String {
        match self {
            Pattern::Uniform => "any host to any other".to_owned(),
            Pattern::Permutation => "each host to one other".to_owned(),
            Pattern::RackLocal { fraction } => format!("{} % within the rack", prose::number(100.0 * fraction)),
            Pattern::Hotspot { targets, fraction } => format!(
                "{} % to {}, the rest to any",
                prose::number(100.0 * fraction),
                prose::count(u64::from(targets.count(hosts, false)), "hot host")
            ),
            Pattern::Among { hosts: among, fraction } => format!(
                "{} % among {}, the rest elsewhere",
                prose::number(100.0 * fraction),
                prose::count(u64::from(among.count(hosts, false)), "host")
            ),
            Pattern::Clusters { hosts } => format!("within clusters of {hosts}"),
            Pattern::Skewed { sigma } => {
                format!("sources of log-normal weights (sigma {}) to any other", prose::number(*sigma))
            }
            Pattern::Matrix(matrix) => format!("weights of {}", matrix.name),
        }
    }
}

/// Weights of pairs of hosts.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Where they are from, such as a file.
    pub name: String,
    /// Source, destination and weight of each pair; pairs that are not there have none.
    pub weights: Vec<(u32, u32, f64)>,
}

/// A pattern made ready to draw from.
pub(crate) enum Chooser {
    Uniform { hosts: u32 },
    Permutation { to: Vec<u32> },
    RackLocal { racks: Racks, fraction: f64 },
    Hotspot { hosts: u32, targets: Vec<u32>, fraction: f64 },
    Clusters { clusters: Racks, sources: Vec<u32> },
    Among { among: Vec<u32>, is_among: Vec<bool>, fraction: f64 },
    Skewed { alias: Alias, shares: Vec<f64> },
    Matrix { pairs: Vec<(u32, u32)>, alias: Alias, busiest: [(u32, f64); 2] },
}

/// Hosts rack by rack.
pub(crate) struct Racks {
    hosts: Vec<u32>,
    /// For each host: its place in `hosts`, and where its rack begins and ends there.
    place: Vec<(u32, u32, u32)>,
}

impl Racks {
    fn new(leaf: &[u32]) -> Racks {
        let mut hosts: Vec<u32> = (0..).take(leaf.len()).collect();
        hosts.sort_by_key(|host| leaf[*host as usize]);
        let mut place = vec![(0, 0, 0); leaf.len()];
        let mut begin = 0;
        for rack in hosts.chunk_by(|a, b| leaf[*a as usize] == leaf[*b as usize]) {
            let end = begin + rack.len() as u32;
            for (at, host) in (begin..).zip(rack) {
                place[*host as usize] = (at, begin, end);
            }
            begin = end;
        }
        Racks { hosts, place }
    }

    /// How many share the rack of `host`, itself among them.
    fn size(&self, host: u32) -> u32 {
        let (_, begin, end) = self.place[host as usize];
        end - begin
    }

    fn beside(&self, host: u32, stream: &mut Stream) -> u32 {
        let (at, begin, end) = self.place[host as usize];
        let pick = begin + stream.below(u64::from(end - begin - 1)) as u32;
        self.hosts[(pick + u32::from(pick >= at)) as usize]
    }

    fn beyond(&self, host: u32, stream: &mut Stream) -> u32 {
        let (_, begin, _) = self.place[host as usize];
        let size = self.size(host);
        let pick = stream.below(self.hosts.len() as u64 - u64::from(size)) as u32;
        self.hosts[(pick + if pick >= begin { size } else { 0 }) as usize]
    }
}

impl Chooser {
    pub(crate) fn new(pattern: &Pattern, setting: &Setting, chance: &Chance) -> Result<Chooser, Problem> {
        let hosts = setting.hosts;
        if hosts < 2 {
            return Err(Problem::TooFewHosts { needed: 2, there: hosts });
        }
        let mut stream = chance.stream("pattern", 0);
        match pattern {
            Pattern::Uniform => Ok(Chooser::Uniform { hosts }),
            Pattern::Permutation => Ok(Chooser::Permutation { to: derangement(hosts, &mut stream) }),
            Pattern::RackLocal { fraction } => {
                check_fraction(*fraction)?;
                if setting.leaf.len() != hosts as usize {
                    return Err(Problem::NoRacks);
                }
                let racks = Racks::new(&setting.leaf);
                if let Some(host) = (0..hosts).find(|host| *fraction > 0.0 && racks.size(*host) == 1) {
                    return Err(Problem::AloneInRack { host });
                }
                if *fraction < 1.0 && racks.size(0) == hosts {
                    return Err(Problem::OneRack);
                }
                Ok(Chooser::RackLocal { racks, fraction: *fraction })
            }
            Pattern::Hotspot { targets, fraction } => {
                check_fraction(*fraction)?;
                targets.check("targets", hosts, None)?;
                Ok(Chooser::Hotspot { hosts, targets: targets.choose(hosts, None, &mut stream), fraction: *fraction })
            }
            Pattern::Clusters { hosts: size } => Chooser::of_clusters(*size, hosts, &mut stream),
            Pattern::Among { hosts: among, fraction } => {
                check_fraction(*fraction)?;
                among.check("among", hosts, None)?;
                let among = among.choose(hosts, None, &mut stream);
                if *fraction > 0.0 && among.len() == 1 {
                    return Err(Problem::AloneAmong { host: among[0] });
                }
                if *fraction < 1.0 && among.len() == hosts as usize {
                    return Err(Problem::NoOthers);
                }
                let mut is_among = vec![false; hosts as usize];
                among.iter().for_each(|host| is_among[*host as usize] = true);
                Ok(Chooser::Among { among, is_among, fraction: *fraction })
            }
            Pattern::Skewed { sigma } => {
                if !(sigma.is_finite() && *sigma > 0.0) {
                    return Err(Problem::NotPositive { key: "sigma", value: *sigma });
                }
                // Relative to the largest, so that no sum of finite weights is infinite.
                let logarithms: Vec<f64> = (0..hosts).map(|_| sigma * stream.normal()).collect();
                let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                // A weight of next to nothing is still a weight.
                let weight = |logarithm: &f64| libm::exp(logarithm - largest).max(f64::MIN_POSITIVE);
                let weights: Vec<f64> = logarithms.iter().map(weight).collect();
                let total: f64 = weights.iter().sum();
                let shares = weights.iter().map(|weight| weight / total).collect();
                Ok(Chooser::Skewed { alias: Alias::new(&weights), shares })
            }
            Pattern::Matrix(matrix) => Chooser::of_matrix(matrix, hosts),
        }
    }

    fn of_clusters(size: u32, hosts: u32, stream: &mut Stream) -> Result<Chooser, Problem> {
        if size < 2 {
            return Err(Problem::LonelyClusters { size });
        }
        if size > hosts {
            return Err(Problem::NotSoMany { key: "clusters", asked: size, there: hosts });
        }
        let mut order: Vec<u32> = (0..hosts).collect();
        stream.shuffle(&mut order);
        let mut cluster = vec![0; hosts as usize];
        for (place, host) in (0..).zip(order) {
            cluster[host as usize] = place / size;
        }
        let clusters = Racks::new(&cluster);
        let sources = (0..hosts).filter(|host| clusters.size(*host) > 1).collect();
        Ok(Chooser::Clusters { clusters, sources })
    }

    fn of_matrix(matrix: &Matrix, hosts: u32) -> Result<Chooser, Problem> {
        for &(src, dst, weight) in &matrix.weights {
            if let Some(host) = [src, dst].into_iter().find(|host| *host >= hosts) {
                return Err(Problem::NoSuchHost { key: "matrix", host, hosts });
            }
            if src == dst {
                return Err(Problem::ToItself { key: "matrix", host: src });
            }
            if !(weight.is_finite() && weight >= 0.0) {
                return Err(Problem::Weight { src, dst, weight });
            }
        }
        // Relative to the largest, so that no sum of finite weights is infinite.
        let largest = matrix.weights.iter().map(|(_, _, weight)| *weight).fold(0.0, f64::max);
        let relative = |(src, dst, weight): &(u32, u32, f64)| (*src, *dst, weight / largest);
        let weights: Vec<_> = matrix.weights.iter().map(relative).filter(|(_, _, weight)| *weight > 0.0).collect();
        if weights.is_empty() {
            return Err(Problem::NoWeight);
        }
        let alias = Alias::new(&weights.iter().map(|(_, _, weight)| *weight).collect::<Vec<_>>());
        let busiest = [busiest(weights.iter().map(|w| (w.0, w.2))), busiest(weights.iter().map(|w| (w.1, w.2)))];
        Ok(Chooser::Matrix { pairs: weights.iter().map(|(src, dst, _)| (*src, *dst)).collect(), alias, busiest })
    }

    /// The source and destination of a flow.
    pub(crate) fn pick(&self, stream: &mut Stream) -> (u32, u32) {
        let src = match self {
            Chooser::Hotspot { hosts, targets, fraction } if targets.len() == 1 => {
                if stream.unit() < *fraction {
                    return (other(targets[0], *hosts, stream), targets[0]);
                }
                let src = any(*hosts, stream);
                return (src, other(src, *hosts, stream));
            }
            Chooser::Uniform { hosts } | Chooser::Hotspot { hosts, .. } => any(*hosts, stream),
            Chooser::Permutation { to } => any(to.len() as u32, stream),
            Chooser::RackLocal { racks, .. } => any(racks.hosts.len() as u32, stream),
            Chooser::Clusters { sources, .. } => sources[any(sources.len() as u32, stream) as usize],
            Chooser::Among { among, is_among, fraction } => {
                if stream.unit() < *fraction {
                    let src = any(among.len() as u32, stream);
                    return (among[src as usize], among[other(src, among.len() as u32, stream) as usize]);
                }
                // Drawn again until one of them is another host.
                loop {
                    let src = any(is_among.len() as u32, stream);
                    let dst = other(src, is_among.len() as u32, stream);
                    if !(is_among[src as usize] && is_among[dst as usize]) {
                        return (src, dst);
                    }
                }
            }
            Chooser::Skewed { alias, .. } => alias.pick(stream) as u32,
            Chooser::Matrix { pairs, alias, .. } => return pairs[alias.pick(stream)],
        };
        (src, self.destination(src, stream))
    }

    /// The destination of a flow of this source, which must be one that sends. A matrix is asked through
    /// [`crate::destinations::Destinations`].
    pub(crate) fn destination(&self, src: u32, stream: &mut Stream) -> u32 {
        match self {
            Chooser::Uniform { hosts } => other(src, *hosts, stream),
            Chooser::Skewed { shares, .. } => other(src, shares.len() as u32, stream),
            Chooser::Permutation { to } => to[src as usize],
            Chooser::RackLocal { racks, fraction } => {
                let stays = stream.unit() < *fraction;
                if stays { racks.beside(src, stream) } else { racks.beyond(src, stream) }
            }
            Chooser::Hotspot { hosts, targets, fraction } => {
                let fraction = match Chooser::towards_one(*hosts, targets, *fraction, src) {
                    Some([hot, rest]) => hot / (hot + rest),
                    None => *fraction,
                };
                if stream.unit() >= fraction {
                    return other(src, *hosts, stream);
                }
                match targets.iter().position(|target| *target == src) {
                    None => targets[any(targets.len() as u32, stream) as usize],
                    Some(own) => targets[other(own as u32, targets.len() as u32, stream) as usize],
                }
            }
            Chooser::Among { among, is_among, fraction } => {
                let (inside, rest) = Chooser::among(among, is_among, *fraction);
                let own = is_among[src as usize];
                let share = if own { inside / (inside + rest[0]) } else { 0.0 };
                if own && stream.unit() < share {
                    let place = among.iter().position(|host| *host == src).expect("it is one of them");
                    return among[other(place as u32, among.len() as u32, stream) as usize];
                }
                // Drawn again until one of them is another host.
                loop {
                    let dst = other(src, is_among.len() as u32, stream);
                    if !(own && is_among[dst as usize]) {
                        return dst;
                    }
                }
            }
            Chooser::Clusters { clusters, .. } => clusters.beside(src, stream),
            Chooser::Matrix { .. } => unreachable!("a matrix is laid out by source first"),
        }
    }

    /// What a host sends, next to what others send.
    pub(crate) fn share(&self, host: u32) -> f64 {
        match self {
            Chooser::Uniform { .. } | Chooser::Permutation { .. } | Chooser::RackLocal { .. } => 1.0,
            Chooser::Hotspot { hosts, targets, fraction } => {
                Chooser::towards_one(*hosts, targets, *fraction, host).map_or(1.0, |[hot, rest]| hot + rest)
            }
            Chooser::Among { among, is_among, fraction } => {
                let (inside, rest) = Chooser::among(among, is_among, *fraction);
                if is_among[host as usize] { inside + rest[0] } else { rest[1] }
            }
            Chooser::Clusters { clusters, .. } => f64::from(u8::from(clusters.size(host) > 1)),
            Chooser::Skewed { shares, .. } => shares[host as usize],
            Chooser::Matrix { .. } => unreachable!("a matrix is laid out by source first"),
        }
    }

    /// If only one host is hot: shares of all flows, of those that this host sends to it, and of the rest that it sends.
    fn towards_one(hosts: u32, targets: &[u32], fraction: f64, host: u32) -> Option<[f64; 2]> {
        let [target] = targets else { return None };
        let hosts = f64::from(hosts);
        Some([if host == *target { 0.0 } else { fraction / (hosts - 1.0) }, (1.0 - fraction) / hosts])
    }

    /// Shares of all flows: of one of the hosts those that stay among them, and of one of them and of another host the rest.
    fn among(among: &[u32], is_among: &[bool], fraction: f64) -> (f64, [f64; 2]) {
        let (hosts, some) = (is_among.len() as f64, among.len() as f64);
        let pairs = hosts * (hosts - 1.0) - some * (some - 1.0);
        // Of the rest: pairs that begin at one of the hosts, and at another.
        let of_rest = |begin: f64| if fraction < 1.0 { (1.0 - fraction) * begin / pairs } else { 0.0 };
        (fraction / some, [of_rest(hosts - some), of_rest(hosts - 1.0)])
    }

    /// The busiest source and the busiest destination, with their shares of all flows.
    pub(crate) fn busiest(&self) -> [(u32, f64); 2] {
        match self {
            Chooser::Uniform { hosts } => [(0, 1.0 / f64::from(*hosts)); 2],
            Chooser::Permutation { to } => [(0, 1.0 / to.len() as f64); 2],
            Chooser::RackLocal { racks, .. } => [(0, 1.0 / racks.hosts.len() as f64); 2],
            Chooser::Hotspot { hosts, targets, fraction } => {
                let even = 1.0 / f64::from(*hosts);
                let first = u32::from(targets.len() == 1 && targets[0] == 0);
                let most =
                    Chooser::towards_one(*hosts, targets, *fraction, first).map_or(even, |[hot, rest]| hot + rest);
                [(first, most), (targets[0], fraction / targets.len() as f64 + (1.0 - fraction) * even)]
            }
            Chooser::Clusters { clusters, sources } => {
                // Sources are even; so are destinations, as everyone in a cluster gets as much as it sends.
                debug_assert!(clusters.size(sources[0]) > 1);
                [(sources[0], 1.0 / sources.len() as f64); 2]
            }
            Chooser::Among { among, is_among, fraction } => {
                let (staying, [rest, outside]) = Chooser::among(among, is_among, *fraction);
                let inside = staying + rest;
                let other = is_among.iter().position(|is_among| !is_among);
                match other.filter(|_| outside > inside) {
                    Some(host) => [(host as u32, outside); 2],
                    None => [(among[0], inside); 2],
                }
            }
            Chooser::Skewed { shares, .. } => {
                let busiest = busiest((0..).zip(shares.iter().copied()));
                // Who sends least is sent most, by the least bit.
                let least = (0..)
                    .zip(shares)
                    .min_by(|a, b| a.1.total_cmp(b.1))
                    .map_or((0, 0.0), |(host, share)| (host, *share));
                [busiest, (least.0, (1.0 - least.1) / (shares.len() - 1) as f64)]
            }
            Chooser::Matrix { busiest, .. } => *busiest,
        }
    }
}

fn any(hosts: u32, stream: &mut Stream) -> u32 {
    stream.below(u64::from(hosts)) as u32
}

/// The host with the largest sum of weights, the first of several, and its share.
fn busiest(weights: impl Iterator<Item = (u32, f64)>) -> (u32, f64) {
    let mut sums = BTreeMap::<u32, f64>::new();
    for (host, weight) in weights {
        *sums.entry(host).or_default() += weight;
    }
    let total: f64 = sums.values().sum();
    let most = sums.into_iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default();
    (most.0, most.1 / total)
}

fn check_fraction(value: f64) -> Result<(), Problem> {
    if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(Problem::NotAFraction { key: "fraction", value }) }
}
