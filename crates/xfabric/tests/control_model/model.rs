//! The rack as a state machine: its very devices, the messages in flight, and how much may still go wrong.

use crate::messages::{asks, in_transit, is_answer, is_from, is_spent, receiver, waits};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};
use units::{Span, Time};
use xfabric::control::{
    Choice, Command, Controller, ControllerSettings, CrosspointSettings, Generator, InFlight, LinkMessage, Outcome,
    Phase, Rack, SocAgent, SocSettings, Version, Wiring, address,
};
use xfabric::demand::DemandVector;
use xfabric::forwarding::{Table, check};
use xfabric::generate::crosspoints::{Circuit, Fabric};

/// Topologies, one after another; the last one for good.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Script {
    pub topologies: Vec<Vec<Circuit>>,
    pub made: usize,
}

impl Script {
    pub(crate) fn is_over(&self) -> bool {
        self.made >= self.topologies.len()
    }
}

impl Generator for Script {
    fn report(&mut self, _: u32, _: &DemandVector) {}
    fn generate(&mut self, fabric: &Fabric, _: &[bool]) -> Choice {
        let circuits = &self.topologies[self.made.min(self.topologies.len() - 1)];
        self.made = (self.made + 1).min(self.topologies.len());
        let usable = |circuit: &&Circuit| circuit.ends.iter().all(|&end| fabric.is_usable(end));
        Choice { circuits: circuits.iter().filter(usable).copied().collect(), uplinks: None }
    }
}

/// What may still go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Faults {
    /// Messages that are lost.
    pub losses: u8,
    /// Controllers that die, each at any step.
    pub deaths: u8,
    /// Controllers that start, on any of the SoCs that can run one.
    pub starts: u8,
    /// Timers that fire while messages are in flight.
    pub early: u8,
    /// Hellos that arrive at any later time; others arrive at once.
    pub late_hellos: u8,
}

/// A way in which the devices could be wrong, to see whether the checker finds out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// As they are.
    Nothing,
    /// SoCs neither flood nor compare versions with neighbours, only addresses.
    NoFlood,
    /// Nobody looks at who the neighbour is.
    NoNeighbourCheck,
    /// Hellos count whatever their version: as if it were that of the receiver.
    NoVersionInHello,
    /// Crosspoints do not tell each other.
    NoSignals,
    /// Crosspoints obey controllers of any epoch.
    NoEpochs,
}

/// What is checked.
pub(crate) struct Checked {
    pub wiring: Arc<Wiring>,
    /// What is set at the beginning.
    pub first: Vec<Circuit>,
    /// What controllers want, by how many have started before.
    pub wanted: Vec<Vec<Vec<Circuit>>>,
    /// SoCs on which a controller can run; the first one runs at the beginning.
    pub seats: Vec<u32>,
    pub faults: Faults,
    pub tries: u32,
    /// Each answer arrives with what it answers, or is lost. Otherwise answers are messages of their own.
    pub prompt_answers: bool,
    /// A controller may start while another one runs. Otherwise it starts after the other one's death.
    pub rivals: bool,
    pub broken: Broken,
    /// Fingerprints of states from which the rack is known to settle.
    pub settles: Mutex<BTreeSet<u64>>,
}

#[derive(Debug, Clone, PartialEq, Hash)]
pub(crate) struct State {
    pub rack: Rack<Script>,
    /// In an order that does not depend on how they came.
    pub in_flight: Vec<InFlight>,
    pub faults: Faults,
    pub started: usize,
    /// Something has gone back to an earlier version.
    pub regressed: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    Deliver(InFlight),
    DeliverButLoseTheAnswer(InFlight),
    Lose(InFlight),
    /// A SoC says hello to its neighbours.
    Hello(u32),
    /// The same, but the hello from this SoC by this port takes its time.
    LateHello(u32, usize),
    ControllerExpires(u32),
    CrosspointExpires(u32),
    /// The controller on this SoC dies, and what it has for crosspoints and SoCs from a number on does not get out.
    Die(u32, u32),
    Start(u32),
}

pub(crate) fn fingerprint(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

const NOW: Time = Time::ZERO;

impl Checked {
    pub(crate) fn first_state(&self) -> State {
        // All spans are zero, so that instants do not tell states apart: timers fire when the checker says so.
        let crosspoints = CrosspointSettings { retry: Span::ZERO, tries: self.tries };
        let socs = SocSettings { hello: Span::ZERO, misses: 0 };
        let choice = Choice { circuits: self.first.clone(), uplinks: None };
        let rack = Rack::running(self.wiring.clone(), &choice, Version(1), (socs, crosspoints), NOW);
        let mut state = State { rack, in_flight: Vec::new(), faults: self.faults, started: 0, regressed: false };
        self.start(&mut state, self.seats[0]);
        state
    }

    fn start(&self, state: &mut State, soc: u32) {
        let topologies = self.wanted[state.started.min(self.wanted.len() - 1)].clone();
        let settings = ControllerSettings { period: Span::ZERO, retry: Span::ZERO, tries: self.tries };
        let script = Script { topologies, made: 0 };
        let controller = Controller::new(soc, self.wiring.clone(), settings, script, NOW);
        state.rack.controllers.insert(soc, controller);
        state.started += 1;
        let mut outcome = Outcome::default();
        state.rack.expire_controller(NOW, soc, &mut outcome);
        self.settle_step(state, outcome, None);
    }

    /// Hands a message over. What is on its way to another SoC goes all of it, as hops take microseconds and timers
    /// milliseconds; with `prompt_answers`, so does the answer, unless it is lost.
    fn deliver(&self, state: &mut State, message: InFlight, answer: bool) {
        let mut queue = vec![(message, true)];
        while let Some((message, goes)) = queue.pop() {
            if !goes {
                continue;
            }
            let Some(message) = self.mutated(state, message) else { continue };
            let asks = asks(&message);
            let mut outcome = Outcome::default();
            state.rack.deliver(NOW, message, &mut outcome);
            for sent in outcome.sent {
                if asks && is_answer(&sent) && self.prompt_answers {
                    queue.push((sent, answer));
                } else if in_transit(&sent) {
                    queue.push((sent, true));
                } else {
                    state.in_flight.push(sent);
                }
            }
        }
    }

    fn mutated(&self, state: &State, message: InFlight) -> Option<InFlight> {
        match (self.broken, message) {
            (Broken::NoFlood, InFlight::Link { message: LinkMessage::Reconfigure { .. }, .. })
            | (Broken::NoNeighbourCheck, InFlight::Link { message: LinkMessage::Hello { .. }, .. })
            | (Broken::NoSignals, InFlight::Signal { .. }) => None,
            (
                Broken::NoVersionInHello | Broken::NoFlood,
                InFlight::Link { port, message: LinkMessage::Hello { from, .. } },
            ) => {
                let receiver = &state.rack.socs[port.soc as usize];
                let version = receiver.version();
                let stored = receiver.pending().map_or(Version::NONE, |update| Version(update.version));
                Some(InFlight::Link { port, message: LinkMessage::Hello { from, version, stored } })
            }
            (Broken::NoEpochs, InFlight::Command { crosspoint, command }) => {
                let epoch = state.rack.crosspoints[crosspoint as usize].promised();
                let command = match command {
                    Command::Take { .. } => command,
                    Command::Map { version, base, changes, .. } => Command::Map { epoch, version, base, changes },
                    Command::Reconfigure { version, .. } => Command::Reconfigure { epoch, version },
                };
                Some(InFlight::Command { crosspoint, command })
            }
            (_, message) => Some(message),
        }
    }

    /// Messages and timers of one step are in flight; those that arrive at once do.
    fn settle_step(&self, state: &mut State, outcome: Outcome, late: Option<usize>) {
        for (place, sent) in outcome.sent.into_iter().enumerate() {
            let hello = matches!(sent, InFlight::Link { message: LinkMessage::Hello { .. }, .. });
            if (hello && late != Some(place)) || in_transit(&sent) {
                self.deliver(state, sent, true);
            } else {
                state.in_flight.push(sent);
            }
        }
    }

    fn hello(&self, state: &mut State, soc: u32, late: Option<usize>) {
        let mut outcome = Outcome::default();
        state.rack.expire_soc(NOW, soc, &mut outcome);
        self.settle_step(state, outcome, late);
    }

    pub(crate) fn sorted(&self, before: &State, mut state: State) -> State {
        let mut in_flight = std::mem::take(&mut state.in_flight);
        let obeyed = self.broken == Broken::NoEpochs;
        in_flight.retain(|message| !is_spent(&state.rack, message, obeyed));
        state.in_flight = in_flight;
        state.in_flight.sort_by_cached_key(fingerprint);
        // A hello may be repeated, and its answer with it, for ever.
        state.in_flight.dedup();
        let crosspoints = before.rack.crosspoints.iter().zip(&state.rack.crosspoints);
        let socs = before.rack.socs.iter().zip(&state.rack.socs);
        state.regressed |= crosspoints.clone().any(|(before, after)| {
            before.active().version > after.active().version || before.promised() > after.promised()
        }) || socs.clone().any(|(before, after)| before.version() > after.version());
        state
    }

    pub(crate) fn step(&self, before: &State, action: Action) -> State {
        let mut state = before.clone();
        let take = |state: &mut State, message: &InFlight| {
            let at = state.in_flight.iter().position(|other| other == message).expect("it is in flight");
            state.in_flight.remove(at);
        };
        match action {
            Action::Deliver(message) => {
                take(&mut state, &message);
                self.deliver(&mut state, message, true);
            }
            Action::DeliverButLoseTheAnswer(message) => {
                take(&mut state, &message);
                self.deliver(&mut state, message, false);
                state.faults.losses -= 1;
            }
            Action::Lose(message) => {
                take(&mut state, &message);
                state.faults.losses -= 1;
            }
            Action::Hello(soc) => self.hello(&mut state, soc, None),
            Action::LateHello(soc, place) => {
                self.hello(&mut state, soc, Some(place));
                state.faults.late_hellos -= 1;
            }
            Action::ControllerExpires(soc) => {
                state.faults.early -= u8::from(!waits(&state));
                let mut outcome = Outcome::default();
                state.rack.expire_controller(NOW, soc, &mut outcome);
                self.settle_step(&mut state, outcome, None);
            }
            Action::CrosspointExpires(crosspoint) => {
                state.faults.early -= u8::from(!waits(&state));
                let mut outcome = Outcome::default();
                state.rack.expire_crosspoint(NOW, crosspoint, &mut outcome);
                self.settle_step(&mut state, outcome, None);
            }
            Action::Die(soc, cut) => {
                let dead = state.rack.controllers.remove(&soc).expect("it runs").epoch();
                state.in_flight.retain(|message| !(is_from(message, dead) && receiver(message) >= cut));
                state.faults.deaths -= 1;
            }
            Action::Start(soc) => {
                self.start(&mut state, soc);
                state.faults.starts -= 1;
            }
        }
        self.sorted(before, state)
    }

    /// Two that both want to take over could outbid each other for ever.
    pub(crate) fn may_start(&self, state: &State) -> bool {
        let mut running = state.rack.controllers.values();
        running.all(|controller| self.rivals && controller.phase() != Phase::Taking)
    }

    /// Timers that have something to do.
    pub(crate) fn timers(state: &State) -> impl Iterator<Item = Action> + '_ {
        let controllers = state.rack.controllers.values().filter(|controller| match controller.phase() {
            Phase::Resting => !controller.generator().is_over(),
            Phase::Stopped => false,
            Phase::Taking
            | Phase::Finishing(_)
            | Phase::Gathering
            | Phase::Distributing
            | Phase::Commanding
            | Phase::Delivering => true,
        });
        let crosspoints = state.rack.crosspoints.iter().filter(|crosspoint| crosspoint.deadline().is_some());
        let controllers = controllers.map(|controller| Action::ControllerExpires(controller.soc()));
        controllers.chain(crosspoints.map(|crosspoint| Action::CrosspointExpires(crosspoint.number())))
    }

    /// Is there nothing left to happen, but what may go wrong?
    pub(crate) fn is_quiet(&self, state: &State) -> bool {
        let hello_changes = |soc: u32| {
            let mut after = state.clone();
            self.hello(&mut after, soc, None);
            after != *state
        };
        state.in_flight.is_empty()
            && Checked::timers(state).next().is_none()
            && !(0..state.rack.socs.len() as u32).any(hello_changes)
    }

    /// One version everywhere, tables that fit the circuits, no loop, no dead end; what the controller wants, if one runs.
    pub(crate) fn is_consistent(&self, state: &State) -> bool {
        let rack = &state.rack;
        let version = rack.crosspoints[0].active().version;
        let graph = rack.links();
        let tables: Vec<Table> = rack.socs.iter().filter_map(|soc| soc.table().cloned()).collect();
        let fits = |soc: &SocAgent| {
            let port = |number| xfabric::graph::Port { soc: soc.soc(), number };
            (0..self.wiring.fabric().ports())
                .all(|number| soc.neighbour(number) == rack.peer(port(number)).map(address))
        };
        let wanted = |controller: &Controller<Script>| {
            let last = controller.generator().topologies.last().expect("it wants something");
            let maps = self.wiring.maps(last, None);
            controller.phase() == Phase::Stopped
                || rack.crosspoints.iter().zip(&maps).all(|(crosspoint, map)| crosspoint.active().map == *map)
        };
        rack.crosspoints.iter().all(|crosspoint| crosspoint.active().version == version)
            && rack.socs.iter().all(|soc| soc.version() == version && fits(soc))
            && check(&graph, &tables).is_ok()
            && (rack.controllers.values().all(|controller| controller.phase() == Phase::Stopped)
                || rack.controllers.values().any(wanted))
    }

    /// If nothing goes wrong from here on, does the rack come to rest, and is it consistent then?
    pub(crate) fn settles(&self, state: &State) -> bool {
        let mut state = State { faults: Faults::default(), ..state.clone() };
        let mut seen = Vec::new();
        for _ in 0..400 {
            let mark = fingerprint(&(&state.rack, &state.in_flight));
            if self.settles.lock().expect("nobody panics with it").contains(&mark) {
                break;
            }
            seen.push(mark);
            let next = state.in_flight.first().cloned().map(Action::Deliver).or_else(|| Checked::timers(&state).next());
            let socs = 0..state.rack.socs.len() as u32;
            let after = match next {
                Some(action) => Some(self.step(&state, action)),
                None => socs.map(|soc| self.step(&state, Action::Hello(soc))).find(|after| *after != state),
            };
            match after {
                Some(after) => state = after,
                None if self.is_consistent(&state) => break,
                None => return false,
            }
        }
        if seen.len() == 400 {
            return false;
        }
        self.settles.lock().expect("nobody panics with it").extend(seen);
        true
    }
}
