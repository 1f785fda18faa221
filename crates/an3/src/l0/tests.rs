use super::{Distances, Network};
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
/// Distances by relaxing every link until nothing changes.
fn relaxed(neighbours: &[Vec<u32>], to: usize, works: impl Fn(u32, u32) -> bool) -> Vec<Option<u32>> {
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
fn the_papers_distances() {
    let network = network(22, Wiring::FatTree);
    let distances = Distances::new(&network.neighbours, |_, _| true);
    let mut sum = 0;
    for from in 0..22 {
        let nearest = network.egress.iter().filter_map(|&egress| distances.hops(from, egress)).min();
        assert!(nearest.is_some_and(|hops| hops <= 2));
        sum += (0..22).map(|to| distances.hops(from, to).expect("in one piece")).sum::<u32>();
    }
    assert_eq!(sum, 948, "2.05 on average");
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

    /// Whatever has failed, in one direction or both, and whatever NIC is dead: distances are those over what works.
    #[test]
    fn distances_are_those_over_what_works(
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
        let distances = Distances::new(&network.neighbours, works);
        for to in 0..nics {
            for (from, expected) in (0..).zip(relaxed(&network.neighbours, to, works)) {
                prop_assert_eq!(distances.hops(from, to as u32), expected);
            }
        }
    }
}
