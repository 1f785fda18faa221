//! A TCP's sending end with selective acknowledgements (RFC 2018): what is lost is found by what was received beyond it (RFC 6675) or by time
//! (RFC 8985: RACK and tail loss probes), and repaired as the window has room for what may be in the network (RFC 6675's pipe).
//!
//! Sequence numbers, round-trip times and the timer are as in [`super::sender`]. Receivers here never discard what they have reported, so a
//! timeout forgets no reports (RFC 6675 §5.1).

use super::probe::{Answer, Probe};
use super::rack::{Rack, Standing};
use super::rto::RoundTrip;
use super::scoreboard::{Delivered, Scoreboard};
use super::{Congestion, Loss, News, Window};
use crate::{Connection, Counters, Sender, config};
use fabric::{Device, Ecn, Env, Frame, Kind, Port};
use units::{Bytes, Span, Time};

/// How losses are found.
#[derive(Debug, Clone)]
enum Finding {
    /// RFC 6675: by what was received beyond.
    Beyond(Tail),
    /// RFC 8985: by time.
    Rack(Rack, Probe),
}

/// What RFC 6675 sends again of the end of a message, where nothing follows that could show a loss.
#[derive(Debug, Clone, Default)]
struct Tail {
    /// All below was sent again in this recovery or had been received (HighRxt).
    tried: u64,
    /// The one rescue retransmission of this recovery was sent.
    rescued: bool,
}

/// Whether a loss is being repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// No.
    Open,
    /// One that was found by acknowledgements: the window stays as it is.
    Fast,
    /// One that made the timer go off: the window grows.
    Timeout,
}

/// A segment that may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// It was lost.
    Lost(u64),
    /// It was never sent.
    New,
    /// It may be lost: nothing says that it is not, and there is nothing better to send (RFC 6675 §4, `NextSeg` rule 3).
    Tail(u64),
    /// The last of all, once in a recovery (rule 4).
    Rescue(u64),
    /// The last of all, to find out what became of it.
    Probe(u64),
}

/// The sending end of a TCP connection that has selective acknowledgements.
#[derive(Debug, Clone)]
pub struct SelectiveSender<C> {
    connection: Connection,
    header: u32,
    window: Window,
    congestion: C,
    board: Scoreboard,
    finding: Finding,
    /// First byte that is not acknowledged (SND.UNA).
    una: u64,
    /// First byte that was never sent (SND.NXT).
    sent: u64,
    phase: Phase,
    /// The loss is repaired when this is acknowledged (RecoveryPoint).
    recover: u64,
    /// The first segment that is lost goes again whether the window has room or not (RFC 6675 §5 step 4.3, RFC 5681 §3.1 for the timer).
    urgent: bool,
    /// What the last acknowledgement had in its blocks: nothing new is in these segments.
    known: [(u64, u64); 3],
    /// The timer went off and nothing new was acknowledged since.
    timed_out: bool,
    round_trip: RoundTrip,
    /// An acknowledgement of a single segment may wait for so long (TLP.max_ack_delay).
    ack_delay: Span,
    timer: Option<Time>,
    /// Nothing goes before then, as the window is below a segment.
    paced: Option<Time>,
    counters: Counters,
}

impl<C: Congestion> SelectiveSender<C> {
    pub(super) fn new(connection: &Connection, config: &config::Tcp, congestion: C, rack: bool) -> SelectiveSender<C> {
        let header = config.header.get() as u32;
        let segment = connection.mtu.get() as u32 - header;
        let finding =
            if rack { Finding::Rack(Rack::new(), Probe::default()) } else { Finding::Beyond(Tail::default()) };
        SelectiveSender {
            connection: *connection,
            header,
            window: Window::new(config, segment),
            congestion,
            board: Scoreboard::new(connection.bytes.get(), segment),
            finding,
            una: 0,
            sent: 0,
            phase: Phase::Open,
            recover: 0,
            urgent: false,
            known: [(0, 0); 3],
            timed_out: false,
            round_trip: RoundTrip::new(config),
            ack_delay: if config.ack_every > 1 { config.ack_delay } else { Span::ZERO },
            timer: None,
            paced: None,
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

    /// The first segment that is not acknowledged.
    fn first(&self) -> u64 {
        self.una.div_ceil(self.segment())
    }

    fn is_whole_message_sent(&self) -> bool {
        self.sent == self.connection.bytes.get()
    }

    /// What is to be sent next: RFC 6675 §4, `NextSeg`, and RFC 8985 §7.3.
    fn next(&mut self) -> Option<Next> {
        if C::BY_DELAY && self.paced.is_some() {
            return None;
        }
        let size = if C::BY_DELAY { self.window.size.max(self.segment()) } else { self.window.size };
        let room = size.saturating_sub(self.board.pipe());
        // The receiver's buffer has room for a window from what it waits for on.
        let beyond = (!self.is_whole_message_sent())
            .then(|| self.board.payload(self.board.end()))
            .filter(|payload| self.sent + payload - self.una <= self.window.largest);
        if let Finding::Rack(_, probe) = &self.finding
            && probe.due
        {
            return if beyond.is_some() { Some(Next::New) } else { self.last_outstanding().map(Next::Probe) };
        }
        if let Some(number) = self.board.next_lost() {
            return (self.urgent || self.board.payload(number) <= room).then_some(Next::Lost(number));
        }
        match beyond {
            Some(payload) => (payload <= room).then_some(Next::New),
            None => self.next_of_tail(room),
        }
    }

    /// RFC 6675 §4, `NextSeg` rules 3 and 4: nothing is lost for all that is known, and nothing new may be sent.
    fn next_of_tail(&mut self, room: u64) -> Option<Next> {
        let Finding::Beyond(tail) = &mut self.finding else { return None };
        if self.phase != Phase::Fast {
            return None;
        }
        tail.tried = tail.tried.max(self.una.div_ceil(u64::from(self.window.segment)));
        while tail.tried < self.board.highest() {
            if self.board.is_untried(tail.tried) {
                return (self.board.payload(tail.tried) <= room).then_some(Next::Tail(tail.tried));
            }
            tail.tried += 1;
        }
        if tail.rescued {
            return None;
        }
        let last = self.last_outstanding()?;
        (self.board.is_untried(last) && self.board.payload(last) <= room).then_some(Next::Rescue(last))
    }

    /// The highest segment that was sent and not received.
    fn last_outstanding(&self) -> Option<u64> {
        (self.first()..self.board.end()).rev().find(|number| !self.board.is_received(*number))
    }

    /// Whether something may be sent.
    fn may_send(&mut self) -> bool {
        self.next().is_some()
    }

    fn standing(&self) -> Standing {
        Standing { recovering: self.phase != Phase::Open, smoothed: self.round_trip.smoothed() }
    }

    /// Takes the blocks of an acknowledgement into account. Bytes of which it is the first news, and the byte after what came twice, if
    /// something did.
    fn select(&mut self, now: Time, frame: &Frame) -> (u64, Option<u64>) {
        let (segment, base) = (self.segment(), frame.sequence.div_ceil(self.segment()));
        let mut blocks = frame.blocks().map(|block| {
            let from = base.saturating_add_signed(i64::from(block.start));
            (from, from + u64::from(block.length))
        });
        let mut listed = [(0, 0); 3];
        listed.iter_mut().zip(&mut blocks).for_each(|(place, block)| *place = block);
        // RFC 2883 §4: the first block is of what came twice if it is acknowledged, or part of the second.
        let [first, second, _] = listed;
        let twice = first.0 < first.1 && (first.1 <= base || second.0 <= first.0 && first.1 <= second.1);
        let mut bytes = 0;
        let Self { board, finding, known, .. } = self;
        for (from, to) in listed.into_iter().skip(usize::from(twice)) {
            // Only what the last acknowledgement did not have.
            let mut from = from;
            while from < to {
                let inside = known.iter().find(|(begin, end)| *begin <= from && from < *end);
                let until = match inside {
                    Some(&(_, end)) => end,
                    None => {
                        known.iter().map(|(begin, _)| *begin).filter(|begin| *begin > from).min().unwrap_or(to).min(to)
                    }
                };
                if inside.is_none() {
                    bytes += board.select(from, until, |delivered| heard(finding, now, frame.stamp, delivered));
                }
                from = until;
            }
        }
        *known = listed;
        if twice {
            known[0] = (0, 0);
        }
        (bytes, twice.then(|| (first.1 * segment).min(self.connection.bytes.get())))
    }

    /// A loss was found: RFC 6675 §5 step 4, RFC 5681 (4). What limited transmit sent does not count: no more than the window.
    fn reduce(&mut self, now: Time, loss: Loss) {
        let flight = (self.sent - self.una).min(self.window.size);
        let least = if C::BY_DELAY { 0 } else { 2 * self.segment() };
        self.window.threshold = self.congestion.on_loss(&self.window, flight, loss, now).max(least);
        self.window.avoided = 0;
    }

    /// Looks for losses. The first begins a recovery.
    fn find_losses(&mut self, now: Time) {
        let standing = self.standing();
        let found = match &mut self.finding {
            Finding::Beyond(_) => self.board.judge(),
            Finding::Rack(rack, _) => rack.detect(now, &mut self.board, standing),
        };
        if !found || self.phase != Phase::Open {
            return;
        }
        self.reduce(now, Loss::Found);
        self.window.size = self.window.threshold;
        (self.phase, self.recover, self.urgent) = (Phase::Fast, self.sent, true);
        match &mut self.finding {
            Finding::Beyond(tail) => *tail = Tail::default(),
            Finding::Rack(_, probe) => probe.cancel(),
        }
    }

    /// RFC 8985 §7.2: a probe is scheduled when nothing else shows whether the last of a flight was lost.
    fn schedule_probe(&mut self, now: Time) {
        let wanted = self.phase == Phase::Open && self.board.received() == 0 && self.una < self.sent;
        let smoothed = self.round_trip.smoothed();
        let single = self.sent - self.una <= self.segment();
        let timer = self.timer;
        let Finding::Rack(_, probe) = &mut self.finding else { return };
        probe.due = false;
        let delay = match smoothed {
            Span::ZERO => Span::from_ms(1000),
            smoothed => smoothed.saturating_mul(2) + if single { self.ack_delay } else { Span::ZERO },
        };
        let wanted = wanted && !probe.is_outstanding();
        probe.timer = wanted.then(|| timer.map_or(now + delay, |timer| timer.min(now + delay)));
    }

    /// A window below a segment lets one go in so much more than a round trip (Swift §3.4).
    fn pace(&mut self, now: Time) {
        let segment = self.segment();
        if self.window.size < segment {
            let span = u128::from(self.round_trip.smoothed().as_ps()) * u128::from(segment);
            let span =
                u64::try_from(span / u128::from(self.window.size.max(1))).map_or(RoundTrip::LONGEST, Span::from_ps);
            self.paced = Some(now + span.min(RoundTrip::LONGEST));
        }
    }

    /// It goes on as soon as its window has a segment, or its time has come; and nothing is to go once all is acknowledged.
    fn stop_pacing(&mut self, now: Time) {
        let ends = self.paced.is_some_and(|at| at <= now) || self.window.size >= self.segment();
        if ends || self.una == self.connection.bytes.get() {
            self.paced = None;
        }
    }

    /// RFC 6298 §5.4 to 5.6; RFC 8985 §6.3.
    fn time_out(&mut self, now: Time) {
        // RFC 5681 §3.1: the threshold is kept if the same segment is lost again.
        if C::BY_DELAY || !self.timed_out {
            self.reduce(now, Loss::Timeout);
        }
        self.counters.timeouts += 1;
        self.window.size = if C::BY_DELAY { self.window.threshold } else { self.segment() };
        self.round_trip.back_off();
        self.timer = Some(now + self.round_trip.timeout());
        (self.phase, self.recover, self.urgent, self.timed_out) = (Phase::Timeout, self.sent, true, true);
        let (standing, first) = (self.standing(), self.first());
        match &mut self.finding {
            Finding::Beyond(_) => (first..self.board.end()).for_each(|number| self.board.lose(number)),
            Finding::Rack(rack, probe) => {
                rack.lose_late(now, &mut self.board, first, standing);
                probe.cancel();
            }
        }
    }
}

/// The earlier of two timers. Not by iterators: it is asked for after every frame, and what the compiler made of those took a quarter of a run.
#[inline]
fn earlier(one: Option<Time>, other: Option<Time>) -> Option<Time> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (timer, None) | (None, timer) => timer,
    }
}

/// A segment was delivered.
fn heard(finding: &mut Finding, now: Time, stamp: Time, delivered: Delivered) {
    match finding {
        Finding::Beyond(_) => {}
        Finding::Rack(rack, _) => rack.deliver(now, stamp, delivered),
    }
}

impl<C: Congestion> Device for SelectiveSender<C> {
    type Frame = Frame;

    // Never inlined: where senders of all kinds meet, those without selective acknowledgements are to stay small.
    #[inline(never)]
    fn receive(&mut self, now: Time, port: Port, frame: Frame, env: &mut impl Env) {
        debug_assert_eq!(frame.kind, Kind::Ack);
        let ack = frame.sequence;
        debug_assert!(ack <= self.sent, "acknowledges what was never sent");
        if frame.echo {
            self.counters.marks += 1;
        }
        let (before, flight) = (self.una, self.board.pipe());
        if let Finding::Rack(rack, _) = &mut self.finding {
            rack.sample(now, frame.stamp);
        }
        let mut delivered = 0;
        if ack > before {
            self.round_trip.sample(now.since(frame.stamp));
            self.una = ack;
            (self.timed_out, delivered) = (
                false,
                self.board.acknowledge(self.first(), |segment| {
                    heard(&mut self.finding, now, frame.stamp, segment);
                }),
            );
            // RFC 6298 §5.2 and 5.3.
            self.timer = (ack < self.sent).then(|| now + self.round_trip.timeout());
        }
        let (selected, twice) = self.select(now, &frame);
        delivered += selected;
        let phase = self.phase;
        let recovered = phase != Phase::Open && self.una >= self.recover;
        if recovered {
            (self.phase, self.urgent) = (Phase::Open, false);
        }
        if let Finding::Rack(rack, probe) = &mut self.finding {
            rack.adapt(twice.is_some(), recovered, self.una, self.sent);
            let bare = ack == before && frame.blocks().next().is_none();
            if probe.hear(Answer { ack, twice, bare }) {
                self.reduce(now, Loss::Found);
                self.window.size = self.window.threshold;
            }
        }
        self.find_losses(now);
        // Without reordering, what is beyond a hole counts once the hole is filled (RFC 5681 §3.1, RFC 6675 §5 step 3), and with it at once: else
        // a sender whose segments keep overtaking each other would hardly grow.
        let acked = match &self.finding {
            _ if C::BY_DELAY => delivered,
            Finding::Rack(rack, _) if rack.has_seen_reordering() => delivered,
            Finding::Beyond(_) | Finding::Rack(..) => self.una - before,
        };
        if acked > 0 && (C::BY_DELAY || phase != Phase::Fast && self.phase != Phase::Fast) {
            let (round_trip, delay) = (self.round_trip.smoothed(), now.since(frame.stamp));
            let news = News { acked, una: self.una, sent: self.sent, echo: frame.echo, flight, now, round_trip, delay };
            self.congestion.on_ack(&mut self.window, news);
        }
        if C::BY_DELAY {
            self.stop_pacing(now);
        }
        if ack > before || self.board.received() > 0 {
            self.schedule_probe(now);
        }
        if self.may_send() {
            env.wake(port);
        }
    }

    #[inline(never)]
    fn transmit(&mut self, now: Time, _: Port, _: &mut impl Env) -> Option<Frame> {
        let next = self.next()?;
        let number = match next {
            Next::Lost(number) | Next::Tail(number) | Next::Rescue(number) | Next::Probe(number) => number,
            Next::New => self.board.end(),
        };
        let payload = self.board.payload(number);
        let sequence = number * self.segment();
        self.board.send(number, now);
        self.counters.frames += 1;
        if next == Next::New {
            self.sent += payload;
        } else {
            self.counters.retransmits += 1;
            self.urgent = false;
        }
        if self.timer.is_none() {
            self.timer = Some(now + self.round_trip.timeout()); // RFC 6298 §5.1
        }
        match &mut self.finding {
            Finding::Beyond(tail) => tail.rescued |= next == Next::Rescue(number),
            Finding::Rack(_, probe) if probe.due => probe.sent(self.sent, next != Next::New),
            Finding::Rack(..) if next == Next::New => self.schedule_probe(now),
            Finding::Rack(..) => {}
        }
        if C::BY_DELAY {
            self.pace(now);
        }
        let ecn = if C::ECN { Ecn::Capable } else { Ecn::NotCapable };
        Some(Frame { ecn, ..self.connection.data(now, sequence, payload as u32 + self.header) })
    }

    fn deadline(&self) -> Option<Time> {
        let timer = match &self.finding {
            Finding::Beyond(_) => self.timer,
            Finding::Rack(rack, probe) => earlier(self.timer, earlier(rack.timer, probe.timer)),
        };
        if C::BY_DELAY { earlier(timer, self.paced) } else { timer }
    }

    fn expire(&mut self, now: Time, env: &mut impl Env) {
        if self.deadline().is_none_or(|at| now < at) {
            return;
        }
        let is_due = |timer: Option<Time>| timer.is_some_and(|at| at <= now);
        if let Finding::Rack(rack, probe) = &mut self.finding {
            let reordering = is_due(rack.timer);
            if is_due(probe.timer) {
                // RFC 8985 §7.3: the retransmission timer is set anew.
                (probe.timer, probe.due) = (None, true);
                self.timer = Some(now + self.round_trip.timeout());
            }
            if reordering {
                self.find_losses(now);
            }
        }
        if is_due(self.timer) {
            self.time_out(now);
        }
        if C::BY_DELAY {
            self.stop_pacing(now);
        }
        if self.may_send() {
            env.wake(Port(0));
        }
    }
}

impl<C: Congestion> Sender for SelectiveSender<C> {
    fn is_done(&self) -> bool {
        self.una == self.connection.bytes.get()
    }
    fn counters(&self) -> Counters {
        self.counters
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

#[cfg(test)]
mod tests;
