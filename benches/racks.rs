//! Hops a core-second of XFabric racks. A frame over one circuit is a hop, acknowledgements too.
//!
//! `cargo bench -p benches --bench racks`; with `-- NAME` only the rows whose name contains NAME; with `-- --short` one round of a
//! tenth of the time, to be profiled (`valgrind --tool=callgrind`).
//!
//! The anchor is the prototype of XFabric §6.5 as `papers/xfabric/fig5a-period.toml` has it: 27 SoCs with six ports of 1 Gb/s, NewReno, each host
//! with six flows of the production cluster's sizes at a time.

use benches::medians;
use benches::timed_run::{print_head, print_row, run_with};
use engine::Seed;
use simulation::Outcome;
use topology::{Shape, Topology};
use transport::{Config as Protocol, config};
use units::{Rate, Span};
use workload::sizes::{Sizes, published};
use workload::{ClosedLoop, Group, Kind, Matrix, Pattern};
use xfabric::network::{Config, Multipath, XFabric};

/// One row of the table.
struct Row {
    name: &'static str,
    /// Between reconfigurations, or the rack stays a torus.
    period: Option<Span>,
    routing: Multipath,
    recovery: config::Recovery,
}

/// Who sends to whom in the paper's production cluster, by our generator.
fn production() -> Pattern {
    let text = include_str!("../papers/xfabric/production-27.csv");
    let pair = |line: &str| {
        let mut fields = line.split(',');
        let mut host = || fields.next()?.parse().ok();
        let (src, dst) = (host()?, host()?);
        Some((src, dst, fields.next()?.parse().ok()?))
    };
    let weights = text.lines().skip(1).map(|line| pair(line).expect("a source, a destination and a weight")).collect();
    Pattern::Matrix(Matrix { name: "production-27.csv".to_owned(), weights })
}

fn workload() -> Group {
    let size = Sizes::Cdf(published("xfabric-production").expect("it is published").cdf(None));
    let kind = ClosedLoop { flows: None, flows_per_host: 6, size, pattern: production(), repeat: 1 };
    Group::new("production", Kind::ClosedLoop(kind))
}

/// TCP as in the experiment file.
fn tcp(recovery: config::Recovery) -> config::Tcp {
    config::Tcp {
        initial_window: 2,
        min_rto: Span::from_ms(300),
        initial_rto: Span::from_ms(3000),
        ack_every: 2,
        ack_delay: Span::from_ms(200),
        recovery: Some(recovery),
        ..config::Tcp::default()
    }
}

fn over(row: &Row, topology: &Topology, simulated: Span) -> Outcome {
    let config = Config {
        reconfigure: row.period.is_some(),
        period: row.period.unwrap_or(Span::from_ms(1000)),
        routing: row.routing,
        ..Config::default()
    };
    let network = XFabric::new(&config, topology, Seed(1)).expect("27 SoCs with six ports are a rack");
    let transport = Protocol::NewReno(tcp(row.recovery));
    run_with(row.name, network, topology, &transport, &[workload()], simulated, false)
}

fn main() {
    let short = std::env::args().any(|argument| argument == "--short");
    let (rounds, simulated) = if short { (1, Span::from_ms(500)) } else { (5, Span::from_ms(5000)) };
    let only: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let row = |name, period, routing, recovery| Row { name, period, routing, recovery };
    let ms = |ms| Some(Span::from_ms(ms));
    let (flow, packet) = (Multipath::Flow, Multipath::Packet);
    let (newreno, rack) = (config::Recovery::NewReno, config::Recovery::Rack);
    let rows = [
        row("torus", None, flow, newreno),
        row("100 ms", ms(100), flow, newreno),
        row("1 s", ms(1000), flow, newreno),
        row("1 s, spray", ms(1000), packet, rack),
    ];
    let shape = Shape::Planes { hosts: 27, planes: 6 };
    let topology = shape.build(Rate::from_gbps(1), Span::from_us(1)).expect("27 hosts and six planes");
    print_head(rounds);
    for row in rows.iter().filter(|row| only.is_empty() || only.iter().any(|name| row.name.contains(name.as_str()))) {
        let mut outcome = None;
        let [seconds] = medians(rounds, [&mut || outcome = Some(over(row, &topology, simulated))]);
        print_row(row.name, simulated, seconds, &outcome.expect("it ran"));
    }
}
