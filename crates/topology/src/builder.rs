//! A graph in the making: nodes and cables in any order, checked and sorted at the end.

#[cfg(test)]
mod tests;

use crate::build_error::check_rate;
use crate::names::Names;
use crate::{BuildError, Direction, Link, LinkId, NodeId, Topology};
use engine::{Looks, looking};
use std::collections::BTreeMap;
use units::{Bytes, Rate, Span};

/// Most nodes, and most cables, of a topology: numbers of links fit in 32 bits with room to spare.
pub(crate) const LIMIT: u32 = 1 << 24;

/// A node of a graph in the making. Its [`NodeId`] is known at the end only, when hosts have been put first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handle(u32);

/// What one direction of a cable is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkSpec {
    /// Bits a second on the wire.
    pub rate: Rate,
    /// Propagation, and what the sending switch adds by itself.
    pub delay: Span,
    /// The buffer before the link, if the topology says it.
    pub queue: Option<Bytes>,
}

/// Collects hosts, switches and cables into a [`Topology`].
#[derive(Debug, Clone)]
pub struct Builder {
    label: String,
    nodes: Vec<Node>,
    cables: Vec<Cable>,
    classes: Vec<String>,
    /// The number of each class, by its name.
    class_numbers: BTreeMap<String, u16>,
    hosts_forward: bool,
    looks: Looks,
}

/// The most classes of links: each has series and histograms of its own.
const MOST_CLASSES: u32 = 1000;

#[derive(Debug, Clone)]
struct Node {
    name: String,
    role: Role,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Host,
    Switch { tier: Option<u16> },
}

#[derive(Debug, Clone, Copy)]
struct Cable {
    ends: [Handle; 2],
    class: u16,
    /// From the first end to the second, and back.
    directions: [LinkSpec; 2],
}

impl Builder {
    /// An empty graph, to be called `label` in [`Topology::describe`].
    pub fn new(label: impl Into<String>) -> Builder {
        Builder {
            label: label.into(),
            nodes: Vec::new(),
            cables: Vec::new(),
            classes: Vec::new(),
            class_numbers: BTreeMap::new(),
            hosts_forward: false,
            looks: Looks::default(),
        }
    }
    /// Lets hosts pass on what is not for them, so that cables may join them to each other.
    pub fn hosts_forward(&mut self) {
        self.hosts_forward = true;
    }
    /// Adds a host. Hosts are numbered in the order in which they are added.
    pub fn host(&mut self, name: impl Into<String>) -> Handle {
        self.node(name.into(), Role::Host)
    }
    /// Adds a switch. Without a tier it gets its distance from the nearest host, in links.
    pub fn switch(&mut self, name: impl Into<String>, tier: Option<u16>) -> Handle {
        self.node(name.into(), Role::Switch { tier })
    }
    fn node(&mut self, name: String, role: Role) -> Handle {
        self.looks.step();
        self.nodes.push(Node { name, role });
        Handle(self.nodes.len() as u32 - 1)
    }
    /// The number of a class of links, new or not.
    pub fn class(&mut self, name: &str) -> u16 {
        if let Some(known) = self.class_numbers.get(name) {
            return *known;
        }
        let class = self.classes.len() as u16;
        self.classes.push(name.to_owned());
        self.class_numbers.insert(name.to_owned(), class);
        class
    }
    /// Adds a cable, the same in both directions.
    pub fn cable(&mut self, a: Handle, b: Handle, class: u16, both: LinkSpec) {
        self.cable_with_directions(a, b, class, [both, both]);
    }
    /// Adds a cable with a direction of its own from `a` to `b` and one from `b` to `a`.
    pub fn cable_with_directions(&mut self, a: Handle, b: Handle, class: u16, directions: [LinkSpec; 2]) {
        self.looks.step();
        self.cables.push(Cable { ends: [a, b], class, directions });
    }

    /// Checks the graph and puts it in order: hosts before switches, links by where they start and lead.
    pub fn finish(mut self) -> Result<Topology, BuildError> {
        self.check_size()?;
        self.check_nodes()?;
        // Stable: hosts stay among themselves in the order they came in, and so do switches.
        let mut order: Vec<u32> = (0..self.nodes.len() as u32).collect();
        order.sort_by_key(|&node| self.nodes[node as usize].role != Role::Host);
        let names = Names::new(order.iter().map(|&node| self.nodes[node as usize].name.as_str()))
            .map_err(|name| BuildError::DuplicateName { name })?;
        self.check_cables()?;
        let mut number = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            number[old as usize] = new as u32;
        }
        for end in self.cables.iter_mut().flat_map(|cable| &mut cable.ends) {
            *end = Handle(number[end.0 as usize]);
        }
        let roles: Vec<Role> = order.iter().map(|&node| self.nodes[node as usize].role).collect();

        let mut topology = Topology {
            label: self.label,
            hosts: roles.iter().filter(|role| **role == Role::Host).count() as u32,
            names,
            tiers: Vec::new(),
            links: Vec::new(),
            first_port: Vec::new(),
            reverse: Vec::new(),
            classes: self.classes,
            hosts_forward: self.hosts_forward,
        };
        lay_links(&mut topology, &self.cables, roles.len());
        topology.tiers = tiers(&topology, &roles)?;
        for link in looking(&mut topology.links) {
            let (from, to) = (topology.tiers[link.from.index()], topology.tiers[link.to.index()]);
            link.direction = match from.cmp(&to) {
                std::cmp::Ordering::Less => Direction::Up,
                std::cmp::Ordering::Greater => Direction::Down,
                std::cmp::Ordering::Equal => Direction::Flat,
            };
        }
        Ok(topology)
    }

    fn check_size(&self) -> Result<(), BuildError> {
        let too_large = |what, count: usize, limit| {
            let (label, count) = (self.label.clone(), count as u128);
            if count <= u128::from(limit) { Ok(()) } else { Err(BuildError::TooLarge { label, what, count, limit }) }
        };
        too_large("nodes", self.nodes.len(), LIMIT)?;
        too_large("cables", self.cables.len(), LIMIT)?;
        too_large("classes of links", self.classes.len(), MOST_CLASSES)
    }
    fn check_nodes(&self) -> Result<(), BuildError> {
        if !self.nodes.iter().any(|node| node.role == Role::Host) {
            return Err(BuildError::NoHosts);
        }
        for Node { name, .. } in looking(&self.nodes) {
            let why = if name.is_empty() {
                "it is empty"
            } else if name.trim() != name {
                "it begins or ends with a blank"
            } else if name.contains("->") {
                "`->` stands between the two ends of a link"
            } else if name.chars().any(char::is_control) {
                "it has a control character, such as a tab or a line's end"
            } else {
                continue;
            };
            return Err(BuildError::Name { name: name.clone(), why });
        }
        Ok(())
    }
    fn check_cables(&self) -> Result<(), BuildError> {
        let node = |end: Handle| &self.nodes[end.0 as usize];
        for cable in looking(&self.cables) {
            let [a, b] = cable.ends.map(node);
            if cable.ends[0] == cable.ends[1] {
                return Err(BuildError::SelfLoop { node: a.name.clone() });
            }
            if !self.hosts_forward && a.role == Role::Host && b.role == Role::Host {
                return Err(BuildError::HostToHost { a: a.name.clone(), b: b.name.clone() });
            }
            for (direction, from, to) in [(&cable.directions[0], a, b), (&cable.directions[1], b, a)] {
                check_rate(direction.rate).map_err(|problem| BuildError::LinkRate {
                    from: from.name.clone(),
                    to: to.name.clone(),
                    problem,
                })?;
            }
        }
        Ok(())
    }
}

/// Two links a cable, sorted.
fn lay_links(topology: &mut Topology, cables: &[Cable], nodes: usize) {
    // (from, to, cable and direction): the direction is the lowest bit, so the other direction of a link is one bit away.
    // Put by node first: then each node's few are sorted by themselves.
    let ends = || {
        looking((0..).zip(cables)).flat_map(|(number, cable)| {
            let [a, b] = cable.ends;
            [(a.0, b.0, number * 2), (b.0, a.0, number * 2 + 1)]
        })
    };
    let mut first_port = vec![0; nodes + 1];
    ends().for_each(|(from, _, _)| first_port[from as usize + 1] += 1);
    for node in 0..nodes {
        first_port[node + 1] += first_port[node];
    }
    let mut order = vec![(0, 0, 0); cables.len() * 2];
    let mut next = first_port.clone();
    for link in ends() {
        let place = &mut next[link.0 as usize];
        order[*place as usize] = link;
        *place += 1;
    }
    for ports in looking(first_port.windows(2)) {
        order[ports[0] as usize..ports[1] as usize].sort_unstable();
    }
    let mut place = vec![LinkId(0); order.len()];
    for (link, &(_, _, tag)) in looking((0..).zip(&order)) {
        place[tag as usize] = LinkId(link);
    }
    topology.reverse = looking(&order).map(|&(_, _, tag)| place[(tag ^ 1) as usize]).collect();
    topology.links = looking(&order)
        .map(|&(from, to, tag)| {
            let cable = &cables[(tag / 2) as usize];
            let LinkSpec { rate, delay, queue } = cable.directions[(tag % 2) as usize];
            let (class, direction) = (cable.class, Direction::Flat);
            Link { from: NodeId(from), to: NodeId(to), class, direction, rate, delay, queue }
        })
        .collect();
    topology.first_port = first_port;
}

/// Tiers as given, else the distance from the nearest host; refuses graphs in several pieces.
fn tiers(topology: &Topology, roles: &[Role]) -> Result<Vec<u16>, BuildError> {
    let name = |node: usize| topology.names.get(node as u32).to_owned();
    if let Some(node) = (0..roles.len()).find(|&node| topology.ports(NodeId(node as u32)).is_empty()) {
        return Err(BuildError::Unlinked { node: name(node) });
    }
    if let Some(far) = distances(topology, 0..1).iter().position(|&distance| distance == u16::MAX) {
        return Err(BuildError::Disconnected { a: name(0), b: name(far) });
    }
    let from_hosts = distances(topology, 0..topology.hosts);
    let tier = |(role, distance): (&Role, u16)| match role {
        Role::Host => 0,
        Role::Switch { tier } => tier.unwrap_or(distance),
    };
    Ok(roles.iter().zip(from_hosts).map(tier).collect())
}

/// Links to the nearest of some nodes, from every node; the highest number where there is no path.
pub(crate) fn distances(topology: &Topology, from: std::ops::Range<u32>) -> Vec<u16> {
    let mut distance = vec![u16::MAX; topology.first_port.len() - 1];
    let mut reached: Vec<u32> = from.collect();
    for &node in &reached {
        distance[node as usize] = 0;
    }
    let mut next = 0;
    let mut looks = Looks::default();
    while let Some(&node) = reached.get(next) {
        next += 1;
        looks.step();
        // A chain of 65534 switches is beyond what tiers tell apart; its far end counts as one tier.
        let further = distance[node as usize].saturating_add(1).min(u16::MAX - 1);
        for port in topology.ports(NodeId(node)) {
            let to = topology.links[port as usize].to;
            if distance[to.index()] == u16::MAX {
                distance[to.index()] = further;
                reached.push(to.0);
            }
        }
    }
    distance
}
