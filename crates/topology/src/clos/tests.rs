use super::{Clos, Tier};
use crate::{Direction, LinkId, NodeId, Routes, Shape, Size, Topology};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use units::{Rate, Span};

/// `(switches, uplinks)` from the leaves upwards, no uplinks for the last.
fn clos(leaves: u32, hosts_per_leaf: u32, uplinks: u32, tiers: &[(u32, u32)]) -> Clos {
    let tier = |&(switches, uplinks): &(u32, u32)| Tier { switches, uplinks: (uplinks > 0).then_some(uplinks) };
    Clos { leaves, hosts_per_leaf, uplinks, tiers: tiers.iter().map(tier).collect() }
}

fn build(clos: Clos) -> Topology {
    Shape::Clos(clos).build(Rate::from_gbps(10), Span::from_us(1)).expect("sizes divide")
}

fn refused(clos: Clos) -> String {
    let shape = Shape::Clos(clos);
    let message = shape.build(Rate::from_gbps(10), Span::ZERO).expect_err("impossible").to_string();
    assert_eq!(shape.size().expect_err("impossible").to_string(), message);
    message
}

/// Links from a node to each neighbour in a direction.
fn neighbours(topology: &Topology, name: &str, direction: Direction) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    for port in topology.ports(topology.find_node(name).unwrap()) {
        let link = topology.link(LinkId(port));
        if link.direction == direction {
            *found.entry(topology.name(link.to).to_owned()).or_insert(0) += 1;
        }
    }
    found
}

/// All names of a kind from one number to another, each with so many links.
fn each(kind: &str, numbers: impl Iterator<Item = u32>, links: u32) -> BTreeMap<String, u32> {
    numbers.map(|number| (format!("{kind}-{number}"), links)).collect()
}

#[test]
fn two_tiers_in_pods() {
    // Stardust's two-tier system: 256 adapters, 128 and 64 elements (NSDI 2019, §6.2).
    let topology = build(clos(256, 2, 32, &[(128, 64), (64, 0)]));
    for (leaf, pod) in [(0, 0), (63, 0), (64, 1), (255, 3)] {
        let up = neighbours(&topology, &format!("leaf-{leaf}"), Direction::Up);
        assert_eq!(up, each("tier1", pod * 32..(pod + 1) * 32, 1), "leaf {leaf}");
    }
    for (switch, pod) in [(0, 0), (32, 1), (127, 3)] {
        let name = format!("tier1-{switch}");
        assert_eq!(neighbours(&topology, &name, Direction::Up), each("tier2", 0..64, 1));
        assert_eq!(neighbours(&topology, &name, Direction::Down), each("leaf", pod * 64..(pod + 1) * 64, 1));
    }
    assert_eq!(neighbours(&topology, "tier2-63", Direction::Down), each("tier1", 0..128, 1));
    assert_eq!(topology.classes(), ["host-leaf", "leaf-tier1", "tier1-tier2"]);
    assert_eq!(
        topology.describe(),
        "Clos, 256 leaves with 2 hosts each, 128 and 64 switches above: 512 hosts, 448 switches, 16896 cables of 10 Gb/s and 1 us"
    );
}

#[test]
fn one_tier_with_links_in_parallel() {
    // Stardust's single-tier system: 24 adapters with 36 links, 12 elements.
    let topology = build(clos(24, 1, 36, &[(12, 0)]));
    for leaf in 0..24 {
        assert_eq!(neighbours(&topology, &format!("leaf-{leaf}"), Direction::Up), each("tier1", 0..12, 3));
    }
    assert_eq!(neighbours(&topology, "tier1-11", Direction::Down), each("leaf", 0..24, 3));
    assert_eq!(topology.label(), "Clos, 24 leaves with 1 host each, 12 switches above");
    assert_eq!(build(clos(1, 4, 2, &[(1, 0)])).label(), "Clos, 1 leaf with 4 hosts each, 1 switch above");
}

#[test]
fn a_fat_tree_is_one_of_them() {
    let topology = build(clos(72, 6, 6, &[(72, 6), (36, 0)]));
    let tree = Shape::FatTree { k: 12, oversubscription: 1.0 }.build(Rate::from_gbps(10), Span::from_us(1)).unwrap();
    // Nodes come in the same order, so that the graphs are the same to the link.
    let ends = |topology: &Topology| topology.links().iter().map(|link| (link.from, link.to)).collect::<Vec<_>>();
    assert_eq!(ends(&topology), ends(&tree));
    assert_eq!((topology.hosts(), topology.switches(), topology.cables()), (432, 180, 1296));
    assert_eq!(topology.name(NodeId(432 + 72)), "tier1-0");
}

#[test]
fn three_tiers_above_leaves() {
    // 4 pods of 4 leaves and 2 switches; 2 larger pods of 2 of them and 4 switches; 4 switches on top.
    let topology = build(clos(16, 2, 2, &[(8, 2), (8, 2), (4, 0)]));
    assert_eq!(neighbours(&topology, "leaf-5", Direction::Up), each("tier1", 2..4, 1));
    // Each top node of a pod has a group of its own.
    assert_eq!(neighbours(&topology, "tier1-2", Direction::Up), each("tier2", 0..2, 1));
    assert_eq!(neighbours(&topology, "tier1-3", Direction::Up), each("tier2", 2..4, 1));
    assert_eq!(neighbours(&topology, "tier2-0", Direction::Down), each("tier1", [0, 2].into_iter(), 1));
    assert_eq!(neighbours(&topology, "tier2-4", Direction::Down), each("tier1", [4, 6].into_iter(), 1));
    // Of four in a larger pod, every other one is of the same group.
    assert_eq!(neighbours(&topology, "tier2-0", Direction::Up), each("tier3", 0..2, 1));
    assert_eq!(neighbours(&topology, "tier2-1", Direction::Up), each("tier3", 2..4, 1));
    assert_eq!(neighbours(&topology, "tier3-0", Direction::Down), each("tier2", [0, 2, 4, 6].into_iter(), 1));
    let routes = Routes::shortest(&topology).unwrap();
    // Within a leaf, a pod, a larger pod, and between those.
    assert_eq!([1, 7, 15, 31].map(|dst| routes.hop_count(0, dst)), [2, 4, 6, 8]);
    let four = build(clos(32, 1, 2, &[(16, 2), (16, 2), (16, 2), (8, 0)]));
    let routes = Routes::shortest(&four).unwrap();
    assert_eq!([1, 7, 15, 31].map(|dst| routes.hop_count(0, dst)), [4, 6, 8, 10]);
}

#[test]
fn tops_that_are_filled_in_part() {
    // Three pods of four would fit: tier 2 has ports to spare.
    let topology = build(clos(192, 1, 32, &[(96, 64), (64, 0)]));
    assert_eq!(neighbours(&topology, "tier2-0", Direction::Down).len(), 96);
    // Half of the top: two links in parallel to each of it.
    let half = build(clos(256, 1, 32, &[(128, 64), (32, 0)]));
    assert_eq!(neighbours(&half, "tier1-127", Direction::Up), each("tier2", 0..32, 2));
    // A middle tier that is one pod.
    let one = build(clos(8, 1, 4, &[(4, 4), (8, 4), (4, 0)]));
    assert_eq!(neighbours(&one, "tier1-1", Direction::Up), each("tier2", 4..8, 1));
    assert_eq!(neighbours(&one, "tier2-7", Direction::Up), each("tier3", 0..4, 1));
}

#[test]
fn what_does_not_divide_is_refused_with_what_does() {
    assert_eq!(
        refused(clos(24, 1, 35, &[(12, 0)])),
        "`uplinks` is 35; 12 switches above cannot share so many evenly: write 24 or 36"
    );
    assert_eq!(
        refused(clos(24, 1, 6, &[(12, 0)])),
        "`tiers.0.switches` is 12; 24 leaves with 6 uplinks each cannot be joined to so many in equal parts: write 6"
    );
    assert_eq!(
        refused(clos(256, 1, 32, &[(100, 64), (64, 0)])),
        "`tiers.0.switches` is 100; 256 leaves with 32 uplinks each cannot be joined to so many in equal parts: write 64 or 128"
    );
    assert_eq!(
        refused(clos(250, 1, 32, &[(128, 64), (64, 0)])),
        "`leaves` is 250; the first tier makes 4 pods, which must have equally many: write 248 or 252"
    );
    assert_eq!(
        refused(clos(256, 1, 32, &[(128, 60), (64, 0)])),
        "`tiers.1.switches` is 64; 128 tier-1 switches in 4 pods with 60 uplinks each cannot be joined to so many in equal \
         parts: write 60 or 120"
    );
    assert_eq!(
        refused(clos(16, 1, 2, &[(8, 2), (12, 2), (4, 0)])),
        "`tiers.1.switches` is 12; 8 tier-1 switches in 4 pods with 2 uplinks each cannot be joined to so many in equal \
         parts: write 8 or 16"
    );
    assert_eq!(
        refused(clos(16, 1, 2, &[(8, 5), (4, 0)])),
        "`tiers.0.uplinks` is 5; 4 switches above cannot share so many evenly: write 4 or 8"
    );
    assert_eq!(
        refused(clos(16, 1, 2, &[(8, 0), (4, 0)])),
        "`tiers.0.uplinks`: missing; there is a tier above, of 4 switches: write for example `uplinks = 4`"
    );
    assert_eq!(
        refused(clos(16, 1, 2, &[(8, 2), (4, 1)])),
        "`tiers.1.uplinks` is 1; nothing is above the last tier: remove it, or write another tier"
    );
    assert_eq!(refused(clos(16, 0, 2, &[(2, 0)])), "`hosts_per_leaf` is 0; a Clos needs at least 1");
    assert_eq!(refused(clos(16, 1, 2, &[])), "`tiers` is 0; a Clos needs at least 1");
    assert_eq!(
        refused(clos(4_000_000_000, 4_000_000_000, 1, &[(1, 0)])).split(" would").next(),
        Some("Clos, 4000000000 leaves with 4000000000 hosts each, 1 switch above")
    );
}

/// Sizes that divide: from the shape of pods at each stage.
fn sizes() -> impl Strategy<Value = Clos> {
    // Leaves of a pod and hosts of a leaf; then uplinks and how many pods come together, for each stage but the last; then the
    // last stage: uplinks, and groups or links in parallel.
    let stages = prop::collection::vec((1_u32..4, 1_u32..4), 0..3);
    (1_u32..4, 1_u32..4, stages, 1_u32..4, any::<prop::sample::Index>(), 1_u32..3, any::<bool>()).prop_map(
        |(pods, hosts_per_leaf, stages, last_uplinks, pick, bundle, parallel)| {
            // From the top downwards: how many pods there are below each stage.
            let mut below: Vec<u32> = vec![pods];
            stages.iter().rev().for_each(|(_, together)| below.push(below.last().unwrap() * together));
            below.reverse();
            let mut uplinks: Vec<u32> = stages.iter().map(|(uplinks, _)| *uplinks).collect();
            let tops: u32 = uplinks.iter().product();
            let divisors: Vec<u32> = (1..=tops).filter(|groups| tops.is_multiple_of(*groups)).collect();
            let groups = if parallel { 1 } else { divisors[pick.index(divisors.len())] };
            let bundle = if parallel { bundle } else { 1 };
            uplinks.push(last_uplinks * bundle);
            let mut tiers = Vec::new();
            let mut in_a_pod = 1;
            for (stage, (links, _)) in stages.iter().enumerate() {
                in_a_pod *= links;
                tiers.push((below[stage + 1] * in_a_pod, uplinks[stage + 1]));
            }
            tiers.push((last_uplinks * groups, 0));
            clos(below[0], hosts_per_leaf, uplinks[0], &tiers)
        },
    )
}

proptest! {
    #[test]
    fn whatever_divides_is_joined_evenly(clos in sizes()) {
        let shape = Shape::Clos(clos.clone());
        let size = shape.size();
        prop_assert!(size.is_ok(), "{:?}: {:?}", clos, size);
        let topology = build(clos.clone());
        let built = Size { hosts: topology.hosts(), switches: topology.switches(), cables: topology.cables() };
        prop_assert_eq!(size, Ok(built));

        // Every node has the links up that it was given, and all of a tier have as many down; links to different nodes differ by
        // nothing.
        let mut downs: BTreeMap<u16, BTreeSet<u32>> = BTreeMap::new();
        for node in (topology.hosts()..topology.nodes()).map(NodeId) {
            let (up, down) = (
                neighbours(&topology, topology.name(node), Direction::Up),
                neighbours(&topology, topology.name(node), Direction::Down),
            );
            let tier = topology.tier(node);
            let given = if tier == 1 { clos.uplinks } else { clos.tiers[usize::from(tier) - 2].uplinks.unwrap_or(0) };
            prop_assert_eq!(up.values().sum::<u32>(), given);
            prop_assert!(up.values().collect::<BTreeSet<_>>().len() <= 1, "{:?}", up);
            downs.entry(tier).or_default().insert(down.values().sum());
        }
        prop_assert!(downs.values().all(|counts| counts.len() == 1), "{:?}", downs);

        // Everybody reaches everybody, up and then down, and no path is longer than to the top and back.
        let routes = Routes::shortest(&topology).expect("every pair of leaves is joined");
        for (src, dst) in (0..topology.hosts()).flat_map(|src| (0..topology.hosts()).map(move |dst| (src, dst))) {
            let path = routes.path(src, dst, |_| 0);
            let turns = path.windows(2).filter(|links| {
                topology.link(links[0]).direction == Direction::Down && topology.link(links[1]).direction == Direction::Up
            });
            prop_assert_eq!(turns.count(), 0, "down and up again");
            prop_assert!(path.len() <= 2 * (clos.tiers.len() + 1));
            prop_assert_eq!(path.len() % 2, 0);
        }
    }

    #[test]
    fn arbitrary_sizes_are_built_or_refused(
        (leaves, hosts, uplinks) in (0_u32..20, 0_u32..3, 0_u32..9),
        tiers in prop::collection::vec((0_u32..13, prop::option::of(0_u32..7)), 0..4),
    ) {
        let tiers = tiers.into_iter().map(|(switches, uplinks)| Tier { switches, uplinks }).collect();
        let shape = Shape::Clos(Clos { leaves, hosts_per_leaf: hosts, uplinks, tiers });
        match shape.build(Rate::from_gbps(1), Span::ZERO) {
            Ok(topology) => prop_assert!(Routes::shortest(&topology).is_ok()),
            Err(error) => prop_assert_eq!(shape.size().expect_err("refused alike").to_string(), error.to_string()),
        }
    }
}
