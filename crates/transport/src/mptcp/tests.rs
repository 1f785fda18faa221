//! Timelines of MPTCP's two ends.

use super::{Linked, MptcpReceiver, MptcpSender, Share, coupling};
use crate::config::{self, Mptcp};
use crate::tcp::{Congestion, News, Window};
use crate::{Connection, Counters, Receiver, Sender, Transport};
use fabric::conformance::{Recorder, never_early};
use fabric::{Device, Frame, Port};
use proptest::prelude::*;
use units::{Bytes, Span, Time};

/// Segments carry 1000 B.
const SEGMENT: u64 = 1000;

fn mptcp(subflows: u8) -> Mptcp {
    let tcp = config::Tcp {
        initial_window: 2,
        max_window: Bytes::new(1_000_000),
        min_rto: Span::from_ms(1),
        initial_rto: Span::from_ms(3),
        ack_every: 1,
        ..config::Tcp::default()
    };
    Mptcp { tcp, subflows }
}

fn ends(subflows: u8, bytes: u64) -> (MptcpSender, MptcpReceiver) {
    mptcp(subflows).open(&Connection { bytes: Bytes::new(bytes), ..Connection::EXAMPLE })
}

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// All frames that a sender has now.
fn all(sender: &mut MptcpSender, now: Time) -> Vec<Frame> {
    never_early(sender, now);
    std::iter::from_fn(|| sender.transmit(now, Port(0), &mut Recorder::default())).collect()
}

/// Their subflows, and which segments of the message they carry.
fn told(frames: &[Frame]) -> Vec<(usize, u64)> {
    frames.iter().map(|frame| frame.subflow()).map(|(subflow, data)| (subflow, data / SEGMENT)).collect()
}

/// A receiver gets frames; what it answers.
fn answers(receiver: &mut MptcpReceiver, now: Time, frames: &[Frame]) -> Vec<Frame> {
    let mut env = Recorder::default();
    let mut answers = Vec::new();
    for frame in frames {
        receiver.receive(now, Port(0), *frame, &mut env);
        answers.extend(std::iter::from_fn(|| receiver.transmit(now, Port(0), &mut env)));
    }
    never_early(receiver, now);
    answers
}

fn hear(sender: &mut MptcpSender, now: Time, frames: &[Frame]) {
    frames.iter().for_each(|frame| sender.receive(now, Port(0), *frame, &mut Recorder::default()));
}

#[test]
fn subflows_take_turns_and_the_last_segment_is_short() {
    let (mut sender, mut receiver) = ends(3, 4_500);
    let frames = all(&mut sender, us(0));
    assert_eq!(told(&frames), [(0, 0), (1, 1), (2, 2), (0, 3), (1, 4)]);
    assert_eq!(frames.iter().map(|frame| frame.len).collect::<Vec<_>>(), [1040, 1040, 1040, 1040, 540]);
    // Each subflow has sequence numbers, and what switches hash, of its own.
    assert_eq!(frames.iter().map(|frame| frame.sequence).collect::<Vec<_>>(), [0, 0, 0, 1000, 1000]);
    assert_eq!(frames[0].entropy, 7);
    assert!(frames[0].entropy == frames[3].entropy && frames[1].entropy == frames[4].entropy);
    assert!(frames[0].entropy != frames[1].entropy && frames[1].entropy != frames[2].entropy);
    // The second segment comes last: its subflow waits for nothing, the message for it.
    let order = [frames[0], frames[2], frames[3], frames[4], frames[1]];
    let acks = answers(&mut receiver, us(50), &order);
    assert_eq!(
        acks.iter().map(|ack| ack.subflow()).collect::<Vec<_>>(),
        [(0, 1000), (2, 1000), (0, 1000), (1, 1000), (1, 4500)]
    );
    assert_eq!(acks.iter().map(|ack| ack.sequence).collect::<Vec<_>>(), [1000, 1000, 2000, 0, 2000]);
    assert_eq!(receiver.delivered(), Bytes::new(4_500));
    hear(&mut sender, us(100), &acks);
    assert!(sender.is_done() && sender.deadline().is_none());
    assert_eq!(all(&mut sender, us(100)), []);
}

#[test]
fn what_a_dead_path_holds_goes_over_another_one() {
    let (mut sender, mut receiver) = ends(2, 100 * SEGMENT);
    let frames = all(&mut sender, us(0));
    assert_eq!(told(&frames), [(0, 0), (1, 1), (0, 2), (1, 3)]);
    // Subflow 1 delivers nothing. The message waits for segment 1; subflow 0 goes on beyond it.
    let of_first = |frames: &[Frame]| frames.iter().filter(|frame| frame.subflow().0 == 0).copied().collect::<Vec<_>>();
    let mut frames = of_first(&frames);
    for round in 1..=3 {
        let acks = answers(&mut receiver, us(900 * round), &std::mem::take(&mut frames));
        for ack in acks {
            hear(&mut sender, us(900 * round), &[ack]);
            frames.extend(all(&mut sender, us(900 * round)));
        }
        assert_eq!(frames.len(), 2 << round, "the window doubles");
        assert_eq!(frames, of_first(&frames));
    }
    assert_eq!(receiver.delivered(), Bytes::new(SEGMENT));
    // Its timer goes off: it sends its first segment again, and subflow 0 brings what it holds before anything new.
    assert_eq!(sender.deadline(), Some(us(3000)));
    sender.expire(us(3000), &mut Recorder::default());
    assert_eq!(told(&all(&mut sender, us(3000))), [(1, 1)]);
    let acks = answers(&mut receiver, us(3600), &frames);
    hear(&mut sender, us(3600), &acks);
    let frames = all(&mut sender, us(3600));
    assert_eq!(told(&frames[..3]), [(0, 1), (0, 3), (0, 32)]);
    answers(&mut receiver, us(3700), &frames[..2]);
    assert_eq!(receiver.delivered(), Bytes::new(32 * SEGMENT));
    // One retransmission of subflow 1's, and two segments that went over both.
    let Counters { retransmits, timeouts, .. } = sender.counters();
    assert_eq!((retransmits, timeouts), (3, 1));
}

/// RFC 6356 §3 in numbers: alpha = total max(w / r^2) / (sum w / r)^2.
#[test]
fn the_increase_is_linked() {
    // Windows in bytes over round-trip times in milliseconds.
    let linked =
        |shares: &[(u64, u64)]| coupling(shares.iter().map(|&(window, ms)| Share::new(window, Span::from_ms(ms))));
    let alpha = |shares: &[(u64, u64)]| linked(shares) * shares.iter().map(|(window, _)| *window as f64).sum::<f64>();
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * b, "{a} is not {b}");
    // One subflow is a TCP; n equal ones grow together by a segment in n round trips.
    near(alpha(&[(10_000, 1)]), 1.0);
    near(alpha(&[(10_000, 1); 4]), 0.25);
    // 20 kB and 10 kB over 1 and 2 ms: 30 * (20 / 1) / (20 / 1 + 10 / 2)^2.
    near(alpha(&[(20_000, 1), (10_000, 2)]), 30.0 * 20.0 / (25.0 * 25.0));
    // One that has not been heard of counts for nothing.
    near(linked(&[(10_000, 1), (99_000, 0)]), 1.0 / 10_000.0);
}

#[test]
fn a_window_grows_by_no_more_than_a_tcp_alone() {
    let news = News {
        acked: 1000,
        una: 0,
        sent: 0,
        echo: false,
        flight: 0,
        now: us(0),
        round_trip: Span::ZERO,
        delay: Span::ZERO,
    };
    let grown = |coupling: f64| {
        let mut window = Window { size: 10_000, threshold: 5_000, segment: 1000, avoided: 0, largest: u64::MAX };
        let mut linked = Linked { coupling, credit: 0.0 };
        for _ in 0..10 {
            let flight = window.size;
            linked.on_ack(&mut window, News { flight, ..news });
        }
        window.size
    };
    // Ten segments of 1000 B in a window of ten: a segment a round trip, a little less as it grows; a quarter of that; and the bound.
    assert_eq!(grown(1e-4), 10_958);
    assert_eq!(grown(0.25e-4), 10_250);
    assert_eq!(grown(1.0), 10_958);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn it_delivers_through_anything(trial in crate::conformance::trials(), subflows in 1_u8..9, every in 1_u32..3) {
        let Mptcp { tcp, .. } = mptcp(subflows);
        crate::conformance::delivers(&Mptcp { tcp: config::Tcp { ack_every: every, ..tcp }, subflows }, trial);
    }
}
