//! Settings as a command line has them: a flat JSON object, read key by key. A key nobody reads and a value out of its range are answered
//! with the key, the value and the cure.

use crate::suggestion::cure;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use units::Rate;

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
        key: &'static str,
        /// What was given.
        value: String,
        /// What can be.
        expected: String,
    },
}

/// Keys that were given, of which each is taken once.
#[derive(Debug)]
pub struct Given {
    given: Map<String, Value>,
    known: Vec<&'static str>,
}

impl Given {
    /// Reads a JSON object. Numbers may be texts: `"10000"`, as a command line has them.
    ///
    /// # Errors
    /// It is not an object.
    pub fn parse(json: &str) -> Result<Given, SettingError> {
        let given = serde_json::from_str(json).map_err(|error| SettingError::Form { reason: error.to_string() })?;
        Ok(Given { given, known: Vec::new() })
    }

    /// A whole number.
    ///
    /// # Errors
    /// It is none, or out of `range`.
    pub fn count(&mut self, key: &'static str, default: u64, range: RangeInclusive<u64>) -> Result<u64, SettingError> {
        let Some(value) = self.take(key) else { return Ok(default) };
        whole(&value).filter(|number| range.contains(number)).ok_or_else(|| {
            let expected = format!("expected a whole number from {} to {}", range.start(), range.end());
            SettingError::Value { key, value: shown(&value), expected }
        })
    }

    /// Whole numbers, at least one of them; as a text with commas between: `"1,2,4"`. Sorted, each once.
    ///
    /// # Errors
    /// One is not whole, or out of `range`, or there is none.
    pub fn counts(
        &mut self,
        key: &'static str,
        default: &[u64],
        range: RangeInclusive<u64>,
    ) -> Result<Vec<u64>, SettingError> {
        let Some(value) = self.take(key) else { return Ok(default.to_vec()) };
        let numbers: Option<Vec<u64>> = match &value {
            Value::Array(members) => members.iter().map(whole).collect(),
            Value::String(text) => text.split(',').map(|part| part.trim().parse().ok()).collect(),
            other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
                whole(other).map(|number| vec![number])
            }
        };
        let mut numbers = numbers.unwrap_or_default();
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.is_empty() || !numbers.iter().all(|number| range.contains(number)) {
            let expected =
                format!("expected whole numbers from {} to {}, such as \"1,2,4\"", range.start(), range.end());
            return Err(SettingError::Value { key, value: shown(&value), expected });
        }
        Ok(numbers)
    }

    /// A number.
    ///
    /// # Errors
    /// It is none, or out of `range`.
    pub fn number(&mut self, key: &'static str, default: f64, range: RangeInclusive<f64>) -> Result<f64, SettingError> {
        let Some(value) = self.take(key) else { return Ok(default) };
        decimal(&value).filter(|number| range.contains(number)).ok_or_else(|| {
            let expected = format!("expected a number from {} to {}", range.start(), range.end());
            SettingError::Value { key, value: shown(&value), expected }
        })
    }

    /// A quantity with a unit, as `units` reads it, from `least` on.
    ///
    /// # Errors
    /// It cannot be read, or is less than `least`.
    pub fn quantity<T>(&mut self, key: &'static str, default: T, least: T) -> Result<T, SettingError>
    where
        T: FromStr<Err = units::ParseError> + PartialOrd + fmt::Display,
    {
        let Some(value) = self.take(key) else { return Ok(default) };
        let refuse = |expected: String| SettingError::Value { key, value: shown(&value), expected };
        // A bare number is read too, for the message that says which unit it lacks.
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let quantity: T = text.parse().map_err(|error: units::ParseError| refuse(error.to_string()))?;
        if quantity < least {
            return Err(refuse(format!("expected at least {least}")));
        }
        Ok(quantity)
    }

    /// A quantity with a unit, as `units` reads it, in `range`.
    ///
    /// # Errors
    /// It cannot be read, or is out of `range`.
    pub fn quantity_within<T>(
        &mut self,
        key: &'static str,
        default: T,
        range: RangeInclusive<T>,
    ) -> Result<T, SettingError>
    where
        T: FromStr<Err = units::ParseError> + PartialOrd + fmt::Display + Copy,
    {
        let given = self.given.get(key).map(shown);
        let quantity = self.quantity(key, default, *range.start())?;
        if quantity > *range.end() {
            let expected = format!("expected at most {}", range.end());
            return Err(SettingError::Value { key, value: given.unwrap_or_else(|| quantity.to_string()), expected });
        }
        Ok(quantity)
    }

    /// One of a few words.
    ///
    /// # Errors
    /// It is another word.
    pub fn word<T: Copy>(
        &mut self,
        key: &'static str,
        default: T,
        words: &[(&'static str, T)],
    ) -> Result<T, SettingError> {
        let Some(value) = self.take(key) else { return Ok(default) };
        let text = value.as_str().unwrap_or_default();
        words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning).ok_or_else(|| SettingError::Value {
            key,
            value: shown(&value),
            expected: cure("expected one of", text, words.iter().map(|(word, _)| *word)),
        })
    }

    /// Some of a few words, each once; as a text with commas between: `"a,b"`. All of them if none is given.
    ///
    /// # Errors
    /// One is another word, or there is none.
    pub fn words<T: Copy>(&mut self, key: &'static str, words: &[(&'static str, T)]) -> Result<Vec<T>, SettingError> {
        let Some(value) = self.take(key) else { return Ok(words.iter().map(|(_, meaning)| *meaning).collect()) };
        let given: Vec<&str> = match &value {
            Value::Array(members) => members.iter().map(|member| member.as_str().unwrap_or_default()).collect(),
            Value::String(text) => text.split(',').map(str::trim).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
        };
        let refuse = |text: &str| SettingError::Value {
            key,
            value: shown(&value),
            expected: cure("expected some of", text, words.iter().map(|(word, _)| *word)),
        };
        let mut found: Vec<(&str, T)> = Vec::new();
        for text in given {
            let word = words.iter().find(|(word, _)| *word == text).ok_or_else(|| refuse(text))?;
            if !found.iter().any(|(known, _)| *known == word.0) {
                found.push(*word);
            }
        }
        if found.is_empty() { Err(refuse("")) } else { Ok(found.into_iter().map(|(_, meaning)| meaning).collect()) }
    }

    /// A number that has no default.
    ///
    /// # Errors
    /// It is none, or out of `range`.
    pub fn number_if_set(
        &mut self,
        key: &'static str,
        range: RangeInclusive<f64>,
    ) -> Result<Option<f64>, SettingError> {
        let set = self.given.contains_key(key);
        let number = self.number(key, *range.start(), range)?;
        Ok(set.then_some(number))
    }

    /// Numbers by rate: one for every rate (`2.5`), or a text `"25 Gb/s: 125, 50 Gb/s: 280"`, or an object of the same.
    ///
    /// # Errors
    /// A rate or a number cannot be read, or a number is out of `range`.
    pub fn by_rate(
        &mut self,
        key: &'static str,
        range: RangeInclusive<f64>,
    ) -> Result<BTreeMap<Option<Rate>, f64>, SettingError> {
        let Some(value) = self.take(key) else { return Ok(BTreeMap::new()) };
        let read = by_rate(&value).filter(|found| found.values().all(|number| range.contains(number)));
        read.ok_or_else(|| SettingError::Value {
            key,
            value: shown(&value),
            expected: format!(
                "expected a number for every rate, or rates with their numbers, such as \"25 Gb/s: 125, 100 Gb/s: 435\", \
                 from {} to {}",
                range.start(),
                range.end()
            ),
        })
    }

    /// Whatever was given, for what is no number, text or list of them.
    pub fn value(&mut self, key: &'static str) -> Option<Value> {
        self.take(key)
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// A key is left that nothing has asked for.
    pub fn finish(self) -> Result<(), SettingError> {
        match self.given.keys().next() {
            None => Ok(()),
            Some(key) => {
                let cure = cure("the settings are", key, self.known.iter().copied());
                Err(SettingError::Unknown { key: key.clone(), cure })
            }
        }
    }

    fn take(&mut self, key: &'static str) -> Option<Value> {
        self.known.push(key);
        self.given.remove(key)
    }
}

fn by_rate(value: &Value) -> Option<BTreeMap<Option<Rate>, f64>> {
    let pair = |rate: &str, number: Option<f64>| Some((Some(rate.trim().parse().ok()?), number?));
    match value {
        Value::Object(members) => members.iter().map(|(rate, number)| pair(rate, decimal(number))).collect(),
        Value::String(text) if text.contains(':') => text
            .split(',')
            .map(|part| part.split_once(':').and_then(|(rate, number)| pair(rate, number.trim().parse().ok())))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Some(BTreeMap::from([(None, decimal(value)?)]))
        }
    }
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
    use units::Bytes;

    fn of(json: &str) -> Given {
        Given::parse(json).unwrap()
    }

    #[test]
    fn values_are_read_as_json_and_as_texts() {
        let mut settings =
            of(r#"{"hosts": "10_000", "ratio": "2.5", "cell": "256 B", "bundles": "4, 1,2", "list": [2, 1]}"#);
        assert_eq!(settings.count("hosts", 1, 1..=20_000), Ok(10_000));
        assert_eq!(settings.number("ratio", 1.0, 0.0..=10.0), Ok(2.5));
        assert_eq!(settings.quantity("cell", Bytes::new(1), Bytes::new(1)), Ok(Bytes::new(256)));
        assert_eq!(settings.counts("bundles", &[1], 1..=8), Ok(vec![1, 2, 4]));
        assert_eq!(settings.counts("list", &[1], 1..=8), Ok(vec![1, 2]));
        assert_eq!(settings.count("absent", 7, 1..=9), Ok(7));
        assert_eq!(settings.finish(), Ok(()));
    }

    #[test]
    fn words_are_some_of_a_few_or_all() {
        let words = [("xfabric", 1), ("torus", 2), ("random", 3)];
        let mut settings = of(r#"{"a": "torus, xfabric,torus", "b": ["random"], "c": "torrus", "d": "tree", "e": 3}"#);
        assert_eq!(settings.words("a", &words), Ok(vec![2, 1]));
        assert_eq!(settings.words("b", &words), Ok(vec![3]));
        assert_eq!(settings.words("none", &words), Ok(vec![1, 2, 3]));
        let mut why = |key| settings.words(key, &words).expect_err("refused").to_string();
        assert_eq!(why("c"), "c = torrus: did you mean torus?");
        assert_eq!(why("d"), "d = tree: expected some of xfabric, torus, random");
        assert_eq!(why("e"), "e = 3: expected some of xfabric, torus, random");
    }

    #[test]
    fn numbers_go_by_rate() {
        let gbps = |rate| Some(Rate::from_gbps(rate));
        let wanted = BTreeMap::from([(gbps(25), 125.0), (gbps(100), 435.0)]);
        let text =
            r#"{"a": "25 Gb/s: 125, 100 Gb/s: 435", "b": {"25 Gb/s": 125, "100 Gb/s": "435"}, "c": 2.5, "d": "2.5"}"#;
        let mut settings = of(text);
        let mut read = |key| settings.by_rate(key, 0.0..=1e9);
        assert_eq!(read("a"), Ok(wanted.clone()));
        assert_eq!(read("b"), Ok(wanted));
        assert_eq!(read("c"), Ok(BTreeMap::from([(None, 2.5)])));
        assert_eq!(read("d"), Ok(BTreeMap::from([(None, 2.5)])));
        assert_eq!(read("absent"), Ok(BTreeMap::new()));
    }

    #[test]
    fn what_cannot_be_is_named_with_its_cure() {
        let message = |json: &str, read: fn(&mut Given) -> Option<SettingError>| {
            let mut settings = of(json);
            read(&mut settings).expect("refused").to_string()
        };
        assert_eq!(
            message(r#"{"hosts": 0}"#, |s| s.count("hosts", 1, 1..=9).err()),
            "hosts = 0: expected a whole number from 1 to 9"
        );
        assert_eq!(
            message(r#"{"hosts": "ten"}"#, |s| s.count("hosts", 1, 1..=9).err()),
            "hosts = ten: expected a whole number from 1 to 9"
        );
        assert_eq!(
            message(r#"{"bundles": "1;2"}"#, |s| s.counts("bundles", &[1], 1..=8).err()),
            "bundles = 1;2: expected whole numbers from 1 to 8, such as \"1,2,4\""
        );
        assert_eq!(
            message(r#"{"ratio": -1}"#, |s| s.number("ratio", 1.0, 0.5..=10.0).err()),
            "ratio = -1: expected a number from 0.5 to 10"
        );
        assert_eq!(
            message(r#"{"rate": 25}"#, |s| s.quantity("rate", Rate::from_gbps(1), Rate::from_gbps(1)).err()),
            "rate = 25: `25` has no unit; write a rate such as \"100 Gb/s\""
        );
        assert_eq!(
            message(r#"{"rate": "0 b/s"}"#, |s| s.quantity("rate", Rate::from_gbps(1), Rate::from_bps(1)).err()),
            "rate = 0 b/s: expected at least 1 b/s"
        );
        assert_eq!(
            message(r#"{"cell": "2 KB"}"#, |s| s
                .quantity_within("cell", Bytes::new(1), Bytes::new(1)..=Bytes::new(1_000))
                .err()),
            "cell = 2 KB: expected at most 1 KB"
        );
        assert_eq!(
            message(r#"{"optics": "cheapst"}"#, |s| s.word("optics", 1, &[("cheapest", 1), ("bundle", 2)]).err()),
            "optics = cheapst: did you mean cheapest?"
        );
        assert_eq!(
            message(r#"{"optics": "free"}"#, |s| s.word("optics", 1, &[("cheapest", 1), ("bundle", 2)]).err()),
            "optics = free: expected one of cheapest, bundle"
        );
        assert_eq!(
            message(r#"{"prices": "25 Gb/s"}"#, |s| s.by_rate("prices", 0.0..=1e9).err()),
            "prices = 25 Gb/s: expected a number for every rate, or rates with their numbers, such as \"25 Gb/s: 125, 100 \
             Gb/s: 435\", from 0 to 1000000000"
        );
    }

    #[test]
    fn a_key_that_nobody_reads_is_named() {
        let left = |json: &str| {
            let mut settings = of(json);
            let _ = settings.count("hosts", 1, 1..=9);
            let _ = settings.count("link_rate", 1, 1..=9);
            settings.finish().unwrap_err().to_string()
        };
        assert_eq!(left(r#"{"host": 3}"#), "host: no such setting; did you mean hosts?");
        assert_eq!(left(r#"{"linkrate": 3}"#), "linkrate: no such setting; did you mean link_rate?");
        assert_eq!(left(r#"{"colour": 3}"#), "colour: no such setting; the settings are hosts, link_rate");
    }

    #[test]
    fn what_is_no_object_is_refused() {
        let error = Given::parse("[1]").unwrap_err().to_string();
        assert!(error.starts_with("settings: expected a JSON object of keys and values: invalid type"), "{error}");
    }
}
