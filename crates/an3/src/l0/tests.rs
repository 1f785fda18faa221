use super::{Network, Routes};
use proptest::prelude::*;
use topology::{An3, Shape, Topology, Wiring};
use units::{Rate, Span};

fn topology(containers: u32, networks: u32, hosts: u32, wiring: Wiring) -> Topology {
    let shape = Shape::An3(An3 { containers, networks, hosts, wiring, egress: 2, container_links: 1 });
    shape.build(Rate::from_gbps(10), Span::from_ns(100)).expect("a good shape")
}
fn network(hosts: u32, wiring: Wiring) -> Network {
    Network::all(&topology(1, 1, hosts, wiring)).remove(0)
}
fn whole(network: &Network) -> Routes {
    Routes::new(&network.neighbours, &network.egress, |_, _| true)
}
/// The ports that are taken from a NIC to another, with the NICs that they leave.
fn walk(network: &Network, routes: &Routes, from: u32, to: u32) -> Vec<(u32, u32)> {
    let mut at = from;
    let mut taken = Vec::new();
    while let Some(port) = routes.next(at, to) {
        taken.push((at, port));
        assert!(taken.len() <= network.hosts.len(), "a loop from {from} to {to}");
        at = network.neighbours[at as usize][port as usize];
    }
    if !taken.is_empty() {
        assert_eq!(at, to);
    }
    taken
}
/// Distances by relaxing every link until nothing changes.
fn distances(neighbours: &[Vec<u32>], to: usize, works: impl Fn(u32, u32) -> bool) -> Vec<Option<u32>> {
    let mut distance = vec![None; neighbours.len()];
    distance[to] = Some(0);
    for _ in neighbours {
        for (from, ports) in (0..).zip(neighbours) {
            for (port, &next) in (0..).zip(ports) {
                if let (true, Some(there)) = (works(from, port), distance[next as usize]) {
                    let known = &mut distance[from as usize];
                    *known = Some(known.map_or(there + 1, |known: u32| known.min(there + 1)));
                }
            }
        }
    }
    distance
}

#[test]
fn networks_are_those_of_the_topology() {
    let topology = topology(2, 3, 22, Wiring::FatTree);
    let all = Network::all(&topology);
    assert_eq!(all.len(), 6);
    for (first, network) in (0..).step_by(22).zip(&all) {
        assert_eq!(network.hosts, (first..first + 22).collect::<Vec<u32>>());
        assert_eq!(network.egress, [0, 1]);
        assert!(network.neighbours.iter().all(|ports| ports.len() == 4));
        assert_eq!(network.neighbours, all[0].neighbours, "wired alike");
        for (host, (links, neighbours)) in network.links.iter().zip(&network.neighbours).enumerate() {
            for (&link, &to) in links.iter().zip(neighbours) {
                let link = topology.link(link);
                assert_eq!((link.from.0, link.to.0), (network.hosts[host], network.hosts[to as usize]));
            }
        }
    }
}

#[test]
fn the_papers_distances_and_paths_of_that_length() {
    let network = network(22, Wiring::FatTree);
    let routes = whole(&network);
    let mut sum = 0;
    for from in 0..22 {
        let nearest = network.egress.iter().filter_map(|&egress| routes.hops(from, egress)).min();
        assert!(nearest.is_some_and(|hops| hops <= 2));
        for to in 0..22 {
            let hops = routes.hops(from, to).expect("in one piece");
            assert_eq!(walk(&network, &routes, from, to).len() as u32, hops);
            sum += hops;
        }
    }
    assert_eq!(sum, 948, "2.05 on average");
}

/// Flows on each link, where every NIC has as many as `flows` says to each other.
fn loads(network: &Network, routes: &Routes, flows: impl Fn(u32, u32) -> u32) -> Vec<Vec<u32>> {
    let mut loads: Vec<Vec<u32>> = network.neighbours.iter().map(|ports| vec![0; ports.len()]).collect();
    for from in 0..network.hosts.len() as u32 {
        for to in 0..network.hosts.len() as u32 {
            for (nic, port) in walk(network, routes, from, to) {
                loads[nic as usize][port as usize] += flows(from, to);
            }
        }
    }
    loads
}

#[test]
fn what_leaves_the_network_is_shared_out_evenly_among_the_links_of_an_egress_nic() {
    let network = network(22, Wiring::FatTree);
    let routes = whole(&network);
    for egress in [0, 1] {
        // 21 NICs over four links.
        for (way, flows) in [
            ("in", loads(&network, &routes, |_, to| u32::from(to == egress))),
            ("out", loads(&network, &routes, |from, _| u32::from(from == egress))),
        ] {
            let of_egress: Vec<u32> = if way == "out" {
                flows[egress as usize].clone()
            } else {
                let ends = network.neighbours.iter().zip(&flows);
                let into = ends.flat_map(|(ports, flows)| ports.iter().zip(flows)).filter(|(to, _)| **to == egress);
                into.map(|(_, flows)| *flows).collect()
            };
            assert_eq!(of_egress.iter().sum::<u32>(), 21);
            assert!(of_egress.iter().all(|flows| (4..=7).contains(flows)), "{way} {egress}: {of_egress:?}");
        }
    }
    // Shortest paths take 948 links in all, over 88: 10.8 on average. Spread evenly at every node, the most loaded link would carry 11.4.
    let all = loads(&network, &routes, |_, _| 1);
    let most = all.iter().flatten().max().copied();
    assert!(most.is_some_and(|most| most <= 16), "{all:?}");
}

fn wirings() -> impl Strategy<Value = Network> {
    prop_oneof![
        2 => Just((22, Wiring::FatTree)),
        1 => (2..40_u32).prop_map(|hosts| (hosts, Wiring::Torus)),
        1 => (2..40_u32).prop_map(|hosts| (hosts, Wiring::Mesh)),
    ]
    .prop_map(|(hosts, wiring)| network(hosts, wiring))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Whatever has failed, in one direction or both, and whatever NIC is dead: every path is a shortest one over what works, ends where it should, and is there if any is.
    #[test]
    fn paths_are_shortest_and_lead_there_whatever_has_failed(
        network in wirings(),
        dead in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        broken in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u32), 0..8),
    ) {
        let nics = network.hosts.len();
        let dead: Vec<u32> = dead.iter().map(|nic| nic.index(nics) as u32).collect();
        let broken: Vec<(u32, u32)> = broken.iter().map(|(nic, port)| (nic.index(nics) as u32, *port)).collect();
        let works = |nic: u32, port: u32| {
            let to = network.neighbours[nic as usize][port as usize];
            !dead.contains(&nic) && !dead.contains(&to) && !broken.contains(&(nic, port))
        };
        let routes = Routes::new(&network.neighbours, &network.egress, works);
        for to in 0..nics {
            let expected = distances(&network.neighbours, to, works);
            for (from, expected) in (0..).zip(expected) {
                prop_assert_eq!(routes.hops(from, to as u32), expected);
                let taken = walk(&network, &routes, from, to as u32);
                prop_assert_eq!(taken.len() as u32, expected.unwrap_or(0));
                prop_assert!(taken.iter().all(|&(nic, port)| works(nic, port)));
            }
        }
        prop_assert_eq!(&routes, &Routes::new(&network.neighbours, &network.egress, works), "the same always");
    }
}
