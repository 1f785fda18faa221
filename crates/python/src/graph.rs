//! The graph of an experiment's run: JSON out.

use crate::{input_error, interruptibly, json};
use ::topology::{LinkId, NodeId, Topology, node_link};
use engine::looking;
use experiment::Plan;
use pyo3::prelude::*;
use serde_json::{Value, json};

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
        let graph = run.map(|run| {
            json!({
                "run": run.name,
                "description": run.topology.describe(),
                "nodes": nodes(&run.topology),
                "links": links(&run.topology),
                "node_link": node_link::write(&run.topology),
            })
        });
        let runs: Vec<&str> = plan.runs.iter().map(|run| run.name.as_str()).collect();
        json(&json!({ "runs": runs, "graph": graph }))
    })?
}

fn nodes(topology: &Topology) -> Vec<Value> {
    let node = |id: NodeId| {
        json!({
            "name": topology.name(id),
            "kind": if topology.is_host(id) { "host" } else { "switch" },
            "tier": topology.tier(id),
            "links": topology.ports(id).len(),
        })
    };
    looking((0..topology.nodes()).map(NodeId)).map(node).collect()
}

fn links(topology: &Topology) -> Vec<Value> {
    let link = |(number, link): (u32, &::topology::Link)| {
        json!({
            "name": topology.link_name(LinkId(number)),
            "source": topology.name(link.from),
            "target": topology.name(link.to),
            "class": topology.classes()[usize::from(link.class)],
            "direction": link.direction.as_str(),
            "rate_bps": link.rate.as_bps(),
            "delay_ps": link.delay.as_ps(),
            "queue_bytes": link.queue.map(|queue| queue.get()),
        })
    };
    looking((0..).zip(topology.links())).map(link).collect()
}
