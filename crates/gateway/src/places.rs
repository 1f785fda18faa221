//! Who is where: hosts, nodes and links of the whole, and of its parts.

use topology::{Joined, LinkId, NodeId, Part as PartTopology};

/// One of the two networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Inside,
    Outside,
}

impl Part {
    pub const BOTH: [Part; 2] = [Part::Inside, Part::Outside];
}

/// Numbers in the whole and in its parts. Gateways are hosts `0..gateways` of all three.
#[derive(Debug)]
pub(crate) struct Places {
    pub rack_hosts: u32,
    pub gateways: u32,
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
    pub fn new(joined: &Joined, parts: [&PartTopology; 2]) -> Places {
        let whole = &joined.whole;
        let (mut link, mut nodes) =
            (vec![(Part::Inside, 0); whole.links().len()], [(); 2].map(|()| vec![None; whole.nodes() as usize]));
        for ((part, topology), nodes) in Part::BOTH.into_iter().zip(parts).zip(&mut nodes) {
            (0..).zip(&topology.links).for_each(|(own, whole)| link[*whole as usize] = (part, own));
            (0..).zip(&topology.nodes).for_each(|(own, whole)| nodes[*whole as usize] = Some(own));
        }
        let uplinks =
            parts.map(|part| (0..joined.gateways).map(|gateway| part.topology.ports(NodeId(gateway)).start).collect());
        let needed = (0..joined.gateways).map(|gateway| {
            let ports = whole.ports(NodeId(gateway));
            let links = ports.clone().flat_map(|port| [port, whole.reverse(LinkId(port)).0]).collect();
            let nodes = ports.map(|port| whole.link(LinkId(port)).to.0).chain([gateway]).collect();
            Needed { links, nodes }
        });
        Places {
            rack_hosts: joined.rack_hosts,
            gateways: joined.gateways,
            links: parts.map(|part| part.links.clone()),
            link,
            nodes,
            uplinks,
            needed: needed.collect(),
        }
    }

    pub fn is_gateway(&self, host: u32) -> bool {
        host < self.gateways
    }

    /// The network that a host is in: a gateway for the other hosts of the rack.
    pub fn part(&self, host: u32) -> Part {
        if host < self.rack_hosts { Part::Inside } else { Part::Outside }
    }

    /// A host's number in a network that it is in.
    pub fn own(&self, part: Part, host: u32) -> u32 {
        match part {
            Part::Outside if host >= self.rack_hosts => host - self.rack_hosts + self.gateways,
            Part::Inside | Part::Outside => host,
        }
    }

    /// The host that has this number in a network.
    pub fn whole(&self, part: Part, own: u32) -> u32 {
        match part {
            Part::Outside if own >= self.gateways => own - self.gateways + self.rack_hosts,
            Part::Inside | Part::Outside => own,
        }
    }

    pub fn node(&self, part: Part, node: u32) -> Option<u32> {
        self.nodes[part as usize][node as usize]
    }
    pub fn link(&self, link: u32) -> (Part, u32) {
        self.link[link as usize]
    }
    pub fn whole_link(&self, part: Part, own: u32) -> u32 {
        self.links[part as usize][own as usize]
    }
    /// A gateway's link in a network, in that network's numbers.
    pub fn uplink(&self, part: Part, gateway: u32) -> u32 {
        self.uplinks[part as usize][gateway as usize]
    }
}
