//! How long a reconfiguration takes: the devices, with latencies between them (§6.6, Fig 6b).

use super::generator::{Choice, DemandDriven, Generator};
use super::plane::{ControlPlane, Plane};
use super::rack::{InFlight, Outcome, Rack};
use super::version::Version;
use super::wiring::Wiring;
use super::{Controller, ControllerSettings, CrosspointSettings, SocSettings};
use crate::demand::{Demand, External, index};
use crate::generate::crosspoints::Fabric;
use crate::generate::{Ties, Uplinks, generate};
use crate::graph::Port;
use engine::Seed;
use std::collections::BTreeMap;
use std::sync::Arc;
use units::{Span, Time};

/// How long things take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Latencies {
    /// To crosspoints and between them.
    pub control: ControlPlane,
    /// For a message to get from a SoC's agent to that of its neighbour.
    pub hop: Span,
    /// SoCs say hello to their neighbours once in this time.
    pub hello: Span,
    /// From a change of a circuit to the first frame of hosts over it; `None`: hosts are silent.
    pub first_frame: Option<Span>,
}

impl Latencies {
    /// The prototype's: a sequential bus of 1 ms and 40 us a crosspoint (§6.6). The paper states neither the latency of a hop, which
    /// its prototype has in software, nor how often neighbours are checked: 100 us and 10 ms. Under an all-to-all workload frames
    /// come over a new circuit at once.
    pub fn prototype() -> Latencies {
        Latencies {
            control: ControlPlane::default(),
            hop: Span::from_us(100),
            hello: Span::from_ms(10),
            first_frame: Some(Span::from_us(100)),
        }
    }
}

/// What happened when, counted from when the first crosspoint was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reconfiguration {
    /// Of the new configuration.
    pub version: Version,
    /// By crosspoint: its circuits are set.
    pub crosspoints: Vec<Span>,
    /// By SoC: its packet switch has the new tables (Fig 6b).
    pub socs: Vec<Span>,
}

impl Reconfiguration {
    /// When the last SoC had its tables.
    pub fn last(&self) -> Span {
        self.socs.iter().copied().max().unwrap_or(Span::ZERO)
    }
}

/// Runs a rack until a reconfiguration has reached all crosspoints and SoCs; `None` if that takes longer than `most`.
pub fn reconfigure<G: Generator>(rack: Rack<G>, latencies: Latencies, most: Span) -> Option<Reconfiguration> {
    let before = rack.crosspoints.iter().map(|crosspoint| crosspoint.active().version).max()?;
    let mut run = Run { rack, plane: Plane::new(latencies.control), latencies, agenda: BTreeMap::new(), serial: 0 };
    let mut crosspoints = vec![None; run.rack.crosspoints.len()];
    let mut socs = vec![None; run.rack.socs.len()];
    while let Some(now) = run.step() {
        if now > Time::ZERO + most {
            return None;
        }
        note(&mut crosspoints, now, run.rack.crosspoints.iter().map(|at| at.active().version > before));
        note(&mut socs, now, run.rack.socs.iter().map(|soc| soc.version() > before));
        let all = |times: &[Option<Time>]| times.iter().copied().collect::<Option<Vec<Time>>>();
        if let (Some(crosspoints), Some(socs)) = (all(&crosspoints), all(&socs)) {
            let first = crosspoints.iter().copied().min()?;
            let since = |times: Vec<Time>| times.into_iter().map(|time| time.since(first)).collect();
            let version = run.rack.crosspoints[0].active().version;
            return Some(Reconfiguration { version, crosspoints: since(crosspoints), socs: since(socs) });
        }
    }
    None
}

fn note(times: &mut [Option<Time>], now: Time, done: impl Iterator<Item = bool>) {
    for (time, _) in times.iter_mut().zip(done).filter(|(time, done)| time.is_none() && *done) {
        *time = Some(now);
    }
}

/// The experiment of Fig 6b: 27 servers of 6 ports with 4 uplinks, an all-to-all workload with some pairs that exchange more; the
/// controller starts, asks, and reconfigures once. The rack has been cabled for uniform demand, not as a torus, which one
/// crosspoint a port cannot make. The streams are `xfabric.fixed` and `xfabric.timeline`.
///
/// # Errors
/// If the rack does not get there within ten seconds.
pub fn prototype(latencies: Latencies, seed: Seed) -> Result<Reconfiguration, NotReconfigured> {
    let (socs, uplinks) = (27, 4);
    let fabric = Fabric::port_by_port(socs, 6).expect("a rack of this size").with_fixed_circuits(seed);
    let uniform = Demand::none(socs).expect("a rack of this size");
    let cabling = generate(&fabric, &uniform, Ties::Shuffled(1)).expect("demand and fabric are of one size");
    let placed = Uplinks::place(&External::none(socs), uplinks).expect("there are more SoCs than uplinks");
    let wiring = Arc::new(Wiring::new(fabric, uplinks));
    let choice = Choice { circuits: cabling.circuits, uplinks: Some(placed) };
    let settings =
        (SocSettings { hello: latencies.hello, misses: 3 }, CrosspointSettings { retry: Span::from_ms(100), tries: 3 });
    let mut rack = Rack::running(wiring.clone(), &choice, Version(1), settings, Time::ZERO);
    let mut pick = seed.stream("xfabric.timeline", 0);
    for (from, soc) in (0..socs).zip(&mut rack.socs) {
        for to in (0..socs).filter(|&to| to != from) {
            soc.count_sent(to, if pick.below(8) == 0 { 100_000_000 } else { 1_000_000 });
        }
    }
    let generator = DemandDriven::new(&wiring, 0.5, &[0, 1, 2], Ties::Shuffled(1)).expect("the weight is a share");
    let waits = ControllerSettings { period: Span::from_ms(1000), retry: Span::from_ms(100), tries: 3 };
    rack.controllers.insert(0, Controller::new(0, wiring, waits, generator, Time::ZERO));
    reconfigure(rack, latencies, Span::from_ms(10_000)).ok_or(NotReconfigured)
}

/// Latencies so long that nobody answers in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the rack was not reconfigured within 10 s; answers have to come within 100 ms")]
pub struct NotReconfigured;

enum Event {
    Arrives(InFlight),
    Hears(Port),
}

struct Run<G> {
    rack: Rack<G>,
    latencies: Latencies,
    plane: Plane,
    /// By time, and then by the order in which they were put in.
    agenda: BTreeMap<(Time, u64), Event>,
    serial: u64,
}

impl<G: Generator> Run<G> {
    /// Takes the next event: when it was.
    fn step(&mut self) -> Option<Time> {
        let set: Vec<Version> = self.rack.crosspoints.iter().map(|at| at.active().version).collect();
        let timer = self.timer();
        let mut outcome = Outcome::default();
        let on_plane = self.plane.deadline();
        let message = self.agenda.first_key_value().map(|(&(at, _), _)| at).into_iter().chain(on_plane).min();
        let now = match (message, timer) {
            (Some(at), timer) if timer.is_none_or(|(expires, _)| at <= expires) => {
                let event = if on_plane == Some(at) {
                    self.plane.expire(at).map(Event::Arrives)
                } else {
                    self.agenda.pop_first().map(|(_, event)| event)
                };
                // On the plane an exchange may only have begun.
                let Some(event) = event else { return Some(at) };
                match event {
                    Event::Arrives(message) => self.rack.deliver(at, message, &mut outcome),
                    Event::Hears(port) => self.rack.hear(at, port, &mut outcome),
                }
                at
            }
            (_, timer) => {
                let (at, machine) = timer?;
                match machine {
                    Machine::Soc(soc) => self.rack.expire_soc(at, soc, &mut outcome),
                    Machine::Crosspoint(number) => self.rack.expire_crosspoint(at, number, &mut outcome),
                    Machine::Controller(soc) => self.rack.expire_controller(at, soc, &mut outcome),
                }
                at
            }
        };
        for sent in outcome.sent {
            if matches!(sent, InFlight::Link { .. }) {
                self.put(now + self.latencies.hop, Event::Arrives(sent));
            } else {
                self.plane.send(now, sent);
            }
        }
        for (crosspoint, before) in (0..).zip(set) {
            if self.rack.crosspoints[index(crosspoint)].active().version > before {
                self.frames_follow(now, crosspoint);
            }
        }
        Some(now)
    }

    /// Hosts send over new circuits.
    fn frames_follow(&mut self, now: Time, crosspoint: u32) {
        let Some(after) = self.latencies.first_frame else { return };
        for local in 0..self.rack.wiring().ports(crosspoint) {
            if let Some(port) = self.rack.wiring().socket(crosspoint, local) {
                self.put(now + after, Event::Hears(port));
            }
        }
    }

    fn put(&mut self, at: Time, event: Event) {
        self.agenda.insert((at, self.serial), event);
        self.serial += 1;
    }

    /// The timer that fires next; of several at once a SoC's first, then a crosspoint's.
    fn timer(&self) -> Option<(Time, Machine)> {
        let socs = self.rack.socs.iter().filter_map(|soc| Some((soc.deadline()?, Machine::Soc(soc.soc()))));
        let crosspoints =
            self.rack.crosspoints.iter().filter_map(|at| Some((at.deadline()?, Machine::Crosspoint(at.number()))));
        let controllers =
            self.rack.controllers.values().filter_map(|at| Some((at.deadline()?, Machine::Controller(at.soc()))));
        socs.chain(crosspoints).chain(controllers).min()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Machine {
    Soc(u32),
    Crosspoint(u32),
    Controller(u32),
}
