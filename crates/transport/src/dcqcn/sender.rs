//! The sending end: packets at the rate that [`RateControl`] allows, and go-back-N as a reliable connection of RoCEv2 has it (InfiniBand Architecture
//! Specification, vol. 1, §9.7): cumulative acknowledgements for packets that ask for one, a refusal that names the first byte that is missing, and a
//! timeout.

use super::RateControl;
use crate::config::Dcqcn;
use crate::{Connection, Counters, Sender};
use fabric::{Device, Ecn, Env, Frame, Kind, Port};
use units::{Rate, Span, Time, bounds};

/// The sending end of a connection of DCQCN.
#[derive(Debug, Clone)]
pub struct DcqcnSender {
    connection: Connection,
    header: u32,
    payload: u32,
    ack_every: u32,
    /// Packets since one asked for an acknowledgement.
    unasked: u32,
    rate: RateControl,
    /// When the next packet may go.
    next_at: Time,
    state: State,
    /// First byte that is not acknowledged.
    una: u64,
    /// First byte to send next.
    next: u64,
    /// First byte that was never sent.
    sent: u64,
    timeout: Span,
    /// When an acknowledgement was last asked for.
    asked: Time,
    /// When something new was last acknowledged, or the first packet went that is not.
    heard: Time,
    counters: Counters,
}

/// What a sender waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Its turn at the interface.
    Turn,
    /// The time at which its next packet may go.
    Pace,
    /// An acknowledgement, or that it is late: everything was sent.
    Answer,
}

/// Of a timeout, the part after which an acknowledgement is asked for in any case, so that a slow flow hears of something before its time is up.
const PATIENCE: u64 = 4;

impl DcqcnSender {
    pub(super) fn new(connection: &Connection, config: &Dcqcn) -> DcqcnSender {
        let header = config.header.get() as u32;
        // Bits of packets that the interface takes in a second, what they take on the wire beside that left out.
        let line = connection.mtu.bits() * 1_000_000_000_000 / u128::from(connection.pace.as_ps().max(1));
        let line = u64::try_from(line).map_or(bounds::RATE, |bps| Rate::from_bps(bps).min(bounds::RATE));
        DcqcnSender {
            connection: *connection,
            header,
            payload: connection.mtu.get() as u32 - header,
            ack_every: config.ack_every,
            unasked: 0,
            rate: RateControl::new(config, line),
            next_at: Time::ZERO,
            state: State::Turn,
            una: 0,
            next: 0,
            sent: 0,
            timeout: config.timeout,
            asked: Time::ZERO,
            heard: Time::ZERO,
            counters: Counters::default(),
        }
    }

    /// What says at which rate it may send.
    pub fn rate_control(&self) -> &RateControl {
        &self.rate
    }

    fn has_more(&self) -> bool {
        self.next < self.connection.bytes.get()
    }

    fn is_late(&self, now: Time) -> bool {
        self.una < self.next && now >= self.heard + self.timeout
    }

    /// Everything from the first byte that is not acknowledged goes again, and the first packet asks whether it has come.
    fn go_back(&mut self, now: Time) {
        (self.next, self.unasked, self.heard) = (self.una, self.ack_every, now);
    }

    /// Something happened that may let it go on.
    fn go_on(&mut self, now: Time, env: &mut impl Env) {
        if !self.has_more() {
            self.state = State::Answer;
        } else if self.state == State::Answer || (self.state == State::Pace && self.next_at <= now) {
            self.state = if self.next_at <= now { State::Turn } else { State::Pace };
            if self.state == State::Turn {
                env.wake(Port(0));
            }
        }
    }

    /// Everything before `ack` has come.
    fn acknowledge(&mut self, now: Time, ack: u64) {
        debug_assert!(ack <= self.sent, "acknowledges what was never sent");
        if ack > self.una {
            (self.una, self.heard) = (ack, now);
            self.next = self.next.max(ack);
        }
    }
}

impl Device for DcqcnSender {
    type Frame = Frame;

    fn receive(&mut self, now: Time, _: Port, frame: Frame, env: &mut impl Env) {
        match frame.kind {
            Kind::Notification => {
                self.counters.marks += 1;
                self.rate.advance(now);
                // What is left of the packet that went last takes as long as it does at the rates that follow.
                let left = self.rate.carried(now, self.next_at);
                self.rate.notify(now);
                self.next_at = self.next_at.max(self.rate.end_of_load(now, left));
            }
            Kind::Ack => self.acknowledge(now, frame.sequence),
            Kind::Nack => {
                self.acknowledge(now, frame.sequence);
                if frame.sequence == self.una {
                    self.go_back(now);
                }
            }
            Kind::Data | Kind::Pull | Kind::Request => {
                debug_assert!(false, "a receiver of DCQCN sends no {:?}", frame.kind)
            }
        }
        self.go_on(now, env);
    }

    fn transmit(&mut self, now: Time, _: Port, _: &mut impl Env) -> Option<Frame> {
        if self.is_late(now) {
            self.counters.timeouts += 1;
            self.go_back(now);
        }
        if !self.has_more() {
            self.state = State::Answer;
            return None;
        }
        if now < self.next_at {
            self.state = State::Pace;
            return None;
        }
        if self.una == self.next {
            self.heard = now;
        }
        let left = self.connection.bytes.get() - self.next;
        let payload = left.min(u64::from(self.payload)) as u32;
        let len = payload + self.header;
        let frame = self.connection.data(now, self.next, len);
        self.counters.frames += 1;
        self.counters.retransmits += u64::from(self.next < self.sent);
        self.next += u64::from(payload);
        self.sent = self.sent.max(self.next);
        self.unasked += 1;
        let asks = self.unasked >= self.ack_every || !self.has_more() || now >= self.asked + self.timeout / PATIENCE;
        if asks {
            (self.unasked, self.asked) = (0, now);
        }
        self.rate.advance(now);
        self.next_at = self.rate.end_of(now, len);
        self.rate.send(len);
        self.state = if !self.has_more() {
            State::Answer
        } else if self.next_at > now {
            State::Pace
        } else {
            State::Turn
        };
        Some(Frame { ecn: Ecn::Capable, echo: asks, ..frame })
    }

    fn deadline(&self) -> Option<Time> {
        match self.state {
            State::Turn => None,
            State::Pace => Some(self.next_at),
            State::Answer => (self.una < self.next).then(|| self.heard + self.timeout),
        }
    }

    fn expire(&mut self, now: Time, env: &mut impl Env) {
        match self.state {
            State::Turn => {}
            State::Pace => self.go_on(now, env),
            State::Answer => {
                if self.is_late(now) {
                    self.counters.timeouts += 1;
                    self.go_back(now);
                    self.go_on(now, env);
                }
            }
        }
    }
}

impl Sender for DcqcnSender {
    fn is_done(&self) -> bool {
        self.una == self.connection.bytes.get()
    }
    fn counters(&self) -> Counters {
        self.counters
    }
    fn rate(&self) -> Option<Rate> {
        Some(self.rate.rate())
    }
    fn state(&self) -> String {
        match self.state {
            State::Turn => "its sender waits for room in its host's interface".to_owned(),
            State::Pace => format!("its sender goes on at {}, at {}", self.next_at, self.rate.rate()),
            State::Answer => {
                let late = self.heard + self.timeout;
                format!("its sender waits for an acknowledgement above {}, or its timer at {late}", self.una)
            }
        }
    }
}
