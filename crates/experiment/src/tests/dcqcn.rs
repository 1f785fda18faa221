//! `transport.kind = "dcqcn"` and `fabric.red`: what is refused, and what is warned of.

use super::wrong;
use crate::Plan;

const FILE: &str = r#"
seed = 1
duration = "1 ms"
topology = { kind = "leaf-spine", leaves = 2, spines = 2, hosts_per_leaf = 4, rate = "40 Gb/s" }
fabric = { pfc = {}, red = {} }
transport = { kind = "dcqcn" }
workload = [{ kind = "incast", size = "1 MB" }]
"#;

#[test]
fn what_cannot_be_is_refused_where_it_is_written() {
    let answers = [
        wrong(&FILE.replace(", red = {}", ""), &[]),
        wrong(FILE, &["fabric.ecn_threshold=20 packets"]),
        wrong(FILE, &["fabric.red.min_threshold=200 KB"]),
        wrong(FILE, &["fabric.red.max_probability=0"]),
        wrong(FILE, &["topology.links.leaf-spine.red={ min_threshold = \"300 KB\" }"]),
        wrong(FILE, &["topology.links.leaf-spine={ red = {}, ecn_threshold = \"20 KB\" }"]),
        wrong(&FILE.replace("pfc = {}", "queue = \"4 KB\""), &[]),
        wrong(&FILE.replace("pfc = {}, red = {}", "kind = \"stardust\""), &["topology.links.leaf-spine.red={}"]),
        wrong(FILE, &["transport.control_priority=1"]),
        wrong(FILE, &["transport.min_rto=1 ms"]),
    ];
    let expected = [
        "x.toml:6: transport.kind = \"dcqcn\": dcqcn needs ECN marks: set fabric.ecn_threshold, for example \"20 packets\", or use newreno",
        "x.toml:5: fabric.red: says how likely a mark is, and ecn_threshold from where it is certain; keep one of the two",
        "--set fabric.red.min_threshold=200 KB: is not below max_threshold, which is 200 KB; a probability grows between the two",
        "--set fabric.red.max_probability=0: must be above 0 and at most 1",
        "--set topology.links.leaf-spine.red.min_threshold=300 KB: is not below max_threshold, which is 200 KB; a probability grows between the two",
        "--set topology.links.leaf-spine.red: says how likely a mark is, and ecn_threshold from where it is certain; keep one of the two",
        "x.toml:5: fabric.red.min_threshold: is not below the queue of 4 KB, so nothing would ever be marked; lower it, or lengthen the queue",
        "--set topology.links.leaf-spine.red: is for the ports of Ethernet switches; a Stardust fabric has no red of single links, see [fabric]",
        "x.toml:6: transport.kind = \"dcqcn\": dcqcn needs ECN marks: set fabric.ecn_threshold, for example \"100 KB\", or use newreno",
        "--set transport.control_priority=1: the fabric has only priority 0; raise fabric.priorities or lower this",
        "--set transport.min_rto: a transport of kind \"dcqcn\" has no such key (\"newreno\", \"dctcp\", \"cubic\", \"swift\", \"mptcp\" have); its keys are \
         gain, alpha_timer, rate_timer, byte_counter, fast_recovery, additive_increase, hyper_increase, min_rate, notification_interval, ack_every, timeout, header, control, \
         control_priority",
    ];
    assert_eq!(answers.join("\n"), expected.join("\n"));
}

#[test]
fn links_may_have_marks_of_their_own() {
    let rule = |change: &str| {
        let plan = Plan::read(FILE, "x.toml", &[format!("topology.links.leaf-spine={change}")]).unwrap();
        assert_eq!(plan.warnings, Vec::<String>::new());
        plan.runs.len()
    };
    assert_eq!(rule("{ rate = \"100 Gb/s\", red = { min_threshold = \"12.5 KB\", max_threshold = \"500 KB\" } }"), 1);
    assert_eq!(rule("{ ecn_threshold = \"none\" }"), 1);
}

fn warnings(fabric: &str) -> Vec<String> {
    let text = FILE.replace("fabric = { pfc = {}, red = {} }", &format!("fabric = {{ red = {{}}, {fabric} }}"));
    Plan::read(&text, "x.toml", &[]).unwrap_or_else(|problems| panic!("{problems}")).warnings
}

#[test]
fn a_fabric_that_drops_or_sprays_is_warned_of() {
    assert_eq!(warnings("pfc = {}"), Vec::<String>::new());
    assert_eq!(warnings("pfc = {}, loss = 0.01"), Vec::<String>::new(), "whoever writes that means it");
    assert_eq!(warnings("queue = \"1 GB\""), Vec::<String>::new(), "that never fills");
    let warned = [
        warnings("queue = \"100 packets\""),
        warnings("pfc = { headroom = \"5 KB\" }"),
        warnings("pfc = {}, routing = \"spray\""),
    ];
    let expected = [
        "dcqcn sends everything again from a packet on that is lost, and a port's queue of 100 packets can overflow; set fabric.pfc = {}",
        "dcqcn sends everything again from a packet on that is lost, and headroom (fabric.pfc.headroom) of 5 KB can overflow; set fabric.pfc.lossy = [] and \
         a larger fabric.pfc.headroom",
        "dcqcn takes packets that are overtaken for lost, and sends everything again from there on: use a fabric that keeps their order, such as \
         fabric.routing = \"ecmp\"",
    ];
    assert_eq!(warned.concat(), expected);
}
