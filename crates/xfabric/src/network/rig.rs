//! From a topology to a rack: which link is which port of which SoC, and on which crosspoint it hangs.
//!
//! Hosts are SoCs, switches are crosspoints, and cables between them are what is laid in the rack: port `i` of a SoC is its `i`-th
//! link, in the order of the crosspoints. So a port has the number of the link by which it sends, and the link back is the
//! one by which it receives.
//!
//! With uplinks (§3) the last crosspoint is theirs, and the last link of each SoC leads there: its uplink port. The last hosts of the topology are
//! the far ends of uplinks. Their links come after those of SoCs, so they have the last ports.

use super::config::{Config, Start};
use crate::baselines::{BaselineError, most_cubic};
use crate::demand::Demand;
use crate::generate::crosspoints::{Fabric, FabricError};
use crate::graph::Port;
use topology::{LinkId, NodeId, Topology};
use units::{Rate, Span};

/// Why a topology is no XFabric rack, or not the one that is asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A host on a host, or a switch on a switch.
    #[error("link {link} does not join a host to a switch: SoCs hang on crosspoints, and nothing else does")]
    NotToCrosspoint {
        /// Which.
        link: String,
    },
    /// SoCs with different numbers of ports.
    #[error("host {host} has {links} links and host {first} has {expected}: all SoCs have as many ports")]
    Ports {
        /// Which.
        host: String,
        /// How many it has.
        links: usize,
        /// The first host.
        first: String,
        /// How many that has.
        expected: usize,
    },
    /// Links that are not alike.
    #[error("link {link} differs in rate or delay from the others: a circuit may join any two of them")]
    Unlike {
        /// Which.
        link: String,
    },
    /// More than a rack holds.
    #[error(transparent)]
    Size(#[from] FabricError),
    /// A torus of SoCs that have too few ports, or too many.
    #[error("a 3D torus needs SoCs with 6 ports, these have {ports}; begin with another topology")]
    NoTorus {
        /// How many ports they have.
        ports: u32,
    },
    /// A torus of hardly any SoCs.
    #[error("{socs} SoCs make a torus of {} by {} by {}; a 3D torus needs at least 2 each way, so begin with another topology", sizes[0], sizes[1], sizes[2])]
    Flat {
        /// How many there are.
        socs: u32,
        /// The sizes that are nearest to a cube.
        sizes: [u32; 3],
    },
    /// No random graph.
    #[error(transparent)]
    Random(#[from] BaselineError),
    /// A torus or a random graph that crosspoints would have to set, on ports that are not one on each.
    #[error(
        "crosspoints can set a torus or a random graph only if each SoC has one port on each crosspoint; begin with another \
         topology, or do not reconfigure"
    )]
    NotEmbedded,
    /// A controller on a SoC that is not there.
    #[error("there is no SoC {soc} for a controller to run on; SoCs are 0 to {}", socs - 1)]
    NoHost {
        /// Its number.
        soc: u32,
        /// How many there are.
        socs: u32,
    },
    /// Uplinks that hang elsewhere.
    #[error(
        "with uplinks, the last switch is the uplink crosspoint: it joins each SoC's last link and the only link of each uplink, and internal \
         ports hang on the others"
    )]
    NotUplinks,
    /// More uplinks than SoCs that can have one.
    #[error("{uplinks} uplinks for {able} SoCs that can have one; those that can run the controller have none (§3)")]
    TooManyUplinks {
        /// How many.
        uplinks: u32,
        /// SoCs with an uplink port on the uplink crosspoint.
        able: u32,
    },
    /// A matrix of another rack.
    #[error("the demand is of {demand} SoCs, the rack has {socs}")]
    Demand {
        /// SoCs of the matrix.
        demand: u32,
        /// SoCs of the rack.
        socs: u32,
    },
}

/// What is laid in the rack.
#[derive(Debug, Clone)]
pub struct Rig {
    /// SoCs, internal ports and the crosspoints on which these hang.
    pub fabric: Fabric,
    /// How many uplinks leave the rack.
    pub uplinks: u32,
    /// Ports of a SoC, with its uplink port if there are uplinks.
    per_soc: u32,
    /// Of every port.
    pub rate: Rate,
    /// From the first bit's leaving a port until it is at the crosspoint, and from there at the other port.
    pub delay: Span,
    /// The same from port to port, with the crosspoint between.
    pub flight: Span,
    /// By link: the port that receives by it, for links from crosspoints.
    pub receives: Box<[Option<u32>]>,
    /// By port: the link by which it receives.
    pub back: Box<[u32]>,
}

impl Rig {
    /// Looks whether this topology is a rack.
    ///
    /// # Errors
    /// If it is not, or does not fit what the run begins with.
    pub fn new(config: &Config, topology: &Topology) -> Result<Rig, BuildError> {
        let (hosts, links, uplinks) = (topology.hosts(), topology.links(), config.uplink_hosts);
        let socs = hosts.saturating_sub(uplinks);
        let ports_of = |host: u32| topology.ports(NodeId(host)).len();
        let expected = ports_of(0);
        for host in 0..socs {
            if ports_of(host) != expected {
                let name = |host| topology.name(NodeId(host)).to_owned();
                return Err(BuildError::Ports { host: name(host), links: ports_of(host), first: name(0), expected });
            }
        }
        let mut receives = vec![None; links.len()];
        for (number, link) in (0..).zip(links) {
            let name = || topology.link_name(LinkId(number));
            if topology.is_host(link.from) == topology.is_host(link.to) {
                return Err(BuildError::NotToCrosspoint { link: name() });
            }
            if (link.rate, link.delay) != (links[0].rate, links[0].delay) {
                return Err(BuildError::Unlike { link: name() });
            }
            if !topology.is_host(link.from) {
                receives[number as usize] = Some(topology.reverse(LinkId(number)).0);
            }
        }
        let (per_soc, last) = (expected as u32, topology.nodes() - 1);
        let own = &links[..socs as usize * expected];
        let of_uplinks = |(number, to): (usize, u32)| (number + 1).is_multiple_of(expected) == (to == last);
        let ends = || own.iter().map(|link| link.to.0).enumerate();
        let far_ends = || (socs..hosts).flat_map(|host| topology.ports(NodeId(host)));
        let alone = far_ends().count() == uplinks as usize && far_ends().all(|port| links[port as usize].to.0 == last);
        if uplinks > 0 && !(alone && ends().all(of_uplinks)) {
            return Err(BuildError::NotUplinks);
        }
        let ports = per_soc - u32::from(uplinks > 0);
        let internal = ends().filter(|(number, _)| number % expected < ports as usize);
        let fabric = Fabric::wired(socs, ports, internal.map(|(_, to)| to - hosts).collect())?;
        let rig = Rig {
            fabric,
            uplinks,
            per_soc,
            rate: links[0].rate,
            delay: links[0].delay,
            flight: links[0].delay.saturating_mul(2) + config.crosspoint_latency,
            receives: receives.into(),
            back: (0..socs * per_soc + uplinks).map(|port| topology.reverse(LinkId(port)).0).collect(),
        };
        rig.check_start(config)?;
        Ok(rig)
    }

    fn check_start(&self, config: &Config) -> Result<(), BuildError> {
        let (socs, ports) = (self.fabric.socs(), self.fabric.ports());
        let changes = config.period().is_some();
        let beyond = config.controller().and_then(|settings| settings.hosts.iter().find(|&&soc| soc >= socs));
        if let Some(&soc) = beyond {
            return Err(BuildError::NoHost { soc, socs });
        }
        if let Some(demand) = config.start_demand.as_ref().map(Demand::socs).filter(|demand| *demand != socs) {
            return Err(BuildError::Demand { demand, socs });
        }
        let able = (0..socs).filter(|soc| config.may_have_uplink(*soc)).count() as u32;
        if self.uplinks > able {
            return Err(BuildError::TooManyUplinks { uplinks: self.uplinks, able });
        }
        let one_each = (0..socs).all(|soc| (0..ports).all(|at| self.fabric.usable_ports(soc, at).count() == 1));
        match config.start {
            Start::Torus if ports != 6 => Err(BuildError::NoTorus { ports }),
            Start::Torus => {
                let sizes = most_cubic(socs);
                if sizes[0] < 2 {
                    return Err(BuildError::Flat { socs, sizes });
                }
                if changes && (!one_each || self.fabric.crosspoints() != ports) {
                    Err(BuildError::NotEmbedded)
                } else {
                    Ok(())
                }
            }
            Start::Random if changes && (!one_each || self.fabric.crosspoints() != ports) => {
                Err(BuildError::NotEmbedded)
            }
            Start::Random | Start::Uniform | Start::Demand => Ok(()),
        }
    }

    /// The number of a port among all.
    #[inline]
    pub fn number(&self, port: Port) -> u32 {
        port.soc * self.per_soc + port.number
    }
    /// The port of a SoC that has this number.
    #[inline]
    pub fn port(&self, number: u32) -> Port {
        Port { soc: number / self.per_soc, number: number % self.per_soc }
    }
    /// How many ports there are, those of uplinks among them.
    pub fn ports(&self) -> u32 {
        self.fabric.socs() * self.per_soc + self.uplinks
    }
    /// The numbers of all internal ports.
    pub fn internal(&self) -> impl Iterator<Item = u32> + use<'_> {
        (0..self.fabric.socs() * self.per_soc).filter(|&number| self.is_internal(number))
    }
    /// Whether it is neither a SoC's uplink port nor the end of an uplink.
    pub fn is_internal(&self, number: u32) -> bool {
        self.uplinks == 0 || (self.uplink_at(number).is_none() && number % self.per_soc < self.fabric.ports())
    }
    /// The uplink port of a SoC.
    pub fn uplink_port(&self, soc: u32) -> u32 {
        soc * self.per_soc + self.fabric.ports()
    }
    /// The port at the far end of an uplink.
    pub fn uplink_end(&self, uplink: u32) -> u32 {
        self.fabric.socs() * self.per_soc + uplink
    }
    /// The uplink at whose far end this port is.
    pub fn uplink_at(&self, number: u32) -> Option<u32> {
        number.checked_sub(self.fabric.socs() * self.per_soc)
    }
    /// How many crosspoints there are, that of the uplinks among them.
    pub fn crosspoints(&self) -> u32 {
        self.fabric.crosspoints() + u32::from(self.uplinks > 0)
    }
    /// The crosspoint on which a port hangs.
    pub fn crosspoint(&self, number: u32) -> u32 {
        if self.is_internal(number) { self.fabric.crosspoint(self.port(number)) } else { self.fabric.crosspoints() }
    }
    /// The topology's node that has a port: a SoC or the end of an uplink.
    pub fn node(&self, number: u32) -> u32 {
        self.uplink_at(number).map_or_else(|| self.port(number).soc, |uplink| self.fabric.socs() + uplink)
    }
    /// The topology's node that is this crosspoint.
    pub fn crosspoint_node(&self, crosspoint: u32) -> u32 {
        self.fabric.socs() + self.uplinks + crosspoint
    }
}
