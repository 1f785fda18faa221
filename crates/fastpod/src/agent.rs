//! Hosts: what they have to send, when they send it, and what they tell the arbiter (§3.2, §3.3).

use crate::arbiters::{Answer, Report};
use crate::clocks::Clock;
use crate::config::Order;
use crate::crossing::Crossing;
use crate::links::{Load, NO_CORE, Packet};
use crate::messages::{Fate, Hope, Message, Piece};
use crate::network::Fastpod;
use crate::rig::Ports;
use arbiter::control::{Endpoint, Taken};
use arbiter::{Path, Slot};
use engine::{Event, EventQueue, Rank};
use fabric::{Frame, Observer, Seen, What, kind};
use std::collections::{BTreeSet, VecDeque};
use units::{Span, Time};

/// A virtual output queue: what a host has for one destination of its pod, or for another pod (§3.4: that is what an arbiter gives slots for).
#[derive(Debug, Clone, Default)]
pub(crate) struct Voq {
    /// Messages, in the order in which they are sent: what decides that, their number, their place.
    order: BTreeSet<(u32, u64, u32)>,
    /// Pieces that were lost.
    again: VecDeque<Piece>,
    /// Pieces that fill a packet, and the bytes of those that do not.
    full: u64,
    partial: u64,
    /// Slots that were asked for and have not come.
    outstanding: u64,
    /// Whether it is among those that the host asks for.
    asks: bool,
}

impl Voq {
    fn is_empty(&self) -> bool {
        self.order.is_empty() && self.again.is_empty()
    }
}

/// A connection of which something waits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Connection {
    /// Its host, as the topology has it.
    pub host: u32,
    /// Bytes.
    pub unsent: u64,
    /// Its sender waits for room.
    pub is_awaited: bool,
}

/// What was sent in a slot, for as long as it is not known whether it came.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub slot: Slot,
    destination: u16,
    pub packets: u8,
    pub pieces: Vec<Piece>,
    /// The core switch to which it went, if it is for another pod.
    pub core: Option<u16>,
}

/// A host.
#[derive(Debug, Clone)]
pub(crate) struct Agent {
    pub endpoint: Endpoint,
    pub clock: Clock,
    voqs: Vec<Voq>,
    /// Bytes that wait, of all messages.
    pub backlog: u64,
    /// Destinations for which something is asked, the next first.
    asking: VecDeque<u16>,
    /// Messages that may be sent without being scheduled, the first to come first, and their numbers.
    hopeful: VecDeque<(u32, u64)>,
    /// Its slot, and when that began.
    slot: Slot,
    begun: Time,
    /// When it sends its request in this slot. Where requests have no slot: before this it sends none, as a batch has not passed since the last one.
    request_at: Time,
    /// Until when its link is taken by data; and by anything.
    free_at: Time,
    busy_until: Time,
    /// When it tries to send something that is not scheduled.
    attempt_at: Time,
    pub sent: VecDeque<Sent>,
    /// What core switches have of it, in the order in which they got it.
    pub crossing: VecDeque<Crossing>,
    /// The slot in which the last answer came.
    answered: Slot,
    /// Packets that came in each of the latest slots: slot, packets.
    received: Vec<(Slot, u8)>,
    pub is_up: bool,
    /// It is down, and wants to hear when it is up.
    pub is_called: bool,
}

/// Slots for which arbiters keep what they have given, and hosts what came; half as long hosts wait for news of what they have sent.
pub(crate) const KEPT: u64 = 256;

impl Agent {
    /// A host of this number in its pod, that can send to so many hosts and pods.
    pub(crate) fn new(host: u16, targets: u16, clock: Clock) -> Agent {
        Agent {
            endpoint: Endpoint::new(host, targets, Slot(0)),
            clock,
            voqs: vec![Voq::default(); targets.into()],
            backlog: 0,
            asking: VecDeque::new(),
            hopeful: VecDeque::new(),
            slot: Slot(0),
            begun: Time::ZERO,
            request_at: Time::ZERO,
            free_at: Time::ZERO,
            busy_until: Time::ZERO,
            attempt_at: Time::MAX,
            sent: VecDeque::new(),
            crossing: VecDeque::new(),
            answered: Slot(0),
            received: vec![(Slot(0), 0); KEPT as usize],
            is_up: true,
            is_called: false,
        }
    }

    /// Asks for what is in a queue and has not been asked for.
    fn ask(&mut self, destination: u16, payload: u64, packets: u64) {
        let voq = &mut self.voqs[usize::from(destination)];
        let pieces = voq.full + voq.partial.div_ceil(payload) + voq.again.len() as u64;
        let more = pieces.div_ceil(packets).saturating_sub(voq.outstanding);
        if more > 0 {
            voq.outstanding += more;
            self.endpoint.want(destination, more);
            if std::mem::replace(&mut voq.asks, true) {
                self.asking.retain(|other| *other != destination);
            }
            self.asking.push_front(destination);
        }
    }
}

impl<O: Observer> Fastpod<O> {
    /// A host hands over a frame.
    pub(crate) fn take(&mut self, now: Time, frame: Frame, queue: &mut EventQueue) {
        let link = self.rig.topology.ports(topology::NodeId(frame.src)).start;
        self.totals.offer(frame.len);
        self.observer.see(now, Seen::Frame { frame: &frame, link, what: What::Queued { leaves: None } });
        let (host, destination) = (self.rig.numbers[frame.src as usize], self.rig.numbers[frame.dst as usize]);
        let destination = self.rig.target(host, destination);
        let is_inside = destination < self.rig.pod.hosts();
        let pieces = self.config.pieces(frame.len.into()) as u32;
        let agent = &mut self.agents[usize::from(host)];
        let voq = &mut agent.voqs[usize::from(destination)];
        let hope = if self.config.optimistic && is_inside && voq.is_empty() { Hope::Unasked } else { Hope::None };
        self.offered += 1;
        let serial = self.offered;
        let place = self.messages.put(Message::new(frame, serial, pieces, hope));
        let payload = self.config.payload().get();
        voq.order.insert((key(self.config.order, pieces), serial, place));
        if is_inside {
            voq.full += u64::from(frame.len) / payload;
            voq.partial += u64::from(frame.len) % payload;
        } else {
            voq.full += u64::from(pieces);
        }
        agent.backlog += u64::from(frame.len);
        self.ask(now, host, destination, queue);
        let connection = Connection { host: frame.src, unsent: 0, is_awaited: false };
        self.connections.entry([frame.flow, frame.epoch]).or_insert(connection).unsent += u64::from(frame.len);
        if hope != Hope::None {
            self.agents[usize::from(host)].hopeful.push_back((place, serial));
            self.attempt(now, host, queue);
        }
    }

    /// A slot begins at a host.
    pub(crate) fn begin_slot(&mut self, now: Time, host: u16, queue: &mut EventQueue) {
        let agent = &mut self.agents[usize::from(host)];
        agent.slot = agent.slot.plus(1);
        // A clock that was set forward does not cut short what is being sent.
        let begun = now.max(agent.busy_until);
        agent.begun = begun;
        let slot = agent.slot;
        self.push_slot(now, host, slot.plus(1), queue);
        self.give_up_waiting(now, host, slot);
        self.give_up_crossing(now, host, slot);
        let agent = &mut self.agents[usize::from(host)];
        let given = agent.endpoint.advance(slot);
        if !agent.is_up {
            return;
        }
        let mut receiver = given.map(|(destination, _)| destination);
        agent.free_at = begun;
        if let Some((destination, path)) = given {
            self.send_slot(now, host, destination, path, queue);
        } else if let Some(&(message, _)) = agent.hopeful.front() {
            receiver = Some(self.rig.local(self.rig.numbers[self.messages[message].frame.dst as usize]));
        }
        if self.rig.ports != Ports::Bare {
            return;
        }
        let receiver = receiver.map(|receiver| self.rig.target_index(receiver));
        let at = begun + self.rig.layout.request(self.rig.index(host), receiver);
        let agent = &mut self.agents[usize::from(host)];
        agent.request_at = at;
        queue.push(Event { at, rank: Rank::new(kind::SCHEDULE, host.into()), slot: REQUEST });
        self.attempt(now, host, queue);
    }

    /// The next slot of a host begins when its clock says so.
    pub(crate) fn push_slot(&mut self, now: Time, host: u16, slot: Slot, queue: &mut EventQueue) {
        let due = Time::ZERO + self.rig.timing.hosts[usize::from(host)] + self.rig.slot() * slot.0;
        let agent = &self.agents[usize::from(host)];
        // A clock that is set back by more than a slot does not make it go back.
        let at = self.pod_clocks[usize::from(self.rig.pod_of(host))].when(agent.clock.shows(due));
        let at = at.max(now + Span::from_ps(1));
        queue.push(Event { at, rank: Rank::new(kind::TICK, host.into()), slot: 0 });
    }

    /// Sends what the host has for this destination, in the packets of a slot that it has been given.
    fn send_slot(&mut self, now: Time, host: u16, destination: u16, path: Path, queue: &mut EventQueue) {
        let (plane, core) = planes_of(path);
        let agent = &mut self.agents[usize::from(host)];
        let (slot, begun) = (agent.slot, agent.begun);
        let voq = &mut agent.voqs[usize::from(destination)];
        match voq.outstanding.checked_sub(1) {
            Some(left) => voq.outstanding = left,
            // An arbiter that took over may give too much, or one that does not know that the host has been down. It is as if it had been asked for.
            None => agent.endpoint.want(destination, 1),
        }
        let core = (core != NO_CORE).then(|| self.rig.core_number(plane, core));
        let mut sent = Sent { slot, destination, packets: 0, pieces: Vec::new(), core };
        for packet in 0..self.rig.packets() {
            let Some((first, more)) = self.next_load(now, host, destination, queue) else { break };
            for (message, piece) in [first].iter().chain(&more) {
                // Kept before it is sent: a packet may be lost at once.
                self.messages[*message].copies += 1;
                sent.pieces.push((*message, *piece));
            }
            sent.packets += 1;
            let at = begun + self.rig.packet_at(packet, host, destination);
            self.agents[usize::from(host)].free_at = at + self.rig.layout.data;
            let to = self.rig.numbers[self.messages[first.0].frame.dst as usize];
            self.sums.between += u64::from(core.is_some());
            self.send(now, at, host, to, planes_of(path), Some(slot), first, more, queue);
        }
        self.sums.given += 1;
        self.sums.unused += u64::from(sent.packets == 0);
        self.sums.scheduled += u64::from(sent.packets);
        if self.rig.ports == Ports::Bare {
            self.agents[usize::from(host)].sent.push_back(sent);
        } else {
            // Nobody says what came.
            self.conclude(now, host, sent, true);
        }
        self.ask(now, host, destination, queue);
    }

    /// What goes into the next packet to a destination: a piece, or several that fit.
    fn next_load(&mut self, now: Time, host: u16, to: u16, queue: &mut EventQueue) -> Option<(Piece, Vec<Piece>)> {
        let payload = self.config.payload().get();
        // What is for another pod is not all for one host, and goes one piece a packet.
        let is_inside = to < self.rig.pod.hosts();
        let agent = &mut self.agents[usize::from(host)];
        let voq = &mut agent.voqs[usize::from(to)];
        if let Some((message, piece)) = voq.again.pop_front() {
            self.messages[message].again -= 1;
            return Some(((message, piece), Vec::new()));
        }
        let (mut first, mut more, mut left) = (None, Vec::new(), payload);
        while let Some(&(before, serial, place)) = voq.order.first() {
            let message = &mut self.messages[place];
            let piece = message.scheduled;
            let len = (u64::from(message.frame.len) - u64::from(piece) * payload).min(payload);
            if len > left || first.is_some() && !is_inside {
                break;
            }
            left -= len;
            message.scheduled += 1;
            agent.backlog -= len;
            if len == payload || !is_inside {
                voq.full -= 1;
            } else {
                voq.partial -= len;
            }
            match first {
                None => first = Some((place, piece)),
                Some(_) => more.push((place, piece)),
            }
            let now_key = key(self.config.order, message.unsent());
            if message.unsent() == 0 || now_key != before {
                voq.order.remove(&(before, serial, place));
            }
            if message.unsent() > 0 && now_key != before {
                voq.order.insert((now_key, serial, place));
            }
            let origin = [message.frame.flow, message.frame.epoch];
            let src = message.frame.src;
            if message.unsent() == 0 {
                message.hope = Hope::None;
            }
            if let Some(connection) = self.connections.get_mut(&origin) {
                connection.unsent = connection.unsent.saturating_sub(len);
                if connection.is_awaited && connection.unsent < self.config.buffer.get() {
                    connection.is_awaited = false;
                    queue.push(Event { at: now, rank: Rank::new(kind::READY, src), slot: origin[0] + 1 });
                }
                if connection.unsent == 0 && !connection.is_awaited {
                    self.connections.remove(&origin);
                }
            }
        }
        first.map(|first| (first, more))
    }

    /// A data packet leaves its host.
    #[expect(clippy::too_many_arguments, reason = "they are the fields of a packet")]
    fn send(
        &mut self,
        now: Time,
        at: Time,
        source: u16,
        destination: u16,
        (plane, core): (u8, u8),
        slot: Option<Slot>,
        first: Piece,
        more: Vec<Piece>,
        queue: &mut EventQueue,
    ) {
        for (message, _) in [first].iter().chain(&more) {
            self.messages[*message].copies += 1;
        }
        let packet = Packet {
            load: Load::Data(first, more),
            source,
            destination,
            plane,
            core,
            slot,
            left: at,
            len: self.config.packet.get() as u32,
            length: self.rig.layout.data,
            is_whole: true,
            serial: self.serial(),
            link: 0,
            begun: at,
        };
        let place = self.packets.put(packet);
        self.launch(now, at, source, place, queue);
    }

    /// A packet leaves its host at `at`. Whatever a host sends, it sends one after the other.
    fn launch(&mut self, now: Time, at: Time, host: u16, place: u32, queue: &mut EventQueue) {
        let agent = &mut self.agents[usize::from(host)];
        let link = self.rig.from_host[usize::from(host)];
        if self.rig.ports == Ports::Bare {
            agent.busy_until = agent.busy_until.max(at + self.packets[place].length);
            self.put_on(now, at, link, place, queue);
        } else {
            self.enter(now, link, place, queue);
        }
    }

    /// Asks for what is in a queue and has not been asked for. Where there is no slot for requests, the host sends one as soon as it may.
    fn ask(&mut self, now: Time, host: u16, destination: u16, queue: &mut EventQueue) {
        let (payload, packets) = (self.config.payload().get(), self.rig.packets().into());
        let agent = &mut self.agents[usize::from(host)];
        agent.ask(destination, payload, packets);
        if self.rig.ports != Ports::Bare && !agent.asking.is_empty() && agent.attempt_at == Time::MAX {
            let at = now.max(agent.request_at);
            agent.attempt_at = at;
            queue.push(Event { at, rank: Rank::new(kind::SCHEDULE, host.into()), slot: REQUEST });
        }
    }

    /// A host's turn: its request is due, or it may send something that is not scheduled.
    pub(crate) fn turn(&mut self, now: Time, host: u16, what: u32, queue: &mut EventQueue) {
        if what == REQUEST {
            self.send_request(now, host, queue);
        } else if self.agents[usize::from(host)].attempt_at == now {
            self.agents[usize::from(host)].attempt_at = Time::MAX;
            self.attempt(now, host, queue);
        }
    }

    fn send_request(&mut self, now: Time, host: u16, queue: &mut EventQueue) {
        let settled = self.settled;
        let agent = &mut self.agents[usize::from(host)];
        let is_queued = self.rig.ports != Ports::Bare;
        if is_queued {
            agent.attempt_at = Time::MAX;
        }
        if !agent.is_up {
            return;
        }
        let slot = agent.slot;
        let mut requests = Vec::new();
        for _ in 0..agent.asking.len() {
            if requests.len() >= self.config.demands as usize {
                break;
            }
            let Some(destination) = agent.asking.pop_front() else { break };
            let (requested, granted) = agent.endpoint.counts(destination);
            if requested <= granted {
                agent.voqs[usize::from(destination)].asks = false;
                continue;
            }
            requests.push(agent.endpoint.request(destination));
            agent.asking.push_back(destination);
        }
        if is_queued && requests.is_empty() {
            return;
        }
        for &(message, serial) in &agent.hopeful {
            let message = &mut self.messages[message];
            if message.serial == serial && message.hope == Hope::Unasked {
                let to = self.rig.local(self.rig.numbers[message.frame.dst as usize]);
                if requests.iter().any(|request| request.destination == to) {
                    message.hope = Hope::Asked(slot);
                }
            }
        }
        let about = Slot(slot.0.saturating_sub(settled));
        let sent = agent.sent.iter().find(|sent| sent.slot == about).map_or(0, |sent| sent.packets);
        let (of, received) = agent.received[(about.0 % KEPT) as usize];
        let received = if of == about { received } else { 0 };
        // Before the first answer can be there nobody has reason to complain.
        let hears = slot.since(agent.answered) <= 2.max(self.rig.timing.ahead * u64::from(agent.answered == Slot(0)));
        let source = self.rig.local(host);
        let report = Report { source, slot, requests, about, sent, received, hears, core: None };
        let packet = Packet {
            load: Load::Request(Box::new(report)),
            source: host,
            destination: host,
            plane: 0,
            core: NO_CORE,
            slot: None,
            left: now,
            len: self.config.control.get() as u32,
            length: self.rig.layout.control,
            is_whole: true,
            serial: self.serial(),
            link: 0,
            begun: now,
        };
        let place = self.packets.put(packet);
        self.sums.requests += 1;
        self.launch(now, now, host, place, queue);
        if let Ports::Queued { batch, .. } = self.rig.ports {
            // What is not given by then is asked for again.
            let at = now + self.rig.slot() * batch;
            let agent = &mut self.agents[usize::from(host)];
            (agent.attempt_at, agent.request_at) = (at, at);
            queue.push(Event { at, rank: Rank::new(kind::SCHEDULE, host.into()), slot: REQUEST });
        }
    }

    /// Sends what is not scheduled, if something may be sent now; or sees to it that this is tried again.
    fn attempt(&mut self, now: Time, host: u16, queue: &mut EventQueue) {
        let agent = &mut self.agents[usize::from(host)];
        if agent.begun == Time::ZERO || !agent.is_up {
            return;
        }
        while let Some(&(place, serial)) = agent.hopeful.front() {
            let message = &self.messages[place];
            let may = message.serial == serial
                && message.hope != Hope::None
                && message.fate != Fate::Lost
                && message.tried.max(message.scheduled) < message.pieces;
            if may {
                break;
            }
            agent.hopeful.pop_front();
        }
        let Some(&(place, _)) = agent.hopeful.front() else { return };
        let destination = self.rig.numbers[self.messages[place].frame.dst as usize];
        let Some(at) = self.next_gap(now, host, destination) else { return };
        if at > now {
            let agent = &mut self.agents[usize::from(host)];
            if agent.attempt_at > at || agent.attempt_at <= now {
                agent.attempt_at = at;
                queue.push(Event { at, rank: Rank::new(kind::SCHEDULE, host.into()), slot: ATTEMPT });
            }
            return;
        }
        let message = &mut self.messages[place];
        let piece = message.tried.max(message.scheduled);
        message.tried = piece + 1;
        let plane = self.chance.below(self.rig.pod.uplinks().into()) as u8;
        let agent = &mut self.agents[usize::from(host)];
        agent.free_at = now + self.rig.layout.data;
        self.sums.optimistic += 1;
        self.send(now, now, host, destination, (plane, NO_CORE), None, (place, piece), Vec::new(), queue);
        let agent = &mut self.agents[usize::from(host)];
        let at = agent.free_at;
        agent.attempt_at = at;
        queue.push(Event { at, rank: Rank::new(kind::SCHEDULE, host.into()), slot: ATTEMPT });
    }

    /// When in this slot a packet that is not scheduled can begin to leave its host and meet neither what the host sends nor what
    /// the arbiter sends to its receiver, if nobody else is scheduled to send there. None: not in this slot.
    fn next_gap(&self, now: Time, host: u16, destination: u16) -> Option<Time> {
        let (agent, layout) = (&self.agents[usize::from(host)], &self.rig.layout);
        let answer = agent.begun + layout.answer(None, self.rig.index(destination));
        let windows = [(agent.request_at, agent.request_at + layout.control), (answer, answer + layout.control)];
        let mut at = now.max(agent.free_at);
        for _ in 0..windows.len() {
            for (begin, end) in windows {
                if at < end && at + layout.data > begin {
                    at = end;
                }
            }
        }
        (at + layout.data <= agent.begun + layout.slot() - layout.guard / 2).then_some(at)
    }

    /// A packet has come to its host.
    pub(crate) fn receive(
        &mut self,
        now: Time,
        host: u16,
        link: u32,
        place: u32,
        queue: &mut EventQueue,
    ) -> Option<Frame> {
        let packet = &mut self.packets[place];
        let agent = &mut self.agents[usize::from(host)];
        if !packet.is_whole || !agent.is_up {
            self.discard(now, place);
            return None;
        }
        let load = std::mem::replace(&mut packet.load, Load::Data((0, 0), Vec::new()));
        let (slot, left, source) = (packet.slot, packet.left, packet.source);
        packet.serial = 0;
        self.packets.free(place);
        let (first, more) = match load {
            Load::Data(first, more) => (first, more),
            Load::Answer(answer) => {
                self.take_answer(now, host, *answer, queue);
                return None;
            }
            Load::Request(_) => unreachable!("requests go to arbiters"),
        };
        let is_inside = self.rig.pod_of(source) == self.rig.pod_of(host);
        let latency = if is_inside { &mut self.latency } else { &mut self.latency_between };
        *latency.entry(now.since(left)).or_default() += 1;
        if let Some(slot) = slot {
            let entry = &mut agent.received[(slot.0 % KEPT) as usize];
            *entry = (slot, if entry.0 == slot { entry.1 + 1 } else { 1 });
        }
        for piece in [first].into_iter().chain(more) {
            self.come(now, piece, link, queue);
        }
        self.deliver(now)
    }

    /// A piece has come.
    fn come(&mut self, now: Time, (place, piece): Piece, link: u32, queue: &mut EventQueue) {
        let message = &mut self.messages[place];
        message.copies -= 1;
        let is_new = message.take(piece);
        self.sums.again += u64::from(!is_new);
        if is_new && message.came == message.pieces && message.fate == Fate::Open {
            // Several may be complete with one packet.
            if !self.complete.is_empty() {
                queue.push(Event { at: now, rank: Rank::new(kind::DEADLINE, COMPLETE), slot: place });
            }
            message.copies += 1;
            self.complete.push_back((place, link));
        }
        self.settle(now, place);
    }

    /// A message that is complete leaves.
    pub(crate) fn deliver(&mut self, now: Time) -> Option<Frame> {
        let (place, link) = self.complete.pop_front()?;
        let message = &mut self.messages[place];
        message.copies -= 1;
        if message.fate != Fate::Open {
            self.settle(now, place);
            return None;
        }
        message.fate = Fate::Delivered;
        self.sums.early += u64::from(message.unsent() > 0);
        let frame = message.frame;
        self.observer.see(now, Seen::Frame { frame: &frame, link, what: What::Delivered });
        self.totals.deliver(frame.len);
        self.settle(now, place);
        Some(frame)
    }

    /// The arbiter answers.
    fn take_answer(&mut self, now: Time, host: u16, answer: Answer, queue: &mut EventQueue) {
        let shown = self.pod_clocks[usize::from(self.rig.pod_of(host))].shows(now);
        let agent = &mut self.agents[usize::from(host)];
        self.sums.largest_error = self.sums.largest_error.max(agent.clock.off(shown));
        agent.clock.track(shown);
        agent.answered = agent.slot;
        for allocation in answer.allocations {
            if matches!(agent.endpoint.handle(allocation), Taken::OutOfReach | Taken::Contradiction) {
                self.sums.refused += 1;
            }
        }
        for &(message, serial) in &agent.hopeful {
            let message = &mut self.messages[message];
            if message.serial == serial && matches!(message.hope, Hope::Asked(slot) if slot <= answer.answers) {
                message.hope = Hope::None;
            }
        }
        if let Some((slot, came)) = answer.fate {
            let sent = &mut self.agents[usize::from(host)].sent;
            if let Some(sent) = sent.iter().position(|sent| sent.slot == slot).and_then(|place| sent.remove(place)) {
                self.conclude(now, host, sent, came);
            }
        }
        for receipt in answer.receipts {
            self.take_receipt(now, host, receipt);
        }
        if let Some(core) = answer.lost {
            self.send_again_from(now, host, core);
        }
        self.attempt(now, host, queue);
    }

    /// It is known of what was sent in a slot whether it came. What did not is sent again; what came to a core switch is kept until it is known to have left it.
    pub(crate) fn conclude(&mut self, now: Time, host: u16, sent: Sent, came: bool) {
        if came && sent.core.is_some() && sent.packets > 0 {
            let agent = &mut self.agents[usize::from(host)];
            let until = agent.slot.plus(self.crossing_slots);
            agent.crossing.push_back(Crossing { sent, until });
            return;
        }
        self.sums.resent += u64::from(!came && !sent.pieces.is_empty());
        for (place, piece) in sent.pieces {
            let message = &mut self.messages[place];
            message.copies -= 1;
            if message.fate == Fate::Open && !came {
                message.again += 1;
                let voq = &mut self.agents[usize::from(host)].voqs[usize::from(sent.destination)];
                voq.again.push_back((place, piece));
            } else {
                self.settle(now, place);
            }
        }
        if !came {
            let (payload, packets) = (self.config.payload().get(), self.rig.packets().into());
            self.agents[usize::from(host)].ask(sent.destination, payload, packets);
        }
    }

    /// What was sent so long ago that it should be known by now whether it came is sent again: whoever has it throws it away.
    fn give_up_waiting(&mut self, now: Time, host: u16, slot: Slot) {
        loop {
            let sent = &mut self.agents[usize::from(host)].sent;
            if sent.front().is_none_or(|sent| sent.slot.0 + KEPT / 2 >= slot.0) {
                return;
            }
            let Some(sent) = sent.pop_front() else { return };
            self.conclude(now, host, sent, false);
        }
    }

    /// A message of which nothing is anywhere any more leaves its place; if not all of it has come, it is lost.
    pub(crate) fn settle(&mut self, now: Time, place: u32) {
        let message = &mut self.messages[place];
        if !message.is_over() || message.serial == 0 {
            return;
        }
        if message.fate == Fate::Open {
            self.lose(now, place);
        }
        let message = &mut self.messages[place];
        message.serial = 0;
        self.messages.free(place);
    }

    fn lose(&mut self, now: Time, place: u32) {
        let message = &mut self.messages[place];
        message.fate = Fate::Lost;
        let (frame, is_dropped) = (message.frame, message.is_dropped);
        let link = self.rig.topology.ports(topology::NodeId(frame.src)).start;
        if is_dropped {
            self.totals.drop_one(frame.len);
        } else {
            self.totals.lose(frame.len);
        }
        let what = if is_dropped { What::Dropped } else { What::Lost };
        self.observer.see(now, Seen::Frame { frame: &frame, link, what });
    }

    /// A host stops: what it has not sent is lost, and whatever it knows.
    pub(crate) fn stop_host(&mut self, now: Time, host: u16, queue: &mut EventQueue) {
        let agent = &mut self.agents[usize::from(host)];
        agent.is_up = false;
        let voqs = agent.voqs.len();
        let (sent, voqs) =
            (std::mem::take(&mut agent.sent), std::mem::replace(&mut agent.voqs, vec![Voq::default(); voqs]));
        let crossing = std::mem::take(&mut agent.crossing).into_iter().map(|crossing| crossing.sent);
        agent.asking.clear();
        agent.hopeful.clear();
        agent.backlog = 0;
        agent.endpoint = Endpoint::new(self.rig.local(host), self.rig.targets(), agent.slot);
        let source = self.rig.hosts[usize::from(host)];
        for place in 0..self.messages.places() {
            let message = &self.messages[place];
            if message.serial != 0 && message.fate == Fate::Open && message.frame.src == source {
                self.lose(now, place);
            }
        }
        for sent in sent.into_iter().chain(crossing) {
            self.forget(now, sent);
        }
        for (place, _) in voqs.iter().flat_map(|voq| voq.again.iter()) {
            self.messages[*place].again -= 1;
            self.settle(now, *place);
        }
        for (_, _, place) in voqs.into_iter().flat_map(|voq| voq.order) {
            let message = &mut self.messages[place];
            message.scheduled = message.pieces;
            self.settle(now, place);
        }
        let awaited: Vec<[u32; 2]> = self.connections.keys().copied().collect();
        for origin in awaited {
            let Some(connection) = self.connections.get(&origin) else { continue };
            if connection.host == source {
                if connection.is_awaited {
                    queue.push(Event { at: now, rank: Rank::new(kind::READY, source), slot: origin[0] + 1 });
                }
                self.connections.remove(&origin);
            }
        }
    }
}

/// What a host's turn is for: its request, or something that is not scheduled.
const REQUEST: u32 = 0;
const ATTEMPT: u32 = 1;

/// Deadlines: a message that is complete.
pub(crate) const COMPLETE: u32 = 0;

/// The aggregation switch of a path, and the core switch if it ends at one.
pub(crate) fn planes_of(path: Path) -> (u8, u8) {
    match path {
        Path::Edge => (0, NO_CORE),
        Path::Aggregation(plane) => (plane, NO_CORE),
        Path::Core { aggregation, core } => (aggregation, core),
    }
}

fn key(order: Order, unsent: u32) -> u32 {
    match order {
        Order::Fifo => 0,
        Order::ShortestFirst => unsent,
    }
}
