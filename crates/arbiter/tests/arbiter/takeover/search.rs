//! What can happen in each state, and what has to hold.

use super::model::{Action, Checked, Faults, Message, State};
use stateright::{Model, Property};
use std::hash::{DefaultHasher, Hash, Hasher};

impl Model for Checked {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![self.first_state()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let faults = state.faults;
        // What different machines receive they receive in any order, and the outcome is the same: the first machine with a message gets all of its own,
        // in all orders. Voters come first and arbiters last, as only votes are answers that meet other messages.
        let receiver = state.in_flight.iter().map(|message| message.receiver()).min();
        let mut asked = false;
        for &message in state.in_flight.iter().filter(|message| Some(message.receiver()) == receiver) {
            // Which of two hosts asks first makes no difference that matters; whether it asks before or after anything else does.
            if matches!(message, Message::Request(..)) && std::mem::replace(&mut asked, true) {
                continue;
            }
            actions.push(Action::Deliver(message));
            if faults.losses > 0 {
                actions.push(Action::Lose(message));
            }
            if faults.delays > 0 {
                actions.push(Action::Delay(message));
            }
            if faults.doublings > 0 {
                actions.push(Action::Double(message));
            }
        }
        actions.extend(state.late.iter().copied().map(Action::DeliverLate));
        let alive = (0..).zip(&state.arbiters).filter(|(_, arbiter)| arbiter.is_some()).map(|(number, _)| number);
        for number in alive {
            if faults.deaths > 0 {
                let sent = Checked::sent_by(state, number).count();
                actions.extend((0..=sent).map(|sent| Action::Die(number, sent)));
            }
            if faults.suspicions > 0 {
                actions.push(Action::Suspect(number));
            }
        }
        if state.in_flight.is_empty() && state.now < self.last {
            actions.push(Action::NextSlot);
        }
    }

    fn next_state(&self, before: &State, action: Action) -> Option<State> {
        let after = self.step(before, &action);
        (after != *before).then_some(after)
    }

    fn properties(&self) -> Vec<Property<Checked>> {
        vec![
            Property::always("no two allocations collide", |_, state: &State| !state.collided),
            Property::always("no pair is given more than it wants by one arbiter", |model: &Checked, state: &State| {
                state.reigns.len() > 1 || model.missing(state).all(|(wanted, given)| given <= wanted)
            }),
            Property::always("without further faults every demand is met", |model: &Checked, state: &State| {
                model.settles(state)
            }),
            // That these can happen shows that the properties above say something.
            Property::sometimes("a demand is met", |model: &Checked, state: &State| {
                model.missing(state).any(|(wanted, given)| given >= wanted)
            }),
            Property::sometimes("a later arbiter hands out slots", |_, state: &State| state.reigns.len() > 1),
        ]
    }
}

impl Checked {
    fn missing<'a>(&'a self, state: &'a State) -> impl Iterator<Item = (u64, u64)> + 'a {
        self.wanted.iter().map(|&(source, destination, _)| state.hosts[usize::from(source)].counts(destination))
    }

    /// If nothing goes wrong from here on, does every pair get what it wants?
    fn settles(&self, state: &State) -> bool {
        let mut state = State { faults: Faults::default(), ..state.clone() };
        let mut marks = Vec::new();
        for _ in 0..400 {
            let mut hasher = DefaultHasher::new();
            state.hash(&mut hasher);
            let mark = hasher.finish();
            let met = self.missing(&state).all(|(wanted, given)| given >= wanted);
            if met || self.settled.lock().expect("nobody panics with it").contains(&mark) {
                self.settled.lock().expect("nobody panics with it").extend(marks);
                return true;
            }
            marks.push(mark);
            let next = match (state.in_flight.first(), state.late.first()) {
                (Some(&message), _) => Action::Deliver(message),
                (None, Some(&message)) => Action::DeliverLate(message),
                (None, None) => Action::NextSlot,
            };
            state = self.step(&state, &next);
        }
        false
    }
}
