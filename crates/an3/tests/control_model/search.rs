//! What can happen in each state, and what has to hold.

use crate::model::{Action, Checked, End, Phase, State};
use stateright::{Model, Property};

impl Model for Checked {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![self.first_state()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        self.progress(state, actions);
        // Where nothing is left to happen, nothing can go wrong any more.
        if !actions.is_empty() {
            self.mishaps(state, actions);
        }
    }

    fn next_state(&self, before: &State, action: Action) -> Option<State> {
        let after = self.step(before, action);
        (after != *before).then_some(after)
    }

    fn properties(&self) -> Vec<Property<Checked>> {
        let every = Property::<Checked>::always;
        let can = Property::<Checked>::sometimes;
        vec![
            every("cells come where they are sent", |model, state| {
                state.flows.iter().zip(&model.flows).all(|(flow, [source, destination])| match &flow.phase {
                    Phase::Sending(attempt) => match model.walk(state, *source, attempt) {
                        End::At(host, _) => host == *destination,
                        End::Nowhere => true,
                        End::Wrong => false,
                    },
                    Phase::Waiting | Phase::Asked(_) | Phase::Done | Phase::Told => true,
                })
            }),
            every("the ends of a link agree", |model, state| {
                // While a control cell is lost one of them knows more.
                state.faults.losses < model.faults.losses || model.agrees(state)
            }),
            every("what is done has come", |_, state| {
                state.flows.iter().all(|flow| flow.phase != Phase::Done || flow.has_come)
            }),
            every("at rest every flow is done or told", |model, state| {
                let is_over = |phase: Phase| matches!(phase, Phase::Done | Phase::Told);
                !model.is_at_rest(state) || state.flows.iter().all(|flow| is_over(flow.phase))
            }),
            every("at rest no slot is taken", |model, state| {
                let first = model.first_state();
                let empty = state.nics == first.nics && state.switches == first.switches && state.open.is_empty();
                !model.is_at_rest(state) || empty
            }),
            can("all flows are done", |_, state: &State| state.flows.iter().all(|flow| flow.phase == Phase::Done)),
            can("a flow is told", |_, state: &State| state.flows.iter().any(|flow| flow.phase == Phase::Told)),
            can("a flow goes over a third container", |model: &Checked, state: &State| {
                let goes_over = |(number, flow)| model.goal(number, flow).via.is_some();
                let done = state.flows.iter().enumerate().filter(|(_, flow)| flow.phase == Phase::Done);
                done.into_iter().any(goes_over)
            }),
        ]
    }
}

impl Checked {
    /// Nothing is left to happen.
    fn is_at_rest(&self, state: &State) -> bool {
        let mut actions = Vec::new();
        self.progress(state, &mut actions);
        actions.is_empty()
    }

    /// Both ends of each link know the same circuits in its slots, if nothing is on the link or on the rings at its ends.
    fn agrees(&self, state: &State) -> bool {
        let ring_is_free = |node: u32| state.turns.iter().all(|(switch, _)| switch + self.wiring.hosts != node);
        (0..).zip(&self.wiring.links).all(|(number, link): (usize, _)| {
            let is_free = state.cells[number].is_empty() && state.cells[number ^ 1].is_empty();
            let is_quiet = is_free && ring_is_free(link.from) && ring_is_free(link.to);
            !is_quiet || self.outgoing(state, link).eq(self.incoming(state, link))
        })
    }
}
