//! All devices of a rack, joined: who is at the other end, and what is said on the way between them. When a message arrives, or whether
//! it does, is up to whoever drives the rack: [`super::timeline`] has it take its time, a model checker has anything happen.

use super::controller::{Controller, ControllerOutput, Note};
use super::crosspoint::{CrosspointAgent, CrosspointOutput, CrosspointSettings};
use super::generator::{Choice, Generator};
use super::message::{Answer, Command, LinkMessage, PortMap, Setting, Signal};
use super::soc::{SocAgent, SocOutput, SocSettings};
use super::version::Version;
use super::wiring::{Wiring, address};
use crate::demand::index;
use crate::forwarding::Update;
use crate::graph::paths::Distances;
use crate::graph::{Graph, Port};
use std::collections::BTreeMap;
use std::sync::Arc;
use units::Time;

/// A message on its way, and to whom.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum InFlight {
    /// From a controller to a crosspoint.
    Command {
        /// The receiver.
        crosspoint: u32,
        /// What it says.
        command: Command,
    },
    /// From a crosspoint to the controller on a SoC, if one runs there when it arrives.
    Answer {
        /// The receiver.
        soc: u32,
        /// What it says.
        answer: Answer,
    },
    /// From a crosspoint to another.
    Signal {
        /// The receiver.
        crosspoint: u32,
        /// What it says.
        signal: Signal,
    },
    /// From a SoC to the neighbour that it has when it sends.
    Link {
        /// The receiver's.
        port: Port,
        /// What it says.
        message: LinkMessage,
    },
}

/// What has come of an event: messages that have been sent, and what controllers note.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// In the order in which they were sent.
    pub sent: Vec<InFlight>,
    /// Controllers' notes.
    pub notes: Vec<Note>,
}

/// The devices of a rack.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Rack<G> {
    wiring: Arc<Wiring>,
    /// By number.
    pub socs: Vec<SocAgent>,
    /// By number, that of the uplinks last.
    pub crosspoints: Vec<CrosspointAgent>,
    /// Controllers that run, by SoC: one, unless something has gone wrong.
    pub controllers: BTreeMap<u32, Controller<G>>,
}

impl<G: Generator> Rack<G> {
    /// These devices, and no controller yet.
    pub fn new(wiring: Arc<Wiring>, socs: Vec<SocAgent>, crosspoints: Vec<CrosspointAgent>) -> Rack<G> {
        Rack { wiring, socs, crosspoints, controllers: BTreeMap::new() }
    }

    /// A rack that has been running: crosspoints and SoCs are configured alike, with this version.
    ///
    /// # Panics
    /// If the choice is of another rack.
    pub fn running(
        wiring: Arc<Wiring>,
        choice: &Choice,
        version: Version,
        (socs, crosspoints): (SocSettings, CrosspointSettings),
        now: Time,
    ) -> Rack<G> {
        let fabric = wiring.fabric();
        let maps = wiring.maps(&choice.circuits, choice.uplinks.as_ref());
        let graph = wiring.graph(fabric, &maps.iter().map(Some).collect::<Vec<_>>());
        let updates = Update::of_rack(&graph, &Distances::of(&graph), choice.uplinks.as_ref(), version.0, address);
        let soc = |(soc, update)| {
            let addresses = (0..fabric.ports()).map(|number| address(Port { soc, number })).collect();
            SocAgent::new(soc, fabric.socs(), addresses, socs, now).configured(update)
        };
        let crosspoint = |(number, map)| {
            CrosspointAgent::new(number, wiring.crosspoints(), wiring.ports(number), crosspoints)
                .configured(Setting { version, map })
        };
        let socs = (0..).zip(updates).map(soc).collect();
        let crosspoints = (0..).zip(maps).map(crosspoint).collect();
        Rack::new(wiring, socs, crosspoints)
    }

    /// What hangs where.
    pub fn wiring(&self) -> &Arc<Wiring> {
        &self.wiring
    }
    /// The port at the other end of the circuit that is set on a port now.
    pub fn peer(&self, port: Port) -> Option<Port> {
        let fabric = self.wiring.fabric();
        let fixed = fabric.fixed().iter().find_map(|&[a, b]| match port {
            _ if port == a => Some(b),
            _ if port == b => Some(a),
            _ => None,
        });
        fixed.or_else(|| {
            let crosspoint = fabric.crosspoint(port);
            let map = &self.crosspoints[index(crosspoint)].active().map;
            self.wiring.socket(crosspoint, map[usize::from(self.wiring.local(port))]?)
        })
    }
    /// The links that are there now.
    pub fn links(&self) -> Graph {
        let maps: Vec<Option<&PortMap>> = self.crosspoints.iter().map(|at| Some(&at.active().map)).collect();
        self.wiring.graph(self.wiring.fabric(), &maps)
    }

    /// A message arrives.
    pub fn deliver(&mut self, now: Time, message: InFlight, outcome: &mut Outcome) {
        match message {
            InFlight::Command { crosspoint, command } => {
                let mut out = Vec::new();
                self.crosspoints[index(crosspoint)].command(now, command, &mut out);
                send_all(out, outcome);
            }
            InFlight::Answer { soc, answer } => {
                let mut out = Vec::new();
                if let Some(controller) = self.controllers.get_mut(&soc) {
                    controller.answer(now, answer, &mut out);
                }
                self.act(now, soc, out, outcome);
            }
            InFlight::Signal { crosspoint, signal } => {
                let mut out = Vec::new();
                self.crosspoints[index(crosspoint)].signal(now, signal, &mut out);
                send_all(out, outcome);
            }
            InFlight::Link { port, message } => {
                let mut out = Vec::new();
                self.socs[index(port.soc)].receive(port.number, message, &mut out);
                self.transmit(now, port.soc, out, outcome);
            }
        }
    }

    /// A frame of hosts comes in on a port, from whoever is at the other end now.
    pub fn hear(&mut self, now: Time, port: Port, outcome: &mut Outcome) {
        let mut out = Vec::new();
        if let Some(peer) = self.peer(port) {
            self.socs[index(port.soc)].hear(port.number, address(peer), &mut out);
        }
        self.transmit(now, port.soc, out, outcome);
    }
    /// [`SocAgent::expire`].
    pub fn expire_soc(&mut self, now: Time, soc: u32, outcome: &mut Outcome) {
        let mut out = Vec::new();
        self.socs[index(soc)].expire(now, &mut out);
        self.transmit(now, soc, out, outcome);
    }
    /// [`CrosspointAgent::expire`].
    pub fn expire_crosspoint(&mut self, now: Time, crosspoint: u32, outcome: &mut Outcome) {
        let mut out = Vec::new();
        self.crosspoints[index(crosspoint)].expire(now, &mut out);
        send_all(out, outcome);
    }
    /// [`Controller::expire`] of the controller on a SoC, if one runs there.
    pub fn expire_controller(&mut self, now: Time, soc: u32, outcome: &mut Outcome) {
        let mut out = Vec::new();
        if let Some(controller) = self.controllers.get_mut(&soc) {
            controller.expire(now, &mut out);
        }
        self.act(now, soc, out, outcome);
    }

    /// Does what the controller on this SoC wants done.
    fn act(&mut self, now: Time, soc: u32, out: Vec<ControllerOutput>, outcome: &mut Outcome) {
        for output in out {
            match output {
                ControllerOutput::Command { crosspoint, command } => {
                    outcome.sent.push(InFlight::Command { crosspoint, command });
                }
                ControllerOutput::Inject(message) => {
                    let mut out = Vec::new();
                    self.socs[index(soc)].inject(message, &mut out);
                    self.transmit(now, soc, out, outcome);
                }
                ControllerOutput::Note(note) => outcome.notes.push(note),
            }
        }
    }

    /// Does what the agent of this SoC wants done.
    fn transmit(&mut self, now: Time, soc: u32, out: Vec<SocOutput>, outcome: &mut Outcome) {
        for output in out {
            match output {
                SocOutput::Transmit { port, message } => {
                    if let Some(port) = self.peer(Port { soc, number: port }) {
                        outcome.sent.push(InFlight::Link { port, message });
                    }
                }
                SocOutput::Controller(body) => {
                    let mut out = Vec::new();
                    if let Some(controller) = self.controllers.get_mut(&soc) {
                        controller.receive(now, body, &mut out);
                    }
                    self.act(now, soc, out, outcome);
                }
                SocOutput::Installed(_) => {}
            }
        }
    }
}

fn send_all(out: Vec<CrosspointOutput>, outcome: &mut Outcome) {
    outcome.sent.extend(out.into_iter().filter_map(|output| match output {
        CrosspointOutput::Answer { to, answer } => Some(InFlight::Answer { soc: to, answer }),
        CrosspointOutput::Signal { to, signal } => Some(InFlight::Signal { crosspoint: to, signal }),
        CrosspointOutput::Set(_) => None,
    }));
}
