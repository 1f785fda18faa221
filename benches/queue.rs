//! The event queue against the standard library's heap: hold `pending` events, take the first out, put one in some way ahead.
//!
//! `cargo bench -p benches --bench queue`

use benches::medians;
use engine::{Event, EventQueue, Rank, Seed};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use units::{Span, Time};

const OPERATIONS: usize = 1_000_000;

/// How far ahead of now events are put in, in picoseconds: as in a fabric, most one frame time and one delay, some a queue,
/// a few a timeout.
fn aheads(spread: u64) -> Vec<u64> {
    let mut stream = Seed(1).stream("bench", 0);
    let ahead = |_| match stream.below(100) {
        0 => 10_000_000_000 + stream.below(1_000_000),
        1..20 => spread * (1 + stream.below(100)),
        _ => spread + stream.below(1000),
    };
    (0..65_536).map(ahead).collect()
}

fn main() {
    println!("nanoseconds an operation (one out, one in), median of 7 rounds in turn");
    println!("{:>9}  {:>10}  {:>10}  {:>6}", "pending", "heap", "buckets", "ratio");
    for pending in [100, 1000, 10_000, 100_000, 1_000_000] {
        let aheads = aheads(8_200_000);
        let ahead = |i: usize| aheads[i % aheads.len()];
        let mut heap: BinaryHeap<Reverse<(u64, u32, u32)>> =
            (0..pending).map(|i| Reverse((ahead(i), i as u32, 0))).collect();
        // Mean distance ahead is about 20 spreads and 1 % of timeouts: what a fabric would estimate from its links.
        let mut queue = EventQueue::new(Span::from_ps(8_200_000 * 10 / pending as u64));
        for i in 0..pending {
            queue.push(Event { at: Time::from_ps(ahead(i)), rank: Rank::new(0, i as u32), slot: 0 });
        }
        let mut with_heap = || {
            for i in 0..OPERATIONS {
                let Reverse((at, rank, slot)) = heap.pop().expect("as many in as out");
                heap.push(Reverse((at + ahead(black_box(i)), rank, slot)));
            }
        };
        let mut with_buckets = || {
            for i in 0..OPERATIONS {
                let event = queue.pop().expect("as many in as out");
                queue.push(Event { at: event.at + Span::from_ps(ahead(black_box(i))), ..event });
            }
        };
        let [heap, buckets] = medians(7, [&mut with_heap, &mut with_buckets]);
        let ns = 1e9 / OPERATIONS as f64;
        println!("{pending:>9}  {:>10.1}  {:>10.1}  {:>6.2}", heap * ns, buckets * ns, heap / buckets);
    }
}
