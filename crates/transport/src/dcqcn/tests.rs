//! Timelines of the two ends of a connection.

use super::{DcqcnReceiver, DcqcnSender};
use crate::config::Dcqcn;
use crate::conformance::{Trial, delivers, trials};
use crate::{Connection, Receiver, Sender, Transport};
use fabric::conformance::{Recorder, never_early};
use fabric::{Device, Ecn, Frame, Kind, Port};
use proptest::prelude::*;
use units::{Bytes, Rate, Span, Time};

/// Packets carry 1206 B and have 1250 B with their header, 1 us at 10 Gb/s. Sequence numbers in these timelines count packets.
const PAYLOAD: u64 = 1206;

fn config() -> Dcqcn {
    Dcqcn { ack_every: 4, timeout: Span::from_ms(1), ..Dcqcn::default() }
}

fn connection(packets: u64) -> Connection {
    Connection { bytes: Bytes::new(packets * PAYLOAD), priority: 1, mtu: Bytes::new(1250), ..Connection::EXAMPLE }
}

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// A sender and what happens to it.
struct Sending {
    sender: DcqcnSender,
    now: Time,
}

impl Sending {
    fn new(packets: u64) -> Sending {
        Sending { sender: config().open(&connection(packets)).0, now: Time::ZERO }
    }
    fn at(&mut self, now: Time) -> &mut Sending {
        self.now = now;
        never_early(&self.sender, now);
        self
    }
    /// A frame of its receiver; whether it is woken.
    fn hears(&mut self, kind: Kind, packet: u64) -> bool {
        let mut env = Recorder::default();
        let frame = connection(1).answer(kind, Time::ZERO, packet * PAYLOAD, 60);
        self.sender.receive(self.now, Port(0), frame, &mut env);
        never_early(&self.sender, self.now);
        !env.woken.is_empty()
    }
    /// Its deadline is now, and wakes it.
    #[track_caller]
    fn goes_on(&mut self) -> &mut Sending {
        assert_eq!(self.sender.deadline(), Some(self.now));
        let mut env = Recorder::default();
        self.sender.expire(self.now, &mut env);
        assert_eq!(env.woken, [Port(0)]);
        self
    }
    /// What it sends when its interface asks, as often as it does; with a minus, packets that ask for an acknowledgement.
    #[track_caller]
    fn sends<const N: usize>(&mut self, most: usize, packets: [i64; N]) -> &mut Sending {
        let mut env = Recorder::default();
        let sent = std::iter::from_fn(|| self.sender.transmit(self.now, Port(0), &mut env)).take(most);
        let number = |frame: Frame| {
            assert_eq!((frame.ecn, frame.kind, frame.stamp), (Ecn::Capable, Kind::Data, self.now));
            let packet = (frame.sequence / PAYLOAD) as i64;
            if frame.echo { -packet } else { packet }
        };
        let sent: Vec<i64> = sent.map(number).collect();
        assert_eq!(sent, packets, "at {}", self.now);
        self
    }
}

/// Eleven notifications cut the rate to its least, at which the next packet would have to wait for 2 ms. But rates grow again meanwhile.
#[test]
fn a_packet_that_waits_goes_sooner_as_the_rate_grows() {
    let mut t = Sending::new(100);
    t.at(us(0)).sends(1, [0]);
    for n in 1..=6 {
        t.at(us(n)).hears(Kind::Notification, 0);
    }
    t.at(us(10)).sends(8, [1]);
    for n in 11..=15 {
        t.at(us(n)).hears(Kind::Notification, 0);
    }
    let Some(next) = t.sender.deadline() else { panic!("it waits for its turn") };
    assert!(us(400) < next && next < us(800), "{next}");
    t.at(next).goes_on().sends(1, [-2]);
}

#[test]
fn a_sender_is_held_back_by_nothing_until_it_is_notified() {
    let mut t = Sending::new(100);
    t.at(us(0)).sends(8, [0, 1, 2, -3, 4, 5, 6, -7]);
    assert_eq!(t.sender.deadline(), None, "it waits for its interface only");
    t.at(us(8)).hears(Kind::Ack, 4);
    t.at(us(9)).sends(2, [8, 9]);
    // Half of 10 Gb/s: a packet every 2 us.
    assert!(!t.at(us(10)).hears(Kind::Notification, 0));
    t.sends(9, [10]);
    assert_eq!((t.sender.deadline(), t.sender.rate_control().rate()), (Some(us(12)), Rate::from_gbps(5)));
    t.at(us(11)).sends(9, []);
    t.at(us(12)).goes_on().sends(9, [-11]);
    // What is left to wait, 1 us, is twice as long at half of the rate.
    t.at(us(13)).hears(Kind::Notification, 0);
    assert_eq!(t.sender.deadline(), Some(us(15)));
    t.at(us(15)).goes_on().sends(9, [12]);
    assert_eq!(t.sender.deadline(), Some(us(19)));
    // An interface that is busy at that time asks later, and the packet after that is as far from this one.
    t.at(us(19)).goes_on();
    assert_eq!(t.sender.deadline(), None);
    t.at(us(21)).sends(9, [13]);
    assert_eq!(t.sender.deadline(), Some(us(25)));
    assert_eq!(t.sender.counters().marks, 2);
}

#[test]
fn a_slow_sender_speeds_up_while_it_waits() {
    let mut t = Sending::new(100);
    for n in 0..10 {
        t.at(us(n)).hears(Kind::Notification, 0);
    }
    // 10 Gb/s / 1024: 9.77 Mb/s, at which a packet of 10,000 bits takes 1024 us. But every 55 us the rate grows: to 14.65, 17.09, 18.31, 18.92 and 19.23 Mb/s, at
    // which 5388 bits have gone after 330 us, and by additive increase to 39.38 and 69.45 Mb/s.
    t.sends(1, [0]);
    let end = us(9 + 7 * 55) + Span::from_ps(35_221_317);
    assert_eq!(t.sender.deadline(), Some(end));
    t.at(end).goes_on().sends(1, [-1]);
}

#[test]
fn a_refusal_brings_everything_from_there_on_again() {
    let mut t = Sending::new(9);
    t.at(us(0)).sends(6, [0, 1, 2, -3, 4, 5]);
    // Packet 2 is lost. Its refusal acknowledges the first two.
    assert!(!t.at(us(9)).hears(Kind::Nack, 2), "it is in line for its interface anyway");
    t.sends(9, [-2, 3, 4, 5, -6, 7, -8]);
    assert_eq!(t.sender.counters().retransmits, 4);
    assert_eq!(t.sender.deadline(), Some(us(9) + Span::from_ms(1)));
    // What is old changes nothing, and what has come meanwhile is not sent again.
    assert!(!t.at(us(10)).hears(Kind::Nack, 1));
    t.sends(9, []);
    assert!(t.at(us(11)).hears(Kind::Nack, 4));
    t.at(us(12)).hears(Kind::Ack, 9);
    t.sends(9, []);
    assert!(t.sender.is_done());
    assert_eq!((t.sender.deadline(), t.sender.counters().timeouts), (None, 0));
}

#[test]
fn a_timeout_brings_what_was_not_acknowledged_again() {
    let mut t = Sending::new(3);
    t.at(us(0)).sends(9, [0, 1, -2]);
    t.at(us(500)).hears(Kind::Ack, 1);
    t.at(us(1500)).goes_on().sends(9, [-1, -2]);
    assert_eq!((t.sender.counters().timeouts, t.sender.counters().retransmits), (1, 2));
    t.at(us(2500)).goes_on().sends(9, [-1, -2]);
    // One that still sends looks when it does: nothing was heard of the first packet for a millisecond.
    let mut t = Sending::new(1000);
    t.at(us(0)).sends(1, [0]);
    t.at(us(999)).sends(1, [-1]);
    t.at(us(1000)).sends(3, [0, 1, 2]);
    assert_eq!(t.sender.counters().timeouts, 1);
}

#[test]
fn a_slow_flow_asks_for_acknowledgements_before_its_time_is_up() {
    let mut t = Sending::new(1000);
    t.at(us(0)).sends(1, [0]);
    t.at(us(249)).sends(1, [1]);
    t.at(us(250)).sends(1, [-2]);
    t.at(us(499)).sends(1, [3]);
    t.at(us(500)).sends(1, [-4]);
}

/// A receiver and what happens to it.
struct Receiving {
    receiver: DcqcnReceiver,
    now: Time,
}

impl Receiving {
    fn new(control_priority: Option<u8>) -> Receiving {
        let receiver = Dcqcn { control_priority, ..config() }.open(&connection(100)).1;
        Receiving { receiver, now: Time::ZERO }
    }
    /// Packets arrive: which, whether marked, whether they ask. What it answers.
    fn gets(&mut self, now: Time, packet: u64, marked: bool, asks: bool) -> Vec<(Kind, u64)> {
        self.now = now;
        let ecn = if marked { Ecn::Marked } else { Ecn::Capable };
        let data = connection(100).data(now, packet * PAYLOAD, 1250);
        let mut env = Recorder::default();
        self.receiver.receive(now, Port(0), Frame { ecn, echo: asks, ..data }, &mut env);
        let answers = self.answers();
        assert_eq!(env.woken.is_empty(), answers.is_empty());
        never_early(&self.receiver, now);
        answers
    }
    fn answers(&mut self) -> Vec<(Kind, u64)> {
        let mut env = Recorder::default();
        let frames = std::iter::from_fn(|| self.receiver.transmit(self.now, Port(0), &mut env));
        let answer = |frame: Frame| {
            assert_eq!((frame.src, frame.dst, frame.len, frame.ecn), (2, 1, 60, Ecn::NotCapable));
            (frame.kind, frame.sequence / PAYLOAD)
        };
        frames.map(answer).collect()
    }
    fn expires(&mut self, now: Time) -> Vec<(Kind, u64)> {
        assert_eq!(self.receiver.deadline(), Some(now));
        self.now = now;
        self.receiver.expire(now, &mut Recorder::default());
        self.answers()
    }
}

#[test]
fn a_receiver_acknowledges_when_asked_and_refuses_once() {
    let mut t = Receiving::new(None);
    assert_eq!(t.gets(us(0), 0, false, false), []);
    assert_eq!(t.gets(us(1), 1, false, true), [(Kind::Ack, 2)]);
    // Packet 2 is missing. What comes after it is discarded.
    assert_eq!(t.gets(us(2), 3, false, false), [(Kind::Nack, 2)]);
    assert_eq!(t.gets(us(3), 4, false, true), []);
    assert_eq!(t.receiver.delivered(), Bytes::new(2 * PAYLOAD));
    assert_eq!(t.gets(us(4), 2, false, true), [(Kind::Ack, 3)]);
    // Lost again: another gap.
    assert_eq!(t.gets(us(5), 4, false, false), [(Kind::Nack, 3)]);
    // What came before is acknowledged if it asks, as its acknowledgement was lost.
    assert_eq!(t.gets(us(6), 1, false, false), []);
    assert_eq!(t.gets(us(7), 1, false, true), [(Kind::Ack, 3)]);
    assert_eq!(t.receiver.delivered(), Bytes::new(3 * PAYLOAD));
}

#[test]
fn a_receiver_notifies_at_once_and_then_once_an_interval() {
    let mut t = Receiving::new(None);
    assert_eq!(t.gets(us(0), 0, false, false), []);
    assert_eq!(t.gets(us(10), 1, true, true), [(Kind::Notification, 2), (Kind::Ack, 2)]);
    assert_eq!(t.receiver.deadline(), None);
    // Marked in the interval, however often: once at its end.
    assert_eq!(t.gets(us(20), 2, true, false), []);
    assert_eq!(t.gets(us(30), 3, true, false), []);
    assert_eq!(t.expires(us(60)), [(Kind::Notification, 4)]);
    // None in the next one, and the one after that is told of at once again; also of a packet that is discarded.
    assert_eq!(t.receiver.deadline(), None);
    assert_eq!(t.gets(us(109), 4, false, false), []);
    assert_eq!(t.gets(us(110), 9, true, false), [(Kind::Notification, 5), (Kind::Nack, 5)]);
}

#[test]
fn control_frames_have_the_priority_of_their_flow_or_their_own() {
    for (own, priority) in [(None, 1), (Some(0), 0), (Some(3), 3)] {
        let (_, mut receiver) = Dcqcn { control_priority: own, ..config() }.open(&connection(1));
        let frame = Frame { ecn: Ecn::Marked, echo: true, ..connection(1).data(us(0), 0, 1250) };
        let mut env = Recorder::default();
        receiver.receive(us(1), Port(0), frame, &mut env);
        let sent: Vec<Frame> = std::iter::from_fn(|| receiver.transmit(us(1), Port(0), &mut env)).collect();
        assert_eq!(sent.iter().map(|frame| frame.priority).collect::<Vec<_>>(), [priority; 2]);
    }
}

proptest! {
    // Where packets overtake each other, each goes many times.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn everything_arrives_whatever_pipes_do(trial in trials(), ack_every in 1_u32..40) {
        delivers(&Dcqcn { ack_every, ..config() }, Trial { bytes: trial.bytes.min(60_000), ..trial });
    }
}
