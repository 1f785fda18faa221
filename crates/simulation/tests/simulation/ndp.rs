//! NDP over switches that trim, against what its paper says of it (Handley et al., SIGCOMM 2017): high throughput of permutations with queues of
//! 8 packets, incasts near the optimum, and no data packet lost, only trimmed.

use crate::lab::{Lab, fabric, flows, ms, tree, us};
use engine::{Control, Seed};
use ethernet::{Config, Ethernet, Length, Port, Trim, Trimming};
use transport::{Config as Protocol, config};
use units::{Bytes, Span};
use workload::{Group, Kind, Pairs, Permutation, Rounds};

const MTU: u64 = 9000;

fn ndp() -> Protocol {
    let (timeout, header, control) = (Span::from_ms(1), Bytes::new(40), Bytes::new(64));
    Protocol::Ndp(config::Ndp { initial_window: 30, timeout, header, control })
}

fn trimming() -> Config {
    let port = Port { queue: Length::Packets(8), ecn_threshold: None, loss: 0.0 };
    let trim = Some(Trim { header: Bytes::new(64), headers_in_a_row: 10 });
    Config { mtu: Bytes::new(MTU), framing: Bytes::ZERO, port, trimming: trim, ..fabric() }
}

fn run(groups: Vec<Group>) -> crate::lab::Report {
    let mut lab = Lab::new(tree(4), groups, ms(10));
    lab.warmup = ms(2);
    lab.fabric = trimming();
    let network = Ethernet::<Trimming>::new(&lab.fabric, &lab.topology, Seed(1)).unwrap();
    lab.run_over(network, &ndp(), &Control::default())
}

#[test]
fn a_permutation_has_nearly_the_full_rate() {
    let permutation = Permutation { pairs: Pairs::Random { count: None }, size: None, rounds: Rounds::default() };
    let report = run(vec![Group::new("permutation", Kind::Permutation(permutation))]);
    let goodputs = report.goodputs();
    let payload = 10.0 * (MTU - 40) as f64 / MTU as f64;
    let mean = goodputs.iter().sum::<f64>() / goodputs.len() as f64;
    assert!(mean > 0.94 * payload, "{mean} of {payload}: {goodputs:?}");
    assert!(goodputs.iter().all(|goodput| *goodput > 0.85 * payload), "{goodputs:?}");
    assert_eq!((report.summary("total_dropped_frames"), report.summary("timeouts")), (0, 0));
}

#[test]
fn an_incast_takes_as_long_as_the_link_of_its_receiver() {
    let bytes = 448_000;
    let senders = (1..16).map(|src| (src, 0, Bytes::new(bytes), us(2500)));
    let report = run(flows(senders));
    let last = report.integers("flows", "fct_ps").into_iter().max().unwrap().unwrap();
    // Everything over one link of 10 Gb/s, headers included, and the way there and back.
    let packets = 15 * bytes.div_ceil(MTU - 40);
    let optimum = Span::from_ps((15 * bytes + 40 * packets) * 800);
    let ratio = last as f64 / optimum.as_ps() as f64;
    assert!((1.0..1.1).contains(&ratio), "{ratio}");
    assert_eq!((report.summary("total_dropped_frames"), report.summary("timeouts")), (0, 0));
    assert!(report.summary("retransmits") > 0, "some were trimmed");
}
