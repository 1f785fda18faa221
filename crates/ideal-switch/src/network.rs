//! The switch as a [`Network`].

use crate::Config;
use crate::plan::offers;
use crate::port::Port;
use engine::{Event, EventQueue, Rank};
use fabric::{Arena, Fault, Frame, Inside, LinkCounters, Network, Observer, Off, Offers, Seen, Totals, What, kind};
use topology::{LinkId, NodeId, Topology};
use units::{Bytes, Span, Time};

/// Why a topology's hosts can't be joined by one switch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A host with several links, or none.
    #[error("host {host} has {links} links: an ideal switch joins hosts with one")]
    Links {
        /// Which.
        host: String,
        /// How many it has.
        links: usize,
    },
}

/// One switch and its hosts.
#[derive(Debug)]
pub struct IdealSwitch<O = Off> {
    observer: O,
    config: Config,
    /// By host: its interface, and the switch's port to it.
    interfaces: Vec<Port>,
    ports: Vec<Port>,
    /// By link of the topology: the host whose interface (even, halved) or port (odd) sends over it.
    senders: Vec<Option<u32>>,
    /// By host: its link, and the link to it.
    up: Vec<u32>,
    down: Vec<u32>,
    frames: Arena,
    totals: Totals,
}

impl IdealSwitch {
    /// Whether the hosts of a topology can be joined.
    ///
    /// # Errors
    /// If a host has several links, or none.
    pub fn check(topology: &Topology) -> Result<(), BuildError> {
        let links = |host| topology.ports(NodeId(host)).len();
        match (0..topology.hosts()).find(|host| links(*host) != 1) {
            None => Ok(()),
            Some(host) => Err(BuildError::Links { host: topology.name(NodeId(host)).to_owned(), links: links(host) }),
        }
    }

    /// Joins the hosts of a topology.
    ///
    /// # Errors
    /// If a host has several links, or none.
    pub fn new(config: &Config, topology: &Topology) -> Result<IdealSwitch, BuildError> {
        IdealSwitch::on(config, topology, Off)
    }
}

impl<O: Observer> IdealSwitch<O> {
    /// As [`IdealSwitch::new`], and observed.
    pub fn on(config: &Config, topology: &Topology, observer: O) -> Result<IdealSwitch<O>, BuildError> {
        IdealSwitch::check(topology)?;
        let up: Vec<u32> = (0..topology.hosts()).map(|host| topology.ports(NodeId(host)).start).collect();
        let down: Vec<u32> = up.iter().map(|link| topology.reverse(LinkId(*link)).0).collect();
        let framing = config.framing.get() as u32;
        let link = |link: &u32| *topology.link(LinkId(*link));
        let mut senders = vec![None; topology.links().len()];
        for (host, (up, down)) in (0..).zip(up.iter().zip(&down)) {
            senders[*up as usize] = Some(2 * host);
            senders[*down as usize] = Some(2 * host + 1);
        }
        Ok(IdealSwitch {
            observer,
            interfaces: up.iter().map(|own| Port::new(&link(own), framing, None, None)).collect(),
            ports: down.iter().map(|own| Port::new(&link(own), framing, config.queue, config.ecn_threshold)).collect(),
            senders,
            up,
            down,
            frames: Arena::default(),
            totals: Totals::default(),
            config: config.clone(),
        })
    }

    fn see(&mut self, now: Time, frame: &Frame, link: u32, what: What) {
        self.observer.see(now, Seen::Frame { frame, link, what });
    }

    fn sender(&self, link: u32) -> Option<&Port> {
        let sender = self.senders[link as usize]?;
        let ports = if sender % 2 == 0 { &self.interfaces } else { &self.ports };
        Some(&ports[sender as usize / 2])
    }

    /// Longest wait at an interface at which it still takes data: a packet may wait behind the one being sent.
    fn room(&self, host: u32) -> Span {
        self.interfaces[host as usize].time_on_wire(self.config.mtu.get() as u32)
    }

    fn check_conservation(&self) {
        let Totals { offered, delivered, dropped, .. } = self.totals;
        debug_assert_eq!(offered, delivered + dropped + self.frames.len() as u64, "frames are conserved");
    }
}

impl<O: Observer> Network for IdealSwitch<O> {
    type Observer = O;

    fn observer(&mut self) -> &mut O {
        &mut self.observer
    }

    fn offers(&self) -> Offers {
        offers(&self.config)
    }

    fn packet_time(&self, host: u32) -> Option<Span> {
        Some(self.room(host))
    }

    fn has_room(&self, now: Time, host: u32) -> bool {
        self.interfaces[host as usize].wait(now) <= self.room(host)
    }

    fn call_when_ready(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        let wait = self.interfaces[host as usize].wait(now).saturating_sub(self.room(host));
        queue.push(Event { at: now + wait, rank: Rank::new(kind::READY, host), slot: 0 });
    }

    fn offer(&mut self, now: Time, mut frame: Frame, queue: &mut EventQueue) {
        self.totals.offer(frame.len);
        let host = frame.src as usize;
        let link = self.up[host];
        let at = self.interfaces[host].admit(now, &mut frame).expect("an interface has room without limit");
        self.see(now, &frame, link, What::Queued { leaves: Some(self.interfaces[host].free_at) });
        let slot = self.frames.put(frame);
        queue.push(Event { at, rank: Rank::new(kind::ARRIVAL, link), slot });
    }

    fn handle(&mut self, event: Event, queue: &mut EventQueue) -> Option<Frame> {
        debug_assert_eq!(event.rank.kind(), kind::ARRIVAL, "frames arrive, and nothing else happens");
        self.totals.hops += 1;
        let (now, frame) = (event.at, self.frames.take(event.slot));
        let (host, link) = (frame.dst as usize, event.rank.device());
        if link == self.down[host] {
            self.see(now, &frame, link, What::Delivered);
            self.totals.deliver(frame.len);
            self.check_conservation();
            return Some(frame);
        }
        self.see(now, &frame, link, What::Arrived);
        let (mut frame, ecn, link) = (frame, frame.ecn, self.down[host]);
        let admitted = self.ports[host].admit(now, &mut frame);
        if frame.ecn != ecn {
            self.see(now, &frame, link, What::Marked);
        }
        match admitted {
            Some(at) => {
                self.see(now, &frame, link, What::Queued { leaves: Some(self.ports[host].free_at) });
                let slot = self.frames.put(frame);
                queue.push(Event { at, rank: Rank::new(kind::ARRIVAL, link), slot });
            }
            None => {
                self.see(now, &frame, link, What::Dropped);
                self.totals.drop_one(frame.len);
            }
        }
        self.check_conservation();
        None
    }

    fn fault(&mut self, _: Time, _: Fault, _: &mut EventQueue) {
        unreachable!("an experiment in which an ideal switch fails is refused")
    }

    fn totals(&self) -> Totals {
        Totals { in_flight: self.frames.len() as u64, ..self.totals }
    }

    fn link_counters(&self, now: Time, link: u32) -> LinkCounters {
        let counters = |port: &Port| port.counters.at_rate(port.rate, port.wait(now));
        self.sender(link).map(counters).unwrap_or_default()
    }

    fn queue(&self, now: Time, link: u32) -> Bytes {
        self.sender(link).map_or(Bytes::ZERO, |port| port.rate.bytes_in(port.wait(now)))
    }

    fn begin_measurement(&mut self, now: Time) {
        self.interfaces.iter_mut().chain(&mut self.ports).for_each(|port| port.begin_measurement(now));
    }

    /// Packets go over two links, one behind the other: the last leaves the switch once it is there and those before it have left, and these
    /// leave as fast as the slower of the two links lets them.
    fn ideal(&self, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span {
        let (first, second) = (&self.interfaces[src as usize], &self.ports[dst as usize]);
        let payload = self.config.mtu.get() - header.get();
        let full_packets = bytes.get().div_ceil(payload).max(1) - 1;
        let [full, last] = [payload, bytes.get() - full_packets * payload].map(|data| (data + header.get()) as u32);
        let (sent, passed) = (first.time_on_wire(full), second.time_on_wire(full));
        let behind = match full_packets {
            0 => Span::ZERO,
            many => sent + sent.max(passed).saturating_mul(many - 1) + passed,
        };
        let there = sent.saturating_mul(full_packets) + first.time_on_wire(last);
        behind.max(there) + second.time_on_wire(last) + first.delay + second.delay
    }

    fn mtu(&self) -> Bytes {
        self.config.mtu
    }

    fn event_gap(&self) -> Span {
        // Every host sends full packets over its link, and the switch as many.
        let rate: f64 = self.interfaces.iter().map(|port| port.rate.as_bps() as f64).sum();
        Span::from_secs_f64((self.config.mtu + self.config.framing).bits() as f64 / (2.0 * rate))
    }

    fn check(&self) {
        self.check_conservation();
    }

    fn frames_inside(&self) -> Vec<Inside> {
        self.frames.iter().map(|frame| Inside { frame: *frame, link: self.up[frame.src as usize] }).collect()
    }
}
