//! Shares of what is drawn, and the words for what is wrong.

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
fn skewed_sources_send_as_much_as_they_drew() {
    let pattern = Pattern::Skewed { sigma: 1.0 };
    let chooser = chooser(&pattern);
    let shares: Vec<f64> = (0..16).map(|host| chooser.share(host)).collect();
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    let counts = counts(&pattern, 240_000);
    for ((src, dst), count) in &counts {
        assert!(likely(*count, 240_000, shares[*src as usize] / 15.0), "{src} -> {dst}: {count}");
    }
    let [(source, from), (sink, to)] = chooser.busiest();
    assert!((shares[source as usize] - from).abs() < 1e-12 && shares.iter().all(|share| *share <= from + 1e-12));
    let sent_to = |host: u32| counts.iter().filter(|((_, dst), _)| *dst == host).map(|(_, count)| *count).sum::<u32>();
    assert!(likely(sent_to(sink), 240_000, to));
    assert!(shares.iter().all(|share| *share >= shares[sink as usize]));
    // A few send much more than most: that is what the pattern is for.
    let many = Chooser::new(&pattern, &setting(2000, 20), &Chance::new(Seed(7), "poisson")).unwrap();
    let mut shares: Vec<f64> = (0..2000).map(|host| many.share(host)).collect();
    shares.sort_by(f64::total_cmp);
    let above = shares.iter().filter(|share| **share > 10.0 * shares[1000]).count();
    assert!((10..=35).contains(&above), "{above} of 2000 send more than ten times the median; 21 are expected");
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
    assert!(self::counts(&one, 10_000).keys().all(|(_, dst)| *dst == 2));
}

#[test]
fn one_hot_host_gets_its_whole_fraction_and_sends_its_part_of_the_rest() {
    let one = Pattern::Hotspot { targets: Hosts::List(vec![2]), fraction: 0.6 };
    for ((src, dst), count) in counts(&one, 160_000) {
        let hot = if dst == 2 { 0.6 / 15.0 } else { 0.0 };
        assert!(likely(count, 160_000, hot + 0.4 / 16.0 / 15.0), "{src} -> {dst}: {count}");
    }
    // The same when sources are dealt out first: each host's share, and where its flows go.
    let chooser = chooser(&one);
    let (usual, hot) = (0.6 / 15.0 + 0.4 / 16.0, 0.4 / 16.0);
    assert!((0..16).all(|host| (chooser.share(host) - if host == 2 { hot } else { usual }).abs() < 1e-12));
    let mut stream = Seed(5).stream("test", 0);
    let to_it = (0..100_000).filter(|_| chooser.destination(7, &mut stream) == 2).count() as u32;
    assert!(likely(to_it, 100_000, (0.6 / 15.0 + 0.4 / 16.0 / 15.0) / usual), "{to_it}");
    assert!((0..1000).all(|_| chooser.destination(2, &mut stream) != 2));
    let [(src, share), (dst, most)] = chooser.busiest();
    assert_eq!((src, dst), (0, 2));
    assert!((share - usual).abs() < 1e-12 && (most - (0.6 + 0.4 / 16.0)).abs() < 1e-12, "{share}, {most}");
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
fn clusters_keep_to_themselves() {
    // Sixteen hosts in clusters of five: three of them, and one host that is left over.
    let counts = counts(&Pattern::Clusters { hosts: 5 }, 60_000);
    assert_eq!(counts.len(), 3 * 5 * 4);
    assert!(counts.values().all(|count| likely(*count, 60_000, 1.0 / 60.0)));
    let pattern = chooser(&Pattern::Clusters { hosts: 5 });
    assert_eq!((0..16).filter(|host| pattern.share(*host) > 0.0).count(), 15);
    let [(src, share), _] = pattern.busiest();
    assert!(pattern.share(src) > 0.0 && (share - 1.0 / 15.0).abs() < 1e-12);
}

#[test]
fn the_law_of_a_source_is_that_of_its_pairs() {
    let among = Pattern::Among { hosts: Hosts::List(vec![3, 0, 9, 12]), fraction: 0.84 };
    let (chooser, mut stream) = (chooser(&among), Seed(2).stream("test", 0));
    let total: f64 = (0..16).map(|host| chooser.share(host)).sum();
    assert!((total - 1.0).abs() < 1e-12);
    let draws = 100_000;
    let stay = (0..draws).filter(|_| [0, 9, 12].contains(&chooser.destination(3, &mut stream))).count() as u32;
    assert!(likely(stay, draws, 0.84 / 4.0 / chooser.share(3)), "{stay}");
    assert!((0..1000).all(|_| chooser.destination(1, &mut stream) != 1));
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
        Chooser::new(&Pattern::RackLocal { fraction: 0.5 }, &no_racks, &chance).map(|_| ()).unwrap_err().to_string(),
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
    assert_eq!(
        wrong(Pattern::Clusters { hosts: 1 }, 16, 4),
        "`clusters` is 1; a host in a cluster of one has no one to send to, so write at least 2"
    );
    assert_eq!(wrong(Pattern::Clusters { hosts: 17 }, 16, 4), "`clusters` is 17, and there are only 16 to choose from");
}
