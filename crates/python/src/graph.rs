//! The graph of an experiment's run: JSON out.

use crate::{input_error, interruptibly, json};
use ::topology::{LinkId, NodeId, Topology, node_link};
use engine::looking;
use experiment::{Plan, RunPlan};
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

/// The runs of an experiment, and the graph of one of them.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Graphs<'a> {
    /// Names of all runs.
    runs: Vec<&'a str>,
    /// The graph of the run that was asked for; null if there is no such run.
    graph: Option<Graph<'a>>,
}

/// The graph of a run, with the rates and delays that the experiment gives it.
#[derive(Serialize, JsonSchema)]
struct Graph<'a> {
    /// The run's name.
    run: &'a str,
    /// The graph in words.
    description: String,
    /// Hosts first.
    nodes: Vec<Node<'a>>,
    /// Both directions of every cable.
    links: Vec<Link<'a>>,
    /// The same as node-link JSON, for a file that `[topology] kind = "file"` reads.
    node_link: String,
}

/// A host or a switch.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GraphNode")]
struct Node<'a> {
    /// What faults, workloads and results call it.
    name: &'a str,
    /// What it is.
    #[schemars(extend("enum" = ["host", "switch"]))]
    kind: &'static str,
    /// 0 for hosts, 1 for switches next to hosts, more above.
    tier: u16,
    /// Links that leave it.
    links: usize,
}

/// One direction of a cable.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GraphLink")]
struct Link<'a> {
    /// What faults, `measure.watch` and results call it: `leaf-0 -> spine-1`.
    name: String,
    /// The node that it leaves.
    source: &'a str,
    /// The node that it leads to.
    target: &'a str,
    /// Its name under `[topology.links]`.
    class: &'a str,
    /// Seen from the hosts.
    #[schemars(extend("enum" = ["up", "down", "flat"]))]
    direction: &'static str,
    /// Its rate.
    rate_bps: u64,
    /// How long a bit is on its way.
    delay_ps: u64,
    /// The buffer before it, where the topology's own file says it.
    queue_bytes: Option<u64>,
}

/// The runs of an experiment and the graph of one of them, the first if none is named, as JSON. `wanted` must be one of the runs' names.
#[pyfunction]
pub(crate) fn topology(
    py: Python<'_>,
    text: String,
    file: String,
    overrides: Vec<String>,
    wanted: Option<String>,
) -> PyResult<String> {
    interruptibly(py, move || {
        let plan = Plan::read(&text, &file, &overrides).map_err(input_error)?;
        let is_wanted = |name: &str| wanted.as_ref().is_none_or(|wanted| wanted == name);
        let run = plan.runs.iter().find(|run| is_wanted(&run.name));
        json(&Graphs { runs: plan.runs.iter().map(|run| run.name.as_str()).collect(), graph: run.map(Graph::of) })
    })?
}

impl Graph<'_> {
    fn of(run: &RunPlan) -> Graph<'_> {
        let topology = &run.topology;
        Graph {
            run: &run.name,
            description: topology.describe(),
            nodes: looking((0..topology.nodes()).map(NodeId)).map(|id| Node::of(topology, id)).collect(),
            links: looking((0..).zip(topology.links()))
                .map(|(id, link)| Link::of(topology, LinkId(id), link))
                .collect(),
            node_link: node_link::write(topology),
        }
    }
}

impl Node<'_> {
    fn of(topology: &Topology, id: NodeId) -> Node<'_> {
        Node {
            name: topology.name(id),
            kind: if topology.is_host(id) { "host" } else { "switch" },
            tier: topology.tier(id),
            links: topology.ports(id).len(),
        }
    }
}

impl Link<'_> {
    fn of<'a>(topology: &'a Topology, id: LinkId, link: &::topology::Link) -> Link<'a> {
        Link {
            name: topology.link_name(id),
            source: topology.name(link.from),
            target: topology.name(link.to),
            class: &topology.classes()[usize::from(link.class)],
            direction: link.direction.as_str(),
            rate_bps: link.rate.as_bps(),
            delay_ps: link.delay.as_ps(),
            queue_bytes: link.queue.map(|queue| queue.get()),
        }
    }
}
