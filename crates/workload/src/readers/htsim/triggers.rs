//! From connections and triggers to flows and gates.

use super::{ConnectionStart, HtsimProblem, LineProblem, Matrix, ReadError, Trigger, TriggerKind};
use crate::prose::count;
use crate::trace::{Gate, Trace, TraceFlow, TraceStart};
use std::collections::BTreeMap;
use units::{Bytes, Span};

/// A trigger's gate, and how many connections it starts one by one.
struct Target {
    gate: u32,
    taken: u32,
}

pub(super) fn resolve(matrix: Matrix, file: &str, hosts: u32) -> Result<Trace, ReadError> {
    let mut trace = Trace { file: file.to_owned(), ..Trace::default() };
    check_header(&matrix, hosts).map_err(|problem| ReadError::whole(file, problem))?;
    trace.warnings = warnings(&matrix, file, hosts);
    let mut targets: BTreeMap<u64, Target> =
        (0..).zip(matrix.triggers.keys()).map(|(gate, id)| (*id, Target { gate, taken: 0 })).collect();
    trace.gates = vec![Gate::default(); targets.len()];
    let unknown = |line, id| ReadError::at(file, line, HtsimProblem::NoTrigger { id }.into());
    for (index, connection) in (0..).zip(&matrix.connections) {
        for id in &connection.fires {
            let target = targets.get(id).ok_or_else(|| unknown(connection.line, *id))?;
            trace.gates[target.gate as usize].passed_by.push(index);
        }
    }
    for (id, trigger) in &matrix.triggers {
        let fired = trace.gates[targets[id].gate as usize].passed_by.len();
        check_trigger(*id, trigger, fired).map_err(|problem| ReadError::at(file, trigger.line, problem.into()))?;
    }
    for (index, connection) in (0..).zip(&matrix.connections) {
        let start = match connection.start {
            ConnectionStart::At(time) => TraceStart::At(time),
            ConnectionStart::Trigger(id) => {
                let target = targets.get_mut(&id).ok_or_else(|| unknown(connection.line, id))?;
                target.taken += 1;
                let trigger = &matrix.triggers[&id];
                let passings = match trigger.kind {
                    TriggerKind::Oneshot => 1,
                    TriggerKind::Multishot => target.taken,
                    // As many as fire it, which are fewer than there are connections.
                    TriggerKind::Barrier => trigger.count as u32,
                };
                TraceStart::After { gate: target.gate, passings, delay: Span::ZERO }
            }
        };
        let bytes = if connection.bytes == 0 { Bytes::MAX } else { Bytes::new(connection.bytes) };
        let (id, line) = (connection.id.unwrap_or(index), connection.line);
        trace.flows.push(TraceFlow { id, src: connection.src, dst: connection.dst, bytes, start, line });
    }
    Ok(trace)
}

fn check_header(matrix: &Matrix, hosts: u32) -> Result<(), LineProblem> {
    let header = |word| matrix.header.get(word).copied();
    let nodes = header("Nodes").ok_or(HtsimProblem::NoHeader { word: "Nodes" })?;
    if nodes > u64::from(hosts) {
        return Err(LineProblem::TooManyNodes { nodes, hosts });
    }
    let connections = header("Connections").ok_or(HtsimProblem::NoHeader { word: "Connections" })?;
    let counts = [
        ("`Connections`", "connection", connections, matrix.connections.len()),
        ("`Triggers`", "trigger", header("Triggers").unwrap_or(0), matrix.triggers.len()),
        ("`Failures`", "failure", header("Failures").unwrap_or(0), 0),
    ];
    for (says, noun, announced, found) in counts {
        if announced != found as u64 {
            return Err(LineProblem::Count { says, announced: count(announced, noun), found: found as u64 });
        }
    }
    Ok(())
}

fn check_trigger(id: u64, trigger: &Trigger, fired: usize) -> Result<(), HtsimProblem> {
    match trigger.kind {
        TriggerKind::Oneshot if fired > 1 => Err(HtsimProblem::Oneshot { id, fired }),
        TriggerKind::Barrier if trigger.count != fired as u64 => {
            Err(HtsimProblem::Barrier { id, count: trigger.count, fired })
        }
        TriggerKind::Oneshot | TriggerKind::Multishot | TriggerKind::Barrier => Ok(()),
    }
}

fn warnings(matrix: &Matrix, file: &str, hosts: u32) -> Vec<String> {
    let mut warnings = Vec::new();
    let nodes = matrix.header.get("Nodes").copied().unwrap_or_default();
    if nodes < u64::from(hosts) {
        warnings.push(format!("{file}: it is for {nodes} nodes, and this topology has {hosts} hosts"));
    }
    let endless = matrix.connections.iter().filter(|connection| connection.bytes == 0).count() as u64;
    let of = |number: u64| if number == 1 { "1 connection has".into() } else { format!("{number} connections have") };
    if endless > 0 {
        warnings.push(format!("{file}: {} size 0: without end, as in htsim", of(endless)));
    }
    if matrix.with_priority > 0 {
        warnings.push(format!(
            "{file}: {} a `prio`, which orders the pulls of htsim's NDP receivers and has no effect here",
            of(matrix.with_priority)
        ));
    }
    if matrix.with_message > 0 {
        warnings.push(format!("{file}: {} a `msg`; each is a flow of its own here", of(matrix.with_message)));
    }
    warnings
}
