//! What hangs where: the local ports of each crosspoint, the uplink crosspoint among them, and the addresses of SoCs' ports.

use super::message::PortMap;
use crate::demand::index;
use crate::forwarding::Mac;
use crate::generate::Uplinks;
use crate::generate::crosspoints::{Circuit, Fabric};
use crate::graph::{Graph, Port};

/// The address of a SoC's port: locally administered, SoC and port in its last four bytes.
pub fn address(port: Port) -> Mac {
    let ([.., s1, s0], [.., p1, p0]) = (port.soc.to_be_bytes(), port.number.to_be_bytes());
    Mac([0x02, 0, s1, s0, p1, p0])
}

/// The rack's wiring, known since boot (§4.3: `port_map`). Local ports of an internal crosspoint are numbered by SoC and then by the
/// SoC's port. The uplink crosspoint, if there is one, has the highest number; its local ports are the uplink ports of all SoCs,
/// by SoC, and then the uplinks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wiring {
    fabric: Fabric,
    uplinks: u32,
    /// By internal crosspoint and local port.
    sockets: Vec<Vec<Port>>,
    /// By SoC and port.
    local: Vec<u16>,
}

impl Wiring {
    /// The wiring of this fabric with so many uplinks; without any there is no uplink crosspoint.
    ///
    /// # Panics
    /// If a crosspoint has more than 65535 ports.
    pub fn new(fabric: Fabric, uplinks: u32) -> Wiring {
        let mut sockets = vec![Vec::new(); index(fabric.crosspoints())];
        let mut local = Vec::new();
        for soc in 0..fabric.socs() {
            for number in 0..fabric.ports() {
                let port = Port { soc, number };
                let at: &mut Vec<Port> = &mut sockets[index(fabric.crosspoint(port))];
                local.push(u16::try_from(at.len()).expect("a crosspoint has at most 65535 ports"));
                at.push(port);
            }
        }
        Wiring { fabric, uplinks, sockets, local }
    }
    /// SoCs, ports and internal crosspoints.
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }
    /// How many uplinks leave the rack.
    pub fn uplinks(&self) -> u32 {
        self.uplinks
    }
    /// How many crosspoints there are, that of the uplinks among them.
    pub fn crosspoints(&self) -> u32 {
        self.fabric.crosspoints() + u32::from(self.uplinks > 0)
    }
    /// The number of the uplink crosspoint.
    pub fn uplink_crosspoint(&self) -> Option<u32> {
        (self.uplinks > 0).then(|| self.fabric.crosspoints())
    }
    /// How many local ports a crosspoint has.
    pub fn ports(&self, crosspoint: u32) -> u16 {
        let internal = self.sockets.get(index(crosspoint)).map(Vec::len);
        internal.unwrap_or(index(self.fabric.socs() + self.uplinks)) as u16
    }
    /// The SoC's port on a local port of an internal crosspoint.
    pub fn socket(&self, crosspoint: u32, local: u16) -> Option<Port> {
        self.sockets.get(index(crosspoint))?.get(usize::from(local)).copied()
    }
    /// The local port on which a SoC's port hangs.
    pub fn local(&self, port: Port) -> u16 {
        self.local[index(port.soc * self.fabric.ports() + port.number)]
    }

    /// What each crosspoint is to set.
    ///
    /// # Panics
    /// If circuits or uplinks are of another rack.
    pub fn maps(&self, circuits: &[Circuit], uplinks: Option<&Uplinks>) -> Vec<PortMap> {
        let mut maps: Vec<PortMap> =
            (0..self.crosspoints()).map(|at| vec![None; usize::from(self.ports(at))]).collect();
        for circuit in circuits {
            let map = &mut maps[index(circuit.crosspoint)];
            let [a, b] = circuit.ends.map(|port| self.local(port));
            map[usize::from(a)] = Some(b);
            map[usize::from(b)] = Some(a);
        }
        if let (Some(at), Some(uplinks)) = (self.uplink_crosspoint(), uplinks) {
            for (uplink, &soc) in (self.fabric.socs()..).zip(&uplinks.places) {
                maps[index(at)][index(soc)] = Some(uplink as u16);
                maps[index(at)][index(uplink)] = Some(soc as u16);
            }
        }
        maps
    }

    /// The links that packets see: circuits of these maps, where they are known, and fixed ones, without the ports that this
    /// fabric leaves out. `fabric` is that of the wiring, perhaps with failures.
    pub fn graph(&self, fabric: &Fabric, maps: &[Option<&PortMap>]) -> Graph {
        let mut graph = fabric.fixed_graph();
        for (crosspoint, map) in (0..self.fabric.crosspoints()).zip(maps) {
            for (a, b) in map.map(joined).into_iter().flatten() {
                let ends = (self.socket(crosspoint, a), self.socket(crosspoint, b));
                if let (Some(a), Some(b)) = ends
                    && a.soc != b.soc
                    && [a, b].iter().all(|&port| fabric.is_usable(port) && graph.peer(port).is_none())
                {
                    graph.join(a, b);
                }
            }
        }
        graph
    }
}

/// The circuits of a map, each once.
fn joined(map: &PortMap) -> impl Iterator<Item = (u16, u16)> + '_ {
    (0..).zip(map).filter_map(|(port, peer)| peer.filter(|&peer| port < peer).map(|peer| (port, peer)))
}
