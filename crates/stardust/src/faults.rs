//! What is broken, and what is lost by it.

use crate::cell::{Cell, Kind};
use crate::clock::Clock;
use crate::config::Reachability;
use crate::interior::Interior;
use crate::network::Stardust;
use crate::reach::{Links, News};
use crate::store::Store;
use engine::EventQueue;
use fabric::{Fault, Observer, What};
use units::Time;

/// Links and devices that do not work.
#[derive(Debug, Clone)]
pub(crate) struct Broken {
    /// Something has been broken at some time: else nothing of this is looked at.
    pub any: bool,
    /// A link that worked has been declared failed at some time.
    pub suspected: bool,
    pub links: Vec<LinkState>,
    /// By device.
    pub devices: Vec<bool>,
}

/// A link's state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinkState {
    /// It carries nothing: it is cut, or one of its ends is off.
    pub down: bool,
    /// It is cut.
    cut: bool,
    /// When it last began to work again.
    since: Time,
    /// Probability that a bit is received wrong.
    bit_errors: f64,
}

impl Broken {
    pub(crate) fn new(links: usize, devices: usize) -> Broken {
        let works = LinkState { down: false, cut: false, since: Time::ZERO, bit_errors: 0.0 };
        Broken { any: false, suspected: false, links: vec![works; links], devices: vec![false; devices] }
    }
}

impl<I: Interior, O: Observer> Stardust<I, O> {
    /// Something breaks or is repaired.
    pub(crate) fn apply(&mut self, now: Time, fault: Fault, queue: &mut EventQueue) {
        self.broken.any = true;
        match fault {
            Fault::Link { link, up } => {
                self.broken.links[link as usize].cut = !up;
                self.settle_link(now, link, queue);
            }
            Fault::BitErrors { link, rate } => self.broken.links[link as usize].bit_errors = rate,
            Fault::Node { node, up } => match self.layout.device_of(node) {
                Some(device) => self.turn_device(now, device, up, queue),
                None => self.turn_host(now, node, up, queue),
            },
        }
    }

    /// A link is down while it is cut or one of its ends is off. What is before it or on it when it goes down is lost.
    fn settle_link(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        use crate::build::Role;
        let wire = self.layout.wires[link as usize];
        let off = match wire.role {
            Role::FromHost => self.broken.devices[wire.to as usize] || self.off_hosts[wire.from as usize],
            Role::ToHost => self.broken.devices[wire.from as usize] || self.off_hosts[wire.to as usize],
            Role::Up | Role::Down | Role::Unused => {
                self.broken.devices[wire.from as usize] || self.broken.devices[wire.to as usize]
            }
        };
        let state = &mut self.broken.links[link as usize];
        let (was, is) = (state.down, state.cut || off);
        state.down = is;
        if was && !is {
            state.since = now;
        }
        if was == is || !matches!(wire.role, Role::Up | Role::Down) {
            return;
        }
        if is {
            self.held[wire.from as usize].cells -= self.interior.cells(link);
            let cells = self.interior.clear(now, link);
            for cell in &cells {
                self.lose_cell(now, cell);
            }
            let Reachability { loss_of_signal, silent_failures, .. } = self.config.reachability;
            if !silent_failures {
                queue.push(Clock::Dark(link).event(now + loss_of_signal));
            }
        }
    }

    fn turn_device(&mut self, now: Time, device: u32, up: bool, queue: &mut EventQueue) {
        if self.broken.devices[device as usize] != up {
            return; // it is so already
        }
        self.broken.devices[device as usize] = !up;
        let links: Vec<u32> = self.layout.out(device).collect();
        for link in &links {
            self.settle_link(now, *link, queue);
            self.settle_link(now, self.layout.back(*link), queue);
        }
        if device < self.layout.adapters {
            for host in self.layout.ports[device as usize].clone() {
                let attachment = self.attachment(host);
                self.settle_link(now, attachment.up, queue);
                self.settle_link(now, attachment.down, queue);
            }
        }
        if up {
            // It begins with empty tables, and learns them from its neighbours.
            for link in links {
                self.reach.forget(self.layout.back(link));
            }
            self.rebuild(now, device);
        } else if device < self.layout.adapters {
            self.empty_adapter(now, device as u16, queue);
        }
    }

    /// An adapter goes off: all packets in it are lost, and its schedulers know nothing any more.
    fn empty_adapter(&mut self, now: Time, adapter: u16, queue: &mut EventQueue) {
        let mut packets = Vec::new();
        for number in 0..self.ingress.voqs.len() as u32 {
            let voq = &self.ingress.voqs[number as usize];
            let (src, dst, port, class) = (voq.src, voq.dst, voq.port, voq.class);
            if src == adapter {
                self.ingress.purge(number, &mut self.store, &mut packets);
            }
            if dst == adapter {
                self.reassembly.clear(adapter, number, &self.store, &mut packets);
                self.scheduler.forget(number, port, class);
            }
        }
        for host in self.layout.ports[usize::from(adapter)].clone() {
            let link = self.attachment(host).down;
            let class = *self.edge_class(link);
            let waiting = packets.len();
            self.outlets[host as usize].clear(&mut self.store, &class, &mut packets);
            for packet in &packets[waiting..] {
                let size = self.store.frame(*packet).len + self.config.cells.packet_header.get() as u32;
                self.scheduler.settle(host, size);
            }
        }
        packets.into_iter().for_each(|packet| self.lose_packet(now, packet));
        self.unpause(now, adapter, queue);
    }

    fn turn_host(&mut self, now: Time, host: u32, up: bool, queue: &mut EventQueue) {
        self.off_hosts[host as usize] = !up;
        let attachment = self.attachment(host);
        self.settle_link(now, attachment.up, queue);
        self.settle_link(now, attachment.down, queue);
        if up && std::mem::take(&mut self.interfaces[host as usize].awaited) {
            use fabric::Network;
            self.call_when_ready(now, host, queue);
        }
    }

    /// The device at the end of a link sees that it carries no signal.
    pub(crate) fn see_dark(&mut self, now: Time, link: u32) {
        let device = self.layout.wires[link as usize].to;
        let dark = self.broken.links[link as usize].down && !self.broken.devices[device as usize];
        if dark && self.reach.lose_signal(link) == News::Changed {
            self.rebuild(now, device);
        }
    }

    /// Whether a cell that would have come over a link did not: it was sent while the link was down, which its sender did not know
    /// yet, or it was received wrong. It is lost, and the link counts it.
    pub(crate) fn is_spoiled(&mut self, now: Time, link: u32, cell: &Cell) -> bool {
        let LinkState { down, since, bit_errors: rate, .. } = self.broken.links[link as usize];
        let class = self.link_class(link);
        let flight = class.service(cell.len) + class.delay;
        if down || (since > Time::ZERO && since + flight > now) {
            self.interior.count_loss(link);
            self.lose_cell(now, cell);
            return true;
        }
        if rate == 0.0 {
            return false;
        }
        let wrong = self.errs(rate, u64::from(cell.len));
        if wrong {
            self.interior.count_loss(link);
            self.lose_cell(now, cell);
        }
        if cell.kind() != Kind::Reachability && self.reach.check_cell(link, wrong) == News::Changed {
            self.rebuild(now, self.layout.wires[link as usize].to);
        }
        wrong
    }

    /// Whether a packet that has come over a host's link was lost on it.
    pub(crate) fn is_packet_spoiled(&mut self, now: Time, link: u32, len: u32) -> bool {
        let class = *self.edge_class(link);
        let state = self.broken.links[link as usize];
        let began = class.delay + class.time_on_wire(len);
        if state.down || (state.since > Time::ZERO && state.since + began > now) {
            return true;
        }
        state.bit_errors > 0.0 && self.errs(state.bit_errors, u64::from(len + class.framing))
    }

    /// Whether one of so many bytes is wrong, if each bit is with this probability.
    fn errs(&mut self, rate: f64, bytes: u64) -> bool {
        self.errors.unit() < Fault::frame_error(rate, bytes)
    }

    /// A link loses a cell.
    fn lose_cell(&mut self, now: Time, cell: &Cell) {
        self.sums.cells_lost += 1;
        debug_assert!(self.broken.any, "nothing has failed, and a link loses a cell: {cell:?}");
        self.end_cell(now, cell);
    }

    /// A device drops a cell because its table has no link to the cell's adapter.
    #[cold]
    pub(crate) fn drop_astray(&mut self, now: Time, cell: &Cell) {
        self.sums.cells_astray += 1;
        debug_assert!(self.tables_may_lack(), "every link counts as working, and a cell has no route: {cell:?}");
        self.end_cell(now, cell);
    }

    /// An adapter discards a packet because its table has no link to the packet's adapter.
    #[cold]
    pub(crate) fn discard_astray(&mut self, now: Time, packet: u32) {
        self.sums.packets_astray += 1;
        debug_assert!(self.tables_may_lack(), "every link counts as working, and a packet has no route");
        self.lose_packet(now, packet);
    }

    /// Whether tables may lack adapters: something has failed or was declared failed, or they were empty when the run began.
    pub(crate) fn tables_may_lack(&self) -> bool {
        self.broken.any || self.broken.suspected || self.config.reachability.cold_start
    }

    /// A cell is gone, and with it the packets that end in it; a control message alone.
    fn end_cell(&mut self, now: Time, cell: &Cell) {
        self.see_cell(now, cell, u32::MAX, What::Lost);
        if cell.is_control() {
            if cell.kind() == Kind::Reachability {
                self.free_bitmaps.push(cell.cargo);
            }
            return;
        }
        #[cfg(debug_assertions)]
        {
            self.cells_inside -= 1;
        }
        let mut packet = cell.cargo;
        while packet != Store::NONE {
            let next = self.store.next(packet);
            self.lose_packet(now, packet);
            packet = next;
        }
    }

    pub(crate) fn lose_packet(&mut self, now: Time, packet: u32) {
        self.see_packet(now, packet, self.store.link(packet), What::Lost);
        self.totals.lose(self.store.take(packet).len);
    }
}

#[cfg(test)]
mod tests;
