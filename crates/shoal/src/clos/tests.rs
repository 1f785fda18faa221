use super::*;
use crate::schedule::Order;
use proptest::prelude::*;

const ORDERS: [Order; 2] = [Order::Cyclic, Order::Rearranged];

/// Fig 4: where switch 1 (nodes 1 and 2 on ports a and b, uplinks c and d) sends what comes in at each port, by slot.
const FIGURE_4: [&str; 4] = ["dcdcdcd", "cdcdcdc", "bababab", "abababa"];

/// What comes in at `port` of Fig 4's switch goes out where, in slot 0 to 6.
fn figure_4(port: u32, slot: u32) -> u32 {
    u32::from(FIGURE_4[port as usize].as_bytes()[slot as usize] - b'a')
}

/// The rows of Fig 4 for what nodes send are those of the decomposition, in all slots. Those for what they hear can only be so in even
/// slots (the paper's): see the test below.
#[test]
fn figure_4_as_far_as_it_can_be() {
    let fabric = Decomposition::new(Clos::new(8, 4).unwrap(), Schedule::new(8, 1, Order::Cyclic).unwrap());
    for slot in 0..7 {
        let configuration = fabric.configuration(slot, 0);
        for node in [0, 1] {
            assert_eq!(configuration.leaf(0, node), Some(figure_4(node, slot)));
        }
        for uplink in [2, 3] {
            let figure = figure_4(uplink, slot);
            let possible = if slot % 2 == 1 { figure } else { 1 - figure };
            assert_eq!(configuration.leaf(0, uplink), Some(possible), "slot {slot}, uplink {uplink}");
        }
    }
}

/// Fig 4 as printed cannot carry any fabric schedule: in each slot it returns to each node of switch 1 what comes from the spine that the
/// node sends to, so what node 1 sends and a spine returns to switch 1 comes to node 1, and never to node 2. (The two uplinks of a leaf
/// lead to different spines, or some leaves would not be joined at all.) Fig 3 has 1 -> 2 in slot 1.
#[test]
fn figure_4_as_printed_never_joins_nodes_1_and_2() {
    for slot in 0..7 {
        for node in [0, 1] {
            assert_eq!(figure_4(figure_4(node, slot), slot), node);
        }
    }
    // Nor if cells came down a slot later than they went up, which would do for slots 1 to 6: in slot 7, Fig 3 has 2 -> 1.
    let later = |node, slot| figure_4(figure_4(node, slot), (slot + 1) % 7);
    assert_eq!((0..7).map(|slot| later(1, slot)).collect::<Vec<_>>(), [0, 0, 0, 0, 0, 0, 1]);
}

/// Walks every cell through the switches: it must come to where the fabric schedule says. No output may be used twice; an input cannot be,
/// since a configuration has one output for it, and what it had to carry besides would not arrive.
fn check(fabric: &Decomposition, context: &str) {
    let (clos, schedule) = (fabric.clos(), fabric.schedule());
    let mut used = vec![u32::MAX; (clos.switches() * clos.ports()) as usize];
    let mut turn = 0;
    for slot in 0..schedule.epoch() {
        for channel in 0..schedule.channels() {
            let configuration = fabric.configuration(slot, channel);
            let mut circuits = 0;
            for source in 0..schedule.nodes() {
                let Some(destination) = schedule.to(slot, channel, source) else { continue };
                let leaf = clos.leaf_of(source);
                let up = configuration.leaf(leaf, clos.port_of(source)).expect(context);
                let spine = up.checked_sub(clos.half()).expect("a cell goes up first");
                let down = configuration.spine(spine, leaf).expect(context);
                let out = configuration.leaf(down, clos.uplink(spine)).expect(context);
                assert_eq!(down * clos.half() + out, destination, "{context}");
                for (switch, port) in [(leaf, up), (clos.leaves() + spine, down), (down, out)] {
                    let used = &mut used[(switch * clos.ports() + port) as usize];
                    assert_ne!(
                        std::mem::replace(used, turn),
                        turn,
                        "{context}: slot {slot}, switch {switch}, port {port}"
                    );
                }
                circuits += 1;
            }
            let open = |switches: &[u16]| switches.iter().filter(|&&out| out != Configuration::OPEN).count();
            assert_eq!(
                (open(&configuration.leaves), open(&configuration.spines)),
                (2 * circuits, circuits),
                "{context}"
            );
            turn += 1;
        }
    }
}

/// All N up to 64, and all ports with which two stages join so many. From N ports a side all nodes are under one leaf, and more
/// ports change nothing.
#[test]
fn every_schedule_decomposes_into_schedules_of_the_switches() {
    for nodes in 2..=64_u32 {
        for ports in (2..=2 * nodes + 2).step_by(2).filter(|ports| ports * ports / 2 >= nodes) {
            let clos = Clos::new(nodes, ports).unwrap();
            for order in ORDERS {
                for channels in [1, 2, 4] {
                    let fabric = Decomposition::new(clos, Schedule::new(nodes, channels, order).unwrap());
                    check(&fabric, &format!("{nodes} nodes, {ports} ports, {order:?}, {channels} channels"));
                }
            }
        }
    }
}

#[test]
fn sizes() {
    // §3.2: k^2/2 nodes; 64 ports join 2048; Fig 2: six 4-port switches for 8. §5: 24 switches of 64 ports for 512 nodes at one rate.
    let size = |nodes, ports| Clos::new(nodes, ports).map(|clos| (clos.leaves(), clos.spines(), clos.switches()));
    assert_eq!(size(2048, 64), Ok((64, 32, 96)));
    assert_eq!(size(8, 4), Ok((4, 2, 6)));
    assert_eq!(size(512, 64), Ok((16, 32, 48)));
    let wrong = |nodes, ports| Clos::new(nodes, ports).expect_err("wrong").to_string();
    assert_eq!(
        wrong(513, 32),
        "`nodes` is 513; two stages of 32-port switches join 1 to 512: write fewer, or `ports` of 34 or more"
    );
    assert_eq!(
        wrong(0, 4),
        "`nodes` is 0; two stages of 4-port switches join 1 to 8: write fewer, or `ports` of 2 or more"
    );
    assert_eq!(
        wrong(8, 5),
        "`ports` is 5; a switch has half its ports up and half down: write an even number from 2 to 4096"
    );
}

proptest! {
    /// A schedule without some of the nodes decomposes too, over the switches as they are.
    #[test]
    fn without_nodes(
        lives in prop::collection::vec(prop::bool::weighted(0.7), 2..40),
        half in 1..12_u32,
        channels in 1..4_u32,
        order in prop::sample::select(ORDERS.to_vec()),
    ) {
        let nodes = lives.len() as u32;
        let ports = (half * 2..).step_by(2).find(|ports| ports * ports / 2 >= nodes).unwrap();
        prop_assume!(lives.iter().filter(|&&lives| lives).count() >= 2);
        let fabric =
            Decomposition::new(Clos::new(nodes, ports).unwrap(), Schedule::among(&lives, channels, order).unwrap());
        check(&fabric, "without nodes");
    }
}

/// The fabric of k-port switches, full.
fn full(ports: u32, channels: u32) -> Decomposition {
    let nodes = ports * ports / 2;
    Decomposition::new(Clos::new(nodes, ports).unwrap(), Schedule::new(nodes, channels, Order::Rearranged).unwrap())
}

/// Table 1 by count, on full fabrics, against the paper's approximations.
#[test]
fn table_1() {
    for (ports, tolerance) in [(16, 0.13), (32, 0.06)] {
        let fabric = full(ports, 1);
        let nodes = f64::from(fabric.clos().nodes());
        let loss = |part: Part| fabric.loss(&[part.into()]);
        let link = loss(Part::LeafSpine { leaf: 3, spine: 5 });
        let rows = [
            (loss(Part::Node(9)).share_left(), 1.0 / nodes),
            (loss(Part::NodeLink(9)).share_left(), 1.0 / nodes),
            (loss(Part::Leaf(3)).share_left(), 1.0 / (2.0 * nodes).sqrt()),
            (link.share(), 2.0 / nodes),
            (loss(Part::Spine(5)).share_unused(), 2.0 * 2.0_f64.sqrt() / nodes.sqrt()),
        ];
        for (row, (count, paper)) in rows.into_iter().enumerate() {
            assert!((count / paper - 1.0).abs() < tolerance, "row {row} of {ports}: {count} and {paper}");
        }
        // Of all circuits a node takes 2/N, a leaf 2/sqrt(2N) (less those that both ends have), a spine half of what Table 1 says.
        let half_of_paper = [loss(Part::Leaf(3)).share() / 2.0, loss(Part::Spine(5)).share()];
        assert!((half_of_paper[0] * (2.0 * nodes).sqrt() - 1.0).abs() < tolerance, "{half_of_paper:?}");
        assert!((half_of_paper[1] * nodes.sqrt() / 2.0_f64.sqrt() - 1.0).abs() < tolerance, "{half_of_paper:?}");
    }
}

/// The counts themselves, for N = 32 of 8-port switches: half = 4, 8 leaves.
#[test]
fn losses_counted() {
    let fabric = full(8, 2);
    let loss = |part: Part| fabric.loss(&[part.into()]);
    let count =
        |circuits_left, lost, unused, lost_left| Loss { circuits: 32 * 31, lost, unused, circuits_left, lost_left };
    assert_eq!(loss(Part::Node(9)), count(31 * 31, 62, 62, 31));
    assert_eq!(loss(Part::NodeLink(9)), loss(Part::Node(9)));
    // 4 x 31 from the leaf and as many to it, 4 x 3 of them both.
    assert_eq!(loss(Part::Leaf(2)), count(28 * 31, 236, 236, 28 * 4));
    // Spine = the destination's port: 8 nodes have it, 31 send to each. Back: 8 nodes send to 31, 8 x 7 counted already.
    assert_eq!(loss(Part::Spine(1)), count(32 * 31, 248, 440, 248));
    // From leaf 2 to the 8 nodes at port 1, one to itself; to the node at port 1 of leaf 2, 3 of them counted already.
    assert_eq!(loss(Part::LeafSpine { leaf: 2, spine: 1 }).lost, 31 + 31 - 3);
    // In one of two planes, what that channel carries: the same circuits, and the rest in the other.
    let one = |channel| Failure { part: Part::Spine(1), channel: Some(channel) };
    let (first, second) = (fabric.loss(&[one(0)]), fabric.loss(&[one(1)]));
    assert_eq!(first.lost + second.lost, 248);
    assert!(first.lost.abs_diff(second.lost) <= 8, "{first:?} {second:?}");
    assert_eq!(fabric.loss(&[one(0), one(1)]), loss(Part::Spine(1)));
}

/// What is lost is what a walk through the switches meets, where there is no closed form.
#[test]
fn lost_circuits_are_those_that_cross_the_part() {
    let fabric = Decomposition::new(Clos::new(27, 8).unwrap(), Schedule::new(27, 2, Order::Cyclic).unwrap());
    let (clos, schedule) = (fabric.clos(), fabric.schedule());
    // The circuits of channel 1, each with the leaf, the spine and the leaf that it crosses.
    let mut walks = vec![];
    for slot in 0..schedule.epoch() {
        let configuration = fabric.configuration(slot, 1);
        for source in 0..27 {
            let Some(destination) = schedule.to(slot, 1, source) else { continue };
            let up = clos.leaf_of(source);
            let spine = configuration.leaf(up, clos.port_of(source)).unwrap() - clos.half();
            let down = configuration.spine(spine, up).unwrap();
            walks.push((Circuit { slot, channel: 1, source, destination }, up, spine, down));
        }
    }
    let compare = |part, meets: &dyn Fn(Circuit, u32, u32, u32) -> bool| {
        let met = walks.iter().filter(|&&(circuit, up, spine, down)| meets(circuit, up, spine, down));
        let met: Vec<_> = met.map(|walk| walk.0).collect();
        assert_eq!(fabric.lost(&[Failure { part, channel: Some(1) }]).collect::<Vec<_>>(), met, "{part:?}");
        assert!(!met.is_empty() && met.len() < walks.len(), "{part:?}");
    };
    compare(Part::Node(26), &|circuit, _, _, _| circuit.source == 26 || circuit.destination == 26);
    compare(Part::Leaf(6), &|_, up, _, down| up == 6 || down == 6);
    compare(Part::LeafSpine { leaf: 6, spine: 2 }, &|_, up, spine, down| spine == 2 && (up == 6 || down == 6));
    compare(Part::Spine(0), &|_, _, spine, _| spine == 0);
}

#[test]
fn parts_that_do_not_exist_are_named() {
    let clos = Clos::new(27, 8).unwrap();
    let wrong = |part, channel| clos.check(Failure { part, channel }, 2).expect_err("wrong").to_string();
    assert_eq!(wrong(Part::NodeLink(27), None), "node 27 does not exist; the fabric has 27, numbered from 0 to 26");
    assert_eq!(wrong(Part::Leaf(7), None), "leaf 7 does not exist; the fabric has 7, numbered from 0 to 6");
    assert_eq!(
        wrong(Part::LeafSpine { leaf: 6, spine: 4 }, None),
        "spine 4 does not exist; the fabric has 4, numbered from 0 to 3"
    );
    assert_eq!(wrong(Part::Spine(3), Some(2)), "channel 2 does not exist; the fabric has 2, numbered from 0 to 1");
    assert_eq!(clos.check(Failure { part: Part::Spine(3), channel: Some(1) }, 2), Ok(()));
}
