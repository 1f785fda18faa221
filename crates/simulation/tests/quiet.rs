//! When nothing moves, and when it only seems so. Faults in whole runs.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod lab;

use engine::{Control, Event, EventQueue, Rank, Seed};
use ethernet::{Ethernet, Fifo, Length};
use fabric::{Counter, Distribution, Fault, Frame, Inside, LinkCounters, Network, Offers, Totals, kind};
use lab::{Lab, Report, direct, flows, ms, newreno, star, tree, us};
use simulation::Ended;
use topology::Topology;
use units::{Bytes, Span, Time};

/// An Ethernet fabric with a clock that never stops, as slotted fabrics have.
struct Clocked(Ethernet<Fifo>);

/// What it says that it counted.
const COUNTED: Counter = Counter { name: "ticks", unit: "times", value: 7.0 };

const PERIOD: Span = Span::from_us(10);

impl Network for Clocked {
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
    assert!(text.lines().next().unwrap().ends_with("flows are open and nothing moves"), "{text}");
    // Samples are 0.5 ms apart and the last frame came within the first: 20 samples and 10 ms later.
    assert_eq!(report.outcome.simulated, us(10_500));
    // Without the clock there is nothing to wait for.
    let at_once = lab.run(&direct()).outcome;
    assert!(matches!(&at_once.ended, Ended::Stalled(other) if other == text), "{:?}", at_once.ended);
    assert_eq!(at_once.simulated, us(500));
}

#[test]
fn a_timeout_of_seconds_is_no_stall() {
    let list = [(0, 1, Bytes::new(300_000), us(0))];
    let mut lab = Lab::new(star(2), flows(list), ms(20_000));
    // Everything in flight is lost, and the timer takes its time.
    lab.faults = vec![(us(20), node(&lab.topology, "switch-0", false)), (ms(1), node(&lab.topology, "switch-0", true))];
    let mut transport = lab::tcp();
    (transport.min_rto, transport.initial_rto) = (Span::from_ms(3000), Span::from_ms(3000));
    let transport = transport::newreno::NewReno::new(transport);
    let report = lab.run_over(lab.clocked(), &transport, &Control::default());
    assert!(report.is_done(), "{:?}", report.outcome.ended);
    let fct = report.integers("flows", "fct_ps")[0].unwrap();
    assert!(fct > Span::from_ms(3000).as_ps(), "{fct}");
}

#[test]
fn what_only_the_fabric_knows_is_written_down() {
    let lab = losing(ms(100));
    let report = lab.run_over(lab.clocked(), &direct(), &Control::default());
    let text = |table: &str, column: &str| -> Vec<String> {
        let table = report.table(table);
        let names = arrow_array::cast::AsArray::as_dictionary::<arrow_array::types::UInt32Type>(&table[column]);
        let words = arrow_array::cast::AsArray::as_string::<i32>(names.values());
        (0..table.num_rows()).map(|row| words.value(names.key(row).unwrap()).to_owned()).collect()
    };
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
    // Mended after the end of the run is not mended.
    lab.faults[1].0 = ms(2000);
    let report = lab.run_over(lab.clocked(), &direct(), &Control::default());
    assert!(matches!(report.outcome.ended, Ended::Stalled(_)), "{:?}", report.outcome.ended);
}

/// Goodput in each sample, in Gb/s.
fn goodput(report: &Report) -> Vec<(Time, f64)> {
    let series = report.table("series");
    let names = arrow_array::cast::AsArray::as_dictionary::<arrow_array::types::UInt32Type>(&series["series"]);
    let words = arrow_array::cast::AsArray::as_string::<i32>(names.values());
    let (times, values) = (report.integers("series", "time_ps"), report.numbers("series", "value"));
    let of = |row: &usize| words.value(names.key(*row).unwrap()) == "goodput";
    (0..series.num_rows())
        .filter(of)
        .map(|row| (Time::from_ps(times[row].unwrap()), values[row].unwrap() / 1e9))
        .collect()
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
