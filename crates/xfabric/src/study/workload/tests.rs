use super::flow_sizes::{MEAN, MEAN_BELOW_MEDIAN, MEDIAN};
use super::*;
use engine::Seed;
use proptest::prelude::*;

#[test]
fn flow_sizes_have_the_moments_of_the_paper() {
    let mut stream = Seed(1).stream("test", 0);
    let n = 400_000;
    let sizes = FlowSizes::production();
    let mut drawn: Vec<u64> = (0..n).map(|_| sizes.draw(&mut stream)).collect();
    drawn.sort_unstable();
    let mean = |of: &[u64]| of.iter().sum::<u64>() as f64 / of.len() as f64;
    let median = drawn[drawn.len() / 2] as f64;
    assert!((median / MEDIAN - 1.0).abs() < 0.02, "{median}");
    assert!((mean(&drawn[..drawn.len() / 2]) / MEAN_BELOW_MEDIAN - 1.0).abs() < 0.01);
    // A heavy tail: the mean of 400 thousand is still uncertain by a tenth or so.
    assert!((mean(&drawn) / MEAN - 1.0).abs() < 0.3, "{}", mean(&drawn));
    // Few elephants, most of the bytes: a hundredth of all flows.
    let elephants = drawn[drawn.len() * 99 / 100..].iter().sum::<u64>() as f64 / drawn.iter().sum::<u64>() as f64;
    assert!(elephants > 0.5, "{elephants}");
    let mice = FlowSizes::mice();
    assert!((0..10_000).all(|_| mice.draw(&mut stream) as f64 <= MEDIAN));
    assert_eq!((sizes.mean(), mice.mean()), (9.3e6, 129e3));
}

#[test]
fn the_tail_is_solved_for() {
    // The mean by numeric integration over the tail's quantiles, finer toward the end where the bytes are.
    let sizes = FlowSizes::production();
    let text = format!("{sizes:?}");
    assert!(text.contains("spread: 2.54"), "{text}");
}

proptest! {
    #[test]
    fn clusters_talk_among_themselves(socs in 2_u32..50, cluster in 2_u32..50, seed in any::<u64>()) {
        prop_assume!(cluster <= socs);
        let demand = clustered(socs, cluster, Seed(seed)).expect("a workload");
        for a in 0..socs {
            let talks: Vec<u32> = (0..socs).filter(|&b| demand.between(a, b) > 0).collect();
            prop_assert!(talks.len() as u32 + 1 == cluster || talks.len() as u32 + 1 == socs % cluster);
            // To everybody to whom the others talk.
            for &b in &talks {
                prop_assert_eq!(demand.between(a, b), demand.between(b, a));
                prop_assert!(talks.iter().all(|&c| c == b || demand.between(b, c) > 0));
            }
        }
    }

    #[test]
    fn everyone_has_its_destinations(socs in 2_u32..50, destinations in 1_u32..50, seed in any::<u64>()) {
        prop_assume!(destinations < socs);
        let demand = random_destinations(socs, destinations, Seed(seed)).expect("a workload");
        for from in 0..socs {
            prop_assert_eq!(demand.row(from).iter().filter(|bytes| **bytes > 0).count() as u32, destinations);
        }
    }

    #[test]
    fn production_on_any_number_of_socs(socs in 2_u32..120, seed in any::<u64>()) {
        let small = Production { servers: 60, largest_cluster: 12, most_flows: 20, ..Production::default() };
        let traffic = small.on(socs, Seed(seed)).expect("a workload");
        prop_assert_eq!(&traffic, &small.on(socs, Seed(seed)).expect("a workload"));
        prop_assert_eq!((traffic.demand.socs(), traffic.cluster.len() as u32), (socs, socs));
        for from in 0..socs {
            for to in 0..socs {
                prop_assert_eq!(traffic.demand.between(from, to) > 0, traffic.flows.between(from, to) > 0);
            }
            prop_assert!(traffic.external.of(from) > 0);
        }
    }
}

#[test]
fn production_has_the_structure_that_the_paper_states() {
    let traffic = Production::default().on(339, Seed(1)).expect("a workload");
    let same = |a: u32, b: u32| traffic.cluster[a as usize] == traffic.cluster[b as usize];
    let inside: u64 = traffic.demand.entries().filter(|&(a, b, _)| same(a, b)).map(|(_, _, bytes)| bytes).sum();
    let all = traffic.demand.total();
    let pairs = (0..339).flat_map(|a| (a + 1..339).map(move |b| (a, b))).filter(|&(a, b)| same(a, b)).count();
    // Pairs with a common prefix are few and talk most.
    assert!(pairs < 339 * 338 / 2 / 10 && inside * 2 > all, "{pairs} pairs, {inside} of {all} bytes");
    // Many to one: each cluster has a server outside that all its members exchange traffic with.
    for cluster in 0..=*traffic.cluster.iter().max().expect("servers") {
        let members: Vec<u32> = (0..339).filter(|&soc| traffic.cluster[soc as usize] == cluster).collect();
        let served =
            |&soc: &u32| !members.contains(&soc) && members.iter().all(|&member| traffic.demand.pair(soc, member) > 0);
        assert!((0..339).any(|soc| served(&soc)), "cluster {cluster} of {}", members.len());
    }
    // Heavy tail: a tenth of the pairs that talk have most of the bytes.
    let mut talk: Vec<u64> =
        (0..339).flat_map(|a| (a + 1..339).map(move |b| (a, b))).map(|(a, b)| traffic.demand.pair(a, b)).collect();
    talk.retain(|&bytes| bytes > 0);
    talk.sort_unstable_by(|a, b| b.cmp(a));
    assert!(talk[..talk.len() / 10].iter().sum::<u64>() * 2 > all);
}

#[test]
fn a_copy_talks_to_whom_its_original_talks() {
    let small = Production { servers: 10, largest_cluster: 4, most_flows: 20, ..Production::default() };
    let (once, twice) = (small.on(10, Seed(3)).expect("a workload"), small.on(20, Seed(3)).expect("a workload"));
    // All ten are there twice: each pair's traffic three times, but for that of two copies.
    assert_eq!((twice.demand.total(), twice.flows.total()), (3 * once.demand.total(), 3 * once.flows.total()));
    assert_eq!(twice.external.sent.iter().sum::<u64>(), 2 * once.external.sent.iter().sum::<u64>());
}

#[test]
fn the_social_graph_has_the_degrees_of_live_journal() {
    let nodes = 20_000;
    let edges = SocialGraph { nodes }.edges(Seed(1));
    assert!(edges.windows(2).all(|two| two[0] < two[1]) && edges.iter().all(|(a, b)| a < b && *b < nodes));
    let mean = 2.0 * edges.len() as f64 / f64::from(nodes);
    // Friends that were drawn once more than there were rounds are missing.
    assert!(mean > 0.97 * 18.7 && mean < 1.03 * 18.7, "{mean}");
    let mut degrees = vec![0_u32; nodes as usize];
    edges.iter().flat_map(|&(a, b)| [a, b]).for_each(|node| degrees[node as usize] += 1);
    degrees.sort_unstable();
    // A power law: the median is far below the mean.
    assert!(degrees[10_000] < 6 && degrees[19_900] > 150, "{} {}", degrees[10_000], degrees[19_900]);
}

#[test]
fn metis_keeps_friends_together() {
    let graph = SocialGraph { nodes: 5000 };
    let demand = graph.on(16, Seed(1)).expect("a workload");
    assert_eq!(demand, graph.on(16, Seed(1)).expect("a workload"));
    let edges = graph.edges(Seed(1)).len() as u64;
    // Cut at random, 15 of 16 edges would go between parts; 2000 bytes each.
    let cut = demand.total() as f64 / 2000.0 / edges as f64;
    assert!(cut < 0.8 * 15.0 / 16.0, "{cut}");
    assert!((0..16).all(|a| (0..16).all(|b| demand.between(a, b) == demand.between(b, a))));
}

#[test]
fn what_is_refused_and_how() {
    let seed = Seed(1);
    let why = |error: WorkloadError| error.to_string();
    assert_eq!(why(clustered(10, 1, seed).expect_err("refused")), "`cluster` is 1; write 2 to 10");
    assert_eq!(why(clustered(1, 1, seed).expect_err("refused")), "a demand matrix has 2 to 16384 SoCs, not 1");
    assert_eq!(why(random_destinations(10, 10, seed).expect_err("refused")), "`destinations` is 10; write 1 to 9");
    let production = Production { servers: 5, ..Production::default() };
    assert_eq!(why(production.on(5, seed).expect_err("refused")), "`largest_cluster` is 32; write 2 to 5");
    assert_eq!(why(SocialGraph { nodes: 9 }.on(10, seed).expect_err("refused")), "`nodes` is 9; write 10 to 10000000");
}
