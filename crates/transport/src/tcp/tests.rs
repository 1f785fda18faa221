//! Timelines of TCP's two ends.

use super::{Selective, TcpReceiver, TcpSender};
use crate::newreno::{NewReno, Reno};
use crate::{Connection, Sender, Transport, config, dctcp};
use fabric::conformance::{Recorder, never_early};
use fabric::{Device, Ecn, Frame, Kind, Port};
use proptest::prelude::*;
use units::{Bytes, Span, Time, bounds};

/// Segments carry 1000 B; sequence numbers in these timelines count segments.
const SEGMENT: u64 = 1000;

fn parameters() -> config::Tcp {
    config::Tcp {
        initial_window: 4,
        max_window: Bytes::new(1_000_000),
        min_rto: Span::from_ms(1),
        initial_rto: Span::from_ms(3),
        ack_every: 1,
        ack_delay: Span::from_us(500),
        header: Bytes::new(40),
        ..config::Tcp::default()
    }
}

fn connection(segments: u64) -> Connection {
    Connection { bytes: Bytes::new(segments * SEGMENT), ..Connection::EXAMPLE }
}

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// A sender and what happens to it.
struct Timeline {
    sender: TcpSender<Reno>,
    now: Time,
}

impl Timeline {
    fn new(segments: u64) -> Timeline {
        let (sender, _) = NewReno::new(parameters()).open(&connection(segments));
        Timeline { sender, now: Time::ZERO }
    }
    fn at(&mut self, now: Time) -> &mut Timeline {
        self.now = now;
        never_early(&self.sender, now);
        self
    }
    /// An acknowledgement that expects `segment` next, of something sent 100 us ago.
    fn hears(&mut self, segment: u64) -> &mut Timeline {
        let stamp = self.now - Span::from_us(100);
        let (sequence, flow, epoch, src, dst, len, entropy) = (segment * SEGMENT, 0, 0, 2, 1, 40, 7);
        let (kind, priority, ecn, echo) = (Kind::Ack, 0, Ecn::NotCapable, false);
        let ack =
            Frame { sequence, stamp, flow, epoch, src, dst, len, entropy, kind, priority, ecn, echo, ..Frame::EMPTY };
        self.sender.receive(self.now, Port(0), ack, &mut Recorder::default());
        never_early(&self.sender, self.now);
        self
    }
    fn expires(&mut self) -> &mut Timeline {
        assert_eq!(self.sender.deadline(), Some(self.now), "the timer is set for now");
        self.sender.expire(self.now, &mut Recorder::default());
        self
    }
    #[track_caller]
    fn sends<const N: usize>(&mut self, segments: [u64; N]) -> &mut Timeline {
        let mut env = Recorder::default();
        let sent = std::iter::from_fn(|| self.sender.transmit(self.now, Port(0), &mut env));
        let sent: Vec<u64> = sent.map(|frame| frame.sequence / SEGMENT).collect();
        assert_eq!(sent, segments, "at {}", self.now);
        self
    }
    #[track_caller]
    fn window_is(&mut self, segments: f64) -> &mut Timeline {
        assert_eq!(self.sender.congestion_window() as f64 / SEGMENT as f64, segments, "the window at {}", self.now);
        self
    }
}

#[test]
fn slow_start_sends_two_for_each_acknowledgement() {
    let mut t = Timeline::new(100);
    t.at(us(0)).sends([0, 1, 2, 3]).sends([]);
    t.at(us(100)).hears(1).window_is(5.0).sends([4, 5]);
    t.at(us(101)).hears(2).sends([6, 7]);
    t.at(us(102)).hears(4).window_is(7.0).sends([8, 9, 10]); // one growth an acknowledgement, whatever it covers
}

#[test]
fn a_message_ends_and_its_timer_with_it() {
    let mut t = Timeline::new(3);
    assert!(!t.sender.is_waiting());
    t.at(us(0)).sends([0, 1, 2]);
    assert!(t.sender.is_waiting(), "for acknowledgements");
    t.at(us(100)).hears(3).sends([]);
    assert!(t.sender.is_done() && !t.sender.is_waiting(), "its host is to close it as soon as there is room");
    assert_eq!(t.sender.deadline(), None);
}

#[test]
fn three_duplicates_repair_one_loss_without_a_timeout() {
    let mut t = Timeline::new(100);
    t.at(us(0)).sends([0, 1, 2, 3]);
    t.at(us(100)).hears(1).sends([4, 5]);
    t.at(us(101)).hears(2).sends([6, 7]);
    // Segment 2 is lost. Limited transmit lets one new segment go for each of the first two duplicates (RFC 3042).
    t.at(us(102)).hears(2).sends([8]);
    t.at(us(103)).hears(2).sends([9]);
    // The third: eight in flight, of which limited transmit's two do not count (RFC 5681 §3.2 step 2). So the threshold is 3, the
    // window 3 + 3, and segment 2 goes again (RFC 6582 §3.2 step 2).
    t.at(us(104)).hears(2).window_is(6.0).sends([2]);
    t.at(us(105)).hears(2).window_is(7.0).sends([]);
    t.at(us(106)).hears(2).window_is(8.0).sends([]);
    t.at(us(107)).hears(2).window_is(9.0).sends([10]);
    // All that was sent before the loss was found is acknowledged: out of recovery, with at most flight + 1.
    t.at(us(204)).hears(10).window_is(2.0).sends([11]);
    assert_eq!((t.sender.counters().retransmits, t.sender.counters().timeouts), (1, 0));
}

#[test]
fn partial_acknowledgements_repair_one_hole_a_round_trip() {
    let mut t = Timeline::new(100);
    t.at(us(0)).sends([0, 1, 2, 3]);
    t.at(us(100)).hears(1).sends([4, 5]);
    t.at(us(101)).hears(2).sends([6, 7]);
    // Segments 2 and 4 are lost.
    t.at(us(102)).hears(2).sends([8]);
    t.at(us(103)).hears(2).sends([9]);
    t.at(us(104)).hears(2).sends([2]);
    t.at(us(204)).hears(4).sends([4]); // partial: the next hole at once (RFC 6582 §3.2 step 3)
    t.at(us(304)).hears(10).sends([10, 11]);
    assert_eq!(t.sender.counters().timeouts, 0);
}

/// RFC 6582 §4: the two forms of the retransmission timer in recovery.
#[test]
fn a_partial_acknowledgement_sets_the_timer_of_the_patient() {
    use config::PartialAcks::{Impatient, SlowButSteady};
    for (partial_acks, due) in [(Impatient, 1204), (SlowButSteady, 1304)] {
        let (sender, _) = NewReno::new(config::Tcp { partial_acks, ..parameters() }).open(&connection(100));
        let mut t = Timeline { sender, now: Time::ZERO };
        t.at(us(0)).sends([0, 1, 2, 3]);
        t.at(us(100)).hears(1).sends([4, 5]);
        t.at(us(101)).hears(2).sends([6, 7]);
        // Segments 2, 4 and 6 are lost.
        t.at(us(102)).hears(2).sends([8]);
        t.at(us(103)).hears(2).sends([9]).hears(2).sends([2]);
        t.at(us(204)).hears(4).sends([4]);
        assert_eq!(t.sender.deadline(), Some(us(1204)), "the first sets it in both forms");
        t.at(us(304)).hears(6).sends([6]);
        assert_eq!(t.sender.deadline(), Some(us(due)));
    }
}

#[test]
fn a_timeout_in_recovery_halves_the_threshold_and_not_the_inflated_window() {
    let mut t = Timeline::new(100);
    t.at(us(0)).sends([0, 1, 2, 3]);
    for ack in 1..=12 {
        t.at(us(100 + ack)).hears(ack);
        let new = 2 + 2 * ack;
        t.sends([new, new + 1]);
    }
    // 16 in flight when segment 12 is found lost, so the threshold is 8. Twelve more duplicates inflate the window by as much.
    t.at(us(200)).hears(12).sends([28]);
    t.at(us(201)).hears(12).sends([29]);
    t.at(us(202)).hears(12).window_is(11.0).sends([12]);
    for _ in 0..12 {
        t.hears(12);
    }
    t.window_is(23.0).sends([30, 31, 32, 33, 34]);
    // Segment 12 is lost again. RFC 5681 §3.1: the threshold is no more than half of the flight, and the flight that was meant is 8, not
    // the 23 that were sent and are not acknowledged.
    t.at(us(1112)).expires().window_is(1.0).sends([12]);
    t.at(us(1200)).hears(13).window_is(2.0).sends([13, 14]);
    t.at(us(1300)).hears(14).window_is(3.0).sends([15, 16]).hears(15).window_is(4.0).sends([17, 18]);
    t.at(us(1400)).hears(16).window_is(4.0); // congestion avoidance, from half of 8 on
}

#[test]
fn limited_transmit_sends_nothing_twice() {
    let mut t = Timeline::new(100);
    t.at(us(0)).sends([0, 1, 2, 3]);
    t.at(us(3000)).expires().sends([0]);
    // RFC 3042 §2: duplicates let segments go that were never sent. Here 1 is next, and it was.
    t.at(us(3001)).hears(0).sends([]).hears(0).sends([]);
    t.at(us(3100)).hears(1).sends([1, 2]);
}

#[test]
fn a_timeout_starts_again_from_one_segment_and_doubles() {
    let mut t = Timeline::new(100);
    t.at(us(0)).sends([0, 1, 2, 3]);
    t.at(us(3000)).expires().window_is(1.0).sends([0]);
    t.at(us(9000)).expires().window_is(1.0).sends([0]); // 3 ms, then 6 (RFC 6298 §5.5)
    t.at(us(9100)).hears(1).window_is(2.0).sends([1, 2]);
    // The threshold is from the first timeout: half of 4. So this is congestion avoidance: one more a window.
    t.at(us(9200)).hears(2).window_is(2.0).sends([3]);
    t.at(us(9201)).hears(3).window_is(3.0).sends([4, 5]);
}

#[test]
fn duplicates_after_a_timeout_do_not_halve_again() {
    let mut t = Timeline::new(100);
    t.at(us(0)).sends([0, 1, 2, 3]);
    t.at(us(3000)).expires().sends([0]);
    // What was sent before the timeout arrives late: its duplicates belong to the loss that is being repaired.
    t.at(us(3001)).hears(0).hears(0).hears(0).hears(0).window_is(1.0);
    assert_eq!(t.sender.counters().retransmits, 1);
}

#[test]
fn the_timer_follows_the_round_trip_time() {
    let mut t = Timeline::new(100);
    t.at(us(0)).sends([0, 1, 2, 3]);
    // First sample 100 us: 100 + 4 * 50 = 300 us, but 1 ms at least.
    t.at(us(100)).hears(1);
    assert_eq!(t.sender.deadline(), Some(us(1100)));
}

/// The largest of all that a person may ask for, at the end of the longest run. In a debug build sums that do not fit panic.
#[test]
fn the_largest_quantities_fit() {
    let config = config::Tcp {
        initial_window: 1_000_000,
        max_window: bounds::BUFFER,
        min_rto: bounds::TIME,
        initial_rto: bounds::TIME,
        ack_delay: bounds::TIME,
        ..parameters()
    };
    let end = Time::ZERO + bounds::TIME;
    for bytes in [bounds::MESSAGE, Bytes::MAX] {
        let (mut sender, _) =
            NewReno::new(config.clone()).open(&Connection { bytes, mtu: bounds::PACKET, ..connection(1) });
        let mut env = Recorder::default();
        assert_eq!(sender.congestion_window(), bounds::BUFFER.get());
        let frames: Vec<Frame> = std::iter::from_fn(|| sender.transmit(Time::ZERO, Port(0), &mut env)).collect();
        assert_eq!(frames.len() as u64, bounds::BUFFER.get() / (bounds::PACKET.get() - 40));
        let ack = |sequence, stamp| Frame { sequence, stamp, kind: Kind::Ack, ..frames[0] };
        let first = u64::from(frames[0].len - 40);
        sender.receive(end, Port(0), ack(first, Time::ZERO), &mut env);
        // Duplicates inflate the window; then the timer, set to the longest that there is, goes off again and again.
        for _ in 0..2000 {
            sender.receive(end, Port(0), ack(first, end), &mut env);
        }
        assert!(sender.congestion_window() <= bounds::BUFFER.get());
        for _ in 0..100 {
            let due = sender.deadline().expect("something is in flight");
            sender.expire(due, &mut env);
            assert!(sender.deadline().is_some_and(|next| next.since(due) == bounds::TIME || next == Time::MAX));
        }
    }
}

struct Ears {
    receiver: TcpReceiver,
    now: Time,
}

impl Ears {
    fn new(ack_every: u32, ecn: bool) -> Ears {
        let config = config::Tcp { ack_every, ..parameters() };
        Ears { receiver: TcpReceiver::new(&connection(100), &config, ecn, false), now: Time::ZERO }
    }
    fn at(&mut self, now: Time) -> &mut Ears {
        self.now = now;
        never_early(&self.receiver, now);
        self
    }
    fn gets_as(&mut self, segment: u64, ecn: Ecn) -> &mut Ears {
        let (sequence, stamp, flow, epoch, src, dst, len) = (segment * SEGMENT, self.now, 0, 0, 1, 2, 1040);
        let (entropy, kind, priority, echo) = (7, Kind::Data, 0, false);
        let data =
            Frame { sequence, stamp, flow, epoch, src, dst, len, entropy, kind, priority, ecn, echo, ..Frame::EMPTY };
        self.receiver.receive(self.now, Port(0), data, &mut Recorder::default());
        never_early(&self.receiver, self.now);
        self
    }
    fn gets(&mut self, segment: u64) -> &mut Ears {
        self.gets_as(segment, Ecn::Capable)
    }
    /// Acknowledgements, as the segment expected next and whether a mark is echoed.
    #[track_caller]
    fn says<const N: usize>(&mut self, expected: [(u64, bool); N]) -> &mut Ears {
        let mut env = Recorder::default();
        let said = std::iter::from_fn(|| self.receiver.transmit(self.now, Port(0), &mut env));
        let said: Vec<_> = said.map(|frame| (frame.sequence / SEGMENT, frame.echo)).collect();
        assert_eq!(said, expected, "at {}", self.now);
        self
    }
}

#[test]
fn every_segment_is_acknowledged_and_holes_are_told_at_once() {
    let mut e = Ears::new(1, false);
    e.at(us(1)).gets(0).says([(1, false)]);
    e.at(us(2)).gets(2).says([(1, false)]);
    e.at(us(3)).gets(4).says([(1, false)]);
    e.at(us(4)).gets(2).says([(1, false)]); // again: still a duplicate acknowledgement
    e.at(us(5)).gets(1).says([(3, false)]);
    e.at(us(6)).gets(3).says([(5, false)]);
    e.at(us(7)).gets(0).says([(5, false)]);
}

#[test]
fn delayed_acknowledgements_cover_two_or_go_out_by_the_timer() {
    let mut e = Ears::new(2, false);
    e.at(us(1)).gets(0).says([]);
    e.at(us(2)).gets(1).says([(2, false)]);
    e.at(us(3)).gets(2).says([]);
    assert_eq!(e.receiver.deadline(), Some(us(503)));
    e.at(us(503));
    e.receiver.expire(us(503), &mut Recorder::default());
    e.says([(3, false)]);
    e.at(us(504)).gets(5).says([(3, false)]); // a hole does not wait
}

#[test]
fn a_change_of_marking_is_told_before_it_is_mixed() {
    let mut e = Ears::new(2, true);
    e.at(us(1)).gets(0).says([]);
    // RFC 8257 §3.2: what came unmarked is acknowledged unmarked first.
    e.at(us(2)).gets_as(1, Ecn::Marked).says([(1, false)]);
    e.at(us(3)).gets_as(2, Ecn::Marked).says([(3, true)]);
    e.at(us(4)).gets(5).says([(3, false)]); // nothing pending: only the hole is told
}

proptest! {
    /// Whatever order segments come in, and however often: the receiver has exactly what came without a hole before it.
    #[test]
    fn reordering_is_undone(order in prop::collection::vec(0_u64..40, 0..200)) {
        let mut e = Ears::new(1, false);
        let mut came = [false; 100];
        for segment in order {
            came[segment as usize] = true;
            e.at(us(1)).gets(segment);
            let contiguous = came.iter().take_while(|came| **came).count() as u64;
            e.says([(contiguous, false)]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn newreno_delivers_through_anything(trial in crate::conformance::trials()) {
        crate::conformance::delivers(&NewReno::new(parameters()), trial);
    }

    #[test]
    fn newreno_that_is_patient_delivers_through_anything(trial in crate::conformance::trials()) {
        let tcp = config::Tcp { partial_acks: config::PartialAcks::SlowButSteady, ..parameters() };
        crate::conformance::delivers(&NewReno::new(tcp), trial);
    }

    #[test]
    fn dctcp_delivers_through_anything(trial in crate::conformance::trials(), every in 1_u32..3) {
        let tcp = config::Tcp { ack_every: every, ..parameters() };
        crate::conformance::delivers(&dctcp::Dctcp::new(config::Dctcp { tcp, gain: 0.0625 }), trial);
    }

    #[test]
    fn newreno_with_selective_acknowledgements_delivers_through_anything(
        trial in crate::conformance::trials(),
        every in 1_u32..3,
        rack in any::<bool>(),
    ) {
        let tcp = NewReno::new(config::Tcp { ack_every: every, ..parameters() });
        crate::conformance::delivers(&Selective { tcp, rack }, trial);
    }

    #[test]
    fn dctcp_with_selective_acknowledgements_delivers_through_anything(
        trial in crate::conformance::trials(),
        every in 1_u32..3,
        rack in any::<bool>(),
    ) {
        let tcp = config::Tcp { ack_every: every, ..parameters() };
        let tcp = dctcp::Dctcp::new(config::Dctcp { tcp, gain: 0.0625 });
        crate::conformance::delivers(&Selective { tcp, rack }, trial);
    }
}

/// The last segment is about to be sent again when its acknowledgement comes after all: three duplicates in a row, reordered.
#[test]
fn what_is_acknowledged_while_it_waits_is_not_sent_again() {
    let trial = crate::conformance::Trial {
        bytes: 144_001,
        loss: 0.0,
        mark: 0.295_710_324_154_245_03,
        twice: 0.096_004_622_328_870_75,
        jitter: Span::from_us(36),
        seed: 1_166_266_323_842_494_010,
    };
    let tcp = config::Tcp { ack_every: 1, ..parameters() };
    crate::conformance::delivers(&dctcp::Dctcp::new(config::Dctcp { tcp, gain: 0.0625 }), trial);
}
