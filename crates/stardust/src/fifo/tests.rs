//! Against the standard library's queues.

use super::*;
use proptest::prelude::*;

fn token(place: u32, kind: Kind) -> Token {
    Token::new(place, &Cell::control(kind, 0, 7, 24))
}

#[derive(Debug, Clone, Copy)]
enum Operation {
    Data,
    Control,
    Pop,
    Drain,
}

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let one = prop_oneof![
        8 => Just(Operation::Data),
        4 => Just(Operation::Control),
        9 => Just(Operation::Pop),
        1 => prop::bool::weighted(0.1).prop_map(|drain| if drain { Operation::Drain } else { Operation::Pop }),
    ];
    prop::collection::vec(one, 1..400)
}

proptest! {
    #[test]
    fn control_goes_before_data_and_each_in_its_order(operations in operations()) {
        let (mut fifo, mut control, mut data) = (Fifo::default(), VecDeque::new(), VecDeque::new());
        for (number, operation) in (0..).zip(operations) {
            match operation {
                Operation::Data => {
                    data.push_back(token(number, Kind::Data));
                    fifo.push(data[data.len() - 1]);
                }
                Operation::Control => {
                    control.push_back(token(number, Kind::Request));
                    fifo.push_control(control[control.len() - 1]);
                }
                Operation::Pop => {
                    if let Some(first) = control.pop_front().or_else(|| data.pop_front()) {
                        prop_assert_eq!(fifo.pop(), first);
                    }
                }
                Operation::Drain => {
                    prop_assert_eq!(fifo.drain(), control.drain(..).chain(data.drain(..)).collect::<Vec<_>>());
                }
            }
            prop_assert_eq!(fifo.control() as usize, control.len());
            prop_assert_eq!(fifo.data() as usize, data.len());
            prop_assert_eq!(fifo.len() as usize, control.len() + data.len());
            prop_assert!(fifo.iter().eq(control.iter().chain(&data).copied()));
        }
    }
}

#[test]
fn a_queue_fills_two_cache_lines() {
    assert_eq!(size_of::<Fifo>(), 128);
}

#[test]
fn flags_leave_a_token_where_it_is() {
    for (kind, control, local) in [
        (Kind::Data, false, false),
        (Kind::Request, true, false),
        (Kind::Credit, true, false),
        (Kind::Reachability, true, true),
    ] {
        let mut token = token(Token::PLACES - 1, kind);
        for indicated in [false, true] {
            assert_eq!((token.is_control(), token.is_local(), token.is_indicated()), (control, local, indicated));
            assert_eq!((token.place(), token.to, token.len), (Token::PLACES as usize - 1, 7, 24));
            token.indicate();
        }
    }
}

#[test]
#[should_panic(expected = "a cell leaves a queue that has one")]
fn nothing_leaves_an_empty_queue() {
    Fifo::default().pop();
}
