//! The fluid network under whole runs, against a max-min fair simulation of its own: flows, not frames, and the plainest filling.

use crate::lab::{Lab, Report, flows, ms};
use engine::{Control, Seed, mix};
use fabric::Ecmp;
use fluid::{Config, Fluid, Sharing};
use proptest::prelude::*;
use topology::{LinkId, NodeId, Routes, Shape, Topology};
use transport::Config as Protocol;
use transport::config::Direct;
use units::{Bytes, Rate, Span, Time};

/// A message: from, to, bytes, start.
type Message = (u32, u32, u64, Time);

fn lab(topology: &Topology, messages: &[Message], duration: Time, seed: u64) -> Lab {
    let list = messages.iter().map(|(src, dst, bytes, start)| (*src, *dst, Bytes::new(*bytes), *start));
    Lab { seed, ..Lab::new(topology.clone(), flows(list), duration) }
}

fn run_seeded(topology: &Topology, config: &Config, messages: &[Message], duration: Time, seed: u64) -> Report {
    let network = Fluid::new(config, topology, Seed(seed)).unwrap();
    lab(topology, messages, duration, seed).run_over(
        network,
        &Protocol::Direct(Direct { header: Bytes::ZERO }),
        &Control::default(),
    )
}

fn run(topology: &Topology, config: &Config, messages: &[Message], duration: Time) -> Report {
    run_seeded(topology, config, messages, duration, 1)
}

/// How long each message took, in the order of the list, in picoseconds.
fn times(report: &Report) -> Vec<f64> {
    let (ids, times) = (report.integers("flows", "id"), report.integers("flows", "fct_ps"));
    let mut by_id: Vec<_> = ids.into_iter().zip(times).collect();
    by_id.sort_unstable();
    by_id.into_iter().map(|(_, time)| time.unwrap() as f64).collect()
}

/// Raises the rates of all that flow together until a link is full, stops those that cross it there, and goes on with the others.
fn raise(paths: &[Vec<u32>], flowing: &[usize], capacities: &[f64]) -> Vec<f64> {
    let mut rates = vec![0.0; paths.len()];
    let mut left = capacities.to_vec();
    let mut rising = flowing.to_vec();
    while !rising.is_empty() {
        let mut users = vec![0.0; left.len()];
        rising.iter().flat_map(|flow| &paths[*flow]).for_each(|link| users[*link as usize] += 1.0);
        let step = left.iter().zip(&users).filter(|(_, users)| **users > 0.0).map(|(left, users)| left / users);
        let step = step.fold(f64::INFINITY, f64::min);
        rising.iter().for_each(|flow| rates[*flow] += step);
        left.iter_mut().zip(&users).for_each(|(left, users)| *left -= step * users);
        rising.retain(|flow| paths[*flow].iter().all(|link| left[*link as usize] > 1e-9 * capacities[*link as usize]));
    }
    rates
}

/// When each message has left its host, after its start, if all have max-min fair rates at every instant. In picoseconds.
fn oracle(paths: &[Vec<u32>], capacities: &[f64], messages: &[Message]) -> Vec<f64> {
    let mut bits: Vec<f64> = messages.iter().map(|(_, _, bytes, _)| *bytes as f64 * 8.0).collect();
    let start: Vec<f64> = messages.iter().map(|(.., start)| start.as_ps() as f64).collect();
    let mut end = vec![f64::NAN; messages.len()];
    let mut now = 0.0;
    while end.iter().any(|end| end.is_nan()) {
        let flowing: Vec<usize> = (0..end.len()).filter(|flow| end[*flow].is_nan() && start[*flow] <= now).collect();
        let rates = raise(paths, &flowing, capacities);
        let starts = start.iter().copied().filter(|start| *start > now);
        let next =
            flowing.iter().map(|flow| now + bits[*flow] / rates[*flow]).chain(starts).fold(f64::INFINITY, f64::min);
        for flow in flowing {
            bits[flow] -= rates[flow] * (next - now);
            if bits[flow] < 1e-3 {
                end[flow] = next;
            }
        }
        now = next;
    }
    end.iter().zip(&start).map(|(end, start)| end - start).collect()
}

fn capacities(topology: &Topology) -> Vec<f64> {
    topology.links().iter().map(|link| link.rate.as_bps() as f64 * 1e-12).collect()
}

/// The links of hosts, out and in.
fn interfaces(topology: &Topology, src: u32, dst: u32) -> Vec<u32> {
    let up = |host| LinkId(topology.ports(NodeId(host)).start);
    vec![up(src).0, topology.reverse(up(dst)).0]
}

/// Every link of the path that a flow's hash chooses, over Ethernet's routes.
fn hashed(topology: &Topology, routes: &Routes, flow: u64, src: u32, dst: u32) -> Vec<u32> {
    let (ecmp, entropy) = (Ecmp::new(Seed(1), topology.nodes()), mix(1 ^ mix(flow)) as u32);
    let (mut node, mut path) = (NodeId(src), Vec::new());
    while node.0 != dst {
        let hops = routes.next_hops(node, dst);
        let link = hops.link(ecmp.choose(node.0, entropy, hops.len()));
        path.push(link.0);
        node = topology.link(link).to;
    }
    path
}

fn star(rates: &[u64]) -> Topology {
    let mut topology = Shape::Star { hosts: rates.len() as u32 }.build(Rate::from_gbps(1), Span::ZERO).unwrap();
    for link in (0..topology.links().len() as u32).map(LinkId) {
        let ends = [topology.link(link).from.0, topology.link(link).to.0];
        let rate = rates[ends.into_iter().min().unwrap() as usize];
        topology.set_link(link, Some(Rate::from_gbps(rate)), None).unwrap();
    }
    topology
}

fn messages(hosts: u32, most: usize) -> impl Strategy<Value = Vec<Message>> {
    // Starts that often coincide, and sizes from a byte to many pieces.
    let starts = prop_oneof![Just(0_u64), 0_u64..50];
    let message = (0..hosts, 1..hosts, prop_oneof![1_u64..2000, 2000_u64..200_000], starts);
    let message = message.prop_map(move |(src, further, bytes, start)| {
        (src, (src + further) % hosts, bytes, Time::ZERO + Span::from_us(start))
    });
    // Flows are numbered as they start.
    prop::collection::vec(message, 1..most).prop_map(|mut list| {
        list.sort_by_key(|(.., start)| *start);
        list
    })
}

/// A piece ends with a whole picosecond, so a message may be late by one for each piece and each change of its rate.
fn close(found: &[f64], expected: &[f64], mtu: u64, messages: &[Message]) -> Result<(), TestCaseError> {
    for ((found, expected), message) in found.iter().zip(expected).zip(messages) {
        let slack = (message.2 / mtu + 2 * messages.len() as u64 + 2) as f64 * 2.0;
        prop_assert!((found - expected).abs() <= slack, "{message:?} took {found} ps for {expected}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn every_message_flows_at_its_fair_rate(
        rates in prop::collection::vec(prop_oneof![Just(1_u64), Just(10), 1_u64..100], 5),
        list in messages(5, 200),
        mtu in prop_oneof![Just(1_500_u64), Just(1 << 30)],
    ) {
        let topology = star(&rates);
        let config = Config { mtu: Bytes::new(mtu), sharing: Sharing::Interfaces };
        let paths: Vec<_> = list.iter().map(|(src, dst, ..)| interfaces(&topology, *src, *dst)).collect();
        let expected = oracle(&paths, &capacities(&topology), &list);
        close(&times(&run(&topology, &config, &list, ms(1000))), &expected, mtu, &list)?;
    }

    #[test]
    fn and_over_the_paths_that_hashes_chose(
        shape in prop_oneof![
            Just(Shape::LeafSpine { leaves: 3, spines: 3, hosts_per_leaf: 4 }),
            Just(Shape::FatTree { k: 4, oversubscription: 1.0 }),
        ],
        rates in prop::collection::vec(1_u64..20, 7),
        list in messages(12, 60),
    ) {
        let mut topology = shape.build(Rate::from_gbps(1), Span::ZERO).unwrap();
        for link in (0..topology.links().len() as u32).map(LinkId) {
            topology.set_link(link, Some(Rate::from_gbps(rates[link.index() % rates.len()])), None).unwrap();
        }
        let config = Config { mtu: Bytes::new(1_500), sharing: Sharing::EcmpPaths };
        let routes = Routes::shortest(&topology).unwrap();
        let path = |(flow, message): (u64, &Message)| hashed(&topology, &routes, flow, message.0, message.1);
        let paths: Vec<_> = (0..).zip(&list).map(path).collect();
        let expected = oracle(&paths, &capacities(&topology), &list);
        close(&times(&run(&topology, &config, &list, ms(1000))), &expected, 1_500, &list)?;
    }
}

#[test]
fn flows_whose_hashes_collide_share_a_link() {
    // Three flows over two spines, all links alike: two of them meet at least. Worked by hand, in units of a flow alone: one has a
    // spine to itself and takes 1, two share and take 2; or all three share and take 3.
    let topology = Shape::LeafSpine { leaves: 2, spines: 2, hosts_per_leaf: 3 };
    let topology = topology.build(Rate::from_gbps(8), Span::ZERO).unwrap();
    let list: Vec<Message> = (0..3).map(|host| (host, host + 3, 1000, Time::ZERO)).collect();
    let mut seen = [false; 2];
    for seed in 1..40 {
        let all = |sharing| {
            let config = Config { sharing, ..Config::default() };
            let times = times(&run_seeded(&topology, &config, &list, ms(1), seed));
            let mut units: Vec<i64> = times.into_iter().map(|time| (time / 1e6).round() as i64).collect();
            units.sort_unstable();
            units
        };
        assert_eq!(all(Sharing::Interfaces), [1, 1, 1]);
        let units = all(Sharing::EcmpPaths);
        assert!(units == [1, 2, 2] || units == [3, 3, 3], "{units:?}");
        seen[usize::from(units[0] == 3)] = true;
    }
    assert_eq!(seen, [true, true]);
}

#[test]
fn the_same_flows_take_the_same_links_as_over_ethernet() {
    let topology = Shape::FatTree { k: 4, oversubscription: 1.0 }.build(Rate::from_gbps(8), Span::ZERO).unwrap();
    let config = Config { mtu: Bytes::new(1500), sharing: Sharing::EcmpPaths };
    for seed in 1..20 {
        let list: Vec<Message> = (0..4).map(|host| (host, 12 + (host + 1) % 4, 1000, Time::ZERO)).collect();
        let fluid = run_seeded(&topology, &config, &list, ms(1), seed);
        let mut ethernet = lab(&topology, &list, ms(1), seed);
        ethernet.fabric.framing = Bytes::ZERO;
        let ethernet = ethernet.run(&Protocol::Direct(Direct { header: Bytes::ZERO }));
        assert_eq!(fluid.integers("links", "bytes"), ethernet.integers("links", "bytes"), "seed {seed}");
    }
}

#[test]
fn a_hundred_messages_of_one_host_flow_at_once() {
    // 100 Gb/s to a hundred receivers of 1 Gb/s: a megabyte each takes 8 ms, whoever it is for.
    let rates: Vec<u64> = (0..=100).map(|host| if host == 0 { 100 } else { 1 }).collect();
    let list: Vec<Message> = (1..=100).map(|dst| (0, dst, 1_000_000, Time::ZERO)).collect();
    for mtu in [64_000, 1 << 30] {
        let config = Config { mtu: Bytes::new(mtu), sharing: Sharing::Interfaces };
        for time in times(&run(&star(&rates), &config, &list, ms(100))) {
            assert!((time - 8e9).abs() < 100.0, "{time} ps");
        }
    }
}

#[test]
fn all_to_all_among_many_takes_what_the_interfaces_need() {
    let hosts = 128;
    let pairs = (0..hosts).flat_map(|src| (0..hosts).map(move |dst| (src, dst))).filter(|(src, dst)| src != dst);
    let list: Vec<Message> = pairs.map(|(src, dst)| (src, dst, 100_000, Time::ZERO)).collect();
    let config = Config { mtu: Bytes::new(1 << 30), sharing: Sharing::Interfaces };
    let report = run(&star(&vec![10; hosts as usize]), &config, &list, ms(100));
    for time in times(&report) {
        assert!((time - 127.0 * 80e6).abs() < 10.0, "{time} ps");
    }
}

#[test]
fn a_message_flows_at_once_beside_those_without_end() {
    // Pieces of a megabyte take 8 ms at a gigabit a second; a message that begins beside them has its half at once.
    let list = [(0, 1, Bytes::MAX.get(), Time::ZERO), (0, 2, 1000, ms(1))];
    let config = Config { mtu: Bytes::new(1_000_000), sharing: Sharing::Interfaces };
    let report = run(&star(&[1, 1, 1]), &config, &list, ms(30));
    let short = report.integers("flows", "fct_ps");
    assert_eq!(short.into_iter().flatten().collect::<Vec<_>>(), [16_000_000]);
}
