//! A bill: so many parts at what the book says, and what the book lacks.

use crate::book::{Book, Edition, Item, Named, Part, Used};
use std::collections::{BTreeMap, BTreeSet};

/// A part has no price or no power in the book.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{missing}: set {cure}, give a book of your own as `prices`, or leave cost and power out with `prices` none")]
pub struct Unpriced {
    /// Which ones.
    missing: String,
    /// The settings that give them.
    cure: String,
}

/// Items that have no price, or no power.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Missing {
    /// Without a price.
    pub usd: Vec<Item>,
    /// Without a power.
    pub w: Vec<Item>,
}

impl Missing {
    /// `no price known for a transceiver of 1.6 Tb/s, no power known for ...`; None if nothing is missing.
    pub fn told(&self) -> Option<String> {
        let list = |items: &[Item]| items.iter().map(|item| Named(*item).to_string()).collect::<Vec<_>>().join(", ");
        let parts = [("price", &self.usd), ("power", &self.w)];
        let told: Vec<String> = parts
            .iter()
            .filter(|(_, items)| !items.is_empty())
            .map(|(what, items)| format!("no {what} known for {}", list(items)))
            .collect();
        (!told.is_empty()).then(|| told.join("; "))
    }

    /// Whether no price is missing.
    pub fn has_prices(&self) -> bool {
        self.usd.is_empty()
    }

    /// Whether no power is missing.
    pub fn has_powers(&self) -> bool {
        self.w.is_empty()
    }

    /// Refuses a plan of which something is missing, unless prices were left out.
    ///
    /// # Errors
    /// Something is.
    pub fn refuse(&self, prices: Edition) -> Result<(), Unpriced> {
        match self.told().filter(|_| prices != Edition::None) {
            Some(missing) => Err(Unpriced { missing, cure: self.cure() }),
            None => Ok(()),
        }
    }

    /// The settings that give what is missing: `price_server_cable=USD and price_transceivers='1.6 Tb/s: USD'`.
    pub fn cure(&self) -> String {
        let of = |items: &[Item], unit: &str, keys: &[(Part, &str)]| -> Vec<String> {
            let mut settings = Vec::new();
            for &(part, key) in keys {
                let rates: Vec<String> =
                    items.iter().filter(|item| item.0 == part).map(|item| rated(*item, unit)).collect();
                match (part, rates.is_empty()) {
                    (_, true) => {}
                    (Part::Transceiver, false) => settings.push(format!("{key}='{}'", rates.join(", "))),
                    (_, false) => settings.push(format!("{key}={unit}")),
                }
            }
            settings
        };
        let prices = [
            (Part::Switch, "price_switch"),
            (Part::HostCable, "price_server_cable"),
            (Part::Transceiver, "price_transceivers"),
            (Part::FibreNear, "price_fibre_near"),
            (Part::FibreFar, "price_fibre_far"),
        ];
        let powers = [(Part::Switch, "switch_power_w"), (Part::Transceiver, "transceiver_power_w")];
        let mut settings = of(&self.usd, "USD", &prices);
        settings.extend(of(&self.w, "W", &powers));
        settings.join(" and ")
    }

    /// Takes in what is missing of another design.
    pub fn add(&mut self, other: Missing) {
        for (into, from) in [(&mut self.usd, other.usd), (&mut self.w, other.w)] {
            into.extend(from);
            into.sort_unstable();
            into.dedup();
        }
    }
}

fn rated((_, rate): Item, unit: &str) -> String {
    rate.map_or_else(|| unit.to_owned(), |rate| format!("{rate}: {unit}"))
}

/// Numbers that were looked up, by what they are of.
pub type Uses = BTreeMap<(Item, &'static str), Used>;

/// Looks items up, and keeps what was found and what was not.
#[derive(Debug)]
pub struct Bill<'a> {
    book: &'a Book,
    used: &'a mut Uses,
    missing: Missing,
}

impl<'a> Bill<'a> {
    /// A bill by the prices and powers of `book`.
    pub fn new(book: &'a Book, used: &'a mut Uses) -> Bill<'a> {
        Bill { book, used, missing: Missing::default() }
    }

    /// What had no price or no power, each once.
    pub fn missing(self) -> Missing {
        let mut missing = Missing::default();
        missing.add(self.missing);
        missing
    }

    /// So many pieces at their price; nothing is looked up for none.
    pub fn usd(&mut self, pieces: f64, item: Item) -> f64 {
        if pieces == 0.0 {
            return 0.0;
        }
        let found = self.book.usd(item);
        if found.is_none() {
            self.missing.usd.push(item);
        }
        pieces * self.take(item, found)
    }

    /// So many pieces at their power.
    pub fn w(&mut self, pieces: f64, item: Item) -> f64 {
        if pieces == 0.0 {
            return 0.0;
        }
        let found = self.book.w(item);
        if found.is_none() {
            self.missing.w.push(item);
        }
        pieces * self.take(item, found)
    }

    fn take(&mut self, item: Item, found: Option<Used>) -> f64 {
        found.map_or(0.0, |used| {
            let value = used.value;
            self.used.insert((item, used.unit), used);
            value
        })
    }
}

/// Prices of different years are not to be compared without thought.
pub fn mixed_years(prices: &[Used]) -> Option<String> {
    let years: BTreeSet<&str> =
        prices.iter().filter(|used| used.unit == "usd").filter_map(|used| used.date.get(..4)).collect();
    let (first, last) = (years.first()?, years.last()?);
    (first != last).then(|| {
        format!(
            "prices are of different years, {first} to {last}: set those that are out of date, or read costs as a guess"
        )
    })
}
