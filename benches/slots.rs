//! Cells of a Shoal rack over the fabric, a core-second.
//!
//! `cargo bench -p benches --bench slots`; with `-- --short` one round of a tenth of the time, to be profiled. One thread. The rack alone,
//! without hosts and transports: queues, release, feedback, reordering.

use benches::medians;
use shoal::rack::{Rack, Release};
use shoal::schedule::{Order, Schedule};

/// One row of the table.
struct Row {
    name: &'static str,
    nodes: u32,
    channels: u32,
    /// How many flows each node has, to the nodes behind it.
    flows: u32,
    /// How many nodes have any.
    talking: u32,
    slots: u64,
}

fn rack(row: &Row) -> Rack {
    let schedule = Schedule::new(row.nodes, row.channels, Order::Spread).expect("a rack has nodes and channels");
    let mut rack = Rack::new(schedule, 27, Release { ready_queue: true, by_age: true });
    for node in 0..row.talking {
        for flow in 0..row.flows {
            let to = (node + 1 + flow * 37) % row.nodes;
            rack.offer(0, node as u16, to as u16, 1 << 30, node * row.flows + flow);
        }
    }
    rack
}

fn main() {
    let short = std::env::args().any(|argument| argument == "--short");
    let (rounds, divisor) = if short { (1, 10) } else { (3, 1) };
    let row = |name, nodes, channels, flows, talking, slots: u64| Row {
        name,
        nodes,
        channels,
        flows,
        talking,
        slots: slots / divisor,
    };
    let rows = [
        row("512 nodes, permutation", 512, 4, 1, 512, 40_000),
        row("512 nodes, 1 channel", 512, 1, 1, 512, 100_000),
        row("512 nodes, 8 flows each", 512, 4, 8, 512, 40_000),
        row("512 nodes, 80 flows each", 512, 4, 80, 512, 20_000),
        row("512 nodes, one talks", 512, 4, 1, 1, 1_000_000),
        row("1024 nodes, permutation", 1024, 4, 1, 1024, 20_000),
        row("2048 nodes, permutation", 2048, 4, 1, 2048, 10_000),
    ];
    println!("median of {rounds}\n");
    println!("{:<28}{:>10}{:>10}{:>12}{:>14}{:>12}", "", "slots", "core-s", "M moves", "M moves/c-s", "ns/move");
    for row in rows {
        let mut moves = 0;
        let [seconds] = medians(
            rounds,
            [&mut || {
                let mut rack = rack(&row);
                let mut complete = Vec::new();
                for slot in 0..row.slots {
                    rack.step(slot, &mut complete);
                }
                moves = rack.sums.moves;
            }],
        );
        println!(
            "{:<28}{:>10}{:>10.3}{:>12.2}{:>14.2}{:>12.1}",
            row.name,
            row.slots,
            seconds,
            moves as f64 / 1e6,
            moves as f64 / 1e6 / seconds,
            seconds * 1e9 / moves as f64
        );
    }
}
