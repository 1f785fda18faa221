//! Two topologies that some hosts join: a rack, and what its gateways lead to.

#[cfg(test)]
mod tests;

use crate::builder::{Builder, Handle, LinkSpec};
use crate::{BuildError, LinkId, NodeId, Topology};

/// What the names of the outside's nodes and classes of links begin with.
const OUTSIDE: &str = "outside-";

/// A topology made of a rack and an outside, and where the one ends.
///
/// The first hosts of the rack are its gateways: each has a cable to the outside as well. Hosts are the rack's, then the outside's; so are
/// switches. No path leads through a gateway by itself: hosts don't pass on what is not for them. What does is on them, not here.
#[derive(Debug, Clone)]
pub struct Joined {
    /// Both. Gateways are called `gateway-0` and so on; what is outside has its own names after `outside-`.
    pub whole: Topology,
    /// Hosts of the rack, gateways among them.
    pub rack_hosts: u32,
    /// Switches of the rack.
    pub rack_switches: u32,
    /// How many gateways there are: hosts `0..gateways`.
    pub gateways: u32,
}

/// One of the two topologies, as one by itself.
#[derive(Debug, Clone)]
pub struct Part {
    /// The graph. Its hosts are the gateways, then its other hosts, in the order that they have in the whole.
    pub topology: Topology,
    /// By its own number: each node's number in the whole.
    pub nodes: Vec<u32>,
    /// By its own number: each link's number in the whole.
    pub links: Vec<u32>,
}

impl Joined {
    /// Joins a rack to an outside by so many gateways, each with one cable, of class `gateway-uplink`. Those are dealt out to the switches
    /// that outside hosts hang on, one after the other.
    ///
    /// # Errors
    /// If the two are too large together, or there is no gateway.
    pub fn new(rack: &Topology, outside: &Topology, gateways: u32, uplink: LinkSpec) -> Result<Joined, BuildError> {
        if gateways == 0 {
            return Err(BuildError::Zero { key: "outside.gateways", shape: "joined topology" });
        }
        if gateways > rack.hosts() {
            return Err(BuildError::TooManyGateways { gateways, hosts: rack.hosts() });
        }
        let mut builder = Builder::new(format!("{} and outside {}", rack.label(), outside.label()));
        let inside: Vec<Handle> = (0..rack.nodes())
            .map(|node| {
                let name = if node < gateways { format!("gateway-{node}") } else { rack.name(NodeId(node)).to_owned() };
                add(&mut builder, rack, node, name)
            })
            .collect();
        let beyond: Vec<Handle> = (0..outside.nodes())
            .map(|node| add(&mut builder, outside, node, format!("{OUTSIDE}{}", outside.name(NodeId(node)))))
            .collect();
        lay(&mut builder, rack, "", |node| Some(inside[node as usize]));
        lay(&mut builder, outside, OUTSIDE, |node| Some(beyond[node as usize]));
        let mut leaves: Vec<u32> = (0..outside.hosts()).filter_map(|host| leaf(outside, host)).collect();
        leaves.sort_unstable();
        leaves.dedup();
        let class = builder.class("gateway-uplink");
        for (gateway, leaf) in inside.iter().take(gateways as usize).zip(leaves.iter().cycle()) {
            builder.cable(*gateway, beyond[*leaf as usize], class, uplink);
        }
        let (rack_hosts, rack_switches) = (rack.hosts(), rack.switches());
        Ok(Joined { whole: builder.finish()?, rack_hosts, rack_switches, gateways })
    }

    /// The rack by itself, as the whole has it by now.
    pub fn rack(&self) -> Part {
        let first_switch = self.whole.hosts();
        self.part(|node| node < self.rack_hosts || (first_switch..first_switch + self.rack_switches).contains(&node))
    }

    /// The outside by itself, with the gateways as its first hosts.
    pub fn outside(&self) -> Part {
        let (hosts, first_switch) = (self.rack_hosts, self.whole.hosts() + self.rack_switches);
        let of_outside = |node: u32| (hosts..self.whole.hosts()).contains(&node) || node >= first_switch;
        self.part(|node| node < self.gateways || of_outside(node))
    }

    /// The nodes for which this holds and the links between them. Both stay in their order, so a link's place among those that are kept is
    /// its number in the part.
    fn part(&self, kept: impl Fn(u32) -> bool) -> Part {
        let whole = &self.whole;
        let nodes: Vec<u32> = (0..whole.nodes()).filter(|node| kept(*node)).collect();
        let mut builder = Builder::new(whole.label());
        let mut handles = vec![None; whole.nodes() as usize];
        for node in &nodes {
            handles[*node as usize] = Some(add(&mut builder, whole, *node, whole.name(NodeId(*node)).to_owned()));
        }
        lay(&mut builder, whole, "", |node| handles[node as usize]);
        let topology =
            builder.finish().expect("a part of a graph that was checked, whose nodes are joined among themselves");
        let between = |link: &u32| {
            let link = whole.link(LinkId(*link));
            kept(link.from.0) && kept(link.to.0)
        };
        let links = (0..whole.links().len() as u32).filter(between).collect();
        Part { topology, nodes, links }
    }
}

fn add(builder: &mut Builder, of: &Topology, node: u32, name: String) -> Handle {
    if of.is_host(NodeId(node)) { builder.host(name) } else { builder.switch(name, Some(of.tier(NodeId(node)))) }
}

/// Lays the cables of a topology between nodes that have a place.
fn lay(builder: &mut Builder, of: &Topology, prefix: &str, place: impl Fn(u32) -> Option<Handle>) {
    for (number, link) in (0..).map(LinkId).zip(of.links()) {
        let back = of.reverse(number);
        let (Some(from), Some(to)) = (place(link.from.0), place(link.to.0)) else { continue };
        if number < back {
            let class = builder.class(&format!("{prefix}{}", of.classes()[usize::from(link.class)]));
            let spec = |link: LinkId| {
                let link = of.link(link);
                LinkSpec { rate: link.rate, delay: link.delay, queue: link.queue }
            };
            builder.cable_with_ways(from, to, class, [spec(number), spec(back)]);
        }
    }
}

/// The switch that a host hangs on, by the first of its links.
fn leaf(topology: &Topology, host: u32) -> Option<u32> {
    topology.ports(NodeId(host)).next().map(|port| topology.link(LinkId(port)).to.0)
}
