//! Model checking of reconfiguration (§4.4): the devices of `xfabric::control`, whatever order their messages come in, whichever are
//! lost, whenever their controller dies, wherever another one starts.

#![allow(clippy::print_stdout, reason = "the numbers of states that the documentation tells")]

mod messages;
mod model;
mod search;

use model::{Broken, Checked, Faults};
use stateright::{Checker, HasDiscoveries, Model};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use xfabric::control::Wiring;
use xfabric::generate::crosspoints::{Circuit, Fabric};
use xfabric::graph::Port;

type Topology = Vec<Circuit>;

/// Pairs of SoCs, by crosspoint.
fn topology(pairs: &[&[[u32; 2]]]) -> Topology {
    let circuits = (0..).zip(pairs).flat_map(|(crosspoint, pairs)| {
        pairs.iter().map(move |&[a, b]| {
            let port = |soc| Port { soc, number: crosspoint };
            Circuit { crosspoint, ends: [port(a.min(b)), port(a.max(b))] }
        })
    });
    circuits.collect()
}

const MATCHINGS: [&[[u32; 2]]; 3] = [&[[0, 1], [2, 3]], &[[0, 2], [1, 3]], &[[0, 3], [1, 2]]];

/// Rings of four SoCs over two crosspoints. Between the first and the second the rack is in two pieces if only the second crosspoint
/// has been set.
fn rings() -> [Topology; 3] {
    [[0, 2], [1, 0], [2, 1]].map(|[a, b]| topology(&[MATCHINGS[a], MATCHINGS[b]]))
}

/// Rows of five SoCs over two crosspoints.
fn rows() -> [Topology; 2] {
    [topology(&[&[[0, 1], [2, 3]], &[[1, 2], [3, 4]]]), topology(&[&[[0, 2], [1, 4]], &[[0, 3], [1, 2]]])]
}

fn checked(socs: u32, ports: u32, topologies: &[Topology], faults: Faults) -> Checked {
    let fabric = Fabric::port_by_port(socs, ports).expect("a rack of this size");
    Checked {
        wiring: Arc::new(Wiring::new(fabric, 0)),
        first: topologies[0].clone(),
        wanted: vec![topologies[1..].to_vec(), topologies[topologies.len() - 1..].to_vec()],
        seats: vec![0, socs - 1],
        faults,
        tries: 3,
        prompt_answers: true,
        rivals: false,
        broken: Broken::Nothing,
        settles: Mutex::new(BTreeSet::new()),
    }
}

/// Paths of three SoCs over two crosspoints.
fn paths() -> [Topology; 3] {
    let pairs: [[[u32; 2]; 2]; 3] = [[[0, 1], [1, 2]], [[0, 2], [1, 2]], [[0, 1], [0, 2]]];
    pairs.map(|[a, b]| topology(&[&[a], &[b]]))
}

const PROPERTIES: [&str; 3] =
    ["no version goes back", "at rest the rack is consistent", "without further faults the rack comes to rest"];

/// All states, none of them a counterexample, and at least so many different ones: a model in which little happens proves little.
fn all_is_well(model: Checked, at_least: usize) {
    let can_die = model.faults.deaths > 0;
    let told = format!("{} SoCs, {:?}", model.wiring.fabric().socs(), model.faults);
    let checker = model.checker().spawn_bfs().join();
    for property in PROPERTIES {
        if let Some(path) = checker.discovery(property) {
            panic!("not so: {property}\n{:#?}", path.into_actions());
        }
    }
    let happens = |name| checker.discovery(name).is_some();
    assert!(happens("the last topology is set everywhere"));
    assert_eq!(happens("crosspoints differ and no controller runs"), can_die);
    assert_eq!(happens("SoCs differ and no controller runs"), can_die);
    println!("{told}: {} different states", checker.unique_state_count());
    assert!(checker.unique_state_count() >= at_least, "only {} states", checker.unique_state_count());
}

/// The property that does not hold of these devices, if one does not.
fn counterexample(model: Checked) -> Option<&'static str> {
    let checker = model.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    PROPERTIES.into_iter().find(|property| checker.discovery(property).is_some())
}

const NONE: Faults = Faults { losses: 0, deaths: 0, starts: 0, early: 0, late_hellos: 0 };

#[test]
fn two_configurations_and_a_controller_that_dies_at_any_step() {
    // §4.4: nobody takes over, and nothing is lost but what it had not sent.
    all_is_well(checked(4, 2, &rings(), Faults { deaths: 1, ..NONE }), 1_600);
    // And five SoCs in a row.
    all_is_well(checked(5, 2, &rows(), Faults { deaths: 1, ..NONE }), 1_000);
}

#[test]
fn a_controller_dies_at_any_step_and_another_starts_at_any_later_one() {
    all_is_well(checked(4, 2, &rings()[..2], Faults { deaths: 1, starts: 1, ..NONE }), 16_000);
}

#[test]
fn any_message_is_lost_and_the_controller_dies_and_another_starts() {
    all_is_well(checked(3, 2, &paths()[..2], Faults { losses: 1, deaths: 1, starts: 1, ..NONE }), 24_000);
    all_is_well(checked(3, 2, &paths()[..2], Faults { losses: 2, deaths: 1, ..NONE }), 3_000);
}

#[test]
fn timers_fire_too_early_and_hellos_arrive_too_late() {
    all_is_well(checked(3, 2, &paths(), Faults { early: 1, late_hellos: 1, ..NONE }), 40_000);
    all_is_well(checked(4, 2, &rings(), Faults { late_hellos: 1, ..NONE }), 20_000);
}

#[test]
fn a_controller_starts_while_another_one_runs() {
    all_is_well(Checked { rivals: true, ..checked(3, 2, &paths()[..2], Faults { starts: 1, ..NONE }) }, 11_000);
}

#[test]
fn answers_take_their_time_and_reach_whoever_runs_there_by_then() {
    let faults = Faults { deaths: 1, starts: 1, ..NONE };
    let model = Checked { prompt_answers: false, seats: vec![0], ..checked(3, 2, &paths()[..2], faults) };
    all_is_well(model, 60_000);
}

/// From the first topology to the second and back: a hello from before the one looks like one from after the other.
fn there_and_back() -> Checked {
    let [a, b, _] = rings();
    checked(4, 2, &[a.clone(), b, a], Faults { deaths: 1, late_hellos: 1, ..NONE })
}

/// SoC 0 keeps its only neighbour, so that nothing but the flood or the version in a hello tells it of the change.
fn far_from_the_change() -> Checked {
    let topologies = [[1, 2], [1, 3]].map(|pair| topology(&[&[[0, 1], [2, 3]], &[pair]]));
    checked(4, 2, &topologies, NONE)
}

#[test]
fn a_late_hello_is_not_taken_for_a_new_neighbour() {
    all_is_well(there_and_back(), 60_000);
    all_is_well(far_from_the_change(), 100);
}

#[test]
fn broken_devices_are_found_out() {
    let dies = || checked(4, 2, &rings()[..2], Faults { deaths: 1, ..NONE });
    let rivals = || Checked { rivals: true, ..checked(3, 2, &paths()[..2], Faults { starts: 1, ..NONE }) };
    let found = |broken, model| counterexample(Checked { broken, ..model });
    let [_, rest, settles] = PROPERTIES.map(Some);
    assert_eq!(found(Broken::NoFlood, far_from_the_change()), rest);
    assert_eq!(found(Broken::NoNeighbourCheck, dies()), rest);
    assert_eq!(found(Broken::NoSignals, dies()), rest);
    assert_eq!(found(Broken::NoVersionInHello, there_and_back()), settles);
    assert_eq!(found(Broken::NoEpochs, rivals()), settles);
}
