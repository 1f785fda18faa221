//! Routes: at every node, for every host, the links that lead there by as few hops as can be.
//!
//! Hosts that hang on the same switches are a *group*: all other switches treat them alike, so tables have a column a group,
//! not a host. Ports are numbered within their node, so nodes that do the same with other links share one row: all cores of a
//! fat-tree have one, all aggregation switches of a pod, all hosts. A lookup is three loads that depend on each other: the
//! destination's group, the entry of the node's row, the port; there is no branch on the kind of topology or of node.

mod groups;
mod path;
mod port_sets;
mod sweep;
#[cfg(test)]
mod tests;

use crate::{LinkId, NodeId, Topology};
use engine::{look, looking};
use groups::{Groups, Member};
use port_sets::PortSets;
use std::collections::BTreeMap;
use sweep::Sweep;

/// Most entries of a table before equal rows are merged: 4 GiB.
const LIMIT: u64 = 1 << 29;

/// Why there are no routes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RouteError {
    /// Two hosts that no path over switches joins. Hosts don't pass on what is not for them.
    #[error("`{from}` cannot reach `{to}`: every path between them leads through another host; link their switches")]
    Unreachable {
        /// A host.
        from: String,
        /// Another one.
        to: String,
    },
    /// Tables that would not fit into memory.
    #[error(
        "routes from {switches} switches to {groups} groups of hosts need {entries} entries; at most {LIMIT} fit: make the topology smaller"
    )]
    TooLarge {
        /// Switches that need a row of entries.
        switches: u64,
        /// Sets of switches that hosts hang on.
        groups: u64,
        /// Their product.
        entries: u64,
    },
}

/// All shortest paths between hosts, in hops.
#[derive(Debug, Clone)]
pub struct Routes {
    places: Vec<Place>,
    members: Vec<Member>,
    table: Vec<Entry>,
    /// Sets of ports, as numbers within a node.
    ports: Vec<u32>,
    /// Where each link leads.
    leads_to: Vec<NodeId>,
}

/// Where a node's routes are.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// First entry of its row.
    row: u32,
    /// Number of its port 0 as a link.
    first_port: u32,
}

/// A set of equally good ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    /// Where in `Routes::ports` they are.
    start: u32,
    /// How many; with [`LOCAL`] set, as many for each host of the group, one after the other.
    hops: u32,
}

/// Marks an entry for hosts that hang on this very switch: each has ports of its own.
const LOCAL: u32 = 1 << 31;
const NOWHERE: Entry = Entry { start: 0, hops: 0 };

/// The equally good links towards a destination.
#[derive(Debug, Clone, Copy)]
pub struct NextHops<'a> {
    first_port: u32,
    ports: &'a [u32],
}

impl NextHops<'_> {
    /// How many there are: at least one on every path between hosts.
    #[inline]
    pub fn len(&self) -> u32 {
        self.ports.len() as u32
    }
    /// Whether there is none: a switch that no path to this destination crosses.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ports.is_empty()
    }
    /// One of them.
    ///
    /// # Panics
    /// If `choice` is not below [`NextHops::len`].
    #[inline]
    pub fn link(&self, choice: u32) -> LinkId {
        LinkId(self.first_port + self.ports[choice as usize])
    }
    /// One of them, if `choice` is below [`NextHops::len`].
    #[inline]
    pub fn get(&self, choice: u32) -> Option<LinkId> {
        self.ports.get(choice as usize).map(|port| LinkId(self.first_port + port))
    }
    /// All of them, by number.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = LinkId> {
        self.ports.iter().map(|port| LinkId(self.first_port + port))
    }
}

impl Routes {
    /// Finds all shortest paths. Hosts end paths and never lie on them.
    ///
    /// About O(groups * links / 64) in a few tiers; while it runs it needs 8 bytes for every switch and group.
    ///
    /// # Errors
    /// If a host cannot reach another, or there are too many switches and hosts.
    pub fn shortest(topology: &Topology) -> Result<Routes, RouteError> {
        Routes::find(topology, &vec![true; topology.links().len()], true)
    }

    /// All shortest paths over the links that work: `works` has an entry a link. Where no path is left, [`Routes::next_hops`] gives
    /// no links; a host with one link keeps it.
    ///
    /// # Errors
    /// If there are too many switches and hosts.
    ///
    /// # Panics
    /// If `works` is not as long as there are links.
    pub fn over_what_works(topology: &Topology, works: &[bool]) -> Result<Routes, RouteError> {
        Routes::find(topology, works, false)
    }

    fn find(topology: &Topology, works: &[bool], all_must_reach: bool) -> Result<Routes, RouteError> {
        assert_eq!(works.len(), topology.links().len(), "a link works or does not");
        let groups = Groups::new(topology, works);
        let rows = Rows::new(topology, &groups)?;
        let width = groups.count();
        let mut sets = PortSets::new(topology);
        let mut table = vec![NOWHERE; rows.count * width];
        // A host with one link takes it wherever it goes.
        table[rows.single * width..][..width].fill(sets.entry(&[0]));
        let mut sweep = Sweep::new(topology, works, rows.swept());
        for first in (0..width).step_by(Sweep::WIDTH) {
            look();
            let batch = first..width.min(first + Sweep::WIDTH);
            sweep.run(batch.clone().map(|group| groups.switches(group)));
            for (node, row) in looking(rows.swept()) {
                sweep.fill_row(node, &mut table[row * width..][batch.clone()], &mut sets);
            }
        }
        for group in looking(0..width) {
            for switch in groups.switches(group) {
                let local = sets.local(topology, works, switch, groups.hosts(group));
                table[rows.of(switch, &groups) * width + group] = local;
            }
        }
        if all_must_reach {
            check_reach(topology, &groups, |node, group| table[rows.of(node, &groups) * width + group].hops > 0)?;
        }

        let (table, start) = merge_rows(&table, width);
        let place = |node| Place { row: start[rows.of(node, &groups)], first_port: topology.ports(node).start };
        Ok(Routes {
            places: (0..topology.nodes()).map(NodeId).map(place).collect(),
            members: groups.into_members(),
            table,
            ports: sets.into_ports(),
            leads_to: topology.links().iter().map(|link| link.to).collect(),
        })
    }

    /// The links to take at a node towards a host: all that begin a shortest path.
    ///
    /// At the host itself there is no such link, and the answer means nothing.
    ///
    /// # Panics
    /// If there is no such node or host.
    #[inline]
    pub fn next_hops(&self, at: NodeId, dst: u32) -> NextHops<'_> {
        let place = self.places[at.index()];
        let member = self.members[dst as usize];
        let entry = self.table[place.row as usize + member.group as usize];
        let hops = entry.hops & !LOCAL;
        let step = hops * (entry.hops >> 31);
        let start = entry.start as usize + step as usize * member.position as usize;
        NextHops { first_port: place.first_port, ports: &self.ports[start..start + hops as usize] }
    }

    /// Memory that lookups touch.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&self.places[..])
            + size_of_val(&self.members[..])
            + size_of_val(&self.table[..])
            + size_of_val(&self.ports[..])
    }
}

/// Which row of the table, before merging, is whose: switches first, then a row for each group of hosts with several links,
/// which all have the same ports, then one for all hosts with one link.
struct Rows {
    hosts: u32,
    switches: u32,
    /// Per group, the row of its hosts.
    of_group: Vec<usize>,
    /// The first host of each group with several links.
    several: Vec<NodeId>,
    /// The row of hosts with one link.
    single: usize,
    count: usize,
}

impl Rows {
    fn new(topology: &Topology, groups: &Groups) -> Result<Rows, RouteError> {
        let switches = topology.switches();
        let first = |group: &usize| NodeId(groups.hosts(*group)[0]);
        let has_several = |group: &usize| topology.ports(first(group)).len() > 1;
        let several: Vec<NodeId> = (0..groups.count()).filter(has_several).map(|group| first(&group)).collect();
        let single = switches as usize + several.len();
        let entries = (single as u64 + 1) * groups.count() as u64;
        if entries > LIMIT {
            let (switches, groups) = (u64::from(switches), groups.count() as u64);
            return Err(RouteError::TooLarge { switches, groups, entries });
        }
        let mut of_several = switches as usize..;
        let row = |group| if has_several(&group) { of_several.next().unwrap_or(single) } else { single };
        let of_group = (0..groups.count()).map(row).collect();
        Ok(Rows { hosts: topology.hosts(), switches, of_group, several, single, count: single + 1 })
    }
    fn of(&self, node: NodeId, groups: &Groups) -> usize {
        match node.0.checked_sub(self.hosts) {
            Some(switch) => switch as usize,
            None => self.of_group[groups.of(node.0)],
        }
    }
    /// The nodes whose rows have to be found, with them.
    fn swept(&self) -> impl Iterator<Item = (NodeId, usize)> {
        let switches = (self.hosts..self.hosts + self.switches).map(NodeId);
        switches.chain(self.several.iter().copied()).zip(0..)
    }
}

/// Refuses graphs in which some host cannot send to some other. `leads(node, group)`: whether the node has a path there.
fn check_reach(topology: &Topology, groups: &Groups, leads: impl Fn(NodeId, usize) -> bool) -> Result<(), RouteError> {
    for from in 0..groups.count() {
        look();
        let host = NodeId(groups.hosts(from)[0]);
        let ports = topology.ports(host);
        // A host with one link always sends; what counts is whether its switch knows how to go on.
        let decides = if ports.len() == 1 { topology.link(LinkId(ports.start)).to } else { host };
        if let Some(to) = (0..groups.count()).find(|&to| !leads(decides, to)) {
            let name = |host: u32| topology.name(NodeId(host)).to_owned();
            return Err(RouteError::Unreachable { from: name(host.0), to: name(groups.hosts(to)[0]) });
        }
    }
    Ok(())
}

/// Keeps one of each row. Gives the smaller table, and for every old row where it now starts.
fn merge_rows(table: &[Entry], width: usize) -> (Vec<Entry>, Vec<u32>) {
    let mut merged = Vec::new();
    let mut known: BTreeMap<&[Entry], u32> = BTreeMap::new();
    let place = |row| {
        look();
        *known.entry(row).or_insert_with(|| {
            let start = merged.len() as u32;
            merged.extend_from_slice(row);
            start
        })
    };
    let start = table.chunks(width).map(place).collect();
    merged.shrink_to_fit();
    (merged, start)
}
