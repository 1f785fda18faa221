//! Cells of a Stardust fabric over links, a core-second.
//!
//! `cargo bench -p benches --bench cells`; with `-- NAME` only the rows whose name contains NAME; with `-- --short` one round of a
//! tenth of the time, to be profiled (`valgrind --tool=callgrind`).
//!
//! The anchor is the run that took the paper's authors 12 hours (App. G): 432 hosts in a fat-tree (k = 12), 10 Gb/s, 256 B cells, 2 KB
//! credits, NewReno with 9000 B packets, a permutation of endless flows. One thread.

use benches::medians;
use benches::timed_run::{permutation, print_head, print_row, run, tcp};
use engine::Seed;
use simulation::Outcome;
use stardust::config::InteriorKind;
use stardust::{Config, Lanes, LockStep, Stardust};
use topology::{Clos, Shape, Tier};
use transport::Config as Protocol;
use units::{Bytes, Rate, Span};
use workload::sizes::Sizes;
use workload::{AllToAll, Group, Hosts, Kind, Order};

/// One row of the table.
struct Row {
    name: &'static str,
    k: u32,
    simulated: Span,
    /// Of each link.
    delay: Span,
    cell: u64,
    credit: u64,
    lock_step: bool,
}

fn config(row: &Row) -> Config {
    let mut config = Config { mtu: Bytes::new(9000), framing: Bytes::ZERO, ..Config::default() };
    config.cells.size = Bytes::new(row.cell);
    config.credits.size = Bytes::new(row.credit);
    config.credits.speed_up = 0.03;
    config
}

/// §6.2's system: 256 adapters of 32 links, 128 elements of 128 links and 64 of 128, 50 Gb/s; two flows from every adapter to every
/// other, at 90 % of what the links carry.
fn two_tiers(simulated: Span, lock_step: bool) -> Outcome {
    let tiers = vec![Tier { switches: 128, uplinks: Some(64) }, Tier { switches: 64, uplinks: None }];
    let shape = Shape::Clos(Clos { leaves: 256, hosts_per_leaf: 1, uplinks: 32, tiers });
    let mut topology = shape.build(Rate::from_gbps(50), Span::from_ns(500)).expect("the paper's own numbers");
    let class = topology.class("host-leaf").expect("a Clos has hosts");
    topology.set_class(class, Some(Rate::from_gbps(1300)), None).expect("a rate that can be");
    let interior = if lock_step { InteriorKind::LockStep } else { InteriorKind::Events };
    let mut config = Config { mtu: Bytes::new(4096), framing: Bytes::ZERO, interior, ..Config::default() };
    config.adapter.pause_threshold = Some(Bytes::new(16 << 20));
    let direct = Protocol::Direct(transport::config::Direct { header: Bytes::new(40) });
    let flows = |name: &str| {
        let size = Sizes::Fixed(Bytes::new(1 << 40));
        let (hosts, order, concurrent) = (Hosts::All, Order::Random, None);
        Group::new(name, Kind::AllToAll(AllToAll { hosts, size, order, concurrent }))
    };
    let flows = [flows("first"), flows("second")];
    if lock_step {
        let network = Stardust::<LockStep>::new(&config, &topology, Seed(1)).expect("links are alike");
        run("two tiers", network, &topology, &direct, &flows, simulated)
    } else {
        let network = Stardust::<Lanes>::new(&config, &topology, Seed(1)).expect("a Clos will do");
        run("two tiers", network, &topology, &direct, &flows, simulated)
    }
}

fn main() {
    let short = std::env::args().any(|argument| argument == "--short");
    let (rounds, divisor) = if short { (1, 10) } else { (3, 1) };
    let only: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let row = |name, k, us, cell, lock_step| {
        let simulated = Span::from_us(us) / divisor;
        Row { name, k, simulated, delay: Span::from_us(1), cell, credit: 8 * cell, lock_step }
    };
    let rows = [
        row("256 B cells", 12, 10_000, 256, false),
        row("256 B cells, lock-step", 12, 10_000, 256, true),
        Row { delay: Span::from_us(50), ..row("256 B cells, 50 us links", 12, 10_000, 256, false) },
        row("512 B cells", 12, 10_000, 512, false),
        row("1024 hosts", 16, 4_000, 256, false),
        row("1024 hosts, lock-step", 16, 4_000, 256, true),
        row("8192 hosts", 32, 400, 256, false),
        row("8192 hosts, lock-step", 32, 400, 256, true),
        row("11664 hosts", 36, 400, 256, false),
        row("11664 hosts, lock-step", 36, 400, 256, true),
    ];
    print_head(rounds);
    for row in rows.iter().filter(|row| only.is_empty() || only.iter().any(|name| row.name.contains(name.as_str()))) {
        let shape = Shape::FatTree { k: row.k, oversubscription: 1.0 };
        let topology = shape.build(Rate::from_gbps(10), row.delay).expect("k is even");
        let newreno = Protocol::NewReno(tcp());
        let mut outcome = None;
        let [seconds] = medians(
            rounds,
            [&mut || {
                outcome = Some(if row.lock_step {
                    let network = Stardust::<LockStep>::new(&config(row), &topology, Seed(1)).expect("links are alike");
                    run(row.name, network, &topology, &newreno, &[permutation()], row.simulated)
                } else {
                    let network = Stardust::<Lanes>::new(&config(row), &topology, Seed(1)).expect("a fat-tree will do");
                    run(row.name, network, &topology, &newreno, &[permutation()], row.simulated)
                });
            }],
        );
        print_row(row.name, row.simulated, seconds, &outcome.expect("it ran"));
    }
    for (name, lock_step) in [("two tiers", false), ("two tiers, lock-step", true)] {
        if only.is_empty() || only.iter().any(|part| name.contains(part.as_str())) {
            let simulated = Span::from_us(200) / divisor;
            let mut outcome = None;
            let [seconds] = medians(rounds, [&mut || outcome = Some(two_tiers(simulated, lock_step))]);
            print_row(name, simulated, seconds, &outcome.expect("it ran"));
        }
    }
}
