//! Hops a core-second of whole runs. A frame over one link is a hop, acknowledgements too.
//!
//! `cargo bench -p benches --bench hops`; with `-- NAME` only the rows whose name contains NAME; with `-- --short` one round of a
//! tenth of the time, to be profiled (`valgrind --tool=callgrind`).
//!
//! The anchor: 432 hosts in a fat-tree (k = 12), 10 Gb/s, 1 us links, 9000 B packets, queues of 100 packets, a permutation of
//! endless flows. One thread. The simulated time is the same for all, so rows differ in how much traffic gets through.

use benches::medians;
use engine::{Control, Seed};
use ethernet::{Config, Discipline, Ethernet, Fifo, Length, Port, Priorities, Routing, Switching};
use results::Destination;
use simulation::{Labels, Outcome, Output, Settings, Tables};
use topology::{Shape, Topology};
use transport::{Transport, config, dctcp::Dctcp, newreno::NewReno};
use units::{Bytes, Rate, Span, Time};
use workload::{Group, Kind, Pairs, Permutation, Rounds, Setting, Workload};

/// One row of the table.
struct Row {
    name: &'static str,
    k: u32,
    simulated: Span,
    routing: Routing,
    priorities: u8,
    mtu: u64,
}

fn ethernet(row: &Row) -> Config {
    Config {
        switching: Switching::StoreAndForward,
        routing: row.routing,
        mtu: Bytes::new(row.mtu),
        framing: Bytes::ZERO,
        jitter: Span::ZERO,
        convergence: Span::from_ms(1),
        priorities: row.priorities,
        port: Port { queue: Length::Packets(100), ecn_threshold: Some(Length::Packets(20)), loss: 0.0 },
        rules: Vec::new(),
    }
}

fn tcp() -> config::Tcp {
    config::Tcp {
        initial_window: 10,
        max_window: Bytes::new(4_000_000),
        min_rto: Span::from_ms(10),
        initial_rto: Span::from_ms(10),
        ack_every: 1,
        ack_delay: Span::from_us(500),
        header: Bytes::new(40),
    }
}

fn run<D: Discipline>(row: &Row, topology: &Topology, transport: &impl Transport) -> Outcome {
    let seed = Seed(1);
    let duration = Time::ZERO + row.simulated;
    let pairs = Pairs::Random { count: None };
    let permutation = Permutation { pairs, size: None, rounds: Rounds::default() };
    let mut group = Group::new("permutation", Kind::Permutation(permutation));
    group.jitter = Span::from_us(100);
    let setting = Setting { hosts: topology.hosts(), host_rate: Rate::from_gbps(10), leaf: Vec::new(), seed, duration };
    let workload = Workload::new(&[group], &setting).expect("a permutation of all hosts");
    let network = Ethernet::<D>::new(&ethernet(row), topology, seed).expect("a fat-tree connects its hosts");
    let labels =
        Labels { run: row.name.into(), variant: None, fabric: "ethernet".into(), transport: "".into(), seed: seed.0 };
    let settings = Settings {
        duration,
        warmup: Time::ZERO,
        stop_when_done: true,
        sample: row.simulated / 100,
        watch: Vec::new(),
        flows: true,
        links: true,
        goodput: true,
        queue: true,
        utilisation: true,
        faults: Vec::new(),
        labels,
    };
    let tables = Tables::create(&Destination::Memory).expect("memory can be written");
    let output = Output::new(tables, settings, topology, vec!["permutation".into()]);
    simulation::run(network, transport, workload, topology, seed, output, &Control::default())
        .expect("memory can be written")
}

/// Largest memory this process has had, in MB (Linux; 0 elsewhere).
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    peak.and_then(|kb| kb.trim().parse::<u64>().ok()).unwrap_or(0) / 1000
}

fn main() {
    let short = std::env::args().any(|argument| argument == "--short");
    let (rounds, divisor) = if short { (1, 10) } else { (5, 1) };
    let only: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let ms = Span::from_ms;
    let (ecmp, spray) = (Routing::Ecmp, Routing::Spray);
    let row = |name, k, simulated: Span, routing, priorities, mtu| {
        let simulated = simulated / divisor;
        Row { name, k, simulated, routing, priorities, mtu }
    };
    let rows = [
        row("dctcp", 12, ms(50), ecmp, 1, 9000),
        row("dctcp spray", 12, ms(50), spray, 1, 9000),
        row("newreno", 12, ms(50), ecmp, 1, 9000),
        row("direct spray", 12, ms(50), spray, 1, 9000),
        row("dctcp 8 priorities", 12, ms(50), ecmp, 8, 9000),
        row("dctcp 1500 B", 12, ms(10), ecmp, 1, 1500),
        row("dctcp 1024 hosts", 16, ms(20), ecmp, 1, 9000),
        row("dctcp 8192 hosts", 32, ms(4), ecmp, 1, 9000),
    ];
    println!("one core, median of {rounds} rounds; memory is the process's peak so far");
    println!(
        "{:<20} {:>9} {:>9} {:>10} {:>11} {:>8} {:>9} {:>7}",
        "", "simulated", "core-s", "M hops", "M hops/c-s", "ns/hop", "ev./hop", "MB"
    );
    for row in rows.iter().filter(|row| only.is_empty() || only.iter().any(|name| row.name.contains(name.as_str()))) {
        let shape = Shape::FatTree { k: row.k, oversubscription: 1.0 };
        let topology = shape.build(Rate::from_gbps(10), Span::from_us(1)).expect("k is even");
        let mut outcome = None;
        let dctcp = Dctcp::new(config::Dctcp { tcp: tcp(), gain: 0.0625 });
        let newreno = NewReno::new(tcp());
        let direct = config::Direct { header: Bytes::new(40) };
        let [seconds] = medians(
            rounds,
            [&mut || {
                outcome = Some(match row.name.split(' ').next() {
                    Some("newreno") => run::<Fifo>(row, &topology, &newreno),
                    Some("direct") => run::<Fifo>(row, &topology, &direct),
                    _ if row.priorities > 1 => run::<Priorities>(row, &topology, &dctcp),
                    _ => run::<Fifo>(row, &topology, &dctcp),
                });
            }],
        );
        let outcome = outcome.expect("it ran");
        let hops = outcome.hops as f64;
        println!(
            "{:<20} {:>9} {:>9.3} {:>10.2} {:>11.2} {:>8.1} {:>9.3} {:>7}",
            row.name,
            row.simulated.to_string(),
            seconds,
            hops / 1e6,
            hops / seconds / 1e6,
            seconds * 1e9 / hops,
            outcome.events as f64 / hops,
            peak_memory()
        );
    }
}
