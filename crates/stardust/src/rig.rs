//! A whole fabric on the bench: frames that hosts send as soon as they can, faults, and a look at everything inside.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::Stardust;
use crate::build::Role;
use crate::config::Config;
use crate::interior::Interior;
use engine::{EventQueue, Seed};
use fabric::{Ecn, Fault, Frame, Kind, Network, kind};
use topology::Topology;
use units::{Span, Time};

pub(crate) fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// A fabric, and frames that hosts send as soon as they can.
pub(crate) struct Rig<I> {
    pub fabric: Stardust<I>,
    pub queue: EventQueue,
    /// By host: frames that wait, last first.
    pub waiting: Vec<Vec<Frame>>,
    pub delivered: Vec<(Time, Frame)>,
    /// When a cell was last lost.
    pub last_loss: Time,
    pub now: Time,
}

impl<I: Interior> Rig<I> {
    pub(crate) fn new(config: &Config, topology: &Topology, seed: u64) -> Rig<I> {
        let mut fabric = Stardust::new(config, topology, Seed(seed)).unwrap();
        let mut queue = EventQueue::new(fabric.event_gap());
        fabric.begin(&mut queue);
        let waiting = vec![Vec::new(); topology.hosts() as usize];
        Rig { fabric, queue, waiting, delivered: Vec::new(), last_loss: Time::ZERO, now: Time::ZERO }
    }
    pub(crate) fn send(&mut self, src: u32, dst: u32, len: u32, priority: u8) {
        let (sequence, stamp, flow, epoch, entropy) = (0, self.now, src, 0, 0);
        let (kind, ecn, echo) = (Kind::Data, Ecn::NotCapable, false);
        let frame =
            Frame { sequence, stamp, flow, epoch, src, dst, len, entropy, kind, priority, ecn, echo, ..Frame::EMPTY };
        self.waiting[src as usize].insert(0, frame);
        if self.waiting[src as usize].len() == 1 {
            self.offer(src);
        }
    }
    fn offer(&mut self, host: u32) {
        while let Some(frame) = self.waiting[host as usize].last().copied() {
            if !self.fabric.has_room(self.now, host) {
                return self.fabric.call_when_ready(self.now, host, &mut self.queue);
            }
            self.waiting[host as usize].pop();
            self.fabric.offer(self.now, frame, &mut self.queue);
        }
    }
    /// Goes on until an instant, events at which are left.
    pub(crate) fn run(&mut self, until: Time) {
        while self.queue.next_at().is_some_and(|at| at < until) {
            let event = self.queue.pop().unwrap();
            self.now = event.at;
            if event.rank.kind() == kind::READY {
                self.offer(event.rank.device());
                continue;
            }
            let lost = self.cells_gone();
            if let Some(frame) = self.fabric.handle(event, &mut self.queue) {
                self.delivered.push((event.at, frame));
            }
            if lost != self.cells_gone() {
                self.last_loss = event.at;
            }
        }
        self.now = until;
    }
    pub(crate) fn fault(&mut self, fault: Fault) {
        self.fabric.fault(self.now, fault, &mut self.queue);
    }
    /// Cells that links lost, or devices dropped without a route.
    fn cells_gone(&self) -> u64 {
        self.fabric.sums.cells_lost + self.fabric.sums.cells_astray
    }
    pub(crate) fn committed(&self) -> Vec<u32> {
        self.fabric.scheduler.ports.iter().map(crate::scheduler::Port::committed).collect()
    }
    /// Nothing waits anywhere, and nothing is awaited.
    pub(crate) fn is_at_rest(&self) {
        self.fabric.check();
        let blocked: Vec<usize> = (0..self.waiting.len()).filter(|host| !self.waiting[*host].is_empty()).collect();
        assert_eq!(blocked, [0; 0], "all frames were taken");
        assert_eq!(self.fabric.totals().in_flight, 0, "no packet is stuck");
        assert!(self.fabric.ingress.voqs.iter().all(|voq| voq.waiting == 0));
        let adapters = 0..self.fabric.layout.adapters as u16;
        assert!(adapters.clone().all(|adapter| self.fabric.reassembly.waiting(adapter) == 0));
        assert_eq!(self.committed(), vec![0; self.waiting.len()], "no port awaits anything");
    }
    pub(crate) fn link(&self, from: u32, to: u32) -> u32 {
        let wires = &self.fabric.layout.wires;
        let inside = |role: Role| matches!(role, Role::Up | Role::Down);
        (0..).zip(wires).find(|(_, wire)| inside(wire.role) && (wire.from, wire.to) == (from, to)).unwrap().0
    }
}
