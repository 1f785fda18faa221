//! A rack that is joined to an outside, from the file to the plan.

use crate::{FabricPlan, Length, Plan, RunPlan};
use fabric::Fabric;
use gateway::Join;
use units::{Bytes, Rate};

fn plan(more: &str) -> RunPlan {
    let text = format!(
        "seed = 1\n[topology]\nkind = \"star\"\nhosts = 8\n[topology.outside]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 1\nhosts_per_leaf = 3\n\
         gateways = 2\n[fabric]\nkind = \"shoal\"\n[[workload]]\nkind = \"permutation\"\n{more}"
    );
    Plan::read(&text, "x.toml", &[]).unwrap_or_else(|problems| panic!("{problems}")).runs.remove(0)
}

fn gateways(run: &RunPlan) -> &Join<shoal::Plan> {
    let FabricPlan::Shoal(plan) = &*run.fabric else { panic!("another fabric") };
    joined(plan)
}

fn joined<P>(plan: &gateway::Plan<P>) -> &Join<P> {
    let gateway::Plan::Joined(join) = plan else { panic!("not joined") };
    join
}

#[test]
fn hosts_are_the_racks_and_then_those_outside() {
    let run = plan("");
    assert_eq!(
        run.topology.describe(),
        "star and outside leaf-spine, 2 leaves with 3 hosts each, 1 spine: 14 hosts, 4 switches, 18 cables of 100 Gb/s and 1 us"
    );
    let joined = &gateways(&run).joined;
    assert_eq!((joined.rack_hosts, joined.rack_switches, joined.gateways), (8, 1, 2));
    assert_eq!(
        (run.fabric.name(), run.fabric.mtu(), run.fabric.offers().ecn.is_given()),
        ("shoal", Bytes::new(1500), false)
    );
    // Two hops in the rack, 3.14 outside on average, and their sum for pairs that cross.
    assert!(run.mean_hops > 2.0 && run.mean_hops < 5.2, "{}", run.mean_hops);
}

#[test]
fn what_is_said_of_links_reaches_the_part_that_they_are_in() {
    let run = plan(
        "[topology.links.gateway-uplink]\nrate = \"40 Gb/s\"\nqueue = \"50 KB\"\n\
         [topology.links.outside-leaf-spine]\necn_threshold = \"10 packets\"\n",
    );
    let joined = &gateways(&run).joined;
    let outside = joined.outside().topology;
    let uplink = outside.find_link("gateway-1 -> outside-leaf-1").unwrap();
    assert_eq!(outside.link(uplink).rate, Rate::from_gbps(40));
    let rules = &gateways(&run).outside.config.rules;
    let queues = rules.iter().find(|rule| rule.queue.is_some()).unwrap();
    assert_eq!(queues.queue, Some(Length::Bytes(Bytes::new(50_000))));
    let names: Vec<String> = queues.links.iter().map(|link| outside.link_name(topology::LinkId(*link))).collect();
    assert_eq!(
        names,
        [
            "gateway-0 -> outside-leaf-0",
            "gateway-1 -> outside-leaf-1",
            "outside-leaf-0 -> gateway-0",
            "outside-leaf-1 -> gateway-1"
        ]
    );
    assert!(run.fabric.offers().ecn.is_given(), "leaves mark");
    assert_eq!(rules.iter().find(|rule| rule.ecn_threshold.is_some()).unwrap().links.len(), 4);
}

#[test]
fn the_outside_takes_the_racks_packets() {
    let text = "[fabric.gateways]\nbuffer = \"200 KB\"\necn_threshold = \"60 KB\"\n[transport]\nkind = \"dctcp\"\n";
    let run = plan(text);
    let gateways = gateways(&run);
    assert_eq!((gateways.config.buffer, gateways.outside.mtu()), (Bytes::new(200_000), gateways.rack.mtu()));
    assert_eq!(run.transports.name(), "dctcp");
}

#[test]
fn a_rack_with_uplinks() {
    let text = "seed = 1\n[topology]\nkind = \"planes\"\nhosts = 8\nplanes = 6\nrate = \"1 Gb/s\"\n[topology.outside]\nkind = \"star\"\n\
                hosts = 3\nuplinks = 2\n[topology.links]\noutside-uplink.rate = \"10 Gb/s\"\n[fabric]\nkind = \"xfabric\"\n[fabric.uplinks]\n\
                buffer = \"200 KB\"\necn_threshold = \"60 KB\"\n[transport]\nkind = \"dctcp\"\n[[workload]]\nkind = \"permutation\"\n";
    let run = Plan::read(text, "x.toml", &[]).unwrap_or_else(|problems| panic!("{problems}")).runs.remove(0);
    assert_eq!(
        run.topology.describe(),
        "6 planes with uplinks to star: 11 hosts, 10 switches, 63 cables (host-switch 1 Gb/s and 1 us, outside-host-switch 1 Gb/s and 1 us, \
         host-uplink 1 Gb/s and 1 us, uplink 1 Gb/s and 1 us, outside-uplink 10 Gb/s and 1 us)"
    );
    let FabricPlan::XFabric(plan) = &*run.fabric else { panic!("another fabric") };
    let join = joined(plan);
    assert_eq!((join.rack.config.uplink_hosts, plan.offers().priorities, run.fabric.name()), (2, 1, "xfabric"));
    assert_eq!((join.config.buffer, join.config.ecn_threshold), (Bytes::new(200_000), Some(Bytes::new(60_000))));
    assert_eq!((join.outside.mtu(), run.transports.name().as_str()), (Bytes::new(1500), "dctcp"));
}

#[test]
fn a_network_with_an_operations_centre() {
    let text = "seed = 1\n[topology]\nkind = \"an3\"\ncontainers = 2\nnetworks = 1\n[topology.outside]\nkind = \"star\"\nhosts = 3\ngateways = 2\n\
                [topology.links]\ngateway-uplink.rate = \"40 Gb/s\"\n[fabric]\nkind = \"an3\"\n[fabric.gateways]\necn_threshold = \"60 KB\"\n\
                [transport]\nkind = \"dctcp\"\n[[workload]]\nkind = \"permutation\"\n";
    let run = Plan::read(text, "x.toml", &[]).unwrap_or_else(|problems| panic!("{problems}")).runs.remove(0);
    assert_eq!(
        run.topology.describe(),
        "AN3, 2 containers of 1 L0 network (fat-tree of 22) and outside star: 47 hosts, 7 switches, 103 cables (l0 5 Gb/s and 5 ns, \
         l0-l1 10 Gb/s and 100 ns, l1-l1 10 Gb/s and 100 ns, outside-host-switch 10 Gb/s and 100 ns, l1-noc 10 Gb/s and 100 ns, \
         gateway-uplink 40 Gb/s and 100 ns)"
    );
    let FabricPlan::An3(plan) = &*run.fabric else { panic!("another fabric") };
    let join = joined(plan);
    assert_eq!((join.joined.gateways, join.joined.first_gateway, run.fabric.name()), (2, 51, "an3"));
    assert_eq!(join.config.spreading(), gateway::Spreading::Host);
    assert_eq!((join.config.ecn_threshold, join.outside.mtu()), (Some(Bytes::new(60_000)), Bytes::new(1500)));
    // From NIC to NIC, to the L1 switch, to the bridge, and then two links outside.
    assert!(run.mean_hops > 3.0 && run.mean_hops < 9.0, "{}", run.mean_hops);
}
