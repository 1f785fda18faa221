//! No transport: every packet goes out as soon as the interface takes it, nothing is acknowledged, what is lost stays lost.
//!
//! For fabrics that do their own congestion control, and as an ideal source over packet networks.

use crate::config::Direct;
use crate::{Connection, Counters, Receiver, Sender, Transport};
use fabric::{Device, Env, Frame, Needs, Port};
use units::{Bytes, Time};

impl Transport for Direct {
    type Sender = DirectSender;
    type Receiver = DirectReceiver;

    fn needs(&self) -> Needs {
        Needs::default()
    }
    fn header(&self) -> Bytes {
        self.header
    }
    fn open(&self, connection: &Connection) -> (DirectSender, DirectReceiver) {
        let header = self.header.get() as u32;
        let payload = connection.mtu.get() as u32 - header;
        (
            DirectSender { connection: *connection, payload, header, next: 0, frames: 0 },
            DirectReceiver { header, received: 0 },
        )
    }
}

/// Sends its message packet after packet.
#[derive(Debug, Clone)]
pub struct DirectSender {
    connection: Connection,
    payload: u32,
    header: u32,
    next: u64,
    frames: u64,
}

impl Device for DirectSender {
    type Frame = Frame;

    fn receive(&mut self, _: Time, _: Port, _: Frame, _: &mut impl Env) {}

    fn transmit(&mut self, now: Time, _: Port, _: &mut impl Env) -> Option<Frame> {
        let left = self.connection.bytes.get() - self.next;
        if left == 0 {
            return None;
        }
        let payload = left.min(u64::from(self.payload)) as u32;
        let frame = self.connection.data(now, self.next, payload + self.header);
        self.next += u64::from(payload);
        self.frames += 1;
        Some(frame)
    }
}

impl Sender for DirectSender {
    fn is_done(&self) -> bool {
        self.next == self.connection.bytes.get()
    }
    fn counters(&self) -> Counters {
        Counters { frames: self.frames, ..Counters::default() }
    }
    fn state(&self) -> String {
        match self.is_done() {
            true => "everything was sent once, and direct does not send again".to_owned(),
            false => "its sender waits for room in its host's interface".to_owned(),
        }
    }
}

/// Counts what arrives.
#[derive(Debug, Clone)]
pub struct DirectReceiver {
    header: u32,
    received: u64,
}

impl Device for DirectReceiver {
    type Frame = Frame;

    fn receive(&mut self, _: Time, _: Port, frame: Frame, _: &mut impl Env) {
        self.received += u64::from(frame.len - self.header);
    }
    fn transmit(&mut self, _: Time, _: Port, _: &mut impl Env) -> Option<Frame> {
        None
    }
}

impl Receiver for DirectReceiver {
    fn delivered(&self) -> Bytes {
        Bytes::new(self.received)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{Trial, delivers, trials};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn everything_arrives_if_nothing_is_lost_or_doubled(trial in trials()) {
            delivers(&Direct { header: Bytes::new(40) }, Trial { loss: 0.0, twice: 0.0, ..trial });
        }
    }
}
