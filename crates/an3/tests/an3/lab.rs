//! Networks to try things on.

use topology::{Shape, Topology, Wiring};
use units::{Rate, Span};

/// Containers of L0 networks of NICs in a mesh, with 10 Gb/s between switches.
pub(crate) fn mesh(containers: u32, networks: u32, hosts: u32) -> Topology {
    let shape = topology::An3 { containers, networks, hosts, wiring: Wiring::Mesh, egress: 2, container_links: 1 };
    Shape::An3(shape).build(Rate::from_gbps(10), Span::from_ns(100)).expect("a network")
}
