//! What a sender knows of its packets that hears of each by itself.
//!
//! Packets are counted from 0; all but the last are full. A packet is in flight until something is heard of it. What has not come as it should waits to be
//! sent again, before anything new.

use std::collections::VecDeque;
use units::{Bytes, Span, Time};

/// What has become of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packet {
    /// It was sent then, over the path at this place, and nothing was heard of it.
    InFlight(Time, u16),
    /// It waits to be sent again, or for the first time.
    Waiting,
    /// It has arrived.
    Delivered,
}

/// All packets of a message.
#[derive(Debug, Clone)]
pub(crate) struct Flight {
    bytes: u64,
    payload: u32,
    /// Packets of the message; [`u64::MAX`] has no end.
    packets: u64,
    /// First packet of which it is not known that it was delivered.
    base: u64,
    /// From `base` to the first packet that was never sent.
    sent: VecDeque<Packet>,
    /// Packets to be sent again, in this order. Some may have been delivered meanwhile.
    again: VecDeque<u64>,
    /// Those of them that were not.
    waiting: u64,
    /// Packets in flight.
    in_flight: u64,
    /// When packets were sent, in order of time; those that are not in flight since then are left out when they come first.
    times: VecDeque<(Time, u64)>,
}

impl Flight {
    /// Of a message of so many bytes, in packets of so many.
    pub(crate) fn new(bytes: Bytes, payload: u32) -> Flight {
        let bytes = bytes.get();
        let packets = if bytes == u64::MAX { u64::MAX } else { bytes.div_ceil(u64::from(payload)) };
        Flight {
            bytes,
            payload,
            packets,
            base: 0,
            sent: VecDeque::new(),
            again: VecDeque::new(),
            waiting: 0,
            in_flight: 0,
            times: VecDeque::new(),
        }
    }

    /// First packet that was never sent.
    fn fresh(&self) -> u64 {
        self.base + self.sent.len() as u64
    }

    fn packet(&mut self, number: u64) -> Option<&mut Packet> {
        self.sent.get_mut(usize::try_from(number.checked_sub(self.base)?).ok()?)
    }

    /// First packet of which it is not known that it was delivered.
    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// All packets have arrived.
    pub(crate) fn is_done(&self) -> bool {
        self.base == self.packets
    }

    /// Packets in flight.
    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Packets that wait to be sent, again or for the first time.
    pub(crate) fn backlog(&self) -> u64 {
        self.waiting.saturating_add(self.packets - self.fresh())
    }

    /// The packet that begins at this byte, or that a message of this length ends before.
    pub(crate) fn number(&self, sequence: u64) -> u64 {
        sequence.div_ceil(u64::from(self.payload))
    }

    /// A packet's first byte, and its payload.
    pub(crate) fn bytes_of(&self, number: u64) -> (u64, u32) {
        let sequence = number * u64::from(self.payload);
        (sequence, (self.bytes - sequence).min(u64::from(self.payload)) as u32)
    }

    /// A packet has come. The place of its path, if it was in flight.
    pub(crate) fn deliver(&mut self, number: u64) -> Option<u16> {
        let before = std::mem::replace(self.packet(number)?, Packet::Delivered);
        let place = match before {
            Packet::InFlight(_, place) => {
                self.in_flight -= 1;
                Some(place)
            }
            Packet::Waiting => {
                self.waiting -= 1;
                None
            }
            Packet::Delivered => None,
        };
        while self.sent.front() == Some(&Packet::Delivered) {
            self.sent.pop_front();
            self.base += 1;
        }
        place
    }

    /// The place of the path of a packet that is in flight.
    pub(crate) fn place_of(&mut self, number: u64) -> Option<u16> {
        match *self.packet(number)? {
            Packet::InFlight(_, place) => Some(place),
            Packet::Waiting | Packet::Delivered => None,
        }
    }

    /// A packet has not come, and is to be sent again if it is in flight. The place of its path, if it was.
    pub(crate) fn refuse(&mut self, number: u64) -> Option<u16> {
        let packet = self.packet(number)?;
        let Packet::InFlight(_, place) = *packet else { return None };
        *packet = Packet::Waiting;
        self.in_flight -= 1;
        self.waiting += 1;
        self.again.push_back(number);
        Some(place)
    }

    /// The packet that is to be sent next, which then is: one that waits to be sent again, or else the first that was never sent; and whether it goes again.
    pub(crate) fn choose(&mut self) -> Option<(u64, bool)> {
        while let Some(number) = self.again.pop_front() {
            if let Some(Packet::Waiting) = self.packet(number) {
                self.waiting -= 1;
                return Some((number, true));
            }
        }
        let fresh = self.fresh();
        (fresh < self.packets).then(|| {
            self.sent.push_back(Packet::Waiting);
            (fresh, false)
        })
    }

    /// The chosen packet is sent now, over the path at this place.
    pub(crate) fn send(&mut self, number: u64, now: Time, place: u16) {
        self.in_flight += 1;
        if let Some(packet) = self.packet(number) {
            *packet = Packet::InFlight(now, place);
        }
        self.times.push_back((now, number));
        self.clean();
    }

    /// Forgets times of packets that are not in flight since then.
    pub(crate) fn clean(&mut self) {
        while let Some((at, number)) = self.times.front().copied() {
            let is_timed =
                self.packet(number).is_some_and(|packet| matches!(packet, Packet::InFlight(since, _) if *since == at));
            if is_timed {
                return;
            }
            self.times.pop_front();
        }
    }

    /// When the packet was sent of which nothing was heard for longest.
    pub(crate) fn oldest(&self) -> Option<Time> {
        self.times.front().map(|(at, _)| *at)
    }

    /// A packet of which nothing was heard for so long is lost, and is to be sent again: the place of its path.
    pub(crate) fn lose(&mut self, now: Time, timeout: Span) -> Option<u16> {
        let (_, number) = self.times.front().copied().filter(|(at, _)| *at + timeout <= now)?;
        let place = self.refuse(number);
        self.times.pop_front();
        self.clean();
        place
    }
}
