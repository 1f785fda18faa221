use super::*;
use crate::puller::Pulled;
use crate::{Receiver, Sender};
use fabric::conformance::Recorder;
use fabric::{Device, Ecn, Fate, Frame, Kind, Options, Port};
use units::{Bytes, Span, Time};

/// Payload of a full packet.
const FULL: u64 = 1000;

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

fn open(packets: u64, config: &Eqds) -> (EqdsSender, EqdsReceiver) {
    config.open(&Connection { bytes: Bytes::new(packets * FULL), paths: 4, ..Connection::EXAMPLE })
}

/// All that it sends now.
fn sends(sender: &mut EqdsSender, now: Time) -> Vec<Frame> {
    std::iter::from_fn(|| sender.transmit(now, Port(0), &mut Recorder::default())).collect()
}

/// What it does of that: the number of each packet, or `None` for a request, with the target that it tells.
fn told(frames: &[Frame]) -> Vec<(Option<u64>, u64)> {
    let number = |frame: &Frame| (frame.kind == Kind::Data).then_some(frame.sequence / FULL);
    frames.iter().map(|frame| (number(frame), frame.target())).collect()
}

fn hears(sender: &mut EqdsSender, now: Time, kind: Kind, sequence: u64) {
    sender.receive(now, Port(0), Frame { kind, sequence, ..Frame::EMPTY }, &mut Recorder::default());
}

/// What it answers.
fn answers(receiver: &mut EqdsReceiver, now: Time, frame: Frame) -> Vec<Frame> {
    receiver.receive(now, Port(0), frame, &mut Recorder::default());
    std::iter::from_fn(|| receiver.transmit(now, Port(0), &mut Recorder::default())).collect()
}

fn trimmed(mut frame: Frame) -> Frame {
    frame.trim(64);
    frame
}

#[test]
fn a_sender_speculates_until_it_hears_something_and_then_uses_credit() {
    let (mut sender, _) = open(100, &Eqds { window: 5, ..Eqds::default() });
    // Each packet that goes without credit asks for one more: so many are in flight from then on.
    let pushed = sends(&mut sender, us(0));
    assert_eq!(told(&pushed), [(Some(0), 1), (Some(1), 2), (Some(2), 3), (Some(3), 4), (Some(4), 5)]);
    assert!(pushed.iter().all(|frame| (frame.fate, frame.ecn) == (Fate::Trimmable, Ecn::Capable)));
    // The first asks for an acknowledgement, as nothing was ever heard.
    assert_eq!(pushed.iter().map(|frame| frame.echo).collect::<Vec<_>>(), [true, false, false, false, false]);
    // Credit counts from the beginning: of two the first was lost. A window more is wanted than was given and is not used.
    hears(&mut sender, us(10), Kind::Pull, 2);
    assert_eq!(told(&sends(&mut sender, us(10))), [(Some(5), 6), (Some(6), 7)]);
    hears(&mut sender, us(11), Kind::Pull, 1);
    assert_eq!(sends(&mut sender, us(11)), []);
}

#[test]
fn what_was_to_be_pushed_stays_once_something_was_heard() {
    let (mut sender, _) = open(100, &Eqds { window: 5, ..Eqds::default() });
    for _ in 0..2 {
        sender.transmit(us(0), Port(0), &mut Recorder::default()).unwrap();
    }
    hears(&mut sender, us(10), Kind::Ack, FULL);
    assert_eq!(sends(&mut sender, us(10)), []);
    // The receiver knows that credit for two packets is wanted, and hears of a window with the next.
    hears(&mut sender, us(11), Kind::Pull, 1);
    assert_eq!(told(&sends(&mut sender, us(11))), [(Some(2), 6)]);
}

#[test]
fn the_last_packets_ask_for_no_more_than_there_is() {
    let (mut sender, _) = open(7, &Eqds { window: 5, ..Eqds::default() });
    sends(&mut sender, us(0));
    hears(&mut sender, us(10), Kind::Pull, 1);
    let sent = sends(&mut sender, us(10));
    assert_eq!((told(&sent), sent[0].echo), (vec![(Some(5), 2)], false));
    hears(&mut sender, us(11), Kind::Pull, 3);
    // The last one asks for an acknowledgement; credit is left.
    let sent = sends(&mut sender, us(11));
    assert_eq!((told(&sent), sent[0].echo), (vec![(Some(6), 3)], true));
}

#[test]
fn what_was_trimmed_goes_first_and_over_another_path() {
    let (mut sender, _) = open(100, &Eqds { window: 4, ..Eqds::default() });
    let first = sends(&mut sender, us(0));
    let paths: Vec<u32> = first.iter().map(|frame| frame.path).collect();
    let mut sorted = paths.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [0, 1, 2, 3]);
    hears(&mut sender, us(10), Kind::Nack, FULL);
    hears(&mut sender, us(10), Kind::Pull, 4);
    let then = sends(&mut sender, us(10));
    assert_eq!(told(&then).iter().map(|(number, _)| *number).collect::<Vec<_>>(), [Some(1), Some(4), Some(5), Some(6)]);
    // Passed over in the next round, and back in the one after.
    assert!(then[..3].iter().all(|frame| frame.path != paths[1]), "{paths:?}, {then:?}");
    hears(&mut sender, us(11), Kind::Pull, 7);
    let last = sends(&mut sender, us(11));
    assert!([then[3], last[0], last[1], last[2]].iter().any(|frame| frame.path == paths[1]));
    assert_eq!((sender.counters().frames, sender.counters().retransmits), (11, 1));
}

#[test]
fn without_trimming_a_message_begins_with_a_request() {
    let config = Eqds { backend: Backend::Rts, window: 3, ..Eqds::default() };
    assert!(!config.needs().trimming && Eqds::default().needs().trimming);
    let (mut sender, mut receiver) = open(9, &config);
    let sent = sends(&mut sender, us(0));
    assert_eq!((told(&sent), u64::from(sent[0].len)), (vec![(None, 3)], 64));
    // It is answered, and credit comes in its turn.
    let answered = answers(&mut receiver, us(10), sent[0]);
    assert_eq!(answered.iter().map(|frame| (frame.kind, frame.sequence)).collect::<Vec<_>>(), [(Kind::Ack, 0)]);
    let class = receiver.joins().unwrap();
    assert_eq!((class, receiver.joins()), (1, None), "it stands there already");
    let pull = receiver.pull(us(10), class).unwrap();
    assert_eq!((pull.frame.sequence, pull.rate), (1, 0.99));
    sender.receive(us(20), Port(0), pull.frame, &mut Recorder::default());
    let sent = sends(&mut sender, us(20));
    assert_eq!((told(&sent), sent[0].fate), (vec![(Some(0), 4)], Fate::Whole));
    // A request that nothing answers goes again after the timeout, give or take a quarter: by chance here little more than the least.
    let (mut sender, _) = open(9, &config);
    sends(&mut sender, us(0));
    let wait = Span::from_us(750) + Span::from_ps(1_000_000_000 / 2 / 1024);
    let again = us(0) + wait;
    assert_eq!(sender.deadline(), Some(again));
    sender.expire(again, &mut Recorder::default());
    assert_eq!(told(&sends(&mut sender, again)), [(None, 3)]);
    let doubled = Span::from_us(1500) + Span::from_ps(2_000_000_000 / 2 / 1024);
    assert_eq!(sender.deadline(), Some(again + doubled), "twice as long");
    // One that was answered does so after ten.
    hears(&mut sender, us(1010), Kind::Pull, 0);
    assert_eq!(sender.deadline(), Some(us(11_010)));
    // Or by an acknowledgement of it.
    let (mut sender, _) = open(9, &config);
    let request = sends(&mut sender, us(5))[0];
    hears(&mut sender, us(20), Kind::Ack, 0);
    assert_eq!(sender.deadline(), Some(us(5) + wait), "of something else");
    let ack = Frame { kind: Kind::Ack, stamp: request.stamp, ..Frame::EMPTY };
    sender.receive(us(20), Port(0), ack, &mut Recorder::default());
    assert_eq!(sender.deadline(), Some(us(10_005)));
    // To whom all was given that it wanted it is told once more.
    let (_, mut receiver) = open(9, &config);
    for sequence in [1, 1] {
        answers(&mut receiver, us(10), Frame { options: Options::of_target(1), ..request });
        let class = receiver.joins().unwrap();
        assert_eq!(receiver.pull(us(10), class).unwrap().frame.sequence, sequence);
        assert_eq!(receiver.joins(), None);
    }
}

#[test]
fn what_is_lost_is_asked_for_by_a_request() {
    let (mut sender, _) = open(3, &Eqds { window: 5, ..Eqds::default() });
    sends(&mut sender, us(0));
    hears(&mut sender, us(10), Kind::Ack, FULL);
    assert_eq!(sender.deadline(), Some(us(1000)));
    sender.expire(us(1000), &mut Recorder::default());
    // Two packets wait, and there is no credit: the receiver knows nothing of that.
    assert_eq!(told(&sends(&mut sender, us(1000))), [(None, 2)]);
    hears(&mut sender, us(1020), Kind::Pull, 2);
    assert_eq!(told(&sends(&mut sender, us(1020))), [(Some(1), 2), (Some(2), 2)]);
    hears(&mut sender, us(1040), Kind::Ack, 3 * FULL);
    assert!(sender.is_done());
    assert_eq!((sender.deadline(), sender.counters().retransmits, sender.counters().timeouts), (None, 2, 1));
}

#[test]
fn acknowledgements_tell_which_packets_have_come() {
    let (mut sender, mut receiver) = open(200, &Eqds { window: 100, ..Eqds::default() });
    let sent = sends(&mut sender, us(0));
    // The first asks for one; after that one in four has one, or a marked one.
    let kinds = |frames: Vec<Frame>| frames.iter().map(|frame| (frame.kind, frame.sequence)).collect::<Vec<_>>();
    assert_eq!(kinds(answers(&mut receiver, us(10), sent[0])), [(Kind::Ack, FULL)]);
    for frame in &sent[2..5] {
        assert_eq!(answers(&mut receiver, us(10), *frame), []);
    }
    let ack = answers(&mut receiver, us(10), sent[6])[0];
    assert_eq!((ack.sequence, ack.arrived()), (FULL, (1, 0b10_1110)));
    let marked = Frame { ecn: Ecn::Marked, ..sent[70] };
    let echo = answers(&mut receiver, us(10), marked)[0];
    assert_eq!((echo.sequence, echo.arrived(), echo.echo), (FULL, (70, 1), true));
    for frame in [ack, echo] {
        sender.receive(us(20), Port(0), frame, &mut Recorder::default());
    }
    assert_eq!(sender.counters().marks, 1);
    // What has come once more is told at once, and a header of what has come is no wish.
    assert_eq!(kinds(answers(&mut receiver, us(11), sent[3])), [(Kind::Ack, FULL)]);
    assert_eq!(kinds(answers(&mut receiver, us(11), trimmed(sent[3]))), [(Kind::Ack, FULL)]);
    assert_eq!(receiver.delivered(), Bytes::new(6 * FULL));
    // All but those six are lost.
    sender.expire(us(1000), &mut Recorder::default());
    hears(&mut sender, us(1001), Kind::Pull, 94);
    let again: Vec<u64> = sends(&mut sender, us(1001))
        .iter()
        .filter(|frame| frame.kind == Kind::Data)
        .map(|frame| frame.sequence / FULL)
        .collect();
    let expected: Vec<u64> = (0..100).filter(|number| ![0, 2, 3, 4, 6, 70].contains(number)).collect();
    assert_eq!(again, expected);
}

#[test]
fn whose_packets_were_trimmed_is_given_credit_first() {
    let (_, mut receiver) = open(9, &Eqds { credit_priority: 2, ..Eqds::default() });
    let data = |number: u64, target| Frame {
        sequence: number * FULL,
        len: 1040,
        options: Options::of_target(target),
        ..Frame::EMPTY
    };
    answers(&mut receiver, us(0), data(0, 1));
    assert_eq!(receiver.joins(), Some(5));
    // A header is refused, and credit for it is wanted beside what its sender knew of; it stands in both turns.
    assert_eq!(answers(&mut receiver, us(1), trimmed(data(1, 2)))[0].kind, Kind::Nack);
    assert_eq!((receiver.joins(), receiver.joins()), (Some(4), None));
    assert_eq!(receiver.pull(us(2), 4).unwrap().frame.sequence, 1);
    assert_eq!(receiver.joins(), None, "it stands in the later turns still");
    assert_eq!(receiver.pull(us(3), 5).unwrap().frame.sequence, 2);
    assert_eq!(receiver.joins(), Some(5));
    assert_eq!(receiver.pull(us(4), 5).unwrap().frame.sequence, 3);
    assert_eq!(receiver.joins(), None, "two packets that were pushed, and one that was trimmed");
    // Once all has come, nothing is wanted, whatever was told.
    for number in 1..9 {
        answers(&mut receiver, us(5), data(number, 20));
    }
    assert_eq!((receiver.joins(), receiver.delivered()), (None, Bytes::new(9 * FULL)));
}
