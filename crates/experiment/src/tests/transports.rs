//! Workloads with transports of their own.

use super::wrong;
use crate::{Plan, RunPlan};
use transport::{Config, Transport};

const FILE: &str = r#"
seed = 1
duration = "1 ms"
topology = { kind = "star", hosts = 4, rate = "10 Gb/s" }
fabric = { ecn_threshold = "20 packets" }
transport = { kind = "dctcp" }

[[workload]]
kind = "permutation"

[[workload]]
kind = "incast"
size = "10 KB"
transport = { kind = "newreno", initial_window = 4 }

[[workload]]
kind = "incast"
name = "third"
size = "10 KB"
transport = { kind = "dctcp" }
"#;

fn plan(overrides: &[&str]) -> RunPlan {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let plan = Plan::read(FILE, "x.toml", &overrides).unwrap_or_else(|problems| panic!("{problems}"));
    plan.runs.into_iter().next().unwrap()
}

#[test]
fn a_workload_has_the_transport_that_it_names_or_that_of_the_file() {
    let run = plan(&[]);
    // Equal ones are one, wherever they are written.
    assert_eq!(run.transports.of_workload, [0, 1, 0]);
    assert_eq!(run.transports.name(), "dctcp + newreno");
    assert!(matches!(run.transports.of(1), Config::NewReno(tcp) if tcp.initial_window == 4));
    assert!(run.transports.of(0).needs().ecn);
}

#[test]
fn a_check_says_which_workload_has_which() {
    let plan = Plan::read(FILE, "x.toml", &[]).unwrap();
    let check: serde_json::Value = serde_json::to_value(plan.check()).unwrap();
    let run = &check["runs"][0];
    assert_eq!(run["transport"], "dctcp + newreno");
    let of_workloads: Vec<_> = run["workloads"].as_array().unwrap().iter().map(|group| &group["transport"]).collect();
    assert_eq!(of_workloads, ["dctcp", "newreno", "dctcp"]);
}

#[test]
fn swift_is_refused_what_it_does_not_have() {
    let text = FILE.replace("kind = \"newreno\", initial_window = 4", "kind = \"swift\"");
    let answers = [
        wrong(&text, &["workload.1.transport.recovery=newreno"]),
        wrong(&text, &["workload.1.transport.flow_min_window=100"]),
        wrong(&text, &["workload.1.transport.max_decrease=1"]),
    ];
    let expected = [
        "--set workload.1.transport.recovery=newreno: swift finds losses by selective acknowledgements: write \"sack\" or \"rack\", or leave this out",
        "x.toml:14: workload.1.transport.flow_max_window: must be above flow_min_window, which is 100",
        "--set workload.1.transport.max_decrease=1: must be above 0 and below 1",
    ];
    assert_eq!(answers.join("\n"), expected.join("\n"));
    assert!(Plan::read(&text, "x.toml", &["workload.1.transport.recovery=rack".to_owned()]).is_ok());
}

#[test]
fn one_that_the_fabric_does_not_suit_is_refused_where_it_is_written() {
    let text = FILE.replace("fabric = { ecn_threshold = \"20 packets\" }\ntransport = { kind = \"dctcp\" }\n", "");
    let answers = [
        wrong(&text, &[]),
        wrong(FILE, &["workload.1.transport.max_window=100 B"]),
        wrong(FILE, &["workload.1.transport.kind=dctpc"]),
        wrong(FILE, &["workload.1.transport.gain=0.5"]),
    ];
    let lost = FILE.replace("kind = \"newreno\", initial_window = 4", "kind = \"direct\"");
    let lost = wrong(
        &lost,
        &["workload.1.size=10 MB", "fabric.queue=20 packets", "fabric.ecn_threshold=2 packets", "duration=1 s"],
    );
    let answers = [answers.join("\n"), lost];
    insta::assert_snapshot!(answers.join("\n"));
}
