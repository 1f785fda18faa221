use super::Torus;
use crate::shape::tests::flow_between;
use crate::{BuildError, Direction, NodeId, Routes, Shape, Size, Topology};
use units::{Rate, Span};

const RATE: Rate = Rate::from_gbps(10);

fn shape(sizes: &[u32]) -> Shape {
    Shape::Torus(Torus { sizes: sizes.to_vec(), host_rate: None })
}
fn torus(sizes: &[u32]) -> Topology {
    shape(sizes).build(RATE, Span::from_ns(100)).expect("a good shape")
}
/// Links between the switches of every two hosts.
fn distances(topology: &Topology) -> Vec<u32> {
    let routes = Routes::shortest(topology).expect("in one piece");
    let between = |src, dst| routes.hop_count(src, dst).saturating_sub(2);
    (0..topology.hosts())
        .flat_map(|src| (0..topology.hosts()).map(move |dst| (src, dst)))
        .map(|(s, d)| between(s, d))
        .collect()
}

/// From rings to four dimensions, odd and even, with dimensions of one and two.
const TORI: [&[u32]; 10] =
    [&[2], &[3], &[9], &[4, 4], &[5, 3], &[2, 6], &[3, 1, 4], &[4, 4, 4], &[2, 3, 4], &[3, 2, 4, 3]];

#[test]
fn size_degree_diameter_and_mean_distance_are_those_of_the_closed_forms() {
    for sizes in TORI {
        let topology = torus(sizes);
        let nodes: u32 = sizes.iter().product();
        let degree = 2 * sizes.iter().filter(|size| **size > 1).count() as u32;
        let expected = Size { hosts: nodes, switches: nodes, cables: nodes + nodes * degree / 2 };
        let size = Size { hosts: topology.hosts(), switches: topology.switches(), cables: topology.cables() };
        assert_eq!((size, shape(sizes).size()), (expected, Ok(expected)), "{sizes:?}");
        for switch in (nodes..2 * nodes).map(NodeId) {
            assert_eq!(topology.ports(switch).len() as u32, degree + 1);
        }
        let distances = distances(&topology);
        let diameter: u32 = sizes.iter().map(|size| size / 2).sum();
        assert_eq!(distances.iter().max(), Some(&diameter), "{sizes:?}");
        // Along a dimension of k the distances from a node sum to k²/4 for an even k and (k² - 1)/4 for an odd one: floor(k²/4).
        let sum: u32 = sizes.iter().map(|size| nodes * nodes / size * (size * size / 4)).sum();
        assert_eq!(distances.iter().sum::<u32>(), sum, "{sizes:?}");
    }
}

#[test]
fn a_node_is_joined_to_the_next_along_each_dimension_and_the_last_to_the_first() {
    let topology = torus(&[4, 3, 2]);
    let name = |link: u32| topology.name(topology.links()[link as usize].to).to_owned();
    let neighbours = |node: &str| -> Vec<String> { topology.ports(topology.node(node).unwrap()).map(name).collect() };
    // Place 3, 2, 1.
    let expected = ["host-23", "switch-11", "switch-11", "switch-15", "switch-19", "switch-20", "switch-22"];
    assert_eq!(neighbours("switch-23"), expected);
    assert_eq!(neighbours("host-23"), ["switch-23"]);
    assert_eq!(topology.classes(), ["host-switch", "dimension-0", "dimension-1", "dimension-2"]);
    assert!(topology.links().iter().all(|link| (link.class == 0) == (link.direction != Direction::Flat)));
    // A dimension of one keeps its number.
    assert_eq!(torus(&[3, 1, 4]).classes(), ["host-switch", "dimension-0", "dimension-2"]);
}

#[test]
fn what_crosses_the_middle_is_what_two_links_of_every_ring_carry() {
    for (sizes, rings) in [(&[8][..], 1), (&[4, 2], 2), (&[4, 3, 2], 6)] {
        let topology = torus(sizes);
        let half = |upper: bool| -> Vec<u32> {
            (0..topology.hosts()).filter(|host| (host % sizes[0] >= sizes[0] / 2) == upper).collect()
        };
        assert_eq!(flow_between(&topology, &half(false), &half(true)), rings * 2 * RATE.as_bps(), "{sizes:?}");
    }
}

#[test]
fn a_host_can_use_all_links_of_its_node_unless_its_rate_is_written() {
    let line = "torus, 4 x 4 x 4: 64 hosts, 64 switches, 256 cables (host-switch 60 Gb/s and 100 ns, dimension-0 10 Gb/s and 100 ns, \
                dimension-1 10 Gb/s and 100 ns, dimension-2 10 Gb/s and 100 ns)";
    assert_eq!(torus(&[4, 4, 4]).describe(), line);
    assert_eq!(torus(&[5]).host_rate(0), Rate::from_gbps(20));
    assert_eq!(torus(&[5, 1, 2]).host_rate(0), Rate::from_gbps(40));
    let written = Torus { sizes: vec![5], host_rate: Some(Rate::from_gbps(10)) };
    let written = Shape::Torus(written).build(RATE, Span::ZERO).expect("a good shape");
    assert_eq!(written.describe(), "torus, 5 (a ring): 5 hosts, 5 switches, 10 cables of 10 Gb/s and 0 ps");
    let fastest = shape(&[3, 3]).build(Rate::from_gbps(1_000_000), Span::ZERO).expect("a good shape");
    assert_eq!(fastest.host_rate(0), Rate::from_gbps(1_000_000));
}

#[test]
fn what_cannot_be_built_is_refused() {
    let refused = |sizes: &[u32]| {
        let message = shape(sizes).build(RATE, Span::ZERO).expect_err("impossible").to_string();
        assert_eq!(shape(sizes).size().expect_err("impossible").to_string(), message);
        message
    };
    assert_eq!(refused(&[]), "`sizes` has 0 entries; a torus has one for each dimension, from 1 to 16");
    assert_eq!(refused(&[2; 17]), "`sizes` has 17 entries; a torus has one for each dimension, from 1 to 16");
    assert_eq!(refused(&[4, 0]), "`sizes` has a 0; a dimension of a torus needs at least 1 node");
    assert_eq!(refused(&[1, 1]), "`sizes` makes a torus of one node; write at least one size above 1");
    let large = "torus, 100000 x 100000 would have 20000000000 nodes; at most 16777216 can be built: make it smaller";
    assert_eq!(refused(&[100_000, 100_000]), large);
    assert!(refused(&[u32::MAX; 16]).contains("would have 36893488147419103230 nodes"));
    let slow = Torus { sizes: vec![4], host_rate: Some(Rate::from_bps(1)) };
    let error = Shape::Torus(slow).build(RATE, Span::ZERO).expect_err("too slow");
    assert!(matches!(error, BuildError::LinkRate { .. }), "{error}");
}
