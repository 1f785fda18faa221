//! The physical layer: which port of which SoC hangs on which crosspoint switch, and so which circuits are possible (§3).
//!
//! A crosspoint switch joins its ports in pairs. Two SoCs can be joined through the crosspoints on which both have a port. The
//! paper hangs port `i` of every SoC on crosspoint `i` ([`Fabric::port_by_port`]); one switch for all ports is the fully
//! reconfigurable fabric of OSA ([`Fabric::whole`]); anything else is [`Fabric::wired`].

#[cfg(test)]
mod tests;

use crate::demand::index;
use crate::graph::{Graph, Port};
use crate::{MOST_PORTS, MOST_SOCS};
use engine::Seed;

/// Why there is no such fabric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FabricError {
    /// Nobody to join, or more than a rack holds.
    #[error("a fabric joins 2 to 16384 SoCs, not {socs}")]
    Socs {
        /// What it was given.
        socs: u32,
    },
    /// No port, or more than a SoC has.
    #[error("a SoC has 1 to 16 internal ports, not {ports}")]
    Ports {
        /// What it was given.
        ports: u32,
    },
    /// The wiring is not of this fabric.
    #[error("{socs} SoCs of {ports} ports are {expected} ports to wire; the list has {given}")]
    Wiring {
        /// How many SoCs.
        socs: u32,
        /// Ports of each.
        ports: u32,
        /// Ports that should be wired.
        expected: usize,
        /// Ports that are.
        given: usize,
    },
    /// A crosspoint without a port: its number was skipped.
    #[error(
        "no port hangs on crosspoint {crosspoint}, but some do on crosspoint {highest}; number crosspoints from 0 without a gap"
    )]
    Gap {
        /// The one without.
        crosspoint: u32,
        /// The highest number in the wiring.
        highest: u32,
    },
    /// A port that is not there.
    #[error("there is no port {number} of SoC {soc}; SoCs are 0 to {}, their ports 0 to {}", socs - 1, ports - 1)]
    NoPort {
        /// Its SoC.
        soc: u32,
        /// Its number.
        number: u32,
        /// How many SoCs there are.
        socs: u32,
        /// Ports of each.
        ports: u32,
    },
}

/// A circuit through a crosspoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Circuit {
    /// From 0.
    pub crosspoint: u32,
    /// The ports that it joins, the lesser SoC first.
    pub ends: [Port; 2],
}

/// SoCs, their internal ports, and the crosspoints on which these hang.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fabric {
    socs: u32,
    ports: u32,
    crosspoints: u32,
    /// By SoC and port.
    crosspoint: Box<[u32]>,
    /// Ports that no circuit may use: fixed for good, or out of order.
    taken: Box<[bool]>,
    fixed: Vec<[Port; 2]>,
}

impl Fabric {
    /// The paper's: as many crosspoints as a SoC has ports, port `i` of every SoC on crosspoint `i` (§2, §3).
    ///
    /// # Errors
    /// For fewer SoCs than 2, more than [`MOST_SOCS`], no ports and more than [`MOST_PORTS`].
    pub fn port_by_port(socs: u32, ports: u32) -> Result<Fabric, FabricError> {
        Fabric::by_port(socs, ports, |number| number)
    }

    /// One switch for all ports of all SoCs, so that any port can be joined with any port of another SoC: what OSA assumes (§2).
    ///
    /// # Errors
    /// As [`Fabric::port_by_port`].
    pub fn whole(socs: u32, ports: u32) -> Result<Fabric, FabricError> {
        Fabric::by_port(socs, ports, |_| 0)
    }

    /// Any wiring: entry `soc * ports + port` is the crosspoint on which this port hangs.
    ///
    /// # Errors
    /// As [`Fabric::port_by_port`], for lists of another length, and for crosspoints without a port below one with.
    pub fn wired(socs: u32, ports: u32, crosspoint: Vec<u32>) -> Result<Fabric, FabricError> {
        if !(2..=MOST_SOCS).contains(&socs) {
            return Err(FabricError::Socs { socs });
        }
        if !(1..=MOST_PORTS).contains(&ports) {
            return Err(FabricError::Ports { ports });
        }
        let (expected, given) = (index(socs) * index(ports), crosspoint.len());
        if given != expected {
            return Err(FabricError::Wiring { socs, ports, expected, given });
        }
        let highest = crosspoint.iter().copied().max().unwrap_or(0);
        let mut used: Vec<u32> = crosspoint.clone();
        used.sort_unstable();
        used.dedup();
        if let Some((gap, _)) = (0..).zip(&used).find(|(number, used)| number != *used) {
            return Err(FabricError::Gap { crosspoint: gap, highest });
        }
        let taken = vec![false; expected].into();
        Ok(Fabric { socs, ports, crosspoints: highest + 1, crosspoint: crosspoint.into(), taken, fixed: Vec::new() })
    }

    fn by_port(socs: u32, ports: u32, crosspoint: impl Fn(u32) -> u32) -> Result<Fabric, FabricError> {
        // Sizes that will be refused are not laid out first.
        let laid_out = if socs <= MOST_SOCS && ports <= MOST_PORTS { socs } else { 0 };
        Fabric::wired(socs, ports, (0..laid_out).flat_map(|_| (0..ports).map(&crosspoint)).collect())
    }

    /// Puts to use what an odd number of ports leaves over (§6.1): crosspoints with an odd number of usable ports are paired in
    /// their order, and in each pair a random SoC's port on the one is joined for good to another SoC's port on the other. If the
    /// number of such crosspoints is odd too, the last keeps its port, as no circuit can use it.
    ///
    /// SoCs are drawn without repetition as long as there are others. The stream is `xfabric.fixed`.
    #[must_use]
    pub fn with_fixed_circuits(mut self, seed: Seed) -> Fabric {
        let mut usable = vec![0_u32; index(self.crosspoints)];
        for (place, &crosspoint) in self.crosspoint.iter().enumerate() {
            usable[index(crosspoint)] += u32::from(!self.taken[place]);
        }
        let odd: Vec<u32> = (0..self.crosspoints).filter(|&at| usable[index(at)] % 2 == 1).collect();
        let mut order: Vec<u32> = (0..self.socs).collect();
        seed.stream("xfabric.fixed", 0).shuffle(&mut order);
        for pair in odd.chunks_exact(2) {
            let a = order.iter().find_map(|&soc| self.usable_port(soc, pair[0]));
            let b = a.and_then(|a| {
                order.iter().filter(|&&soc| soc != a.soc).find_map(|&soc| self.usable_port(soc, pair[1]))
            });
            if let (Some(a), Some(b)) = (a, b) {
                for port in [a, b] {
                    let at = self.place(port);
                    self.taken[at] = true;
                    // To the end, so that the next pair takes others.
                    order.retain(|&soc| soc != port.soc);
                    order.push(port.soc);
                }
                self.fixed.push(if a < b { [a, b] } else { [b, a] });
            }
        }
        self
    }

    /// Joins these ports for good.
    ///
    /// # Panics
    /// If one of them is not there, or in use already.
    #[must_use]
    pub(crate) fn with_fixed(mut self, circuits: &[[Port; 2]]) -> Fabric {
        for &ends in circuits {
            for port in ends {
                let at = self.place(port);
                assert!(
                    !std::mem::replace(&mut self.taken[at], true),
                    "port {} of SoC {} is in use",
                    port.number,
                    port.soc
                );
            }
            self.fixed.push(ends);
        }
        self
    }

    /// Leaves out a port that is broken; a fixed circuit on it goes too.
    ///
    /// # Errors
    /// If there is no such port.
    pub fn fail_port(&mut self, port: Port) -> Result<(), FabricError> {
        if port.soc >= self.socs || port.number >= self.ports {
            let (socs, ports) = (self.socs, self.ports);
            return Err(FabricError::NoPort { soc: port.soc, number: port.number, socs, ports });
        }
        let at = self.place(port);
        self.taken[at] = true;
        self.fixed.retain(|ends| !ends.contains(&port));
        Ok(())
    }

    /// Leaves out a SoC that does not answer, with all its ports.
    ///
    /// # Errors
    /// If there is no such SoC.
    pub fn fail_soc(&mut self, soc: u32) -> Result<(), FabricError> {
        (0..self.ports).try_for_each(|number| self.fail_port(Port { soc, number }))
    }

    /// How many SoCs there are.
    pub fn socs(&self) -> u32 {
        self.socs
    }
    /// Internal ports of each SoC: the paper's `d`.
    pub fn ports(&self) -> u32 {
        self.ports
    }
    /// How many crosspoints there are.
    pub fn crosspoints(&self) -> u32 {
        self.crosspoints
    }
    /// The crosspoint on which a port hangs.
    pub fn crosspoint(&self, port: Port) -> u32 {
        self.crosspoint[self.place(port)]
    }
    /// May a circuit use this port?
    pub fn is_usable(&self, port: Port) -> bool {
        !self.taken[self.place(port)]
    }
    /// Circuits that no configuration changes.
    pub fn fixed(&self) -> &[[Port; 2]] {
        &self.fixed
    }
    /// Can a circuit reach this SoC at all?
    pub fn has_usable_port(&self, soc: u32) -> bool {
        (0..self.ports).any(|number| self.is_usable(Port { soc, number }))
    }
    /// Usable ports of a SoC on a crosspoint, the lowest first.
    pub fn usable_ports(&self, soc: u32, crosspoint: u32) -> impl Iterator<Item = Port> + '_ {
        (0..self.ports)
            .map(move |number| Port { soc, number })
            .filter(move |&port| self.crosspoint(port) == crosspoint && self.is_usable(port))
    }
    /// The crosspoints through which two SoCs can be joined, while no circuit is set.
    pub fn between(&self, a: u32, b: u32) -> impl Iterator<Item = u32> + '_ {
        let possible =
            move |&at: &u32| a != b && self.usable_port(a, at).is_some() && self.usable_port(b, at).is_some();
        (0..self.crosspoints).filter(possible)
    }
    /// The graph of the fixed circuits alone.
    pub fn fixed_graph(&self) -> Graph {
        let mut graph = Graph::new(self.socs, self.ports);
        for &[a, b] in &self.fixed {
            graph.join(a, b);
        }
        graph
    }

    fn usable_port(&self, soc: u32, crosspoint: u32) -> Option<Port> {
        self.usable_ports(soc, crosspoint).next()
    }
    fn place(&self, port: Port) -> usize {
        index(port.soc) * index(self.ports) + index(port.number)
    }
}
