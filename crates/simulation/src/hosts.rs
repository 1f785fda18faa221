//! What happens at hosts: flows take turns at their interface, frames reach their ends, timers go off.

use crate::flows::{Before, Flow, Flows};
use crate::output::Output;
use engine::{Control, Event, EventQueue, Rank, Seed, mix};
use fabric::{Device, Env, Frame, Kind, Network, Port, kind};
use results::WriteError;
use std::collections::VecDeque;
use std::convert::Infallible;
use transport::{Connection, Receiver, Sender, Transport};
use units::{Bytes, Time};
use workload::Workload;

/// All hosts of a run, and the network between them.
pub(crate) struct Hosts<'a, N, T: Transport> {
    pub network: N,
    pub transport: &'a T,
    pub workload: Workload,
    pub flows: Flows<T>,
    pub queue: EventQueue,
    pub output: Output,
    pub control: &'a Control,
    seed: Seed,
    lines: Vec<Line>,
    /// Frames of flows that were closed before they came.
    pub strays: u64,
    /// Timers' events that are pending.
    timers: u64,
}

/// A host's flows that have something to send, in turns: strict priority, then round robin.
#[derive(Default)]
struct Line {
    flows: VecDeque<u32>,
    /// The interface was full and will say when it has room.
    waits: bool,
}

/// The world as the end of a connection sees it.
#[derive(Default)]
struct Interface {
    woken: bool,
}

impl Env<Frame, Infallible> for Interface {
    fn wake(&mut self, _: Port) {
        self.woken = true;
    }
    fn depart(&mut self, _: Port, _: Time, _: Frame) {
        unreachable!("an end hands out frames when its interface asks")
    }
    fn pick(&mut self, _: u32) -> u32 {
        unreachable!("the ends of connections leave nothing to chance")
    }
    fn note(&mut self, note: Infallible) {
        match note {}
    }
}

const SENDER: usize = 0;
const RECEIVER: usize = 1;

impl<'a, N: Network, T: Transport> Hosts<'a, N, T> {
    pub fn new(
        network: N,
        transport: &'a T,
        workload: Workload,
        hosts: u32,
        seed: Seed,
        output: Output,
        control: &'a Control,
    ) -> Self {
        Hosts {
            control,
            queue: EventQueue::new(network.event_gap()),
            network,
            transport,
            workload,
            flows: Flows::new(),
            output,
            seed,
            lines: (0..hosts).map(|_| Line::default()).collect(),
            strays: 0,
            timers: 0,
        }
    }

    /// Starts every flow that is due, and has the next one's start come as an event. There may be very many: the control is looked at.
    pub fn start_due(&mut self, now: Time) -> Result<(), WriteError> {
        while self.workload.next_start().is_some_and(|at| at <= now) && !self.control.is_stopped() {
            if let Some(flow) = self.workload.start_next() {
                self.start(now, &flow)?;
            }
        }
        if let Some(at) = self.workload.next_start() {
            self.queue.push(Event { at, rank: Rank::new(kind::START, 0), slot: 0 });
        }
        Ok(())
    }

    fn start(&mut self, now: Time, flow: &workload::Flow) -> Result<(), WriteError> {
        let (place, epoch) = self.flows.next_place();
        let workload::Flow { id, group, src, dst, bytes, priority, operation, .. } = *flow;
        let entropy = mix(self.seed.0 ^ mix(id)) as u32;
        let mtu = self.network.mtu();
        let connection = Connection { flow: place, epoch, src, dst, bytes, entropy, priority, mtu };
        let (sender, receiver) = self.transport.open(&connection);
        let (end, timers) = (None, [Time::MAX; 2]);
        let (start, before, in_line) = (now, Before::default(), true);
        let flow = Flow {
            sender,
            receiver,
            id,
            group,
            priority,
            src,
            dst,
            bytes,
            start,
            end,
            operation,
            before,
            in_line,
            timers,
            epoch,
        };
        self.output.started += 1;
        if let Some(number) = operation {
            if !self.output.operations.is_open(number)
                && let Some((round, what)) = self.workload.operation(group)
            {
                self.output.start_operation(number, now, group, round, what);
            }
            self.output.operations.start_flow(number, bytes);
        }
        self.flows.open(place, flow);
        self.stand_in_line(src, place, priority);
        self.serve(now, src)
    }

    fn stand_in_line(&mut self, host: u32, place: u32, priority: u8) {
        let line = &mut self.lines[host as usize].flows;
        if line.is_empty() {
            line.push_back(place);
            return;
        }
        let behind = line.iter().rposition(|other| self.flows.at(*other).priority <= priority);
        line.insert(behind.map_or(0, |position| position + 1), place);
    }

    /// The host's interface has room again, for all or for one connection that stood aside.
    pub fn ready(&mut self, now: Time, event: Event) -> Result<(), WriteError> {
        let host = event.rank.device();
        let Some(place) = event.slot.checked_sub(1) else {
            self.lines[host as usize].waits = false;
            return self.serve(now, host);
        };
        // It may be closed by now. Whoever has its place then looks whether there is something to send, and no harm is done.
        if self.flows.is_open(place) { self.wake_sender(now, place) } else { Ok(()) }
    }

    /// Lets flows send, in turns, until the interface is full or nobody has anything.
    #[inline]
    fn serve(&mut self, now: Time, host: u32) -> Result<(), WriteError> {
        while let Some(&place) = self.lines[host as usize].flows.front() {
            if !self.network.has_room(now, host) {
                if !std::mem::replace(&mut self.lines[host as usize].waits, true) {
                    self.network.call_when_ready(now, host, &mut self.queue);
                }
                return Ok(());
            }
            let flow = self.flows.at(place);
            if !self.network.takes(place, flow.epoch) {
                flow.in_line = false;
                self.lines[host as usize].flows.pop_front();
                continue;
            }
            let frame = flow.sender.transmit(now, Port(0), &mut Interface::default());
            self.set_timer(place, SENDER);
            let line = &mut self.lines[host as usize].flows;
            if let Some(frame) = frame {
                if line.len() > 1 {
                    line.pop_front();
                    let priority = self.flows.at(place).priority;
                    self.stand_in_line(host, place, priority);
                }
                self.network.offer(now, frame, &mut self.queue);
            } else {
                line.pop_front();
                self.flows.at(place).in_line = false;
                self.close_if_done(now, place)?;
            }
        }
        Ok(())
    }

    /// A frame reaches its host.
    #[inline]
    pub fn receive(&mut self, now: Time, frame: Frame) -> Result<(), WriteError> {
        let Some(flow) = self.flows.get(frame.flow, frame.epoch) else {
            self.strays += 1;
            return Ok(());
        };
        let mut interface = Interface::default();
        match frame.kind {
            Kind::Data => {
                let before = flow.receiver.delivered();
                flow.receiver.receive(now, Port(0), frame, &mut interface);
                let after = flow.receiver.delivered();
                self.output.on_data(now, frame.stamp, flow.group, (after - before).get());
                let finished = after == flow.bytes && flow.end.is_none();
                if finished {
                    flow.end = Some(now);
                }
                if interface.woken {
                    self.acknowledge(now, frame.flow);
                }
                self.set_timer(frame.flow, RECEIVER);
                if finished {
                    self.finish(now, frame.flow)?;
                }
            }
            Kind::Ack => {
                flow.sender.receive(now, Port(0), frame, &mut interface);
                self.set_timer(frame.flow, SENDER);
                if interface.woken {
                    self.wake_sender(now, frame.flow)?;
                } else {
                    self.close_if_done(now, frame.flow)?;
                }
            }
        }
        Ok(())
    }

    fn wake_sender(&mut self, now: Time, place: u32) -> Result<(), WriteError> {
        let flow = self.flows.at(place);
        let (host, priority) = (flow.src, flow.priority);
        if !std::mem::replace(&mut flow.in_line, true) {
            self.stand_in_line(host, place, priority);
        }
        if self.lines[host as usize].waits { Ok(()) } else { self.serve(now, host) }
    }

    /// A receiver has acknowledgements: they go at once, whatever waits.
    fn acknowledge(&mut self, now: Time, place: u32) {
        while let Some(frame) = self.flows.at(place).receiver.transmit(now, Port(0), &mut Interface::default()) {
            self.network.offer(now, frame, &mut self.queue);
        }
    }

    /// Sees to it that an event comes at the deadline or before. One that comes before is put off then: most deadlines
    /// move later long before they are reached.
    #[inline]
    fn set_timer(&mut self, place: u32, end: usize) {
        let flow = self.flows.at(place);
        let deadline = if end == SENDER { flow.sender.deadline() } else { flow.receiver.deadline() };
        if let Some(at) = deadline.filter(|at| *at < flow.timers[end]) {
            flow.timers[end] = at;
            let rank = Rank::new(kind::TIMER, place * 2 + end as u32);
            self.timers += 1;
            self.queue.push(Event { at, rank, slot: flow.epoch });
        }
    }

    /// A timer's event came.
    pub fn expire(&mut self, now: Time, event: Event) -> Result<(), WriteError> {
        self.timers -= 1;
        let (place, end) = (event.rank.device() / 2, event.rank.device() as usize % 2);
        let Some(flow) = self.flows.get(place, event.slot).filter(|flow| flow.timers[end] == now) else {
            return Ok(()); // the flow is closed, or an earlier event took this one's place
        };
        flow.timers[end] = Time::MAX;
        let mut interface = Interface::default();
        if end == SENDER {
            flow.sender.expire(now, &mut interface);
            self.set_timer(place, end);
            if interface.woken {
                self.wake_sender(now, place)?;
            }
        } else {
            flow.receiver.expire(now, &mut interface);
            self.set_timer(place, end);
            if interface.woken {
                self.acknowledge(now, place);
            }
        }
        Ok(())
    }

    /// The window begins.
    pub fn begin_measurement(&mut self, now: Time) {
        self.output.begin_measurement(now, &mut self.network);
        self.flows.iter_mut().for_each(Flow::begin_measurement);
    }

    /// All of a flow's bytes were received.
    fn finish(&mut self, now: Time, place: u32) -> Result<(), WriteError> {
        let Flow { id, operation, .. } = *self.flows.at(place);
        self.output.finished += 1;
        if let Some(number) = operation {
            self.output.end_flow(number, now)?;
        }
        let next = self.workload.next_start();
        self.workload.finish(id, now);
        // What waited for it may be due now, before what was to start next.
        if let Some(at) = self.workload.next_start().filter(|at| next.is_none_or(|next| *at < next)) {
            self.queue.push(Event { at: at.max(now), rank: Rank::new(kind::START, 0), slot: 0 });
        }
        self.close_if_done(now, place)
    }

    fn close_if_done(&mut self, now: Time, place: u32) -> Result<(), WriteError> {
        let flow = self.flows.at(place);
        if flow.end.is_none() || !flow.sender.is_done() || flow.in_line {
            return Ok(());
        }
        let flow = self.flows.close(place);
        self.write_flow(now, &flow)
    }

    /// Writes the row of a flow that is closed, or open when the run ends.
    pub fn write_flow(&mut self, now: Time, flow: &Flow<T>) -> Result<(), WriteError> {
        let (header, bytes) = (self.transport.header(), flow.bytes);
        let ideal = (bytes != Bytes::MAX).then(|| self.network.ideal(flow.src, flow.dst, bytes, header));
        self.output.on_flow(now, flow, ideal, flow.receiver.delivered(), flow.sender.counters())
    }

    /// Flows are open, no timer is pending, and none is to start: if no frame moves, nothing will.
    pub fn waits_for_nothing_but_frames(&self) -> bool {
        self.flows.finite + self.flows.endless > 0 && self.timers == 0 && self.workload.next_start().is_none()
    }

    /// Of these there are none either: no frame is inside, and no host has any that its interface does not take.
    pub fn has_no_frames(&self) -> bool {
        self.network.totals().in_flight == 0 && self.lines.iter().all(|line| line.flows.is_empty())
    }

    /// Nothing is open that could finish, and nothing is to come.
    pub fn is_done(&self) -> bool {
        self.flows.finite == 0 && self.flows.endless == 0 && self.workload.next_start().is_none()
    }
}
