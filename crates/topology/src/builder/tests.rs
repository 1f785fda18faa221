use crate::{BuildError, Builder, LinkSpec};
use units::{Rate, Span};

const LINK: LinkSpec = LinkSpec { rate: Rate::from_gbps(10), delay: Span::from_us(1), queue: None };

/// A graph of these hosts and switches and the cables between them, by name.
fn graph(hosts: &[&str], switches: &[&str], cables: &[(&str, &str)]) -> Result<crate::Topology, BuildError> {
    let mut builder = Builder::new("test");
    let class = builder.class("any");
    let mut nodes: Vec<_> = hosts.iter().map(|&name| (name, builder.host(name))).collect();
    nodes.extend(switches.iter().map(|&name| (name, builder.switch(name, None))));
    let find = |name| nodes.iter().find(|(known, _)| *known == name).expect("a node of the test").1;
    for &(a, b) in cables {
        builder.cable(find(a), find(b), class, LINK);
    }
    builder.finish()
}

fn refused(hosts: &[&str], switches: &[&str], cables: &[(&str, &str)]) -> String {
    graph(hosts, switches, cables).expect_err("wrong").to_string()
}

#[test]
fn what_is_no_network_is_refused_in_plain_words() {
    assert_eq!(refused(&[], &["a"], &[]), "there is no host; a topology needs at least one");
    assert_eq!(refused(&["a"], &["s"], &[]), "`a` has no link; link it or remove it");
    assert_eq!(
        refused(&["a", "b"], &[], &[("a", "b")]),
        "`a` and `b` are hosts and are linked to each other; put a switch between them, or make one a switch"
    );
    assert_eq!(refused(&["a"], &["s"], &[("a", "s"), ("s", "s")]), "`s` is linked to itself; remove that link");
    assert_eq!(
        refused(&["a", "b"], &["s", "t"], &[("a", "s"), ("b", "t")]),
        "no path joins `a` and `b`; link the two parts of the graph, or remove one"
    );
    assert_eq!(refused(&["a"], &["s", "s"], &[("a", "s")]), "two nodes are called `s`; give each a name of its own");
    assert_eq!(refused(&["a", ""], &["s"], &[]), "`` cannot be a node's name: it is empty");
    assert_eq!(refused(&[" a"], &["s"], &[]), "` a` cannot be a node's name: it begins or ends with a blank");
    assert_eq!(
        refused(&["a->b"], &["s"], &[]),
        "`a->b` cannot be a node's name: `->` stands between the two ends of a link"
    );
    assert_eq!(
        refused(&["a\tb"], &["s"], &[]),
        "`a\tb` cannot be a node's name: it has a control character, such as a tab or a line's end"
    );
}

#[test]
fn a_rate_that_no_link_can_have_is_named_with_its_link() {
    let mut builder = Builder::new("test");
    let class = builder.class("any");
    let (host, switch) = (builder.host("h"), builder.switch("s", None));
    let slow = LinkSpec { rate: Rate::from_bps(10), ..LINK };
    builder.cable_with_directions(host, switch, class, [LINK, slow]);
    assert_eq!(
        builder.finish().expect_err("too slow").to_string(),
        "s -> h: a link cannot have a rate of 10 b/s; rates go from 1 Mb/s to 1000 Tb/s"
    );
}

#[test]
fn nodes_may_come_in_any_order() {
    let mut builder = Builder::new("test");
    let class = builder.class("any");
    let s = builder.switch("s", None);
    let b = builder.host("b");
    let t = builder.switch("t", None);
    let a = builder.host("a");
    for (x, y) in [(s, t), (b, s), (t, a)] {
        builder.cable(x, y, class, LINK);
    }
    let topology = builder.finish().unwrap();
    let names: Vec<_> = (0..4).map(|node| topology.name(crate::NodeId(node))).collect();
    assert_eq!(names, ["b", "a", "s", "t"]);
    let links: Vec<_> = (0..6).map(|link| topology.link_name(crate::LinkId(link))).collect();
    assert_eq!(links, ["b -> s", "a -> t", "s -> b", "s -> t", "t -> a", "t -> s"]);
}

#[test]
fn parallel_cables_keep_their_order_and_their_ways() {
    let mut builder = Builder::new("test");
    let class = builder.class("any");
    let (h, s) = (builder.host("h"), builder.switch("s", None));
    let spec = |gbps| LinkSpec { rate: Rate::from_gbps(gbps), ..LINK };
    builder.cable_with_directions(h, s, class, [spec(1), spec(2)]);
    builder.cable_with_directions(s, h, class, [spec(3), spec(4)]);
    let topology = builder.finish().unwrap();
    let name_and_rate =
        |link| (topology.link_name(crate::LinkId(link)), topology.link(crate::LinkId(link)).rate.to_string());
    let all: Vec<_> = (0..4).map(name_and_rate).collect();
    let expected = [("h -> s", "1 Gb/s"), ("h -> s (2)", "4 Gb/s"), ("s -> h", "2 Gb/s"), ("s -> h (2)", "3 Gb/s")];
    assert_eq!(all, expected.map(|(name, rate)| (name.to_owned(), rate.to_owned())));
    assert_eq!(topology.reverse(crate::LinkId(1)), crate::LinkId(3));
    assert_eq!(topology.host_rate(0), Rate::from_gbps(5));
}
