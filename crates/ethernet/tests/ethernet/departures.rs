//! Departures that are made up for later are those that a link would have asked for: whoever looks on has it ask for each, and nothing else may change.

use crate::lab::{config, us};
use engine::{EventQueue, Seed};
use ethernet::{Config, Discipline, Ethernet, Length, Port, Priorities, Ranked, Routing, Switching, Trim, Trimming};
use fabric::{
    Counter, Ecn, Fate, Fault, Frame, Kind, LinkCounters, Network, Observer, Off, Options, Seen, Totals, kind,
};
use proptest::prelude::*;
use std::sync::Arc;
use topology::{LinkId, NodeId, Routes, Shape, Topology};
use units::{Bytes, Rate, Span, Time};

/// Looks on, and does nothing with it.
struct Looker;

impl Observer for Looker {
    fn see(&mut self, _: Time, _: Seen<'_>) {}
}

/// What hosts do, and what happens to the fabric.
#[derive(Debug, Clone, Copy)]
enum Step {
    Offer(Frame),
    Fault(Fault),
    Look,
    Restart,
}

/// What links say of themselves, and the totals.
type Look = (Vec<(LinkCounters, Bytes, u64)>, Totals, usize);

/// All that can be told from outside.
#[derive(Debug, Default, PartialEq)]
struct Told {
    delivered: Vec<(Time, Frame)>,
    looks: Vec<Look>,
    counted: Vec<Counter>,
    totals: Totals,
}

/// What becomes of it, and the events that it took.
fn told<D: Discipline, O: Observer>(
    config: &Config,
    topology: &Topology,
    steps: &[(Time, Step)],
    observer: O,
) -> (Told, u64) {
    let routes = Arc::new(Routes::shortest(topology).unwrap());
    let mut network = Ethernet::<D, O>::on(config, topology, routes, Seed(3), observer);
    let mut queue = EventQueue::new(network.event_gap());
    let (mut told, mut events) = (Told::default(), 0);
    let end = steps.last().map_or(Time::ZERO, |(at, _)| *at) + Span::from_ms(2);
    for (at, step) in steps.iter().copied().chain([(end, Step::Look)]) {
        // As in a run: what arrives and leaves at an instant goes before what else happens at it.
        while queue.next_at().is_some_and(|next| next <= at) {
            let event = queue.pop().unwrap();
            events += 1;
            if event.rank.kind() != kind::READY
                && let Some(frame) = network.handle(event, &mut queue)
            {
                told.delivered.push((event.at, frame));
            }
        }
        match step {
            Step::Offer(frame) => network.offer(at, Frame { stamp: at, ..frame }, &mut queue),
            Step::Fault(fault) => network.fault(at, fault, &mut queue),
            Step::Restart => network.begin_measurement(at),
            Step::Look => {
                let link =
                    |link| (network.link_counters(at, link), network.queue(at, link), network.bytes_sent(at, link));
                let links = (0..topology.links().len() as u32).map(link).collect();
                network.catch_up(at, &mut queue);
                network.check();
                told.looks.push((links, network.totals(), network.frames_inside().len()));
            }
        }
    }
    (told.counted, told.totals) = (network.counters(), network.totals());
    (told, events)
}

/// Frames from few hosts to fewer, many at the same instants; now and then something breaks, is repaired, or is looked at.
fn steps() -> impl Strategy<Value = Vec<(Time, Step)>> {
    let topology = tree(Span::ZERO);
    let to_host = |host| topology.reverse(LinkId(topology.ports(NodeId(host)).start)).0;
    let busiest = [0, 1, 2].map(to_host);
    let frame = (0..8_u32, 0..3_u32, 0..4_u32, 1..=12_u32, any::<[u8; 2]>());
    let offer = frame.prop_map(|(src, to, entropy, size, [kinds, options])| {
        let is_data = kinds % 4 > 0;
        let fate = if is_data && kinds % 3 > 0 { Fate::Trimmable } else { Fate::Whole };
        Step::Offer(Frame {
            src,
            dst: if to == src { 8 + to } else { to },
            // Full packets and whole parts of them, so that frames come just when others have left.
            len: if is_data { 125 * size } else { 64 },
            entropy,
            flow: src,
            kind: if is_data { Kind::Data } else { Kind::Ack },
            priority: options % 3,
            ecn: if options % 2 == 0 { Ecn::Capable } else { Ecn::NotCapable },
            fate,
            options: if is_data { Options::of_rank(u64::from(options / 16)) } else { Options::NONE },
            ..Frame::EMPTY
        })
    });
    let link = prop_oneof![3 => prop::sample::select(busiest.to_vec()), 1 => 0..topology.links().len() as u32];
    let fault = (link, 0..8_u8, any::<bool>()).prop_map(|(link, what, up)| {
        Step::Fault(match what {
            0 => Fault::Node { node: link % 36, up },
            1..6 => Fault::BitErrors { link, rate: if up { 0.0 } else { 0.000_1 } },
            _ => Fault::Link { link, up },
        })
    });
    let step = prop_oneof![30 => offer, 2 => fault, 1 => Just(Step::Look), 1 => Just(Step::Restart)];
    let gap = prop_oneof![3 => Just(0_u64), 4 => (0..20_u64).prop_map(|tenths| tenths * 100), 1 => 0..40_000_u64];
    prop::collection::vec((gap, step), 1..400).prop_map(|steps| {
        let mut at = us(1);
        let later = |(gap, step)| {
            at += Span::from_ns(gap);
            (at, step)
        };
        steps.into_iter().map(later).collect()
    })
}

fn tree(delay: Span) -> Topology {
    Shape::FatTree { k: 4, oversubscription: 1.0 }.build(Rate::from_gbps(10), delay).unwrap()
}

/// Both ways of it are the same; how many events each took, that of the asking links last.
fn are_the_same<D: Discipline>(config: &Config, delay: Span, steps: &[(Time, Step)]) -> [u64; 2] {
    let topology = tree(delay);
    let (settled, few) = told::<D, _>(config, &topology, steps, Off);
    let (asked, many) = told::<D, _>(config, &topology, steps, Looker);
    assert_eq!(settled, asked);
    [few, many]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_settled_later_is_what_a_link_would_have_asked_for(
        steps in steps(),
        delay in prop_oneof![Just(0_u64), Just(100), Just(1_000), Just(5_000)],
        sprays in any::<bool>(),
        in_bytes in any::<bool>(),
        lossy in prop::bool::weighted(0.2),
        cut_through in prop::bool::weighted(0.2),
    ) {
        let queue = if in_bytes { Length::Bytes(Bytes::new(5_000)) } else { Length::Packets(4) };
        let loss = if lossy { 0.02 } else { 0.0 };
        let config = Config {
            routing: if sprays { Routing::Spray } else { Routing::Ecmp },
            switching: if cut_through { Switching::CutThrough } else { Switching::StoreAndForward },
            framing: Bytes::ZERO,
            priorities: 3,
            convergence: Span::from_us(3),
            port: Port { queue, ecn_threshold: Some(Length::Packets(2)), red: None, loss },
            ..config()
        };
        let delay = Span::from_ns(delay);
        are_the_same::<Priorities>(&config, delay, &steps);
        let trimming = Some(Trim { header: Bytes::new(64), headers_in_a_row: 3 });
        are_the_same::<Trimming>(&Config { trimming, priorities: 1, ..config.clone() }, delay, &steps);
        are_the_same::<Ranked>(&Config { pfabric: true, priorities: 1, ..config }, delay, &steps);
    }
}

/// Seven hosts send one much at once: all but the first of their frames wait at its port, and each takes an event at each link all the same.
#[test]
fn a_frame_that_waits_is_an_event_a_hop() {
    let offers = (1..8_u32).flat_map(|src| (0..8).map(move |_| Frame { src, dst: 0, len: 1250, ..Frame::EMPTY }));
    let steps: Vec<(Time, Step)> = offers.map(|frame| (us(1), Step::Offer(frame))).collect();
    let config = Config { priorities: 2, ..config() };
    let [few, many] = are_the_same::<Priorities>(&config, Span::from_us(1), &steps);
    // One neighbour is two links away, two are four in the same pod and four six in another.
    assert_eq!(few, 8 * (2 + 2 * 4 + 4 * 6));
    assert!(many > few + 40, "{many} events where links ask");
}

/// A link begins to lose every frame, or stops to, at any quarter of a frame's time while frames wait for it: none of them waits for ever for one that arrives nowhere.
#[test]
fn frames_that_wait_leave_behind_one_that_is_lost() {
    let topology = tree(Span::from_us(1));
    let link = topology.reverse(LinkId(topology.ports(NodeId(0)).start)).0;
    let offers = (1..8_u32).map(|src| (us(1), Step::Offer(Frame { src, dst: 0, len: 1250, ..Frame::EMPTY })));
    let config = Config { framing: Bytes::ZERO, ..config() };
    for quarter in 0..60 {
        let at = us(1) + Span::from_ns(250 * quarter);
        let [breaks, heals] = [0.1, 0.0].map(|rate| Step::Fault(Fault::BitErrors { link, rate }));
        let once: Vec<(Time, Step)> = offers.clone().chain([(at, breaks)]).collect();
        let healed: Vec<(Time, Step)> =
            [(us(1), breaks)].into_iter().chain(offers.clone()).chain([(at, heals)]).collect();
        for steps in [once, healed] {
            are_the_same::<Priorities>(&config, Span::from_us(1), &steps);
        }
    }
}
