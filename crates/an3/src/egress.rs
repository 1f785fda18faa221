//! Control cells between egress NICs and L1 switches, by what they say: Fig. 14.

use crate::message::{Message, Reason};
use fabric::{Over, Sampled};

/// Control cells on the links of egress NICs since the last sample: requests on their way to a switch, and what comes back of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Egress {
    requests: u64,
    acknowledged: u64,
    refused: u64,
    ended: u64,
    chunks: u64,
}

impl Egress {
    /// A control cell goes over such a link, to the switch or from it.
    #[inline]
    pub(crate) fn count(&mut self, message: Message, is_to_switch: bool) {
        match (message, is_to_switch) {
            (Message::SetUp(_), true) => self.requests += 1,
            (Message::Ack, false) => self.acknowledged += 1,
            (Message::TearDown(Reason::Done), false) => self.ended += 1,
            (Message::TearDown(_), false) => self.refused += 1,
            (Message::DataAck { .. }, false) => self.chunks += 1,
            // The same circuits once more, at their destinations' egress NICs.
            (Message::SetUp(_), false)
            | (Message::Ack | Message::TearDown(_) | Message::DataAck { .. }, true)
            | (Message::Close | Message::Restart, _) => {}
        }
    }

    /// What was counted, and begins again.
    pub(crate) fn sample(&mut self) -> Vec<Sampled> {
        let Egress { requests, acknowledged, refused, ended, chunks } = std::mem::take(self);
        let series = |(name, value): (_, u64)| Sampled { name, unit: "cells", value: value as f64, over: Over::Sum };
        let all = [
            ("requests to L1 switches", requests),
            ("requests acknowledged by L1 switches", acknowledged),
            ("requests refused beyond egress NICs", refused),
            ("ends of circuits beyond egress NICs", ended),
            ("data ACKs from L1 switches", chunks),
        ];
        all.into_iter().map(series).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_counts_once_where_its_source_is() {
        let mut egress = Egress::default();
        let messages = [Message::Ack, Message::TearDown(Reason::Full), Message::TearDown(Reason::Done), Message::Close];
        for message in messages.into_iter().chain([Message::DataAck { chunk: 3 }, Message::Restart]) {
            egress.count(message, true);
            egress.count(message, false);
        }
        let values = |egress: &mut Egress| egress.sample().iter().map(|each| each.value).collect::<Vec<_>>();
        assert_eq!(values(&mut egress), [0.0, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!(values(&mut egress), [0.0; 5], "a sample is of what came since the last");
    }
}
