//! Topologies that are no pod, or no network of pods: each is named, in exactly these words.

use crate::lab::pods;
use fastpod::{Config, Fastpass, Rig};
use std::collections::BTreeMap;
use std::sync::Arc;
use topology::{Builder, LinkSpec, Topology};
use units::{Bytes, Rate, Span};

/// Nodes joined by cables of 100 Gb/s and so many ns. What is called host something is a host.
fn network(cables: &[(String, String, u64)]) -> Topology {
    let mut builder = Builder::new("a network");
    let class = builder.class("cable");
    let mut nodes = BTreeMap::new();
    for (from, to, ns) in cables {
        let [from, to] = [from, to].map(|name| {
            *nodes.entry(name.clone()).or_insert_with(|| match name.starts_with("host") {
                true => builder.host(name.clone()),
                false => builder.switch(name.clone(), None),
            })
        });
        let spec = LinkSpec { rate: Rate::from_gbps(100), delay: Span::from_ns(*ns), queue: None };
        builder.cable(from, to, class, spec);
    }
    builder.finish().unwrap()
}

/// The cables of pods of two racks of two hosts and two aggregation switches, with two core switches above each if there are several.
fn cables(pods: usize) -> Vec<(String, String, u64)> {
    let mut cables = Vec::new();
    for pod in 0..pods {
        for rack in 0..2 {
            let tor = format!("tor-{pod}-{rack}");
            cables.extend((0..2).map(|host| (format!("host-{pod}-{rack}-{host}"), tor.clone(), 1000)));
            cables.extend((0..2).map(|plane| (tor.clone(), format!("agg-{pod}-{plane}"), 1000)));
        }
        for core in (0..4).filter(|_| pods > 1) {
            cables.push((format!("agg-{pod}-{}", core / 2), format!("core-{core}"), 1000));
        }
    }
    cables
}

fn without(cables: Vec<(String, String, u64)>, from: &str, to: &str) -> Vec<(String, String, u64)> {
    cables.into_iter().filter(|(a, b, _)| (a.as_str(), b.as_str()) != (from, to)).collect()
}

fn with(mut cables: Vec<(String, String, u64)>, from: &str, to: &str, ns: u64) -> Vec<(String, String, u64)> {
    cables = without(cables, from, to);
    cables.push((from.to_owned(), to.to_owned(), ns));
    cables
}

fn refused_with(cables: &[(String, String, u64)], config: &Config) -> String {
    Rig::new(&Arc::new(network(cables)), config).unwrap_err().to_string()
}

fn refused(cables: &[(String, String, u64)]) -> String {
    refused_with(cables, &Config::default())
}

#[test]
fn what_the_others_are_made_from_is_a_pod() {
    for pods in 1..4 {
        assert!(Rig::new(&Arc::new(network(&cables(pods))), &Config::default()).is_ok(), "{pods}");
    }
}

#[test]
fn hosts_and_racks() {
    assert_eq!(
        refused(&with(cables(1), "host-0-0-0", "tor-0-1", 1000)),
        "host host-0-0-0 has 2 links: a host of a pod has one, to its ToR switch"
    );
    assert_eq!(
        refused(&with(cables(1), "host-0-0-2", "tor-0-0", 1000)),
        "tor-0-0 has 3 hosts and tor-0-1 has 2: all ToR switches of a pod have as many"
    );
    assert_eq!(
        refused(&without(cables(1), "tor-0-1", "agg-0-1")),
        "tor-0-1 has 0 links to agg-0-1: a pod has one from each ToR switch to each aggregation switch"
    );
    let mut twice = cables(1);
    twice.push(("tor-0-0".to_owned(), "agg-0-1".to_owned(), 1000));
    assert_eq!(
        refused(&twice),
        "tor-0-0 has 2 links to agg-0-1: a pod has one from each ToR switch to each aggregation switch"
    );
    assert_eq!(refused(&cables(1)[..2]), "tor-0-0 has no switch above it: a pod has aggregation switches");
}

#[test]
fn lengths_that_no_host_can_compensate_for() {
    // From below: all of a rack's cables may be longer than another's, but not one of them alone.
    let longer = with(with(cables(1), "tor-0-1", "agg-0-0", 1300), "tor-0-1", "agg-0-1", 1300);
    assert!(Rig::new(&Arc::new(network(&longer)), &Config::default()).is_ok());
    let crooked = with(cables(1), "tor-0-1", "agg-0-1", 1050);
    assert_eq!(
        refused(&crooked),
        "packets over tor-0-0 and over tor-0-1 reach agg-0-1 50 ns apart, which is more than the guard band of 0 ps: \
         hosts can send earlier or later, but not by path"
    );
    let guarded = |ns| Config { guard: Span::from_ns(ns), ..Config::default() };
    assert_eq!(
        refused_with(&crooked, &guarded(49)),
        "packets over tor-0-0 and over tor-0-1 reach agg-0-1 50 ns apart, which is more than the guard band of 49 ns: \
         hosts can send earlier or later, but not by path"
    );
    assert!(Rig::new(&Arc::new(network(&crooked)), &guarded(50)).is_ok());
    // From above: an aggregation switch that is farther away from all racks alike is late at all of them.
    let far = with(with(cables(1), "tor-0-0", "agg-0-1", 1030), "tor-0-1", "agg-0-1", 1030);
    assert_eq!(
        refused_with(&far, &guarded(20)),
        "packets over agg-0-0 and over agg-0-1 reach tor-0-0 60 ns apart, which is more than the guard band of 20 ns: \
         hosts can send earlier or later, but not by path"
    );
}

#[test]
fn pods_that_do_not_belong_together() {
    let mut alone = cables(1);
    alone.push(("agg-0-0".to_owned(), "core-0".to_owned(), 1000));
    assert_eq!(
        refused(&alone),
        "core-0 is above the aggregation switches and joins no two pods: leave it out, or have a link from it to an \
         aggregation switch of each pod"
    );
    // A second pod of one rack.
    let small: Vec<_> = cables(2).into_iter().filter(|(from, to, _)| from != "tor-1-1" && to != "tor-1-1").collect();
    assert_eq!(
        refused(&small),
        "the pod of tor-0-0 has 2 ToR switches and 2 aggregation switches, and that of tor-1-0 has 1 and 2: all pods \
         are alike"
    );
    assert_eq!(
        refused(&without(cables(3), "agg-2-1", "core-2")),
        "core-2 is not joined to one aggregation switch of each pod, of the same number in each (2 of 3 are there for \
         number 1): a core switch has one port for every pod"
    );
    let crossed = with(without(cables(3), "agg-1-0", "core-0"), "agg-1-1", "core-0", 1000);
    assert_eq!(
        refused(&crossed),
        "core-0 is not joined to one aggregation switch of each pod, of the same number in each (2 of 3 are there for \
         number 0): a core switch has one port for every pod"
    );
    let uneven: Vec<_> = cables(2).into_iter().filter(|(_, to, _)| to != "core-3").collect();
    assert_eq!(refused(&uneven), "agg-0-0 has 2 core switches above and agg-0-1 has 1: all have as many");
    let many = Rig::new(&Arc::new(pods(129, [1, 1, 2, 1], |_, _| Span::from_us(1))), &Config::default());
    assert_eq!(many.unwrap_err().to_string(), "a core switch can speak of 128 pods, not 129");
    let least = Config { core_buffer: Bytes::new(9000), ..Config::default() };
    assert_eq!(
        refused_with(&cables(3), &least),
        "holds less than what 3 pods can send to a core switch until they have heard that it is full; write at least \
         343.5 KB, or lower fabric.batch"
    );
}

#[test]
fn fastpass_is_one_pod() {
    let message = Fastpass::default().rig(&Arc::new(network(&cables(2)))).unwrap_err().to_string();
    assert_eq!(message, "core-0 is above the aggregation switches: this fabric is one pod");
}
