//! All readers of files, with a few small files that each can read.

use experiment::Plan;
use std::str::from_utf8;
use topology::{Link, Topology, htsim_topo, node_link};
use units::{Rate, Span};
use workload::readers::{Format, parse};
use workload::sizes::{CdfUnit, Interpolation, parse_cdf};
use xfabric::configuration::{Previous, Wiring};
use xfabric::demand;

/// Something that reads a file.
pub(crate) struct Reader {
    pub name: &'static str,
    pub examples: &'static [&'static str],
    /// Reads a file; if it is refused, why.
    pub read: fn(&[u8]) -> Result<(), String>,
}

/// Whoever opens files refuses those that are not UTF-8 before their readers see them.
fn text(bytes: &[u8]) -> Result<&str, String> {
    from_utf8(bytes).map_err(|error| error.to_string())
}

fn told<T>(read: Result<T, impl ToString>) -> Result<T, String> {
    read.map_err(|why| why.to_string())
}

fn flows(bytes: &[u8], format: Format) -> Result<(), String> {
    told(parse(bytes, "file", format, 16)).map(drop)
}

/// The links, with the names of their classes: classes are numbered as they come in the file.
fn links(topology: &Topology) -> Vec<(Link, &str)> {
    let named = |link: &Link| (Link { class: 0, ..*link }, &*topology.classes()[usize::from(link.class)]);
    topology.links().iter().map(named).collect()
}

/// What was read can be written, and read again.
fn again(topology: &Topology) {
    let written = node_link::write(topology);
    let read = node_link::parse(&written, RATE, DELAY).unwrap_or_else(|why| panic!("{why}\n{written}"));
    assert_eq!(links(&read), links(topology), "{written}");
}

const RATE: Rate = Rate::from_gbps(10);
const DELAY: Span = Span::from_us(1);

pub(crate) const READERS: &[Reader] = &[
    Reader {
        name: "experiment",
        examples: EXPERIMENTS,
        read: |bytes| told(Plan::read(text(bytes)?, "file.toml", &[])).map(drop),
    },
    Reader {
        name: "flows in CSV",
        examples: &[
            "id,src,dst,bytes,start,after\n0,0,5,100 KB,0 us,\n1,3,5,100 KB,2 us,0\n# later\n2,5,9,1 MB,0 us,0 1\n",
            "src,dst,bytes,start_ps\n0,1,1500,0\n1,2,\"3000\",1000000\n",
        ],
        read: |bytes| flows(bytes, Format::Csv),
    },
    Reader {
        name: "flows of Shoal",
        examples: &["flow-id,src,dst,bytes,start_s\n0,0,1,1500,0.0\n1,1,2,3000,0.000001\n2,3,4,64,1e-6\n"],
        read: |bytes| flows(bytes, Format::Shoal),
    },
    Reader {
        name: "flows of htsim",
        examples: &[
            "Nodes 16\nConnections 3\n0->1 id 1 start 0 size 2000000\n1->2 id 2 start 100000000 size 2000000 send_done_trigger 1\n\
             2->3 id 3 trigger 1 size 1000\nTriggers 1\ntrigger id 1 oneshot\n",
        ],
        read: |bytes| flows(bytes, Format::Htsim),
    },
    Reader {
        name: "flows of HPCC",
        examples: &["2\n0 1 3 100 1500 0.000001\n2 3 3 100 3000 0.5\n", "1\n0 1 1500 2.000001\n"],
        read: |bytes| flows(bytes, Format::Hpcc),
    },
    Reader {
        name: "flows of Opera",
        examples: &["0 1 1500 0\n1 2 3000 1000\n3 4 64 1000\n"],
        read: |bytes| flows(bytes, Format::Opera),
    },
    Reader {
        name: "flow sizes",
        examples: &[
            "0 0\n1000 0.15\n10000 0.6\n# tail\n1000000 1\n",
            "1,10\n2,50\n3,100\n",
            "Size Probability\n1500 0.5\n3000 1.0\n",
        ],
        read: |bytes| {
            let text = text(bytes)?;
            let unit = if text.len() % 2 == 0 { CdfUnit::Bytes } else { CdfUnit::NETSYS };
            told(parse_cdf(text, "file", CdfUnit::Bytes, Interpolation::Linear))
                .or_else(|_| told(parse_cdf(text, "file", unit, Interpolation::LogLinear)))
                .map(drop)
        },
    },
    Reader {
        name: "topology as node-link graph",
        examples: &[
            r#"{"nodes": [{"id": "a"}, {"id": "b"}, {"id": "s"}],
               "links": [{"source": "a", "target": "s"}, {"source": "b", "target": "s", "rate": "40 Gb/s", "delay": "500 ns"}]}"#,
            r#"{"directed": true, "multigraph": true, "graph": {"name": "pair"},
               "nodes": [{"id": 7, "kind": "host"}, {"id": -2, "type": "host"}, {"id": "s", "tier": 1}],
               "edges": [{"source": 7, "target": "s", "class": "up"}, {"source": "s", "target": 7, "queue": "100 KB"},
                         {"source": -2, "target": "s", "key": 0}, {"source": "s", "target": -2, "key": 0}]}"#,
        ],
        read: |bytes| told(node_link::parse(text(bytes)?, RATE, DELAY)).map(|topology| again(&topology)),
    },
    Reader {
        name: "topology of htsim",
        examples: &[
            "# leaf-spine\nNodes 8\nTiers 2\nPodsize 8\n\nTier 0\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1000\nRadix_Down 4\n\
             Radix_Up 2\nQueue_Down 100000\nQueue_Up 100000\nOversubscribed 2\nSwitch_Latency_ns 10\n\nTier 1\n\
             Downlink_speed_Gbps 100\nDownlink_Latency_ns 1000\nRadix_Down 2\nBundle 1\n",
        ],
        read: |bytes| told(htsim_topo::parse(text(bytes)?)).map(|topology| again(&topology)),
    },
    Reader {
        name: "demand",
        examples: &[
            "source,destination,bytes\na,b,1000\nb,a,2.5\nuplink,a,10\nb,uplink,7e3\n",
            ",a,b,uplink\na,0,10,3\nb,20,0,4\nuplink,5,6,0\n",
            "# plain\n0,1,2\n3,0,4\n5,6,0\n",
        ],
        read: |bytes| told(demand::file::read(text(bytes)?, "file", None)).map(drop),
    },
    Reader {
        name: "wiring",
        examples: &[
            "soc,port,crosspoint,crosspoint_port\na,0,x,0\na,1,y,0\nb,0,x,1\nb,1,y,1\n",
            "soc,port,crosspoint\na,0,x\nb,0,x\nc,0,x\n",
        ],
        read: |bytes| told(Wiring::read(text(bytes)?, "file")).map(drop),
    },
    Reader {
        name: "configuration",
        examples: &[include_str!("configuration.json")],
        read: |bytes| told(Previous::read(text(bytes)?, "file")).map(drop),
    },
];

/// Small, so that a damaged size makes no large network.
const EXPERIMENTS: &[&str] = &[
    r#"seed = 1
duration = "1 ms"
topology = { kind = "star", hosts = 4, rate = "10 Gb/s", delay = "1 us" }
transport = { kind = "dctcp" }
fabric = { kind = "ethernet", ecn_threshold = "20 packets" }

[[workload]]
kind = "poisson"
load = 0.5
size = "web-search"

[[variant]]
name = "newreno"
transport.kind = "newreno"

[[variant]]
name = "priorities"
fabric.priorities = 2

[sweep]
"workload.0.load" = [0.2, 0.4]
"#,
    r#"title = "A rack"
seed = 7
duration = "100 us"
warmup = "10 us"

[topology]
kind = "star"
hosts = 4
rate = "100 Gb/s"
delay = "10 ns"

[fabric]
kind = "shoal"

[transport]
kind = "direct"

[[workload]]
name = "shuffle"
kind = "all-to-all"
size = "64 KB"
start = "1 us"

[[fault]]
at = "20 us"
node = "host-1"
until = "50 us"

[measure]
series = ["goodput"]
"#,
    r#"seed = 3
duration = "200 us"
topology = { kind = "leaf-spine", leaves = 2, spines = 2, hosts_per_leaf = 2, rate = "10 Gb/s" }
fabric = { kind = "stardust" }
workload = [{ kind = "permutation", size = "1 MB" }, { kind = "incast", receiver = 0, size = "10 KB", senders = [1, 2] }]
"#,
];
