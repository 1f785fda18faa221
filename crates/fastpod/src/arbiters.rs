//! Arbiters: requests in, answers out at the time at which there is a gap for them (§3.1, §3.2), who is in charge, and what does not come (§4).

use crate::agent::KEPT;
use crate::links::{Load, Packet};
use crate::network::Fastpod;
use crate::rig::Ports;
use arbiter::control::{self, Action, Allocation, Beat, Lease, Request, Role, Settings, SettingsError, Vote, Voter};
use arbiter::{Part, Path, Pod, Slot};
use engine::{Event, EventQueue, Rank};
use fabric::{Observer, kind};
use std::collections::VecDeque;
use units::{Span, Time};

/// What a host says in its request (RTS), once a slot.
#[derive(Debug, Clone)]
pub(crate) struct Report {
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
}

/// What an arbiter says to a host (SCHD), once a slot.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    /// The slot whose requests it knows.
    pub answers: Slot,
    /// What the host is given.
    pub allocations: Vec<Allocation>,
    /// A slot in which the host sent, and whether all of that came; if it is known.
    pub fate: Option<(Slot, bool)>,
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
    /// For each slot, modulo those kept, and each host: what it gets.
    streams: Vec<Option<Stream>>,
    /// For each host: what it does not know yet that it is given, and what became of the slot in which it sent and of which all is known by now.
    allocations: Vec<VecDeque<Allocation>>,
    fates: Vec<Option<(Slot, bool)>>,
    /// For each host: what it said last.
    told: Vec<Option<Report>>,
    /// For each rack and plane, of the link up and of the link down.
    suspicions: [Vec<Suspicion>; 2],
    actions: Vec<Action>,
}

impl Station {
    pub(crate) fn new(settings: Settings) -> Result<Station, SettingsError> {
        let hosts = usize::from(settings.pod.hosts());
        let links = vec![Suspicion::default(); (settings.pod.racks() * settings.pod.uplinks()) as usize];
        Ok(Station {
            control: control::Arbiter::new(settings, Slot(0))?,
            is_alive: true,
            slot: Slot(0),
            inbox: VecDeque::new(),
            streams: vec![None; hosts * KEPT as usize],
            allocations: vec![VecDeque::new(); hosts],
            fates: vec![None; hosts],
            told: vec![None; hosts],
            suspicions: [links.clone(), links],
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
    /// The link from a rack to an arbiter.
    pub(crate) fn requests_link(&self, number: u8, rack: usize) -> u32 {
        let racks = self.rig.pod.racks();
        self.rig.topology.links().len() as u32 + 2 * (u32::from(number) * racks + rack as u32)
    }

    /// The link from an arbiter to a rack.
    fn answers_link(&self, number: u8, rack: usize) -> u32 {
        self.requests_link(number, rack) + 1
    }

    /// A request has come to an arbiter.
    pub(crate) fn hear(&mut self, number: u8, place: u32) {
        let packet = &mut self.packets[place];
        let load = std::mem::replace(&mut packet.load, Load::Data((0, 0), Vec::new()));
        packet.serial = 0;
        self.packets.free(place);
        let station = &mut self.stations[usize::from(number)];
        if let Load::Request(report) = load
            && station.is_alive
        {
            station.inbox.push_back(*report);
        }
    }

    /// An arbiter has all requests of a slot, and has thought about them.
    pub(crate) fn arbitrate(&mut self, now: Time, number: u8, queue: &mut EventQueue) {
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
        match self.rig.ports {
            Ports::Bare => 1,
            Ports::Queued { batch, .. } => batch,
        }
    }

    /// An arbiter's next slot.
    pub(crate) fn push_arbitration(&self, number: u8, slot: Slot, queue: &mut EventQueue) {
        let at = Time::ZERO + self.rig.timing.requests + self.config.arbiter_latency + self.rig.slot() * slot.0;
        let device = u32::from(self.rig.pod.hosts()) + u32::from(number);
        queue.push(Event { at, rank: Rank::new(kind::TICK, device), slot: 0 });
    }

    /// Does what an arbiter wants, and what follows from that at once.
    fn act(&mut self, now: Time, number: u8, actions: &mut Vec<Action>, queue: &mut EventQueue) {
        let mut next = 0;
        while let Some(&action) = actions.get(next) {
            next += 1;
            match action {
                Action::Allocate(allocation) => {
                    let Allocation { slot, source, destination, path, .. } = allocation;
                    let plane = if let Path::Aggregation(plane) = path { plane } else { 0 };
                    let station = &mut self.stations[usize::from(number)];
                    let place = station.place(slot, destination);
                    station.streams[place] = Some(Stream { slot, source, plane });
                    station.allocations[usize::from(source)].push_back(allocation);
                }
                // A voter beside the arbiter answers at once.
                Action::Ask(voter, lease) if voter == number || self.voters.len() == 1 => {
                    let vote = self.voters[usize::from(voter)].handle(lease);
                    self.stations[usize::from(number)].control.on_vote(voter, vote, actions);
                }
                Action::Ask(voter, lease) => self.post(now, Post::Ask(voter, number, lease), queue),
                Action::Beat(beat) => {
                    for other in (0..self.config.arbiters).filter(|other| *other != number) {
                        self.post(now, Post::Beat(other, beat), queue);
                    }
                }
            }
        }
        actions.clear();
    }

    fn post(&mut self, now: Time, post: Post, queue: &mut EventQueue) {
        let place = self.posts.put(post);
        let at = now + self.config.arbiter_delay;
        queue.push(Event { at, rank: Rank::new(kind::DEADLINE, POST), slot: place });
    }

    /// A message among arbiters is there.
    pub(crate) fn open_post(&mut self, now: Time, place: u32, queue: &mut EventQueue) {
        let post = self.posts[place];
        self.posts.free(place);
        let is_alive = |number: u8| self.stations.get(usize::from(number)).is_none_or(|station| station.is_alive);
        match post {
            // A voter dies with the arbiter that it is beside.
            Post::Ask(voter, from, lease) if is_alive(voter) => {
                let vote = self.voters[usize::from(voter)].handle(lease);
                self.post(now, Post::Vote(from, voter, vote), queue);
            }
            Post::Vote(to, voter, vote) if is_alive(to) => {
                let mut actions = std::mem::take(&mut self.stations[usize::from(to)].actions);
                self.stations[usize::from(to)].control.on_vote(voter, vote, &mut actions);
                self.act(now, to, &mut actions, queue);
                self.stations[usize::from(to)].actions = actions;
            }
            Post::Beat(to, beat) if is_alive(to) => self.stations[usize::from(to)].control.on_beat(beat),
            Post::Ask(..) | Post::Vote(..) | Post::Beat(..) => {}
        }
    }

    /// The first arbiter is in charge from the beginning.
    pub(crate) fn take_charge(&mut self, now: Time, queue: &mut EventQueue) {
        let mut actions = Vec::new();
        self.stations[0].control.take_over(&mut actions);
        self.act(now, 0, &mut actions, queue);
    }

    /// An arbiter dies: what it has not sent is not sent.
    pub(crate) fn kill(&mut self, now: Time, number: u8) {
        self.stations[usize::from(number)].is_alive = false;
        let links = self.requests_link(number, 0)..self.requests_link(number + 1, 0);
        for place in 0..self.packets.places() {
            let packet = &mut self.packets[place];
            if packet.serial != 0 && links.contains(&packet.link) && packet.begun >= now {
                packet.is_whole = false;
            }
        }
    }

    /// Who has not asked, and what hosts say that they have sent and got in a slot, against what they were given (§4).
    fn compare(&mut self, number: u8, slot: Slot) {
        let station = &mut self.stations[usize::from(number)];
        for host in 0..self.rig.pod.hosts() {
            // A host asks in every slot, whether it wants something or not, and gets an answer.
            let works = station.told[usize::from(host)].as_ref().is_some_and(|told| told.slot == slot && told.hears);
            let part = Part::Host(host);
            if works == station.control.broken().contains(&part) {
                station.control.set_works(part, works);
                self.sums.silent += u64::from(!works);
            }
        }
        let about = Slot(slot.0.saturating_sub(self.settled));
        let planes = self.rig.pod.uplinks();
        for host in 0..self.rig.pod.hosts() {
            let Some(Stream { source, plane, .. }) = station.stream(about, host) else { continue };
            let told = |host: u16| station.told[usize::from(host)].as_ref().filter(|told| told.about == about);
            let (Some(sender), Some(receiver)) = (told(source), told(host)) else { continue };
            let (sent, received, hears) = (sender.sent, receiver.received, receiver.hears);
            station.fates[usize::from(source)] = Some((about, received >= sent));
            let racks = [self.rig.pod.rack(source), self.rig.pod.rack(host)];
            for (side, rack) in racks.into_iter().enumerate() {
                let suspicion = &mut station.suspicions[side][(rack * planes + u32::from(plane)) as usize];
                if received > 0 {
                    suspicion.slots = 0;
                } else if sent > 0 && hears {
                    suspicion.slots += 1;
                    if suspicion.slots >= self.config.suspicion && suspicion.until.is_none() {
                        suspicion.until = Some(slot.plus(self.probation));
                        let part = if side == 0 { Part::FromRack(rack, plane) } else { Part::ToRack(rack, plane) };
                        station.control.set_works(part, false);
                        self.sums.suspected += 1;
                    }
                }
            }
        }
        // What was broken for long enough is tried again; one more slot without anything, and it is broken again.
        for (side, links) in station.suspicions.iter_mut().enumerate() {
            for (place, suspicion) in
                (0..).zip(links).filter(|(_, suspicion)| suspicion.until.is_some_and(|until| until <= slot))
            {
                *suspicion = Suspicion { slots: self.config.suspicion - 1, until: None };
                let (rack, plane) = (place / planes, (place % planes) as u8);
                let part = if side == 0 { Part::FromRack(rack, plane) } else { Part::ToRack(rack, plane) };
                station.control.set_works(part, true);
            }
        }
    }

    /// An arbiter in charge sends every host an answer, at the time at which its ToR switch has a gap for it.
    fn answer(&mut self, now: Time, number: u8, slot: Slot, queue: &mut EventQueue) {
        let received = slot.plus(self.rig.timing.answers);
        let station = &self.stations[usize::from(number)];
        // Two arbiters never answer in one slot: that of the slot is leased, like its packets' time.
        if station.control.role() != Role::Active || !station.control.holds(received) {
            return;
        }
        let control = self.config.switch_latency + self.config.arbiter_delay;
        for host in 0..self.rig.pod.hosts() {
            let rack = self.rig.pod.rack(host) as usize;
            let station = &mut self.stations[usize::from(number)];
            let sender = station.stream(received, host).map(|stream| self.rig.index(stream.source));
            let waiting = &mut station.allocations[usize::from(host)];
            let count = waiting.len().min(ALLOCATIONS);
            let answer = Answer {
                answers: slot,
                allocations: waiting.drain(..count).collect(),
                fate: station.fates[usize::from(host)].take(),
            };
            let offset = self.rig.layout.answer(sender, self.rig.index(host));
            let leaves = self.rig.timing.racks[rack] + self.rig.slot() * received.0 + offset;
            let at = Time::ZERO + leaves.saturating_sub(control);
            debug_assert!(at >= now, "answers are late: at {at}, now {now}");
            let place = self.put_answer(at, host, answer);
            self.put_on(now, at, self.answers_link(number, rack), place, queue);
        }
    }

    /// An arbiter of switches with queues tells hosts what they are given, when they are given something.
    fn answer_at_once(&mut self, now: Time, number: u8, slot: Slot, queue: &mut EventQueue) {
        for host in 0..self.rig.pod.hosts() {
            let waiting = &mut self.stations[usize::from(number)].allocations[usize::from(host)];
            if !waiting.is_empty() {
                let allocations = waiting.drain(..).collect();
                let place = self.put_answer(now, host, Answer { answers: slot, allocations, fate: None });
                let rack = self.rig.pod.rack(host) as usize;
                self.enter(now, self.answers_link(number, rack), place, queue);
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
        let known = |host: u16| {
            let delay = rig.delay(rig.to_host[usize::from(host)]);
            (timing.racks[rig.pod.rack(host) as usize] + slot + delay).saturating_sub(timing.hosts[usize::from(host)])
        };
        let longest = (0..rig.pod.hosts()).map(known).max().unwrap_or(Span::ZERO);
        longest.as_ps().div_ceil(slot.as_ps()) + 1
    }

    pub(crate) fn voters(config: &crate::Config) -> Vec<Voter> {
        vec![Voter::default(); if config.arbiters > 1 { 3 } else { 1 }]
    }
}
