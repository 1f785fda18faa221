//! Numbers, texts and files that no run could have: each has an answer, and none takes long to find.

use super::{FILE, changed, wrong};
use crate::Plan;
use std::fmt::Write;

/// What is in the place of what.
const CHANGES: &[(&str, &str)] = &[
    // Near the end of 64 bits, and beyond.
    (r#"duration = "10 ms""#, r#"duration = "18446744073709551615 ps""#),
    (r#"duration = "10 ms""#, r#"duration = "99999999999999999999999 s""#),
    (r#"rate = "10 Gb/s""#, "rate = \"10 Gb/s\"\ndelay = \"18446744073709551615 ps\""),
    (r#"rate = "10 Gb/s""#, r#"rate = "18446744073709551615 b/s""#),
    (r#"mtu = "1500 B""#, r#"mtu = "18446744073709551000 B""#),
    (r#"queue = "100 packets""#, r#"queue = "4294967295 packets""#),
    (r#"queue = "100 packets""#, r#"queue = "18446744073709551000 B""#),
    (r#"min_rto = "10 ms""#, r#"min_rto = "18446744073709551615 ps""#),
    (r#"size = "web-search""#, r#"size = "18446744073709551000 B""#),
    (r#"duration = "10 ms""#, r#"duration = "100000 s""#),
    (
        "kind = \"ethernet\"\nmtu = \"1500 B\"\nqueue = \"100 packets\"",
        "kind = \"stardust\"\nmtu = \"18446744073709551000 B\"",
    ),
    // More than anyone means.
    ("kind = \"poisson\"\nload = 0.5", "kind = \"background\"\nflows_per_host = 4294967295"),
    ("kind = \"poisson\"\nload = 0.5", "kind = \"closed-loop\"\nflows_per_host = 4294967295"),
    ("load = 0.5", "flows_per_second = 1e300\nallow_overload = true"),
    ("load = 0.5", "load = 1e300\nallow_overload = true"),
    // Nothing to do.
    ("load = 0.5", "load = 0.5\nstart = \"10 ms\""),
    ("\"fat-tree\"\nk = 4\noversubscription = 1", "\"leaf-spine\"\nleaves = 1\nspines = 1\nhosts_per_leaf = 1"),
    ("[measure]", "[sweep]\nseed = [1, 1]\n[measure]"),
    ("[measure]", "[sweep]\n\"workload.0.load\" = [0.5, 0.2, 0.5]\n[measure]"),
    // What a terminal would obey.
    ("seed = 1", "seed = 1\ntitle = \"\\u001b[31mred\""),
    ("seed = 1", "seed = 1\n\"\\u001b[31m\" = 2"),
    (r#"kind = "newreno""#, "kind = \"\\u0000\\u001b]0;owned\\u0007\""),
    ("seed = 1", "seed = 1\0"),
];

#[test]
fn every_number_has_a_bound() {
    let mut told = String::new();
    for (old, new) in CHANGES {
        let text = changed(old, new);
        let _ = writeln!(told, "{}\n    {}", crate::printable(new), wrong(&text, &[]).replace('\n', "\n    "));
    }
    insta::assert_snapshot!(told);
}

/// Inputs whose length is all there is to them. Each was quadratic once, or quoted whole.
#[test]
fn long_inputs_are_answered_in_short() {
    let zeros = "0".repeat(1_000_000);
    let classes: String = (0..60_000).map(|class| format!("links.class-{class}.rate = \"1 Gb/s\"\n")).collect();
    for text in [
        changed("seed = 1", &format!("seed = {zeros}1")),
        changed("load = 0.5", &format!("load = 0.{zeros}1e1000000")),
        changed(r#""10 ms""#, &format!("\"{zeros}10 ms\"")),
        changed(r#""10 ms""#, &format!("\"0.{zeros}1 ms\"")),
        changed(r#""newreno""#, &format!("\"{}\"", "x".repeat(1_000_000))),
        changed(r#""newreno""#, &format!("\"{}\"", "many words ".repeat(100_000))),
        changed("[fabric]", &format!("{classes}[fabric]")),
    ] {
        let told = wrong(&text, &[]);
        assert!(told.lines().all(|line| line.len() < 4000) && told.len() < 40_000, "{} bytes", told.len());
        assert!(told.lines().count() <= 21, "{told}");
    }
}

#[test]
fn a_flap_of_a_million_faults_is_planned_in_one_pass() {
    // 4 ns over 1 ms, on a link that two entries make noisy: half a million changes, each with the rates of the two.
    let flap = "[[fault]]\nat = \"0\"\nuntil = \"1 ms\"\nlink = \"edge-0 -> aggregation-0\"\nbit_error_rate = 1e-6\n\
                period = \"4 ns\"\ndown = \"2 ns\"\n";
    let also = "[[fault]]\nat = \"0\"\nlink = \"edge-0 -> aggregation-0\"\nbit_error_rate = 1e-6\n";
    let plan = Plan::read(&format!("{FILE}{flap}{also}"), "x.toml", &[]).unwrap();
    // Both directions: up and down 250 000 times.
    assert_eq!(plan.runs[0].faults.events.len(), 2 * 2 * 250_000);
    let twice = wrong(&format!("{FILE}{flap}{flap}"), &[]);
    assert!(
        twice.contains("fault.1.period = \"4 ns\": gives 2000000 breaks and repairs; the limit is 1000000"),
        "{twice}"
    );
}

#[test]
fn what_starts_nothing_is_said() {
    let warnings = |text: &str| Plan::read(text, "x.toml", &[]).unwrap().warnings;
    let quiet = changed("load = 0.5", "flows_per_second = 0.001");
    assert_eq!(
        warnings(&quiet),
        ["workload poisson: starts no flow: none is due before 10 ms; raise what it offers, or the time it has"]
    );
    let late = format!("{FILE}\n[[workload]]\nkind = \"permutation\"\nstart = \"20 ms\"\n");
    assert_eq!(
        warnings(&late),
        ["workload permutation: starts no flow: it begins at 20 ms, and from 10 ms on no flow starts any more"]
    );
}

#[test]
fn variants_that_change_nothing_are_said() {
    let text = format!(
        "{FILE}\n[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\nseed = 1\n[[variant]]\nname = \"c\"\nseed = 2\n"
    );
    assert_eq!(
        Plan::read(&text, "x.toml", &[]).unwrap().warnings,
        ["run b: is the same as run a; does it lack its change?"]
    );
}

#[test]
fn a_warning_names_the_runs_that_it_is_about() {
    let warnings = |loads: &str| {
        let text = changed("load = 0.5", "flows_per_second = 0.001");
        let sweep = format!("[sweep]\n\"workload.0.flows_per_second\" = {loads}\n[measure]");
        let warnings = Plan::read(&text.replace("[measure]", &sweep), "x.toml", &[]).unwrap().warnings;
        let whose = |warning: &String| warning.split_once("workload poisson: starts no flow").unwrap().0.to_owned();
        warnings.iter().map(whose).collect::<Vec<_>>().join("; ")
    };
    let told = [
        "[0.001]",
        "[0.001, 1e4]",
        "[0.001, 0.002, 1e4]",
        "[0.001, 0.002, 0.003, 1e4]",
        "[0.001, 0.002, 0.003, 0.004, 0.005, 1e4]",
    ];
    insta::assert_snapshot!(told.map(|loads| format!("{loads} -> {}", warnings(loads))).join("\n"));
}

#[test]
fn a_transport_with_nothing_to_do_is_said() {
    let text = changed("kind = \"ethernet\"\nmtu = \"1500 B\"\nqueue = \"100 packets\"", "kind = \"fluid\"");
    let warnings = Plan::read(&text, "x.toml", &[]).unwrap().warnings;
    assert!(
        warnings.len() == 1 && warnings[0].starts_with("newreno has nothing to do over a fluid network"),
        "{warnings:?}"
    );
}

#[test]
fn what_does_not_fit_into_memory_is_refused() {
    let answer = |change: (&str, &str), limit: &str, threads: usize| {
        let plan = Plan::read(&changed(change.0, change.1), "x.toml", &[]).unwrap();
        plan.check_memory(Some(limit.parse().unwrap()), threads).map_err(|error| error.to_string())
    };
    let same = ("seed = 1", "seed = 1");
    assert_eq!(answer(same, "1 GB", 2), Ok(()));
    let small = answer(same, "1 MB", 2).unwrap_err();
    assert!(small.starts_with("run run needs about ") && small.contains("--memory-limit is 1 MB"), "{small}");
    let shoal = "\"star\"\nhosts = 32\ndelay = \"1 s\"";
    let text = changed("\"fat-tree\"\nk = 4\noversubscription = 1", shoal)
        .replace("kind = \"ethernet\"\nmtu = \"1500 B\"\nqueue = \"100 packets\"", "kind = \"shoal\"");
    let plan = Plan::read(&text, "x.toml", &[]).unwrap();
    assert!(plan.runs[0].estimated_memory() > 50_000_000_000);
    assert!(plan.check_memory(Some("8 GB".parse().unwrap()), 1).is_err());
    let two = changed("[measure]", "[sweep]\nseed = [1, 2]\n[measure]");
    let plan = Plan::read(&two, "x.toml", &[]).unwrap();
    let one = plan.runs[0].estimated_memory();
    let told = plan.check_memory(Some(units::Bytes::new(one + one / 2)), 2).unwrap_err().to_string();
    assert!(told.starts_with("2 runs at once need about ") && told.ends_with("write --threads 1"), "{told}");
    assert_eq!(plan.check_memory(Some(units::Bytes::new(one + one / 2)), 1), Ok(()));
}
