//! A topology as an AN3 network: which hosts form an L0 network, where it leaves, which switches stand in which container.

#[cfg(test)]
mod tests;

use crate::divisor::Divisor;
use crate::frame::{Frame, SLOTS};
use crate::l0::{Distances, FAR, Network};
use fabric::Health;
use std::sync::Arc;
use topology::{LinkId, NodeId, Topology};
use units::{Rate, Span, Time};

/// Why a topology is no AN3 network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// No L1 switch.
    #[error("has no switch: an AN3 network has L1 switches, over which its L0 networks reach each other")]
    NoSwitch,
    /// L1 links of different rates: a crossbar moves all its inputs at once.
    #[error(
        "link {link} has {rate}, and others of its switches {others}: all links of L1 switches have the same rate, as a crossbar moves a slot of all inputs at once"
    )]
    Rates {
        /// Which.
        link: String,
        /// Its rate.
        rate: Rate,
        /// That of others.
        others: Rate,
    },
    /// A link whose frames would have no whole number of slots.
    #[error(
        "link {link} has {rate}: a link between NICs has 1 to 128 slots in the time in which one of {others} has 128, so its rate is a whole number of 128ths of that"
    )]
    Slots {
        /// Which.
        link: String,
        /// Its rate.
        rate: Rate,
        /// That of links of switches.
        others: Rate,
    },
    /// A switch with too many ports.
    #[error("switch {switch} has {ports} ports: an L1 switch has 128 (§4)")]
    Ports {
        /// Which.
        switch: String,
        /// How many.
        ports: usize,
    },
    /// A NIC with too many ports.
    #[error("host {host} has {ports} links: a NIC has at most 8 here, and 5 in the paper (§2.1)")]
    Links {
        /// Which.
        host: String,
        /// How many.
        ports: usize,
    },
    /// An L0 network that reaches no switch.
    #[error("host {host} reaches no switch over the links between hosts; give its L0 network an egress NIC")]
    NoExit {
        /// One of its hosts.
        host: String,
    },
    /// Too many NICs in an L0 network.
    #[error("host {host} is in an L0 network of {hosts} hosts: at most 255")]
    Network {
        /// One of its hosts.
        host: String,
        /// How many.
        hosts: usize,
    },
    /// Containers without a direct link.
    #[error("no link joins {one} to {other}: containers are joined to each other directly (§2.2)")]
    Apart {
        /// A switch of one container.
        one: String,
        /// A switch of the other, which stands for all of it.
        other: String,
    },
}

/// A directed link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub from: u32,
    pub to: u32,
    /// Its port at either end.
    pub from_port: u8,
    pub to_port: u8,
    pub reverse: u32,
    /// Slots in a frame, how long each lasts, and its control cell.
    pub slots: u32,
    pub slot: Span,
    pub control: Span,
    pub delay: Span,
    by_slot: Divisor,
}

/// Where an L0 network leaves: an egress NIC, and its link to a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exit {
    pub host: u32,
    pub link: u32,
    pub switch: u32,
}

/// NICs of half a rack.
#[derive(Debug, Clone)]
pub(crate) struct L0 {
    network: Network,
    pub exits: Vec<Exit>,
    /// Links of switches that lead here, in their order.
    entries: Vec<Exit>,
    distances: Distances,
    /// By NIC and NIC: of the first one's ports, those that are nearer to the second, one bit each.
    ahead: Vec<u8>,
}

impl L0 {
    /// Links from one NIC to another, by their numbers in the network; [`FAR`] if none lead there.
    #[inline]
    pub(crate) fn distance(&self, from: u8, to: u8) -> u8 {
        self.distances.at(from.into(), to.into())
    }

    /// Ports of a NIC that are on shortest paths to another one, one bit each; none if no path is left.
    #[inline]
    pub(crate) fn ahead(&self, from: u8, to: u8) -> u8 {
        self.ahead[usize::from(from) * self.network.hosts.len() + usize::from(to)]
    }

    /// Links from a switch to this network, in the order of its ports.
    pub(crate) fn entries(&self, switch: u32) -> impl Iterator<Item = u32> + Clone {
        self.entries.iter().filter(move |entry| entry.switch == switch).map(|entry| entry.link)
    }

    /// Looks which ports lead nearer to whom. `port` is that of a link at the NIC it leaves.
    fn look_ahead(&mut self, port: impl Fn(LinkId) -> u8) {
        let hosts = self.network.hosts.len();
        self.ahead.clear();
        self.ahead.resize(hosts * hosts, 0);
        for (from, (neighbours, links)) in self.network.neighbours.iter().zip(&self.network.links).enumerate() {
            for (neighbour, link) in neighbours.iter().zip(links) {
                let bit = 1 << port(*link);
                for to in 0..hosts {
                    let (here, there) = (self.distances.at(from, to), self.distances.at(*neighbour as usize, to));
                    if there != FAR && there + 1 == here {
                        self.ahead[from * hosts + to] |= bit;
                    }
                }
            }
        }
    }
}

/// A topology, and the part that each node has in it.
#[derive(Debug, Clone)]
pub struct Rig {
    pub(crate) topology: Arc<Topology>,
    pub(crate) frame: Frame,
    pub(crate) lines: Vec<Line>,
    /// By node, the first of the links that leave it.
    first_port: Vec<u32>,
    pub(crate) networks: Vec<L0>,
    /// By host: its L0 network, and its number there.
    pub(crate) member: Vec<(u32, u8)>,
    /// By L0 network, and by switch: the container.
    pub(crate) container: Vec<u16>,
    pub(crate) switch_container: Vec<u16>,
    pub(crate) containers: u16,
    /// By switch and container: links from the one to switches of the other, if it is another.
    between: Vec<Box<[u32]>>,
    by_length: Divisor,
    /// How many hosts are bridges of the network operations centre: the last ones.
    pub(crate) gateways: u32,
}

impl Rig {
    /// The same network, whose last hosts, so many, are bridges of the network operations centre (§2.2).
    pub fn with_gateways(self, gateways: u32) -> Rig {
        Rig { gateways, ..self }
    }

    /// Whether a host is a bridge of the network operations centre.
    pub(crate) fn is_gateway(&self, host: u32) -> bool {
        host >= self.hosts() - self.gateways
    }

    /// Circuits that may begin at a host at once, and that may end there: `most`, but as many as its links have slots at a bridge.
    pub(crate) fn circuits(&self, host: u32, most: u32) -> u32 {
        if !self.is_gateway(host) {
            return most;
        }
        self.topology.ports(NodeId(host)).map(|link| self.lines[link as usize].slots).sum()
    }

    /// The network that this topology is.
    ///
    /// # Errors
    /// If it is none.
    pub fn new(topology: &Arc<Topology>) -> Result<Rig, BuildError> {
        let name = |node: u32| topology.name(NodeId(node)).to_owned();
        let hosts = topology.hosts();
        let between_hosts = |link: &topology::Link| topology.is_host(link.from) && topology.is_host(link.to);
        let links = || topology.links().iter();
        let rate = links().find(|link| !between_hosts(link)).ok_or(BuildError::NoSwitch)?.rate;
        let frame = Frame::of(rate);
        for node in 0..topology.nodes() {
            let ports = topology.ports(NodeId(node)).len();
            match topology.is_host(NodeId(node)) {
                true if ports > 8 => return Err(BuildError::Links { host: name(node), ports }),
                false if ports > SLOTS as usize => return Err(BuildError::Ports { switch: name(node), ports }),
                true | false => {}
            }
        }
        let port = |link: u32| (link - topology.ports(topology.link(LinkId(link)).from).start) as u8;
        let mut lines = Vec::with_capacity(topology.links().len());
        for (number, link) in (0..).zip(links()) {
            let called = || format!("{} -> {}", name(link.from.0), name(link.to.0));
            if !between_hosts(link) && link.rate != rate {
                return Err(BuildError::Rates { link: called(), rate: link.rate, others: rate });
            }
            let scaled = u128::from(link.rate.as_bps()) * u128::from(SLOTS);
            let slots = (scaled / u128::from(rate.as_bps())) as u32;
            if scaled % u128::from(rate.as_bps()) != 0 || !(1..=SLOTS).contains(&slots) {
                return Err(BuildError::Slots { link: called(), rate: link.rate, others: rate });
            }
            let reverse = topology.reverse(LinkId(number)).0;
            lines.push(Line {
                from: link.from.0,
                to: link.to.0,
                from_port: port(number),
                to_port: port(reverse),
                reverse,
                slots,
                slot: frame.slot(slots),
                control: frame.control(slots),
                delay: link.delay,
                by_slot: Divisor::new(frame.slot(slots).as_ps()),
            });
        }
        let mut member = vec![(0, 0); hosts as usize];
        let mut networks = Vec::new();
        for (number, network) in (0..).zip(Network::all(topology)) {
            let host = name(network.hosts[0]);
            if network.hosts.len() > usize::from(FAR) {
                return Err(BuildError::Network { host, hosts: network.hosts.len() });
            }
            let exits = exits(topology, &network);
            if exits.is_empty() {
                return Err(BuildError::NoExit { host });
            }
            (0..).zip(&network.hosts).for_each(|(place, host)| member[*host as usize] = (number, place));
            let distances = Distances::new(&network.neighbours, |_, _| true);
            let back = |exit: &Exit| Exit { link: topology.reverse(LinkId(exit.link)).0, ..*exit };
            let mut entries: Vec<Exit> = exits.iter().map(back).collect();
            entries.sort_unstable_by_key(|entry| entry.link);
            let mut network = L0 { network, exits, entries, distances, ahead: Vec::new() };
            network.look_ahead(|link| port(link.0));
            networks.push(network);
        }
        let (container, switch_container, containers) = containers(topology, &networks);
        let mut rig = Rig {
            topology: Arc::clone(topology),
            frame,
            lines,
            first_port: (0..topology.nodes()).map(|node| topology.ports(NodeId(node)).start).collect(),
            networks,
            member,
            container,
            switch_container,
            containers,
            between: Vec::new(),
            by_length: Divisor::new(frame.length().as_ps()),
            gateways: 0,
        };
        for switch in hosts..topology.nodes() {
            let mut links = vec![Vec::new(); usize::from(containers)];
            for link in topology.ports(NodeId(switch)) {
                let to = rig.lines[link as usize].to;
                if to >= hosts && rig.container_of(to) != rig.container_of(switch) {
                    links[usize::from(rig.container_of(to))].push(link);
                }
            }
            let is_apart = |other: &u32| {
                let container = rig.container_of(*other);
                container != rig.container_of(switch) && links[usize::from(container)].is_empty()
            };
            if let Some(other) = (hosts..topology.nodes()).find(is_apart) {
                return Err(BuildError::Apart { one: name(switch), other: name(other) });
            }
            rig.between.extend(links.into_iter().map(Vec::into_boxed_slice));
        }
        Ok(rig)
    }

    /// Links from a switch to those of another container, in the order of its ports.
    pub(crate) fn between(&self, switch: u32, container: u16) -> &[u32] {
        let place = (switch - self.hosts()) as usize * usize::from(self.containers) + usize::from(container);
        &self.between[place]
    }

    #[inline]
    pub(crate) fn hosts(&self) -> u32 {
        self.topology.hosts()
    }

    /// The link of a node's port.
    #[inline]
    pub(crate) fn link(&self, node: u32, port: u8) -> u32 {
        self.first_port[node as usize] + u32::from(port)
    }

    /// The container of a switch.
    #[inline]
    pub(crate) fn container_of(&self, switch: u32) -> u16 {
        self.switch_container[(switch - self.hosts()) as usize]
    }

    /// The container of a host.
    #[inline]
    pub(crate) fn home(&self, host: u32) -> u16 {
        self.container[self.member[host as usize].0 as usize]
    }

    /// How far the hosts of L0 networks are from each other, over links that work.
    pub(crate) fn measure(&mut self, health: &Health) {
        let lines = &self.lines;
        for l0 in &mut self.networks {
            let network = &l0.network;
            let works = |nic: u32, port: u32| {
                let link = network.links[nic as usize][port as usize].0;
                let line = &lines[link as usize];
                // A cable works whole or not at all.
                health.carries(link, line.from, line.to) && health.carries(line.reverse, line.to, line.from)
            };
            l0.distances = Distances::new(&network.neighbours, works);
            l0.look_ahead(|link| lines[link.0 as usize].from_port);
        }
    }

    /// When a slot begins at or after `at` that a node sends in, if its frames begin at `phase` after those of time 0.
    #[inline]
    pub(crate) fn slot_from(&self, at: Time, phase: Span, line: &Line, slot: u8) -> Time {
        let length = self.by_length.by();
        let first = (phase + line.slot * u64::from(slot)).as_ps();
        let first = if first < length { first } else { first - length };
        let (_, now) = self.by_length.divide(at.as_ps());
        let wait = if first >= now { first - now } else { first + length - now };
        at + Span::from_ps(wait)
    }

    /// How long before `at` a frame of a node began, if its frames begin at `phase`.
    #[inline]
    fn within_frame(&self, at: Time, phase: Span) -> u64 {
        let (_, now) = self.by_length.divide(at.as_ps());
        if now >= phase.as_ps() { now - phase.as_ps() } else { now + self.by_length.by() - phase.as_ps() }
    }

    /// When the first slot begins at or after `at`, whichever it is.
    #[inline]
    pub(crate) fn next_slot(&self, at: Time, phase: Span, line: &Line) -> Time {
        let since = self.within_frame(at, phase);
        let (slots, rest) = line.by_slot.divide(since);
        if rest == 0 && slots < u64::from(line.slots) {
            return at;
        }
        // The last slot may end before its frame does, if their number divides no frame.
        let wait =
            if slots + 1 < u64::from(line.slots) { line.slot.as_ps() - rest } else { self.by_length.by() - since };
        at + Span::from_ps(wait)
    }

    /// The number of the first slot that begins at or after `at`.
    #[inline]
    pub(crate) fn slot_at(&self, at: Time, phase: Span, line: &Line) -> u8 {
        let (slots, rest) = line.by_slot.divide(self.within_frame(at, phase));
        let number = slots + u64::from(rest > 0);
        if number < u64::from(line.slots) { number as u8 } else { 0 }
    }
}

/// Links from an L0 network to switches, by host.
fn exits(topology: &Topology, network: &Network) -> Vec<Exit> {
    let egress = network.egress.iter().map(|nic| network.hosts[*nic as usize]);
    let links = egress.flat_map(|host| topology.ports(NodeId(host)).map(move |link| (host, link)));
    let exit = |(host, link)| Exit { host, link, switch: topology.link(LinkId(link)).to.0 };
    links.map(exit).filter(|exit| !topology.is_host(NodeId(exit.switch))).collect()
}

/// Containers of L0 networks and of switches: switches that an L0 network leads to are in one.
fn containers(topology: &Topology, networks: &[L0]) -> (Vec<u16>, Vec<u16>, u16) {
    let hosts = topology.hosts();
    let mut leader: Vec<u32> = (0..topology.switches()).collect();
    fn root(leader: &[u32], mut node: u32) -> u32 {
        while leader[node as usize] != node {
            node = leader[node as usize];
        }
        node
    }
    for network in networks {
        let first = root(&leader, network.exits[0].switch - hosts);
        for exit in &network.exits {
            let other = root(&leader, exit.switch - hosts);
            leader[other as usize] = first;
        }
    }
    let mut numbers = vec![u16::MAX; leader.len()];
    let mut count = 0;
    let by_switch: Vec<u16> = (0..topology.switches())
        .map(|switch| {
            let number = &mut numbers[root(&leader, switch) as usize];
            if *number == u16::MAX {
                *number = count;
                count += 1;
            }
            *number
        })
        .collect();
    let by_network = networks.iter().map(|network| by_switch[(network.exits[0].switch - hosts) as usize]).collect();
    (by_network, by_switch, count)
}
