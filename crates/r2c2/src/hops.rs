//! Packets on links and in the queues before them.

use crate::flows::Message;
use crate::network::R2c2;
use engine::{Event, EventQueue, Rank};
use fabric::{Counters, Fault, Frame, Observer, Seen, What, kind};
use settings::Length;
use std::collections::VecDeque;
use topology::{Link, NodeId};
use units::{Pace, Rate, Span, Time};

/// A link, and the first-in, first-out queue before it.
#[derive(Debug)]
pub(crate) struct Wire {
    pub rate: Rate,
    pub delay: Span,
    pub from: u32,
    pub to: u32,
    pace: Pace,
    limit: Limit,
    /// When its last packet will have been sent; and each packet that may still be there, if packets are counted.
    pub free_at: Time,
    ends: VecDeque<Time>,
    /// What waits for it or is on it, first to arrive first, and when that is. Only the first has an event: so the queue of events stays as
    /// small as there are links.
    on: VecDeque<(Time, Packet)>,
    /// Whether it carries something.
    pub carries: bool,
    /// Probability that a bit is received wrong.
    pub bit_errors: f64,
    pub counters: Counters,
}

/// How much may wait.
#[derive(Debug, Clone, Copy)]
struct Limit {
    wait: Span,
    packets: usize,
}

impl Wire {
    pub(crate) fn new(link: &Link, queue: Option<Length>) -> Wire {
        let limit = match queue {
            None => Limit { wait: Span::MAX, packets: usize::MAX },
            Some(Length::Bytes(bytes)) => Limit { wait: link.rate.time_for(bytes), packets: usize::MAX },
            Some(Length::Packets(packets)) => Limit { wait: Span::MAX, packets: packets as usize },
        };
        Wire {
            rate: link.rate,
            delay: link.delay,
            from: link.from.0,
            to: link.to.0,
            pace: Pace::new(link.rate),
            limit,
            free_at: Time::ZERO,
            ends: VecDeque::new(),
            on: VecDeque::new(),
            carries: true,
            bit_errors: 0.0,
            counters: Counters::default(),
        }
    }

    /// Time to send all that waits or is being sent.
    pub(crate) fn wait(&self, now: Time) -> Span {
        self.free_at.since(now)
    }

    /// Time that a packet takes on it, its delay aside.
    pub(crate) fn time(&self, len: u32) -> Span {
        self.pace.span(len)
    }

    /// A packet joins the queue. False: there is no room. What `must` go finds room.
    fn admit(&mut self, now: Time, len: u32, must: bool) -> bool {
        let (wait, service) = (self.wait(now), self.time(len));
        let counts = self.limit.packets != usize::MAX;
        while counts && self.ends.front().is_some_and(|end| *end <= now) {
            self.ends.pop_front();
        }
        if !must && (wait + service > self.limit.wait || self.ends.len() >= self.limit.packets) {
            self.counters.dropped += 1;
            return false;
        }
        self.counters.admit(len, wait, service);
        self.free_at = now + wait + service;
        if counts {
            self.ends.push_back(self.free_at);
        }
        true
    }

    /// It ceases to carry anything. What was on it or waited for it.
    pub(crate) fn die(&mut self, now: Time) -> VecDeque<(Time, Packet)> {
        self.counters.abandon(self.rate, self.wait(now));
        self.free_at = self.free_at.min(now);
        self.ends.clear();
        std::mem::take(&mut self.on)
    }
}

/// What a packet carries.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Load {
    /// A piece of a message.
    Piece(u32),
    /// An announcement, along its tree.
    Announcement(u32),
    /// The news that an announcement found no room, to the node that it is of.
    Notice(u32),
}

/// A packet on a link, or before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packet {
    pub load: Load,
    pub len: u32,
    /// The host to which it is on its way; whether that is only the node between (Valiant).
    pub to: u32,
    pub is_between: bool,
}

impl Packet {
    pub(crate) fn new(load: Load, len: u32, to: u32) -> Packet {
        Packet { load, len, to, is_between: false }
    }
}

/// Why a packet does not get any further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// There is no room.
    Full,
    /// The link is dead.
    Broken,
    /// A bit is wrong.
    BitError,
    /// No path leads to where it goes.
    Unreachable,
}

impl<O: Observer> R2c2<O> {
    /// A packet is put into the queue before a link. False: it does not get any further, and that is dealt with.
    #[inline]
    pub(crate) fn put_on(&mut self, now: Time, link: u32, packet: Packet, queue: &mut EventQueue) -> bool {
        let wire = &mut self.wires[link as usize];
        let must = wire.from < self.hosts || matches!(packet.load, Load::Notice(_));
        if !wire.carries {
            // What is sent to nowhere takes its time all the same: a host would else send everything at once.
            wire.free_at = now + wire.wait(now) + wire.time(packet.len);
            self.give_up(now, link, packet, Fate::Broken, queue);
            return false;
        }
        if !wire.admit(now, packet.len, must) {
            self.give_up(now, link, packet, Fate::Full, queue);
            return false;
        }
        let end = wire.free_at;
        let at = end + wire.delay;
        if wire.on.is_empty() {
            queue.push(Event { at, rank: Rank::new(kind::ARRIVAL, link), slot: 0 });
        }
        wire.on.push_back((at, packet));
        self.show(now, &packet, link, What::Queued { leaves: Some(end) });
        true
    }

    /// A packet has come over a link. A frame that it makes complete is returned.
    #[inline]
    pub(crate) fn arrive(&mut self, now: Time, link: u32, queue: &mut EventQueue) -> Option<Frame> {
        let wire = &mut self.wires[link as usize];
        // What the event was for may have been lost with the link.
        let (_, packet) = wire.on.front().copied().filter(|(at, _)| *at == now)?;
        wire.on.pop_front();
        if let Some(&(at, _)) = wire.on.front() {
            queue.push(Event { at, rank: Rank::new(kind::ARRIVAL, link), slot: 0 });
        }
        let node = wire.to;
        self.totals.hops += 1;
        if wire.bit_errors > 0.0 && self.errors.unit() < Fault::frame_error(wire.bit_errors, packet.len.into()) {
            self.give_up(now, link, packet, Fate::BitError, queue);
            return None;
        }
        self.show(now, &packet, link, What::Arrived);
        match packet.load {
            Load::Announcement(announcement) => self.hear(now, announcement, node, queue),
            Load::Notice(announcement) if self.rig.switch[packet.to as usize] == node => {
                self.notice(now, announcement, queue);
            }
            Load::Piece(message) if node < self.hosts => return self.complete(now, link, message),
            Load::Notice(_) | Load::Piece(_) => self.forward(now, node, link, packet, queue),
        }
        None
    }

    /// A switch passes a packet on that came over `from`.
    #[inline]
    pub(crate) fn forward(&mut self, now: Time, node: u32, from: u32, mut packet: Packet, queue: &mut EventQueue) {
        if packet.is_between && self.rig.switch[packet.to as usize] == node {
            packet.is_between = false;
            if let Load::Piece(message) = packet.load {
                packet.to = self.messages[message].frame.dst;
            }
        }
        let links = self.routes.next_hops(NodeId(node), packet.to);
        let choice = if links.len() > 1 { self.chance.below(links.len().into()) as u32 } else { 0 };
        match links.get(choice) {
            Some(link) => {
                self.put_on(now, link.0, packet, queue);
            }
            None => self.give_up(now, from, packet, Fate::Unreachable, queue),
        }
    }

    /// A packet does not get any further than this link.
    #[cold]
    pub(crate) fn give_up(&mut self, now: Time, link: u32, packet: Packet, fate: Fate, queue: &mut EventQueue) {
        if fate != Fate::Full {
            self.wires[link as usize].counters.lost += 1;
        }
        self.sums.count(fate);
        self.show(now, &packet, link, if fate == Fate::Full { What::Dropped } else { What::Lost });
        match packet.load {
            Load::Piece(message) => self.lose_piece(now, link, message, fate),
            Load::Announcement(announcement) => self.lose_announcement(now, link, announcement, fate, queue),
            Load::Notice(announcement) => self.settle(now, announcement),
        }
    }

    /// All pieces of a message may be there.
    fn complete(&mut self, now: Time, link: u32, place: u32) -> Option<Frame> {
        let message = &mut self.messages[place];
        message.out -= 1;
        if message.out > 0 || message.unsent > 0 {
            return None;
        }
        let (frame, is_whole) = (message.frame, message.is_whole);
        self.free_message(place);
        if !is_whole {
            return None;
        }
        self.observer.see(now, Seen::Frame { frame: &frame, link, what: What::Delivered });
        self.totals.deliver(frame.len);
        Some(frame)
    }

    fn lose_piece(&mut self, now: Time, link: u32, place: u32, fate: Fate) {
        self.messages[place].out -= 1;
        self.lose_message(now, link, place, fate);
        let Message { out, unsent, .. } = self.messages[place];
        if out == 0 && unsent == 0 {
            self.free_message(place);
        }
    }

    /// A message that is whole so far is lost.
    pub(crate) fn lose_message(&mut self, now: Time, link: u32, place: u32, fate: Fate) {
        let message = &mut self.messages[place];
        if !std::mem::replace(&mut message.is_whole, false) {
            return;
        }
        let frame = message.frame;
        let what = if fate == Fate::Full { What::Dropped } else { What::Lost };
        if fate == Fate::Full {
            self.totals.drop_one(frame.len);
        } else {
            self.totals.lose(frame.len);
        }
        self.observer.see(now, Seen::Frame { frame: &frame, link, what });
    }

    pub(crate) fn free_message(&mut self, place: u32) {
        self.messages[place].is_whole = false;
        self.messages.free(place);
    }

    /// Shows what happens to a packet to whoever looks on.
    #[inline(always)]
    fn show(&mut self, now: Time, packet: &Packet, link: u32, what: What) {
        if !O::ACTIVE {
            return;
        }
        let [from, to] = match packet.load {
            Load::Piece(message) => [self.messages[message].frame.src, self.messages[message].frame.dst],
            Load::Announcement(announcement) => [self.flows[self.announcements[announcement].flow].src, Frame::NO_HOST],
            Load::Notice(_) => [Frame::NO_HOST, packet.to],
        };
        self.observer.see(now, Seen::Cell { from, to, len: packet.len, link, what });
    }
}
