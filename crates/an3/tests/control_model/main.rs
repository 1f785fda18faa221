//! Model checking of circuits (§3.1): the NICs and switches of the simulator, whatever order their messages come in, whichever are lost, whatever breaks.

#![allow(clippy::print_stdout, reason = "the numbers of states that the documentation tells")]

mod model;
mod search;

use model::{Broken, Checked, Faults, Wiring};
use stateright::{Checker, HasDiscoveries, Model};

const PROPERTIES: [&str; 5] = [
    "cells come where they are sent",
    "the ends of a link agree",
    "what is done has come",
    "at rest every flow is done or told",
    "at rest no slot is taken",
];

const NONE: Faults = Faults { losses: 0, cables: 0, nodes: 0, repairs: 0 };

fn checked(hosts: u32, cables: &[[u32; 2]], flows: &[[u32; 2]], faults: Faults) -> Checked {
    Checked {
        wiring: Wiring::new(hosts, cables),
        slots: 1,
        ending: 1,
        flows: flows.to_vec(),
        attempts: 2,
        faults,
        broken: Broken::Nothing,
    }
}

/// Two switches, a host at one of them and two at the other.
fn pair(flows: &[[u32; 2]], faults: Faults) -> Checked {
    checked(3, &[[0, 3], [1, 3], [2, 4], [3, 4]], flows, faults)
}

/// Two hosts over one switch, each behind an egress NIC.
fn behind_egress(flows: &[[u32; 2]], faults: Faults) -> Checked {
    checked(4, &[[0, 1], [2, 3], [1, 4], [3, 4]], flows, faults)
}

/// Three switches that are joined to each other, with hosts at two of them.
fn triangle(flows: &[[u32; 2]], faults: Faults) -> Checked {
    checked(3, &[[0, 3], [1, 3], [2, 4], [3, 4], [3, 5], [5, 4]], flows, faults)
}

/// All states, none of them a counterexample, and at least so many different ones: a model in which little happens proves little.
fn all_is_well(model: Checked, at_least: usize) {
    let told =
        format!("{} hosts, {} nodes, {:?}, {:?}", model.wiring.hosts, model.wiring.nodes, model.flows, model.faults);
    let can_break = model.faults != NONE;
    let has_third = model.wiring.nodes - model.wiring.hosts > 2;
    let checker = model.checker().threads(2).spawn_bfs().join();
    for property in PROPERTIES {
        if let Some(path) = checker.discovery(property) {
            panic!("not so: {property}\n{:#?}\n{:#?}", path.last_state().clone(), path.into_actions());
        }
    }
    assert!(checker.discovery("all flows are done").is_some());
    assert_eq!(checker.discovery("a flow goes over a third container").is_some(), has_third);
    assert!(!can_break || checker.discovery("a flow is told").is_some());
    let (states, depth) = (checker.unique_state_count(), checker.max_depth());
    println!("{told}: {states} different states, {depth} steps deep");
    assert!(states >= at_least, "only {states} states");
}

/// The property that does not hold of this protocol, if one does not.
fn counterexample(model: Checked) -> Option<&'static str> {
    let checker = model.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    PROPERTIES.into_iter().find(|property| checker.discovery(property).is_some())
}

#[test]
fn flows_compete() {
    let flows = [[0, 2], [1, 2]];
    all_is_well(pair(&flows, NONE), 52_000);
    // The destination takes both, and the link between the switches does not.
    all_is_well(Checked { ending: 2, attempts: 1, ..pair(&flows, NONE) }, 24_000);
    // One each way, and through NICs that pass circuits on.
    all_is_well(pair(&[[0, 2], [2, 1]], NONE), 61_000);
    all_is_well(behind_egress(&[[0, 2], [1, 3]], NONE), 3_600);
}

#[test]
fn a_third_container_helps() {
    all_is_well(Checked { ending: 2, ..triangle(&[[0, 2], [1, 2]], NONE) }, 600_000);
}

#[test]
fn control_cells_are_lost() {
    all_is_well(Checked { attempts: 1, ..pair(&[[0, 2], [1, 2]], Faults { losses: 1, ..NONE }) }, 310_000);
    all_is_well(pair(&[[0, 2]], Faults { losses: 1, ..NONE }), 38_000);
    all_is_well(Checked { attempts: 1, ..pair(&[[0, 2]], Faults { losses: 2, ..NONE }) }, 3_100);
}

#[test]
fn things_break() {
    let once = |flows: &[[u32; 2]], faults| Checked { attempts: 1, ..pair(flows, faults) };
    all_is_well(once(&[[0, 2], [1, 2]], Faults { cables: 1, ..NONE }), 290_000);
    all_is_well(once(&[[0, 2], [1, 2]], Faults { nodes: 1, ..NONE }), 320_000);
    // It is repaired, and the flow asks again.
    all_is_well(pair(&[[0, 2]], Faults { cables: 1, repairs: 1, ..NONE }), 34_000);
    // And control cells are lost beside.
    all_is_well(once(&[[0, 2]], Faults { cables: 1, losses: 1, ..NONE }), 11_000);
}

#[test]
fn a_protocol_that_is_wrong_is_found_out() {
    let found = |broken, flows: &[[u32; 2]], faults| {
        counterexample(Checked { broken, attempts: 1, ending: 2, ..pair(flows, faults) })
    };
    let [sent, agree, _, over, slots] = PROPERTIES.map(Some);
    let (one, both) = ([[0, 2]], [[0, 2], [1, 2]]);
    let loses = |losses| Faults { losses, ..NONE };
    let breaks = Faults { cables: 1, ..NONE };
    assert_eq!(found(Broken::UnwantedStays, &one, loses(1)), slots);
    assert_eq!(found(Broken::NoReverse, &both, NONE), agree);
    assert_eq!(found(Broken::OneEnd, &one, breaks), agree);
    assert_eq!(found(Broken::BlindOutput, &one, breaks), agree);
    // The first loss makes a source give up, the second is of what it says then.
    assert_eq!(found(Broken::NoNotice, &one, loses(2)), slots);
    assert_eq!(found(Broken::NoPatience, &one, loses(1)), over);
    assert_eq!(found(Broken::NoFirstCells, &both, NONE), sent);
}
