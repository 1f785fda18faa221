//! A controller without a protocol: it knows at once what hosts have sent, and says when which crosspoint and which SoC turns to
//! the topology that it has generated. And what both kinds of controller need: counters of demand, tables, the circuits of the start.

use super::cabling::{Cabling, Health};
use super::config::{Config, Start};
use super::embed::{Embedded, embed};
use super::rig::{BuildError, Rig};
use super::tunnels::Tunnels;
use crate::baselines::{most_cubic, random_graph, to_nearest, torus};
use crate::control::{Choice, ControlPlane, DemandDriven, Exchanges, Generator, Wiring};
use crate::demand::{Demand, DemandVector};
use crate::forwarding::{Table, tables};
use crate::generate::crosspoints::Fabric;
use crate::generate::{Ties, Uplinks, generate};
use crate::graph::Graph;
use crate::graph::paths::Distances;
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
    pub(super) fn over(graph: &Graph) -> Forwarding {
        let tables = tables(graph, &Distances::of(graph));
        let socs = graph.socs();
        let toward = tables.iter().flat_map(|table| (0..socs).map(|to| table.set(to))).collect();
        Forwarding { socs: socs as usize, toward }
    }
    /// A SoC forwards by another table, or by none.
    pub(super) fn install(&mut self, soc: u32, table: Option<&Table>) {
        let row = &mut self.toward[soc as usize * self.socs..][..self.socs];
        for (to, set) in (0..).zip(row) {
            *set = table.map_or(0, |table| table.set(to));
        }
    }
    /// Bit `i` for port `i`; 0 if no port leads there.
    #[inline]
    pub(super) fn set(&self, soc: u32, destination: u32) -> u16 {
        self.toward[soc as usize * self.socs + destination as usize]
    }
}

/// A topology on its way to crosspoints and SoCs.
#[derive(Debug, Clone)]
pub(super) struct Pending {
    /// By port: the port with which it will be joined.
    target: Box<[Option<u32>]>,
    pub tables: Forwarding,
    /// By SoC: its way out.
    pub gateways: Box<[Option<u32>]>,
}

impl Pending {
    /// What a crosspoint changes: its ports with their new peers. Circuits between two crosspoints (fixed ones) are joined when the
    /// later one changes; until then both ports are free.
    pub(super) fn of_crosspoint(&self, rig: &Rig, crosspoint: u32, cabling: &Cabling) -> Vec<(u32, Option<u32>)> {
        let at = |port: u32| rig.crosspoint(port);
        let own = (0..rig.ports()).filter(|&port| at(port) == crosspoint);
        let wanted = own.map(|port| {
            let peer = self.target[port as usize].filter(|&peer| at(peer) <= crosspoint);
            (port, peer)
        });
        wanted.filter(|&(port, peer)| cabling.joined(port) != peer).collect()
    }
}

/// Bytes that each SoC's host has sent to each other's since the last report: the SoCs' demand vectors (§4.1).
#[derive(Debug, Clone)]
pub(super) struct Counts {
    socs: u32,
    sent: Box<[u64]>,
}

impl Counts {
    pub(super) fn new(socs: u32) -> Counts {
        Counts { socs, sent: vec![0; socs as usize * socs as usize].into() }
    }
    /// A host handed over a packet.
    #[inline]
    pub(super) fn count(&mut self, from: u32, to: u32, bytes: u32) {
        self.sent[(from * self.socs + to) as usize] += u64::from(bytes);
    }
    /// What a SoC has counted; it begins anew.
    pub(super) fn take(&mut self, soc: u32) -> Vec<u64> {
        let own = &mut self.sent[(soc * self.socs) as usize..][..self.socs as usize];
        let counted = own.to_vec();
        own.fill(0);
        counted
    }
}

/// What the ideal controller holds.
#[derive(Debug, Clone)]
pub(super) struct Ideal {
    socs: u32,
    generator: DemandDriven,
    pub tables: Span,
    pub pending: Option<Pending>,
    /// Something broke or was repaired while a topology was on its way.
    pub again: bool,
}

impl Ideal {
    pub(super) fn new(rig: &Rig, weight: f64, tables: Span, ties: Ties) -> Ideal {
        let wiring = Wiring::new(rig.fabric.clone(), rig.uplinks);
        let generator = DemandDriven::new(&wiring, weight, &[], ties).expect("weights and sizes are checked");
        Ideal { socs: rig.fabric.socs(), generator, tables, pending: None, again: false }
    }

    /// A period is over: every SoC reports what it counted.
    pub(super) fn collect(&mut self, counts: &mut Counts, tunnels: Option<&mut Tunnels>) {
        let mut tunnels = tunnels;
        for soc in 0..self.socs {
            let [sent, received] = tunnels.as_mut().map_or([0; 2], |tunnels| tunnels.take_counts(soc));
            self.generator.report(soc, &DemandVector { internal: counts.take(soc), sent, received });
        }
    }

    /// A new topology for the demand so far, without what is known to be broken; nothing if nobody has sent anything.
    pub(super) fn generate(&mut self, rig: &Rig, known: &Health) -> Option<Pending> {
        let estimate = self.generator.estimate();
        if estimate.demand().total() == 0 && (0..self.socs).all(|soc| estimate.external().of(soc) == 0) {
            return None;
        }
        let mut fabric = rig.fabric.clone();
        for port in rig.internal().filter(|&port| !known.port(rig, port)) {
            fabric.fail_port(rig.port(port)).expect("the port is there");
        }
        let alive: Vec<bool> = (0..self.socs).map(|soc| known.soc(soc)).collect();
        let Choice { circuits, uplinks } = self.generator.generate(&fabric, &alive);
        let mut target = vec![None; rig.ports() as usize];
        let mut graph = fabric.fixed_graph();
        circuits.iter().for_each(|circuit| graph.join(circuit.ends[0], circuit.ends[1]));
        let internal = graph.links().map(|(a, b)| [rig.number(a), rig.number(b)]);
        let places = uplinks.iter().flat_map(|uplinks| &uplinks.places);
        let external = (0..).zip(places).map(|(uplink, soc)| [rig.uplink_port(*soc), rig.uplink_end(uplink)]);
        for [a, b] in internal.chain(external) {
            (target[a as usize], target[b as usize]) = (Some(b), Some(a));
        }
        let gateways = (0..self.socs).map(|soc| uplinks.as_ref().map(|uplinks| uplinks.gateway(soc))).collect();
        Some(Pending { target: target.into(), tables: Forwarding::over(&graph), gateways })
    }
}

fn generated(fabric: &Fabric, demand: &Demand, ties: Ties) -> Graph {
    generate(fabric, demand, ties).expect("sizes are equal").graph(fabric)
}

/// Where uplinks are at first, and who uses them: spread evenly over the SoCs that can have one, each SoC by the nearest (§6.1).
pub(super) fn first_uplinks(rig: &Rig, config: &Config, graph: &Graph) -> Option<Uplinks> {
    let able: Vec<u32> = (0..rig.fabric.socs()).filter(|soc| config.may_have_uplink(*soc)).collect();
    let place = |uplink: u32| able[(u64::from(uplink) * able.len() as u64 / u64::from(rig.uplinks)) as usize];
    (rig.uplinks > 0).then(|| to_nearest(&Distances::of(graph), (0..rig.uplinks).map(place).collect()))
}

/// Pairs of equal demand in an order that is random, so that where demand does not decide the topology is like a random graph.
pub(super) fn ties(seed: Seed) -> Ties {
    Ties::Shuffled(seed.stream("xfabric.ties", 0).bits())
}

/// The circuits with which the run begins. Circuits that are fixed for good become part of the rig.
///
/// A torus or a random graph is set by crosspoints if these will change it; else its cables are laid for good.
pub(super) fn start(rig: &mut Rig, config: &Config, seed: Seed) -> Result<Graph, BuildError> {
    let (socs, ports) = (rig.fabric.socs(), rig.fabric.ports());
    let laid = match config.start {
        Start::Torus => torus(most_cubic(socs))?,
        Start::Random => random_graph(socs, ports, seed)?,
        Start::Uniform | Start::Demand => {
            rig.fabric = rig.fabric.clone().with_fixed_circuits(seed);
            let equal = (0..socs).flat_map(|a| (0..socs).filter(move |&b| a != b).map(move |b| (a, b, 1)));
            let demand = match &config.start_demand {
                Some(demand) => Ok(demand.clone()),
                None => Demand::none(socs).and_then(|none| none.plus(equal)),
            };
            return Ok(generated(&rig.fabric, &demand.expect("a rack has two SoCs or more, and few"), ties(seed)));
        }
    };
    if config.period().is_none() {
        return Ok(laid);
    }
    let Embedded { graph, fixed } = embed(&laid, &rig.fabric, seed).ok_or(BuildError::NotEmbedded)?;
    rig.fabric = rig.fabric.clone().with_fixed(&fixed);
    Ok(graph)
}

impl ControlPlane {
    /// From the beginning of a reconfiguration until a crosspoint changes.
    pub fn crosspoint(&self, crosspoint: u32) -> Span {
        let turns = if self.exchanges == Exchanges::Sequential { u64::from(crosspoint) + 1 } else { 1 };
        self.message.saturating_mul(turns) + self.program
    }
}
