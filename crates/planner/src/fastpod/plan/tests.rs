use super::*;
use crate::plan as plan_by_name;
use proptest::prelude::*;
use settings::Flat;

fn planned(settings: &str) -> Plan {
    plan(&Input::read(Flat::parse(settings).unwrap()).unwrap()).unwrap()
}

#[test]
fn section_5() {
    let found = planned("{}");
    println!("{found:#?}");
    assert_eq!((found.pod_hosts, found.hosts, found.fastpod.switches), (16, 16, 8));
}

proptest! {
    #[test]
    fn nothing(_x in 0..1) {}
}
#[test]
fn nobody() {
    let _ = plan_by_name("fastpod", "{}");
}
