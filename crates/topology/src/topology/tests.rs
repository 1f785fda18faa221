use crate::random_graph::random_graph;
use crate::{Builder, Direction, LinkId, LinkSpec, NodeId, Shape, Topology};
use proptest::prelude::*;
use units::{Rate, Span};

fn fat_tree(k: u32) -> Topology {
    Shape::FatTree { k, oversubscription: 1.0 }.build(Rate::from_gbps(10), Span::from_us(1)).expect("k is even")
}

#[test]
fn too_many_classes_are_refused_and_found_by_name() {
    // A search for each of them among all others took minutes.
    let mut builder = Builder::new("odd");
    let (host, switch) = (builder.host("host"), builder.switch("switch", None));
    let spec = LinkSpec { rate: Rate::from_gbps(10), delay: Span::ZERO, queue: None };
    for number in 0..60_000 {
        let class = builder.class(&format!("class {number}"));
        builder.cable(host, switch, class, spec);
    }
    assert_eq!(
        builder.finish().unwrap_err().to_string(),
        "odd would have 60000 classes of links; at most 1000 can be built: make it smaller"
    );
}

proptest! {
    #[test]
    fn ports_of_a_node_are_one_range_of_links_sorted_by_where_they_lead(topology in random_graph(9, 9)) {
        let mut next = 0;
        for node in (0..topology.nodes()).map(NodeId) {
            let ports = topology.ports(node);
            prop_assert_eq!(ports.start, next);
            next = ports.end;
            let links = &topology.links()[ports.start as usize..ports.end as usize];
            prop_assert!(links.iter().all(|link| link.from == node));
            prop_assert!(links.is_sorted_by_key(|link| link.to));
        }
        prop_assert_eq!(next as usize, topology.links().len());
    }

    #[test]
    fn reverse_is_the_other_way_of_the_same_cable(topology in random_graph(9, 9)) {
        for (number, link) in (0..).zip(topology.links()) {
            let back = topology.reverse(LinkId(number));
            prop_assert_eq!(topology.reverse(back), LinkId(number));
            let other = topology.link(back);
            prop_assert_eq!((link.from, link.to, link.class), (other.to, other.from, other.class));
            let opposite = match link.direction {
                Direction::Up => Direction::Down,
                Direction::Down => Direction::Up,
                Direction::Flat => Direction::Flat,
            };
            prop_assert_eq!(other.direction, opposite);
            // Cables between two nodes keep to their own rates: see how random graphs give them.
            let pair = [link.rate.as_bps(), other.rate.as_bps()].map(|bps| bps / 1_000_000_000);
            prop_assert!(pair[0] % 1000 == pair[1] % 1000, "{:?}", pair);
        }
    }

    #[test]
    fn names_lead_back_to_their_nodes_and_links(topology in random_graph(9, 9)) {
        for node in (0..topology.nodes()).map(NodeId) {
            prop_assert_eq!(topology.node(topology.name(node)), Some(node));
        }
        for link in (0..topology.links().len() as u32).map(LinkId) {
            prop_assert_eq!(topology.find_link(&topology.link_name(link)), Ok(link));
        }
    }

    #[test]
    fn links_between_two_nodes_are_those_that_join_them(topology in random_graph(6, 6)) {
        for from in (0..topology.nodes()).map(NodeId) {
            for to in (0..topology.nodes()).map(NodeId) {
                let all = (0..).zip(topology.links()).filter(|(_, link)| link.from == from && link.to == to);
                let all: Vec<_> = all.map(|(number, _)| LinkId(number)).collect();
                prop_assert_eq!(topology.link_between(from, to).collect::<Vec<_>>(), all);
            }
        }
    }
}

#[test]
fn hosts_come_first_and_tiers_give_directions() {
    let topology = fat_tree(4);
    assert_eq!((topology.hosts(), topology.switches(), topology.nodes(), topology.cables()), (16, 20, 36, 48));
    assert_eq!(topology.name(NodeId(15)), "host-15");
    assert_eq!(topology.name(NodeId(16)), "edge-0");
    assert!(topology.is_host(NodeId(15)) && !topology.is_host(NodeId(16)));
    assert_eq!(topology.top_tier(), 3);
    let direction = |name| topology.link(topology.find_link(name).unwrap()).direction;
    assert_eq!(direction("host-0 -> edge-0"), Direction::Up);
    assert_eq!(direction("edge-0 -> aggregation-1"), Direction::Up);
    assert_eq!(direction("core-3 -> aggregation-1"), Direction::Down);
    assert_eq!(direction("edge-0->host-1"), Direction::Down);
    assert_eq!(Direction::Flat.to_string(), "flat");
}

#[test]
fn tiers_that_are_not_said_are_distances_from_hosts() {
    let mut builder = Builder::new("chain");
    let class = builder.class("any");
    let spec = LinkSpec { rate: Rate::from_gbps(1), delay: Span::ZERO, queue: None };
    let far = builder.switch("far", None);
    let middle = builder.switch("middle", None);
    let near = builder.switch("near", None);
    let other = builder.switch("other", None);
    let host = builder.host("host");
    for (a, b) in [(far, middle), (middle, near), (near, host), (middle, other)] {
        builder.cable(a, b, class, spec);
    }
    let topology = builder.finish().unwrap();
    let tier = |name| topology.tier(topology.node(name).unwrap());
    assert_eq!(["host", "near", "middle", "far", "other"].map(tier), [0, 1, 2, 3, 3]);
}

#[test]
fn what_is_not_there_is_answered_with_what_is() {
    let topology = fat_tree(4);
    let node = |name| topology.find_node(name).expect_err(name).to_string();
    assert_eq!(node("edge-9"), "no node is called `edge-9`; did you mean `edge-0`?");
    assert_eq!(
        node("spine"),
        "no node is called `spine`; the nodes are `host-0`, `host-1`, `host-2`, `host-3` and 32 more"
    );
    assert_eq!(node("Agregation-3"), "no node is called `Agregation-3`; did you mean `aggregation-3`?");
    let link = |name| topology.find_link(name).expect_err(name).to_string();
    assert_eq!(
        link("edge-0"),
        "`edge-0` is not a link; write it as two nodes with an arrow, such as `host-0 -> edge-0`"
    );
    assert_eq!(link("egde-0 -> core-0"), "no node is called `egde-0`; did you mean `edge-0`?");
    assert_eq!(
        link("edge-0 -> core-0"),
        "no link goes from `edge-0` to `core-0`; from `edge-0` links go to `host-0`, `host-1`, `aggregation-0`, `aggregation-1`"
    );
    assert_eq!(
        link("edge-0 -> aggregation-1 (2)"),
        "there is no `edge-0 -> aggregation-1 (2)`; links from `edge-0` to `aggregation-1` are numbered 1 to 1"
    );
    let star = Shape::Star { hosts: 7 }.build(Rate::from_gbps(1), Span::ZERO).unwrap();
    assert_eq!(
        star.find_link("switch-0 -> switch-0").expect_err("to itself").to_string(),
        "no link goes from `switch-0` to `switch-0`; from `switch-0` links go to `host-0`, `host-1`, `host-2`, `host-3` and 3 more"
    );
    assert_eq!(topology.class("edge-core"), None);
}

#[test]
fn classes_and_links_can_be_given_other_rates_and_delays() {
    let mut topology = fat_tree(4);
    let core = topology.class("aggregation-core").unwrap();
    topology.set_class(core, Some(Rate::from_gbps(40)), None).unwrap();
    let changed = |link: &&crate::Link| link.rate == Rate::from_gbps(40) && link.delay == Span::from_us(1);
    assert_eq!(topology.links().iter().filter(changed).count(), 32);
    let link = topology.find_link("host-0 -> edge-0").unwrap();
    topology.set_link(link, Some(Rate::from_gbps(1)), Some(Span::from_ns(5))).unwrap();
    assert_eq!(topology.host_rate(0), Rate::from_gbps(1));
    assert_eq!(topology.link(topology.reverse(link)).rate, Rate::from_gbps(10));
    assert_eq!(
        topology.describe(),
        "fat-tree, k = 4: 16 hosts, 20 switches, 48 cables (host-edge 1 Gb/s to 10 Gb/s and 5 ns to 1 us, \
         edge-aggregation 10 Gb/s and 1 us, aggregation-core 40 Gb/s and 1 us)"
    );
    topology.set_label("fabric.json");
    assert_eq!(topology.label(), "fabric.json");
    let before = topology.links().to_vec();
    for rate in [0, 999_999, 1_000_000_000_000_001] {
        topology.set_class(core, Some(Rate::from_bps(rate)), Some(Span::ZERO)).expect_err("out of range");
        topology.set_link(link, Some(Rate::from_bps(rate)), None).expect_err("out of range");
    }
    assert_eq!(topology.links(), before);
    assert_eq!(
        topology.set_link(link, Some(Rate::from_bps(0)), None).expect_err("zero").to_string(),
        "a link cannot have a rate of 0 b/s; rates go from 1 Mb/s to 1000 Tb/s"
    );
}
