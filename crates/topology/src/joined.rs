//! Two topologies as one: a rack, and what its gateways lead to. Gateways are hosts of the rack, or the far ends of its uplinks, or bridges of a network operations centre.

#[cfg(test)]
mod tests;

use crate::builder::{Builder, Handle, LinkSpec};
use crate::{BuildError, LinkId, NodeId, Topology};
use std::ops::Range;

/// What the names of the outside's nodes and classes of links begin with.
const OUTSIDE: &str = "outside-";

/// A topology made of a rack and an outside, and where the one ends.
///
/// Hosts are the rack's, then the outside's; so are switches. Each gateway has a cable to the outside. In both parts gateways are hosts, so
/// that no path leads through one by itself: hosts don't pass on what is not for them. What does is on them, not here.
#[derive(Debug, Clone)]
pub struct Joined {
    /// Both. Gateways are called `gateway-0` and so on, or `uplink-0`, or `noc-0`; what is outside has its own names after `outside-`.
    pub whole: Topology,
    /// Hosts of the rack, gateways among them if they are hosts.
    pub rack_hosts: u32,
    /// Switches of the rack; of one with uplinks, the crosspoint on which these hang is the last.
    pub rack_switches: u32,
    /// How many gateways there are.
    pub gateways: u32,
    /// The first gateway's number among the nodes of the whole; the others follow. 0 if they are hosts of the rack.
    pub first_gateway: u32,
}

/// One of the two topologies, as one by itself.
#[derive(Debug, Clone)]
pub struct Part {
    /// The graph. Its hosts and switches are in the order that they have in the whole. Gateways that are no hosts of the rack are hosts too: after
    /// those of the rack, before those outside.
    pub topology: Topology,
    /// By its own number: each node's number in the whole.
    pub nodes: Vec<u32>,
    /// By its own number: each link's number in the whole.
    pub links: Vec<u32>,
}

impl Joined {
    /// Joins a rack to an outside by its first hosts, so many, each with one cable, of class `gateway-uplink`. Those are dealt out to the
    /// switches that outside hosts hang on, one after the other.
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
        let beyond = nodes(&mut builder, outside, OUTSIDE);
        lay(&mut builder, rack, "", |node| Some(inside[node as usize]));
        lay(&mut builder, outside, OUTSIDE, |node| Some(beyond[node as usize]));
        let class = builder.class("gateway-uplink");
        for (gateway, leaf) in inside.iter().take(gateways as usize).zip(leaves(outside).iter().cycle()) {
            builder.cable(*gateway, beyond[*leaf as usize], class, uplink);
        }
        let (rack_hosts, rack_switches) = (rack.hosts(), rack.switches());
        Ok(Joined { whole: builder.finish()?, rack_hosts, rack_switches, gateways, first_gateway: 0 })
    }

    /// Joins a rack to an outside by so many uplinks (XFabric §3). Each host of the rack has one more cable, of class `host-uplink`, to one more
    /// switch, `uplink-crosspoint`. From there a cable of class `uplink` leads to each uplink's far end, which has one of class
    /// `outside-uplink` to the switches that outside hosts hang on, one after the other.
    ///
    /// # Errors
    /// If the two are too large together, there is no uplink, or there are more than hosts of the rack.
    pub fn by_uplinks(
        rack: &Topology,
        outside: &Topology,
        uplinks: u32,
        [port, uplink]: [LinkSpec; 2],
    ) -> Result<Joined, BuildError> {
        if uplinks == 0 {
            return Err(BuildError::Zero { key: "outside.uplinks", shape: "rack with uplinks" });
        }
        if uplinks > rack.hosts() {
            return Err(BuildError::TooManyUplinks { uplinks, hosts: rack.hosts() });
        }
        let mut builder = Builder::new(format!("{} with uplinks to {}", rack.label(), outside.label()));
        let inside = nodes(&mut builder, rack, "");
        let crosspoint = builder.switch("uplink-crosspoint", Some(1));
        let ends: Vec<Handle> =
            (0..uplinks).map(|number| builder.switch(format!("uplink-{number}"), Some(2))).collect();
        let beyond = nodes(&mut builder, outside, OUTSIDE);
        lay(&mut builder, rack, "", |node| Some(inside[node as usize]));
        lay(&mut builder, outside, OUTSIDE, |node| Some(beyond[node as usize]));
        let [to_crosspoint, to_end, to_outside] =
            ["host-uplink", "uplink", "outside-uplink"].map(|class| builder.class(class));
        for host in inside.iter().take(rack.hosts() as usize) {
            builder.cable(*host, crosspoint, to_crosspoint, port);
        }
        for (end, leaf) in ends.iter().zip(leaves(outside).iter().cycle()) {
            builder.cable(crosspoint, *end, to_end, port);
            builder.cable(*end, beyond[*leaf as usize], to_outside, uplink);
        }
        let whole = builder.finish()?;
        let (rack_hosts, rack_switches) = (rack.hosts(), rack.switches() + 1);
        let first_gateway = whole.hosts() + rack_switches;
        Ok(Joined { whole, rack_hosts, rack_switches, gateways: uplinks, first_gateway })
    }

    /// Joins a network of containers to an outside by so many bridges of its network operations centre (AN3 §2.2), one a container, in their order. Each has a cable of class
    /// `l1-noc` to every switch of its container, and one of class `gateway-uplink` to the switches that outside hosts hang on, one after the other.
    ///
    /// A container is the switches that the same hosts lead to, over each other or directly.
    ///
    /// # Errors
    /// If the two are too large together, or there is no gateway, or there are more than containers.
    pub fn by_operations_centre(
        rack: &Topology,
        outside: &Topology,
        gateways: u32,
        [port, uplink]: [LinkSpec; 2],
    ) -> Result<Joined, BuildError> {
        if gateways == 0 {
            return Err(BuildError::Zero { key: "outside.gateways", shape: "network with an operations centre" });
        }
        let containers = containers(rack);
        if gateways as usize > containers.len() {
            return Err(BuildError::TooManyBridges { gateways, containers: containers.len() as u32 });
        }
        let mut builder = Builder::new(format!("{} and outside {}", rack.label(), outside.label()));
        builder.hosts_forward();
        let inside = nodes(&mut builder, rack, "");
        let bridges: Vec<Handle> =
            (0..gateways).map(|number| builder.switch(format!("noc-{number}"), Some(2))).collect();
        let beyond = nodes(&mut builder, outside, OUTSIDE);
        lay(&mut builder, rack, "", |node| Some(inside[node as usize]));
        lay(&mut builder, outside, OUTSIDE, |node| Some(beyond[node as usize]));
        let [to_bridge, to_outside] = ["l1-noc", "gateway-uplink"].map(|class| builder.class(class));
        for ((bridge, switches), leaf) in bridges.iter().zip(&containers).zip(leaves(outside).iter().cycle()) {
            for switch in switches {
                builder.cable(inside[*switch as usize], *bridge, to_bridge, port);
            }
            builder.cable(*bridge, beyond[*leaf as usize], to_outside, uplink);
        }
        let whole = builder.finish()?;
        let (rack_hosts, rack_switches) = (rack.hosts(), rack.switches());
        let first_gateway = whole.hosts() + rack_switches;
        Ok(Joined { whole, rack_hosts, rack_switches, gateways, first_gateway })
    }

    /// Whether gateways are nodes of their own, not hosts of the rack: the far ends of uplinks, or bridges of an operations centre.
    pub fn has_own_gateways(&self) -> bool {
        self.first_gateway > 0
    }

    /// The rack by itself, as the whole has it by now.
    pub fn rack(&self) -> Part {
        let first_switch = self.whole.hosts();
        let gateways = if self.has_own_gateways() { self.all_gateways() } else { 0..0 };
        let hosts = (0..self.rack_hosts).chain(gateways);
        let forward = self.whole.hosts_forward();
        self.part(hosts.collect(), first_switch..first_switch + self.rack_switches, forward)
    }

    /// The outside by itself, with the gateways as its first hosts.
    pub fn outside(&self) -> Part {
        let inside = self.rack_switches + if self.has_own_gateways() { self.gateways } else { 0 };
        let hosts = self.all_gateways().chain(self.rack_hosts..self.whole.hosts());
        self.part(hosts.collect(), self.whole.hosts() + inside..self.whole.nodes(), false)
    }

    fn all_gateways(&self) -> Range<u32> {
        self.first_gateway..self.first_gateway + self.gateways
    }

    /// These nodes, as hosts and as switches, and the links between them; whether hosts pass on what is not for them.
    fn part(&self, hosts: Vec<u32>, switches: Range<u32>, forward: bool) -> Part {
        let whole = &self.whole;
        let mut builder = Builder::new(whole.label());
        if forward {
            builder.hosts_forward();
        }
        let mut handles = vec![None; whole.nodes() as usize];
        let name = |node: u32| whole.name(NodeId(node)).to_owned();
        for node in &hosts {
            handles[*node as usize] = Some(builder.host(name(*node)));
        }
        for node in switches.clone() {
            handles[node as usize] = Some(builder.switch(name(node), Some(whole.tier(NodeId(node)))));
        }
        lay(&mut builder, whole, "", |node| handles[node as usize]);
        let topology =
            builder.finish().expect("a part of a graph that was checked, whose nodes are joined among themselves");
        let mut nodes = hosts;
        nodes.extend(switches);
        let mut own = vec![None; whole.nodes() as usize];
        for (number, node) in (0..).zip(&nodes) {
            own[*node as usize] = Some(number);
        }
        // In the part's order: by where they start and lead, and parallel ones as in the whole.
        let ends = |link: u32| {
            let link = whole.link(LinkId(link));
            Some((own[link.from.index()]?, own[link.to.index()]?))
        };
        let mut links: Vec<(u32, u32, u32)> =
            (0..whole.links().len() as u32).filter_map(|link| ends(link).map(|(from, to)| (from, to, link))).collect();
        links.sort_unstable();
        Part { topology, nodes, links: links.into_iter().map(|(_, _, link)| link).collect() }
    }
}

fn add(builder: &mut Builder, of: &Topology, node: u32, name: String) -> Handle {
    if of.is_host(NodeId(node)) { builder.host(name) } else { builder.switch(name, Some(of.tier(NodeId(node)))) }
}

/// Adds all nodes of a topology.
fn nodes(builder: &mut Builder, of: &Topology, prefix: &str) -> Vec<Handle> {
    (0..of.nodes()).map(|node| add(builder, of, node, format!("{prefix}{}", of.name(NodeId(node))))).collect()
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
            builder.cable_with_directions(from, to, class, [spec(number), spec(back)]);
        }
    }
}

/// The switches that hosts hang on, in ascending order.
fn leaves(topology: &Topology) -> Vec<u32> {
    let mut leaves: Vec<u32> = (0..topology.hosts()).filter_map(|host| leaf(topology, host)).collect();
    leaves.sort_unstable();
    leaves.dedup();
    leaves
}

/// The switch that a host hangs on, by the first of its links.
fn leaf(topology: &Topology, host: u32) -> Option<u32> {
    topology.ports(NodeId(host)).next().map(|port| topology.link(LinkId(port)).to.0)
}

/// The switches of each container: those that the same hosts lead to, where links between hosts join them. By the first of them.
fn containers(topology: &Topology) -> Vec<Vec<u32>> {
    let mut seen = vec![false; topology.nodes() as usize];
    let mut containers = Vec::new();
    for first in topology.hosts()..topology.nodes() {
        if std::mem::replace(&mut seen[first as usize], true) {
            continue;
        }
        let mut reached = vec![first];
        let mut next = 0;
        while let Some(&node) = reached.get(next) {
            next += 1;
            for to in topology.ports(NodeId(node)).map(|port| topology.link(LinkId(port)).to) {
                // Links from switch to switch lead to other containers.
                let stays = topology.is_host(NodeId(node)) || topology.is_host(to);
                if stays && !std::mem::replace(&mut seen[to.index()], true) {
                    reached.push(to.0);
                }
            }
        }
        let mut switches: Vec<u32> = reached.into_iter().filter(|node| !topology.is_host(NodeId(*node))).collect();
        switches.sort_unstable();
        containers.push(switches);
    }
    containers
}
