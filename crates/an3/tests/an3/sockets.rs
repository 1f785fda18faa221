//! Sockets over the network: many at once, suspended, closed, over links that fail.

use crate::lab::mesh;
use an3::{An3, Config, Failure, OpenError, SendError, Socket, SocketEvent, Told};
use engine::{EventQueue, Seed};
use fabric::{Fault, Frame, Network};
use proptest::prelude::*;
use std::collections::BTreeMap;
use units::{Span, Time};

/// A network, its events, and what its clients do and have seen.
struct Lab {
    network: An3,
    queue: EventQueue,
    now: Time,
    told: Vec<(Time, Told)>,
    /// By socket: the sequence numbers that have come.
    received: BTreeMap<Socket, Vec<u64>>,
}

fn frame([src, dst]: [u32; 2], sequence: u64, len: u32) -> Frame {
    Frame { src, dst, sequence, len, ..Frame::EMPTY }
}

impl Lab {
    fn new(config: &Config) -> Lab {
        let network = An3::new(config, &mesh(2, 1, 4), Seed(1)).unwrap();
        let queue = EventQueue::new(network.event_gap());
        Lab { network, queue, now: Time::ZERO, told: Vec::new(), received: BTreeMap::new() }
    }

    fn open(&mut self, ends: [u32; 2], token: u64) -> Socket {
        self.network.open_socket(ends, token, Some(Span::from_ms(5))).unwrap()
    }

    fn send(&mut self, socket: Socket, frame: Frame) -> Result<(), SendError> {
        self.network.send(self.now, socket, frame, &mut self.queue)
    }

    fn close(&mut self, socket: Socket) -> Result<(), SendError> {
        self.network.close_socket(self.now, socket, &mut self.queue)
    }

    fn fault(&mut self, fault: Fault) {
        self.network.fault(self.now, fault, &mut self.queue);
        self.hear();
    }

    /// Clients read what there is.
    fn hear(&mut self) {
        while let Some(told) = self.network.poll_socket() {
            self.told.push((self.now, told));
            if let SocketEvent::Readable(count) = told.event {
                let frames: Vec<Frame> = std::iter::from_fn(|| self.network.receive(told.socket)).collect();
                assert!(frames.len() <= count as usize, "no more is read than was told");
                self.received.entry(told.socket).or_default().extend(frames.iter().map(|frame| frame.sequence));
            }
        }
    }

    /// Until nothing is left to happen, or this time.
    fn run(&mut self, until: Span) {
        let until = Time::ZERO + until;
        while self.queue.next_at().is_some_and(|next| next <= until) {
            let event = self.queue.pop().unwrap();
            self.now = event.at;
            assert!(self.network.handle(event, &mut self.queue).is_none(), "the frame service has nothing to do");
            self.network.check();
            self.hear();
        }
        self.now = self.now.max(until);
    }

    fn told_to(&self, token: u64) -> Vec<SocketEvent> {
        self.told.iter().filter(|(_, told)| told.token == token).map(|(_, told)| told.event).collect()
    }

    fn counter(&self, name: &str) -> f64 {
        self.network.counters().iter().find(|counter| counter.name == name).unwrap().value
    }
}

#[test]
fn more_sockets_than_circuits() {
    // One circuit at a time may begin at a NIC. Fifty sockets of 20 KB each, which is 2.5 chunks.
    let mut lab = Lab::new(&Config { circuits: 1, hold: 1, ..Config::default() });
    let sockets: Vec<Socket> = (0..50).map(|token| lab.open([0, 5], token)).collect();
    for (socket, token) in sockets.iter().zip(0..) {
        for part in 0..4 {
            lab.send(*socket, frame([0, 5], token * 10 + part, 5000)).unwrap();
        }
        lab.close(*socket).unwrap();
    }
    lab.run(Span::from_ms(400));
    for (socket, token) in sockets.iter().zip(0..) {
        let expected: Vec<u64> = (0..4).map(|part| token * 10 + part).collect();
        assert_eq!(lab.received[socket], expected, "whole and in order, though it was suspended");
        assert_eq!(
            lab.told_to(token).iter().rev().take(2).collect::<Vec<_>>(),
            [&SocketEvent::Closed, &SocketEvent::Ended]
        );
        assert_eq!(lab.send(*socket, frame([0, 5], 0, 1)), Err(SendError::Gone));
    }
    // Each was suspended after its first chunk and after its second; nothing that had been sent was sent again.
    assert_eq!((lab.counter("circuits given up for others that wait"), lab.counter("chunks sent again")), (100.0, 0.0));
    assert_eq!(lab.counter("cells of data"), 50.0 * 4.0 * 79.0);
    assert_eq!(lab.network.slots_taken(), 0);
}

#[test]
fn room_is_told_and_the_end_after_all_else() {
    let mut lab = Lab::new(&Config { buffer: units::Bytes::new(10_000), growth: false, ..Config::default() });
    let socket = lab.open([1, 6], 3);
    let mut sent = 0;
    while lab.send(socket, frame([1, 6], sent, 1500)) == Ok(()) {
        sent += 1;
    }
    assert_eq!(sent, 7, "as many as begin below 10 KB");
    lab.run(Span::from_us(200));
    assert_eq!(lab.told_to(3), [SocketEvent::Writable]);
    assert_eq!(lab.send(socket, frame([1, 6], sent, 1500)), Ok(()));
    // A chunk of 128 cells has 5.3 frames of 24 cells each, and lasts 0.94 ms.
    lab.run(Span::from_us(1200));
    assert_eq!(lab.received[&socket], [0, 1, 2, 3, 4]);
    lab.run(Span::from_ms(5));
    assert_eq!(lab.told_to(3).last(), Some(&SocketEvent::Idle));
    lab.close(socket).unwrap();
    assert_eq!(lab.close(socket), Err(SendError::Closed));
    lab.run(Span::from_ms(6));
    assert_eq!(lab.told_to(3)[lab.told_to(3).len() - 2..], [SocketEvent::Ended, SocketEvent::Closed]);
    assert_eq!(lab.received[&socket], [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_destination_that_fails_is_told_of() {
    let mut lab = Lab::new(&Config::default());
    let [dead, well] = [lab.open([0, 5], 1), lab.open([0, 6], 2)];
    for (socket, to) in [(dead, 5), (well, 6)] {
        (0..20).for_each(|sequence| lab.send(socket, frame([0, to], sequence, 3000)).unwrap());
    }
    lab.run(Span::from_us(300));
    lab.fault(Fault::Node { node: 5, up: false });
    lab.run(Span::from_ms(30));
    assert_eq!(lab.told_to(1).last(), Some(&SocketEvent::Failed(Failure::Unreachable)));
    let (when, _) = lab.told.iter().find(|(_, told)| matches!(told.event, SocketEvent::Failed(_))).unwrap();
    let waited = when.since(Time::ZERO + Span::from_us(300));
    assert!(waited > Span::from_ms(5) && waited < Span::from_ms(7), "{waited}");
    let back = lab.network.take_back(dead);
    let came = lab.received.get(&dead).map_or(0, Vec::len);
    let expected: Vec<u64> = (came as u64..20).collect();
    assert_eq!(back.iter().map(|frame| frame.sequence).collect::<Vec<_>>(), expected, "all that has not come");
    assert_eq!(lab.received[&well], (0..20).collect::<Vec<u64>>(), "others do not suffer");
    lab.network.check();
    assert_eq!(lab.network.open_socket([5, 1], 0, None), Err(OpenError::Down { host: 5 }));
    assert_eq!(lab.network.open_socket([1, 9], 0, None), Err(OpenError::NoHost { host: 9, hosts: 8 }));
    assert_eq!(lab.network.open_socket([1, 1], 0, None), Err(OpenError::Itself { host: 1 }));
}

/// What a client does at some time.
#[derive(Debug, Clone)]
enum Step {
    Open(u32, u32),
    Send(usize, u32),
    Close(usize),
    Break(u32, bool),
    Errors(u32),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0_u32..8, 0_u32..8).prop_map(|(from, to)| Step::Open(from, to)),
        12 => (any::<usize>(), 1_u32..12_000).prop_map(|(which, len)| Step::Send(which, len)),
        3 => any::<usize>().prop_map(Step::Close),
        1 => (any::<u32>(), prop::bool::weighted(0.3)).prop_map(|(part, is_node)| Step::Break(part, is_node)),
        1 => any::<u32>().prop_map(Step::Errors),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever is opened, sent and closed when, and whatever breaks: what was sent is received whole, in order and once, with the end after it, or the client is told.
    #[test]
    fn all_is_received_in_order_and_once_or_the_client_is_told(
        steps in proptest::collection::vec((step(), 0_u64..300), 1..120),
        (chunk, circuits, hold, growth) in (1_u32..129, 1_u32..9, 1_u32..40, any::<bool>()),
    ) {
        let mut lab = Lab::new(&Config { chunk, circuits, hold, growth, ..Config::default() });
        let links = mesh(2, 1, 4).links().len() as u32;
        let nodes = 8 + 4;
        // By socket: its ends, what was sent, whether it was closed.
        let mut sockets: Vec<(Socket, [u32; 2], Vec<u64>, bool)> = Vec::new();
        let mut broken = Vec::new();
        let mut until = Span::ZERO;
        for (step, wait) in steps {
            until += Span::from_us(wait);
            lab.run(until);
            match step {
                Step::Open(from, to) => {
                    if let Ok(socket) = lab.network.open_socket([from, to], sockets.len() as u64, Some(Span::from_ms(2))) {
                        sockets.push((socket, [from, to], Vec::new(), false));
                    }
                }
                Step::Send(which, len) => {
                    let count = sockets.len().max(1);
                    if let Some((socket, ends, sent, is_closed)) = sockets.get_mut(which % count) {
                        let sequence = sent.len() as u64;
                        match lab.send(*socket, frame(*ends, sequence, len)) {
                            Ok(()) => sent.push(sequence),
                            Err(SendError::Closed) => prop_assert!(*is_closed),
                            Err(SendError::Full | SendError::Gone) => {}
                        }
                    }
                }
                Step::Close(which) => {
                    let count = sockets.len().max(1);
                    if let Some((socket, _, _, is_closed)) = sockets.get_mut(which % count) {
                        *is_closed |= lab.close(*socket).is_ok();
                    }
                }
                Step::Break(part, is_node) => {
                    let fault = |up| match is_node {
                        true => Fault::Node { node: part % nodes, up },
                        false => Fault::Link { link: part % links, up },
                    };
                    if !broken.contains(&fault(true)) {
                        broken.push(fault(true));
                        lab.fault(fault(false));
                    }
                    if broken.len() > 3 {
                        let repaired = broken.remove(0);
                        lab.fault(repaired);
                    }
                }
                Step::Errors(link) => lab.fault(Fault::BitErrors { link: link % links, rate: 1e-6 }),
            }
        }
        // Half of the time everything is repaired in the end.
        if chunk % 2 == 0 {
            broken.into_iter().for_each(|fault| lab.fault(fault));
        }
        lab.run(until + Span::from_ms(1000));
        for (number, (socket, ends, sent, is_closed)) in sockets.iter().enumerate() {
            let told = lab.told_to(number as u64);
            let came = lab.received.get(socket).cloned().unwrap_or_default();
            prop_assert_eq!(&came[..], &sent[..came.len()], "in order, once, from {:?}", ends);
            let has_failed = told.iter().any(|event| matches!(event, SocketEvent::Failed(_)));
            let count = |event: SocketEvent| told.iter().filter(|other| **other == event).count();
            if has_failed {
                let back: Vec<u64> = lab.network.take_back(*socket).iter().map(|frame| frame.sequence).collect();
                prop_assert_eq!(&back[..], &sent[came.len()..], "what has not come is given back");
                prop_assert_eq!(count(SocketEvent::Closed), 0);
            } else {
                prop_assert_eq!(came.len(), sent.len(), "all of {:?} has come: {:?}", ends, told);
                prop_assert_eq!((count(SocketEvent::Ended), count(SocketEvent::Closed)), (usize::from(*is_closed), usize::from(*is_closed)));
                prop_assert!(*is_closed || sent.is_empty() || told.last() == Some(&SocketEvent::Idle), "{:?}", told);
            }
        }
        lab.network.check();
        let totals = lab.network.totals();
        prop_assert_eq!((totals.in_flight, totals.offered), (0, totals.delivered + totals.lost));
    }
}
