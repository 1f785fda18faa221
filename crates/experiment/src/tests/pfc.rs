//! `fabric.pfc`: what is refused, and what of it is lossless.

use super::{changed, wrong};
use crate::Plan;

/// Without queues, which are refused beside pauses.
fn file() -> String {
    changed("queue = \"100 packets\"\n", "")
}

fn refused(pfc: &str) -> String {
    wrong(&file(), &[&format!("fabric={{ kind = \"ethernet\", {pfc} }}")])
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
        refused("queue = \"50 packets\", pfc = {}"),
        wrong(
            &file(),
            &["fabric={ kind = \"ethernet\", pfc = {} }", "topology.links.edge-aggregation.queue=50 packets"],
        ),
        wrong(&file(), &[outside, shoal]),
        refused("in_network_latency = true, pfc = {}"),
        wrong(&file(), &[outside, "fabric={ kind = \"shoal\", outside = { in_network_latency = true } }"]),
    ];
    let expected = [
        "--set fabric.pfc.buffer=20 KB: edge-0 reserves 28.796 KB of it as headroom, and what its ports share must hold a packet of 1.538 KB; \
         enlarge it, or lower fabric.pfc.headroom",
        "--set fabric.pfc.buffer: edge-0 reserves 16 MB of it as headroom, and what its ports share must hold a packet of 1.538 KB; enlarge it, or \
         lower fabric.pfc.headroom",
        "--set fabric.pfc.quanta=40: a pause must last until it is repeated, which may have to wait for a packet that is being sent: 49 quanta at \
         least",
        "--set fabric.pfc.lossy=[0, 2]: names class 2, and there are 2, from 0 on (fabric.priorities)",
        "--set fabric.pfc: ports that pause drop nothing, so there is nothing to trim; leave pfc or trimming out",
        "--set fabric.queue=50 packets: ports that pause have no queues of their own but share the memory of their switch; leave it out, or say \
         fabric.pfc.buffer",
        "--set topology.links.edge-aggregation.queue=50 packets: ports that pause have no queues of their own but share the memory of their switch; leave it out, \
         or say fabric.pfc.buffer",
        "--set fabric.outside.pfc: only an Ethernet fabric by itself pauses its hosts; leave it out",
        "--set fabric.in_network_latency=true: is of frames that their host's interface sends in their turn, and pauses hold them up there; leave it or pfc \
         out",
        "--set fabric.outside.in_network_latency=true: only an Ethernet fabric by itself has packets of which it sees the whole way; leave it out",
    ];
    assert_eq!(answers, expected);
}

fn warnings(fabric: &str) -> Vec<String> {
    let overrides =
        ["transport={ kind = \"direct\" }".to_owned(), format!("fabric={{ kind = \"ethernet\", {fabric} }}")];
    Plan::read(&file(), "x.toml", &overrides).unwrap_or_else(|problems| panic!("{problems}")).warnings
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
    let expected = [
        "direct does not send again what is dropped, and headroom (fabric.pfc.headroom) of 5 KB can overflow, so that some flows would not finish: \
         set a larger fabric.pfc.headroom, or use newreno",
        "direct does not send again what is dropped, and a switch's memory (fabric.pfc.buffer) of 200 KB can overflow, so that some flows would not \
         finish: set fabric.pfc.lossy = [], or use newreno",
    ];
    assert_eq!(warned.concat(), expected);
    // An incast that would be refused without pauses.
    let incast = "workload=[{ kind = \"incast\", receiver = 0, senders = 15, size = \"100 MB\" }]";
    let overrides = ["transport={ kind = \"direct\" }", "fabric={ kind = \"ethernet\", pfc = {} }", incast];
    let plan =
        Plan::read(&file(), "x.toml", &overrides.map(str::to_owned)).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(plan.warnings, none);
    assert!(plan.runs[0].estimated_memory() < 4_000_000_000, "switches hold no more than their memory");
}
