//! A stack of a few hosts, and hostile pipes between them.

use engine::{Event, EventQueue, Rank, Seed, Stream};
use fabric::{Fate, Frame, Kind};
use host::{Actions, Arrival, Message, Stack, Timer};
use proptest::prelude::*;
use transport::Config;
use units::{Bytes, Rate, Span, Time};

/// What pipes do to frames.
#[derive(Debug, Clone)]
pub(crate) struct Pipes {
    /// Probability that a frame is lost.
    pub(crate) loss: f64,
    /// Probability that a frame that may be trimmed is.
    pub(crate) trim: f64,
    /// Probability that a trimmed frame is sent back.
    pub(crate) back: f64,
    /// Probability that a frame comes twice.
    pub(crate) twice: f64,
    /// Frames take 10 us and up to this much more, each its own.
    pub(crate) jitter: Span,
    /// On this path of their source's choice frames that may be trimmed always are.
    pub(crate) slow: Option<u32>,
    /// What chance depends on.
    pub(crate) seed: u64,
}

impl Pipes {
    /// That do nothing to frames.
    pub(crate) fn perfect() -> Pipes {
        Pipes { loss: 0.0, trim: 0.0, back: 0.0, twice: 0.0, jitter: Span::ZERO, slow: None, seed: 1 }
    }
}

/// Pipes of all kinds, for property tests.
pub(crate) fn pipes() -> impl Strategy<Value = Pipes> {
    let loss = prop_oneof![Just(0.0), 0.0..0.2_f64];
    (loss, 0.0..0.6_f64, 0.0..0.5_f64, 0.0..0.2_f64, 0_u64..50, any::<u64>()).prop_map(
        |(loss, trim, back, twice, jitter, seed)| Pipes {
            loss,
            trim,
            back,
            twice,
            jitter: Span::from_us(jitter),
            slow: None,
            seed,
        },
    )
}

const FRAME: u8 = 0;
const INTERFACE: u8 = 1;
const TIMER: u8 = 2;

/// Something that was seen: when, and a frame that left or arrived.
pub(crate) type Seen = (Time, Frame);

/// The stack, its pipes, and what was seen.
pub(crate) struct World {
    pub(crate) stack: Stack,
    pub(crate) now: Time,
    /// Frames that hosts sent, control frames too.
    pub(crate) sent: Vec<Seen>,
    /// Bytes delivered, by place.
    pub(crate) delivered: Vec<Bytes>,
    queue: EventQueue,
    frames: Vec<Frame>,
    timers: Vec<Timer>,
    chance: Stream,
    pipes: Pipes,
    actions: Actions,
    /// Hosts whose interface will ask again.
    asking: Vec<bool>,
}

/// The rate of every host's interface.
pub(crate) const RATE: Rate = Rate::from_gbps(10);
/// The largest packet.
pub(crate) const MTU: Bytes = Bytes::new(1500);

impl World {
    pub(crate) fn new(hosts: u32, protocol: Config, pipes: Pipes) -> World {
        World::of(hosts, vec![protocol], pipes)
    }

    /// Hosts that run several protocols.
    pub(crate) fn of(hosts: u32, protocols: Vec<Config>, pipes: Pipes) -> World {
        let pace = |_| RATE.time_for(MTU);
        World {
            stack: Stack::new(hosts, protocols, MTU, Seed(pipes.seed), pace),
            now: Time::ZERO,
            sent: Vec::new(),
            delivered: Vec::new(),
            queue: EventQueue::new(Span::from_us(1)),
            frames: Vec::new(),
            timers: Vec::new(),
            chance: Seed(pipes.seed).stream("pipes", 0),
            pipes,
            actions: Actions::default(),
            asking: vec![false; hosts as usize],
        }
    }

    /// A message, now, by the first protocol.
    pub(crate) fn send(&mut self, src: u32, dst: u32, bytes: u64, paths: u32) -> u32 {
        self.send_by(0, src, dst, bytes, paths)
    }

    /// A message, now, by this protocol.
    pub(crate) fn send_by(&mut self, protocol: u16, src: u32, dst: u32, bytes: u64, paths: u32) -> u32 {
        let bytes = Bytes::new(bytes);
        let (hops, round_trip) = (1, Span::from_us(20));
        let message = Message { src, dst, bytes, entropy: 7, priority: 0, paths, hops, round_trip, protocol };
        let place = self.stack.open(&message);
        self.delivered.push(Bytes::ZERO);
        self.ask(src);
        place
    }

    fn ask(&mut self, host: u32) {
        if !std::mem::replace(&mut self.asking[host as usize], true) {
            self.queue.push(Event { at: self.now, rank: Rank::new(INTERFACE, host), slot: 0 });
        }
    }

    fn act(&mut self) {
        for frame in std::mem::take(&mut self.actions.frames) {
            self.carry(frame);
        }
        for timer in std::mem::take(&mut self.actions.timers) {
            let slot = self.timers.len() as u32;
            self.timers.push(timer);
            self.queue.push(Event { at: timer.at, rank: Rank::new(TIMER, slot), slot });
        }
        if let Some(host) = self.actions.wakes.take() {
            self.ask(host);
        }
    }

    fn carry(&mut self, mut frame: Frame) {
        self.sent.push((self.now, frame));
        let Pipes { loss, trim, back, twice, jitter, slow, .. } = self.pipes;
        let on_slow = slow == Some(frame.path);
        if frame.fate == Fate::Trimmable && (self.chance.unit() < trim || on_slow) {
            frame.trim(64);
            if self.chance.unit() < back {
                frame.turn_back();
            }
        }
        let copies = if self.chance.unit() < loss { 0 } else { 1 + u32::from(self.chance.unit() < twice) };
        for _ in 0..copies {
            let late = Span::from_ps(self.chance.below(jitter.as_ps() + 1));
            let slot = self.frames.len() as u32;
            self.frames.push(frame);
            let at = self.now + Span::from_us(10) + late;
            self.queue.push(Event { at, rank: Rank::new(FRAME, slot), slot });
        }
    }

    /// The next thing that happens; false if nothing does.
    pub(crate) fn step(&mut self) -> bool {
        let Some(event) = self.queue.pop() else { return false };
        self.now = event.at;
        match event.rank.kind() {
            FRAME => {
                let frame = self.frames[event.slot as usize];
                if let Arrival::Data { delivered, new } = self.stack.receive(self.now, frame, &mut self.actions) {
                    let before = &mut self.delivered[frame.flow as usize];
                    assert_eq!(*before + new, delivered, "what is new is what was not there");
                    *before = delivered;
                }
                self.act();
            }
            INTERFACE => {
                let host = event.rank.device();
                self.asking[host as usize] = false;
                while self.stack.next(host).is_some() {
                    let frame = self.stack.transmit(self.now, host, &mut self.actions);
                    self.act();
                    if let Some(frame) = frame {
                        assert!(u64::from(frame.len) <= MTU.get(), "a packet is too long: {frame:?}");
                        self.carry(frame);
                        self.asking[host as usize] = true;
                        let at = self.now + RATE.time_for(Bytes::new(u64::from(frame.len)));
                        self.queue.push(Event { at, rank: Rank::new(INTERFACE, host), slot: 0 });
                        break;
                    }
                }
            }
            _ => {
                self.stack.expire(self.timers[event.slot as usize], &mut self.actions);
                self.act();
            }
        }
        true
    }

    /// Until nothing happens any more.
    ///
    /// # Panics
    /// If that never is.
    pub(crate) fn run(&mut self) {
        let mut steps = 0_u32;
        while self.step() {
            steps += 1;
            assert!(steps < 2_000_000, "it does not end");
        }
    }

    /// Frames of a kind that left `host`.
    pub(crate) fn sent_by(&self, host: u32, kind: Kind) -> Vec<Seen> {
        self.sent.iter().filter(|(_, frame)| frame.src == host && frame.kind == kind).copied().collect()
    }

    /// No two pulls of a host are closer than a full packet takes on its link.
    pub(crate) fn pulls_are_paced(&self, host: u32) -> bool {
        let pulls = self.sent_by(host, Kind::Pull);
        pulls.windows(2).all(|pair| pair[1].0.since(pair[0].0) >= RATE.time_for(MTU))
    }
}
