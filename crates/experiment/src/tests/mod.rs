//! Whole files, as people write them: right ones, and every mistake that could be thought of.

mod bounds;
mod compare;
mod dcqcn;
mod fabrics;
mod faults;
mod gateways;
mod layered;
mod losses;
mod mistakes;
mod pfabric;
mod pfc;
mod property;
mod ready_made;
mod references;
mod transports;

use crate::Plan;

/// A file in which everything is written that the tests change.
const FILE: &str = r#"seed = 1
duration = "10 ms"
warmup = "1 ms"
[topology]
kind = "fat-tree"
k = 4
oversubscription = 1
rate = "10 Gb/s"
[fabric]
kind = "ethernet"
mtu = "1500 B"
queue = "100 packets"
[transport]
kind = "newreno"
min_rto = "10 ms"
[[workload]]
kind = "poisson"
load = 0.5
size = "web-search"
[measure]
sample = "100 us"
"#;

/// What is wrong with `text` under these overrides; what it would run if nothing is.
fn wrong(text: &str, overrides: &[&str]) -> String {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    match Plan::read(text, "x.toml", &overrides) {
        Ok(plan) => format!("runs {}", plan.runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>().join(" ")),
        Err(problems) => problems.to_string(),
    }
}

/// `FILE` with one text in the place of another.
fn changed(old: &str, new: &str) -> String {
    assert!(FILE.contains(old), "{old} is not in the file");
    FILE.replacen(old, new, 1)
}
