//! Forwarding tables of random fabrics, some of whose cables are dead.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use engine::Seed;
use proptest::prelude::*;
use std::collections::BTreeSet;
use topology::{Shape, Topology};
use units::{Rate, Span};

fn shapes() -> impl Strategy<Value = Shape> {
    prop_oneof![
        Just(Shape::FatTree { k: 4, oversubscription: 1.0 }),
        Just(Shape::FatTree { k: 6, oversubscription: 1.0 }),
        (2u32..7, 1u32..5).prop_map(|(leaves, spines)| Shape::LeafSpine { leaves, spines, hosts_per_leaf: 1 }),
    ]
}

fn build(shape: &Shape) -> Topology {
    shape.build(Rate::from_gbps(10), Span::from_us(1)).unwrap()
}

/// The tables of a fabric that has been at peace since these links failed.
fn tables(layout: &Layout, dead: &BTreeSet<u32>) -> (Tables, Sprayer, Reach) {
    let mut stream = Seed(1).stream("test", 0);
    let mut reach =
        Reach::new(crate::Config::default().reachability, layout.devices, layout.adapters, layout.wires.len() as u32);
    reach.warm_up(layout.devices, layout, |_| 0);
    for link in dead {
        reach.lose_signal(*link);
        reach.lose_signal(layout.back(*link));
    }
    // Everybody tells everything until nothing is news.
    let mut news = true;
    while std::mem::take(&mut news) {
        for device in 0..layout.devices {
            news |= reach.refresh(device, layout);
            let (part, below, all) = reach.tell(device);
            for (out, told) in [(layout.up(device), below), (layout.down(device), all)] {
                for link in out.iter().filter(|link| !dead.contains(*link) && !dead.contains(&layout.back(**link))) {
                    (0..3).for_each(|_| {
                        reach.hear(*link, part, told, false);
                    });
                }
            }
        }
    }
    let (mut tables, mut sprayer) = (Tables::new(layout), Sprayer::default());
    for device in 0..layout.devices {
        tables.rebuild(device, &reach, layout, &mut [&mut sprayer], &mut stream);
    }
    (tables, sprayer, reach)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// A set holds exactly the links that lead to an adapter, those downwards if there are any; whatever link is chosen at each device, a
    /// cell gets there, and none that has come from above goes up again.
    #[test]
    fn every_choice_leads_to_the_adapter(shape in shapes(), chosen in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let layout = Layout::new(&build(&shape)).unwrap();
        let inside: Vec<u32> = (0..layout.devices).flat_map(|device| layout.out(device).collect::<Vec<_>>()).collect();
        let dead: BTreeSet<u32> = chosen.iter().map(|index| inside[index.index(inside.len())]).collect();
        let (tables, sprayer, reach) = tables(&layout, &dead);
        for device in 0..layout.devices {
            for adapter in (0..layout.adapters).filter(|adapter| *adapter != device) {
                let leading = |links: &[u32]| -> BTreeSet<u32> {
                    links.iter().copied().filter(|link| reach.leads(*link, adapter, &layout)).collect()
                };
                let (down, up) = (leading(layout.down(device)), leading(layout.up(device)));
                let links = |rising: bool| -> BTreeSet<u32> {
                    let route = tables.route(device, adapter as u16, rising);
                    route.map(|route| sprayer.links(route).iter().copied().collect()).unwrap_or_default()
                };
                prop_assert_eq!(links(true), if down.is_empty() { up } else { down.clone() });
                prop_assert_eq!(links(false), down);
                prop_assert_eq!(reach.reaches(device, adapter), !links(true).is_empty());
            }
        }
        for from in 0..layout.adapters {
            for to in (0..layout.adapters).filter(|to| *to != from) {
                let mut at: BTreeSet<(u32, bool)> = [(from, true)].into();
                for hop in 0.. {
                    at.retain(|(device, _)| *device != to);
                    if at.is_empty() || (hop == 0 && tables.route(from, to as u16, true).is_none()) {
                        break;
                    }
                    prop_assert!(hop < 6, "a cell goes on for ever");
                    let mut next = BTreeSet::new();
                    for (device, rising) in &at {
                        let route = tables.route(*device, to as u16, *rising);
                        prop_assert!(route.is_some(), "a cell from {} to {} has no route at {}", from, to, device);
                        for link in sprayer.links(route.unwrap()) {
                            prop_assert!(!dead.contains(link));
                            let goes_up = layout.up(*device).contains(link);
                            prop_assert!(*rising || !goes_up);
                            next.insert((layout.wires[*link as usize].to, goes_up));
                        }
                    }
                    at = next;
                }
            }
        }
    }
}

#[test]
fn equal_sets_share_an_arbiter_and_what_is_cut_off_is_said() {
    let layout = Layout::new(&build(&Shape::LeafSpine { leaves: 3, spines: 2, hosts_per_leaf: 1 })).unwrap();
    let (mut tables, mut sprayer, mut reach) = tables(&layout, &BTreeSet::new());
    assert_eq!(tables.route(0, 1, true), tables.route(0, 2, true));
    assert_eq!(tables.route(0, 1, false), None);
    let mut stream = Seed(1).stream("test", 0);
    let links: Vec<u32> = layout.up(0).to_vec();
    let cut_off: Vec<Vec<u16>> = links
        .iter()
        .map(|link| {
            reach.lose_signal(layout.back(*link));
            tables.rebuild(0, &reach, &layout, &mut [&mut sprayer], &mut stream)
        })
        .collect();
    assert_eq!(cut_off, [vec![], vec![1, 2]]);
    assert_eq!(tables.rebuild(0, &reach, &layout, &mut [&mut sprayer], &mut stream), [0u16; 0]);
}
