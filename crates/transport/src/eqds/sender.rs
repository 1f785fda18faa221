//! The sending end: packets as there is credit, over all paths in turn, those first that were trimmed or lost.

use crate::config::{Backend, Eqds};
use crate::flight::Flight;
use crate::rounds::Rounds;
use crate::{Connection, Counters, Sender};
use fabric::{Device, Ecn, Env, Fate, Frame, Kind, Options, Port};
use units::{Span, Time, bounds};

/// How many times as long as for a packet a sender waits for credit that its receiver knows of before it asks again. In an incast each sender has to
/// wait for its turn, so that this is long; as credit counts from the connection's beginning, only the last of several that are lost is missed.
const CREDIT_TIMEOUT: u64 = 10;

/// Of a timeout, the part after which an acknowledgement is asked for in any case, so that a slow flow hears of something before its time is up.
const PATIENCE: u64 = 4;

/// Of half a timeout, the parts that tell apart when requests go again.
const PARTS: u32 = 1024;

/// How often the wait for the answer to a request is doubled at most.
const MOST_DOUBLED: u32 = 20;

/// Paths that are told apart have a bit each.
const WORDS: usize = 4;

/// The sending end of a connection of EQDS.
#[derive(Debug, Clone)]
pub struct EqdsSender {
    connection: Connection,
    header: u32,
    control: u32,
    timeout: Span,
    flight: Flight,
    fate: Fate,
    /// Packets that it asks for in advance.
    window: u64,
    /// Packets that it may still send before it hears of anything.
    speculative: u64,
    /// Credit that it was given so far, and what of that it has not used.
    given: u64,
    credit: u64,
    /// What the receiver knows that it wants credit for, if nothing was lost.
    told: u64,
    rounds: Rounds,
    /// Paths to be passed over once, a bit for each by its place.
    avoided: [u64; WORDS],
    /// A request to send goes when it is the sender's turn at the interface.
    request_due: bool,
    /// When the last one was to go, when the next one may, and whether the last was answered.
    requested: Time,
    next_request: Time,
    answered: bool,
    /// Requests in a row that nothing answered in time: each waits twice as long as the last, as a timeout shorter than a round trip would make too many.
    late: u32,
    /// When it was last given credit or sent something.
    last: Time,
    /// When an acknowledgement was last asked for.
    asked: Option<Time>,
    counters: Counters,
}

impl EqdsSender {
    pub(super) fn new(connection: &Connection, config: &Eqds) -> EqdsSender {
        let header = config.header.get() as u32;
        let window = u64::from(config.window);
        let (fate, speculative, request_due) = match config.backend {
            Backend::Trimming => (Fate::Trimmable, window, false),
            Backend::Rts => (Fate::Whole, 0, true),
        };
        EqdsSender {
            connection: *connection,
            header,
            control: config.control.get() as u32,
            timeout: config.timeout,
            flight: Flight::new(connection.bytes, connection.mtu.get() as u32 - header),
            fate,
            window,
            speculative,
            given: 0,
            credit: 0,
            told: 0,
            rounds: Rounds::new(connection.paths),
            avoided: [0; WORDS],
            request_due,
            requested: Time::ZERO,
            next_request: Time::ZERO,
            answered: true,
            late: 0,
            last: Time::ZERO,
            asked: None,
            counters: Counters::default(),
        }
    }

    /// Up to where it wants credit: for all that waits, but for no more than a window, and not for what it may send already.
    fn target(&self) -> u64 {
        let wanted = self.flight.backlog().min(self.window);
        self.given + wanted.saturating_sub(self.credit + self.speculative)
    }

    /// There is something to send, and nothing lets it go.
    fn is_stuck(&self) -> bool {
        self.credit + self.speculative == 0 && self.flight.backlog() > 0
    }

    fn may_send(&self) -> bool {
        self.credit + self.speculative > 0 && self.flight.backlog() > 0
    }

    /// The path at this place was bad.
    fn avoid(&mut self, place: u16) {
        self.avoided[usize::from(place) / 64] |= 1 << (place % 64);
    }

    /// The next path: its place and its number.
    fn path(&mut self, env: &mut impl Env) -> (u16, u32) {
        loop {
            let (place, path) = self.rounds.next(self.connection.paths, |ways| env.pick(ways));
            let (word, bit) = (usize::from(place) / 64, 1 << (place % 64));
            if self.rounds.places() == 1 || self.avoided[word] & bit == 0 {
                return (place, path);
            }
            self.avoided[word] &= !bit;
        }
    }

    /// An acknowledgement: all packets before one, and some around another.
    fn acknowledge(&mut self, frame: &Frame) {
        let (low, mut packets) = frame.arrived();
        let base = self.flight.base();
        // Fewer than 2^31 packets are outstanding, so the low half of a number tells it from others.
        let mut number = base.saturating_add_signed(i64::from(low.wrapping_sub(base as u32).cast_signed()));
        if frame.echo {
            self.counters.marks += 1;
            if let Some(place) = self.flight.place_of(number) {
                self.avoid(place);
            }
        }
        for delivered in base..self.flight.number(frame.sequence) {
            self.flight.deliver(delivered);
        }
        while packets != 0 {
            let gap = packets.trailing_zeros();
            number += u64::from(gap);
            self.flight.deliver(number);
            packets = packets >> gap >> 1;
            number += 1;
        }
    }

    /// The receiver may not know what is wanted: nothing that was said of it since the last credit counts any more.
    fn forget_told(&mut self) {
        self.told = self.given;
    }

    /// A request is to go if the receiver may not know that there is something to send: one in so long. One that was overdue while packets were in
    /// flight goes when none is any more.
    fn request_if_stuck(&mut self, now: Time, env: &mut impl Env) {
        let overdue = !self.answered && now >= self.next_request;
        let unknown = self.told <= self.given && (self.answered || overdue);
        if self.is_stuck() && (unknown || overdue && self.flight.in_flight() == 0) {
            self.ask(now, env);
        }
    }

    fn ask(&mut self, now: Time, env: &mut impl Env) {
        self.request_due = true;
        self.late = if self.answered { 0 } else { (self.late + 1).min(MOST_DOUBLED) };
        self.expect_answer(now, env);
    }

    /// A timeout from now, and up to a quarter more or less: where many requests find no room at once, they are not to do so again.
    fn expect_answer(&mut self, now: Time, env: &mut impl Env) {
        let wait = self.timeout.saturating_mul(1 << self.late).min(bounds::TIME);
        let part = wait.as_ps() / 2 / u64::from(PARTS) * u64::from(env.pick(PARTS));
        (self.requested, self.answered) = (now, false);
        self.next_request = now + wait / 4 * 3 + Span::from_ps(part);
    }

    fn wake_if_able(&self, port: Port, env: &mut impl Env) {
        if self.request_due || self.may_send() {
            env.wake(port);
        }
    }

    /// When it asks again though nothing is in flight.
    fn asks_at(&self) -> Option<Time> {
        if self.request_due || !self.is_stuck() || self.flight.in_flight() > 0 {
            None
        } else if !self.answered || self.told <= self.given {
            Some(self.next_request)
        } else {
            Some(self.last + self.timeout * CREDIT_TIMEOUT)
        }
    }
}

impl Device for EqdsSender {
    type Frame = Frame;

    fn receive(&mut self, now: Time, port: Port, frame: Frame, env: &mut impl Env) {
        // Something was heard: what goes from now on has credit.
        self.speculative = 0;
        match frame.kind {
            Kind::Ack => {
                self.answered |= frame.stamp == self.requested;
                self.acknowledge(&frame);
            }
            Kind::Nack => {
                if let Some(place) = self.flight.refuse(self.flight.number(frame.sequence)) {
                    self.avoid(place);
                }
                // Who refuses a packet knows that credit is wanted for it.
                self.told += 1;
            }
            Kind::Pull => {
                let credit = frame.sequence.saturating_sub(self.given);
                self.given += credit;
                self.credit += credit;
                self.answered = true;
                self.last = now;
            }
            Kind::Data => {
                debug_assert_eq!(frame.fate, Fate::Returned);
                if let Some(place) = self.flight.refuse(self.flight.number(frame.sequence)) {
                    self.avoid(place);
                }
                self.forget_told();
            }
            Kind::Notification | Kind::Request => {
                debug_assert!(false, "no receiver of EQDS sends a {:?}", frame.kind);
            }
        }
        self.flight.clean();
        self.request_if_stuck(now, env);
        self.wake_if_able(port, env);
    }

    fn transmit(&mut self, now: Time, _: Port, env: &mut impl Env) -> Option<Frame> {
        if std::mem::take(&mut self.request_due) && self.is_stuck() {
            self.expect_answer(now, env);
            self.last = now;
            self.told = self.target();
            let frame = self.connection.data(now, 0, self.control);
            return Some(Frame { kind: Kind::Request, options: Options::of_target(self.told), ..frame });
        }
        if !self.may_send() {
            return None;
        }
        let (number, again) = self.flight.choose()?;
        if self.credit > 0 {
            self.credit -= 1;
        } else {
            self.speculative -= 1;
        }
        let (place, path) = self.path(env);
        self.flight.send(number, now, place);
        self.last = now;
        self.counters.frames += 1;
        self.counters.retransmits += u64::from(again);
        self.told = self.target();
        let late = self.asked.is_none_or(|asked| now >= asked + self.timeout / PATIENCE);
        let echo = again || late || self.flight.backlog() == 0;
        if echo {
            self.asked = Some(now);
        }
        let (sequence, payload) = self.flight.bytes_of(number);
        let frame = self.connection.data(now, sequence, payload + self.header);
        Some(Frame { path, fate: self.fate, ecn: Ecn::Capable, echo, options: Options::of_target(self.told), ..frame })
    }

    fn deadline(&self) -> Option<Time> {
        match self.flight.oldest() {
            Some(at) => Some(at + self.timeout),
            None => self.asks_at(),
        }
    }

    fn expire(&mut self, now: Time, env: &mut impl Env) {
        if self.deadline().is_none_or(|at| now < at) {
            return;
        }
        self.counters.timeouts += 1;
        if self.flight.oldest().is_some() {
            self.speculative = 0;
            while let Some(place) = self.flight.lose(now, self.timeout) {
                self.avoid(place);
            }
            self.forget_told();
            self.request_if_stuck(now, env);
        } else {
            self.ask(now, env);
        }
        self.wake_if_able(Port(0), env);
    }
}

impl Sender for EqdsSender {
    fn is_done(&self) -> bool {
        self.flight.is_done()
    }
    fn counters(&self) -> Counters {
        self.counters
    }
    fn state(&self) -> String {
        match self.deadline() {
            Some(at) => {
                let flight = self.flight.in_flight();
                format!("its sender waits for credit, with {flight} packets in flight, or its timer at {at}")
            }
            None => "its sender waits for room in its host's interface".to_owned(),
        }
    }
}
