//! NDP's sending end.
//!
//! A packet is in flight until its acknowledgement, its refusal (its header came without it) or itself (no header queue had room) comes back. What
//! comes back without having been delivered is sent again, before anything new, when a pull allows it.

use super::paths::{Heard, Paths};
use crate::config::Ndp;
use crate::flight::Flight;
use crate::{Connection, Counters, Sender};
use fabric::{Device, Env, Fate, Frame, Kind, Port};
use units::{Span, Time};

/// How many times as long as for a packet a sender waits for a pull before it counts as lost. In an incast of many senders each of them has to
/// wait for its turn, so that this is long; a pull says how many there have been, so that only the last of several that are lost is missed.
const PULL_TIMEOUT: u64 = 10;

/// The sending end of an NDP connection.
#[derive(Debug, Clone)]
pub struct NdpSender {
    connection: Connection,
    header: u32,
    timeout: Span,
    flight: Flight,
    /// Packets that may be sent now: those of the first window, and one for each pull.
    allowed: u64,
    /// Pulls so far.
    pulls: u64,
    /// Acknowledgements and refusals, for each of which a pull comes.
    heard: u64,
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
        NdpSender {
            connection: *connection,
            header,
            timeout: config.timeout,
            flight: Flight::new(connection.bytes, payload),
            allowed: u64::from(config.initial_window),
            pulls: 0,
            heard: 0,
            last: Time::ZERO,
            paths: Paths::new(connection.paths, config.scoreboard()),
            counters: Counters::default(),
        }
    }

    fn may_send(&self) -> bool {
        self.allowed > 0 && self.flight.backlog() > 0
    }

    /// A packet has come. Whether it was in flight.
    fn deliver(&mut self, number: u64) -> bool {
        let place = self.flight.deliver(number);
        place.inspect(|place| self.paths.hear(*place, Heard::Delivered)).is_some()
    }

    /// A packet has not come, and is to be sent again if it is in flight. Whether it was.
    fn refuse(&mut self, number: u64, heard: Heard) -> bool {
        let place = self.flight.refuse(number);
        place.inspect(|place| self.paths.hear(*place, heard)).is_some()
    }

    /// Nothing is in flight, and everything that could pull has: nothing would be sent any more.
    fn is_silent(&self) -> bool {
        self.flight.in_flight() == 0 && self.pulls >= self.heard && self.allowed == 0
    }

    /// Nothing is in flight, there is more to send, and no pull lets it go.
    fn waits_for_pull(&self) -> bool {
        self.flight.in_flight() == 0 && self.allowed == 0 && !self.is_done()
    }
}

impl Device for NdpSender {
    type Frame = Frame;

    fn receive(&mut self, now: Time, port: Port, frame: Frame, env: &mut impl Env) {
        self.last = now;
        let number = self.flight.number(frame.sequence);
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
            Kind::Notification | Kind::Request => debug_assert!(false, "no receiver of NDP sends a {:?}", frame.kind),
            Kind::Data => {
                debug_assert_eq!(frame.fate, Fate::Returned);
                self.refuse(number, Heard::Returned);
                // At once only if no pull is expected: else an incast would echo.
                if self.is_silent() {
                    self.allowed = 1;
                }
            }
        }
        self.flight.clean();
        if self.may_send() {
            env.wake(port);
        }
    }

    fn transmit(&mut self, now: Time, _: Port, env: &mut impl Env) -> Option<Frame> {
        if self.allowed == 0 {
            return None;
        }
        let (number, again) = self.flight.choose()?;
        self.last = now;
        self.allowed -= 1;
        let (place, path) = self.paths.next(self.connection.paths, |ways| env.pick(ways));
        self.flight.send(number, now, place);
        self.counters.frames += 1;
        self.counters.retransmits += u64::from(again);
        let (sequence, payload) = self.flight.bytes_of(number);
        Some(Frame { path, fate: Fate::Trimmable, ..self.connection.data(now, sequence, payload + self.header) })
    }

    fn deadline(&self) -> Option<Time> {
        match self.flight.oldest() {
            Some(at) => Some(at + self.timeout),
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
        while let Some(place) = self.flight.lose(now, self.timeout) {
            self.paths.hear(place, Heard::Lost);
            self.allowed += 1;
        }
        self.last = now;
        if self.may_send() {
            env.wake(Port(0));
        }
    }
}

impl Sender for NdpSender {
    fn is_done(&self) -> bool {
        self.flight.is_done()
    }
    fn counters(&self) -> Counters {
        self.counters
    }
    fn state(&self) -> String {
        match self.deadline() {
            Some(at) => {
                format!(
                    "its sender waits for pulls, with {} packets in flight, or its timer at {at}",
                    self.flight.in_flight()
                )
            }
            None => "its sender waits for room in its host's interface".to_owned(),
        }
    }
}
