//! pFabric's receiving end: an acknowledgement for every packet, which says what has come without a gap, and in up to three blocks what has come beyond.

use crate::config::Pfabric;
use crate::ranges::Ranges;
use crate::{Connection, Receiver};
use fabric::{Device, Env, Frame, Kind, Options, Port, SackBlock};
use units::{Bytes, Time};

/// The receiving end of a pFabric connection.
#[derive(Debug, Clone)]
pub struct PfabricReceiver {
    connection: Connection,
    header: u32,
    payload: u64,
    /// What has come, in bytes of the message.
    received: Ranges,
    /// What is to be sent at once.
    due: Option<Frame>,
}

impl PfabricReceiver {
    pub(super) fn new(connection: &Connection, config: &Pfabric) -> PfabricReceiver {
        let header = config.header.get() as u32;
        let payload = connection.mtu.get() - config.header.get();
        PfabricReceiver { connection: *connection, header, payload, received: Ranges::default(), due: None }
    }

    /// What has come beyond the first gap, in packets from there on: what `came` is part of, and then what is nearest to the gap. What is too far off to be
    /// said is left out.
    fn blocks(&self, came: u64) -> Options {
        // The end of a message may be in the middle of a packet; what begins there is nothing.
        let base = self.received.contiguous().div_ceil(self.payload) as i64;
        let block = |&(from, to): &(u64, u64)| {
            let start = i16::try_from((from / self.payload) as i64 - base).ok()?;
            let length = to.div_ceil(self.payload) - from / self.payload;
            Some(SackBlock { start, length: u16::try_from(length).unwrap_or(u16::MAX) })
        };
        let beyond = self.received.beyond();
        let has_came = |(from, to): &&(u64, u64)| (*from..*to).contains(&came);
        let of_came = beyond.iter().filter(has_came);
        let others = beyond.iter().filter(|range| !has_came(range));
        let mut blocks = [SackBlock::NONE; 3];
        for (place, found) in blocks.iter_mut().zip(of_came.chain(others).filter_map(block)) {
            *place = found;
        }
        Options::of_blocks(blocks)
    }
}

impl Device for PfabricReceiver {
    type Frame = Frame;

    fn receive(&mut self, _: Time, port: Port, frame: Frame, env: &mut impl Env) {
        debug_assert_eq!(frame.kind, Kind::Data);
        let bytes = u64::from(frame.len - self.header);
        // A probe carries nothing.
        if bytes > 0 {
            self.received.add(frame.sequence, frame.sequence + bytes);
        }
        let next = self.received.contiguous();
        let options = if next == self.received.total() { Options::NONE } else { self.blocks(frame.sequence) };
        self.due = Some(Frame { options, ..self.connection.answer(Kind::Ack, frame.stamp, next, self.header) });
        env.wake(port);
    }

    fn transmit(&mut self, _: Time, _: Port, _: &mut impl Env) -> Option<Frame> {
        self.due.take()
    }
}

impl Receiver for PfabricReceiver {
    fn delivered(&self) -> Bytes {
        Bytes::new(self.received.contiguous())
    }
}
