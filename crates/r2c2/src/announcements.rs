//! Announcements: a node tells all others that a flow starts or ends.

use crate::config::Knowledge;
use crate::flows::Phase;
use crate::hops::{Fate, Load, Packet};
use crate::network::R2c2;
use crate::trees::{Tree, ports_of};
use engine::{Event, EventQueue, Rank};
use fabric::{Observer, kind};
use std::rc::Rc;
use topology::NodeId;
use units::Time;

/// An announcement on its way along a tree.
#[derive(Debug)]
pub(crate) struct Announcement {
    pub flow: u32,
    starts: bool,
    tree: Rc<Tree>,
    /// Packets of it that are on their way, and news of it to its node.
    out: u32,
    /// Nodes that it has reached.
    heard: u32,
    /// Its node sends it again.
    again: bool,
}

impl<O: Observer> R2c2<O> {
    /// A flow's node announces that it starts, or ends.
    pub(crate) fn announce(&mut self, now: Time, place: u32, starts: bool, queue: &mut EventQueue) {
        let flow = &mut self.flows[place];
        flow.announced = now;
        flow.announcements += 1;
        let root = self.rig.switch[flow.src as usize];
        if self.config.knowledge == Knowledge::EachNode {
            self.known.hear(place, self.rig.number(root), starts);
        }
        let which = self.tree_choice.below(self.config.trees.into()) as u32;
        let tree = self.trees.tree(&self.rig, &self.works, root, which);
        self.sums.announcements += 1;
        let announcement = Announcement { flow: place, starts, tree, out: 1, heard: 0, again: false };
        let announcement = self.announcements.put(announcement);
        self.tell_on(now, announcement, root, queue);
        self.settle(now, announcement);
    }

    /// An announcement goes on from a switch.
    fn tell_on(&mut self, now: Time, announcement: u32, switch: u32, queue: &mut EventQueue) {
        let len = self.config.announcement.get() as u32;
        let (number, first) = (self.rig.number(switch), self.rig.topology.ports(NodeId(switch)).start);
        for byte in 0..self.trees.bytes() {
            let Announcement { tree, out, .. } = &mut self.announcements[announcement];
            let ports = tree.onward(number)[byte];
            *out += ports.count_ones();
            for link in ports_of(ports, first + 8 * byte as u32) {
                let packet = Packet::new(Load::Announcement(announcement), len, 0);
                if self.put_on(now, link, packet, queue) {
                    self.sums.announcement_packets += 1;
                }
            }
        }
    }

    /// A switch hears an announcement.
    pub(crate) fn hear(&mut self, now: Time, announcement: u32, switch: u32, queue: &mut EventQueue) {
        let Announcement { flow, starts, heard, .. } = &mut self.announcements[announcement];
        *heard += 1;
        if self.config.knowledge == Knowledge::EachNode {
            let (flow, starts) = (*flow, *starts);
            self.known.hear(flow, self.rig.number(switch), starts);
        }
        self.tell_on(now, announcement, switch, queue);
        self.settle(now, announcement);
    }

    /// A packet of an announcement gets no further than this link. If it found no room, the node there tells the one that it is of, which
    /// announces it once more, over another tree (the paper has it so, from memory). What breaks or a wrong bit takes is told by nobody: what is
    /// announced again after a failure, and now and then, makes up for it.
    pub(crate) fn lose_announcement(
        &mut self,
        now: Time,
        link: u32,
        announcement: u32,
        fate: Fate,
        queue: &mut EventQueue,
    ) {
        if fate == Fate::Full && !std::mem::replace(&mut self.announcements[announcement].again, true) {
            self.announcements[announcement].out += 1;
            let src = self.flows[self.announcements[announcement].flow].src;
            let from = self.wires[link as usize].from;
            if self.rig.switch[src as usize] == from {
                self.notice(now, announcement, queue);
            } else {
                let len = self.config.announcement.get() as u32;
                let notice = Packet::new(Load::Notice(announcement), len, src);
                self.sums.notices += 1;
                self.forward(now, from, link, notice, queue);
            }
        }
        self.settle(now, announcement);
    }

    /// A node learns that an announcement of its own found no room somewhere. It waits for an eighth of an interval before it sends it again,
    /// so that where there is little room announcements are not what takes it.
    pub(crate) fn notice(&mut self, now: Time, announcement: u32, queue: &mut EventQueue) {
        let at = now + self.config.interval / 8;
        queue.push(Event { at, rank: Rank::new(kind::DEADLINE, 1), slot: announcement });
    }

    /// A node sends an announcement of its own once more.
    pub(crate) fn announce_again(&mut self, now: Time, announcement: u32, queue: &mut EventQueue) {
        let Announcement { flow, starts, .. } = self.announcements[announcement];
        if !starts || self.flows[flow].phase == Phase::Going {
            self.announce(now, flow, starts, queue);
        }
        self.settle(now, announcement);
    }

    /// One packet less of an announcement is on its way.
    pub(crate) fn settle(&mut self, now: Time, announcement: u32) {
        let Announcement { flow: place, starts, out, heard, tree, .. } = &mut self.announcements[announcement];
        *out -= 1;
        if *out > 0 {
            return;
        }
        let place = *place;
        let flow = &mut self.flows[place];
        if *heard >= tree.reach() {
            if *starts {
                flow.start_known = true;
            } else {
                flow.end_known = true;
            }
        }
        flow.announcements -= 1;
        self.announcements.free(announcement);
        self.forget_if_over(now, place);
    }

    /// A flow of which nothing is on its way any more is forgotten; at once if all know of its end.
    pub(crate) fn forget_if_over(&mut self, now: Time, place: u32) {
        let flow = &self.flows[place];
        if flow.phase != Phase::Ended || flow.announcements > 0 {
            return;
        }
        if flow.end_known {
            self.forget(place);
        } else {
            self.stale.push_back((now + self.config.refresh.saturating_mul(3), place));
        }
    }

    pub(crate) fn forget(&mut self, place: u32) {
        self.flows[place].phase = Phase::Free;
        self.known.forget(place);
        self.flows.free(place);
    }
}
