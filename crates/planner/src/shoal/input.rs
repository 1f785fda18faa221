//! What a plan is made from: the rack, its slots, its devices, what they draw and cost.

use super::{cost, power};
use crate::book::{Book, Part, Used};
use serde::Serialize;
use settings::{Given, SettingError};
use shoal::header::{Layout, Widths};
use shoal::latency::Path;
use shoal::schedule::Order;
use shoal::timing::{GuardBand, Slot};
use units::{Bytes, Rate, Span};

/// The longest part of a slot, and the longest way: no circuit switch is slower, and epochs stay below 2^64 ps.
const LONGEST: Span = Span::from_ms(1_000);
/// The largest burst.
const LARGEST: Bytes = Bytes::new(1_000_000_000_000);

/// Everything a plan depends on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Input {
    /// N, nodes of the rack.
    pub nodes: u64,
    /// Rate of a node's interface, over all its channels.
    pub node_rate: Rate,
    /// Channels of a node, each with a schedule of its own.
    pub channels: u64,
    /// k, ports of a switch.
    pub switch_ports: u64,
    /// Rate of a switch's port.
    pub switch_port_rate: Rate,
    /// Rate of a node's interface in the packet-switched network to compare with.
    pub packet_node_rate: Rate,
    /// While a cell is on the line.
    pub usable_slot: Span,
    /// Time that a circuit switch takes to change its circuits.
    pub reconfiguration: Span,
    /// By how much propagation delays differ.
    pub propagation_variation: Span,
    /// By how much nodes' clocks differ.
    pub synchronisation_error: Span,
    /// What else passes between two cells.
    pub slot_overhead: Span,
    /// Order of the slots.
    pub schedule: Order,
    /// All wires between two nodes.
    pub wire_delay: Span,
    /// The devices' clock, in MHz.
    pub clock_mhz: f64,
    /// Clocks from port to port of a switch.
    pub switch_cycles: u64,
    /// Clocks of MAC and PHY, at both nodes together.
    pub nic_cycles: u64,
    /// Width of a node's id in the header.
    pub id_bits: u64,
    /// Width of the sequence number.
    pub sequence_bits: u64,
    /// Width of the rate-limit feedback.
    pub feedback_bits: u64,
    /// Width of the checksum.
    pub crc_bits: u64,
    /// Nodes that send to one at once, in the incast that is calculated.
    pub incast_senders: u64,
    /// What each of them sends.
    pub incast_burst: Bytes,
    /// Power of a packet switch, in W.
    pub packet_switch_w: f64,
    /// Power of a circuit switch, in W.
    pub circuit_switch_w: f64,
    /// Power of the packet network's NIC, in W.
    pub packet_nic_w: f64,
    /// Power of Shoal's NIC, in W.
    pub shoal_nic_w: f64,
    /// What the rack may draw, in W.
    pub rack_w: f64,
    /// Price of the packet network's NIC, in packet switches.
    pub price_nic: f64,
    /// Price of a circuit switch, in packet switches.
    pub price_circuit_switch: f64,
    /// Prices of Shoal's NIC, in NICs of the packet network: the lowest.
    pub nic_multiple_low: f64,
    /// And the highest.
    pub nic_multiple_high: f64,
    /// What Shoal is to save of the packet network's cost.
    pub saving: f64,
    /// Where the power of switches is from.
    #[serde(skip)]
    pub used: Vec<Used>,
}

/// The switches of §5: 64 ports of 50 Gb/s. The book has the power of these alone.
pub(super) const SECTION_5: Rate = Rate::from_gbps(3_200);

impl Input {
    /// Reads settings; those not given are of the rack of §5 and §7.1.
    ///
    /// # Errors
    /// A key is unknown, or a value out of its range.
    pub fn read(mut given: Given) -> Result<Input, SettingError> {
        let s = &mut given;
        let (gbps, ps) = (Rate::from_gbps, Span::from_ps);
        let (rates, times) = (Rate::from_bps(1_000_000)..=gbps(1_000_000), Span::ZERO..=LONGEST);
        let orders = [("cyclic", Order::Cyclic), ("rearranged", Order::Rearranged)];
        let (paper, fig_5) = (GuardBand::default(), Widths::from(Layout::FIGURE_5));
        let nodes = s.count("nodes", 512, 2..=1_000_000)?;
        let node_rate = s.quantity_within("node_rate", gbps(100), rates.clone())?;
        let packet_node_rate = s.quantity_within("packet_node_rate", gbps(50), rates.clone())?;
        let mut book = Book::read(s)?;
        for (key, part) in [("packet_switch_w", Part::PacketSwitch), ("circuit_switch_w", Part::CircuitSwitch)] {
            if let Some(w) = s.number_if_set(key, 0.0..=1e6)? {
                book.set_w(key, part, None, w);
            }
        }
        let switch_ports = s.count("switch_ports", 64, 2..=4_096)?;
        let switch_port_rate = s.quantity_within("switch_port_rate", gbps(50), rates.clone())?;
        let bandwidth = Rate::from_bps(switch_port_rate.as_bps().saturating_mul(switch_ports));
        let power = |key, part| {
            let expected = "expected a number: the book has none with these `prices`".to_owned();
            let found = book.w((part, Some(bandwidth))).or_else(|| book.w((part, Some(SECTION_5))));
            found.ok_or(SettingError::Value { key, value: "not set".to_owned(), expected })
        };
        let packet_w = power("packet_switch_w", Part::PacketSwitch)?;
        let circuit_w = power("circuit_switch_w", Part::CircuitSwitch)?;
        let input = Input {
            nodes,
            node_rate,
            channels: s.count("channels", 4, 1..=1_024)?,
            switch_ports,
            switch_port_rate,
            packet_node_rate,
            usable_slot: s.quantity_within("usable_slot", ps(20_500), ps(1)..=LONGEST)?,
            reconfiguration: s.quantity_within("reconfiguration", paper.reconfiguration, times.clone())?,
            propagation_variation: s.quantity_within(
                "propagation_variation",
                paper.propagation_variation,
                times.clone(),
            )?,
            synchronisation_error: s.quantity_within("synchronisation_error", paper.synchronisation, times.clone())?,
            slot_overhead: s.quantity_within("slot_overhead", Span::ZERO, times.clone())?,
            schedule: s.word("schedule", Order::Rearranged, &orders)?,
            wire_delay: s.quantity_within("wire_delay", Span::from_ns(15), times.clone())?,
            clock_mhz: s.number("clock_mhz", 390.625, 0.001..=1e6)?,
            switch_cycles: s.count("switch_cycles", 50, 0..=1_000_000)?,
            nic_cycles: s.count("nic_cycles", 90, 0..=1_000_000)?,
            id_bits: s.count("id_bits", fig_5.id, 1..=20)?,
            sequence_bits: s.count("sequence_bits", fig_5.sequence, 1..=64)?,
            feedback_bits: s.count("feedback_bits", fig_5.feedback, 1..=64)?,
            crc_bits: s.count("crc_bits", fig_5.crc, 0..=64)?,
            incast_senders: s.count("incast_senders", nodes - 1, 1..=nodes - 1)?,
            incast_burst: s.quantity_within("incast_burst", Bytes::new(130_000), Bytes::new(1)..=LARGEST)?,
            packet_switch_w: packet_w.value,
            circuit_switch_w: circuit_w.value,
            packet_nic_w: s.number("packet_nic_w", power::nic_w(packet_node_rate, false), 0.0..=1e6)?,
            shoal_nic_w: s.number("shoal_nic_w", power::nic_w(node_rate, true), 0.0..=1e6)?,
            rack_w: s.number("rack_w", 15_000.0, 1.0..=1e9)?,
            price_nic: s.number("price_nic", cost::NIC, 0.0..=1e6)?,
            price_circuit_switch: s.number("price_circuit_switch", 0.15, 0.0..=1e6)?,
            nic_multiple_low: s.number("nic_multiple_low", 2.0, 0.0..=1e3)?,
            nic_multiple_high: s.number("nic_multiple_high", 3.0, 0.0..=1e3)?,
            saving: s.number("saving", 0.4, 0.0..=1.0)?,
            used: vec![packet_w, circuit_w],
        };
        given.finish()?;
        Ok(input)
    }

    /// One slot. The guard band is the sum of its three parts (§3.4).
    pub fn slot(&self) -> Slot {
        Slot {
            usable: self.usable_slot,
            guard: GuardBand {
                reconfiguration: self.reconfiguration,
                propagation_variation: self.propagation_variation,
                synchronisation: self.synchronisation_error,
            },
            overhead: self.slot_overhead,
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
