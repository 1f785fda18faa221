//! Mistakes, and what a person reads then. Look at the snapshot with a user's eyes when it changes.

use super::{FILE, changed, wrong};
use crate::Plan;
use std::fmt::Write;

/// What is in the place of what.
const CHANGES: &[(&str, &str)] = &[
    // Not TOML.
    (r#""10 ms""#, "10 ms"),
    (r#"kind = "newreno""#, "kind = newreno"),
    (r#"kind = "newreno""#, "kind: newreno"),
    (r#"kind = "newreno""#, r#"kind = "newreno"#),
    (r#"kind = "newreno""#, "kind = "),
    ("[transport]", "[transport"),
    ("load = 0.5", "load = .5"),
    ("load = 0.5", "load = 0,5"),
    ("load = 0.5", "load = 0.5\nload = 0.6"),
    ("[measure]", "[transport]"),
    ("[measure]", "[measure]\nflows = True"),
    // Keys.
    ("seed = 1\n", ""),
    ("oversubscription", "oversubscripton"),
    ("oversubscription", "spines"),
    ("oversubscription", "frobnicate"),
    ("min_rto", "minRTO"),
    ("min_rto", "gain"),
    ("min_rto", "mtu"),
    ("seed = 1", "seed = 1\nmtu = \"9000 B\""),
    ("k = 4", ""),
    (r#"kind = "fat-tree""#, ""),
    ("[topology]\n", "[topologies]\n"),
    ("[[workload]]", "[[workloads]]"),
    ("[[workload]]", "[workload]"),
    ("[fabric]", "[[fabric]]"),
    ("duration = \"10 ms\"", "transport = \"dctcp\""),
    // Types and words.
    ("seed = 1", "seed = \"1\""),
    ("seed = 1", "seed = -1"),
    ("seed = 1", "seed = 1.5"),
    ("seed = 1", "seed = 99999999999999999999"),
    ("seed = 1", "seed = 1979-05-27"),
    ("seed = 1", "seed = 1\ntitle = 12"),
    ("seed = 1", "seed = 1\nstop_when_done = \"yes\""),
    ("seed = 1", "seed = 1\nstop_when_done = \"true\""),
    (r#""fat-tree""#, r#""fat-tre""#),
    (r#""fat-tree""#, r#""FatTree""#),
    (r#""fat-tree""#, r#""dragonfly""#),
    (r#""newreno""#, r#""tcp""#),
    (r#""newreno""#, "3"),
    ("mtu =", "routing = \"ECMP\"\nmtu ="),
    ("mtu =", "routing = \"adaptive\"\nmtu ="),
    (r#""web-search""#, r#""websearch""#),
    (r#""web-search""#, r#""normal""#),
    (r#""web-search""#, "1000000"),
    (r#""web-search""#, r#"{ kind = "pareto" }"#),
    (r#""web-search""#, r#"{ kind = "paretto", mean = "1 MB" }"#),
    (r#""web-search""#, r#"{ kind = "pareto", mean = "1 MB", shape = 1 }"#),
    ("sample =", "series = [\"queues\"]\nsample ="),
    ("sample =", "series = \"queue\"\nsample ="),
    // Units and ranges.
    (r#"duration = "10 ms""#, "duration = 10"),
    (r#"duration = "10 ms""#, r#"duration = "10""#),
    (r#"duration = "10 ms""#, r#"duration = "10 msec""#),
    (r#"duration = "10 ms""#, r#"duration = "-10 ms""#),
    (r#"duration = "10 ms""#, r#"duration = "0""#),
    (r#"duration = "10 ms""#, r#"duration = "0.1 ps""#),
    (r#"rate = "10 Gb/s""#, r#"rate = "10 GB/s""#),
    (r#"rate = "10 Gb/s""#, r#"rate = "10 us""#),
    (r#"rate = "10 Gb/s""#, r#"rate = "0 Gb/s""#),
    (r#"rate = "10 Gb/s""#, r#"rate = "2000 Tb/s""#),
    (r#"mtu = "1500 B""#, "mtu = 1500"),
    (r#"mtu = "1500 B""#, r#"mtu = "1500 bytes""#),
    (r#"queue = "100 packets""#, "queue = 100"),
    (r#"queue = "100 packets""#, r#"queue = "100 pkts""#),
    (r#"queue = "100 packets""#, r#"queue = "0 packets""#),
    ("mtu =", "priorities = 0\nmtu ="),
    ("mtu =", "priorities = 9\nmtu ="),
    ("mtu =", "loss = 1\nmtu ="),
    ("mtu =", "loss = nan\nmtu ="),
    ("k = 4", "k = 0"),
    ("load = 0.5", "load = 0"),
    // What can't be run.
    (r#"warmup = "1 ms""#, r#"warmup = "10 ms""#),
    ("k = 4", "k = 5"),
    ("k = 4", "k = 4.0"),
    ("oversubscription = 1", "oversubscription = 1.3"),
    ("oversubscription = 1", "oversubscription = 0.5"),
    ("[fabric]", "links.edge-core.rate = \"40 Gb/s\"\n[fabric]"),
    ("[fabric]", "links.host-edg.rate = \"40 Gb/s\"\n[fabric]"),
    ("[fabric]", "links.host-edge.queue = \"1 KB\"\n[fabric]"),
    ("[fabric]", "link = [{ from = \"edge-0\", to = \"agregation-1\", rate = \"1 Gb/s\" }]\n[fabric]"),
    ("[fabric]", "link = [{ from = \"edge-0\", to = \"core-0\", rate = \"1 Gb/s\" }]\n[fabric]"),
    ("[fabric]", "link = [{ to = \"core-0\", rate = \"1 Gb/s\" }]\n[fabric]"),
    (r#"kind = "fat-tree""#, "kind = \"file\"\npath = \"nowhere.json\""),
    ("\"fat-tree\"\nk = 4\noversubscription = 1", "\"file\"\npath = \"nowhere.json\""),
    ("\"fat-tree\"\nk = 4\noversubscription = 1", "\"file\"\npath = \"network\""),
    ("\"fat-tree\"\nk = 4\noversubscription = 1", "\"leaf-spine\"\nleaves = 2\nspines = 2"),
    ("\"fat-tree\"\nk = 4\noversubscription = 1", "\"folded-clos\"\nradix = 4\nleaves = 5"),
    ("\"fat-tree\"\nk = 4\noversubscription = 1", "\"clos\"\nleaves = 4\nhosts_per_leaf = 2\nuplinks = 2"),
    ("\"fat-tree\"\nk = 4\noversubscription = 1", "\"clos\"\nleaves = 4\nhosts_per_leaf = 2\nuplinks = 2\ntiers = []"),
    (
        "\"fat-tree\"\nk = 4\noversubscription = 1",
        "\"clos\"\nleaves = 4\nhosts_per_leaf = 2\nuplinks = 2\ntiers = [{ switch = 2 }]",
    ),
    (
        "\"fat-tree\"\nk = 4\noversubscription = 1",
        "\"clos\"\nleaves = 4\nhosts_per_leaf = 2\nuplinks = 2\ntiers = [4, 2]",
    ),
    (
        "\"fat-tree\"\nk = 4\noversubscription = 1",
        "\"clos\"\nleaves = 4\nhosts_per_leaf = 2\nuplinks = 3\ntiers = [{ switches = 2 }]",
    ),
    (
        "\"fat-tree\"\nk = 4\noversubscription = 1",
        "\"clos\"\nleaves = 4\nhosts_per_leaf = 2\nuplinks = 2\ntiers = [{ switches = 4 }]",
    ),
    (
        "\"fat-tree\"\nk = 4\noversubscription = 1",
        "\"clos\"\nleaves = 5\nhosts_per_leaf = 2\nuplinks = 2\ntiers = [{ switches = 4, uplinks = 2 }, { switches = 2 }]",
    ),
    (
        "\"fat-tree\"\nk = 4\noversubscription = 1",
        "\"clos\"\nleaves = 4\nhosts_per_leaf = 2\nuplinks = 2\ntiers = [{ switches = 4 }, { switches = 2 }]",
    ),
    (
        "\"fat-tree\"\nk = 4\noversubscription = 1",
        "\"clos\"\nleaves = 4\nhosts_per_leaf = 2\nuplinks = 2\ntiers = [{ switches = 2, uplinks = 2 }]",
    ),
    (r#"mtu = "1500 B""#, r#"mtu = "40 B""#),
    (r#"mtu = "1500 B""#, r#"mtu = "64 KiB""#),
    (r#"queue = "100 packets""#, r#"queue = "1500 B""#),
    ("mtu =", "ecn_threshold = \"100 packets\"\nmtu ="),
    ("mtu =", "switching = \"cut-through\"\ncut_through_header = \"2 KB\"\nmtu ="),
    (r#"kind = "newreno""#, r#"kind = "dctcp""#),
    (r#"min_rto = "10 ms""#, r#"max_window = "1 KB""#),
    ("load = 0.5", "load = 1.5"),
    ("load = 0.5", ""),
    ("load = 0.5", "load = 0.5\nflows_per_second = 100"),
    ("load = 0.5", "load = 0.5\npriority = 1"),
    ("load = 0.5", "load = 0.5\njitter = \"1 us\""),
    ("load = 0.5", "load = 0.5\nstart = \"5 ms\"\nstop = \"5 ms\""),
    ("load = 0.5", "load = 0.5\npattern = { kind = \"hotspot\", targets = [16], fraction = 0.1 }"),
    ("load = 0.5", "load = 0.5\npattern = \"random\""),
    ("load = 0.5", "load = 0.5\npattern = { kind = \"among\", hosts = [3], fraction = 0.1 }"),
    ("load = 0.5", "load = 0.5\npattern = \"hotspots\""),
    ("load = 0.5", "load = 0.5\npattern = { kind = \"skewed\", sigma = 0 }"),
    ("load = 0.5", "load = 0.5\nburst = [{ fraction = 0.9, flows = 2 }]"),
    ("load = 0.5", "load = 0.5\nburst = [{ fraction = 0.9, flows = 2 }, { fraction = 1.0, flows = 2 }]"),
    ("load = 0.5", "load = 0.5\nburst = [{ fraction = 1.0, most = 2 }]"),
    ("load = 0.5", "load = 0.5\npattern = \"unifrom\""),
    (r#""web-search""#, r#"{ kind = "file", path = "nowhere.txt" }"#),
    (r#""web-search""#, r#"{ kind = "uniform", min = "2 KB", max = "1 KB" }"#),
    (r#"sample = "100 us""#, r#"sample = "20 ms""#),
    (r#"sample = "100 us""#, r#"sample = "1 ns""#),
    (r#"sample = "100 us""#, r#"watch = ["edge-0 -> agregation-0"]"#),
    (r#"sample = "100 us""#, r#"watch = ["edge-0"]"#),
    (r#"sample = "100 us""#, r#"watch = ["host-0 -> host-1"]"#),
];

/// Workloads in the place of the one in the file.
const WORKLOADS: &[&str] = &[
    r#"kind = "permutation", pairs = [[0, 0]]"#,
    r#"kind = "permutation", pairs = [[0, 16]]"#,
    r#"kind = "permutation", pairs = [[0, 1, 2]]"#,
    r#"kind = "permutation", pairs = []"#,
    r#"kind = "permutation", pairs = 17"#,
    r#"kind = "permutation", rounds = 3"#,
    r#"kind = "permutation", size = "0 B""#,
    r#"kind = "permutation", size = "1 MB", load = 0.5"#,
    r#"kind = "incast", senders = 16"#,
    r#"kind = "incast", senders = "fist 8""#,
    r#"kind = "incast", senders = [1, 1], receiver = 0"#,
    r#"kind = "incast", senders = [1, 2], receiver = 2"#,
    r#"kind = "incast", senders = [1, 99], receiver = 2"#,
    r#"kind = "incast", senders = [], receiver = 2"#,
    r#"kind = "incast", receiver = 16"#,
    r#"kind = "incast", receiver = -1"#,
    r#"kind = "all-to-all""#,
    r#"kind = "all-to-all", size = "1 KB", order = "sorted""#,
    r#"kind = "all-to-many", receivers = 16"#,
    r#"kind = "ring-all-reduce""#,
    r#"kind = "ring-all-reduce", bytes = "8 B""#,
    r#"kind = "ring-all-reduce", bytes = "web-search""#,
    r#"kind = "ring-all-reduce", bytes = "1 MB", participants = 1"#,
    r#"kind = "background", flows_per_host = 0"#,
    r#"kind = "background", flows_per_host = 2, flows = 50"#,
    r#"kind = "trace", path = "nowhere.csv""#,
    r#"kind = "trace", path = "nowhere.dat""#,
    r#"kind = "trace", path = "nowhere.csv", format = "pcap""#,
    r#"kind = "permutation", name = "a" }, { kind = "permutation", name = "a""#,
    r#"kind = "poisson", size = "1 MB", load = 0.6 }, { kind = "poisson", size = "1 MB", load = 0.6"#,
];

/// Faults after the end of the file.
const FAULTS: &[&str] = &[
    "at = \"5 ms\"",
    "link = \"edge-0 -> aggregation-0\"",
    "at = 5\nnode = \"core-0\"",
    "at = \"10 ms\"\nnode = \"core-0\"",
    "at = \"5 ms\"\nuntil = \"5 ms\"\nnode = \"core-0\"",
    "at = \"5 ms\"\nnode = \"core-4\"",
    "at = \"5 ms\"\nnode = \"core-0\"\nlink = \"edge-0 -> aggregation-0\"",
    "at = \"5 ms\"\nlink = \"edge-0 -> agregation-0\"",
    "at = \"5 ms\"\nlink = \"edge-0 -> core-0\"",
    "at = \"5 ms\"\nlink = \"core-0\"",
    "at = \"5 ms\"\nlinks = \"edge-core\"",
    "at = \"5 ms\"\nlinks = \"edge-agregation\"",
    "at = \"5 ms\"\nlinks = \"edge-aggregation\"\ncount = 17",
    "at = \"5 ms\"\nnodes = \"spine\"",
    "at = \"5 ms\"\nnodes = \"cores\"",
    "at = \"5 ms\"\nnodes = \"core\"\ncount = 0",
    "at = \"5 ms\"\nnodes = \"core\"\ncount = 5",
    "at = \"5 ms\"\nnode = \"core-0\"\ncount = 2",
    "at = \"5 ms\"\nnode = \"core-0\"\none_way = true",
    "at = \"5 ms\"\nnode = \"core-0\"\nbit_error_rate = 1e-6",
    "at = \"5 ms\"\nlinks = \"host-edge\"\nbit_error_rate = 1",
    "at = \"5 ms\"\nlinks = \"host-edge\"\nbit_error_rate = \"1e-9\"",
    "at = \"5 ms\"\nnode = \"core-0\"\nperiod = \"1 ms\"",
    "at = \"5 ms\"\nnode = \"core-0\"\ndown = \"1 ms\"",
    "at = \"5 ms\"\nnode = \"core-0\"\nperiod = \"1 ms\"\ndown = \"1 ms\"",
    "at = \"5 ms\"\nnode = \"core-0\"\nperiod = \"2 ns\"\ndown = \"1 ns\"",
    "at = \"5 ms\"\nnode = \"core-0\"\nfor = \"1 ms\"",
];

/// Tables behind the end of the file, with overrides.
const LAYERS: &[(&str, &[&str])] = &[
    ("[[variant]]\ntransport.kind = \"dctcp\"", &[]),
    ("[[variant]]\nname = \"\"", &[]),
    ("[variant]\nname = \"a\"", &[]),
    ("[[variant]]\nname = \"a\"\n[[variant]]\nname = \"A\"", &[]),
    ("[[variant]]\nname = \"a\"\n[[variant]]\nname = \"dctcp\"\ntransport.kind = \"dctcp\"", &[]),
    ("[[variant]]\nname = \"a\"\ntransport.knd = \"dctcp\"", &[]),
    ("[[variant]]\nname = \"a\"\n\"transport.min_rto\" = \"1 sec\"", &[]),
    ("[[variant]]\nname = \"a\"\n\"workload.1.load\" = 0.1", &[]),
    ("[[variant]]\nname = \"a\"\n\"workload.web.load\" = 0.1", &[]),
    ("[[variant]]\nname = \"a\"\n\"workload.poisson.load\" = 3", &[]),
    ("[[variant]]\nname = \"a\"\nseed = 2\n\"seed.x\" = 3", &[]),
    ("[[variant]]\nname = \"a\"\nfabric.queue = \"20 packets\"\n[[variant]]\nname = \"b\"\ntopology.k = 3", &[]),
    ("[sweep]\nseed = 3", &[]),
    ("[sweep]\nseed = []", &[]),
    ("[sweep]\nseed = [1, -1]", &[]),
    ("[[sweep]]\nseed = [1, 2]", &[]),
    ("[sweep]\n\"workload.0.load\" = [0.5, 1.5]", &[]),
    ("[sweep]\n\"workload.0.lod\" = [0.5, 0.6]", &[]),
    ("[sweep]\n\"workload.0.load\" = [0.5]\n\"workload.poisson.load\" = [0.6]", &[]),
    ("[[variant]]\nname = \"a\"\nseed = 2\n[sweep]\nseed = [1, 2]", &[]),
    ("[sweep]\nseed = [1, 2]\n\"fabric.mtu\" = [\"30 B\", \"1500 B\"]", &[]),
    ("", &["transport.kind"]),
    ("", &["=3"]),
    ("", &["transport.kind=dctpc"]),
    ("", &["transport.kind=dctcp"]),
    ("", &["transport.kind=mptcp", "transport.recovery=rack"]),
    ("", &["transport.kind=eqds", "transport.backend=rts", "transport.control=\"32 KB\""]),
    ("", &["topology.rate=40Gbit/s"]),
    ("", &["topology.kind=torus"]),
    ("", &["topology.kind=torus", "topology.sizes=8"]),
    ("", &["topology.kind=torus", "topology.sizes=[4, 0]"]),
    ("", &["topology.kind=torus", "topology.sizes=[1, 1]"]),
    ("", &["topology.kind=torus", "topology.sizes=[]"]),
    ("", &["topology.kind=torus", "topology.sizes=[4, 4]", "topology.links.torus.rate=\"1 Gb/s\""]),
    ("", &["topology.kind=torus", "topology.sizes=[100000, 100000, 100000]"]),
    ("", &["topology.kind=torus", "topology.sizes=[4, 4]", "topology.host_rate=\"0 b/s\""]),
    ("", &["topology.kind=an3"]),
    ("", &["topology.kind=an3", "topology.networks=4"]),
    ("", &["topology.kind=an3", "topology.networks=65"]),
    ("", &["topology.kind=an3", "topology.networks=4", "topology.hosts=20"]),
    ("", &["topology.kind=an3", "topology.networks=4", "topology.egress=23"]),
    ("", &["topology.kind=an3", "topology.networks=64", "topology.containers=3", "topology.container_links=32"]),
    ("", &["topology.kind=an3", "topology.networks=4", "topology.wiring=ring"]),
    ("", &["topology.kind=an3", "topology.networks=4", "topology.links.sata.rate=\"1 Gb/s\""]),
    (
        "",
        &["topology.kind=an3", "topology.networks=4", "topology.outside={ kind = \"star\", hosts = 4, gateways = 2 }"],
    ),
    ("", &["topology.k=\"4\""]),
    ("", &["seed="]),
    ("", &["topolgy.k=8"]),
    ("", &["workload.3.load=0.1"]),
    ("", &["workload.0.load=2"]),
    ("", &["title=2024"]),
    ("[[variant]]\nname = \"a\"\nseed = 2\n[[variant]]\nname = \"b\"\nseed = 3", &["seed=4"]),
    ("[[variant]]\nname = \"a\"", &["variant.b.seed=4"]),
];

#[test]
fn every_mistake_is_answered() {
    let mut answers = String::new();
    for (old, new) in CHANGES {
        let _ = writeln!(answers, "{} => {}\n{}\n", shown(old), shown(new), wrong(&changed(old, new), &[]));
    }
    for workload in WORKLOADS {
        let start = FILE.find("[[workload]]").unwrap();
        let text = format!("workload = [{{ {workload} }}]\n{}", &FILE[..start]);
        let _ = writeln!(answers, "workload: {workload}\n{}\n", wrong(&text, &[]));
    }
    for fault in FAULTS {
        let _ = writeln!(answers, "[[fault]] {}", shown(fault));
        let _ = writeln!(answers, "{}\n", wrong(&format!("{FILE}[[fault]]\n{fault}\n"), &[]));
    }
    for (tables, overrides) in LAYERS {
        let text = format!("{FILE}{tables}\n");
        let flags: Vec<String> = overrides.iter().map(|text| format!("--set {text}")).collect();
        let _ = writeln!(answers, "{}\n{}\n", shown(&[*tables, &flags.join(" ")].concat()), wrong(&text, overrides));
    }
    assert!(!answers.contains("\nruns "), "a mistake went unnoticed:\n{answers}");
    insta::assert_snapshot!(answers);
}

#[test]
fn everything_that_is_wrong_is_told_at_once_in_the_order_of_the_file() {
    let text = FILE
        .replace("\"10 ms\"\nwarmup", "\"10 msec\"\nwarmup")
        .replace("oversubscription = 1", "oversubscripton = 1")
        .replace("\"1500 B\"", "1500")
        .replace("\"newreno\"", "\"newrneo\"")
        .replace("load = 0.5", "load = \"0.5\"")
        + "[[variant]]\nname = \"a\"\nseed = -1\n";
    assert_eq!(
        wrong(&text, &["topology.k=four"]),
        r#"--set topology.k=four: expected a whole number
x.toml:2: duration = "10 msec": has the unit "msec"; the units are ps, ns, us, ms, s: write a time such as "10 us"
x.toml:7: topology.oversubscripton: no such key; did you mean oversubscription?
x.toml:11: fabric.mtu = 1500: expected a size with its unit in quotes; write for example mtu = "1500 B"
x.toml:14: transport.kind = "newrneo": no such kind; did you mean newreno?
x.toml:18: workload.0.load = "0.5": expected a number; write it without quotes: load = 0.5
x.toml:24: variant a: seed = -1: must be at least 0"#
    );
    let many: String = (0..30).map(|number| format!("key{number} = 1\n")).collect();
    let answer = wrong(&format!("{many}{FILE}"), &[]);
    assert_eq!(answer.lines().count(), 21);
    assert_eq!(answer.lines().last(), Some("and 10 more"));
}

#[test]
fn what_is_written_in_a_file_nearby_is_named_by_its_line() {
    let folder = std::env::temp_dir().join(format!("gossamer-mistakes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let answer = |name: &str, content: &str, experiment: &str| {
        std::fs::write(folder.join(name), content).unwrap();
        let file = folder.join("x.toml").display().to_string();
        let problems = Plan::read(experiment, &file, &[]).unwrap_err().to_string();
        problems.replace(&format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR), "")
    };
    let text = "seed = 1\ntopology = { kind = \"star\", hosts = 4 }\nworkload = [{ kind = \"trace\", path = \"flows.csv\" }]\n";
    assert_eq!(
        answer("flows.csv", "id,src,dst,bytes,start\n0,0,1,1000,0\n1,0,9,1000,0\n", text),
        r#"x.toml:3: workload.0.path = "flows.csv": flows.csv, line 3: flow 1: 9 is not a host (hosts are 0 to 3)"#
    );
    let text =
        "seed = 1\ntopology = { kind = \"file\", path = \"net.json\" }\nworkload = [{ kind = \"permutation\" }]\n";
    let cut = answer("net.json", "{ \"nodes\": [", text);
    assert!(cut.starts_with(r#"x.toml:2: topology.path = "net.json": line 1, column 12: "#), "{cut}");
    let text = "seed = 1\ntopology = { kind = \"star\", hosts = 4 }\n\
                workload = [{ kind = \"permutation\", size = { kind = \"file\", path = \"cdf.txt\" } }]\n";
    assert_eq!(
        answer("cdf.txt", "100 0\n200 many\n", text),
        r#"x.toml:3: workload.0.size.path = "cdf.txt": cdf.txt, line 2: "many" is not a cumulative probability"#
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

fn shown(text: &str) -> String {
    text.trim_end().replace('\n', "; ")
}
