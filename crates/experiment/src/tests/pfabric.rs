//! `transport.kind = "pfabric"` and `fabric.pfabric`: what is refused.

use super::wrong;
use crate::Plan;

const FILE: &str = r#"
seed = 1
duration = "1 ms"
topology = { kind = "leaf-spine", leaves = 2, spines = 2, hosts_per_leaf = 4, rate = "10 Gb/s" }
fabric = { queue = "24 packets", pfabric = true }
transport = { kind = "pfabric" }
workload = [{ kind = "incast", size = "1 MB" }]
"#;

#[test]
fn what_cannot_be_is_refused_where_it_is_written() {
    let outside = "topology={ kind = \"star\", hosts = 16, outside = { kind = \"star\", hosts = 4, gateways = 2 } }";
    let answers = [
        wrong(FILE, &["fabric.pfabric=false"]),
        wrong(&FILE.replace("queue = \"24 packets\", pfabric = true", "kind = \"stardust\""), &[]),
        wrong(FILE, &["fabric.priorities=2"]),
        wrong(FILE, &["fabric.trimming={}"]),
        wrong(&FILE.replace("queue = \"24 packets\", ", ""), &["fabric.pfc={}"]),
        wrong(FILE, &["transport.max_window=11"]),
        wrong(FILE, &["transport.probe_after=0"]),
        wrong(FILE, &["transport.kind=newreno", outside, "fabric={ kind = \"shoal\", outside = { pfabric = true } }"]),
    ];
    let expected = [
        "x.toml:6: transport.kind = \"pfabric\": pfabric needs switches that order packets by rank: set fabric.pfabric = true and fabric.queue = \
         \"24 packets\", or use newreno",
        "x.toml:6: transport.kind = \"pfabric\": pfabric needs switches that order packets by rank, and a fabric of kind stardust has none; use newreno, or \
         direct",
        "x.toml:5: fabric.pfabric = true: orders packets of all classes by what remains of their messages; write fabric.priorities = 1, or leave pfabric out",
        "x.toml:5: fabric.pfabric = true: drops the packets of the longest messages, and ports that trim cut those that come; leave pfabric or trimming out",
        "x.toml:5: fabric.pfabric = true: drops packets, and ports that pause drop nothing; leave pfabric or pfc out",
        "--set transport.max_window=11: is below the window that a sender begins with; write at least 12, or lower initial_window",
        "--set transport.probe_after=0: must be from 1 to 1000000",
        "--set fabric.outside.pfabric=true: only an Ethernet fabric by itself orders packets by rank; leave it out",
    ];
    assert_eq!(answers.join("\n"), expected.join("\n"));
}

#[test]
fn it_can_be_run_as_it_is_written() {
    let plan = Plan::read(FILE, "x.toml", &[]).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(plan.warnings, Vec::<String>::new());
}
