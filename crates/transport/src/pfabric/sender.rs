//! pFabric's sending end.
//!
//! Packets are counted from 0; all but the last are full. A single lost packet changes nothing until the timer goes off, `timeout` after the first
//! packet without an acknowledgement was sent, or after the last acknowledgement that made it another one. Then the window is one packet, half of what it was is the
//! threshold of slow start, and everything that was not acknowledged goes again. After `probe_after` timeouts in a row, in which nothing was
//! acknowledged, packets without a payload are sent, one each time that the timer goes off, until something is.
//!
//! What has to wait at its own host for messages of which less remains was not sent yet: it is neither dropped nor timed.

use crate::config::Pfabric;
use crate::{Connection, Counters, Sender};
use fabric::{Device, Env, Frame, Kind, Options, Port};
use std::collections::VecDeque;
use units::{Bytes, Span, Time};

/// The sending end of a pFabric connection.
#[derive(Debug, Clone)]
pub struct PfabricSender {
    connection: Connection,
    header: u32,
    payload: u32,
    timeout: Span,
    probe_after: u32,
    max_window: u32,
    /// Packets of the message; [`u64::MAX`] has no end.
    packets: u64,
    /// First packet that is not acknowledged.
    base: u64,
    /// From `base` to the first packet that was never sent: whether each is acknowledged, by itself.
    acknowledged: VecDeque<bool>,
    /// How many of them are.
    beyond: u64,
    /// The next packet to send, which is not acknowledged.
    next: u64,
    /// Packets before that which are not acknowledged.
    outstanding: u64,
    /// Packets that may be outstanding, and below what window each acknowledgement enlarges it.
    window: u32,
    threshold: u32,
    /// Acknowledgements since the window grew last, above the threshold.
    growth: u32,
    /// When the timer goes off. While it sends data, there is one whenever anything is outstanding.
    timer: Option<Time>,
    /// Timeouts since something was acknowledged.
    in_a_row: u32,
    state: State,
    counters: Counters,
}

/// What a sender does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It sends data as its window allows.
    Sends,
    /// It waits for its interface to take a probe.
    Probes,
    /// A probe is on its way.
    Probed,
}

impl PfabricSender {
    pub(super) fn new(connection: &Connection, config: &Pfabric) -> PfabricSender {
        let header = config.header.get() as u32;
        let payload = connection.mtu.get() as u32 - header;
        let bytes = connection.bytes.get();
        PfabricSender {
            connection: *connection,
            header,
            payload,
            timeout: config.timeout,
            probe_after: config.probe_after,
            max_window: config.max_window,
            packets: if bytes == u64::MAX { u64::MAX } else { bytes.div_ceil(u64::from(payload)) },
            base: 0,
            acknowledged: VecDeque::new(),
            beyond: 0,
            next: 0,
            outstanding: 0,
            window: config.initial_window,
            // The first window grows by slow start, until there is a timeout.
            threshold: u32::MAX,
            growth: 0,
            timer: None,
            in_a_row: 0,
            state: State::Sends,
            counters: Counters::default(),
        }
    }

    /// Bytes of the message that are not acknowledged: its rank, with which its packets go.
    pub fn remaining(&self) -> u64 {
        let payload = u64::from(self.payload);
        let before = (self.base + self.beyond).saturating_mul(payload);
        // The last packet may be shorter than is counted here once it is acknowledged; a byte remains at least as long as anything does.
        self.connection.bytes.get().saturating_sub(before).max(u64::from(!self.is_done()))
    }

    fn may_send(&self) -> bool {
        match self.state {
            State::Sends => self.outstanding < u64::from(self.window) && self.next < self.packets,
            State::Probes => true,
            State::Probed => false,
        }
    }

    /// First packet that was never sent.
    fn fresh(&self) -> u64 {
        self.base + self.acknowledged.len() as u64
    }

    fn packet(&mut self, number: u64) -> Option<&mut bool> {
        self.acknowledged.get_mut(usize::try_from(number.checked_sub(self.base)?).ok()?)
    }

    /// Passes over what is acknowledged.
    fn skip(&mut self) {
        while self.packet(self.next) == Some(&mut true) {
            self.next += 1;
        }
    }

    /// Everything before `number` has come. How much of it was not known.
    fn acknowledge_all_before(&mut self, number: u64) -> u64 {
        debug_assert!(number <= self.fresh(), "acknowledges what was never sent");
        let mut news = 0;
        while self.base < number
            && let Some(was_known) = self.acknowledged.pop_front()
        {
            if was_known {
                self.beyond -= 1;
            } else {
                news += 1;
                self.outstanding -= u64::from(self.base < self.next);
            }
            self.base += 1;
        }
        self.next = self.next.max(self.base);
        news
    }

    /// These packets have come. How much of it was not known.
    fn acknowledge_some(&mut self, numbers: std::ops::Range<u64>) -> u64 {
        let mut news = 0;
        for number in numbers.start.max(self.base)..numbers.end.min(self.fresh()) {
            let was_known = self.packet(number).is_none_or(|known| std::mem::replace(known, true));
            if !was_known {
                news += 1;
                self.beyond += 1;
                self.outstanding -= u64::from(number < self.next);
            }
        }
        news
    }

    /// Something new was acknowledged: the window grows as a TCP's does.
    fn grow(&mut self) {
        if self.window >= self.threshold {
            self.growth += 1;
            if self.growth < self.window {
                return;
            }
            self.growth = 0;
        }
        self.window = (self.window + 1).min(self.max_window);
    }
}

impl Device for PfabricSender {
    type Frame = Frame;

    fn receive(&mut self, now: Time, port: Port, frame: Frame, env: &mut impl Env) {
        debug_assert_eq!(frame.kind, Kind::Ack, "a receiver of pFabric sends nothing else");
        // The last packet need not be full.
        let expected = frame.sequence.div_ceil(u64::from(self.payload));
        let before = self.base;
        let mut news = self.acknowledge_all_before(expected);
        for block in frame.blocks() {
            let Some(first) = expected.checked_add_signed(i64::from(block.start)) else { continue };
            news += self.acknowledge_some(first..first + u64::from(block.length));
        }
        self.skip();
        if self.base > before {
            self.timer = (self.outstanding > 0).then(|| now + self.timeout);
        }
        if self.state == State::Sends {
            if news > 0 {
                self.in_a_row = 0;
                self.grow();
            }
        } else {
            // Whatever it answers, the way is free again: slow start.
            (self.state, self.in_a_row, self.timer) = (State::Sends, 0, None);
        }
        if self.may_send() {
            env.wake(port);
        }
    }

    fn transmit(&mut self, now: Time, _: Port, _: &mut impl Env) -> Option<Frame> {
        if !self.may_send() {
            return None;
        }
        let options = Options::of_rank(self.remaining());
        self.counters.frames += 1;
        if self.state == State::Probes {
            (self.state, self.timer) = (State::Probed, Some(now + self.timeout));
            self.counters.retransmits += 1;
            let sequence = self.base * u64::from(self.payload);
            return Some(Frame { options, ..self.connection.data(now, sequence, self.header) });
        }
        let number = self.next;
        if number < self.fresh() {
            self.counters.retransmits += 1;
        } else {
            self.acknowledged.push_back(false);
        }
        self.next += 1;
        self.outstanding += 1;
        self.skip();
        self.timer.get_or_insert(now + self.timeout);
        let sequence = number * u64::from(self.payload);
        let payload = (self.connection.bytes.get() - sequence).min(u64::from(self.payload)) as u32;
        Some(Frame { options, ..self.connection.data(now, sequence, payload + self.header) })
    }

    fn deadline(&self) -> Option<Time> {
        self.timer
    }

    fn expire(&mut self, now: Time, env: &mut impl Env) {
        if self.timer.is_none_or(|at| now < at) {
            return;
        }
        self.timer = None;
        self.counters.timeouts += 1;
        if self.state == State::Sends {
            self.in_a_row += 1;
            self.threshold = (self.window / 2).max(2);
            (self.window, self.growth) = (1, 0);
            (self.next, self.outstanding) = (self.base, 0);
        }
        if self.state == State::Probed || self.in_a_row >= self.probe_after {
            self.state = State::Probes;
        }
        env.wake(Port(0));
    }
}

impl Sender for PfabricSender {
    fn is_done(&self) -> bool {
        self.base == self.packets
    }
    fn counters(&self) -> Counters {
        self.counters
    }
    fn state(&self) -> String {
        match (self.state, self.timer) {
            (State::Probed, Some(at)) => format!("its sender waits for an answer to a probe, or its timer at {at}"),
            (State::Sends, Some(at)) if !self.may_send() => {
                format!("its sender waits for acknowledgements of {} packets, or its timer at {at}", self.outstanding)
            }
            (State::Sends | State::Probes | State::Probed, _) => {
                "its sender waits for room in its host's interface".to_owned()
            }
        }
    }
    fn window(&self) -> Option<Bytes> {
        Some(Bytes::new(u64::from(self.window) * u64::from(self.payload)))
    }
    fn rank(&self) -> Option<u64> {
        Some(self.remaining())
    }
}
