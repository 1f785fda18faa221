//! Core switches between pods, which have buffers (§3.4).
//!
//! A core switch has a port for every pod. Towards a pod's arbiters a port is like a host: it keeps the pod's time, asks in each slot for what waits for hosts of that pod, sends
//! in the slots that it is given, and says what it has sent and got, so that what was lost is sent again from where it still is. In the same requests it says for which pods
//! it takes packets: for none if its buffer is about to overflow, and not for those of which it holds much.
//!
//! The paper leaves open how core switches and arbiters reach each other: the gaps of a slot are all taken by hosts. Here each port has a link of its own to each arbiter of its
//! pod, as long as the way over the pod's switches would be. What a core switch holds counts until it knows that it has come.

use crate::agent::{KEPT, planes_of};
use crate::arbiters::{CoreReport, Report};
use crate::clocks::Clock;
use crate::crossing::{RECEIPTS, Receipt};
use crate::links::{Fate, Load, NO_CORE, Packet};
use crate::messages::Piece;
use crate::network::Fastpod;
use arbiter::Slot;
use arbiter::control::{Endpoint, Taken};
use engine::{Event, EventQueue, Rank};
use fabric::{Observer, kind};
use std::collections::{BTreeMap, VecDeque};
use units::{Span, Time};

/// No packet.
const NONE: u32 = u32::MAX;

/// A packet that a core switch holds.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    load: (Piece, Vec<Piece>),
    source: u16,
    destination: u16,
    /// When it left its host, and in which slot of its pod.
    left: Time,
    slot: Slot,
    /// The next one for the same host.
    next: u32,
}

/// Packets for one host.
#[derive(Debug, Clone, Copy)]
struct Queue {
    first: u32,
    last: u32,
    packets: u32,
    /// The host that the first one is from, or that the last one was from.
    origin: u16,
    /// Slots that were asked for and have not come.
    outstanding: u32,
    /// Whether it is among those that the port asks for.
    asks: bool,
}

/// What was sent in a slot, for as long as it is not known whether it came.
#[derive(Debug, Clone)]
struct Sent {
    slot: Slot,
    destination: u16,
    held: Vec<u32>,
}

/// A port of a core switch: what it has for one pod.
#[derive(Debug, Clone)]
pub(crate) struct CorePort {
    /// Its number among those that send in the pod.
    number: u16,
    endpoint: Endpoint,
    clock: Clock,
    /// For each host of the pod.
    queues: Vec<Queue>,
    /// Hosts for which something is asked, the next first.
    asking: VecDeque<u16>,
    /// Its slot.
    slot: Slot,
    busy_until: Time,
    sent: VecDeque<Sent>,
    /// The slot in which the last answer came.
    answered: Slot,
    /// Packets that came from the pod in each of the latest slots: slot, packets.
    received: Vec<(Slot, u8)>,
    /// Slots in a row in which it has sent something and not all of it came.
    failed: u32,
    /// Of what came from the pod, by host and slot: how many packets came, and how many of them have not come to their hosts.
    crossing: BTreeMap<(u16, Slot), (u8, u8)>,
    /// What has, of which the pod has not been told.
    receipts: VecDeque<Receipt>,
    /// How often the core switch has begun.
    began: u32,
}

impl CorePort {
    /// Of this number among those that send in the pod, which has so many hosts.
    pub(crate) fn new(number: u16, hosts: u16, clock: Clock) -> CorePort {
        let none = Queue { first: NONE, last: NONE, packets: 0, origin: 0, outstanding: 0, asks: false };
        CorePort {
            number,
            endpoint: Endpoint::new(number, hosts, Slot(0)),
            clock,
            queues: vec![none; hosts.into()],
            asking: VecDeque::new(),
            slot: Slot(0),
            busy_until: Time::ZERO,
            sent: VecDeque::new(),
            answered: Slot(0),
            received: vec![(Slot(0), 0); KEPT as usize],
            failed: 0,
            crossing: BTreeMap::new(),
            receipts: VecDeque::new(),
            began: 1,
        }
    }

    /// Asks for what waits for a host and has not been asked for.
    fn ask(&mut self, host: u16, packets: u32) {
        let queue = &mut self.queues[usize::from(host)];
        let more = queue.packets.div_ceil(packets).saturating_sub(queue.outstanding);
        if more > 0 {
            queue.outstanding += more;
            self.endpoint.want(host, more.into());
            if !std::mem::replace(&mut queue.asks, true) {
                self.asking.push_back(host);
            }
        }
    }
}

/// A core switch.
#[derive(Debug, Clone)]
pub(crate) struct Core {
    /// Packets that it holds, of all pods and for each.
    held: u64,
    held_for: Vec<u64>,
    is_up: bool,
}

impl Core {
    pub(crate) fn new(pods: u16) -> Core {
        Core { held: 0, held_for: vec![0; pods.into()], is_up: true }
    }

    /// Packets that it holds for a pod.
    pub(crate) fn held_for(&self, pod: u16) -> u64 {
        self.held_for[usize::from(pod)]
    }
}

impl<O: Observer> Fastpod<O> {
    /// The link from a port of a core switch to an arbiter of its pod; the one back is the next.
    pub(crate) fn core_requests_link(&self, number: u8, port: usize) -> u32 {
        self.core_wires + 2 * (u32::from(number) * self.ports.len() as u32 + port as u32)
    }

    /// The link from an aggregation switch of a host's pod to a core switch of its plane.
    pub(crate) fn to_core_link(&self, source: u16, plane: u8, core: u8) -> u32 {
        let Some(outside) = &self.rig.outside else { unreachable!("a pod that is alone has no core switches") };
        let above = outside.attached.cores_per_plane() as usize;
        let port = usize::from(self.rig.pod_of(source)) * self.cores.len();
        outside.to_core[port + usize::from(plane) * above + usize::from(core)]
    }

    /// A packet has come to a core switch, which keeps it.
    pub(crate) fn store(&mut self, now: Time, number: u16, link: u32, place: u32) {
        let capacity = self.rig.outside.as_ref().map_or(0, |outside| outside.capacity);
        let core = &mut self.cores[usize::from(number)];
        if !core.is_up {
            return self.discard(now, place);
        }
        if core.held >= capacity {
            self.wires[link as usize].counters.dropped += 1;
            return self.give_up(now, link, place, Fate::Full);
        }
        let packet = &mut self.packets[place];
        let (source, destination, left, slot) = (packet.source, packet.destination, packet.left, packet.slot);
        let load = std::mem::replace(&mut packet.load, Load::Data((0, 0), Vec::new()));
        packet.serial = 0;
        self.packets.free(place);
        let Load::Data(first, more) = load else { unreachable!("requests and answers have links of their own") };
        let pod = usize::from(self.rig.pod_of(destination));
        core.held += 1;
        core.held_for[pod] += 1;
        self.sums.fullest = self.sums.fullest.max(core.held);
        self.sums.fullest_port = self.sums.fullest_port.max(core.held_for[pod]);
        let cores = self.cores.len();
        let Some(slot) = slot else { unreachable!("nothing leaves a pod without being scheduled") };
        let from = &mut self.ports[usize::from(self.rig.pod_of(source)) * cores + usize::from(number)];
        let entry = &mut from.received[(slot.0 % KEPT) as usize];
        *entry = (slot, if entry.0 == slot { entry.1 + 1 } else { 1 });
        let (came, left_here) = from.crossing.entry((source, slot)).or_default();
        (*came, *left_here) = (*came + 1, *left_here + 1);
        let held = self.held.put(Held { load: (first, more), source, destination, left, slot, next: NONE });
        let (host, packets) = (self.rig.local(destination), self.rig.packets());
        let port = &mut self.ports[pod * cores + usize::from(number)];
        let queue = &mut port.queues[usize::from(host)];
        match queue.last {
            NONE => queue.first = held,
            last => self.held[last].next = held,
        }
        queue.last = held;
        queue.packets += 1;
        port.ask(host, packets);
    }

    /// The next slot of a port begins when its clock says so.
    pub(crate) fn push_port_slot(&mut self, now: Time, port: usize, slot: Slot, queue: &mut EventQueue) {
        let due = Time::ZERO + self.rig.timing.cores[port] + self.rig.slot() * slot.0;
        let at = self.pod_clocks[port / self.cores.len()].when(self.ports[port].clock.shows(due));
        let at = at.max(now + Span::from_ps(1));
        let device = u32::from(self.rig.all_hosts()) + self.stations.len() as u32 + port as u32;
        queue.push(Event { at, rank: Rank::new(kind::TICK, device), slot: 0 });
    }

    /// A slot of its pod begins at a port of a core switch.
    pub(crate) fn begin_port_slot(&mut self, now: Time, number: usize, queue: &mut EventQueue) {
        let slot = self.ports[number].slot.plus(1);
        self.ports[number].slot = slot;
        self.push_port_slot(now, number, slot.plus(1), queue);
        while self.ports[number].sent.front().is_some_and(|sent| sent.slot.0 + KEPT / 2 < slot.0) {
            let Some(sent) = self.ports[number].sent.pop_front() else { break };
            self.conclude_port(now, number, sent, false);
        }
        let port = &mut self.ports[number];
        let given = port.endpoint.advance(slot);
        if !self.cores[number % self.cores.len()].is_up {
            return;
        }
        if let Some((host, path)) = given {
            let (plane, _) = planes_of(path);
            self.send_port_slot(now, number, host, plane, queue);
        }
        self.send_port_request(now, number, queue);
    }

    /// Sends what waits for a host in the packets of a slot.
    fn send_port_slot(&mut self, now: Time, number: usize, host: u16, plane: u8, queue: &mut EventQueue) {
        let sender = self.rig.participant_index(self.ports[number].number);
        let link = match &self.rig.outside {
            Some(outside) => outside.from_core[number],
            None => unreachable!("a pod that is alone has no core switches"),
        };
        let port = &mut self.ports[number];
        // A clock that was set forward does not cut short what is being sent.
        let (slot, begun) = (port.slot, now.max(port.busy_until));
        let waiting = &mut port.queues[usize::from(host)];
        match waiting.outstanding.checked_sub(1) {
            Some(left) => waiting.outstanding = left,
            // As for hosts: it is as if it had been asked for.
            None => port.endpoint.want(host, 1),
        }
        let mut sent = Sent { slot, destination: host, held: Vec::new() };
        for packet in 0..self.rig.packets() {
            let waiting = &mut self.ports[number].queues[usize::from(host)];
            if waiting.first == NONE {
                break;
            }
            let place = waiting.first;
            let held = &mut self.held[place];
            waiting.first = std::mem::replace(&mut held.next, NONE);
            waiting.packets -= 1;
            if waiting.first == NONE {
                waiting.last = NONE;
            }
            sent.held.push(place);
            // Kept before it is sent, as it is until it is known to have come.
            for (message, _) in [held.load.0].iter().chain(&held.load.1) {
                self.messages[*message].copies += 1;
            }
            let at = begun + self.rig.layout.packet(packet, sender, self.rig.index(host));
            let packet = Packet {
                load: Load::Data(held.load.0, held.load.1.clone()),
                source: held.source,
                destination: held.destination,
                plane,
                core: NO_CORE,
                slot: Some(slot),
                left: held.left,
                len: self.config.packet.get() as u32,
                length: self.rig.layout.data,
                is_whole: true,
                serial: self.serial(),
                link: 0,
                begun: at,
            };
            self.ports[number].busy_until = at + packet.length;
            let place = self.packets.put(packet);
            self.put_on(now, at, link, place, queue);
        }
        self.sums.given += 1;
        self.sums.unused += u64::from(sent.held.is_empty());
        self.sums.scheduled += sent.held.len() as u64;
        let packets = self.rig.packets();
        let port = &mut self.ports[number];
        port.sent.push_back(sent);
        port.ask(host, packets);
    }

    /// Asks the arbiters of its pod for slots, and says for which pods the core switch takes packets (§3.4).
    fn send_port_request(&mut self, now: Time, number: usize, queue: &mut EventQueue) {
        let (settled, ahead) = (self.settled, self.rig.timing.ahead);
        let port = &mut self.ports[number];
        let slot = port.slot;
        let (mut requests, mut origins) = (Vec::new(), Vec::new());
        for _ in 0..port.asking.len() {
            if requests.len() >= self.config.demands as usize {
                break;
            }
            let Some(host) = port.asking.pop_front() else { break };
            let (requested, granted) = port.endpoint.counts(host);
            if requested <= granted {
                port.queues[usize::from(host)].asks = false;
                continue;
            }
            requests.push(port.endpoint.request(host));
            let queue = &mut port.queues[usize::from(host)];
            if queue.first != NONE {
                queue.origin = self.held[queue.first].source;
            }
            origins.push(queue.origin);
            port.asking.push_back(host);
        }
        let about = Slot(slot.0.saturating_sub(settled));
        let sent = port.sent.iter().find(|sent| sent.slot == about).map_or(0, |sent| sent.held.len() as u8);
        let (of, received) = port.received[(about.0 % KEPT) as usize];
        let received = if of == about { received } else { 0 };
        let hears = slot.since(port.answered) <= 2.max(ahead * u64::from(port.answered == Slot(0)));
        let source = port.number;
        let count = port.receipts.len().min(RECEIPTS);
        let (receipts, began): (Vec<Receipt>, u32) = (port.receipts.drain(..count).collect(), port.began);
        let open = self.open_pods(number % self.cores.len());
        let stops = self.is_nearly_full(number % self.cores.len());
        self.sums.stops += u64::from(stops);
        self.sums.port_stops += u64::from(!stops && open.count_ones() < u32::from(self.rig.pods));
        for arbiter in 0..self.config.arbiters {
            let core = Some(CoreReport { open, began, origins: origins.clone(), receipts: receipts.clone() });
            let report = Report { source, slot, requests: requests.clone(), about, sent, received, hears, core };
            let packet = Packet {
                load: Load::Request(Box::new(report)),
                source,
                destination: source,
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
            self.sums.requests += u64::from(arbiter == 0);
            self.put_on(now, now, self.core_requests_link(arbiter, number), place, queue);
        }
    }

    /// Whether the buffer of a core switch is about to overflow.
    fn is_nearly_full(&self, number: usize) -> bool {
        self.rig.outside.as_ref().is_some_and(|outside| self.cores[number].held >= outside.stop)
    }

    /// The pods for which a core switch takes packets: none when its buffer is about to overflow; and not those for which it holds much, or to which nothing gets through.
    fn open_pods(&self, number: usize) -> u128 {
        if self.is_nearly_full(number) {
            return 0;
        }
        let stop_port = self.rig.outside.as_ref().map_or(0, |outside| outside.stop_port);
        let (core, cores) = (&self.cores[number], self.cores.len());
        let is_open = |pod: &usize| {
            core.held_for[*pod] < stop_port && self.ports[pod * cores + number].failed < self.config.suspicion
        };
        (0..usize::from(self.rig.pods)).filter(is_open).fold(0, |map, pod| map | 1 << pod)
    }

    /// An arbiter answers a port of a core switch.
    pub(crate) fn take_core_answer(&mut self, now: Time, number: usize, place: u32) {
        let packet = &mut self.packets[place];
        let load = std::mem::replace(&mut packet.load, Load::Data((0, 0), Vec::new()));
        packet.serial = 0;
        self.packets.free(place);
        let Load::Answer(answer) = load else { unreachable!("arbiters send answers") };
        if !self.cores[number % self.cores.len()].is_up {
            return;
        }
        let shown = self.pod_clocks[number / self.cores.len()].shows(now);
        let port = &mut self.ports[number];
        self.sums.largest_error = self.sums.largest_error.max(port.clock.off(shown));
        port.clock.track(shown);
        port.answered = port.slot;
        for allocation in answer.allocations {
            if matches!(port.endpoint.handle(allocation), Taken::OutOfReach | Taken::Contradiction) {
                self.sums.refused += 1;
            }
        }
        if let Some((slot, came)) = answer.fate
            && let Some(sent) = port.sent.iter().position(|sent| sent.slot == slot)
            && let Some(sent) = port.sent.remove(sent)
        {
            self.conclude_port(now, number, sent, came);
        }
    }

    /// It is known of what was sent in a slot whether it came. What did not waits again, before what came later.
    fn conclude_port(&mut self, now: Time, number: usize, sent: Sent, came: bool) {
        self.sums.resent += u64::from(!came && !sent.held.is_empty());
        let (core, pod) = (number % self.cores.len(), number / self.cores.len());
        if !sent.held.is_empty() {
            let failed = &mut self.ports[number].failed;
            *failed = if came { 0 } else { failed.saturating_add(1) };
        }
        for &place in sent.held.iter().rev() {
            if came {
                self.give_receipt(core, place);
                self.let_go(now, core, pod, place);
                continue;
            }
            let queue = &mut self.ports[number].queues[usize::from(sent.destination)];
            self.held[place].next = queue.first;
            if queue.first == NONE {
                queue.last = place;
            }
            queue.first = place;
            queue.packets += 1;
        }
        let packets = self.rig.packets();
        self.ports[number].ask(sent.destination, packets);
    }

    /// A packet has come to its host: when all of its slot have, the pod that they are from is told, so that its host need not keep them any longer.
    fn give_receipt(&mut self, core: usize, place: u32) {
        let Held { source, slot, .. } = self.held[place];
        let from = usize::from(self.rig.pod_of(source)) * self.cores.len() + core;
        let local = self.rig.local(source);
        let port = &mut self.ports[from];
        if let Some((came, left)) = port.crossing.get_mut(&(source, slot)) {
            *left -= 1;
            if *left == 0 {
                port.receipts.push_back(Receipt { source: local, slot, packets: *came });
                port.crossing.remove(&(source, slot));
            }
        }
    }

    /// A core switch no longer holds a packet.
    fn let_go(&mut self, now: Time, core: usize, pod: usize, place: u32) {
        self.cores[core].held -= 1;
        self.cores[core].held_for[pod] -= 1;
        let (first, more) = std::mem::take(&mut self.held[place].load);
        self.held.free(place);
        for (message, _) in [first].into_iter().chain(more) {
            self.messages[message].copies -= 1;
            self.settle(now, message);
        }
    }

    /// Something that may be a core switch stops, or works again. What it held is gone from there; hosts still have it (`Crossing`).
    pub(crate) fn strike_core(&mut self, now: Time, node: u32, up: bool) {
        let Some(outside) = &self.rig.outside else { return };
        let Some(core) = outside.cores.iter().position(|core| *core == node) else { return };
        let was_up = std::mem::replace(&mut self.cores[core].is_up, up);
        for pod in 0..usize::from(self.rig.pods) {
            let number = pod * self.cores.len() + core;
            for arbiter in 0..self.config.arbiters {
                let link = self.core_requests_link(arbiter, number);
                for link in [link, link + 1] {
                    if std::mem::replace(&mut self.wires[link as usize].carries, up) && !up {
                        self.break_link(now, link);
                    }
                }
            }
            if up || !was_up {
                continue;
            }
            let (hosts, port) = (self.rig.pod.hosts(), &mut self.ports[number]);
            let (slot, clock, busy_until, began) = (port.slot, port.clock, port.busy_until, port.began + 1);
            let fresh = CorePort::new(self.rig.participant(core as u16), hosts, clock);
            let before = std::mem::replace(port, CorePort { slot, busy_until, answered: slot, began, ..fresh });
            port.endpoint.advance(slot);
            for queue in before.queues {
                let mut place = queue.first;
                while place != NONE {
                    let next = self.held[place].next;
                    self.let_go(now, core, pod, place);
                    place = next;
                }
            }
            for place in before.sent.into_iter().flat_map(|sent| sent.held) {
                self.let_go(now, core, pod, place);
            }
        }
    }

    /// Time that a packet takes from interface to interface between pods if nothing makes it wait: core switches pass it on when all of it is there.
    pub(crate) fn passage_between(&self, source: u16, destination: u16) -> Span {
        let Some(outside) = &self.rig.outside else { return Span::ZERO };
        let planes = self.rig.pod.uplinks() as usize;
        let (from, to) = (self.rig.pod.rack(source) as usize, self.rig.pod.rack(destination) as usize);
        let above = outside.attached.cores_per_plane() as usize;
        let over = |core: usize| {
            let (plane, cores) = (core / above, self.cores.len());
            let links = [
                self.rig.from_host[usize::from(source)],
                self.rig.from_rack[from * planes + plane],
                outside.to_core[usize::from(self.rig.pod_of(source)) * cores + core],
                outside.from_core[usize::from(self.rig.pod_of(destination)) * cores + core],
                self.rig.to_rack[to * planes + plane],
                self.rig.to_host[usize::from(destination)],
            ];
            links.into_iter().map(|link| self.wires[link as usize].delay).sum::<Span>()
        };
        (0..self.cores.len()).map(over).min().unwrap_or(Span::ZERO) + self.rig.layout.data * 2
    }
}
