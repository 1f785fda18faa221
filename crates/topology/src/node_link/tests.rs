use super::{parse, write};
use crate::random_graph::random_graph;
use crate::{LinkId, NodeId, RouteError, Routes, Shape, Topology};
use proptest::prelude::*;
use units::{Rate, Span};

const RATE: Rate = Rate::from_gbps(10);
const DELAY: Span = Span::from_us(1);

fn read(text: &str) -> Topology {
    parse(text, RATE, DELAY).unwrap_or_else(|error| panic!("{error}"))
}
fn refused(text: &str) -> String {
    parse(text, RATE, DELAY).expect_err("wrong").to_string()
}
/// Hosts a and b on switch s, with this more in each place.
fn refused_with(graph: &str, node: &str, link: &str) -> String {
    refused(&format!(
        r#"{{{graph} "nodes": [{{"id": "a"}}, {{"id": "b"}}, {{"id": "s"{node}}}],
 "links": [{{"source": "a", "target": "s"}}, {{"source": "b", "target": "s"{link}}}]}}"#
    ))
}
fn link_names(topology: &Topology) -> Vec<String> {
    (0..topology.links().len() as u32).map(|link| topology.link_name(LinkId(link))).collect()
}

/// A topology as `networkx.node_link_data` writes it, each link with all its attributes.
fn written(topology: &Topology, list: &str, directed: bool) -> String {
    let node = |node| {
        let kind = if topology.is_host(node) { "host" } else { "switch" };
        format!(r#"{{"id": "{}", "kind": "{kind}", "tier": {}}}"#, topology.name(node), topology.tier(node))
    };
    let nodes: Vec<_> = (0..topology.nodes()).map(|n| node(NodeId(n))).collect();
    let link = |link: &crate::Link| {
        let (from, to) = (topology.name(link.from), topology.name(link.to));
        let (class, rate, delay) = (&topology.classes()[usize::from(link.class)], link.rate, link.delay);
        format!(
            r#"{{"source": "{from}", "target": "{to}", "class": "{class}", "bandwidth": "{rate}", "latency": "{delay}", "key": 0}}"#
        )
    };
    let links: Vec<_> = topology.links().iter().filter(|link| directed || link.from < link.to).map(link).collect();
    format!(
        r#"{{"directed": {directed}, "multigraph": false, "graph": {{"name": "{}"}}, "nodes": [{}], "{list}": [{}]}}"#,
        topology.label(),
        nodes.join(", "),
        links.join(",\n")
    )
}

#[test]
fn what_a_builder_makes_reads_back_the_same() {
    for shape in [
        Shape::FatTree { k: 4, oversubscription: 2.0 },
        Shape::LeafSpine { leaves: 3, spines: 2, hosts_per_leaf: 2 },
        Shape::Star { hosts: 3 },
    ] {
        let mut topology = shape.build(Rate::from_gbps(25), Span::from_ns(300)).unwrap();
        topology.set_link(LinkId(0), Some(Rate::from_gbps(1)), None).unwrap();
        topology.set_class(0, None, Some(Span::from_ns(7))).unwrap();
        let directed = read(&written(&topology, "edges", true));
        assert_eq!(directed.links(), topology.links());
        assert_eq!(directed.describe(), topology.describe());
        assert_eq!(directed.classes(), topology.classes());
        // Undirected, a cable has one rate for both ways: that of the link that is written.
        topology.set_link(topology.reverse(LinkId(0)), Some(Rate::from_gbps(1)), None).unwrap();
        let undirected = read(&written(&topology, "links", false));
        assert_eq!(undirected.links(), topology.links());
        for node in (0..topology.nodes()).map(NodeId) {
            assert_eq!(undirected.name(node), topology.name(node));
            assert_eq!(undirected.tier(node), topology.tier(node));
        }
    }
}

#[test]
fn what_is_left_out_has_a_default() {
    let text = r#"{"nodes": [{"id": 7}, {"id": -2, "pos": [1.5, 2]}, {"id": "s", "kind": null}, {"id": "t"}],
        "edges": [{"source": 7, "target": "s"}, {"source": "t", "target": -2, "weight": 3}, {"source": "s", "target": "t"}]}"#;
    let topology = read(text);
    assert_eq!(topology.describe(), "graph: 2 hosts, 2 switches, 3 cables of 10 Gb/s and 1 us");
    assert_eq!(link_names(&topology), ["7 -> s", "-2 -> t", "s -> 7", "s -> t", "t -> -2", "t -> s"]);
    assert_eq!(topology.classes(), ["host-switch", "switch-switch"]);
    assert!(topology.links().iter().all(|link| link.queue.is_none()));
}

#[test]
fn hosts_are_nodes_that_say_so_or_have_one_cable() {
    let nodes = r#"{"id": "lone switch", "type": "switch"}, {"id": "low", "tier": 1}, {"id": "two links", "kind": "host"},
        {"id": "plain"}, {"id": "said", "tier": 0}, {"id": "middle"}"#;
    let links = ["lone switch", "low", "two links", "two links", "plain", "said"]
        .map(|node| format!(r#"{{"source": "{node}", "target": "middle"}}"#));
    let topology = read(&format!(r#"{{"nodes": [{nodes}], "links": [{}]}}"#, links.join(",")));
    let names: Vec<_> = (0..topology.nodes()).map(|node| topology.name(NodeId(node))).collect();
    assert_eq!(names, ["two links", "plain", "said", "lone switch", "low", "middle"]);
    assert_eq!(topology.hosts(), 3);
    // Said where it is said, else counted from hosts.
    assert_eq!((3..6).map(|node| topology.tier(NodeId(node))).collect::<Vec<_>>(), [2, 1, 1]);
    assert_eq!(topology.host_rate(0), Rate::from_gbps(20));
}

#[test]
fn parallel_links_of_a_directed_graph_pair_up_in_order() {
    let arc = |from, to, gbps| format!(r#"{{"source": "{from}", "target": "{to}", "rate": "{gbps} Gb/s"}}"#);
    let arcs = [arc("h", "s", 1), arc("s", "h", 2), arc("s", "h", 3), arc("h", "s", 4)].join(",");
    let nodes = r#"{"id": "h", "kind": "host"}, {"id": "s"}"#;
    let topology = read(&format!(r#"{{"directed": true, "multigraph": true, "nodes": [{nodes}], "links": [{arcs}]}}"#));
    let pair = |link| {
        [LinkId(link), topology.reverse(LinkId(link))].map(|link| topology.link(link).rate.as_bps() / 1_000_000_000)
    };
    assert_eq!((pair(0), pair(1)), ([1, 2], [4, 3]));
}

#[test]
fn links_have_queues_and_classes_of_their_own() {
    let text = r#"{"nodes": [{"id": "a"}, {"id": "b"}, {"id": "s"}],
        "links": [{"source": "a", "target": "s", "queue": "100 KB", "class": "slow"}, {"source": "b", "target": "s"}]}"#;
    let topology = read(text);
    assert_eq!(topology.classes(), ["slow", "host-switch"]);
    let queues: Vec<_> = topology.links().iter().map(|link| link.queue.map(|queue| queue.get())).collect();
    assert_eq!(queues, [Some(100_000), None, Some(100_000), None]);
}

#[test]
fn a_file_that_is_cut_off_or_malformed_is_named_by_line_and_column() {
    let whole = written(&Shape::Star { hosts: 3 }.build(RATE, DELAY).unwrap(), "links", false);
    assert_eq!(
        refused(&whole[..whole.len() - 30]),
        "line 3, column 91: the file ends before the graph does (EOF while parsing a value); it seems to have been cut off"
    );
    // Wherever it is cut, it is an error that says so.
    for end in 0..whole.len() {
        let message = refused(&whole[..end]);
        assert!(message.contains("cut off"), "{end}: {message}");
    }
    assert_eq!(refused("{\"nodes\": [\n}"), "line 2, column 1: expected value");
    assert_eq!(refused("{\"nodes\": [],\n\"links\": []} x"), "line 2, column 14: trailing characters");
    assert_eq!(
        refused("17"),
        "line 1, column 2: invalid type: integer `17`, expected a graph: an object with `nodes` and `links`"
    );
    assert_eq!(refused("{}"), "line 1, column 2: missing field `nodes`");
}

#[test]
fn a_wrong_attribute_is_named_where_it_stands() {
    let link = |link| refused_with("", "", link);
    let node = |node| refused_with("", node, "");
    assert_eq!(
        link(r#", "rate": 10"#),
        r#"line 2, column 84: invalid type: integer `10`, expected a rate with its unit, such as "100 Gb/s""#
    );
    assert_eq!(
        link(r#", "latency": "1 usec""#),
        r#"line 2, column 93: `1 usec` has the unit `usec`; the units are ps, ns, us, ms, s: write a time such as "10 us""#
    );
    assert_eq!(
        link(r#", "bandwith": "1 Gb/s""#),
        "line 2, column 84: a link has the attribute `bandwith`; did you mean `bandwidth`? (call it something else if it is your own)"
    );
    assert_eq!(
        link(r#", "Rate": "1 Gb/s""#),
        "line 2, column 80: a link has the attribute `Rate`; did you mean `rate`? (call it something else if it is your own)"
    );
    assert_eq!(
        link(r#", "rate": "1 Gb/s", "bandwidth": "1 Gb/s""#),
        "line 2, column 114: a link says `rate` twice, maybe under another name; keep one"
    );
    assert_eq!(
        link(r#", "queue": "100 packets""#),
        "line 2, column 96: `100 packets` has the unit `packets`; the units are B, KB, MB, GB, TB: write a size such as \"4 KB\" (1000 B) or \"4 KiB\" (1024 B)"
    );
    assert_eq!(
        node(r#", "kind": "router""#),
        r#"line 1, column 67: a node is of kind `router`; write "host" or "switch""#
    );
    assert_eq!(
        node(r#", "tire": 1"#),
        "line 1, column 56: a node has the attribute `tire`; did you mean `tier`? (call it something else if it is your own)"
    );
    assert_eq!(
        node(r#", "tier": -1"#),
        "line 1, column 60: invalid type: integer `-1`, expected a node's tier: 0 for hosts, 1 for switches next to hosts, more above"
    );
    assert_eq!(refused(r#"{"nodes": [{"name": "a"}], "links": []}"#), "line 1, column 24: a node has no `id`");
    assert_eq!(
        refused(r#"{"nodes": [{"id": [0, 1]}], "links": []}"#),
        "line 1, column 19: invalid type: sequence, expected a node's name: a text or a whole number (NetworkX: convert_node_labels_to_integers)"
    );
    assert_eq!(
        refused(r#"{"nodes": [{"id": "a"}], "links": [{"source": "a"}]}"#),
        "line 1, column 50: a link has no `target`; it names the node at that end"
    );
    assert_eq!(
        refused(r#"{"nodes": ["a"], "links": []}"#),
        r#"line 1, column 14: invalid type: string "a", expected a node, such as {"id": "leaf-0", "kind": "switch"}"#
    );
}

#[test]
fn a_graph_that_is_no_network_is_refused_by_name() {
    assert_eq!(refused(r#"{"nodes": [{"id": "a"}]}"#), "the graph has no list of links; call it `links` or `edges`");
    assert_eq!(
        refused(r#"{"nodes": [], "links": [], "edges": []}"#),
        "the graph has both `links` and `edges`; keep one"
    );
    assert_eq!(refused(r#"{"nodes": [], "links": []}"#), "there is no host; a topology needs at least one");
    assert_eq!(
        refused(r#"{"nodes": [{"id": "leaf-0"}, {"id": "b"}], "links": [{"source": "b", "target": "leaf-1"}]}"#),
        "link 1 joins `b` and `leaf-1`, but `leaf-1` is not in `nodes`; did you mean `leaf-0`?"
    );
    assert_eq!(
        refused(r#"{"nodes": [{"id": "leaf-0"}, {"id": "b"}], "links": [{"source": "b", "target": "router"}]}"#),
        "link 1 joins `b` and `router`, but `router` is not in `nodes`; the nodes are `leaf-0`, `b`"
    );
    assert_eq!(
        refused(r#"{"nodes": [], "links": [{"source": "b", "target": "c"}]}"#),
        "link 1 joins `b` and `c`, but `b` is not in `nodes`; that list is empty"
    );
    assert_eq!(
        refused(r#"{"nodes": [{"id": 1}, {"id": "1"}], "links": []}"#),
        "two nodes are called `1`; give each a name of its own"
    );
    assert_eq!(
        refused_with(r#""multigraph": false,"#, "", r#"}, {"source": "s", "target": "a""#),
        "`s` and `a` are linked twice; remove one link, or set `multigraph` to true to have cables in parallel"
    );
    assert_eq!(
        refused_with(r#""directed": true,"#, "", ""),
        "links from `a` to `s`: 1, back: 0; a cable is one each way: add those missing, or set `directed` to false"
    );
    assert_eq!(
        refused_with(r#""directed": true,"#, "", r#"}, {"source": "s", "target": "s""#),
        "links from `a` to `s`: 1, back: 0; a cable is one each way: add those missing, or set `directed` to false"
    );
    assert_eq!(
        refused_with("", "", r#"}, {"source": "s", "target": "s""#),
        "`s` is linked to itself; remove that link"
    );
    assert_eq!(
        refused_with("", r#", "kind": "switch", "tier": 0"#, ""),
        "`s` is a switch of tier 0; hosts have tier 0, switches 1 (next to hosts) or more"
    );
    assert_eq!(
        refused_with("", r#", "kind": "host", "tier": 2"#, ""),
        "`s` is a host of tier 2; hosts have tier 0, switches 1 (next to hosts) or more"
    );
    assert_eq!(
        refused_with("", r#", "kind": "host""#, ""),
        "`a` and `s` are hosts and are linked to each other; put a switch between them, or make one a switch"
    );
    assert_eq!(
        refused_with("", "", r#", "rate": "5 b/s""#),
        "b -> s: a link cannot have a rate of 5 b/s; rates go from 1 Mb/s to 1000 Tb/s"
    );
    let arcs = |there: &str, back: &str| {
        let link = |from, to, class| format!(r#"{{"source": "{from}", "target": "{to}", "class": {class}}}"#);
        let links = [link("h", "s", there), link("s", "h", back)].join(", ");
        let nodes = r#"{"id": "h"}, {"id": "s", "kind": "switch"}"#;
        parse(&format!(r#"{{"directed": true, "nodes": [{nodes}], "links": [{links}]}}"#), RATE, DELAY)
    };
    assert_eq!(
        arcs("\"x\"", "\"y\"").expect_err("two classes").to_string(),
        "the link from `h` to `s` is of class `x`, the one back of `y`; give both the same"
    );
    assert_eq!(arcs("null", "\"y\"").expect("one class").classes(), ["y"]);
    assert_eq!(
        parse(r#"{"nodes": [], "links": []}"#, Rate::from_bps(1), DELAY).expect_err("too slow").to_string(),
        "a link cannot have a rate of 1 b/s; rates go from 1 Mb/s to 1000 Tb/s"
    );
}

#[test]
fn a_graph_is_written_a_line_for_each_node_and_cable() {
    let text = r#"{"nodes": [{"id": "a"}, {"id": "b"}, {"id": "leaf \"1\""}],
 "links": [{"source": "a", "target": "leaf \"1\"", "queue": "200 KB"}, {"source": "b", "target": "leaf \"1\"", "rate": "25 Gb/s"}]}"#;
    let expected = r#"{
  "directed": false,
  "multigraph": false,
  "graph": {"name": "graph"},
  "nodes": [
    {"id":"a","kind":"host","tier":0},
    {"id":"b","kind":"host","tier":0},
    {"id":"leaf \"1\"","kind":"switch","tier":1}
  ],
  "links": [
    {"source":"a","target":"leaf \"1\"","class":"host-switch","rate":"10 Gb/s","delay":"1 us","queue":"200 KB"},
    {"source":"b","target":"leaf \"1\"","class":"host-switch","rate":"25 Gb/s","delay":"1 us"}
  ]
}
"#;
    assert_eq!(write(&read(text)), expected);
}

proptest! {
    /// What is written is read as what it was: nodes, links in parallel, and cables that are not alike both ways.
    #[test]
    fn what_is_written_is_read_again(topology in random_graph(8, 8)) {
        // Links that say nothing would get another rate and delay.
        let again = parse(&write(&topology), Rate::from_gbps(7), Span::from_us(7)).unwrap();
        prop_assert_eq!(again.describe(), topology.describe());
        prop_assert_eq!(link_names(&again), link_names(&topology));
        for (one, other) in again.links().iter().zip(topology.links()) {
            prop_assert_eq!((one.rate, one.delay, one.queue), (other.rate, other.delay, other.queue));
            let class = |topology: &Topology, link: &crate::Link| topology.classes()[usize::from(link.class)].clone();
            prop_assert_eq!(class(&again, one), class(&topology, other));
        }
        for node in (0..topology.nodes()).map(NodeId) {
            prop_assert_eq!((again.name(node), again.tier(node)), (topology.name(node), topology.tier(node)));
        }
    }
    /// Whatever the graph, it is refused with a reason or has routes wherever hosts can be reached.
    #[test]
    fn no_graph_is_too_strange(
        nodes in prop::collection::vec(("[abc12]?", prop::option::of("host|switch"), prop::option::of(0_u16..3)), 0..6),
        links in prop::collection::vec(("[abc12]", "[abc12]"), 0..8),
        (directed, multigraph) in any::<(bool, bool)>(),
    ) {
        let node = |(id, kind, tier): &(String, Option<String>, Option<u16>)| {
            serde_json::json!({"id": id, "kind": kind, "tier": tier})
        };
        let nodes: Vec<_> = nodes.iter().map(node).collect();
        let links: Vec<_> =
            links.iter().map(|(a, b)| serde_json::json!({"source": a, "target": b, "x": [1]})).collect();
        let graph =
            serde_json::json!({"directed": directed, "multigraph": multigraph, "nodes": nodes, "links": links});
        match parse(&graph.to_string(), RATE, DELAY) {
            Err(error) => prop_assert!(error.to_string().len() > 10),
            Ok(topology) => match Routes::shortest(&topology) {
                Ok(routes) => prop_assert_eq!(routes.hop_count(0, topology.hosts() - 1) == 0, topology.hosts() == 1),
                Err(error) => {
                    let unreachable = matches!(error, RouteError::Unreachable { .. });
                    prop_assert!(unreachable, "{}", error);
                }
            },
        }
    }
}
