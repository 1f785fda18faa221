//! The receiving end: acknowledgements that say which packets have come, a refusal for each header, and credit as its host's turns allow.

use super::arrived::Arrived;
use crate::config::Eqds;
use crate::puller::{Pull, Pulled};
use crate::{Connection, Receiver};
use fabric::{Device, Ecn, Env, Fate, Frame, Kind, Options, Port};
use units::{Bytes, Time};

/// Packets that an acknowledgement tells of beside all before the first that is missing.
const TOLD: u64 = 64;

/// The receiving end of a connection of EQDS.
#[derive(Debug, Clone)]
pub struct EqdsReceiver {
    connection: Connection,
    header: u32,
    payload: u32,
    control: u32,
    arrived: Arrived,
    /// Bytes of the message that have come.
    bytes: u64,
    /// Up to where the sender wants credit, those packets added that came as headers since it said so.
    target: u64,
    /// Credit given so far.
    given: u64,
    /// Packets of the credit to give that are for headers that came.
    refused: u64,
    /// Packets since the last acknowledgement, and after how many the next is due.
    unacknowledged: u32,
    ack_every: u32,
    credit_rate: f64,
    /// In which turns of its host it stands, those for packets that were trimmed and others; and its place among those of its host.
    in_turns: [bool; 2],
    priority: u8,
    /// An acknowledgement or a refusal is to be sent: of this packet, with this stamp; whether it was marked.
    answer: Option<(Kind, u64, Time, bool)>,
    /// Credit that was given may be lost: all of it is to be told once more. In its turn, so that requests cannot have more answers than there were.
    repeats: bool,
}

impl EqdsReceiver {
    pub(super) fn new(connection: &Connection, config: &Eqds) -> EqdsReceiver {
        let header = config.header.get() as u32;
        EqdsReceiver {
            connection: *connection,
            header,
            payload: connection.mtu.get() as u32 - header,
            control: config.control.get() as u32,
            arrived: Arrived::default(),
            bytes: 0,
            target: 0,
            given: 0,
            refused: 0,
            unacknowledged: 0,
            ack_every: config.ack_every,
            credit_rate: config.credit_rate,
            in_turns: [false; 2],
            priority: config.credit_priority,
            answer: None,
            repeats: false,
        }
    }

    fn is_complete(&self) -> bool {
        self.bytes == self.connection.bytes.get()
    }

    fn wants_credit(&self) -> bool {
        (self.given < self.target || self.repeats) && !self.is_complete()
    }

    /// A packet came whole. Whether its acknowledgement is due.
    fn take(&mut self, frame: &Frame, number: u64) -> bool {
        if !self.arrived.add(number) {
            return true;
        }
        self.bytes += u64::from(frame.len - self.header);
        self.unacknowledged += 1;
        self.unacknowledged >= self.ack_every || frame.echo || frame.ecn == Ecn::Marked || self.is_complete()
    }

    /// Where in the connection's packets that is, and which have come around it.
    fn tell(&self, number: u64, marked: bool) -> (u64, Options) {
        let missing = self.arrived.first_missing();
        let sequence = (missing * u64::from(self.payload)).min(self.connection.bytes.get());
        // A marked packet is to be recognised: it is the first.
        let first = if marked { number } else { (number + 1).saturating_sub(TOLD).max(missing) };
        (sequence, Options::of_arrived(first as u32, self.arrived.from(first)))
    }
}

impl Device for EqdsReceiver {
    type Frame = Frame;

    fn receive(&mut self, _: Time, port: Port, frame: Frame, env: &mut impl Env) {
        let number = frame.sequence / u64::from(self.payload);
        self.target = self.target.max(frame.target());
        let marked = frame.ecn == Ecn::Marked;
        self.answer = if frame.kind == Kind::Request {
            self.repeats = self.target <= self.given;
            Some((Kind::Ack, number, frame.stamp, false))
        } else if frame.fate == Fate::Trimmed && !self.arrived.has(number) {
            // Its sender wants credit for it, and will find out when it hears of this.
            self.target += 1;
            self.refused += 1;
            Some((Kind::Nack, number, frame.stamp, false))
        } else if frame.fate == Fate::Trimmed || self.take(&frame, number) {
            Some((Kind::Ack, number, frame.stamp, marked))
        } else {
            None
        };
        if self.answer.is_some() {
            env.wake(port);
        }
    }

    fn transmit(&mut self, _: Time, _: Port, _: &mut impl Env) -> Option<Frame> {
        let (kind, number, stamp, marked) = self.answer.take()?;
        if kind == Kind::Nack {
            return Some(self.connection.answer(kind, stamp, number * u64::from(self.payload), self.control));
        }
        self.unacknowledged = 0;
        let (sequence, options) = self.tell(number, marked);
        let frame = self.connection.answer(kind, stamp, sequence, self.control);
        Some(Frame { options, echo: marked, ..frame })
    }
}

impl Pulled for EqdsReceiver {
    #[inline]
    fn joins(&mut self) -> Option<u8> {
        if !self.wants_credit() {
            return None;
        }
        let later = self.refused == 0;
        let joins = !std::mem::replace(&mut self.in_turns[usize::from(later)], true);
        joins.then_some(2 * self.priority + u8::from(later))
    }

    fn pull(&mut self, now: Time, class: u8) -> Option<Pull> {
        self.in_turns[usize::from(class % 2)] = false;
        if !self.wants_credit() {
            return None;
        }
        self.repeats = false;
        self.given += u64::from(self.given < self.target);
        self.refused = self.refused.saturating_sub(1);
        let frame = self.connection.answer(Kind::Pull, now, self.given, self.control);
        Some(Pull { frame, rate: self.credit_rate })
    }
}

impl Receiver for EqdsReceiver {
    fn delivered(&self) -> Bytes {
        Bytes::new(self.bytes)
    }
}
