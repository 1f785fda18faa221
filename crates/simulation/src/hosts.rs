//! What happens at hosts: their stack is asked for frames when an interface has room, frames reach it, timers go off.

use crate::flows::{Before, Flow, Flows};
use crate::idle_waits::IdleWaits;
use crate::output::Output;
use crate::transports::Transports;
use engine::{Control, Event, EventQueue, Progress, Rank, Seed, mix};
use fabric::{Collision, Frame, Network, Observer, Seen, kind};
use host::{Actions, Arrival, End, Limits, Message, Stack, Timer};
use results::WriteError;
use std::collections::BTreeMap;
use topology::Topology;
use units::{Bytes, Span, Time};
use workload::Workload;

/// All hosts of a run, and the network between them.
pub(crate) struct Hosts<'a, N> {
    pub network: N,
    pub stack: Stack,
    transports: &'a Transports,
    pub workload: Workload,
    pub flows: Flows,
    pub queue: EventQueue,
    pub output: Output,
    pub control: &'a Control,
    seed: Seed,
    /// What the stack asked for last; empty between calls.
    actions: Actions,
    /// Hosts whose interface was full and will say when it has room.
    pub(crate) waits: Vec<bool>,
    pub(crate) idle_waits: IdleWaits,
    /// Timers' events that are pending.
    timers: u64,
    /// By connection: what whoever looks on was shown last.
    limits: BTreeMap<u32, Limits>,
}

impl<'a, N: Network> Hosts<'a, N> {
    pub(crate) fn new(
        network: N,
        transports: &'a Transports,
        workload: Workload,
        topology: &Topology,
        seed: Seed,
        output: Output,
        control: &'a Control,
    ) -> Self {
        Hosts {
            control,
            queue: EventQueue::new(network.event_gap()),
            stack: Stack::new(topology.hosts(), transports.protocols.clone(), network.mtu(), seed, |host| {
                network.packet_time(host).unwrap_or_else(|| topology.host_rate(host).time_for(network.mtu()))
            }),
            network,
            transports,
            workload,
            flows: Flows::default(),
            output,
            seed,
            actions: Actions::default(),
            waits: vec![false; topology.hosts() as usize],
            idle_waits: IdleWaits::new(topology.hosts()),
            timers: 0,
            limits: BTreeMap::new(),
        }
    }

    /// Starts every flow that is due, and has the next one's start come as an event. There may be very many: the control is looked at.
    pub(crate) fn start_due(&mut self, now: Time) -> Result<(), WriteError> {
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
        let workload::Flow { id, group, src, dst, bytes, priority, operation, .. } = *flow;
        let entropy = mix(self.seed.0 ^ mix(id)) as u32;
        self.output.started += 1;
        if let Some(number) = operation {
            if !self.output.operations.is_open(number)
                && let Some((round, what)) = self.workload.operation(group)
            {
                self.output.start_operation(number, now, group, round, what);
            }
            self.output.operations.start_flow(number, bytes);
        }
        let paths = self.network.paths(src, dst);
        let protocol = self.transports.of_workload[usize::from(group)];
        let (hops, round_trip) =
            if self.stack.knows_path(protocol) { self.path(src, dst, protocol) } else { (0, Span::ZERO) };
        let message = Message { src, dst, bytes, entropy, priority, paths, hops, round_trip, protocol };
        self.catch_up(src, now, Rank::new(kind::START, 0));
        self.tell_after_all(src);
        let place = self.stack.open(&message);
        let (start, end, before) = (now, None, Before::default());
        self.flows.open(place, Flow { id, group, src, dst, bytes, start, end, operation, before, protocol });
        self.serve(now, src)
    }

    /// Two packets have met where none should. Whose they are is known only as long as their flows are open.
    #[cold]
    pub(crate) fn collide(&mut self, collision: Collision) {
        let flows = [collision.lost, collision.met].map(|party| {
            let [place, epoch] = party.flow?;
            self.stack.is_of(place, epoch).then(|| self.flows.at(place).id)
        });
        self.output.collisions.count(collision, flows);
    }

    /// Links between two hosts, and the time that a full packet and its acknowledgement take when nothing else is under way.
    fn path(&self, src: u32, dst: u32, protocol: u16) -> (u32, Span) {
        let header = self.stack.header(protocol);
        let there = self.network.ideal(src, dst, self.network.mtu().saturating_sub(header), header);
        let back = self.network.ideal(dst, src, Bytes::new(1), header.saturating_sub(Bytes::new(1)));
        (self.network.hops(src, dst), there + back)
    }

    /// The host's interface has room again, for all or for one connection that stood aside.
    pub(crate) fn ready(&mut self, now: Time, event: Event) -> Result<(), WriteError> {
        let host = event.rank.device();
        let Some(place) = event.slot.checked_sub(1) else {
            self.waits[host as usize] = false;
            return self.serve(now, host);
        };
        // It may be closed by now. Whoever has its place then looks whether there is something to send, and no harm is done.
        if self.stack.is_open(place) {
            self.stack.wake(now, place, &mut self.actions);
            self.act(now)?;
        }
        Ok(())
    }

    /// Lets connections send, in turns, until the interface is full or nobody has anything.
    #[inline]
    fn serve(&mut self, now: Time, host: u32) -> Result<(), WriteError> {
        while let Some((place, epoch, priority)) = self.stack.next(host) {
            if !self.network.has_room(now, host) {
                if !std::mem::replace(&mut self.waits[host as usize], true) {
                    self.wait_for_room(now, host);
                }
                return Ok(());
            }
            if self.network.is_paused(now, host, priority) {
                // It is told when a class goes on, but does not wait: data of another class may come at any time.
                self.network.call_when_resumed(host);
                let network = &self.network;
                if self.stack.pass_over(host, |priority| !network.is_paused(now, host, priority)) {
                    continue;
                }
                return Ok(());
            }
            if !self.network.takes(place, epoch) {
                self.stack.stand_aside(host);
                continue;
            }
            let frame = self.stack.transmit(now, host, &mut self.actions);
            self.set_timers();
            match frame {
                Some(frame) => self.network.offer(now, frame, &mut self.queue),
                None => self.close_if_done(now, place)?,
            }
        }
        Ok(())
    }

    /// A frame reaches its host.
    #[inline]
    pub(crate) fn receive(&mut self, event: Event, frame: Frame) -> Result<(), WriteError> {
        let (now, place, host) = (event.at, frame.flow, frame.dst);
        self.catch_up(host, now, event.rank);
        match self.stack.receive(now, frame, &mut self.actions) {
            Arrival::Late => Ok(()),
            Arrival::Data { delivered, new } => {
                let flow = self.flows.at(place);
                self.output.on_data(now, frame.stamp, flow.group, new.get());
                let finished = delivered == flow.bytes && flow.end.is_none();
                if finished {
                    flow.end = Some(now);
                }
                self.act(now)?;
                if finished { self.finish(now, place) } else { Ok(()) }
            }
            Arrival::Control => {
                self.tell_after_all(host);
                self.show_limits(now, place);
                let wakes = self.actions.wakes.is_some();
                self.act(now)?;
                if wakes { Ok(()) } else { self.close_if_done(now, place) }
            }
        }
    }

    /// A timer's event came.
    pub(crate) fn expire(&mut self, now: Time, event: Event) -> Result<(), WriteError> {
        self.timers -= 1;
        let (device, epoch) = (event.rank.device(), event.slot);
        let (place, end) = match event.rank.kind() {
            kind::HOST_TIMER => (device, End::Host),
            _ if device.is_multiple_of(2) => (device / 2, End::Sender),
            _ => (device / 2, End::Receiver),
        };
        self.before_expiry(place, epoch, end, now, event.rank);
        self.stack.expire(Timer { at: now, place, epoch, end }, &mut self.actions);
        if end == End::Sender {
            self.show_limits(now, place);
        }
        self.act(now)
    }

    /// Shows a sender's window and rate to whoever looks on, if they have changed.
    #[inline(always)]
    fn show_limits(&mut self, now: Time, flow: u32) {
        if N::Observer::ACTIVE
            && let Some((host, limits)) = self.stack.limits(flow)
            && self.limits.insert(flow, limits) != Some(limits)
        {
            let Limits { window, rate } = limits;
            self.network.observer().see(now, Seen::Window { flow, host, window, rate });
        }
    }

    /// Does what the stack asked for.
    #[inline]
    fn act(&mut self, now: Time) -> Result<(), WriteError> {
        // Acknowledgements go at once, whatever waits.
        if !self.actions.frames.is_empty() {
            for frame in self.actions.frames.drain(..) {
                self.network.offer(now, frame, &mut self.queue);
            }
        }
        self.set_timers();
        match self.actions.wakes.take() {
            Some(host) if !self.waits[host as usize] => self.serve(now, host),
            _ => Ok(()),
        }
    }

    #[inline(always)]
    fn set_timers(&mut self) {
        // Most calls of the stack ask for none: it is not worth a call to find that out.
        if !self.actions.timers.is_empty() {
            self.set_those_timers();
        }
    }

    #[inline(never)]
    fn set_those_timers(&mut self) {
        for Timer { at, place, epoch, end } in self.actions.timers.drain(..) {
            let rank = match end {
                End::Sender => Rank::new(kind::TIMER, place * 2),
                End::Receiver => Rank::new(kind::TIMER, place * 2 + 1),
                End::Host => Rank::new(kind::HOST_TIMER, place),
            };
            self.timers += 1;
            self.queue.push(Event { at, rank, slot: epoch });
        }
    }

    /// The window begins.
    pub(crate) fn begin_measurement(&mut self, now: Time) {
        self.output.begin_measurement(now, &mut self.network);
        self.flows.begin_measurement(&self.stack);
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
        if self.stack.is_done(place) && self.flows.at(place).end.is_some() { self.close(now, place) } else { Ok(()) }
    }

    /// Closes a flow and writes its row: it is done, or the run ends.
    pub(crate) fn close(&mut self, now: Time, place: u32) -> Result<(), WriteError> {
        let flow = self.flows.close(place);
        let header = self.stack.header(flow.protocol);
        let Flow { src, dst, bytes, .. } = flow;
        let ideal = match bytes {
            Bytes::MAX => None,
            _ if self.stack.spreads(flow.protocol) => Some(self.network.ideal_over_paths(src, dst, bytes, header)),
            _ => Some(self.network.ideal(src, dst, bytes, header)),
        };
        let (delivered, counters) = (self.stack.delivered(place), self.stack.counters(place));
        let admitted = self.network.admitted(place, self.stack.epoch(place));
        self.stack.close(place);
        self.output.on_flow(now, &flow, ideal, delivered, admitted, counters)
    }

    /// Flows are open, no timer is pending, and none is to start: if no frame moves, nothing will.
    pub(crate) fn waits_for_nothing_but_frames(&self) -> bool {
        self.flows.finite + self.flows.endless > 0 && self.timers == 0 && self.workload.next_start().is_none()
    }

    /// Of these there are none either: no frame is inside, and no host has any that its interface does not take.
    pub(crate) fn has_no_frames(&self) -> bool {
        self.network.totals().in_flight == 0 && (0..self.waits.len() as u32).all(|host| self.stack.is_idle(host))
    }

    /// How far the run is.
    pub(crate) fn progress(&self, now: Time) -> Progress {
        Progress { simulated: now, hops: self.network.totals().hops, flows: self.flows.ended }
    }

    /// Nothing is open that could finish, and nothing is to come.
    pub(crate) fn is_done(&self) -> bool {
        self.flows.finite == 0 && self.flows.endless == 0 && self.workload.next_start().is_none()
    }
}
