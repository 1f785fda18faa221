//! NDP (Handley et al., SIGCOMM 2017) on its hosts: timelines from the paper's rules, and whatever pipes do.

use crate::world::{MTU, Pipes, RATE, World, pipes};
use fabric::{Fate, Kind};
use proptest::prelude::*;
use transport::{Config, config};
use units::{Bytes, Span};

/// Payload of a full packet.
const FULL: u64 = 1460;

fn ndp(initial_window: u32) -> Config {
    Config::Ndp(plain(initial_window))
}

fn plain(initial_window: u32) -> config::Ndp {
    config::Ndp { initial_window, ..config::Ndp::default() }
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
fn pulls_of_lower_priority_wait_until_no_others_are_wanted() {
    // Three senders of long messages, and later a short one to the same host.
    let late = config::Ndp { pull_priority: 3, ..plain(32) };
    let short = |protocol| {
        let mut world = World::of(5, vec![Config::Ndp(late.clone()), ndp(32)], Pipes::perfect());
        for src in 1..4 {
            world.send(src, 0, 400 * FULL, 1);
        }
        while world.sent_by(0, Kind::Pull).len() < 100 {
            assert!(world.step());
        }
        let begun = world.now;
        let place = world.send_by(protocol, 4, 0, 60 * FULL, 1);
        while world.delivered[place as usize] < Bytes::new(60 * FULL) {
            assert!(world.step());
        }
        assert!(world.pulls_are_paced(0));
        let ended = world.now;
        let pulls = world.sent_by(0, Kind::Pull).into_iter().filter(|(at, _)| *at >= begun && *at <= ended);
        let pulls: Vec<u32> = pulls.map(|(_, frame)| frame.flow).collect();
        world.run();
        assert_eq!(world.delivered[..3], [Bytes::new(400 * FULL); 3], "the others are only later");
        (ended.since(begun), pulls)
    };
    let mut alone = World::new(2, ndp(32), Pipes::perfect());
    let place = alone.send(1, 0, 60 * FULL, 1);
    while alone.delivered[place as usize] < Bytes::new(60 * FULL) {
        assert!(alone.step());
    }
    let alone = alone.now.since(units::Time::ZERO);
    // It is pulled as if it were alone, but for the pull of another that has just gone when its first is wanted.
    let (first, pulls) = short(1);
    assert!(first <= alone + RATE.time_for(MTU), "{first}, alone {alone}");
    let begins = pulls.iter().position(|flow| *flow == 3).unwrap();
    let wanted = pulls[begins..].iter().filter(|flow| **flow == 3).count();
    assert!(wanted >= 28, "{pulls:?}");
    // In turns with three others it takes about four times as long.
    let (turns, _) = short(0);
    assert!(turns > alone * 2, "{turns}, alone {alone}");
}

#[test]
fn a_path_on_which_everything_is_trimmed_is_left_out() {
    let sent = |path_samples| {
        let config = Config::Ndp(config::Ndp { path_samples, ..plain(32) });
        let mut world = World::new(2, config, Pipes { slow: Some(2), ..Pipes::perfect() });
        world.send(0, 1, 2000 * FULL, 4);
        while world.delivered[0] < Bytes::new(2000 * FULL) {
            assert!(world.step());
        }
        let on = |path| world.sent_by(0, Kind::Data).iter().filter(|(_, frame)| frame.path == path).count();
        ([0, 1, 2, 3].map(on), world.now.since(units::Time::ZERO))
    };
    let (paths, time) = sent(0);
    assert!(paths[2] > 600, "as often as others: {paths:?}");
    let (paths, better) = sent(20);
    // Twenty packets until it is judged, what is in flight by then, and ten each time that it is tried again.
    assert!(paths[2] < 60, "{paths:?}");
    // Two thousand packets at the pace of the receiver, instead of a third more.
    let least = RATE.time_for(MTU) * 2000;
    assert!(better < least + least / 20 && time > least + least / 4, "{better} and {time}, at least {least}");
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
