//! `[compare]`: variants that are different networks are held to the same.

use super::wrong;
use crate::{Plan, Worth};

const FILE: &str = r#"
seed = 1
duration = "1 ms"
topology = { kind = "leaf-spine", leaves = 8, spines = 8, hosts_per_leaf = 8, rate = "10 Gb/s" }
transport = { kind = "direct" }
workload = [{ kind = "incast", size = "1 KB" }]

[compare]
equal = "bisection"
reference = "ideal"

[[variant]]
name = "ethernet"

[[variant]]
name = "stardust"
fabric.kind = "stardust"

[[variant]]
name = "fastpod"
fabric.kind = "fastpod"

[[variant]]
name = "shoal"
topology = { kind = "folded-clos", radix = 16, leaves = 8, rate = "20 Gb/s" }
fabric.kind = "shoal"

[[variant]]
name = "an3"
topology = { kind = "an3", networks = 4, hosts = 16, wiring = "torus", egress = 16 }
fabric.kind = "an3"

[[variant]]
name = "xfabric"
topology = { kind = "planes", hosts = 64, planes = 6, rate = "10 Gb/s" }
fabric.kind = "xfabric"

[[variant]]
name = "one switch"
fabric.kind = "ideal-switch"

[[variant]]
name = "ideal"
fabric.kind = "fluid"
"#;

#[test]
fn networks_that_are_not_alike_are_refused() {
    let answers = [
        wrong(FILE, &[]),
        wrong(FILE, &["variant.fastpod.topology={ leaves = 4, spines = 4, hosts_per_leaf = 16 }"]),
        wrong(FILE, &["variant.shoal.topology.rate=10 Gb/s"]),
        wrong(FILE, &["variant.shoal.topology.rate=10 Gb/s", "compare.within=0.5"]),
        wrong(FILE, &["compare.equal=cost"]),
        wrong(FILE, &["compare.equal=cost", "compare.within=0.35"]),
        wrong(FILE, &["compare.equal=power", "compare.within=0.05"]),
        wrong(FILE, &["compare.equal=latency"]),
        wrong(FILE, &["compare.within=2"]),
        wrong(FILE, &["compare.reference=idea"]),
        wrong(FILE, &["compare.equal=bisection", "variant.xfabric.fabric.start=random"]),
    ];
    let expected = [
        "runs ethernet stardust fastpod shoal an3 xfabric one-switch ideal",
        "x.toml:9: compare.equal = \"bisection\": run fastpod has 80 Gb/s and run ideal 320 Gb/s, 75 % less, and within = 0.01 allows 1 %: change the number or the rate of links of one of them, or write within = 0.75",
        "x.toml:9: compare.equal = \"bisection\": run shoal has 160 Gb/s and run ideal 320 Gb/s, 50 % less, and within = 0.01 allows 1 %: change the number or the rate of links of one of them, or write within = 0.5",
        "runs ethernet stardust fastpod shoal an3 xfabric one-switch ideal",
        "--set compare.equal=cost: run fastpod has 11492 USD and run an3 17393 USD, 33.9 % less, and within = 0.01 allows 1 %: change the number of switches or links of one of them, or write within = 0.34",
        "runs ethernet stardust fastpod shoal an3 xfabric one-switch ideal",
        "--set compare.equal=power: run fastpod has 97.7 W and run ethernet 144.2 W, 32.2 % less, and within = 0.05 allows 5 %: change the number of switches or links of one of them, or write within = 0.33",
        "--set compare.equal=latency: no such equal; write one of bisection, cost, power",
        "--set compare.within=2: must be at least 0 and at most 1",
        "--set compare.reference=idea: no such variant; did you mean ideal?",
        "runs ethernet stardust fastpod shoal an3 xfabric one-switch ideal",
    ];
    assert_eq!(answers.join("\n"), expected.join("\n"));
}

fn worth(name: &str, overrides: &[&str]) -> Worth {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let plan = Plan::read(FILE, "x.toml", &overrides).expect("a good file");
    let run = plan.runs.into_iter().find(|run| run.name == name);
    run.and_then(|run| run.worth).expect("the file has [compare]")
}

#[test]
fn what_is_counted_is_told() {
    let told = |name| {
        let Worth { bisection_bps, bisection, power_w, cost_usd, cost_not_given, .. } = worth(name, &[]);
        format!("{name}: {bisection_bps:?} {bisection}; {power_w:.2?} {cost_usd:.2?} {cost_not_given}")
    };
    let answers = ["ethernet", "shoal", "an3", "xfabric", "one-switch", "ideal"].map(told);
    let expected = [
        "ethernet: Some(320000000000) all links; Some(144.20) Some(13922.40) ",
        "shoal: Some(320000000000) half of all links, as cells cross the rack twice (Shoal, §3.3.1); None None the paper counts cost in packet switches, and has no price in USD",
        "an3: Some(320000000000) all links; None Some(17392.80) ",
        "xfabric: Some(320000000000) the torus that it begins as; later circuits follow the traffic; None None the paper has circuits on a board, and nothing of what their ends take",
        "one-switch: Some(320000000000) links of hosts; None None nobody builds an ideal network",
        "ideal: Some(320000000000) all links; None None nobody builds an ideal network",
    ];
    assert_eq!(answers.join("\n"), expected.join("\n"));
    let random = worth("xfabric", &["variant.xfabric.fabric.start=random"]);
    assert_eq!(
        (random.bisection_bps, random.bisection.as_str()),
        (None, "circuits follow the traffic, and the paper has no bound for any traffic")
    );
}

#[test]
fn a_sweep_is_compared_place_by_place() {
    let two = r#"
seed = 1
topology = { kind = "leaf-spine", leaves = 2, spines = 2, hosts_per_leaf = 2, rate = "10 Gb/s" }
transport = { kind = "direct" }
workload = [{ kind = "incast", size = "1 KB" }]
compare = { equal = "bisection" }
variant = [{ name = "a", fabric.kind = "stardust" }, { name = "b", fabric.kind = "fluid" }]
sweep = { "topology.spines" = [1, 2] }
"#;
    assert_eq!(wrong(two, &[]), "runs a,spines=1 a,spines=2 b,spines=1 b,spines=2");
    assert_eq!(
        wrong(two, &[r#"variant.b.topology.links={ leaf-spine = { rate = "5 Gb/s" } }"#]),
        "x.toml:6: compare.equal = \"bisection\": run b,spines=1 has 5 Gb/s and run a,spines=1 10 Gb/s, 50 % less, and within = 0.01 allows 1 %: \
         change the number or the rate of links of one of them, or write within = 0.5"
    );
}

#[test]
fn what_is_not_known_is_told() {
    let text = FILE.replace("equal = \"bisection\"", "equal = \"cost\"\nwithin = 0.5");
    let plan = Plan::read(&text, "x.toml", &[]).expect("a good file");
    assert_eq!(
        plan.warnings,
        [
            "run xfabric: direct does not send again what is on a circuit when it changes, so some flows will not finish: use newreno, or fabric.reconfigure = false",
            "run shoal: compare.equal = \"cost\" is not checked: the paper counts cost in packet switches, and has no price in USD",
            "run xfabric: compare.equal = \"cost\" is not checked: the paper has circuits on a board, and nothing of what their ends take",
        ]
    );
}

#[test]
fn other_hosts_and_other_traffic_are_told() {
    let file = r#"
seed = 1
topology = { kind = "star", hosts = 8, rate = "10 Gb/s" }
transport = { kind = "direct" }
workload = [{ kind = "poisson", size = "1 KB", load = 0.5 }]
compare = {}
variant = [{ name = "a", fabric.kind = "fluid" }, { name = "b", fabric.kind = "fluid", topology.hosts = 9, topology.rate = "20 Gb/s" }]
"#;
    let warnings = |text: &str| Plan::read(text, "x.toml", &[]).expect("a good file").warnings;
    let hosts = "run b has 9 hosts and run a 8: not the same hosts";
    assert_eq!(
        warnings(file),
        [
            hosts,
            "workload poisson offers 90 Gb/s in run b and 40 Gb/s in run a: not the same traffic; write flows_per_second in place of load"
        ]
    );
    assert_eq!(warnings(&file.replace("load = 0.5", "flows_per_second = 1e6")), [hosts]);
    assert_eq!(warnings(&file.replace("compare = {}", "")), [""; 0]);
}

#[test]
fn a_file_without_it_counts_nothing() {
    let plan = Plan::read(
        &FILE
            .replace("[compare]", "[measure]")
            .replace("equal = \"bisection\"", "")
            .replace("reference = \"ideal\"", ""),
        "x.toml",
        &[],
    );
    assert!(plan.expect("a good file").runs.iter().all(|run| run.worth.is_none() && run.compare.is_none()));
}
