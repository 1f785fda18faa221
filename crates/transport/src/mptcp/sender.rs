//! MPTCP's sending end.

use super::{Linked, Share, bits, coupling, entropy};
use crate::config::Mptcp;
use crate::tcp::TcpSender;
use crate::{Connection, Counters, Sender};
use fabric::{Device, Env, Frame, Kind, Options, Port};
use std::collections::{BTreeMap, VecDeque};
use units::{Bytes, Time};

/// The sending end of an MPTCP connection.
///
/// The message is cut into full segments, of which the last may be shorter. A subflow has a stream of full segments of its own; each carries one of
/// the message's.
#[derive(Debug, Clone)]
pub struct MptcpSender {
    connection: Connection,
    header: u32,
    /// Payload of a full segment.
    segment: u64,
    /// Segments of the message.
    segments: u64,
    /// Segments of the message that no receiver's buffer has more room than for.
    largest: u64,
    subflows: Vec<Subflow>,
    /// Of each subflow what is asked of all of them at every frame. They are too large for that.
    digests: Vec<Digest>,
    /// Subflows that have something to send, or room for a segment more; a bit each.
    ready: u64,
    /// Whose turn it is.
    turn: usize,
    /// The message's first segment that was given to no subflow.
    next: u64,
    /// All of its segments before this one were received (DATA_ACK).
    acknowledged: u64,
    /// Segments that are to go over another subflow as well, and the one whose timer went off.
    again: BTreeMap<u64, usize>,
    /// How many did.
    reinjected: u64,
}

/// Four cache lines: there are many, and hardly any is near when its turn comes.
#[derive(Debug, Clone)]
#[repr(align(64))]
struct Subflow {
    tcp: TcpSender<Linked>,
    /// Which segments of the message its own carry, from its first that is not acknowledged on.
    carries: VecDeque<u64>,
    /// Number of that one.
    first: u64,
}

const _: () = assert!(size_of::<Subflow>() == 256);

/// What a connection has to know of a subflow all the time.
#[derive(Debug, Clone, Copy)]
struct Digest {
    /// When its timer goes off; [`Time::MAX`] if it is not set.
    deadline: Time,
    share: Share,
}

impl MptcpSender {
    pub(super) fn new(connection: &Connection, config: &Mptcp) -> MptcpSender {
        let header = config.tcp.header.get() as u32;
        let segment = connection.mtu.get() - u64::from(header);
        let subflow = |number| {
            let own = Connection { bytes: Bytes::ZERO, entropy: entropy(connection, number), ..*connection };
            let tcp = TcpSender::new(&own, &config.tcp, Linked::default());
            Subflow { tcp, carries: VecDeque::new(), first: 0 }
        };
        let subflows: Vec<Subflow> = (0..u32::from(config.subflows)).map(subflow).collect();
        let mut sender = MptcpSender {
            connection: *connection,
            header,
            segment,
            segments: connection.bytes.get().div_ceil(segment),
            largest: (config.tcp.max_window.get() / segment).max(1),
            digests: vec![Digest { deadline: Time::MAX, share: Share::NONE }; subflows.len()],
            ready: 0,
            subflows,
            turn: 0,
            next: 0,
            acknowledged: 0,
            again: BTreeMap::new(),
            reinjected: 0,
        };
        for number in 0..sender.subflows.len() {
            sender.digest(number);
        }
        sender
    }

    /// Something happened to a subflow.
    fn digest(&mut self, number: usize) {
        let tcp = &self.subflows[number].tcp;
        self.digests[number] = Digest {
            deadline: tcp.deadline().unwrap_or(Time::MAX),
            share: Share::new(tcp.window_at_rest(), tcp.round_trip()),
        };
        let ready = u64::from(tcp.may_send() || tcp.has_room());
        self.ready = self.ready & !(1 << number) | ready << number;
    }

    /// The segment of the message that a subflow with room for one is to carry.
    fn next_for(&mut self, subflow: usize) -> Option<u64> {
        while self.again.first_key_value().is_some_and(|(number, _)| *number < self.acknowledged) {
            self.again.pop_first();
        }
        if let Some(number) = self.again.iter().find(|(_, from)| **from != subflow).map(|(number, _)| *number) {
            self.again.remove(&number);
            self.reinjected += 1;
            return Some(number);
        }
        if self.next == self.segments || self.next - self.acknowledged >= self.largest {
            return None;
        }
        self.next += 1;
        Some(self.next - 1)
    }

    /// The timer of a subflow went off: what it carries goes over others as well, as nobody knows when it comes back (RFC 6182 §5.4).
    fn reinject(&mut self, subflow: usize) {
        if self.subflows.len() == 1 {
            return;
        }
        for &number in &self.subflows[subflow].carries {
            if number >= self.acknowledged {
                self.again.insert(number, subflow);
            }
        }
    }
}

impl Device for MptcpSender {
    type Frame = Frame;

    fn receive(&mut self, now: Time, port: Port, frame: Frame, env: &mut impl Env) {
        debug_assert_eq!(frame.kind, Kind::Ack);
        let (number, data) = frame.subflow();
        let was_full = self.next - self.acknowledged >= self.largest;
        self.acknowledged = self.acknowledged.max(data.div_ceil(self.segment));
        let linked =
            self.subflows[number].tcp.is_avoiding().then(|| coupling(self.digests.iter().map(|digest| digest.share)));
        let subflow = &mut self.subflows[number];
        if let Some(linked) = linked {
            subflow.tcp.congestion_mut().coupling = linked;
        }
        subflow.tcp.receive(now, port, frame, env);
        let first = subflow.tcp.acknowledged() / self.segment;
        subflow.carries.drain(..(first - subflow.first) as usize);
        subflow.first = first;
        let has_room = subflow.tcp.has_room();
        self.digest(number);
        // The subflow itself has asked for what it has to send again.
        if !self.is_done() && (was_full || has_room) {
            env.wake(port);
        }
    }

    fn transmit(&mut self, now: Time, port: Port, env: &mut impl Env) -> Option<Frame> {
        if self.is_done() {
            return None; // what a subflow still misses, another one brought
        }
        // From the one whose turn it is on.
        let later = u64::MAX << self.turn;
        for number in bits(self.ready & later).chain(bits(self.ready & !later)) {
            let is_new = self.subflows[number].tcp.has_room();
            if is_new {
                let Some(next) = self.next_for(number) else { continue };
                self.subflows[number].carries.push_back(next);
                self.subflows[number].tcp.extend();
            }
            let subflow = &mut self.subflows[number];
            let mut frame = subflow.tcp.transmit(now, port, env)?;
            let carried = subflow.carries[(frame.sequence / self.segment - subflow.first) as usize] * self.segment;
            let payload = (self.connection.bytes.get() - carried).min(self.segment) as u32;
            frame.len = payload + self.header;
            frame.options = Options::of_subflow(number, carried);
            self.digest(number);
            self.turn = if number + 1 == self.subflows.len() { 0 } else { number + 1 };
            return Some(frame);
        }
        None
    }

    fn deadline(&self) -> Option<Time> {
        if self.is_done() {
            return None;
        }
        self.digests.iter().map(|digest| digest.deadline).min().filter(|at| *at < Time::MAX)
    }

    fn expire(&mut self, now: Time, env: &mut impl Env) {
        if self.is_done() {
            return;
        }
        for number in 0..self.subflows.len() {
            if self.digests[number].deadline <= now {
                self.subflows[number].tcp.expire(now, env);
                self.digest(number);
                self.reinject(number);
            }
        }
    }
}

impl Sender for MptcpSender {
    fn is_done(&self) -> bool {
        self.acknowledged == self.segments
    }

    fn counters(&self) -> Counters {
        let start = Counters { retransmits: self.reinjected, ..Counters::default() };
        self.subflows.iter().map(|subflow| subflow.tcp.counters()).fold(start, |all, one| Counters {
            frames: all.frames + one.frames,
            retransmits: all.retransmits + one.retransmits,
            timeouts: all.timeouts + one.timeouts,
            marks: all.marks + one.marks,
        })
    }

    fn window(&self) -> Option<Bytes> {
        Some(Bytes::new(self.subflows.iter().map(|subflow| subflow.tcp.congestion_window()).sum()))
    }

    fn state(&self) -> String {
        let bytes = self.acknowledged * self.segment;
        match self.deadline() {
            Some(at) => format!("its sender waits for an acknowledgement above {bytes}, or a subflow's timer at {at}"),
            None => "its sender waits for room in its host's interface".to_owned(),
        }
    }
}
