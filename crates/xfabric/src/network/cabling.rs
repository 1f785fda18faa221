//! Which port is joined with which, and what works: where a frame ends up that leaves now.

use super::flight::{Change, End, Fate};
use super::rig::Rig;
use crate::generate::Uplinks;
use crate::graph::Graph;
use fabric::Fault;
use units::{Span, Time};

/// Where a port leads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plug {
    /// To this port, or nowhere.
    pub end: End,
    /// Not before this: until then the crosspoint is changing the circuit.
    pub live: Time,
}

/// What works of a rack: links of the topology; SoCs, ends of uplinks, then crosspoints.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Health(fabric::Health);

impl Health {
    pub(super) fn sound(rig: &Rig) -> Health {
        let nodes = rig.crosspoint_node(rig.crosspoints());
        Health(fabric::Health::whole(rig.receives.len(), nodes as usize))
    }
    pub(super) fn apply(&mut self, fault: Fault) {
        self.0.apply(fault);
    }
    pub(super) fn soc(&self, soc: u32) -> bool {
        self.0.nodes[soc as usize]
    }
    pub(super) fn crosspoint(&self, rig: &Rig, crosspoint: u32) -> bool {
        self.0.nodes[rig.crosspoint_node(crosspoint) as usize]
    }
    /// Whether frames pass between whoever has this port and its crosspoint, both ways: half a circuit is of no use.
    pub(super) fn port(&self, rig: &Rig, port: u32) -> bool {
        self.sends(rig, port) && self.0.links[rig.back[port as usize] as usize]
    }
    /// Whether what `from` sends reaches `to`, if a circuit joins them.
    fn carries(&self, rig: &Rig, from: u32, to: u32) -> bool {
        self.sends(rig, from) && self.0.links[rig.back[to as usize] as usize] && self.stands(rig, to)
    }
    fn sends(&self, rig: &Rig, port: u32) -> bool {
        self.0.links[port as usize] && self.stands(rig, port)
    }
    /// Whether both ends of this port's cable work.
    fn stands(&self, rig: &Rig, port: u32) -> bool {
        self.0.nodes[rig.node(port) as usize] && self.crosspoint(rig, rig.crosspoint(port))
    }
}

/// All circuits.
#[derive(Debug, Clone)]
pub(super) struct Cabling {
    joined: Box<[Option<u32>]>,
    plugs: Box<[Plug]>,
    pub health: Health,
}

impl Cabling {
    pub(super) fn new(rig: &Rig, graph: &Graph, uplinks: Option<&Uplinks>) -> Cabling {
        let ports = rig.ports() as usize;
        let mut cabling = Cabling {
            joined: vec![None; ports].into(),
            plugs: vec![Plug { end: End::lost(Fate::Nowhere), live: Time::ZERO }; ports].into(),
            health: Health::sound(rig),
        };
        for (a, b) in graph.links() {
            cabling.join(rig.number(a), rig.number(b));
        }
        for (uplink, soc) in (0..).zip(uplinks.into_iter().flat_map(|uplinks| &uplinks.places)) {
            cabling.join(rig.uplink_port(*soc), rig.uplink_end(uplink));
        }
        (0..rig.ports()).for_each(|port| cabling.plugs[port as usize].end = cabling.end(rig, port));
        cabling
    }

    #[inline]
    pub(super) fn plug(&self, port: u32) -> Plug {
        self.plugs[port as usize]
    }
    pub(super) fn joined(&self, port: u32) -> Option<u32> {
        self.joined[port as usize]
    }
    /// The topology that packets inside see; without circuits on which something is broken, as far as `health` knows.
    pub(super) fn graph(&self, rig: &Rig, health: &Health) -> Graph {
        let mut graph = Graph::new(rig.fabric.socs(), rig.fabric.ports());
        for (port, peer) in (0..).zip(&self.joined).filter_map(|(port, peer)| peer.map(|peer| (port, peer))) {
            if port < peer && rig.is_internal(port) && health.port(rig, port) && health.port(rig, peer) {
                graph.join(rig.port(port), rig.port(peer));
            }
        }
        graph
    }

    /// Ports get other peers, or none; what was joined with them is parted. The circuits are dark for `switching`. Says what happens
    /// to which port.
    pub(super) fn change(
        &mut self,
        rig: &Rig,
        now: Time,
        wanted: &[(u32, Option<u32>)],
        switching: Span,
    ) -> Vec<Option<Change>> {
        let mut touched = Vec::new();
        for &(port, peer) in wanted {
            if self.joined[port as usize] == peer {
                continue; // the peer came first
            }
            touched.extend([Some(port), self.joined[port as usize], peer]);
            self.part(port);
            if let Some(peer) = peer {
                touched.push(self.joined[peer as usize]);
                self.part(peer);
                self.join(port, peer);
            }
        }
        let live = now + switching;
        let mut changes = vec![None; self.plugs.len()];
        for port in touched.into_iter().flatten() {
            let end = self.end(rig, port);
            self.plugs[port as usize] = Plug { end, live };
            changes[port as usize] = Some(Change::Circuit { end, live });
        }
        changes
    }

    /// Something breaks or is repaired. Says what happens to which port.
    pub(super) fn strike(&mut self, rig: &Rig, fault: Fault) -> Vec<Option<Change>> {
        self.health.apply(fault);
        let mut changes = vec![None; self.plugs.len()];
        for port in 0..rig.ports() {
            let end = self.end(rig, port);
            let plug = &mut self.plugs[port as usize];
            if plug.end != end {
                plug.end = end;
                changes[port as usize] = Some(Change::Severed(end));
            }
            if fault == (Fault::Node { node: rig.node(port), up: false }) {
                changes[port as usize] = Some(Change::Stopped);
            }
        }
        changes
    }

    fn end(&self, rig: &Rig, port: u32) -> End {
        match self.joined[port as usize] {
            None => End::lost(Fate::Nowhere),
            Some(peer) if self.health.carries(rig, port, peer) => End::port(peer),
            Some(_) => End::lost(Fate::Broken),
        }
    }
    fn join(&mut self, a: u32, b: u32) {
        self.joined[a as usize] = Some(b);
        self.joined[b as usize] = Some(a);
    }
    fn part(&mut self, port: u32) {
        if let Some(peer) = self.joined[port as usize].take() {
            self.joined[peer as usize] = None;
        }
    }

    /// A port is on one circuit at most, and a circuit joins two ports.
    #[cfg(debug_assertions)]
    pub(super) fn check(&self) {
        for (port, peer) in (0..).zip(&self.joined) {
            if let Some(peer) = peer {
                assert_eq!(self.joined[*peer as usize], Some(port), "circuits join two ports");
            }
        }
    }
}
