//! Arbiters: requests in, answers out at the time at which there is a gap for them (§3.1, §3.2), who is in charge, and what does not come (§4).

use crate::agent::KEPT;
use crate::agent::planes_of;
use crate::crossing::{MOST_RECEIPTS, RECEIPTS, Receipt};
use crate::links::{Load, NO_CORE, Packet};
use crate::network::Fastpod;
use crate::rig::Ports;
use arbiter::control::{self, Action, Allocation, Beat, Lease, Request, Role, Settings, SettingsError, Vote, Voter};
use arbiter::interpod::{self, Attached};
use arbiter::{Part, Pod, Slot};
use engine::{Event, EventQueue, Rank};
use fabric::{Observer, kind};
use std::collections::VecDeque;
use units::{Span, Time};

/// What a host says in its request (RTS), once a slot; or a core switch to the arbiters of one of its pods.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    /// Its number in the pod; core switches are numbered after hosts.
    pub source: u16,
    pub slot: Slot,
    /// What it wants to send.
    pub requests: Vec<Request>,
    /// A slot of which all has come that ever will, how many packets it sent in it by schedule, and how many came to it.
    pub about: Slot,
    pub sent: u8,
    pub received: u8,
    /// Whether it gets answers: one should come in every slot.
    pub hears: bool,
    /// What only a core switch says.
    pub core: Option<CoreReport>,
}

/// What a core switch says beside what hosts say (§3.4).
#[derive(Debug, Clone)]
pub(crate) struct CoreReport {
    /// The pods for which it takes packets, a bit for each.
    pub open: u128,
    /// How often it has begun: whoever has sent it something before knows by this that it has lost what it held.
    pub began: u32,
    /// For each of its requests, the host whose packet it sends next, counted over all pods.
    pub origins: Vec<u16>,
    /// What has come to other pods of what hosts of this one have sent.
    pub receipts: Vec<Receipt>,
}

/// What an arbiter says to a host or a core switch (SCHD), once a slot.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    /// The slot whose requests it knows.
    pub answers: Slot,
    /// What the host is given.
    pub allocations: Vec<Allocation>,
    /// A slot in which the host sent, and whether all of that came; if it is known.
    pub fate: Option<(Slot, bool)>,
    /// What has come to other pods of what the host has sent; and a core switch that has lost all that it held.
    pub receipts: Vec<Receipt>,
    pub lost: Option<u16>,
}

/// Allocations that fit into an answer of 64 B beside what else it says.
const ALLOCATIONS: usize = 3;

/// What an arbiter has given: from whom a receiver's packets are.
#[derive(Debug, Clone, Copy)]
struct Stream {
    slot: Slot,
    source: u16,
    plane: u8,
}

/// What is known of a link between a ToR switch and an aggregation switch.
#[derive(Debug, Clone, Copy, Default)]
struct Suspicion {
    /// Slots in a row in which nothing came over it that was sent.
    slots: u32,
    /// Until when it is taken for broken.
    until: Option<Slot>,
}

/// An arbiter, and what it has to say.
#[derive(Debug)]
pub(crate) struct Station {
    control: control::Arbiter,
    pub is_alive: bool,
    /// Its slot: that whose requests it has.
    slot: Slot,
    inbox: VecDeque<Report>,
    /// What core switches say, by the slot in which it is due, modulo those kept: it is longer on its way than what hosts say.
    core_inbox: Vec<Vec<Report>>,
    /// For each slot, modulo those kept, and each host and core switch: what it gets.
    streams: Vec<Option<Stream>>,
    /// For each host and core switch: what it does not know yet that it is given, and what became of the slot in which it sent and of which all is known by now.
    allocations: Vec<VecDeque<Allocation>>,
    fates: Vec<Option<(Slot, bool)>>,
    /// For each host: what has come of what it sent to other pods, and core switches that have lost what they held, of which it has not been told.
    receipts: Vec<VecDeque<Receipt>>,
    lost: Vec<VecDeque<u16>>,
    /// How often each core switch has begun, as far as is known: 0, it has not been heard yet.
    began: Vec<u32>,
    /// For each host and core switch: what it said last.
    told: Vec<Option<Report>>,
    /// For each rack and plane, of the link up, then of the link down; then for each core switch, of the link up and of the link down.
    suspicions: Vec<Suspicion>,
    actions: Vec<Action>,
}

impl Station {
    /// An arbiter that takes so many slots at once. Its clock is at the last slot before its first batch then, as it is before every other one: that batch is
    /// of what hosts have asked for until it is due, and not of the first slot alone.
    pub(crate) fn new(settings: Settings, attached: Option<&Attached>, slots: u64) -> Result<Station, SettingsError> {
        let before = Slot(slots - 1);
        let cores = attached.map_or(0, |attached| attached.cores().count());
        let hosts = usize::from(settings.pod.hosts()) + cores;
        let links = 2 * ((settings.pod.racks() * settings.pod.uplinks()) as usize + cores);
        Ok(Station {
            control: match attached {
                Some(attached) => control::Arbiter::among(settings, attached.clone(), before)?,
                None => control::Arbiter::new(settings, before)?,
            },
            is_alive: true,
            slot: Slot(0),
            inbox: VecDeque::new(),
            core_inbox: vec![Vec::new(); if cores > 0 { KEPT as usize } else { 0 }],
            streams: vec![None; hosts * KEPT as usize],
            allocations: vec![VecDeque::new(); hosts],
            fates: vec![None; hosts],
            receipts: vec![VecDeque::new(); hosts],
            lost: vec![VecDeque::new(); hosts],
            began: vec![0; cores],
            told: vec![None; hosts],
            suspicions: vec![Suspicion::default(); links],
            actions: Vec::new(),
        })
    }

    /// Slots that arbiters of a pod lease at a time.
    pub(crate) fn settings(pod: &Pod, config: &crate::Config, ahead: u64, number: u8) -> Settings {
        Settings {
            pod: pod.clone(),
            policy: config.policy.into(),
            batch: config.batch,
            arbiter: number,
            voters: if config.arbiters > 1 { 3 } else { 1 },
            ahead,
            // An allocation is handed out as late as it can be: one that is lost can't be repaired.
            repair: u64::MAX / 2,
            lease: 4 * (ahead + 1),
            patience: config.patience,
        }
    }

    fn stream(&self, slot: Slot, host: u16) -> Option<Stream> {
        self.streams[self.place(slot, host)].filter(|stream| stream.slot == slot)
    }

    /// What a host or core switch is told.
    fn next_answer(&mut self, slot: Slot, to: u16) -> Answer {
        let waiting = &mut self.allocations[usize::from(to)];
        let count = waiting.len().min(ALLOCATIONS);
        let allocations = waiting.drain(..count).collect();
        let receipts = &mut self.receipts[usize::from(to)];
        let count = receipts.len().min(RECEIPTS);
        let receipts = receipts.drain(..count).collect();
        let lost = self.lost[usize::from(to)].pop_front();
        Answer { answers: slot, allocations, fate: self.fates[usize::from(to)].take(), receipts, lost }
    }

    /// All hosts are to be told that a core switch has lost what it held.
    fn lose_core(&mut self, hosts: u16, core: u16) {
        for lost in &mut self.lost[..usize::from(hosts)] {
            if !lost.contains(&core) {
                lost.push_back(core);
            }
        }
    }

    /// A core switch says what has come. Whoever is not in charge keeps what is new, in case it has to tell hosts.
    fn take_receipts(&mut self, receipts: &[Receipt]) {
        for receipt in receipts {
            let waiting = &mut self.receipts[usize::from(receipt.source)];
            if waiting.len() >= MOST_RECEIPTS {
                waiting.pop_front();
            }
            waiting.push_back(*receipt);
        }
    }

    fn place(&self, slot: Slot, host: u16) -> usize {
        (slot.0 % KEPT) as usize * self.told.len() + usize::from(host)
    }
}

/// A message among arbiters and voters.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Post {
    /// To a voter, from an arbiter.
    Ask(u8, u8, Lease),
    /// To an arbiter, from a voter.
    Vote(u8, u8, Vote),
    /// To an arbiter.
    Beat(u8, Beat),
}

/// Deadlines: a message among arbiters is there; the first arbiter dies.
pub(crate) const POST: u32 = 1;
pub(crate) const DEATH: u32 = 2;

impl<O: Observer> Fastpod<O> {
    /// The link from a rack to an arbiter of its pod. Racks are counted over all pods.
    pub(crate) fn requests_link(&self, number: u8, rack: usize) -> u32 {
        let racks = self.rig.pod.racks() * u32::from(self.rig.pods);
        self.rig.topology.links().len() as u32 + 2 * (u32::from(number) * racks + rack as u32)
    }

    /// The ToR switch before a link from a rack to an arbiter.
    pub(crate) fn rack_before(&self, link: u32) -> u32 {
        let racks = self.rig.pod.racks() * u32::from(self.rig.pods);
        let rack = (link - self.rig.topology.links().len() as u32) / 2 % racks;
        self.tor(rack)
    }

    /// The ToR switch of a rack. Racks are counted over all pods.
    pub(crate) fn tor(&self, rack: u32) -> u32 {
        let host = (rack * self.rig.layout.hosts) as usize;
        self.rig.topology.link(topology::LinkId(self.rig.from_host[host])).to.0
    }

    /// The link from an arbiter to a rack of its pod.
    fn answers_link(&self, number: u8, rack: usize) -> u32 {
        self.requests_link(number, rack) + 1
    }

    /// The pod of an arbiter, and its number there. Arbiters are counted over all pods.
    fn seat(&self, station: u16) -> (u16, u8) {
        let arbiters = u16::from(self.config.arbiters);
        (station / arbiters, (station % arbiters) as u8)
    }

    /// A request has come to an arbiter.
    pub(crate) fn hear(&mut self, number: u16, place: u32) {
        let packet = &mut self.packets[place];
        let load = std::mem::replace(&mut packet.load, Load::Data((0, 0), Vec::new()));
        packet.serial = 0;
        self.packets.free(place);
        let station = &mut self.stations[usize::from(number)];
        if let Load::Request(report) = load
            && station.is_alive
        {
            if report.source < self.rig.pod.hosts() {
                station.inbox.push_back(*report);
            } else {
                let due = report.slot.max(station.slot.plus(1));
                station.core_inbox[(due.0 % KEPT) as usize].push(*report);
            }
        }
    }

    /// An arbiter has all requests of a slot, and has thought about them.
    pub(crate) fn arbitrate(&mut self, now: Time, number: u16, queue: &mut EventQueue) {
        let slots = self.slots_at_once();
        let slot = self.stations[usize::from(number)].slot.plus(slots);
        self.stations[usize::from(number)].slot = slot;
        self.push_arbitration(number, slot.plus(slots), queue);
        let station = &mut self.stations[usize::from(number)];
        if !station.is_alive {
            return;
        }
        let mut actions = std::mem::take(&mut station.actions);
        while let Some(report) =
            station.inbox.front().is_some_and(|report| report.slot <= slot).then(|| station.inbox.pop_front()).flatten()
        {
            for &request in &report.requests {
                let taken = station.control.on_request(request, &mut actions);
                debug_assert!(taken.is_ok(), "hosts ask for what there is: {taken:?}");
            }
            let source = usize::from(report.source);
            station.told[source] = Some(report);
        }
        if let Some(outside) = &self.rig.outside {
            let above = outside.attached.cores_per_plane() as u16;
            for report in std::mem::take(&mut station.core_inbox[(slot.0 % KEPT) as usize]) {
                let core = report.source - self.rig.pod.hosts();
                let Some(CoreReport { open, began, origins, receipts }) = &report.core else { continue };
                let before = std::mem::replace(&mut station.began[usize::from(core)], *began);
                if before != 0 && before != *began {
                    station.lose_core(self.rig.pod.hosts(), core);
                }
                station.take_receipts(receipts);
                let core = interpod::Core { plane: (core / above) as u8, number: (core % above) as u8 };
                station.control.set_open(core, *open);
                for (&request, &origin) in report.requests.iter().zip(origins) {
                    station.control.set_origin(request.source, request.destination, origin);
                    let taken = station.control.on_request(request, &mut actions);
                    debug_assert!(taken.is_ok(), "core switches ask for what there is: {taken:?}");
                }
                let source = usize::from(report.source);
                station.told[source] = Some(report);
            }
        }
        if self.rig.ports == Ports::Bare {
            self.compare(number, slot);
        }
        // All slots until the next time are handed out as far ahead as the first.
        self.stations[usize::from(number)].control.advance(slot.plus(slots - 1), &mut actions);
        self.act(now, number, &mut actions, queue);
        self.stations[usize::from(number)].actions = actions;
        if self.rig.ports == Ports::Bare {
            self.answer(now, number, slot, queue);
        } else {
            self.answer_at_once(now, number, slot, queue);
        }
    }

    /// Slots that an arbiter goes on by.
    pub(crate) fn slots_at_once(&self) -> u64 {
        self.rig.ports.slots_at_once()
    }

    /// An arbiter's next slot.
    pub(crate) fn push_arbitration(&self, number: u16, slot: Slot, queue: &mut EventQueue) {
        let at = Time::ZERO + self.rig.timing.requests + self.config.arbiter_latency + self.rig.slot() * slot.0;
        let at = self.pod_clocks[usize::from(self.seat(number).0)].when(at);
        let device = u32::from(self.rig.all_hosts()) + u32::from(number);
        queue.push(Event { at, rank: Rank::new(kind::TICK, device), slot: 0 });
    }

    /// Does what an arbiter wants, and what follows from that at once.
    fn act(&mut self, now: Time, station: u16, actions: &mut Vec<Action>, queue: &mut EventQueue) {
        let (pod, number) = self.seat(station);
        let (hosts, voters) = (self.rig.pod.hosts(), self.voters.len() / usize::from(self.rig.pods));
        let mut next = 0;
        while let Some(&action) = actions.get(next) {
            next += 1;
            match action {
                Action::Allocate(allocation) => {
                    let Allocation { slot, source, destination, path, .. } = allocation;
                    let (plane, core) = planes_of(path);
                    // What is for another pod is received by a core switch here.
                    let receiver = match &self.rig.outside {
                        Some(outside) if destination >= hosts => {
                            let above = outside.attached.cores_per_plane() as u16;
                            hosts + u16::from(plane) * above + u16::from(core)
                        }
                        _ => destination,
                    };
                    let station = &mut self.stations[usize::from(station)];
                    let place = station.place(slot, receiver);
                    station.streams[place] = Some(Stream { slot, source, plane });
                    station.allocations[usize::from(source)].push_back(allocation);
                }
                // A voter beside the arbiter answers at once.
                Action::Ask(voter, lease) if voter == number || voters == 1 => {
                    let vote = self.voters[usize::from(pod) * voters + usize::from(voter)].handle(lease);
                    self.stations[usize::from(station)].control.on_vote(voter, vote, actions);
                }
                Action::Ask(voter, lease) => self.post(now, pod, Post::Ask(voter, number, lease), queue),
                Action::Beat(beat) => {
                    for other in (0..self.config.arbiters).filter(|other| *other != number) {
                        self.post(now, pod, Post::Beat(other, beat), queue);
                    }
                }
            }
        }
        actions.clear();
    }

    fn post(&mut self, now: Time, pod: u16, post: Post, queue: &mut EventQueue) {
        let place = self.posts.put((pod, post));
        let at = now + self.config.arbiter_delay;
        queue.push(Event { at, rank: Rank::new(kind::DEADLINE, POST), slot: place });
    }

    /// A message among arbiters is there.
    pub(crate) fn open_post(&mut self, now: Time, place: u32, queue: &mut EventQueue) {
        let (pod, post) = self.posts[place];
        self.posts.free(place);
        let voters = usize::from(pod) * (self.voters.len() / usize::from(self.rig.pods));
        let first = pod * u16::from(self.config.arbiters);
        // The third voter is beside no arbiter.
        let is_alive = |number: u8| {
            number >= self.config.arbiters || self.stations[usize::from(first + u16::from(number))].is_alive
        };
        match post {
            // A voter dies with the arbiter that it is beside.
            Post::Ask(voter, from, lease) if is_alive(voter) => {
                let vote = self.voters[voters + usize::from(voter)].handle(lease);
                self.post(now, pod, Post::Vote(from, voter, vote), queue);
            }
            Post::Vote(to, voter, vote) if is_alive(to) => {
                let to = first + u16::from(to);
                let mut actions = std::mem::take(&mut self.stations[usize::from(to)].actions);
                self.stations[usize::from(to)].control.on_vote(voter, vote, &mut actions);
                self.act(now, to, &mut actions, queue);
                self.stations[usize::from(to)].actions = actions;
            }
            Post::Beat(to, beat) if is_alive(to) => {
                self.stations[usize::from(first + u16::from(to))].control.on_beat(beat);
            }
            Post::Ask(..) | Post::Vote(..) | Post::Beat(..) => {}
        }
    }

    /// The first arbiter of a pod is in charge from the beginning.
    pub(crate) fn take_charge(&mut self, now: Time, pod: u16, queue: &mut EventQueue) {
        let (first, mut actions) = (pod * u16::from(self.config.arbiters), Vec::new());
        self.stations[usize::from(first)].control.take_over(&mut actions);
        self.act(now, first, &mut actions, queue);
    }

    /// An arbiter dies: what it has not sent is not sent.
    pub(crate) fn kill(&mut self, now: Time, station: u16) {
        self.stations[usize::from(station)].is_alive = false;
        let (pod, number) = self.seat(station);
        let racks = usize::from(pod) * self.rig.pod.racks() as usize;
        let links =
            self.requests_link(number, racks)..self.requests_link(number, racks + self.rig.pod.racks() as usize);
        let ports = usize::from(pod) * self.rig.cores();
        let core_links =
            self.core_requests_link(number, ports)..self.core_requests_link(number, ports + self.rig.cores());
        for place in 0..self.packets.places() {
            let packet = &mut self.packets[place];
            let is_its_own = links.contains(&packet.link) || core_links.contains(&packet.link);
            if packet.serial != 0 && is_its_own && packet.begun >= now {
                packet.is_whole = false;
            }
        }
    }

    /// Who has not asked, and what hosts say that they have sent and got in a slot, against what they were given (§4).
    fn compare(&mut self, number: u16, slot: Slot) {
        let (hosts, planes) = (self.rig.pod.hosts(), self.rig.pod.uplinks());
        let racks = self.rig.pod.racks();
        let above = self.rig.outside.as_ref().map_or(1, |outside| outside.attached.cores_per_plane());
        let all = hosts + self.rig.cores() as u16;
        let station = &mut self.stations[usize::from(number)];
        for host in 0..all {
            // A host asks in every slot, whether it wants something or not, and gets an answer.
            let works = station.told[usize::from(host)].as_ref().is_some_and(|told| told.slot == slot && told.hears);
            let part = match host.checked_sub(hosts).map(u32::from) {
                None => Part::Host(host),
                Some(core) => Part::Core((core / above) as u8, (core % above) as u8),
            };
            if works == station.control.broken().contains(&part) {
                station.control.set_works(part, works);
                self.sums.silent += u64::from(!works);
                // Whether it is dead or cut off, nobody knows.
                if let Some(core) = host.checked_sub(hosts).filter(|_| !works)
                    && station.began[usize::from(core)] != 0
                {
                    station.lose_core(hosts, core);
                }
            }
        }
        let about = Slot(slot.0.saturating_sub(self.settled));
        let cores = 2 * racks * planes;
        let part_of = |place: u32| match place {
            _ if place < racks * planes => Part::FromRack(place / planes, (place % planes) as u8),
            _ if place < cores => Part::ToRack(place / planes - racks, (place % planes) as u8),
            _ if place < cores + planes * above => {
                Part::ToCore(((place - cores) / above) as u8, ((place - cores) % above) as u8)
            }
            _ => {
                let core = place - cores - planes * above;
                Part::FromCore((core / above) as u8, (core % above) as u8)
            }
        };
        for host in 0..all {
            let Some(Stream { source, plane, .. }) = station.stream(about, host) else { continue };
            let told = |host: u16| station.told[usize::from(host)].as_ref().filter(|told| told.about == about);
            let (Some(sender), Some(receiver)) = (told(source), told(host)) else { continue };
            let (sent, received, hears) = (sender.sent, receiver.received, receiver.hears);
            station.fates[usize::from(source)] = Some((about, received >= sent));
            let from = match source.checked_sub(hosts) {
                None => self.rig.pod.rack(source) * planes + u32::from(plane),
                Some(core) => cores + planes * above + u32::from(core),
            };
            let to = match host.checked_sub(hosts) {
                None => (racks + self.rig.pod.rack(host)) * planes + u32::from(plane),
                Some(core) => cores + u32::from(core),
            };
            for place in [from, to] {
                let suspicion = &mut station.suspicions[place as usize];
                if received > 0 {
                    suspicion.slots = 0;
                } else if sent > 0 && hears {
                    suspicion.slots += 1;
                    if suspicion.slots >= self.config.suspicion && suspicion.until.is_none() {
                        suspicion.until = Some(slot.plus(self.probation));
                        station.control.set_works(part_of(place), false);
                        self.sums.suspected += 1;
                    }
                }
            }
        }
        // What was broken for long enough is tried again; one more slot without anything, and it is broken again.
        for (place, suspicion) in (0..)
            .zip(&mut station.suspicions)
            .filter(|(_, suspicion)| suspicion.until.is_some_and(|until| until <= slot))
        {
            *suspicion = Suspicion { slots: self.config.suspicion - 1, until: None };
            station.control.set_works(part_of(place), true);
        }
    }

    /// An arbiter in charge sends every host an answer, at the time at which its ToR switch has a gap for it.
    fn answer(&mut self, now: Time, station_number: u16, slot: Slot, queue: &mut EventQueue) {
        let (pod, number) = self.seat(station_number);
        let received = slot.plus(self.rig.timing.answers);
        let station = &self.stations[usize::from(station_number)];
        // Two arbiters never answer in one slot: that of the slot is leased, like its packets' time.
        if station.control.role() != Role::Active || !station.control.holds(received) {
            return;
        }
        let control = self.config.switch_latency + self.config.arbiter_delay;
        let first = pod * self.rig.pod.hosts();
        for host in 0..self.rig.pod.hosts() {
            let rack = self.rig.pod.rack(first + host) as usize;
            let station = &mut self.stations[usize::from(station_number)];
            let sender = station.stream(received, host).map(|stream| self.rig.participant_index(stream.source));
            let answer = station.next_answer(slot, host);
            let offset = self.rig.layout.answer(sender, self.rig.index(host));
            let leaves = self.rig.timing.racks[rack] + self.rig.slot() * received.0 + offset;
            let at = self.pod_clocks[usize::from(pod)].when(Time::ZERO + leaves.saturating_sub(control));
            debug_assert!(at >= now, "answers are late: at {at}, now {now}");
            let place = self.put_answer(at, first + host, answer);
            self.put_on(now, at, self.answers_link(number, rack), place, queue);
        }
        // Core switches have a link of their own, so that nothing need be waited for.
        for core in 0..self.rig.cores() {
            let source = self.rig.participant(core as u16);
            let answer = self.stations[usize::from(station_number)].next_answer(slot, source);
            let place = self.put_answer(now, source, answer);
            let link = self.core_requests_link(number, usize::from(pod) * self.rig.cores() + core) + 1;
            self.put_on(now, now, link, place, queue);
        }
    }

    /// An arbiter of switches with queues tells hosts what they are given, when they are given something.
    fn answer_at_once(&mut self, now: Time, number: u16, slot: Slot, queue: &mut EventQueue) {
        for host in 0..self.rig.pod.hosts() {
            let waiting = &mut self.stations[usize::from(number)].allocations[usize::from(host)];
            if !waiting.is_empty() {
                let allocations = waiting.drain(..).collect();
                let place = self.put_answer(
                    now,
                    host,
                    Answer { answers: slot, allocations, fate: None, receipts: Vec::new(), lost: None },
                );
                let rack = self.rig.pod.rack(host) as usize;
                self.enter(now, self.answers_link(number as u8, rack), place, queue);
            }
        }
    }

    /// An answer leaves its arbiter.
    fn put_answer(&mut self, at: Time, host: u16, answer: Answer) -> u32 {
        let packet = Packet {
            load: Load::Answer(Box::new(answer)),
            source: host,
            destination: host,
            plane: 0,
            core: NO_CORE,
            slot: None,
            left: at,
            len: self.config.control.get() as u32,
            length: self.rig.layout.control,
            is_whole: true,
            serial: self.serial(),
            link: 0,
            begun: at,
        };
        self.sums.answers += 1;
        self.packets.put(packet)
    }

    /// How long after a slot all is known of it: in slots.
    pub(crate) fn settled(rig: &crate::Rig) -> u64 {
        if rig.ports != Ports::Bare {
            return 0;
        }
        let (timing, slot) = (&rig.timing, rig.layout.slot());
        let at_core = timing.at_core + slot;
        let known = |host: u16| {
            let delay = rig.delay(rig.to_host[usize::from(host)]);
            (timing.racks[rig.pod.rack(host) as usize] + slot + delay).saturating_sub(timing.hosts[usize::from(host)])
        };
        let longest = (0..rig.all_hosts()).map(known).max().unwrap_or(Span::ZERO).max(at_core);
        longest.as_ps().div_ceil(slot.as_ps()) + 1
    }

    pub(crate) fn voters(config: &crate::Config, pods: u16) -> Vec<Voter> {
        vec![Voter::default(); if config.arbiters > 1 { 3 } else { 1 } * usize::from(pods)]
    }
}
