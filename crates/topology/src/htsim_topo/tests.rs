use super::parse;
use crate::{LinkId, NodeId, Shape, Topology};
use proptest::prelude::*;
use units::{Bytes, Rate, Span};

fn read(text: &str) -> Topology {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A k-ary fat-tree as htsim's files have it.
fn fat_tree(k: u32, gbps: u32, ns: u32) -> String {
    let half = k / 2;
    let links = format!("Downlink_speed_Gbps {gbps}\nDownlink_Latency_ns {ns}\n");
    format!(
        "# {k}-ary\nNodes {}\nTiers 3\nPodsize {}\n\nTier 0\n{links}Radix_Down {half}\nRadix_Up {half}\nOversubscribed 1\n\n\
         Tier 1\n{links}Radix_Down {half}\nRadix_Up {half}\nSwitch_Latency_ns 0\nBundle 1\n\nTier 2\n{links}Radix_Down {k}\n",
        k * half * half,
        half * half,
    )
}

fn assert_same(read: &Topology, built: &Topology) {
    assert_eq!(read.links(), built.links());
    assert_eq!(read.classes(), built.classes());
    assert_eq!(read.hosts(), built.hosts());
    for node in (0..built.nodes()).map(NodeId) {
        assert_eq!((read.name(node), read.tier(node)), (built.name(node), built.tier(node)));
    }
}

#[test]
fn three_tiers_are_a_fat_tree() {
    for k in [2, 4, 8, 12] {
        let built = Shape::FatTree { k, oversubscription: 1.0 };
        let built = built.build(Rate::from_gbps(100), Span::from_us(1)).unwrap();
        assert_same(&read(&fat_tree(k, 100, 1000)), &built);
    }
}

#[test]
fn two_tiers_are_leaves_and_spines() {
    let text = "nodes 32\nTIERS 2 # leaf-spine\nPodsize\t32\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 8\nRadix_Up 2\n\
                Downlink_Latency_ns 1000\nSwitch_Latency_ns 0\nOversubscribed 4\n  # spines\n\nTier 1\n\
                Downlink_speed_Gbps 100\nRadix_Down 4\nDownlink_Latency_ns 1000\nOversubscribed 1\n";
    let built = Shape::LeafSpine { leaves: 4, spines: 2, hosts_per_leaf: 8 };
    assert_same(&read(text), &built.build(Rate::from_gbps(100), Span::from_us(1)).unwrap());
    let with_windows_line_ends = text.replace('\n', "\r\n");
    assert_same(&read(&with_windows_line_ends), &read(text));
}

#[test]
fn bundles_oversubscription_and_rates_by_tier() {
    // 12 pods of 6 edge and 6 aggregation switches; 12 cores with 3 cables to one aggregation switch of each pod.
    let text = "Nodes 864\nTiers 3\nPodsize 72\n\
                Tier 0\nDownlink_speed_Gbps 25\nRadix_Down 12\nRadix_Up 6\nDownlink_Latency_ns 100\nOversubscribed 1\n\
                Tier 1\nDownlink_speed_Gbps 50\nRadix_Down 6\nRadix_Up 6\nDownlink_Latency_ns 1000\n\
                Tier 2\nDownlink_speed_Gbps 50\nRadix_Down 36\nDownlink_Latency_ns 600000\nBundle 3\n";
    let topology = read(text);
    assert_eq!(
        topology.describe(),
        "htsim fat-tree, 3 tiers: 864 hosts, 156 switches, 1728 cables (host-edge 25 Gb/s and 100 ns, \
         edge-aggregation 50 Gb/s and 1 us, aggregation-core 50 Gb/s and 600 us)"
    );
    let node = |name| topology.node(name).unwrap();
    assert_eq!(topology.link_between(node("core-3"), node("aggregation-1")).len(), 3);
    assert_eq!(topology.link_between(node("core-3"), node("aggregation-0")).len(), 0);
    let ports = |name| topology.ports(node(name)).len();
    assert_eq!(["edge-71", "aggregation-71", "core-11"].map(ports), [18, 12, 36]);
}

#[test]
fn queues_and_switch_latencies_are_those_of_the_switch_that_sends() {
    let text = "Nodes 8\nTiers 3\nPodsize 4\n\
                Tier 0\nDownlink_speed_Gbps 10\nRadix_Down 2\nRadix_Up 1\nDownlink_Latency_ns 100\nQueue_Down 1001\nQueue_Up 1002\nSwitch_Latency_ns 1\n\
                Tier 1\nDownlink_speed_Gbps 10\nRadix_Down 2\nRadix_Up 1\nDownlink_Latency_ns 200\nQueue_Down 2001\nQueue_Up 2002\nSwitch_Latency_ns 2\n\
                Tier 2\nDownlink_speed_Gbps 10\nRadix_Down 2\nDownlink_Latency_ns 300\nQueue_Down 3001\nSwitch_Latency_ns 3\n";
    let topology = read(text);
    let link = |name| {
        let link = topology.link(topology.find_link(name).unwrap());
        (link.delay.as_ps() / 1000, link.queue.map(Bytes::get))
    };
    assert_eq!(link("host-0 -> edge-0"), (100, None));
    assert_eq!(link("edge-0 -> host-0"), (101, Some(1001)));
    assert_eq!(link("edge-0 -> aggregation-0"), (201, Some(1002)));
    assert_eq!(link("aggregation-0 -> edge-0"), (202, Some(2001)));
    assert_eq!(link("aggregation-0 -> core-0"), (302, Some(2002)));
    assert_eq!(link("core-0 -> aggregation-0"), (303, Some(3001)));
    assert_eq!(topology.links().len(), 2 * (8 + 4 + 2));
    assert_eq!(topology.reverse(LinkId(0)), topology.find_link("edge-0 -> host-0").unwrap());
}

/// The file of a 4-ary fat-tree with one piece of text changed, and what is said of it.
fn refused(old: &str, new: &str) -> String {
    let text = fat_tree(4, 100, 1000);
    assert!(text.contains(old), "{old} is not there to be changed");
    parse(&text.replacen(old, new, 1)).expect_err("wrong").to_string()
}

#[test]
fn a_wrong_line_is_named_by_its_number() {
    assert_eq!(refused("Radix_Down 2", "Radix_Dwn 2"), "line 9: unknown key `Radix_Dwn`; did you mean `Radix_Down`?");
    assert_eq!(
        refused("Switch_Latency_ns", "switch_latency"),
        "line 18: unknown key `switch_latency`; did you mean `Switch_Latency_ns`?"
    );
    assert_eq!(
        refused("Podsize 4", "ECMP 4"),
        "line 4: unknown key `ECMP`; the keys are Nodes, Tiers, Podsize, Tier, Downlink_speed_Gbps, Downlink_Latency_ns, Radix_Down, \
         Radix_Up, Bundle, Queue_Down, Queue_Up, Oversubscribed, Switch_Latency_ns"
    );
    assert_eq!(
        refused("Radix_Up 2", "Radix_Up"),
        "line 10: `Radix_Up` has no value; write a whole number after it, such as `Radix_Up 1`"
    );
    for wrong in ["2.5", "0", "-3", "two", "99999999999"] {
        assert_eq!(
            refused("Radix_Up 2", &format!("Radix_Up {wrong}")),
            format!("line 10: `Radix_Up` is `{wrong}`; write a whole number from 1 to 2147483647")
        );
    }
    assert_eq!(refused("Tiers 3", "Tiers 4"), "line 3: `Tiers` is `4`; write a whole number from 2 to 3");
    assert_eq!(
        refused("Gbps 100", "Gbps 2000000"),
        "line 7: `Downlink_speed_Gbps` is `2000000`; write a whole number from 1 to 1000000"
    );
    assert_eq!(
        refused("Nodes 16", "Nodes 16 hosts"),
        "line 2: `hosts` follows the value of `Nodes`; a line has one key and one number, and comments begin with #"
    );
    assert_eq!(
        refused("Podsize 4", "Podsize 4\nRadix_Down 2"),
        "line 5: `Radix_Down` is about one tier of switches; put it below `Tier 0`, `Tier 1` or `Tier 2`"
    );
    assert_eq!(
        refused("Tier 1\n", "Tier 1\nNodes 16\n"),
        "line 14: `Nodes` is about the whole network; put it above the first `Tier`"
    );
    assert_eq!(refused("Podsize 4", "Podsize 4\nNODES 16"), "line 5: `Nodes` is already said on line 2; keep one");
    assert_eq!(
        refused("Oversubscribed 1", "Radix_Down 2"),
        "line 11: `Radix_Down` is already said on line 9; keep one"
    );
}

#[test]
fn what_is_missing_or_too_much_is_named() {
    assert_eq!(refused("Nodes 16", ""), "line 6: `Nodes` is missing from the header, above the first `Tier`");
    assert_eq!(
        parse("").expect_err("empty").to_string(),
        "line 1: `Nodes` is missing from the header, above the first `Tier`"
    );
    assert_eq!(
        parse("Nodes 16\nTiers 3\n").expect_err("cut off").to_string(),
        "line 2: `Podsize` is missing from the header, above the first `Tier`"
    );
    let text = fat_tree(4, 100, 1000);
    let before_top = text.split("Tier 2").next().unwrap();
    assert_eq!(
        parse(before_top).expect_err("cut off").to_string(),
        "line 20: there is no `Tier 2`; with `Tiers 3` there must be tiers 0 to 2"
    );
    assert_eq!(
        refused("Tiers 3", "Tiers 2"),
        "line 17: `Radix_Up` is about uplinks, and Tier 1 is the top one; remove it"
    );
    assert_eq!(refused("Radix_Down 4", ""), "line 21: Tier 2 has no `Radix_Down`");
    assert_eq!(
        refused("Radix_Down 4", "Radix_Down 4\nQueue_Up 9000"),
        "line 25: `Queue_Up` is about uplinks, and Tier 2 is the top one; remove it"
    );
    let two_tiers = "Nodes 4\nTiers 2\nPodsize 4\nTier 0\nDownlink_speed_Gbps 1\nDownlink_Latency_ns 0\nRadix_Down 2\n\
                     Radix_Up 1\nTier 1\nDownlink_speed_Gbps 1\nDownlink_Latency_ns 0\nRadix_Down 2\n";
    assert_eq!(read(two_tiers).switches(), 3);
    assert_eq!(
        parse(&format!("{two_tiers}Tier 2\n")).expect_err("a tier too many").to_string(),
        "line 13: `Tier 2` is one too many; with `Tiers 2` there are tiers 0 to 1"
    );
    assert_eq!(
        parse(&two_tiers.replace("Podsize 4", "Podsize 2")).expect_err("two pods").to_string(),
        "line 3: `Podsize` is 2; it must be 4, the number of nodes: two tiers are one pod"
    );
}

#[test]
fn numbers_that_do_not_agree_are_named_with_the_right_one() {
    assert_eq!(
        refused("Nodes 16", "Nodes 18"),
        "line 2: `Nodes` is 18, which is not a multiple of 4, the hosts of a pod"
    );
    assert_eq!(
        refused("Radix_Down 2", "Radix_Down 3"),
        "line 4: `Podsize` is 4, which is not a multiple of 3, the hosts of a Tier 0 switch"
    );
    assert_eq!(
        refused("Radix_Down 4", "Radix_Down 8"),
        "line 24: `Radix_Down` is 8; it must be 4, the pods, times the cables to each"
    );
    assert_eq!(
        refused("Radix_Down 2\nRadix_Up 2\nSwitch", "Radix_Down 4\nRadix_Up 2\nSwitch"),
        "line 16: `Radix_Down` is 4; it must be 2, the Tier 0 switches of a pod, times the cables to each"
    );
    assert_eq!(
        refused("Bundle 1", "Bundle 3"),
        "line 10: `Radix_Up` is 2, which is not a multiple of 3, the cables in each bundle of the tier above"
    );
    assert_eq!(refused("Tier 0", "Tier 0\nBundle 2"), "line 7: `Bundle` is 2; it must be 1, as a host has one link");
    assert_eq!(
        refused("Oversubscribed 1", "Oversubscribed 4"),
        "line 11: `Oversubscribed` is 4, but 2 links of 100 Gb/s down over 2 of 100 Gb/s up make 1; correct it, or leave the line out"
    );
    assert_eq!(
        refused("Gbps 100", "Gbps 150"),
        "line 11: `Oversubscribed` is 1, but 2 links of 150 Gb/s down over 2 of 100 Gb/s up make 300/200; correct it, or leave the line out"
    );
}

#[test]
fn a_network_too_large_is_refused_before_it_is_built() {
    let text = fat_tree(1000, 100, 1000);
    assert_eq!(
        parse(&text).expect_err("too large").to_string(),
        "htsim fat-tree, 3 tiers would have 750000000 cables; at most 16777216 can be built: make it smaller"
    );
}

proptest! {
    /// Files with any numbers are read or refused, and what is read uses every port that the file gives it.
    #[test]
    fn radices_are_what_the_file_says(
        pods in 1_u32..5, edges in 1_u32..4, hosts in 1_u32..4, aggregations in 1_u32..4, cores in 1_u32..4,
        bundles in (1_u32..3, 1_u32..3), off_by in 0_u32..2,
    ) {
        let (lower, upper) = (aggregations * bundles.0, cores * bundles.1);
        let links = "Downlink_speed_Gbps 10\nDownlink_Latency_ns 10";
        let text = format!(
            "Nodes {}\nTiers 3\nPodsize {}\nTier 0\n{links}\nRadix_Down {hosts}\nRadix_Up {lower}\n\
             Tier 1\n{links}\nRadix_Down {}\nRadix_Up {upper}\nBundle {}\nTier 2\n{links}\nRadix_Down {}\nBundle {}\n",
            pods * edges * hosts, edges * hosts, edges * bundles.0, bundles.0, pods * bundles.1 + off_by, bundles.1,
        );
        let read = parse(&text);
        prop_assert_eq!(read.is_err(), off_by > 0, "{:?}", read.map(|topology| topology.describe()));
        if let Ok(topology) = read {
            let count = pods * (edges + aggregations) + aggregations * cores;
            prop_assert_eq!((topology.hosts(), topology.switches()), (pods * edges * hosts, count));
            for switch in (topology.hosts()..topology.nodes()).map(NodeId) {
                let radix = match topology.tier(switch) {
                    1 => hosts + lower,
                    2 => edges * bundles.0 + upper,
                    _ => pods * bundles.1,
                };
                prop_assert_eq!(topology.ports(switch).len(), radix as usize);
            }
        }
    }

    /// Whatever a file says, it is read or refused; nothing else happens.
    #[test]
    fn no_text_is_too_strange(text in "(Nodes|Tiers|Podsize|Tier|Radix_Down|Bundle|x|#|[0-9]{1,12}|[ \n\t]|\\PC){0,60}") {
        if let Err(error) = parse(&text) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
