//! Control cells on links, and what NICs and switches do with them.

use crate::message::{Goal, Message, Name, Place, Reason};
use crate::network::{An3, Cell};
use crate::rig::FAR;
use crate::ring::Ring;
use crate::ringing::Turn;
use crate::switch::Request;
use engine::{Event, EventQueue, Rank};
use fabric::{Fault, Observer, kind};
use topology::NodeId;
use units::{Span, Time};

impl<O: Observer> An3<O> {
    /// The link of a node's port.
    pub(crate) fn link(&self, node: u32, port: u8) -> u32 {
        self.rig.topology.ports(NodeId(node)).start + u32::from(port)
    }

    pub(crate) fn is_host(&self, node: u32) -> bool {
        node < self.rig.hosts()
    }

    /// Time that a node takes for a control cell before it goes on: NICs pass it through, and a switch's ring has had its time by then.
    fn handling(&self, node: u32) -> Span {
        if self.is_host(node) { self.config.nic_latency } else { Span::ZERO }
    }

    /// Tells the node after this one of a circuit that leaves in this slot.
    pub(crate) fn tell_after(
        &mut self,
        now: Time,
        node: u32,
        name: Name,
        to: Place,
        message: Message,
        queue: &mut EventQueue,
    ) {
        self.tell(now + self.handling(node), self.link(node, to.port), name, to.slot, message, queue);
    }

    /// Tells the node before this one of a circuit that comes in this slot.
    pub(crate) fn tell_before(
        &mut self,
        now: Time,
        node: u32,
        name: Name,
        from: Place,
        message: Message,
        queue: &mut EventQueue,
    ) {
        self.tell(now + self.handling(node), self.link(node, from.port), name, from.slot, message, queue);
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
        let leaves = self.rig.slot_from(earliest, phase, &line, self.rig.slot_at(earliest, phase, &line));
        wire.control_free = leaves + line.slot;
        wire.control += 1;
        self.sums.control += 1;
        let place = self.cells.put(Cell { name, slot, message, sent: leaves });
        queue.push(Event { at: leaves + line.control + line.delay, rank: Rank::new(kind::ARRIVAL, link), slot: place });
    }

    /// A control cell has come over a link.
    pub(crate) fn arrive(&mut self, now: Time, link: u32, place: u32, queue: &mut EventQueue) {
        let Cell { name, slot, message, sent } = self.cells[place];
        self.cells.free(place);
        let (line, wire) = (self.rig.lines[link as usize], &self.wires[link as usize]);
        if !wire.carries || (wire.broken > sent) {
            self.wires[link as usize].lost += 1;
            return;
        }
        let error = Fault::frame_error(wire.bit_errors, crate::frame::CONTROL);
        if wire.bit_errors > 0.0 && self.errors.unit() < error {
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
        if self.is_host(node) {
            self.hear_at_nic(now, node, place, name, message, queue);
        } else {
            self.hear_at_switch(now, node, place, name, message, queue);
        }
    }

    fn hear_at_nic(
        &mut self,
        now: Time,
        host: u32,
        place: Place,
        name: Name,
        message: Message,
        queue: &mut EventQueue,
    ) {
        let nic = host as usize;
        match message {
            Message::SetUp(goal) => {
                // An earlier circuit's end was lost on the way.
                if let Some(earlier) = self.nics[nic].tables(place.port)[0].get(place.slot) {
                    self.hear(now, host, place, earlier.name, Message::Close, queue);
                }
                self.set_up_at_nic(now, host, place, name, goal, queue);
            }
            Message::Close => match self.nics[nic].close(name, place) {
                Some(Place::HERE) => self.hosts[nic].ending -= 1,
                Some(to) => {
                    self.leave(now, host, name, to.port);
                    self.tell_after(now, host, name, to, Message::Close, queue);
                }
                None => {}
            },
            Message::TearDown(reason) => {
                let Some(from) = self.nics[nic].tear_down(name, place) else { return };
                self.leave(now, host, name, place.port);
                match from {
                    Place::HERE => self.torn_down(now, name, reason, queue),
                    from => self.tell_before(now, host, name, from, message, queue),
                }
            }
            Message::Ack => {
                let Some(from) = self.nics[nic].before(name, place) else { return };
                self.open(now, host, name, place.port);
                match from {
                    Place::HERE => self.acknowledged(now, name, queue),
                    from => self.tell_before(now, host, name, from, message, queue),
                }
            }
            Message::DataAck { chunk } => match self.nics[nic].before(name, place) {
                Some(Place::HERE) => self.data_acknowledged(name, chunk),
                Some(from) => self.tell_before(now, host, name, from, message, queue),
                None => {}
            },
            Message::Restart => match self.nics[nic].before(name, place) {
                Some(Place::HERE) => self.restart(now, name, queue),
                Some(from) => self.tell_before(now, host, name, from, message, queue),
                None => {}
            },
        }
    }

    /// A request has come to a NIC, which it ends at or which passes it on.
    fn set_up_at_nic(&mut self, now: Time, host: u32, from: Place, name: Name, goal: Goal, queue: &mut EventQueue) {
        let nic = host as usize;
        if goal.destination == host {
            if self.hosts[nic].ending >= self.config.circuits {
                return self.tell_before(now, host, name, from, Message::TearDown(Reason::Destination), queue);
            }
            self.hosts[nic].ending += 1;
            self.nics[nic].join(name, from, Place::HERE);
            self.tell_before(now, host, name, from, Message::Ack, queue);
            return self.accepted(now, name, queue);
        }
        let head = {
            let circuit = &self.circuits[name.circuit];
            let hop = circuit.hops.last().filter(|_| circuit.name == name);
            hop.map_or(now, |hop| circuit.start + hop.offset + self.rig.lines[hop.link as usize].delay)
        };
        match self.choose(host, &goal, head, false) {
            Ok((to, after)) => {
                self.nics[nic].join(name, from, to);
                self.pass(host, name, to, after);
                self.tell_after(now, host, name, to, Message::SetUp(goal), queue);
            }
            Err(reason) => self.tell_before(now, host, name, from, Message::TearDown(reason), queue),
        }
    }

    /// The slot in which a circuit leaves a NIC whose cells' heads come at `head` or whole frames from then; and how long after that they can leave at the earliest.
    pub(crate) fn choose(&self, host: u32, goal: &Goal, head: Time, is_own: bool) -> Result<(Place, Span), Reason> {
        let (network, from) = self.rig.member[host as usize];
        let (other, to) = self.rig.member[goal.destination as usize];
        let l0 = &self.rig.networks[network as usize];
        let full = if network == other && !is_own { Reason::Destination } else { Reason::Full };
        let own = if is_own { Span::ZERO } else { self.config.nic_latency };
        let first_free = |link: u32, after: Span| {
            let line = &self.rig.lines[link as usize];
            let first = self.rig.slot_at(head + after, self.phases[host as usize], line);
            let slot = self.nics[host as usize].free(line.from_port).next(first)?;
            Some((Place { port: line.from_port, slot }, after))
        };
        let target = if network == other {
            to
        } else {
            let exit = l0.exits[usize::from(goal.exit)];
            if exit.host == host {
                if !self.wires[exit.link as usize].carries {
                    return Err(Reason::Broken);
                }
                // The egress port has a frame buffer, as an L1 switch has (§8.2); its own NIC needs none.
                let after = if is_own { Span::ZERO } else { self.length() };
                return first_free(exit.link, after).ok_or(full);
            }
            self.rig.member[exit.host as usize].1
        };
        let distance = l0.distance(from, target);
        if distance == FAR {
            return Err(Reason::Broken);
        }
        // Of the links of shortest paths, the one with most slots left.
        let mut best: Option<(u32, u32)> = None;
        let mut is_broken = true;
        for link in self.rig.topology.ports(NodeId(host)) {
            let line = &self.rig.lines[link as usize];
            if line.to >= self.rig.hosts() || !self.wires[link as usize].carries {
                continue;
            }
            let there = l0.distance(self.rig.member[line.to as usize].1, target);
            if there == FAR || there + 1 != distance {
                continue;
            }
            is_broken = false;
            let free = self.nics[host as usize].free(line.from_port).count();
            if free > 0 && best.is_none_or(|(most, _)| free > most) {
                best = Some((free, link));
            }
        }
        match best {
            Some((_, link)) => first_free(link, own).ok_or(full),
            None => Err(if is_broken { Reason::Broken } else { full }),
        }
    }

    fn hear_at_switch(
        &mut self,
        now: Time,
        node: u32,
        place: Place,
        name: Name,
        message: Message,
        queue: &mut EventQueue,
    ) {
        let switch = node - self.rig.hosts();
        let own = &mut self.switches[switch as usize].0;
        let station = Ring::station(place.port);
        match message {
            Message::SetUp(goal) => {
                if let Some(earlier) = own.holder(place) {
                    self.hear(now, node, place, earlier, Message::Close, queue);
                }
                match self.output(node, name, &goal) {
                    None => self.tell_before(now, node, name, place, Message::TearDown(Reason::Broken), queue),
                    Some((to, full)) => {
                        let request = Request { name, goal, from: place, to, full };
                        if let Some(request) = self.switches[switch as usize].0.ask(request) {
                            self.put_on_ring(now, switch, station, Turn::Request(request), queue);
                        }
                    }
                }
            }
            Message::Close => {
                if let (true, Some(to)) = own.release_input(name, place) {
                    self.put_on_ring(now, switch, station, Turn::Close(name, to), queue);
                }
            }
            Message::TearDown(_) => {
                if let Some(from) = own.release_output(name, place) {
                    self.leave(now, node, name, place.port);
                    self.put_on_ring(now, switch, station, Turn::Back(name, from, message), queue);
                }
            }
            Message::Ack => {
                if own.before(name, place).is_some() {
                    self.open(now, node, name, place.port);
                }
            }
            Message::DataAck { .. } | Message::Restart => {
                if let Some(from) = own.before(name, place) {
                    self.put_on_ring(now, switch, station, Turn::Back(name, from, message), queue);
                }
            }
        }
    }

    /// The port at which a request leaves a switch, of those that lead where it goes and work: they take turns. What it means if none of its slots is free.
    fn output(&self, node: u32, name: Name, goal: &Goal) -> Option<(u8, Reason)> {
        let rig = &self.rig;
        let (here, home) = (rig.container_of(node), rig.home(goal.destination));
        let container = goal.via.filter(|via| *via != here).unwrap_or(home);
        let network = rig.member[goal.destination as usize].0;
        let leads = |link: &u32| {
            let to = rig.lines[*link as usize].to;
            self.wires[*link as usize].carries
                && match self.is_host(to) {
                    true => container == here && rig.member[to as usize].0 == network,
                    false => container != here && rig.container_of(to) == container,
                }
        };
        let ports = || rig.topology.ports(NodeId(node)).filter(leads);
        let count = ports().count();
        let turn = name.attempt as usize % count.max(1);
        let link = ports().nth(turn)?;
        let full = if container == here { Reason::Full } else { Reason::Between };
        Some((rig.lines[link as usize].from_port, full))
    }

    /// The node after a link takes cells of a circuit from now on.
    fn open(&mut self, now: Time, node: u32, name: Name, port: u8) {
        let link = self.link(node, port);
        let circuit = &mut self.circuits[name.circuit];
        if circuit.name == name
            && let Some(hop) = circuit.hop(link)
        {
            circuit.hops[hop].open = now;
        }
    }

    /// A circuit has no slot of a link any more.
    pub(crate) fn leave(&mut self, now: Time, node: u32, name: Name, port: u8) {
        let link = self.link(node, port);
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
                self.wires[link as usize].broken = now;
                self.tear(now, link, queue);
            }
        }
        let at = now + self.config.convergence;
        if self.routes_at.replace(at) != Some(at) {
            queue.push(Event { at, rank: Rank::new(kind::DEADLINE, crate::network::ROUTES), slot: 0 });
        }
        match fault {
            Fault::Node { node, up: false } if self.is_host(node) => self.stop(now, node, queue),
            Fault::Node { node, up: true } if self.is_host(node) => {
                if std::mem::take(&mut self.hosts[node as usize].is_called) {
                    queue.push(Event { at: now, rank: Rank::new(kind::READY, node), slot: 0 });
                }
                self.pump(now, node, queue);
            }
            Fault::Node { .. } | Fault::Link { .. } | Fault::BitErrors { .. } => {}
        }
    }

    /// A link has broken: the nodes at its ends tear down what went over it (§3.1).
    fn tear(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        let line = self.rig.lines[link as usize];
        let outgoing: Vec<(u8, Name)> = if self.is_host(line.from) {
            self.nics[line.from as usize].tables(line.from_port)[1]
                .all()
                .map(|(slot, entry)| (slot, entry.name))
                .collect()
        } else {
            let switch = &self.switches[(line.from - self.rig.hosts()) as usize].0;
            switch.output(line.from_port).all().map(|(slot, entry)| (slot, entry.name)).collect()
        };
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
    pub(crate) fn reroute(&mut self, now: Time, _: &mut EventQueue) {
        if self.routes_at == Some(now) {
            self.routes_at = None;
            (0..self.rig.networks.len()).for_each(|network| self.rig.measure(network, &self.health));
        }
    }
}
