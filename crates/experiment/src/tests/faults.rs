//! `[[fault]]`, as plans have it.

use super::FILE;
use crate::{Faults, Plan, RunPlan};
use fabric::Fault;
use units::{Span, Time};

/// The only run of `FILE` with this in addition.
fn run(text: &str) -> RunPlan {
    let plan = Plan::read(&format!("{FILE}{text}"), "x.toml", &[]);
    plan.unwrap_or_else(|problems| panic!("{problems}")).runs.remove(0)
}

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// What happens, in words: time in microseconds, part, up or down.
fn told(run: &RunPlan) -> Vec<String> {
    let topology = &run.topology;
    let state = |up: bool| if up { "up" } else { "down" };
    let told = |(at, fault): &(Time, Fault)| {
        let at = at.as_ps() / 1_000_000;
        match *fault {
            Fault::Link { link, up } => format!("{at} {} {}", topology.link_name(topology::LinkId(link)), state(up)),
            Fault::Node { node, up } => format!("{at} {} {}", topology.name(topology::NodeId(node)), state(up)),
            Fault::BitErrors { link, rate } => {
                format!("{at} {} {rate:e}", topology.link_name(topology::LinkId(link)))
            }
        }
    };
    run.faults.events.iter().map(told).collect()
}

#[test]
fn a_cable_breaks_both_ways_or_one() {
    let both = run("[[fault]]\nat = \"5 ms\"\nuntil = \"6 ms\"\nlink = \"edge-0 -> aggregation-1\"\n");
    assert_eq!(
        told(&both),
        [
            "5000 edge-0 -> aggregation-1 down",
            "5000 aggregation-1 -> edge-0 down",
            "6000 edge-0 -> aggregation-1 up",
            "6000 aggregation-1 -> edge-0 up",
        ]
    );
    let planned = &both.faults.planned[0];
    let times = (planned.at_ps, planned.until_ps);
    assert_eq!((times, planned.effect.as_str()), ((us(5000).as_ps(), Some(us(6000).as_ps())), "down"));
    assert_eq!(planned.targets, ["edge-0 -> aggregation-1"]);
    let one = run("[[fault]]\nat = \"5 ms\"\nlink = \"edge-0->aggregation-1\"\none_way = true\n");
    assert_eq!(told(&one), ["5000 edge-0 -> aggregation-1 down"]);
}

#[test]
fn what_several_entries_break_works_when_the_last_is_over() {
    let text = "[[fault]]\nat = \"1 ms\"\nuntil = \"4 ms\"\nnode = \"core-0\"\n\
                [[fault]]\nat = \"2 ms\"\nuntil = \"3 ms\"\nnode = \"core-0\"\n\
                [[fault]]\nat = \"4 ms\"\nuntil = \"5 ms\"\nnode = \"core-0\"\n";
    assert_eq!(told(&run(text)), ["1000 core-0 down", "5000 core-0 up"]);
}

#[test]
fn flaps_and_bit_errors() {
    let flaps =
        run("[[fault]]\nat = \"1 ms\"\nuntil = \"3.2 ms\"\nnode = \"core-0\"\nperiod = \"1 ms\"\ndown = \"400 us\"\n");
    assert_eq!(
        told(&flaps),
        [
            "1000 core-0 down",
            "1400 core-0 up",
            "2000 core-0 down",
            "2400 core-0 up",
            "3000 core-0 down",
            "3200 core-0 up"
        ]
    );
    assert_eq!(flaps.faults.planned[0].effect, "down for 400 us every 1 ms");
    let noise = run("[[fault]]\nat = \"1 ms\"\nlink = \"edge-0 -> host-0\"\none_way = true\nbit_error_rate = 1e-6\n\
         [[fault]]\nat = \"2 ms\"\nuntil = \"3 ms\"\nlink = \"edge-0 -> host-0\"\none_way = true\nbit_error_rate = 0.25\n");
    assert_eq!(
        told(&noise),
        ["1000 edge-0 -> host-0 1e-6", "2000 edge-0 -> host-0 2.5000075e-1", "3000 edge-0 -> host-0 1e-6"]
    );
    assert_eq!(noise.faults.planned[0].effect, "bit error rate 1e-6");
    // Without an end it flaps until the run is over, at 10 ms.
    let open = run("[[fault]]\nat = \"9 ms\"\nnode = \"core-0\"\nperiod = \"600 us\"\ndown = \"500 us\"\n");
    assert_eq!(open.faults.events.last().unwrap().0, us(10_000));
}

#[test]
fn chance_comes_from_the_seed_and_draws_nothing_twice() {
    let drawn = |seed: u64, text: &str| {
        let file = format!("{}{text}", FILE.replacen("seed = 1", &format!("seed = {seed}"), 1));
        Plan::read(&file, "x.toml", &[]).unwrap().runs.remove(0).faults
    };
    let some = "[[fault]]\nat = \"1 ms\"\nlinks = \"edge-aggregation\"\ncount = 5\n";
    let targets = |faults: &Faults, entry: usize| faults.planned[entry].targets.clone();
    let first = drawn(1, some);
    assert_eq!(first, drawn(1, some));
    assert_ne!(targets(&first, 0), targets(&drawn(2, some), 0));
    let mut unique = targets(&first, 0);
    unique.dedup();
    assert_eq!((unique.len(), first.events.len()), (5, 10));
    assert!(unique.iter().all(|name| name.starts_with("edge-")), "{unique:?}");
    // The second entry draws for itself, and does not change the first.
    let twice = drawn(1, &format!("{some}{some}"));
    assert_eq!(targets(&twice, 0), targets(&first, 0));
    assert_ne!(targets(&twice, 1), targets(&first, 0));
    for (kind, count) in [("host", 16), ("switch", 20), ("core", 4), ("tier 2", 8)] {
        let all = drawn(1, &format!("[[fault]]\nat = \"1 ms\"\nnodes = \"{kind}\"\ncount = {count}\n"));
        assert_eq!(all.events.len(), count, "all there are");
    }
}

#[test]
fn variants_have_faults_of_their_own() {
    let text = "[[variant]]\nname = \"healthy\"\n[[variant]]\nname = \"broken\"\n\
                fault = [{ at = \"5 ms\", node = \"core-1\" }]\n[sweep]\n\"fabric.convergence\" = [\"0 s\", \"1 ms\"]\n";
    let plan = Plan::read(&format!("{FILE}{text}"), "x.toml", &[]).unwrap();
    let faults: Vec<usize> = plan.runs.iter().map(|run| run.faults.events.len()).collect();
    assert_eq!(faults, [0, 0, 1, 1]);
    let check: serde_json::Value = serde_json::to_value(plan.check()).unwrap();
    let expected = serde_json::json!([
        { "at_ps": 5_000_000_000_u64, "until_ps": null, "targets": ["core-1"], "effect": "down" }
    ]);
    assert_eq!(check["runs"][2]["faults"], expected);
    assert_eq!(check["runs"][0]["faults"], serde_json::json!([]));
}

#[test]
fn who_does_not_send_again_is_warned() {
    let direct = FILE.replacen("kind = \"newreno\"\nmin_rto = \"10 ms\"", "kind = \"direct\"", 1);
    let plan = Plan::read(&format!("{direct}[[fault]]\nat = \"5 ms\"\nnode = \"core-1\"\n"), "x.toml", &[]).unwrap();
    let last = plan.warnings.last().unwrap();
    assert_eq!(
        last,
        "direct does not send again what is lost with what breaks, so some flows will not finish: use newreno"
    );
}

/// A fabric that sends again by itself what links and switches lose has to be warned of hosts only.
#[test]
fn who_has_it_sent_again_by_the_fabric_is_not_warned() {
    let circuits = "seed = 1\ntopology = { kind = \"an3\", networks = 1 }\nfabric.kind = \"an3\"\ntransport.kind = \"direct\"\n\
                    workload = [{ kind = \"permutation\", size = \"1 MB\" }]\n[[fault]]\nat = \"5 ms\"\nnode = \"c0-primary\"\n";
    let plan = Plan::read(circuits, "x.toml", &[]).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(plan.warnings, Vec::<String>::new());
    let warnings = |fault: &str| {
        let file = format!(
            "title = \"x\"\nseed = 1\nduration = \"10 ms\"\n[topology]\nkind = \"leaf-spine\"\nleaves = 4\nspines = 4\nhosts_per_leaf = 4\n\
             [fabric]\nkind = \"fastpod\"\n[transport]\nkind = \"direct\"\n[[workload]]\nname = \"flows\"\nkind = \"permutation\"\n\
             size = \"1 KB\"\n[[fault]]\nat = \"5 ms\"\n{fault}\n"
        );
        Plan::read(&file, "x.toml", &[]).unwrap_or_else(|problems| panic!("{problems}")).warnings
    };
    assert_eq!(warnings("link = \"leaf-0 -> spine-0\""), Vec::<String>::new());
    assert_eq!(warnings("node = \"spine-0\""), Vec::<String>::new());
    assert_eq!(
        warnings("node = \"host-3\""),
        ["direct does not send again what is lost with what breaks, so some flows will not finish: use newreno"]
    );
}
