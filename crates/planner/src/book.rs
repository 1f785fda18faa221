//! What parts cost and draw: a book of entries with their dates and sources (`book.toml`), and whatever a person lays over it.

use crate::by_rate::ByRate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use settings::SettingError;
use std::fmt;
use std::sync::LazyLock;
use units::Rate;

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "PricedPart")]
pub enum Part {
    /// A packet switch, a ToR or an adapter, by the bandwidth of all its ports.
    Switch,
    /// A transceiver, by its rate.
    Transceiver,
    /// The cable to a host, by its rate.
    HostCable,
    /// A fibre in a tier that is not the last, or in the only one.
    FibreNear,
    /// A fibre in the last tier of several.
    FibreFar,
    /// Shoal's packet switch, by the bandwidth of all its ports.
    PacketSwitch,
    /// Shoal's circuit switch, by the bandwidth of all its ports.
    CircuitSwitch,
    /// A port of XFabric's crosspoints.
    CrosspointPort,
    /// A NIC that is bought.
    Nic,
    /// The ToR and aggregation switch beside AN3.
    AccessSwitch,
    /// AN3's L1 switch.
    An3Switch,
    /// What it costs once to design it.
    An3SwitchDesign,
    /// AN3's NIC with an FPGA.
    An3FpgaNic,
    /// What it costs once to design it.
    An3FpgaNicDesign,
    /// AN3's NIC with an ASIC.
    An3AsicNic,
    /// What it costs once to design it.
    An3AsicNicDesign,
    /// The cable between two of AN3's NICs.
    SataCable,
    /// The copper cable to a ToR switch.
    CopperCable,
    /// An end of an optical link: a transceiver and its half of the cable.
    OpticalPort,
}

/// A part of one rate; of a fibre or a port there is one kind.
pub type Item = (Part, Option<Rate>);

/// An item in words: `a transceiver of 400 Gb/s`.
#[derive(Debug, Clone, Copy)]
pub struct Named(pub Item);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (part, rate) = self.0;
        f.write_str(match part {
            Part::Switch => "a switch",
            Part::Transceiver => "a transceiver",
            Part::HostCable => "the cable to a host",
            Part::FibreNear => "a fibre of 10 m",
            Part::FibreFar => "a fibre of 100 m",
            Part::PacketSwitch => "a packet switch",
            Part::CircuitSwitch => "a circuit switch",
            Part::CrosspointPort => "a crosspoint's port",
            Part::Nic => "a NIC",
            Part::AccessSwitch => "an access switch",
            Part::An3Switch => "an L1 switch",
            Part::An3SwitchDesign => "the design of an L1 switch",
            Part::An3FpgaNic => "an L0 NIC with an FPGA",
            Part::An3FpgaNicDesign => "the design of an L0 NIC with an FPGA",
            Part::An3AsicNic => "an L0 NIC with an ASIC",
            Part::An3AsicNicDesign => "the design of an L0 NIC with an ASIC",
            Part::SataCable => "a SATA cable",
            Part::CopperCable => "a copper cable",
            Part::OpticalPort => "an optical port",
        })?;
        rate.map_or(Ok(()), |rate| write!(f, " of {rate}"))
    }
}

/// Which entries come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Edition {
    #[default]
    /// What the papers state; public data since then where they state nothing.
    Paper,
    /// Public data since then; what the papers state where there is none.
    Modern,
    /// No entry of the book: only what is set.
    None,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// What it is about.
    pub part: Part,
    /// Rates of the part; none for every rate.
    #[serde(default, deserialize_with = "rates")]
    pub rates: Vec<Rate>,
    /// Which edition it belongs to; entries of a person's own file come before both.
    #[serde(default)]
    pub edition: Option<Edition>,
    /// Price, in USD.
    pub usd: Option<f64>,
    /// Power, in W.
    pub w: Option<f64>,
    /// Rates of serial links of which a transceiver carries several; if not given, every rate that goes into its own.
    #[serde(default, deserialize_with = "some_rates")]
    pub carries: Option<Vec<Rate>>,
    /// Of the price or the document.
    pub date: String,
    /// Whether the document has no date, so that `date` says when it was read.
    #[serde(default)]
    pub undated: bool,
    /// Where the numbers are from.
    pub source: String,
    /// What kind of part it is, and how the number is to be read.
    #[serde(default)]
    pub note: String,
}

fn rates<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Rate>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    texts.iter().map(|text| text.parse().map_err(serde::de::Error::custom)).collect()
}

fn some_rates<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<Rate>>, D::Error> {
    rates(deserializer).map(Some)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    entry: Vec<Entry>,
}

/// The book that comes with the planner.
static OWN: LazyLock<Vec<Entry>> =
    LazyLock::new(|| toml::from_str::<File>(include_str!("book.toml")).expect("a test reads the book").entry);

/// Entries in the order in which they count: the first that has a number for an item gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct Book {
    /// Which edition comes first.
    pub edition: Edition,
    /// What a person gives, and the first edition.
    first: Vec<Entry>,
    /// The other edition, for the gaps.
    other: Vec<Entry>,
    /// What is in neither, in proportion to what is.
    filled: Vec<Entry>,
}

/// Prices in USD and powers in W that a person sets, where they are set.
#[derive(Debug, Clone, Copy)]
pub struct Laid<'a> {
    /// `price_switch`.
    pub switch: Option<f64>,
    /// `price_server_cable`.
    pub server_cable: Option<f64>,
    /// `price_fibre_near`.
    pub fibre_near: Option<f64>,
    /// `price_fibre_far`.
    pub fibre_far: Option<f64>,
    /// `price_transceivers`.
    pub transceivers: &'a ByRate,
    /// `switch_power_w`.
    pub switch_w: Option<f64>,
    /// `transceiver_power_w`.
    pub transceiver_w: &'a ByRate,
}

/// The number of one item, and where it is from.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Used {
    /// What it is about.
    pub part: Part,
    /// Its rate, in b/s.
    pub rate_bps: Option<u64>,
    /// What the number is of: a price in USD, or a power in W.
    #[schemars(extend("enum" = ["usd", "w"]))]
    pub unit: &'static str,
    /// The number.
    pub value: f64,
    /// Of the price or the document; empty for what was set.
    pub date: String,
    /// Whether the document has no date, so that `date` says when it was read.
    pub undated: bool,
    /// Where it is from.
    pub source: String,
    /// How it is to be read.
    pub note: String,
}

impl fmt::Display for Used {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let item = (self.part, self.rate_bps.map(Rate::from_bps));
        let value = (self.value * 1000.0).round() / 1000.0;
        write!(f, "{}: {value} {}, {} ({})", Named(item), self.unit.to_uppercase(), self.source, self.date)
    }
}

impl Default for Book {
    /// The papers' edition first.
    fn default() -> Book {
        Book::of(Edition::Paper, Vec::new())
    }
}

impl Book {
    /// With this edition first, and before it a person's own entries: `book`, as JSON.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn new(edition: Edition, book: Option<Value>) -> Result<Book, SettingError> {
        let first: Vec<Entry> = match book {
            None => Vec::new(),
            Some(value) => serde_json::from_value(value).map_err(|error| refused(&error.to_string()))?,
        };
        if let Some(wrong) = first.iter().find_map(Entry::wrong) {
            return Err(refused(&wrong));
        }
        Ok(Book::of(edition, first))
    }

    fn of(edition: Edition, mut first: Vec<Entry>) -> Book {
        let of = |wanted| OWN.iter().filter(move |entry| entry.edition == Some(wanted)).cloned();
        let other = match edition {
            Edition::Paper => of(Edition::Modern).collect(),
            Edition::Modern => of(Edition::Paper).collect(),
            Edition::None => Vec::new(),
        };
        if edition != Edition::None {
            first.extend(of(edition));
        }
        Book { edition, first, other, filled: Vec::new() }
    }

    /// Lays a number over the book: a price in USD, for the part of one rate or of every rate.
    pub fn set_usd(&mut self, key: &str, part: Part, rate: Option<Rate>, usd: f64) {
        self.first.insert(0, Entry { usd: Some(usd), ..Entry::set(key, part, rate) });
    }

    /// The same for a power in W.
    pub fn set_w(&mut self, key: &str, part: Part, rate: Option<Rate>, w: f64) {
        self.first.insert(0, Entry { w: Some(w), ..Entry::set(key, part, rate) });
    }

    /// Lays prices and powers over the book by the settings that several planned systems have.
    pub fn lay_over(&mut self, laid: &Laid<'_>) {
        for (key, part, usd) in [
            ("price_switch", Part::Switch, laid.switch),
            ("price_server_cable", Part::HostCable, laid.server_cable),
            ("price_fibre_near", Part::FibreNear, laid.fibre_near),
            ("price_fibre_far", Part::FibreFar, laid.fibre_far),
        ] {
            usd.into_iter().for_each(|usd| self.set_usd(key, part, None, usd));
        }
        for (&rate, &usd) in &laid.transceivers.0 {
            self.set_usd("price_transceivers", Part::Transceiver, rate, usd);
        }
        laid.switch_w.into_iter().for_each(|w| self.set_w("switch_power_w", Part::Switch, None, w));
        for (&rate, &w) in &laid.transceiver_w.0 {
            self.set_w("transceiver_power_w", Part::Transceiver, rate, w);
        }
    }

    /// Fills gaps: where there is no price or no power of this part at this rate, it is in proportion to the nearest rate that has one, of the
    /// edition that comes first if that has any. The source says so.
    pub fn fill(&mut self, part: Part, rate: Rate) {
        let item = (part, Some(rate));
        if self.usd(item).is_none()
            && let Some((entry, usd)) = self.in_proportion(item, |entry| entry.usd)
        {
            self.filled.push(Entry { usd: Some(usd), w: None, ..entry });
        }
        if self.w(item).is_none()
            && let Some((entry, w)) = self.in_proportion(item, |entry| entry.w)
        {
            self.filled.push(Entry { usd: None, w: Some(w), ..entry });
        }
    }

    /// An entry for an item that has none, and its number.
    fn in_proportion(&self, (part, rate): Item, number: impl Fn(&Entry) -> Option<f64>) -> Option<(Entry, f64)> {
        #[expect(clippy::cast_precision_loss, reason = "a ratio of rates")]
        let ratio = |of: Rate| rate.map_or(1.0, |rate| rate.as_bps() as f64 / of.as_bps() as f64);
        let nearest = |entries: &[Entry]| {
            let rated = entries.iter().filter(|entry| entry.part == part && number(entry).is_some());
            let rates = rated.flat_map(|entry| entry.rates.iter().map(move |rate| (entry.clone(), *rate)));
            let away = |of: Rate| ratio(of).max(1.0 / ratio(of));
            rates.min_by(|a, b| away(a.1).total_cmp(&away(b.1)))
        };
        let (entry, of) = nearest(&self.first).or_else(|| nearest(&self.other))?;
        let value = number(&entry)? * ratio(of);
        let source = format!("in proportion to {of}: {}", entry.source);
        Some((Entry { rates: rate.into_iter().collect(), source, ..entry }, value))
    }

    /// The price of an item.
    pub fn usd(&self, item: Item) -> Option<Used> {
        self.first(item, "usd", |entry| entry.usd)
    }

    /// The power of an item.
    pub fn w(&self, item: Item) -> Option<Used> {
        self.first(item, "w", |entry| entry.w)
    }

    fn first(&self, item: Item, unit: &'static str, number: impl Fn(&Entry) -> Option<f64>) -> Option<Used> {
        let (part, rate) = item;
        self.entries(item).find_map(|entry| {
            number(entry).map(|value| Used {
                part,
                rate_bps: rate.map(Rate::as_bps),
                unit,
                value,
                date: entry.date.clone(),
                undated: entry.undated,
                source: entry.source.clone(),
                note: entry.note.clone(),
            })
        })
    }

    fn entries(&self, (part, rate): Item) -> impl Iterator<Item = &Entry> {
        let fits = move |entry: &&Entry| entry.rates.is_empty() || rate.is_some_and(|rate| entry.rates.contains(&rate));
        self.first.iter().chain(&self.other).chain(&self.filled).filter(move |entry| entry.part == part).filter(fits)
    }

    /// Rates of transceivers that have a price and carry links of `link`: of the other edition only if the first has none, as
    /// prices of different years are not to be compared.
    pub fn carriers(&self, link: Rate) -> Vec<Rate> {
        let of = |entries: &[Entry]| {
            let priced = entries.iter().filter(|entry| entry.part == Part::Transceiver && entry.usd.is_some());
            let rates = priced.flat_map(|entry| entry.rates.iter().copied());
            rates.filter(|rate| self.links(*rate, link).is_some()).collect::<Vec<_>>()
        };
        let mut found = of(&self.first);
        if found.is_empty() {
            found = of(&self.other);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// How many links of `link` a transceiver of `rate` carries, if it carries them.
    pub fn links(&self, rate: Rate, link: Rate) -> Option<u64> {
        let several = rate.as_bps() / link.as_bps();
        if several == 0 || !rate.as_bps().is_multiple_of(link.as_bps()) {
            return None;
        }
        let carries = self.entries((Part::Transceiver, Some(rate))).find_map(|entry| entry.carries.as_ref());
        (several == 1 || carries.is_none_or(|carries| carries.contains(&link))).then_some(several)
    }
}

impl Entry {
    fn set(key: &str, part: Part, rate: Option<Rate>) -> Entry {
        Entry {
            part,
            rates: rate.into_iter().collect(),
            edition: None,
            usd: None,
            w: None,
            carries: None,
            date: String::new(),
            undated: false,
            source: format!("set with {key}"),
            note: String::new(),
        }
    }

    /// What is wrong with an entry, if anything is.
    fn wrong(&self) -> Option<String> {
        let named = Named((self.part, self.rates.first().copied()));
        let numbers = [("usd", self.usd, 1e9), ("w", self.w, 1e6)];
        if let Some((key, number, most)) = numbers.into_iter().find_map(|(key, number, most)| {
            Some((key, number?, most)).filter(|(_, number, most)| !(0.0..=*most).contains(number))
        }) {
            return Some(format!("{key} = {number} of {named}: expected a number from 0 to {most}"));
        }
        if self.usd.is_none() && self.w.is_none() {
            return Some(format!("the entry of {named} has neither `usd` nor `w`"));
        }
        let empty =
            [("date", &self.date), ("source", &self.source)].into_iter().find(|(_, text)| text.trim().is_empty());
        empty.map(|(key, _)| format!("the entry of {named} has an empty `{key}`"))
    }
}

fn refused(why: &str) -> SettingError {
    SettingError::Value {
        key: "book".to_owned(),
        value: "the given prices".to_owned(),
        expected: format!("{why}; expected [[entry]] tables as in docs/planner.md"),
    }
}

#[cfg(test)]
mod tests;
