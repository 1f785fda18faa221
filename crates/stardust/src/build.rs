//! From a topology to a fabric: which switches are Fabric Adapters, which are Fabric Elements, and where their links lead.

use crate::config::{Config, InteriorKind, Reachability};
use crate::edge::EdgeClass;
use crate::interior::Interior;
use crate::lane::LinkClass;
use crate::lockstep::LockStep;
use crate::reach::{Bitmap, Links, bit};
use engine::looking;
use std::collections::BTreeMap;
use topology::{Direction, LinkId, NodeId, Topology};
use units::{Pace, Rate, Span};

/// Why a topology cannot be a Stardust fabric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// VOQs are by port, so a host has one.
    #[error("host {host} has {links} links: a host of a Stardust fabric has one, to its Fabric Adapter")]
    ManyLinks {
        /// The host's name.
        host: String,
        /// Its links.
        links: usize,
    },
    /// Cells have 16 bits for their destination.
    #[error("{adapters} switches have hosts: a Stardust fabric has at most {most} Fabric Adapters")]
    ManyAdapters {
        /// Switches with hosts.
        adapters: usize,
        /// The most there may be.
        most: usize,
    },
    /// In lock-step every link sends a cell in the same time.
    #[error(
        "{link} is not as fast as other links of the fabric: in lock-step all are; compute the interior by events, or give them one rate"
    )]
    UnequalRates {
        /// A link, as `A -> B`.
        link: String,
    },
    /// A link has 16 bits for its class.
    #[error(
        "the links have more than {most} different rates and delays, counted together: a Stardust fabric has at most so many"
    )]
    ManyClasses {
        /// The most there may be.
        most: usize,
    },
    /// Adapters are joined through elements above them.
    #[error("{from} does not reach {to} by going up and then down: Stardust needs switches above those with hosts")]
    Unreachable {
        /// An adapter's name.
        from: String,
        /// Another's.
        to: String,
    },
}

/// A topology as a Stardust fabric: its devices, and its links by class.
#[derive(Debug, Clone)]
pub struct Parts {
    pub(crate) layout: Layout,
    pub(crate) link_classes: Vec<LinkClass>,
    pub(crate) edge_classes: Vec<EdgeClass>,
}

impl Parts {
    /// Reads a topology.
    ///
    /// # Errors
    /// If it cannot be a Stardust fabric.
    pub fn new(config: &Config, topology: &Topology) -> Result<Parts, BuildError> {
        let mut layout = Layout::new(topology)?;
        let (link_classes, edge_classes) = classes(config, topology, &mut layout)?;
        let parts = Parts { layout, link_classes, edge_classes };
        if config.interior == InteriorKind::LockStep {
            parts.suit::<LockStep>(topology)?;
        }
        let reached = parts.layout.reached();
        parts.layout.check_complete(topology, |from, to| {
            reached[(to / Reachability::BITMAP) as usize][from as usize] & bit(to) != 0
        })?;
        Ok(parts)
    }

    /// Whether such an interior can have these links.
    pub(crate) fn suit<I: Interior>(&self, topology: &Topology) -> Result<(), BuildError> {
        match I::unsuited(&self.layout, &self.link_classes) {
            Some(link) => Err(BuildError::UnequalRates { link: topology.link_name(LinkId(link)) }),
            None => Ok(()),
        }
    }
}

/// What a link is to the fabric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// From a host to its adapter.
    FromHost,
    /// From an adapter to a host.
    ToHost,
    /// Away from adapters.
    Up,
    /// Towards adapters.
    Down,
    /// Between switches of one tier: carries nothing.
    Unused,
}

/// Where a link leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wire {
    /// The device that sends; of [`Role::FromHost`] the host.
    pub from: u32,
    /// The device that receives; of [`Role::ToHost`] the host.
    pub to: u32,
    /// Index of its class.
    pub class: u16,
    /// What it is.
    pub role: Role,
}

/// Where a host is attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attachment {
    /// Its adapter.
    pub adapter: u16,
    /// Its place among the adapter's hosts.
    pub place: u32,
    /// Its link to the adapter.
    pub up: u32,
    /// The adapter's link to it.
    pub down: u32,
}

/// A topology, as the fabric sees it. Devices are numbered anew: adapters first, then elements, each in the topology's order.
#[derive(Debug, Clone)]
pub struct Layout {
    /// By host.
    pub hosts: Vec<Attachment>,
    /// Hosts of each adapter.
    pub ports: Vec<Vec<u32>>,
    /// Devices that are adapters.
    pub adapters: u32,
    /// All devices.
    pub devices: u32,
    /// By switch, counted from the first: its device.
    pub device: Vec<u32>,
    /// By link. Classes are not set yet.
    pub wires: Vec<Wire>,
    up: Vec<Vec<u32>>,
    down: Vec<Vec<u32>>,
    back: Vec<u32>,
}

impl Links for Layout {
    fn up(&self, device: u32) -> &[u32] {
        &self.up[device as usize]
    }
    fn down(&self, device: u32) -> &[u32] {
        &self.down[device as usize]
    }
    fn back(&self, link: u32) -> u32 {
        self.back[link as usize]
    }
}

impl Layout {
    /// Reads a topology.
    ///
    /// # Errors
    /// If a host has several links, or there are more adapters than can be numbered.
    pub fn new(topology: &Topology) -> Result<Layout, BuildError> {
        let hosts = topology.hosts();
        let first = |node: u32| topology.ports(NodeId(node));
        if let Some(host) = (0..hosts).find(|host| first(*host).len() != 1) {
            let name = topology.name(NodeId(host)).to_owned();
            return Err(BuildError::ManyLinks { host: name, links: first(host).len() });
        }
        let has_hosts = |node: u32| first(node).any(|link| topology.link(LinkId(link)).to.0 < hosts);
        let (adapters, elements): (Vec<u32>, Vec<u32>) = (hosts..topology.nodes()).partition(|node| has_hosts(*node));
        let most = usize::from(u16::MAX);
        if adapters.len() > most {
            return Err(BuildError::ManyAdapters { adapters: adapters.len(), most });
        }
        let mut device = vec![0; topology.switches() as usize];
        for (number, node) in (0..).zip(adapters.iter().chain(&elements)) {
            device[(node - hosts) as usize] = number;
        }
        let mut layout = Layout {
            hosts: Vec::new(),
            ports: vec![Vec::new(); adapters.len()],
            adapters: adapters.len() as u32,
            devices: device.len() as u32,
            wires: Vec::new(),
            up: vec![Vec::new(); device.len()],
            down: vec![Vec::new(); device.len()],
            back: (0..topology.links().len() as u32).map(|link| topology.reverse(LinkId(link)).0).collect(),
            device,
        };
        layout.lay(topology);
        Ok(layout)
    }

    fn lay(&mut self, topology: &Topology) {
        let hosts = topology.hosts();
        for (number, link) in looking((0..).zip(topology.links())) {
            let (from, to) = (link.from.0, link.to.0);
            let number_of = |node: u32| if node < hosts { node } else { self.device[(node - hosts) as usize] };
            let (from_device, to_device) = (number_of(from), number_of(to));
            let is_adapter = |node: u32, device: u32| node >= hosts && device < self.adapters;
            let role = if from < hosts {
                let adapter = to_device as usize;
                let place = self.ports[adapter].len() as u32;
                self.ports[adapter].push(from);
                let down = self.back[number as usize];
                self.hosts.push(Attachment { adapter: adapter as u16, place, up: number, down });
                Role::FromHost
            } else if to < hosts {
                Role::ToHost
            } else {
                match (is_adapter(from, from_device), is_adapter(to, to_device)) {
                    (true, true) => Role::Unused,
                    (true, false) => Role::Up,
                    (false, true) => Role::Down,
                    (false, false) => match link.direction {
                        Direction::Up => Role::Up,
                        Direction::Down => Role::Down,
                        Direction::Flat => Role::Unused,
                    },
                }
            };
            match role {
                Role::Up => self.up[from_device as usize].push(number),
                Role::Down => self.down[from_device as usize].push(number),
                Role::FromHost | Role::ToHost | Role::Unused => {}
            }
            self.wires.push(Wire { from: from_device, to: to_device, class: 0, role });
        }
    }

    /// By part of the adapters and by device: which of them it reaches by going up and then down, as long as everything works.
    fn reached(&self) -> Vec<Vec<Bitmap>> {
        let devices = 0..self.devices as usize;
        let part = |first: u32| {
            let mut reached: Vec<Bitmap> = vec![0; devices.len()];
            for adapter in (first..self.adapters).take(Reachability::BITMAP as usize) {
                reached[adapter as usize] = bit(adapter);
            }
            // Most topologies number their tiers upwards, so that one turn each way does nearly all.
            while self.gather(&mut reached, devices.clone(), &self.down) {}
            while self.gather(&mut reached, devices.clone().rev(), &self.up) {}
            reached
        };
        (0..self.adapters).step_by(Reachability::BITMAP as usize).map(part).collect()
    }

    /// Adds to what each device reaches whatever the devices reach to which these links lead. True if something was new.
    fn gather(&self, reached: &mut [Bitmap], devices: impl Iterator<Item = usize>, out: &[Vec<u32>]) -> bool {
        let mut changed = false;
        for device in looking(devices) {
            let far = |link: &u32| reached[self.wires[*link as usize].to as usize];
            let all = out[device].iter().map(far).fold(reached[device], |all, some| all | some);
            changed |= all != reached[device];
            reached[device] = all;
        }
        changed
    }

    /// Every adapter reaches every other.
    ///
    /// # Errors
    /// If one does not.
    pub fn check_complete(&self, topology: &Topology, reaches: impl Fn(u32, u32) -> bool) -> Result<(), BuildError> {
        for from in 0..self.adapters {
            engine::look();
            if let Some(to) = (0..self.adapters).find(|to| *to != from && !reaches(from, *to)) {
                let name = |device: u32| {
                    let switch = self.device.iter().position(|other| *other == device).unwrap_or(0) as u32;
                    topology.name(NodeId(topology.hosts() + switch)).to_owned()
                };
                return Err(BuildError::Unreachable { from: name(from), to: name(to) });
            }
        }
        Ok(())
    }

    /// The device of a node; `None` for a host.
    pub fn device_of(&self, node: u32) -> Option<u32> {
        let switch = node.checked_sub(self.hosts.len() as u32)?;
        self.device.get(switch as usize).copied()
    }

    /// Rates of hosts' ports, with their adapters, by host.
    pub fn port_rates(&self, topology: &Topology) -> Vec<(u16, Rate)> {
        self.hosts.iter().map(|host| (host.adapter, topology.link(LinkId(host.down)).rate)).collect()
    }

    /// Links that leave a device into the fabric.
    pub fn out(&self, device: u32) -> impl Iterator<Item = u32> + '_ {
        self.up[device as usize].iter().chain(&self.down[device as usize]).copied()
    }
}

/// Every link with its class; equal classes are kept once.
///
/// # Errors
/// If there are more than can be numbered.
pub(crate) fn classes(
    config: &Config,
    topology: &Topology,
    layout: &mut Layout,
) -> Result<(Vec<LinkClass>, Vec<EdgeClass>), BuildError> {
    let (mut links, mut edges): (Vec<LinkClass>, Vec<EdgeClass>) = (Vec::new(), Vec::new());
    let (mut known_links, mut known_edges) = (BTreeMap::new(), BTreeMap::new());
    for (link, wire) in looking(topology.links().iter().zip(&mut layout.wires)) {
        let placed = match wire.role {
            Role::FromHost | Role::ToHost => {
                let framing = config.framing.get() as u32;
                let class = |rate, delay| EdgeClass { rate, pace: Pace::new(rate), delay, framing };
                place(&mut edges, &mut known_edges, (link.rate, link.delay), class)
            }
            Role::Up | Role::Down | Role::Unused => {
                let threshold = config.element.fci_threshold;
                let class = |rate, delay| LinkClass::new(rate, delay, config.cells.size, threshold);
                place(&mut links, &mut known_links, (link.rate, link.delay), class)
            }
        };
        wire.class = placed.ok_or(BuildError::ManyClasses { most: MOST_CLASSES })?;
    }
    Ok((links, edges))
}

/// The most classes of links inside, and of links of hosts.
const MOST_CLASSES: usize = 1 << 16;

/// The number of the class of this rate and delay, which is made if it is new; `None` if there are too many.
fn place<T>(
    all: &mut Vec<T>,
    known: &mut BTreeMap<(Rate, Span), u16>,
    (rate, delay): (Rate, Span),
    class: impl Fn(Rate, Span) -> T,
) -> Option<u16> {
    if let Some(number) = known.get(&(rate, delay)) {
        return Some(*number);
    }
    let number = u16::try_from(all.len()).ok()?;
    all.push(class(rate, delay));
    known.insert((rate, delay), number);
    Some(number)
}

#[cfg(test)]
mod tests;
