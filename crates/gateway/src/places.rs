//! Who is where: hosts, nodes and links of the whole, and of its parts.

use std::collections::BTreeSet;
use topology::{Joined, LinkId, NodeId, Part as PartTopology, Topology};

/// One of the two networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Inside,
    Outside,
}

impl Part {
    pub(crate) const BOTH: [Part; 2] = [Part::Inside, Part::Outside];
}

/// Where a frame has come to, in one of the networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// A gateway, by its number among them.
    Gateway(u32),
    /// A host of the whole that is no gateway.
    Host(u32),
}

/// Numbers in the whole and in its parts. In both parts gateways are hosts. In the whole they are its first hosts, or no hosts at all.
#[derive(Debug)]
pub(crate) struct Places {
    pub rack_hosts: u32,
    pub gateways: u32,
    /// The first gateway among the nodes of the whole.
    first_gateway: u32,
    /// By part: its host that is the first gateway.
    gateway_in: [u32; 2],
    /// By part and its own number: links in the whole.
    links: [Vec<u32>; 2],
    /// By link of the whole: whose it is, and its number there.
    link: Vec<(Part, u32)>,
    /// By part and by node of the whole: its number there.
    nodes: [Vec<Option<u32>>; 2],
    /// By part and gateway: its link in that part, in the part's numbers.
    uplinks: [Vec<u32>; 2],
    /// By gateway: links and nodes of the whole without which it is of no use.
    pub needed: Vec<Needed>,
}

/// What a gateway hangs on.
#[derive(Debug)]
pub(crate) struct Needed {
    /// It itself.
    node: u32,
    /// Groups of cables: of each group it needs one, with both its links, and what that leads to.
    groups: Vec<Vec<Cable>>,
}

#[derive(Debug)]
struct Cable {
    links: [u32; 2],
    node: u32,
}

impl Cable {
    /// Whether a part is it, or where it leads: a link, or a node if the first says so.
    fn is(&self, (is_node, number): (bool, u32)) -> bool {
        if is_node { self.node == number } else { self.links.contains(&number) }
    }
}

impl Needed {
    fn new(whole: &Topology, gateway: u32, rack: &PartTopology) -> Needed {
        let cable = |port: u32| {
            let link = LinkId(port);
            Cable { links: [port, whole.reverse(link).0], node: whole.link(link).to.0 }
        };
        let cables = whole.ports(NodeId(gateway)).map(cable);
        // Switches of a container stand in for each other (AN3 §2.1): a bridge that hosts of the rack reach over one is of use.
        let (inner, others): (Vec<Cable>, Vec<Cable>) =
            cables.partition(|cable| rack.topology.hosts_forward() && rack.nodes.contains(&cable.node));
        let mut groups: Vec<Vec<Cable>> = others.into_iter().map(|cable| vec![cable]).collect();
        groups.extend((!inner.is_empty()).then_some(inner));
        Needed { node: gateway, groups }
    }

    /// Whether it can hang on this link, or this node if the first says so.
    pub(crate) fn has(&self, part: (bool, u32)) -> bool {
        part == (true, self.node) || self.groups.iter().flatten().any(|cable| cable.is(part))
    }

    /// Whether the gateway is of use if this is broken.
    pub(crate) fn works(&self, broken: &BTreeSet<(bool, u32)>) -> bool {
        let is_whole = |cable: &Cable| !broken.iter().any(|part| cable.is(*part));
        !broken.contains(&(true, self.node)) && self.groups.iter().all(|group| group.iter().any(is_whole))
    }
}

impl Places {
    pub(crate) fn new(joined: &Joined, parts: [&PartTopology; 2]) -> Places {
        let whole = &joined.whole;
        let (mut link, mut nodes) =
            (vec![(Part::Inside, 0); whole.links().len()], [(); 2].map(|()| vec![None; whole.nodes() as usize]));
        for ((part, topology), nodes) in Part::BOTH.into_iter().zip(parts).zip(&mut nodes) {
            (0..).zip(&topology.links).for_each(|(own, whole)| link[*whole as usize] = (part, own));
            (0..).zip(&topology.nodes).for_each(|(own, whole)| nodes[*whole as usize] = Some(own));
        }
        let gateway_in = [if joined.has_own_gateways() { joined.rack_hosts } else { 0 }, 0];
        let uplinks = [0, 1].map(|part: usize| {
            let ports = |gateway| parts[part].topology.ports(NodeId(gateway_in[part] + gateway)).start;
            (0..joined.gateways).map(ports).collect()
        });
        let needed = (joined.first_gateway..joined.first_gateway + joined.gateways)
            .map(|gateway| Needed::new(whole, gateway, parts[0]));
        Places {
            rack_hosts: joined.rack_hosts,
            gateways: joined.gateways,
            first_gateway: joined.first_gateway,
            gateway_in,
            links: parts.map(|part| part.links.clone()),
            link,
            nodes,
            uplinks,
            needed: needed.collect(),
        }
    }

    /// The gateway that a node of the whole is.
    pub(crate) fn gateway(&self, node: u32) -> Option<u32> {
        node.checked_sub(self.first_gateway).filter(|gateway| *gateway < self.gateways)
    }

    /// The gateway that a host of the whole is.
    pub(crate) fn gateway_of(&self, host: u32) -> Option<u32> {
        (self.first_gateway == 0 && host < self.gateways).then_some(host)
    }

    /// The network that a host is in: a gateway for the other hosts of the rack.
    pub(crate) fn part(&self, host: u32) -> Part {
        if host < self.rack_hosts { Part::Inside } else { Part::Outside }
    }

    /// A host's number in a network that it is in.
    pub(crate) fn own(&self, part: Part, host: u32) -> u32 {
        match part {
            Part::Outside if host >= self.rack_hosts => host - self.rack_hosts + self.gateways,
            Part::Inside | Part::Outside => host,
        }
    }

    /// A gateway's number in a network.
    pub(crate) fn own_gateway(&self, part: Part, gateway: u32) -> u32 {
        self.gateway_in[part as usize] + gateway
    }

    /// Who has this number in a network.
    pub(crate) fn end(&self, part: Part, own: u32) -> End {
        let gateway = own.checked_sub(self.gateway_in[part as usize]).filter(|gateway| *gateway < self.gateways);
        match (gateway, part) {
            (Some(gateway), _) => End::Gateway(gateway),
            (None, Part::Inside) => End::Host(own),
            (None, Part::Outside) => End::Host(own - self.gateways + self.rack_hosts),
        }
    }

    pub(crate) fn node(&self, part: Part, node: u32) -> Option<u32> {
        self.nodes[part as usize][node as usize]
    }
    pub(crate) fn link(&self, link: u32) -> (Part, u32) {
        self.link[link as usize]
    }
    pub(crate) fn whole_link(&self, part: Part, own: u32) -> u32 {
        self.links[part as usize][own as usize]
    }
    /// A gateway's link in a network, in that network's numbers.
    pub(crate) fn uplink(&self, part: Part, gateway: u32) -> u32 {
        self.uplinks[part as usize][gateway as usize]
    }
}
