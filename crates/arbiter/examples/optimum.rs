//! How far from the optimum slots are in a pod whose core switches take part: against the exact optimum in small pods, and against
//! a linear program in larger ones; and how far that program is from the optimum.
//!
//! `cargo run --release -p arbiter --example optimum`

#![allow(clippy::print_stdout, reason = "it prints a table")]

use arbiter::allocation::Policy;
use arbiter::interpod::{Attached, Core, Demand, InterPod, optimum};
use arbiter::{Pod, Slot};
use std::collections::BTreeSet;

/// SplitMix64 (Steele, Lea and Flood, 2014): the same numbers everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % u64::from(bound)) as u32
    }
}

/// Different demands, of each kind as often as its weight says.
fn demands(attached: &Attached, count: usize, weights: [u32; 3], random: &mut Random) -> Vec<Demand> {
    let cores: Vec<Core> = attached.cores().collect();
    let hosts = u32::from(attached.pod().hosts());
    let mut seen = BTreeSet::new();
    let mut list = Vec::new();
    while list.len() < count {
        let (source, destination) = (random.below(hosts) as u16, random.below(hosts) as u16);
        let kind = random.below(weights.iter().sum());
        let demand = if kind < weights[0] {
            Demand::Within { source, destination }
        } else if kind < weights[0] + weights[1] {
            Demand::Out { source, pod: random.below(attached.pods().into()) as u16 }
        } else {
            Demand::In { core: cores[random.below(cores.len() as u32) as usize], destination }
        };
        if source != destination && seen.insert(demand) {
            list.push(demand);
        }
    }
    list
}

fn main() {
    let mixes = [("within", [1, 0, 0]), ("half within", [2, 1, 1]), ("thirds", [1, 1, 1]), ("in and out", [0, 1, 1])];
    println!("transfers of one slot, of what is possible at most\n");
    println!("| pod | mix | demands | cases | mean | worst | optimum in |");
    println!("|---|---|---|---|---|---|---|");
    let small = [
        (Attached::of_fat_tree(4), 10, 10_000),
        (Attached::of_fat_tree(6), 14, 2_000),
        (Pod::two_tiers(4, 2, 2).and_then(|pod| Attached::new(pod, 2, 4)), 14, 2_000),
    ];
    for (attached, count, cases) in small {
        let attached = attached.expect("a pod");
        for (mix, weights) in mixes {
            compare(&attached, (mix, weights, count, cases), |attached, demands| {
                optimum::exact(attached, demands) as f64
            });
        }
    }
    println!("\nof a linear program\n");
    println!("| pod | mix | demands | cases | mean | worst | bound in |");
    println!("|---|---|---|---|---|---|---|");
    for (ports, cases) in [(4, 10_000), (6, 2_000), (8, 100), (16, 25)] {
        let attached = Attached::of_fat_tree(ports).expect("a pod");
        for (mix, weights) in mixes {
            for each in if ports == 8 { vec![1, 4] } else { vec![1] } {
                let count = match (ports, each) {
                    (4, _) => 10,
                    (6, _) => 14,
                    _ => usize::from(attached.pod().hosts()) * each,
                };
                compare(&attached, (mix, weights, count, cases), optimum::linear);
            }
        }
    }
    println!("\nof a bound by maximum flow\n");
    println!("| pod | mix | demands | cases | mean | worst | bound in |");
    println!("|---|---|---|---|---|---|---|");
    for ports in [8, 16] {
        let attached = Attached::of_fat_tree(ports).expect("a pod");
        for (mix, weights) in mixes {
            for each in [1, 4] {
                let count = usize::from(attached.pod().hosts()) * each;
                let flow = |attached: &Attached, demands: &[Demand]| optimum::bound(attached, demands) as f64;
                compare(&attached, (mix, weights, count, 400 / ports as usize), flow);
            }
        }
    }
}

fn compare(
    attached: &Attached,
    (mix, weights, count, cases): (&str, [u32; 3], usize, usize),
    best: impl Fn(&Attached, &[Demand]) -> f64,
) {
    let mut random = Random(1);
    let (mut sum, mut worst, mut met) = (0.0, f64::INFINITY, 0);
    for _ in 0..cases {
        let demands = demands(attached, count, weights, &mut random);
        let mut arbiter = InterPod::new(attached, Policy::MaxMin, 1, Slot(0));
        demands.iter().for_each(|&demand| arbiter.add(demand, 1));
        let (given, best) = (arbiter.next_slot().1.len(), best(attached, &demands));
        let ratio = given as f64 / best;
        sum += ratio;
        worst = ratio.min(worst);
        met += usize::from(given as f64 + 1e-6 >= best);
    }
    println!(
        "| {} | {mix} | {count} | {cases} | {:.3} | {worst:.3} | {:.0} % |",
        attached.pod(),
        sum / cases as f64,
        100.0 * met as f64 / cases as f64
    );
}
