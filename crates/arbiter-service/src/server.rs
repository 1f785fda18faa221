//! An arbiter among addresses: datagrams in, datagrams out, and what is counted. It owns no clock and no socket.

#[cfg(test)]
mod tests;

use crate::journal::Journal;
use crate::metrics::{ArbiterMetrics, Latencies, Role};
use crate::outbox::Outbox;
use crate::wire::{Codec, Given, MOST_GIVEN, Message, Reason, WireError};
use arbiter::Slot;
use arbiter::control::{self, Action, Allocation, Arbiter, Epoch, RequestError, SettingsError};
use std::net::SocketAddr;
use std::time::Duration;
use units::Span;

/// Datagrams for one of the others that is to take over are repeated so often within the patience of an arbiter.
const CALLS: u64 = 8;

/// An arbiter with the addresses of everybody else.
#[derive(Debug)]
pub struct Server {
    arbiter: Arbiter,
    outbox: Outbox,
    actions: Vec<Action>,
    hosts: Vec<Option<SocketAddr>>,
    voters: Vec<SocketAddr>,
    peers: Vec<SocketAddr>,
    patience: u64,
    now: Slot,
    /// Whether it was in charge when the slot before began.
    was_active: bool,
    /// The latest epoch of another that it has heard a beat of.
    heard: Epoch,
    retiring: Option<Retiring>,
    /// What each host is to be sent, for which hosts there is something, and since when the first of them have waited for it.
    given: Vec<Vec<Given>>,
    touched: Vec<u16>,
    waited: Vec<Duration>,
    /// Slots whose allocations travel together, and when some were last sent.
    gather: u64,
    sent: Slot,
    /// For each pair: slots that have ever been requested, and since when the first of them waits that has not been given.
    waiting: Vec<(u64, Option<Duration>)>,
    metrics: ArbiterMetrics,
    latencies: Latencies,
    journal: Journal,
}

/// Another arbiter is to take over.
#[derive(Debug, Clone, Copy)]
struct Retiring {
    since: Slot,
    /// Whether one has done so.
    is_followed: bool,
}

impl Server {
    /// An arbiter on standby, which is to send its datagrams in this format, allocations of `gather` slots together. Voters and peers are its own by
    /// their addresses.
    ///
    /// # Errors
    /// [`SettingsError`] if the settings contradict each other.
    pub fn new(
        settings: control::Settings,
        codec: Codec,
        slot: Span,
        gather: u64,
        voters: Vec<SocketAddr>,
        peers: Vec<SocketAddr>,
        now: Slot,
    ) -> Result<Server, SettingsError> {
        let (hosts, patience) = (settings.pod.hosts(), settings.patience);
        let arbiter = Arbiter::new(settings, now)?;
        let count = usize::from(hosts);
        Ok(Server {
            arbiter,
            outbox: Outbox::new(codec),
            actions: Vec::new(),
            hosts: vec![None; count],
            voters,
            peers,
            patience,
            now,
            was_active: false,
            heard: Epoch::default(),
            retiring: None,
            given: vec![Vec::new(); count],
            touched: Vec::new(),
            waited: Vec::new(),
            gather,
            sent: now,
            waiting: vec![(0, None); count * count],
            metrics: ArbiterMetrics { hosts, slot_ps: slot.as_ps(), ..ArbiterMetrics::default() },
            latencies: Latencies::default(),
            journal: Journal::default(),
        })
    }

    /// It is this slot now; `at` is any clock that goes forward, for latencies. Slots may be left out.
    pub fn on_slot(&mut self, at: Duration, now: Slot) {
        if now <= self.now {
            return;
        }
        let behind = now.since(self.now) - 1;
        self.metrics.slots_behind += behind;
        self.metrics.most_slots_behind = self.metrics.most_slots_behind.max(behind);
        let role = self.arbiter.role();
        if self.was_active && role == control::Role::Active {
            self.metrics.slots_lost += now.plus(1).since(self.arbiter.upcoming()).min(now.since(self.now));
        }
        self.was_active = role == control::Role::Active;
        self.now = now;
        self.arbiter.advance(now, &mut self.actions);
        self.act(false);
        if now.since(self.sent) >= self.gather || self.retiring.is_some() {
            self.sent = now;
            self.send_allocations(at);
        }
        self.tell(role);
        self.call_successor();
    }

    /// A datagram has come, at this time and slot.
    pub fn on_datagram(&mut self, at: Duration, from: SocketAddr, content: Result<Message, WireError>) {
        let role = self.arbiter.role();
        // What a request brings about at once is what its host should have by now.
        let is_repair = matches!(content, Ok(Message::Requests { .. }));
        match content {
            Ok(ref message @ Message::Requests { source, .. }) => self.on_requests(at, from, source, message),
            Ok(Message::Vote { voter, vote }) => {
                if self.voters.get(usize::from(voter)) != Some(&from) {
                    self.on_stranger(at, from, "votes");
                } else {
                    match vote {
                        control::Vote::Granted { .. } => self.metrics.votes_granted += 1,
                        control::Vote::Refused { .. } => self.metrics.votes_refused += 1,
                    }
                    // One that retires takes what it had asked for before, and hands that out though another one is in charge.
                    if self.retiring.is_none() || matches!(vote, control::Vote::Granted { .. }) {
                        self.arbiter.on_vote(voter, vote, &mut self.actions);
                    }
                }
            }
            Ok(Message::Beat(beat)) => {
                if !self.peers.contains(&from) {
                    self.on_stranger(at, from, "sends beats");
                } else {
                    self.metrics.beats_heard += 1;
                    self.heard = self.heard.max(beat.epoch);
                    match &mut self.retiring {
                        // Its slots are its own until its lease ends: it hands them out to the last.
                        Some(retiring) => retiring.is_followed |= beat.epoch > self.arbiter.epoch(),
                        None => self.arbiter.on_beat(beat),
                    }
                }
            }
            Ok(Message::TakeOver { epoch }) => {
                if !self.peers.contains(&from) {
                    self.on_stranger(at, from, "hands over");
                } else if self.retiring.is_none() && epoch >= self.heard && role == control::Role::Standby {
                    self.journal.note(format!("{from} hands over"));
                    self.arbiter.on_beat(control::Beat { epoch });
                    self.arbiter.take_over(&mut self.actions);
                }
            }
            Ok(Message::Ask { .. } | Message::Allocations { .. } | Message::Refusal { .. }) => {
                self.metrics.misplaced += 1;
                let text = || format!("{from} sends what is not for an arbiter; it was dropped");
                self.journal.note_one_of("misplaced", at, text);
            }
            Err(error) => {
                let kind = self.metrics.malformed.count(&error);
                self.journal.note_one_of(kind, at, || format!("{from}: {error}; it was dropped"));
                if let WireError::SlotLength { is_request: true, .. } = error {
                    let reason = Reason::SlotLength;
                    self.outbox.put(from, &Message::Refusal { source: 0, destination: 0, reason });
                }
            }
        }
        self.act(is_repair);
        if is_repair {
            self.send_allocations(at);
        }
        self.tell(role);
    }

    fn on_requests(&mut self, at: Duration, from: SocketAddr, source: u16, message: &Message) {
        self.metrics.request_datagrams += 1;
        let mut refused = None;
        let hosts = self.metrics.hosts;
        for request in message.requests() {
            self.metrics.requests += 1;
            match self.arbiter.on_request(request, &mut self.actions) {
                Ok(()) => {
                    let address = &mut self.hosts[usize::from(source)];
                    self.metrics.hosts_heard += u16::from(address.is_none());
                    *address = Some(from);
                    // On standby it has heard nothing: what is wanted counts from when it is in charge.
                    if self.arbiter.role() == control::Role::Active {
                        let pair = usize::from(source) * usize::from(hosts) + usize::from(request.destination);
                        let (requested, since) = &mut self.waiting[pair];
                        if request.requested > *requested && since.is_none() {
                            *since = Some(at);
                        }
                        // One that counts less than before has begun again.
                        *requested = request.requested;
                    }
                }
                Err(error) => refused = Some((request.destination, error)),
            }
        }
        let Some((destination, error)) = refused else { return };
        let counts = &mut self.metrics.refused;
        let (counter, kind, reason) = match error {
            RequestError::UnknownHost { hosts, .. } => {
                (&mut counts.unknown_host, "unknown host", Reason::UnknownHost { hosts })
            }
            RequestError::ToItself { .. } => (&mut counts.to_itself, "to itself", Reason::ToItself),
            RequestError::FromTheFuture { now, .. } => {
                (&mut counts.from_the_future, "from the future", Reason::FromTheFuture { now })
            }
        };
        *counter += 1;
        self.journal.note_one_of(kind, at, || format!("{from}: {error}; it was refused"));
        self.outbox.put(from, &Message::Refusal { source, destination, reason });
    }

    fn on_stranger(&mut self, at: Duration, from: SocketAddr, does: &'static str) {
        self.metrics.strangers += 1;
        let text = || format!("{from} {does}, but is none of the addresses that were given; it was not heard");
        self.journal.note_one_of(does, at, text);
    }

    /// Puts what the arbiter wants sent into datagrams.
    fn act(&mut self, is_repair: bool) {
        let mut actions = std::mem::take(&mut self.actions);
        let hosts = usize::from(self.metrics.hosts);
        for action in actions.drain(..) {
            match action {
                Action::Allocate(Allocation { slot, source, destination, path, .. }) => {
                    if is_repair {
                        self.metrics.resends += 1;
                    } else {
                        self.metrics.allocations += 1;
                        let (_, since) = &mut self.waiting[usize::from(source) * hosts + usize::from(destination)];
                        self.waited.extend(since.take());
                    }
                    if self.given[usize::from(source)].is_empty() {
                        self.touched.push(source);
                    }
                    self.given[usize::from(source)].push(Given { slot, destination, path });
                }
                // One that retires lets its lease run out.
                Action::Ask(..) if self.retiring.is_some() => {}
                Action::Ask(voter, lease) => {
                    self.metrics.leases_asked += 1;
                    self.outbox.put(self.voters[usize::from(voter)], &Message::Ask { voter, lease });
                }
                Action::Beat(beat) => {
                    let mut first = true;
                    for &peer in &self.peers {
                        self.metrics.beats_sent += 1;
                        if std::mem::take(&mut first) {
                            self.outbox.put(peer, &Message::Beat(beat));
                        } else {
                            self.outbox.put_again(peer);
                        }
                    }
                }
            }
        }
        self.actions = actions;
    }

    /// Puts what has been given to hosts into datagrams.
    fn send_allocations(&mut self, at: Duration) {
        self.waited.drain(..).for_each(|since| self.latencies.record(at.saturating_sub(since)));
        let epoch = self.arbiter.epoch();
        for source in self.touched.drain(..) {
            let given = &mut self.given[usize::from(source)];
            let address = self.hosts[usize::from(source)].expect("only who has asked is given slots");
            for some in given.chunks(MOST_GIVEN) {
                self.metrics.allocation_datagrams += 1;
                self.outbox.put(address, &Message::Allocations { epoch, source, given: some.to_vec() });
            }
            given.clear();
        }
    }

    /// Tells of a change of its role.
    fn tell(&mut self, before: control::Role) {
        let (role, epoch) = (self.arbiter.role(), self.arbiter.epoch().number);
        if role == before {
            return;
        }
        self.journal.note(match role {
            control::Role::Standby if self.heard > self.arbiter.epoch() => {
                format!("on standby: arbiter {} is in charge, epoch {}", self.heard.arbiter, self.heard.number)
            }
            control::Role::Standby => "on standby: voters obey another arbiter".to_owned(),
            control::Role::Claiming => format!("asks voters for epoch {epoch}"),
            control::Role::Active => {
                self.metrics.times_in_charge += 1;
                format!("in charge, epoch {epoch}, from {} on; it is {}", self.arbiter.upcoming(), self.now)
            }
        });
    }

    /// It is to be in charge, whoever is now.
    pub fn take_charge(&mut self) {
        let role = self.arbiter.role();
        self.arbiter.take_over(&mut self.actions);
        self.act(false);
        self.tell(role);
    }

    /// It is to end: another one is to take over, if it is in charge and there is another.
    pub fn retire(&mut self) {
        if self.retiring.is_some() {
            return;
        }
        self.retiring = Some(Retiring { since: self.now, is_followed: false });
        if self.arbiter.role() == control::Role::Active && !self.peers.is_empty() {
            self.journal.note(format!("hands over; the slots before {} are still its own", self.arbiter.leased()));
            self.call_successor();
        }
    }

    /// One after another of the others is asked to take over, until one does.
    fn call_successor(&mut self) {
        let Some(Retiring { since, is_followed: false }) = self.retiring else { return };
        let (passed, pause) = (self.now.since(since), (self.patience / CALLS).max(1));
        if self.arbiter.role() != control::Role::Active || !passed.is_multiple_of(pause) {
            return;
        }
        let calls = passed / pause;
        // Each of them twice, for a datagram can be lost, before the next one: two that claim at once hinder each other.
        if let Some(&peer) = self.peers.get((calls / 2) as usize % self.peers.len().max(1)) {
            self.outbox.put(peer, &Message::TakeOver { epoch: self.arbiter.epoch() });
        }
    }

    /// Whether there is nothing more to do for one that retires: another one is in charge, or nobody took over in time, or it was not in charge itself.
    pub fn has_retired(&self) -> bool {
        let Some(Retiring { since, is_followed }) = self.retiring else { return false };
        let is_spent = self.arbiter.upcoming() >= self.arbiter.leased();
        let is_late = self.now.since(since) > self.patience.saturating_mul(4) + self.arbiter.leased().since(since);
        self.arbiter.role() != control::Role::Active || self.peers.is_empty() || is_spent && is_followed || is_late
    }

    /// What is to be sent.
    pub fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }

    /// What has happened since this was last asked.
    pub fn journal(&mut self) -> &mut Journal {
        &mut self.journal
    }

    /// What has been counted, as of now.
    pub fn metrics(&mut self, at: Duration) -> &mut ArbiterMetrics {
        self.metrics.role = match self.arbiter.role() {
            control::Role::Standby => Role::Standby,
            control::Role::Claiming => Role::Claiming,
            control::Role::Active if self.retiring.is_some() => Role::Retiring,
            control::Role::Active => Role::Active,
        };
        self.metrics.epoch = self.arbiter.epoch().number;
        self.metrics.slot = self.now.0;
        self.metrics.uptime_ns = at.as_nanos() as u64;
        self.metrics.latency = self.latencies.told();
        &mut self.metrics
    }
}
