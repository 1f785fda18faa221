//! Checks of [`Network`]s.

use super::faults::{Breakable, Faults};
use crate::{Counter, Ecn, Frame, Inside, Kind, Network, Options, Totals, kind};
use engine::{Event, EventQueue, Rank, Seed, Stream};
use units::{Bytes, Span, Time};

/// Traffic to try a network with: frames of random size between random hosts.
#[derive(Debug, Clone, Copy)]
pub struct Traffic {
    /// Hosts of the network.
    pub hosts: u32,
    /// Data frames to send.
    pub frames: u32,
    /// Mean time between frames, all hosts together.
    pub gap: Span,
    /// What chance depends on.
    pub seed: u64,
}

/// A frame that came out of the network, and when.
type Delivery = (Time, Frame);

/// Sends traffic through two equal networks and checks the contract at every event:
///
/// - frames are conserved, and none is delivered twice, altered but for its mark, or to another host;
/// - none is faster than an empty network would be;
/// - what is promised in [`Network::offers`] is kept: nothing lost, order within a flow, no marks without ECN;
/// - an interface that had no room says when it has;
/// - both do exactly the same.
///
/// Returns how many frames were delivered and dropped, for checks of the caller's own.
///
/// # Panics
/// If the contract is broken.
pub fn network<N: Network>(make: impl Fn() -> N, traffic: Traffic) -> (u64, u64) {
    let drive = || {
        let mut trial = Trial::new(make(), traffic, None);
        trial.send_all();
        let totals = trial.network.totals();
        assert!(
            !trial.network.offers().lossless.is_given() || totals.dropped + totals.lost == 0,
            "a lossless network lost frames"
        );
        trial.all_there_is()
    };
    same(drive(), drive())
}

/// Sends traffic through two equal networks whose links and nodes break and are repaired at random meanwhile, and checks at every
/// event what [`network`] checks, but for losses and order. At the end everything is repaired, and after `settle` a frame gets
/// through from every host to every other.
///
/// The network's queues must hold a frame, and its links deliver all frames when they are whole.
///
/// Returns how many frames were delivered and lost, those of the end among them.
///
/// # Panics
/// If the contract is broken.
pub fn network_with_faults<N: Network>(make: impl Fn() -> N, traffic: Traffic, breakable: Breakable) -> (u64, u64) {
    let drive = || {
        let faults = Faults::at_random(breakable, traffic);
        let mut trial = Trial::new(make(), traffic, Some(faults));
        trial.send_all();
        trial.every_pair_is_joined(breakable.settle);
        trial.all_there_is()
    };
    same(drive(), drive())
}

/// Everything that can be compared of what a network did.
type Record = (Vec<Delivery>, Totals, Vec<Counter>);

fn same(first: Record, second: Record) -> (u64, u64) {
    assert_eq!(first, second, "two equal networks did different things with the same traffic");
    (first.0.len() as u64, first.1.dropped + first.1.lost)
}

/// Frames that wait to be sent, and what was sent.
struct Hosts {
    stream: Stream,
    traffic: Traffic,
    /// Frames that found no room at their host, oldest first.
    refused: Vec<Vec<Frame>>,
    sent: Vec<Frame>,
    delivered: Vec<bool>,
    last_of_flow: Vec<u64>,
    /// Whether order and readiness are promised: nothing breaks.
    whole: bool,
}

impl Hosts {
    fn next_frame(&mut self, now: Time, mtu: Bytes) -> Frame {
        let src = self.stream.below(u64::from(self.traffic.hosts)) as u32;
        let dst = (src + 1 + self.stream.below(u64::from(self.traffic.hosts) - 1) as u32) % self.traffic.hosts;
        let len = (41 + self.stream.below(mtu.get() - 40)) as u32;
        let ecn = if self.stream.below(2) == 0 { Ecn::Capable } else { Ecn::NotCapable };
        Frame { ecn, ..self.frame(now, src, dst, len) }
    }

    fn frame(&self, now: Time, src: u32, dst: u32, len: u32) -> Frame {
        // A flow for each pair of hosts; frames are numbered over all.
        let flow = src * self.traffic.hosts + dst;
        let (sequence, stamp, epoch, entropy, ecn) = (0, now, 0, flow, Ecn::NotCapable);
        // Of few ranks, so that some are equal, also among the frames of one flow.
        let options = Options::of_rank(u64::from(len % 7));
        Frame {
            sequence,
            stamp,
            flow,
            epoch,
            src,
            dst,
            len,
            entropy,
            kind: Kind::Data,
            priority: 0,
            ecn,
            echo: false,
            options,
            ..Frame::EMPTY
        }
    }

    fn try_offer<N: Network>(&mut self, now: Time, mut frame: Frame, network: &mut N, queue: &mut EventQueue) -> bool {
        if !network.has_room(now, frame.src) || network.is_paused(now, frame.src, frame.priority) {
            return false;
        }
        frame.sequence = self.sent.len() as u64;
        frame.stamp = now;
        self.sent.push(frame);
        self.delivered.push(false);
        network.offer(now, frame, queue);
        true
    }

    fn check_delivery<N: Network>(&mut self, now: Time, frame: Frame, network: &N) {
        let sent = self.sent[frame.sequence as usize];
        assert_eq!(Frame { ecn: sent.ecn, ..frame }, sent, "a frame was altered on its way");
        assert!(
            !std::mem::replace(&mut self.delivered[frame.sequence as usize], true),
            "a frame came twice: {frame:?}"
        );
        let offers = network.offers();
        let marked = frame.ecn == Ecn::Marked;
        assert!(
            !marked || (offers.ecn.is_given() && sent.ecn == Ecn::Capable),
            "a frame was marked that must not be: {frame:?}"
        );
        let alone = network.ideal(frame.src, frame.dst, Bytes::new(u64::from(frame.len)), Bytes::ZERO);
        assert!(now.since(sent.stamp) >= alone, "{frame:?} took {}, alone it takes {alone}", now.since(sent.stamp));
        let last = &mut self.last_of_flow[frame.flow as usize];
        assert!(!self.whole || !offers.in_order || frame.sequence >= *last, "a flow's frames changed order");
        *last = frame.sequence;
    }
}

/// Has the network say when a host may send this frame.
fn call<N: Network>(now: Time, frame: &Frame, network: &mut N, queue: &mut EventQueue) {
    if network.has_room(now, frame.src) {
        network.call_when_resumed(frame.src);
    } else {
        network.call_when_ready(now, frame.src, queue);
    }
}

/// A network under trial.
pub(super) struct Trial<N> {
    pub(super) network: N,
    queue: EventQueue,
    hosts: Hosts,
    faults: Option<Faults>,
    deliveries: Vec<Delivery>,
    /// Frames that are yet to be made.
    left: u32,
    now: Time,
    /// Totals when frames were last looked for.
    counted: Totals,
}

impl<N: Network> Trial<N> {
    /// Longer than anything may take. A network with clocks of its own never runs out of events, so that waiting has an end.
    const PATIENCE: Span = Span::from_ms(1000);

    pub(super) fn new(network: N, traffic: Traffic, faults: Option<Faults>) -> Trial<N> {
        let hosts = Hosts {
            stream: Seed(traffic.seed).stream("conformance", 0),
            traffic,
            refused: vec![Vec::new(); traffic.hosts as usize],
            sent: Vec::new(),
            delivered: Vec::new(),
            last_of_flow: vec![0; (traffic.hosts * traffic.hosts) as usize],
            whole: faults.is_none(),
        };
        let queue = EventQueue::new(network.event_gap());
        let (deliveries, left, now) = (Vec::new(), traffic.frames, Time::ZERO);
        let counted = Totals::default();
        let mut trial = Trial { network, queue, hosts, faults, deliveries, left, now, counted };
        trial.network.begin(&mut trial.queue);
        trial.queue.push(Event { at: Time::ZERO, rank: Rank::new(kind::START, 0), slot: 0 });
        for (number, at) in (0..).zip(trial.faults.iter().flat_map(Faults::times)) {
            trial.queue.push(Event { at, rank: Rank::new(kind::FAULT, number), slot: 0 });
        }
        trial
    }

    /// Sends all of the traffic, until none of it is inside any more.
    pub(super) fn send_all(&mut self) {
        let mut busy = self.now;
        while let Some(event) = self.queue.pop() {
            self.step(event);
            let waits = self.left > 0 || self.hosts.refused.iter().any(|frames| !frames.is_empty());
            let breaks = self.faults.as_ref().is_some_and(|faults| faults.last() > self.now);
            if !waits && !breaks && self.network.totals().in_flight == 0 {
                break;
            }
            busy = if self.left > 0 || breaks { self.now } else { busy };
            if self.now > busy + Self::PATIENCE {
                break;
            }
        }
        self.network.check();
        let totals = self.network.totals();
        assert_eq!(totals.in_flight, 0, "frames are stuck: {:?}", self.network.frames_inside());
        assert!(self.hosts.refused.iter().all(Vec::is_empty), "an interface never became ready");
        assert_eq!(totals.offered, u64::from(self.hosts.traffic.frames));
        assert_eq!(totals.delivered, self.deliveries.len() as u64);
    }

    /// A frame gets through from every host to every other, now that everything works and has had time to find out.
    fn every_pair_is_joined(&mut self, settle: Span) {
        self.run_until(self.now + settle, |_| false);
        let hosts = self.hosts.traffic.hosts;
        for (src, dst) in
            (0..hosts).flat_map(|src| (0..hosts).map(move |dst| (src, dst))).filter(|(src, dst)| src != dst)
        {
            let frame = self.hosts.frame(self.now, src, dst, 64);
            let offered = self.hosts.try_offer(self.now, frame, &mut self.network, &mut self.queue);
            assert!(offered, "the interface of host {src} has no room though all is repaired and nothing is sent");
            let number = self.hosts.sent.len() - 1;
            self.run_until(self.now + Self::PATIENCE, |hosts| hosts.delivered[number]);
            assert!(self.hosts.delivered[number], "all is repaired, but nothing gets from host {src} to host {dst}");
        }
    }

    /// Runs until `end`, or until this is so.
    fn run_until(&mut self, end: Time, is_so: impl Fn(&Hosts) -> bool) {
        while !is_so(&self.hosts) && self.queue.next_at().is_some_and(|at| at <= end) {
            if let Some(event) = self.queue.pop() {
                self.step(event);
            }
        }
        if !is_so(&self.hosts) {
            self.now = end;
        }
    }

    fn step(&mut self, event: Event) {
        let now = event.at;
        self.now = now;
        let (network, queue, hosts) = (&mut self.network, &mut self.queue, &mut self.hosts);
        network.look_ahead(queue);
        match event.rank.kind() {
            kind::START => {
                let frame = hosts.next_frame(now, network.mtu());
                let src = frame.src as usize;
                if !hosts.refused[src].is_empty() || !hosts.try_offer(now, frame, network, queue) {
                    if hosts.refused[src].is_empty() {
                        call(now, &frame, network, queue);
                    }
                    hosts.refused[src].push(frame);
                }
                self.left -= 1;
                if self.left > 0 {
                    let gap = Span::from_ps(hosts.stream.below(2 * hosts.traffic.gap.as_ps()));
                    queue.push(Event { at: now + gap, rank: Rank::new(kind::START, 0), slot: 0 });
                }
            }
            kind::READY => {
                let host = event.rank.device();
                // A lossless network may have paused it since.
                let may_be_full = !hosts.whole || network.offers().lossless.is_given();
                let ready = network.has_room(now, host) || may_be_full;
                assert!(ready, "the interface of host {host} said it was ready and is not");
                while let Some(frame) = hosts.refused[host as usize].first().copied() {
                    if !hosts.try_offer(now, frame, network, queue) {
                        call(now, &frame, network, queue);
                        break;
                    }
                    hosts.refused[host as usize].remove(0);
                }
            }
            kind::FAULT => {
                let fault = self.faults.as_ref().map(|faults| faults.get(event.rank.device()));
                network.fault(now, fault.expect("only faults make such events"), queue);
            }
            _ => {
                if let Some(frame) = network.handle(event, queue) {
                    hosts.check_delivery(now, frame, network);
                    self.deliveries.push((now, frame));
                }
            }
        }
        let totals = self.network.totals();
        let gone = totals.delivered + totals.dropped + totals.lost;
        assert_eq!(totals.offered, gone + totals.in_flight, "frames are not conserved: {totals:?}");
        // Looking for all of them is slow; one can only have come or gone if a total has changed.
        let counted = Totals { hops: 0, ..totals };
        if counted != self.counted {
            self.counted = counted;
            let inside = self.network.frames_inside();
            assert_eq!(totals.in_flight, inside.len() as u64, "frames inside are not those counted");
            let held: u64 = inside.iter().map(|inside| u64::from(inside.frame.len)).sum();
            assert_eq!(totals.held, held, "bytes held are not those of the frames inside");
            for Inside { link, .. } in inside.iter().take(2) {
                let sent = [self.network.bytes_sent(now, *link), self.network.link_counters(now, *link).bytes];
                assert_eq!(sent[0], sent[1], "bytes that a link has sent are counted in two ways");
            }
        }
    }

    fn all_there_is(self) -> Record {
        self.network.check();
        (self.deliveries, self.network.totals(), self.network.counters())
    }
}
