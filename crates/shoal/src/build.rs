//! From a topology to a rack: which links stand for what.

use crate::clos::Clos;
use crate::config::Config;
use crate::header::{Layout, MOST_NODES};
use engine::looking;
use settings::quoted;
use topology::{LinkId, NodeId, Topology, UnknownNode};
use units::{Rate, Span};

/// Why a topology is no Shoal fabric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// Too few or too many nodes.
    #[error("{hosts} hosts: a rack has 2 to {MOST_NODES} nodes")]
    Nodes {
        /// How many hosts there are.
        hosts: u32,
    },
    /// A host with several links, or none.
    #[error("host {host} has {links} links: a node has one, whose rate its channels share")]
    Links {
        /// Which.
        host: String,
        /// How many it has.
        links: usize,
    },
    /// Links that are not alike.
    #[error(
        "link {link} differs in rate or delay from others of its stage: all paths of a rack are equally long and fast"
    )]
    Unlike {
        /// Which.
        link: String,
    },
    /// A path of more slots than are numbered.
    #[error(
        "a cell takes {slots} slots from node to node, and slots are counted in 32 bits: shorten the delays, or lengthen the slot"
    )]
    Far {
        /// Slots from a cell's leaving until it may leave the next node.
        slots: u64,
    },
    /// A switch that should have the master's clock.
    #[error("is a switch; a node of the rack has the master's clock: write the name of a host")]
    MasterIsNoHost,
    /// The master's clock at no node.
    #[error("{}", quoted(&.0.to_string()))]
    Master(#[from] UnknownNode),
    /// Queues whose cells could not be counted.
    #[error(
        "class_queue of {limit} cells: a queue of {hosts} nodes takes at most {most}, so that with the node's own its cells are counted in 16 bits"
    )]
    ClassQueue {
        /// Cells from other nodes that a queue is to take.
        limit: u32,
        /// How many hosts there are.
        hosts: u32,
        /// The most it can take.
        most: u32,
    },
    /// Not two stages.
    #[error("the switches are not two full stages: take topology.kind = \"star\", or \"folded-clos\"")]
    Stages,
    /// A leaf with more nodes than uplinks, or nodes that are not numbered by leaf.
    #[error(
        "leaves have {nodes} hosts and {uplinks} uplinks: a non-blocking stage has as many uplinks as hosts, or more"
    )]
    Blocking {
        /// Hosts of the fullest leaf.
        nodes: u32,
        /// Links of a leaf to spines.
        uplinks: u32,
    },
}

/// A rack's links, and its times.
#[derive(Debug, Clone)]
pub struct Rig {
    /// By host: its link to the fabric, and back.
    pub up: Vec<u32>,
    /// See `up`.
    pub down: Vec<u32>,
    /// What each link stands for.
    pub role: Vec<Role>,
    /// The switches, if they are there one by one.
    pub clos: Option<Clos>,
    /// By leaf, or the one switch of a star, and by spine: the node of the topology.
    pub leaves: Vec<u32>,
    /// See `leaves`.
    pub spines: Vec<u32>,
    /// Of a host's link.
    pub rate: Rate,
    /// From one slot to the next.
    pub slot: Span,
    /// The node that has the master's clock at first.
    pub master: u32,
    /// From the beginning of a slot until its cell has come, in slots, rounded up.
    pub delay: u32,
}

/// What a link stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A node's links to the fabric.
    Up(u32),
    /// And from it.
    Down(u32),
    /// From a leaf to a spine, and from a spine to a leaf.
    Rise {
        /// The leaf.
        leaf: u32,
        /// The spine.
        spine: u32,
    },
    /// See `Rise`.
    Fall {
        /// The leaf.
        leaf: u32,
        /// The spine.
        spine: u32,
    },
}

impl Rig {
    /// Reads a topology.
    ///
    /// # Errors
    /// If it is none that a rack can have.
    pub fn new(config: &Config, topology: &Topology) -> Result<Rig, BuildError> {
        let hosts = topology.hosts();
        if hosts < 2 || Layout::for_nodes(hosts).is_err() {
            return Err(BuildError::Nodes { hosts });
        }
        // Each flow of a node, one for each other node, has a cell of its own at most in a queue, or the right to one.
        let (limit, most) = (config.class_queue.unwrap_or(hosts), u32::from(u16::MAX) - hosts);
        if config.priorities > 1 && limit > most {
            return Err(BuildError::ClassQueue { limit, hosts, most });
        }
        let ports = |node: u32| topology.ports(NodeId(node));
        if let Some(host) = (0..hosts).find(|host| ports(*host).len() != 1) {
            return Err(BuildError::Links { host: topology.name(NodeId(host)).to_owned(), links: ports(host).len() });
        }
        let up: Vec<u32> = (0..hosts).map(|host| ports(host).start).collect();
        let down: Vec<u32> = up.iter().map(|link| topology.reverse(LinkId(*link)).0).collect();
        let leaf_of = |host: u32| topology.link(LinkId(up[host as usize])).to.0;
        let mut leaves: Vec<u32> = (0..hosts).map(leaf_of).collect();
        leaves.dedup();
        let mut role = vec![Role::Up(0); topology.links().len()];
        for host in 0..hosts {
            role[up[host as usize] as usize] = Role::Up(host);
            role[down[host as usize] as usize] = Role::Down(host);
        }
        let mut is_leaf = vec![false; topology.nodes() as usize];
        leaves.iter().for_each(|leaf| is_leaf[*leaf as usize] = true);
        let spines: Vec<u32> = (hosts..topology.nodes()).filter(|node| !is_leaf[*node as usize]).collect();
        let (mut clos, mut path, mut switches) = (None, Span::ZERO, 1);
        if !spines.is_empty() {
            clos = Some(stages(topology, &leaves, &spines, &leaf_of, &mut role)?);
            switches = 3;
        } else if leaves.len() > 1 {
            return Err(BuildError::Stages);
        }
        let mut stages = vec![up[0]];
        stages.extend((0..role.len() as u32).find(|link| matches!(role[*link as usize], Role::Rise { .. })));
        for first in stages {
            let first = *topology.link(LinkId(first));
            for (number, link) in looking((0..).zip(topology.links())) {
                let outer = matches!(role[number as usize], Role::Up(_) | Role::Down(_));
                let is_first = topology.link(LinkId(up[0])).from == first.from;
                if outer == is_first && (link.rate, link.delay) != (first.rate, first.delay) {
                    return Err(BuildError::Unlike { link: topology.link_name(LinkId(number)) });
                }
            }
            path += first.delay * 2;
        }
        let rate = topology.host_rate(0);
        let master = match config.clocks.master.as_deref().map(|name| topology.find_node(name)).transpose()? {
            Some(node) if !topology.is_host(node) => return Err(BuildError::MasterIsNoHost),
            node => node.map_or(0, |node| node.0),
        };
        let slot = config.slot_length(rate);
        let sent = config.slot(rate);
        let path = path + config.switch_latency * switches + config.node_latency;
        let delay = (sent.overhead + sent.usable + path).as_ps().div_ceil(slot.as_ps()).max(1);
        // A node keeps what it sent in two delays, and that number has 32 bits as well.
        let counted = u32::try_from(delay).ok().filter(|slots| *slots < u32::MAX / 4);
        let delay = counted.ok_or(BuildError::Far { slots: delay })?;
        Ok(Rig { up, down, role, clos, leaves, spines, rate, slot, master, delay })
    }
}

/// Leaves that are all joined to all spines.
fn stages(
    topology: &Topology,
    leaves: &[u32],
    spines: &[u32],
    leaf_of: &impl Fn(u32) -> u32,
    role: &mut [Role],
) -> Result<Clos, BuildError> {
    let hosts = topology.hosts();
    let uplinks = spines.len() as u32;
    let mut on_leaf = vec![0; topology.nodes() as usize];
    (0..hosts).for_each(|host| on_leaf[leaf_of(host) as usize] += 1);
    let nodes = leaves.iter().map(|leaf| on_leaf[*leaf as usize]).max().unwrap_or(0);
    let by_number = (0..hosts).all(|host| leaves.get((host / nodes) as usize) == Some(&leaf_of(host)));
    if nodes > uplinks {
        return Err(BuildError::Blocking { nodes, uplinks });
    }
    for (leaf, node) in (0..).zip(leaves) {
        for (spine, other) in looking((0..).zip(spines)) {
            let mut between = topology.link_between(NodeId(*node), NodeId(*other));
            let (Some(link), None) = (between.next(), between.next()) else { return Err(BuildError::Stages) };
            role[link.0 as usize] = Role::Rise { leaf, spine };
            role[topology.reverse(link).0 as usize] = Role::Fall { leaf, spine };
        }
    }
    let counted = 2 * (hosts as usize + leaves.len() * spines.len());
    if !by_number || counted != topology.links().len() || nodes != uplinks {
        return Err(BuildError::Stages);
    }
    Clos::new(hosts, 2 * uplinks).map_err(|_| BuildError::Stages)
}
