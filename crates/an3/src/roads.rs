//! Where a request can go from a node: what a NIC knows of its L0 network (§5), and a switch of its container and the others (§2.2).

use crate::Config;
use crate::message::{Goal, Name, Place, Reason};
use crate::network::Wire;
use crate::nic::Nic;
use crate::rig::Rig;
use crate::switch::Way;
use units::{Span, Time};

/// What a node knows.
pub(crate) struct Roads<'a> {
    rig: &'a Rig,
    wires: &'a [Wire],
    node: u32,
    /// When its frames begin.
    phase: Span,
    nic_latency: Span,
}

impl<'a> Roads<'a> {
    pub(crate) fn new(rig: &'a Rig, wires: &'a [Wire], phases: &[Span], config: &Config, node: u32) -> Roads<'a> {
        Roads { rig, wires, node, phase: phases[node as usize], nic_latency: config.nic_latency }
    }

    fn works(&self, link: u32) -> bool {
        self.wires[link as usize].carries
    }

    /// The slot in which a circuit leaves this NIC whose cells' heads come at `head` or whole frames from then; or begin here then, if it is its own.
    pub(crate) fn choose(&self, nic: &Nic, goal: &Goal, head: Time, is_own: bool) -> Result<Place, Reason> {
        let rig = self.rig;
        let (network, from) = rig.member[self.node as usize];
        let (other, to) = rig.member[goal.destination as usize];
        let l0 = &rig.networks[network as usize];
        let full = if network == other && !is_own { Reason::Destination } else { Reason::Full };
        let first_free = |link: u32, wait: Span| {
            let line = &rig.lines[link as usize];
            let first = rig.slot_at(if is_own { head } else { head + wait }, self.phase, line);
            let slot = nic.free(line.from_port).next(first).ok_or(full)?;
            Ok(Place { port: line.from_port, slot })
        };
        let target = if network == other {
            to
        } else {
            let exit = l0.exits[usize::from(goal.exit)];
            if exit.host == self.node {
                return if self.works(exit.link) {
                    first_free(exit.link, rig.frame.length())
                } else {
                    Err(Reason::Broken)
                };
            }
            rig.member[exit.host as usize].1
        };
        // Of the links of shortest paths, the one with most slots left.
        let (mut most, mut best) = (0, None);
        let mut is_broken = true;
        let mut ports = l0.ahead(from, target);
        while ports != 0 {
            let port = ports.trailing_zeros() as u8;
            ports &= ports - 1;
            let link = rig.link(self.node, port);
            if self.works(link) {
                is_broken = false;
                let free = nic.free(port).count();
                if free > most {
                    (most, best) = (free, Some(link));
                }
            }
        }
        match best {
            Some(link) => first_free(link, self.nic_latency),
            None => Err(if is_broken { Reason::Broken } else { full }),
        }
    }

    /// How a request leaves this switch: of the ports that lead where it goes and work, they take turns.
    pub(crate) fn output(&self, name: Name, goal: &Goal) -> Option<Way> {
        let rig = self.rig;
        let (here, home) = (rig.container_of(self.node), rig.home(goal.destination));
        let via = goal.via.filter(|via| *via != here);
        let container = via.unwrap_or(home);
        let network = rig.member[goal.destination as usize].0;
        let (link, full) = if container == here {
            (self.one_of(name, rig.networks[network as usize].entries(self.node)), Reason::Full)
        } else {
            (self.one_of(name, rig.between(self.node, container).iter().copied()), Reason::Between)
        };
        Some(Way { port: rig.lines[link? as usize].from_port, goal: Goal { via, ..*goal }, full })
    }

    /// The one of these links whose turn it is among those that work.
    fn one_of(&self, name: Name, links: impl Iterator<Item = u32> + Clone) -> Option<u32> {
        let mut works = links.filter(|link| self.works(*link));
        let count = works.clone().count();
        works.nth(name.attempt as usize % count.max(1))
    }
}
