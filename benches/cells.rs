//! Cells of a Stardust fabric over links, a core-second.
//!
//! `cargo bench -p benches --bench cells`; with `-- NAME` only the rows whose name contains NAME; with `-- --short` one round of a
//! tenth of the time, to be profiled (`valgrind --tool=callgrind`).
//!
//! The anchor is the run that took the paper's authors 12 hours (App. G): 432 hosts in a fat-tree (k = 12), 10 Gb/s, 256 B cells, 2 KB
//! credits, NewReno with 9000 B packets, a permutation of endless flows. One thread.

use benches::medians;
use benches::permutation::{print_head, print_row, run, tcp};
use engine::Seed;
use stardust::{Config, Lanes, LockStep, Stardust};
use topology::Shape;
use transport::newreno::NewReno;
use units::{Bytes, Rate, Span};

/// One row of the table.
struct Row {
    name: &'static str,
    k: u32,
    simulated: Span,
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

fn main() {
    let short = std::env::args().any(|argument| argument == "--short");
    let (rounds, divisor) = if short { (1, 10) } else { (3, 1) };
    let only: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let row = |name, k, ms, cell, lock_step| {
        let simulated = Span::from_ms(ms) / divisor;
        Row { name, k, simulated, cell, credit: 8 * cell, lock_step }
    };
    let rows = [
        row("256 B cells", 12, 10, 256, false),
        row("256 B cells, lock-step", 12, 10, 256, true),
        row("512 B cells", 12, 10, 512, false),
        row("1024 hosts", 16, 4, 256, false),
        row("1024 hosts, lock-step", 16, 4, 256, true),
        row("8192 hosts", 32, 1, 256, false),
        row("8192 hosts, lock-step", 32, 1, 256, true),
    ];
    print_head(rounds);
    for row in rows.iter().filter(|row| only.is_empty() || only.iter().any(|name| row.name.contains(name.as_str()))) {
        let shape = Shape::FatTree { k: row.k, oversubscription: 1.0 };
        let topology = shape.build(Rate::from_gbps(10), Span::from_us(1)).expect("k is even");
        let newreno = NewReno::new(tcp());
        let mut outcome = None;
        let [seconds] = medians(
            rounds,
            [&mut || {
                outcome = Some(if row.lock_step {
                    let network = Stardust::<LockStep>::new(&config(row), &topology, Seed(1)).expect("links are alike");
                    run(row.name, network, &topology, &newreno, row.simulated)
                } else {
                    let network = Stardust::<Lanes>::new(&config(row), &topology, Seed(1)).expect("a fat-tree will do");
                    run(row.name, network, &topology, &newreno, row.simulated)
                });
            }],
        );
        print_row(row.name, row.simulated, seconds, &outcome.expect("it ran"));
    }
}
