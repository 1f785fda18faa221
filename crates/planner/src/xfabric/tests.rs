use super::*;
use crate::plan as plan_by_name;
use proptest::prelude::*;
use settings::Flat;

fn planned(settings: &str) -> Plan {
    plan(&Input::read(Flat::parse(settings).unwrap()).unwrap()).unwrap()
}

#[test]
fn section_2() {
    let found = planned(r#"{"socs": 256, "uplinks": 4}"#);
    assert_eq!((found.soc_ports, found.clos.ports, found.clos.asics, found.xfabric.asics), (1_536, 7_680, 22, 6));
    assert_eq!((found.xfabric.usd, found.clos.usd), (4_608.0, 23_040.0));
    // 0.4 kW and 2.2 kW.
    assert!((found.xfabric.w - 430.08).abs() < 1e-9 && (found.clos.w - 2_150.4).abs() < 1e-9);
    assert!((found.ratio - 5.0).abs() < 1e-12 && found.warnings.is_empty());
    // 1.3 and 2.6 kW at 0.14 and 0.28 W a port: these would be six ports for each, not five.
    let six = planned(r#"{"socs": 256, "clos_factor": 6, "port_w": 0.14}"#);
    assert!((six.clos.w - 1_290.24).abs() < 1e-9);
}

#[test]
fn table_1() {
    let found = planned("{}");
    assert_eq!((found.clos.ports, found.xfabric.ports), (10_290, 2_058));
    assert_eq!((found.clos.usd, found.xfabric.usd), (30_870.0, 6_174.0));
    assert!((found.clos.w - 2_881.2).abs() < 1e-9 && (found.xfabric.w - 576.24).abs() < 1e-9);
    // §6.1: an odd number of SoCs leaves six ports over, which three circuits use.
    assert_eq!((found.circuits, found.fixed_circuits, found.unused_ports), (1_029, 3, 0));
    assert_eq!((found.uplinks.ports, found.uplinks.asics), (351, 2));
    assert_eq!(
        found.warnings,
        [
            "the uplink crosspoint has 351 ports and an ASIC has 350: it takes several, and what joins them is not counted"
        ]
    );
}

#[test]
fn section_6_6() {
    // 20 ns: 3 bytes at 1 Gb/s, 25 at 10 Gb/s; 4 frames at worst at either.
    assert_eq!(planned("{}").loss, Loss { bytes: 25, worst_frames: 4 });
    assert_eq!(planned(r#"{"port_rate": "1 Gb/s"}"#).loss, Loss { bytes: 3, worst_frames: 4 });
    assert_eq!(planned(r#"{"switching": 0}"#).loss, Loss { bytes: 0, worst_frames: 0 });
}

#[test]
fn a_rack_that_fits_into_one_asic_needs_no_clos() {
    let found = planned(r#"{"socs": 50}"#);
    assert_eq!((found.soc_ports, found.clos.ports, found.clos.asics, found.xfabric.asics), (300, 300, 1, 6));
    assert!((found.ratio - 1.0).abs() < 1e-12);
}

#[test]
fn what_cannot_be_is_answered() {
    let refused = |settings| plan_by_name("xfabric", settings).unwrap_err().to_string();
    assert_eq!(refused(r#"{"socs": 1}"#), "socs = 1: expected a whole number from 2 to 16384");
    assert_eq!(refused(r#"{"socs": 4, "uplinks": 5}"#), "uplinks = 5: expected a whole number from 1 to 4");
    assert_eq!(refused(r#"{"soc_port": 4}"#), "soc_port: no such setting; did you mean soc_ports?");
}

proptest! {
    /// Ports are SoCs times ports, fixed or not, and the ends of all ranges are planned.
    #[test]
    fn ports_are_accounted_for(socs in 2_u64..=16_384, ports in 1_u64..=16, more in 0_u64..100_000, factor in 1_u64..=1_000) {
        let asic = socs + more;
        let found = planned(&format!(
            r#"{{"socs": {socs}, "soc_ports": {ports}, "asic_ports": {asic}, "clos_factor": {factor}, "switching": "1 s",
                "port_rate": "1000 Tb/s"}}"#
        ));
        prop_assert_eq!(2 * found.circuits + found.unused_ports, socs * ports);
        prop_assert!(found.xfabric.asics * asic >= found.xfabric.ports && found.clos.asics * asic >= found.clos.ports);
        prop_assert!(found.clos.ports >= found.soc_ports && found.fixed_circuits <= ports / 2);
    }
}
