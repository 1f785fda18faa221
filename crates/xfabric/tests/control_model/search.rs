//! What can happen in each state, and what has to hold.

use crate::messages::{asks, is_from, receiver, waits};
use crate::model::{Action, Checked, State};
use stateright::{Model, Property};
use std::collections::BTreeSet;
use xfabric::control::{Body, InFlight, LinkMessage, SocAgent, Version};

impl Model for Checked {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let first = self.first_state();
        vec![self.sorted(&first, first.clone())]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let faults = state.faults;
        let mut asked = false;
        for message in &state.in_flight {
            // Questions do nothing but be answered, and in any order they do the same.
            let question = matches!(message, InFlight::Link { message: LinkMessage::Routed(packet), .. }
                if matches!(packet.body, Body::Query { .. }));
            if question && std::mem::replace(&mut asked, true) {
                continue;
            }
            actions.push(Action::Deliver(message.clone()));
            if faults.losses > 0 {
                actions.push(Action::Lose(message.clone()));
                if self.prompt_answers && asks(message) {
                    actions.push(Action::DeliverButLoseTheAnswer(message.clone()));
                }
            }
        }
        if waits(state) || faults.early > 0 {
            actions.extend(Checked::timers(state));
        }
        let socs = 0..state.rack.socs.len() as u32;
        actions.extend(socs.clone().map(Action::Hello));
        if faults.late_hellos > 0 {
            let ports = self.wiring.fabric().ports() as usize;
            actions.extend(socs.flat_map(|soc| (0..ports).map(move |port| Action::LateHello(soc, port))));
        }
        if faults.deaths > 0 {
            for (&soc, controller) in &state.rack.controllers {
                let its = state.in_flight.iter().filter(|message| is_from(message, controller.epoch()));
                let cuts: BTreeSet<u32> = its.map(receiver).chain([u32::MAX]).collect();
                actions.extend(cuts.into_iter().map(|cut| Action::Die(soc, cut)));
            }
        }
        if faults.starts > 0 && self.may_start(state) {
            let free = self.seats.iter().filter(|seat| !state.rack.controllers.contains_key(seat));
            actions.extend(free.map(|&seat| Action::Start(seat)));
        }
    }

    fn next_state(&self, before: &State, action: Action) -> Option<State> {
        let after = self.step(before, action);
        (after != *before).then_some(after)
    }

    fn properties(&self) -> Vec<Property<Checked>> {
        vec![
            Property::always("no version goes back", |_, state: &State| !state.regressed),
            Property::always("at rest the rack is consistent", |model: &Checked, state| {
                !model.is_quiet(state) || model.is_consistent(state)
            }),
            Property::always("without further faults the rack comes to rest", |model: &Checked, state| {
                model.settles(state)
            }),
            // That these can happen shows that the properties above say something.
            Property::sometimes("crosspoints differ and no controller runs", |_, state: &State| {
                let versions: BTreeSet<Version> =
                    state.rack.crosspoints.iter().map(|crosspoint| crosspoint.active().version).collect();
                versions.len() > 1 && state.rack.controllers.is_empty()
            }),
            Property::sometimes("SoCs differ and no controller runs", |_, state: &State| {
                let versions: BTreeSet<Version> = state.rack.socs.iter().map(SocAgent::version).collect();
                versions.len() > 1 && state.rack.controllers.is_empty()
            }),
            Property::sometimes("the last topology is set everywhere", |model: &Checked, state: &State| {
                let mut controllers = state.rack.controllers.values();
                controllers.any(|controller| controller.generator().is_over()) && model.is_consistent(state)
            }),
        ]
    }
}
