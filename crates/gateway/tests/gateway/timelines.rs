//! Single packets and few, to the picosecond.

use crate::pairs::{Pair, ethernet, join, join_shown, rack, rack_with, shoal};
use engine::{EventQueue, Seed};
use fabric::observer::{Filter, Filtered};
use fabric::{Ecn, Fault, Frame, Kind, Network, Observer, Off, Seen, What};
use gateway::{Config, Spreading};
use std::cell::RefCell;
use std::rc::Rc;
use topology::{LinkId, Shape};
use units::{Bytes, Rate, Span, Time};

const TWO: Shape = Shape::Star { hosts: 2 };

fn frame(flow: u32, src: u32, dst: u32, len: u32) -> Frame {
    let (kind, ecn, stamp) = (Kind::Data, Ecn::Capable, Time::ZERO);
    let (sequence, epoch, priority, echo) = (u64::from(flow) << 40, 9, 0, false);
    Frame { sequence, stamp, flow, epoch, src, dst, len, entropy: flow, kind, priority, ecn, echo, ..Frame::EMPTY }
}

/// Offers frames at given picoseconds, whether or not there is room, and says what comes out when.
fn arrivals(network: &mut impl Network, frames: &[(u64, Frame)]) -> Vec<(u64, Frame)> {
    let mut queue = EventQueue::new(network.event_gap());
    let (mut frames, mut found) = (frames.iter().peekable(), Vec::new());
    loop {
        let due = frames.peek().map(|(at, _)| Time::from_ps(*at));
        if let Some(at) = due.filter(|at| queue.next_at().is_none_or(|next| *at < next)) {
            network.offer(at, frames.next().unwrap().1, &mut queue);
        } else if let Some(event) = queue.pop() {
            found.extend(network.handle(event, &mut queue).map(|frame| (event.at.as_ps(), frame)));
            network.check();
        } else {
            return found;
        }
    }
}

fn times(found: &[(u64, Frame)]) -> Vec<(u32, u64)> {
    found.iter().map(|(at, frame)| (frame.flow, *at)).collect()
}

#[test]
fn one_packet_each_way() {
    // A rack of node 1 and gateway 0; outside of it hosts 2 and 3.
    let pair = rack(&TWO, &TWO, 1);
    let joined = || join(&Config::default(), &pair, Seed(1));
    // Four channels of 25 Gb/s join the two nodes in each slot of 2.75 + 20.48 ns. A packet of 50 B is one cell, which goes in the first
    // slot and is there two slots later: 20.48 ns of cell and 2 x 5 ns of links take one and a half.
    let inside = times(&arrivals(&mut shoal(&pair.rack, Seed(1), Off), &[(0, frame(1, 1, 0, 50))]));
    assert_eq!(inside, [(1, 46_460)]);
    // (50 + 38) B take 7.04 ns at 100 Gb/s, twice, and each link 5 ns.
    let beyond = times(&arrivals(&mut ethernet(&pair.outside, Seed(1), Off), &[(0, frame(1, 0, 1, 50))]));
    assert_eq!(beyond, [(1, 24_080)]);
    let out = frame(1, 1, 3, 50);
    assert_eq!(arrivals(&mut joined(), &[(0, out)]), [(46_460 + 24_080, out)]);
    // The other way it comes to the gateway at 24.08 ns, and waits for the slot that begins at 46.46 ns.
    let back = frame(2, 3, 1, 50);
    assert_eq!(arrivals(&mut joined(), &[(0, back)]), [(46_460 + 46_460, back)]);
    // To a gateway itself, and from one, it crosses one network.
    let [to, from] = [frame(3, 2, 0, 50), frame(4, 0, 2, 50)];
    assert_eq!(arrivals(&mut joined(), &[(0, to)]), [(24_080, to)]);
    assert_eq!(arrivals(&mut joined(), &[(0, from)]), [(24_080, from)]);
    // Within one network nothing changes.
    let (there, beside) = (frame(5, 1, 0, 50), frame(6, 3, 2, 50));
    assert_eq!(arrivals(&mut joined(), &[(0, there), (0, beside)]), [(24_080, beside), (46_460, there)]);
}

#[test]
fn alone_it_takes_as_long_as_said() {
    let pair = rack(&TWO, &TWO, 1);
    let ideal = |src, dst, bytes| {
        join(&Config::default(), &pair, Seed(1)).ideal(src, dst, Bytes::new(bytes), Bytes::new(40)).as_ps()
    };
    assert_eq!(ideal(1, 3, 10), 46_460 + 24_080);
    assert_eq!(ideal(0, 3, 10), 24_080);
    assert_eq!(ideal(1, 0, 10), 46_460);
    // Ten full packets: 27 cells each of the rack's 4 a slot, so 270 take 68 slots and one more to be there; then 2 x (123.04 + 5) ns.
    assert_eq!(ideal(1, 3, 14_600), 69 * 23_230 + 2 * 128_040);
}

#[test]
fn over_several_gateways_it_is_no_sooner_than_said() {
    // Four gateways with a quarter of the others' rate.
    let pair = rack_with(&Shape::Star { hosts: 6 }, &TWO, 4, Rate::from_gbps(25));
    let (packets, header) = (40, Bytes::new(40));
    let bytes = Bytes::new(packets * 1460);
    let alone = |config: &Config| join(config, &pair, Seed(1)).ideal(6, 4, bytes, header);
    let by_packet = Config { spreading: Some(Spreading::Packet), ..Config::default() };
    // One gateway takes 492.16 ns for each packet; of four one takes ten at least.
    let [one, four] = [alone(&Config::default()), alone(&by_packet)];
    assert!(one > Span::from_ps(packets * 492_160) && four > Span::from_ps(10 * 492_160));
    assert!(four < one / 3, "{four}, {one}");
    assert_eq!(join(&Config::default(), &pair, Seed(1)).ideal_over_paths(6, 4, bytes, header), four);
    for seed in 0..20 {
        let sent: Vec<_> = (0..packets).map(|n| (n * 123_040, frame(n as u32, 6, 4, 1500))).collect();
        let found = arrivals(&mut join(&by_packet, &pair, Seed(seed)), &sent);
        let (last, _) = found.last().unwrap();
        assert_eq!(found.len(), 40);
        assert!((four.as_ps()..one.as_ps()).contains(last), "{last} ps with seed {seed}");
    }
}

#[test]
fn a_full_buffer_drops_and_a_long_one_marks() {
    // Three nodes of a rack send to the gateway, whose uplink has 10 Gb/s only.
    let mut pair = rack(&Shape::Star { hosts: 4 }, &TWO, 1);
    let slow = pair.joined.whole.find_link("gateway-0 -> outside-switch-0").unwrap();
    pair.joined.whole.set_link(slow, Some(Rate::from_gbps(10)), None).unwrap();
    pair.outside = pair.joined.outside().topology;
    let (buffer, ecn_threshold) = (Bytes::new(4500), Some(Bytes::new(1500)));
    let config = Config { buffer, ecn_threshold, ..Config::default() };
    let mut network = join(&config, &pair, Seed(1));
    let frames: Vec<(u64, Frame)> = (0..12).map(|flow| (0, frame(flow, 1 + flow % 3, 4, 1500))).collect();
    let found = arrivals(&mut network, &frames);
    let totals = network.totals();
    assert_eq!((totals.offered, totals.delivered + totals.dropped), (12, 12));
    assert!(totals.dropped > 0 && totals.delivered == found.len() as u64);
    let marked = found.iter().filter(|(_, frame)| frame.ecn == Ecn::Marked).count();
    let counters = network.counters();
    let counter = |name| counters.iter().find(|counter| counter.name == name).unwrap().value;
    assert_eq!(counter("passed out of the rack"), found.len() as f64);
    assert_eq!(counter("dropped before the outside"), totals.dropped as f64);
    assert_eq!(counter("marked before the outside"), marked as f64);
    assert_eq!(counter("longest queue before the outside"), 4500.0);
    // They come out at the rate of the uplink, (1500 + 38) B at 10 Gb/s apart.
    let gaps: Vec<u64> = found.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert_eq!(gaps, vec![1_230_400; found.len() - 1]);
    let empty = network.sample(Time::ZERO).iter().map(|value| (value.name, value.value)).collect::<Vec<_>>();
    assert_eq!(empty, [("queue before the rack", 0.0), ("queue before the outside", 0.0)]);
    // And the link's own counters have what waited before it.
    let end = Time::from_ps(found.last().unwrap().0);
    let link = network.link_counters(end, slow.0);
    assert_eq!((link.frames, link.dropped, link.marked), (found.len() as u64, totals.dropped, marked as u64));
    assert_eq!(link.peak, Bytes::new(4500));
    assert!(marked > 0 && link.byte_seconds > 0.0);
}

#[test]
fn flows_leave_a_gateway_that_fails() {
    let pair = rack(&Shape::Star { hosts: 4 }, &TWO, 2);
    let config = Config { failover: Span::from_us(10), ..Config::default() };
    let mut network = join(&config, &pair, Seed(1));
    let mut queue = EventQueue::new(network.event_gap());
    network.fault(Time::ZERO, Fault::Node { node: 0, up: false }, &mut queue);
    // Packets of 16 flows before hosts know, and as many after.
    let (early, late) = (Time::from_ps(1_000_000), Time::from_ps(20_000_000));
    let mut delivered = [0, 0];
    for (period, at) in [early, late].into_iter().enumerate() {
        while queue.next_at().is_some_and(|next| next < at) {
            let event = queue.pop().unwrap();
            delivered[0] += u32::from(network.handle(event, &mut queue).is_some());
        }
        (0..16).for_each(|flow| network.offer(at, frame(flow, 4, 2 + flow % 2, 100), &mut queue));
        assert_eq!(network.totals().offered, 16 * (period as u64 + 1));
    }
    while let Some(event) = queue.pop() {
        delivered[1] += u32::from(network.handle(event, &mut queue).is_some());
    }
    assert!(delivered[0] > 0 && delivered[0] < 16, "of 16 flows, some went over the other gateway: {delivered:?}");
    assert_eq!(delivered[1], 16, "all take the gateway that works");
    assert_eq!(network.totals().lost, u64::from(16 - delivered[0]));
}

/// What happened to frames at which link, by the whole's numbers: when, in ps, from which host to which, and what.
type Line = (u64, [u32; 2], u32, What);

/// Clones share what they saw.
#[derive(Clone, Default)]
struct Lines(Rc<RefCell<Vec<Line>>>);

impl Observer for Lines {
    fn see(&mut self, now: Time, seen: Seen<'_>) {
        if let Seen::Frame { frame, link, what } = seen {
            self.0.borrow_mut().push((now.as_ps(), [frame.src, frame.dst], link, what));
        }
    }
}

/// What a filter shows of these frames, with the names of links.
fn shown(pair: &Pair, filter: Filter, frames: &[(u64, Frame)]) -> Vec<(u64, [u32; 2], String, What)> {
    let lines = Lines::default();
    let observer = Filtered { filter, observer: lines.clone() };
    arrivals(&mut join_shown(&Config::default(), pair, Seed(1), observer), frames);
    let name = |link| pair.joined.whole.link_name(LinkId(link));
    lines.0.borrow().iter().map(|&(at, ends, link, what)| (at, ends, name(link), what)).collect()
}

#[test]
fn a_packet_is_shown_in_both_networks_and_between_them_by_the_numbers_of_the_whole() {
    // A rack of node 1 and gateway 0; outside of it hosts 2 and 3.
    let pair = rack(&TWO, &TWO, 1);
    let leaves = |ps| What::Queued { leaves: Some(Time::from_ps(ps)) };
    let waits = What::Queued { leaves: None };
    let line = |at, link: &str, what| (at, [1, 3], link.to_owned(), what);
    let to_outside = "gateway-0 -> outside-switch-0";
    let expected = [
        line(0, "host-1 -> switch-0", waits),
        line(46_460, "switch-0 -> gateway-0", What::Arrived),
        line(46_460, to_outside, waits),
        line(46_460, to_outside, What::Left { end: Time::from_ps(46_460) }),
        line(46_460, to_outside, leaves(46_460 + 7_040)),
        line(46_460 + 12_040, to_outside, What::Arrived),
        line(46_460 + 12_040, "outside-switch-0 -> outside-host-1", leaves(46_460 + 12_040 + 7_040)),
        line(46_460 + 24_080, "outside-switch-0 -> outside-host-1", What::Delivered),
    ];
    // Another one, that stays outside, has its own numbers.
    let frames = [(0, frame(1, 1, 3, 50)), (0, frame(2, 2, 3, 50))];
    let all = shown(&pair, Filter::default(), &frames);
    let (crosses, stays): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, ends, ..)| *ends == [1, 3]);
    assert_eq!(crosses, expected);
    assert!(stays.len() == 4 && stays.iter().all(|(_, ends, link, _)| *ends == [2, 3] && link.contains("outside")));
    // A filter by a host or a link means the same in both.
    assert_eq!(shown(&pair, Filter { hosts: vec![1], ..Filter::default() }, &frames), expected);
    let links = vec![pair.joined.whole.find_link(to_outside).unwrap().0];
    assert_eq!(shown(&pair, Filter { links, ..Filter::default() }, &frames), expected[2..6]);
}
