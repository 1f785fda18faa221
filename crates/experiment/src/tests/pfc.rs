//! `fabric.pfc`: what is refused, and what of it is lossless.

use super::{FILE, wrong};
use crate::Plan;

fn refused(pfc: &str) -> String {
    wrong(FILE, &[&format!("fabric={{ kind = \"ethernet\", {pfc} }}")])
}

#[test]
fn what_cannot_be_is_refused_where_it_is_written() {
    let outside = "topology={ kind = \"star\", hosts = 16, outside = { kind = \"star\", hosts = 4, gateways = 2 } }";
    let shoal = "fabric={ kind = \"shoal\", outside = { pfc = {} } }";
    let answers = [
        refused("pfc = { buffer = \"20 KB\" }"),
        refused("pfc = { headroom = \"4 MB\" }"),
        refused("pfc = { quanta = 40 }"),
        refused("priorities = 2, pfc = { lossy = [0, 2] }"),
        refused("trimming = {}, pfc = {}"),
        wrong(FILE, &[outside, shoal]),
    ];
    assert_eq!(answers, [""; 6]);
}

fn warnings(fabric: &str) -> Vec<String> {
    let overrides =
        ["transport={ kind = \"direct\" }".to_owned(), format!("fabric={{ kind = \"ethernet\", {fabric} }}")];
    Plan::read(FILE, "x.toml", &overrides).unwrap_or_else(|problems| panic!("{problems}")).warnings
}

#[test]
fn direct_needs_no_more_than_pauses() {
    let none = Vec::<String>::new();
    assert_eq!(warnings("pfc = {}"), none);
    assert_eq!(warnings("pfc = { headroom = \"20 KB\" }"), none, "more than is needed");
    let warned = [
        warnings("pfc = { headroom = \"5 KB\", buffer = \"200 KB\" }"),
        warnings("priorities = 2, pfc = { lossy = [1], buffer = \"200 KB\" }"),
    ];
    assert_eq!(warned.concat(), [""; 2]);
    // An incast that would be refused without pauses.
    let incast = "workload=[{ kind = \"incast\", receiver = 0, senders = 15, size = \"100 MB\" }]";
    let overrides = ["transport={ kind = \"direct\" }", "fabric={ kind = \"ethernet\", pfc = {} }", incast];
    let plan =
        Plan::read(FILE, "x.toml", &overrides.map(str::to_owned)).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(plan.warnings, none);
    assert!(plan.runs[0].estimated_memory() < 4_000_000_000, "switches hold no more than their memory");
}
