use super::*;
use crate::book::Part;
use crate::plan as plan_by_name;
use proptest::prelude::*;
use settings::Flat;

fn planned(settings: &str) -> Plan {
    plan(&Input::read(Flat::parse(settings).unwrap()).unwrap()).unwrap()
}

fn refused(settings: &str) -> String {
    plan_by_name("stardust", settings).unwrap_err().to_string()
}

/// Hardware of §2.2: 12.8 Tb/s, links of 50 Gb/s, 40 servers of 100 Gb/s.
const FIG_2: &str = r#""switch_bandwidth": "12.8 Tb/s", "link_rate": "50 Gb/s", "host_rate": "100 Gb/s", "bundles": [1, 2, 4, 8],
        "prices": "none""#;

#[test]
fn fig_2_from_settings() {
    let found = planned(&format!("{{{FIG_2}, \"hosts\": 10240}}"));
    let hosts: Vec<_> = found.designs.iter().map(|design| design.limits[0].hosts).collect();
    assert_eq!(hosts, [10_240, 10_240, 5_120, 2_560, 1_280]);
    let tiers: Vec<_> = found.designs.iter().map(|design| design.tiers).collect();
    assert_eq!(tiers, [1, 1, 2, 2, 2]);
    let (stardust, l8) = (&found.designs[0], &found.designs[4]);
    assert_eq!((stardust.radix, stardust.uplinks, l8.radix, l8.uplinks), (256, 80, 32, 10));
    assert_eq!((stardust.elements, stardust.devices, stardust.links), (80, 336, 80 * 256));
    assert_eq!((l8.elements, l8.links), (3 * 10 * 256 / 32, 2 * 80 * 256));
    assert_eq!(stardust.links_per_adapter, 80.0);
    assert_eq!((stardust.link_failure_bps, l8.link_failure_bps), (50_000_000_000, 400_000_000_000));
    assert_eq!(stardust.elements_regular, Some(80), "a full tier is regular");
    assert!(found.warnings.is_empty());
    assert!(l8.cost.is_none() && stardust.cost.is_none(), "the book has no switch of 12.8 Tb/s");
    assert_eq!(
        l8.cost_missing.as_deref(),
        Some(
            "no price known for a switch of 12.8 Tb/s, a transceiver of 400 Gb/s, the cable to a host of 100 Gb/s, a fibre of \
             10 m, a fibre of 100 m; no power known for a switch of 12.8 Tb/s, a transceiver of 400 Gb/s"
        )
    );
}

/// 10 240 hosts of 25 Gb/s on 6.4 Tb/s devices, by hand.
#[test]
fn costs_by_hand() {
    let found = planned(r#"{"hosts": 10240}"#);
    let (stardust, fat_tree) = (&found.designs[0], &found.designs[3]);
    let edge = 256.0 * 16_200.0 + 10_240.0 * 84.0;
    // 40 elements; 10 240 links, four in a cable of 878 USD.
    assert!((stardust.cost_usd.unwrap() - (edge + 40.0 * 0.67 * 16_200.0 + 2_560.0 * 878.0)).abs() < 1e-6);
    // 40 + 80 switches; 2560 cables near and 2560 far.
    assert_eq!((fat_tree.tiers, fat_tree.elements, fat_tree.transceivers), (2, 120, 4 * 2_560));
    assert!((fat_tree.cost_usd.unwrap() - (edge + 120.0 * 16_200.0 + 2_560.0 * (878.0 + 932.0))).abs() < 1e-6);
    let (ours, theirs) = (stardust.power.unwrap(), fat_tree.power.unwrap());
    assert!((ours.fabric - (40.0 * 0.666 * 310.0 + 2.0 * 2_560.0 * 3.5)).abs() < 1e-6);
    assert!((theirs.network - ((256.0 + 120.0) * 310.0 + 4.0 * 2_560.0 * 3.5)).abs() < 1e-6);
    let prices: Vec<_> =
        found.prices.iter().map(|each| (each.part, each.unit, each.value, each.date.as_str())).collect();
    assert!(prices.contains(&(Part::Switch, "usd", 16_200.0, "2018-09-12")), "{prices:?}");
    assert!(prices.contains(&(Part::Transceiver, "w", 3.5, "2026-11")), "{prices:?}");
    assert!(found.prices.iter().all(|each| !each.source.is_empty()));
    assert_eq!(stardust.area.network, 256.0 + 40.0 * 0.666);
    let single = planned(r#"{"hosts": 10240, "optics": "single"}"#);
    assert_eq!(single.designs[0].transceivers, 2 * 10_240);
}

#[test]
fn what_is_set_takes_the_place_of_the_book() {
    let fabric = |settings: &str| planned(settings).designs[3].power.unwrap().fabric;
    assert_eq!(fabric(r#"{"hosts": 10240, "transceiver_power_w": 1.5}"#), 120.0 * 310.0 + 1.5 * 4.0 * 2_560.0);
    assert_eq!(fabric(r#"{"hosts": 10240, "transceiver_power_w": 0, "switch_power_w": 150}"#), 120.0 * 150.0);
    let by_rate = r#"{"hosts": 10240, "transceiver_power_w": "100 Gb/s: 2", "price_transceivers": {"100 Gb/s": 99}}"#;
    assert_eq!(fabric(by_rate), 120.0 * 310.0 + 2.0 * 4.0 * 2_560.0);
    let found = planned(by_rate);
    assert_eq!(found.designs[3].cost.unwrap().transceivers_usd, 99.0 * 4.0 * 2_560.0);
    assert_eq!(found.designs[1].cost.unwrap().transceivers_usd, 125.0 * 2.0 * 10_240.0, "others stay the book's");
}

/// A fabric of 51.2 Tb/s with 800G optics, by public data; one cable has no price in the book.
#[test]
fn a_network_of_today() {
    let today = r#""hosts": 4096, "hosts_per_adapter": 64, "host_rate": "400 Gb/s", "switch_bandwidth": "51.2 Tb/s",
        "link_rate": "100 Gb/s", "bundles": [4, 8], "prices": "modern""#;
    assert_eq!(
        refused(&format!("{{{today}}}")),
        "no price known for the cable to a host of 400 Gb/s: set price_server_cable=USD, give a book of your own as \
         `prices`, or leave cost and power out with `prices` none"
    );
    let found = planned(&format!(r#"{{{today}, "price_server_cable": 200}}"#));
    let (stardust, by_eight) = (&found.designs[0], &found.designs[2]);
    assert_eq!((stardust.cables, by_eight.cables), (2_048, 2_048), "eight links in each transceiver of 800 Gb/s");
    assert_eq!(by_eight.cost.unwrap().transceivers_usd, 2.0 * 2_048.0 * 1_250.0);
    assert_eq!(by_eight.power.unwrap().fabric, 32.0 * 913.0 + 2.0 * 2_048.0 * 17.0);
    assert_eq!(by_eight.cost.unwrap().adapters_usd, 64.0 * 200_000.0);
    let mixed = "prices are of different years, 2018 to 2026: set those that are out of date, or read costs as a guess";
    assert!(found.warnings.iter().any(|warning| warning == mixed), "a fibre's is of 2018");
}

#[test]
fn elements_may_be_of_another_size_than_switches() {
    let found = planned(r#"{"hosts": 10240, "element_bandwidth": "12.8 Tb/s"}"#);
    let stardust = &found.designs[0];
    assert_eq!((stardust.radix, stardust.elements), (512, 20));
    assert_eq!(stardust.area.fabric, 20.0 * 0.666 * 2.0);
    assert!((stardust.cost.unwrap().elements_usd - 40.0 * 0.67 * 16_200.0).abs() < 1e-6);
    let found = refused(r#"{"hosts": 10240, "adapter_bandwidth": "12.8 Tb/s"}"#);
    assert!(
        found.starts_with("no price known for a switch of 12.8 Tb/s; no power known for a switch of 12.8 Tb/s: set"),
        "{found}"
    );
}

#[test]
fn oversubscription_takes_links_away() {
    let (full, half) = (planned(r#"{"hosts": 10240}"#), planned(r#"{"hosts": 10240, "oversubscription": 2}"#));
    assert_eq!((full.designs[0].uplinks, half.designs[0].uplinks), (40, 20));
    assert_eq!((full.designs[0].speed_up, half.designs[0].speed_up), (1.0, 0.5));
    let inside = planned(r#"{"hosts": 20000, "fabric_oversubscription": 3}"#);
    let levels = &inside.designs[0].levels;
    assert_eq!((levels[0].bundles, levels[1].bundles), (500 * 40, (500 * 40u128 * 64).div_ceil(192)));
}

#[test]
fn a_regular_pattern_can_be_asked_for() {
    let found = planned(r#"{"hosts": 10280, "counting": "regular"}"#);
    let stardust = &found.designs[0];
    assert_eq!(stardust.adapters, 257);
    assert_eq!(Some(stardust.elements), stardust.elements_regular);
    assert!(stardust.elements > stardust.elements_by_ports);
    assert!(stardust.links > 2 * 257 * 40 - 1);
}

#[test]
fn one_adapter_needs_no_fabric() {
    let found = planned(r#"{"hosts": 40}"#);
    for design in &found.designs {
        assert_eq!((design.tiers, design.devices, design.links, design.transceivers), (0, 1, 0, 0));
        assert_eq!(design.cost_usd, Some(16_200.0 + 40.0 * 84.0));
    }
    assert_eq!(found.fabric.recovery.hops, 0);
    assert_eq!(found.fabric.fabric_latency_ps, 0);
}

#[test]
fn the_fabric_s_own_numbers() {
    let found = planned(&format!("{{{FIG_2}, \"hosts\": 32000, \"priorities\": 4}}")).fabric;
    assert_eq!((found.voqs, found.voq_memory_bytes), (128_000, 4_096_000));
    assert_eq!(found.recovery.with_propagation_ps, 652_050_000);
    assert_eq!(found.element_memory_bytes, 8 << 20);
    assert_eq!(found.element_latency_ps, 5_242_880);
    assert_eq!(found.fabric_latency_ps, 3 * 5_242_880 + 2 * 50_000 + 2 * 500_000);
    assert_eq!(found.reachability_bits, 800 * 256);
    assert_eq!(found.minimum_credit.get(), 3_200);
    assert_eq!(found.packet_rates.iter().map(|each| each.bytes).collect::<Vec<_>>(), [64, 256, 1500]);
    let queues = found.queues;
    assert!(queues.p99_cells < queues.p999999_cells);
    assert!(queues.tail[queues.p999999_cells] > 1e-6 && queues.tail[queues.p999999_cells + 1] <= 1e-6);
    assert!(queues.tail.iter().all(|share| *share > 1e-9));
}

#[test]
fn an_idle_fabric_has_no_queues() {
    let queues = planned(r#"{"utilisation": 0}"#).fabric.queues;
    assert_eq!((queues.mean_cells, queues.p999999_cells, queues.decay), (0.0, 0, 0.0));
    assert_eq!(queues.tail, [1.0]);
}

#[test]
fn warnings_say_what_does_not_fit() {
    let found = planned(
        r#"{"host_rate": "50 Gb/s", "credit": "1 KB", "link_rate": "30 Gb/s", "bundles": 1, "prices": "none"}"#,
    );
    assert_eq!(
        found.warnings,
        [
            "credit = 1 KB: with less than 1.6 KB the scheduler cannot keep an adapter of 6.4 Tb/s busy (§4.1)",
            "element_bandwidth = 6.4 Tb/s: no whole number of ports of 30 Gb/s; 10 Gb/s of each device stay unused",
            "switch_bandwidth = 6.4 Tb/s: no whole number of ports of 30 Gb/s; 10 Gb/s of each device stay unused",
        ]
    );
    assert!(planned("{}").warnings.is_empty());
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    assert_eq!(refused(r#"{"hots": 10}"#), "hots: no such setting; did you mean hosts?");
    assert_eq!(
        refused(r#"{"price_transceivers": "25 Gb/s"}"#),
        "price_transceivers = 25 Gb/s: expected a number for every rate, or rates with their numbers, such as \"25 Gb/s: 125, \
         100 Gb/s: 435\", from 0 to 1000000000"
    );
    assert_eq!(
        refused(r#"{"bundles": "1;2"}"#),
        "bundles = 1;2: expected whole numbers from 1 to 256, such as \"1,2,4\""
    );
    assert_eq!(refused(r#"{"hosts": 0}"#), "hosts = 0: expected a whole number from 1 to 1000000000");
    assert_eq!(refused(r#"{"utilisation": 1}"#), "utilisation = 1: expected a number from 0 to 0.99");
    assert_eq!(
        refused(r#"{"bundles": 200}"#),
        "switch_bandwidth = 6.4 Tb/s: room for too few ports of 200 x 25 Gb/s, 1 where a fabric needs 2: raise it, or use \
         smaller bundles or links"
    );
    assert_eq!(
        refused(r#"{"element_bandwidth": "20 Gb/s"}"#),
        "element_bandwidth = 20 Gb/s: room for too few ports of 1 x 25 Gb/s, 0 where a fabric needs 2: raise it, or use \
         smaller bundles or links"
    );
    assert_eq!(
        refused(r#"{"hosts": 1000, "bundles": 128}"#),
        "hosts = 1000: switches with 2 ports, 1 of them down, join no more than 80 hosts however many tiers there are: raise \
         `switch_bandwidth`, or lower `bundles` or `fabric_oversubscription`"
    );
    assert_eq!(
        refused(r#"{"hosts": 10000, "bundles": 64, "counting": "regular"}"#),
        "counting = regular: with bundles of 64 it takes 7 tiers, and patterns are known up to 4: count ports, or take \
         devices with more of them"
    );
}

proptest! {
    /// Whatever is asked for is answered, and what was answered is consistent.
    #[test]
    fn plans_are_consistent(
        hosts in 1u64..3_000_000,
        per_adapter in 1u64..100,
        gbps in 1u64..200,
        oversubscription in 1u32..5,
        inside in 1u32..4,
    ) {
        let found = planned(&format!(
            r#"{{"hosts": {hosts}, "hosts_per_adapter": {per_adapter}, "host_rate": "{gbps} Gb/s", "price_server_cable": 84,
                "adapter_bandwidth": "51.2 Tb/s", "switch_bandwidth": "51.2 Tb/s",
                "oversubscription": {oversubscription}, "fabric_oversubscription": {inside}}}"#
        ));
        for design in &found.designs {
            prop_assert_eq!(design.devices, design.adapters + design.elements);
            prop_assert_eq!(design.links, design.levels.iter().map(|level| level.links).sum::<u128>());
            prop_assert_eq!(design.levels.len(), design.tiers as usize);
            prop_assert!(design.adapters * u128::from(per_adapter) >= u128::from(hosts));
            if (1..=4).contains(&design.tiers) {
                prop_assert!(design.limits[design.tiers as usize - 1].hosts >= u128::from(hosts));
            }
            if let Some(regular) = design.elements_regular {
                prop_assert!(regular >= design.elements_by_ports);
            }
            let cost = design.cost.expect("the rates have prices");
            prop_assert!(cost.total_usd() >= cost.adapters_usd);
            let power = design.power.expect("so have the powers");
            prop_assert!(power.network >= power.fabric);
        }
        // Unbundling never takes more tiers.
        for pair in found.designs[1..].windows(2) {
            prop_assert!(pair[0].tiers <= pair[1].tiers);
        }
    }

    #[test]
    fn more_hosts_never_take_fewer_devices(hosts in 1u64..200_000, more in 1u64..50_000) {
        let of = |hosts: u64| planned(&format!("{{\"hosts\": {hosts}}}"));
        for (less, greater) in of(hosts).designs.iter().zip(of(hosts + more).designs) {
            prop_assert!(less.tiers <= greater.tiers);
            prop_assert!(less.elements_by_ports <= greater.elements_by_ports);
            prop_assert!(less.links <= greater.links);
        }
    }
}
