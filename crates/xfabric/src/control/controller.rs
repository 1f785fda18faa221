//! The controller (§3, §4): it asks SoCs what they send, has a topology made, distributes it, and commands the change.
//!
//! All its state is soft. One that starts, on whatever SoC, takes an epoch from all crosspoints, learns from them what is set,
//! completes a reconfiguration that its predecessor left half-way, and goes on.

mod phases;
mod view;

use super::generator::Generator;
use super::message::{Answer, Body, Command, LinkMessage, PortMap, Setting};
use super::version::{Epoch, Version};
use super::wiring::Wiring;
use crate::forwarding::Update;
use crate::graph::Port;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use units::{Span, Time};

/// How long a controller waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ControllerSettings {
    /// From the start of one round to the start of the next: the paper's `t` (§3).
    pub period: Span,
    /// Messages that have not been answered are repeated after this time.
    pub retry: Span,
    /// So many times a message is sent; then its receiver counts as broken.
    pub tries: u32,
}

/// What a [`Controller`] wants done.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ControllerOutput {
    /// Send this to a crosspoint, over the control plane.
    Command {
        /// Its number.
        crosspoint: u32,
        /// What to send.
        command: Command,
    },
    /// Hand this to the agent of the controller's SoC: [`super::SocAgent::inject`].
    Inject(LinkMessage),
    /// For who watches.
    Note(Note),
}

/// What has come about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Note {
    /// All crosspoints that answer obey this controller.
    TookOver(Epoch),
    /// A round found nothing to change.
    Unchanged(Version),
    /// All crosspoints that answer have set this version, and the flood has begun.
    Reconfigured(Version),
    /// A SoC does not answer: topologies leave it out until [`Controller::readmit`].
    SocFailed(u32),
    /// Neighbours do not hear each other over the link on this port: topologies leave it out, as well as the port at its other end.
    LinkFailed(Port),
    /// A crosspoint does not answer: topologies leave it out until it does.
    CrosspointFailed(u32),
    /// Another controller has taken over; this one stops.
    Superseded(Epoch),
}

/// What a controller is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Takes an epoch, and learns what is set.
    Taking,
    /// Has crosspoints set what its predecessor had others set.
    Finishing(Version),
    /// Waits for the next round.
    Resting,
    /// Asks SoCs for their demand.
    Gathering,
    /// Sends maps and tables.
    Distributing,
    /// Has crosspoints set them.
    Commanding,
    /// Sends tables to SoCs that could not be reached before.
    Delivering,
    /// Has been superseded.
    Stopped,
}

/// What a crosspoint said of itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Known {
    active: Setting,
    pending: Option<Setting>,
}

/// The controller.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Controller<G> {
    soc: u32,
    wiring: Arc<Wiring>,
    settings: ControllerSettings,
    generator: G,
    epoch: Epoch,
    /// The latest that it has used.
    version: Version,
    /// By crosspoint; `None` if it does not answer.
    known: Vec<Option<Known>>,
    failed_socs: BTreeSet<u32>,
    failed_ports: BTreeSet<Port>,
    phase: Phase,
    /// Crosspoints that have still to answer.
    crosspoints_left: BTreeSet<u32>,
    /// SoCs that have still to answer.
    socs_left: BTreeSet<u32>,
    /// How often those left have been sent their message.
    tries: u32,
    deadline: Option<Time>,
    round: u32,
    round_began: Time,
    /// By SoC that has answered in this round: the version it uses, the ports on which it hears nobody.
    reports: BTreeMap<u32, (Version, u16)>,
    /// What is being distributed: by crosspoint and by SoC.
    maps: Vec<PortMap>,
    updates: Vec<Update>,
    /// SoCs that no circuit reaches before the reconfiguration.
    unreached: BTreeSet<u32>,
    /// By SoC: the gateway in its latest tables.
    gateways: Vec<Option<u32>>,
}

impl<G: Generator> Controller<G> {
    /// A controller on this SoC that has just started and knows nothing. It begins at its first [`Controller::expire`].
    pub fn new(soc: u32, wiring: Arc<Wiring>, settings: ControllerSettings, generator: G, now: Time) -> Controller<G> {
        let crosspoints = wiring.crosspoints();
        Controller {
            soc,
            wiring,
            settings,
            generator,
            epoch: Epoch::after(Epoch::default(), soc),
            version: Version::NONE,
            known: vec![None; crosspoints as usize],
            failed_socs: BTreeSet::new(),
            failed_ports: BTreeSet::new(),
            phase: Phase::Taking,
            crosspoints_left: (0..crosspoints).collect(),
            socs_left: BTreeSet::new(),
            tries: 0,
            deadline: Some(now),
            round: 0,
            round_began: now,
            reports: BTreeMap::new(),
            maps: Vec::new(),
            updates: Vec::new(),
            unreached: BTreeSet::new(),
            gateways: Vec::new(),
        }
    }

    /// The SoC that it runs on.
    pub fn soc(&self) -> u32 {
        self.soc
    }
    /// What it is doing.
    pub fn phase(&self) -> Phase {
        self.phase
    }
    /// Its epoch, as far as crosspoints have granted it.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }
    /// What makes its topologies.
    pub fn generator(&self) -> &G {
        &self.generator
    }
    /// SoCs that topologies leave out.
    pub fn failed_socs(&self) -> &BTreeSet<u32> {
        &self.failed_socs
    }
    /// Ports that topologies leave out, those of failed SoCs and crosspoints apart.
    pub fn failed_ports(&self) -> &BTreeSet<Port> {
        &self.failed_ports
    }

    /// A SoC has been repaired, with its links: topologies include it again, from the next round on.
    pub fn readmit(&mut self, soc: u32) {
        self.failed_socs.remove(&soc);
        self.failed_ports.retain(|port| port.soc != soc);
    }
    /// A port has been repaired: topologies include it again, from the next round on.
    pub fn readmit_port(&mut self, port: Port) {
        self.failed_ports.remove(&port);
    }

    /// A crosspoint's answer.
    pub fn answer(&mut self, now: Time, answer: Answer, out: &mut Vec<ControllerOutput>) {
        match answer {
            Answer::Status { crosspoint, promised, granted, active, pending } => {
                self.status(now, crosspoint, (promised, granted), Known { active, pending }, out);
            }
            Answer::Stored { crosspoint, version } => {
                self.is_loaded(crosspoint, version);
                self.advance(now, out);
            }
            Answer::Reconfigured { crosspoint, version } => {
                self.is_set(crosspoint, version);
                self.advance(now, out);
            }
        }
    }

    /// What the agent of its SoC has for it: [`super::SocOutput::Controller`].
    pub fn receive(&mut self, now: Time, body: Body, out: &mut Vec<ControllerOutput>) {
        match body {
            Body::Report(report) => {
                let current = (self.epoch, self.round) == (report.epoch, report.round);
                if self.phase == Phase::Gathering && current && self.socs_left.remove(&report.soc) {
                    self.generator.report(report.soc, &report.demand);
                    self.reports.insert(report.soc, (report.active, report.silent));
                    self.advance(now, out);
                }
            }
            Body::Stored { soc, version } => {
                if matches!(self.phase, Phase::Distributing | Phase::Delivering) && version == self.version {
                    self.socs_left.remove(&soc);
                    self.advance(now, out);
                }
            }
            Body::Query { .. } | Body::Map { .. } => {}
        }
    }

    /// When [`Controller::expire`] is to be called.
    pub fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// Begins the next round, or repeats what has not been answered, or gives it up, if it is time to.
    pub fn expire(&mut self, now: Time, out: &mut Vec<ControllerOutput>) {
        if self.deadline.is_none_or(|at| now < at) {
            return;
        }
        match self.phase {
            Phase::Stopped => self.deadline = None,
            Phase::Resting => self.gather(now, out),
            Phase::Taking
            | Phase::Finishing(_)
            | Phase::Gathering
            | Phase::Distributing
            | Phase::Commanding
            | Phase::Delivering => {
                if self.tries < self.settings.tries {
                    self.send(now, out);
                } else {
                    self.give_up(now, out);
                }
            }
        }
    }
}
