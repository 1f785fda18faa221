//! What every transport must do, as a check that its tests call.

use crate::{Connection, Receiver, Sender, Transport};
use engine::{Event, EventQueue, Rank, Seed};
use fabric::conformance::{Recorder, never_early};
use fabric::{Device, Ecn, Frame, Port};
use proptest::prelude::*;
use std::fmt::Debug;
use units::{Bytes, Rate, Span, Time};

/// A message and a pair of hostile pipes.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The message.
    pub bytes: u64,
    /// Probability that a frame is lost, each way.
    pub loss: f64,
    /// Probability that a frame is marked, if it may be.
    pub mark: f64,
    /// Probability that a frame comes twice.
    pub twice: f64,
    /// Frames take 10 us and up to this much more, each its own: order is not kept.
    pub jitter: Span,
    /// What chance depends on.
    pub seed: u64,
}

/// Trials of all kinds, for property tests.
pub fn trials() -> impl Strategy<Value = Trial> {
    let losses = prop_oneof![Just(0.0), 0.0..0.3_f64];
    (1_u64..200_000, losses, 0.0..1.0_f64, 0.0..0.2_f64, 0_u64..100, any::<u64>()).prop_map(
        |(bytes, loss, mark, twice, jitter, seed)| Trial {
            bytes,
            loss,
            mark,
            twice,
            jitter: Span::from_us(jitter),
            seed,
        },
    )
}

/// Of the sender's interface.
const RATE: Rate = Rate::from_gbps(1);

const FRAME: u8 = 0;
const INTERFACE: u8 = 1;
const TIMER: u8 = 2;

/// Both ends of a connection, the pipes between them, and what was seen.
struct World<T: Transport> {
    sender: T::Sender,
    receiver: T::Receiver,
    queue: EventQueue,
    frames: Vec<Frame>,
    chance: engine::Stream,
    trial: Trial,
    mtu: u64,
    /// The sender's interface will ask again.
    asking: bool,
    /// The deadlines of sender and receiver that an event is pending for.
    deadlines: [Option<Time>; 2],
}

/// Carries a message through the trial's pipes and checks that all of it arrives, once; that what was delivered never goes
/// back; that no packet is too long; that early and repeated expiry does nothing; that the sender falls silent in the end.
///
/// # Panics
/// If the transport does otherwise.
pub fn delivers<T>(transport: &T, trial: Trial)
where
    T: Transport,
    T::Sender: Clone + Debug,
    T::Receiver: Clone + Debug,
{
    let mtu = Bytes::new(1040);
    let bytes = Bytes::new(trial.bytes);
    let pace = RATE.time_for(mtu);
    let (hops, round_trip) = (1, Span::from_us(20) + pace);
    let (entropy, priority) = (9, 0);
    let connection = Connection {
        flow: 3,
        epoch: 1,
        src: 0,
        dst: 1,
        bytes,
        entropy,
        priority,
        paths: 1,
        mtu,
        pace,
        hops,
        round_trip,
    };
    let (sender, receiver) = transport.open(&connection);
    let queue = EventQueue::new(Span::from_us(1));
    let chance = Seed(trial.seed).stream("conformance", 0);
    let mut world = World::<T> {
        sender,
        receiver,
        queue,
        frames: Vec::new(),
        chance,
        trial,
        mtu: mtu.get(),
        asking: false,
        deadlines: [None; 2],
    };
    world.ask(Time::ZERO);
    let mut delivered = Bytes::ZERO;
    let mut steps = 0_u64;
    while let Some(event) = world.queue.pop() {
        world.step(event);
        never_early(&world.sender, event.at);
        never_early(&world.receiver, event.at);
        let now_delivered = world.receiver.delivered();
        assert!(delivered <= now_delivered && now_delivered <= bytes, "{delivered}, then {now_delivered} of {bytes}");
        delivered = now_delivered;
        steps += 1;
        assert!(steps < 1_000_000, "it does not end");
    }
    assert_eq!(delivered, bytes, "not everything arrived: {}", world.sender.state());
    assert!(world.sender.is_done(), "the sender does not know that everything arrived");
    assert_eq!((world.sender.deadline(), world.receiver.deadline()), (None, None), "a timer is left");
}

impl<T: Transport> World<T> {
    fn ask(&mut self, at: Time) {
        if !std::mem::replace(&mut self.asking, true) {
            self.queue.push(Event { at, rank: Rank::new(INTERFACE, 0), slot: 0 });
        }
    }

    fn step(&mut self, event: Event) {
        let now = event.at;
        let mut env = Recorder::default();
        match event.rank.kind() {
            FRAME => {
                let frame = self.frames[event.slot as usize];
                if frame.kind.is_from_sender() {
                    self.receiver.receive(now, Port(0), frame, &mut env);
                } else {
                    self.sender.receive(now, Port(0), frame, &mut env);
                }
            }
            INTERFACE => {
                self.asking = false;
                if let Some(frame) = self.sender.transmit(now, Port(0), &mut env) {
                    assert!(u64::from(frame.len) <= self.mtu, "a packet is too long: {frame:?}");
                    assert_eq!((frame.flow, frame.epoch, frame.src, frame.dst), (3, 1, 0, 1));
                    self.carry(now, frame);
                    self.ask(now + RATE.time_for(Bytes::new(u64::from(frame.len))));
                }
            }
            _ => {}
        }
        self.sender.expire(now, &mut env);
        self.receiver.expire(now, &mut env);
        while let Some(frame) = self.receiver.transmit(now, Port(0), &mut env) {
            self.carry(now, frame);
        }
        if !env.woken.is_empty() {
            self.ask(now);
        }
        let deadlines = [self.sender.deadline(), self.receiver.deadline()];
        for (at, known) in deadlines.into_iter().zip(self.deadlines) {
            if let Some(at) = at.filter(|_| at != known) {
                self.queue.push(Event { at, rank: Rank::new(TIMER, 0), slot: 0 });
            }
        }
        self.deadlines = deadlines;
    }

    fn carry(&mut self, now: Time, mut frame: Frame) {
        let Trial { loss, mark, twice, jitter, .. } = self.trial;
        if frame.ecn == Ecn::Capable && self.chance.unit() < mark {
            frame.ecn = Ecn::Marked;
        }
        let copies = if self.chance.unit() < loss { 0 } else { 1 + u32::from(self.chance.unit() < twice) };
        for _ in 0..copies {
            let late = Span::from_ps(self.chance.below(jitter.as_ps() + 1));
            let slot = self.frames.len() as u32;
            self.frames.push(frame);
            self.queue.push(Event { at: now + Span::from_us(10) + late, rank: Rank::new(FRAME, slot), slot });
        }
    }
}
