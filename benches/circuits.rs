//! Circuits of an AN3 network set up, and cells that they carry, a core-second.
//!
//! `cargo bench -p benches --bench circuits`; with `-- NAME` only the rows whose name contains NAME; with `-- --short` a tenth of the time, to be profiled. One thread, one round: the
//! rows are as long as they are for what they measure. A set-up is a request that a source sends or would send, whether it is refused or not; cells are those of data, which are
//! computed and not queued. There are no series of samples, each of which counts the cells of all circuits on all links. `MB` is the process's peak so far, so ask for a row by its name where memory is the question. With `-- --digests` also
//! the digests of all tables, to hold against those of another build: an optimisation keeps them.

use an3::{An3, Config};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type};
use arrow_ipc::reader::StreamReader;
use benches::medians;
use benches::timed_run::{peak_memory, run_with};
use engine::Seed;
use simulation::Outcome;
use std::io::Cursor;
use topology::{Shape, Topology, Wiring};
use transport::config::Direct;
use units::{Bytes, Rate, Span, Time};
use workload::sizes::{Cdf, Interpolation, Sizes};
use workload::{AllToAll, ClosedLoop, Group, Hosts, Kind, Order, Pattern};

/// One row of the table.
struct Row {
    name: &'static str,
    containers: u32,
    networks: u32,
    /// Everybody sends 10 KB to everybody (§8.3); otherwise so many flows at a time from each host, at random (§8.2).
    flows_per_host: Option<u32>,
    /// Flows get further circuits where nothing waits for them.
    growth: bool,
    simulated: Span,
}

impl Row {
    fn topology(&self) -> Topology {
        let Row { containers, networks, .. } = *self;
        let wiring = Wiring::FatTree;
        let shape = topology::An3 { containers, networks, hosts: 22, wiring, egress: 2, container_links: 1 };
        Shape::An3(shape).build(Rate::from_gbps(10), Span::from_ns(50)).expect("a shape of the paper's")
    }

    fn workload(&self) -> Group {
        let hosts = Hosts::All;
        let Some(flows_per_host) = self.flows_per_host else {
            let size = Sizes::Fixed(Bytes::new(10_000));
            return Group::new(
                "files",
                Kind::AllToAll(AllToAll { hosts, size, order: Order::Random, concurrent: None }),
            );
        };
        // As many in each octave, as in papers/an3/sizes.txt.
        let sizes =
            Cdf::new("sizes", vec![(10, 0.0), (100_000, 1.0)], Interpolation::LogLinear).expect("it rises to 1");
        let (size, pattern) = (Sizes::Cdf(sizes), Pattern::Uniform);
        Group::new("flows", Kind::ClosedLoop(ClosedLoop { flows: None, flows_per_host, size, pattern, repeat: 1 }))
    }
}

/// What an AN3 network has counted.
fn counter(outcome: &Outcome, name: &str) -> f64 {
    let table = outcome.tables.iter().find(|table| table.name == "counters").expect("every run has counters");
    let bytes = table.kept.as_ref().expect("tables are kept in memory");
    let reader = StreamReader::try_new(Cursor::new(bytes), None).expect("a table is a stream of Arrow");
    for batch in reader.map(|batch| batch.expect("it is whole")) {
        let names = batch["counter"].as_dictionary::<UInt32Type>();
        let texts = names.values().as_string::<i32>();
        let is_meant = |row: &usize| texts.value(names.keys().value(*row) as usize) == name;
        if let Some(row) = (0..batch.num_rows()).find(is_meant) {
            return batch["value"].as_primitive::<Float64Type>().value(row);
        }
    }
    panic!("nothing is called {name}")
}

fn main() {
    let short = std::env::args().any(|argument| argument == "--short");
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    let digests = std::env::args().any(|argument| argument == "--digests");
    let divisor = if short { 10 } else { 1 };
    let row = |name, containers, networks, flows_per_host, us| Row {
        name,
        containers,
        networks,
        flows_per_host,
        growth: false,
        simulated: Span::from_us(us) / divisor,
    };
    let rows = [
        row("sort, 110 hosts", 1, 5, None, 15_000),
        Row { growth: true, ..row("sort, 110 hosts, growth", 1, 5, None, 15_000) },
        row("sort, 1408 hosts", 1, 64, None, 10_000),
        row("random, 4224 hosts", 3, 64, Some(16), 1_000),
        row("random, 90,112 hosts", 64, 64, Some(8), 1_000),
    ];
    println!("one core; memory is the process's peak so far");
    println!(
        "{:<22} {:>9} {:>9} {:>9} {:>9} {:>10} {:>11} {:>9} {:>7}",
        "", "simulated", "build", "core-s", "M setups", "M/core-s", "M cells", "M/core-s", "MB"
    );
    for row in rows.into_iter().filter(|row| row.name.contains(&wanted)) {
        let mut built = None;
        let config = Config { mtu: Bytes::new(100_000), growth: row.growth, ..Config::default() };
        let [build] = medians(
            1,
            [&mut || {
                let topology = row.topology();
                let network = An3::new(&config, &topology, Seed(1)).expect("it is one");
                built = Some((topology, network));
            }],
        );
        let direct = transport::Config::Direct(Direct { header: Bytes::ZERO });
        let mut outcome = None;
        let [seconds] = medians(
            1,
            [&mut || {
                let (topology, network) = built.take().expect("it was built once");
                let workload = [row.workload()];
                outcome = Some(run_with(row.name, network, &topology, &direct, &workload, row.simulated, false));
            }],
        );
        let outcome = outcome.expect("it ran");
        let millions = |name| counter(&outcome, name) / 1e6;
        let (setups, cells) = (millions("circuits asked for"), millions("cells of data"));
        println!(
            "{:<22} {:>9} {build:>9.3} {seconds:>9.3} {setups:>9.3} {:>10.3} {cells:>11.2} {:>9.2} {:>7}",
            row.name,
            outcome.simulated.since(Time::ZERO).to_string(),
            setups / seconds,
            cells / seconds,
            peak_memory()
        );
        for table in outcome.tables.iter().filter(|_| digests) {
            println!("    {:<14} {}", table.name, &table.digest.sha256[..16]);
        }
    }
}
