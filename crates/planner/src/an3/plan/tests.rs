use super::*;
use crate::plan as plan_by_name;
use settings::Flat;

fn planned(settings: &str) -> Plan {
    plan(&Input::read(Flat::parse(settings).unwrap()).unwrap()).unwrap()
}

fn refused(settings: &str) -> String {
    plan_by_name("an3", settings).unwrap_err().to_string()
}

#[test]
fn counts_are_those_of_table_2() {
    for (servers, oversubscription, tors, aggregations, l1) in [
        (20_000, 2.5, 500, 143, 125),
        (20_000, 5.0, 429, 71, 63),
        (40_000, 2.5, 1000, 286, 250),
        (40_000, 5.0, 857, 143, 125),
        (60_000, 2.5, 1500, 429, 375),
        (60_000, 5.0, 1286, 214, 188),
    ] {
        let found = planned(&format!(r#"{{"servers": {servers}, "oversubscription": {oversubscription}}}"#));
        let Design { tors: found_tors, aggregations: found_aggregations, .. } = found.baseline;
        assert_eq!((found_tors, found_aggregations, found.an3.l1), (tors, aggregations, l1));
        assert_eq!((found.baseline.nics, found.an3.nics), (servers, servers));
        assert_eq!((found.an3.tors, found.an3.aggregations, found.baseline.l1), (0, 0, 0));
        assert_eq!(found.an3.links.up, found.baseline.links.up, "§7: the same bandwidth between racks");
        assert_eq!(found.an3.bisection_bps, found.baseline.bisection_bps);
    }
}

#[test]
fn costs_are_what_adding_up_by_hand_gives() {
    let found = planned("{}");
    let baseline = found.baseline.cost.unwrap();
    assert_eq!((baseline.nics_usd, baseline.switches_usd), (20_000.0 * 100.0, 643.0 * 8625.0));
    assert_eq!((baseline.links_usd, baseline.design_usd), (20_000.0 * 25.0 + 16_000.0 * 110.0, 0.0));
    let an3 = found.an3.cost.unwrap();
    assert_eq!((an3.nics_usd, an3.switches_usd, an3.design_usd), (200_000.0, 825_000.0, 1_100_000.0));
    // 125 x 64 ports to others are 4000 links, beside 8000 of egress NICs.
    assert!((an3.links_usd - (40_000.0 * 0.1 + 24_000.0 * 110.0)).abs() < 1e-6);
    assert!((an3.port_usd - (an3.total_usd / 20_000.0)).abs() < 1e-9);
    assert!((found.cheaper.unwrap() - 490.294 / 238.45).abs() < 1e-3, "{:?}", found.cheaper);
    let fpga = planned(r#"{"nic": "fpga"}"#).an3.cost.unwrap();
    assert_eq!((fpga.nics_usd, fpga.design_usd), (1_800_000.0, 200_000.0));
    let (an3, baseline) = (found.an3.power.unwrap(), found.baseline.power.unwrap());
    assert_eq!((an3.nics_w, an3.switches_w), (240_000.0, 50_000.0));
    assert_eq!((baseline.nics_w, baseline.switches_w), (240_000.0, 643.0 * 400.0));
}

#[test]
fn an_asic_is_cheaper_than_an_fpga_from_as_many_servers_as_pay_its_design() {
    // 900,000 more for the design, 80 less for each.
    let port = |servers: u64, nic: &str| {
        planned(&format!(r#"{{"servers": {servers}, "nic": "{nic}"}}"#)).an3.cost.unwrap().total_usd
    };
    assert!(port(11_249, "asic") > port(11_249, "fpga"));
    assert!(port(11_251, "asic") < port(11_251, "fpga"));
}

#[test]
fn numbers_of_the_papers_devices() {
    let found = planned("{}");
    assert_eq!((found.frame.frame_ps, found.frame.slot_bps), (7_372_800, 69_444_444));
    assert_eq!(found.switch.crossbar_bps, 2_560_000_000_000);
    assert_eq!((found.l0.egress_hops, found.l0.most_hops, found.l0.links_per_nic), (2, 4, 4));
    assert!((found.l0.mean_hops - 948.0 / 462.0).abs() < 1e-12);
    assert_eq!((found.largest.servers, found.largest.bisection_bps), (90_112, 2 * 32 * 32 * 10_000_000_000));
    assert_eq!((found.servers_per_rack, found.uplinks_per_rack), (40.0, 16.0));
}

#[test]
fn what_a_person_sets_lies_over_the_book() {
    let found = planned(r#"{"price_l0": 5, "design_l0": 0, "price_nic": 0, "nic_power_w": 1, "l1_power_w": 2}"#);
    assert_eq!(found.an3.cost.unwrap().nics_usd, 100_000.0);
    assert_eq!(found.an3.cost.unwrap().design_usd, 100_000.0);
    assert_eq!(found.baseline.cost.unwrap().nics_usd, 0.0);
    assert_eq!((found.an3.power.unwrap().nics_w, found.an3.power.unwrap().switches_w), (20_000.0, 250.0));
    assert_eq!(found.baseline.power.unwrap().nics_w, 20_000.0);
    let none = planned(r#"{"prices": "none"}"#);
    assert_eq!((none.cheaper, none.an3.cost, none.baseline.power), (None, None, None));
}

#[test]
fn what_cannot_be_is_named() {
    assert_eq!(refused(r#"{"l1_ports": 127}"#), "l1_ports = 127: expected an even number of ports");
    assert_eq!(refused(r#"{"nic": "gpu"}"#), "nic = gpu: expected one of fpga, asic");
    assert_eq!(refused(r#"{"servers": 0}"#), "servers = 0: expected a whole number from 1 to 10000000");
    let many = planned(r#"{"servers": 100000}"#);
    assert_eq!(many.warnings.len(), 2, "{:?}", many.warnings);
    assert!(many.warnings[0].starts_with("625 L1 switches cannot each have a link to every other: 64 ports"));
}
