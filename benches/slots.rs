//! Cells of a Shoal rack over the fabric, a core-second.
//!
//! `cargo bench -p benches --bench slots`; with `-- NAME` only the rows whose name contains NAME; with `-- --short` one round of a tenth of the time, to be profiled. One thread. First the rack
//! alone, without hosts and transports: queues, release, feedback, reordering. Then whole runs, with everything written that users read:
//! those of which times are known for the simulator that the paper's authors released (one channel of 100 Gb/s a node, slots of 5.632 ns,
//! no propagation delay).

use benches::medians;
use benches::timed_run::{print_head, print_row, run};
use engine::Seed;
use shoal::header::Layout;
use shoal::rack::{Path, Rack, Recovery, Release};
use shoal::schedule::{Order, Schedule};
use shoal::timing::GuardBand;
use shoal::{Config, Shoal};
use topology::{Shape, Topology};
use units::{Bytes, Rate, Span, Time};
use workload::sizes::{PARETO_BOUND, Sizes};
use workload::{Arrivals, Group, Hosts, Incast, Kind, Pairs, Pattern, Permutation, Poisson, Rounds};

/// One row of the table.
struct Row {
    name: &'static str,
    nodes: u32,
    channels: u32,
    /// How many flows each node has, to the nodes behind it.
    flows: u32,
    /// How many nodes have any.
    talking: u32,
    /// Whether the nodes behind are in random order; else all have the same distance, and memory is read from end to end.
    random: bool,
    /// How many nodes are off from the start; the flows are among the others.
    off: u32,
    slots: u64,
}

fn rack(row: &Row) -> Rack {
    let schedule = Schedule::new(row.nodes, row.channels, Order::Rearranged).expect("a rack has nodes and channels");
    let mut rack = Rack::new(schedule, 27, Release::PAPER);
    let mut order: Vec<u32> = (0..row.nodes).collect();
    if row.random {
        Seed(1).stream("slots", 0).shuffle(&mut order);
    }
    if row.off > 0 {
        let (errors, layout) = (Seed(1).stream("errors", 0), Layout::FIGURE_5);
        rack.set_recovery(Recovery { patience: 1 << 20, leave_out_after: None, errors, layout, payload: 56 });
        let down: Vec<bool> = order.iter().map(|place| *place >= row.nodes - row.off).collect();
        rack.set_paths(0, &down, |_, _| Path { works: true, bit_errors: 0.0 });
    }
    let living = row.nodes - row.off;
    for node in (0..row.talking).filter(|node| order[*node as usize] < living) {
        for flow in 0..row.flows {
            let place = order[node as usize];
            let next = (place + 1 + flow * 37) % living;
            let to = order.iter().position(|place| *place == next).expect("all are there") as u32;
            rack.offer(0, node as u16, to as u16, 1 << 30, node * row.flows + flow);
        }
    }
    rack
}

fn main() {
    let short = std::env::args().any(|argument| argument == "--short");
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    let (rounds, divisor) = if short { (1, 10) } else { (3, 1) };
    let row = |name, nodes, channels, flows, talking, random, slots: u64| Row {
        name,
        nodes,
        channels,
        flows,
        talking,
        random,
        off: 0,
        slots: slots / divisor,
    };
    let rows = [
        row("512 nodes, permutation", 512, 4, 1, 512, true, 40_000),
        row("512 nodes, 1 channel", 512, 1, 1, 512, true, 100_000),
        row("512 nodes, shifted by one", 512, 4, 1, 512, false, 40_000),
        row("512 nodes, 8 flows each", 512, 4, 8, 512, true, 40_000),
        row("512 nodes, 80 flows each", 512, 4, 80, 512, true, 20_000),
        row("512 nodes, one talks", 512, 4, 1, 1, true, 1_000_000),
        row("1024 nodes, permutation", 1024, 4, 1, 1024, true, 20_000),
        row("2048 nodes, permutation", 2048, 4, 1, 2048, true, 10_000),
        Row { off: 128, ..row("512 nodes, a quarter off", 512, 4, 1, 512, true, 40_000) },
    ];
    print_head(1);
    anchors(divisor, &wanted);
    println!("\nthe rack alone, median of {rounds}\n");
    println!("{:<28}{:>10}{:>10}{:>12}{:>14}{:>12}", "", "slots", "core-s", "M moves", "M moves/c-s", "ns/move");
    for row in rows.into_iter().filter(|row| row.name.contains(&wanted)) {
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

/// Runs of which the authors' simulator's times are known.
fn anchors(divisor: u64, wanted: &str) {
    let shape = Shape::Star { hosts: 512 };
    let topology = shape.build(Rate::from_gbps(100), Span::ZERO).expect("a star");
    // L = 1 with R = 100 Gb/s: a flow of 100 KB every 15.625 ns.
    let flows = Kind::Poisson(Poisson {
        arrivals: Arrivals::Rate(64e6),
        size: Sizes::Pareto { shape: 1.05, mean: Bytes::new(100_000), bound: PARETO_BOUND },
        pattern: Pattern::Uniform,
        burst: None,
        allow_overload: true,
        flows: None,
    });
    let mut flows = Group::new("flows", flows);
    flows.stop = Some(Time::ZERO + Span::from_ns(312_500 / divisor));
    let pairs = Pairs::Random { count: None };
    let endless = Kind::Permutation(Permutation { pairs, size: None, rounds: Rounds::default() });
    let (receiver, senders) = (Some(0), Hosts::Random(128));
    let size = Some(Sizes::Fixed(Bytes::new(130_000)));
    let incast = Kind::Incast(Incast { receiver, senders, size, rounds: Rounds::default() });
    let epochs = |count: u64| Span::from_ps(5632 * 512 * count / divisor);
    let rows = [
        ("20,000 flows, L = 1", flows, Span::from_ms(50)),
        ("permutation, 100 epochs", Group::new("permutation", endless), epochs(100)),
        ("incast of 128 x 130 KB", Group::new("incast", incast), Span::from_ms(50)),
    ];
    for (name, group, simulated) in rows.into_iter().filter(|row| row.0.contains(wanted)) {
        let mut outcome = None;
        let [seconds] = medians(1, [&mut || outcome = Some(anchor(&topology, &group, simulated))]);
        if let Some(outcome) = outcome {
            print_row(name, simulated, seconds, &outcome);
        }
    }
}

fn anchor(topology: &Topology, group: &Group, simulated: Span) -> simulation::Outcome {
    let guard = GuardBand {
        reconfiguration: Span::from_ps(512),
        propagation_variation: Span::ZERO,
        synchronisation_error: Span::ZERO,
    };
    let (mtu, buffer) = (Bytes::new(1 << 30), Bytes::new(1 << 40));
    let config = Config { channels: 1, guard, mtu, buffer, ..Config::default() };
    let network = Shoal::new(&config, topology, Seed(1)).expect("a rack");
    let direct = transport::Config::Direct(transport::config::Direct { header: Bytes::ZERO });
    run("anchor", network, topology, &direct, std::slice::from_ref(group), simulated)
}
