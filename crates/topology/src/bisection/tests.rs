use crate::shape::tests::flow_between;
use crate::{An3, Builder, LinkSpec, Shape, Tier, Topology, Torus, Wiring};
use crate::{Clos, LinkId};
use units::{Rate, Span};

const RATE: Rate = Rate::from_gbps(10);

fn build(shape: Shape) -> Topology {
    shape.build(RATE, Span::from_ns(100)).expect("a good shape")
}
/// The bisection in links' rates, which are all alike.
fn links(shape: Shape) -> u64 {
    let bisection = build(shape).bisection_bps();
    assert!(bisection.is_multiple_of(RATE.as_bps()));
    bisection / RATE.as_bps()
}
fn torus(sizes: &[u32]) -> Shape {
    Shape::Torus(Torus { sizes: sizes.to_vec(), host_rate: None })
}
fn an3(networks: u32, hosts: u32, wiring: Wiring, egress: u32) -> Shape {
    Shape::An3(An3 { containers: 1, networks, hosts, wiring, egress, container_links: 1 })
}

#[test]
fn trees_have_what_their_narrowest_tier_carries() {
    assert_eq!(links(Shape::FatTree { k: 8, oversubscription: 1.0 }), 64);
    assert_eq!(links(Shape::FatTree { k: 8, oversubscription: 2.0 }), 64);
    assert_eq!(links(Shape::FoldedClos { radix: 8, leaves: None }), 16);
    assert_eq!(links(Shape::LeafSpine { leaves: 8, spines: 8, hosts_per_leaf: 8 }), 32);
    assert_eq!(links(Shape::LeafSpine { leaves: 8, spines: 6, hosts_per_leaf: 8 }), 24);
    assert_eq!(links(Shape::Star { hosts: 9 }), 4);
    assert_eq!(links(Shape::Planes { hosts: 10, planes: 3 }), 15);
    let tiers = vec![Tier { switches: 8, uplinks: Some(2) }, Tier { switches: 4, uplinks: None }];
    // Two pods of 8 leaves with 4 links up each, to 4 switches of 2 links up.
    assert_eq!(links(Shape::Clos(Clos { leaves: 16, hosts_per_leaf: 4, uplinks: 4, tiers })), 8);
}

#[test]
fn a_torus_has_two_rings_cuts_across_its_longest_dimension() {
    for sizes in [&[4, 4, 4][..], &[8, 4], &[4, 8], &[2, 6, 3], &[6], &[4, 2]] {
        let (nodes, longest) = (sizes.iter().product::<u32>(), sizes.iter().max().expect("one"));
        assert_eq!(links(torus(sizes)), u64::from(2 * nodes / longest), "{sizes:?}");
    }
}

#[test]
fn an3_has_its_links_up_or_what_is_within() {
    // Two L0 networks on either side, with a link up for each NIC, or for four of sixteen.
    assert_eq!(links(an3(4, 16, Wiring::Torus, 16)), 32);
    assert_eq!(links(an3(4, 16, Wiring::Torus, 4)), 8);
    assert_eq!(links(an3(2, 22, Wiring::FatTree, 2)), 2);
}

#[test]
fn rates_of_single_links_count() {
    let mut topology = build(Shape::LeafSpine { leaves: 2, spines: 2, hosts_per_leaf: 4 });
    let class = topology.class("leaf-spine");
    topology.set_class(class.expect("there is one"), Some(Rate::from_gbps(5)), None).expect("a good rate");
    assert_eq!(topology.bisection_bps(), 10_000_000_000);
    let from = topology.node("leaf-0").expect("a leaf");
    let to = topology.node("spine-1").expect("a spine");
    let link: LinkId = topology.link_between(from, to).next().expect("a link");
    topology.set_link(link, Some(Rate::from_gbps(2)), None).expect("a good rate");
    assert_eq!(topology.bisection_bps(), 7_000_000_000);
}

/// All halves of up to twelve hosts.
fn narrowest(topology: &Topology) -> u64 {
    let hosts = topology.hosts();
    let halves = (0_u32..1 << hosts).filter(|chosen| chosen.count_ones() == hosts / 2);
    let flow = |chosen: u32| {
        let (left, right): (Vec<u32>, Vec<u32>) = (0..hosts).partition(|host| chosen >> host & 1 == 1);
        assert_eq!(topology.flow_bps(&left), flow_between(topology, &left, &right), "{left:?}");
        topology.flow_bps(&left)
    };
    halves.map(flow).min().expect("there are two hosts")
}

#[test]
fn no_halves_of_small_regular_networks_are_narrower() {
    for shape in [
        Shape::FatTree { k: 2, oversubscription: 2.0 },
        Shape::LeafSpine { leaves: 4, spines: 1, hosts_per_leaf: 2 },
        Shape::LeafSpine { leaves: 2, spines: 3, hosts_per_leaf: 4 },
        Shape::LeafSpine { leaves: 2, spines: 3, hosts_per_leaf: 5 },
        Shape::FoldedClos { radix: 4, leaves: None },
        Shape::Star { hosts: 7 },
        Shape::Planes { hosts: 6, planes: 2 },
        torus(&[4, 2]),
        torus(&[2, 4]),
        torus(&[8]),
        torus(&[2, 2, 2]),
        an3(2, 4, Wiring::Torus, 2),
        an3(2, 4, Wiring::Mesh, 4),
        an3(1, 10, Wiring::Mesh, 2),
    ] {
        let topology = build(shape.clone());
        assert_eq!(topology.bisection_bps(), narrowest(&topology), "{shape:?}");
    }
}

#[test]
fn it_is_an_upper_bound_of_any_graph() {
    // Two stars of three hosts, numbered so that no order tried keeps them whole, joined by one link.
    let mut builder = Builder::new("two stars");
    let class = builder.class("any");
    let link = LinkSpec { rate: RATE, delay: Span::ZERO, queue: None };
    let hosts: Vec<_> = (0..6).map(|host| builder.host(format!("host-{host}"))).collect();
    let stars = ["left", "right"].map(|name| builder.switch(name.to_owned(), Some(1)));
    for (host, star) in hosts.iter().zip([0, 1, 1, 0, 0, 1]) {
        builder.cable(*host, stars[star], class, link);
    }
    builder.cable(stars[0], stars[1], class, link);
    let topology = builder.finish().expect("a good graph");
    assert_eq!(narrowest(&topology), RATE.as_bps());
    // In the order of hops from the first host they are whole.
    assert_eq!(topology.bisection_bps(), RATE.as_bps());
}
