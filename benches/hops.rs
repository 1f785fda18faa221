//! Hops a core-second of whole runs. A frame over one link is a hop, acknowledgements too.
//!
//! `cargo bench -p benches --bench hops`; with `-- NAME` only the rows whose name contains NAME; with `-- --short` one round of a
//! tenth of the time, to be profiled (`valgrind --tool=callgrind`).
//!
//! The anchor: 432 hosts in a fat-tree (k = 12), 10 Gb/s, 1 us links, 9000 B packets, queues of 100 packets, a permutation of
//! endless flows. One thread. The simulated time is the same for all, so rows differ in how much traffic gets through.

use benches::medians;
use benches::timed_run::{permutation, print_head, print_row, run, tcp};
use engine::Seed;
use ethernet::{
    Config, Discipline, Ethernet, Fifo, Length, Pausing, Pfc, Port, Priorities, Ranked, Routing, Switching, Trim,
    Trimming,
};
use fabric::Red;
use simulation::Outcome;
use topology::{Shape, Topology};
use transport::{Config as Protocol, config};
use units::{Bytes, Rate, Span};

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
    let trims = row.name.starts_with("ndp") || row.name.starts_with("eqds");
    let queue = Length::Packets(if trims { 8 } else { 100 });
    // What DCQCN runs over: marks by RED, and pauses in place of queues' limits.
    // pFabric has about two bandwidth-delay products.
    let (port, pfc) = match row.name.split(' ').next() {
        Some("dcqcn") => {
            (Port { queue, ecn_threshold: None, red: Some(Red::default()), loss: 0.0 }, Some(Pfc::default()))
        }
        Some("pfabric") => (Port { queue: Length::Packets(24), ecn_threshold: None, red: None, loss: 0.0 }, None),
        _ => {
            let ecn_threshold = (!trims).then_some(Length::Packets(20));
            (Port { queue, ecn_threshold, red: None, loss: 0.0 }, None)
        }
    };
    let trimming = trims.then_some(Trim { header: Bytes::new(64), headers_in_a_row: 10 });
    Config {
        switching: Switching::StoreAndForward,
        cut_through_header: Bytes::new(64),
        routing: row.routing,
        mtu: Bytes::new(row.mtu),
        framing: Bytes::ZERO,
        jitter: Span::ZERO,
        convergence: Span::from_ms(1),
        priorities: row.priorities,
        port,
        trimming,
        pfabric: row.name.starts_with("pfabric"),
        in_network_latency: false,
        pfc,
        rules: Vec::new(),
    }
}

fn over<D: Discipline>(row: &Row, topology: &Topology, transport: &Protocol) -> Outcome {
    let network = Ethernet::<D>::new(&ethernet(row), topology, Seed(1)).expect("a fat-tree connects its hosts");
    run(row.name, network, topology, transport, &[permutation()], row.simulated)
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
        row("cubic", 12, ms(50), ecmp, 1, 9000),
        row("mptcp 8 subflows", 12, ms(50), ecmp, 1, 9000),
        row("direct spray", 12, ms(50), spray, 1, 9000),
        row("dctcp 8 priorities", 12, ms(50), ecmp, 8, 9000),
        row("dctcp 1500 B", 12, ms(10), ecmp, 1, 1500),
        row("dcqcn", 12, ms(50), ecmp, 1, 9000),
        row("dcqcn 1500 B", 12, ms(10), ecmp, 1, 1500),
        row("swift", 12, ms(50), ecmp, 1, 9000),
        row("ndp", 12, ms(50), ecmp, 1, 9000),
        row("eqds", 12, ms(50), ecmp, 1, 9000),
        row("pfabric", 12, ms(50), ecmp, 1, 9000),
        row("pfabric 1500 B", 12, ms(10), ecmp, 1, 1500),
        row("dctcp 1024 hosts", 16, ms(20), ecmp, 1, 9000),
        row("dctcp 8192 hosts", 32, ms(4), ecmp, 1, 9000),
    ];
    print_head(rounds);
    for row in rows.iter().filter(|row| only.is_empty() || only.iter().any(|name| row.name.contains(name.as_str()))) {
        let shape = Shape::FatTree { k: row.k, oversubscription: 1.0 };
        let topology = shape.build(Rate::from_gbps(10), Span::from_us(1)).expect("k is even");
        let mut outcome = None;
        let dctcp = Protocol::Dctcp(config::Dctcp { tcp: tcp(), gain: 0.0625 });
        let dcqcn = Protocol::Dcqcn(config::Dcqcn::default());
        let pfabric = Protocol::Pfabric(config::Pfabric::default());
        let newreno = Protocol::NewReno(tcp());
        let cubic = Protocol::Cubic(config::Cubic { tcp: tcp(), ..config::Cubic::default() });
        let mptcp = Protocol::Mptcp(config::Mptcp { tcp: tcp(), subflows: 8 });
        let swift = Protocol::Swift(config::Swift { tcp: tcp(), ..config::Swift::default() });
        let ndp = Protocol::Ndp(config::Ndp::default());
        let eqds = Protocol::Eqds(config::Eqds::default());
        let direct = Protocol::Direct(config::Direct { header: Bytes::new(40) });
        let [seconds] = medians(
            rounds,
            [&mut || {
                outcome = Some(match row.name.split(' ').next() {
                    Some("newreno") => over::<Fifo>(row, &topology, &newreno),
                    Some("cubic") => over::<Fifo>(row, &topology, &cubic),
                    Some("mptcp") => over::<Fifo>(row, &topology, &mptcp),
                    Some("dcqcn") => over::<Pausing>(row, &topology, &dcqcn),
                    Some("swift") => over::<Fifo>(row, &topology, &swift),
                    Some("ndp") => over::<Trimming>(row, &topology, &ndp),
                    Some("eqds") => over::<Trimming>(row, &topology, &eqds),
                    Some("pfabric") => over::<Ranked>(row, &topology, &pfabric),
                    Some("direct") => over::<Fifo>(row, &topology, &direct),
                    _ if row.priorities > 1 => over::<Priorities>(row, &topology, &dctcp),
                    _ => over::<Fifo>(row, &topology, &dctcp),
                });
            }],
        );
        let outcome = outcome.expect("it ran");
        print_row(row.name, row.simulated, seconds, &outcome);
    }
}
