//! Water-filling against what defines it, and against another way to compute it.

use super::*;
use proptest::prelude::*;

fn filled(capacities: &[f64], crossings: &[Vec<u32>]) -> Vec<f64> {
    let mut rates = vec![f64::NAN; crossings.len()];
    Filling::default().fill(capacities, &rows(crossings), &mut rates);
    rates
}

fn rows(members: &[Vec<u32>]) -> Crossings {
    let mut crossings = Crossings::default();
    members.iter().for_each(|resources| crossings.push(resources));
    crossings
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// Raises all that can still rise by the least room that a resource leaves to each, again and again: as the book has it.
fn raised(capacities: &[f64], crossings: &[Vec<u32>]) -> Vec<f64> {
    let crosses = |member: usize, resource: usize| crossings[member].contains(&(resource as u32));
    let members = || 0..crossings.len();
    let mut rates = vec![0.0; crossings.len()];
    let mut rising = vec![true; crossings.len()];
    while rising.iter().any(|rising| *rising) {
        let room = |resource: usize, rates: &[f64], rising: &[bool]| {
            let used: f64 = members().filter(|member| crosses(*member, resource)).map(|member| rates[member]).sum();
            let users = members().filter(|member| rising[*member] && crosses(*member, resource)).count();
            (users > 0).then(|| (capacities[resource] - used) / users as f64)
        };
        let rooms: Vec<Option<f64>> = (0..capacities.len()).map(|resource| room(resource, &rates, &rising)).collect();
        let (tightest, step) = rooms
            .iter()
            .enumerate()
            .filter_map(|(resource, room)| room.map(|room| (resource, room)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap();
        members().filter(|member| rising[*member]).for_each(|member| rates[member] += step);
        let full = |resource: usize| resource == tightest || rooms[resource].is_some_and(|room| close(room, step));
        members()
            .filter(|member| (0..capacities.len()).any(|resource| full(resource) && crosses(*member, resource)))
            .for_each(|member| rising[member] = false);
    }
    rates
}

fn networks() -> impl Strategy<Value = (Vec<f64>, Vec<Vec<u32>>)> {
    (2_u32..12).prop_flat_map(|resources| {
        // One to four resources, in any order.
        let crossing = proptest::sample::subsequence((0..resources).collect::<Vec<_>>(), 1..=4.min(resources as usize));
        let crossing = crossing.prop_shuffle();
        // Equal capacities, so that resources fill together, or of three kinds.
        let capacities = prop_oneof![
            Just(vec![10.0; resources as usize]),
            proptest::collection::vec(prop_oneof![Just(1.0), Just(10.0), 0.5..100.0], resources as usize)
        ];
        (capacities, proptest::collection::vec(crossing, 1..60))
    })
}

proptest! {
    /// No resource carries more than it can, and every member has a bottleneck: a full resource where none has more than itself. This
    /// holds for max-min fair rates and for no others (Bertsekas and Gallager, §6.5.2).
    #[test]
    fn every_member_has_a_bottleneck((capacities, crossings) in networks()) {
        let rates = filled(&capacities, &crossings);
        let carried = |resource: u32| -> (f64, f64) {
            let there = crossings.iter().zip(&rates).filter(|(crossing, _)| crossing.contains(&resource));
            there.fold((0.0, 0.0), |(sum, most), (_, rate)| (sum + rate, rate.max(most)))
        };
        for (resource, capacity) in (0..).zip(&capacities) {
            prop_assert!(carried(resource).0 <= capacity * (1.0 + 1e-9), "resource {resource} carries too much");
        }
        for (crossing, rate) in crossings.iter().zip(&rates) {
            let is_bottleneck = |resource: &u32| {
                let (sum, most) = carried(*resource);
                close(sum, capacities[*resource as usize]) && close(most, *rate)
            };
            let found = crossing.iter().any(is_bottleneck);
            prop_assert!(found, "a member at {rate} has no bottleneck");
        }
    }

    #[test]
    fn it_is_what_raising_all_by_steps_leads_to((capacities, crossings) in networks()) {
        for (rate, expected) in filled(&capacities, &crossings).iter().zip(raised(&capacities, &crossings)) {
            prop_assert!(close(*rate, expected), "{rate} for {expected}");
        }
    }
}

#[test]
fn the_textbook_case() {
    // One long session over two links of 1, one session on the first, two on the second: 1/3, 2/3, 1/3, 1/3.
    let rates = filled(&[1.0, 1.0], &[vec![0, 1], vec![0], vec![1], vec![1]]);
    let expected = [1.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0];
    assert!(rates.iter().zip(expected).all(|(rate, expected)| close(*rate, expected)), "{rates:?}");
    assert!(filled(&[1.0], &[]).is_empty());
}

#[test]
fn a_filling_is_used_again() {
    let mut filling = Filling::default();
    let mut rates = [0.0; 3];
    filling.fill(&[6.0, 6.0], &rows(&[vec![0, 1], vec![0], vec![1]]), &mut rates);
    assert_eq!(rates, [3.0, 3.0, 3.0]);
    let mut fewer = [0.0; 1];
    filling.fill(&[4.0], &rows(&[vec![0]]), &mut fewer);
    assert_eq!(fewer, [4.0]);
}

#[test]
fn members_come_and_go() {
    let mut crossings = rows(&[vec![0], vec![1, 2]]);
    crossings.push(&[2, 0, 1]);
    crossings.swap_remove(0);
    let found: Vec<Vec<u32>> = (0..crossings.len()).map(|member| crossings.of(member).collect()).collect();
    assert_eq!(found, [vec![2, 0, 1], vec![1, 2]]);
    crossings.swap_remove(1);
    crossings.swap_remove(0);
    assert!(crossings.is_empty());
}
