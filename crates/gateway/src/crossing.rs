//! How packets cross: from one network to a gateway, through its line, into the other.

use crate::joined::Joined;
use crate::line::Line;
use crate::numbering::Numbered;
use crate::places::{End, Part};
use engine::{Event, EventQueue, Rank};
use fabric::{Ecn, Frame, Inside, Network, Observer, What, kind};
use units::{Bytes, Span, Time};

impl<W: Observer, I: Network<Observer = Numbered<W>>, O: Network<Observer = Numbered<W>>> Joined<I, O> {
    /// Sends the frame that is kept at `place` on its way in one network, between two of its hosts.
    pub(crate) fn carry(&mut self, now: Time, part: Part, ends: [u32; 2], place: u32) {
        let frame = self.held.frame(place);
        match part {
            Part::Inside => self.inside.carry(now, frame, ends, place),
            Part::Outside => self.outside.carry(now, frame, ends, place),
        }
    }

    /// Whether the interface of one of a network's hosts has room.
    pub(crate) fn has_room_in(&self, now: Time, part: Part, own: u32) -> bool {
        match part {
            Part::Inside => self.inside.network.has_room(now, own),
            Part::Outside => self.outside.network.has_room(now, own),
        }
    }

    pub(crate) fn call_when_ready_in(&mut self, now: Time, part: Part, own: u32) {
        match part {
            Part::Inside => self.inside.network.call_when_ready(now, own, &mut self.inside.queue),
            Part::Outside => self.outside.network.call_when_ready(now, own, &mut self.outside.queue),
        }
    }

    pub(crate) fn queue_in(&self, now: Time, part: Part, link: u32) -> Bytes {
        match part {
            Part::Inside => self.inside.network.queue(now, link),
            Part::Outside => self.outside.network.queue(now, link),
        }
    }

    /// The network in which a frame begins that stands at a host, or at a gateway on its way: its destination's, if the host is in it.
    pub(crate) fn next_part(&self, at: u32, dst: u32) -> Part {
        if self.places.gateway_of(at).is_some() { self.places.part(dst) } else { self.places.part(at) }
    }

    /// The gateway of a frame that crosses, from this part on: the rack's choice, or that of the hosts.
    pub(crate) fn gateway(&mut self, from: Part, frame: &Frame) -> u32 {
        let of_rack = if from == Part::Inside { frame.src } else { frame.dst };
        self.inside.network.gateway(of_rack).unwrap_or_else(|| self.choice.gateway(of_rack, frame))
    }

    /// A frame has come out of one network: it is there, or at the gateway to the other.
    pub(crate) fn arrived(&mut self, now: Time, part: Part, frame: Frame) -> Option<Frame> {
        let place = frame.sequence as u32;
        self.held.set_ecn(place, frame.ecn);
        let original = *self.held.frame(place);
        let gateway = match self.places.end(part, frame.dst) {
            End::Gateway(gateway) if self.places.gateway_of(original.dst) != Some(gateway) => gateway,
            End::Gateway(_) | End::Host(_) => {
                self.totals.delivered += 1;
                return Some(self.held.take(place));
            }
        };
        let onward = self.places.part(original.dst);
        let down = self.gateways[gateway as usize].down;
        let waiting = self.waiting_at(onward, gateway);
        let line = &mut self.gateways[gateway as usize].lines[onward as usize];
        if down {
            line.counts.lost += 1;
            self.totals.lost += 1;
            self.show(now, onward, gateway, place, What::Lost);
            self.held.take(place);
        } else if waiting + Bytes::new(original.len.into()) > self.config.buffer {
            line.counts.dropped += 1;
            self.totals.dropped += 1;
            self.show(now, onward, gateway, place, What::Dropped);
            self.held.take(place);
        } else {
            line.join(now, place, original.len, original.priority);
            if original.ecn == Ecn::Capable && self.config.ecn_threshold.is_some_and(|threshold| waiting > threshold) {
                line.counts.marked += 1;
                self.held.set_ecn(place, Ecn::Marked);
                self.show(now, onward, gateway, place, What::Marked);
            }
            self.show(now, onward, gateway, place, What::Queued { leaves: None });
            self.pass_on(now, onward, gateway);
            let waiting = self.waiting_at(onward, gateway).get();
            let counts = &mut self.gateways[gateway as usize].lines[onward as usize].counts;
            counts.peak = counts.peak.max(waiting);
        }
        None
    }

    /// A gateway passes on what waits for a network, as long as that takes it.
    pub(crate) fn pass_on(&mut self, now: Time, part: Part, gateway: u32) {
        let own = self.places.own_gateway(part, gateway);
        loop {
            let room = self.has_room_in(now, part, own);
            let line = &mut self.gateways[gateway as usize].lines[part as usize];
            if line.len() == 0 {
                return;
            }
            if !room {
                if !std::mem::replace(&mut line.asked, true) {
                    self.call_when_ready_in(now, part, own);
                }
                return;
            }
            let Some((place, since)) = line.next(now) else { return };
            if let Some(since) = since {
                self.waits[part as usize].record(now.since(since).as_ps());
            }
            self.show(now, part, gateway, place, What::Left { end: now });
            let dst = self.places.own(part, self.held.frame(place).dst);
            self.carry(now, part, [own, dst], place);
        }
    }

    /// If the gateway is a host, which waits for room, and there is some, it is told.
    pub(crate) fn tell_if_ready(&mut self, now: Time, gateway: u32, queue: &mut EventQueue) {
        if self.gateways[gateway as usize].awaited && self.has_room(now, gateway) {
            self.gateways[gateway as usize].awaited = false;
            queue.push(Event { at: now, rank: Rank::new(kind::READY, gateway), slot: 0 });
        }
    }

    pub(crate) fn wake(&mut self, queue: &mut EventQueue) {
        self.inside.wake(queue);
        self.outside.wake(queue);
    }

    /// Frames that wait at gateways.
    pub(crate) fn waiting(&self) -> u64 {
        self.gateways.iter().flat_map(|gateway| &gateway.lines).map(|line| line.len() as u64).sum()
    }

    /// Their bytes.
    pub(crate) fn bytes_waiting(&self) -> u64 {
        let places = self.gateways.iter().flat_map(|gateway| &gateway.lines).flat_map(Line::places);
        places.map(|place| u64::from(self.held.frame(place).len)).sum()
    }

    /// Forgets what the networks have lost.
    pub(crate) fn look_what_is_left(&mut self) {
        let (inside, outside) = (self.inside.network.frames_inside(), self.outside.network.frames_inside());
        let on_their_way = inside.iter().chain(&outside).map(|inside| inside.frame.sequence as u32);
        let waiting = self.gateways.iter().flat_map(|gateway| &gateway.lines).flat_map(Line::places);
        self.held.keep(on_their_way.chain(waiting));
    }

    /// A message that crosses a gateway, alone, by the one over which it is there first, and in both networks as `ideal` says of two of its hosts:
    /// both carry it packet by packet at the same time. It has come through the first once that has all of it, and then its last packet goes
    /// through the second; and the second has all of it no sooner than if its packets began to come when the first has come.
    pub(crate) fn quickest(
        &self,
        [first, then]: [Part; 2],
        [src, dst]: [u32; 2],
        message: Message,
        ideal: impl Fn(Part, [u32; 2], Bytes) -> Span,
    ) -> Span {
        let (from, to) = (self.places.own(first, src), self.places.own(then, dst));
        let over = |gateway| {
            let [into, out] = [first, then].map(|part| self.places.own_gateway(part, gateway));
            let into = |bytes| ideal(first, [from, into], bytes);
            let out = |bytes| ideal(then, [out, to], bytes);
            (into(message.bytes) + out(message.tail())).max(into(message.head()) + out(message.bytes))
        };
        (0..self.places.gateways).map(over).min().unwrap_or(Span::ZERO)
    }

    /// Between two of a network's hosts.
    pub(crate) fn ideal_in(&self, part: Part, [src, dst]: [u32; 2], bytes: Bytes, header: Bytes) -> Span {
        match part {
            Part::Inside => self.inside.network.ideal(src, dst, bytes, header),
            Part::Outside => self.outside.network.ideal(src, dst, bytes, header),
        }
    }

    /// The same over several paths.
    pub(crate) fn ideal_over_paths_in(&self, part: Part, [src, dst]: [u32; 2], bytes: Bytes, header: Bytes) -> Span {
        match part {
            Part::Inside => self.inside.network.ideal_over_paths(src, dst, bytes, header),
            Part::Outside => self.outside.network.ideal_over_paths(src, dst, bytes, header),
        }
    }

    /// The frames of one network that are inside it, as they were offered.
    pub(crate) fn inside_of(&self, part: Part, inside: &[Inside]) -> Vec<Inside> {
        let original = |inside: &Inside| {
            let frame = *self.held.frame(inside.frame.sequence as u32);
            Inside { frame, link: self.places.whole_link(part, inside.link) }
        };
        inside.iter().map(original).collect()
    }
}

impl<I: Network, O: Network> Joined<I, O> {
    /// What waits at a gateway for a network: before that one's interface, and in it, if it has queues of its own there.
    pub(crate) fn waiting_at(&self, part: Part, gateway: u32) -> Bytes {
        let own = self.places.own_gateway(part, gateway);
        let in_interface = match part {
            Part::Inside => self.inside.network.backlog(own),
            Part::Outside => self.outside.network.backlog(own),
        };
        self.gateways[gateway as usize].lines[part as usize].bytes() + in_interface
    }
}

impl<I, O> Joined<I, O> {
    /// A link's number in a network, if it is that one's.
    pub(crate) fn own_link(&self, part: Part, link: u32) -> Option<u32> {
        let (whose, own) = self.places.link(link);
        (whose == part).then_some(own)
    }

    /// The gateway whose link in a network this is, the first if it has several, if it is one's.
    pub(crate) fn gateway_before(&self, part: Part, link: u32) -> Option<u32> {
        (0..self.places.gateways).find(|gateway| self.places.uplink(part, *gateway) == link)
    }

    /// What waits at a gateway for this link of a network, if it is one's.
    pub(crate) fn line_before(&self, part: Part, link: u32) -> Option<&Line> {
        let gateway = self.gateway_before(part, link)?;
        Some(&self.gateways[gateway as usize].lines[part as usize])
    }
}

/// What a message is in packets: full ones, and one that may be shorter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Message {
    pub bytes: Bytes,
    pub packets: u64,
    /// Payload of a full packet.
    full: u64,
}

impl Message {
    pub(crate) fn new(bytes: Bytes, header: Bytes, mtu: Bytes) -> Message {
        let full = mtu.get() - header.get();
        Message { bytes, packets: bytes.get().div_ceil(full).max(1), full }
    }

    /// Payload of its first packet.
    fn head(self) -> Bytes {
        Bytes::new(self.bytes.get().min(self.full))
    }

    /// Payload of its last one.
    fn tail(self) -> Bytes {
        Bytes::new(self.bytes.get() - (self.packets - 1) * self.full)
    }

    /// The least that so many of its packets can be.
    pub(crate) fn least(self, packets: u64) -> Message {
        Message { bytes: Bytes::new((packets - 1) * self.full) + self.tail(), packets, ..self }
    }
}
