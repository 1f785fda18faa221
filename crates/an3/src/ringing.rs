//! What goes around the ring of an L1 switch, and what ringmasters do with it (§4.2, Fig. 8).

use crate::circuit::Hop;
use crate::message::{Name, Place};
use crate::network::An3;
use crate::ring::{RINGMASTERS, Ring, STATIONS};
use crate::switch::{Request, Turn};
use engine::{Event, EventQueue, Rank};
use fabric::{Observer, kind};
use std::collections::VecDeque;
use units::{Span, Time};

/// The ring of a switch, and what waits at its ringmasters for a place.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wheel {
    ring: Ring,
    /// By ringmaster: what frees slots, and everything else.
    waiting: [[VecDeque<u32>; 2]; RINGMASTERS as usize],
}

/// The ringmasters between which something goes, and the cycles for which it has a place on the ring.
fn way(turn: Turn, from: u32) -> (u32, u64) {
    let to = match turn {
        Turn::Request(request) => return (Ring::station(request.to), u64::from(STATIONS)),
        Turn::Answer(request, _) => Ring::station(request.from.port),
        Turn::Close(_, place) | Turn::Back(_, place, _) => Ring::station(place.port),
    };
    (to, Ring::distance(from, to))
}

/// Events of a switch's ring, by ringmaster.
const PLACES: u32 = 32;

impl<O: Observer> An3<O> {
    fn cycle_from(&self, at: Time) -> u64 {
        at.as_ps().div_ceil(self.config.ring_cycle.as_ps())
    }

    fn cycle_at(&self, cycle: u64) -> Time {
        Time::from_ps(cycle * self.config.ring_cycle.as_ps())
    }

    /// A ringmaster puts something onto the ring, as soon as there is a place for it. What it has for itself needs none.
    pub(crate) fn put_on_ring(&mut self, now: Time, switch: u32, port: u8, turn: Turn, queue: &mut EventQueue) {
        if let Turn::Answer(request, _) = turn {
            return self.send_answer(now, switch, request, turn, queue);
        }
        let station = Ring::station(port);
        let place = self.turns.put((switch, turn));
        if way(turn, station).1 == 0 {
            queue.push(Event { at: now, rank: Rank::new(kind::SCHEDULE, switch * PLACES + station), slot: place });
            return;
        }
        let wheel = &mut self.switches[switch as usize].1;
        let lines = &mut wheel.waiting[station as usize];
        let is_first = lines.iter().all(VecDeque::is_empty);
        lines[usize::from(!turn.is_urgent())].push_back(place);
        if is_first {
            let cycle = self.cycle_from(now);
            let cycle = self.switches[switch as usize].1.ring.next_free(station, cycle);
            let rank = Rank::new(kind::LINK_FREE, switch * PLACES + station);
            queue.push(Event { at: self.cycle_at(cycle).max(now), rank, slot: 0 });
        }
    }

    /// A place that may be free passes a ringmaster for which something waits.
    pub(crate) fn board(&mut self, now: Time, device: u32, queue: &mut EventQueue) {
        let (switch, station) = (device / PLACES, device % PLACES);
        let cycle = self.cycle_from(now);
        let wheel = &mut self.switches[switch as usize].1;
        let line = wheel.waiting[station as usize].iter().position(|line| !line.is_empty());
        let Some(line) = line else { return };
        let turn = wheel.waiting[station as usize][line][0];
        let (to, cycles) = way(self.turns[turn].1, station);
        if wheel.ring.take(station, cycle, cycles) {
            wheel.waiting[station as usize][line].pop_front();
            self.sums.ring += 1;
            let at = self.cycle_at(cycle + Ring::distance(station, to));
            queue.push(Event { at, rank: Rank::new(kind::SCHEDULE, switch * PLACES + to), slot: turn });
        }
        let wheel = &self.switches[switch as usize].1;
        if wheel.waiting[station as usize].iter().any(|line| !line.is_empty()) {
            let at = self.cycle_at(wheel.ring.next_free(station, cycle + 1));
            queue.push(Event { at, rank: Rank::new(kind::LINK_FREE, device), slot: 0 });
        }
    }

    /// Something on the ring is where it goes.
    pub(crate) fn turn(&mut self, now: Time, place: u32, queue: &mut EventQueue) {
        let (switch, turn) = self.turns[place];
        self.turns.free(place);
        let node = self.rig.hosts() + switch;
        let mut effects = std::mem::take(&mut self.effects);
        let (rig, wires) = (&self.rig, &self.wires);
        let works = |port| wires[rig.link(node, port) as usize].carries;
        self.switches[switch as usize].0.turn(turn, works, &mut effects);
        self.carry_out(now, node, effects, queue);
    }

    /// An answer goes on in the place of its request: once around from there, all in all.
    fn send_answer(&mut self, now: Time, switch: u32, request: Request, turn: Turn, queue: &mut EventQueue) {
        let (from, to) = (Ring::station(request.from.port), Ring::station(request.to));
        let cycles = u64::from(STATIONS) - Ring::distance(from, to);
        let at = self.cycle_at(self.cycle_from(now) + cycles);
        let slot = self.turns.put((switch, turn));
        queue.push(Event { at, rank: Rank::new(kind::SCHEDULE, switch * PLACES + from), slot });
    }

    /// How long after their heads have come a node's cells can leave over a link at the earliest. NICs cut through; switches, and egress NICs towards them, have a frame buffer (§8.2).
    pub(crate) fn wait(&self, link: u32) -> Span {
        let line = &self.rig.lines[link as usize];
        if self.is_host(line.from) && self.is_host(line.to) { self.config.nic_latency } else { self.length() }
    }

    /// A circuit gets a slot of a link at `node`.
    pub(crate) fn join(&mut self, node: u32, name: Name, to: Place) {
        let link = self.rig.link(node, to.port);
        let line = self.rig.lines[link as usize];
        let circuit = &self.circuits[name.circuit];
        if circuit.name != name {
            return;
        }
        let arrival =
            circuit.hops.last().map_or(Span::ZERO, |hop| hop.offset + self.rig.lines[hop.link as usize].delay);
        let head = circuit.start + arrival;
        let leaves = self.rig.slot_from(head + self.wait(link), self.phases[node as usize], &line, to.slot);
        let hop = Hop { offset: leaves.since(circuit.start), ..Hop::first(link, to.slot) };
        self.circuits[name.circuit].hops.push(hop);
    }
}
