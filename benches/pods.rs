//! Hops a core-second of Fastpod: packets, requests and answers over one link each, with the arbiters' work.
//!
//! `cargo bench -p benches --bench pods`; with `-- NAME` only the rows whose name contains NAME; with `-- --short` one round of a tenth of the time, to be
//! profiled (`valgrind --tool=callgrind`). Pods of a fat-tree of switches with 8, 16 and 32 ports, links of 100 Gb/s and 1 us, a random permutation of endless
//! flows, and one row in which one host sends: the others talk to their arbiter once a slot all the same. One thread.

use benches::medians;
use benches::timed_run::{permutation, print_head, print_row, run};
use engine::Seed;
use fastpod::{Config, Fastpod};
use topology::Shape;
use transport::{Config as Protocol, config};
use units::{Bytes, Rate, Span};
use workload::{Group, Kind, Pairs, Permutation, Rounds};

/// One row of the table.
struct Row {
    name: &'static str,
    shape: Shape,
    simulated: Span,
    optimistic: bool,
    one_talks: bool,
}

/// A pod of a fat-tree of switches with so many ports.
fn pod(ports: u32) -> Shape {
    Shape::LeafSpine { leaves: ports / 2, spines: ports / 2, hosts_per_leaf: ports / 2 }
}

/// An endless flow from one host to another.
fn one_talks() -> Group {
    let pairs = Pairs::Random { count: Some(1) };
    Group::new("one talks", Kind::Permutation(Permutation { pairs, size: None, rounds: Rounds::default() }))
}

fn main() {
    let short = std::env::args().any(|argument| argument == "--short");
    let (rounds, divisor) = if short { (1, 10) } else { (3, 1) };
    let only: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let row = |name, shape, us, optimistic, one_talks| Row {
        name,
        shape,
        simulated: Span::from_us(us) / divisor,
        optimistic,
        one_talks,
    };
    let tree = Shape::FatTree { k: 8, oversubscription: 1.0 };
    let rows = [
        row("16 hosts", pod(8), 10_000, false, false),
        row("16 hosts, optimistic", pod(8), 10_000, true, false),
        row("16 hosts, one talks", pod(8), 10_000, false, true),
        row("64 hosts", pod(16), 4_000, false, false),
        row("256 hosts", pod(32), 1_000, false, false),
        row("8 pods of 16 hosts", tree, 2_000, false, false),
    ];
    print_head(rounds);
    for row in rows.iter().filter(|row| only.is_empty() || only.iter().any(|name| row.name.contains(name.as_str()))) {
        let topology = row.shape.build(Rate::from_gbps(100), Span::from_us(1)).expect("it is a pod, or several");
        let config = Config { optimistic: row.optimistic, ..Config::default() };
        let direct = Protocol::Direct(config::Direct { header: Bytes::ZERO });
        let workload = if row.one_talks { one_talks() } else { permutation() };
        let mut outcome = None;
        let [seconds] = medians(
            rounds,
            [&mut || {
                let network = Fastpod::new(&config, &topology, Seed(1)).expect("slots can be laid out");
                outcome =
                    Some(run(row.name, network, &topology, &direct, std::slice::from_ref(&workload), row.simulated));
            }],
        );
        print_row(row.name, row.simulated, seconds, &outcome.expect("it ran"));
    }
}
