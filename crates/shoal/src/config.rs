//! What a Shoal fabric is made with.

use crate::rack::Release;
use crate::schedule::Order;
use crate::timing::{GuardBand, Slot};
use units::{Bytes, Rate, Span};

/// A Shoal fabric. Defaults are those of §7.1.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The largest packet, transport headers included.
    pub mtu: Bytes,
    /// Channels of a node, each with switches of its own (§3.4). They share the rate of the host's link.
    pub channels: u32,
    /// A cell, header included.
    pub cell: Bytes,
    /// Its header (Fig. 5).
    pub header: Bytes,
    /// What the link layer adds to a cell (§6.1: 24 B of Ethernet MAC).
    pub overhead: Bytes,
    /// What separates slots.
    pub guard: GuardBand,
    /// From one slot to the next, if longer than guard band, overhead and cell add up to.
    pub slot: Option<Span>,
    /// The order of the fabric schedule.
    pub order: Order,
    /// How local cells are released.
    pub release: Release,
    /// Bytes that a node takes from its host and has not sent.
    pub buffer: Bytes,
    /// From port to port of a circuit switch (§4.1).
    pub switch_latency: Span,
    /// Transmit and receive path of a node together (§4.2).
    pub node_latency: Span,
}

impl Default for Config {
    fn default() -> Config {
        let propagation = Span::from_ps(200);
        Config {
            mtu: Bytes::new(1500),
            channels: 4,
            cell: Bytes::new(64),
            header: Bytes::new(8),
            overhead: Bytes::ZERO,
            guard: GuardBand { reconfiguration: Span::from_ps(2500), propagation, synchronisation: Span::from_ps(50) },
            slot: None,
            order: Order::Spread,
            release: Release { ready_queue: true, by_age: true },
            buffer: Bytes::new(16 << 20),
            switch_latency: Span::ZERO,
            node_latency: Span::ZERO,
        }
    }
}

impl Config {
    /// Bytes of a packet that a cell carries.
    pub fn payload(&self) -> Bytes {
        self.cell - self.header
    }
    /// Cells of a packet of `len` bytes: a packet begins with a cell of its own (§3.5).
    pub fn cells(&self, len: u32) -> u32 {
        len.div_ceil(self.payload().get() as u32).max(1)
    }
    /// The slot of nodes with links of this rate.
    pub fn slot(&self, rate: Rate) -> Slot {
        let channel = Rate::from_bps((rate.as_bps() / u64::from(self.channels)).max(1));
        Slot::for_cell(self.cell, self.overhead, channel, self.guard)
    }
    /// From one slot to the next.
    pub fn slot_length(&self, rate: Rate) -> Span {
        let sum = self.slot(rate).length();
        self.slot.map_or(sum, |slot| slot.max(sum))
    }
}
