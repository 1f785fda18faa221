//! What no one can build, price or compute is answered with one message that names the setting and the cure.

use planner::plan;
use proptest::prelude::*;

/// System, settings, and the whole message.
const REFUSED: [(&str, &str, &str); 33] = [
    // The smallest and the largest numbers.
    ("stardust", r#"{"hosts": 0}"#, "hosts = 0: expected a whole number from 1 to 1000000000"),
    ("stardust", r#"{"hosts": -1}"#, "hosts = -1: expected a whole number from 1 to 1000000000"),
    ("stardust", r#"{"hosts": "1e3"}"#, "hosts = 1e3: expected a whole number from 1 to 1000000000"),
    (
        "stardust",
        r#"{"hosts": 18446744073709551615}"#,
        "hosts = 18446744073709551615: expected a whole number from 1 to 1000000000",
    ),
    (
        "stardust",
        r#"{"hosts": "99999999999999999999999"}"#,
        "hosts = 99999999999999999999999: expected a whole number from 1 to 1000000000",
    ),
    ("stardust", r#"{"hosts_per_adapter": 0}"#, "hosts_per_adapter = 0: expected a whole number from 1 to 65536"),
    ("stardust", r#"{"bundles": "0"}"#, "bundles = 0: expected whole numbers from 1 to 256, such as \"1,2,4\""),
    ("stardust", r#"{"bundles": []}"#, "bundles = []: expected whole numbers from 1 to 256, such as \"1,2,4\""),
    ("stardust", r#"{"host_rate": "0 b/s"}"#, "host_rate = 0 b/s: expected at least 1 Mb/s"),
    ("stardust", r#"{"link_rate": "1000000 Tb/s"}"#, "link_rate = 1000000 Tb/s: expected at most 1000 Tb/s"),
    (
        "stardust",
        r#"{"delay_far": "18446744073709551615 ps"}"#,
        "delay_far = 18446744073709551615 ps: expected at most 1 s",
    ),
    ("stardust", r#"{"cell": "18446744073709551615 B"}"#, "cell = 18446744073709551615 B: expected at most 1 GB"),
    ("shoal", r#"{"nodes": 1}"#, "nodes = 1: expected a whole number from 2 to 1000000"),
    ("shoal", r#"{"channels": 0}"#, "channels = 0: expected a whole number from 1 to 1024"),
    ("shoal", r#"{"nodes": 2, "incast_senders": 2}"#, "incast_senders = 2: expected a whole number from 1 to 1"),
    ("xfabric", r#"{"socs": 0}"#, "socs = 0: expected a whole number from 2 to 16384"),
    ("xfabric", r#"{"uplinks": 0}"#, "uplinks = 0: expected a whole number from 1 to 16384"),
    ("xfabric", r#"{"uplinks": 400}"#, "uplinks = 400: expected a whole number from 1 to 343"),
    // No numbers.
    ("stardust", r#"{"utilisation": "nan"}"#, "utilisation = nan: expected a number from 0 to 0.99"),
    ("stardust", r#"{"oversubscription": "inf"}"#, "oversubscription = inf: expected a number from 0.1 to 100"),
    ("stardust", r#"{"oversubscription": -1}"#, "oversubscription = -1: expected a number from 0.1 to 100"),
    ("stardust", r#"{"price_switch": "1e400"}"#, "price_switch = 1e400: expected a number from 0 to 1000000000"),
    ("xfabric", r#"{"port_usd": "nan"}"#, "port_usd = nan: expected a number from 0 to 1000000"),
    ("shoal", r#"{"packet_switch_w": "-inf"}"#, "packet_switch_w = -inf: expected a number from 0 to 1000000"),
    // More than fits.
    (
        "stardust",
        r#"{"host_rate": "400 Gb/s"}"#,
        "adapter_bandwidth = 6.4 Tb/s: 40 x 400 Gb/s to hosts and 640 x 25 Gb/s of uplinks take 32 Tb/s; lower \
         `hosts_per_adapter` to 8, or raise `switch_bandwidth` or `oversubscription`",
    ),
    (
        "stardust",
        r#"{"host_rate": "400 Gb/s", "adapter_bandwidth": "51.2 Tb/s"}"#,
        "switch_bandwidth = 6.4 Tb/s: 40 x 400 Gb/s to hosts and 640 x 25 Gb/s of uplinks take 32 Tb/s; lower \
         `hosts_per_adapter` to 8, or raise `switch_bandwidth` or `oversubscription`",
    ),
    (
        "stardust",
        r#"{"hosts": 1, "host_rate": "10 Tb/s"}"#,
        "adapter_bandwidth = 6.4 Tb/s: hosts_per_adapter x host_rate, 1 x 10 Tb/s, take 10 Tb/s; raise `switch_bandwidth`: not \
         one such host and its uplinks fit",
    ),
    (
        "stardust",
        r#"{"bundles": 256}"#,
        "switch_bandwidth = 6.4 Tb/s: room for too few ports of 256 x 25 Gb/s, 1 where a fabric needs 2: raise it, or use \
         smaller bundles or links",
    ),
    (
        "shoal",
        r#"{"nodes": 1000000}"#,
        "nodes = 1000000: two stages of switches with 64 ports join no more than 2048 nodes (k^2/2): raise `switch_ports`",
    ),
    (
        "shoal",
        r#"{"channels": 1}"#,
        "channels = 1: a channel of 100 Gb/s is wider than a switch's port, switch_port_rate = 50 Gb/s: use more channels, or \
         faster ports",
    ),
    (
        "shoal",
        r#"{"node_rate": "1 Mb/s", "channels": 1024}"#,
        "usable_slot = 20.5 ns: a channel of 976 b/s carries 0 B in it, and the header of a cell alone takes 8 B: raise it, or \
         use fewer channels",
    ),
    (
        "xfabric",
        r#"{"socs": 512}"#,
        "socs = 512: an internal crosspoint has a port for every SoC and is one ASIC of at most asic_ports = 350: plan fewer \
         SoCs, or raise `asic_ports`",
    ),
    // No price.
    (
        "stardust",
        r#"{"link_rate": "200 Gb/s", "bundles": 8}"#,
        "no price known for a transceiver of 200 Gb/s, a transceiver of 1.6 Tb/s; no power known for a transceiver of 1.6 \
         Tb/s: set price_transceivers='200 Gb/s: USD, 1.6 Tb/s: USD' and transceiver_power_w='1.6 Tb/s: W', give a book of \
         your own as `prices`, or leave cost and power out with `prices` none",
    ),
];

#[test]
fn absurd_inputs_are_answered_with_their_cure() {
    for (system, settings, message) in REFUSED {
        assert_eq!(plan(system, settings).unwrap_err().to_string(), message, "{system} {settings}");
    }
}

/// Numbers of which none is null: a plan has no `NaN` and no infinity, which JSON would write as null.
#[test]
fn the_ends_of_all_ranges_are_planned_or_refused() {
    let largest = r#""hosts": 1000000000, "hosts_per_adapter": 65536, "host_rate": "1 Mb/s", "link_rate": "1 Mb/s",
        "switch_bandwidth": "1000 Tb/s", "bundles": [1, 256], "delay_near": "1 s", "delay_far": "1 s", "cell": "1 GB",
        "element_memory": 1000000, "reachability_clocks": 1000000000, "clock_ghz": 0.001, "reachability_threshold": 1000,
        "reachability_bitmap": 1, "buffer": "1 TB", "incast_burst": "1 TB", "utilisation": 0.99, "packets": [1, 1000000],
        "priorities": 64, "oversubscription": 0.1, "prices": "none""#;
    let found = plan("stardust", &format!("{{{largest}}}")).unwrap();
    assert!(!found.contains("\"per_second\":null") && !found.contains("\"overhead\":null"), "{found}");
    for least in [r#"{"hosts": 1}"#, r#"{"hosts": 41, "hosts_per_adapter": 1}"#, r#"{"utilisation": 0}"#] {
        assert!(!plan("stardust", least).unwrap().contains("\"mean_cells\":null"));
    }
    let slots = r#""usable_slot": "1 s", "reconfiguration": "1 s", "propagation_variation": "1 s", "wire_delay": "1 s",
        "synchronisation_error": "1 s", "overhead": "1 KB", "clock_mhz": 0.001, "switch_cycles": 1000000"#;
    for nodes in [2, 1_000_000] {
        let shoal = format!(r#"{{"nodes": {nodes}, "switch_ports": 4096, "channels": 4, {slots}}}"#);
        assert!(plan("shoal", &shoal).unwrap().contains("\"epoch_ps\":"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is asked for, there is a plan or a message: no overflow, no panic, no endless search.
    #[test]
    fn every_stardust_is_answered(
        hosts in 1u64..=1_000_000_000,
        per_adapter in 1u64..=65_536,
        host_mbps in 1u64..=1_000_000_000,
        link_mbps in 1u64..=1_000_000_000,
        switch_mbps in 1u64..=1_000_000_000,
        bundle in 1u64..=256,
        over in 0.1f64..=100.0,
        inside in 1.0f64..=100.0,
    ) {
        let answer = plan("stardust", &format!(
            r#"{{"hosts": {hosts}, "hosts_per_adapter": {per_adapter}, "host_rate": "{host_mbps} Mb/s", "bundles": {bundle},
                "link_rate": "{link_mbps} Mb/s", "switch_bandwidth": "{switch_mbps} Mb/s", "oversubscription": {over},
                "fabric_oversubscription": {inside}, "prices": "none"}}"#
        ));
        if let Err(message) = answer {
            prop_assert!(message.to_string().contains(" = "), "{message}");
        }
    }
}
