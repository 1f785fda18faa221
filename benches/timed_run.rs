//! The run that is timed, and its row in a table.

use engine::{Control, Seed};
use fabric::Network;
use results::Destination;
use simulation::{Labels, Outcome, Output, Settings, Transports};
use topology::Topology;
use transport::{Config, config};
use units::{Bytes, Span, Time};
use workload::{Group, Kind, Pairs, Permutation, Rounds, Setting, Workload};

/// TCP as htsim's DCTCP permutation has it.
pub fn tcp() -> config::Tcp {
    config::Tcp {
        initial_window: 10,
        max_window: Bytes::new(4_000_000),
        min_rto: Span::from_ms(10),
        initial_rto: Span::from_ms(10),
        ack_every: 1,
        ack_delay: Span::from_us(500),
        header: Bytes::new(40),
        recovery: Some(config::Recovery::NewReno),
        ..config::Tcp::default()
    }
}

/// A permutation of endless flows over all hosts.
pub fn permutation() -> Group {
    let pairs = Pairs::Random { count: None };
    let mut group =
        Group::new("permutation", Kind::Permutation(Permutation { pairs, size: None, rounds: Rounds::default() }));
    group.jitter = Span::from_us(100);
    group
}

/// Runs a workload over all hosts of a network, with everything measured that users measure.
///
/// # Panics
/// If the workload does not suit the topology: a benchmark is no place for that.
pub fn run(
    name: &str,
    network: impl Network,
    topology: &Topology,
    transport: &Config,
    workload: &[Group],
    simulated: Span,
) -> Outcome {
    run_with(name, network, topology, transport, workload, simulated, true)
}

/// The same, with or without series of samples.
///
/// # Panics
/// As [`run`].
pub fn run_with(
    name: &str,
    network: impl Network,
    topology: &Topology,
    transport: &Config,
    workload: &[Group],
    simulated: Span,
    series: bool,
) -> Outcome {
    let seed = Seed(1);
    let duration = Time::ZERO + simulated;
    let setting =
        Setting { hosts: topology.hosts(), host_rate: topology.host_rate(0), leaf: Vec::new(), seed, duration };
    let transports = Transports::same(transport.clone(), workload.len());
    let names = workload.iter().map(|group| group.name.as_str().into()).collect();
    let workload = Workload::new(workload, &setting).expect("it suits the hosts");
    let labels = Labels { run: name.into(), variant: None, fabric: "".into(), transport: "".into(), seed: seed.0 };
    let settings = Settings {
        duration,
        warmup: Time::ZERO,
        stop_when_done: true,
        sample: Some(simulated / 100),
        watch: Vec::new(),
        flows: true,
        links: true,
        goodput: series,
        queue: series,
        utilisation: series,
        faults: Vec::new(),
        labels,
    };
    let output = Output::create(&Destination::Memory, settings, topology, names).expect("memory can be written");
    simulation::run(network, &transports, workload, topology, seed, output, &Control::default())
        .expect("memory can be written")
}

/// The head of the table that [`print_row`] fills.
pub fn print_head(rounds: usize) {
    println!("one core, median of {rounds} rounds; memory is the process's peak so far");
    println!(
        "{:<28} {:>9} {:>9} {:>10} {:>11} {:>8} {:>9} {:>7}",
        "", "simulated", "core-s", "M hops", "M hops/c-s", "ns/hop", "ev./hop", "MB"
    );
}

/// A run's row: what it simulated, in how many core-seconds.
pub fn print_row(name: &str, simulated: Span, seconds: f64, outcome: &Outcome) {
    let hops = outcome.hops as f64;
    println!(
        "{name:<28} {:>9} {seconds:>9.3} {:>10.2} {:>11.2} {:>8.1} {:>9.3} {:>7}",
        simulated.to_string(),
        hops / 1e6,
        hops / seconds / 1e6,
        seconds * 1e9 / hops,
        outcome.events as f64 / hops,
        peak_memory()
    );
}

/// Largest memory this process has had, in MB (Linux; 0 elsewhere).
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    peak.and_then(|kb| kb.trim().parse::<u64>().ok()).unwrap_or(0) / 1000
}
