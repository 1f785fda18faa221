//! Ports that trim, to the picosecond, as in `timelines`: 1500 B take 1,230,400 ps, a header of 64 B takes 81,600 ps.

use crate::lab::{Lab, config};
use crate::timelines::{full, ps, star};
use ethernet::{Config, Length, Port, Trim, Trimming};
use fabric::{Fate, Frame, Kind, Network};
use units::Bytes;

fn trimming(packets: u32, header: u64, headers_in_a_row: u32) -> Config {
    let trim = Some(Trim { header: Bytes::new(header), headers_in_a_row });
    Config {
        trimming: trim,
        priorities: 1,
        port: Port { queue: Length::Packets(packets), ..config().port },
        ..config()
    }
}

fn trimmable(from: u32) -> Frame {
    Frame { fate: Fate::Trimmable, flow: from, ..full(from) }
}

/// When a frame arrived, at which host, how long it was, and what had become of it.
type Arrived = (u64, u32, u32, Fate);

/// Offers frames at their times.
fn arrivals(config: &Config, offered: &[(u64, Frame)]) -> (Vec<Arrived>, Lab<Trimming>) {
    let mut lab = Lab::<Trimming>::new(star(), config);
    for (at, frame) in offered {
        lab.until(ps(*at)).offer(*frame);
    }
    lab.until(ps(100_000_000));
    assert_eq!(lab.network.totals().held, 0, "bytes that were cut off are not held");
    let arrivals = lab.delivered.iter().map(|(at, frame)| (at.as_ps(), frame.dst, frame.len, frame.fate)).collect();
    (arrivals, lab)
}

#[test]
fn what_finds_the_queue_full_goes_on_as_a_header_and_ahead() {
    let offered: Vec<_> = (1..5).map(|from| (0, trimmable(from))).collect();
    let (arrivals, lab) = arrivals(&trimming(2, 64, 10), &offered);
    // The first is being sent and one waits; of the other two and it, two are trimmed. They go when the first has left, at 3,460,800 ps.
    let expected = [
        (4_460_800, 0, 1500, Fate::Trimmable),
        (4_542_400, 0, 64, Fate::Trimmed),
        (4_624_000, 0, 64, Fate::Trimmed),
        (5_854_400, 0, 1500, Fate::Trimmable),
    ];
    assert_eq!(arrivals, expected);
    assert_eq!(lab.delivered[0].1.flow, 1);
    assert_eq!(lab.counted("trimmed to headers"), 2.0);
    assert_eq!(lab.counted("headers sent back"), 0.0);
}

#[test]
fn a_coin_says_whether_the_last_or_the_one_that_comes_is_trimmed() {
    // Many times the same: one is being sent, one waits, one comes.
    let mut whole = [0; 4];
    let round = |round: u64| (1..4).map(move |from| (round * 20_000_000, trimmable(from)));
    let mut lab = Lab::<Trimming>::new(star(), &trimming(2, 64, 10));
    for (at, frame) in (0..200).flat_map(round) {
        lab.until(ps(at)).offer(frame);
    }
    lab.until(ps(10_000_000_000));
    for (_, frame) in lab.delivered.iter().filter(|(_, frame)| frame.fate == Fate::Trimmable) {
        whole[frame.flow as usize] += 1;
    }
    assert_eq!((whole[1], whole[2] + whole[3]), (200, 200));
    // A fair coin is outside of this once in 10^8 times.
    assert!((60..=140).contains(&whole[2]), "{whole:?}");
}

#[test]
fn data_has_its_turn_after_so_many_headers() {
    // Control frames come one after the other from three hosts, three times as fast as they leave; data waits from the beginning.
    let control = |at: u64, from: u32| (at, Frame { kind: Kind::Ack, flow: 9, ..Frame { len: 64, ..full(from) } });
    let mut offered = vec![(0, trimmable(1)), (0, trimmable(1))];
    offered.extend((0..40).flat_map(|n| (2..5).map(move |from| control(1_300_000 + n * 81_600, from))));
    let order = |headers_in_a_row| -> Vec<u32> {
        let (_, lab) = arrivals(&trimming(8, 64, headers_in_a_row), &offered);
        lab.delivered.iter().map(|(_, frame)| frame.flow).collect()
    };
    let place = |order: &[u32]| order.iter().rposition(|flow| *flow == 1).unwrap();
    let (three, ten) = (order(3), order(10));
    assert_eq!(three.len(), 122);
    assert_eq!(place(&ten) - place(&three), 7, "{three:?} {ten:?}");
}

#[test]
fn a_header_for_which_there_is_no_room_goes_back() {
    // Headers of 1000 B, of which one fits. The third header has no room, and is at its source's port at once.
    let offered: Vec<_> = (1..5).map(|from| (0, trimmable(from))).collect();
    let (arrivals, lab) = arrivals(&trimming(1, 1000, 10), &offered);
    let back: Vec<_> = lab.delivered.iter().filter(|(_, frame)| frame.fate == Fate::Returned).collect();
    assert_eq!(back.len(), 2);
    for (at, frame) in back {
        assert_eq!((at.as_ps(), frame.src, frame.dst), (2_230_400 + 830_400 + 1_000_000, 0, frame.flow));
        assert_eq!((frame.len, frame.path), (1000, Frame::ANY_PATH));
    }
    assert_eq!(arrivals.iter().filter(|(.., fate)| *fate == Fate::Trimmed).count(), 1);
    assert_eq!((lab.counted("trimmed to headers"), lab.counted("headers sent back")), (3.0, 2.0));
}

#[test]
fn what_may_not_be_trimmed_is_dropped() {
    let offered: Vec<_> = (1..5).map(|from| (0, full(from))).collect();
    let (arrivals, lab) = arrivals(&trimming(2, 64, 10), &offered);
    assert_eq!(arrivals.len(), 2);
    assert_eq!((lab.network.totals().dropped, lab.counted("trimmed to headers")), (2, 0.0));
}
