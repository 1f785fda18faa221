//! Two networks as one.

use crate::choice::Choice;
use crate::config::{Config, Spreading};
use crate::held::Held;
use crate::line::Line;
use crate::places::{Part, Places};
use crate::report;
use crate::side::{News, Side};
use engine::{Event, EventQueue, Rank, Seed};
use fabric::{Counter, Distribution, Ecn, Fault, Frame, Inside, Kind, LinkCounters, Network, Offers, Totals, kind};
use results::Histogram;
use units::{Bytes, Span, Time};

/// A rack's network, an outside one, and the gateways that join them.
///
/// Hosts are the rack's, the gateways first, then the outside's. A packet between a host of the rack and one outside takes one gateway; one
/// from or to a gateway itself takes no other. At the gateway it comes out of one network whole, waits, and goes into the other.
pub struct Joined<I, O> {
    pub(crate) inside: Side<I>,
    pub(crate) outside: Side<O>,
    pub(crate) places: Places,
    config: Config,
    choice: Choice,
    held: Held,
    pub(crate) gateways: Vec<Gateway>,
    /// By part: how long packets waited for it at gateways, in ps, since the measurement began.
    pub(crate) waits: [Histogram; 2],
    totals: Totals,
}

/// A gateway.
#[derive(Debug)]
pub(crate) struct Gateway {
    /// By part: what waits to go there.
    pub lines: [Line; 2],
    down: bool,
    /// Its own host waits to hear that there is room.
    awaited: bool,
}

/// Bins of waiting times, as powers of two of a share.
const PRECISION: u32 = 7;

impl<I: Network, O: Network> Joined<I, O> {
    /// Joins the networks that were built on the two parts of `joined`, [`topology::Joined::rack`] and [`topology::Joined::outside`].
    pub fn new(config: &Config, joined: &topology::Joined, inside: I, outside: O, seed: Seed) -> Joined<I, O> {
        let places = Places::new(joined, [&joined.rack(), &joined.outside()]);
        let classes = inside.offers().priorities.min(outside.offers().priorities);
        let gateway = |_| Gateway { lines: [Line::new(classes), Line::new(classes)], down: false, awaited: false };
        Joined {
            inside: Side::new(inside, Part::Inside as u32),
            outside: Side::new(outside, Part::Outside as u32),
            config: *config,
            choice: Choice::new(config, places.gateways, seed),
            held: Held::new(),
            gateways: (0..places.gateways).map(gateway).collect(),
            waits: [Histogram::new(PRECISION), Histogram::new(PRECISION)],
            totals: Totals::default(),
            places,
        }
    }

    /// Sends the frame that is kept at `place` on its way in one network, between two hosts of the whole that are in it.
    fn carry(&mut self, now: Time, part: Part, src: u32, dst: u32, place: u32) {
        let ends = [self.places.own(part, src), self.places.own(part, dst)];
        let frame = self.held.frame(place);
        match part {
            Part::Inside => self.inside.carry(now, frame, ends, place),
            Part::Outside => self.outside.carry(now, frame, ends, place),
        }
    }

    fn has_room_in(&self, now: Time, part: Part, host: u32) -> bool {
        let own = self.places.own(part, host);
        match part {
            Part::Inside => self.inside.network.has_room(now, own),
            Part::Outside => self.outside.network.has_room(now, own),
        }
    }

    fn call_when_ready_in(&mut self, now: Time, part: Part, host: u32) {
        let own = self.places.own(part, host);
        match part {
            Part::Inside => self.inside.network.call_when_ready(now, own, &mut self.inside.queue),
            Part::Outside => self.outside.network.call_when_ready(now, own, &mut self.outside.queue),
        }
    }

    fn queue_in(&self, now: Time, part: Part, link: u32) -> Bytes {
        match part {
            Part::Inside => self.inside.network.queue(now, link),
            Part::Outside => self.outside.network.queue(now, link),
        }
    }

    /// The network in which a frame begins that stands at a host, or at a gateway on its way: its destination's, if the host is in it.
    fn next_part(&self, at: u32, dst: u32) -> Part {
        if self.places.is_gateway(at) { self.places.part(dst) } else { self.places.part(at) }
    }

    /// A frame has come out of one network: it is there, or at the gateway to the other.
    fn arrived(&mut self, now: Time, part: Part, frame: Frame) -> Option<Frame> {
        let place = frame.sequence as u32;
        let host = self.places.whole(part, frame.dst);
        self.held.set_ecn(place, frame.ecn);
        let original = *self.held.frame(place);
        if original.dst == host {
            self.totals.delivered += 1;
            return Some(self.held.take(place));
        }
        let onward = self.places.part(original.dst);
        let down = self.gateways[host as usize].down;
        let line = &mut self.gateways[host as usize].lines[onward as usize];
        let waiting = line.bytes();
        if down {
            line.counts.lost += 1;
            self.totals.lost += 1;
            self.held.take(place);
        } else if waiting + Bytes::new(original.len.into()) > self.config.buffer {
            line.counts.dropped += 1;
            self.totals.dropped += 1;
            self.held.take(place);
        } else {
            if original.ecn == Ecn::Capable && self.config.ecn_threshold.is_some_and(|threshold| waiting > threshold) {
                line.counts.marked += 1;
                self.held.set_ecn(place, Ecn::Marked);
            }
            line.join(now, place, original.len, original.priority);
            self.pass_on(now, onward, host);
        }
        None
    }

    /// A gateway passes on what waits for a network, as long as that takes it.
    fn pass_on(&mut self, now: Time, part: Part, gateway: u32) {
        loop {
            let room = self.has_room_in(now, part, gateway);
            let line = &mut self.gateways[gateway as usize].lines[part as usize];
            if line.len() == 0 {
                return;
            }
            if !room {
                if !std::mem::replace(&mut line.asked, true) {
                    self.call_when_ready_in(now, part, gateway);
                }
                return;
            }
            let Some((place, since)) = line.next(now) else { return };
            if let Some(since) = since {
                self.waits[part as usize].record(now.since(since).as_ps());
            }
            let dst = self.held.frame(place).dst;
            self.carry(now, part, gateway, dst, place);
        }
    }

    /// If the gateway's own host waits for room, and there is some, it is told.
    fn tell_if_ready(&mut self, now: Time, gateway: u32, queue: &mut EventQueue) {
        if self.gateways[gateway as usize].awaited && self.has_room(now, gateway) {
            self.gateways[gateway as usize].awaited = false;
            queue.push(Event { at: now, rank: Rank::new(kind::READY, gateway), slot: 0 });
        }
    }

    fn wake(&mut self, queue: &mut EventQueue) {
        self.inside.wake(queue);
        self.outside.wake(queue);
    }

    /// Frames that wait at gateways.
    fn waiting(&self) -> u64 {
        self.gateways.iter().flat_map(|gateway| &gateway.lines).map(|line| line.len() as u64).sum()
    }

    /// Forgets what the networks have lost.
    fn look_what_is_left(&mut self) {
        let (inside, outside) = (self.inside.network.frames_inside(), self.outside.network.frames_inside());
        let on_their_way = inside.iter().chain(&outside).map(|inside| inside.frame.sequence as u32);
        let waiting = self.gateways.iter().flat_map(|gateway| &gateway.lines).flat_map(Line::places);
        self.held.keep(on_their_way.chain(waiting));
    }

    /// A message that crosses a gateway, alone: both networks carry it packet by packet at the same time. It has come through the first
    /// once that has all of it, and then its last packet goes through the second; and the second has all of it no sooner than if its packets
    /// began to come when the first has come.
    fn ideal_across(
        &self,
        [first, then]: [Part; 2],
        [src, gateway, dst]: [u32; 3],
        bytes: Bytes,
        header: Bytes,
    ) -> Span {
        let most = self.mtu().get() - header.get();
        let packets = bytes.get().div_ceil(most).max(1);
        let (head, tail) = (Bytes::new(bytes.get().min(most)), Bytes::new(bytes.get() - (packets - 1) * most));
        let into = |bytes| self.ideal_in(first, src, gateway, bytes, header);
        let out = |bytes| self.ideal_in(then, gateway, dst, bytes, header);
        (into(bytes) + out(tail)).max(into(head) + out(bytes))
    }

    fn ideal_in(&self, part: Part, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span {
        let (src, dst) = (self.places.own(part, src), self.places.own(part, dst));
        match part {
            Part::Inside => self.inside.network.ideal(src, dst, bytes, header),
            Part::Outside => self.outside.network.ideal(src, dst, bytes, header),
        }
    }

    /// The frames of one network that are inside it, as they were offered.
    fn inside_of(&self, part: Part, inside: &[Inside]) -> Vec<Inside> {
        let original = |inside: &Inside| {
            let frame = *self.held.frame(inside.frame.sequence as u32);
            Inside { frame, link: self.places.whole_link(part, inside.link) }
        };
        inside.iter().map(original).collect()
    }
}

impl<I: Network, O: Network> Network for Joined<I, O> {
    fn offers(&self) -> Offers {
        let (inside, outside) = (self.inside.network.offers(), self.outside.network.offers());
        Offers {
            ecn: inside.ecn || outside.ecn || self.config.ecn_threshold.is_some(),
            lossless: false, // a gateway's buffer ends somewhere
            in_order: inside.in_order && outside.in_order && self.config.spreading == Spreading::Flow,
            priorities: inside.priorities.min(outside.priorities),
        }
    }

    fn has_room(&self, now: Time, host: u32) -> bool {
        match self.gateways.get(host as usize) {
            Some(gateway) => !gateway.down && !gateway.lines.iter().any(Line::has_own),
            None => self.has_room_in(now, self.places.part(host), host),
        }
    }

    fn call_when_ready(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        if self.places.is_gateway(host) {
            self.gateways[host as usize].awaited = true;
            self.tell_if_ready(now, host, queue);
        } else {
            self.call_when_ready_in(now, self.places.part(host), host);
            self.wake(queue);
        }
    }

    fn offer(&mut self, now: Time, frame: Frame, queue: &mut EventQueue) {
        if self.held.is_crowded() {
            self.look_what_is_left();
        }
        self.totals.offered += 1;
        let place = self.held.put(frame);
        let part = self.next_part(frame.src, frame.dst);
        if self.places.is_gateway(frame.src) && frame.kind == Kind::Data {
            self.gateways[frame.src as usize].lines[part as usize].join_own(place);
            self.pass_on(now, part, frame.src);
        } else {
            let stays = self.places.part(frame.dst) == part || self.places.is_gateway(frame.dst);
            let towards = if stays { frame.dst } else { self.choice.gateway(&frame) };
            self.carry(now, part, frame.src, towards, place);
        }
        self.wake(queue);
    }

    fn handle(&mut self, event: Event, queue: &mut EventQueue) -> Option<Frame> {
        let now = event.at;
        if event.rank.kind() == kind::DEADLINE {
            self.choice.learn(now);
            return None;
        }
        debug_assert_eq!(event.rank.kind(), kind::TICK, "two clocks, and news of gateways");
        let part = Part::BOTH[event.rank.device() as usize];
        match part {
            Part::Inside => self.inside.woken(now),
            Part::Outside => self.outside.woken(now),
        }
        let delivered = loop {
            let news = match part {
                Part::Inside => self.inside.advance(now),
                Part::Outside => self.outside.advance(now),
            };
            match news {
                None => break None,
                Some(News::Arrived(frame)) => {
                    if let Some(frame) = self.arrived(now, part, frame) {
                        break Some(frame);
                    }
                }
                Some(News::Ready(own)) => {
                    let host = self.places.whole(part, own);
                    if self.places.is_gateway(host) {
                        self.gateways[host as usize].lines[part as usize].asked = false;
                        self.pass_on(now, part, host);
                        self.tell_if_ready(now, host, queue);
                    } else {
                        queue.push(Event { at: now, rank: Rank::new(kind::READY, host), slot: 0 });
                    }
                }
            }
        };
        self.wake(queue);
        delivered
    }

    fn begin(&mut self, queue: &mut EventQueue) {
        self.inside.network.begin(&mut self.inside.queue);
        self.outside.network.begin(&mut self.outside.queue);
        self.wake(queue);
    }

    fn fault(&mut self, now: Time, fault: Fault, queue: &mut EventQueue) {
        for part in Part::BOTH {
            let own = match fault {
                Fault::Link { link, up } => self.own_link(part, link).map(|link| Fault::Link { link, up }),
                Fault::BitErrors { link, rate } => {
                    self.own_link(part, link).map(|link| Fault::BitErrors { link, rate })
                }
                Fault::Node { node, up } => self.places.node(part, node).map(|node| Fault::Node { node, up }),
            };
            match (own, part) {
                (Some(own), Part::Inside) => self.inside.network.fault(now, own, &mut self.inside.queue),
                (Some(own), Part::Outside) => self.outside.network.fault(now, own, &mut self.outside.queue),
                (None, _) => {}
            }
        }
        if let Some(due) = self.choice.strike(now, fault, &self.places, &self.config) {
            queue.push(Event { at: due, rank: Rank::new(kind::DEADLINE, 0), slot: 0 });
        }
        if let Fault::Node { node, up } = fault
            && self.places.is_gateway(node)
        {
            self.gateways[node as usize].down = !up;
            for part in Part::BOTH {
                for place in self.gateways[node as usize].lines[part as usize].lose(now) {
                    self.totals.lost += 1;
                    self.held.take(place);
                }
            }
            self.tell_if_ready(now, node, queue);
        }
        self.wake(queue);
    }

    fn counters(&self) -> Vec<Counter> {
        report::counters(self)
    }

    fn distributions(&self) -> Vec<Distribution> {
        report::distributions(self)
    }

    fn totals(&self) -> Totals {
        let (inside, outside) = (self.inside.network.totals(), self.outside.network.totals());
        Totals {
            offered: self.totals.offered,
            delivered: self.totals.delivered,
            dropped: self.totals.dropped + inside.dropped + outside.dropped,
            lost: self.totals.lost + inside.lost + outside.lost,
            in_flight: inside.in_flight + outside.in_flight + self.waiting(),
            hops: inside.hops + outside.hops,
        }
    }

    fn link_counters(&self, now: Time, link: u32) -> LinkCounters {
        let (part, own) = self.places.link(link);
        let counters = match part {
            Part::Inside => self.inside.network.link_counters(now, own),
            Part::Outside => self.outside.network.link_counters(now, own),
        };
        match self.line_before(part, own) {
            Some(line) => report::with_line(counters, line, now),
            None => counters,
        }
    }

    fn queue(&self, now: Time, link: u32) -> Bytes {
        let (part, own) = self.places.link(link);
        let waiting = self.line_before(part, own).map_or(Bytes::ZERO, Line::bytes);
        self.queue_in(now, part, own) + waiting
    }

    fn begin_measurement(&mut self, now: Time) {
        self.inside.network.begin_measurement(now);
        self.outside.network.begin_measurement(now);
        self.gateways.iter_mut().flat_map(|gateway| &mut gateway.lines).for_each(|line| line.begin_measurement(now));
        self.waits = [Histogram::new(PRECISION), Histogram::new(PRECISION)];
    }

    fn ideal(&self, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span {
        let part = self.next_part(src, dst);
        let there = self.places.part(dst);
        if part == there || self.places.is_gateway(dst) {
            return self.ideal_in(part, src, dst, bytes, header);
        }
        let over = |gateway| self.ideal_across([part, there], [src, gateway, dst], bytes, header);
        (0..self.places.gateways).map(over).min().unwrap_or(Span::ZERO)
    }

    fn mtu(&self) -> Bytes {
        self.inside.network.mtu().min(self.outside.network.mtu())
    }

    fn event_gap(&self) -> Span {
        self.inside.network.event_gap().min(self.outside.network.event_gap())
    }

    fn check(&self) {
        self.inside.network.check();
        self.outside.network.check();
        #[cfg(debug_assertions)]
        {
            let Totals { offered, delivered, dropped, lost, in_flight, .. } = self.totals();
            assert_eq!(offered, delivered + dropped + lost + in_flight, "frames are conserved");
            assert!(self.held.taken() as u64 >= in_flight, "what is on its way is kept");
            for line in self.gateways.iter().flat_map(|gateway| &gateway.lines) {
                let lengths = line.others().map(|place| u64::from(self.held.frame(place).len)).sum();
                assert_eq!(line.bytes(), Bytes::new(lengths), "bytes at gateways are counted");
            }
        }
    }

    fn frames_inside(&self) -> Vec<Inside> {
        let mut all = self.inside_of(Part::Inside, &self.inside.network.frames_inside());
        all.extend(self.inside_of(Part::Outside, &self.outside.network.frames_inside()));
        for (number, gateway) in (0..).zip(&self.gateways) {
            for part in Part::BOTH {
                let link = self.places.whole_link(part, self.places.uplink(part, number));
                let at_gateway = |place| Inside { frame: *self.held.frame(place), link };
                all.extend(gateway.lines[part as usize].places().map(at_gateway));
            }
        }
        all
    }
}

impl<I, O> Joined<I, O> {
    /// A link's number in a network, if it is that one's.
    fn own_link(&self, part: Part, link: u32) -> Option<u32> {
        let (whose, own) = self.places.link(link);
        (whose == part).then_some(own)
    }

    /// What waits at a gateway for this link of a network, if it is one's.
    fn line_before(&self, part: Part, link: u32) -> Option<&Line> {
        let of_gateway = |gateway: &u32| self.places.uplink(part, *gateway) == link;
        let gateway = (0..self.places.gateways).find(of_gateway)?;
        Some(&self.gateways[gateway as usize].lines[part as usize])
    }
}
