//! The ends of circuits: a NIC that asks for them (§8.1), sends chunks over them (§3.2), and one that gets those.

use crate::circuit::{Burst, Circuit, Hop, Kind};
use crate::frame::DATA;
use crate::message::{Goal, Message, Name, Place, Reason};
use crate::network::{An3, CIRCUITS, FIRST, MARK, Measure, SENT, TIMEOUT};
use crate::roads::Roads;
use crate::sockets::{Client, Reach};
use engine::{Event, EventQueue, Rank};
use fabric::{Fault, Observer, kind};
use units::Time;

/// Where requests of a lane lead: the first is for a host's L0 network.
fn reach_of(lane: usize) -> Reach {
    if lane == 0 { Reach::Local } else { Reach::Remote }
}

/// The egress NIC of a lane.
fn egress_of(lane: usize) -> Option<u8> {
    Some(lane.checked_sub(1)? as u8)
}

/// An event of a circuit.
fn of_circuit(at: Time, circuit: u32, what: u32, slot: u32) -> Event {
    Event { at, rank: Rank::new(kind::DEADLINE, CIRCUITS + circuit * 4 + what), slot }
}

impl<O: Observer> An3<O> {
    /// A host's NIC asks for what it can: one request at a time over each egress NIC, and one in its L0 network.
    pub(crate) fn pump(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        if !self.health.nodes[host as usize] {
            return;
        }
        for lane in 0..self.hosts[host as usize].asked.len() {
            while self.hosts[host as usize].asked[lane].is_none()
                && self.hosts[host as usize].starting < self.rig.circuits(host, self.config.circuits)
            {
                let retry = self.hosts[host as usize].retry[lane];
                if retry > now {
                    if self.sockets.has_next(host, reach_of(lane)) {
                        self.set_alarm(host, retry, queue);
                    }
                    break;
                }
                let Some(place) = self.next_request(host, lane) else { break };
                self.ask(now, host, lane, place, queue);
            }
        }
    }

    fn set_alarm(&mut self, host: u32, at: Time, queue: &mut EventQueue) {
        let alarm = &mut self.hosts[host as usize].alarm;
        if alarm.is_none_or(|alarm| alarm > at) {
            *alarm = Some(at);
            queue.push(Event { at, rank: Rank::new(kind::TICK, host), slot: 0 });
        }
    }

    /// A host looks again whether it can ask.
    pub(crate) fn wake(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        if self.hosts[host as usize].alarm == Some(now) {
            self.hosts[host as usize].alarm = None;
        }
        self.pump(now, host, queue);
    }

    /// The socket for which a host asks next.
    fn next_request(&mut self, host: u32, lane: usize) -> Option<u32> {
        let lanes = self.hosts[host as usize].asked.len();
        self.sockets.next(host, reach_of(lane), egress_of(lane), lanes > 2)
    }

    /// A request for a circuit leaves its source.
    fn ask(&mut self, now: Time, host: u32, lane: usize, place: u32, queue: &mut EventQueue) {
        let connection = self.sockets.connection(place);
        let (destination, is_further) = (connection.destination, connection.circuits > 0);
        let goal = self.goal(lane, place);
        let kind = match (lane, goal.via) {
            (0, _) => Kind::Local,
            (_, Some(_)) => Kind::Via,
            (_, None) if self.rig.home(host) == self.rig.home(destination) => Kind::Container,
            (_, None) => Kind::Across,
        };
        self.sums.asked += 1;
        self.sums.via += u64::from(goal.via.is_some());
        self.sums.grown += u64::from(is_further);
        let roads = Roads::new(&self.rig, &self.wires, &self.phases, &self.config, host);
        let to = match roads.choose(&self.nics[host as usize], &goal, now, true) {
            Ok(to) => to,
            Err(reason) => {
                self.sums.refused += 1;
                self.refused(now, host, lane, place, reason, queue);
                return;
            }
        };
        self.attempts = self.attempts.wrapping_add(1);
        let line = self.rig.lines[self.rig.link(host, to.port) as usize];
        let start = self.rig.slot_from(now, self.phases[host as usize], &line, to.slot);
        let circuit = self.spare.pop().unwrap_or_else(|| self.circuits.put(Circuit::EMPTY));
        let name = Name { circuit, attempt: self.attempts };
        let own = &mut self.circuits[circuit];
        own.renew();
        (own.name, own.connection, own.lane, own.kind) = (name, place, lane as u8, kind);
        (own.start, own.asked, own.ended) = (start, now, now);
        self.sockets.asked(place);
        let own = &mut self.hosts[host as usize];
        own.asked[lane] = Some(circuit);
        own.starting += 1;
        self.nics[host as usize].begin(name, to);
        let link = self.rig.link(host, to.port);
        self.circuits[circuit].hops.push(Hop::first(link, to.slot));
        self.tell(now, link, name, to.slot, Message::SetUp(goal), queue);
    }

    /// Where a request goes: over the egress NIC of its lane; and over a third container if the links to the other one were full more often than there are egress NICs (§2.2, §3.1).
    fn goal(&mut self, lane: usize, place: u32) -> Goal {
        let connection = self.sockets.connection(place);
        let (source, destination, containers) =
            (connection.source, connection.destination, u64::from(self.rig.containers));
        let (from, to) = (self.rig.home(source), self.rig.home(destination));
        let exits = self.hosts[source as usize].asked.len() as u32 - 1;
        let mut via = None;
        if lane > 0 && from != to && containers > 2 && connection.turned_away >= exits {
            let [least, most] = if from < to { [from, to] } else { [to, from] };
            let mut third = self.chance.below(containers - 2) as u16;
            third += u16::from(third >= least);
            third += u16::from(third >= most);
            via = Some(third);
        }
        Goal { destination, exit: lane.saturating_sub(1) as u8, via }
    }

    /// A request was refused: its flow stands at the end of the line (§8.1), and no other goes over the same egress NIC for a while.
    fn refused(&mut self, now: Time, host: u32, lane: usize, place: u32, reason: Reason, queue: &mut EventQueue) {
        // What is broken is not repaired within a frame.
        let frames = if reason == Reason::Broken { 32 } else { 1 } * u64::from(self.config.retry);
        let retry = now + self.length() * frames;
        self.hosts[host as usize].retry[lane] = retry;
        let (is_between, is_broken) = (reason == Reason::Between, reason == Reason::Broken);
        self.sockets.refused(now, place, egress_of(lane), is_between, is_broken);
        self.set_alarm(host, retry, queue);
    }

    /// The first L1 switch, or the destination in the same L0 network, has acknowledged: the source sends (§3.2).
    pub(crate) fn acknowledged(&mut self, now: Time, name: Name, queue: &mut EventQueue) {
        let frame = self.length();
        let circuit = &mut self.circuits[name.circuit];
        if circuit.name != name || !circuit.is_live || circuit.acknowledged.is_some() {
            return;
        }
        circuit.acknowledged = Some(now);
        let (lane, place, kind, asked) = (usize::from(circuit.lane), circuit.connection, circuit.kind, circuit.asked);
        let host = self.sockets.connection(place).source;
        self.hosts[host as usize].asked[lane] = None;
        self.sums.acknowledged += 1;
        self.note(kind, Measure::SetUpAck, now.since(asked));
        let connection = self.sockets.connection(place);
        if connection.client == Client::Frames {
            self.frames.admit(now, connection.token, host);
        }
        if let Some(wanted) = self.sockets.acknowledged(place) {
            self.note(kind, Measure::Waiting, now.since(wanted));
        }
        let first = self.circuits[name.circuit].next_slot(now, frame);
        if self.send_chunk(name.circuit, first, queue) {
            self.plan_first(name.circuit, queue);
        } else {
            // Other circuits of the flow took all meanwhile.
            self.give_up(now, name.circuit, queue);
        }
        self.pump(now, host, queue);
    }

    /// A circuit takes the next chunk of its flow, whose first cell leaves at this time.
    fn send_chunk(&mut self, circuit: u32, first: Time, queue: &mut EventQueue) -> bool {
        let frame = self.length();
        let place = self.circuits[circuit].connection;
        let Some((chunk, cells)) = self.sockets.pull(place, first) else { return false };
        self.bursts = self.bursts.wrapping_add(1);
        let burst = Burst { serial: self.bursts, chunk, first, cells: cells + 1, is_sent: false, is_last: false };
        self.circuits[circuit].bursts.push_back(burst);
        self.circuits[circuit].unacknowledged.push(chunk);
        #[cfg(test)]
        self.trace_burst(circuit, queue);
        self.sums.data += u64::from(cells);
        self.sums.marks += 1;
        queue.push(of_circuit(first + frame * u64::from(cells), circuit, SENT, burst.serial));
        true
    }

    /// A mark begins to leave its source, which decides now what comes after it.
    pub(crate) fn sent(&mut self, now: Time, circuit: u32, serial: u32, queue: &mut EventQueue) {
        let (frame, hold) = (self.length(), u64::from(self.config.hold));
        let own = &self.circuits[circuit];
        if !own.is_live || own.bursts.back().is_none_or(|burst| burst.serial != serial) {
            return;
        }
        let (place, asked) = (own.connection, own.asked);
        let connection = self.sockets.connection(place);
        let (reach, host) = (connection.reach, connection.source);
        let others = self.sockets.is_waiting(host, reach);
        let is_suspended = connection.has_work() && others && now.since(asked) >= frame * hold;
        let goes_on = !is_suspended && self.send_chunk(circuit, now + frame, queue);
        let own = &mut self.circuits[circuit];
        let at = if goes_on { own.bursts.len() - 2 } else { own.bursts.len() - 1 };
        own.bursts[at].is_sent = true;
        own.bursts[at].is_last = !goes_on;
        own.last = (!goes_on).then_some(own.bursts[at].chunk);
        own.is_closing = !goes_on;
        own.ended = now;
        if let Some(passage) = own.passage {
            queue.push(of_circuit(now + passage, circuit, MARK, serial));
        }
        if !goes_on {
            self.sums.suspended += u64::from(is_suspended);
            self.sockets.is_sending(place, false);
            self.sockets.want(now, place);
            self.pump(now, host, queue);
        }
    }

    /// The destination has accepted a circuit: from now on it is known when cells come.
    pub(crate) fn accepted(&mut self, name: Name, queue: &mut EventQueue) {
        let own = &self.circuits[name.circuit];
        let Some(hop) = own.hops.last().copied().filter(|_| own.name == name) else { return };
        let line = &self.rig.lines[hop.link as usize];
        let passage = hop.offset + line.slot + line.delay;
        self.circuits[name.circuit].passage = Some(passage);
        self.plan_first(name.circuit, queue);
        let frame = self.length();
        for burst in self.circuits[name.circuit].bursts.iter().filter(|burst| burst.is_sent) {
            let mark = burst.first + frame * u64::from(burst.cells - 1);
            queue.push(of_circuit(mark + passage, name.circuit, MARK, burst.serial));
        }
    }

    /// When the first cell comes, once it is known when it leaves and how long it takes.
    fn plan_first(&mut self, circuit: u32, queue: &mut EventQueue) {
        let own = &self.circuits[circuit];
        if let (Some(passage), Some(burst)) = (own.passage, own.bursts.front())
            && own.acknowledged.is_some()
        {
            queue.push(of_circuit(burst.first + passage, circuit, FIRST, burst.serial));
        }
    }

    /// The first cell of a circuit is due at the destination. If a node on the way had no acknowledgement yet when it came there, it was discarded, and the source is to begin again (§3.2).
    pub(crate) fn first(&mut self, now: Time, circuit: u32, serial: u32, queue: &mut EventQueue) {
        let own = &mut self.circuits[circuit];
        let Some(burst) = own.bursts.front().filter(|burst| burst.serial == serial) else { return };
        let first = burst.first;
        let was_early = own.hops.iter().any(|hop| first + hop.offset < hop.open);
        if !was_early {
            let (kind, asked) = (own.kind, own.asked);
            self.note(kind, Measure::FirstMark, now.since(asked));
            return;
        }
        own.is_headless = true;
        #[cfg(test)]
        self.trace_headless(serial);
        self.sums.discarded += 1;
        self.tell_source(now, circuit, Message::Restart, queue);
    }

    /// Whether the last node that a circuit's request came to is its destination, and has it still.
    fn has_end(&self, circuit: u32) -> bool {
        let own = &self.circuits[circuit];
        own.hops.last().is_some_and(|hop| {
            let line = &self.rig.lines[hop.link as usize];
            let place = Place { port: line.to_port, slot: hop.slot };
            self.is_host(line.to) && self.nics[line.to as usize].after(own.name, place) == Some(Place::HERE)
        })
    }

    /// The destination says something to a circuit's source, if it has the circuit.
    fn tell_source(&mut self, now: Time, circuit: u32, message: Message, queue: &mut EventQueue) {
        if !self.has_end(circuit) {
            return;
        }
        let own = &self.circuits[circuit];
        let hop = own.hops[own.hops.len() - 1];
        let line = &self.rig.lines[hop.link as usize];
        let (name, place) = (own.name, Place { port: line.to_port, slot: hop.slot });
        if let Message::TearDown(_) = message {
            self.nics[line.to as usize].finish(name, place);
        }
        self.tell(now, line.reverse, name, hop.slot, message, queue);
    }

    /// A source begins a circuit's data again.
    pub(crate) fn restart(&mut self, now: Time, name: Name, queue: &mut EventQueue) {
        let frame = self.length();
        let own = &mut self.circuits[name.circuit];
        if own.name != name || !own.is_live {
            return;
        }
        self.sums.restarted += 1;
        let place = own.connection;
        own.past = own.passed(now, own.hops[0].link, frame);
        own.bursts.clear();
        own.is_headless = false;
        own.last = None;
        for chunk in own.unacknowledged.drain(..) {
            self.sums.again += u64::from(self.sockets.repeat(place, chunk));
        }
        if std::mem::take(&mut own.is_closing) {
            self.sockets.is_sending(place, true);
        }
        let first = own.next_slot(now, frame);
        if self.send_chunk(name.circuit, first, queue) {
            self.plan_first(name.circuit, queue);
        } else {
            self.give_up(now, name.circuit, queue);
        }
    }

    /// All cells of a chunk and its mark are due at the destination.
    pub(crate) fn mark(&mut self, now: Time, circuit: u32, serial: u32, queue: &mut EventQueue) {
        let frame = self.length();
        let own = &mut self.circuits[circuit];
        let Some(burst) = own.bursts.front().copied().filter(|burst| burst.serial == serial) else { return };
        own.bursts.pop_front();
        own.past += u64::from(burst.cells);
        let mark = burst.first + frame * u64::from(burst.cells - 1);
        // A broken link takes what is on it; where the circuit was torn down before they came, cells are discarded.
        let is_cut = |hop: &Hop| {
            let line = &self.rig.lines[hop.link as usize];
            let leaves = mark + hop.offset;
            leaves + line.slot + line.delay > hop.cut || leaves >= hop.over
        };
        let mut is_whole = !own.is_headless && !own.hops.iter().any(is_cut);
        self.totals.hops += own.hops.len() as u64 * u64::from(burst.cells);
        for hop in &own.hops {
            let rate = self.wires[hop.link as usize].bit_errors;
            if rate > 0.0 && self.errors.unit() < Fault::frame_error(rate, u64::from(burst.cells) * DATA) {
                is_whole = false;
                self.sums.bit_errors += 1;
                self.wires[hop.link as usize].lost += 1;
            }
        }
        let (place, name) = (own.connection, own.name);
        let is_whole = is_whole && self.has_end(circuit);
        #[cfg(test)]
        self.trace_mark(now, serial, burst.cells, is_whole);
        if is_whole {
            let message =
                if burst.is_last { Message::TearDown(Reason::Done) } else { Message::DataAck { chunk: burst.chunk } };
            self.sockets.arrive(now, place, burst.chunk);
            self.tell_source(now, circuit, message, queue);
        } else {
            self.await_answer(now, name, queue);
        }
        self.settle(now, circuit);
    }

    /// A source knows that a chunk has come.
    pub(crate) fn data_acknowledged(&mut self, now: Time, name: Name, chunk: u32) {
        let own = &mut self.circuits[name.circuit];
        if own.name == name {
            own.unacknowledged.retain(|own| *own != chunk);
            let place = own.connection;
            self.sockets.acknowledge(place, chunk);
            self.sockets.settle(now, place);
        }
    }

    /// A circuit is no more, its source hears.
    pub(crate) fn torn_down(&mut self, now: Time, name: Name, reason: Reason, queue: &mut EventQueue) {
        let own = &mut self.circuits[name.circuit];
        if own.name != name || !own.is_live {
            return;
        }
        let (lane, place, kind, ended) = (usize::from(own.lane), own.connection, own.kind, own.ended);
        let host = self.sockets.connection(place).source;
        let was_asked = own.acknowledged.is_none();
        if reason == Reason::Done {
            if let Some(last) = own.last {
                own.unacknowledged.retain(|chunk| *chunk != last);
                self.sockets.acknowledge(place, last);
            }
            self.sums.done += 1;
            self.note(kind, Measure::EndMark, now.since(ended));
        } else {
            self.sums.refused += u64::from(was_asked);
            self.sums.refused_later += u64::from(!was_asked);
        }
        self.release(now, name.circuit);
        if was_asked {
            self.hosts[host as usize].asked[lane] = None;
        }
        if reason == Reason::Done {
            self.sockets.want(now, place);
        } else {
            self.refused(now, host, lane, place, reason, queue);
        }
        self.sockets.settle(now, place);
        self.pump(now, host, queue);
    }

    /// A source closes a circuit.
    fn give_up(&mut self, now: Time, circuit: u32, queue: &mut EventQueue) {
        let own = &self.circuits[circuit];
        let (name, place, lane, was_asked) =
            (own.name, own.connection, usize::from(own.lane), own.acknowledged.is_none());
        let host = self.sockets.connection(place).source;
        let hop = own.hops[0];
        let port = self.rig.lines[hop.link as usize].from_port;
        let to = Place { port, slot: hop.slot };
        if self.nics[host as usize].give_up(name, to) {
            self.leave(now, host, name, port);
            self.tell(now, hop.link, name, hop.slot, Message::Close, queue);
        }
        self.release(now, circuit);
        if was_asked {
            self.hosts[host as usize].asked[lane] = None;
        }
        self.sockets.want(now, place);
        self.sockets.settle(now, place);
        self.pump(now, host, queue);
    }

    /// A circuit's source has it no longer: what of its data may not have come is to be sent again.
    fn release(&mut self, now: Time, circuit: u32) {
        let frame = self.length();
        let own = &mut self.circuits[circuit];
        own.is_live = false;
        let hops = if own.acknowledged.is_some() { own.hops.len() } else { 0 };
        for hop in 0..hops {
            self.wires[own.hops[hop].link as usize].data += own.passed(now, own.hops[hop].link, frame);
            own.hops[hop].is_counted = true;
        }
        let place = own.connection;
        self.hosts[self.sockets.connection(place).source as usize].starting -= 1;
        self.sockets.lost_circuit(place, !own.is_closing);
        for chunk in own.unacknowledged.drain(..) {
            let again = u64::from(self.sockets.repeat(place, chunk));
            self.sums.again += again;
            self.sums.lost += if own.passage.is_some() { again } else { 0 };
        }
        // What has left may still come.
        own.bursts.retain(|burst| burst.is_sent);
        if own.passage.is_none() {
            own.bursts.clear();
        }
        self.settle(now, circuit);
    }

    /// Nothing of a circuit is anywhere any more.
    fn settle(&mut self, now: Time, circuit: u32) {
        let own = &mut self.circuits[circuit];
        if own.is_live || !own.bursts.is_empty() || own.is_free {
            return;
        }
        own.is_free = true;
        let place = own.connection;
        self.sockets.lost_record(place);
        self.spare.push(circuit);
        self.sockets.settle(now, place);
    }

    /// An answer was lost on the way: if the source still waits for it after its patience, it gives the circuit up.
    pub(crate) fn await_answer(&mut self, now: Time, name: Name, queue: &mut EventQueue) {
        let at = now + self.length() * u64::from(self.config.patience);
        queue.push(of_circuit(at, name.circuit, TIMEOUT, name.attempt));
    }

    /// A source has waited long enough.
    pub(crate) fn time_out(&mut self, now: Time, circuit: u32, attempt: u32, queue: &mut EventQueue) {
        let own = &self.circuits[circuit];
        if own.name.attempt == attempt && own.is_live {
            self.sums.given_up += 1;
            self.give_up(now, circuit, queue);
        }
    }
}
