//! Who is where: hosts, nodes and links of the whole, and of its parts.

use topology::{Joined, LinkId, NodeId, Part as PartTopology};

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
    /// By gateway: links and nodes of the whole without which it is of no use: its cables, and what they lead to.
    pub needed: Vec<Needed>,
}

/// What a gateway hangs on.
#[derive(Debug)]
pub(crate) struct Needed {
    pub links: Vec<u32>,
    pub nodes: Vec<u32>,
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
        let gateway_in = [if joined.has_uplinks() { joined.rack_hosts } else { 0 }, 0];
        let uplinks = [0, 1].map(|part: usize| {
            let ports = |gateway| parts[part].topology.ports(NodeId(gateway_in[part] + gateway)).start;
            (0..joined.gateways).map(ports).collect()
        });
        let needed = (joined.first_gateway..joined.first_gateway + joined.gateways).map(|gateway| {
            let ports = whole.ports(NodeId(gateway));
            let links = ports.clone().flat_map(|port| [port, whole.reverse(LinkId(port)).0]).collect();
            let nodes = ports.map(|port| whole.link(LinkId(port)).to.0).chain([gateway]).collect();
            Needed { links, nodes }
        });
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
