//! The devices of [`crate::control`] in this rack: the controller on its SoC, an agent on each SoC and crosspoint, and the ways between
//! them. What goes over circuits waits in the same queues as the frames of hosts, and is dropped or cut like them; what goes over
//! the control plane takes as long as [`super::ControlPlane`] says.

use super::config::Config;
use super::rig::Rig;
use crate::control::{
    Body, Controller, ControllerOutput, ControllerSettings, CrosspointAgent, CrosspointOutput, CrosspointSettings,
    DemandDriven, InFlight, LinkMessage, Plane, Setting, SocAgent, SocOutput, SocSettings, Version, Wiring, address,
};
use crate::forwarding::{Mac, Update};
use crate::generate::crosspoints::Circuit;
use crate::generate::{Ties, Uplinks};
use crate::graph::paths::Distances;
use crate::graph::{Graph, Port};
use std::collections::VecDeque;
use std::sync::Arc;
use units::Time;

/// Places for what is on its way, used again.
#[derive(Debug, Clone)]
pub(super) struct Places<T> {
    places: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Places<T> {
    fn default() -> Places<T> {
        Places { places: Vec::new(), free: Vec::new() }
    }
}

impl<T> Places<T> {
    pub(super) fn put(&mut self, item: T) -> u32 {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = Some(item);
            return place;
        }
        self.places.push(Some(item));
        (self.places.len() - 1) as u32
    }
    pub(super) fn take(&mut self, place: u32) -> Option<T> {
        let item = self.places[place as usize].take();
        if item.is_some() {
            self.free.push(place);
        }
        item
    }
    pub(super) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }
}

/// What a device wants done.
#[derive(Debug)]
pub(super) enum Wish {
    Soc(u32, SocOutput),
    Controller(ControllerOutput),
    Crosspoint(u32, CrosspointOutput),
}

/// Whose deadline it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    Soc(u32),
    Crosspoint(u32),
    Controller,
}

/// The devices.
#[derive(Debug)]
pub(super) struct Protocol {
    wiring: Arc<Wiring>,
    settings: SocSettings,
    pub socs: Vec<SocAgent>,
    pub crosspoints: Vec<CrosspointAgent>,
    pub controller: Option<Controller<DemandDriven>>,
    terms: ControllerSettings,
    generator: DemandDriven,
    pub plane: Plane,
    /// When something on the control plane will be looked for, by an event that is pending.
    plane_asked: Time,
    /// By device: when it will be asked for what is due, by an event that is pending.
    asked: Vec<Time>,
    /// Devices that have done something since they were last asked when they want to be called.
    pub touched: Vec<Who>,
    pub wishes: VecDeque<Wish>,
    /// The latest version that some crosspoint has set, and when the first did.
    pub latest: (Version, Time),
}

impl Protocol {
    /// Devices of a rack that has been running with these circuits.
    pub(super) fn new(
        rig: &Rig,
        config: &Config,
        (graph, uplinks): (&Graph, Option<&Uplinks>),
        ties: Ties,
    ) -> Protocol {
        let own = &config.protocol;
        let wiring = Arc::new(Wiring::new(rig.fabric.clone(), rig.uplinks));
        let version = Version(1);
        let circuits: Vec<Circuit> = graph
            .links()
            .map(|(a, b)| Circuit { crosspoint: rig.fabric.crosspoint(a), ends: [a, b] })
            .filter(|circuit| !rig.fabric.fixed().contains(&circuit.ends))
            .collect();
        let maps = wiring.maps(&circuits, uplinks);
        let settings = SocSettings { hello: own.hello, misses: own.misses };
        let updates = Update::of_rack(graph, &Distances::of(graph), uplinks, version.0, address);
        let (socs, crosspoints) = (rig.fabric.socs(), rig.crosspoints());
        let soc =
            |(soc, update)| SocAgent::new(soc, socs, addresses(rig, soc), settings, Time::ZERO).configured(update);
        let repeats = CrosspointSettings { retry: own.retry, tries: own.tries };
        let crosspoint = |(number, map)| {
            let agent = CrosspointAgent::new(number, crosspoints, wiring.ports(number), repeats);
            agent.configured(Setting { version, map })
        };
        let generator = DemandDriven::new(&wiring, config.weight, &own.hosts, ties).expect("the weight is checked");
        Protocol {
            socs: (0..).zip(updates).map(soc).collect(),
            crosspoints: (0..).zip(maps).map(crosspoint).collect(),
            controller: None,
            terms: ControllerSettings { period: config.period, retry: own.retry, tries: own.tries },
            generator,
            plane: Plane::new(config.plane),
            plane_asked: Time::MAX,
            asked: vec![Time::MAX; (socs + crosspoints) as usize + 1],
            touched: (0..socs).map(Who::Soc).collect(),
            wishes: VecDeque::new(),
            latest: (version, Time::ZERO),
            settings,
            wiring,
        }
    }

    /// A controller begins on this SoC; it knows nothing.
    pub(super) fn begin_controller(&mut self, now: Time, soc: u32) {
        let generator = self.generator.clone();
        self.controller = Some(Controller::new(soc, Arc::clone(&self.wiring), self.terms, generator, now));
        self.touched.push(Who::Controller);
    }
    /// The controller is no more. Of its commands the one that is being sent is the last.
    pub(super) fn end_controller(&mut self, now: Time) {
        self.controller = None;
        self.plane.end_controller(now);
    }
    /// When something is to be looked for on the control plane, if no event is pending for it.
    pub(super) fn plane_deadline(&mut self) -> Option<Time> {
        let at = self.plane.deadline().filter(|at| *at < self.plane_asked)?;
        self.plane_asked = at;
        Some(at)
    }
    /// The next message that has arrived over the control plane.
    pub(super) fn next_on_plane(&mut self, now: Time) -> Option<InFlight> {
        if self.plane_asked <= now {
            self.plane_asked = Time::MAX;
        }
        self.plane.expire(now)
    }
    /// A SoC begins again, and has forgotten everything.
    pub(super) fn restart(&mut self, rig: &Rig, now: Time, soc: u32) {
        self.socs[soc as usize] = SocAgent::new(soc, rig.fabric.socs(), addresses(rig, soc), self.settings, now);
        self.touched.push(Who::Soc(soc));
    }

    /// A message has come by this port.
    pub(super) fn receive(&mut self, port: Port, message: LinkMessage) {
        let mut out = Vec::new();
        self.socs[port.soc as usize].receive(port.number, message, &mut out);
        self.wish_of_soc(port.soc, out);
    }
    /// A host's frame has come by this port from an unexpected one.
    pub(super) fn hear(&mut self, port: Port, from: Port) {
        let mut out = Vec::new();
        self.socs[port.soc as usize].hear(port.number, address(from), &mut out);
        self.wish_of_soc(port.soc, out);
    }
    /// A message has come over the control plane.
    pub(super) fn arrive(&mut self, now: Time, message: InFlight) {
        match message {
            InFlight::Command { crosspoint, command, .. } => {
                let mut out = Vec::new();
                self.crosspoints[crosspoint as usize].command(now, command, &mut out);
                self.wish_of_crosspoint(crosspoint, out);
            }
            InFlight::Signal { crosspoint, signal } => {
                let mut out = Vec::new();
                self.crosspoints[crosspoint as usize].signal(now, signal, &mut out);
                self.wish_of_crosspoint(crosspoint, out);
            }
            InFlight::Link { .. } => {} // goes over circuits
            InFlight::Answer { soc, answer } => {
                let mut out = Vec::new();
                if let Some(controller) = self.controller.as_mut().filter(|controller| controller.soc() == soc) {
                    controller.answer(now, answer, &mut out);
                }
                self.wish_of_controller(out);
            }
        }
    }
    /// A device wanted to be called at this time, or a little before.
    pub(super) fn expire(&mut self, now: Time, who: Who, works: bool) {
        let place = self.place(who);
        if self.asked[place] == now {
            self.asked[place] = Time::MAX;
        }
        if !works {
            return; // it is called again when it begins anew
        }
        match who {
            Who::Soc(soc) => {
                let mut out = Vec::new();
                self.socs[soc as usize].expire(now, &mut out);
                self.wish_of_soc(soc, out);
            }
            Who::Crosspoint(crosspoint) => {
                let mut out = Vec::new();
                self.crosspoints[crosspoint as usize].expire(now, &mut out);
                self.wish_of_crosspoint(crosspoint, out);
            }
            Who::Controller => {
                let mut out = Vec::new();
                if let Some(controller) = &mut self.controller {
                    controller.expire(now, &mut out);
                }
                self.wish_of_controller(out);
            }
        }
    }
    /// What an agent has for the controller on its SoC, if there is one.
    pub(super) fn tell_controller(&mut self, now: Time, soc: u32, body: Body) {
        let mut out = Vec::new();
        if let Some(controller) = self.controller.as_mut().filter(|controller| controller.soc() == soc) {
            controller.receive(now, body, &mut out);
        }
        self.wish_of_controller(out);
    }
    /// What the controller has for the agent of its SoC.
    pub(super) fn inject(&mut self, message: LinkMessage) {
        let Some(soc) = self.controller.as_ref().map(Controller::soc) else { return };
        let mut out = Vec::new();
        self.socs[soc as usize].inject(message, &mut out);
        self.wish_of_soc(soc, out);
    }

    /// Deadlines that no pending event is for: the place of whose, and when.
    pub(super) fn deadlines(&mut self, now: Time) -> Vec<(u32, Time)> {
        let mut due = Vec::new();
        for who in std::mem::take(&mut self.touched) {
            let deadline = match who {
                Who::Soc(soc) => self.socs[soc as usize].deadline(),
                Who::Crosspoint(crosspoint) => self.crosspoints[crosspoint as usize].deadline(),
                Who::Controller => self.controller.as_ref().and_then(Controller::deadline),
            };
            let place = self.place(who);
            let deadline = deadline.map(|at| at.max(now));
            if let Some(at) = deadline.filter(|at| *at < self.asked[place]) {
                self.asked[place] = at;
                due.push((place as u32, at));
            }
        }
        due
    }
    /// A device among all: SoCs, then crosspoints, then the controller.
    fn place(&self, who: Who) -> usize {
        match who {
            Who::Soc(soc) => soc as usize,
            Who::Crosspoint(crosspoint) => self.socs.len() + crosspoint as usize,
            Who::Controller => self.socs.len() + self.crosspoints.len(),
        }
    }
    /// The device in this place.
    pub(super) fn who(&self, place: u32) -> Who {
        let socs = self.socs.len() as u32;
        if place < socs {
            return Who::Soc(place);
        }
        let crosspoint = place - socs;
        if crosspoint < self.crosspoints.len() as u32 { Who::Crosspoint(crosspoint) } else { Who::Controller }
    }

    fn wish_of_soc(&mut self, soc: u32, out: Vec<SocOutput>) {
        self.touched.push(Who::Soc(soc));
        self.wishes.extend(out.into_iter().map(|output| Wish::Soc(soc, output)));
    }
    fn wish_of_crosspoint(&mut self, crosspoint: u32, out: Vec<CrosspointOutput>) {
        self.touched.push(Who::Crosspoint(crosspoint));
        self.wishes.extend(out.into_iter().map(|output| Wish::Crosspoint(crosspoint, output)));
    }
    fn wish_of_controller(&mut self, out: Vec<ControllerOutput>) {
        self.touched.push(Who::Controller);
        self.wishes.extend(out.into_iter().map(Wish::Controller));
    }

    /// By port of the rack, the port at the other end of its circuit: what a crosspoint's configuration asks for.
    pub(super) fn wanted(&self, rig: &Rig, crosspoint: u32) -> Vec<(u32, Option<u32>)> {
        let map = &self.crosspoints[crosspoint as usize].active().map;
        if crosspoint == rig.fabric.crosspoints() {
            // The uplink ports of all SoCs, then the uplinks.
            let socs = rig.fabric.socs();
            let number = |local: u16| match u32::from(local).checked_sub(socs) {
                Some(uplink) => rig.uplink_end(uplink),
                None => rig.uplink_port(local.into()),
            };
            return (0..).zip(map).map(|(local, peer)| (number(local), peer.map(number))).collect();
        }
        let number = |local: u16| self.wiring.socket(crosspoint, local).map(|port| rig.number(port));
        let wanted = (0..).zip(map).filter_map(|(local, peer)| Some((number(local)?, peer.and_then(number))));
        wanted.filter(|&(port, _)| rig.fabric.is_usable(rig.port(port))).collect()
    }
}

fn addresses(rig: &Rig, soc: u32) -> Vec<Mac> {
    (0..rig.fabric.ports()).map(|number| address(Port { soc, number })).collect()
}

/// The port that has this address.
pub(super) fn port_of(rig: &Rig, mac: Mac) -> u32 {
    let Mac([_, _, s1, s0, p1, p0]) = mac;
    rig.number(Port { soc: u16::from_be_bytes([s1, s0]).into(), number: u16::from_be_bytes([p1, p0]).into() })
}
