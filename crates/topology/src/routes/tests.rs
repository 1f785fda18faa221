use super::{RouteError, Routes};
use crate::random_graph::random_graph;
use crate::{Builder, LinkId, LinkSpec, NodeId, Shape, Topology};
use proptest::prelude::*;
use units::{Rate, Span};

const LINK: LinkSpec = LinkSpec { rate: Rate::from_gbps(10), delay: Span::from_us(1), queue: None };

fn build(shape: Shape) -> (Topology, Routes) {
    let topology = shape.build(LINK.rate, LINK.delay).expect("a good shape");
    let routes = Routes::shortest(&topology).expect("in one piece");
    (topology, routes)
}
fn fat_tree(k: u32) -> (Topology, Routes) {
    build(Shape::FatTree { k, oversubscription: 1.0 })
}

/// Links from every node to a host over what works, found by plain search; hosts don't pass anything on.
fn distances(topology: &Topology, works: &[bool], dst: u32) -> Vec<Option<u32>> {
    let mut distance = vec![None; topology.nodes() as usize];
    distance[dst as usize] = Some(0);
    let mut round = vec![NodeId(dst)];
    for hops in 1.. {
        let mut next = Vec::new();
        for node in round {
            for port in topology.ports(node) {
                let there = topology.link(LinkId(port)).to;
                let towards = topology.reverse(LinkId(port));
                if distance[there.index()].is_none() && works[towards.index()] {
                    distance[there.index()] = Some(hops);
                    if !topology.is_host(there) {
                        next.push(there);
                    }
                }
            }
        }
        if next.is_empty() {
            break;
        }
        round = next;
    }
    distance
}

/// Compares every answer with the plain search's.
fn check_all(topology: &Topology, routes: &Routes) {
    check_over(topology, &vec![true; topology.links().len()], routes);
}

fn check_over(topology: &Topology, works: &[bool], routes: &Routes) {
    for dst in 0..topology.hosts() {
        let distance = distances(topology, works, dst);
        for node in (0..topology.nodes()).map(NodeId).filter(|node| node.0 != dst) {
            let nearer = |link: &LinkId| {
                let to = topology.link(*link).to;
                let enters_host = topology.is_host(to) && to.0 != dst;
                let there = distance[to.index()].filter(|_| !enters_host);
                works[link.index()] && there.is_some() && there.map(|there| there + 1) == distance[node.index()]
            };
            let expected: Vec<LinkId> = topology.ports(node).map(LinkId).filter(nearer).collect();
            let hops = routes.next_hops(node, dst);
            if topology.is_host(node) && topology.ports(node).len() == 1 && expected.is_empty() {
                // It takes its link though that leads nowhere.
                assert_eq!(hops.iter().collect::<Vec<_>>(), [LinkId(topology.ports(node).start)]);
                continue;
            }
            assert_eq!(hops.iter().collect::<Vec<_>>(), expected, "{} to {dst}", topology.name(node));
            assert_eq!((hops.len() as usize, hops.is_empty()), (expected.len(), expected.is_empty()));
            if topology.is_host(node) && distance[node.index()].is_some() {
                assert_eq!(Some(routes.hop_count(node.0, dst)), distance[node.index()]);
            }
        }
    }
}

proptest! {
    #[test]
    fn shortest_paths_are_those_of_a_plain_search(topology in random_graph(9, 12)) {
        check_all(&topology, &Routes::shortest(&topology).expect("switches are in one piece"));
    }
}
proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn and_with_more_groups_than_are_searched_at_once(topology in random_graph(90, 220)) {
        check_all(&topology, &Routes::shortest(&topology).expect("switches are in one piece"));
    }
}

proptest! {
    #[test]
    fn paths_avoid_what_does_not_work(topology in random_graph(9, 12), broken in prop::collection::vec(any::<u32>(), 0..20)) {
        let mut works = vec![true; topology.links().len()];
        for link in broken {
            works[link as usize % topology.links().len()] = false;
        }
        let routes = Routes::over_what_works(&topology, &works).expect("small");
        check_over(&topology, &works, &routes);
    }
}

#[test]
fn in_a_fat_tree_all_of_whose_parts_work_nothing_changes() {
    let (topology, routes) = fat_tree(6);
    let works = vec![true; topology.links().len()];
    let again = Routes::over_what_works(&topology, &works).expect("small");
    assert_eq!(again.memory_bytes(), routes.memory_bytes());
    check_all(&topology, &again);
}

#[test]
fn and_in_regular_topologies() {
    for shape in [
        Shape::FatTree { k: 8, oversubscription: 1.5 },
        Shape::FatTree { k: 2, oversubscription: 1.0 },
        Shape::LeafSpine { leaves: 5, spines: 3, hosts_per_leaf: 2 },
        Shape::FoldedClos { radix: 6, leaves: Some(5) },
        Shape::Star { hosts: 5 },
        Shape::Star { hosts: 1 },
        Shape::Planes { hosts: 5, planes: 3 },
    ] {
        let (topology, routes) = build(shape);
        check_all(&topology, &routes);
    }
}

/// How many shortest paths there are, counted over all choices.
fn paths(routes: &Routes, at: NodeId, dst: u32) -> u64 {
    if at.0 == dst {
        return 1;
    }
    routes.next_hops(at, dst).iter().map(|link| paths(routes, routes.leads_to(link), dst)).sum()
}

#[test]
fn a_fat_tree_has_a_path_over_every_core() {
    for k in [4, 6, 12] {
        let (topology, routes) = fat_tree(k);
        let (half, last) = (u64::from(k / 2), topology.hosts() - 1);
        let from_first = |dst| (routes.hop_count(0, dst), paths(&routes, NodeId(0), dst));
        assert_eq!(from_first(0), (0, 1));
        assert_eq!(from_first(1), (2, 1));
        assert_eq!(from_first(k / 2), (4, half), "within a pod: one over each aggregation switch");
        assert_eq!(from_first(last), (6, half * half), "between pods: one over each core");
    }
}

#[test]
fn a_path_follows_its_choices() {
    let (topology, routes) = fat_tree(4);
    let names = |path: Vec<LinkId>| path.into_iter().map(|link| topology.link_name(link)).collect::<Vec<_>>();
    let mut asked = Vec::new();
    let path = routes.path(0, 15, |hops| {
        asked.push(hops);
        hops - 1
    });
    assert_eq!(asked, [1, 2, 2, 1, 1, 1]);
    assert_eq!(
        names(path),
        [
            "host-0 -> edge-0",
            "edge-0 -> aggregation-1",
            "aggregation-1 -> core-3",
            "core-3 -> aggregation-7",
            "aggregation-7 -> edge-7",
            "edge-7 -> host-15"
        ]
    );
    assert_eq!(names(routes.unloaded(0, 3).collect()).last().map(String::as_str), Some("edge-1 -> host-3"));
    assert_eq!(routes.path(5, 5, |_| 0), []);
}

#[test]
fn delays_and_bottlenecks_follow_later_changes() {
    let (mut topology, routes) = fat_tree(4);
    assert_eq!(routes.path_delay(&topology, 0, 15), Span::from_us(6));
    assert_eq!(routes.bottleneck(&topology, 0, 15), Some(Rate::from_gbps(10)));
    assert_eq!(routes.bottleneck(&topology, 0, 0), None);
    let core = topology.class("aggregation-core").unwrap();
    topology.set_class(core, Some(Rate::from_gbps(1)), Some(Span::from_us(5))).unwrap();
    assert_eq!(routes.path_delay(&topology, 0, 15), Span::from_us(14));
    assert_eq!(routes.bottleneck(&topology, 0, 15), Some(Rate::from_gbps(1)));
    assert_eq!(routes.bottleneck(&topology, 0, 1), Some(Rate::from_gbps(10)));
}

fn graph(hosts: &[&str], switches: &[&str], cables: &[(&str, &str)]) -> Topology {
    let mut builder = Builder::new("test");
    let class = builder.class("any");
    let mut nodes: Vec<_> = hosts.iter().map(|&name| (name, builder.host(name))).collect();
    nodes.extend(switches.iter().map(|&name| (name, builder.switch(name, None))));
    let find = |name| nodes.iter().find(|(known, _)| *known == name).expect("a node of the test").1;
    for &(a, b) in cables {
        builder.cable(find(a), find(b), class, LINK);
    }
    builder.finish().expect("a network")
}

#[test]
fn a_host_on_two_planes_takes_the_one_that_leads_there() {
    // Two planes that are joined by nothing but hosts; c is on one only.
    let cables = [("a", "s"), ("a", "t"), ("b", "s"), ("b", "t"), ("c", "t")];
    let topology = graph(&["a", "b", "c"], &["s", "t"], &cables);
    let routes = Routes::shortest(&topology).unwrap();
    check_all(&topology, &routes);
    let hops = |from: &str, dst| routes.next_hops(topology.node(from).unwrap(), dst).len();
    assert_eq!((hops("a", 1), hops("a", 2), hops("c", 0)), (2, 1, 1));
    assert!(routes.next_hops(topology.node("s").unwrap(), 2).is_empty());
}

#[test]
fn hosts_pass_nothing_on() {
    let cables = [("a", "s"), ("b", "s"), ("b", "t"), ("c", "t")];
    let topology = graph(&["a", "b", "c"], &["s", "t"], &cables);
    let error = Routes::shortest(&topology).expect_err("only b joins s and t");
    assert_eq!(
        error.to_string(),
        "`a` cannot reach `c`: every path between them leads through another host; link their switches"
    );
}

#[test]
fn nodes_alike_share_rows() {
    let (topology, routes) = fat_tree(12);
    // Hosts, cores, 12 pods' aggregation switches, 72 edge switches: 86 rows for 612 nodes.
    assert_eq!(routes.table.len(), 86 * 72);
    assert_eq!(routes.ports, (0..12).collect::<Vec<_>>());
    assert!(routes.memory_bytes() < 60_000, "{}", routes.memory_bytes());
    // 9 nodes out of 10 of a far larger one, too.
    let (_, large) = fat_tree(24);
    assert_eq!(large.table.len(), (1 + 1 + 24 + 288) * 288);
    assert_eq!(topology.nodes(), 612);
}

#[test]
fn tables_that_would_fill_memory_are_refused_before_they_do() {
    let topology = Shape::LeafSpine { leaves: 24_000, spines: 1, hosts_per_leaf: 1 };
    let topology = topology.build(LINK.rate, LINK.delay).unwrap();
    let error = Routes::shortest(&topology).expect_err("576 million entries");
    assert_eq!(error, RouteError::TooLarge { switches: 24_001, groups: 24_000, entries: 24_002 * 24_000 });
    assert_eq!(
        error.to_string(),
        "routes from 24001 switches to 24000 groups of hosts need 576048000 entries; at most 536870912 fit: make the topology smaller"
    );
}
