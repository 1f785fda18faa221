//! What a plan is made from: the network that is wanted, its devices, its prices.

use super::device::PACKET_GAP;
use super::recovery::Reachability;
use super::silicon::ELEMENT_AREA;
use crate::book::{Book, Edition, Laid};
use crate::by_rate::{ByRate, UpTo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{BufferText, DelayText, Flat, PacketText, RateText, SettingError, SizeText, VolumeText};
use units::{Bytes, Rate, Span};

/// How the devices of a fabric that is not full are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "StardustCounting")]
pub enum Counting {
    /// As many as have the ports (App. A).
    Ports,
    /// As many as a regular pattern of cables takes.
    Regular,
}

/// Which transceivers Stardust's links have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "StardustOptics")]
pub enum Optics {
    /// Those that are cheapest a link, several links in one (§7).
    Cheapest,
    /// One a link.
    Single,
}

/// A Stardust fabric, beside fat-trees of packet switches. What is not set is of the hardware that has prices in Table 3: devices of
/// 6.4 Tb/s with links of 25 Gb/s.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "StardustInput")]
pub struct Input {
    /// Hosts that are wanted.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub hosts: u64,
    /// Hosts on an edge device, a Fabric Adapter or a ToR.
    #[schemars(range(min = 1, max = 65_536))]
    pub hosts_per_adapter: u64,
    /// Rate of a host's port.
    #[schemars(with = "RateText", extend("x-least" = "1 Mb/s", "x-most" = "1000 Tb/s"))]
    pub host_rate: Rate,
    /// Bandwidth of a ToR or switch, over all its ports; also of adapters and elements, if theirs is not set.
    #[schemars(with = "RateText", extend("x-least" = "1 Mb/s", "x-most" = "1000 Tb/s"))]
    pub switch_bandwidth: Rate,
    /// Bandwidth of a Fabric Adapter, its hosts and its uplinks; that of a switch if not given.
    #[schemars(with = "RateText", extend("x-least" = "1 Mb/s", "x-most" = "1000 Tb/s"))]
    pub adapter_bandwidth: Rate,
    /// Bandwidth of a Fabric Element; that of a switch if not given.
    #[schemars(with = "RateText", extend("x-least" = "1 Mb/s", "x-most" = "1000 Tb/s"))]
    pub element_bandwidth: Rate,
    /// Rate of a serial link.
    #[schemars(with = "RateText", extend("x-least" = "1 Mb/s", "x-most" = "1000 Tb/s"))]
    pub link_rate: Rate,
    /// Serial links in a port of the fat-trees to compare with.
    #[schemars(inner(range(min = 1, max = 256)))]
    pub bundles: Vec<u64>,
    /// Bandwidth of an edge device's hosts over that of its uplinks.
    #[schemars(range(min = 0.1, max = 100.0))]
    pub oversubscription: f64,
    /// Bandwidth down over bandwidth up, of every element below the last tier.
    #[schemars(range(min = 1.0, max = 100.0))]
    pub fabric_oversubscription: f64,
    /// How devices are counted: see above.
    pub counting: Counting,
    /// A cell.
    #[schemars(with = "PacketText", extend("x-least" = "1 B", "x-most" = "1 GB"))]
    pub cell: Bytes,
    /// A credit; a warning says if it is too small.
    #[schemars(with = "PacketText", extend("x-least" = "1 B", "x-most" = "1 GB"))]
    pub credit: Bytes,
    /// Traffic classes, each with VOQs of its own.
    #[schemars(range(min = 1, max = 64), extend("x-formerly" = "traffic_classes"))]
    pub priorities: u64,
    /// The cell memory of an element, in cells for each of its links: so many may wait for one.
    #[schemars(range(min = 1, max = 1_000_000), extend("x-formerly" = "queue_cells"))]
    pub element_memory: u64,
    /// Share of the fabric in use, for the queues.
    #[schemars(range(min = 0.0, max = 0.99))]
    pub utilisation: f64,
    /// f, the devices' clock, in GHz.
    #[schemars(range(min = 0.001, max = 100.0))]
    pub clock_ghz: f64,
    /// c, clocks that a pipeline takes a packet.
    #[schemars(range(min = 0.001, max = 1_000_000.0))]
    pub clocks_per_packet: f64,
    /// Clocks that a scheduler takes a credit.
    #[schemars(range(min = 0.001, max = 1_000_000.0))]
    pub clocks_per_credit: f64,
    /// G, preamble and gap of a packet on the wire.
    #[schemars(with = "SizeText", extend("x-most" = "1 GB"))]
    pub packet_gap: Bytes,
    /// Sizes of packets, in bytes, for which the packet rate is given.
    #[schemars(inner(range(min = 1, max = 1_000_000)))]
    pub packets: Vec<u64>,
    /// c, clocks between reachability messages on a link.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub reachability_clocks: u64,
    /// b, adapters that a reachability message speaks of.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub reachability_bitmap: u64,
    /// B, a reachability message.
    #[schemars(with = "PacketText", extend("x-least" = "1 B", "x-most" = "1 GB"))]
    pub reachability_message: Bytes,
    /// th, reachability messages that must say the same until it is believed.
    #[schemars(range(min = 1, max = 1_000), extend("x-formerly" = "reachability_updates"))]
    pub reachability_threshold: u64,
    /// Delay of a link that is not of the last tier of several.
    #[schemars(with = "DelayText", extend("x-most" = "1 s"))]
    pub delay_near: Span,
    /// Delay of a link of the last tier of several.
    #[schemars(with = "DelayText", extend("x-most" = "1 s"))]
    pub delay_far: Span,
    /// Packet buffer of an adapter.
    #[schemars(with = "BufferText", extend("x-least" = "1 B", "x-most" = "1 TB"))]
    pub buffer: Bytes,
    /// What every adapter sends to one port, in the incast that is calculated.
    #[schemars(with = "VolumeText", extend("x-least" = "1 B", "x-most" = "1 TB"))]
    pub incast_burst: Bytes,
    /// Area of an element over a switch's, for the same bandwidth.
    #[schemars(range(min = 0.001, max = 1_000.0))]
    pub element_area: f64,
    /// Power of an element over a switch's, for the same bandwidth.
    #[schemars(range(min = 0.001, max = 1_000.0))]
    pub element_power: f64,
    /// Stardust's transceivers: see above.
    pub optics: Optics,
    /// Prices and power: an edition of the book, or a TOML file of your own.
    pub prices: Edition,
    /// Power of a ToR or switch, in W.
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("x-default" = "the book's"))]
    pub switch_power_w: Option<f64>,
    /// Power of transceivers, in W: of every rate (`2.5`), or by rate (`400 Gb/s: 9, 800 Gb/s: 17`).
    #[schemars(with = "UpTo<1_000_000>", extend("x-default" = "the book's"))]
    pub transceiver_power_w: ByRate,
    /// Price of a ToR or switch, in USD.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "the book's"))]
    pub price_switch: Option<f64>,
    /// Price of an element's platform over a switch's, for the same bandwidth: the relation of their areas (§7).
    #[schemars(range(min = 0.0, max = 1_000.0))]
    pub price_element_ratio: f64,
    /// Price of the cable to a host.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "the book's"))]
    pub price_server_cable: Option<f64>,
    /// Prices of transceivers by rate: `400 Gb/s: 700, 800 Gb/s: 1250`; others stay the book's.
    #[schemars(with = "UpTo<1_000_000_000>", extend("x-default" = "the book's"))]
    pub price_transceivers: ByRate,
    /// Price of a fibre of 10 m.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "the book's"))]
    pub price_fibre_near: Option<f64>,
    /// Price of a fibre of 100 m, in the last tier of several.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "the book's"))]
    pub price_fibre_far: Option<f64>,
    /// The book, with all that is set laid over it.
    #[serde(skip)]
    pub book: Book,
}

impl Default for Input {
    fn default() -> Input {
        let gbps = Rate::from_gbps;
        Input {
            hosts: 10_000,
            hosts_per_adapter: 40,
            host_rate: gbps(25),
            switch_bandwidth: gbps(6_400),
            adapter_bandwidth: gbps(6_400),
            element_bandwidth: gbps(6_400),
            link_rate: gbps(25),
            bundles: vec![1, 2, 4],
            oversubscription: 1.0,
            fabric_oversubscription: 1.0,
            counting: Counting::Ports,
            cell: Bytes::new(256),
            credit: Bytes::new(4_000),
            priorities: 1,
            element_memory: 128,
            utilisation: 0.95,
            clock_ghz: 1.0,
            clocks_per_packet: 1.0,
            clocks_per_credit: 2.0,
            packet_gap: PACKET_GAP,
            packets: vec![64, 256, 1500],
            reachability_clocks: 10_000,
            reachability_bitmap: 128,
            reachability_message: Bytes::new(24),
            reachability_threshold: 3,
            delay_near: Span::from_ns(50),
            delay_far: Span::from_ns(500),
            buffer: Bytes::new(32_000_000),
            incast_burst: Bytes::new(1_000_000),
            element_area: ELEMENT_AREA,
            element_power: ELEMENT_AREA,
            optics: Optics::Cheapest,
            prices: Edition::Paper,
            switch_power_w: None,
            transceiver_power_w: ByRate::default(),
            price_switch: None,
            price_element_ratio: 0.67,
            price_server_cable: None,
            price_transceivers: ByRate::default(),
            price_fibre_near: None,
            price_fibre_far: None,
            book: Book::default(),
        }
    }
}

impl Input {
    /// Reads settings; those not given have their defaults, or follow from others.
    ///
    /// # Errors
    /// A key is unknown, or a value out of its range.
    pub fn read(mut given: Flat) -> Result<Input, SettingError> {
        let entries = given.take("book");
        let mut input: Input = given.read()?;
        if !given.has("adapter_bandwidth") {
            input.adapter_bandwidth = input.switch_bandwidth;
        }
        if !given.has("element_bandwidth") {
            input.element_bandwidth = input.switch_bandwidth;
        }
        for numbers in [&mut input.bundles, &mut input.packets] {
            numbers.sort_unstable();
            numbers.dedup();
        }
        input.book = Book::new(input.prices, entries)?;
        input.book.lay_over(&Laid {
            switch: input.price_switch,
            server_cable: input.price_server_cable,
            fibre_near: input.price_fibre_near,
            fibre_far: input.price_fibre_far,
            transceivers: &input.price_transceivers,
            switch_w: input.switch_power_w,
            transceiver_w: &input.transceiver_power_w,
        });
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
            updates: self.reachability_threshold,
            near: self.delay_near,
            far: self.delay_far,
        }
    }
}
