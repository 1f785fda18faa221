//! Who sends to whom, for flows that arrive at random.

use crate::alias::Alias;
use crate::error::Problem;
use crate::group::Hosts;
use crate::hosts::other;
use crate::order::derangement;
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
    /// Every source alike; this fraction of flows goes to the hot hosts, the rest to any host. A flow from the only hot
    /// host goes to any other.
    Hotspot {
        /// The hot hosts.
        targets: Hosts,
        /// Fraction of flows that go to them.
        fraction: f64,
    },
    /// This fraction of flows goes from one of these hosts to another of them, every such pair alike; the rest between every two hosts
    /// that are not both of them, alike.
    Among {
        /// The hosts.
        hosts: Hosts,
        /// Fraction of flows that stay among them.
        fraction: f64,
    },
    /// Each pair in proportion to its weight.
    Matrix(Matrix),
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
    Among { among: Vec<u32>, is_among: Vec<bool>, fraction: f64 },
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

    fn beside(&self, host: u32, stream: &mut Stream) -> u32 {
        let (at, begin, end) = self.place[host as usize];
        let pick = begin + stream.below(u64::from(end - begin - 1)) as u32;
        self.hosts[(pick + u32::from(pick >= at)) as usize]
    }

    fn beyond(&self, host: u32, stream: &mut Stream) -> u32 {
        let (_, begin, end) = self.place[host as usize];
        let size = end - begin;
        let pick = stream.below(self.hosts.len() as u64 - u64::from(size)) as u32;
        self.hosts[(pick + if pick >= begin { size } else { 0 }) as usize]
    }
}

impl Chooser {
    pub fn new(pattern: &Pattern, setting: &Setting, chance: &Chance) -> Result<Chooser, Problem> {
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
                let size = |host: u32| racks.place[host as usize].2 - racks.place[host as usize].1;
                if let Some(host) = (0..hosts).find(|host| *fraction > 0.0 && size(*host) == 1) {
                    return Err(Problem::AloneInRack { host });
                }
                if *fraction < 1.0 && size(0) == hosts {
                    return Err(Problem::OneRack);
                }
                Ok(Chooser::RackLocal { racks, fraction: *fraction })
            }
            Pattern::Hotspot { targets, fraction } => {
                check_fraction(*fraction)?;
                targets.check("targets", hosts, None)?;
                Ok(Chooser::Hotspot { hosts, targets: targets.choose(hosts, None, &mut stream), fraction: *fraction })
            }
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
            Pattern::Matrix(matrix) => Chooser::of_matrix(matrix, hosts),
        }
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
    pub fn pick(&self, stream: &mut Stream) -> (u32, u32) {
        let any = |hosts: u32, stream: &mut Stream| stream.below(u64::from(hosts)) as u32;
        match self {
            Chooser::Uniform { hosts } => {
                let src = any(*hosts, stream);
                (src, other(src, *hosts, stream))
            }
            Chooser::Permutation { to } => {
                let src = any(to.len() as u32, stream);
                (src, to[src as usize])
            }
            Chooser::RackLocal { racks, fraction } => {
                let src = any(racks.hosts.len() as u32, stream);
                let stays = stream.unit() < *fraction;
                (src, if stays { racks.beside(src, stream) } else { racks.beyond(src, stream) })
            }
            Chooser::Hotspot { hosts, targets, fraction } => {
                let src = any(*hosts, stream);
                let hot = stream.unit() < *fraction && (targets.len() > 1 || targets[0] != src);
                if !hot {
                    return (src, other(src, *hosts, stream));
                }
                match targets.iter().position(|target| *target == src) {
                    None => (src, targets[any(targets.len() as u32, stream) as usize]),
                    Some(own) => (src, targets[other(own as u32, targets.len() as u32, stream) as usize]),
                }
            }
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
            Chooser::Matrix { pairs, alias, .. } => pairs[alias.pick(stream)],
        }
    }

    /// The busiest source and the busiest destination, with their shares of all flows.
    pub fn busiest(&self) -> [(u32, f64); 2] {
        match self {
            Chooser::Uniform { hosts } => [(0, 1.0 / f64::from(*hosts)); 2],
            Chooser::Permutation { to } => [(0, 1.0 / to.len() as f64); 2],
            Chooser::RackLocal { racks, .. } => [(0, 1.0 / racks.hosts.len() as f64); 2],
            Chooser::Hotspot { hosts, targets, fraction } => {
                let even = 1.0 / f64::from(*hosts);
                [(0, even), (targets[0], fraction / targets.len() as f64 + (1.0 - fraction) * even)]
            }
            Chooser::Among { among, is_among, fraction } => {
                let (hosts, some) = (is_among.len() as f64, among.len() as f64);
                let pairs = hosts * (hosts - 1.0) - some * (some - 1.0);
                // Of the rest: pairs that begin at one of the hosts, and at another.
                let of_rest = |begin: f64| if *fraction < 1.0 { (1.0 - fraction) * begin / pairs } else { 0.0 };
                let (inside, outside) = (fraction / some + of_rest(hosts - some), of_rest(hosts - 1.0));
                let other = is_among.iter().position(|is_among| !is_among);
                match other.filter(|_| outside > inside) {
                    Some(host) => [(host as u32, outside); 2],
                    None => [(among[0], inside); 2],
                }
            }
            Chooser::Matrix { busiest, .. } => *busiest,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Seed;
    use units::{Rate, Time};

    fn setting(hosts: u32, per_leaf: u32) -> Setting {
        Setting {
            hosts,
            host_rate: Rate::from_gbps(10),
            leaf: (0..hosts).map(|host| host / per_leaf).collect(),
            seed: Seed(7),
            duration: Time::MAX,
        }
    }

    fn chooser(pattern: &Pattern) -> Chooser {
        Chooser::new(pattern, &setting(16, 4), &Chance::new(Seed(7), "poisson")).unwrap()
    }

    /// How often each pair comes in `draws`.
    fn counts(pattern: &Pattern, draws: u32) -> BTreeMap<(u32, u32), u32> {
        let (chooser, mut stream) = (chooser(pattern), Seed(1).stream("test", 0));
        let mut counts = BTreeMap::new();
        for _ in 0..draws {
            let (src, dst) = chooser.pick(&mut stream);
            assert!(src != dst && src < 16 && dst < 16);
            *counts.entry((src, dst)).or_default() += 1;
        }
        counts
    }

    /// Whether a count of successes is within four deviations of what a probability gives.
    fn likely(count: u32, draws: u32, probability: f64) -> bool {
        let mean = f64::from(draws) * probability;
        (f64::from(count) - mean).abs() < 4.0 * (mean * (1.0 - probability)).sqrt() + 1e-9
    }

    #[test]
    fn uniform_takes_every_pair() {
        let counts = counts(&Pattern::Uniform, 240_000);
        assert_eq!(counts.len(), 16 * 15);
        assert!(counts.values().all(|count| likely(*count, 240_000, 1.0 / 240.0)));
    }

    #[test]
    fn a_permutation_gives_each_source_one_destination() {
        let counts = counts(&Pattern::Permutation, 16_000);
        assert_eq!(counts.len(), 16);
        assert!(counts.values().all(|count| likely(*count, 16_000, 1.0 / 16.0)));
    }

    #[test]
    fn the_told_fraction_stays_in_the_rack() {
        let counts = counts(&Pattern::RackLocal { fraction: 0.3 }, 100_000);
        assert_eq!(counts.len(), 16 * 15);
        for ((src, dst), count) in counts {
            let probability = if src / 4 == dst / 4 { 0.3 / 16.0 / 3.0 } else { 0.7 / 16.0 / 12.0 };
            assert!(likely(count, 100_000, probability), "{src} -> {dst}: {count}");
        }
    }

    #[test]
    fn the_told_fraction_goes_to_the_hot_hosts() {
        let hot = Pattern::Hotspot { targets: Hosts::List(vec![2, 5]), fraction: 0.5 };
        let counts = counts(&hot, 160_000);
        for ((src, dst), count) in counts {
            let uniform = 0.5 / 15.0;
            let hot = if [2, 5].contains(&dst) { 0.5 / if [2, 5].contains(&src) { 1.0 } else { 2.0 } } else { 0.0 };
            assert!(likely(count, 160_000, (uniform + hot) / 16.0), "{src} -> {dst}: {count}");
        }
        assert_eq!(chooser(&hot).busiest(), [(0, 0.0625), (2, 0.28125)]);
        let one = Pattern::Hotspot { targets: Hosts::List(vec![2]), fraction: 1.0 };
        assert!(self::counts(&one, 10_000).keys().all(|(src, dst)| *dst == 2 || *src == 2));
    }

    #[test]
    fn the_told_fraction_stays_among_the_hosts() {
        let among = Pattern::Among { hosts: Hosts::List(vec![3, 0, 9, 12]), fraction: 0.84 };
        let counts = counts(&among, 400_000);
        assert_eq!(counts.len(), 16 * 15);
        let of = |host: &u32| [0, 3, 9, 12].contains(host);
        for ((src, dst), count) in counts {
            let probability = if of(&src) && of(&dst) { 0.84 / 12.0 } else { 0.16 / 228.0 };
            assert!(likely(count, 400_000, probability), "{src} -> {dst}: {count}");
        }
        let [(src, share), _] = chooser(&among).busiest();
        assert_eq!(src, 3);
        assert!((share - (0.21 + 0.16 * 12.0 / 228.0)).abs() < 1e-12, "{share}");
        let few = Pattern::Among { hosts: Hosts::First(2), fraction: 0.001 };
        assert_eq!(chooser(&few).busiest()[0].0, 2);
        let all = Pattern::Among { hosts: Hosts::First(15), fraction: 1.0 };
        assert!(self::counts(&all, 20_000).keys().all(|(src, dst)| *src < 15 && *dst < 15));
    }

    #[test]
    fn a_matrix_is_followed() {
        let matrix =
            Matrix { name: "m.csv".into(), weights: vec![(0, 1, 1e308), (2, 1, 1e308), (1, 0, 0.0), (3, 4, 2e307)] };
        let counts = counts(&Pattern::Matrix(matrix.clone()), 22_000);
        assert_eq!(counts.len(), 3);
        assert!(likely(counts[&(0, 1)], 22_000, 10.0 / 22.0) && likely(counts[&(3, 4)], 22_000, 2.0 / 22.0));
        let [(src, from), (dst, to)] = chooser(&Pattern::Matrix(matrix)).busiest();
        assert_eq!((src, dst), (0, 1));
        assert!((from - 10.0 / 22.0).abs() < 1e-12 && (to - 20.0 / 22.0).abs() < 1e-12);
    }

    #[test]
    fn wrong_patterns_are_named() {
        let chance = Chance::new(Seed(7), "poisson");
        let wrong = |pattern: Pattern, hosts, per_leaf| {
            Chooser::new(&pattern, &setting(hosts, per_leaf), &chance).map(|_| ()).unwrap_err().to_string()
        };
        let matrix = |weights| Pattern::Matrix(Matrix { name: "m.csv".into(), weights });
        assert_eq!(wrong(Pattern::Uniform, 1, 1), "needs at least 2 hosts, and has 1");
        assert_eq!(wrong(Pattern::RackLocal { fraction: 1.5 }, 16, 4), "`fraction` is 1.5; it must be between 0 and 1");
        assert_eq!(
            wrong(Pattern::RackLocal { fraction: 0.5 }, 17, 4),
            "host 16 is alone in its rack, so it has no one to send to there"
        );
        assert_eq!(
            wrong(Pattern::RackLocal { fraction: 0.5 }, 4, 4),
            "all hosts are in one rack, so there is no other to send to"
        );
        let no_racks = Setting { leaf: vec![], ..setting(4, 4) };
        assert_eq!(
            Chooser::new(&Pattern::RackLocal { fraction: 0.5 }, &no_racks, &chance)
                .map(|_| ())
                .unwrap_err()
                .to_string(),
            "the pattern needs racks, and this topology has no leaf (top-of-rack) switches"
        );
        assert_eq!(
            wrong(Pattern::Hotspot { targets: Hosts::Random(5), fraction: 0.5 }, 4, 4),
            "`targets` is 5, and there are only 4 to choose from"
        );
        let among = |hosts, fraction| Pattern::Among { hosts, fraction };
        assert_eq!(wrong(among(Hosts::First(17), 0.5), 16, 4), "`among` is 17, and there are only 16 to choose from");
        assert_eq!(
            wrong(among(Hosts::List(vec![3]), 0.5), 16, 4),
            "flows among one host have nobody to go to: host 3 needs another beside it"
        );
        assert_eq!(
            wrong(among(Hosts::All, 0.5), 16, 4),
            "these are all hosts, so that the other flows have nobody; write fraction = 1, or fewer hosts"
        );
        assert_eq!(wrong(matrix(vec![(0, 16, 1.0)]), 16, 4), "`matrix`: 16 is not a host (hosts are 0 to 15)");
        assert_eq!(wrong(matrix(vec![(3, 3, 1.0)]), 16, 4), "`matrix`: host 3 would send to itself");
        assert_eq!(
            wrong(matrix(vec![(3, 4, -1.0)]), 16, 4),
            "the weight from host 3 to host 4 is -1; weights are numbers of at least 0"
        );
        assert_eq!(wrong(matrix(vec![(3, 4, 0.0)]), 16, 4), "all weights are 0");
    }
}
