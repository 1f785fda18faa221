use super::fat_tree::{CABLES, NICS};
use super::{An3, L1_PORTS, Wiring, distances};
use crate::{BuildError, NodeId, Routes, Shape, Size, Topology};
use units::{Rate, Span};

fn an3(containers: u32, networks: u32) -> An3 {
    An3 { containers, networks, hosts: 22, wiring: Wiring::FatTree, egress: 2, container_links: 1 }
}
fn build(an3: &An3) -> Topology {
    Shape::An3(an3.clone()).build(Rate::from_gbps(10), Span::from_ns(100)).expect("a good shape")
}

#[test]
fn the_papers_l0_network_has_the_distances_it_states() {
    let mut links = [0; NICS as usize];
    for end in CABLES.iter().flat_map(|&(a, b)| [a, b]) {
        links[end as usize] += 1;
    }
    assert_eq!(links, [4; NICS as usize]);
    let distances = distances(NICS, &CABLES);
    assert!(distances.iter().all(|from| from[0].min(from[1]) <= 2), "an egress NIC within two hops");
    assert!(distances[10..].iter().all(|leaf| (leaf[0], leaf[1]) == (2, 2)), "both, from leaves");
    let sum: u32 = distances.iter().flatten().sum();
    assert_eq!((sum, NICS * (NICS - 1)), (948, 462));
    let mean = f64::from(sum) / 462.0;
    assert!((mean / 2.04 - 1.0).abs() < 0.006, "{mean}");
    // The bound: 4 at one hop, 4 x 3 at two, and the others at three.
    assert_eq!(22 * (4 + 12 * 2 + 5 * 3), 946);
}

/// Load of the most loaded link, in twelfths: every node sends one unit to every other, and at every node it is shared out evenly among the links that begin a shortest path.
fn most_loaded(cables: &[(u32, u32)], distances: &[Vec<u32>]) -> u32 {
    let mut load = std::collections::BTreeMap::new();
    for to in 0..NICS {
        let mut nodes: Vec<u32> = (0..NICS).filter(|node| *node != to).collect();
        nodes.sort_by_key(|&node| std::cmp::Reverse(distances[node as usize][to as usize]));
        // 2520 is divided by all numbers up to 10, and 2520^3 by three such in a row.
        let mut carried = [2520_u64.pow(3); NICS as usize];
        for node in nodes {
            let ends = cables.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
            let nearer =
                |other: u32| distances[other as usize][to as usize] + 1 == distances[node as usize][to as usize];
            let next: Vec<u32> =
                ends.filter(|&(from, other)| from == node && nearer(other)).map(|(_, to)| to).collect();
            let part = carried[node as usize] / next.len() as u64;
            for other in next {
                *load.entry((node, other)).or_insert(0) += part;
                carried[other as usize] += part;
            }
        }
    }
    (load.into_values().max().expect("links") * 12 / 2520_u64.pow(3)) as u32
}

/// All ways to lay two cross-links at each leaf so that no leaf and the two that it is linked to hang on one NIC.
fn cross_links(found: &mut Vec<Vec<(u32, u32)>>, links: &mut Vec<(u32, u32)>, of: &mut [Vec<u32>]) {
    let Some(leaf) = (0..of.len()).find(|&leaf| of[leaf].len() < 2) else {
        found.push(links.clone());
        return;
    };
    let above: Vec<[u32; 2]> = (0..4).flat_map(|i| (0..4).map(move |j| [i, j])).filter(|[i, j]| i != j).collect();
    let apart = |a: usize, b: usize| a != b && (0..2).all(|tree| above[a][tree] != above[b][tree]);
    // Links of a leaf come in order, so that each set is found once.
    let first = links.last().filter(|(from, _)| *from == leaf as u32).map_or(leaf + 1, |(_, to)| *to as usize + 1);
    for other in first..of.len() {
        let fits = of[other].len() < 2
            && apart(leaf, other)
            && of[leaf].iter().all(|&third| apart(third as usize, other))
            && of[other].iter().all(|&third| apart(third as usize, leaf));
        if fits {
            links.push((leaf as u32, other as u32));
            of[leaf].push(other as u32);
            of[other].push(leaf as u32);
            cross_links(found, links, of);
            of[leaf].pop();
            of[other].pop();
            links.pop();
        }
    }
}

/// The search by which the cables were found.
#[test]
fn the_cross_links_are_the_best_there_are() {
    let mut found = Vec::new();
    cross_links(&mut found, &mut Vec::new(), &mut vec![Vec::new(); 12]);
    assert_eq!(found.len(), 516);
    let graph = |cross: &Vec<(u32, u32)>| -> Vec<(u32, u32)> {
        CABLES[..32].iter().copied().chain(cross.iter().map(|&(a, b)| (a + 10, b + 10))).collect()
    };
    let worth = |cross: &Vec<(u32, u32)>| {
        let cables = graph(cross);
        let distances = distances(NICS, &cables);
        (distances.iter().flatten().sum::<u32>(), most_loaded(&cables, &distances))
    };
    let best = found.iter().min_by_key(|cross| worth(cross)).expect("some");
    assert_eq!((worth(best), graph(best).as_slice()), ((948, 137), CABLES.as_slice()));
}

#[test]
fn containers_and_networks_multiply_and_every_switch_has_its_ports() {
    for (containers, networks, links) in [(1, 1, 1), (1, 64, 1), (3, 64, 1), (2, 5, 7), (5, 2, 1), (64, 2, 1)] {
        let shape = An3 { container_links: links, ..an3(containers, networks) };
        let topology = build(&shape);
        let all = containers * networks;
        let between = containers * (containers - 1) * links;
        let expected = Size { hosts: all * 22, switches: 2 * containers, cables: all * 46 + between };
        let size = Size { hosts: topology.hosts(), switches: topology.switches(), cables: topology.cables() };
        assert_eq!((size, Shape::An3(shape).size()), (expected, Ok(expected)));
        assert!(topology.hosts_forward());
        for switch in (topology.hosts()..topology.nodes()).map(NodeId) {
            let ports = topology.ports(switch).len() as u32;
            assert_eq!(ports, networks + (containers - 1) * links);
            assert!(ports < L1_PORTS, "one for the network operations centre");
        }
    }
    assert_eq!(Shape::An3(an3(64, 64)).size().map(|size| size.hosts), Ok(90_112));
}

#[test]
fn names_classes_and_rates_are_the_papers() {
    let topology = build(&an3(2, 3));
    assert_eq!(
        topology.describe(),
        "AN3, 2 containers of 3 L0 networks (fat-tree of 22): 132 hosts, 4 switches, 278 cables (l0 5 Gb/s and 5 ns, l0-l1 10 Gb/s and 100 ns, l1-l1 10 Gb/s and 100 ns)"
    );
    assert_eq!(topology.name(NodeId((3 + 2) * 22 + 7)), "c1-n2-h7");
    for (from, to) in [("c1-n2-h0", "c1-primary"), ("c1-n2-h1", "c1-secondary"), ("c0-primary", "c1-primary")] {
        let link = topology.find_link(&format!("{from} -> {to}")).expect("linked");
        assert_eq!(topology.link(link).rate, Rate::from_gbps(10));
    }
    assert!(topology.find_link("c0-primary -> c1-secondary").is_err());
    // Hosts that pass on are no hosts of routes over switches alone.
    assert!(Routes::shortest(&topology).is_err());
    assert_eq!(
        topology.hops_from(NodeId(10))[131],
        2 + 1 + 1 + 1 + 2,
        "leaf, egress NIC, switch, switch, egress NIC, leaf"
    );
}

#[test]
fn torus_and_mesh_are_as_near_to_a_square_as_they_can_be() {
    let cables = |wiring: Wiring, hosts| wiring.cables(hosts).len();
    // 4 x 5 of four links each, and 4 x 4 + 3 x 5.
    assert_eq!((cables(Wiring::Torus, 20), cables(Wiring::Mesh, 20)), (40, 31));
    assert_eq!((cables(Wiring::Torus, 22), cables(Wiring::Mesh, 22)), (44, 31));
    assert_eq!((cables(Wiring::Torus, 23), cables(Wiring::Mesh, 23)), (23, 22), "a ring and a line");
    for wiring in [Wiring::Torus, Wiring::Mesh] {
        for (hosts, egress) in [(2, 2), (9, 2), (22, 4), (23, 3), (64, 2)] {
            let shape = An3 { hosts, wiring, egress, ..an3(2, 2) };
            let topology = build(&shape);
            for host in (0..topology.hosts()).map(NodeId) {
                let to_hosts =
                    topology.ports(host).filter(|&port| topology.is_host(topology.links()[port as usize].to));
                assert!(to_hosts.count() <= 4);
            }
            let nics = shape.egress_nics();
            assert_eq!(nics.len(), egress as usize);
            assert!((0..hosts).all(|host| nics.iter().filter(|&&nic| nic == host).count() <= 1), "different ones");
        }
    }
    let mesh = An3 { hosts: 9, wiring: Wiring::Mesh, egress: 2, ..an3(1, 1) };
    assert_eq!(mesh.egress_nics()[0], 4, "the middle");
}

#[test]
fn what_does_not_fit_is_refused_with_its_cure() {
    let refused = |shape: An3| Shape::An3(shape).size().expect_err("does not fit").to_string();
    assert_eq!(
        refused(An3 { hosts: 20, ..an3(1, 1) }),
        "`hosts` is 20; a fat-tree of NICs has 22: write 22, or wiring = \"torus\" or \"mesh\""
    );
    assert_eq!(refused(an3(65, 1)), "`containers` is 65; an AN3 network has from 1 to 64");
    assert_eq!(refused(An3 { egress: 1, ..an3(1, 1) }), "`egress` is 1; an AN3 network has from 2 to 22");
    assert_eq!(
        refused(An3 { container_links: 2, ..an3(64, 64) }),
        "an L1 switch would need 191 ports (64 to egress NICs, 126 to other containers, 1 to the network operations centre); it has 128: write fewer networks, egress NICs, \
         containers or container_links"
    );
    assert!(Shape::An3(An3 { container_links: 31, ..an3(3, 64) }).size().is_ok(), "§2.2: unused ports");
    assert!(matches!(
        Shape::An3(An3 { container_links: 32, ..an3(3, 64) }).size(),
        Err(BuildError::An3Ports { inward: 64, outward: 64, ports: 128 })
    ));
}

#[test]
fn a_network_is_the_same_when_it_is_written_and_read_again() {
    let topology = build(&an3(2, 2));
    let text = crate::node_link::write(&topology);
    let read = crate::node_link::parse(&text, Rate::from_gbps(1), Span::from_us(1)).expect("what was written");
    assert!(read.hosts_forward());
    assert_eq!(
        (read.links(), read.classes(), read.describe()),
        (topology.links(), topology.classes(), topology.describe())
    );
}
