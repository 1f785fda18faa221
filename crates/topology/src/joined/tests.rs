use super::*;
use crate::{An3, Clos, Routes, Shape, Tier, Wiring};
use proptest::prelude::*;
use units::{Rate, Span};

fn build(shape: &Shape) -> Topology {
    shape.build(Rate::from_gbps(100), Span::from_ns(5)).unwrap()
}

fn uplink() -> LinkSpec {
    LinkSpec { rate: Rate::from_gbps(40), delay: Span::from_ns(7), queue: None }
}

#[test]
fn a_rack_and_two_leaves() {
    let rack = build(&Shape::Star { hosts: 4 });
    let outside = build(&Shape::LeafSpine { leaves: 2, spines: 1, hosts_per_leaf: 1 });
    let joined = Joined::new(&rack, &outside, 3, uplink()).unwrap();
    let names: Vec<&str> = (0..joined.whole.nodes()).map(|node| joined.whole.name(NodeId(node))).collect();
    assert_eq!(
        names.join(" "),
        "gateway-0 gateway-1 gateway-2 host-3 outside-host-0 outside-host-1 switch-0 outside-leaf-0 outside-leaf-1 outside-spine-0"
    );
    assert_eq!(
        joined.whole.describe(),
        "star and outside leaf-spine, 2 leaves with 1 host each, 1 spine: 6 hosts, 4 switches, 11 cables (host-switch 100 Gb/s and 5 ns, \
         outside-host-leaf 100 Gb/s and 5 ns, outside-leaf-spine 100 Gb/s and 5 ns, gateway-uplink 40 Gb/s and 7 ns)"
    );
    let uplinks: Vec<u32> = (0..3).flat_map(|gateway| joined.whole.ports(NodeId(gateway)).skip(1)).collect();
    let uplinks: Vec<String> = uplinks.iter().map(|link| joined.whole.link_name(LinkId(*link))).collect();
    assert_eq!(uplinks, ["gateway-0 -> outside-leaf-0", "gateway-1 -> outside-leaf-1", "gateway-2 -> outside-leaf-0"]);
    let (rack, outside) = (joined.rack(), joined.outside());
    assert_eq!((rack.nodes, outside.nodes), (vec![0, 1, 2, 3, 6], vec![0, 1, 2, 4, 5, 7, 8, 9]));
}

#[test]
fn gateways_that_cannot_be() {
    let star = build(&Shape::Star { hosts: 4 });
    let refused = |gateways| Joined::new(&star, &star, gateways, uplink()).unwrap_err().to_string();
    assert_eq!(refused(0), "`outside.gateways` is 0; a joined topology needs at least 1");
    assert_eq!(refused(5), "`outside.gateways` is 5; the rack has 4 hosts that could be one");
}

#[test]
fn containers_with_an_operations_centre() {
    let network = An3 { containers: 2, networks: 1, hosts: 2, wiring: Wiring::Mesh, egress: 2, container_links: 1 };
    let inside = build(&Shape::An3(network));
    let outside = build(&Shape::LeafSpine { leaves: 2, spines: 1, hosts_per_leaf: 1 });
    let port = LinkSpec { rate: Rate::from_gbps(100), ..uplink() };
    let join = |gateways| Joined::by_operations_centre(&inside, &outside, gateways, [port, uplink()]);
    let joined = join(2).unwrap();
    let all =
        |of: &Topology| (0..of.nodes()).map(|node| of.name(NodeId(node)).to_owned()).collect::<Vec<_>>().join(" ");
    assert_eq!(
        all(&joined.whole),
        "c0-n0-h0 c0-n0-h1 c1-n0-h0 c1-n0-h1 outside-host-0 outside-host-1 c0-primary c0-secondary c1-primary c1-secondary noc-0 noc-1 \
         outside-leaf-0 outside-leaf-1 outside-spine-0"
    );
    let links = |node: &str| {
        let node = (0..joined.whole.nodes()).find(|number| joined.whole.name(NodeId(*number)) == node).unwrap();
        let name = |link| joined.whole.link_name(LinkId(link));
        joined.whole.ports(NodeId(node)).map(name).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(links("noc-1"), "noc-1 -> c1-primary, noc-1 -> c1-secondary, noc-1 -> outside-leaf-1");
    assert_eq!((joined.first_gateway, joined.rack_switches, joined.has_own_gateways()), (10, 4, true));
    let (rack, beyond) = (joined.rack(), joined.outside());
    assert_eq!(
        all(&rack.topology),
        "c0-n0-h0 c0-n0-h1 c1-n0-h0 c1-n0-h1 noc-0 noc-1 c0-primary c0-secondary c1-primary c1-secondary"
    );
    assert!(rack.topology.hosts_forward() && !beyond.topology.hosts_forward());
    assert_eq!(
        all(&beyond.topology),
        "noc-0 noc-1 outside-host-0 outside-host-1 outside-leaf-0 outside-leaf-1 outside-spine-0"
    );
    let refused = |gateways| join(gateways).unwrap_err().to_string();
    assert_eq!(refused(0), "`outside.gateways` is 0; a network with an operations centre needs at least 1");
    assert_eq!(
        refused(3),
        "`outside.gateways` is 3, more than there are containers (2): the switches of each have one port for the network operations centre"
    );
}

#[test]
fn a_rack_with_uplinks() {
    let rack = build(&Shape::Planes { hosts: 3, planes: 2 });
    let outside = build(&Shape::LeafSpine { leaves: 2, spines: 1, hosts_per_leaf: 1 });
    let joined = Joined::by_uplinks(&rack, &outside, 3, [uplink(), uplink()]).unwrap();
    let all =
        |of: &Topology| (0..of.nodes()).map(|node| of.name(NodeId(node)).to_owned()).collect::<Vec<_>>().join(" ");
    assert_eq!(
        all(&joined.whole),
        "host-0 host-1 host-2 outside-host-0 outside-host-1 switch-0 switch-1 uplink-crosspoint uplink-0 uplink-1 uplink-2 \
         outside-leaf-0 outside-leaf-1 outside-spine-0"
    );
    assert_eq!((joined.whole.hosts(), joined.first_gateway, joined.rack_switches), (5, 8, 3));
    let (rack, outside) = (joined.rack(), joined.outside());
    assert_eq!(
        all(&rack.topology),
        "host-0 host-1 host-2 uplink-0 uplink-1 uplink-2 switch-0 switch-1 uplink-crosspoint"
    );
    assert_eq!(
        all(&outside.topology),
        "uplink-0 uplink-1 uplink-2 outside-host-0 outside-host-1 outside-leaf-0 outside-leaf-1 outside-spine-0"
    );
    assert_eq!((rack.topology.hosts(), outside.topology.hosts()), (6, 5));
    // A host's last link is that to the uplink crosspoint.
    let last = rack.topology.ports(NodeId(1)).last().unwrap();
    assert_eq!(rack.topology.link_name(LinkId(last)), "host-1 -> uplink-crosspoint");
}

#[test]
fn uplinks_that_cannot_be() {
    let star = build(&Shape::Star { hosts: 4 });
    let refused = |uplinks| Joined::by_uplinks(&star, &star, uplinks, [uplink(); 2]).unwrap_err().to_string();
    assert_eq!(refused(0), "`outside.uplinks` is 0; a rack with uplinks needs at least 1");
    assert_eq!(refused(5), "`outside.uplinks` is 5; the rack has 4 hosts, each with one port for an uplink");
}

fn shapes() -> impl Strategy<Value = Shape> {
    let tiers = vec![Tier { switches: 2, uplinks: None }];
    prop_oneof![
        (2_u32..9).prop_map(|hosts| Shape::Star { hosts }),
        (1_u32..5, 1_u32..4, 1_u32..4).prop_map(|(leaves, spines, hosts_per_leaf)| Shape::LeafSpine {
            leaves,
            spines,
            hosts_per_leaf
        }),
        // Parallel links between leaves and spines.
        (1_u32..4).prop_map(move |leaves| Shape::Clos(Clos {
            leaves,
            hosts_per_leaf: 2,
            uplinks: 4,
            tiers: tiers.clone()
        })),
    ]
}

proptest! {
    /// Every link is in one part, with the same ends, the same way back, the same rate and the same class; and in each part every host
    /// reaches every other.
    #[test]
    fn parts_are_the_whole(
        (rack, outside) in (shapes(), shapes()),
        gateways in 1_u32..5,
        uplinks in any::<bool>(),
        slow in any::<prop::sample::Index>(),
    ) {
        let (rack, outside) = (build(&rack), build(&outside));
        let gateways = gateways.min(rack.hosts());
        let mut joined = if uplinks {
            Joined::by_uplinks(&rack, &outside, gateways, [uplink(); 2]).unwrap()
        } else {
            Joined::new(&rack, &outside, gateways, uplink()).unwrap()
        };
        let slow = LinkId(slow.index(joined.whole.links().len()) as u32);
        joined.whole.set_link(slow, Some(Rate::from_gbps(1)), None).unwrap();
        let mut found = vec![0; joined.whole.links().len()];
        for part in [joined.rack(), joined.outside()] {
            prop_assert_eq!(part.nodes.len(), part.topology.nodes() as usize);
            prop_assert_eq!(part.links.len(), part.topology.links().len());
            prop_assert!(Routes::shortest(&part.topology).is_ok());
            for (own, whole) in (0..).map(LinkId).zip(part.links.iter().map(|link| LinkId(*link))) {
                found[whole.index()] += 1;
                let (a, b) = (part.topology.link(own), joined.whole.link(whole));
                prop_assert_eq!((part.nodes[a.from.index()], part.nodes[a.to.index()]), (b.from.0, b.to.0));
                prop_assert_eq!((a.rate, a.delay, a.queue), (b.rate, b.delay, b.queue));
                let class = |of: &Topology, link: &crate::Link| of.classes()[usize::from(link.class)].clone();
                prop_assert_eq!(class(&part.topology, a), class(&joined.whole, b));
                prop_assert_eq!(part.links[part.topology.reverse(own).index()], joined.whole.reverse(whole).0);
            }
        }
        prop_assert!(found.iter().all(|times| *times == 1));
    }
}
