use super::*;
use crate::plan as plan_by_name;
use proptest::prelude::*;
use settings::Flat;
use units::Span;

fn planned(settings: &str) -> Plan {
    plan(&Input::read(Flat::parse(settings).unwrap()).unwrap()).unwrap()
}

fn refused(settings: &str) -> String {
    plan_by_name("shoal", settings).unwrap_err().to_string()
}

/// §6.1: eight nodes, 4-port switches, one channel of 10 Gb/s, a clock of 6.4 ns.
const PROTOTYPE: &str = r#"{"nodes": 8, "switch_ports": 4, "channels": 1, "node_rate": "10 Gb/s",
    "switch_port_rate": "10 Gb/s", "packet_node_rate": "10 Gb/s", "usable_slot": "51.2 ns", "reconfiguration": "6.4 ns",
    "propagation_variation": 0, "synchronisation_error": 0, "overhead": "24 B", "schedule": "cyclic",
    "clock_mhz": 156.25, "wire_delay": "40 ns", "incast_burst": "392 B"}"#;

#[test]
fn the_rack_of_the_paper() {
    let found = planned("{}");
    assert_eq!((found.shoal.network.switches, found.packet.network.switches), (48, 24));
    assert_eq!(found.most_nodes, 2_048);
    let timing = &found.timing;
    assert_eq!((timing.guard_ps, timing.slot_ps, timing.cell_bytes, timing.payload_bytes), (2_750, 23_250, 64, 56));
    assert_eq!(timing.epoch_ps, 2_970_188);
    assert_eq!(timing.schedules.map(|each| each.epoch_ps), [2_976_000; 2]);
    let rates = &found.throughput;
    assert_eq!((rates.peak_bps, rates.cells_bps), (88_172_043_011, 88_086_021_505));
    assert_eq!((rates.worst_peak_bps, rates.payload_bps), (44_086_021_506, 76_924_731_183));
    assert_eq!((found.latency.delay_ps, found.latency.delay_slots, found.latency.feedback_epochs), (629_400, 28, 1));
    assert_eq!(found.memory.buffer_bytes, 16_744_448);
    assert!((found.power_saving - 0.707_18).abs() < 1e-5);
    assert_eq!(found.header.bits, 64);
    assert_eq!((found.incast.senders, found.incast.cells), (511, 2_322));
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
}

#[test]
fn the_prototype_of_the_paper() {
    let found = planned(PROTOTYPE);
    assert_eq!((found.shoal.network.plane.leaves, found.shoal.network.plane.spines), (4, 2));
    assert_eq!((found.timing.slot_ps, found.timing.epoch_ps, found.timing.cell_bytes), (76_800, 537_600, 64));
    assert_eq!(found.latency.delay_ps, Span::from_ns(1_576).as_ps());
    assert_eq!((found.incast.cells, found.incast.epochs, found.incast.optimum_ps), (7, 7.0, 6_915_200));
    assert_eq!(
        found.warnings,
        [
            "feedback takes 7 epochs for some pair of nodes: a way of 21 slots is longer than the 1 between its two \
             directions, and a subflow over it sends one cell in so many epochs (§6.2, App. A)",
            "packet_switch_w = 350 is that of a switch of 3.2 Tb/s (§5), and yours has 40 Gb/s: set its own",
            "circuit_switch_w = 38.5 is that of a switch of 3.2 Tb/s (§5), and yours has 40 Gb/s: set its own",
        ]
    );
}

#[test]
fn larger_racks_outgrow_the_header() {
    let found = planned(r#"{"nodes": 2048}"#);
    assert_eq!(
        found.warnings,
        [
            "id_bits = 10: 2048 nodes need 11 to name every node; such a header is for 1024 nodes at most",
            "feedback_bits = 11: 2048 nodes need 12 for the longest queues (Eq. 6); such a header is for 1024 nodes at \
             most",
            "sequence_bits = 22: 2048 nodes need 24 to tell a cell from those that overtook it; such a header is for \
             1024 nodes at most",
        ]
    );
}

#[test]
fn what_a_plan_assumes_is_said() {
    assert_eq!(
        planned(r#"{"nodes": 50, "switch_port_rate": "100 Gb/s", "channels": 1, "switch_cycles": 0}"#).warnings,
        [
            "packet_switch_w = 350 is that of a switch of 3.2 Tb/s (§5), and yours has 6.4 Tb/s: set its own",
            "circuit_switch_w = 38.5 is that of a switch of 3.2 Tb/s (§5), and yours has 6.4 Tb/s: set its own",
            "nodes = 50: one switch with 64 ports joins them; both networks are counted with two stages all the same",
            "slots that failures take are counted for the 64 nodes of 2 full leaves",
        ]
    );
}

#[test]
fn what_cannot_be_is_refused() {
    assert_eq!(
        refused(r#"{"switch_ports": 5}"#),
        "switch_ports = 5: half of a leaf's ports go up, so the number must be even"
    );
    assert_eq!(
        refused(r#"{"switch_ports": 16}"#),
        "nodes = 512: two stages of switches with 16 ports join no more than 128 nodes (k^2/2): raise `switch_ports`"
    );
    assert_eq!(
        refused(r#"{"usable_slot": "2 ns"}"#),
        "usable_slot = 2 ns: a channel of 25 Gb/s carries 6 B in it, and the header of a cell alone takes 8 B: raise it, \
         or use fewer channels"
    );
    assert_eq!(refused(r#"{"nodes": 1}"#), "nodes = 1: expected a whole number from 2 to 1000000");
    assert_eq!(
        refused(r#"{"nodes": 100, "incast_senders": 100}"#),
        "incast_senders = 100: expected a whole number from 1 to 99"
    );
    assert_eq!(refused(r#"{"schedule": "cyclical"}"#), "schedule = cyclical: did you mean cyclic?");
    assert_eq!(refused(r#"{"node": 3}"#), "node: no such setting; did you mean nodes?");
}

/// The largest of everything at once: numbers that no rack has saturate, and nothing wraps.
#[test]
fn the_ends_of_every_range_are_planned() {
    let longest = ["usable_slot", "reconfiguration", "propagation_variation", "synchronisation_error"]
        .map(|key| format!(r#""{key}": "1 s""#))
        .join(", ");
    let large =
        r#""nodes": 1000000, "switch_ports": 4096, "incast_burst": "1 TB", "wire_delay": "1 s", "overhead": "1 KB""#;
    let slow = r#""clock_mhz": 0.001, "switch_cycles": 1000000, "nic_cycles": 1000000"#;
    for order in ["cyclic", "rearranged"] {
        for (rate, overhead) in [("1 Mb/s", 8_000_000_000), ("1000 Tb/s", 8)] {
            let rates = format!(
                r#""node_rate": "{rate}", "channels": 1, "schedule": "{order}", "switch_port_rate": "1000 Tb/s""#
            );
            let found = planned(&format!("{{{longest}, {large}, {slow}, {rates}}}"));
            assert_eq!(found.timing.slot_ps, 4_000_000_000_000 + overhead);
            assert!(found.latency.worst_ps >= found.latency.zero_load_worst_ps && found.shoal.network.switches > 700);
        }
    }
    assert_eq!(refused(r#"{"wire_delay": "2 s"}"#), "wire_delay = 2 s: expected at most 1 s");
    assert_eq!(refused(r#"{"node_rate": "2000 Tb/s"}"#), "node_rate = 2000 Tb/s: expected at most 1000 Tb/s");
    assert_eq!(refused(r#"{"slot_overhead": "19.2 ns"}"#), "slot_overhead: no such setting; it is called overhead now");
    assert_eq!(refused(r#"{"overhead": "2 KB"}"#), "overhead = 2 KB: expected at most 1 KB");
    assert_eq!(refused(r#"{"usable_slot": "0 ns"}"#), "usable_slot = 0 ns: expected at least 1 ps");
}

#[test]
fn power_follows_the_rate_of_the_interface() {
    let found = planned(r#"{"node_rate": "200 Gb/s", "packet_node_rate": "100 Gb/s"}"#);
    assert_eq!((found.input.shoal_nic_w, found.input.packet_nic_w), (2.7528, 1.24));
    assert_eq!((found.shoal.network.planes, found.packet.network.planes), (4, 2));
}

proptest! {
    #[test]
    fn larger_racks_take_no_less(half in 2u64..40, a in 0.0f64..1.0, b in 0.0f64..1.0) {
        let most = most_nodes(2 * half);
        #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
        let nodes = |part: f64| 2 + ((most - 2) as f64 * part) as u64;
        let of = |nodes| planned(&format!(r#"{{"nodes": {nodes}, "switch_ports": {}}}"#, 2 * half));
        let (small, large) = (of(nodes(a.min(b))), of(nodes(a.max(b))));
        prop_assert!(small.timing.epoch_ps <= large.timing.epoch_ps);
        prop_assert!(small.memory.buffer_bytes <= large.memory.buffer_bytes);
        prop_assert!(small.chip_bytes <= large.chip_bytes);
        prop_assert!(small.latency.worst_ps <= large.latency.worst_ps);
        prop_assert!(small.shoal.network.plane.leaves <= large.shoal.network.plane.leaves);
        prop_assert!(small.throughput.permutation_share >= large.throughput.permutation_share);
    }
}
