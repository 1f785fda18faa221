//! NDP's sending end.
//!
//! Packets are counted from 0; all but the last are full. A packet is in flight until its acknowledgement, its refusal (its header came
//! without it) or itself (no header queue had room) comes back. What comes back without having been delivered is sent again, before anything
//! new, when a pull allows it.

use super::paths::{Heard, Paths};
use crate::config::Ndp;
use crate::{Connection, Counters, Sender};
use fabric::{Device, Env, Fate, Frame, Kind, Port};
use std::collections::VecDeque;
use units::{Span, Time};

/// How many times as long as for a packet a sender waits for a pull before it counts as lost. In an incast of many senders each of them has to
/// wait for its turn, so that this is long; a pull says how many there have been, so that only the last of several that are lost is missed.
const PULL_TIMEOUT: u64 = 10;

/// What has become of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packet {
    /// It was sent then, over the path at this place, and nothing was heard of it.
    InFlight(Time, u16),
    /// It waits for a pull that lets it be sent again, or for the first time.
    Refused,
    /// It has arrived.
    Delivered,
}

/// The sending end of an NDP connection.
#[derive(Debug, Clone)]
pub struct NdpSender {
    connection: Connection,
    header: u32,
    payload: u32,
    timeout: Span,
    /// Packets of the message; [`u64::MAX`] has no end.
    packets: u64,
    /// First packet of which it is not known that it was delivered.
    base: u64,
    /// From `base` to the first packet that was never sent.
    sent: VecDeque<Packet>,
    /// Packets to be sent again, in this order. Some may have been delivered meanwhile.
    again: VecDeque<u64>,
    /// Packets that may be sent now: those of the first window, and one for each pull.
    allowed: u64,
    /// Pulls so far.
    pulls: u64,
    /// Acknowledgements and refusals, for each of which a pull comes.
    heard: u64,
    /// Packets in flight.
    in_flight: u64,
    /// When packets were sent, in order of time; those that are not in flight since then are left out when they come first.
    times: VecDeque<(Time, u64)>,
    /// When something was sent or heard last.
    last: Time,
    /// The order in which paths are used, and what is known of them.
    paths: Paths,
    counters: Counters,
}

impl NdpSender {
    pub(super) fn new(connection: &Connection, config: &Ndp) -> NdpSender {
        let header = config.header.get() as u32;
        let payload = connection.mtu.get() as u32 - header;
        let bytes = connection.bytes.get();
        let packets = if bytes == u64::MAX { u64::MAX } else { bytes.div_ceil(u64::from(payload)) };
        NdpSender {
            connection: *connection,
            header,
            payload,
            timeout: config.timeout,
            packets,
            base: 0,
            sent: VecDeque::new(),
            again: VecDeque::new(),
            allowed: u64::from(config.initial_window),
            pulls: 0,
            heard: 0,
            in_flight: 0,
            times: VecDeque::new(),
            last: Time::ZERO,
            paths: Paths::new(connection.paths, config.scoreboard()),
            counters: Counters::default(),
        }
    }

    /// First packet that was never sent.
    fn fresh(&self) -> u64 {
        self.base + self.sent.len() as u64
    }

    fn packet(&mut self, number: u64) -> Option<&mut Packet> {
        self.sent.get_mut(usize::try_from(number.checked_sub(self.base)?).ok()?)
    }

    fn may_send(&self) -> bool {
        self.allowed > 0 && (!self.again.is_empty() || self.fresh() < self.packets)
    }

    /// A packet has come. Whether it was in flight.
    fn deliver(&mut self, number: u64) -> bool {
        let Some(packet) = self.packet(number) else { return false };
        let before = std::mem::replace(packet, Packet::Delivered);
        let was_in_flight = if let Packet::InFlight(_, path) = before {
            self.in_flight -= 1;
            self.paths.hear(path, Heard::Delivered);
            true
        } else {
            false
        };
        while self.sent.front() == Some(&Packet::Delivered) {
            self.sent.pop_front();
            self.base += 1;
        }
        was_in_flight
    }

    /// A packet has not come, and is to be sent again if it is in flight. Whether it was.
    fn refuse(&mut self, number: u64, heard: Heard) -> bool {
        let Some(packet) = self.packet(number) else { return false };
        let Packet::InFlight(_, path) = *packet else { return false };
        *packet = Packet::Refused;
        self.paths.hear(path, heard);
        self.in_flight -= 1;
        self.again.push_back(number);
        true
    }

    /// The next packet to be sent: one that was refused, or else the first that was never sent.
    fn choose(&mut self) -> Option<u64> {
        while let Some(number) = self.again.pop_front() {
            if let Some(Packet::Refused) = self.packet(number) {
                self.counters.retransmits += 1;
                return Some(number);
            }
        }
        let fresh = self.fresh();
        (fresh < self.packets).then(|| {
            self.sent.push_back(Packet::Refused);
            fresh
        })
    }

    /// Nothing is in flight, and everything that could pull has: nothing would be sent any more.
    fn is_silent(&self) -> bool {
        self.in_flight == 0 && self.pulls >= self.heard && self.allowed == 0
    }

    /// Whether a packet is in flight since then.
    fn is_timed(&mut self, (at, number): (Time, u64)) -> bool {
        self.packet(number).is_some_and(|packet| matches!(packet, Packet::InFlight(since, _) if *since == at))
    }

    /// Forgets times of packets that are not in flight since then.
    fn clean(&mut self) {
        while self.times.front().copied().is_some_and(|time| !self.is_timed(time)) {
            self.times.pop_front();
        }
    }

    /// Nothing is in flight, there is more to send, and no pull lets it go.
    fn waits_for_pull(&self) -> bool {
        self.in_flight == 0 && self.allowed == 0 && !self.is_done()
    }
}

impl Device for NdpSender {
    type Frame = Frame;

    fn receive(&mut self, now: Time, port: Port, frame: Frame, env: &mut impl Env) {
        self.last = now;
        let number = frame.sequence / u64::from(self.payload);
        match frame.kind {
            // A pull comes with each, but not with a copy of one.
            Kind::Ack => self.heard += u64::from(self.deliver(number)),
            Kind::Nack => self.heard += u64::from(self.refuse(number, Heard::Trimmed)),
            // Pulls are counted: one that was overtaken or lost is made good by the next.
            Kind::Pull => {
                let pulls = frame.sequence.saturating_sub(self.pulls);
                self.allowed += pulls;
                self.pulls += pulls;
            }
            Kind::Notification => debug_assert!(false, "no receiver of NDP notifies"),
            Kind::Data => {
                debug_assert_eq!(frame.fate, Fate::Returned);
                self.refuse(number, Heard::Returned);
                // At once only if no pull is expected: else an incast would echo.
                if self.is_silent() {
                    self.allowed = 1;
                }
            }
        }
        self.clean();
        if self.may_send() {
            env.wake(port);
        }
    }

    fn transmit(&mut self, now: Time, _: Port, env: &mut impl Env) -> Option<Frame> {
        if self.allowed == 0 {
            return None;
        }
        let number = self.choose()?;
        self.last = now;
        self.allowed -= 1;
        self.in_flight += 1;
        let (place, path) = self.paths.next(self.connection.paths, |ways| env.pick(ways));
        if let Some(packet) = self.packet(number) {
            *packet = Packet::InFlight(now, place);
        }
        self.times.push_back((now, number));
        self.clean();
        self.counters.frames += 1;
        let sequence = number * u64::from(self.payload);
        let payload = (self.connection.bytes.get() - sequence).min(u64::from(self.payload)) as u32;
        Some(Frame { path, fate: Fate::Trimmable, ..self.connection.data(now, sequence, payload + self.header) })
    }

    fn deadline(&self) -> Option<Time> {
        match self.times.front() {
            Some((at, _)) => Some(*at + self.timeout),
            None => self.waits_for_pull().then(|| self.last + self.timeout * PULL_TIMEOUT),
        }
    }

    fn expire(&mut self, now: Time, env: &mut impl Env) {
        if self.deadline().is_none_or(|at| now < at) {
            return;
        }
        self.counters.timeouts += 1;
        if self.waits_for_pull() {
            self.allowed += 1;
        }
        // A packet is lost, or what was said of it: it is sent again without a pull.
        while let Some((_, number)) = self.times.front().copied().filter(|(at, _)| *at + self.timeout <= now) {
            self.refuse(number, Heard::Lost);
            self.allowed += 1;
            self.times.pop_front();
            self.clean();
        }
        self.last = now;
        if self.may_send() {
            env.wake(Port(0));
        }
    }
}

impl Sender for NdpSender {
    fn is_done(&self) -> bool {
        self.base == self.packets
    }
    fn counters(&self) -> Counters {
        self.counters
    }
    fn state(&self) -> String {
        match self.deadline() {
            Some(at) => {
                format!("its sender waits for pulls, with {} packets in flight, or its timer at {at}", self.in_flight)
            }
            None => "its sender waits for room in its host's interface".to_owned(),
        }
    }
}
