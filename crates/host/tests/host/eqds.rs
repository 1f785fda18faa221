//! EQDS (Olteanu et al., NSDI 2022) on its hosts: credit of a host for all that is sent to it, and whatever pipes do.

use crate::world::{MTU, Pipes, RATE, World, pipes};
use fabric::Kind;
use proptest::prelude::*;
use transport::Config;
use transport::config::{Backend, Eqds};
use units::{Bytes, Span, Time};

/// Payload of a full packet.
const FULL: u64 = 1460;

fn eqds(window: u32) -> Eqds {
    Eqds { window, ..Eqds::default() }
}

#[test]
fn a_sender_pushes_until_it_hears_something_and_then_one_packet_for_each_credit() {
    let mut world = World::new(2, Config::Eqds(Eqds { credit_rate: 1.0, ..eqds(50) }), Pipes::perfect());
    world.send(0, 1, 100 * FULL, 1);
    world.run();
    let packet = RATE.time_for(MTU);
    let data: Vec<Span> = world.sent_by(0, Kind::Data).iter().map(|(at, _)| at.since(Time::ZERO)).collect();
    // It hears of the first after 20 us, and by then has sent 17; credit comes a packet's time apart from then on, so that its interface never rests for long.
    assert_eq!(data[16], packet * 16);
    assert!(data.windows(2).all(|pair| pair[1] - pair[0] >= packet && pair[1] - pair[0] < packet * 2), "{data:?}");
    assert!(world.pulls_are_paced(1));
    // No more credit than there was use for.
    assert_eq!(world.sent_by(1, Kind::Pull).len(), 100 - 17);
    assert!(world.sent_by(1, Kind::Ack).len() < 30);
    assert_eq!((world.stack.counters(0).retransmits, world.stack.counters(0).timeouts), (0, 0));
}

#[test]
fn senders_to_one_host_share_its_credit_evenly() {
    let mut world = World::new(5, Config::Eqds(eqds(8)), Pipes { trim: 0.3, ..Pipes::perfect() });
    for src in 1..5 {
        world.send(src, 0, 400 * FULL, 1);
    }
    world.run();
    assert!(world.pulls_are_paced(0));
    assert_eq!(world.delivered, [Bytes::new(400 * FULL); 4]);
    let pulls: Vec<u32> = world.sent_by(0, Kind::Pull).iter().map(|(_, frame)| frame.flow).collect();
    let shares = [0, 1, 2, 3].map(|flow| pulls[100..1100].iter().filter(|pulled| **pulled == flow).count());
    assert!(shares.iter().all(|share| (230..270).contains(share)), "{shares:?}");
}

#[test]
fn without_trimming_all_that_comes_has_credit() {
    let mut world = World::new(5, Config::Eqds(Eqds { backend: Backend::Rts, ..eqds(50) }), Pipes::perfect());
    for src in 1..5 {
        world.send(src, 0, 100 * FULL, 1);
    }
    world.run();
    assert_eq!(world.delivered, [Bytes::new(100 * FULL); 4]);
    // One request each, and never more data under way than credit lets come: a packet at a time.
    assert_eq!((1..5).map(|src| world.sent_by(src, Kind::Request).len()).collect::<Vec<_>>(), [1; 4]);
    let mut data: Vec<Time> = (1..5).flat_map(|src| world.sent_by(src, Kind::Data)).map(|(at, _)| at).collect();
    data.sort_unstable();
    assert!(data.windows(2).all(|pair| pair[1].since(pair[0]) >= RATE.time_for(MTU)));
    assert_eq!(world.sent_by(0, Kind::Pull).len(), 400);
}

#[test]
fn a_message_that_comes_first_is_given_credit_before_others() {
    let late = Eqds { credit_priority: 3, ..eqds(32) };
    let mut world = World::of(5, vec![Config::Eqds(late), Config::Eqds(eqds(32))], Pipes::perfect());
    for src in 1..4 {
        world.send(src, 0, 400 * FULL, 1);
    }
    while world.sent_by(0, Kind::Pull).len() < 100 {
        assert!(world.step());
    }
    let place = world.send_by(1, 4, 0, 60 * FULL, 1);
    let begun = world.now;
    while world.delivered[place as usize] < Bytes::new(60 * FULL) {
        assert!(world.step());
    }
    // As if it were alone: a round trip, and its packets at the rate of credit.
    assert!(world.now.since(begun) < Span::from_us(30) + RATE.time_for(MTU) * 62, "{}", world.now.since(begun));
    world.run();
    assert_eq!(world.delivered[..3], [Bytes::new(400 * FULL); 3]);
}

proptest! {
    #[test]
    fn everything_arrives_whatever_pipes_do(
        pipes in pipes(),
        messages in prop::collection::vec((1_u64..100_000, 1_u32..9), 1..5),
        window in 1_u32..60,
        ack_every in 1_u32..20,
        rts in any::<bool>(),
    ) {
        let backend = if rts { Backend::Rts } else { Backend::Trimming };
        let config = Config::Eqds(Eqds { backend, ack_every, ..eqds(window) });
        let mut world = World::new(messages.len() as u32 + 1, config, pipes.clone());
        for (src, (bytes, paths)) in (1..).zip(&messages) {
            world.send(src, 0, *bytes, *paths);
        }
        world.run();
        let sizes: Vec<Bytes> = messages.iter().map(|(bytes, _)| Bytes::new(*bytes)).collect();
        prop_assert_eq!(&world.delivered, &sizes);
        for place in 0..messages.len() as u32 {
            prop_assert!(world.stack.is_done(place), "{}", world.stack.state(place));
        }
        if pipes.loss == 0.0 && pipes.jitter == Span::ZERO && (rts || pipes.back == 0.0) {
            // Nothing but losses makes timers go off.
            let timeouts: u64 = (0..messages.len() as u32).map(|place| world.stack.counters(place).timeouts).sum();
            prop_assert_eq!(timeouts, 0);
        }
    }
}
