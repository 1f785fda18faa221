//! Rates, and what flows make of them.

use crate::lab::{Lab, torus, us};
use engine::Seed;
use fabric::{Frame, Network};
use r2c2::{Config, Knowledge, Routing};
use topology::{LinkId, NodeId, Topology};
use units::{Bytes, Span};

/// Larger than what is sent in any of these tests.
const LONG: u32 = 500_000_000;

fn whole_messages() -> Config {
    Config { mtu: Bytes::new(1_000_000_000), ..Config::default() }
}

/// By link: what crosses it of a flow between two hosts, by going through all paths one by one.
fn crossed(topology: &Topology, routing: Routing, src: u32, dst: u32) -> Vec<f64> {
    let (hosts, nodes) = (topology.hosts(), topology.nodes() as usize);
    let ends = |link: u32| topology.link(LinkId(link));
    let inside: Vec<u32> = (0..topology.links().len() as u32).filter(|link| ends(*link).class > 0).collect();
    // Distances between switches, by relaxation.
    let mut distance = vec![vec![u32::MAX / 2; nodes]; nodes];
    (0..nodes).for_each(|node| distance[node][node] = 0);
    for _ in 0..nodes {
        for link in inside.iter().map(|link| ends(*link)) {
            for from in &mut distance {
                from[link.to.index()] = from[link.to.index()].min(from[link.from.index()] + 1);
            }
        }
    }
    fn walk(at: NodeId, to: usize, part: f64, topology: &Topology, distance: &[Vec<u32>], crossed: &mut [f64]) {
        if at.index() == to {
            return;
        }
        let nearer = |link: &u32| {
            let next = topology.link(LinkId(*link)).to.index();
            !topology.is_host(NodeId(next as u32)) && distance[next][to] < distance[at.index()][to]
        };
        let links: Vec<u32> = topology.ports(at).filter(nearer).collect();
        for link in &links {
            let part = part / links.len() as f64;
            crossed[*link as usize] += part;
            walk(topology.link(LinkId(*link)).to, to, part, topology, distance, crossed);
        }
    }
    let mut crossed = vec![0.0; topology.links().len()];
    let switch = |host: u32| NodeId(hosts + host);
    match routing {
        Routing::Minimal => walk(switch(src), switch(dst).index(), 1.0, topology, &distance, &mut crossed),
        Routing::Valiant => (0..hosts).for_each(|between| {
            let part = 1.0 / f64::from(hosts);
            walk(switch(src), switch(between).index(), part, topology, &distance, &mut crossed);
            walk(switch(between), switch(dst).index(), part, topology, &distance, &mut crossed);
        }),
    }
    crossed[topology.ports(NodeId(src)).start as usize] = 1.0;
    crossed[topology.reverse(LinkId(topology.ports(NodeId(dst)).start)).index()] = 1.0;
    crossed
}

/// Water-filling as it is told: the link that is full first, all flows over it stand, and again.
fn water_filling(topology: &Topology, headroom: f64, flows: &[Vec<f64>]) -> Vec<f64> {
    let mut rates = vec![None; flows.len()];
    while rates.contains(&None) {
        let level = |link: usize| {
            let capacity = topology.links()[link].rate.as_bps() as f64 * (1.0 - headroom);
            let of = || flows.iter().map(|crossed| crossed[link]).zip(&rates);
            let taken: f64 = of().filter_map(|(part, rate)| rate.map(|rate: f64| part * rate)).sum();
            let rising: f64 = of().filter(|(_, rate)| rate.is_none()).map(|(part, _)| part).sum();
            if rising < 1e-9 { f64::INFINITY } else { (capacity - taken) / rising }
        };
        let full = (0..topology.links().len()).min_by(|one, other| level(*one).total_cmp(&level(*other))).unwrap();
        let level = level(full);
        for (crossed, rate) in flows.iter().zip(&mut rates) {
            if rate.is_none() && crossed[full] > 1e-9 {
                *rate = Some(level);
            }
        }
    }
    rates.into_iter().map(Option::unwrap).collect()
}

/// What a host's link carries away from it, in bits a second, since the measurement began.
fn sends(lab: &Lab, host: u32, span: Span) -> f64 {
    let link = lab.topology.ports(NodeId(host)).start;
    lab.network.bytes_sent(us(0) + Span::MAX, link) as f64 * 8.0 / span.as_secs_f64()
}

/// What comes to a host, likewise.
fn receives(lab: &Lab, host: u32, span: Span) -> f64 {
    let link = lab.topology.reverse(LinkId(lab.topology.ports(NodeId(host)).start)).0;
    lab.network.bytes_sent(us(0) + Span::MAX, link) as f64 * 8.0 / span.as_secs_f64()
}

#[test]
fn rates_of_a_running_rack_equal_water_filling() {
    for (sizes, flows) in [(&[4, 3][..], 10), (&[8], 12), (&[3, 3, 2], 40), (&[2, 2, 2, 2], 30)] {
        for (routing, knowledge) in [
            (Routing::Minimal, Knowledge::EachNode),
            (Routing::Minimal, Knowledge::Common),
            (Routing::Valiant, Knowledge::EachNode),
        ] {
            let config = Config { routing, knowledge, ..whole_messages() };
            let mut lab = Lab::new(&config, torus(sizes));
            let hosts = lab.topology.hosts();
            let mut stream = Seed(9).stream("test", hosts.into());
            let mut pairs = Vec::new();
            for flow in 0..flows {
                let src = stream.below(hosts.into()) as u32;
                let dst = (src + 1 + stream.below(u64::from(hosts) - 1) as u32) % hosts;
                pairs.push((src, dst));
                lab.send(flow, src, dst, LONG);
            }
            // Twice the same source and destination: each of the two has as much as others.
            pairs.push(pairs[0]);
            lab.send(flows, pairs[0].0, pairs[0].1, LONG);
            let crossed: Vec<Vec<f64>> =
                pairs.iter().map(|(src, dst)| crossed(&lab.topology, routing, *src, *dst)).collect();
            let expected = water_filling(&lab.topology, config.headroom, &crossed);
            lab.run_until(us(1_000));
            for (flow, expected) in (0..).zip(&expected) {
                let rate = lab.rate(flow);
                assert!(
                    (rate / expected - 1.0).abs() < 1e-6,
                    "{sizes:?}, {routing:?}: flow {flow} has {rate}, not {expected}"
                );
            }
            // And that is what hosts send.
            lab.network.begin_measurement(us(1_000));
            lab.run_until(us(3_000));
            for host in 0..hosts {
                let expected: f64 =
                    pairs.iter().zip(&expected).filter(|((src, _), _)| *src == host).map(|(_, rate)| rate).sum();
                let sent = sends(&lab, host, Span::from_us(2_000));
                assert!(
                    (sent - expected).abs() <= 0.02 * expected + 1e6,
                    "{sizes:?}: host {host} sends {sent}, not {expected}"
                );
            }
        }
    }
}

/// Every host sends to the one so many places further along the first dimension: what each receives at least, as a share of a link.
fn shift(sizes: &[u32], by: u32, routing: Routing) -> f64 {
    let mut lab = Lab::new(&Config { routing, interval: Span::from_us(20), ..whole_messages() }, torus(sizes));
    for host in 0..lab.topology.hosts() {
        let place = host % sizes[0];
        lab.send(host, host, host - place + (place + by) % sizes[0], LONG);
    }
    lab.run_until(us(1_500));
    lab.network.begin_measurement(us(1_500));
    lab.run_until(us(3_500));
    let received = (0..lab.topology.hosts()).map(|host| receives(&lab, host, Span::from_us(2_000)));
    received.fold(f64::INFINITY, f64::min) / 10e9
}

#[test]
fn valiant_is_better_for_a_tornado_and_minimal_for_neighbours() {
    let is =
        |measured: f64, expected: f64| assert!((measured / expected - 1.0).abs() < 0.03, "{measured}, not {expected}");
    // On a ring of 8, three links on all go the same way round, and each link has three flows. Over a random node, packets take two
    // links there and two from there on average, of the two that a node has.
    is(shift(&[8], 3, Routing::Minimal), 0.95 / 3.0);
    is(shift(&[8], 3, Routing::Valiant), 0.95 / 2.0);
    // Neighbours have a link to themselves, or share all as any traffic does.
    is(shift(&[8], 1, Routing::Minimal), 0.95);
    is(shift(&[8], 1, Routing::Valiant), 0.95 / 2.0);
    // In a second dimension of 4 packets take a link there and one back more, and have two more links: 6 links a packet of 4 a node, but those of
    // the first dimension are busier: 4 of 2.
    is(shift(&[8, 4], 3, Routing::Minimal), 0.95 / 3.0);
    is(shift(&[8, 4], 3, Routing::Valiant), 0.95 / 2.0);
}

#[test]
fn queues_are_short_once_there_are_rates() {
    for routing in [Routing::Minimal, Routing::Valiant] {
        let config = Config { routing, interval: Span::from_us(50), headroom: 0.2, ..whole_messages() };
        let mut lab = Lab::new(&config, torus(&[4, 4, 4]));
        let mut targets: Vec<u32> = (0..64).collect();
        Seed(5).stream("test", 0).shuffle(&mut targets);
        for (host, target) in (0..64).zip(targets).filter(|(host, target)| host != target) {
            lab.send(host, host, target, LONG);
        }
        lab.run_until(us(50));
        let young = lab.longest_queue();
        // Rates leave room for what had been sent too fast to go.
        lab.run_until(us(3_000));
        lab.network.begin_measurement(us(3_000));
        lab.run_until(us(4_000));
        let settled = lab.busiest_queue(Span::from_us(1_000));
        // Packets that come at random and keep a link busy for 80 % of the time have 1.6 waiting and nearly one leaving, in the long run.
        assert!(settled < 8.0 * 1532.0 && young as f64 > 5.0 * settled, "{routing:?}: {settled} B after {young} B");
    }
}

#[test]
fn classes_of_priority_are_strict() {
    let mut lab = Lab::new(&whole_messages(), torus(&[8]));
    let send = |lab: &mut Lab, flow, src, dst, priority| {
        lab.send_with(Frame { flow, src, dst, len: LONG, priority, ..Frame::EMPTY });
    };
    // Two urgent flows share one link, and one that is not has another link's rest and nothing of the first.
    send(&mut lab, 0, 0, 1, 0);
    send(&mut lab, 1, 7, 1, 0);
    send(&mut lab, 2, 0, 1, 1);
    send(&mut lab, 3, 7, 0, 1);
    lab.run_until(us(600));
    assert_eq!([0, 1, 2, 3].map(|flow| lab.rate(flow)), [4.75e9, 4.75e9, 0.0, 4.75e9]);
    // When an urgent one ends, others have what it leaves.
    let mut lab = Lab::new(&whole_messages(), torus(&[8]));
    lab.send_with(Frame { flow: 0, src: 0, dst: 1, len: 1_000_000, priority: 0, ..Frame::EMPTY });
    send(&mut lab, 1, 0, 1, 7);
    lab.run_until(us(600));
    assert_eq!([0, 1].map(|flow| lab.rate(flow)), [9.5e9, 0.0]);
    lab.run_until(us(1_900));
    assert_eq!((lab.delivered.len(), lab.rate(1)), (1, 9.5e9));
}
