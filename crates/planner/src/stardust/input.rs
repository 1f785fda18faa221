//! What a plan is made from: the network that is wanted, its devices, its prices.

use super::device::PACKET_GAP;
use super::recovery::Reachability;
use super::silicon::ELEMENT_AREA;
use crate::book::{Book, Edition, Part};
use serde::Serialize;
use settings::{Given, SettingError};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
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
    /// Which transceivers Stardust has.
    pub optics: Optics,
    /// Which edition of the book of prices and power comes first.
    pub prices: Edition,
    /// Power of a ToR or switch, in W; the book's if not given.
    pub switch_power_w: Option<f64>,
    /// Power of transceivers by rate, in W; the book's if not given.
    #[serde(serialize_with = "numbers")]
    pub transceiver_power_w: BTreeMap<Option<Rate>, f64>,
    /// Price of a ToR or switch, in USD; the book's if not given.
    pub price_switch: Option<f64>,
    /// An element's price over a switch's, for the same bandwidth: the relation of their areas (§7).
    pub price_element_ratio: f64,
    /// Price of the cable to a host; the book's if not given.
    pub price_server_cable: Option<f64>,
    /// Prices of transceivers by rate; the book's if not given.
    #[serde(serialize_with = "numbers")]
    pub price_transceivers: BTreeMap<Option<Rate>, f64>,
    /// Price of a fibre in a tier that is not the last of several; the book's if not given.
    pub price_fibre_near: Option<f64>,
    /// Price of a fibre in the last tier of several; the book's if not given.
    pub price_fibre_far: Option<f64>,
    /// The book, with all that is set laid over it.
    #[serde(skip)]
    pub book: Book,
}

fn numbers<S: serde::Serializer>(numbers: &BTreeMap<Option<Rate>, f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match numbers.get(&None) {
        Some(every) => serializer.serialize_some(every),
        None if numbers.is_empty() => serializer.serialize_none(),
        None => serializer
            .collect_map(numbers.iter().filter_map(|(rate, number)| Some((rate.as_ref()?.to_string(), number)))),
    }
}

/// What a link, a device or a host may carry; sums of them stay far below 2^63.
const RATES: RangeInclusive<Rate> = Rate::from_bps(1_000_000)..=Rate::from_gbps(1_000_000);
/// The longest delay of a link.
const LONGEST: Span = Span::from_ms(1_000);
/// The largest cell, credit or message.
const LARGEST: Bytes = Bytes::new(1_000_000_000);
/// The largest buffer or burst.
const MOST: Bytes = Bytes::new(1_000_000_000_000);

impl Input {
    /// Reads settings; those not given are of the hardware that has prices in Table 3: 6.4 Tb/s devices with links of 25 Gb/s.
    ///
    /// # Errors
    /// A key is unknown, or a value out of its range.
    pub fn read(mut given: Given) -> Result<Input, SettingError> {
        let s = &mut given;
        let (kb, gbps) = (Bytes::new(1_000), Rate::from_gbps);
        let (sizes, delays) = (Bytes::new(1)..=LARGEST, Span::ZERO..=LONGEST);
        let (usd, w) = (0.0..=1e9, 0.0..=1e6);
        let switch_bandwidth = s.quantity_within("switch_bandwidth", gbps(6_400), RATES)?;
        let counting = [("ports", Counting::Ports), ("regular", Counting::Regular)];
        let optics = [("cheapest", Optics::Cheapest), ("single", Optics::Single)];
        let book = Book::read(s)?;
        let mut input = Input {
            hosts: s.count("hosts", 10_000, 1..=1_000_000_000)?,
            hosts_per_adapter: s.count("hosts_per_adapter", 40, 1..=65_536)?,
            host_rate: s.quantity_within("host_rate", gbps(25), RATES)?,
            switch_bandwidth,
            adapter_bandwidth: s.quantity_within("adapter_bandwidth", switch_bandwidth, RATES)?,
            element_bandwidth: s.quantity_within("element_bandwidth", switch_bandwidth, RATES)?,
            link_rate: s.quantity_within("link_rate", gbps(25), RATES)?,
            bundles: s.counts("bundles", &[1, 2, 4], 1..=256)?,
            oversubscription: s.number("oversubscription", 1.0, 0.1..=100.0)?,
            fabric_oversubscription: s.number("fabric_oversubscription", 1.0, 1.0..=100.0)?,
            counting: s.word("counting", Counting::Ports, &counting)?,
            cell: s.quantity_within("cell", Bytes::new(256), sizes.clone())?,
            credit: s.quantity_within("credit", Bytes::new(4 * kb.get()), sizes.clone())?,
            traffic_classes: s.count("traffic_classes", 1, 1..=64)?,
            queue_cells: s.count("queue_cells", 128, 1..=1_000_000)?,
            utilisation: s.number("utilisation", 0.95, 0.0..=0.99)?,
            clock_ghz: s.number("clock_ghz", 1.0, 0.001..=100.0)?,
            clocks_per_packet: s.number("clocks_per_packet", 1.0, 0.001..=1_000_000.0)?,
            clocks_per_credit: s.number("clocks_per_credit", 2.0, 0.001..=1_000_000.0)?,
            packet_gap: s.quantity_within("packet_gap", PACKET_GAP, Bytes::ZERO..=LARGEST)?,
            packets: s.counts("packets", &[64, 256, 1500], 1..=1_000_000)?,
            reachability_clocks: s.count("reachability_clocks", 10_000, 1..=1_000_000_000)?,
            reachability_bitmap: s.count("reachability_bitmap", 128, 1..=1_000_000)?,
            reachability_message: s.quantity_within("reachability_message", Bytes::new(24), sizes)?,
            reachability_updates: s.count("reachability_updates", 3, 1..=1_000)?,
            delay_near: s.quantity_within("delay_near", Span::from_ns(50), delays.clone())?,
            delay_far: s.quantity_within("delay_far", Span::from_ns(500), delays)?,
            buffer: s.quantity_within("buffer", Bytes::new(32_000 * kb.get()), Bytes::new(1)..=MOST)?,
            incast_burst: s.quantity_within("incast_burst", Bytes::new(1_000 * kb.get()), Bytes::new(1)..=MOST)?,
            element_area: s.number("element_area", ELEMENT_AREA, 0.001..=1000.0)?,
            element_power: s.number("element_power", ELEMENT_AREA, 0.001..=1000.0)?,
            optics: s.word("optics", Optics::Cheapest, &optics)?,
            prices: book.edition,
            switch_power_w: s.number_if_set("switch_power_w", w.clone())?,
            transceiver_power_w: s.by_rate("transceiver_power_w", w)?,
            price_switch: s.number_if_set("price_switch", usd.clone())?,
            price_element_ratio: s.number("price_element_ratio", 0.67, 0.0..=1e3)?,
            price_server_cable: s.number_if_set("price_server_cable", usd.clone())?,
            price_transceivers: s.by_rate("price_transceivers", usd.clone())?,
            price_fibre_near: s.number_if_set("price_fibre_near", usd.clone())?,
            price_fibre_far: s.number_if_set("price_fibre_far", usd)?,
            book,
        };
        given.finish()?;
        input.lay_over();
        Ok(input)
    }

    /// Lays what is set over the book.
    fn lay_over(&mut self) {
        let book = &mut self.book;
        for (key, part, usd) in [
            ("price_switch", Part::Switch, self.price_switch),
            ("price_server_cable", Part::HostCable, self.price_server_cable),
            ("price_fibre_near", Part::FibreNear, self.price_fibre_near),
            ("price_fibre_far", Part::FibreFar, self.price_fibre_far),
        ] {
            usd.into_iter().for_each(|usd| book.set_usd(key, part, None, usd));
        }
        for (&rate, &usd) in &self.price_transceivers {
            book.set_usd("price_transceivers", Part::Transceiver, rate, usd);
        }
        self.switch_power_w.into_iter().for_each(|w| book.set_w("switch_power_w", Part::Switch, None, w));
        for (&rate, &w) in &self.transceiver_power_w {
            book.set_w("transceiver_power_w", Part::Transceiver, rate, w);
        }
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
