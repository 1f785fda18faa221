//! A configuration that was written before, read again.

use super::document::{Configuration, FORMAT};
use super::wiring::Wiring;
use crate::demand::{Demand, DemandError, DemandVector, index};
use crate::graph::{Graph, Port};
use std::collections::BTreeSet;

/// Why it is none.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PreviousError {
    /// Other JSON, or none.
    #[error("{file}: this is no configuration that `gossamer topology xfabric` has written: {why}")]
    Form {
        /// Its name.
        file: String,
        /// What the reader of JSON said.
        why: String,
    },
    /// It contradicts itself.
    #[error("{file}: {what} is not of the rack in this file; take the file as it was written")]
    Contradiction {
        /// Its name.
        file: String,
        /// What is wrong with it.
        what: String,
    },
    /// Demand that no matrix holds.
    #[error("{file}: {why}")]
    Demand {
        /// Its name.
        file: String,
        /// What is wrong.
        why: DemandError,
    },
}

/// What a new configuration builds on.
#[derive(Debug, Clone)]
pub struct Previous {
    /// As it was written.
    pub written: Configuration,
    /// The rack.
    pub wiring: Wiring,
    /// Its topology.
    pub graph: Graph,
    /// Its demand.
    pub demand: Demand,
    /// Crosspoints and pairs of ports of all circuits.
    pub circuits: BTreeSet<(String, [String; 2])>,
}

impl Previous {
    /// Reads a file, whose name is for messages.
    ///
    /// # Errors
    /// If it is no configuration, or one that contradicts itself.
    pub fn read(text: &str, file: &str) -> Result<Previous, PreviousError> {
        let form = |why: String| PreviousError::Form { file: file.to_owned(), why };
        let written: Configuration = serde_json::from_str(text).map_err(|why| form(why.to_string()))?;
        if written.format != FORMAT {
            return Err(form(format!("its format is `{}`, expected `{FORMAT}`", written.format)));
        }
        let contradiction = |what: String| PreviousError::Contradiction { file: file.to_owned(), what };
        let names: BTreeSet<&String> = written.socs.iter().collect();
        let socs = written.socs.len();
        let ports = written.wiring.first().map_or(0, Vec::len);
        if names.len() != socs || written.wiring.len() != socs || written.wiring.iter().any(|each| each.len() != ports)
        {
            return Err(contradiction("the wiring".to_owned()));
        }
        let crosspoints = written.crosspoints.iter().map(|crosspoint| crosspoint.name.clone()).collect();
        let wiring = Wiring { socs: written.socs.clone(), crosspoints, plugs: written.wiring.clone() };
        let known = |name: &String| wiring.crosspoints.contains(name);
        if wiring.plugs.iter().flatten().flatten().any(|plug| !known(&plug.crosspoint)) {
            return Err(contradiction("the wiring".to_owned()));
        }
        wiring.fabric().map_err(|why| contradiction(format!("the wiring ({why})")))?;
        let graph = graph(&written, &wiring).map_err(contradiction)?;
        let demand = demand(&written).map_err(|why| match why {
            Some(why) => PreviousError::Demand { file: file.to_owned(), why },
            None => contradiction("the demand".to_owned()),
        })?;
        let mut circuits = BTreeSet::new();
        for crosspoint in &written.crosspoints {
            circuits.extend(crosspoint.circuits.iter().map(|circuit| (crosspoint.name.clone(), circuit.ports.clone())));
        }
        Ok(Previous { written, wiring, graph, demand, circuits })
    }

    /// What a SoC is taken to have reported until now.
    pub fn vector(&self, soc: u32) -> DemandVector {
        let record = &self.written.demand;
        DemandVector {
            internal: self.demand.row(soc).to_vec(),
            sent: record.sent[index(soc)],
            received: record.received[index(soc)],
        }
    }
}

/// The topology, or what in it cannot be.
fn graph(written: &Configuration, wiring: &Wiring) -> Result<Graph, String> {
    let (socs, ports) = (wiring.socs.len() as u32, wiring.ports());
    let mut graph = Graph::new(socs, ports);
    let number = |name: &String| wiring.socs.iter().position(|each| each == name).map(|at| at as u32);
    let set = written.crosspoints.iter().flat_map(|crosspoint| &crosspoint.circuits);
    let ends = set.map(|circuit| (&circuit.socs, circuit.soc_ports));
    let fixed = written.fixed_circuits.iter().map(|fixed| (&fixed.socs, fixed.soc_ports));
    for (names, numbers) in ends.chain(fixed) {
        let what = || format!("the circuit from `{}` to `{}`", names[0], names[1]);
        let ([Some(a), Some(b)], [p, q]) = ([number(&names[0]), number(&names[1])], numbers) else {
            return Err(what());
        };
        let (a, b) = (Port { soc: a, number: p }, Port { soc: b, number: q });
        if a.soc == b.soc || p >= ports || q >= ports || graph.peer(a).is_some() || graph.peer(b).is_some() {
            return Err(what());
        }
        graph.join(a, b);
    }
    Ok(graph)
}

/// The demand, or why no matrix holds it; without a reason if it is of another rack.
fn demand(written: &Configuration) -> Result<Demand, Option<DemandError>> {
    let socs = written.socs.len() as u32;
    let record = &written.demand;
    if record.sent.len() != index(socs) || record.received.len() != index(socs) {
        return Err(None);
    }
    if record.inside.iter().any(|&(from, to, _)| from >= socs || to >= socs) {
        return Err(None);
    }
    let none = Demand::none(socs).map_err(Some)?;
    none.plus(record.inside.iter().copied()).map_err(Some)
}
