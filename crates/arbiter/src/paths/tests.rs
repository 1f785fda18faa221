use super::*;
use crate::pod::Link;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Pods of two and three tiers, as many uplinks as hosts or more.
fn pods() -> impl Strategy<Value = Pod> {
    let two = (1..9_u32, 1..9_u32, 0..4_u32)
        .prop_map(|(racks, hosts, more)| Pod::two_tiers(racks, hosts, hosts + more).expect("a pod"));
    let three = (1..5_u32, 1..5_u32, 1..5_u32, 0..3_u32).prop_map(|(groups, racks, hosts, more)| {
        Pod::three_tiers(groups, racks, hosts, hosts + more, racks + more).expect("a pod")
    });
    (prop_oneof![two, three], any::<bool>())
        .prop_map(|(pod, nearest)| if nearest { pod.turning(Turn::AtNearest) } else { pod })
}

/// A matching of part of the hosts: `order` shuffles destinations, `load` of 256 sources have one.
fn matching(pod: &Pod, order: &[u16], load: u8) -> Vec<Transfer> {
    let hosts = pod.hosts();
    let mut destinations: Vec<u16> = (0..hosts).collect();
    for (place, &random) in (1..hosts).zip(order.iter().cycle()) {
        destinations.swap(place.into(), (random % (place + 1)).into());
    }
    let all = (0..hosts).zip(destinations).map(|(source, destination)| Transfer { source, destination });
    all.zip(order.iter().cycle())
        .filter(|(_, random)| (**random >> 8) as u8 <= load)
        .map(|(transfer, _)| transfer)
        .collect()
}

/// The links of all paths; each once.
fn links(pod: &Pod, transfers: &[Transfer], paths: &[Path]) -> Result<BTreeSet<Link>, Link> {
    let mut used = BTreeSet::new();
    for (&transfer, &path) in transfers.iter().zip(paths) {
        for link in pod.links(transfer, path) {
            if !used.insert(link) {
                return Err(link);
            }
        }
    }
    Ok(used)
}

proptest! {
    #[test]
    fn no_two_transfers_of_a_slot_share_a_link(
        pod in pods(), order in prop::collection::vec(any::<u16>(), 1..200), load in any::<u8>()
    ) {
        let transfers = matching(&pod, &order, load);
            let mut assigner = PathAssigner::new(&pod);
            let mut paths = Vec::new();
            // A second time into the same tables: nothing of the first is left there.
            for _ in 0..2 {
                assigner.assign(&transfers, &mut paths);
                prop_assert_eq!(paths.len(), transfers.len());
                prop_assert!(links(&pod, &transfers, &paths).is_ok(), "{:?} twice", links(&pod, &transfers, &paths));
            }
            for (transfer, path) in transfers.iter().zip(&paths) {
                let (from, to) = (pod.rack(transfer.source), pod.rack(transfer.destination));
                let below = pod.turn() == Turn::AtNearest;
                let top = pod.cores_per_aggregation() > 0 && !(below && pod.group(from) == pod.group(to));
                match *path {
                    Path::Edge => prop_assert!(below && from == to),
                    Path::Aggregation(a) => prop_assert!(!top && u32::from(a) < pod.uplinks()),
                    Path::Core { aggregation, core } => prop_assert!(
                        top && u32::from(aggregation) < pod.uplinks() && u32::from(core) < pod.cores_per_aggregation()
                    ),
                }
            }
    }

    #[test]
    fn as_many_colours_as_the_largest_degree_are_enough(
        ends in prop::collection::vec((0..6_u32, 0..6_u32), 0..60)
    ) {
        let edges: Vec<Edge> = ends.into_iter().map(|(left, right)| Edge { left, right }).collect();
        let degree = |vertex: u32, end: fn(&Edge) -> u32| edges.iter().filter(|edge| end(edge) == vertex).count();
        let degrees = (0..6).flat_map(|vertex| [degree(vertex, |edge| edge.left), degree(vertex, |edge| edge.right)]);
        let colours = degrees.max().expect("there are vertices") as u32;
        let mut result = Vec::new();
        Colouring::new(6).colour(&edges, colours, &mut result);
        let mut seen = BTreeSet::new();
        for (edge, &colour) in edges.iter().zip(&result) {
            prop_assert!(u32::from(colour) < colours);
            prop_assert!(seen.insert((true, edge.left, colour)) && seen.insert((false, edge.right, colour)));
        }
    }
}

#[test]
#[should_panic(expected = "a vertex has more edges than there are colours")]
fn more_transfers_than_uplinks_have_no_paths() {
    let pod = Pod::two_tiers(2, 2, 1).expect("a pod");
    let transfers = [(0, 2), (1, 3)].map(|(source, destination)| Transfer { source, destination });
    PathAssigner::new(&pod).assign(&transfers, &mut Vec::new());
}

#[test]
fn links_are_told_apart_by_direction() {
    let pod = Pod::whole_fat_tree(4).expect("a pod");
    let transfer = Transfer { source: 1, destination: 14 };
    let links: Vec<Link> = pod.links(transfer, Path::Core { aggregation: 1, core: 0 }).collect();
    let expected = [
        Link::FromHost(1),
        Link::FromRack(0, 1),
        Link::FromAggregation(0, 1, 0),
        Link::ToAggregation(3, 1, 0),
        Link::ToRack(7, 1),
        Link::ToHost(14),
    ];
    assert_eq!(links, expected);
}
