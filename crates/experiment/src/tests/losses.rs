//! `direct` over fabrics that can drop: what is warned of, what is refused, and what is right.

use super::{FILE, wrong};
use crate::Plan;

const DIRECT: [&str; 2] =
    ["transport={ kind = \"direct\" }", "fabric={ kind = \"ethernet\", queue = \"100 packets\" }"];

fn warnings(overrides: &[&str]) -> Vec<String> {
    let overrides: Vec<String> = DIRECT.iter().chain(overrides).map(|text| (*text).to_owned()).collect();
    Plan::read(FILE, "x.toml", &overrides).unwrap_or_else(|problems| panic!("{problems}")).warnings
}

#[test]
fn each_fabric_says_whether_it_can_drop_and_what_to_write() {
    assert_eq!(
        warnings(&[]),
        [
            "direct does not send again what is dropped, and a port's queue of 100 packets can overflow, so that some flows would not finish: \
          set fabric.queue = \"1 GB\", or use newreno"
        ]
    );
    assert_eq!(
        warnings(&["fabric={ kind = \"stardust\", buffer = \"200 KB\" }"]),
        [
            "direct does not send again what is dropped, and an adapter's memory (fabric.buffer) of 200 KB can overflow, so that some flows \
          would not finish: set fabric.pause_threshold, at half of fabric.buffer, or use newreno"
        ]
    );
    assert_eq!(
        warnings(&["fabric={ kind = \"ethernet\", queue = \"1 GB\", loss = 0.01 }"]),
        ["direct does not send again what links lose (loss), so some flows will not finish: use newreno"]
    );
    let none = Vec::<String>::new();
    for right in [
        // The cures.
        "fabric={ kind = \"ethernet\", queue = \"1 GB\" }",
        "fabric={ kind = \"stardust\", buffer = \"200 KB\", pause_threshold = \"100 KB\" }",
        "transport={ kind = \"newreno\" }",
        // Nothing is dropped in these.
        "fabric={ kind = \"fluid\" }",
        // Flows without end have nothing to finish.
        "workload=[{ kind = \"permutation\" }]",
        // All of it fits.
        "workload=[{ kind = \"incast\", senders = 10, size = \"10 KB\", rounds = 1000 }]",
    ] {
        assert_eq!(warnings(&[right]), none, "{right}");
    }
}

#[test]
fn what_must_lose_is_refused() {
    let incast = "workload=[{ kind = \"incast\", name = \"answers\", receiver = 0, senders = 2, size = \"10 MB\" }]";
    let small = "topology={ kind = \"leaf-spine\", leaves = 2, spines = 1, hosts_per_leaf = 2, rate = \"10 Gb/s\" }";
    let stardust = "fabric={ kind = \"stardust\", buffer = \"100 KB\" }";
    let refused = wrong(FILE, &[DIRECT[0], incast, small, stardust]);
    assert!(
        refused.starts_with(
            "--set transport.kind=direct: does not send again what is dropped, and some of answers must be: 20 MB go to one host at once, of \
             which its link carries 10 MB meanwhile, and buffers hold 300 KB in all; set fabric.pause_threshold, at half of fabric.buffer, \
             or use newreno"
        ),
        "{refused}"
    );
    assert!(wrong(FILE, &[DIRECT[0], DIRECT[1], incast, small]).contains("set fabric.queue = \"1 GB\""));
    for right in ["transport={ kind = \"newreno\" }", "fabric.pause_threshold=50 KB", "fabric.buffer=32 MB"] {
        assert!(wrong(FILE, &[DIRECT[0], incast, small, stardust, right]).starts_with("runs "), "{right}");
    }
}
