//! Documented settings as a command line has them: a flat JSON object, whose values may all be texts (`"hosts": "10_000"`, `"bundles":
//! "1,2,4"`). What may stand where is in the schema of their structure, as for a file; so is what the reference says.

use crate::shape::{self, Choice, Field, Interval, Shape};
use crate::suggestion::cure;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Why settings cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// Not a JSON object.
    #[error("settings: expected a JSON object of keys and values: {reason}")]
    Form {
        /// What the reader of JSON said.
        reason: String,
    },
    /// A key that means nothing here.
    #[error("{key}: no such setting; {cure}")]
    Unknown {
        /// The key.
        key: String,
        /// What was probably meant.
        cure: String,
    },
    /// A value that cannot be.
    #[error("{key} = {value}: {expected}")]
    Value {
        /// The key.
        key: String,
        /// What was given.
        value: String,
        /// What can be.
        expected: String,
    },
}

/// What a person has set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Flat {
    given: Map<String, Value>,
}

impl Flat {
    /// Reads a JSON object.
    ///
    /// # Errors
    /// It is not an object.
    pub fn parse(json: &str) -> Result<Flat, SettingError> {
        let given = serde_json::from_str(json).map_err(|error| SettingError::Form { reason: error.to_string() })?;
        Ok(Flat { given })
    }

    /// Whether a key is set: if not, its default may follow from others.
    pub fn has(&self, key: &str) -> bool {
        self.given.contains_key(key)
    }

    /// Takes out what is no setting of a command line, such as the rows of a file.
    pub fn take(&mut self, key: &str) -> Option<Value> {
        self.given.remove(key)
    }

    /// The settings, with their defaults where nothing is set.
    ///
    /// # Errors
    /// A value cannot be, or a key is none of theirs.
    pub fn read<T: JsonSchema + DeserializeOwned>(&self) -> Result<T, SettingError> {
        let shape = shape::of::<T>();
        let mut read = Map::new();
        for field in &shape.fields {
            let Some(value) = self.given.get(&field.name) else { continue };
            let taken = taken(field, value).map_err(|expected| self.refusal(&field.name, expected))?;
            read.insert(field.name.clone(), taken);
        }
        if let Some(key) = self.given.keys().find(|key| shape.field(None, key).is_none()) {
            let cure = match shape.renamed(None, key) {
                Some(field) => format!("it is called {} now", field.name),
                None => cure("the settings are", key, shape.fields.iter().map(|field| field.name.as_str())),
            };
            return Err(SettingError::Unknown { key: key.clone(), cure });
        }
        serde_json::from_value(Value::Object(read)).map_err(|error| SettingError::Form { reason: error.to_string() })
    }

    /// Why the value of `key` is refused, and what can be: for what only the reader of the settings can know.
    pub fn refusal(&self, key: &str, expected: impl Into<String>) -> SettingError {
        let value = self.given.get(key).map_or_else(|| "not set".to_owned(), shown);
        SettingError::Value { key: key.to_owned(), value, expected: expected.into() }
    }
}

/// A value as its field has it, or what was expected.
fn taken(field: &Field, value: &Value) -> Result<Value, String> {
    let text = || value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match &field.shape {
        Shape::Whole { low, high } => {
            let found = whole(value).filter(|number| (*low..=*high).contains(&i128::from(*number)));
            found.map(Value::from).ok_or_else(|| format!("expected a whole number from {low} to {high}"))
        }
        Shape::Real(range) => {
            let found = decimal(value).filter(|number| holds(*range, *number));
            found.map(Value::from).ok_or_else(|| format!("expected a number {}", from_to(*range)))
        }
        Shape::Quantity(quantity) => {
            // A bare number is read too, for the message that says which unit it lacks.
            let text = text();
            let Some(number) = quantity.magnitude(&text).map_err(|error| error.to_string())? else {
                return quantity.check(&text).map(|()| Value::from(text));
            };
            let bound = |bound: &Option<String>| quantity.magnitude(bound.as_deref()?).ok().flatten();
            match (bound(&field.least), bound(&field.most)) {
                (Some(least), _) if number < least => Err(format!("expected at least {}", known(&field.least))),
                (_, Some(most)) if number > most => Err(format!("expected at most {}", known(&field.most))),
                _fits => Ok(Value::from(text)),
            }
        }
        Shape::Choice(choices) => {
            let word = value.as_str().unwrap_or_default();
            choice(choices, word).map(Value::from)
        }
        Shape::List { items, .. } => list(items, value),
        Shape::Either(shapes) => either(shapes, value),
        Shape::Truth => match text().as_str() {
            "true" | "yes" => Ok(Value::from(true)),
            "false" | "no" => Ok(Value::from(false)),
            _other => Err("expected true or false".to_owned()),
        },
        Shape::Text => Ok(Value::from(text())),
        Shape::Table(_) | Shape::Map(_) => Err("cannot be set on a command line".to_owned()),
    }
}

fn choice<'a>(choices: &'a [Choice], word: &str) -> Result<&'a str, String> {
    let names = || choices.iter().map(|choice| choice.name.as_str());
    if let Some(renamed) = choices.iter().find(|choice| choice.formerly.as_deref() == Some(word)) {
        return Err(format!("it is called {} now", renamed.name));
    }
    names().find(|name| *name == word).ok_or_else(|| cure("expected one of", word, names()))
}

/// Whole numbers, or some of a few words: a list, one of them, or a text with commas between.
fn list(items: &Shape, value: &Value) -> Result<Value, String> {
    if let Shape::Choice(choices) = items {
        return some_of(choices, value);
    }
    let numbers: Option<Vec<u64>> = match value {
        Value::Array(members) => members.iter().map(whole).collect(),
        Value::String(text) => text.split(',').map(|part| part.trim().parse().ok()).collect(),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
            whole(other).map(|number| vec![number])
        }
    };
    let Shape::Whole { low, high } = items else { return Err("cannot be set on a command line".to_owned()) };
    let numbers = numbers.unwrap_or_default();
    if numbers.is_empty() || !numbers.iter().all(|number| (*low..=*high).contains(&i128::from(*number))) {
        return Err(format!("expected whole numbers from {low} to {high}, such as \"1,2,4\""));
    }
    Ok(numbers.into())
}

fn some_of(choices: &[Choice], value: &Value) -> Result<Value, String> {
    let words: Vec<&str> = match value {
        Value::Array(members) => members.iter().map(|member| member.as_str().unwrap_or_default()).collect(),
        Value::String(text) => text.split(',').map(str::trim).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => vec![""],
    };
    let names = || choices.iter().map(|choice| choice.name.as_str());
    if words.is_empty() {
        return Err(cure("expected some of", "", names()));
    }
    let known = words
        .iter()
        .map(|word| names().find(|name| name == word).ok_or_else(|| cure("expected some of", word, names())));
    known.map(|word| word.map(Value::from)).collect()
}

/// Numbers by rate: one for every rate (`2.5`), or a text `"25 Gb/s: 125, 50 Gb/s: 280"`, or an object of the same.
fn either(shapes: &[Shape], value: &Value) -> Result<Value, String> {
    let [Shape::Real(range), Shape::Map(_)] = shapes else { return Err("cannot be set on a command line".to_owned()) };
    let pair = |rate: &str, number: Option<f64>| {
        rate.trim().parse::<units::Rate>().ok()?;
        Some((rate.trim().to_owned(), Value::from(number.filter(|number| holds(*range, *number))?)))
    };
    let found: Option<Value> = match value {
        Value::Object(members) => {
            let pairs: Option<Map<String, Value>> =
                members.iter().map(|(rate, number)| pair(rate, decimal(number))).collect();
            pairs.map(Value::Object)
        }
        Value::String(text) if text.contains(':') => {
            let pairs = text
                .split(',')
                .map(|part| part.split_once(':').and_then(|(rate, number)| pair(rate, number.trim().parse().ok())));
            pairs.collect::<Option<Map<String, Value>>>().map(Value::Object)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            decimal(value).filter(|number| holds(*range, *number)).map(Value::from)
        }
    };
    found.ok_or_else(|| {
        format!(
            "expected a number for every rate, or rates with their numbers, such as \"25 Gb/s: 125, 100 Gb/s: 435\", {}",
            from_to(*range)
        )
    })
}

fn known(bound: &Option<String>) -> &str {
    bound.as_deref().unwrap_or_default()
}

fn holds(range: Interval, number: f64) -> bool {
    number >= range.at_least.unwrap_or(f64::NEG_INFINITY) && number <= range.at_most.unwrap_or(f64::INFINITY)
}

fn from_to(range: Interval) -> String {
    format!("from {} to {}", range.at_least.unwrap_or(f64::NEG_INFINITY), range.at_most.unwrap_or(f64::INFINITY))
}

fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().replace('_', "").parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn decimal(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// As a person wrote it: texts without the quotes of JSON.
fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DelayText, RateText};
    use serde::{Deserialize, Serialize};
    use units::{Rate, Span};

    /// A network.
    #[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(default)]
    struct Network {
        /// Hosts that are wanted.
        #[schemars(range(min = 1, max = 20_000))]
        hosts: u64,
        /// Rate of a link.
        #[schemars(with = "RateText", extend("x-least" = "1 Gb/s"))]
        link_rate: Rate,
        /// Delay of a link.
        #[schemars(with = "DelayText", extend("x-most" = "1 ms"))]
        delay: Span,
        /// Links in a port.
        #[schemars(inner(range(min = 1, max = 8)))]
        bundles: Vec<u64>,
        /// What it is compared with.
        beside: Vec<Optics>,
        /// Whether links fail.
        #[schemars(extend("x-formerly" = "fail"))]
        fails: bool,
        /// Bandwidth down over bandwidth up.
        #[schemars(range(min = 0.5, max = 10.0))]
        ratio: f64,
        /// Price of a switch.
        #[schemars(range(min = 0.0, max = 9.0))]
        price: Option<f64>,
        /// Which transceivers there are.
        optics: Optics,
    }

    #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    enum Optics {
        /// The cheapest.
        #[schemars(extend("x-formerly" = "best"))]
        Cheapest,
        /// One a link.
        Single,
    }

    impl Default for Network {
        fn default() -> Network {
            Network {
                hosts: 100,
                link_rate: Rate::from_gbps(25),
                delay: Span::from_ns(50),
                bundles: vec![1, 2],
                beside: vec![Optics::Cheapest, Optics::Single],
                fails: false,
                ratio: 1.0,
                price: None,
                optics: Optics::Cheapest,
            }
        }
    }

    fn read(json: &str) -> Result<Network, SettingError> {
        Flat::parse(json)?.read()
    }

    #[test]
    fn values_are_read_as_json_and_as_texts() {
        let wanted = Network {
            hosts: 10_000,
            link_rate: Rate::from_gbps(50),
            bundles: vec![4, 1, 2],
            beside: vec![Optics::Single],
            fails: true,
            ratio: 2.5,
            price: Some(3.0),
            optics: Optics::Single,
            ..Network::default()
        };
        let texts = r#"{"hosts": "10_000", "link_rate": "50 Gb/s", "bundles": "4, 1,2", "beside": "single",
            "fails": "yes", "ratio": "2.5", "price": "3", "optics": "single"}"#;
        assert_eq!(read(texts).as_ref(), Ok(&wanted));
        let json = r#"{"hosts": 10000, "link_rate": "50 Gb/s", "bundles": [4, 1, 2], "beside": ["single"], "fails": true,
            "ratio": 2.5, "price": 3, "optics": "single"}"#;
        assert_eq!(read(json), Ok(wanted));
        assert_eq!(read("{}"), Ok(Network::default()));
    }

    #[test]
    fn what_cannot_be_is_named_with_its_cure() {
        let why = |json: &str| read(json).expect_err("refused").to_string();
        assert_eq!(why(r#"{"hosts": 0}"#), "hosts = 0: expected a whole number from 1 to 20000");
        assert_eq!(why(r#"{"hosts": "ten"}"#), "hosts = ten: expected a whole number from 1 to 20000");
        assert_eq!(
            why(r#"{"bundles": "1;2"}"#),
            "bundles = 1;2: expected whole numbers from 1 to 8, such as \"1,2,4\""
        );
        assert_eq!(why(r#"{"beside": "single,cheapst"}"#), "beside = single,cheapst: did you mean cheapest?");
        for none in ["\"tree\"", "3", "[]"] {
            let message = why(&format!(r#"{{"beside": {none}}}"#));
            assert!(message.ends_with(": expected some of cheapest, single"), "{message}");
        }
        assert_eq!(why(r#"{"fails": "maybe"}"#), "fails = maybe: expected true or false");
        assert_eq!(why(r#"{"fail": true}"#), "fail: no such setting; it is called fails now");
        assert_eq!(why(r#"{"ratio": -1}"#), "ratio = -1: expected a number from 0.5 to 10");
        assert_eq!(why(r#"{"link_rate": 25}"#), "link_rate = 25: `25` has no unit; write a rate such as \"100 Gb/s\"");
        assert_eq!(why(r#"{"link_rate": "1 Mb/s"}"#), "link_rate = 1 Mb/s: expected at least 1 Gb/s");
        assert_eq!(why(r#"{"delay": "2 ms"}"#), "delay = 2 ms: expected at most 1 ms");
        assert_eq!(why(r#"{"optics": "cheapst"}"#), "optics = cheapst: did you mean cheapest?");
        assert_eq!(why(r#"{"optics": "best"}"#), "optics = best: it is called cheapest now");
        assert_eq!(why(r#"{"optics": "free"}"#), "optics = free: expected one of cheapest, single");
        assert_eq!(why(r#"{"host": 3}"#), "host: no such setting; did you mean hosts?");
        assert_eq!(
            why(r#"{"colour": 3}"#),
            "colour: no such setting; the settings are hosts, link_rate, delay, bundles, beside, fails, ratio, price, optics"
        );
        assert!(why("[1]").starts_with("settings: expected a JSON object of keys and values: invalid type"));
    }
}
