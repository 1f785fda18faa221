//! The controller: from what hosts sent to the next topology, and when which crosspoint and which SoC turns to it.

use super::cabling::{Cabling, Health};
use super::config::{Config, ControlPlane, Start};
use super::rig::{BuildError, Rig};
use crate::crosspoints::Fabric;
use crate::demand::{Demand, DemandVector, Estimate};
use crate::forwarding::tables;
use crate::generate::{Ties, generate};
use crate::graph::Graph;
use crate::paths::Distances;
use crate::rivals::{most_cubic, random_graph, torus};
use engine::Seed;
use units::Span;

/// Where SoCs send what is for each other: sets of ports, by SoC and destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Forwarding {
    socs: usize,
    toward: Box<[u16]>,
}

impl Forwarding {
    /// All ports that lead one hop nearer.
    pub fn over(graph: &Graph) -> Forwarding {
        let tables = tables(graph, &Distances::of(graph));
        let socs = graph.socs();
        let toward = tables.iter().flat_map(|table| (0..socs).map(|to| table.set(to))).collect();
        Forwarding { socs: socs as usize, toward }
    }
    /// Bit `i` for port `i`; 0 if no port leads there.
    #[inline]
    pub fn set(&self, soc: u32, destination: u32) -> u16 {
        self.toward[soc as usize * self.socs + destination as usize]
    }
}

/// A topology on its way to crosspoints and SoCs.
#[derive(Debug, Clone)]
pub(super) struct Pending {
    /// By port: the port with which it will be joined.
    target: Box<[Option<u32>]>,
    pub tables: Forwarding,
}

impl Pending {
    /// How many circuits are not there yet.
    pub fn circuits_to_change(&self, cabling: &Cabling) -> u64 {
        let ports = (0..).zip(&self.target);
        let new = ports.filter(|(port, peer)| peer.is_some_and(|peer| *port < peer) && cabling.joined(*port) != **peer);
        new.count() as u64
    }

    /// What a crosspoint changes: its ports with their new peers. Circuits between two crosspoints (fixed ones) are joined when the
    /// later one changes; until then both ports are free.
    pub fn of_crosspoint(&self, rig: &Rig, crosspoint: u32, cabling: &Cabling) -> Vec<(u32, Option<u32>)> {
        let at = |port: u32| rig.fabric.crosspoint(rig.port(port));
        let own = (0..rig.ports()).filter(|&port| at(port) == crosspoint);
        let wanted = own.map(|port| {
            let peer = self.target[port as usize].filter(|&peer| at(peer) <= crosspoint);
            (port, peer)
        });
        wanted.filter(|&(port, peer)| cabling.joined(port) != peer).collect()
    }
}

/// What the controller holds.
#[derive(Debug, Clone)]
pub(super) struct Controller {
    socs: u32,
    ties: Ties,
    estimate: Estimate,
    /// Bytes that each SoC's host sent to each other's since the last report: the SoCs' demand vectors (§4.1).
    sent: Box<[u64]>,
    pub pending: Option<Pending>,
    /// Something broke or was mended while a topology was on its way.
    pub again: bool,
}

impl Controller {
    pub fn new(rig: &Rig, weight: f64, seed: Seed) -> Controller {
        let socs = rig.fabric.socs();
        Controller {
            socs,
            ties: Ties::Shuffled(seed.stream("xfabric.ties", 0).bits()),
            estimate: Estimate::new(socs, weight).expect("weights and sizes are checked"),
            sent: vec![0; socs as usize * socs as usize].into(),
            pending: None,
            again: false,
        }
    }

    /// A host handed over a packet.
    #[inline]
    pub fn count(&mut self, from: u32, to: u32, bytes: u32) {
        self.sent[(from * self.socs + to) as usize] += u64::from(bytes);
    }

    /// A period is over: every SoC reports what it counted.
    pub fn collect(&mut self) {
        let reports = self.sent.chunks_exact_mut(self.socs as usize);
        for (soc, counted) in (0..).zip(reports) {
            let vector = DemandVector { internal: counted.to_vec(), sent: 0, received: 0 };
            self.estimate.report(soc, &vector).expect("the vector is of this rack");
            counted.fill(0);
        }
    }

    /// A new topology for the demand so far, without what is known to be broken; nothing if nobody has sent anything.
    pub fn generate(&self, rig: &Rig, known: &Health) -> Option<Pending> {
        let demand = self.estimate.demand();
        if demand.total() == 0 {
            return None;
        }
        let mut fabric = rig.fabric.clone();
        for port in (0..rig.ports()).filter(|&port| !known.port(rig, port)) {
            fabric.fail_port(rig.port(port)).expect("the port is there");
        }
        let graph = generated(&fabric, &demand, self.ties);
        let peer = |port| graph.peer(rig.port(port)).map(|peer| rig.number(peer));
        Some(Pending { target: (0..rig.ports()).map(peer).collect(), tables: Forwarding::over(&graph) })
    }
}

fn generated(fabric: &Fabric, demand: &Demand, ties: Ties) -> Graph {
    generate(fabric, demand, ties).expect("sizes are equal").graph(fabric)
}

/// The circuits with which the run begins.
///
/// A torus or a random graph is laid port to port, as if by hand: crosspoints could not always set it, as in a ring of three
/// SoCs two circuits of one crosspoint would meet.
pub(super) fn start(rig: &Rig, config: &Config, seed: Seed) -> Result<Graph, BuildError> {
    let (socs, ports) = (rig.fabric.socs(), rig.fabric.ports());
    let ties = Ties::Shuffled(seed.stream("xfabric.ties", 0).bits());
    Ok(match &config.start {
        Start::Torus => torus(most_cubic(socs))?,
        Start::Random => random_graph(socs, ports, seed)?,
        Start::Uniform => {
            let pairs = (0..socs).flat_map(|a| (0..socs).filter(move |&b| a != b).map(move |b| (a, b, 1)));
            let none = Demand::none(socs).and_then(|none| none.plus(pairs));
            generated(&rig.fabric, &none.expect("a rack has two SoCs or more, and few"), ties)
        }
        Start::Demand(demand) => generated(&rig.fabric, demand, ties),
    })
}

impl ControlPlane {
    /// From the beginning of a reconfiguration until a crosspoint changes.
    pub fn crosspoint(&self, crosspoint: u32) -> Span {
        self.message.saturating_mul(u64::from(crosspoint) + 1) + self.program
    }
    /// From the beginning of a reconfiguration until SoCs forward by their new tables.
    pub fn all(&self, crosspoints: u32) -> Span {
        self.crosspoint(crosspoints - 1) + self.tables
    }
}
