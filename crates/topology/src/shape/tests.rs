mod max_flow;

use crate::{NodeId, Shape, Size, Topology};
use engine::Seed;
pub(crate) use max_flow::flow_between;
use units::{Rate, Span};

const RATE: Rate = Rate::from_gbps(10);

fn build(shape: Shape) -> Topology {
    shape.build(RATE, Span::from_us(1)).expect("a good shape")
}
fn fat_tree(k: u32, oversubscription: f64) -> Topology {
    build(Shape::FatTree { k, oversubscription })
}
fn size(topology: &Topology) -> Size {
    Size { hosts: topology.hosts(), switches: topology.switches(), cables: topology.cables() }
}
fn ports_of_switches(topology: &Topology) -> Vec<usize> {
    (topology.hosts()..topology.nodes()).map(|switch| topology.ports(NodeId(switch)).len()).collect()
}

#[test]
fn a_fat_tree_has_the_counts_of_its_formulae_and_no_port_free() {
    for k in [2, 4, 6, 8, 12, 14] {
        let topology = fat_tree(k, 1.0);
        let expected = Size { hosts: k * k * k / 4, switches: 5 * k * k / 4, cables: 3 * k * k * k / 4 };
        assert_eq!(size(&topology), expected);
        assert_eq!(Shape::FatTree { k, oversubscription: 1.0 }.size(), Ok(expected));
        assert!(ports_of_switches(&topology).iter().all(|&ports| ports == k as usize));
    }
}

#[test]
fn the_papers_fat_tree() {
    let topology = fat_tree(12, 1.0);
    assert_eq!(size(&topology), Size { hosts: 432, switches: 180, cables: 1296 });
    // The core in row a is joined to aggregation switch a of every pod.
    for core in 0..36 {
        for pod in 0..12 {
            let aggregation = topology.node(&format!("aggregation-{}", pod * 6 + core / 6)).unwrap();
            let core = topology.node(&format!("core-{core}")).unwrap();
            assert_eq!(topology.link_between(core, aggregation).len(), 1);
        }
    }
    assert_eq!(topology.classes(), ["host-edge", "edge-aggregation", "aggregation-core"]);
    assert_eq!(topology.describe(), "fat-tree, k = 12: 432 hosts, 180 switches, 1296 cables of 10 Gb/s and 1 us");
}

#[test]
fn oversubscription_adds_hosts_to_edge_switches() {
    for (oversubscription, per_edge) in [(2.0, 12), (4.0, 24), (1.5, 9), (7.0 / 6.0, 7), (1.1667, 7)] {
        let topology = fat_tree(12, oversubscription);
        let shape = Shape::FatTree { k: 12, oversubscription };
        let expected = Size { hosts: 72 * per_edge, switches: 180, cables: 72 * per_edge + 864 };
        assert_eq!(size(&topology), expected);
        assert_eq!(shape.size(), Ok(expected));
        let ports = ports_of_switches(&topology);
        assert!(ports[..72].iter().all(|&ports| ports == 6 + per_edge as usize));
        assert!(ports[72..].iter().all(|&ports| ports == 12));
    }
    assert_eq!(fat_tree(4, 1.5).label(), "fat-tree, k = 4, oversubscription 1.5");
}

#[test]
fn two_stages_and_the_star() {
    let leaf_spine = build(Shape::LeafSpine { leaves: 6, spines: 4, hosts_per_leaf: 8 });
    assert_eq!(size(&leaf_spine), Size { hosts: 48, switches: 10, cables: 72 });
    assert_eq!(ports_of_switches(&leaf_spine), [12, 12, 12, 12, 12, 12, 6, 6, 6, 6]);
    assert_eq!(
        leaf_spine.describe(),
        "leaf-spine, 6 leaves with 8 hosts each, 4 spines: 48 hosts, 10 switches, 72 cables of 10 Gb/s and 1 us"
    );
    for radix in [2, 4, 8, 24] {
        let topology = build(Shape::FoldedClos { radix, leaves: None });
        let expected = Size { hosts: radix * radix / 2, switches: radix * 3 / 2, cables: radix * radix };
        assert_eq!(size(&topology), expected);
        assert!(ports_of_switches(&topology).iter().all(|&ports| ports == radix as usize));
        assert_eq!(topology.classes(), ["host-leaf", "leaf-spine"]);
    }
    let half = build(Shape::FoldedClos { radix: 8, leaves: Some(4) });
    assert_eq!(size(&half), Size { hosts: 16, switches: 8, cables: 32 });
    assert_eq!(half.label(), "folded Clos, radix 8, 4 leaves");
    let star = build(Shape::Star { hosts: 9 });
    assert_eq!(size(&star), Size { hosts: 9, switches: 1, cables: 9 });
    assert_eq!(star.describe(), "star: 9 hosts, 1 switch, 9 cables of 10 Gb/s and 1 us");
    let planes = build(Shape::Planes { hosts: 27, planes: 6 });
    assert_eq!(size(&planes), Size { hosts: 27, switches: 6, cables: 162 });
    assert_eq!(planes.describe(), "6 planes: 27 hosts, 6 switches, 162 cables of 10 Gb/s and 1 us");
    for shape in [
        Shape::LeafSpine { leaves: 6, spines: 4, hosts_per_leaf: 8 },
        Shape::FoldedClos { radix: 8, leaves: Some(4) },
        Shape::Star { hosts: 9 },
        Shape::Planes { hosts: 9, planes: 4 },
    ] {
        assert_eq!(shape.size(), Ok(size(&build(shape))));
    }
}

/// Splits the hosts in two halves at random, and gives what flows from one to the other, in links' rates.
fn bisections(topology: &Topology, tries: u64) -> Vec<u64> {
    let split = |index| {
        let mut hosts: Vec<u32> = (0..topology.hosts()).collect();
        Seed(7).stream("bisection", index).shuffle(&mut hosts);
        let (left, right) = hosts.split_at(hosts.len() / 2);
        flow_between(topology, left, right) / RATE.as_bps()
    };
    (0..tries).map(split).collect()
}

#[test]
fn full_bisection_is_full() {
    for shape in [
        Shape::FatTree { k: 4, oversubscription: 1.0 },
        Shape::FatTree { k: 6, oversubscription: 1.0 },
        Shape::FoldedClos { radix: 6, leaves: None },
        Shape::LeafSpine { leaves: 3, spines: 5, hosts_per_leaf: 4 },
        Shape::Star { hosts: 10 },
        Shape::Planes { hosts: 10, planes: 1 },
    ] {
        let topology = build(shape.clone());
        let half = u64::from(topology.hosts() / 2);
        assert!(bisections(&topology, 20).iter().all(|&flow| flow == half), "{shape:?}");
    }
}

#[test]
fn oversubscription_divides_what_leaves_an_edge_switch() {
    let topology = fat_tree(4, 2.0);
    // Two pods against two: 16 hosts, of which 8 get through.
    let hosts: Vec<u32> = (0..32).collect();
    assert_eq!(flow_between(&topology, &hosts[..16], &hosts[16..]) / RATE.as_bps(), 8);
    // One edge switch against another: 4 hosts over 2 uplinks.
    assert_eq!(flow_between(&topology, &hosts[..4], &hosts[4..8]) / RATE.as_bps(), 2);
    // Within one, all.
    assert_eq!(flow_between(&topology, &hosts[..2], &hosts[2..4]) / RATE.as_bps(), 2);
    assert!(bisections(&topology, 20).iter().any(|&flow| flow < 16));
}

#[test]
fn what_cannot_be_built_is_refused_with_what_can() {
    let refused = |shape: Shape| {
        let message = shape.build(RATE, Span::ZERO).expect_err("impossible").to_string();
        assert_eq!(shape.size().expect_err("impossible").to_string(), message);
        message
    };
    let fat_tree = |k, oversubscription| refused(Shape::FatTree { k, oversubscription });
    assert_eq!(fat_tree(5, 1.0), "`k` is 5; a fat-tree needs an even number of ports a switch: write 4 or 6");
    assert_eq!(fat_tree(0, 1.0), "`k` is 0; a fat-tree needs an even number of ports a switch: write 2 or 4");
    assert_eq!(
        fat_tree(4, 0.5),
        "`oversubscription` is 0.5; write a number of at least 1 (1: as much bandwidth up as down)"
    );
    assert_eq!(
        fat_tree(4, f64::NAN),
        "`oversubscription` is NaN; write a number of at least 1 (1: as much bandwidth up as down)"
    );
    assert_eq!(
        fat_tree(12, 1.25),
        "`oversubscription` 1.25 with k = 12 gives 7.5 hosts an edge switch, which must be whole: write 1.1667 or 1.3333"
    );
    assert_eq!(
        fat_tree(4000, 1.0),
        "fat-tree, k = 4000 would have 16020000000 nodes; at most 16777216 can be built: make it smaller"
    );
    assert_eq!(
        fat_tree(4_000_000_000, 1.0),
        "fat-tree, k = 4000000000 would have 2000000000 hosts an edge switch; at most 16777216 can be built: make it smaller"
    );
    assert_eq!(fat_tree(4, f64::INFINITY).split(" would").next(), Some("fat-tree, k = 4, oversubscription inf"));
    let leaf_spine = |leaves, spines, hosts_per_leaf| refused(Shape::LeafSpine { leaves, spines, hosts_per_leaf });
    assert_eq!(leaf_spine(0, 1, 1), "`leaves` is 0; a leaf-spine needs at least 1");
    assert_eq!(leaf_spine(1, 0, 1), "`spines` is 0; a leaf-spine needs at least 1");
    assert_eq!(leaf_spine(1, 1, 0), "`hosts_per_leaf` is 0; a leaf-spine needs at least 1");
    assert_eq!(
        leaf_spine(100_000, 200, 1),
        "leaf-spine, 100000 leaves with 1 host each, 200 spines would have 20100000 cables; at most 16777216 can be built: make it smaller"
    );
    assert_eq!(refused(Shape::Star { hosts: 0 }), "`hosts` is 0; a star needs at least 1");
    assert_eq!(refused(Shape::Planes { hosts: 4, planes: 0 }), "`planes` is 0; a topology of planes needs at least 1");
    let clos = |radix, leaves| refused(Shape::FoldedClos { radix, leaves });
    assert_eq!(clos(7, None), "`radix` is 7; a folded Clos needs an even number of ports a switch: write 6 or 8");
    assert_eq!(clos(8, Some(9)), "`leaves` is 9; spine switches of radix 8 reach 1 to 8");
    assert_eq!(clos(8, Some(0)), "`leaves` is 0; spine switches of radix 8 reach 1 to 8");
    let rate = |bps| Shape::Star { hosts: 2 }.build(Rate::from_bps(bps), Span::ZERO).map(drop);
    assert_eq!(
        rate(0).expect_err("no rate").to_string(),
        "a link cannot have a rate of 0 b/s; rates go from 1 Mb/s to 1000 Tb/s"
    );
    assert_eq!(rate(1_000_000), Ok(()));
    assert_eq!(rate(1_000_000_000_000_000), Ok(()));
    assert!(rate(1_000_000_000_000_001).is_err());
}
