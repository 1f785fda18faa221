//! A pod to try, and who offers frames to it.

use engine::{Event, EventQueue, Seed};
use fabric::{Fault, Frame, Kind, Network, kind};
use fastpod::{Config, Fastpod};
use topology::{Builder, LinkSpec, Shape, Topology};
use units::{Rate, Span, Time};

/// The pod of an 8-port fat-tree: 4 racks of 4 hosts, 4 aggregation switches, links of 100 Gb/s and 1 us (§5).
pub(crate) fn pod(racks: u32, planes: u32, hosts: u32) -> Topology {
    let shape = Shape::LeafSpine { leaves: racks, spines: planes, hosts_per_leaf: hosts };
    shape.build(Rate::from_gbps(100), Span::from_us(1)).unwrap()
}

/// Pods of so many racks, aggregation switches and hosts a rack each, with core switches above each aggregation switch. Cables to core switches are as long as they say.
pub(crate) fn pods(pods: u32, [racks, planes, hosts, above]: [u32; 4], far: impl Fn(u32, u32) -> Span) -> Topology {
    let mut builder = Builder::new("pods");
    let link = |delay| LinkSpec { rate: Rate::from_gbps(100), delay, queue: None };
    let near = link(Span::from_us(1));
    let [host_class, rack_class, core_class] = ["host-tor", "tor-agg", "agg-core"].map(|name| builder.class(name));
    let cores: Vec<_> = (0..planes * above).map(|core| builder.switch(format!("core-{core}"), None)).collect();
    for pod in 0..pods {
        let aggregations: Vec<_> =
            (0..planes).map(|plane| builder.switch(format!("agg-{pod}-{plane}"), None)).collect();
        for rack in 0..racks {
            let tor = builder.switch(format!("tor-{pod}-{rack}"), None);
            for host in 0..hosts {
                let number = (pod * racks + rack) * hosts + host;
                let host = builder.host(format!("host-{number}"));
                builder.cable(host, tor, host_class, near);
            }
            for aggregation in &aggregations {
                builder.cable(tor, *aggregation, rack_class, near);
            }
        }
        for (core, switch) in (0..).zip(&cores) {
            builder.cable(aggregations[(core / above) as usize], *switch, core_class, link(far(pod, core)));
        }
    }
    builder.finish().unwrap()
}

pub(crate) fn ns(ns: u64) -> Time {
    Time::ZERO + Span::from_ns(ns)
}

/// A pod, its time, and what has come out of it.
pub(crate) struct Lab {
    pub network: Fastpod,
    queue: EventQueue,
    pub now: Time,
    /// Flow, and when it was delivered.
    pub delivered: Vec<(u32, Time)>,
}

impl Lab {
    pub(crate) fn new(config: &Config, topology: &Topology, seed: u64) -> Lab {
        Lab::of(Fastpod::new(config, topology, Seed(seed)).unwrap())
    }

    pub(crate) fn of(mut network: Fastpod) -> Lab {
        let mut queue = EventQueue::new(network.event_gap());
        network.begin(&mut queue);
        Lab { network, queue, now: Time::ZERO, delivered: Vec::new() }
    }

    /// A flow of one frame.
    pub(crate) fn send(&mut self, flow: u32, src: u32, dst: u32, len: u32) {
        let frame = Frame { flow, src, dst, len, stamp: self.now, kind: Kind::Data, ..Frame::EMPTY };
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
            self.now = event.at;
            if event.rank.kind() == kind::READY {
                continue;
            }
            if let Some(frame) = self.network.handle(event, &mut self.queue) {
                self.delivered.push((frame.flow, event.at));
            }
            let _: Event = event;
        }
        self.now = end;
        self.network.check();
    }

    pub(crate) fn counter(&self, name: &str) -> f64 {
        let counters = self.network.counters();
        counters.iter().find(|counter| counter.name == name).map_or(0.0, |counter| counter.value)
    }
}

impl Lab {
    /// Frames offered and delivered.
    pub(crate) fn network_totals(&self) -> (u64, u64) {
        let totals = self.network.totals();
        (totals.offered, totals.delivered)
    }
}

/// The link between two neighbours.
pub(crate) fn link(topology: &Topology, from: &str, to: &str) -> u32 {
    let node = |name| topology.find_node(name).unwrap();
    topology.link_between(node(from), node(to)).next().unwrap().0
}
