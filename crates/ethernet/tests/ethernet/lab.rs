//! A small laboratory: a fabric, frames offered at chosen instants, and when they arrive.

use engine::{EventQueue, Seed};
use ethernet::{Config, Discipline, Ethernet, Length, Port, Routing, Switching};
use fabric::{Ecn, Fault, Frame, Kind, Network, kind};
use topology::Topology;
use units::{Bytes, Span, Time};

/// Store and forward, 1500 B packets, queues that never fill.
pub(crate) fn config() -> Config {
    Config {
        switching: Switching::StoreAndForward,
        cut_through_header: Bytes::new(64),
        routing: Routing::Ecmp,
        mtu: Bytes::new(1500),
        framing: Bytes::new(38),
        jitter: Span::ZERO,
        convergence: Span::ZERO,
        priorities: 2,
        port: Port { queue: Length::Packets(100), ecn_threshold: None, red: None, loss: 0.0 },
        trimming: None,
        pfabric: false,
        in_network_latency: false,
        pfc: None,
        rules: Vec::new(),
    }
}

pub(crate) fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// A fabric that is driven by hand.
pub(crate) struct Lab<D> {
    pub topology: Topology,
    pub network: Ethernet<D>,
    pub queue: EventQueue,
    /// The frames that were delivered, and when.
    pub delivered: Vec<(Time, Frame)>,
    /// The hosts whose interfaces had room again, and when.
    pub ready: Vec<(Time, u32)>,
    pub now: Time,
}

impl<D: Discipline> Lab<D> {
    pub(crate) fn new(topology: Topology, config: &Config) -> Lab<D> {
        let network = Ethernet::new(config, &topology, Seed(1)).unwrap();
        let queue = EventQueue::new(network.event_gap());
        Lab { topology, network, queue, delivered: Vec::new(), ready: Vec::new(), now: Time::ZERO }
    }

    /// Everything that happens before `end`, and then it is `end`.
    pub(crate) fn until(&mut self, end: Time) -> &mut Self {
        while self.queue.next_at().is_some_and(|at| at < end) {
            let event = self.queue.pop().unwrap();
            self.network.look_ahead(&mut self.queue);
            if event.rank.kind() == kind::READY {
                self.ready.push((event.at, event.rank.device()));
            } else if let Some(frame) = self.network.handle(event, &mut self.queue) {
                self.delivered.push((event.at, frame));
            }
        }
        self.now = end;
        self.network.check();
        self
    }

    /// 1250 B from a host to another, which take 1 us on each link of 10 Gb/s without framing. Flows differ in `entropy`.
    pub(crate) fn send(&mut self, src: u32, dst: u32, entropy: u32) -> &mut Self {
        self.offer(Frame { entropy, ..frame(src, dst, 1250) })
    }

    /// This frame, now.
    pub(crate) fn offer(&mut self, frame: Frame) -> &mut Self {
        self.network.offer(self.now, Frame { stamp: self.now, ..frame }, &mut self.queue);
        self
    }

    /// When frames arrived, and at which hosts.
    pub(crate) fn arrivals(&self) -> Vec<(Time, u32)> {
        self.delivered.iter().map(|(at, frame)| (*at, frame.dst)).collect()
    }

    pub(crate) fn link(&mut self, name: &str, up: bool) -> &mut Self {
        let link = self.topology.find_link(name).unwrap().0;
        self.network.fault(self.now, Fault::Link { link, up }, &mut self.queue);
        self
    }

    pub(crate) fn node(&mut self, name: &str, up: bool) -> &mut Self {
        let node = self.topology.find_node(name).unwrap().0;
        self.network.fault(self.now, Fault::Node { node, up }, &mut self.queue);
        self
    }

    pub(crate) fn lost_on(&self, name: &str) -> u64 {
        let link = self.topology.find_link(name).unwrap().0;
        self.network.link_counters(self.now, link).lost
    }

    pub(crate) fn counted(&self, name: &str) -> f64 {
        self.network.counters().into_iter().find(|counter| counter.name == name).unwrap().value
    }
}

/// Data of `len` bytes.
pub(crate) fn frame(src: u32, dst: u32, len: u32) -> Frame {
    Frame {
        sequence: 0,
        stamp: Time::ZERO,
        flow: 0,
        epoch: 0,
        src,
        dst,
        len,
        entropy: 0,
        kind: Kind::Data,
        priority: 0,
        ecn: Ecn::NotCapable,
        echo: false,
        ..Frame::EMPTY
    }
}
