use super::*;
use crate::clos::{Clos, Decomposition, Failure, Part};
use crate::schedule::{Order, Schedule};
use std::collections::{BTreeMap, BTreeSet};

/// Path of the cell from `from` to `to`: leaf and uplink up, uplink and leaf down.
fn path(built: &Built, from: u64, to: u64) -> (u64, u64, u64) {
    let slot = (to + built.nodes() - from) % built.nodes();
    (from / built.down, built.uplink(from % built.down, slot), to / built.down)
}

/// Small Clos networks: every number of full leaves of every even number of ports up to ten.
fn all() -> impl Iterator<Item = Plane> {
    (1..=5).flat_map(|half| (1..=2 * half).map(move |leaves| plane(leaves * half, 2 * half)))
}

fn plane(nodes: u32, ports: u32) -> Plane {
    Plane::new(nodes, ports).expect("switches that join them")
}

#[test]
fn no_uplink_and_no_spine_is_used_twice_in_a_slot() {
    for plane in all() {
        let built = Built::new(&plane);
        for slot in 1..built.nodes() {
            let (mut up, mut down) = (BTreeSet::new(), BTreeSet::new());
            for from in 0..built.nodes() {
                let (source, uplink, destination) = path(&built, from, (from + slot) % built.nodes());
                assert!(up.insert((source, uplink)), "{plane:?}, slot {slot}: uplink {uplink} of leaf {source} twice");
                assert!(down.insert((destination, uplink)), "{plane:?}, slot {slot}: downlink {uplink} twice");
            }
        }
    }
}

/// Shares counted pair by pair, the mean over all components of a kind.
fn enumerated(built: &Built, touches: impl Fn((u64, u64, u64)) -> Vec<u64>, kinds: u64) -> (f64, f64) {
    let (mut one, mut both) = (BTreeMap::<u64, u64>::new(), BTreeMap::<u64, u64>::new());
    for from in 0..built.nodes() {
        for to in (0..built.nodes()).filter(|to| *to != from) {
            let there: BTreeSet<u64> = touches(path(built, from, to)).into_iter().collect();
            let back: BTreeSet<u64> = touches(path(built, to, from)).into_iter().collect();
            for part in &there {
                *one.entry(*part).or_default() += 1;
            }
            for part in there.union(&back) {
                *both.entry(*part).or_default() += 1;
            }
        }
    }
    let mean = |counts: &BTreeMap<u64, u64>| counts.values().sum::<u64>() as f64 / kinds as f64 / built.pairs();
    (mean(&one), mean(&both))
}

#[test]
fn counts_are_those_of_every_pair() {
    for plane in all().filter(|plane| plane.nodes > 1) {
        let built = Built::new(&plane);
        let close = |found: (f64, f64), counted: (f64, f64)| {
            assert!((found.0 - counted.0).abs() < 1e-12, "{plane:?}: {found:?}, counted {counted:?}");
            assert!((found.1 - counted.1).abs() < 1e-12, "{plane:?}: {found:?}, counted {counted:?}");
        };
        let spines = enumerated(&built, |(_, uplink, _)| vec![uplink / built.trunk], built.spines);
        close(built.failed(Component::Spine), spines);
        let link = |leaf: u64, uplink: u64| leaf * built.down + uplink;
        let touches = |(source, uplink, destination)| vec![link(source, uplink), link(destination, uplink)];
        close(built.failed(Component::LeafSpineLink), enumerated(&built, touches, plane.spine_links()));
    }
}

#[test]
fn a_full_rack_of_64_ports() {
    let rows = table_1(&plane(2_048, 64), 1);
    let near = |row: &Failed, one_way: f64, both_ways: f64| {
        assert!((row.one_way - one_way).abs() < 1e-6 && (row.both_ways - both_ways).abs() < 1e-6, "{row:?}");
    };
    near(&rows[0], 1.0 / 2_047.0, 1.0 / 2_047.0);
    near(&rows[1], 1.0 / 2_047.0, 1.0 / 2_047.0);
    near(&rows[2], 32.0 / 2_047.0, 32.0 / 2_047.0);
    near(&rows[3], 4_063.0 / (2_048.0 * 2_047.0), rows[3].both_ways);
    near(&rows[4], 1.0 / 32.0, rows[4].both_ways);
    assert_eq!(
        rows[4].printed,
        1.0 / 16.0,
        "twice a spine's share: k links of 2/N each, and a cell crosses two of them"
    );
    assert!((rows[4].both_ways / rows[4].printed - 1.0).abs() < 0.02, "{:?}", rows[4]);
    assert!((rows[3].both_ways / rows[3].printed - 2.0).abs() < 0.05, "{:?}", rows[3]);
}

#[test]
fn a_plane_of_two_has_half_of_the_slots() {
    let rows = table_1(&plane(512, 64), 2);
    assert_eq!(rows[0].rack, rows[0].both_ways);
    assert!(rows[1..].iter().all(|row| row.rack == row.both_ways / 2.0));
    assert_eq!(rows[4].one_way, 1.0 / 8.0, "512 nodes need 8 spines of 64 ports, not 16");
}

/// Where no uplinks are joined, the shares are those of the fabric that runs, counted circuit by circuit. (The inverse circuits that are
/// not used any more depend on which uplink each cell takes, which the paper leaves open.)
#[test]
fn one_way_shares_are_those_of_the_fabric_that_runs() {
    for half in 2..=4 {
        let clos = Clos::new(2 * half * half, 2 * half).expect("a full Clos");
        let schedule = Schedule::new(clos.nodes(), 1, Order::Cyclic).expect("a schedule");
        let (built, fabric) = (Built::new(&clos.into()), Decomposition::new(clos, schedule));
        let loss = |part| fabric.loss(&[Failure::from(part)]);
        let close = |component, counted: f64| {
            let (found, _) = built.failed(component);
            assert!((found - counted).abs() < 1e-12, "{component:?} of {half}: {found}, counted {counted}");
        };
        close(Component::Node, loss(Part::Node(1)).share_left());
        close(Component::NodeLeafLink, loss(Part::NodeLink(1)).share_left());
        close(Component::Leaf, loss(Part::Leaf(1)).share_left());
        let links = (0..clos.leaves()).flat_map(|leaf| (0..half).map(move |spine| Part::LeafSpine { leaf, spine }));
        let shares: Vec<f64> = links.map(|part| loss(part).share()).collect();
        close(Component::LeafSpineLink, shares.iter().sum::<f64>() / shares.len() as f64);
        let shares: Vec<f64> = (0..half).map(|spine| loss(Part::Spine(spine)).share()).collect();
        close(Component::Spine, shares.iter().sum::<f64>() / shares.len() as f64);
    }
}
