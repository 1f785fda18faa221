//! A TCP's sending end without selective acknowledgements: RFC 5681 with NewReno's loss recovery (RFC 6582), limited transmit (RFC 3042) and RFC 6298's timer.
//!
//! Sequence numbers count the message's bytes from 0; the handshake and the closing are not modelled. Round-trip times come
//! from echoed time stamps (RFC 7323), so retransmissions are sampled too.

use super::rto::RoundTrip;
use super::{Congestion, Loss, News, Window};
use crate::{Address, Connection, Counters, Sender, config};
use fabric::{Device, Ecn, Env, Frame, Kind, Port};
use units::{Bytes, Span, Time};

/// Duplicate acknowledgements that stand for a loss (RFC 5681 §3.2).
const DUPLICATES: u32 = 3;

/// The sending end of a TCP connection.
#[derive(Debug, Clone)]
pub struct TcpSender<C> {
    address: Address,
    bytes: Bytes,
    header: u32,
    window: Window,
    congestion: C,
    /// First byte that is not acknowledged (SND.UNA).
    una: u64,
    /// First byte to send next (SND.NXT).
    next: u64,
    /// First byte that was never sent.
    sent: u64,
    /// RFC 6582: a loss found before this is acknowledged belongs to the last one.
    recover: u64,
    duplicates: u32,
    /// Bytes in flight that limited transmit sent beyond the window.
    limited: u64,
    recovering: bool,
    /// In recovery, after the first partial acknowledgement: if it is impatient, the timer is left alone (RFC 6582 §4).
    partial: bool,
    patient: bool,
    /// The segment at `una` is to be sent again at once.
    resend: bool,
    /// The timer went off and nothing new was acknowledged since.
    timed_out: bool,
    round_trip: RoundTrip,
    /// [`Time::MAX`]: it is not set.
    timer: Time,
    counters: Counters,
}

impl<C: Congestion> TcpSender<C> {
    pub(crate) fn new(connection: &Connection, config: &config::Tcp, congestion: C) -> TcpSender<C> {
        let header = config.header.get() as u32;
        let segment = connection.mtu.get() as u32 - header;
        TcpSender {
            address: connection.address(),
            bytes: connection.bytes,
            header,
            window: Window::new(config, segment),
            congestion,
            una: 0,
            next: 0,
            sent: 0,
            recover: 0,
            duplicates: 0,
            limited: 0,
            recovering: false,
            partial: false,
            patient: config.partial_acks == config::PartialAcks::SlowButSteady,
            resend: false,
            timed_out: false,
            round_trip: RoundTrip::new(config),
            timer: Time::MAX,
            counters: Counters::default(),
        }
    }

    /// The congestion window in bytes.
    pub fn congestion_window(&self) -> u64 {
        self.window.size
    }

    fn segment(&self) -> u64 {
        u64::from(self.window.segment)
    }

    fn flight(&self) -> u64 {
        self.next - self.una
    }

    /// Payload of the segment that begins at `sequence`.
    fn payload_at(&self, sequence: u64) -> u32 {
        (self.bytes.get() - sequence).min(self.segment()) as u32
    }

    /// Whether it has something to send now.
    pub(crate) fn may_send(&self) -> bool {
        if self.resend {
            return true;
        }
        if self.next >= self.bytes.get() {
            return false;
        }
        self.fits(self.next_flight())
    }

    /// Whether so much may be in flight once the next segment is sent.
    fn fits(&self, flight: u64) -> bool {
        // RFC 3042: the first two duplicates each let one segment go that was never sent.
        let may_extend = !self.recovering && self.next == self.sent;
        let extra = if may_extend { u64::from(self.duplicates.min(2)) * self.segment() } else { 0 };
        flight <= self.window.size + extra
    }

    /// Bytes in flight once the next segment is sent.
    fn next_flight(&self) -> u64 {
        self.flight() + u64::from(self.payload_at(self.next))
    }

    /// As a subflow, whose message grows by full segments as it has room for them: whether it has sent all, and has.
    pub(crate) fn has_room(&self) -> bool {
        !self.resend
            && self.next == self.bytes.get()
            && self.next == self.sent
            && self.fits(self.flight() + self.segment())
    }

    /// A full segment more is to be sent.
    pub(crate) fn extend(&mut self) {
        self.bytes += Bytes::new(self.segment());
    }

    /// First byte that is not acknowledged.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.una
    }

    /// Whether the next acknowledgement may let its window grow as in congestion avoidance.
    pub(crate) fn is_avoiding(&self) -> bool {
        !self.recovering && self.window.size >= self.window.threshold
    }

    /// Its window in bytes, without what was added to it in recovery.
    pub(crate) fn window_at_rest(&self) -> u64 {
        if self.recovering { self.window.threshold } else { self.window.size }
    }

    /// Its smoothed round-trip time; nothing before the first sample.
    pub(crate) fn round_trip(&self) -> Span {
        self.round_trip.smoothed()
    }

    /// Its congestion control.
    pub(crate) fn congestion_mut(&mut self) -> &mut C {
        &mut self.congestion
    }

    fn frame(&mut self, now: Time, sequence: u64) -> Frame {
        let payload = self.payload_at(sequence);
        debug_assert!(payload > 0, "a segment carries something");
        self.counters.frames += 1;
        if sequence < self.sent {
            self.counters.retransmits += 1;
        }
        if self.timer == Time::MAX {
            self.timer = now + self.round_trip.timeout(); // RFC 6298 §5.1
        }
        self.sent = self.sent.max(sequence + u64::from(payload));
        let ecn = if C::ECN { Ecn::Capable } else { Ecn::NotCapable };
        Frame { ecn, ..self.address.data(now, sequence, payload + self.header) }
    }

    /// The threshold after a loss: RFC 5681 (4). What limited transmit sent does not count (§3.2 step 2). In recovery the window is inflated
    /// by what has left the network, and the flight with it: it is the threshold that says what may be out there. (4) is an upper bound.
    fn halve(&mut self, now: Time, loss: Loss) {
        let flight = self.flight() - self.limited;
        let flight = if self.recovering { flight.min(self.window.threshold) } else { flight };
        self.window.threshold = self.congestion.on_loss(&self.window, flight, loss, now).max(2 * self.segment());
        self.window.avoided = 0;
    }

    fn on_new_ack(&mut self, now: Time, ack: u64, echo: bool, delay: Span) {
        let (acked, flight) = (ack - self.una, self.flight());
        self.una = ack;
        self.next = self.next.max(ack);
        // The window grows into what was sent beyond it, or what is left of that is acknowledged.
        self.limited = 0;
        // What waited for the interface to be sent again may have come meanwhile.
        (self.timed_out, self.resend) = (false, false);
        let mut restart_timer = true;
        if !self.recovering {
            self.duplicates = 0;
            let round_trip = self.round_trip.smoothed();
            let news = News { acked, una: ack, sent: self.sent, echo, flight, now, round_trip, delay };
            self.congestion.on_ack(&mut self.window, news);
        } else if ack >= self.recover {
            // RFC 6582 §3.2 step 3, full acknowledgement, option 1: no burst of what the window has room for.
            self.window.size = self.window.threshold.min(self.flight().max(self.segment()) + self.segment());
            (self.recovering, self.duplicates) = (false, 0);
        } else {
            // Partial acknowledgement: the next hole is at `una`.
            self.resend = true;
            self.window.size = self.window.size.saturating_sub(acked).max(self.segment());
            if acked >= self.segment() {
                self.window.size += self.segment();
            }
            restart_timer = !self.partial || self.patient;
            self.partial = true;
        }
        if self.una == self.sent {
            self.timer = Time::MAX; // RFC 6298 §5.2
        } else if restart_timer {
            self.timer = now + self.round_trip.timeout(); // RFC 6298 §5.3
        }
    }

    fn on_duplicate(&mut self, now: Time) {
        self.duplicates = self.duplicates.saturating_add(1);
        if self.recovering {
            self.window.size = (self.window.size + self.segment()).min(self.window.largest);
        } else if self.duplicates == DUPLICATES && (self.una > self.recover || self.recover == 0) {
            // RFC 6582 §3.2 steps 1 and 2.
            self.halve(now, Loss::Found);
            self.recover = self.sent;
            self.window.size = self.window.threshold + u64::from(DUPLICATES) * self.segment();
            (self.recovering, self.partial, self.resend) = (true, false, true);
        }
    }
}

impl<C: Congestion> Device for TcpSender<C> {
    type Frame = Frame;

    fn receive(&mut self, now: Time, port: Port, frame: Frame, env: &mut impl Env) {
        debug_assert_eq!(frame.kind, Kind::Ack);
        let ack = frame.sequence;
        debug_assert!(ack <= self.sent, "acknowledges what was never sent");
        if frame.echo {
            self.counters.marks += 1;
        }
        if ack > self.una {
            self.round_trip.sample(now.since(frame.stamp));
            self.on_new_ack(now, ack, frame.echo, now.since(frame.stamp));
        } else if ack == self.una && self.sent > self.una {
            self.on_duplicate(now);
        }
        if self.may_send() {
            env.wake(port);
        }
    }

    fn transmit(&mut self, now: Time, _: Port, _: &mut impl Env) -> Option<Frame> {
        if !self.may_send() {
            return None;
        }
        if self.resend {
            self.resend = false;
            return Some(self.frame(now, self.una));
        }
        if !self.recovering && self.next_flight() > self.window.size {
            self.limited += u64::from(self.payload_at(self.next));
        }
        let frame = self.frame(now, self.next);
        self.next += u64::from(frame.len - self.header);
        Some(frame)
    }

    fn deadline(&self) -> Option<Time> {
        (self.timer < Time::MAX).then_some(self.timer)
    }

    fn expire(&mut self, now: Time, env: &mut impl Env) {
        if now < self.timer {
            return;
        }
        // RFC 5681 §3.1: the threshold is kept if the same segment is lost again; RFC 6298 §5.4 to 5.6.
        if !self.timed_out {
            self.halve(now, Loss::Timeout);
        }
        self.counters.timeouts += 1;
        self.window.size = self.segment();
        self.round_trip.back_off();
        self.timer = now + self.round_trip.timeout();
        (self.recovering, self.duplicates, self.resend, self.timed_out) = (false, 0, false, true);
        self.limited = 0;
        self.recover = self.sent; // RFC 6582 §3.2 step 4
        self.next = self.una;
        env.wake(Port(0));
    }
}

impl<C: Congestion> Sender for TcpSender<C> {
    fn is_done(&self) -> bool {
        self.una == self.bytes.get()
    }
    fn counters(&self) -> Counters {
        self.counters
    }
    fn is_waiting(&self) -> bool {
        !self.may_send() && !self.is_done()
    }
    fn window(&self) -> Option<Bytes> {
        Some(Bytes::new(self.window.size))
    }
    fn state(&self) -> String {
        match self.deadline() {
            Some(at) => format!("its sender waits for an acknowledgement above {}, or its timer at {at}", self.una),
            None => "its sender waits for room in its host's interface".to_owned(),
        }
    }
}
