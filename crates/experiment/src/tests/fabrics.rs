//! Mistakes in the fabrics' own sections.

use crate::Plan;
use std::fmt::Write;

const TREE: &str = "kind = \"fat-tree\"\nk = 4";
const POD: &str = "kind = \"leaf-spine\"\nleaves = 4\nspines = 4\nhosts_per_leaf = 4";
const TORUS: &str = "kind = \"torus\"\nsizes = [4, 4]";
const STAR: &str = "kind = \"star\"\nhosts = 16";
const PLANES: &str = "kind = \"planes\"\nhosts = 8\nplanes = 6";
const JOINED: &str = "kind = \"star\"\nhosts = 16\noutside = { kind = \"star\", hosts = 4, gateways = 2 }";
const NICS: &str =
    "kind = \"an3\"\ncontainers = 2\nnetworks = 2\noutside = { kind = \"star\", hosts = 4, gateways = 2 }";
const UPLINKS: &str = "kind = \"planes\"\nhosts = 8\nplanes = 6\noutside = { kind = \"star\", hosts = 4, uplinks = 2 }";
const RACK: &str = "kind = \"folded-clos\"\nradix = 8\nleaves = 4";

/// A topology, what is written in `[fabric]`, and what comes after it.
const MISTAKES: &[(&str, &str, &str)] = &[
    (TREE, "kind = \"stardust\"\ncell_header = \"256 B\"", ""),
    (TREE, "kind = \"stardust\"\nshortest_cell = \"300 B\"", ""),
    (TREE, "kind = \"stardust\"\nmtu = \"70 KB\"", ""),
    (TREE, "kind = \"stardust\"\nbuffer = \"1 KB\"", ""),
    (TREE, "kind = \"stardust\"\nbuffer = \"4 GiB\"", ""),
    (TREE, "kind = \"stardust\"\necn_threshold = \"20 packets\"", ""),
    (TREE, "kind = \"stardust\"\npause_threshold = \"1 GB\"", ""),
    (TREE, "kind = \"stardust\"\nweights = [1, 2]", ""),
    (TREE, "kind = \"stardust\"\nlow_latency = [1]", ""),
    (TREE, "kind = \"stardust\"\nqueue = \"20 packets\"", ""),
    (TREE, "kind = \"stardust\"\ncredits = \"4 KiB\"", ""),
    (TREE, "kind = \"stardust\"\ninterior = \"lockstep\"", ""),
    (
        "kind = \"fat-tree\"\nk = 4\nlinks.edge-aggregation.rate = \"40 Gb/s\"",
        "kind = \"stardust\"\ninterior = \"lock-step\"",
        "",
    ),
    ("kind = \"fat-tree\"\nk = 4\nlinks.host-edge.queue = \"1 KB\"", "kind = \"stardust\"", ""),
    (TREE, "kind = \"shoal\"", ""),
    ("kind = \"leaf-spine\"\nleaves = 4\nspines = 3\nhosts_per_leaf = 4", "kind = \"shoal\"", ""),
    ("kind = \"star\"\nhosts = 5000", "kind = \"shoal\"", ""),
    ("kind = \"star\"\nhosts = 16\nlinks.host-switch.loss = 0.1", "kind = \"shoal\"", ""),
    (STAR, "kind = \"shoal\"\ncell_header = \"64 B\"", ""),
    (STAR, "kind = \"shoal\"\nslot = \"100 ns\"", ""),
    (STAR, "kind = \"shoal\"\nchannels = 0", ""),
    (STAR, "kind = \"shoal\"\nmtu = \"2 GB\"", ""),
    (STAR, "kind = \"shoal\"\nredy_queue = false", ""),
    (STAR, "kind = \"shoal\"\nschedule = \"figure 3\"", ""),
    (STAR, "kind = \"shoal\"\nschedule = \"spread\"", ""),
    (RACK, "kind = \"shoal\"\npriorities = 9", ""),
    (RACK, "kind = \"shoal\"\nclocks.master = \"leaf-0\"", ""),
    (RACK, "kind = \"shoal\"\nclocks.master = \"host-99\"", ""),
    (RACK, "kind = \"shoal\"\nclocks.drfit = 4", ""),
    (RACK, "kind = \"shoal\"", "[[fault]]\nat = \"1 us\"\nnode = \"leaf-77\"\n"),
    (STAR, "kind = \"fluid\"\nsharing = \"detour\"", ""),
    (STAR, "kind = \"fluid\"\nmtu = \"2 GB\"", ""),
    (STAR, "kind = \"fluid\"\nqueue = \"20 packets\"", ""),
    (STAR, "kind = \"fluid\"", "[transport]\nkind = \"dctcp\"\n"),
    (STAR, "kind = \"fluid\"", "[[fault]]\nat = \"1 us\"\nnode = \"switch-0\"\n"),
    ("kind = \"star\"\nhosts = 5000", "kind = \"fluid\"\nsharing = \"detours\"", ""),
    ("kind = \"star\"\nhosts = 16\nlinks.host-switch.queue = \"1 KB\"", "kind = \"fluid\"", ""),
    (RACK, "kind = \"shoal\"", "[transport]\nkind = \"dctcp\"\n"),
    (RACK, "kind = \"shoal\"\nsynchronisation = \"0 ns\"", ""),
    (TORUS, "kind = \"r2c2\"\nrouting = \"valient\"", ""),
    (TORUS, "kind = \"r2c2\"\npacket = \"70 KB\"", ""),
    (TORUS, "kind = \"r2c2\"\nqueue = \"1 KB\"", ""),
    (TORUS, "kind = \"r2c2\"\nheadroom = 1", ""),
    (TORUS, "kind = \"r2c2\"\ntrees = 0", ""),
    (TORUS, "kind = \"r2c2\"\ninterval = \"0 s\"", ""),
    (TORUS, "kind = \"r2c2\"\ninterval = \"1 ns\"", ""),
    (TORUS, "kind = \"r2c2\"\nannouncement = \"70 KB\"", ""),
    (TORUS, "kind = \"r2c2\"\nknowledge = \"all\"", ""),
    (TORUS, "kind = \"r2c2\"\necn_threshold = \"20 packets\"", ""),
    (TORUS, "kind = \"r2c2\"", "[transport]\nkind = \"dctcp\"\n"),
    (PLANES, "kind = \"r2c2\"", ""),
    (POD, "kind = \"fastpod\"\nguard = \"600 ns\"", ""),
    (POD, "kind = \"fastpod\"\nheader = \"1500 B\"", ""),
    (POD, "kind = \"fastpod\"\ncontrol = \"9 KB\"", ""),
    (POD, "kind = \"fastpod\"\nbatch = 65", ""),
    (POD, "kind = \"fastpod\"\narbiters = 3", ""),
    (POD, "kind = \"fastpod\"\nclock_error = \"4 us\"", ""),
    (POD, "kind = \"fastpod\"\nclock_drift = -1", ""),
    (POD, "kind = \"fastpod\"\narbiter_latency = \"1 ms\"", ""),
    (POD, "kind = \"fastpod\"\nqueue = \"1 KB\"", ""),
    (POD, "kind = \"fastpod\"\npolicy = \"fair\"", ""),
    (POD, "kind = \"fastpod\"", "[transport]\nkind = \"dctcp\"\n"),
    (POD, "kind = \"fastpass\"\nqueue = \"1 KB\"", ""),
    (POD, "kind = \"fastpass\"\nbatch = 33", ""),
    (POD, "kind = \"fastpass\"\noptimistic = true", ""),
    (POD, "kind = \"fastpass\"\nheader = \"2 KB\"", ""),
    (POD, "kind = \"fastpass\"\narbiter_latency = \"1 ms\"", ""),
    (TREE, "kind = \"fastpass\"", ""),
    (TREE, "kind = \"fastpod\"\ncore_buffer = \"10 KB\"", ""),
    (TREE, "kind = \"fastpod\"\ncore_queue = \"1 KB\"", ""),
    (TREE, "kind = \"fastpod\"\ncore_patience = \"20 us\"", ""),
    (STAR, "kind = \"fastpod\"", ""),
    (PLANES, "kind = \"fastpod\"", ""),
    ("kind = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts_per_leaf = 1", "kind = \"fastpod\"", ""),
    (
        "kind = \"leaf-spine\"\nleaves = 4\nspines = 4\nhosts_per_leaf = 4\nlinks.leaf-spine.rate = \"40 Gb/s\"",
        "kind = \"fastpod\"",
        "",
    ),
    (
        "kind = \"leaf-spine\"\nleaves = 4\nspines = 4\nhosts_per_leaf = 4\nlink = [{ from = \"leaf-1\", to = \"spine-2\", delay = \"3 us\" }]",
        "kind = \"fastpod\"",
        "",
    ),
    ("kind = \"torus\"\nsizes = [4, 4]\nlinks.dimension-0.queue = \"1 KB\"", "kind = \"r2c2\"", ""),
    ("kind = \"star\"\nhosts = 16\noutside = { kind = \"star\", hosts = 4, gateways = 2 }", "kind = \"r2c2\"", ""),
    (TREE, "kind = \"xfabric\"", ""),
    (STAR, "kind = \"xfabric\"", ""),
    ("kind = \"planes\"\nhosts = 8\nplanes = 17", "kind = \"xfabric\"\nstart = \"random\"", ""),
    ("kind = \"planes\"\nhosts = 7\nplanes = 6", "kind = \"xfabric\"", ""),
    ("kind = \"planes\"\nhosts = 8\nplanes = 6\nlinks.host-switch.loss = 0.1", "kind = \"xfabric\"", ""),
    (
        "kind = \"planes\"\nhosts = 8\nplanes = 6\nlink = [{ from = \"host-1\", to = \"switch-2\", delay = \"1 ns\" }]",
        "kind = \"xfabric\"",
        "",
    ),
    (PLANES, "kind = \"xfabric\"\nqueue = \"1 KB\"", ""),
    (PLANES, "kind = \"xfabric\"\nmtu = \"70 KB\"", ""),
    (PLANES, "kind = \"xfabric\"\nweight = 0", ""),
    (PLANES, "kind = \"xfabric\"\nperiod = \"0 s\"", ""),
    (PLANES, "kind = \"xfabric\"\nhop_limit = 0", ""),
    (PLANES, "kind = \"xfabric\"\nstart = \"tori\"", ""),
    (PLANES, "kind = \"xfabric\"\nstart = \"demand\"", ""),
    (PLANES, "kind = \"xfabric\"\ndemand = \"demand.csv\"", ""),
    (PLANES, "kind = \"xfabric\"\nstart = \"demand\"\ndemand = \"nowhere.csv\"", ""),
    (PLANES, "kind = \"xfabric\"\nreconfigure = \"yes\"", ""),
    (PLANES, "kind = \"xfabric\"\ncontrollers = []", ""),
    (PLANES, "kind = \"xfabric\"\ncontrollers = [0, 8]", ""),
    (PLANES, "kind = \"xfabric\"\ncontroller_dies = [\"soon\"]", ""),
    (PLANES, "kind = \"xfabric\"\ncontrol_tries = 0", ""),
    (PLANES, "kind = \"xfabric\"\ncontrol_plane = \"usb\"", ""),
    (PLANES, "kind = \"xfabric\"\nperoid = \"1 s\"", ""),
    (PLANES, "kind = \"xfabric\"", "[transport]\nkind = \"dctcp\"\n"),
    ("kind = \"planes\"\nhosts = 8\nplanes = 0", "kind = \"xfabric\"", ""),
    (JOINED, "kind = \"ethernet\"", ""),
    (JOINED, "kind = \"fluid\"", ""),
    (JOINED, "kind = \"shoal\"", "[transport]\nkind = \"dctcp\"\n"),
    (JOINED, "kind = \"shoal\"\nmtu = \"9000 B\"\noutside.queue = \"10 packets\"", ""),
    (JOINED, "kind = \"shoal\"\noutside.queue = \"10 KB\"\noutside.ecn_threshold = \"20 KB\"", ""),
    (JOINED, "kind = \"shoal\"\noutside.queue = \"1 KB\"", ""),
    (JOINED, "kind = \"shoal\"\noutside.quue = \"1 KB\"", ""),
    (JOINED, "kind = \"shoal\"\ngateways.buffer = \"1 KB\"", ""),
    (JOINED, "kind = \"shoal\"\ngateways.ecn_threshold = \"1 MB\"", ""),
    (JOINED, "kind = \"shoal\"\ngateways.ecn_threshold = \"20 packets\"", ""),
    (JOINED, "kind = \"shoal\"\ngateways.spreading = \"packets\"", ""),
    (JOINED, "kind = \"shoal\"\nclocks.master = \"outside-host-0\"", ""),
    (JOINED, "kind = \"shoal\"\npriorities = 2", "priority = 1\n"),
    (JOINED, "kind = \"shoal\"", "[[fault]]\nat = \"1 us\"\nlink = \"gateway-2 -> outside-switch-0\"\n"),
    (STAR, "kind = \"shoal\"\noutside.queue = \"10 packets\"", ""),
    (STAR, "kind = \"shoal\"\ngateways.buffer = \"10 KB\"", ""),
    ("kind = \"star\"\nhosts = 16\noutside = { kind = \"star\", hosts = 4 }", "kind = \"shoal\"", ""),
    ("kind = \"star\"\nhosts = 16\noutside = { kind = \"star\", hosts = 4, gateways = 17 }", "kind = \"shoal\"", ""),
    ("kind = \"star\"\nhosts = 16\noutside = { kind = \"fat-tree\", k = 4, gateways = 2 }", "kind = \"shoal\"", ""),
    (
        "kind = \"star\"\nhosts = 16\noutside = { kind = \"leaf-spine\", leaves = 2, gateways = 2 }",
        "kind = \"shoal\"",
        "",
    ),
    (
        "kind = \"star\"\nhosts = 16\noutside = { kind = \"star\", hosts = 4, gateways = 2 }\nlinks.host-switch.queue = \"9 KB\"",
        "kind = \"shoal\"",
        "",
    ),
    (
        "kind = \"star\"\nhosts = 16\noutside = { kind = \"star\", hosts = 4, gateways = 2 }\nlinks.gateway-uplnk.rate = \"9 Gb/s\"",
        "kind = \"shoal\"",
        "",
    ),
    (
        "kind = \"star\"\nhosts = 16\noutside = { kind = \"star\", hosts = 4, gateways = 2 }\nlinks.gateway-uplink.queue = \"1 KB\"",
        "kind = \"shoal\"",
        "",
    ),
    (UPLINKS, "kind = \"shoal\"", ""),
    (UPLINKS, "kind = \"stardust\"", ""),
    (JOINED, "kind = \"xfabric\"", ""),
    (
        "kind = \"planes\"\nhosts = 8\nplanes = 6\noutside = { kind = \"star\", hosts = 4, uplinks = 2, gateways = 2 }",
        "kind = \"xfabric\"",
        "",
    ),
    (
        "kind = \"planes\"\nhosts = 8\nplanes = 6\noutside = { kind = \"star\", hosts = 4, uplinks = 0 }",
        "kind = \"xfabric\"",
        "",
    ),
    (
        "kind = \"planes\"\nhosts = 8\nplanes = 6\noutside = { kind = \"star\", hosts = 4, uplinks = 9 }",
        "kind = \"xfabric\"",
        "",
    ),
    (
        "kind = \"planes\"\nhosts = 8\nplanes = 6\noutside = { kind = \"star\", hosts = 4, uplinks = 6 }",
        "kind = \"xfabric\"",
        "",
    ),
    (
        "kind = \"planes\"\nhosts = 8\nplanes = 6\noutside = { kind = \"star\", hosts = 4, uplinks = 2 }\nlinks.uplink.rate = \"40 Gb/s\"",
        "kind = \"xfabric\"",
        "",
    ),
    (UPLINKS, "kind = \"xfabric\"\nuplinks.buffer = \"1 KB\"", ""),
    (UPLINKS, "kind = \"xfabric\"\nuplinks.ecn_threshold = \"1 MB\"", ""),
    (UPLINKS, "kind = \"xfabric\"\nuplinks.bufer = \"1 MB\"", ""),
    (UPLINKS, "kind = \"xfabric\"\noutside.queue = \"1 KB\"", ""),
    (UPLINKS, "kind = \"xfabric\"\nmtu = \"9000 B\"\noutside.queue = \"10 packets\"", ""),
    (UPLINKS, "kind = \"xfabric\"\ngateways.buffer = \"1 MB\"", ""),
    (UPLINKS, "kind = \"xfabric\"", "[transport]\nkind = \"dctcp\"\n"),
    (UPLINKS, "kind = \"xfabric\"", "[[fault]]\nat = \"1 us\"\nnode = \"uplink-2\"\n"),
    (NICS, "kind = \"an3\"\ngateways.buffer = \"1 KB\"", ""),
    (NICS, "kind = \"an3\"\ngateways.ecn_threshold = \"1 MB\"", ""),
    (NICS, "kind = \"an3\"\ngateways.spreading = \"hosts\"", ""),
    (NICS, "kind = \"an3\"\nmtu = \"9000 B\"\noutside.queue = \"10 packets\"", ""),
    (NICS, "kind = \"an3\"\nuplinks.buffer = \"1 MB\"", ""),
    (NICS, "kind = \"an3\"\ngive_up = \"soon\"", ""),
    (NICS, "kind = \"an3\"", "[transport]\nkind = \"dctcp\"\n"),
    (NICS, "kind = \"an3\"", "[[fault]]\nat = \"1 us\"\nnode = \"noc-2\"\n"),
    (NICS, "kind = \"shoal\"", ""),
    (NICS, "kind = \"xfabric\"", ""),
    (NICS, "kind = \"ethernet\"", ""),
    ("kind = \"an3\"\nnetworks = 2\noutside = { kind = \"star\", hosts = 4, uplinks = 2 }", "kind = \"an3\"", ""),
    ("kind = \"an3\"\nnetworks = 2\noutside = { kind = \"star\", hosts = 4, gateways = 2 }", "kind = \"an3\"", ""),
    ("kind = \"an3\"\nnetworks = 2\noutside = { kind = \"star\", hosts = 4, gateways = 0 }", "kind = \"an3\"", ""),
    (
        "kind = \"an3\"\nnetworks = 2\noutside = { kind = \"star\", hosts = 4, gateways = 1 }\nlinks.l1-noc.rate = \"40 Gb/s\"",
        "kind = \"an3\"",
        "",
    ),
    (
        "kind = \"an3\"\nnetworks = 2\noutside = { kind = \"star\", hosts = 4, gateways = 1 }\nlinks.l1-noc.queue = \"9 KB\"",
        "kind = \"an3\"",
        "",
    ),
    ("kind = \"an3\"\nnetworks = 2", "kind = \"an3\"\ntunnels = false", ""),
    ("kind = \"an3\"\nnetworks = 2", "kind = \"an3\"\ngateways.buffer = \"10 KB\"", ""),
    (PLANES, "kind = \"xfabric\"\nuplinks.buffer = \"10 KB\"", ""),
    (PLANES, "kind = \"xfabric\"\noutside.queue = \"10 packets\"", ""),
];

#[test]
fn every_fabric_answers_mistakes() {
    let mut answers = String::new();
    for (topology, fabric, more) in MISTAKES {
        let text = format!(
            "seed = 1\nduration = \"1 ms\"\n[topology]\n{topology}\nrate = \"10 Gb/s\"\n[fabric]\n{fabric}\n\
             [[workload]]\nkind = \"permutation\"\n{more}"
        );
        let answer = match Plan::read(&text, "x.toml", &[]) {
            Ok(_) => "runs".to_owned(),
            Err(problems) => problems.to_string(),
        };
        let _ = writeln!(answers, "{}\n{answer}\n", [*topology, fabric, more].join(" | ").replace('\n', "; "));
    }
    assert!(!answers.contains("\nruns"), "a mistake went unnoticed:\n{answers}");
    insta::assert_snapshot!(answers);
}

#[test]
fn a_watermark_below_the_loop_of_credits_is_warned_of_with_the_least_that_is_enough() {
    let warnings = |watermark: &str| {
        let text = format!(
            "seed = 1\nduration = \"1 ms\"\n[topology]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 4\nhosts_per_leaf = 4\n\
             rate = \"100 Gb/s\"\ndelay = \"5 us\"\n[fabric]\nkind = \"stardust\"\n{watermark}\n\
             [[workload]]\nkind = \"permutation\"\n"
        );
        Plan::read(&text, "x.toml", &[]).unwrap().warnings
    };
    assert_eq!(
        warnings(""),
        [
            "fabric.credit_watermark is 65.536 KB, less than what a port takes in while a request and its credit are on their way (20.0896 us), \
             so one sender does not fill a port; write \"262 KB\" or more"
        ]
    );
    assert_eq!(warnings("credit_watermark = \"262 KB\""), [""; 0]);
    assert_eq!(
        warnings("credit_watermark = \"262 KB\"\nwatchdog = \"20 us\""),
        [
            "fabric.watchdog is 20 us, less than a request and its credit, or a credit and its packets, are on their way (20.0896 us): adapters take \
             for lost what is still to come, ask again, and give credits beyond fabric.egress_window; write \"21 us\" or more"
        ]
    );
    assert_eq!(warnings("credit_watermark = \"262 KB\"\nwatchdog = \"21 us\""), [""; 0]);
}

#[test]
fn a_threshold_that_takes_late_messages_for_failures_is_warned_of_with_the_least_that_does_not() {
    let warnings = |reachability: &str| {
        let text = format!(
            "seed = 1\nduration = \"1 ms\"\n[topology]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 4\nhosts_per_leaf = 4\n\
             rate = \"10 Gb/s\"\ndelay = \"1 us\"\n[fabric]\nkind = \"stardust\"\nreachability = {{ {reachability} }}\n\
             [[workload]]\nkind = \"permutation\"\n"
        );
        Plan::read(&text, "x.toml", &[]).unwrap().warnings
    };
    let mut found = String::new();
    for reachability in ["threshold = 1", "threshold = 2, period = \"150 ns\"", "period = \"500 ps\""] {
        let [warning] = &warnings(reachability)[..] else { panic!("{reachability}: {:?}", warnings(reachability)) };
        let _ = writeln!(found, "{reachability}\n  {warning}");
    }
    insta::assert_snapshot!(found);
    for reachability in ["", "threshold = 2", "threshold = 3, period = \"150 ns\""] {
        assert_eq!(warnings(reachability), [""; 0], "{reachability}");
    }
}
