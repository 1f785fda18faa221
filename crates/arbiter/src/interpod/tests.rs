use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Pods of a few racks, with more or fewer planes and core switches than hosts.
fn attached() -> impl Strategy<Value = Attached> {
    (1..4_u32, 1..4_u32, 1..4_u32, 1..4_u32).prop_map(|(racks, hosts, uplinks, cores)| {
        Attached::new(Pod::two_tiers(racks, hosts, uplinks).expect("a pod"), cores, 3).expect("core switches")
    })
}

fn demand(attached: &Attached, (kind, from, to): (u8, u16, u16)) -> Demand {
    let host = |number: u16| number % attached.pod().hosts();
    match kind % 3 {
        0 => Demand::Within { source: host(from), destination: host(to) },
        1 => Demand::Out { source: host(from), pod: to % attached.pods() },
        _ => {
            let cores: Vec<Core> = attached.cores().collect();
            Demand::In { core: cores[usize::from(from) % cores.len()], destination: host(to) }
        }
    }
}

fn demands(length: usize) -> impl Strategy<Value = Vec<(u8, u16, u16)>> {
    prop::collection::vec((any::<u8>(), any::<u16>(), any::<u16>()), 1..length)
}

/// The links of a slot, each taken once; a core switch that is given is the one that was asked for.
fn links(attached: &Attached, given: &[Given]) -> Result<BTreeSet<Link>, String> {
    let mut taken = BTreeSet::new();
    for &transfer in given {
        if let Demand::In { core, .. } = transfer.demand
            && (core.plane, Some(core.number)) != (transfer.plane, transfer.core)
        {
            return Err(format!("{transfer:?} leaves another core switch"));
        }
        for link in transfer.links(attached.pod()) {
            if !taken.insert(link) {
                return Err(format!("{link:?} twice"));
            }
        }
    }
    Ok(taken)
}

proptest! {
    #[test]
    fn what_does_not_work_is_not_used_and_all_else_is_sent(
        attached in attached(), kinds in demands(40), batch in 1..9_u32, parts in prop::collection::vec((0..3_u8, any::<u16>(), any::<u8>()), 0..6)
    ) {
        let pod = attached.pod();
        let part = |&(kind, of, plane): &(u8, u16, u8)| {
            let (rack, plane) = (u32::from(of) % pod.racks(), plane % pod.uplinks() as u8);
            match kind {
                0 => Part::Host(of % pod.hosts()),
                1 => Part::FromRack(rack, plane),
                _ => Part::ToRack(rack, plane),
            }
        };
        let broken: BTreeSet<Part> = parts.iter().map(part).collect();
        let is_broken = |link: Link| match link {
            Link::FromHost(host) | Link::ToHost(host) => broken.contains(&Part::Host(host)),
            Link::FromRack(rack, plane) => broken.contains(&Part::FromRack(rack, plane)),
            Link::ToRack(rack, plane) => broken.contains(&Part::ToRack(rack, plane)),
            Link::FromAggregation(..) | Link::ToAggregation(..) => false,
        };
        let mut arbiter = InterPod::new(&attached, Policy::MaxMin, batch, Slot(0));
        broken.iter().for_each(|part| arbiter.set_works(*part, false));
        // What was free before something broke counts until the next batch.
        for _ in 0..batch {
            arbiter.next_slot();
        }
        let wanted: BTreeSet<Demand> = kinds.iter().map(|kind| demand(&attached, *kind)).collect();
        wanted.iter().for_each(|demand| arbiter.add(*demand, 1));
        for _ in 0..2 * kinds.len() as u32 * batch {
            let (slot, given) = arbiter.next_slot();
            prop_assert!(links(&attached, given).is_ok(), "{}", slot);
            let mut links = given.iter().flat_map(|transfer| transfer.links(attached.pod()));
            prop_assert!(links.all(|link| !is_broken(link)), "{}: {:?} with {:?}", slot, given, broken);
        }
        let paths = |demand: Demand| {
            let cores = 0..attached.cores_per_plane() as u8;
            let planes = 0..attached.pod().uplinks() as u8;
            planes.flat_map(move |plane| cores.clone().map(move |core| match demand {
                Demand::Within { .. } => Given { demand, plane, core: None },
                Demand::In { core, .. } => Given { demand, plane: core.plane, core: Some(core.number) },
                Demand::Out { .. } => Given { demand, plane, core: Some(core) },
            }))
        };
        for &demand in &wanted {
            let has_path = paths(demand).any(|path| !path.links(attached.pod()).any(is_broken));
            prop_assert_eq!(arbiter.remaining(demand), u32::from(!has_path), "{:?} with {:?}", demand, &broken);
        }
    }

    #[test]
    fn no_two_packets_share_a_link_and_all_are_sent(
        attached in attached(), kinds in demands(40), batch in prop_oneof![Just(1_u32), 1..9_u32], minimum in any::<bool>(),
        shared in any::<bool>(),
    ) {
        let policy = if minimum { Policy::MinCompletion } else { Policy::MaxMin };
        let mut arbiter = InterPod::new(&attached, policy, batch, Slot(0));
        let mut wanted: BTreeMap<Demand, u32> = BTreeMap::new();
        for &kind in &kinds {
            let demand = demand(&attached, kind);
            if let (Demand::In { .. }, true) = (demand, shared) {
                arbiter.set_origin(demand, kind.1 % 3);
            }
            arbiter.add(demand, 2);
            *wanted.entry(demand).or_default() += 2;
        }
        // At worst one after another, and each batch's first in line gets a slot.
        for _ in 0..2 * kinds.len() as u32 * batch {
            let (slot, given) = arbiter.next_slot();
            let taken = links(&attached, given);
            prop_assert!(taken.is_ok(), "{}: {:?}", slot, taken);
            let (taken, given) = (taken.expect("no link twice"), given.to_vec());
            for transfer in &given {
                let left = wanted.get_mut(&transfer.demand).expect("was asked for");
                prop_assert!(*left > 0);
                *left -= 1;
            }
            // In batches of one slot nothing more fits: no demand that is left has a path whose links are all free.
            for &demand in wanted.keys().filter(|demand| batch == 1 && arbiter.remaining(**demand) > 0) {
                for plane in 0..attached.pod().uplinks() as u8 {
                    for core in 0..attached.cores_per_plane() as u8 {
                        let core = match demand {
                            Demand::In { core: at, .. } if (at.plane, at.number) != (plane, core) => continue,
                            Demand::Within { .. } => None,
                            Demand::In { .. } | Demand::Out { .. } => Some(core),
                        };
                        let mut path = Given { demand, plane, core }.links(attached.pod());
                        prop_assert!(path.any(|link| taken.contains(&link)), "{:?} fits in {}", demand, slot);
                    }
                }
            }
        }
        prop_assert!(wanted.values().all(|&left| left == 0), "left over: {:?}", wanted);
    }

    #[test]
    fn a_slot_has_a_quarter_of_what_is_possible_and_no_more_than_that(attached in attached(), kinds in demands(9)) {
        let demands: BTreeSet<Demand> = kinds.iter().map(|&kind| demand(&attached, kind)).collect();
        let demands: Vec<Demand> = demands.into_iter().collect();
        let mut arbiter = InterPod::new(&attached, Policy::MaxMin, 1, Slot(0));
        demands.iter().for_each(|&demand| arbiter.add(demand, 1));
        let given = arbiter.next_slot().1.len();
        let (best, bound) = (optimum::exact(&attached, &demands), optimum::bound(&attached, &demands));
        let linear = optimum::linear(&attached, &demands);
        prop_assert!(best as f64 <= linear + 1e-6 && linear <= bound as f64 + 1e-6, "{}, {}, {}", best, linear, bound);
        prop_assert!(given <= best && best <= bound, "{} given, {} possible, at most {}", given, best, bound);
        prop_assert!(4 * given >= best, "{} given, {} possible", given, best);
    }
}

#[test]
fn a_packet_from_the_core_moves_one_within_the_pod_to_another_plane() {
    let pod = Pod::two_tiers(2, 2, 2).expect("a pod");
    let attached = Attached::new(pod, 2, 2).expect("core switches");
    let mut arbiter = InterPod::new(&attached, Policy::MaxMin, 1, Slot(0));
    // The first takes plane 0, where the second arrives.
    let within = Demand::Within { source: 0, destination: 2 };
    let inwards = Demand::In { core: Core { plane: 0, number: 1 }, destination: 3 };
    arbiter.add(within, 1);
    arbiter.add(inwards, 1);
    let (_, given) = arbiter.next_slot();
    let expected = [Given { demand: within, plane: 1, core: None }, Given { demand: inwards, plane: 0, core: Some(1) }];
    assert_eq!(given, expected);
}

#[test]
fn two_packets_from_one_plane_to_one_rack_take_two_slots() {
    let attached = Attached::of_fat_tree(4).expect("a pod");
    let mut arbiter = InterPod::new(&attached, Policy::MaxMin, 64, Slot(0));
    for number in 0..2 {
        arbiter.add(Demand::In { core: Core { plane: 0, number }, destination: number.into() }, 1);
    }
    let counts: Vec<usize> = (0..3).map(|_| arbiter.next_slot().1.len()).collect();
    assert_eq!(counts, [1, 1, 0]);
}

#[test]
fn closed_core_switches_get_nothing() {
    let attached = Attached::of_fat_tree(4).expect("a pod");
    let mut arbiter = InterPod::new(&attached, Policy::MaxMin, 1, Slot(0));
    let cores: Vec<Core> = attached.cores().collect();
    // All but one for pod 3, all for nobody else.
    cores[1..].iter().for_each(|&core| arbiter.close_port(core, 3, true));
    arbiter.add(Demand::Out { source: 0, pod: 3 }, 2);
    arbiter.add(Demand::Out { source: 1, pod: 3 }, 2);
    arbiter.add(Demand::Out { source: 2, pod: 2 }, 8);
    let to = |arbiter: &mut InterPod| -> Vec<(Demand, u8, Option<u8>)> {
        arbiter.next_slot().1.iter().map(|given| (given.demand, given.plane, given.core)).collect()
    };
    let given = to(&mut arbiter);
    assert_eq!(given.len(), 2, "{given:?}");
    assert_eq!(given[0], (Demand::Out { source: 0, pod: 3 }, 0, Some(0)));
    assert_ne!((given[1].1, given[1].2), (0, Some(0)));
    // Now that one is closed altogether, and then all are.
    arbiter.close_core(cores[0], true);
    assert_eq!(to(&mut arbiter).len(), 1);
    cores.iter().for_each(|&core| arbiter.close_core(core, true));
    assert_eq!(to(&mut arbiter), []);
    cores.iter().for_each(|&core| arbiter.close_core(core, false));
    assert_eq!(to(&mut arbiter).len(), 2);
}

#[test]
fn traffic_within_the_pod_and_between_pods_gets_equal_shares() {
    let attached = Attached::of_fat_tree(8).expect("a pod");
    let mut arbiter = InterPod::new(&attached, Policy::MaxMin, 16, Slot(0));
    let cores: Vec<Core> = attached.cores().collect();
    let demands = [
        Demand::Within { source: 1, destination: 0 },
        Demand::Within { source: 9, destination: 0 },
        Demand::In { core: cores[3], destination: 0 },
        Demand::In { core: cores[7], destination: 0 },
    ];
    demands.iter().for_each(|&demand| arbiter.add(demand, 1000));
    let mut shares = [0; 4];
    for _ in 0..400 {
        for given in arbiter.next_slot().1 {
            shares[demands.iter().position(|&demand| demand == given.demand).expect("was asked for")] += 1;
        }
    }
    assert_eq!(shares, [100; 4]);
}

/// Shares of a destination, in slots: two hosts of the pod, and core switches with packets of these origins.
fn shares(origins: &[u16], batch: u32, slots: u32) -> Vec<u32> {
    let attached = Attached::of_fat_tree(8).expect("a pod");
    let mut arbiter = InterPod::new(&attached, Policy::MaxMin, batch, Slot(0));
    let cores: Vec<Core> = attached.cores().collect();
    let mut demands: Vec<Demand> = [1, 9].map(|source| Demand::Within { source, destination: 0 }).to_vec();
    for (core, &origin) in cores.iter().zip(origins) {
        let demand = Demand::In { core: *core, destination: 0 };
        arbiter.set_origin(demand, origin);
        demands.push(demand);
    }
    demands.iter().for_each(|&demand| arbiter.add(demand, 100_000));
    let mut shares = vec![0; demands.len()];
    for _ in 0..slots {
        for given in arbiter.next_slot().1 {
            shares[demands.iter().position(|&demand| demand == given.demand).expect("was asked for")] += 1;
        }
    }
    shares
}

#[test]
fn a_host_of_another_pod_has_the_share_of_one_host_in_however_many_core_switches_its_packets_are() {
    for batch in [1, 3, 8, 16, 64] {
        // One host's packets in 14 core switches; two hosts' in seven each; and each a host of its own.
        let one = shares(&[500; 14], batch, 14 * 300);
        let sum: u32 = one[2..].iter().sum();
        assert_eq!((one[0], one[1], sum), (1400, 1400, 1400), "batches of {batch}: {one:?}");
        assert!(one[2..].iter().all(|share| (50..=200).contains(share)), "batches of {batch}: {one:?}");
        let two = shares(&[500, 501].repeat(7), batch, 14 * 400);
        let sums = [0, 1].map(|which| two[2..].iter().skip(which).step_by(2).sum::<u32>());
        assert_eq!((two[0], two[1], sums), (1400, 1400, [1400; 2]), "batches of {batch}: {two:?}");
        let each: Vec<u16> = (500..514).collect();
        assert!(shares(&each, batch, 1600).iter().all(|&share| share == 100), "batches of {batch}");
    }
}

#[test]
fn what_cannot_be_a_pod_among_others_is_named() {
    let message = |pod: Pod, cores, pods| Attached::new(pod, cores, pods).expect_err("no pod").to_string();
    let pod = |ports| Pod::of_fat_tree(ports).expect("a pod");
    assert_eq!(
        message(pod(4), 0, 4),
        "a pod among others needs core switches and pods, not 0 core switches a plane and 4 pods"
    );
    assert_eq!(message(pod(4), 65, 4), "a switch has at most 64 links upwards, not 65");
    assert_eq!(
        message(Pod::whole_fat_tree(4).expect("a fat-tree"), 2, 4),
        "a pod of three tiers has its core switches inside: others cannot be above it"
    );
    assert_eq!(
        message(pod(4), 2, 65_535),
        "hosts and core switches, and hosts and pods, are at most 65534 together, not 65539"
    );
}
