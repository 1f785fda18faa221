//! What a run is said to take, in memory and in hops, beside what it takes.

#![allow(clippy::print_stderr, reason = "says what was measured, to whoever asks with --nocapture")]

mod allocation;

use experiment::Plan;
use experiment::run::Job;
use std::time::Duration;

/// An estimate of memory is at most so many times too low, and too high. What is not in flight decides little in small runs, and in
/// large ones a run seldom holds all that it could.
const MEMORY: (f64, f64) = (allocation::TOO_LOW, 12.0);
/// The same of hops.
const HOPS: (f64, f64) = (2.0, 3.0);

/// One plan for each mechanism that takes memory or shortens traffic, small enough for a debug build.
const PLANS: &[(&str, &str)] = &[
    (
        "closed TCP with full queues",
        r#"seed = 1
duration = "2 ms"
topology = { kind = "leaf-spine", leaves = 4, spines = 1, hosts_per_leaf = 4, rate = "10 Gb/s" }
transport = { kind = "newreno" }
workload = [{ kind = "background", flows_per_host = 4 }]"#,
    ),
    (
        "a ring among neighbours that its time cuts short",
        r#"seed = 1
duration = "1 ms"
topology = { kind = "fat-tree", k = 4, rate = "10 Gb/s" }
fabric = { kind = "ethernet", ecn_threshold = "20 packets" }
transport = { kind = "dctcp" }
workload = [{ kind = "ring-all-reduce", bytes = "64 MB", repeat = 100 }]"#,
    ),
    (
        "an incast through one link",
        r#"seed = 1
duration = "2 ms"
topology = { kind = "star", hosts = 16, rate = "10 Gb/s" }
transport = { kind = "newreno", min_rto = "500 us", initial_rto = "500 us" }
workload = [{ kind = "incast", receiver = 0, size = "10 MB" }]"#,
    ),
    (
        "random arrivals",
        r#"seed = 1
duration = "2 ms"
topology = { kind = "fat-tree", k = 4, rate = "10 Gb/s" }
workload = [{ kind = "poisson", load = 0.3, size = "20 KB" }]"#,
    ),
    (
        "messages so long that most do not end",
        r#"seed = 1
duration = "1 ms"
topology = { kind = "fat-tree", k = 4, rate = "10 Gb/s" }
workload = [{ kind = "poisson", load = 0.4, size = "web-search" }]"#,
    ),
    (
        "Ethernet over long links",
        r#"seed = 1
duration = "9 ms"
topology = { kind = "star", hosts = 4, rate = "100 Gb/s", delay = "4 ms" }
fabric = { kind = "ethernet", mtu = "9000 B", queue = "1 GB" }
transport = { kind = "direct" }
workload = [{ kind = "permutation" }]"#,
    ),
    (
        "Stardust by events",
        r#"seed = 1
duration = "200 us"
topology = { kind = "leaf-spine", leaves = 4, spines = 4, hosts_per_leaf = 4, rate = "10 Gb/s" }
fabric = { kind = "stardust" }
transport = { kind = "direct" }
workload = [{ kind = "permutation" }]"#,
    ),
    (
        "Stardust in lock-step over long links",
        r#"seed = 1
duration = "80 ms"
topology = { kind = "leaf-spine", leaves = 2, spines = 2, hosts_per_leaf = 2, rate = "100 Gb/s", delay = "5 ms" }
fabric = { kind = "stardust", interior = "lock-step", reachability.period = "10 ms" }
transport = { kind = "direct" }
workload = [{ kind = "permutation", size = "1 MB" }]"#,
    ),
    (
        "Shoal",
        r#"seed = 1
duration = "100 us"
topology = { kind = "star", hosts = 64, rate = "100 Gb/s", delay = "10 ns" }
fabric = { kind = "shoal" }
transport = { kind = "direct" }
workload = [{ kind = "permutation" }]"#,
    ),
    (
        "Shoal over long links",
        r#"seed = 1
duration = "100 us"
topology = { kind = "star", hosts = 16, rate = "100 Gb/s", delay = "2 ms" }
fabric = { kind = "shoal" }
transport = { kind = "direct" }
workload = [{ kind = "permutation", size = "1 KB" }]"#,
    ),
    (
        "XFabric",
        r#"seed = 1
duration = "1 ms"
topology = { kind = "planes", hosts = 27, planes = 6, rate = "10 Gb/s", delay = "100 ns" }
fabric = { kind = "xfabric", reconfigure = false }
workload = [{ kind = "permutation" }]"#,
    ),
    (
        "the ideal network of pairs",
        r#"seed = 1
duration = "1 ms"
topology = { kind = "star", hosts = 48, rate = "100 Gb/s", delay = "100 ns" }
fabric = { kind = "fluid", sharing = "detours" }
transport = { kind = "direct" }
workload = [{ kind = "poisson", load = 0.5, size = "100 KB" }]"#,
    ),
];

#[test]
fn estimates_are_what_runs_take() {
    let folder = std::env::temp_dir().join(format!("gossamer-cost-{}", std::process::id()));
    let mut wrong = String::new();
    for (number, (name, text)) in PLANS.iter().enumerate() {
        let plan = Plan::read(text, "x.toml", &[]).unwrap_or_else(|problems| panic!("{name}: {problems}"));
        let (said, said_hops) = (plan.runs[0].estimated_memory() as f64, plan.runs[0].estimated_hops());
        let (job, took) = allocation::peak(|| {
            let folder = folder.join(number.to_string());
            let job = Job::start(plan, text, &[], Some(&folder), false, 1, None).expect("it starts");
            while !job.wait(Duration::from_secs(1)) {}
            job
        });
        let took = took as f64;
        let (entry, hops) = (job.manifest().runs.remove(0), job.progress().hops as f64);
        let (memory, hops_factor) = (said / took, said_hops / hops);
        eprintln!(
            "{name}: {:?}, memory {said:.2e} said, {took:.2e} taken; hops {said_hops:.2e} said, {hops:.2e} made",
            entry.status
        );
        let fits = |factor: f64, (low, high): (f64, f64)| factor * low >= 1.0 && factor <= high;
        // Where nearly nothing arrives within the time, hops say nothing.
        let idle = hops < 500.0;
        if !fits(memory, MEMORY) || !(idle || fits(hops_factor, HOPS)) {
            wrong += &format!("{name}: memory {memory:.2} times, hops {hops_factor:.2} times what it took\n");
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(wrong.is_empty(), "\n{wrong}");
}
