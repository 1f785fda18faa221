//! What a plan is made from.

use crate::book::{Book, Edition, Item, Part, Used};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{DelayText, Flat, RateText, SettingError};
use units::{Rate, Span};

/// An XFabric rack, beside a fabric in which any port can be joined with any other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "XFabricInput")]
pub struct Input {
    /// SoCs of the rack, n.
    #[schemars(range(min = 2, max = 16_384))]
    pub socs: u64,
    /// Internal ports of a SoC, d.
    #[schemars(range(min = 1, max = 16))]
    pub soc_ports: u64,
    /// Uplinks of the rack, l; at most one a SoC.
    #[schemars(range(min = 1, max = 16_384))]
    pub uplinks: u64,
    /// Ports of the largest crosspoint switch that is one ASIC (§2: what the authors believe possible; 160 could be bought).
    #[schemars(range(min = 2, max = 1_000_000))]
    pub asic_ports: u64,
    /// Ports of a folded Clos for each that it offers.
    #[schemars(range(min = 1, max = 1_000))]
    pub clos_factor: u64,
    /// Price of a crosspoint's port, in USD; the book's if not given.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub port_usd: f64,
    /// Power of a crosspoint's port, in W; the book's if not given.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub port_w: f64,
    /// What the rack may draw, in W (§1: 9 to 16 kW).
    #[schemars(range(min = 1.0, max = 1_000_000_000.0))]
    pub rack_w: f64,
    /// Rate of a port.
    #[schemars(with = "RateText", extend("x-least" = "1 Mb/s", "x-most" = "1000 Tb/s"))]
    pub port_rate: Rate,
    /// Time that a crosspoint takes to change its circuits (§6.6; 70 ns at most in the one of §3).
    #[schemars(with = "DelayText", extend("x-most" = "1 s"))]
    pub switching: Span,
    /// Prices and power: an edition of the book, or a TOML file of your own.
    pub prices: Edition,
    /// Where price and power of a port are from.
    #[serde(skip)]
    pub used: Vec<Used>,
}

/// A port of a crosspoint.
const PORT: Item = (Part::CrosspointPort, None);

impl Default for Input {
    /// The rack of §2 and §6, but for what [`Input::read`] takes from the book.
    fn default() -> Input {
        Input {
            socs: 343,
            soc_ports: 6,
            uplinks: 8,
            asic_ports: 350,
            clos_factor: 5,
            port_usd: 0.0,
            port_w: 0.0,
            rack_w: 16_000.0,
            port_rate: Rate::from_gbps(10),
            switching: Span::from_ns(20),
            prices: Edition::Paper,
            used: Vec::new(),
        }
    }
}

impl Input {
    /// Reads settings; those not given are of §2 and §6, or follow from others.
    ///
    /// # Errors
    /// A key is unknown, or a value out of its range.
    pub fn read(mut given: Flat) -> Result<Input, SettingError> {
        let entries = given.take("book");
        let mut input: Input = given.read()?;
        if !given.has("uplinks") {
            input.uplinks = input.uplinks.min(input.socs);
        } else if input.uplinks > input.socs {
            return Err(given.refusal("uplinks", format!("expected a whole number from 1 to {}", input.socs)));
        }
        let mut book = Book::new(input.prices, entries)?;
        if given.has("port_usd") {
            book.set_usd("port_usd", PORT.0, None, input.port_usd);
        }
        if given.has("port_w") {
            book.set_w("port_w", PORT.0, None, input.port_w);
        }
        let known = |key: &str, found: Option<Used>| {
            found.ok_or_else(|| given.refusal(key, "expected a number: the book has none with these `prices`"))
        };
        let (usd, w) = (known("port_usd", book.usd(PORT))?, known("port_w", book.w(PORT))?);
        (input.port_usd, input.port_w) = (usd.value, w.value);
        input.used = vec![usd, w];
        Ok(input)
    }
}
