//! MPTCP's receiving end.

use super::{bits, entropy};
use crate::config::Mptcp;
use crate::ranges::Ranges;
use crate::tcp::TcpReceiver;
use crate::{Connection, Receiver};
use fabric::{Device, Env, Frame, Options, Port};
use units::{Bytes, Time};

/// The receiving end of an MPTCP connection.
#[derive(Debug, Clone)]
pub struct MptcpReceiver {
    message: u64,
    header: u32,
    /// Length of a frame with a full segment.
    full: u32,
    subflows: Vec<TcpReceiver>,
    /// Subflows that may have acknowledgements to send, a bit each.
    due: u64,
    /// Subflows whose timer is set, a bit each.
    timers: u64,
    /// What of the message has come.
    ranges: Ranges,
}

impl MptcpReceiver {
    pub(super) fn new(connection: &Connection, config: &Mptcp) -> MptcpReceiver {
        let subflow = |number| {
            // A subflow has no end of its own.
            let own = Connection { bytes: Bytes::MAX, entropy: entropy(connection, number), ..*connection };
            TcpReceiver::new(&own, &config.tcp, false, false)
        };
        MptcpReceiver {
            message: connection.bytes.get(),
            header: config.tcp.header.get() as u32,
            full: connection.mtu.get() as u32,
            subflows: (0..u32::from(config.subflows)).map(subflow).collect(),
            due: 0,
            timers: 0,
            ranges: Ranges::default(),
        }
    }
}

impl MptcpReceiver {
    /// Something happened to a subflow: it may have an acknowledgement to send, and its timer be set anew.
    fn note(&mut self, number: usize) {
        self.due |= 1 << number;
        let is_set = u64::from(self.subflows[number].deadline().is_some());
        self.timers = self.timers & !(1 << number) | is_set << number;
    }
}

impl Device for MptcpReceiver {
    type Frame = Frame;

    fn receive(&mut self, now: Time, port: Port, frame: Frame, env: &mut impl Env) {
        let (number, data) = frame.subflow();
        self.ranges.add(data, data + u64::from(frame.len - self.header));
        let subflow = &mut self.subflows[number];
        subflow.receive(now, port, Frame { len: self.full, ..frame }, env);
        if self.ranges.contiguous() == self.message {
            subflow.acknowledge_now(port, env);
        }
        self.note(number);
    }

    fn transmit(&mut self, now: Time, port: Port, env: &mut impl Env) -> Option<Frame> {
        while self.due != 0 {
            let number = self.due.trailing_zeros() as usize;
            if let Some(ack) = self.subflows[number].transmit(now, port, env) {
                return Some(Frame { options: Options::of_subflow(number, self.ranges.contiguous()), ..ack });
            }
            self.due &= self.due - 1;
        }
        None
    }

    fn deadline(&self) -> Option<Time> {
        bits(self.timers).filter_map(|number| self.subflows[number].deadline()).min()
    }

    fn expire(&mut self, now: Time, env: &mut impl Env) {
        for number in bits(self.timers) {
            if self.subflows[number].deadline().is_some_and(|at| at <= now) {
                self.subflows[number].expire(now, env);
                self.note(number);
            }
        }
    }
}

impl Receiver for MptcpReceiver {
    fn delivered(&self) -> Bytes {
        Bytes::new(self.ranges.contiguous())
    }
}
