//! A load: the hosts of a pod, each an [`Endpoint`], that ask arbiters for slots as a seed and a mean say, and look at what they are given.

mod collisions;
#[cfg(test)]
mod tests;

use crate::clock::Clock;
use crate::intake::Intake;
use crate::journal::Journal;
use crate::metrics::{Bin, Latencies, Latency, Malformed};
use crate::outbox::Outbox;
use crate::service::{PUBLISH, bind, no_socket};
use crate::settings::{self, Loading, PACKET, ServiceError};
use crate::task::{Shared, Stop, Task};
use crate::wire::{Codec, MOST_WANTS, Message, Reason, Want, WireError};
use ::settings::Flat;
use arbiter::control::{Endpoint, Taken};
use arbiter::{Slot, Transfer};
use collisions::Collisions;
use engine::{Seed, Stream};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

/// How long it waits for a first allocation.
const ANSWER: Duration = Duration::from_secs(5);
/// How long it waits, when no more demands come, for slots that are still wanted.
const DRAIN: Duration = Duration::from_secs(5);

/// What hosts asked for and were given.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[schemars(rename = "ArbiterLoad")]
pub struct LoadReport {
    /// Hosts of the pod.
    pub hosts: u16,
    /// How long a slot lasts, in picoseconds.
    pub slot_ps: u64,
    /// Share of its slots that a host asks for in the mean.
    pub load: f64,
    /// For how long demands came, in nanoseconds.
    pub elapsed_ns: u64,
    /// Slots that passed in that time.
    pub slots: u64,
    /// Demands that came: each some slots for one destination.
    pub demands: u64,
    /// Slots that hosts wanted.
    pub wanted: u64,
    /// Allocations that hosts took.
    pub allocations: u64,
    /// Allocations a second, while demands came.
    pub allocations_per_s: f64,
    /// Bits a second that could be sent in these slots, each as long as it is, at the rate of a host's link.
    pub allocated_bps: f64,
    /// Bits a second if each allocation is one packet of 1500 B, as Fastpass counts.
    pub packets_bps: f64,
    /// Slots that hosts want and do not have at the end.
    pub unmet: u64,
    /// Slots that hosts were given beyond what they wanted, as a takeover can bring about.
    pub surplus: u64,
    /// Slots with an allocation that a host used in time.
    pub used: u64,
    /// Slots with an allocation that had passed when the host's thread had its turn.
    pub missed: u64,
    /// Allocations that came too late for their slot, or too early to be held.
    pub out_of_reach: u64,
    /// Allocations that came once more.
    pub repeated: u64,
    /// Allocations that contradict one that the host has.
    pub contradictions: u64,
    /// Pairs of allocations, of all hosts, that use a link in one slot. There are none if arbiters are right.
    pub collisions: u64,
    /// Arbiters that hosts were given slots by, counted by epochs.
    pub epochs: u64,
    /// The most slots in a row, between the first and the last, for which no host was given an allocation.
    pub longest_gap: u64,
    /// Datagrams of requests that were sent, one for each arbiter.
    pub request_datagrams: u64,
    /// Datagrams of allocations that came.
    pub allocation_datagrams: u64,
    /// Datagrams that were refused, by what is wrong with them.
    pub malformed: Malformed,
    /// Datagrams that are not for a host.
    pub misplaced: u64,
    /// Datagrams that were dropped because too many waited.
    pub overruns: u64,
    /// Datagrams that the kernel dropped because the socket's buffer was full; null where it does not tell.
    pub kernel_drops: Option<u64>,
    /// Datagrams that the system would not send.
    pub send_failures: u64,
    /// From when a demand came until its host had the first allocation of it.
    pub allocation_latency: Latency,
    /// From when a demand came until the host had all allocations of it.
    pub demand_latency: Latency,
    /// The first of these as a histogram.
    pub allocation_histogram: Vec<Bin>,
}

/// Some slots for one destination.
#[derive(Debug, Clone, Copy)]
struct Demand {
    since: Duration,
    left: u64,
    is_begun: bool,
}

/// A host, and what it waits for.
#[derive(Debug)]
struct Host {
    endpoint: Endpoint,
    random: Stream,
    /// The next demand, in slots after the first one.
    next: f64,
    /// What has been left over of demands that are no whole slots.
    over: f64,
    waiting: BTreeMap<u16, VecDeque<Demand>>,
    /// When it last asked.
    asked: Slot,
    is_urgent: bool,
}

/// All hosts.
#[derive(Debug)]
struct Hosts {
    loading: Loading,
    began: Slot,
    now: Slot,
    hosts: Vec<Host>,
    outbox: Outbox,
    collisions: Collisions,
    report: LoadReport,
    allocation: Latencies,
    demand: Latencies,
    epochs: Vec<(u64, u8)>,
    journal: Journal,
    /// Whether new demands come.
    is_open: bool,
}

impl Hosts {
    fn new(loading: Loading, codec: Codec, now: Slot) -> Hosts {
        let (count, seed) = (loading.pod.hosts(), Seed(loading.settings.seed));
        let host = |number: u16| {
            let mut random = seed.stream("arbiter-load", number.into());
            let next = interval(&loading, &mut random);
            let endpoint = Endpoint::new(number, count, now);
            Host { endpoint, random, next, over: 0.0, waiting: BTreeMap::new(), asked: now, is_urgent: false }
        };
        let hosts = (0..count).map(host).collect();
        let report = LoadReport {
            hosts: count,
            slot_ps: loading.settings.slot.as_ps(),
            load: loading.settings.load,
            ..LoadReport::default()
        };
        Hosts {
            collisions: Collisions::new(loading.pod.clone()),
            loading,
            began: now,
            now,
            hosts,
            outbox: Outbox::new(codec),
            report,
            allocation: Latencies::default(),
            demand: Latencies::default(),
            epochs: Vec::new(),
            journal: Journal::default(),
            is_open: true,
        }
    }

    /// It is this slot now: hosts send, want more, and ask.
    fn on_slot(&mut self, at: Duration, now: Slot) {
        if now <= self.now {
            return;
        }
        // A host holds allocations for 64 slots at most.
        let first = self.now.plus(1).max(Slot(now.0.saturating_sub(64)));
        for number in first.0..=now.0 {
            for host in &mut self.hosts {
                if host.endpoint.advance(Slot(number)).is_some() {
                    if number == now.0 {
                        self.report.used += 1;
                    } else {
                        self.report.missed += 1;
                    }
                }
            }
        }
        self.now = now;
        self.collisions.forget_before(Slot(now.0.saturating_sub(64)));
        for source in 0..self.hosts.len() {
            if self.is_open {
                self.want_more(at, source);
            }
            self.ask(source);
        }
    }

    /// Demands whose time has come, as in Fastpass's own benchmark: exponential intervals and sizes, random destinations.
    fn want_more(&mut self, at: Duration, source: usize) {
        let (count, slots) = (self.hosts.len() as u64, self.now.since(self.began) as f64);
        let host = &mut self.hosts[source];
        while host.next < slots {
            host.next += interval(&self.loading, &mut host.random);
            host.over += host.random.exponential(self.loading.settings.demand);
            let wanted = host.over as u64;
            host.over -= wanted as f64;
            let destination = (source as u64 + 1 + host.random.below(count - 1)) % count;
            if wanted > 0 {
                let destination = destination as u16;
                host.endpoint.want(destination, wanted);
                let demand = Demand { since: at, left: wanted, is_begun: false };
                host.waiting.entry(destination).or_default().push_back(demand);
                host.is_urgent = true;
                self.report.demands += 1;
                self.report.wanted += wanted;
            }
        }
    }

    /// A host asks if it wants more than before, or has waited long enough.
    fn ask(&mut self, source: usize) {
        let host = &mut self.hosts[source];
        if !host.is_urgent && self.now.since(host.asked) < self.loading.settings.repeat {
            return;
        }
        host.asked = self.now;
        host.is_urgent = false;
        let mut requests = host.endpoint.requests().peekable();
        let source = source as u16;
        while let Some(&first) = requests.peek() {
            let some = requests.by_ref().take(MOST_WANTS);
            let want = |of: arbiter::control::Request| Want {
                destination: of.destination,
                requested: of.requested,
                granted: of.granted,
            };
            let wants = some.map(want).collect();
            let message = Message::Requests { source, slot: first.slot, held: first.held, wants };
            for (number, &arbiter) in self.loading.arbiters.iter().enumerate() {
                self.report.request_datagrams += 1;
                if number == 0 {
                    self.outbox.put(arbiter, &message);
                } else {
                    self.outbox.put_again(arbiter);
                }
            }
        }
    }

    /// A datagram has come.
    ///
    /// # Errors
    /// An arbiter refuses what a host of this pod asks.
    fn on_datagram(
        &mut self,
        at: Duration,
        from: SocketAddr,
        content: Result<Message, WireError>,
    ) -> Result<(), ServiceError> {
        match content {
            Ok(Message::Allocations { epoch, source, given }) => {
                self.report.allocation_datagrams += 1;
                let epoch_of = (epoch.number, epoch.arbiter);
                if !self.epochs.contains(&epoch_of) {
                    self.epochs.push(epoch_of);
                    self.journal.note(format!("{from} hands out slots, epoch {}", epoch.number));
                }
                for given in given {
                    let allocation = given.allocation(epoch, source);
                    let Some(host) = self.hosts.get_mut(usize::from(source)) else {
                        self.report.contradictions += 1;
                        continue;
                    };
                    match host.endpoint.handle(allocation) {
                        Taken::Held => {
                            let transfer = Transfer { source, destination: given.destination };
                            self.collisions.add(given.slot, transfer, given.path);
                            self.take(at, source, given.destination);
                        }
                        Taken::Again => self.report.repeated += 1,
                        Taken::OutOfReach => self.report.out_of_reach += 1,
                        Taken::Contradiction => self.report.contradictions += 1,
                    }
                }
                Ok(())
            }
            Ok(Message::Refusal { source, destination, reason }) => {
                let reason = match reason {
                    // That is a matter of clocks and passes with the next slot.
                    Reason::FromTheFuture { now } => {
                        let text = || format!("{from}: host {source} asks as of a slot after {now}");
                        self.journal.note_one_of("from the future", at, text);
                        return Ok(());
                    }
                    Reason::UnknownHost { hosts } => {
                        format!("host {source} asks for slots to host {destination}, but hosts are 0..{hosts} there")
                    }
                    Reason::ToItself => format!("host {source} asks for slots to itself"),
                    Reason::SlotLength => "its slots are of another length".to_owned(),
                };
                Err(ServiceError::Refused { address: from, reason })
            }
            Err(error @ WireError::SlotLength { .. }) if self.loading.arbiters.contains(&from) => {
                Err(ServiceError::Refused { address: from, reason: error.to_string() })
            }
            Ok(
                Message::Requests { .. }
                | Message::Ask { .. }
                | Message::Vote { .. }
                | Message::Beat(_)
                | Message::TakeOver { .. },
            ) => {
                self.report.misplaced += 1;
                Ok(())
            }
            Err(error) => {
                let kind = self.report.malformed.count(&error);
                self.journal.note_one_of(kind, at, || format!("{from}: {error}; it was dropped"));
                Ok(())
            }
        }
    }

    /// A host has been given a slot.
    fn take(&mut self, at: Duration, source: u16, destination: u16) {
        self.report.allocations += 1;
        let Host { endpoint, waiting, .. } = &mut self.hosts[usize::from(source)];
        let waiting = waiting.entry(destination).or_default();
        let Some(demand) = waiting.front_mut() else {
            // It goes by unused, and must not count as given for what is wanted later.
            self.report.surplus += 1;
            endpoint.want(destination, 1);
            return;
        };
        let took = at.saturating_sub(demand.since);
        if !std::mem::replace(&mut demand.is_begun, true) {
            self.allocation.record(took);
        }
        demand.left -= 1;
        if demand.left == 0 {
            self.demand.record(took);
            waiting.pop_front();
        }
    }

    /// Slots that hosts want and have not been given.
    fn unmet(&self) -> u64 {
        let waiting = self.hosts.iter().flat_map(|host| host.waiting.values().flatten());
        waiting.map(|demand| demand.left).sum()
    }

    /// What there is to tell by now.
    fn report(&mut self, at: Duration) -> LoadReport {
        let report = &mut self.report;
        if self.is_open {
            report.elapsed_ns = at.as_nanos() as u64;
            report.slots = self.now.since(self.began);
            let seconds = at.as_secs_f64().max(1e-9);
            report.allocations_per_s = report.allocations as f64 / seconds;
            let settings = &self.loading.settings;
            let slot_bits = settings.rate.as_bps() as f64 * settings.slot.as_secs_f64();
            report.allocated_bps = report.allocations_per_s * slot_bits;
            report.packets_bps = report.allocations_per_s * PACKET.bits() as f64;
        }
        report.collisions = self.collisions.found();
        report.longest_gap = self.collisions.longest_gap();
        report.epochs = self.epochs.len() as u64;
        report.allocation_latency = self.allocation.told();
        report.demand_latency = self.demand.told();
        let unmet = self.unmet();
        self.report.unmet = unmet;
        self.report.clone()
    }
}

/// Slots until a host's next demand.
fn interval(loading: &Loading, random: &mut Stream) -> f64 {
    let load = loading.settings.load;
    if load == 0.0 { f64::INFINITY } else { random.exponential(loading.settings.demand / load) }
}

/// Starts a load: [`Load`](crate::Load) as settings of a command line. It ends by itself.
///
/// # Errors
/// [`ServiceError`]: a setting cannot be, or the address cannot be had.
pub fn load(given: &Flat) -> Result<Task<LoadReport>, ServiceError> {
    let loading = settings::loading(given)?;
    let codec = Codec::new(loading.key, loading.settings.slot);
    let (socket, address) = bind(loading.listen)?;
    let intake = Intake::start(&socket, codec.clone()).map_err(|error| no_socket(address, &error))?;
    let mut clock = Clock::new(loading.settings.slot);
    let (now, _) = clock.slot();
    let mut hosts = Hosts::new(loading, codec, now);
    let report = hosts.report(Duration::ZERO);
    let run = move |shared: &Shared<LoadReport>| ask(shared, &socket, &intake, &mut clock, &mut hosts);
    Task::start("load", report, run).map_err(|error| no_socket(address, &error))
}

/// The loop of a load.
fn ask(
    shared: &Shared<LoadReport>,
    socket: &UdpSocket,
    intake: &Intake,
    clock: &mut Clock,
    hosts: &mut Hosts,
) -> Result<(), ServiceError> {
    let duration = Duration::from_nanos(hosts.loading.settings.duration.as_ps() / 1000);
    let (mut published, mut received) = (clock.elapsed(), Vec::new());
    loop {
        let (_, left) = clock.slot();
        intake.gather(left.min(PUBLISH), &mut received);
        let ((now, _), at) = (clock.slot(), clock.elapsed());
        if hosts.is_open && (at >= duration || shared.stop() != Stop::No) {
            hosts.report(at);
            hosts.is_open = false;
        }
        // What has come is known before hosts ask again.
        let outcome = received.drain(..).try_for_each(|received| {
            let came = at.saturating_sub(received.at.elapsed());
            hosts.on_datagram(came, received.from, received.content)
        });
        hosts.on_slot(at, now);
        let (failures, why) = hosts.outbox.send(socket);
        if let Some(error) = why {
            hosts.report.send_failures += failures;
            hosts.journal.note_one_of("send", at, || format!("{failures} datagrams were not sent: {error}"));
        }
        let ended = outcome.and_then(|()| has_ended(shared, hosts, at));
        let is_over = !matches!(ended, Ok(false));
        if is_over || at.saturating_sub(published) >= PUBLISH {
            published = at;
            let mut report = hosts.report(at);
            (report.overruns, report.kernel_drops) = (intake.overruns(), intake.kernel_drops());
            if is_over {
                report.allocation_histogram = hosts.allocation.bins();
            }
            shared.publish(report, hosts.journal.take());
        }
        if is_over {
            return ended.map(|_| ());
        }
    }
}

/// Whether there is nothing more to wait for.
fn has_ended(shared: &Shared<LoadReport>, hosts: &Hosts, at: Duration) -> Result<bool, ServiceError> {
    if hosts.report.allocations == 0 && hosts.report.demands > 0 && at >= ANSWER {
        let addresses: Vec<String> = hosts.loading.arbiters.iter().map(SocketAddr::to_string).collect();
        return Err(ServiceError::NoAnswer { addresses: addresses.join(","), seconds: ANSWER.as_secs() });
    }
    if hosts.is_open || shared.stop() == Stop::Now {
        return Ok(!hosts.is_open);
    }
    let until = Duration::from_nanos(hosts.report.elapsed_ns) + DRAIN;
    Ok(hosts.unmet() == 0 || at >= until)
}
