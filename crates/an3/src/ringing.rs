//! What goes around the ring of an L1 switch, and what ringmasters do with it (§4.2, Fig. 8).

use crate::circuit::Hop;
use crate::message::{Message, Name, Place, Reason};
use crate::network::An3;
use crate::ring::{RINGMASTERS, Ring, STATIONS};
use crate::switch::{Answered, Request};
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

/// What goes around.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Turn {
    /// From the input's ringmaster to the output's, with the input's schedule.
    Request(Request),
    /// From there on to the input's again: the slot, or why there is none.
    Answer(Request, Result<u8, Reason>),
    /// From the input's to the output's: a circuit has ended that leaves in this slot.
    Close(Name, Place),
    /// From the output's to the input's: what is to be told the node before, of a circuit that comes in this slot.
    Back(Name, Place, Message),
}

impl Turn {
    /// The ringmasters that it goes from and to, and the cycles for which it has a place.
    fn way(self, from: u32) -> (u32, u64) {
        let to = match self {
            Turn::Request(request) => return (Ring::station(request.to), u64::from(STATIONS)),
            Turn::Answer(request, _) => Ring::station(request.from.port),
            Turn::Close(_, place) | Turn::Back(_, place, _) => Ring::station(place.port),
        };
        (to, Ring::distance(from, to))
    }

    fn is_urgent(self) -> bool {
        match self {
            Turn::Close(..) => true,
            Turn::Back(.., message) => message.is_urgent(),
            Turn::Request(_) | Turn::Answer(..) => false,
        }
    }
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
    pub(crate) fn put_on_ring(&mut self, now: Time, switch: u32, station: u32, turn: Turn, queue: &mut EventQueue) {
        let place = self.turns.put((switch, turn));
        if turn.way(station).1 == 0 {
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
        let (to, cycles) = self.turns[turn].1.way(station);
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
        match turn {
            Turn::Request(request) => {
                let slot = self.match_slot(now, node, request, queue);
                // The answer goes on in the same place: once around from the request, all in all.
                let (from, to) = (Ring::station(request.from.port), Ring::station(request.to));
                let cycles = u64::from(STATIONS) - Ring::distance(from, to);
                let at = self.cycle_at(self.cycle_from(now) + cycles);
                let slot = self.turns.put((switch, Turn::Answer(request, slot)));
                queue.push(Event { at, rank: Rank::new(kind::SCHEDULE, switch * PLACES + from), slot });
            }
            Turn::Answer(request, slot) => {
                let (answered, next) = self.switches[switch as usize].0.answer(request, slot);
                match (answered, slot) {
                    (Answered::Open, _) => self.tell_before(now, node, request.name, request.from, Message::Ack, queue),
                    (Answered::Refused, slot) => {
                        let reason = slot.err().unwrap_or(Reason::Full);
                        self.tell_before(now, node, request.name, request.from, Message::TearDown(reason), queue);
                    }
                    (Answered::Unwanted, Ok(slot)) => {
                        let turn = Turn::Close(request.name, Place { port: request.to, slot });
                        self.put_on_ring(now, switch, Ring::station(request.from.port), turn, queue);
                    }
                    (Answered::Unwanted, Err(_)) => {}
                }
                if let Some(next) = next {
                    let station = Ring::station(next.from.port);
                    self.put_on_ring(now, switch, station, Turn::Request(next), queue);
                }
            }
            Turn::Close(name, to) => {
                if self.switches[switch as usize].0.release_output(name, to).is_some() {
                    self.leave(now, node, name, to.port);
                    self.tell_after(now, node, name, to, Message::Close, queue);
                }
            }
            Turn::Back(name, from, message) => {
                let is_there = match message {
                    Message::TearDown(_) => self.switches[switch as usize].0.release_input(name, from).0,
                    Message::SetUp(_) | Message::Ack | Message::Close | Message::DataAck { .. } | Message::Restart => {
                        self.switches[switch as usize].0.after(name, from).is_some()
                    }
                };
                if is_there {
                    self.tell_before(now, node, name, from, message, queue);
                }
            }
        }
    }

    /// At the output's ringmaster: a slot for a request, which goes on to the next switch or NIC.
    fn match_slot(&mut self, now: Time, node: u32, request: Request, queue: &mut EventQueue) -> Result<u8, Reason> {
        let link = self.link(node, request.to);
        if !self.wires[link as usize].carries {
            return Err(Reason::Broken);
        }
        let slot = self.switches[(node - self.rig.hosts()) as usize].0.match_slot(request)?;
        let to = Place { port: request.to, slot };
        let mut goal = request.goal;
        if goal.via == Some(self.rig.container_of(node)) {
            goal.via = None;
        }
        self.pass(node, request.name, to, self.length());
        self.tell_after(now, node, request.name, to, Message::SetUp(goal), queue);
        Ok(slot)
    }

    /// A circuit gets a slot of a link at `node`, whose cells are there no earlier than so long after their head has come.
    pub(crate) fn pass(&mut self, node: u32, name: Name, to: Place, after: Span) {
        let link = self.link(node, to.port);
        let line = self.rig.lines[link as usize];
        let circuit = &self.circuits[name.circuit];
        if circuit.name != name {
            return;
        }
        let arrival =
            circuit.hops.last().map_or(Span::ZERO, |hop| hop.offset + self.rig.lines[hop.link as usize].delay);
        let leaves = self.rig.slot_from(circuit.start + arrival + after, self.phases[node as usize], &line, to.slot);
        let hop = Hop { offset: leaves.since(circuit.start), ..Hop::first(link, to.slot) };
        self.circuits[name.circuit].hops.push(hop);
    }
}
