//! NDP's receiving end: an acknowledgement for each packet, a refusal for each header, and a pull for each of both.

use crate::config::Ndp;
use crate::puller::{Pull, Pulled};
use crate::ranges::Ranges;
use crate::{Connection, Receiver};
use fabric::{Device, Env, Fate, Frame, Kind, Port};
use units::{Bytes, Time};

/// The receiving end of an NDP connection.
#[derive(Debug, Clone)]
pub struct NdpReceiver {
    connection: Connection,
    header: u32,
    control: u32,
    /// What has come, in bytes of the message.
    received: Ranges,
    /// What is to be answered at once.
    due: Option<Frame>,
    /// Pulls that its host has still to send.
    wanted: u64,
    /// Pulls sent.
    pulls: u64,
    /// Which of its host's connections are pulled first.
    pull_priority: u8,
    /// It stands in the turns of its host's pulls.
    in_turns: bool,
}

impl NdpReceiver {
    pub(super) fn new(connection: &Connection, config: &Ndp) -> NdpReceiver {
        NdpReceiver {
            connection: *connection,
            header: config.header.get() as u32,
            control: config.control.get() as u32,
            received: Ranges::default(),
            due: None,
            wanted: 0,
            pulls: 0,
            pull_priority: config.pull_priority,
            in_turns: false,
        }
    }

    fn is_complete(&self) -> bool {
        self.received.total() == self.connection.bytes.get()
    }

    fn control(&self, kind: Kind, sequence: u64, stamp: Time) -> Frame {
        self.connection.answer(kind, stamp, sequence, self.control)
    }
}

impl Pulled for NdpReceiver {
    #[inline]
    fn joins(&mut self) -> Option<u8> {
        let joins = self.wanted > 0 && !self.in_turns;
        self.in_turns |= joins;
        joins.then_some(self.pull_priority)
    }

    /// All pulls of the connection so far are counted in each.
    fn pull(&mut self, now: Time, _: u8) -> Option<Pull> {
        self.in_turns = false;
        self.wanted = self.wanted.checked_sub(1)?;
        self.pulls += 1;
        Some(Pull { frame: self.control(Kind::Pull, self.pulls, now), rate: 1.0 })
    }
}

impl Device for NdpReceiver {
    type Frame = Frame;

    fn receive(&mut self, _: Time, port: Port, frame: Frame, env: &mut impl Env) {
        let kind = if frame.fate == Fate::Trimmed {
            Kind::Nack
        } else {
            self.received.add(frame.sequence, frame.sequence + u64::from(frame.len - self.header));
            Kind::Ack
        };
        self.due = Some(self.control(kind, frame.sequence, frame.stamp));
        // When the last packet has come, pulls that are left are taken back.
        self.wanted = if self.is_complete() { 0 } else { self.wanted + 1 };
        env.wake(port);
    }

    fn transmit(&mut self, _: Time, _: Port, _: &mut impl Env) -> Option<Frame> {
        self.due.take()
    }
}

impl Receiver for NdpReceiver {
    fn delivered(&self) -> Bytes {
        Bytes::new(self.received.total())
    }
}
