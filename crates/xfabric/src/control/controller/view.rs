//! What the controller knows of the rack.

use super::{Controller, Known};
use crate::control::generator::Generator;
use crate::control::message::PortMap;
use crate::control::version::Version;
use crate::demand::index;
use crate::generate::crosspoints::Fabric;
use crate::graph::{Graph, Port};

impl<G: Generator> Controller<G> {
    /// The fabric without what is broken.
    pub(super) fn usable(&self) -> Fabric {
        let whole = self.wiring.fabric();
        let lost = |port: &Port| self.known[index(whole.crosspoint(*port))].is_none();
        let all = (0..whole.socs()).flat_map(|soc| (0..whole.ports()).map(move |number| Port { soc, number }));
        let broken =
            all.filter(|port| self.failed_socs.contains(&port.soc) || self.failed_ports.contains(port) || lost(port));
        let mut fabric = whole.clone();
        for port in broken {
            fabric.fail_port(port).expect("it is a port of this fabric");
        }
        fabric
    }

    /// The links that are there now, those that are broken apart.
    pub(super) fn links(&self) -> Graph {
        let maps: Vec<Option<&PortMap>> =
            self.known.iter().map(|known| known.as_ref().map(|known| &known.active.map)).collect();
        self.wiring.graph(&self.usable(), &maps)
    }

    /// The links that there will be.
    pub(super) fn links_to_be(&self) -> Graph {
        let maps: Vec<Option<&PortMap>> = self.maps.iter().map(Some).collect();
        self.wiring.graph(&self.usable(), &maps)
    }

    /// By SoC: does it answer?
    pub(super) fn alive(&self) -> Vec<bool> {
        (0..self.wiring.fabric().socs()).map(|soc| !self.failed_socs.contains(&soc)).collect()
    }

    /// The latest version that a crosspoint has set.
    pub(super) fn in_force(&self) -> Version {
        self.crosspoints().map(|(_, known)| known.active.version).max().unwrap_or(Version::NONE)
    }

    /// Crosspoints that answer.
    pub(super) fn crosspoints(&self) -> impl Iterator<Item = (u32, &Known)> {
        (0..).zip(&self.known).filter_map(|(crosspoint, known)| Some((crosspoint, known.as_ref()?)))
    }
}
