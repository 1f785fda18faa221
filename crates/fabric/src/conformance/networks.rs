//! Checks of [`Network`]s.

use crate::{Ecn, Frame, Kind, Network, kind};
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
    let (first, dropped) = drive(make(), traffic);
    let (second, _) = drive(make(), traffic);
    assert_eq!(first, second, "two equal networks did different things with the same traffic");
    (first.len() as u64, dropped)
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
}

impl Hosts {
    fn next_frame(&mut self, now: Time, mtu: Bytes) -> Frame {
        let src = self.stream.below(u64::from(self.traffic.hosts)) as u32;
        let dst = (src + 1 + self.stream.below(u64::from(self.traffic.hosts) - 1) as u32) % self.traffic.hosts;
        // A flow for each pair of hosts; frames are numbered over all.
        let flow = src * self.traffic.hosts + dst;
        let len = (41 + self.stream.below(mtu.get() - 40)) as u32;
        let ecn = if self.stream.below(2) == 0 { Ecn::Capable } else { Ecn::NotCapable };
        let (sequence, stamp, epoch, entropy) = (0, now, 0, flow);
        Frame { sequence, stamp, flow, epoch, src, dst, len, entropy, kind: Kind::Data, priority: 0, ecn, echo: false }
    }

    fn try_offer<N: Network>(&mut self, now: Time, mut frame: Frame, network: &mut N, queue: &mut EventQueue) -> bool {
        if !network.has_room(now, frame.src) {
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
        assert!(!marked || (offers.ecn && sent.ecn == Ecn::Capable), "a frame was marked that must not be: {frame:?}");
        let alone = network.ideal(frame.src, frame.dst, Bytes::new(u64::from(frame.len)), Bytes::ZERO);
        assert!(now.since(sent.stamp) >= alone, "{frame:?} took {}, alone it takes {alone}", now.since(sent.stamp));
        let last = &mut self.last_of_flow[frame.flow as usize];
        assert!(!offers.in_order || frame.sequence >= *last, "a flow's frames changed order");
        *last = frame.sequence;
    }
}

fn drive<N: Network>(mut network: N, traffic: Traffic) -> (Vec<Delivery>, u64) {
    let mut queue = EventQueue::new(network.event_gap());
    let mut hosts = Hosts {
        stream: Seed(traffic.seed).stream("conformance", 0),
        traffic,
        refused: vec![Vec::new(); traffic.hosts as usize],
        sent: Vec::new(),
        delivered: Vec::new(),
        last_of_flow: vec![0; (traffic.hosts * traffic.hosts) as usize],
    };
    let mut deliveries = Vec::new();
    let mut left = traffic.frames;
    queue.push(Event { at: Time::ZERO, rank: Rank::new(kind::START, 0), slot: 0 });
    while let Some(event) = queue.pop() {
        let now = event.at;
        match event.rank.kind() {
            kind::START => {
                let frame = hosts.next_frame(now, network.mtu());
                let src = frame.src as usize;
                if !hosts.refused[src].is_empty() || !hosts.try_offer(now, frame, &mut network, &mut queue) {
                    if hosts.refused[src].is_empty() {
                        network.call_when_ready(now, frame.src, &mut queue);
                    }
                    hosts.refused[src].push(frame);
                }
                left -= 1;
                if left > 0 {
                    let gap = Span::from_ps(hosts.stream.below(2 * traffic.gap.as_ps()));
                    queue.push(Event { at: now + gap, rank: Rank::new(kind::START, 0), slot: 0 });
                }
            }
            kind::READY => {
                let host = event.rank.device();
                assert!(network.has_room(now, host), "the interface of host {host} said it was ready and is not");
                while let Some(frame) = hosts.refused[host as usize].first().copied() {
                    if !hosts.try_offer(now, frame, &mut network, &mut queue) {
                        network.call_when_ready(now, host, &mut queue);
                        break;
                    }
                    hosts.refused[host as usize].remove(0);
                }
            }
            _ => {
                if let Some(frame) = network.handle(event, &mut queue) {
                    hosts.check_delivery(now, frame, &network);
                    deliveries.push((now, frame));
                }
            }
        }
        let totals = network.totals();
        let gone = totals.delivered + totals.dropped + totals.lost;
        assert_eq!(totals.offered, gone + totals.in_flight, "frames are not conserved: {totals:?}");
        assert_eq!(totals.in_flight, network.frames_inside().len() as u64, "frames inside are not those counted");
    }
    network.check();
    let totals = network.totals();
    assert_eq!(totals.in_flight, 0, "frames are stuck: {:?}", network.frames_inside());
    assert!(hosts.refused.iter().all(Vec::is_empty), "an interface never became ready");
    assert_eq!(totals.offered, u64::from(traffic.frames));
    assert_eq!(totals.delivered, deliveries.len() as u64);
    assert!(!network.offers().lossless || totals.dropped + totals.lost == 0, "a lossless network lost frames");
    (deliveries, totals.dropped + totals.lost)
}
