//! Timelines of a TCP with selective acknowledgements.

use crate::newreno::{NewReno, Reno};
use crate::tcp::{Selective, SelectiveSender, TcpReceiver};
use crate::{Connection, Sender, Transport, config};
use fabric::conformance::{Recorder, never_early};
use fabric::{Device, Frame, Kind, Options, Port, SackBlock};
use units::{Bytes, Span, Time};

/// Segments carry 1000 B; sequence numbers in these timelines count segments.
const SEGMENT: u64 = 1000;

fn parameters() -> config::Tcp {
    config::Tcp {
        initial_window: 10,
        max_window: Bytes::new(1_000_000),
        min_rto: Span::from_ms(1),
        initial_rto: Span::from_ms(3),
        ..config::Tcp::default()
    }
}

fn connection(bytes: u64) -> Connection {
    Connection { bytes: Bytes::new(bytes), ..Connection::EXAMPLE }
}

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// A sender and what happens to it.
struct Timeline {
    sender: SelectiveSender<Reno>,
    now: Time,
}

impl Timeline {
    fn new(rack: bool, segments: u64) -> Timeline {
        let tcp = NewReno::new(parameters());
        let (sender, _) = Selective { tcp, rack }.open(&connection(segments * SEGMENT));
        Timeline { sender, now: Time::ZERO }
    }
    fn sack(segments: u64) -> Timeline {
        Timeline::new(false, segments)
    }
    fn rack(segments: u64) -> Timeline {
        Timeline::new(true, segments)
    }
    fn at(&mut self, now: u64) -> &mut Timeline {
        self.now = us(now);
        never_early(&self.sender, self.now);
        self
    }
    /// An acknowledgement that expects `segment` next and has these blocks, of something sent at `stamp`.
    fn hears_of<const N: usize>(&mut self, stamp: u64, segment: u64, blocks: [(u64, u64); N]) -> &mut Timeline {
        let mut sacks = [SackBlock::NONE; 3];
        for (place, (from, to)) in sacks.iter_mut().zip(blocks) {
            *place = SackBlock { start: (from as i64 - segment as i64) as i16, length: (to - from) as u16 };
        }
        let options = Options::of_blocks(sacks);
        let (sequence, stamp, len) = (segment * SEGMENT, us(stamp), 40);
        let ack = Frame { sequence, stamp, src: 2, dst: 1, len, kind: Kind::Ack, options, ..Frame::EMPTY };
        self.sender.receive(self.now, Port(0), ack, &mut Recorder::default());
        never_early(&self.sender, self.now);
        self
    }
    /// The same, of something that was sent 100 us ago.
    fn hears<const N: usize>(&mut self, segment: u64, blocks: [(u64, u64); N]) -> &mut Timeline {
        let stamp = self.now.since(us(100)).as_ps() / 1_000_000;
        self.hears_of(stamp, segment, blocks)
    }
    #[track_caller]
    fn expires(&mut self) -> &mut Timeline {
        assert_eq!(self.sender.deadline(), Some(self.now), "the timer is set for now");
        self.sender.expire(self.now, &mut Recorder::default());
        self
    }
    #[track_caller]
    fn sends<const N: usize>(&mut self, segments: [u64; N]) -> &mut Timeline {
        let mut env = Recorder::default();
        let sent = std::iter::from_fn(|| self.sender.transmit(self.now, Port(0), &mut env));
        let sent: Vec<u64> = sent.take(100).map(|frame| frame.sequence / SEGMENT).collect();
        assert_eq!(sent, segments, "at {}", self.now);
        self
    }
    #[track_caller]
    fn window_is(&mut self, segments: f64) -> &mut Timeline {
        assert_eq!(self.sender.congestion_window() as f64 / SEGMENT as f64, segments, "the window at {}", self.now);
        self
    }
    #[track_caller]
    fn has_repeated(&self, retransmits: u64, timeouts: u64) {
        let counters = self.sender.counters();
        assert_eq!((counters.retransmits, counters.timeouts), (retransmits, timeouts));
    }
}

/// RFC 6675 §5: the third segment received beyond one shows its loss; the window is halved once, and what may be in the network follows it.
#[test]
fn one_loss_is_repaired_in_a_round_trip() {
    let mut t = Timeline::sack(100);
    t.at(0).sends([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    t.at(100).hears(1, []).window_is(11.0).sends([10, 11]);
    // Segment 1 is lost. Each segment that was received beyond it lets a new one go, while the window stays (step 3, limited transmit).
    t.at(101).hears(1, [(2, 3)]).window_is(11.0).sends([12]);
    t.at(102).hears(1, [(2, 4)]).sends([13]);
    // Of 13 in flight limited transmit's two do not count. Ten are in the network with the one that goes again (steps 4.2 to 4.4).
    t.at(103).hears(1, [(2, 5)]).window_is(5.5).sends([1]);
    t.at(104).hears(1, [(2, 6)]).sends([]);
    t.at(105).hears(1, [(2, 9)]).sends([]);
    t.at(106).hears(1, [(2, 10)]).sends([]);
    t.at(200).hears(1, [(2, 11)]).sends([14]); // four are in the network, and the window has room for one and a half
    t.at(200).hears(1, [(2, 12)]).sends([15]);
    t.at(201).hears(1, [(2, 13)]).sends([16]);
    t.at(202).hears(1, [(2, 14)]).sends([17]);
    // All that was sent before the loss was found is acknowledged (step A).
    t.at(203).hears(14, []).window_is(5.5).sends([18]);
    t.has_repeated(1, 0);
}

/// RFC 6675 §5: what NewReno repairs in four round trips takes one.
#[test]
fn four_losses_in_a_window_are_repaired_in_a_round_trip() {
    let mut t = Timeline::sack(100);
    t.at(0).sends([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    t.at(100).hears(1, []).sends([10, 11]);
    // 1, 3, 5 and 7 are lost.
    t.at(101).hears(1, [(2, 3)]).sends([12]);
    t.at(102).hears(1, [(4, 5), (2, 3)]).sends([13]);
    t.at(103).hears(1, [(6, 7), (4, 5), (2, 3)]).window_is(5.5).sends([1]);
    t.at(104).hears(1, [(8, 9), (6, 7), (4, 5)]).sends([]); // 3 is lost, too
    t.at(105).hears(1, [(8, 10), (6, 7), (4, 5)]).sends([]); // and 5
    t.at(200).hears(1, [(8, 11), (6, 7), (4, 5)]).sends([3]); // and 7; there is room for one and a half
    t.at(200).hears(1, [(8, 12), (6, 7), (4, 5)]).sends([5]);
    t.at(201).hears(1, [(8, 13), (6, 7), (4, 5)]).sends([7]);
    t.at(202).hears(1, [(8, 14), (6, 7), (4, 5)]).sends([14]);
    t.at(203).hears(3, [(8, 14), (6, 7), (4, 5)]).sends([15]);
    t.at(300).hears(5, [(8, 14), (6, 7)]).sends([16]);
    t.at(300).hears(7, [(8, 14)]).sends([17]);
    t.at(301).hears(14, []).window_is(5.5).sends([18]);
    t.has_repeated(4, 0);
}

/// RFC 6675 §4, `NextSeg` rules 3 and 4: at the end of a message nothing follows that could show more losses.
#[test]
fn the_end_of_a_message_is_sent_again_once_in_a_recovery() {
    let mut t = Timeline::sack(9);
    t.at(0).sends([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    // 0, 4, 7 and 8 are lost. Three received beyond 0 show that; two beyond 4 do not.
    t.at(100).hears(0, [(1, 2)]).sends([]).hears(0, [(1, 3)]).sends([]);
    t.at(101).hears(0, [(1, 4)]).window_is(4.5).sends([0]);
    t.at(102).hears(0, [(5, 6), (1, 4)]).hears(0, [(5, 7), (1, 4)]).sends([]); // four are in the network
    t.at(201).hears(4, [(5, 7)]).sends([4]); // rule 3: not known to be lost
    t.at(301).hears(7, []).sends([8]); // rule 4: the highest, and nothing after it
    t.at(401).hears(7, [(8, 9)]).sends([7]); // rule 3 again
    t.at(501).hears(9, []);
    assert!(t.sender.is_done());
    t.has_repeated(4, 0);
}

/// RFC 5681 §3.1, RFC 6675 §5.1: a timeout starts from one segment, and what was received is not sent again.
#[test]
fn a_timeout_repairs_what_was_not_received() {
    let mut t = Timeline::sack(100);
    t.at(0).sends([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    t.at(100).hears(0, [(5, 6)]).sends([10]).hears(0, [(5, 7)]).sends([11]);
    t.at(3000).expires().window_is(1.0).sends([0]);
    t.at(3100).hears(1, [(5, 7)]).window_is(2.0).sends([1, 2]);
    t.at(3200).hears(3, [(5, 7)]).window_is(3.0).sends([3, 4, 7]);
    t.at(3300).hears(8, []).sends([8, 9, 10, 11]);
    t.has_repeated(10, 1);
}

/// RFC 2018 §2 and RFC 9293 §3.8: the receiver's buffer has what is beyond a hole in it.
#[test]
fn what_waits_beyond_a_hole_takes_room_in_the_receivers_buffer() {
    let config = config::Tcp { initial_window: 4, max_window: Bytes::new(6 * SEGMENT), ..parameters() };
    let (sender, _) = Selective { tcp: NewReno::new(config), rack: false }.open(&connection(100 * SEGMENT));
    let mut t = Timeline { sender, now: Time::ZERO };
    t.at(0).sends([0, 1, 2, 3]);
    t.at(100).hears(0, [(1, 2)]).sends([4]).hears(0, [(1, 3)]).sends([5]);
    t.at(101).hears(0, [(1, 4)]).sends([0]);
    t.at(200).hears(0, [(1, 6)]).sends([]); // the window has room for one more, the buffer not
    t.at(201).hears(6, []).sends([6, 7]);
}

/// RFC 8985 §6.2: a retransmission that something was delivered after is lost as anything else is. Without RACK only a timeout finds it.
#[test]
fn a_lost_retransmission_is_found_by_time() {
    let mut t = Timeline::rack(100);
    t.at(0).sends([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    // 0 is lost. While less than three were received, others may lag by a quarter of the shortest round trip (§6.2 step 4).
    t.at(100).hears_of(0, 0, [(1, 2)]).sends([10]);
    assert_eq!(t.sender.deadline(), Some(us(125)));
    t.at(101).hears_of(0, 0, [(1, 3)]).sends([11]);
    t.at(102).hears_of(0, 0, [(1, 4)]).window_is(5.0).sends([0]);
    // It is lost again. Nine are in the network, of which six are received.
    t.at(106).hears_of(0, 0, [(1, 8)]).sends([]);
    t.at(107).hears_of(0, 0, [(1, 9)]).sends([12]);
    t.at(108).hears_of(0, 0, [(1, 10)]).sends([13]);
    t.at(200).hears_of(100, 0, [(1, 11)]).sends([14]);
    t.at(201).hears_of(101, 0, [(1, 12)]).sends([15]);
    // 12 was sent after it.
    t.at(207).hears_of(107, 0, [(1, 13)]).window_is(5.0).sends([0, 16]);
    t.at(307).hears_of(207, 14, []).window_is(5.0);
    t.has_repeated(2, 0);
}

/// RFC 8985 §6.2 steps 3 to 5: what lags by less than the reordering window is not lost.
#[test]
fn reordering_within_the_window_repeats_nothing() {
    let mut t = Timeline::rack(100);
    t.at(0).sends([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    t.at(100).hears_of(0, 0, [(1, 2)]).sends([10]);
    t.at(101).hears_of(0, 0, [(1, 3)]).sends([11]);
    assert_eq!(t.sender.deadline(), Some(us(126)));
    t.at(125).hears_of(0, 3, []).window_is(11.0).sends([12, 13]); // 0 was only late
    // From now on the window stands however many were received: for 3, of which six were received beyond, for as long as the last round trip and a
    // quarter of the shortest.
    for segment in 4..10 {
        t.at(126).hears_of(0, 3, [(4, segment + 1)]);
    }
    assert_eq!(t.sender.deadline(), Some(us(151)));
    t.at(150).hears_of(0, 10, []);
    t.has_repeated(0, 0);
    assert!(t.sender.congestion_window() > 11 * SEGMENT, "it grows by what was received beyond a hole");
}

/// RFC 8985 §6.2 step 4: the window is a quarter of the shortest round trip wider after a round in which something came twice.
#[test]
fn the_reordering_window_widens_when_something_came_twice() {
    let mut t = Timeline::rack(1000);
    t.at(0).sends([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    t.at(100).hears_of(0, 0, [(1, 2)]).hears_of(0, 2, []).sends([10, 11, 12]); // 0 came after 1
    // 2 lags by more than 25 us behind 3: it is taken for lost, without need.
    t.at(101).hears_of(0, 2, [(3, 4)]).sends([13, 14]);
    t.at(126).expires().window_is(6.0).sends([2]);
    t.at(127).hears_of(0, 10, []).sends([15]);
    t.at(200).hears_of(100, 13, []).sends([16, 17, 18]);
    t.at(201).hears_of(101, 15, []).sends([19, 20]);
    // The other 2 has come: it is below what is acknowledged (RFC 2883 §4.1).
    t.at(226).hears_of(126, 15, [(2, 3)]).sends([]);
    t.at(227).hears_of(127, 16, []).sends([21]);
    // Now 16 may lag by 50 us: two quarters of 100 us.
    t.at(300).hears_of(200, 16, [(17, 18)]);
    assert_eq!(t.sender.deadline(), Some(us(350)));
    t.has_repeated(1, 0);
}

/// RFC 8985 §7: the loss of a message's last segment shows after two round trips, and not by the retransmission timer.
#[test]
fn a_probe_repairs_the_loss_of_the_last_segment() {
    let mut t = Timeline::rack(4);
    t.at(0).sends([0, 1, 2, 3]);
    t.at(100).hears(1, []).hears(2, []).hears(3, []);
    t.at(300).expires().sends([3]);
    t.at(400).hears_of(300, 4, []);
    assert!(t.sender.is_done());
    assert_eq!(t.sender.deadline(), None);
    t.has_repeated(1, 0);
}

/// RFC 8985 §7.3 and §3.5: the probe's acknowledgement shows what else was lost.
#[test]
fn a_probe_shows_the_loss_of_a_flights_end() {
    let mut t = Timeline::rack(10);
    t.at(0).sends([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    t.at(100).hears(1, []).hears(2, []);
    // All others are lost. The probe is the last of them.
    t.at(300).expires().sends([9]).sends([]);
    t.at(400).hears_of(300, 2, [(9, 10)]);
    // What was sent 300 us before the probe lags by more than the window.
    t.sends([2, 3, 4, 5]);
    t.at(500).hears_of(400, 4, [(9, 10)]).hears_of(400, 6, [(9, 10)]).sends([6, 7, 8]);
    t.at(600).hears_of(500, 10, []);
    assert!(t.sender.is_done());
    t.has_repeated(8, 0);
}

/// RFC 8985 §7.3: a probe is of new data where there is some, whatever the window has room for; one at a time, and then the timer has its turn.
#[test]
fn a_probe_sends_something_new_if_there_is_something() {
    let mut t = Timeline::rack(100);
    t.at(0).sends([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    t.at(100).hears(1, []).sends([10, 11]);
    t.at(300).expires().sends([12]).sends([]);
    t.at(1300).expires().window_is(1.0).sends([1]); // 1 ms after the probe
    t.has_repeated(1, 1);
}

/// RFC 8985 §7.4.2: a loss that a probe repaired is answered as one, when it is known that it was one.
#[test]
fn a_loss_that_a_probe_repaired_halves_the_window() {
    // The receiver's buffer keeps the sender from sending something new.
    let config = config::Tcp { max_window: Bytes::new(8 * SEGMENT), ..parameters() };
    let (sender, _) = Selective { tcp: NewReno::new(config), rack: true }.open(&connection(100 * SEGMENT));
    let mut t = Timeline { sender, now: Time::ZERO };
    t.at(0).sends([0, 1, 2, 3, 4, 5, 6, 7]).window_is(8.0);
    t.at(3000).expires().sends([7]); // no round trip is known: as late as the timer
    t.at(3100).hears_of(3000, 8, []).window_is(8.0).sends([8, 9, 10, 11, 12, 13, 14, 15]); // which of both came?
    t.at(3200).hears_of(3100, 9, []).window_is(3.5); // half of seven in flight
    // Had both come, it would have been said.
    let mut t = Timeline::rack(100);
    t.sender.window.largest = 8 * SEGMENT;
    t.at(0).sends([0, 1, 2, 3, 4, 5, 6, 7]);
    t.at(3000).expires().sends([7]);
    t.at(3100).hears_of(0, 8, []).hears_of(3000, 8, [(7, 8)]).sends([8, 9, 10, 11, 12, 13, 14, 15]);
    t.at(3200).hears_of(3100, 9, []);
    assert!(t.sender.congestion_window() >= 8 * SEGMENT);
}

struct Ears {
    receiver: TcpReceiver,
}

impl Ears {
    fn new(bytes: u64) -> Ears {
        Ears { receiver: TcpReceiver::new(&connection(bytes), &parameters(), false, true) }
    }
    fn gets(&mut self, segment: u64) -> &mut Ears {
        self.gets_bytes(segment, SEGMENT)
    }
    fn gets_bytes(&mut self, segment: u64, bytes: u64) -> &mut Ears {
        let (sequence, len) = (segment * SEGMENT, bytes as u32 + 40);
        let data = Frame { sequence, src: 1, dst: 2, len, ..Frame::EMPTY };
        self.receiver.receive(Time::ZERO, Port(0), data, &mut Recorder::default());
        self
    }
    /// One acknowledgement: the byte expected next, and blocks relative to it.
    #[track_caller]
    fn says<const N: usize>(&mut self, next: u64, blocks: [(i16, u16); N]) -> &mut Ears {
        let ack = self.receiver.transmit(Time::ZERO, Port(0), &mut Recorder::default()).expect("an acknowledgement");
        let said: Vec<(i16, u16)> = ack.blocks().map(|block| (block.start, block.length)).collect();
        assert_eq!((ack.sequence, said.as_slice()), (next, blocks.as_slice()));
        self
    }
}

/// The third case of RFC 2018 §5.
#[test]
fn blocks_have_what_came_last_first() {
    let mut e = Ears::new(100 * SEGMENT);
    e.gets(0).says(1000, []);
    e.gets(2).says(1000, [(1, 1)]);
    e.gets(4).says(1000, [(3, 1), (1, 1)]);
    e.gets(6).says(1000, [(5, 1), (3, 1), (1, 1)]);
    // The fourth segment of eight comes, then the second.
    e.gets(3).says(1000, [(1, 3), (5, 1)]);
    e.gets(1).says(5000, [(1, 1)]);
    e.gets(5).says(7000, []);
}

/// RFC 2018 §4: of more than three blocks, those are repeated that were reported last.
#[test]
fn there_is_room_for_three_blocks() {
    let mut e = Ears::new(100 * SEGMENT);
    e.gets(1).says(0, [(1, 1)]);
    e.gets(3).says(0, [(3, 1), (1, 1)]);
    e.gets(5).says(0, [(5, 1), (3, 1), (1, 1)]);
    e.gets(7).says(0, [(7, 1), (5, 1), (3, 1)]);
    e.gets(9).says(0, [(9, 1), (7, 1), (5, 1)]);
    e.gets(8).says(0, [(7, 3), (5, 1), (3, 1)]);
}

/// RFC 2883 §4: the first block is what came twice, whether it is acknowledged (§4.1) or part of a block beyond a hole (§4.2).
#[test]
fn what_came_twice_is_said_first() {
    let mut e = Ears::new(10 * SEGMENT + 500);
    for segment in 0..4 {
        e.gets(segment);
        e.says((segment + 1) * SEGMENT, []);
    }
    e.gets(1).says(4000, [(-3, 1)]);
    e.gets(5).says(4000, [(1, 1)]);
    e.gets(6).says(4000, [(1, 2)]);
    e.gets(6).says(4000, [(2, 1), (1, 2)]);
    e.gets(2).says(4000, [(-2, 1), (1, 2)]);
    // The message ends with half a segment, which counts as one.
    e.gets_bytes(10, 500).says(4000, [(6, 1), (1, 2)]);
    for segment in [4, 7, 8, 9] {
        e.gets(segment);
    }
    assert!(e.receiver.transmit(Time::ZERO, Port(0), &mut Recorder::default()).is_some());
    while e.receiver.transmit(Time::ZERO, Port(0), &mut Recorder::default()).is_some() {}
    e.gets_bytes(10, 500).says(10_500, [(-1, 1)]);
}
