//! Timelines of the two ends of a connection.

use super::{PfabricReceiver, PfabricSender};
use crate::config::Pfabric;
use crate::conformance::{Trial, delivers, trials};
use crate::{Connection, Receiver, Sender, Transport};
use fabric::conformance::{Recorder, never_early};
use fabric::{Device, Frame, Kind, Options, Port, SackBlock};
use proptest::prelude::*;
use units::{Bytes, Span, Time};

/// Packets carry 1000 B. Sequence numbers in these timelines count packets.
const PAYLOAD: u64 = 1000;

fn config() -> Pfabric {
    Pfabric { initial_window: 4, max_window: 6, timeout: Span::from_us(50), probe_after: 3, ..Pfabric::default() }
}

fn connection(bytes: u64) -> Connection {
    Connection { bytes: Bytes::new(bytes), ..Connection::EXAMPLE }
}

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// A sender and what happens to it.
struct Sending {
    sender: PfabricSender,
    now: Time,
}

impl Sending {
    fn new(bytes: u64) -> Sending {
        Sending { sender: config().open(&connection(bytes)).0, now: Time::ZERO }
    }
    fn at(&mut self, at: u64) -> &mut Sending {
        self.now = us(at);
        never_early(&self.sender, self.now);
        self
    }
    /// An acknowledgement of all before `expected`, and of blocks beyond: the first, counted from there, and how many.
    fn hears(&mut self, expected: u64, blocks: &[(i16, u16)]) -> &mut Sending {
        let mut all = [SackBlock::NONE; 3];
        for (place, &(start, length)) in all.iter_mut().zip(blocks) {
            *place = SackBlock { start, length };
        }
        let ack = connection(1).answer(Kind::Ack, Time::ZERO, expected * PAYLOAD, 40);
        let mut env = Recorder::default();
        self.sender.receive(self.now, Port(0), Frame { options: Options::of_blocks(all), ..ack }, &mut env);
        never_early(&self.sender, self.now);
        self
    }
    /// Its timer goes off.
    #[track_caller]
    fn times_out(&mut self) -> &mut Sending {
        assert_eq!(self.sender.deadline(), Some(self.now));
        let mut env = Recorder::default();
        self.sender.expire(self.now, &mut env);
        assert_eq!(env.woken, [Port(0)]);
        self
    }
    /// What it sends when its interface asks until there is no more: packets, each with its rank. A probe is a negative number.
    #[track_caller]
    fn sends<const N: usize>(&mut self, packets: [(i64, u64); N]) -> &mut Sending {
        let mut env = Recorder::default();
        let sent = std::iter::from_fn(|| self.sender.transmit(self.now, Port(0), &mut env));
        let what = |frame: Frame| {
            assert_eq!((frame.kind, frame.stamp), (Kind::Data, self.now));
            let packet = (frame.sequence / PAYLOAD) as i64;
            (if frame.len == 40 { -1 - packet } else { packet }, frame.rank())
        };
        assert_eq!(sent.map(what).collect::<Vec<_>>(), packets, "at {}", self.now);
        self
    }
}

#[test]
fn it_begins_with_its_window_and_ranks_packets_by_what_remains() {
    let mut t = Sending::new(6500);
    t.at(0).sends([(0, 6500), (1, 6500), (2, 6500), (3, 6500)]);
    assert_eq!((t.sender.deadline(), t.sender.rank()), (Some(us(50)), Some(6500)));
    // Slow start until there is a timeout: each acknowledgement lets two packets go.
    t.at(10).hears(1, &[]).sends([(4, 5500), (5, 5500)]);
    assert_eq!(t.sender.deadline(), Some(us(60)));
    t.at(11).hears(2, &[]).sends([(6, 4500)]);
    t.at(20).hears(6, &[]).hears(5, &[]);
    assert_eq!(t.sender.rank(), Some(500));
    assert!(!t.sender.is_done());
    let last = connection(1).answer(Kind::Ack, Time::ZERO, 6500, 40);
    t.sender.receive(us(21), Port(0), last, &mut Recorder::default());
    assert!(t.sender.is_done());
    assert_eq!((t.sender.deadline(), t.sender.counters().retransmits), (None, 0));
}

#[test]
fn a_lost_packet_waits_for_the_timer_and_what_came_is_not_sent_again() {
    let mut t = Sending::new(20_000);
    t.at(0).sends([(0, 20_000), (1, 20_000), (2, 20_000), (3, 20_000)]);
    // Packets 0 and 3 are lost. The window is of packets that are not acknowledged, and is 6 at most.
    t.at(10).hears(0, &[(1, 1)]).sends([(4, 19_000), (5, 19_000)]);
    t.at(11).hears(0, &[(1, 2)]).sends([(6, 18_000), (7, 18_000)]);
    t.at(20).hears(0, &[(4, 1), (1, 2)]).sends([(8, 17_000)]);
    assert_eq!(t.sender.counters().retransmits, 0, "duplicate acknowledgements mean nothing");
    assert_eq!(t.sender.deadline(), Some(us(50)), "nor do they set the timer anew");
    t.at(50).times_out().sends([(0, 17_000)]);
    assert_eq!(t.sender.window(), Some(Bytes::new(1000)));
    // Packets that were on their way are heard of, and slow start passes over them.
    t.at(51).hears(0, &[(4, 5), (1, 2)]).sends([(3, 13_000)]);
    t.at(60).hears(3, &[(1, 5)]).sends([(9, 12_000), (10, 12_000)]);
    let counters = t.sender.counters();
    assert_eq!((counters.frames, counters.retransmits, counters.timeouts), (13, 2, 1));
}

#[test]
fn above_half_of_the_window_at_a_timeout_it_grows_by_a_packet_a_round_trip() {
    let mut t = Sending::new(100_000);
    t.at(0).sends([(0, 100_000), (1, 100_000), (2, 100_000), (3, 100_000)]);
    // To half of 4, and then by one for as many acknowledgements as it has packets.
    t.at(50).times_out().sends([(0, 100_000)]);
    let windows = (1..10).map(|acknowledged| {
        t.at(60 + acknowledged).hears(acknowledged, &[]);
        while t.sender.transmit(t.now, Port(0), &mut Recorder::default()).is_some() {}
        t.sender.window().unwrap().get() / PAYLOAD
    });
    assert_eq!(windows.collect::<Vec<_>>(), [2, 2, 3, 3, 3, 4, 4, 4, 4]);
}

#[test]
fn after_timeouts_in_a_row_it_probes_until_it_hears_of_something() {
    let mut t = Sending::new(10_000);
    t.at(0).sends([(0, 10_000), (1, 10_000), (2, 10_000), (3, 10_000)]);
    t.at(50).times_out().sends([(0, 10_000)]);
    // What is acknowledged meanwhile begins the count anew.
    t.at(60).hears(1, &[]).sends([(1, 9000), (2, 9000)]);
    t.at(110).times_out().sends([(1, 9000)]);
    t.at(160).times_out().sends([(1, 9000)]);
    t.at(210).times_out().sends([(-2, 9000)]);
    t.at(260).times_out().sends([(-2, 9000)]);
    // At its host it has to wait for its turn: only then is it timed.
    t.at(310).times_out();
    t.at(340).sends([(-2, 9000)]);
    assert_eq!(t.sender.deadline(), Some(us(390)));
    assert_eq!((t.sender.counters().timeouts, t.sender.counters().retransmits), (6, 8));
    t.at(350).hears(1, &[]).sends([(1, 9000)]);
    t.at(360).hears(4, &[]).sends([(4, 6000), (5, 6000)]);
    assert_eq!(t.sender.deadline(), Some(us(410)));
}

#[test]
fn every_packet_and_every_probe_is_acknowledged() {
    let mut receiver: PfabricReceiver = config().open(&connection(9500)).1;
    let mut hears = |packet: u64, len: u32| {
        let mut env = Recorder::default();
        let frame = connection(9500).data(us(packet), packet * PAYLOAD, len);
        receiver.receive(us(20), Port(0), frame, &mut env);
        assert_eq!(env.woken, [Port(0)]);
        let ack = receiver.transmit(us(20), Port(0), &mut env).unwrap();
        assert_eq!((ack.kind, ack.stamp, ack.len, ack.rank()), (Kind::Ack, us(packet), 40, 0));
        assert!(receiver.transmit(us(20), Port(0), &mut env).is_none());
        let blocks: Vec<_> = ack.blocks().map(|block| (block.start, block.length)).collect();
        (ack.sequence, blocks, receiver.delivered().get())
    };
    assert_eq!(hears(0, 1040), (1000, vec![], 1000));
    assert_eq!(hears(2, 1040), (1000, vec![(1, 1)], 1000));
    assert_eq!(hears(1, 40), (1000, vec![(1, 1)], 1000), "a probe brings nothing");
    assert_eq!(hears(9, 540), (1000, vec![(8, 1), (1, 1)], 1000), "the end of the message is short");
    assert_eq!(hears(5, 1040), (1000, vec![(4, 1), (1, 1), (8, 1)], 1000), "what came, then what is next");
    assert_eq!(hears(7, 1040), (1000, vec![(6, 1), (1, 1), (4, 1)], 1000));
    assert_eq!(hears(1, 1040), (3000, vec![(2, 1), (4, 1), (6, 1)], 3000));
    for packet in [3, 4, 6] {
        hears(packet, 1040);
    }
    assert_eq!(hears(8, 1040), (9500, vec![], 9500));
    assert_eq!(hears(9, 540), (9500, vec![], 9500), "once more");
}

#[test]
fn the_papers_numbers_are_the_defaults() {
    let Pfabric { initial_window, timeout, probe_after, .. } = Pfabric::default();
    assert_eq!((initial_window, timeout, probe_after), (12, Span::from_us(45), 5));
}

proptest! {
    #[test]
    fn everything_is_delivered(trial in trials(), initial_window in 1_u32..20, more in 0_u32..5, timeout in 5_u64..200, probe_after in 1_u32..6) {
        let config = Pfabric {
            initial_window,
            max_window: initial_window + more,
            timeout: Span::from_us(timeout),
            probe_after,
            ..Pfabric::default()
        };
        delivers(&config, trial);
    }

    /// A path that loses most: nearly all of it is timeouts and probes.
    #[test]
    fn everything_is_delivered_over_a_bad_path(bytes in 1_u64..20_000, loss in 0.5..0.8_f64, seed in any::<u64>()) {
        let trial = Trial { bytes, loss, mark: 0.0, twice: 0.1, jitter: Span::from_us(20), seed };
        delivers(&config(), trial);
    }
}
