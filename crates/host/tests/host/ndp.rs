//! NDP (Handley et al., SIGCOMM 2017) on its hosts: timelines from the paper's rules, and whatever pipes do.

use crate::world::{MTU, Pipes, RATE, World, pipes};
use fabric::{Fate, Kind};
use proptest::prelude::*;
use transport::{Config, config};
use units::{Bytes, Span};

/// Payload of a full packet.
const FULL: u64 = 1460;

fn ndp(initial_window: u32) -> Config {
    let (timeout, header, control) = (Span::from_ms(1), Bytes::new(40), Bytes::new(64));
    Config::Ndp(config::Ndp { initial_window, timeout, header, control })
}

#[test]
fn a_sender_pushes_its_first_window_and_then_one_packet_a_pull() {
    let mut world = World::new(2, ndp(4), Pipes::perfect());
    world.send(0, 1, 10 * FULL, 1);
    world.run();
    let packet = RATE.time_for(MTU);
    let data: Vec<Span> = world.sent_by(0, Kind::Data).iter().map(|(at, _)| at.since(units::Time::ZERO)).collect();
    // Four at the rate of the interface. Each arrives after 10 us and lets one pull go, at the pace of the link, which takes 10 us as well.
    let expected: Vec<Span> = (0..10).map(|n| Span::from_us(20) * (n / 4) + packet * (n % 4)).collect();
    assert_eq!(data, expected);
    // Everything has come with the tenth, for which there is no pull.
    assert_eq!((world.sent_by(1, Kind::Ack).len(), world.sent_by(1, Kind::Pull).len()), (10, 9));
    assert!(world.pulls_are_paced(1));
    assert!(world.stack.is_done(0));
    assert_eq!(world.stack.counters(0).retransmits, 0);
}

#[test]
fn paths_are_used_once_each_before_any_is_used_again() {
    let mut world = World::new(2, ndp(64), Pipes::perfect());
    world.send(0, 1, 64 * FULL, 16);
    world.run();
    let paths: Vec<u32> = world.sent_by(0, Kind::Data).iter().map(|(_, frame)| frame.path).collect();
    let rounds: Vec<&[u32]> = paths.chunks(16).collect();
    for round in &rounds {
        let mut sorted = round.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..16).collect::<Vec<_>>());
    }
    assert!(rounds.windows(2).all(|pair| pair[0] != pair[1]), "each round has another order");
}

#[test]
fn senders_to_one_host_share_its_pulls_evenly() {
    let mut world = World::new(5, ndp(8), Pipes { trim: 0.5, ..Pipes::perfect() });
    for src in 1..5 {
        world.send(src, 0, 200 * FULL, 1);
    }
    world.run();
    assert!(world.pulls_are_paced(0));
    assert_eq!(world.delivered, [Bytes::new(200 * FULL); 4]);
    // While all four want pulls they take turns.
    let pulls: Vec<u32> = world.sent_by(0, Kind::Pull).iter().map(|(_, frame)| frame.flow).collect();
    for turn in pulls[20..100].chunks(4) {
        let mut turn = turn.to_vec();
        turn.sort_unstable();
        assert_eq!(turn, [0, 1, 2, 3]);
    }
}

#[test]
fn a_header_is_refused_and_sent_again_before_anything_new() {
    let mut world = World::new(2, ndp(2), Pipes { trim: 1.0, ..Pipes::perfect() });
    world.send(0, 1, 4 * FULL, 1);
    while world.sent_by(0, Kind::Data).len() < 4 {
        assert!(world.step());
    }
    let numbers: Vec<u64> = world.sent_by(0, Kind::Data).iter().map(|(_, frame)| frame.sequence / FULL).collect();
    assert_eq!(numbers, [0, 1, 0, 1]);
    let refused = world.sent_by(1, Kind::Nack);
    assert_eq!(refused[0].1.sequence, 0);
    assert_eq!(world.stack.counters(0).retransmits, 2);
    assert_eq!(world.stack.counters(0).timeouts, 0);
}

#[test]
fn a_header_that_comes_back_is_sent_again_at_once_only_if_no_pull_is_to_come() {
    // All come back: nothing would pull, so one goes at once, and so on.
    let mut world = World::new(2, ndp(3), Pipes { trim: 1.0, back: 1.0, ..Pipes::perfect() });
    world.send(0, 1, 3 * FULL, 1);
    while world.sent_by(0, Kind::Data).len() < 6 {
        assert!(world.step());
    }
    let data = world.sent_by(0, Kind::Data);
    let last_back = data[2].0 + Span::from_us(10);
    assert_eq!(data[3].0, last_back, "with the last of the first window that comes back");
    assert_eq!(data[4].0, last_back + Span::from_us(10));
    assert!(data.iter().all(|(_, frame)| frame.fate == Fate::Trimmable));
    assert_eq!(world.stack.counters(0).timeouts, 0);
}

proptest! {
    #[test]
    fn everything_arrives_whatever_pipes_do(
        pipes in pipes(),
        messages in prop::collection::vec((1_u64..100_000, 1_u32..9), 1..5),
        window in 1_u32..40,
    ) {
        let hosts = messages.len() as u32 + 1;
        let mut world = World::new(hosts, ndp(window), pipes.clone());
        for (src, (bytes, paths)) in (1..).zip(&messages) {
            world.send(src, 0, *bytes, *paths);
        }
        world.run();
        let sizes: Vec<Bytes> = messages.iter().map(|(bytes, _)| Bytes::new(*bytes)).collect();
        prop_assert_eq!(&world.delivered, &sizes);
        for place in 0..messages.len() as u32 {
            prop_assert!(world.stack.is_done(place), "{}", world.stack.state(place));
        }
        prop_assert!(world.pulls_are_paced(0));
        let last = world.sent.last().unwrap().0;
        if pipes.loss == 0.0 && pipes.jitter == Span::ZERO {
            // Nothing but losses makes timers go off.
            let timeouts: u64 = (0..messages.len() as u32).map(|place| world.stack.counters(place).timeouts).sum();
            prop_assert_eq!(timeouts, 0, "at {}", last);
        }
    }
}
