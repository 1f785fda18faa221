//! What a plan is made from: the rack, its slots, its devices, what they draw and cost.

use super::{cost, power};
use crate::book::{Book, Edition, Part, Used};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{DelayText, Flat, LastingText, RateText, SettingError, SizeText, VolumeText};
use shoal::header::{Layout, Widths};
use shoal::latency::Path;
use shoal::schedule::Order;
use shoal::timing::{GuardBand, Slot};
use units::{Bytes, Rate, Span};

/// A Shoal rack, beside a packet-switched network for the same nodes.
// No circuit switch is slower than a second, and epochs stay below 2^64 ps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "ShoalInput")]
pub struct Input {
    /// Nodes of the rack, N.
    #[schemars(range(min = 2, max = 1_000_000))]
    pub nodes: u64,
    /// Rate of a node's interface, over all its channels.
    #[schemars(with = "RateText", extend("x-least" = "1 Mb/s", "x-most" = "1000 Tb/s"))]
    pub node_rate: Rate,
    /// Channels of a node, each with a schedule of its own.
    #[schemars(range(min = 1, max = 1_024))]
    pub channels: u64,
    /// Ports of a circuit switch and of a packet switch, k.
    #[schemars(range(min = 2, max = 4_096))]
    pub switch_ports: u64,
    /// Rate of a switch's port.
    #[schemars(with = "RateText", extend("x-least" = "1 Mb/s", "x-most" = "1000 Tb/s"))]
    pub switch_port_rate: Rate,
    /// Rate of a node's interface in the packet-switched network.
    #[schemars(with = "RateText", extend("x-least" = "1 Mb/s", "x-most" = "1000 Tb/s"))]
    pub packet_node_rate: Rate,
    /// What a slot has for a cell, without the guard band.
    #[schemars(with = "LastingText", extend("x-least" = "1 ps", "x-most" = "1 s"))]
    pub usable_slot: Span,
    /// Time that a circuit switch takes to change its circuits (§4.1, §7.1).
    #[schemars(with = "DelayText", extend("x-most" = "1 s"))]
    pub reconfiguration: Span,
    /// By how much propagation delays differ (§3.4: links within 2 cm).
    #[schemars(with = "DelayText", extend("x-most" = "1 s"))]
    pub propagation_variation: Span,
    /// By how much clocks differ (§3.4).
    #[schemars(with = "DelayText", extend("x-most" = "1 s"))]
    pub synchronisation_error: Span,
    /// What the link layer adds to each cell; 24 B of MAC in the prototype (§6.1).
    #[schemars(with = "SizeText", extend("x-most" = "1 KB", "x-formerly" = "slot_overhead"))]
    pub overhead: Bytes,
    /// In which order an epoch goes through the schedule: see above.
    pub schedule: Order,
    /// All wires between two nodes (§3.4: 10 to 15 ns).
    #[schemars(with = "DelayText", extend("x-most" = "1 s"))]
    pub wire_delay: Span,
    /// The devices' clock, in MHz (§4.1, at 50 Gb/s).
    #[schemars(range(min = 0.001, max = 1_000_000.0))]
    pub clock_mhz: f64,
    /// Clocks from port to port of a switch (§4.1).
    #[schemars(range(min = 0, max = 1_000_000))]
    pub switch_cycles: u64,
    /// Clocks of MAC and PHY, at both nodes together (§6.2).
    #[schemars(range(min = 0, max = 1_000_000))]
    pub nic_cycles: u64,
    /// Width of source and destination each, in the header of a cell.
    #[schemars(range(min = 1, max = 20))]
    pub id_bits: u64,
    /// Width of the sequence number.
    #[schemars(range(min = 1, max = 64))]
    pub sequence_bits: u64,
    /// Width of the rate-limit feedback.
    #[schemars(range(min = 1, max = 64))]
    pub feedback_bits: u64,
    /// Width of the checksum; three flags come on top.
    #[schemars(range(min = 0, max = 64))]
    pub crc_bits: u64,
    /// Nodes that send to one, in the incast that is calculated; all others if not given.
    #[schemars(range(min = 1, max = 999_999))]
    pub incast_senders: u64,
    /// What each of them sends.
    #[schemars(with = "VolumeText", extend("x-least" = "1 B", "x-most" = "1 TB"))]
    pub incast_burst: Bytes,
    /// Power of a packet switch, in W; the book's if not given.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub packet_switch_w: f64,
    /// Power of a circuit switch, in W; the book's if not given.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub circuit_switch_w: f64,
    /// Power of the packet network's NIC, in W; in proportion to `packet_node_rate` if not given.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub packet_nic_w: f64,
    /// Power of Shoal's NIC, in W; in proportion to `node_rate` if not given. The paper prints 1.37.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub shoal_nic_w: f64,
    /// What the rack may draw, in W.
    #[schemars(range(min = 1.0, max = 1_000_000_000.0))]
    pub rack_w: f64,
    /// Price of the packet network's NIC, in packet switches.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub price_nic: f64,
    /// Price of a circuit switch, in packet switches (§5: half of the 30 % of a chip's area that is serial I/O).
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub price_circuit_switch: f64,
    /// Price of Shoal's NIC, in NICs of the packet network, at the lowest.
    #[schemars(range(min = 0.0, max = 1_000.0))]
    pub nic_multiple_low: f64,
    /// And at the highest.
    #[schemars(range(min = 0.0, max = 1_000.0))]
    pub nic_multiple_high: f64,
    /// Share of the packet network's cost that Shoal is to save.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub saving: f64,
    /// Prices and power: an edition of the book, or a TOML file of your own.
    pub prices: Edition,
    /// Where the power of switches is from.
    #[serde(skip)]
    pub used: Vec<Used>,
}

/// The switches of §5: 64 ports of 50 Gb/s. The book has the power of these alone.
pub(super) const SECTION_5: Rate = Rate::from_gbps(3_200);

impl Default for Input {
    /// The rack of §5 and §7.1, but for what [`Input::read`] takes from other settings and from the book.
    fn default() -> Input {
        let (guard, fig_5) = (GuardBand::default(), Widths::from(Layout::FIGURE_5));
        Input {
            nodes: 512,
            node_rate: Rate::from_gbps(100),
            channels: 4,
            switch_ports: 64,
            switch_port_rate: Rate::from_gbps(50),
            packet_node_rate: Rate::from_gbps(50),
            usable_slot: Span::from_ps(20_500),
            reconfiguration: guard.reconfiguration,
            propagation_variation: guard.propagation_variation,
            synchronisation_error: guard.synchronisation_error,
            overhead: Bytes::ZERO,
            schedule: Order::Rearranged,
            wire_delay: Span::from_ns(15),
            clock_mhz: 390.625,
            switch_cycles: 50,
            nic_cycles: 90,
            id_bits: fig_5.id,
            sequence_bits: fig_5.sequence,
            feedback_bits: fig_5.feedback,
            crc_bits: fig_5.crc,
            incast_senders: 511,
            incast_burst: Bytes::new(130_000),
            packet_switch_w: 0.0,
            circuit_switch_w: 0.0,
            packet_nic_w: 0.0,
            shoal_nic_w: 0.0,
            rack_w: 15_000.0,
            price_nic: cost::NIC,
            price_circuit_switch: 0.15,
            nic_multiple_low: 2.0,
            nic_multiple_high: 3.0,
            saving: 0.4,
            prices: Edition::Paper,
            used: Vec::new(),
        }
    }
}

impl Input {
    /// Reads settings; those not given are of the rack of §5 and §7.1, or follow from others.
    ///
    /// # Errors
    /// A key is unknown, or a value out of its range.
    pub fn read(mut given: Flat) -> Result<Input, SettingError> {
        let entries = given.take("book");
        let mut input: Input = given.read()?;
        let others = input.nodes - 1;
        if !given.has("incast_senders") {
            input.incast_senders = others;
        } else if input.incast_senders > others {
            return Err(given.refusal("incast_senders", format!("expected a whole number from 1 to {others}")));
        }
        if !given.has("packet_nic_w") {
            input.packet_nic_w = power::nic_w(input.packet_node_rate, false);
        }
        if !given.has("shoal_nic_w") {
            input.shoal_nic_w = power::nic_w(input.node_rate, true);
        }
        let mut book = Book::new(input.prices, entries)?;
        let bandwidth = input.switch_bandwidth();
        for (key, part, w) in [
            ("packet_switch_w", Part::PacketSwitch, &mut input.packet_switch_w),
            ("circuit_switch_w", Part::CircuitSwitch, &mut input.circuit_switch_w),
        ] {
            if given.has(key) {
                book.set_w(key, part, None, *w);
            }
            let found = book.w((part, Some(bandwidth))).or_else(|| book.w((part, Some(SECTION_5))));
            let found =
                found.ok_or_else(|| given.refusal(key, "expected a number: the book has none with these `prices`"))?;
            *w = found.value;
            input.used.push(found);
        }
        Ok(input)
    }
    /// One slot. The guard band is the sum of its three parts (§3.4).
    pub fn slot(&self) -> Slot {
        Slot {
            usable: self.usable_slot,
            guard: GuardBand {
                reconfiguration: self.reconfiguration,
                propagation_variation: self.propagation_variation,
                synchronisation_error: self.synchronisation_error,
            },
            overhead: self.channel_rate().time_for(self.overhead),
        }
    }

    /// Bandwidth of a switch, over all its ports.
    pub fn switch_bandwidth(&self) -> Rate {
        Rate::from_bps(self.switch_port_rate.as_bps().saturating_mul(self.switch_ports))
    }

    /// Rate of a channel.
    pub fn channel_rate(&self) -> Rate {
        Rate::from_bps(self.node_rate.as_bps() / self.channels)
    }

    /// What lies between two nodes.
    pub fn path(&self) -> Path {
        Path {
            clock_mhz: self.clock_mhz,
            switch_cycles: self.switch_cycles,
            nic_cycles: self.nic_cycles,
            wire: self.wire_delay,
        }
    }

    /// Fields of the header.
    pub fn widths(&self) -> Widths {
        Widths { id: self.id_bits, sequence: self.sequence_bits, feedback: self.feedback_bits, crc: self.crc_bits }
    }
}
