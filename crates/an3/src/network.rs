//! The network of circuits as a [`Network`].

use crate::circuit::{Circuit, Kind};
use crate::config::Config;
use crate::effect::Effect;
use crate::egress::Egress;
use crate::frame::{CONTROL, DATA};
use crate::frames::Frames;
use crate::message::{Message, Name};
use crate::nic::Nic;
use crate::plan::offers;
use crate::rig::{BuildError, Rig};
use crate::ringing::Wheel;
use crate::sockets::{Limits, Sockets, Told};
use crate::switch::{Switch, Turn};
use crate::times::Times;
use engine::{Event, EventQueue, Rank, Seed, Slab, Stream};
use fabric::{
    Counter, Distribution, Fault, Frame, Health, Inside, LinkCounters, Network, Observer, Off, Offers, Sampled, Totals,
    kind,
};
use std::collections::VecDeque;
use std::sync::Arc;
use topology::{NodeId, Topology};
use units::{Bytes, Span, Time};

/// What a control cell on a link says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    pub name: Name,
    pub slot: u8,
    pub message: Message,
    pub sent: Time,
}

/// A directed link.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    /// From when on the next control cell can leave.
    pub control_free: Time,
    pub carries: bool,
    /// When it last broke.
    pub broken: Time,
    pub bit_errors: f64,
    /// Data cells that circuits sent that have it no longer; control cells; cells lost.
    pub data: u64,
    pub control: u64,
    pub lost: u64,
    /// Data cells of circuits that have it, up to when the measurement began.
    pub before: u64,
}

/// A host, beside its NIC's circuits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Host {
    /// By lane, one for the L0 network and one for each egress NIC's link: the request that has no answer, and from when on another may go.
    pub asked: Vec<Option<u32>>,
    pub retry: Vec<Time>,
    /// When it looks again, if it is to.
    pub alarm: Option<Time>,
    pub starting: u32,
    pub is_called: bool,
}

/// NICs, L1 switches, and the circuits among them.
#[derive(Debug)]
pub struct An3<O = Off> {
    pub(crate) observer: O,
    pub(crate) config: Config,
    pub(crate) rig: Rig,
    pub(crate) wires: Vec<Wire>,
    pub(crate) nics: Vec<Nic>,
    pub(crate) hosts: Vec<Host>,
    pub(crate) switches: Vec<(Switch, Wheel)>,
    pub(crate) turns: Slab<(u32, Turn)>,
    /// Of what a node has heard last: kept for its memory.
    pub(crate) effects: Vec<Effect>,
    pub(crate) cells: Slab<Cell>,
    pub(crate) circuits: Slab<Circuit>,
    /// Places of circuits that are no more, whose memory the next ones use.
    pub(crate) spare: Vec<u32>,
    /// Attempts, and bursts, so far: no two have the same number.
    pub(crate) attempts: u32,
    pub(crate) bursts: u32,
    pub(crate) sockets: Sockets,
    /// The client of sockets that the fabric is; and what others are to be told.
    pub(crate) frames: Frames,
    pub(crate) told: VecDeque<Told>,
    /// By node, when its frames begin.
    pub(crate) phases: Vec<Span>,
    pub(crate) health: Health,
    pub(crate) routes_at: Option<Time>,
    /// Containers between; wrong bits.
    pub(crate) chance: Stream,
    pub(crate) errors: Stream,
    pub(crate) totals: Totals,
    pub(crate) sums: Sums,
    pub(crate) egress: Egress,
    /// By traffic and by what: times in nanoseconds.
    pub(crate) times: [[Times; Measure::ALL.len()]; Kind::ALL.len()],
    #[cfg(test)]
    pub(crate) trace: crate::trace::Trace,
}

/// Times of a circuit (§8.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Measure {
    /// From its request to the acknowledgement of that.
    SetUpAck,
    /// From its request to the first cell of data at the destination.
    FirstMark,
    /// From its last cell of data to the end of the circuit at the source.
    EndMark,
    /// From when a flow wanted a circuit until it was acknowledged (§8.4).
    Waiting,
}

impl Measure {
    /// All of them, in their order.
    pub(crate) const ALL: [Measure; 4] = [Measure::SetUpAck, Measure::FirstMark, Measure::EndMark, Measure::Waiting];
}

/// What only this kind of fabric counts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sums {
    pub asked: u64,
    pub acknowledged: u64,
    pub refused: u64,
    pub refused_later: u64,
    pub via: u64,
    pub grown: u64,
    pub suspended: u64,
    pub done: u64,
    pub restarted: u64,
    pub again: u64,
    /// Of these, chunks whose circuits had been set up as far as the destination.
    pub lost: u64,
    pub data: u64,
    pub marks: u64,
    pub discarded: u64,
    pub control: u64,
    pub broken: u64,
    pub bit_errors: u64,
    pub given_up: u64,
    pub ring: u64,
}

/// Of events of kind [`kind::DEADLINE`] that are of no circuit: frames that are complete, and new routing tables.
pub(crate) const COMPLETE: u32 = 0;
pub(crate) const ROUTES: u32 = 1;
/// What happens to a circuit: four devices each, from this one on.
pub(crate) const CIRCUITS: u32 = 4;
/// What of a circuit it is.
pub(crate) const FIRST: u32 = 0;
pub(crate) const SENT: u32 = 1;
pub(crate) const MARK: u32 = 2;
pub(crate) const TIMEOUT: u32 = 3;

impl An3 {
    /// Builds a network on a topology. Chance comes from the seed's streams `an3.*`.
    ///
    /// # Errors
    /// If the topology is no such network.
    pub fn new(config: &Config, topology: &Topology, seed: Seed) -> Result<An3, BuildError> {
        Ok(An3::on(config, Rig::new(&Arc::new(topology.clone()))?, seed, Off))
    }
}

impl<O: Observer> An3<O> {
    /// As [`An3::new`], on this rig; and observed.
    pub fn on(config: &Config, rig: Rig, seed: Seed, observer: O) -> An3<O> {
        let topology = &rig.topology;
        let slots = |node: u32| topology.ports(NodeId(node)).map(|link| rig.lines[link as usize].slots);
        let mut phase = seed.stream("an3.phases", 0);
        let wire = Wire {
            control_free: Time::ZERO,
            carries: true,
            broken: Time::ZERO,
            bit_errors: 0.0,
            data: 0,
            control: 0,
            lost: 0,
            before: 0,
        };
        let host = |host: u32| {
            let lanes = 1 + rig.networks[rig.member[host as usize].0 as usize].exits.len();
            Host { asked: vec![None; lanes], retry: vec![Time::ZERO; lanes], ..Host::default() }
        };
        let limits = Limits { buffer: config.buffer.get(), chunk: config.chunk, growth: config.growth };
        let switch = |node: u32| (Switch::new(&slots(node).collect::<Vec<_>>()), Wheel::default());
        An3 {
            observer,
            config: config.clone(),
            wires: vec![wire; rig.lines.len()],
            nics: (0..rig.hosts()).map(|host| Nic::new(slots(host), rig.circuits(host, config.circuits))).collect(),
            hosts: (0..rig.hosts()).map(host).collect(),
            switches: (rig.hosts()..topology.nodes()).map(switch).collect(),
            turns: Slab::default(),
            effects: Vec::new(),
            cells: Slab::default(),
            circuits: Slab::default(),
            spare: Vec::new(),
            attempts: 0,
            bursts: 0,
            sockets: Sockets::new(rig.hosts(), limits),
            frames: Frames::default(),
            told: VecDeque::new(),
            phases: (0..topology.nodes()).map(|_| Span::from_ps(phase.below(rig.frame.length().as_ps()))).collect(),
            health: Health::whole(rig.lines.len(), topology.nodes() as usize),
            routes_at: None,
            chance: seed.stream("an3.containers", 0),
            errors: seed.stream("an3.bit-errors", 0),
            totals: Totals::default(),
            sums: Sums::default(),
            times: Default::default(),
            egress: Egress::default(),
            #[cfg(test)]
            trace: crate::trace::Trace::default(),
            rig,
        }
    }

    /// A frame's time.
    pub(crate) fn length(&self) -> Span {
        self.rig.frame.length()
    }

    pub(crate) fn note(&mut self, kind: Kind, measure: Measure, time: Span) {
        self.times[kind as usize][measure as usize].note(time.as_ps() / 1000);
    }

    /// Data cells that a link has carried.
    fn carried(&self, now: Time, link: u32) -> u64 {
        let line = &self.rig.lines[link as usize];
        let of = |circuit: u32, name: Name| {
            let circuit = &self.circuits[circuit];
            if circuit.name == name { circuit.passed(now, link, self.length()) } else { 0 }
        };
        let current: u64 = self.outgoing(line).map(|(_, name)| of(name.circuit, name)).sum();
        self.wires[link as usize].data + current
    }

    /// Slots that circuits have, at both ends of all links: none while there are no circuits.
    pub fn slots_taken(&self) -> usize {
        let at_nic =
            |nic: &Nic, port: usize| nic.tables(port as u8).iter().map(|table| table.all().count()).sum::<usize>();
        let ports = |node: u32| self.rig.topology.ports(NodeId(node)).len();
        let nics =
            self.nics.iter().zip(0..).map(|(nic, host)| (0..ports(host)).map(|port| at_nic(nic, port)).sum::<usize>());
        let at_switch = |switch: &Switch, port: usize| {
            switch.output(port as u8).all().count() + switch.incoming(port as u8).count()
        };
        let switches = self.switches.iter().zip(self.rig.hosts()..);
        let switches =
            switches.map(|((switch, _), node)| (0..ports(node)).map(|port| at_switch(switch, port)).sum::<usize>());
        nics.chain(switches).sum()
    }

    fn check_conservation(&self) {
        if cfg!(debug_assertions) {
            let Totals { offered, delivered, dropped, lost, .. } = self.totals;
            let inside = self.inside().count() as u64;
            assert_eq!(offered, delivered + dropped + lost + inside, "frames are conserved");
        }
    }

    fn inside(&self) -> impl Iterator<Item = &Frame> {
        self.sockets.frames().chain(self.frames.complete())
    }

    fn least(&self, src: u32, dst: u32) -> Span {
        let rig = &self.rig;
        let over = |link: u32| rig.lines[link as usize].delay;
        let ((network, from), (other, to)) = (rig.member[src as usize], rig.member[dst as usize]);
        let nic = self.config.nic_latency;
        let shortest = |from: u32| rig.topology.ports(NodeId(from)).map(over).min().unwrap_or(Span::ZERO);
        if network == other {
            let hops = u64::from(rig.networks[network as usize].distance(from, to));
            return shortest(src) + nic * hops.saturating_sub(1);
        }
        // A frame's time at each L1 switch, of which there is one in a container, and one at the egress NIC if that is another.
        let exits = &rig.networks[network as usize].exits;
        let egress = if exits.iter().any(|exit| exit.host == src) { 0 } else { 1 };
        let switches = 1 + u64::from(rig.home(src) != rig.home(dst));
        self.length() * (egress + switches)
    }
}

impl<O: Observer> Network for An3<O> {
    type Observer = O;

    fn observer(&mut self) -> &mut O {
        &mut self.observer
    }

    fn offers(&self) -> Offers {
        offers()
    }

    fn packet_time(&self, _: u32) -> Option<Span> {
        None
    }

    fn has_room(&self, _: Time, host: u32) -> bool {
        self.health.nodes[host as usize]
    }

    fn call_when_ready(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        if self.health.nodes[host as usize] {
            queue.push(Event { at: now, rank: Rank::new(kind::READY, host), slot: 0 });
        } else {
            self.hosts[host as usize].is_called = true;
        }
    }

    fn takes(&mut self, flow: u32, epoch: u32) -> bool {
        self.flow_has_room(flow, epoch)
    }

    fn offer(&mut self, now: Time, frame: Frame, queue: &mut EventQueue) {
        self.take(now, frame, queue);
        self.serve_sockets(now, queue);
    }

    fn handle(&mut self, event: Event, queue: &mut EventQueue) -> Option<Frame> {
        let (now, device) = (event.at, event.rank.device());
        #[cfg(test)]
        if self.trace_event(event, queue) {
            return None;
        }
        match event.rank.kind() {
            kind::ARRIVAL => self.arrive(now, device, event.slot, queue),
            kind::SCHEDULE => self.turn(now, event.slot, queue),
            kind::LINK_FREE => self.board(now, device, queue),
            kind::TICK => self.wake(now, device, queue),
            other => {
                debug_assert_eq!(other, kind::DEADLINE, "a network of circuits has no other events");
                match device {
                    COMPLETE => return self.hand_over(now),
                    ROUTES => self.reroute(now),
                    _ => {
                        let (circuit, what) = ((device - CIRCUITS) / 4, (device - CIRCUITS) % 4);
                        match what {
                            FIRST => self.first(now, circuit, event.slot, queue),
                            SENT => self.sent(now, circuit, event.slot, queue),
                            MARK => self.mark(now, circuit, event.slot, queue),
                            _ => self.time_out(now, circuit, event.slot, queue),
                        }
                    }
                }
            }
        }
        self.serve_sockets(now, queue);
        None
    }

    fn fault(&mut self, now: Time, fault: Fault, queue: &mut EventQueue) {
        self.strike(now, fault, queue);
        self.serve_sockets(now, queue);
    }

    fn backlog(&self, gateway: u32) -> Bytes {
        Bytes::new(self.sockets.backlog(gateway))
    }

    fn counters(&self) -> Vec<Counter> {
        let counter = |name, unit, value: u64| Counter { name, unit, value: value as f64 };
        let sums = &self.sums;
        let mut counters = vec![
            counter("circuits asked for", "circuits", sums.asked),
            counter("of these, acknowledged", "circuits", sums.acknowledged),
            counter("of these, over a third container", "circuits", sums.via),
            counter("refused before they were acknowledged", "circuits", sums.refused),
            counter("refused after they were acknowledged", "circuits", sums.refused_later),
            counter("circuits whose data has come", "circuits", sums.done),
            counter("circuits beside another of their flow", "circuits", sums.grown),
            counter("circuits given up for others that wait", "circuits", sums.suspended),
            counter("cells of data", "cells", sums.data),
            counter("marks", "cells", sums.marks),
            counter("control cells", "cells", sums.control),
            counter("turns of rings", "turns", sums.ring),
            counter("cells discarded before their circuit was there", "cells", sums.discarded),
            counter("circuits that began again", "circuits", sums.restarted),
            counter("chunks sent again", "chunks", sums.again),
            counter("of these, after their circuit was whole", "chunks", sums.lost),
            counter("slots that circuits have at the end", "slots", self.slots_taken() as u64),
        ];
        if sums.broken + sums.bit_errors + sums.given_up > 0 {
            counters.push(counter("circuits torn down for something broken", "circuits", sums.broken));
            counters.push(counter("cells lost to bit errors", "cells", sums.bit_errors));
            counters.push(counter("circuits given up for want of an answer", "circuits", sums.given_up));
        }
        counters
    }

    fn distributions(&self) -> Vec<Distribution> {
        let pairs = Kind::ALL.iter().flat_map(|kind| Measure::ALL.map(|measure| (*kind, measure)));
        let noted = pairs.map(|(kind, measure)| (kind, measure, &self.times[kind as usize][measure as usize]));
        let one = |(kind, measure, times): (Kind, Measure, &Times)| Distribution {
            name: kind.name_of(measure),
            unit: "ns",
            bins: times.all().map(|(time, count)| (time, time + 1, count)).collect(),
        };
        noted.filter(|(.., times)| !times.is_empty()).map(one).collect()
    }

    fn sample(&mut self, _: Time) -> Vec<Sampled> {
        self.egress.sample()
    }

    fn admitted(&self, flow: u32, epoch: u32) -> Option<Time> {
        self.frames.admitted(flow, epoch)
    }

    fn totals(&self) -> Totals {
        let Totals { offered, delivered, dropped, lost, .. } = self.totals;
        Totals { in_flight: offered - delivered - dropped - lost, ..self.totals }
    }

    /// Cells that hosts keep wait for circuits; in the network each has a slot.
    fn has_buffers(&self) -> bool {
        true
    }

    fn link_counters(&self, now: Time, link: u32) -> LinkCounters {
        let wire = &self.wires[link as usize];
        let data = self.carried(now, link) - wire.before;
        LinkCounters {
            frames: data + wire.control,
            bytes: data * (DATA + CONTROL),
            lost: wire.lost,
            ..LinkCounters::default()
        }
    }

    fn queue(&self, _: Time, _: u32) -> Bytes {
        Bytes::ZERO
    }

    fn begin_measurement(&mut self, now: Time) {
        self.sums = Sums::default();
        self.times = Default::default();
        for link in 0..self.wires.len() as u32 {
            let carried = self.carried(now, link);
            let wire = &mut self.wires[link as usize];
            (wire.before, wire.control, wire.lost) = (carried, 0, 0);
        }
    }

    /// As many circuits as the narrowest of its links has slots, or one without growth, all at once; and the least delay of a path.
    fn ideal(&self, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span {
        let payload = self.config.mtu.get() - header.get();
        let frames = bytes.get().div_ceil(payload).max(1);
        let last = bytes.get() - (frames - 1) * payload + header.get();
        let cells = Config::cells(self.config.mtu.get()).saturating_mul(frames - 1) + Config::cells(last);
        let slots = |host: u32| -> u64 {
            self.rig.topology.ports(NodeId(host)).map(|link| u64::from(self.rig.lines[link as usize].slots)).sum()
        };
        let circuits = |host: u32| -> u64 { slots(host).min(self.rig.circuits(host, self.config.circuits).into()) };
        let width = if self.config.growth { circuits(src).min(circuits(dst)) } else { 1 };
        // One mark at least comes after the last cell.
        let marks = cells.div_ceil(u64::from(self.config.chunk));
        let turns = (cells + marks).div_ceil(width.max(1)).saturating_sub(1).max(1);
        self.length().saturating_mul(turns) + self.least(src, dst)
    }

    fn mtu(&self) -> Bytes {
        self.config.mtu
    }

    fn event_gap(&self) -> Span {
        // A control cell for every tenth slot of all links between hosts and switches.
        self.rig.frame.slot(1) / (self.rig.lines.len() as u64 * 8).max(1)
    }

    fn check(&self) {
        self.check_conservation();
    }

    fn frames_inside(&self) -> Vec<Inside> {
        let link = |frame: &Frame| self.rig.topology.ports(NodeId(frame.src)).start;
        self.inside().map(|frame| Inside { frame: *frame, link: link(frame) }).collect()
    }
}
