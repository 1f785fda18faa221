//! Random networks for tests: switches in one piece, hosts on some of them, cables in parallel, hosts with several links.

use crate::{Builder, LinkSpec, Topology};
use proptest::prelude::*;
use units::{Rate, Span};

/// Networks of 1 to `switches` switches and 1 to `hosts` hosts.
pub(crate) fn random_graph(switches: u32, hosts: usize) -> impl Strategy<Value = Topology> {
    (1..=switches).prop_flat_map(move |switches| {
        let tree = prop::collection::vec(any::<u32>(), switches as usize);
        let more = prop::collection::vec((0..switches, 0..switches), 0..=switches as usize * 2);
        let uplinks = prop::collection::vec(0..switches, 1..4);
        let hosts = prop::collection::vec(uplinks, 1..=hosts);
        (tree, more, hosts).prop_map(|(tree, more, hosts)| build(&tree, &more, &hosts))
    })
}

fn build(tree: &[u32], more: &[(u32, u32)], hosts: &[Vec<u32>]) -> Topology {
    let mut builder = Builder::new("random");
    let (up, across) = (builder.class("host-switch"), builder.class("switch-switch"));
    let spec = |number: usize| LinkSpec {
        rate: Rate::from_gbps(1 + number as u64),
        delay: Span::from_ns(number as u64),
        queue: None,
    };
    let switches: Vec<_> = (0..tree.len()).map(|i| builder.switch(format!("s{i}"), None)).collect();
    for (number, &parent) in tree.iter().enumerate().skip(1) {
        let parent = parent as usize % number;
        builder.cable_with_directions(switches[number], switches[parent], across, [spec(number), spec(number + 1000)]);
    }
    for &(a, b) in more.iter().filter(|(a, b)| a != b) {
        builder.cable(switches[a as usize], switches[b as usize], across, spec(0));
    }
    for (number, uplinks) in hosts.iter().enumerate() {
        let host = builder.host(format!("h{number}"));
        for &switch in uplinks {
            builder.cable(host, switches[switch as usize], up, spec(number));
        }
    }
    builder.finish().expect("in one piece, with names of their own")
}
