//! Packets between hosts and adapters: into VOQs, out of cells, over the last link.

use crate::cell::Cell;
use crate::ingress::{Admitted, VoqKey};
use crate::interior::Interior;
use crate::network::Stardust;
use engine::{Event, EventQueue, Rank};
use fabric::{Frame, Network, Observer, Seen, What, kind};
use units::Time;

impl<I: Interior, O: Observer> Stardust<I, O> {
    pub(crate) fn reassemble(&mut self, now: Time, cell: Cell, queue: &mut EventQueue) {
        let waits = self.reassembly.arrive(now, &cell, &self.store, &mut self.outcome);
        if waits {
            let timeout = self.config.adapter.reassembly_timeout;
            let stream = self.reassembly.stream(cell.voq);
            if !stream.armed {
                stream.armed = true;
                let at = now + timeout;
                queue.push(Event { at, rank: Rank::new(kind::DEADLINE, cell.voq * 2 + 1), slot: 0 });
            }
        }
        self.hand_out(now, cell.voq, queue);
    }

    pub(crate) fn check_reassembly(&mut self, now: Time, voq: u32, queue: &mut EventQueue) {
        let (adapter, timeout) = (self.ingress.voqs[voq as usize].dst, self.config.adapter.reassembly_timeout);
        let before = self.reassembly.given_up;
        let again = self.reassembly.expire(now, adapter, voq, timeout, &self.store, &mut self.outcome);
        self.sums.timeouts += u64::from(self.reassembly.given_up > before);
        if let Some(at) = again {
            queue.push(Event { at, rank: Rank::new(kind::DEADLINE, voq * 2 + 1), slot: 0 });
        }
        self.hand_out(now, voq, queue);
    }

    /// What has come of a cell or of a timer: complete packets go to their port.
    #[inline(always)]
    fn hand_out(&mut self, now: Time, voq: u32, queue: &mut EventQueue) {
        if !self.outcome.is_empty() {
            self.hand_out_some(now, voq, queue);
        }
    }

    fn hand_out_some(&mut self, now: Time, voq: u32, queue: &mut EventQueue) {
        let mut outcome = std::mem::take(&mut self.outcome);
        let port = self.ingress.voqs[voq as usize].port;
        for packet in outcome.complete.drain(..) {
            let link = self.attachment(port).down;
            let class = self.edge_classes[usize::from(self.wire(link).class)];
            let size = self.store.frame(packet).len + self.config.cells.packet_header.get() as u32;
            self.scheduler.complete(voq, port, size);
            #[cfg(debug_assertions)]
            self.check_completion(voq, packet);
            let voq_class = self.ingress.voqs[voq as usize].class;
            if !self.classes[usize::from(voq_class)].low_latency
                && let Some(grant) = self.scheduler.credit_surplus(now, voq, port, voq_class)
            {
                self.send_credit(now, port, grant, queue);
            }
            if self.outlets[port as usize].take(packet, &mut self.store, &class) {
                self.begin_packet(now, port, queue);
            }
        }
        for packet in outcome.torn.drain(..) {
            self.totals.lose(self.store.take(packet).len);
        }
        if outcome.missing > 0 && self.scheduler.give_up(voq, port, outcome.missing) {
            self.schedule(now, port, queue);
        }
        outcome.clear();
        self.outcome = outcome;
    }

    /// A port's link is free.
    pub(crate) fn begin_packet(&mut self, now: Time, port: u32, queue: &mut EventQueue) {
        let link = self.attachment(port).down;
        let class = self.edge_classes[usize::from(self.wire(link).class)];
        if let Some((packet, end)) = self.outlets[port as usize].begin(now, &mut self.store, &class) {
            self.totals.hops += 1;
            self.see_packet(now, packet, link, What::Left { end });
            queue.push(Event { at: end, rank: Rank::new(kind::LINK_FREE, link), slot: 0 });
            queue.push(Event { at: end + class.delay, rank: Rank::new(kind::ARRIVAL, link), slot: packet });
        }
    }

    /// A port's link has sent a packet.
    pub(crate) fn end_packet(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        let port = self.wire(link).to;
        let class = self.edge_classes[usize::from(self.wire(link).class)];
        let Some(len) = self.outlets[port as usize].end(&class) else { return };
        let size = len + self.config.cells.packet_header.get() as u32;
        if self.scheduler.settle(port, size) {
            self.schedule(now, port, queue);
        }
        self.begin_packet(now, port, queue);
    }

    /// A packet has come from a host to its adapter.
    pub(crate) fn take_packet(&mut self, now: Time, link: u32, packet: u32, queue: &mut EventQueue) {
        let frame = *self.store.frame(packet);
        self.see_packet(now, packet, link, What::Arrived);
        if self.broken.any && self.is_packet_spoiled(now, link, frame.len) {
            self.lose_packet(now, packet);
            return;
        }
        let (src, dst) = (self.attachment(frame.src).adapter, self.attachment(frame.dst));
        if src != dst.adapter && self.tables.route(u32::from(src), dst.adapter, true).is_none() {
            self.discard_astray(now, packet);
            return;
        }
        let class = frame.priority.min(self.classes.len() as u8 - 1);
        let ports = self.layout.ports[usize::from(dst.adapter)].len() as u32;
        let key = VoqKey { src, dst: dst.adapter, port: frame.dst, place: dst.place, ports, class };
        let admitted = self.ingress.admit(now, key, packet, &mut self.store);
        if O::ACTIVE {
            if self.store.frame(packet).ecn != frame.ecn {
                self.see_packet(now, packet, dst.down, What::Marked);
            }
            let what =
                if matches!(admitted, Admitted::Dropped) { What::Dropped } else { What::Queued { leaves: None } };
            self.see_packet(now, packet, dst.down, what);
        }
        match admitted {
            Admitted::Dropped => {
                self.interfaces[frame.src as usize].counters.dropped += 1;
                self.totals.drop_one(self.store.take(packet).len);
            }
            Admitted::Queued(voq) if self.classes[usize::from(class)].low_latency => {
                let mut cells = std::mem::take(&mut self.cells);
                self.ingress.send_at_once(now, voq, &mut self.store, &mut cells);
                self.spray(now, voq, &mut cells, queue);
                self.cells = cells;
            }
            Admitted::Queued(voq) => self.ask(now, voq, queue),
        }
        self.pause(now, src);
    }

    /// An adapter whose memory fills pauses its hosts.
    pub(crate) fn pause(&mut self, now: Time, adapter: u16) {
        let Some(threshold) = self.config.adapter.pause_threshold else { return };
        if self.ingress.used[usize::from(adapter)] <= threshold.get() {
            return;
        }
        for host in &self.layout.ports[usize::from(adapter)] {
            let interface = &mut self.interfaces[*host as usize];
            if !interface.paused {
                interface.paused = true;
                self.sums.host_pauses += 1;
                let link = self.layout.hosts[*host as usize].up;
                self.observer.see(now, Seen::Pause { link, class: 0, pauses: true });
            }
        }
    }

    /// And lets them go on when there is room again.
    pub(crate) fn unpause(&mut self, now: Time, adapter: u16, queue: &mut EventQueue) {
        let Some(threshold) = self.config.adapter.pause_threshold else { return };
        if self.ingress.used[usize::from(adapter)] >= threshold.get() / 4 * 3 {
            return;
        }
        for index in 0..self.layout.ports[usize::from(adapter)].len() {
            let host = self.layout.ports[usize::from(adapter)][index];
            let interface = &mut self.interfaces[host as usize];
            if std::mem::take(&mut interface.paused) {
                let is_awaited = std::mem::take(&mut interface.awaited);
                let link = self.layout.hosts[host as usize].up;
                self.observer.see(now, Seen::Pause { link, class: 0, pauses: false });
                if is_awaited {
                    self.call_when_ready(now, host, queue);
                }
            }
        }
    }

    /// Something happens to a packet at a link.
    #[inline(always)]
    pub(crate) fn see_packet(&mut self, now: Time, packet: u32, link: u32, what: What) {
        if O::ACTIVE {
            self.observer.see(now, Seen::Frame { frame: self.store.frame(packet), link, what });
        }
    }

    /// A packet comes to its host.
    pub(crate) fn leave(&mut self, now: Time, link: u32, packet: u32) -> Option<Frame> {
        let frame = *self.store.frame(packet);
        if self.broken.any && self.is_packet_spoiled(now, link, frame.len) {
            self.lose_packet(now, packet);
            return None;
        }
        self.see_packet(now, packet, link, What::Delivered);
        self.totals.deliver(frame.len);
        Some(self.store.take(packet))
    }
}

#[cfg(debug_assertions)]
impl<I: Interior, O: Observer> Stardust<I, O> {
    /// A VOQ's packets are complete in their order, and the egress memory is bounded: by the window, and by less than a packet for each
    /// VOQ that has sent ahead of its credits. Low-latency VOQs send without any.
    fn check_completion(&mut self, voq: u32, packet: u32) {
        self.ingress.check_order(voq, packet);
        let state = &self.scheduler.ports[self.ingress.voqs[voq as usize].port as usize];
        let bound = u64::from(state.window) + u64::from(state.voqs) * self.config.longest_packet().get();
        // An adapter forgets what it awaits of one that it does not reach, or for longer than the watchdog, and cells may come all the same.
        let unbounded = self.broken.any
            || self.broken.suspected
            || self.scheduler.believed_lost
            || self.classes.iter().any(|class| class.low_latency);
        assert!(
            unbounded || u64::from(state.committed()) <= bound,
            "{} B in egress memory of {bound} B",
            state.committed()
        );
    }
}
