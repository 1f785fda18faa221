//! When nothing moves, and when it only seems so. Faults in whole runs.

use crate::lab::{Lab, Report, direct, flows, ms, newreno, star, tree, us};
use engine::{Control, Event, EventQueue, Rank, Seed};
use ethernet::{Ethernet, Fifo, Length};
use fabric::{Counter, Distribution, Fault, Frame, Inside, LinkCounters, Network, Off, Offers, Totals, kind};
use simulation::Ended;
use topology::Topology;
use units::{Bytes, Span, Time};

/// An Ethernet fabric with a clock that never stops, as slotted fabrics have.
struct Clocked(Ethernet<Fifo>);

/// What it says that it counted.
const COUNTED: Counter = Counter { name: "ticks", unit: "times", value: 7.0 };

const PERIOD: Span = Span::from_us(10);

impl Network for Clocked {
    type Observer = Off;
    fn observer(&mut self) -> &mut Off {
        self.0.observer()
    }
    fn begin(&mut self, queue: &mut EventQueue) {
        queue.push(Event { at: Time::ZERO, rank: Rank::new(kind::TICK, 0), slot: 0 });
    }
    fn handle(&mut self, event: Event, queue: &mut EventQueue) -> Option<Frame> {
        if event.rank.kind() == kind::TICK {
            queue.push(Event { at: event.at + PERIOD, ..event });
            return None;
        }
        self.0.handle(event, queue)
    }
    fn counters(&self) -> Vec<Counter> {
        vec![COUNTED]
    }
    fn distributions(&self) -> Vec<Distribution> {
        vec![Distribution { name: "cell latency", unit: "ps", bins: vec![(10, 20, 3), (20, 30, 0), (30, 40, 1)] }]
    }
    fn offers(&self) -> Offers {
        self.0.offers()
    }
    fn has_room(&self, now: Time, host: u32) -> bool {
        self.0.has_room(now, host)
    }
    fn call_when_ready(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        self.0.call_when_ready(now, host, queue);
    }
    fn offer(&mut self, now: Time, frame: Frame, queue: &mut EventQueue) {
        self.0.offer(now, frame, queue);
    }
    fn fault(&mut self, now: Time, fault: Fault, queue: &mut EventQueue) {
        self.0.fault(now, fault, queue);
    }
    fn totals(&self) -> Totals {
        self.0.totals()
    }
    fn link_counters(&self, now: Time, link: u32) -> LinkCounters {
        self.0.link_counters(now, link)
    }
    fn queue(&self, now: Time, link: u32) -> Bytes {
        self.0.queue(now, link)
    }
    fn begin_measurement(&mut self, now: Time) {
        self.0.begin_measurement(now);
    }
    fn ideal(&self, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span {
        self.0.ideal(src, dst, bytes, header)
    }
    fn mtu(&self) -> Bytes {
        self.0.mtu()
    }
    fn event_gap(&self) -> Span {
        self.0.event_gap()
    }
    fn check(&self) {
        self.0.check();
    }
    fn frames_inside(&self) -> Vec<Inside> {
        self.0.frames_inside()
    }
}

impl Lab {
    fn clocked(&self) -> Clocked {
        Clocked(Ethernet::new(&self.fabric, &self.topology, Seed(self.seed)).unwrap())
    }
}

fn node(topology: &Topology, name: &str, up: bool) -> Fault {
    Fault::Node { node: topology.find_node(name).unwrap().0, up }
}

/// Two senders in step into a port with room for one packet: with `direct`, some of it never comes.
fn losing(duration: Time) -> Lab {
    let list = [(1, 0, Bytes::new(30_000), us(0)), (2, 0, Bytes::new(30_000), us(0))];
    let mut lab = Lab::new(star(3), flows(list), duration);
    lab.fabric.port.queue = Length::Packets(1);
    lab.fabric.port.ecn_threshold = None;
    lab
}

#[test]
fn a_fabric_whose_clock_goes_on_stalls_all_the_same() {
    let lab = losing(ms(100));
    let report = lab.run_over(lab.clocked(), &direct(), &Control::default());
    let Ended::Stalled(text) = &report.outcome.ended else { panic!("{:?}", report.outcome.ended) };
    assert!(text.lines().next().unwrap().ends_with("flows are open and nothing has moved since 500 us"), "{text}");
    // Samples are 0.5 ms apart, and by the first no frame is inside any more.
    assert_eq!(report.outcome.simulated, us(500));
    let unclocked = lab.run(&direct()).outcome;
    assert!(matches!(&unclocked.ended, Ended::Stalled(other) if other == text), "{:?}", unclocked.ended);
    assert_eq!(unclocked.simulated, us(500));
}

/// Two hosts send 10 MB to a third through adapters that hold 100 KB, over a fabric whose devices tell each other for ever whom they reach.
fn into_small_adapters(duration: Time) -> (Lab, stardust::Config) {
    let shape = topology::Shape::LeafSpine { leaves: 2, spines: 1, hosts_per_leaf: 2 };
    let topology = shape.build(units::Rate::from_gbps(10), Span::from_us(1)).unwrap();
    let incast = workload::Incast {
        receiver: Some(0),
        senders: workload::Hosts::List(vec![2, 3]),
        size: Some(workload::sizes::Sizes::Fixed(Bytes::new(10_000_000))),
        rounds: workload::Rounds::default(),
    };
    let mut config = stardust::Config::default();
    config.adapter.buffer = Bytes::new(100_000);
    (Lab::new(topology, vec![workload::Group::new("answers", workload::Kind::Incast(incast))], duration), config)
}

#[test]
fn what_a_fabric_does_by_itself_is_no_movement() {
    let (lab, config) = into_small_adapters(ms(200));
    let network = stardust::Stardust::<stardust::Lanes>::new(&config, &lab.topology, Seed(1)).unwrap();
    let report = lab.run_over(network, &direct(), &Control::default());
    let Ended::Stalled(text) = &report.outcome.ended else { panic!("{:?}", report.outcome.ended) };
    // 20 MB at 20 Gb/s are sent by then, and all that was kept is there.
    assert_eq!(report.outcome.simulated, ms(9));
    assert!(text.contains("answers: incast, round 0, which began at 0 ps, waits: 0 of 2 flows ended"), "{text}");
    assert!(report.summary("dropped_frames") > 100);
    assert_eq!((report.summary("operations_started"), report.summary("operations_completed")), (1, 0));
}

#[test]
fn a_paused_host_loses_nothing_and_all_is_done() {
    let (lab, mut config) = into_small_adapters(ms(200));
    config.adapter.pause_threshold = Some(Bytes::new(50_000));
    let network = stardust::Stardust::<stardust::Lanes>::new(&config, &lab.topology, Seed(1)).unwrap();
    let report = lab.run_over(network, &direct(), &Control::default());
    assert!(report.is_done(), "{:?}", report.outcome.ended);
    assert_eq!((report.summary("dropped_frames"), report.summary("flows_completed")), (0, 2));
}

#[test]
fn time_that_is_up_while_nothing_has_moved_for_long_is_a_stall() {
    // All in flight is lost at 20 us, and the timer would go off after 3 s: of the 100 ms nothing moves but for the first.
    let list = [(0, 1, Bytes::new(300_000), us(0))];
    let mut lab = Lab::new(star(2), flows(list), ms(100));
    lab.faults = vec![(us(20), node(&lab.topology, "switch-0", false)), (ms(1), node(&lab.topology, "switch-0", true))];
    let mut transport = crate::lab::tcp();
    (transport.min_rto, transport.initial_rto) = (Span::from_ms(3000), Span::from_ms(3000));
    let report = lab.run(&transport::Config::NewReno(transport.clone()));
    let Ended::Stalled(text) = &report.outcome.ended else { panic!("{:?}", report.outcome.ended) };
    assert!(text.starts_with("1 flow is open and nothing has moved since 500 us"), "{text}");
    assert_eq!(report.outcome.simulated, ms(100));
    // A run that is cut off while its flow waits for a timer of usual length is one whose time is up.
    lab.duration = ms(12);
    (transport.min_rto, transport.initial_rto) = (Span::from_ms(10), Span::from_ms(10));
    assert!(lab.run(&transport::Config::NewReno(transport)).is_done());
}

#[test]
fn a_timeout_of_seconds_is_no_stall() {
    let list = [(0, 1, Bytes::new(300_000), us(0))];
    let mut lab = Lab::new(star(2), flows(list), ms(20_000));
    // Everything in flight is lost, and the timer takes its time.
    lab.faults = vec![(us(20), node(&lab.topology, "switch-0", false)), (ms(1), node(&lab.topology, "switch-0", true))];
    let mut transport = crate::lab::tcp();
    (transport.min_rto, transport.initial_rto) = (Span::from_ms(3000), Span::from_ms(3000));
    let transport = transport::Config::NewReno(transport);
    let report = lab.run_over(lab.clocked(), &transport, &Control::default());
    assert!(report.is_done(), "{:?}", report.outcome.ended);
    let fct = report.integers("flows", "fct_ps")[0].unwrap();
    assert!(fct > Span::from_ms(3000).as_ps(), "{fct}");
}

#[test]
fn what_only_the_fabric_knows_is_written_down() {
    let lab = losing(ms(100));
    let report = lab.run_over(lab.clocked(), &direct(), &Control::default());
    let text = |table: &str, column: &str| report.texts(table, column);
    assert_eq!((text("counters", "counter"), text("counters", "unit")), (vec!["ticks".into()], vec!["times".into()]));
    assert_eq!(report.numbers("counters", "value"), [Some(7.0)]);
    let histograms = text("histograms", "histogram");
    let of_cells: Vec<usize> = (0..histograms.len()).filter(|row| histograms[*row] == "cell latency").collect();
    let column =
        |name: &str| of_cells.iter().map(|row| report.integers("histograms", name)[*row].unwrap()).collect::<Vec<_>>();
    assert_eq!((column("lower"), column("upper"), column("count")), (vec![10, 30], vec![20, 40], vec![3, 1]));
    // A fabric without counters of its own has an empty table, not none.
    assert_eq!(lab.run(&direct()).table("counters").num_rows(), 0);
}

#[test]
fn what_will_be_mended_is_waited_for() {
    // The sender is down from before its flow begins until long after the patience has ended.
    let list = [(0, 1, Bytes::new(30_000), us(10))];
    let mut lab = Lab::new(star(2), flows(list), ms(1000));
    lab.faults = vec![(us(5), node(&lab.topology, "host-0", false)), (ms(900), node(&lab.topology, "host-0", true))];
    for report in [lab.run(&direct()), lab.run_over(lab.clocked(), &direct(), &Control::default())] {
        assert!(report.is_done(), "{:?}", report.outcome.ended);
        assert!(report.integers("flows", "end_ps")[0].unwrap() > Span::from_ms(900).as_ps());
    }
    // Repaired after the end of the run is not repaired.
    lab.faults[1].0 = ms(2000);
    let report = lab.run_over(lab.clocked(), &direct(), &Control::default());
    assert!(matches!(report.outcome.ended, Ended::Stalled(_)), "{:?}", report.outcome.ended);
}

/// Goodput in each sample, in Gb/s.
fn goodput(report: &Report) -> Vec<(Time, f64)> {
    report.series("goodput", "all").into_iter().map(|(at, value)| (Time::from_ps(at), value / 1e9)).collect()
}

#[test]
fn traffic_finds_its_way_round_what_is_broken_and_back() {
    // Sixteen endless flows from pod to pod of a fat-tree; two of its four cores are down from 20 to 40 ms.
    let list = (0..16).map(|src| (src, (src + 4) % 16, Bytes::MAX, us(0)));
    let mut lab = Lab::new(tree(4), flows(list), ms(60));
    lab.fabric.routing = ethernet::Routing::Spray;
    lab.fabric.port.ecn_threshold = None;
    for (at, up) in [(ms(20), false), (ms(40), true)] {
        lab.faults.extend(["core-0", "core-1"].map(|core| (at, node(&lab.topology, core, up))));
    }
    let report = lab.run(&newreno());
    assert!(report.is_done());
    let goodput = goodput(&report);
    let mean = |from, to| {
        let among: Vec<f64> =
            goodput.iter().filter(|(at, _)| *at > from && *at <= to).map(|(_, value)| *value).collect();
        among.iter().sum::<f64>() / among.len() as f64
    };
    let (before, during, after) = (mean(ms(10), ms(20)), mean(ms(30), ms(40)), mean(ms(50), ms(60)));
    // Half of the paths between pods are left, 80 Gb/s, and spray over both ways needs no luck. What overtakes looks like a loss to
    // NewReno, so it does not fill all of them before either.
    assert!(during < 80.0 && during < 0.8 * before && during > 0.2 * before, "{before}, {during}, {after}");
    assert!(after > 0.9 * before, "{before}, {during}, {after}");
    assert!(report.summary("lost_frames") > 10);
    let counted = report.numbers("counters", "value");
    assert_eq!(counted[..2].iter().flatten().sum::<f64>(), report.summary("lost_frames") as f64, "{counted:?}");
    assert_eq!(counted[3], Some(2.0), "routes changed twice");
    assert_eq!(report.outcome, lab.run(&newreno()).outcome, "equal runs are equal");
}
