use super::*;
use proptest::prelude::*;

fn why(result: Result<Fabric, FabricError>) -> String {
    result.expect_err("refused").to_string()
}

#[test]
fn what_is_refused_and_how() {
    assert_eq!(why(Fabric::port_by_port(1, 6)), "a fabric joins 2 to 16384 SoCs, not 1");
    assert_eq!(why(Fabric::whole(u32::MAX, 6)), "a fabric joins 2 to 16384 SoCs, not 4294967295");
    assert_eq!(why(Fabric::port_by_port(4, 0)), "a SoC has 1 to 16 internal ports, not 0");
    assert_eq!(why(Fabric::port_by_port(4, u32::MAX)), "a SoC has 1 to 16 internal ports, not 4294967295");
    assert_eq!(why(Fabric::wired(2, 2, vec![0; 3])), "2 SoCs of 2 ports are 4 ports to wire; the list has 3");
    assert_eq!(
        why(Fabric::wired(2, 2, vec![0, 2, 0, 2])),
        "no port hangs on crosspoint 1, but some do on crosspoint 2; number crosspoints from 0 without a gap"
    );
    let mut fabric = Fabric::port_by_port(4, 2).expect("a fabric");
    assert_eq!(
        fabric.fail_port(Port { soc: 4, number: 0 }).expect_err("refused").to_string(),
        "there is no port 0 of SoC 4; SoCs are 0 to 3, their ports 0 to 1"
    );
}

#[test]
fn what_can_be_joined_through_what() {
    let paper = Fabric::port_by_port(4, 3).expect("a fabric");
    assert_eq!((paper.crosspoints(), paper.between(0, 3).collect::<Vec<_>>()), (3, vec![0, 1, 2]));
    let whole = Fabric::whole(4, 3).expect("a fabric");
    assert_eq!((whole.crosspoints(), whole.usable_ports(2, 0).count()), (1, 3));
    // Two SoCs on crosspoints 0 and 1, one on 1 and 2.
    let mixed = Fabric::wired(3, 2, vec![0, 1, 1, 0, 2, 1]).expect("a fabric");
    assert_eq!(mixed.between(0, 1).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(mixed.between(1, 2).collect::<Vec<_>>(), [1]);
    assert_eq!(mixed.between(1, 1).count(), 0);
    assert_eq!(mixed.usable_ports(2, 1).collect::<Vec<_>>(), [Port { soc: 2, number: 1 }]);
}

#[test]
fn a_soc_that_fails_takes_its_ports_and_fixed_circuits_with_it() {
    let mut fabric = Fabric::port_by_port(5, 2).expect("a fabric").with_fixed_circuits(Seed(1));
    assert_eq!(fabric.fixed().len(), 1);
    let gone = fabric.fixed()[0][0].soc;
    fabric.fail_soc(gone).expect("it is there");
    assert!(fabric.fixed().is_empty());
    assert!((0..5).all(|soc| fabric.between(gone, soc).count() == 0));
}

proptest! {
    /// §6.1: with an odd number of SoCs crosspoints pair up, and each pair shares one circuit between two SoCs.
    #[test]
    fn odd_numbers_are_paired(socs in 2_u32..40, ports in 1_u32..9, seed in any::<u64>()) {
        let fabric = Fabric::port_by_port(socs, ports).expect("a fabric").with_fixed_circuits(Seed(seed));
        let pairs = if socs % 2 == 1 { ports / 2 } else { 0 };
        prop_assert_eq!(fabric.fixed().len(), index(pairs));
        let mut socs_used = Vec::new();
        for [a, b] in fabric.fixed() {
            prop_assert_ne!(a.soc, b.soc);
            prop_assert_eq!(fabric.crosspoint(*a) / 2, fabric.crosspoint(*b) / 2);
            prop_assert_ne!(fabric.crosspoint(*a), fabric.crosspoint(*b));
            prop_assert!(!fabric.is_usable(*a) && !fabric.is_usable(*b));
            socs_used.extend([a.soc, b.soc]);
        }
        socs_used.sort_unstable();
        socs_used.dedup();
        prop_assert!(socs_used.len() == 2 * fabric.fixed().len() || socs < 2 * pairs);
        // What is left is even, but for the last crosspoint of an odd number.
        for crosspoint in 0..ports {
            let left: usize = (0..socs).map(|soc| fabric.usable_ports(soc, crosspoint).count()).sum();
            prop_assert!(left.is_multiple_of(2) || (socs % 2 == 1 && crosspoint == 2 * pairs));
        }
    }
}
