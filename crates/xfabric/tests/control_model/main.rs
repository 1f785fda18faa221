//! Model checking of reconfiguration (§4.4): the devices of `xfabric::control`, whatever order their messages come in, whichever are
//! lost, whenever their controller dies, wherever another one starts.

mod messages;
mod model;
mod search;

use model::{Broken, Checked, Faults};
use stateright::{Checker, HasDiscoveries, Model};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use xfabric::control::Wiring;
use xfabric::crosspoints::{Circuit, Fabric};
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

/// All states, none of them a counterexample. How many there are.
fn all_is_well(model: Checked) -> usize {
    let can_restart = model.faults.starts > 0 && !model.rivals;
    let can_die = model.faults.deaths > 0;
    let checker = model.checker().spawn_bfs().join();
    for property in
        ["no version goes back", "at rest the rack is consistent", "without further faults the rack comes to rest"]
    {
        if let Some(path) = checker.discovery(property) {
            panic!("not so: {property}\n{:#?}", path.into_actions());
        }
    }
    let happens = |name| checker.discovery(name).is_some();
    assert!(happens("the last topology is set everywhere"));
    assert_eq!(happens("crosspoints differ and no controller runs"), can_die);
    assert_eq!(happens("SoCs differ and no controller runs"), can_die);
    assert!(!can_restart || can_die, "a controller that never dies has no successor");
    eprintln!("XX {} {} {}", checker.state_count(), checker.unique_state_count(), checker.max_depth());
    checker.unique_state_count()
}

/// The property that does not hold of these devices, if one does not.
fn counterexample(model: Checked) -> Option<&'static str> {
    let checker = model.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let properties =
        ["no version goes back", "at rest the rack is consistent", "without further faults the rack comes to rest"];
    properties.into_iter().find(|property| checker.discovery(property).is_some())
}

const NONE: Faults = Faults { losses: 0, deaths: 0, starts: 0, early: 0, late_hellos: 0 };

#[test]
fn two_configurations_and_a_controller_that_dies_at_any_step() {
    // §4.4: nobody takes over, and nothing is lost but what it had not sent.
    all_is_well(checked(4, 2, &rings(), Faults { deaths: 1, ..NONE }));
}

#[test]
fn a_controller_dies_at_any_step_and_another_starts_at_any_later_one() {
    all_is_well(checked(4, 2, &rings()[..2], Faults { deaths: 1, starts: 1, ..NONE }));
}

#[test]
fn any_message_is_lost_and_the_controller_dies_and_another_starts() {
    all_is_well(checked(3, 2, &paths()[..2], Faults { losses: 1, deaths: 1, starts: 1, ..NONE }));
    all_is_well(checked(3, 2, &paths()[..2], Faults { losses: 2, deaths: 1, ..NONE }));
}

#[test]
fn timers_fire_too_early_and_hellos_arrive_too_late() {
    all_is_well(checked(3, 2, &paths(), Faults { early: 1, late_hellos: 1, ..NONE }));
    all_is_well(checked(4, 2, &rings(), Faults { late_hellos: 1, ..NONE }));
}

#[test]
fn a_controller_starts_while_another_one_runs() {
    all_is_well(Checked { rivals: true, ..checked(3, 2, &paths()[..2], Faults { starts: 1, ..NONE }) });
}

/// Each way of being broken, in a rack and with faults where it matters.
fn broken_racks() -> [(Broken, Checked); 5] {
    let [a, b, _] = rings();
    let dies = || checked(4, 2, &rings()[..2], Faults { deaths: 1, ..NONE });
    // SoC 0 keeps its only neighbour, so that nothing but the flood or the version in a hello tells it of the change.
    let far = [topology(&[&[[0, 1], [2, 3]], &[[1, 2]]]), topology(&[&[[0, 1], [2, 3]], &[[1, 3]]])];
    // From the first topology to the second and back: a hello from before the one looks like one from after the other.
    let back = [a.clone(), b, a];
    [
        (Broken::NoFlood, checked(4, 2, &far, NONE)),
        (Broken::NoNeighbourCheck, dies()),
        (Broken::NoSignals, dies()),
        (Broken::NoVersionInHello, checked(4, 2, &back, Faults { deaths: 1, late_hellos: 1, ..NONE })),
        (Broken::NoEpochs, Checked { rivals: true, ..checked(3, 2, &paths()[..2], Faults { starts: 1, ..NONE }) }),
    ]
}

#[test]
fn broken_devices_are_found_out() {
    for (broken, model) in broken_racks() {
        let found = counterexample(Checked { broken, ..model });
        eprintln!("XX {broken:?} {found:?}");
        assert!(found.is_some(), "{broken:?} is not found out");
    }
    for (broken, model) in broken_racks() {
        all_is_well(model);
    }
}
