//! What a plan is made from: the network that is wanted, its devices, its prices.

use super::cost::Prices;
use super::device::PACKET_GAP;
use super::recovery::Reachability;
use super::silicon::ELEMENT_AREA;
use crate::settings::{SettingError, Settings};
use serde::Serialize;
use units::{Bytes, Rate, Span};

/// How the devices of a fabric that is not full are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counting {
    /// As many as have the ports (App. A).
    Ports,
    /// As many as a regular pattern of cables takes.
    Regular,
}

/// Which transceivers Stardust's links have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Optics {
    /// Those that are cheapest a link, several links in one (§7).
    Cheapest,
    /// One a link.
    Single,
}

/// Everything a plan depends on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Input {
    /// Hosts that are wanted.
    pub hosts: u64,
    /// Hosts on an adapter or ToR.
    pub hosts_per_adapter: u64,
    /// Rate of a host's port.
    pub host_rate: Rate,
    /// Bandwidth of a ToR or switch, over all its ports.
    pub switch_bandwidth: Rate,
    /// Bandwidth of a Fabric Adapter: its hosts and its uplinks.
    pub adapter_bandwidth: Rate,
    /// Bandwidth of a Fabric Element.
    pub element_bandwidth: Rate,
    /// Rate of a serial link.
    pub link_rate: Rate,
    /// Links in a bundle, of the fat-trees that Stardust is held against.
    pub bundles: Vec<u64>,
    /// Bandwidth of an adapter's hosts over that of its uplinks.
    pub oversubscription: f64,
    /// Bandwidth down over bandwidth up, of every device in the fabric below the last tier.
    pub fabric_oversubscription: f64,
    /// How devices are counted.
    pub counting: Counting,
    /// A cell.
    pub cell: Bytes,
    /// A credit.
    pub credit: Bytes,
    /// Traffic classes, each with VOQs of its own.
    pub traffic_classes: u64,
    /// Cells that may wait for a link in an element.
    pub queue_cells: u64,
    /// Share of the fabric in use, for the queues; below 1.
    pub utilisation: f64,
    /// Clock of the devices, in GHz.
    pub clock_ghz: f64,
    /// Clocks that a pipeline takes a packet (c).
    pub clocks_per_packet: f64,
    /// Clocks that a scheduler takes a credit.
    pub clocks_per_credit: f64,
    /// Preamble and gap of a packet on the wire (G).
    pub packet_gap: Bytes,
    /// Sizes of packets, in bytes, for which the packet rate is given.
    pub packets: Vec<u64>,
    /// Clocks between reachability messages on a link (c).
    pub reachability_clocks: u64,
    /// Adapters that a reachability message speaks of (b).
    pub reachability_bitmap: u64,
    /// A reachability message (B).
    pub reachability_message: Bytes,
    /// Reachability updates until one is believed (th).
    pub reachability_updates: u64,
    /// Delay of a link that is not of the last tier of several.
    pub delay_near: Span,
    /// Delay of a link of the last tier of several.
    pub delay_far: Span,
    /// Packet buffer of an adapter.
    pub buffer: Bytes,
    /// What every adapter sends in the incast that is calculated.
    pub incast_burst: Bytes,
    /// Area of an element per Tb/s over a switch's.
    pub element_area: f64,
    /// Power of an element per Tb/s over a switch's.
    pub element_power: f64,
    /// Power of a ToR or switch, in W; up to 310 in §7.
    pub switch_power_w: f64,
    /// Power of a transceiver, in W; the paper has none.
    pub transceiver_power_w: f64,
    /// Which transceivers Stardust has.
    pub optics: Optics,
    /// Prices of parts.
    pub prices: Prices,
}

impl Input {
    /// Reads settings; those not given are of the hardware that has prices in Table 3: 6.4 Tb/s devices with links of 25 Gb/s.
    ///
    /// # Errors
    /// A key is unknown, or a value out of its range.
    pub fn read(mut given: Settings) -> Result<Input, SettingError> {
        let s = &mut given;
        let (kb, gbps, least_rate) = (Bytes::new(1_000), Rate::from_gbps, Rate::from_bps(1_000_000));
        let (byte, none) = (Bytes::new(1), Span::ZERO);
        let known = Prices::table_3();
        let switch_bandwidth = s.quantity("switch_bandwidth", gbps(6_400), least_rate)?;
        let counting = [("ports", Counting::Ports), ("regular", Counting::Regular)];
        let optics = [("cheapest", Optics::Cheapest), ("single", Optics::Single)];
        let input = Input {
            hosts: s.count("hosts", 10_000, 1..=1_000_000_000)?,
            hosts_per_adapter: s.count("hosts_per_adapter", 40, 1..=65_536)?,
            host_rate: s.quantity("host_rate", gbps(25), least_rate)?,
            switch_bandwidth,
            adapter_bandwidth: s.quantity("adapter_bandwidth", switch_bandwidth, least_rate)?,
            element_bandwidth: s.quantity("element_bandwidth", switch_bandwidth, least_rate)?,
            link_rate: s.quantity("link_rate", gbps(25), least_rate)?,
            bundles: s.counts("bundles", &[1, 2, 4], 1..=256)?,
            oversubscription: s.number("oversubscription", 1.0, 0.1..=100.0)?,
            fabric_oversubscription: s.number("fabric_oversubscription", 1.0, 1.0..=100.0)?,
            counting: s.word("counting", Counting::Ports, &counting)?,
            cell: s.quantity("cell", Bytes::new(256), byte)?,
            credit: s.quantity("credit", Bytes::new(4 * kb.get()), byte)?,
            traffic_classes: s.count("traffic_classes", 1, 1..=64)?,
            queue_cells: s.count("queue_cells", 128, 1..=1_000_000)?,
            utilisation: s.number("utilisation", 0.95, 0.0..=0.99)?,
            clock_ghz: s.number("clock_ghz", 1.0, 0.001..=100.0)?,
            clocks_per_packet: s.number("clocks_per_packet", 1.0, 0.001..=1_000_000.0)?,
            clocks_per_credit: s.number("clocks_per_credit", 2.0, 0.001..=1_000_000.0)?,
            packet_gap: s.quantity("packet_gap", PACKET_GAP, Bytes::ZERO)?,
            packets: s.counts("packets", &[64, 256, 1500], 1..=1_000_000)?,
            reachability_clocks: s.count("reachability_clocks", 10_000, 1..=1_000_000_000)?,
            reachability_bitmap: s.count("reachability_bitmap", 128, 1..=1_000_000)?,
            reachability_message: s.quantity("reachability_message", Bytes::new(24), byte)?,
            reachability_updates: s.count("reachability_updates", 3, 1..=1_000)?,
            delay_near: s.quantity("delay_near", Span::from_ns(50), none)?,
            delay_far: s.quantity("delay_far", Span::from_ns(500), none)?,
            buffer: s.quantity("buffer", Bytes::new(32_000 * kb.get()), byte)?,
            incast_burst: s.quantity("incast_burst", Bytes::new(1_000 * kb.get()), byte)?,
            element_area: s.number("element_area", ELEMENT_AREA, 0.001..=1000.0)?,
            element_power: s.number("element_power", ELEMENT_AREA, 0.001..=1000.0)?,
            switch_power_w: s.number("switch_power_w", 310.0, 0.0..=1e6)?,
            transceiver_power_w: s.number("transceiver_power_w", 0.0, 0.0..=1e6)?,
            optics: s.word("optics", Optics::Cheapest, &optics)?,
            prices: Prices {
                switch: s.number("price_switch", known.switch, 0.0..=1e9)?,
                element_ratio: s.number("price_element_ratio", known.element_ratio, 0.0..=1e3)?,
                server_cable: s.number("price_server_cable", known.server_cable, 0.0..=1e9)?,
                transceivers: s.prices("price_transceivers", &known.transceivers)?,
                fibre_near: s.number("price_fibre_near", known.fibre_near, 0.0..=1e9)?,
                fibre_far: s.number("price_fibre_far", known.fibre_far, 0.0..=1e9)?,
            },
        };
        given.finish()?;
        Ok(input)
    }

    /// The clock in Hz.
    pub fn clock_hz(&self) -> f64 {
        self.clock_ghz * 1e9
    }

    /// How reachability is told.
    pub fn reachability(&self) -> Reachability {
        Reachability {
            clock_hz: self.clock_hz(),
            interval_clocks: self.reachability_clocks,
            bitmap: self.reachability_bitmap,
            message: self.reachability_message,
            updates: self.reachability_updates,
            near: self.delay_near,
            far: self.delay_far,
        }
    }
}
