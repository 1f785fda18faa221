//! Links, and the ports before them, which have no buffers: what finds its port taken is gone.
//!
//! Switches cut through: a packet's head goes on as soon as it is there, and the port is taken until its tail has passed. A packet that was scheduled always
//! goes first: one that was not is dropped where it meets something, or cut short if it was there before (§3.3). Two that were scheduled never meet unless
//! something is wrong: that is a collision, which the one that comes later does not survive.

use crate::arbiters::{Answer, Report};
use crate::collisions::Passing;
use crate::messages::Piece;
use crate::network::Fastpod;
use crate::rig::Ports;
use arbiter::Slot;
use engine::{Event, EventQueue, Rank};
use fabric::{Counters, Fault, Frame, Observer, Seen, What, kind};
use units::{Rate, Span, Time};

/// A link.
#[derive(Debug)]
pub(crate) struct Wire {
    pub rate: Rate,
    /// From its begin to where packets leave the switch that it leads to; for links to hosts and arbiters, to their interface.
    pub delay: Span,
    pub end: End,
    /// Until when its port is taken, and by which packet, of which number.
    busy_until: Time,
    pub packet: u32,
    pub serial: u64,
    is_scheduled: bool,
    /// What is known of that packet, which may be gone: a switch further on has its head before its tail has passed here.
    pub passing: Passing,
    /// Whether it carries something.
    pub carries: bool,
    /// Probability that a bit is received wrong.
    pub bit_errors: f64,
    pub counters: Counters,
}

/// Where a link leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// From a host to its ToR switch.
    Rack,
    /// From a ToR switch to this aggregation switch.
    Aggregation(u8),
    /// From an aggregation switch to a ToR switch.
    RackFromAbove,
    /// From an aggregation switch to this core switch.
    Core(u16),
    /// From an arbiter to a core switch: the port of this number, of which there is one for each pod and core switch, pod by pod.
    CorePort(u32),
    /// From a ToR switch to this host.
    Host(u16),
    /// From a ToR switch to this arbiter.
    Arbiter(u16),
    /// From an arbiter to a ToR switch.
    RackFromArbiter,
}

impl Wire {
    pub(crate) fn new(rate: Rate, delay: Span, end: End) -> Wire {
        Wire {
            rate,
            delay,
            end,
            busy_until: Time::ZERO,
            packet: 0,
            serial: 0,
            is_scheduled: false,
            passing: Passing::default(),
            carries: true,
            bit_errors: 0.0,
            counters: Counters::default(),
        }
    }

    /// Until when its port is taken.
    pub(crate) fn busy(&self, now: Time) -> Span {
        self.busy_until.since(now)
    }
}

/// What a packet carries.
#[derive(Debug, Clone)]
pub(crate) enum Load {
    /// Pieces of messages: one, or several that are short.
    Data(Piece, Vec<Piece>),
    /// A request (RTS).
    Request(Box<Report>),
    /// An answer (SCHD).
    Answer(Box<Answer>),
}

/// A packet on its way.
#[derive(Debug, Clone)]
pub(crate) struct Packet {
    pub load: Load,
    /// Hosts. A request has its source twice, and so has what is between a core switch and an arbiter: there it is the port.
    pub source: u16,
    pub destination: u16,
    /// The aggregation switch that it goes over, and the core switch above that to which it goes, or [`NO_CORE`].
    pub plane: u8,
    pub core: u8,
    /// The slot in which it was sent, if it is data that was given one; control packets are scheduled too.
    pub slot: Option<Slot>,
    /// When it left its host, or its arbiter.
    pub left: Time,
    /// Length in bytes, and the time that it takes on a link; less if it was cut short.
    pub len: u32,
    pub length: Span,
    pub is_whole: bool,
    /// Its number among all.
    pub serial: u64,
    /// The link that it is on, and since when.
    pub link: u32,
    pub begun: Time,
}

/// The core switch of what is not on its way to one.
pub(crate) const NO_CORE: u8 = u8::MAX;

impl Packet {
    /// Whether nothing else may be where it is.
    pub(crate) fn is_scheduled(&self) -> bool {
        self.slot.is_some() || !matches!(self.load, Load::Data(..))
    }
}

/// Why a packet does not get any further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It was not scheduled, and its port was taken.
    Unscheduled,
    /// There was no room for it in the queue.
    Full,
    /// It was scheduled, and so was what it met.
    Collision,
    /// The link is dead.
    Broken,
    /// A bit is wrong.
    BitError,
}

impl<O: Observer> Fastpod<O> {
    /// A packet's head is at a port.
    pub(crate) fn enter(&mut self, now: Time, link: u32, place: u32, queue: &mut EventQueue) {
        if let Ports::Queued { longest, .. } = self.rig.ports {
            return self.line_up(now, link, place, longest, queue);
        }
        let is_scheduled = self.packets[place].is_scheduled();
        let wire = &mut self.wires[link as usize];
        if wire.busy_until > now {
            if !is_scheduled {
                wire.counters.dropped += 1;
                return self.give_up(now, link, place, Fate::Unscheduled);
            }
            if wire.is_scheduled {
                wire.counters.dropped += 1;
                return self.collide(now, link, place);
            }
            let (other, serial) = (wire.packet, wire.serial);
            self.cut(now, link, other, serial);
        }
        let packet = &self.packets[place];
        let wire = &mut self.wires[link as usize];
        wire.busy_until = now + packet.length;
        (wire.packet, wire.serial, wire.is_scheduled) = (place, packet.serial, is_scheduled);
        wire.passing = packet.passing();
        self.put_on(now, now, link, place, queue);
    }

    /// A packet waits before its link, if there is room: hosts have room for all that they send. Requests and answers go before data: they wait for the
    /// packet that is being sent at most, and find room. (Data that wait leave when they would have, the time of a control packet too early; what comes later
    /// makes up for it.)
    fn line_up(&mut self, now: Time, link: u32, place: u32, longest: Span, queue: &mut EventQueue) {
        let wire = &mut self.wires[link as usize];
        let (free_at, length) = (now.max(wire.busy_until), self.packets[place].length);
        let is_data = matches!(self.packets[place].load, Load::Data(..));
        if is_data && wire.end != End::Rack && free_at.since(now) + length > longest {
            wire.counters.dropped += 1;
            return self.give_up(now, link, place, Fate::Full);
        }
        let at = if is_data { free_at } else { free_at.min(now + self.rig.layout.data) };
        wire.busy_until = free_at + length;
        if wire.end == End::Rack {
            // It has left its host only now.
            self.packets[place].left = at;
        }
        self.put_on(now, at, link, place, queue);
    }

    /// A packet's head leaves over a link at `at`.
    pub(crate) fn put_on(&mut self, now: Time, at: Time, link: u32, place: u32, queue: &mut EventQueue) {
        let packet = &mut self.packets[place];
        let wire = &mut self.wires[link as usize];
        let wait = if self.rig.ports == Ports::Bare { Span::ZERO } else { at.since(now) };
        wire.counters.admit(packet.len, wait, packet.length);
        (packet.link, packet.begun) = (link, at);
        if !wire.carries {
            return self.give_up(now, link, place, Fate::Broken);
        }
        // What is at its end is taken when all of it has come.
        let is_at_end = matches!(wire.end, End::Host(_) | End::Arbiter(_) | End::Core(_) | End::CorePort(_));
        let end = at + packet.length;
        let arrives = if is_at_end { end } else { at } + wire.delay;
        self.show(now, place, link, What::Queued { leaves: Some(end) });
        queue.push(Event { at: arrives, rank: Rank::new(kind::ARRIVAL, link), slot: place });
    }

    /// A packet that was not scheduled makes way: what has passed of it goes on, and is of no use to anybody.
    #[cold]
    fn cut(&mut self, now: Time, link: u32, place: u32, serial: u64) {
        self.wires[link as usize].counters.dropped += 1;
        // It may have been dropped further on.
        if self.packets[place].serial == serial {
            let packet = &mut self.packets[place];
            self.sums.cut += u64::from(std::mem::replace(&mut packet.is_whole, false));
            if packet.link == link {
                packet.length = now.since(packet.begun);
            }
            self.show(now, place, link, What::Dropped);
        }
    }

    /// A packet has come over a link. A frame that it makes complete is returned.
    pub(crate) fn arrive(&mut self, now: Time, link: u32, place: u32, queue: &mut EventQueue) -> Option<Frame> {
        let wire = &self.wires[link as usize];
        self.totals.hops += 1;
        let packet = &self.packets[place];
        if !packet.is_whole && packet.is_scheduled() {
            // The link broke under it, or its arbiter died before it left. (What was not scheduled may have been cut short, and goes on.)
            self.discard(now, place);
            return None;
        }
        if wire.bit_errors > 0.0 && self.errors.unit() < Fault::frame_error(wire.bit_errors, packet.len.into()) {
            self.give_up(now, link, place, Fate::BitError);
            return None;
        }
        self.show(now, place, link, What::Arrived);
        let packet = &self.packets[place];
        // Racks are counted over all pods.
        let rack = self.rig.pod.rack(packet.source) as usize;
        let planes = self.rig.pod.uplinks() as usize;
        match (self.wires[link as usize].end, &packet.load) {
            (End::Rack, Load::Request(_)) => self.spread_request(now, rack, place, queue),
            (End::Aggregation(plane), _) if packet.core != NO_CORE => {
                self.enter(now, self.to_core_link(packet.source, plane, packet.core), place, queue);
            }
            (End::Core(core), _) => self.store(now, core, link, place),
            (End::CorePort(port), _) => self.take_core_answer(now, port as usize, place),
            (End::Rack, Load::Data(..)) if self.rig.turns_at_rack(packet.source, packet.destination) => {
                self.enter(now, self.rig.to_host[usize::from(packet.destination)], place, queue);
            }
            (End::Rack, Load::Data(..) | Load::Answer(_)) => {
                let up = self.rig.from_rack[rack * planes + usize::from(packet.plane)];
                self.enter(now, up, place, queue);
            }
            (End::Aggregation(plane), _) => {
                let rack = self.rig.pod.rack(packet.destination) as usize;
                self.enter(now, self.rig.to_rack[rack * planes + usize::from(plane)], place, queue);
            }
            (End::RackFromAbove | End::RackFromArbiter, _) => {
                self.enter(now, self.rig.to_host[usize::from(packet.destination)], place, queue);
            }
            (End::Host(host), _) => return self.receive(now, host, link, place, queue),
            (End::Arbiter(number), _) => self.hear(number, place),
        }
        None
    }

    /// A request goes to every arbiter.
    fn spread_request(&mut self, now: Time, rack: usize, place: u32, queue: &mut EventQueue) {
        // Those of the rack's pod.
        for number in 1..self.config.arbiters {
            let copy = Packet { serial: self.serial(), ..self.packets[place].clone() };
            let copy = self.packets.put(copy);
            self.enter(now, self.requests_link(number, rack), copy, queue);
        }
        self.enter(now, self.requests_link(0, rack), place, queue);
    }

    /// A packet does not get any further than this link.
    #[cold]
    pub(crate) fn give_up(&mut self, now: Time, link: u32, place: u32, fate: Fate) {
        match fate {
            // What was cut short before is counted.
            Fate::Unscheduled => self.sums.dropped += u64::from(self.packets[place].is_whole),
            Fate::Full => self.sums.full += 1,
            Fate::Collision => {}
            Fate::Broken => self.sums.broken += 1,
            Fate::BitError => self.sums.bit_errors += 1,
        }
        if matches!(fate, Fate::Broken | Fate::BitError) {
            self.wires[link as usize].counters.lost += 1;
            self.show(now, place, link, What::Lost);
        } else {
            self.show(now, place, link, What::Dropped);
        }
        if fate == Fate::Full
            && let Load::Data(first, more) = &self.packets[place].load
        {
            for (message, _) in [first].into_iter().chain(more) {
                self.messages[*message].is_dropped = true;
            }
        }
        self.discard(now, place);
    }

    /// A packet is no more.
    pub(crate) fn discard(&mut self, now: Time, place: u32) {
        let load = std::mem::replace(&mut self.packets[place].load, Load::Data((0, 0), Vec::new()));
        self.packets[place].serial = 0;
        self.packets.free(place);
        if let Load::Data(first, more) = load {
            self.messages[first.0].copies -= 1;
            self.settle(now, first.0);
            for (message, _) in more {
                self.messages[message].copies -= 1;
                self.settle(now, message);
            }
        }
    }

    /// A link ceases to carry anything: what is on it is lost.
    pub(crate) fn break_link(&mut self, now: Time, link: u32) {
        for place in 0..self.packets.places() {
            let packet = &mut self.packets[place];
            if packet.serial != 0 && packet.link == link {
                // Its event finds that it is broken.
                packet.is_whole = false;
                self.wires[link as usize].counters.lost += 1;
                self.sums.broken += 1;
            }
        }
        self.wires[link as usize].busy_until = now;
    }

    /// A number for a packet.
    pub(crate) fn serial(&mut self) -> u64 {
        self.packets_sent += 1;
        self.packets_sent
    }

    /// Shows what happens to a packet to whoever looks on.
    #[inline(always)]
    fn show(&mut self, now: Time, place: u32, link: u32, what: What) {
        if !O::ACTIVE || link as usize >= self.rig.topology.links().len() {
            return;
        }
        let Packet { source, destination, ref load, len, .. } = self.packets[place];
        let host = |number: u16| self.rig.hosts[usize::from(number)];
        let to = if matches!(load, Load::Data(..)) { host(destination) } else { Frame::NO_HOST };
        self.observer.see(now, Seen::Cell { from: host(source), to, len, link, what });
    }
}
