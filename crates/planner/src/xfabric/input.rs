//! What a plan is made from.

use crate::book::{Book, Item, Part, Used};
use serde::Serialize;
use settings::{Given, SettingError};
use units::{Rate, Span};

/// Everything a plan depends on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Input {
    /// n, SoCs of the rack.
    pub socs: u64,
    /// d, internal ports of each.
    pub soc_ports: u64,
    /// l, uplinks of the rack.
    pub uplinks: u64,
    /// Ports of the largest crosspoint switch that is one ASIC.
    pub asic_ports: u64,
    /// Ports of a folded Clos for each port that it offers.
    pub clos_factor: u64,
    /// Price of a crosspoint's port, in USD.
    pub port_usd: f64,
    /// Power of a crosspoint's port, in W.
    pub port_w: f64,
    /// What the rack may draw, in W.
    pub rack_w: f64,
    /// Rate of a port.
    pub port_rate: Rate,
    /// Time that a crosspoint takes to change its circuits.
    pub switching: Span,
    /// Where price and power of a port are from.
    #[serde(skip)]
    pub used: Vec<Used>,
}

/// A port of a crosspoint.
const PORT: Item = (Part::CrosspointPort, None);

impl Input {
    /// Reads settings; those not given are of §2 and §6.
    ///
    /// # Errors
    /// A key is unknown, or a value out of its range.
    pub fn read(mut given: Given) -> Result<Input, SettingError> {
        let s = &mut given;
        let rates = Rate::from_bps(1_000_000)..=Rate::from_gbps(1_000_000);
        let socs = s.count("socs", 343, 2..=16_384)?;
        let mut book = Book::read(s)?;
        if let Some(usd) = s.number_if_set("port_usd", 0.0..=1e6)? {
            book.set_usd("port_usd", PORT.0, None, usd);
        }
        if let Some(w) = s.number_if_set("port_w", 0.0..=1e6)? {
            book.set_w("port_w", PORT.0, None, w);
        }
        let known = |key, found: Option<Used>| {
            let expected = "expected a number: the book has none with these `prices`".to_owned();
            found.ok_or(SettingError::Value { key, value: "not set".to_owned(), expected })
        };
        let (usd, w) = (known("port_usd", book.usd(PORT))?, known("port_w", book.w(PORT))?);
        let input = Input {
            socs,
            soc_ports: s.count("soc_ports", 6, 1..=16)?,
            uplinks: s.count("uplinks", 8.min(socs), 1..=socs)?,
            asic_ports: s.count("asic_ports", 350, 2..=1_000_000)?,
            clos_factor: s.count("clos_factor", 5, 1..=1_000)?,
            port_usd: usd.value,
            port_w: w.value,
            rack_w: s.number("rack_w", 16_000.0, 1.0..=1e9)?,
            port_rate: s.quantity_within("port_rate", Rate::from_gbps(10), rates)?,
            switching: s.quantity_within("switching", Span::from_ns(20), Span::ZERO..=Span::from_ms(1_000))?,
            used: vec![usd, w],
        };
        given.finish()?;
        Ok(input)
    }
}
