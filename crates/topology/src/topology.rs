//! The graph itself: flat arrays, built once, then read.

#[cfg(test)]
mod tests;

use crate::build_error::{RateOutOfRange, check_rate};
use crate::names::Names;
use crate::{Link, LinkId, NodeId};
use std::ops::Range;
use units::{Rate, Span};

/// Hosts, switches and the directed links between them.
///
/// Links are sorted by the node they leave and then by the node they lead to (parallel ones in the order in which they were
/// made), so a node's ports are a range of links, and its host-facing ports come first.
#[derive(Debug, Clone)]
pub struct Topology {
    pub(crate) label: String,
    pub(crate) hosts: u32,
    pub(crate) names: Names,
    /// Per node; hosts have 0.
    pub(crate) tiers: Vec<u16>,
    pub(crate) links: Vec<Link>,
    /// Per node the first link that leaves it; one more at the end.
    pub(crate) first_port: Vec<u32>,
    pub(crate) reverse: Vec<LinkId>,
    pub(crate) classes: Vec<String>,
    pub(crate) hosts_forward: bool,
}

impl Topology {
    /// Number of hosts; they are nodes 0 to this.
    pub fn hosts(&self) -> u32 {
        self.hosts
    }
    /// Number of hosts and switches.
    pub fn nodes(&self) -> u32 {
        self.tiers.len() as u32
    }
    /// Number of switches.
    pub fn switches(&self) -> u32 {
        self.nodes() - self.hosts
    }
    /// Number of cables; each is two links.
    pub fn cables(&self) -> u32 {
        self.links.len() as u32 / 2
    }
    /// Whether a node is a host.
    pub fn is_host(&self, node: NodeId) -> bool {
        node.0 < self.hosts
    }
    /// Whether hosts pass on what is not for them. Then they may be joined to each other, and [`crate::Routes`], which end at hosts, need not reach all of them.
    pub fn hosts_forward(&self) -> bool {
        self.hosts_forward
    }
    /// Links on a shortest path to every node, hosts and switches alike; such a path may lead over hosts. 65535 where there is none.
    pub fn hops_from(&self, node: NodeId) -> Vec<u16> {
        crate::builder::distances(self, node.0..node.0 + 1)
    }
    /// All directed links, by [`LinkId`].
    pub fn links(&self) -> &[Link] {
        &self.links
    }
    /// One directed link.
    ///
    /// # Panics
    /// If there is no such link, as everything here that takes a number.
    pub fn link(&self, link: LinkId) -> &Link {
        &self.links[link.index()]
    }
    /// The links that leave a node, as numbers for [`LinkId`].
    pub fn ports(&self, node: NodeId) -> Range<u32> {
        self.first_port[node.index()]..self.first_port[node.index() + 1]
    }
    /// The other direction of the same cable.
    pub fn reverse(&self, link: LinkId) -> LinkId {
        self.reverse[link.index()]
    }
    /// The links from one node to another: none, one, or several in parallel.
    pub fn link_between(&self, from: NodeId, to: NodeId) -> impl ExactSizeIterator<Item = LinkId> + use<> {
        let ports = self.ports(from);
        let leaving = &self.links[ports.start as usize..ports.end as usize];
        let before = leaving.partition_point(|link| link.to < to) as u32;
        let until = leaving.partition_point(|link| link.to <= to) as u32;
        (ports.start + before..ports.start + until).map(LinkId)
    }
    /// Distance from hosts: 0 for a host, 1 for a switch that hosts attach to, more above. Only the order matters.
    pub fn tier(&self, node: NodeId) -> u16 {
        self.tiers[node.index()]
    }
    /// The highest tier.
    pub fn top_tier(&self) -> u16 {
        self.tiers.iter().copied().max().unwrap_or(0)
    }
    /// Names of the kinds of links, such as `"host-edge"`. Both directions of a cable are of one class.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }
    /// The number of a class.
    pub fn class(&self, name: &str) -> Option<u16> {
        self.classes.iter().position(|class| class == name).map(|place| place as u16)
    }
    /// What a host can send: the sum of its links' rates.
    pub fn host_rate(&self, host: u32) -> Rate {
        Rate::from_bps(self.ports(NodeId(host)).map(|port| self.links[port as usize].rate.as_bps()).sum())
    }

    /// Gives all links of a class, in both directions, this rate and this delay; `None` leaves what there is. A number that is
    /// no class changes nothing.
    pub fn set_class(&mut self, class: u16, rate: Option<Rate>, delay: Option<Span>) -> Result<(), RateOutOfRange> {
        let rate = rate.map(check_rate).transpose()?;
        for link in self.links.iter_mut().filter(|link| link.class == class) {
            link.rate = rate.unwrap_or(link.rate);
            link.delay = delay.unwrap_or(link.delay);
        }
        Ok(())
    }
    /// Gives one link, in this direction only, this rate and this delay; `None` leaves what there is.
    pub fn set_link(&mut self, link: LinkId, rate: Option<Rate>, delay: Option<Span>) -> Result<(), RateOutOfRange> {
        let rate = rate.map(check_rate).transpose()?;
        let link = &mut self.links[link.index()];
        link.rate = rate.unwrap_or(link.rate);
        link.delay = delay.unwrap_or(link.delay);
        Ok(())
    }
    /// Calls the topology something else in [`Topology::describe`], such as the name of its file.
    pub fn set_label(&mut self, label: impl Into<String>) {
        self.label = label.into();
    }
}
