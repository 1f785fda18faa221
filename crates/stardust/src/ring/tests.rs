//! Against the standard library's queue.

use super::*;
use proptest::prelude::*;
use std::collections::VecDeque;

fn cell(sequence: u32) -> Cell {
    Cell { sequence, ..Cell::EMPTY }
}

#[derive(Debug, Clone, Copy)]
enum Operation {
    Push,
    Pop,
    /// Takes the first so many out and puts them at the end.
    Turn(u8),
    Write(u8),
    Drain,
}

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let one = prop_oneof![
        6 => Just(Operation::Push),
        4 => Just(Operation::Pop),
        1 => any::<u8>().prop_map(Operation::Turn),
        1 => any::<u8>().prop_map(Operation::Write),
        1 => prop::bool::weighted(0.05).prop_map(|drain| if drain { Operation::Drain } else { Operation::Push }),
    ];
    prop::collection::vec(one, 1..300)
}

proptest! {
    #[test]
    fn a_ring_is_a_queue(operations in operations()) {
        let (mut ring, mut queue) = (Ring::default(), VecDeque::new());
        for (number, operation) in (0..).zip(operations) {
            match operation {
                Operation::Push => {
                    ring.push(cell(number));
                    queue.push_back(cell(number));
                }
                Operation::Pop => {
                    if let Some(first) = queue.pop_front() {
                        prop_assert_eq!(ring.pop(), first);
                    }
                }
                Operation::Turn(times) => {
                    for _ in 0..u32::from(times).min(ring.len()) {
                        let first = ring.pop();
                        ring.push(first);
                        queue.rotate_left(1);
                    }
                }
                Operation::Write(place) => {
                    if let Some(there) = queue.get_mut(usize::from(place)) {
                        *there = cell(number);
                        *ring.at_mut(u32::from(place)) = cell(number);
                    }
                }
                Operation::Drain => prop_assert_eq!(ring.drain(), queue.drain(..).collect::<Vec<_>>()),
            }
            prop_assert_eq!(ring.len() as usize, queue.len());
            prop_assert_eq!(ring.is_empty(), queue.is_empty());
            prop_assert!(ring.iter().eq(queue.iter()));
            prop_assert!(queue.iter().enumerate().all(|(place, cell)| ring.at(place as u32) == cell));
        }
    }
}

#[test]
#[should_panic(expected = "a cell leaves a queue that has one")]
fn nothing_leaves_an_empty_ring() {
    Ring::default().pop();
}
