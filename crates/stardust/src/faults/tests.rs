//! Whole fabrics while parts of them fail, and after.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::config::{Class, Config, InteriorKind};
use crate::interior::Interior;
use crate::least_threshold;
use crate::rig::{Rig, us};
use crate::{Lanes, LockStep};
use engine::{Seed, Stream};
use fabric::{Fault, Network};
use topology::{Shape, Topology};
use units::{Bytes, Rate, Span, Time};

fn build(shape: Shape) -> Topology {
    shape.build(Rate::from_gbps(10), Span::from_us(1)).unwrap()
}

fn tree() -> Topology {
    build(Shape::FatTree { k: 4, oversubscription: 1.0 })
}

fn two_stage() -> Topology {
    build(Shape::LeafSpine { leaves: 4, spines: 4, hosts_per_leaf: 4 })
}

/// Sends frames of random lengths and priorities between random hosts, a gap apart on average, until an instant.
fn load<I: Interior>(rig: &mut Rig<I>, stream: &mut Stream, gap: Span, until: Time) {
    let hosts = rig.waiting.len() as u64;
    while rig.now < until {
        let src = stream.below(hosts) as u32;
        let dst = (u64::from(src) + 1 + stream.below(hosts - 1)) % hosts;
        let (len, priority) = (64 + stream.below(1437) as u32, stream.below(2) as u8);
        rig.send(src, dst as u32, len, priority);
        let next = rig.now + Span::from_ps(stream.exponential(gap.as_ps() as f64) as u64);
        rig.run(next);
    }
}

#[test]
fn nothing_is_left_behind_when_traffic_ends() {
    idle::<Lanes>();
    idle::<LockStep>();
}

fn idle<I: Interior>() {
    // A watchdog that never barks: the accounts must be right by themselves.
    let class = |weight, low_latency| Class { weight, low_latency };
    let plain = || vec![class(0, false)];
    for (classes, credit, throttled) in [
        (plain(), 4096, false),
        (plain(), 700, false),
        (plain(), 4096, true),
        (vec![class(0, true), class(1, false)], 4096, false),
    ] {
        let mut config = Config::default().with_classes(&classes);
        config.credits.watchdog = Span::from_ms(10_000);
        config.credits.size = Bytes::new(credit);
        if throttled {
            config.element.fci_threshold = 0;
            config.credits.throttle.cut = 1.0;
        }
        for topology in [tree(), two_stage()] {
            let mut rig = Rig::<I>::new(&config, &topology, 1);
            let mut stream = Seed(1).stream("test", 0);
            load(&mut rig, &mut stream, Span::from_ns(100), us(300));
            rig.run(us(2500));
            rig.is_at_rest();
            assert!(rig.delivered.len() > 2500);
            assert_eq!((rig.fabric.totals.lost, rig.fabric.sums.cells_lost, rig.fabric.sums.cells_astray), (0, 0, 0));
        }
    }
}

#[test]
fn nothing_is_stuck_when_everything_is_repaired() {
    recovers::<Lanes>();
    recovers::<LockStep>();
}

fn recovers<I: Interior>() {
    let mut config = Config::default();
    config.credits.watchdog = Span::from_us(300);
    for seed in 1..6 {
        for topology in [tree(), two_stage()] {
            let mut silent = config.clone();
            silent.reachability.silent_failures = true;
            let mut paused = config.clone();
            paused.adapter.pause_threshold = Some(Bytes::new(20_000));
            for config in [&config, &silent, &paused] {
                let mut rig = Rig::<I>::new(config, &topology, seed);
                break_things(&mut rig, &topology, seed);
                // All is repaired: tables are made again, what was lost is given up, and all that waits is sent.
                let repaired = rig.now;
                rig.run(repaired + Span::from_ms(5));
                rig.is_at_rest();
                rig.delivered.clear();
                let hosts = topology.hosts();
                let pairs: Vec<_> = (0..hosts).flat_map(|src| (0..hosts).map(move |dst| (src, dst))).collect();
                for (src, dst) in pairs.iter().filter(|(src, dst)| src != dst) {
                    rig.send(*src, *dst, 1500, 0);
                }
                rig.run(repaired + Span::from_ms(8));
                rig.is_at_rest();
                assert_eq!(rig.delivered.len() as u32, hosts * (hosts - 1), "every host reaches every other");
            }
        }
    }
}

/// A millisecond of traffic in which links are cut, receive wrong, nodes go off, and all comes back.
fn break_things<I: Interior>(rig: &mut Rig<I>, topology: &Topology, seed: u64) {
    let mut stream = Seed(seed).stream("breaks", 0);
    let mut broken = Vec::new();
    while rig.now < us(1000) {
        let next = rig.now + Span::from_us(25);
        load(rig, &mut stream, Span::from_ns(250), next);
        if stream.below(3) == 0
            && let Some(repair) = broken.pop()
        {
            rig.fault(repair);
        }
        let links = topology.links().len() as u64;
        let (fault, repair) = match stream.below(5) {
            0 | 1 => {
                let link = stream.below(links) as u32;
                (Fault::Link { link, up: false }, Fault::Link { link, up: true })
            }
            2 => {
                let node = stream.below(u64::from(topology.nodes())) as u32;
                (Fault::Node { node, up: false }, Fault::Node { node, up: true })
            }
            3 => {
                let link = stream.below(links) as u32;
                (Fault::BitErrors { link, rate: 1e-4 }, Fault::BitErrors { link, rate: 0.0 })
            }
            _pause => continue,
        };
        rig.fault(fault);
        broken.insert(0, repair);
        if broken.len() > 6 {
            rig.fault(broken.pop().unwrap());
        }
    }
    for repair in broken {
        rig.fault(repair);
    }
}

#[test]
fn cells_that_are_sent_over_a_cut_link_are_lost() {
    lost_until_seen::<Lanes>();
    lost_until_seen::<LockStep>();
}

fn lost_until_seen<I: Interior>() {
    let mut config = Config::default();
    config.reachability.silent_failures = true;
    let mut rig = Rig::<I>::new(&config, &two_stage(), 1);
    let up = rig.link(0, 4);
    let mut stream = Seed(1).stream("test", 0);
    load(&mut rig, &mut stream, Span::from_ns(250), us(100));
    assert_eq!(rig.fabric.sums.cells_lost, 0);
    rig.fault(Fault::Link { link: up, up: false });
    load(&mut rig, &mut stream, Span::from_ns(250), us(110));
    let (lost, packets) = (rig.fabric.sums.cells_lost, rig.fabric.totals.lost);
    assert!(lost > 10 && packets > 0, "{lost} cells, {packets} packets in 10 us");
    load(&mut rig, &mut stream, Span::from_ns(250), us(300));
    // The element hears nothing for three periods: between two and four after the cut. It then says so to the adapter, and no longer
    // that it reaches it to the others, who believe it the third time.
    let noticed = rig.last_loss;
    assert!((us(141)..us(174)).contains(&noticed), "until {noticed}");
    // And when the cable is back, it counts again after as many good messages.
    rig.fault(Fault::Link { link: up, up: true });
    rig.run(us(330));
    assert!(!rig.fabric.reach.usable(up, &rig.fabric.layout), "two messages are not enough");
    rig.run(us(350));
    assert!(rig.fabric.reach.usable(up, &rig.fabric.layout));
}

/// Time from a cut of the cable between an adapter and an element until the last cell was lost for it, under full load.
fn recovery<I: Interior>(topology: &Topology, config: &Config, seed: u64) -> Span {
    let mut rig = Rig::<I>::new(config, topology, seed);
    let element = rig.fabric.layout.wires[rig.fabric.layout.out(0).next().unwrap() as usize].to;
    let down = rig.link(element, 0);
    let mut stream = Seed(seed).stream("test", 0);
    // Everybody sends to the hosts of the first adapter, so that who still uses the link loses cells.
    let ports = rig.fabric.layout.ports[0].clone();
    let hosts = topology.hosts();
    let mut send = |rig: &mut Rig<I>, until: Time| {
        while rig.now < until {
            let dst = ports[stream.below(ports.len() as u64) as usize];
            let src = (dst + 1 + stream.below(u64::from(hosts) - 1) as u32) % hosts;
            rig.send(src, dst, 1000, 0);
            let next = rig.now + Span::from_ns(400);
            rig.run(next);
        }
    };
    send(&mut rig, us(50));
    let back = rig.link(0, element);
    rig.fault(Fault::Link { link: down, up: false });
    rig.fault(Fault::Link { link: back, up: false });
    send(&mut rig, us(400));
    rig.last_loss.since(us(50))
}

#[test]
fn the_last_adapter_stops_using_a_link_when_appendix_e_says() {
    // t * th: the sum over the hops of (t' + pd) * M * th. M is 1 here, t' 10 us, pd 1 us, th 3.
    let config = Config::default();
    let hop = Span::from_us(11) * 3;
    for (topology, hops) in [(two_stage(), 1), (tree(), 3)] {
        let formula = hop * hops;
        let times: Vec<Span> = (1..6).map(|seed| recovery::<Lanes>(&topology, &config, seed)).collect();
        // Messages are not in step: a hop takes between two periods and three after its news, where the formula has three; and
        // cells that were on their way when the last adapter stopped are lost a little later.
        let soonest = (Span::from_us(20) + Span::from_us(1)) * hops;
        assert!(
            times.iter().all(|time| *time >= soonest && *time <= formula + Span::from_us(5)),
            "{times:?}, {formula}"
        );
        // Without a signal to lose, the element at the link's end has to hear nothing for three of its periods.
        let mut silent = config.clone();
        silent.reachability.silent_failures = true;
        let detection = Span::from_us(10) * 4;
        let times: Vec<Span> = (1..6).map(|seed| recovery::<Lanes>(&topology, &silent, seed)).collect();
        let soonest = soonest + Span::from_us(20);
        let latest = formula + detection + Span::from_us(5);
        assert!(times.iter().all(|time| *time >= soonest && *time <= latest), "{times:?}, {formula} and {detection}");
    }
}

#[test]
fn cold_tables_come_up_without_losses() {
    let mut config = Config::default();
    config.reachability.cold_start = true;
    for topology in [tree(), two_stage()] {
        let mut rig = Rig::<Lanes>::new(&config, &topology, 1);
        let layout = &rig.fabric.layout;
        let pairs = (0..layout.adapters).flat_map(|from| (0..layout.adapters).map(move |to| (from, to)));
        let pairs: Vec<(u32, u32)> = pairs.filter(|(from, to)| from != to).collect();
        let routes = |rig: &Rig<Lanes>| {
            pairs.iter().filter(|(from, to)| rig.fabric.tables.route(*from, *to as u16, true).is_some()).count()
        };
        assert_eq!(routes(&rig), 0);
        rig.run(us(500));
        assert_eq!(routes(&rig), pairs.len());
        let mut stream = Seed(1).stream("test", 0);
        load(&mut rig, &mut stream, Span::from_ns(200), us(700));
        rig.run(us(2000));
        rig.is_at_rest();
        assert_eq!(rig.fabric.totals.lost, 0);
    }
}

/// Nothing fails in 300 us of traffic: links that were declared failed all the same, and cells and packets that went for it, over
/// eight seeds.
fn false_failures<I: Interior>(config: &Config, topology: &Topology) -> [u64; 3] {
    let mut found = [0; 3];
    for seed in 1..9 {
        let mut rig = Rig::<I>::new(config, topology, seed);
        let ideals = |rig: &Rig<I>| [4, 9, 15].map(|dst| rig.fabric.ideal(0, dst, Bytes::new(9000), Bytes::ZERO));
        let before = ideals(&rig);
        let mut stream = Seed(seed).stream("test", 0);
        for until in 1..=300 {
            load(&mut rig, &mut stream, Span::from_ns(30), us(until));
            assert_eq!(ideals(&rig), before, "the ideal time is over all links that were built");
        }
        let (lost, sums) = (rig.fabric.totals.lost, &rig.fabric.sums);
        let [links, cells, packets] = [sums.false_failures, sums.cells_astray, sums.packets_astray];
        assert_eq!(sums.cells_lost, 0, "links lose nothing");
        assert!(lost >= packets && (lost == packets || cells > 0), "{lost} packets lost, {packets}, {cells} cells");
        found = [found[0] + links, found[1] + cells, found[2] + packets];
        rig.fabric.check();
    }
    found
}

#[test]
fn messages_that_come_late_are_taken_for_failures_below_the_least_threshold_only() {
    taken_for_failures::<Lanes>(false);
    taken_for_failures::<LockStep>(true);
}

fn taken_for_failures<I: Interior>(lock_step: bool) {
    let topology = two_stage();
    // On these links a cell takes 205 ns and a message 19 ns.
    for (period, least) in [(Span::from_us(5), 2), (Span::from_ns(420), 2), (Span::from_ns(150), 3)] {
        let mut config = Config {
            interior: if lock_step { InteriorKind::LockStep } else { InteriorKind::Events },
            ..Config::default()
        };
        config.reachability.period = period;
        let found = least_threshold(&config, &topology);
        assert_eq!((found.0.as_ps() / 1000, found.1), (224, least));
        config.reachability.threshold = least;
        assert_eq!(false_failures::<I>(&config, &topology), [0; 3], "with a threshold of {least}");
        config.reachability.threshold = least - 1;
        let [links, cells, packets] = false_failures::<I>(&config, &topology);
        assert!(links > 0 && cells + packets > 0, "{period}: {links} links, {cells} cells, {packets} packets");
    }
}
