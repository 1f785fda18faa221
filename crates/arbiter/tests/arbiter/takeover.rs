//! Model checking of `arbiter::control`: two arbiters, three voters and three hosts, whatever order their messages come in, whichever are lost,
//! late or doubled, whenever an arbiter dies or another one takes over though it need not.

#![allow(clippy::print_stdout, reason = "the numbers of states that the documentation tells")]

mod model;
mod search;

use model::{Broken, Checked, Faults};
use stateright::{Checker, HasDiscoveries, Model};

const PROPERTIES: [&str; 3] = [
    "no two allocations collide",
    "no pair is given more than it wants by one arbiter",
    "without further faults every demand is met",
];

/// All states, none of them a counterexample, and at least so many different ones: a model in which little happens proves little.
fn all_is_well(model: Checked, at_least: usize) {
    let (faults, can_change) = (model.faults, model.faults.deaths + model.faults.suspicions > 0 || model.faults.deaf);
    let checker = model.checker().spawn_bfs().join();
    for property in PROPERTIES {
        if let Some(path) = checker.discovery(property) {
            panic!("not so: {property}\n{:#?}", path.into_actions());
        }
    }
    assert!(checker.discovery("a demand is met").is_some());
    assert_eq!(checker.discovery("a later arbiter hands out slots").is_some(), can_change);
    println!("{faults:?}: {} different states", checker.unique_state_count());
    assert!(checker.unique_state_count() >= at_least, "only {} states", checker.unique_state_count());
}

/// The property that does not hold of these machines, if one does not.
fn counterexample(model: Checked) -> Option<&'static str> {
    let checker = model.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    PROPERTIES.into_iter().find(|property| checker.discovery(property).is_some())
}

/// Two arbiters that do not hear each other, and enough to be asked of both.
fn apart(faults: Faults) -> Checked {
    Checked { wanted: vec![(0, 2, 4), (1, 2, 4)], last: 8, ..Checked::new(Faults { deaf: true, ..faults }) }
}

const NONE: Faults = Faults { losses: 0, delays: 0, doublings: 0, deaths: 0, suspicions: 0, deaf: false };

#[test]
fn messages_are_lost_late_and_doubled() {
    all_is_well(Checked::new(Faults { losses: 1, doublings: 1, ..NONE }), 8_000);
    all_is_well(Checked::new(Faults { losses: 1, delays: 1, ..NONE }), 10_000);
}

#[test]
fn an_arbiter_dies_at_any_step() {
    all_is_well(Checked::new(Faults { deaths: 1, losses: 1, ..NONE }), 3_000);
}

#[test]
fn another_arbiter_takes_over_though_the_first_is_alive() {
    all_is_well(Checked::new(Faults { suspicions: 1, ..NONE }), 5_000);
    // Here they do not hear each other, and both hand out slots.
    all_is_well(apart(Faults { losses: 1, ..NONE }), 11_000);
    let fewer = vec![(0, 2, 4), (1, 2, 2)];
    all_is_well(Checked { last: 7, wanted: fewer, ..apart(Faults { delays: 1, ..NONE }) }, 10_000);
}

#[test]
fn broken_machines_are_found_out() {
    let [collide, too_many, met] = PROPERTIES.map(Some);
    let found = |broken, faults| counterexample(Checked { broken, ..Checked::new(faults) });
    let suspicion = Faults { suspicions: 1, ..NONE };
    assert_eq!(found(Broken::NoFloor, suspicion), collide);
    assert_eq!(found(Broken::VotersForget, suspicion), collide);
    assert_eq!(found(Broken::RequestsAdd, Faults { doublings: 1, ..NONE }), too_many);
    assert_eq!(found(Broken::NoRepetition, Faults { losses: 1, ..NONE }), met);
    assert_eq!(counterexample(Checked { broken: Broken::NoEnd, ..apart(NONE) }), collide);
    assert_eq!(counterexample(apart(NONE)), None);
}
