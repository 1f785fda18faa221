//! What a Shoal fabric is made with.

use crate::rack::Release;
use crate::schedule::Order;
use crate::timing::{Frequency, GuardBand, Slot};
use fabric::Footprint;
use topology::Topology;
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
    /// Strict priority classes (App. C).
    pub classes: u8,
    /// Cells from other nodes that a queue takes, of each class but the first. By default as many as there are nodes.
    pub class_limit: Option<u32>,
    /// How long a destination waits for a lost cell. By default as long as a cell can be on its way: 2 N epochs.
    pub reassembly_timeout: Option<Span>,
    /// After how long nodes that nobody can reach are left out of the schedule (§7.3). By default never.
    pub leave_out_after: Option<Span>,
    /// The clocks of nodes and switches.
    pub clocks: Clocks,
    /// Bytes that a node takes from its host and has not sent.
    pub buffer: Bytes,
    /// From port to port of a circuit switch (§4.1).
    pub switch_latency: Span,
    /// Transmit and receive path of a node together (§4.2).
    pub node_latency: Span,
}

/// How well clocks keep time (§3.4). Each is drawn within these bounds, from the run's seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clocks {
    /// How far one may be from the master's, just after it was set.
    pub error: Span,
    /// By how much one may run faster or slower than the master's when left to itself, in parts per billion.
    pub drift: u32,
    /// From one setting to the next.
    pub interval: Span,
    /// What they do in between.
    pub frequency: Frequency,
    /// The node that has the master's clock at first; after it fails, the next one that works takes over (§3.5).
    pub master: u32,
    /// How long that takes.
    pub takeover: Span,
}

impl Default for Clocks {
    /// Clocks without error. An interval and a takeover of 1 ms are ours.
    fn default() -> Clocks {
        let (error, drift, frequency, master) = (Span::ZERO, 0, Frequency::Distributed, 0);
        Clocks { error, drift, interval: Span::from_ms(1), frequency, master, takeover: Span::from_ms(1) }
    }
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
            release: Release::PAPER,
            classes: 1,
            class_limit: None,
            reassembly_timeout: None,
            leave_out_after: None,
            clocks: Clocks::default(),
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
    /// What a rack takes of memory on this topology, of which `delay` slots are between a cell's leaving and when it may leave the next node.
    pub fn footprint(&self, topology: &Topology, delay: u32) -> Footprint {
        let (nodes, delay) = (u64::from(topology.hosts()), u64::from(delay));
        let pairs = nodes * nodes.saturating_sub(1);
        let epoch = nodes.saturating_sub(1).div_ceil(u64::from(self.channels)).max(1);
        // As `Rack::new` has it: what a pair has sent is kept for two delays, and what is in the air for one.
        let depth = (2 * delay / epoch + 2).next_power_of_two();
        let a_pair = 240 + 8 * depth + if self.classes > 1 { 100 * u64::from(self.classes) } else { 0 };
        let air = (delay + 1).saturating_mul(24 + 16 * nodes * u64::from(self.channels).min(nodes));
        let packets = self.buffer.get() / self.mtu.get().max(1) + 2;
        Footprint {
            fixed: pairs.saturating_mul(a_pair).saturating_add(air).saturating_add(nodes * 1000),
            frames: nodes.saturating_mul(packets).saturating_mul(2),
            frame: 200,
            pair: 0,
            at_once: true,
        }
    }
    /// From one slot to the next.
    pub fn slot_length(&self, rate: Rate) -> Span {
        let sum = self.slot(rate).length();
        self.slot.map_or(sum, |slot| slot.max(sum))
    }
}
