//! The network cell by cell, for tests: every data cell is passed on from table to table, and has to come where and when the computation says.

use crate::message::{Name, Place};
use crate::network::An3;
use engine::{Event, EventQueue, Rank};
use fabric::{Observer, kind};
use std::collections::BTreeMap;
use units::{Span, Time};

/// Cells on their way, and those that have come.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub is_on: bool,
    /// By link, control cells on it or waiting for it.
    pub under_way: Vec<i32>,
    cells: Vec<DataCell>,
    /// By burst: when its cells came, by their numbers.
    pub came: BTreeMap<u32, Vec<(u32, Time)>>,
    /// Cells over links.
    pub hops: u64,
    /// Bursts compared, and of these whole and not.
    pub compared: [u64; 2],
}

#[derive(Debug, Clone, Copy)]
struct DataCell {
    name: Name,
    burst: u32,
    number: u32,
    /// Where it is, and the link and slot it leaves in, or came in.
    link: u32,
    slot: u8,
    left: Time,
}

/// Events of data cells: the devices after those of all circuits.
const LEAVES: u32 = 1 << 26;
const COMES: u32 = LEAVES + 1;

impl<O: Observer> An3<O> {
    /// A burst begins to leave its source.
    pub(crate) fn trace_burst(&mut self, circuit: u32, queue: &mut EventQueue) {
        if !self.trace.is_on {
            return;
        }
        let frame = self.rig.frame.length();
        let own = &self.circuits[circuit];
        let (burst, hop) = (own.bursts[own.bursts.len() - 1], own.hops[0]);
        for number in 0..burst.cells {
            let cell = DataCell {
                name: own.name,
                burst: burst.serial,
                number,
                link: hop.link,
                slot: hop.slot,
                left: Time::ZERO,
            };
            self.trace.cells.push(cell);
            let slot = self.trace.cells.len() as u32 - 1;
            let at = burst.first + frame * u64::from(number);
            queue.push(Event { at, rank: Rank::new(kind::TICK, LEAVES), slot });
        }
    }

    /// Something happens to a data cell. False: to something else.
    pub(crate) fn trace_event(&mut self, event: Event, queue: &mut EventQueue) -> bool {
        let now = event.at;
        match event.rank.device() {
            LEAVES => self.trace_leave(now, event.slot, queue),
            COMES => self.trace_arrive(now, event.slot, queue),
            _ => return false,
        }
        true
    }

    fn trace_leave(&mut self, now: Time, place: u32, queue: &mut EventQueue) {
        let cell = self.trace.cells[place as usize];
        let line = self.rig.lines[cell.link as usize];
        let to = Place { port: line.from_port, slot: cell.slot };
        let before = match self.is_host(line.from) {
            true => self.nics[line.from as usize].before(cell.name, to),
            false => self.switches[(line.from - self.rig.hosts()) as usize].0.before(cell.name, to),
        };
        // Its circuit is there, and the next node has acknowledged; a source sends only what it still means to.
        let own = &self.circuits[cell.name.circuit];
        let is_open = own.name == cell.name && own.hop(cell.link).is_some_and(|hop| own.hops[hop].open <= now);
        let is_meant =
            before != Some(Place::HERE) || own.is_live && own.bursts.iter().any(|burst| burst.serial == cell.burst);
        if before.is_none() || !is_open || !is_meant || !self.wires[cell.link as usize].carries {
            return;
        }
        // It begins with its slot.
        let slot = self.rig.slot_from(now, self.phases[line.from as usize], &line, cell.slot);
        assert_eq!(slot, now, "cells leave in the slots that their circuits have");
        self.trace.cells[place as usize].left = now;
        self.trace.hops += 1;
        let at = now + line.slot + line.delay;
        queue.push(Event { at, rank: Rank::new(kind::ARRIVAL, COMES), slot: place });
    }

    fn trace_arrive(&mut self, now: Time, place: u32, queue: &mut EventQueue) {
        let cell = self.trace.cells[place as usize];
        let (line, wire) = (self.rig.lines[cell.link as usize], &self.wires[cell.link as usize]);
        if !wire.carries || wire.broken > cell.left {
            return;
        }
        let from = Place { port: line.to_port, slot: cell.slot };
        let is_host = self.is_host(line.to);
        let after = match is_host {
            true => self.nics[line.to as usize].after(cell.name, from),
            false => self.switches[(line.to - self.rig.hosts()) as usize].0.after(cell.name, from),
        };
        let Some(to) = after else { return };
        if to == Place::HERE {
            let own = &self.circuits[cell.name.circuit];
            if own.name == cell.name && own.is_headless {
                return;
            }
            self.trace.came.entry(cell.burst).or_default().push((cell.number, now));
            return;
        }
        let link = self.rig.link(line.to, to.port);
        let next = self.rig.lines[link as usize];
        let head = Time::ZERO + now.since(Time::ZERO + line.slot);
        // NICs cut through; switches, and egress NICs towards them, have a frame buffer.
        let is_buffered = !is_host || !self.is_host(next.to);
        let wait = if is_buffered { self.rig.frame.length() } else { self.config.nic_latency };
        let leaves = self.rig.slot_from(head + wait, self.phases[line.to as usize], &next, to.slot);
        assert!(leaves >= now, "a cell is there before it leaves");
        // No switch holds a cell for longer than two frames (§8.2).
        assert!(leaves.since(head) < self.rig.frame.length() * 2 || !is_buffered, "{}", leaves.since(head));
        let moved = &mut self.trace.cells[place as usize];
        (moved.link, moved.slot) = (link, to.slot);
        queue.push(Event { at: leaves, rank: Rank::new(kind::TICK, LEAVES), slot: place });
    }

    /// The first cell of a burst is due, and the computation says that it was discarded.
    pub(crate) fn trace_headless(&self, burst: u32) {
        let came = self.trace.came.get(&burst).is_some_and(|cells| cells.iter().any(|(number, _)| *number == 0));
        assert!(!came, "burst {burst} has come from its first cell on");
    }

    /// A mark is due: the computation says whether all of its burst has come.
    pub(crate) fn trace_mark(&mut self, now: Time, burst: u32, cells: u32, is_whole: bool) {
        if !self.trace.is_on {
            return;
        }
        let frame = self.rig.frame.length();
        let came = self.trace.came.remove(&burst).unwrap_or_default();
        self.trace.compared[usize::from(!is_whole)] += 1;
        let whole: Vec<(u32, Time)> = (0..cells)
            .map(|number| (number, Time::ZERO + now.since(Time::ZERO + frame * u64::from(cells - 1 - number))))
            .collect();
        assert_eq!(came == whole, is_whole, "burst {burst} of {cells} cells: {came:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use engine::Seed;
    use fabric::{Fault, Frame, Network, Off};
    use proptest::prelude::*;
    use topology::{Shape, Wiring};
    use units::Rate;

    /// Events of what breaks.
    const FAULTS: u32 = COMES + 1;

    fn network(containers: u32, networks: u32, delay: Span, config: &Config, seed: u64) -> An3 {
        let shape =
            topology::An3 { containers, networks, hosts: 4, wiring: Wiring::Mesh, egress: 2, container_links: 1 };
        let topology = Shape::An3(shape).build(Rate::from_gbps(10), delay).unwrap();
        let mut network: An3<Off> = An3::new(config, &topology, Seed(seed)).unwrap();
        network.trace.is_on = true;
        network
    }

    /// Flows among hosts, and links that break and are repaired, until everything has come. Cells compared, hops, and slots that are left.
    fn run(mut network: An3, flows: &[(u32, u32, u32)], faults: &[(u32, u32)]) -> ([u64; 2], u64, usize) {
        let mut queue = EventQueue::new(Span::from_ns(100));
        let hosts = network.rig.hosts();
        let links = network.rig.lines.len() as u32;
        for (flow, (src, dst, len)) in (0..).zip(flows) {
            let (src, dst) = (src % hosts, dst % hosts);
            let dst = if dst == src { (dst + 1) % hosts } else { dst };
            let frame = Frame { flow, src, dst, len: *len, ..Frame::EMPTY };
            network.offer(Time::ZERO, frame, &mut queue);
        }
        // At times of their own: a cell that leaves in the very moment in which its link breaks could do either.
        let faults: Vec<(Time, Fault)> = faults
            .iter()
            .flat_map(|(link, at)| {
                let (link, at) = (link % links, Time::ZERO + Span::from_us(u64::from(*at)));
                [(at, Fault::Link { link, up: false }), (at + Span::from_us(700), Fault::Link { link, up: true })]
            })
            .collect();
        for (slot, (at, _)) in (0..).zip(&faults) {
            queue.push(Event { at: *at, rank: Rank::new(kind::TICK, FAULTS), slot });
        }
        let mut delivered = 0;
        while let Some(event) = queue.pop() {
            if event.rank.device() == FAULTS {
                let (at, fault) = faults[event.slot as usize];
                network.fault(at, fault, &mut queue);
                continue;
            }
            delivered += usize::from(network.handle(event, &mut queue).is_some());
            if event.at > Time::ZERO + Span::from_ms(200) {
                break;
            }
        }
        assert_eq!(delivered, flows.len(), "every flow arrives");
        (network.trace.compared, network.trace.hops, network.slots_taken())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn cells_come_when_the_computation_says(
            containers in 1_u32..4,
            networks in 1_u32..3,
            growth in any::<bool>(),
            delay in 0_u64..8,
            nic in 200_u64..8000,
            chunk in 1_u32..20,
            seed in any::<u64>(),
            flows in proptest::collection::vec((0_u32..64, 0_u32..64, 1_u32..9000), 1..40),
            faults in proptest::collection::vec((any::<u32>(), 0_u32..400), 0..8),
        ) {
            let config = Config { growth, chunk, hold: 30, nic_latency: Span::from_ns(nic), ..Config::default() };
            let (compared, hops, slots) = run(network(containers, networks, Span::from_us(delay) + Span::from_ns(50), &config, seed), &flows, &faults);
            prop_assert!(compared[0] >= flows.len() as u64 && hops > 0);
            prop_assert_eq!(slots, 0, "at the end no slot has a circuit");
            if faults.is_empty() && nic < 1000 {
                prop_assert_eq!(compared[1], 0, "nothing is lost");
            }
        }
    }

    #[test]
    fn a_circuit_whose_cells_overtake_its_request_begins_again() {
        // NICs take so long for a request that its cells are there first.
        let config = Config { nic_latency: Span::from_us(6), ..Config::default() };
        let mut network = network(2, 1, Span::from_ns(50), &config, 1);
        let mut queue = EventQueue::new(Span::from_ns(100));
        for flow in 0..8 {
            let frame = Frame { flow, src: flow, dst: 7 - flow, len: 1000, ..Frame::EMPTY };
            network.offer(Time::ZERO, frame, &mut queue);
        }
        let mut delivered = 0;
        while let Some(event) = queue.pop() {
            delivered += u32::from(network.handle(event, &mut queue).is_some());
        }
        assert_eq!((delivered, network.slots_taken()), (8, 0));
        assert!(network.sums.restarted > 0, "{:?}", network.sums);
    }
}
