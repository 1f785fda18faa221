//! Racks of all devices, through what the text of §4.4 tells: no latencies, messages in the order in which they were sent.

use super::timeline::{Latencies, NotReconfigured, prototype};
use super::*;
use crate::demand::Demand;
use crate::forwarding::check;
use crate::generate::crosspoints::Fabric;
use crate::generate::{Ties, generate};
use crate::graph::Port;
use crate::graph::paths::Distances;
use engine::Seed;
use proptest::prelude::*;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use units::{Span, Time};

const PERIOD: Span = Span::from_ms(1000);

/// A rack, and what is broken in it.
struct Trial {
    rack: Rack<DemandDriven>,
    now: Time,
    dead: BTreeSet<u32>,
    dead_crosspoints: BTreeSet<u32>,
    /// Ports that neither send nor receive.
    cut: BTreeSet<Port>,
    notes: Vec<Note>,
}

fn settings() -> (SocSettings, CrosspointSettings) {
    let socs = SocSettings { hello: Span::from_ms(10), misses: 3 };
    (socs, CrosspointSettings { retry: Span::from_ms(20), tries: 3 })
}

impl Trial {
    /// Of this many SoCs, without any circuit.
    fn new(socs: u32, ports: u32, uplinks: u32) -> Trial {
        let fabric = Fabric::port_by_port(socs, ports).expect("a rack of this size");
        let wiring = Arc::new(Wiring::new(fabric, uplinks));
        let none = Choice::default();
        let mut rack = Rack::running(wiring, &none, Version::NONE, settings(), Time::ZERO);
        for (soc, agent) in (0..).zip(&mut rack.socs) {
            let addresses = (0..ports).map(|number| address(Port { soc, number })).collect();
            *agent = SocAgent::new(soc, socs, addresses, settings().0, Time::ZERO);
        }
        let (dead, dead_crosspoints, cut) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        Trial { rack, now: Time::ZERO, dead, dead_crosspoints, cut, notes: Vec::new() }
    }

    fn start(&mut self, soc: u32) {
        let wiring = self.rack.wiring().clone();
        let generator = DemandDriven::new(&wiring, 0.5, &[0, 1], Ties::Shuffled(1)).expect("the weight is a share");
        let waits = ControllerSettings { period: PERIOD, retry: Span::from_ms(20), tries: 3 };
        self.rack.controllers.insert(soc, Controller::new(soc, wiring, waits, generator, self.now));
    }

    fn arrives(&self, message: &InFlight) -> bool {
        match message {
            InFlight::Link { port, .. } => {
                !self.dead.contains(&port.soc)
                    && !self.cut.contains(port)
                    && self.rack.peer(*port).is_none_or(|peer| !self.cut.contains(&peer))
            }
            InFlight::Command { crosspoint, .. } | InFlight::Signal { crosspoint, .. } => {
                !self.dead_crosspoints.contains(crosspoint)
            }
            InFlight::Answer { .. } => true,
        }
    }

    /// Delivers what is sent, and what that has sent, until nothing is left.
    fn settle(&mut self, outcome: Outcome) {
        let mut queue = VecDeque::from(outcome.sent);
        self.notes.extend(outcome.notes);
        while let Some(message) = queue.pop_front() {
            if self.arrives(&message) {
                let mut outcome = Outcome::default();
                self.rack.deliver(self.now, message, &mut outcome);
                queue.extend(outcome.sent);
                self.notes.extend(outcome.notes);
            }
        }
    }

    /// A millisecond at a time.
    fn run(&mut self, span: Span) {
        let until = self.now + span;
        while self.now < until {
            self.now += Span::from_ms(1);
            for soc in (0..self.rack.socs.len() as u32).filter(|soc| !self.dead.contains(soc)).collect::<Vec<_>>() {
                let mut outcome = Outcome::default();
                self.rack.expire_soc(self.now, soc, &mut outcome);
                self.rack.expire_controller(self.now, soc, &mut outcome);
                self.settle(outcome);
            }
            for crosspoint in 0..self.rack.crosspoints.len() as u32 {
                let mut outcome = Outcome::default();
                self.rack.expire_crosspoint(self.now, crosspoint, &mut outcome);
                self.settle(outcome);
            }
        }
    }

    fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    /// All SoCs that live use one version, with tables that lead to each other over links that are there.
    fn assert_consistent(&self) {
        let living: Vec<&SocAgent> = self.rack.socs.iter().filter(|soc| !self.dead.contains(&soc.soc())).collect();
        let versions: BTreeSet<Version> = living.iter().map(|soc| soc.version()).collect();
        assert_eq!(versions.len(), 1, "{versions:?}");
        let mut graph = self.rack.links();
        self.cut.iter().for_each(|&port| graph.part(port));
        let ports = self.rack.wiring().fabric().ports();
        for &soc in &self.dead {
            (0..ports).for_each(|number| graph.part(Port { soc, number }));
        }
        let tables: Vec<_> = self.rack.socs.iter().map(|soc| soc.table().expect("it has tables").clone()).collect();
        for soc in &living {
            for to in &living {
                assert!(soc.soc() == to.soc() || tables[soc.soc() as usize].set(to.soc()) != 0, "there is a way");
            }
        }
        let reaches = Distances::of(&graph);
        assert!(living.iter().all(|soc| reaches.hops(living[0].soc(), soc.soc()).is_some()));
        if self.dead.is_empty() {
            assert_eq!(check(&graph, &tables), Ok(()));
        }
    }
}

#[test]
fn a_rack_without_a_circuit_is_cabled_and_follows_the_demand() {
    let mut trial = Trial::new(8, 3, 2);
    trial.start(0);
    trial.run(Span::from_ms(100));
    let epoch = Epoch { number: 1, soc: 0 };
    let first = Version::new(epoch, 1);
    assert_eq!(trial.take_notes(), [Note::TookOver(epoch), Note::Reconfigured(first)]);
    trial.assert_consistent();
    // Two uplinks, neither on the SoCs that hang on the control network.
    let uplinks = trial.rack.crosspoints[3].active().map.clone();
    assert_eq!((uplinks[8], uplinks[9], uplinks[2], uplinks[3]), (Some(2), Some(3), Some(8), Some(9)));
    assert_eq!(trial.rack.socs[5].active().and_then(|update| update.gateway), Some(2));
    // SoC 1 begins to send to SoC 6: the next round joins them on all crosspoints.
    trial.rack.socs[1].count_sent(6, 1_000_000);
    trial.run(PERIOD);
    assert_eq!(trial.take_notes(), [Note::Reconfigured(Version::new(epoch, 2))]);
    trial.assert_consistent();
    assert!(trial.rack.links().neighbours(1).any(|(_, peer)| peer == 6));
    // Nothing new: nothing changes.
    trial.run(PERIOD);
    assert_eq!(trial.take_notes(), [Note::Unchanged(Version::new(epoch, 2))]);
}

#[test]
fn a_controller_that_starts_elsewhere_goes_on_from_what_is_set() {
    let mut trial = Trial::new(8, 3, 0);
    trial.start(0);
    trial.run(Span::from_ms(100));
    trial.take_notes();
    trial.rack.controllers.clear();
    trial.start(1);
    trial.run(Span::from_ms(100));
    let epoch = Epoch { number: 1, soc: 1 };
    let set = Version::new(Epoch { number: 1, soc: 0 }, 1);
    assert_eq!(trial.take_notes(), [Note::TookOver(epoch), Note::Unchanged(set)]);
    // On the SoC of the first one: its epoch has been used.
    trial.rack.controllers.clear();
    trial.start(0);
    trial.run(Span::from_ms(100));
    assert_eq!(trial.take_notes()[0], Note::TookOver(Epoch { number: 2, soc: 0 }));
    // One that starts while it runs stops it, at its next word with a crosspoint.
    trial.start(1);
    trial.rack.socs[2].count_sent(7, 1_000_000);
    trial.run(PERIOD * 2);
    let notes = trial.take_notes();
    let latest = Epoch { number: 3, soc: 1 };
    assert!(notes.contains(&Note::TookOver(latest)) && notes.contains(&Note::Superseded(latest)), "{notes:?}");
    assert_eq!(trial.rack.controllers[&0].phase(), Phase::Stopped);
    trial.assert_consistent();
}

#[test]
fn a_soc_that_dies_is_left_out_until_it_is_repaired() {
    let mut trial = Trial::new(8, 3, 0);
    trial.start(0);
    trial.run(Span::from_ms(100));
    trial.take_notes();
    trial.dead.insert(5);
    trial.run(PERIOD * 2);
    let notes = trial.take_notes();
    assert_eq!(notes[0], Note::SocFailed(5));
    assert!(matches!(notes[1], Note::Reconfigured(_)), "{notes:?}");
    assert!((0..3).all(|number| trial.rack.peer(Port { soc: 5, number }).is_none()));
    trial.assert_consistent();
    // It comes back without tables.
    trial.dead.clear();
    let addresses = (0..3).map(|number| address(Port { soc: 5, number })).collect();
    trial.rack.socs[5] = SocAgent::new(5, 8, addresses, settings().0, trial.now);
    trial.rack.controllers.get_mut(&0).expect("it runs").readmit(5);
    trial.run(PERIOD * 2);
    assert!(trial.take_notes().iter().any(|note| matches!(note, Note::Reconfigured(_))));
    trial.assert_consistent();
    assert_eq!(trial.rack.links().neighbours(5).count(), 3);
}

#[test]
fn a_link_over_which_neighbours_do_not_hear_each_other_is_left_out() {
    let mut trial = Trial::new(8, 3, 0);
    trial.start(0);
    trial.run(Span::from_ms(100));
    trial.take_notes();
    let port = Port { soc: 2, number: 1 };
    let peer = trial.rack.peer(port).expect("all ports are used");
    trial.cut.insert(port);
    trial.run(PERIOD * 2);
    let notes = trial.take_notes();
    let lesser = port.min(peer);
    assert_eq!(notes[0], Note::LinkFailed(lesser));
    let failed = trial.rack.controllers[&0].failed_ports().clone();
    assert_eq!(failed, BTreeSet::from([port, peer]));
    assert!(trial.rack.peer(port).is_none() && trial.rack.peer(peer).is_none());
    assert!(!trial.rack.socs.iter().any(|soc| trial.dead.contains(&soc.soc())));
    trial.assert_consistent();
    // Repaired.
    trial.cut.clear();
    let controller = trial.rack.controllers.get_mut(&0).expect("it runs");
    controller.readmit_port(port);
    controller.readmit_port(peer);
    trial.run(PERIOD * 2);
    assert!(trial.rack.peer(port).is_some());
    trial.assert_consistent();
}

#[test]
fn a_crosspoint_that_does_not_answer_is_left_out_until_it_does() {
    let mut trial = Trial::new(8, 4, 0);
    trial.start(0);
    trial.run(Span::from_ms(100));
    trial.take_notes();
    trial.dead_crosspoints.insert(2);
    trial.rack.socs[2].count_sent(7, 1_000_000);
    trial.run(PERIOD);
    let notes = trial.take_notes();
    assert_eq!(notes[0], Note::CrosspointFailed(2));
    // It has kept its circuits, and no table uses them.
    let unused = trial.rack.socs.iter().all(|soc| soc.neighbour(2).is_none());
    assert!(unused && trial.rack.links().neighbours(0).count() == 4);
    trial.dead_crosspoints.clear();
    trial.run(PERIOD * 2);
    assert!(trial.rack.socs.iter().all(|soc| soc.neighbour(2).is_some()));
    trial.assert_consistent();
}

#[test]
fn the_prototype_is_reconfigured_within_11_ms() {
    // §6.6, Fig 6b: all servers within 11 ms, the last crosspoint 8 ms after the first.
    let with = |latencies| prototype(latencies, Seed(1)).expect("it is reconfigured");
    let ms = |span: Span| span.as_secs_f64() * 1e3;
    let last_set = |run: &timeline::Reconfiguration| run.crosspoints.iter().copied().max();
    // The flood alone: hosts are silent, and hellos too rare to matter.
    let quiet = Latencies { first_frame: None, hello: Span::from_ms(1000), ..Latencies::prototype() };
    let flood = with(quiet);
    assert_eq!((flood.crosspoints.len(), flood.socs.len()), (7, 27));
    // Seven exchanges of 1 ms: the last is over 6 ms after the first.
    assert_eq!(last_set(&flood), Some(Span::from_ms(6)));
    assert!((6.0..=11.0).contains(&ms(flood.last())), "{flood:?}");
    assert_eq!(flood.socs.iter().copied().min(), Some(Span::from_ms(6)), "the controller's own SoC");
    let hellos = with(Latencies { first_frame: None, ..Latencies::prototype() });
    assert!(hellos.last() < flood.last(), "{hellos:?}");
    // Frames of hosts give the change away before the controller does.
    let busy = with(Latencies::prototype());
    assert!(busy.last() < hellos.last(), "{busy:?}");
    assert_eq!(last_set(&busy), Some(Span::from_ms(6)));
    // "This latency would be removed if the controller used an Ethernet-based control plane."
    let ethernet =
        ControlPlane { message: Span::from_us(100), exchanges: Exchanges::Parallel, ..Latencies::prototype().control };
    let fast = with(Latencies { control: ethernet, ..Latencies::prototype() });
    assert!(fast.crosspoints.iter().all(|&at| at == Span::ZERO) && ms(fast.last()) < 1.0, "{fast:?}");
}

#[test]
fn answers_that_take_too_long_are_no_answers() {
    let slow = Latencies { hop: Span::from_ms(20_000), ..Latencies::prototype() };
    assert_eq!(prototype(slow, Seed(1)), Err(NotReconfigured));
    let text = "the rack was not reconfigured within 10 s; answers have to come within 100 ms";
    assert_eq!(NotReconfigured.to_string(), text);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn a_flood_takes_no_more_rounds_than_the_diameter(
        (socs, ports, start) in (2_u32..20, 3_u32..6).prop_flat_map(|(half, ports)| (Just(2 * half), Just(ports), 0..2 * half)),
        seed in any::<u64>(),
    ) {
        // §4.4: "in the worst case the number of rounds will be the diameter of the network."
        let fabric = Fabric::port_by_port(socs, ports).expect("a rack of this size");
        let uniform = Demand::none(socs).expect("a rack of this size");
        let cabling = generate(&fabric, &uniform, Ties::Shuffled(seed)).expect("demand and fabric are of one size");
        let wiring = Arc::new(Wiring::new(fabric, 0));
        let choice = Choice { circuits: cabling.circuits, uplinks: None };
        let rack = |version| Rack::<DemandDriven>::running(wiring.clone(), &choice, version, settings(), Time::ZERO);
        // All circuits are set, all SoCs have stored the tables of version 2.
        let (mut now, next) = (rack(Version(1)), rack(Version(2)));
        for (agent, next) in now.socs.iter_mut().zip(&next.socs) {
            let update = next.active().expect("it is configured").clone();
            let body = Body::Map { soc: agent.soc(), base: Version(1), update };
            agent.inject(LinkMessage::Routed(Packet { route: vec![], back: vec![], body }), &mut Vec::new());
        }
        let graph = now.links();
        let distances = Distances::of(&graph);
        let mut arriving = vec![(start, LinkMessage::Reconfigure { version: Version(2) }, 0)];
        for round in 0..=distances.diameter().expect("it is connected") {
            let mut next = Vec::new();
            for (soc, message, port) in arriving {
                let mut out = Vec::new();
                let agent = &mut now.socs[soc as usize];
                if round == 0 { agent.inject(message, &mut out) } else { agent.receive(port, message, &mut out) }
                for output in out {
                    if let SocOutput::Transmit { port, message } = output {
                        let peer = now.peer(Port { soc, number: port }).expect("all ports are used");
                        next.push((peer.soc, message, peer.number));
                    }
                }
            }
            arriving = next;
            for agent in &now.socs {
                let reached = distances.hops(start, agent.soc()).expect("it is connected") <= round;
                prop_assert_eq!(agent.version() == Version(2), reached);
            }
        }
        // Nobody floods twice.
        for (soc, message, port) in arriving {
            let mut out = Vec::new();
            now.socs[soc as usize].receive(port, message, &mut out);
            prop_assert_eq!(out, vec![]);
        }
    }
}
