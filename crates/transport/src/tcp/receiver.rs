//! A TCP's receiving end: reordering, acknowledgements (RFC 5681 §4.2), selective ones too (RFC 2018), and the echo of marks (RFC 8257 §3.2).

use super::reports::Reports;
use crate::{Address, Connection, Receiver, config};
use fabric::{Device, Ecn, Env, Frame, Kind, Options, Port};
use units::{Bytes, Span, Time};

/// The receiving end of a TCP connection.
#[derive(Debug, Clone)]
pub struct TcpReceiver {
    address: Address,
    bytes: Bytes,
    header: u32,
    every: u32,
    delay: Span,
    /// Echoes marks.
    ecn: bool,
    /// First byte that is missing.
    next: u64,
    /// What arrived beyond it: from, to; ascending, apart.
    beyond: Vec<(u64, u64)>,
    /// What it says of that, if it acknowledges selectively.
    reports: Option<Box<Reports>>,
    /// Segments in order that no acknowledgement covers yet, and the stamp of the first of them (RFC 7323 §4.3).
    pending: u32,
    pending_stamp: Time,
    /// The last segment was marked (DCTCP.CE).
    marked: bool,
    /// Acknowledgements to send: at a change of marking two can be due at once.
    due: [Option<Due>; 2],
    timer: Option<Time>,
}

/// What an acknowledgement says: less than half of a frame, as connections that are many should be small.
#[derive(Debug, Clone, Copy)]
struct Due {
    sequence: u64,
    stamp: Time,
    options: Options,
    echo: bool,
}

impl TcpReceiver {
    pub(crate) fn new(connection: &Connection, config: &config::Tcp, ecn: bool, selective: bool) -> TcpReceiver {
        let header = config.header.get() as u32;
        let segment = connection.mtu.get() as u32 - header;
        TcpReceiver {
            address: connection.address(),
            bytes: connection.bytes,
            header,
            every: config.ack_every,
            delay: config.ack_delay,
            ecn,
            next: 0,
            beyond: Vec::new(),
            reports: selective.then(|| Box::new(Reports::new(segment))),
            pending: 0,
            pending_stamp: Time::ZERO,
            marked: false,
            due: [None; 2],
            timer: None,
        }
    }

    /// Takes what arrived into account; true if it is what was missing next and leaves no hole before it.
    #[inline]
    fn take(&mut self, from: u64, to: u64) -> bool {
        if self.beyond.is_empty() && from <= self.next && to > self.next {
            self.next = to; // the usual case
            return true;
        }
        self.take_out_of_order(from, to)
    }

    fn take_out_of_order(&mut self, from: u64, to: u64) -> bool {
        if to <= self.next {
            return false;
        }
        let first = self.beyond.partition_point(|&(_, end)| end < from);
        let last = self.beyond.partition_point(|&(begin, _)| begin <= to);
        let joined = self.beyond[first..last].iter().fold((from, to), |(a, b), &(c, d)| (a.min(c), b.max(d)));
        self.beyond.splice(first..last, [joined]);
        if self.beyond[0].0 <= self.next {
            self.next = self.beyond.remove(0).1;
        }
        false // there was a hole: acknowledge at once, even if this fills it (RFC 5681 §4.2)
    }

    /// Acknowledges what it has held back: no more is to come.
    pub(crate) fn acknowledge_now(&mut self, port: Port, env: &mut impl Env) {
        if self.pending > 0 {
            self.acknowledge(self.next, self.pending_stamp, self.marked);
            env.wake(port);
        }
    }

    fn acknowledge(&mut self, sequence: u64, stamp: Time, echo: bool) {
        let options = match &mut self.reports {
            Some(reports) => reports.options(sequence, &self.beyond),
            None => Options::NONE,
        };
        let place = usize::from(self.due[0].is_some());
        self.due[place] = Some(Due { sequence, stamp, options, echo });
        (self.pending, self.timer) = (0, None);
    }
}

impl Device for TcpReceiver {
    type Frame = Frame;

    fn receive(&mut self, now: Time, port: Port, frame: Frame, env: &mut impl Env) {
        debug_assert_eq!(frame.kind, Kind::Data);
        let marked = self.ecn && frame.ecn == Ecn::Marked;
        if marked != self.marked {
            // RFC 8257 §3.2: what came before the change is acknowledged with the old echo.
            if self.pending > 0 {
                self.acknowledge(self.next, self.pending_stamp, self.marked);
            }
            self.marked = marked;
        }
        let payload = u64::from(frame.len - self.header);
        let (from, to) = (frame.sequence, frame.sequence + payload);
        if let Some(reports) = &mut self.reports {
            reports.hear(from, to, self.next, &self.beyond);
        }
        let in_order = self.take(from, to);
        if self.pending == 0 {
            self.pending_stamp = frame.stamp;
        }
        self.pending += 1;
        let last = self.next == self.bytes.get();
        if !in_order || self.pending >= self.every || last {
            let stamp = if in_order { self.pending_stamp } else { frame.stamp };
            self.acknowledge(self.next, stamp, marked);
        } else if self.timer.is_none() {
            self.timer = Some(now + self.delay);
        }
        if self.due[0].is_some() {
            env.wake(port);
        }
    }

    fn transmit(&mut self, _: Time, _: Port, _: &mut impl Env) -> Option<Frame> {
        let Due { sequence, stamp, options, echo } = self.due[0].take()?;
        self.due.swap(0, 1);
        Some(Frame { options, echo, ..self.address.answer(Kind::Ack, stamp, sequence, self.header) })
    }

    fn deadline(&self) -> Option<Time> {
        self.timer
    }

    fn expire(&mut self, now: Time, env: &mut impl Env) {
        if self.timer.is_none_or(|at| now < at) {
            return;
        }
        self.acknowledge(self.next, self.pending_stamp, self.marked);
        env.wake(Port(0));
    }
}

impl Receiver for TcpReceiver {
    fn delivered(&self) -> Bytes {
        Bytes::new(self.next)
    }
}
