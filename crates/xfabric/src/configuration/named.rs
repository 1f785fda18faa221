//! What was computed, written down with the names that people have for SoCs, crosspoints and ports.

use super::document::{
    Changes, Circuit, Configuration, Crosspoint, DemandRecord, FORMAT, Fixed, Forwarding, Input, Summary, Uplink,
};
use super::{Previous, Wiring};
use crate::baselines::random_graph;
use crate::demand::{Demand, External, index};
use crate::forwarding::{Table, Update, tables};
use crate::generate::crosspoints::Fabric;
use crate::generate::{Cabling, Uplinks};
use crate::graph::paths::Distances;
use crate::graph::{Graph, Port};
use engine::Seed;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// What was computed, before it is written with names.
pub(super) struct Computed {
    pub wiring: Wiring,
    pub fabric: Fabric,
    /// Between SoCs.
    pub inside: Demand,
    pub external: External,
    pub uplinks: Option<Uplinks>,
    /// With what goes to uplinks.
    pub demand: Demand,
    pub cabling: Cabling,
}

impl Computed {
    pub(super) fn written(self, input: Input, previous: Option<&Previous>) -> Configuration {
        let graph = self.cabling.graph(&self.fabric);
        let distances = Distances::of(&graph);
        let crosspoints = self.crosspoints(previous);
        let changes = previous.map(|previous| {
            let now = crosspoints.iter().flat_map(|crosspoint| &crosspoint.circuits);
            let (added, kept): (Vec<_>, Vec<_>) = now.partition(|circuit| circuit.new);
            let removed = previous.circuits.len() - kept.len();
            Changes { version: previous.written.version, added: added.len(), removed, kept: kept.len() }
        });
        let summary = self.summary(&graph, &distances, previous, input.seed);
        Configuration {
            format: FORMAT.to_owned(),
            version: previous.map_or(1, |previous| previous.written.version.saturating_add(1)),
            update_bytes: Update::encoded_len(graph.socs(), graph.ports()),
            crosspoints,
            fixed_circuits: self.fixed(),
            uplinks: self.uplinks(),
            forwarding: self.forwarding(&graph, &distances),
            warnings: self.warnings(&graph, &input),
            summary,
            changes,
            demand: DemandRecord {
                inside: self.inside.entries().collect(),
                sent: self.external.sent.clone(),
                received: self.external.received.clone(),
            },
            input,
            socs: self.wiring.socs,
            wiring: self.wiring.plugs,
        }
    }

    fn name(&self, soc: u32) -> String {
        self.wiring.socs[index(soc)].clone()
    }

    fn crosspoints(&self, previous: Option<&Previous>) -> Vec<Crosspoint> {
        let mut crosspoints: Vec<Crosspoint> = (self.wiring.crosspoints.iter())
            .map(|name| Crosspoint { name: name.clone(), circuits: Vec::new(), removed: Vec::new() })
            .collect();
        for (turn, circuit) in (0..).zip(&self.cabling.circuits) {
            let crosspoint = &mut crosspoints[index(circuit.crosspoint)];
            let label = |port| self.wiring.plug(port).map_or_else(String::new, |plug| plug.port.clone());
            let ports = circuit.ends.map(label);
            let new =
                previous.is_none_or(|previous| !previous.circuits.contains(&(crosspoint.name.clone(), ports.clone())));
            let [a, b] = circuit.ends.map(|end| end.soc);
            crosspoint.circuits.push(Circuit {
                ports,
                socs: [self.name(a), self.name(b)],
                soc_ports: circuit.ends.map(|end| end.number),
                bytes: self.demand.pair(a, b),
                turn,
                new,
            });
        }
        let Some(previous) = previous else { return crosspoints };
        let mut gone: Vec<String> = Vec::new();
        for (name, ports) in &previous.circuits {
            match crosspoints.iter_mut().find(|crosspoint| crosspoint.name == *name) {
                Some(now) if !now.circuits.iter().any(|circuit| circuit.ports == *ports) => {
                    now.removed.push(ports.clone())
                }
                Some(_) => {}
                None => gone.push(name.clone()),
            }
        }
        // A crosspoint that the new wiring has no more gives all its circuits up.
        gone.dedup();
        for name in gone {
            let removed = previous.circuits.iter().filter(|(of, _)| *of == name).map(|(_, ports)| ports.clone());
            crosspoints.push(Crosspoint { removed: removed.collect(), circuits: Vec::new(), name });
        }
        crosspoints
    }

    fn fixed(&self) -> Vec<Fixed> {
        let plug = |port| self.wiring.plug(port).cloned();
        let fixed = self.fabric.fixed().iter().filter_map(|&[a, b]| {
            Some(Fixed {
                socs: [self.name(a.soc), self.name(b.soc)],
                soc_ports: [a.number, b.number],
                plugs: [plug(a)?, plug(b)?],
            })
        });
        fixed.collect()
    }

    fn uplinks(&self) -> Vec<Uplink> {
        let Some(uplinks) = &self.uplinks else { return Vec::new() };
        let socs = self.fabric.socs();
        let uplink = |(uplink, &soc): (u32, &u32)| {
            let used_by: Vec<u32> = (0..socs).filter(|&user| uplinks.gateway(user) == soc).collect();
            Uplink {
                uplink,
                soc: self.name(soc),
                ports: [soc, socs + uplink],
                bytes: used_by.iter().map(|&user| self.external.of(user)).sum(),
                used_by: used_by.into_iter().map(|user| self.name(user)).collect(),
            }
        };
        (0..).zip(&uplinks.places).map(uplink).collect()
    }

    fn forwarding(&self, graph: &Graph, distances: &Distances) -> Vec<Forwarding> {
        let of_soc = |(soc, table): (u32, Table)| {
            let peer = |number| graph.peer(Port { soc, number }).map(|peer| self.name(peer.soc));
            Forwarding {
                soc: self.name(soc),
                gateway: self.uplinks.as_ref().map(|uplinks| self.name(uplinks.gateway(soc))),
                neighbours: (0..graph.ports()).map(peer).collect(),
                toward: (0..graph.socs()).map(|destination| table.toward(destination).collect()).collect(),
            }
        };
        (0..).zip(tables(graph, distances)).map(of_soc).collect()
    }

    fn summary(&self, graph: &Graph, distances: &Distances, previous: Option<&Previous>, seed: u64) -> Summary {
        let random = random_graph(graph.socs(), graph.ports(), Seed(seed)).ok();
        Summary {
            bytes: self.inside.total(),
            uplink_bytes: self.external.sent.iter().chain(&self.external.received).sum(),
            circuits: self.cabling.circuits.len(),
            trees: self.cabling.trees,
            connected: graph.is_connected(),
            diameter: distances.diameter(),
            path_length: distances.mean(&self.inside),
            random_path_length: random.and_then(|random| Distances::of(&random).mean(&self.inside)),
            previous_path_length: previous.and_then(|before| Distances::of(&before.graph).mean(&self.inside)),
            uplink_path_length: self.uplinks.as_ref().and_then(|up| distances.mean_to_uplinks(up, &self.external)),
            direct: distances.within(&self.inside, 1),
            direct_at_most: self.inside.heaviest_share(graph.ports()),
        }
    }

    fn warnings(&self, graph: &Graph, input: &Input) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(cut_off) = self.cut_off(graph, input) {
            warnings.push(cut_off);
        }
        let outside = self.external.sent.iter().chain(&self.external.received).sum::<u64>();
        if outside > 0 && input.uplinks == 0 {
            warnings.push(format!("{outside} B from and to the world count for nothing: the rack has no uplink"));
        }
        if self.inside.total() == 0 && outside == 0 {
            warnings.push("nobody sends anything: chance alone chose the circuits".to_owned());
        }
        warnings
    }

    /// Who cannot reach most of the others, if somebody cannot.
    fn cut_off(&self, graph: &Graph, input: &Input) -> Option<String> {
        let components = graph.components();
        let mut members = vec![0_u32; components.len()];
        components.iter().for_each(|&component| members[index(component)] += 1);
        // The largest; of equal ones the first.
        let largest = (0..members.len()).max_by_key(|&component| (members[component], Reverse(component)))?;
        let outside: Vec<u32> = (0..graph.socs()).filter(|&soc| index(components[index(soc)]) != largest).collect();
        let first = self.name(*outside.first()?);
        let crosspoints: BTreeSet<_> =
            self.wiring.plugs.iter().flatten().flatten().map(|plug| &plug.crosspoint).collect();
        let why = match (input.failed.is_empty(), crosspoints.len() < 3) {
            (false, _) => "; what has failed cuts them off",
            (true, true) => "; SoCs with ports on three crosspoints or more can always be joined",
            (true, false) => "; they have too few ports on crosspoints that others are on",
        };
        let who = match outside.len() {
            1 => format!("{first} cannot reach the other SoCs"),
            many => format!("{many} SoCs, {first} the first of them, cannot reach the others"),
        };
        Some(who + why)
    }
}
