//! Control cells on links, and what NICs and switches do with them.

use crate::effect::Effect;
use crate::message::{Goal, Message, Name, Place, Reason};
use crate::network::{An3, Cell};
use crate::nic::Nic;
use crate::rig::Line;
use crate::roads::Roads;
use engine::{Event, EventQueue, Rank};
use fabric::{Fault, Observer, kind};
use units::{Span, Time};

impl<O: Observer> An3<O> {
    pub(crate) fn is_host(&self, node: u32) -> bool {
        node < self.rig.hosts()
    }

    /// Time that a node takes for a control cell before it goes on: NICs pass it through, and a switch's ring has had its time by then.
    fn handling(&self, node: u32) -> Span {
        if self.is_host(node) { self.config.nic_latency } else { Span::ZERO }
    }

    /// Sends a control cell in the first slot that has none.
    pub(crate) fn tell(&mut self, at: Time, link: u32, name: Name, slot: u8, message: Message, queue: &mut EventQueue) {
        let line = self.rig.lines[link as usize];
        let wire = &mut self.wires[link as usize];
        if !wire.carries {
            return;
        }
        let phase = self.phases[line.from as usize];
        let earliest = at.max(wire.control_free);
        let leaves = self.rig.next_slot(earliest, phase, &line);
        wire.control_free = leaves + line.slot;
        wire.control += 1;
        self.sums.control += 1;
        let is_to_switch = !self.is_host(line.to);
        if self.is_host(line.from) == is_to_switch {
            self.egress.count(message, is_to_switch);
        }
        #[cfg(test)]
        self.count_under_way(link, 1);
        let place = self.cells.put(Cell { name, slot, message, sent: leaves });
        queue.push(Event { at: leaves + line.control + line.delay, rank: Rank::new(kind::ARRIVAL, link), slot: place });
    }

    /// A control cell has come over a link.
    pub(crate) fn arrive(&mut self, now: Time, link: u32, place: u32, queue: &mut EventQueue) {
        let Cell { name, slot, message, sent } = self.cells[place];
        self.cells.free(place);
        #[cfg(test)]
        self.count_under_way(link, -1);
        let (line, wire) = (self.rig.lines[link as usize], &self.wires[link as usize]);
        if !wire.carries || (wire.broken > sent) {
            self.wires[link as usize].lost += 1;
            return;
        }
        if wire.bit_errors > 0.0 && self.errors.unit() < Fault::frame_error(wire.bit_errors, crate::frame::CONTROL) {
            self.wires[link as usize].lost += 1;
            self.sums.bit_errors += 1;
            return self.miss(now, link, Cell { name, slot, message, sent }, queue);
        }
        self.hear(now, line.to, Place { port: line.to_port, slot }, name, message, queue);
    }

    /// A control cell was lost to a wrong bit. Of what frees a slot the receiver learns by itself: a slot stays empty, or cells come of a circuit that it does not know. All else is
    /// the source's to miss.
    fn miss(&mut self, now: Time, link: u32, cell: Cell, queue: &mut EventQueue) {
        let frames = match cell.message {
            Message::Close => u64::from(self.config.patience),
            Message::TearDown(_) => 1,
            Message::SetUp(_) | Message::Ack | Message::DataAck { .. } | Message::Restart => {
                return self.await_answer(now, cell.name, queue);
            }
        };
        if matches!(cell.message, Message::TearDown(_)) {
            self.await_answer(now, cell.name, queue);
        }
        #[cfg(test)]
        self.count_under_way(link, 1);
        let place = self.cells.put(Cell { sent: now, ..cell });
        queue.push(Event { at: now + self.length() * frames, rank: Rank::new(kind::ARRIVAL, link), slot: place });
    }

    /// A node hears of the circuit in this slot.
    pub(crate) fn hear(
        &mut self,
        now: Time,
        node: u32,
        place: Place,
        name: Name,
        message: Message,
        queue: &mut EventQueue,
    ) {
        let mut effects = std::mem::take(&mut self.effects);
        let roads = Roads::new(&self.rig, &self.wires, &self.phases, &self.config, node);
        if self.is_host(node) {
            let (circuits, rig) = (&self.circuits, &self.rig);
            let choose = |nic: &Nic, goal: &Goal| {
                if goal.destination == node {
                    return Ok(Place::HERE);
                }
                let circuit = &circuits[name.circuit];
                let hop = circuit.hops.last().filter(|_| circuit.name == name);
                let head = hop.map_or(now, |hop| circuit.start + hop.offset + rig.lines[hop.link as usize].delay);
                roads.choose(nic, goal, head, false)
            };
            self.nics[node as usize].hear(place, name, message, choose, &mut effects);
        } else {
            let switch = (node - self.rig.hosts()) as usize;
            self.switches[switch].0.hear(place, name, message, |goal| roads.output(name, goal), &mut effects);
        }
        self.carry_out(now, node, effects, queue);
    }

    /// What a node does about what it has heard.
    pub(crate) fn carry_out(&mut self, now: Time, node: u32, mut effects: Vec<Effect>, queue: &mut EventQueue) {
        for effect in &effects {
            match *effect {
                Effect::Tell(name, place, message) => {
                    let link = self.rig.link(node, place.port);
                    self.tell(now + self.handling(node), link, name, place.slot, message, queue);
                }
                Effect::Join(name, place) => self.join(node, name, place),
                Effect::Leave(name, place) => self.leave(now, node, name, place.port),
                Effect::Open(name, place) => self.open(now, node, name, place.port),
                Effect::Source(name, message) => match message {
                    Message::Ack => self.acknowledged(now, name, queue),
                    Message::TearDown(reason) => self.torn_down(now, name, reason, queue),
                    Message::DataAck { chunk } => self.data_acknowledged(now, name, chunk),
                    Message::Restart => self.restart(now, name, queue),
                    Message::SetUp(_) | Message::Close => debug_assert!(false, "these go with the data"),
                },
                Effect::Accept(name) => self.accepted(name, queue),
                Effect::Ring(port, turn) => self.put_on_ring(now, node - self.rig.hosts(), port, turn, queue),
            }
        }
        effects.clear();
        self.effects = effects;
    }

    /// The node after a link takes cells of a circuit from now on.
    fn open(&mut self, now: Time, node: u32, name: Name, port: u8) {
        let link = self.rig.link(node, port);
        let circuit = &mut self.circuits[name.circuit];
        if circuit.name == name
            && let Some(hop) = circuit.hop(link)
        {
            circuit.hops[hop].open = now;
        }
    }

    /// A circuit has no slot of a link any more.
    pub(crate) fn leave(&mut self, now: Time, node: u32, name: Name, port: u8) {
        let link = self.rig.link(node, port);
        let frame = self.length();
        let circuit = &mut self.circuits[name.circuit];
        if circuit.name != name {
            return;
        }
        self.wires[link as usize].data += circuit.passed(now, link, frame);
        if let Some(hop) = circuit.hop(link) {
            (circuit.hops[hop].is_counted, circuit.hops[hop].over) = (true, now);
        }
    }

    /// Something breaks or is repaired.
    pub(crate) fn strike(&mut self, now: Time, fault: Fault, queue: &mut EventQueue) {
        self.health.apply(fault);
        if let Fault::BitErrors { link, rate } = fault {
            self.wires[link as usize].bit_errors = rate;
            return;
        }
        for link in 0..self.wires.len() as u32 {
            let line = self.rig.lines[link as usize];
            // What goes one way needs the other: a cable works whole or not at all.
            let carries =
                self.health.carries(link, line.from, line.to) && self.health.carries(line.reverse, line.to, line.from);
            if std::mem::replace(&mut self.wires[link as usize].carries, carries) && !carries {
                // What waits for its turn on the link is lost, too.
                let wire = &mut self.wires[link as usize];
                wire.broken = now.max(wire.control_free);
                self.tear(now, link, queue);
            }
        }
        let at = now + self.config.convergence;
        if self.routes_at.replace(at) != Some(at) {
            queue.push(Event { at, rank: Rank::new(kind::DEADLINE, crate::network::ROUTES), slot: 0 });
        }
        match fault {
            Fault::Node { node, up: false } if self.is_host(node) => self.sockets.stop(now, node),
            Fault::Node { node, up: true } if self.is_host(node) => {
                if std::mem::take(&mut self.hosts[node as usize].is_called) {
                    queue.push(Event { at: now, rank: Rank::new(kind::READY, node), slot: 0 });
                }
                self.pump(now, node, queue);
            }
            Fault::Node { .. } | Fault::Link { .. } | Fault::BitErrors { .. } => {}
        }
    }

    /// Circuits that leave a node over a link, with their slots.
    pub(crate) fn outgoing(&self, line: &Line) -> impl Iterator<Item = (u8, Name)> {
        let table = match self.is_host(line.from) {
            true => &self.nics[line.from as usize].tables(line.from_port)[1],
            false => self.switches[(line.from - self.rig.hosts()) as usize].0.output(line.from_port),
        };
        table.all().map(|(slot, entry)| (slot, entry.name))
    }

    /// A link has broken: the nodes at its ends tear down what went over it (§3.1).
    fn tear(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        let line = self.rig.lines[link as usize];
        let outgoing: Vec<(u8, Name)> = self.outgoing(&line).collect();
        let incoming: Vec<(u8, Name)> = if self.is_host(line.to) {
            self.nics[line.to as usize].tables(line.to_port)[0].all().map(|(slot, entry)| (slot, entry.name)).collect()
        } else {
            self.switches[(line.to - self.rig.hosts()) as usize].0.incoming(line.to_port).collect()
        };
        for (slot, name) in outgoing {
            self.sums.broken += 1;
            let circuit = &mut self.circuits[name.circuit];
            if circuit.name == name
                && let Some(hop) = circuit.hop(link)
            {
                circuit.hops[hop].cut = now;
            }
            let place = Place { port: line.from_port, slot };
            self.hear(now, line.from, place, name, Message::TearDown(Reason::Broken), queue);
        }
        for (slot, name) in incoming {
            self.hear(now, line.to, Place { port: line.to_port, slot }, name, Message::Close, queue);
        }
    }

    /// NICs have new routing tables.
    pub(crate) fn reroute(&mut self, now: Time) {
        if self.routes_at == Some(now) {
            self.routes_at = None;
            self.rig.measure(&self.health);
        }
    }
}
