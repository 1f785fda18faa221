//! A graph into node-link JSON that [`super::parse`] and NetworkX read.

use crate::{Link, LinkId, NodeId, Topology};
use serde::Serialize;

#[derive(Serialize)]
struct Node<'a> {
    id: &'a str,
    kind: &'static str,
    tier: u16,
}

#[derive(Serialize)]
struct Edge<'a> {
    source: &'a str,
    target: &'a str,
    class: &'a str,
    rate: String,
    delay: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue: Option<String>,
}

/// The graph as node-link JSON. Reading it gives the same nodes and links, with the same numbers.
///
/// Where all cables are alike in both directions, the graph is undirected and has each of them once; otherwise it has each
/// direction by itself.
pub fn write(topology: &Topology) -> String {
    let numbers = || (0..topology.links().len() as u32).map(LinkId);
    let directed = numbers().any(|id| !alike(topology.link(id), topology.link(topology.reverse(id))));
    // Links are sorted by their ends, so parallel ones follow each other.
    let multigraph = topology.links().windows(2).any(|pair| (pair[0].from, pair[0].to) == (pair[1].from, pair[1].to));
    let node = |id| Node {
        id: topology.name(id),
        kind: if topology.is_host(id) { "host" } else { "switch" },
        tier: topology.tier(id),
    };
    let edge = |link: &Link| Edge {
        source: topology.name(link.from),
        target: topology.name(link.to),
        class: &topology.classes()[usize::from(link.class)],
        rate: link.rate.to_string(),
        delay: link.delay.to_string(),
        queue: link.queue.map(|queue| queue.to_string()),
    };
    let nodes: Vec<_> = (0..topology.nodes()).map(|number| json(&node(NodeId(number)))).collect();
    let written = topology.links().iter().filter(|link| directed || link.from < link.to);
    let links: Vec<_> = written.map(|link| json(&edge(link))).collect();
    let forward = if topology.hosts_forward() { ", \"hosts_forward\": true" } else { "" };
    format!(
        "{{\n  \"directed\": {directed},\n  \"multigraph\": {multigraph},\n  \"graph\": {{\"name\": {}{forward}}},\n  \
         \"nodes\": [\n    {}\n  ],\n  \"links\": [\n    {}\n  ]\n}}\n",
        json(&topology.label()),
        nodes.join(",\n    "),
        links.join(",\n    "),
    )
}

fn alike(one: &Link, other: &Link) -> bool {
    (one.rate, one.delay, one.queue) == (other.rate, other.delay, other.queue)
}

/// One line of it, so that people and `diff` can read the whole.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("names and numbers")
}
