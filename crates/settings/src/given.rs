//! Settings that are read key by key, because what may stand there depends on other files: a flat JSON object. A key nobody reads and a value out of its range are answered
//! with the key, the value and the cure.

use crate::suggestion::cure;
use serde_json::{Map, Value};
use std::ops::RangeInclusive;

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
            SettingError::Value { key: key.to_owned(), value: shown(&value), expected }
        })
    }

    /// A number.
    ///
    /// # Errors
    /// It is none, or out of `range`.
    pub fn number(&mut self, key: &'static str, default: f64, range: RangeInclusive<f64>) -> Result<f64, SettingError> {
        let Some(value) = self.take(key) else { return Ok(default) };
        decimal(&value).filter(|number| range.contains(number)).ok_or_else(|| {
            let expected = format!("expected a number from {} to {}", range.start(), range.end());
            SettingError::Value { key: key.to_owned(), value: shown(&value), expected }
        })
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
            key: key.to_owned(),
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
            key: key.to_owned(),
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

pub(crate) fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().replace('_', "").parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

pub(crate) fn decimal(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// As a person wrote it: texts without the quotes of JSON.
pub(crate) fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> Given {
        Given::parse(json).unwrap()
    }

    #[test]
    fn values_are_read_as_json_and_as_texts() {
        let mut given = of(r#"{"hosts": "10_000", "ratio": "2.5"}"#);
        assert_eq!(given.count("hosts", 1, 1..=20_000), Ok(10_000));
        assert_eq!(given.number("ratio", 1.0, 0.0..=10.0), Ok(2.5));
        assert_eq!(given.count("absent", 7, 1..=9), Ok(7));
        assert_eq!(given.finish(), Ok(()));
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
            message(r#"{"ratio": -1}"#, |s| s.number("ratio", 1.0, 0.5..=10.0).err()),
            "ratio = -1: expected a number from 0.5 to 10"
        );
        assert_eq!(
            message(r#"{"optics": "cheapst"}"#, |s| s.word("optics", 1, &[("cheapest", 1), ("bundle", 2)]).err()),
            "optics = cheapst: did you mean cheapest?"
        );
        assert_eq!(
            message(r#"{"optics": "free"}"#, |s| s.word("optics", 1, &[("cheapest", 1), ("bundle", 2)]).err()),
            "optics = free: expected one of cheapest, bundle"
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
