//! `--set`, variants and sweeps: which runs come out, and what is in them.

use super::{FILE, wrong};
use crate::{FabricPlan, Plan, RunPlan};

fn runs(tables: &str, overrides: &[&str]) -> Vec<RunPlan> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    Plan::read(&format!("{FILE}{tables}"), "x.toml", &overrides).unwrap_or_else(|problems| panic!("{problems}")).runs
}

fn names(runs: &[RunPlan]) -> Vec<&str> {
    runs.iter().map(|run| run.name.as_str()).collect()
}

fn load(run: &RunPlan) -> f64 {
    run.groups[0].offered_load.unwrap()
}

fn near(value: f64, expected: f64) -> bool {
    (value - expected).abs() < 1e-9
}

#[test]
fn variants_times_axes_the_last_axis_fastest() {
    let runs = runs(
        "[[variant]]\nname = \"newreno\"\n[[variant]]\nname = \"dctcp\"\ntransport.kind = \"dctcp\"\nfabric.ecn_threshold = \"20 packets\"\n\
         [sweep]\n\"workload.0.load\" = [0.2, 0.8]\nseed = [1, 2]\n",
        &[],
    );
    let expected = [
        "newreno,load=0.2,seed=1",
        "newreno,load=0.2,seed=2",
        "newreno,load=0.8,seed=1",
        "newreno,load=0.8,seed=2",
        "dctcp,load=0.2,seed=1",
        "dctcp,load=0.2,seed=2",
        "dctcp,load=0.8,seed=1",
        "dctcp,load=0.8,seed=2",
    ];
    assert_eq!(names(&runs), expected);
    let last = &runs[7];
    assert_eq!(last.variant.as_deref(), Some("dctcp"));
    assert_eq!(last.transports.name(), "dctcp");
    assert_eq!(last.seed.0, 2);
    assert!(near(load(last), 0.8));
    assert_eq!(last.sweep, [("workload.0.load".to_owned(), 0.8.into()), ("seed".to_owned(), 2.into())]);
    assert!(runs[1..].iter().all(|run| std::sync::Arc::ptr_eq(&run.topology, &runs[0].topology)), "built once");
}

#[test]
fn a_list_is_replaced_or_changed_by_index_or_name() {
    let tables = "[[variant]]\nname = \"index\"\n\"workload.0.load\" = 0.1\n\
                  [[variant]]\nname = \"kind\"\nworkload.poisson.load = 0.2\n\
                  [[variant]]\nname = \"whole\"\nworkload = [{ kind = \"permutation\" }]\n";
    let runs = runs(tables, &[]);
    assert!(near(load(&runs[0]), 0.1));
    assert!(near(load(&runs[1]), 0.2));
    assert_eq!(runs[2].groups[0].kind, "permutation");
}

#[test]
fn keys_of_another_kind_are_left_behind() {
    let tables = "[[variant]]\nname = \"leaf-spine\"\ntopology = { kind = \"leaf-spine\", leaves = 2, spines = 2, hosts_per_leaf = 4 }\n\
                  [[variant]]\nname = \"direct\"\ntransport.kind = \"direct\"\n";
    let runs = runs(tables, &[]);
    // k and oversubscription went, rate stayed; so did min_rto.
    assert!(runs[0].topology.describe().starts_with("leaf-spine, 2 leaves with 4 hosts each, 2 spines: 8 hosts"));
    assert!(runs[0].topology.describe().ends_with("cables of 10 Gb/s and 1 us"));
    assert_eq!(runs[1].transports.name(), "direct");
    // What belongs to no kind is still a mistake.
    let typo = FILE.replace("min_rto", "min_rot") + "[[variant]]\nname = \"direct\"\ntransport.kind = \"direct\"\n";
    assert_eq!(wrong(&typo, &[]), "x.toml:15: transport.min_rot: no such key; the keys here are header, kind");
}

#[test]
fn overrides_need_no_quotes_and_go_first() {
    let tables = "[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\n\"workload.0.load\" = 0.3\n";
    let overrides =
        ["topology.rate=40Gb/s", "topology.delay=\"2 us\"", "fabric.queue=20 packets", "workload.0.load=0.1"];
    let runs = runs(tables, &overrides);
    assert!(runs[0].topology.describe().ends_with("of 40 Gb/s and 2 us"), "{}", runs[0].topology.describe());
    assert!(near(load(&runs[0]), 0.1), "the variant doesn't say");
    assert!(near(load(&runs[1]), 0.3), "the variant says otherwise");
    let FabricPlan::Ethernet(fabric) = &*runs[0].fabric else { panic!("not Ethernet") };
    assert_eq!(fabric.config.port.queue, ethernet::Length::Packets(20));
}

#[test]
fn overrides_reach_into_variants_and_sweeps() {
    let variants = runs("[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\n", &["variant.b.seed=9"]);
    assert_eq!(variants.iter().map(|run| run.seed.0).collect::<Vec<_>>(), [1, 9]);
    assert_eq!(names(&runs("[sweep]\nseed = [1, 2, 3]\n", &["sweep.seed=[5, 6]"])), ["seed=5", "seed=6"]);
    assert_eq!(names(&runs("", &["sweep.topology.k=[4, 8]"])), ["k=4", "k=8"]);
}

#[test]
fn an_override_takes_the_place_of_an_axis() {
    let tables = "[sweep]\n\"workload.0.load\" = [0.2, 0.8]\nseed = [1, 2]\n";
    let runs = runs(tables, &["workload.poisson.load=0.4"]);
    assert_eq!(names(&runs), ["seed=1", "seed=2"]);
    assert!(runs.iter().all(|run| near(load(run), 0.4)));
}

#[test]
fn a_problem_of_one_run_names_it() {
    let tables =
        "[[variant]]\nname = \"star\"\ntopology = { kind = \"star\", hosts = 3 }\n[[variant]]\nname = \"tree\"\n";
    let text = FILE.replace("[measure]", "[measure]\nwatch = [\"edge-0 -> core-0\"]") + tables;
    assert_eq!(
        wrong(&text, &[]),
        "x.toml:21: run star: measure.watch.0 = \"edge-0 -> core-0\": no node is called \"edge-0\"; the nodes are \"host-0\", \
         \"host-1\", \"host-2\", \"switch-0\"\n\
         x.toml:21: run tree: measure.watch.0 = \"edge-0 -> core-0\": no link goes from \"edge-0\" to \"core-0\"; from \
         \"edge-0\" links go to \"host-0\", \"host-1\", \"aggregation-0\", \"aggregation-1\""
    );
}

#[test]
fn links_are_changed_by_class_then_one_by_one() {
    let tables = "[topology.links.edge-aggregation]\nrate = \"40 Gb/s\"\nqueue = \"50 packets\"\n\
                  [[topology.link]]\nfrom = \"edge-0\"\nto = \"aggregation-1\"\nboth = false\nrate = \"1 Gb/s\"\nloss = 0.01\n";
    let run = &runs(tables, &[])[0];
    let rate = |name: &str| run.topology.link(run.topology.find_link(name).unwrap()).rate.to_string();
    assert_eq!(rate("edge-0 -> host-0"), "10 Gb/s");
    assert_eq!(rate("edge-0 -> aggregation-0"), "40 Gb/s");
    assert_eq!(rate("edge-0 -> aggregation-1"), "1 Gb/s");
    assert_eq!(rate("aggregation-1 -> edge-0"), "40 Gb/s");
    let FabricPlan::Ethernet(fabric) = &*run.fabric else { panic!("not Ethernet") };
    let link = run.topology.find_link("edge-0 -> aggregation-1").unwrap().0;
    assert_eq!(fabric.config.rules.len(), 2);
    assert_eq!(fabric.config.rules[0].links.len(), 32, "both directions of 16 cables");
    assert_eq!(fabric.config.rules[0].queue, Some(ethernet::Length::Packets(50)));
    assert_eq!((fabric.config.rules[1].links.as_slice(), fabric.config.rules[1].loss), ([link].as_slice(), Some(0.01)));
}

#[test]
fn what_would_run_is_told_as_json() {
    let plan = Plan::read(FILE, "x.toml", &["workload.0.size=20 KB".to_owned()]).unwrap();
    let check: serde_json::Value = serde_json::to_value(plan.check()).unwrap();
    let run = &check["runs"][0];
    assert_eq!(run["name"], "run");
    assert_eq!((&run["hosts"], &run["switches"], &run["links"]), (&16.into(), &20.into(), &96.into()));
    assert_eq!(run["topology"], "fat-tree, k = 4: 16 hosts, 20 switches, 48 cables of 10 Gb/s and 1 us");
    assert_eq!((&run["fabric"], &run["transport"]), (&"ethernet".into(), &"newreno".into()));
    assert_eq!((&run["duration_ps"], &run["warmup_ps"]), (&10_000_000_000_u64.into(), &1_000_000_000.into()));
    assert_eq!(run["workloads"][0]["offered_bps"], 80e9);
    // 80 Gb/s for 10 ms in packets of 1460 B, there and an acknowledgement back, over 5.47 links on average.
    let packets = 100e6 / 1460.0;
    let hops = run["estimated_hops"].as_f64().unwrap();
    assert!((hops / (packets * 2.0 * 5.47) - 1.0).abs() < 0.02, "{hops}");
}
