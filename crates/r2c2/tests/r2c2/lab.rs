//! A rack to try, and who offers frames to it.

use engine::{Event, EventQueue, Seed};
use fabric::{Fault, Frame, Kind, Network, Observer, Seen, What, kind};
use r2c2::{Config, R2c2, Rig};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use topology::{NodeId, Routes, Shape, Topology, Torus};
use units::{Rate, Span, Time};

/// A torus of links of 10 Gb/s and 100 ns.
pub(crate) fn torus(sizes: &[u32]) -> Topology {
    let shape = Shape::Torus(Torus { sizes: sizes.to_vec(), host_rate: None });
    shape.build(Rate::from_gbps(10), Span::from_ns(100)).unwrap()
}

/// The link between two neighbours.
pub(crate) fn link(topology: &Topology, from: &str, to: &str) -> u32 {
    let node = |name| topology.find_node(name).unwrap();
    topology.link_between(node(from), node(to)).next().unwrap().0
}

pub(crate) fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// What was shown: the rate of each flow, and the packets of announcements that came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seer(Rc<RefCell<Shown>>);

#[derive(Debug, Default)]
pub(crate) struct Shown {
    pub rates: BTreeMap<u32, Rate>,
    /// When, over which link.
    pub announcements: Vec<(Time, u32)>,
}

impl Observer for Seer {
    fn see(&mut self, now: Time, seen: Seen<'_>) {
        let mut shown = self.0.borrow_mut();
        match seen {
            Seen::Window { flow, rate: Some(rate), .. } => {
                shown.rates.insert(flow, rate);
            }
            Seen::Cell { to: Frame::NO_HOST, link, what: What::Arrived, .. } => shown.announcements.push((now, link)),
            Seen::Frame { .. }
            | Seen::Cell { .. }
            | Seen::Credit { .. }
            | Seen::Pause { .. }
            | Seen::Window { .. }
            | Seen::Slot { .. }
            | Seen::Circuit { .. } => {}
        }
    }
}

/// A rack, its time, and what has come out of it.
pub(crate) struct Lab {
    pub network: R2c2<Seer>,
    pub topology: Arc<Topology>,
    queue: EventQueue,
    seer: Seer,
    now: Time,
    /// Flow, and when it was delivered.
    pub delivered: Vec<(u32, Time)>,
}

impl Lab {
    pub(crate) fn new(config: &Config, topology: Topology) -> Lab {
        let (topology, seer) = (Arc::new(topology), Seer::default());
        let routes = Arc::new(Routes::shortest(&topology).unwrap());
        let rig = Rig::new(&topology).unwrap();
        let network = R2c2::on(config, rig, routes, Seed(1), seer.clone());
        let queue = EventQueue::new(network.event_gap());
        Lab { network, topology, queue, seer, now: Time::ZERO, delivered: Vec::new() }
    }

    /// A flow of one frame.
    pub(crate) fn send(&mut self, flow: u32, src: u32, dst: u32, len: u32) {
        self.send_with(Frame { flow, src, dst, len, stamp: self.now, kind: Kind::Data, ..Frame::EMPTY });
    }

    pub(crate) fn send_with(&mut self, frame: Frame) {
        assert!(self.network.has_room(self.now, frame.src) && self.network.takes(frame.flow, frame.epoch));
        self.network.offer(self.now, frame, &mut self.queue);
    }

    pub(crate) fn fault(&mut self, fault: Fault) {
        self.network.fault(self.now, fault, &mut self.queue);
    }

    /// Everything up to this time happens.
    pub(crate) fn run_until(&mut self, end: Time) {
        while self.queue.next_at().is_some_and(|at| at <= end) {
            let Some(event) = self.queue.pop() else { break };
            self.step(event);
        }
        self.now = end;
        self.network.check();
    }

    /// Everything happens, unless it takes longer than this.
    pub(crate) fn run_out(&mut self, end: Time) {
        self.run_until(end);
        assert_eq!(self.queue.next_at(), None, "something goes on for ever");
    }

    fn step(&mut self, event: Event) {
        self.now = event.at;
        if event.rank.kind() == kind::READY {
            return;
        }
        if let Some(frame) = self.network.handle(event, &mut self.queue) {
            self.delivered.push((frame.flow, event.at));
        }
    }

    pub(crate) fn rate(&self, flow: u32) -> f64 {
        self.seer.0.borrow().rates[&flow].as_bps() as f64
    }

    pub(crate) fn announcements(&self) -> Vec<(Time, u32)> {
        self.seer.0.borrow().announcements.clone()
    }

    pub(crate) fn counter(&self, name: &str) -> f64 {
        let counters = self.network.counters();
        counters
            .iter()
            .find(|counter| counter.name == name)
            .unwrap_or_else(|| panic!("no {name} in {counters:?}"))
            .value
    }

    /// The mean queue before the link where it is longest, in bytes, over this time since the measurement began.
    pub(crate) fn busiest_queue(&self, span: Span) -> f64 {
        let hosts = self.topology.hosts();
        let of_switches = self.topology.ports(NodeId(hosts)).start..self.topology.links().len() as u32;
        let mean = |link| self.network.link_counters(self.now, link).byte_seconds / span.as_secs_f64();
        of_switches.map(mean).fold(0.0, f64::max)
    }

    /// The longest queue before any link that leaves a switch, in bytes, since the measurement began.
    pub(crate) fn longest_queue(&self) -> u64 {
        let hosts = self.topology.hosts();
        let of_switches = self.topology.ports(NodeId(hosts)).start..self.topology.links().len() as u32;
        of_switches.map(|link| self.network.link_counters(self.now, link).peak.get()).max().unwrap()
    }
}
