use crate::readers::Format;
use crate::readers::tests::{good, rows, wrong};
use crate::trace::TraceStart;
use units::{Bytes, Span, Time};

#[test]
fn htsim_times_are_exact() {
    let trace = good(
        "Nodes 16\nConnections 2\n# a comment\n0->13 id 1 start 16800001 size 2000000\n13->0 start 5e6 size 3000000000\n\n",
        Format::Htsim,
    );
    assert_eq!(rows(&trace), [(1, 0, 13, 2_000_000, 16_800_001), (1, 13, 0, 3_000_000_000, 5_000_000)]);
    assert!(trace.warnings.is_empty());
}

/// A connection matrix of 16 nodes with so many connections and triggers.
fn matrix(connections: u32, triggers: u32, body: &str) -> String {
    format!("Nodes 16\nConnections {connections}\nTriggers {triggers}\n{body}\n")
}

#[test]
fn htsim_triggers_become_gates() {
    let text = matrix(
        8,
        3,
        "0->1 id 1 start 0 size 10 send_done_trigger 1 recv_done_trigger 2\n\
         1->2 id 2 trigger 1 size 10 send_done_trigger 2\n\
         2->3 id 3 trigger 1 size 10\n\
         3->4 id 4 trigger 2 size 10 send_done_trigger 3\n\
         4->5 id 5 trigger 2 size 10 send_done_trigger 3\n\
         5->6 id 6 trigger 3 size 10\n\
         6->7 id 7 trigger 3 size 10\n\
         7->8 start 9 size 10\n\
         trigger id 1 oneshot\ntrigger id 2 barrier count 2\ntrigger id 3 multishot",
    );
    let trace = good(&text, Format::Htsim);
    assert_eq!(
        trace.gates.iter().map(|gate| gate.passed_by.clone()).collect::<Vec<_>>(),
        [vec![0], vec![0, 1], vec![3, 4]]
    );
    let after = |gate, passings| TraceStart::After { gate, passings, delay: Span::ZERO };
    assert_eq!(
        trace.flows.iter().map(|flow| flow.start).collect::<Vec<_>>(),
        [
            TraceStart::At(Time::ZERO),
            after(0, 1),
            after(0, 1),
            after(1, 2),
            after(1, 2),
            // One connection of a multishot for each time that it fires.
            after(2, 1),
            after(2, 2),
            TraceStart::At(Time::from_ps(9)),
        ]
    );
}

#[test]
fn what_htsim_does_otherwise_is_said() {
    let text = "Nodes 8\nConnections 2\n0->1 start 0 size 0 prio 3\n1->2 start 0 size 5 msg 4 prio 1\n";
    let trace = good(text, Format::Htsim);
    assert_eq!(trace.flows[0].bytes, Bytes::MAX);
    assert_eq!(
        trace.warnings,
        [
            "flows: it is for 8 nodes, and this topology has 16 hosts",
            "flows: 1 connection has size 0: without end, as in htsim",
            "flows: 2 connections have a `prio`, which orders the pulls of htsim's NDP receivers and has no effect here",
            "flows: 1 connection has a `msg`; each is a flow of its own here",
        ]
    );
}

#[test]
fn wrong_htsim_is_named_by_line() {
    let one = |body: &str| wrong(&matrix(1, 0, body), Format::Htsim);
    assert_eq!(
        one("0->1 start 0 sise 5"),
        "flows, line 4: `sise` means nothing here (did you mean `size`?); expected start, size, id, trigger, \
         send_done_trigger, recv_done_trigger, prio or msg"
    );
    assert_eq!(
        one("hello"),
        "flows, line 4: `hello` means nothing here; expected `src->dst ...`, `trigger ...`, or one of Nodes, Connections, \
         Triggers and Failures with a number"
    );
    assert_eq!(
        one("0->1 start 0 size"),
        "flows, line 4: `size` is the last word of the line; a number belongs behind it"
    );
    assert_eq!(
        one("0->1 start 0.5 size 5"),
        "flows, line 4: `start`: `0.5` is finer than 1 ps, the smallest step there is"
    );
    assert_eq!(one("0->1 start x size 5"), "flows, line 4: `start`: `x` is not a time in picoseconds, such as 125000");
    assert_eq!(one("0->x start 0 size 5"), "flows, line 4: `dst`: `x` is not a host, a whole number from 0");
    assert_eq!(one("0->16 start 0 size 5"), "flows, line 4: flow 0: 16 is not a host (hosts are 0 to 15)");
    assert_eq!(one("3->3 id 7 start 0 size 5"), "flows, line 4: flow 7: host 3 would send to itself");
    assert_eq!(
        one("0->1 size 5"),
        "flows, line 4: the connection has neither `start T` nor `trigger I`, so it never starts"
    );
    assert_eq!(
        one("0->1 id 1 start 0 trigger 1 size 5"),
        "flows, line 4: the connection has both `start` and `trigger`; it starts at a time or when a trigger fires"
    );
    assert_eq!(one("0->1 trigger 1 size 5"), "flows, line 4: the connection has a `trigger`, so it needs an `id`");
    assert_eq!(one("0->1 start 0"), "flows, line 4: the connection has no `size B`");
    assert_eq!(one("0->1 id 0 start 0 size 1"), "flows, line 4: ids count from 1");
    assert_eq!(
        one("0->1 id 1 start 0 size 1 addon"),
        "flows, line 4: `addon` changes what a trigger does inside htsim and cannot be read; leave it out"
    );
    assert_eq!(
        one("failure switch_type TOR switch_id 1 link_id 2"),
        "flows, line 4: failures cannot be read from a connection matrix; leave the `failure` lines out"
    );
    assert_eq!(
        one("0->1 id 1 start 0 size 1\n0->2 id 1 start 0 size 1"),
        "flows, line 5: the id 1 is that of line 4 too"
    );
    assert_eq!(
        one("0->1 start 0 size 1\n0->2 start 0 size 1"),
        "flows: `Connections` says 1 connection, and there are 2: the file is cut short, or the number is wrong"
    );
    assert_eq!(
        one("0->1 id 1 trigger 9 size 1"),
        "flows, line 4: trigger 9 is not defined; add `trigger id 9 oneshot`, `multishot` or `barrier count N`"
    );
    assert_eq!(
        one("0->1 start 0 size 1 send_done_trigger 9"),
        "flows, line 4: trigger 9 is not defined; add `trigger id 9 oneshot`, `multishot` or `barrier count N`"
    );
    let header = |text: &str| wrong(text, Format::Htsim);
    assert_eq!(header("Connections 1\n0->1 start 0 size 1\n"), "flows: there is no line `Nodes N` at the beginning");
    assert_eq!(header("Nodes 16\n0->1 start 0 size 1\n"), "flows: there is no line `Connections N` at the beginning");
    assert_eq!(header("Nodes 17\nConnections 0\n"), "flows: `Nodes 17`: there are only 16 hosts in this topology");
    assert_eq!(header("Nodes x\n"), "flows, line 1: `Nodes`: `x` is not a whole number");
    assert_eq!(header("Nodes\n"), "flows, line 1: `Nodes` is the last word of the line; a number belongs behind it");
    assert_eq!(header("Nodes 16\nConnections 0\n"), "flows: there are no flows in it");
    assert_eq!(
        header("Nodes 16\nConnections 0\nFailures 1\n"),
        "flows: `Failures` says 1 failure, and there are 0: the file is cut short, or the number is wrong"
    );
}

#[test]
fn wrong_htsim_triggers_are_named_by_line() {
    let fires = |trigger: &str| {
        let body = format!(
            "0->1 id 1 start 0 size 1 send_done_trigger 1\n1->2 id 2 start 0 size 1 send_done_trigger 1\n\
             2->3 id 3 trigger 1 size 1\n{trigger}"
        );
        wrong(&matrix(3, 1, &body), Format::Htsim)
    };
    assert_eq!(
        fires("trigger id 1 oneshot"),
        "flows, line 7: trigger 1 is a oneshot, and 2 ends of connections fire it; a oneshot can be fired once"
    );
    assert_eq!(
        fires("trigger id 1 barrier count 3"),
        "flows, line 7: trigger 1 is a barrier of count 3, and 2 ends of connections fire it; they must be as many"
    );
    assert_eq!(fires("trigger id 1"), "flows, line 7: a trigger is `trigger id I oneshot|multishot|barrier [count N]`");
    assert_eq!(
        fires("trigger oneshot"),
        "flows, line 7: a trigger is `trigger id I oneshot|multishot|barrier [count N]`"
    );
    assert_eq!(
        fires("trigger id 1 oneshot barrier"),
        "flows, line 7: a trigger is `trigger id I oneshot|multishot|barrier [count N]`"
    );
    assert_eq!(fires("trigger id 0 oneshot"), "flows, line 7: ids count from 1");
    assert_eq!(
        fires("trigger id 1 onshot"),
        "flows, line 7: `onshot` means nothing here (did you mean `oneshot`?); expected id, oneshot, multishot, barrier or \
         count"
    );
    assert_eq!(
        fires("trigger id 1 multishot\ntrigger id 1 multishot"),
        "flows, line 8: trigger 1 is defined in line 7 too"
    );
    let never = matrix(
        3,
        1,
        "0->1 id 1 start 0 size 1 send_done_trigger 1\n1->2 id 2 trigger 1 size 1\n2->3 id 3 trigger 1 size 1\n\
         trigger id 1 multishot",
    );
    assert_eq!(
        wrong(&never, Format::Htsim),
        "flows, line 6: flow 3 never starts: it waits for 2 ends, and only 1 can come"
    );
}
