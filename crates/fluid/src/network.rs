//! The fluid network as a [`Network`]: frames enter, flow out of their hosts at their streams' rates, and arrive after the delay of
//! the links.

use crate::Config;
use crate::sharing::{Shares, Sharing};
use crate::streams::{Joined, Left, Origin, Streams};
use engine::{Event, EventQueue, Rank};
use fabric::{Counter, Fault, Frame, Inside, Kept, Kind, LinkCounters, Network, Offers, Totals, kind};
use topology::{LinkId, NodeId, Topology};
use units::{Bytes, Span, Time};

/// Why a topology is no fluid network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A host with several links, or none.
    #[error("host {host} has {links} links: in a fluid network each has one")]
    Links {
        /// Which.
        host: String,
        /// How many it has.
        links: usize,
    },
}

/// A fluid network: hosts send and receive at the rates of their links, and whatever there is between them carries everything.
#[derive(Debug)]
pub struct Fluid {
    config: Config,
    hosts: Vec<Host>,
    /// By link: the host that sends over it, or receives.
    role: Vec<Role>,
    shares: Shares,
    rates: Vec<f64>,
    streams: Streams,
    /// Streams have come or gone since rates were computed.
    is_stale: bool,
    /// When the next event of streams is; older ones that are still to come have other numbers.
    next: Option<Time>,
    number: u32,
    /// Frames inside.
    kept: Kept,
    totals: Totals,
    /// Times that streams were looked at.
    looks: u64,
    fillings: u64,
    most: usize,
}

#[derive(Debug, Clone)]
struct Host {
    /// Bits a picosecond.
    send: f64,
    receive: f64,
    /// Of its link out, and of its link in.
    delays: [Span; 2],
    up: u32,
    /// Frames that have not left.
    frames: usize,
    /// Streams that may go on and have less than [`AHEAD`] frames.
    short: usize,
    /// Its transport waits to hear that there is room.
    is_awaited: bool,
    /// What left it and what reached it since the measurement began, in frames and bytes.
    sent: (u64, u64),
    received: (u64, u64),
}

#[derive(Debug, Clone, Copy)]
enum Role {
    Out(u32),
    In(u32),
    Inside,
}

/// Frames of a stream without end that must be there for it to flow on.
const AHEAD: usize = 2;
/// Streams are looked at this often at least, so that a message that flows for long is not taken for one that stands.
const LOOK: Span = Span::from_ms(5);
/// Frames that a host takes in any case.
const FRAMES: usize = 64;

impl Host {
    fn has_room(&self) -> bool {
        self.short > 0 || self.frames < FRAMES
    }
}

impl Fluid {
    /// Whether a topology can be one.
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

    /// Builds it on a topology.
    ///
    /// # Errors
    /// If a host has several links, or none.
    pub fn new(config: &Config, topology: &Topology) -> Result<Fluid, BuildError> {
        Fluid::check(topology)?;
        let mut role = vec![Role::Inside; topology.links().len()];
        let mut hosts = Vec::new();
        for host in 0..topology.hosts() {
            let ports = topology.ports(NodeId(host));
            let (out, back) = (LinkId(ports.start), topology.reverse(LinkId(ports.start)));
            (role[out.index()], role[back.index()]) = (Role::Out(host), Role::In(host));
            let rate = |link| topology.link(link).rate.as_bps() as f64 * 1e-12;
            hosts.push(Host {
                send: rate(out),
                receive: rate(back),
                delays: [topology.link(out).delay, topology.link(back).delay],
                up: out.0,
                frames: 0,
                short: 0,
                is_awaited: false,
                sent: (0, 0),
                received: (0, 0),
            });
        }
        let (send, receive): (Vec<f64>, Vec<f64>) = hosts.iter().map(|host| (host.send, host.receive)).unzip();
        Ok(Fluid {
            config: config.clone(),
            hosts,
            role,
            shares: Shares::new(config.sharing, &send, &receive),
            rates: Vec::new(),
            streams: Streams::default(),
            is_stale: false,
            next: None,
            number: 0,
            kept: Kept::default(),
            totals: Totals::default(),
            looks: 0,
            fillings: 0,
            most: 0,
        })
    }

    /// Streams have an event at `at`, in place of the next.
    fn wake(&mut self, at: Time, queue: &mut EventQueue) {
        if self.next != Some(at) {
            self.next = Some(at);
            self.number = self.number.wrapping_add(1);
            queue.push(Event { at, rank: Rank::new(kind::TICK, 0), slot: self.number });
        }
    }

    /// Frames leave, and rates are computed anew if streams have come or gone.
    fn tick(&mut self, now: Time, queue: &mut EventQueue) {
        self.next = None;
        self.looks += 1;
        let mut from = 0;
        while let Some(place) = self.streams.next_done(from, now) {
            // A stream that is over has another in its place, which may be done as well.
            from = place;
            let kept = &self.kept;
            let left = self.streams.take(place, now, |frame| bits(kept[frame].len));
            self.leave(now, &left, queue);
            self.is_stale |= left.behind == 0;
        }
        if std::mem::take(&mut self.is_stale) {
            self.shares.of(&self.streams.ends, &mut self.rates);
            self.streams.set_rates(now, &self.rates);
            self.fillings += 1;
            self.most = self.most.max(self.streams.len());
        }
        if let Some(next) = self.streams.next() {
            self.wake(next.min(now + LOOK), queue);
        }
    }

    fn leave(&mut self, now: Time, left: &Left, queue: &mut EventQueue) {
        let frame = self.kept[left.frame];
        let host = &mut self.hosts[frame.src as usize];
        host.frames -= 1;
        host.sent = (host.sent.0 + 1, host.sent.1 + u64::from(frame.len));
        if left.may_go_on {
            // It is short from the last but one on; with none behind, it is no stream any more.
            host.short = host.short + usize::from(left.behind + 1 == AHEAD) - usize::from(left.behind == 0);
        }
        if host.is_awaited && host.has_room() {
            host.is_awaited = false;
            queue.push(Event { at: now, rank: Rank::new(kind::READY, frame.src), slot: 0 });
        }
        let at = now + host.delays[0] + self.hosts[frame.dst as usize].delays[1];
        queue.push(Event { at, rank: Rank::new(kind::ARRIVAL, frame.dst), slot: left.frame });
    }

    /// Host rates, where a stream has to go through both.
    fn rate(&self, src: u32, dst: u32) -> f64 {
        self.hosts[src as usize].send.min(self.hosts[dst as usize].receive)
    }
}

fn bits(bytes: u32) -> f64 {
    f64::from(bytes) * 8.0
}

impl Network for Fluid {
    fn offers(&self) -> Offers {
        Offers { ecn: false, lossless: true, in_order: true, priorities: 1 }
    }

    fn has_room(&self, _: Time, host: u32) -> bool {
        self.hosts[host as usize].has_room()
    }

    fn call_when_ready(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        if self.has_room(now, host) {
            queue.push(Event { at: now, rank: Rank::new(kind::READY, host), slot: 0 });
        } else {
            self.hosts[host as usize].is_awaited = true;
        }
    }

    fn offer(&mut self, now: Time, frame: Frame, queue: &mut EventQueue) {
        self.totals.offered += 1;
        let origin = Origin { place: frame.flow * 2 + u32::from(frame.kind == Kind::Ack), epoch: frame.epoch };
        let is_full = u64::from(frame.len) == self.config.mtu.get();
        let kept = self.kept.put(frame);
        let joined = self.streams.push(now, origin, [frame.src, frame.dst], kept, bits(frame.len), is_full);
        let host = &mut self.hosts[frame.src as usize];
        host.frames += 1;
        let was_short = match joined {
            Joined::New => {
                self.is_stale = true;
                false
            }
            Joined::Behind { frames, went_on } => went_on && frames < AHEAD,
        };
        let is_short = match joined {
            Joined::New => is_full,
            Joined::Behind { frames, .. } => is_full && frames + 1 < AHEAD,
        };
        host.short = host.short + usize::from(is_short) - usize::from(was_short);
        if self.is_stale {
            self.wake(now, queue);
        }
    }

    fn handle(&mut self, event: Event, queue: &mut EventQueue) -> Option<Frame> {
        if event.rank.kind() == kind::TICK {
            if event.slot == self.number {
                self.tick(event.at, queue);
            }
            return None;
        }
        debug_assert_eq!(event.rank.kind(), kind::ARRIVAL, "frames leave, and frames arrive");
        let frame = self.kept.take(event.slot);
        self.totals.delivered += 1;
        let received = &mut self.hosts[frame.dst as usize].received;
        *received = (received.0 + 1, received.1 + u64::from(frame.len));
        Some(frame)
    }

    fn fault(&mut self, _: Time, _: Fault, _: &mut EventQueue) {
        unreachable!("an experiment with failures in a fluid network is refused")
    }

    fn counters(&self) -> Vec<Counter> {
        vec![
            Counter { name: "rates computed", unit: "times", value: self.fillings as f64 },
            Counter { name: "most streams at once", unit: "streams", value: self.most as f64 },
        ]
    }

    fn totals(&self) -> Totals {
        let in_flight = self.kept.len() as u64;
        // What there is to do is one look at the streams after the other, and frames that arrive.
        Totals { in_flight, hops: self.looks + self.totals.delivered, ..self.totals }
    }

    fn link_counters(&self, _: Time, link: u32) -> LinkCounters {
        let (frames, bytes) = match self.role[link as usize] {
            Role::Out(host) => self.hosts[host as usize].sent,
            Role::In(host) => self.hosts[host as usize].received,
            Role::Inside => (0, 0),
        };
        LinkCounters { frames, bytes, ..LinkCounters::default() }
    }

    fn queue(&self, _: Time, _: u32) -> Bytes {
        Bytes::ZERO
    }

    fn begin_measurement(&mut self, _: Time) {
        for host in &mut self.hosts {
            (host.sent, host.received) = ((0, 0), (0, 0));
        }
        self.fillings = 0;
        self.most = self.streams.len();
    }

    fn ideal(&self, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span {
        let payload = self.config.mtu.get() - header.get();
        let packets = bytes.get().div_ceil(payload).max(1);
        let bits = (bytes.get() + packets * header.get()) as f64 * 8.0;
        let flowing = Span::from_ps((bits / self.rate(src, dst)).floor() as u64);
        flowing + self.hosts[src as usize].delays[0] + self.hosts[dst as usize].delays[1]
    }

    fn mtu(&self) -> Bytes {
        self.config.mtu
    }

    fn event_gap(&self) -> Span {
        // All hosts send frames of a few packets' length.
        let all: f64 = self.hosts.iter().map(|host| host.send).sum();
        Span::from_ps(((12_000.0 / all) as u64).max(1))
    }

    fn check(&self) {
        if cfg!(debug_assertions) && self.config.sharing == Sharing::Interfaces && !self.is_stale {
            let mut carried = vec![[0.0; 2]; self.hosts.len()];
            for ([from, to], rate) in self.streams.rates() {
                carried[from as usize][0] += rate;
                carried[to as usize][1] += rate;
            }
            for (host, [sends, receives]) in self.hosts.iter().zip(carried) {
                debug_assert!(sends <= host.send * (1.0 + 1e-9) && receives <= host.receive * (1.0 + 1e-9));
            }
        }
    }

    fn frames_inside(&self) -> Vec<Inside> {
        self.kept.iter().map(|frame| Inside { frame: *frame, link: self.hosts[frame.src as usize].up }).collect()
    }
}
