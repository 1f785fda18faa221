//! Documented settings as a list, for references and for the help of commands: what each is called, what it is if nobody sets it, and
//! what its comment says.

use crate::quantity::Quantity;
use crate::shape::{self, Field, Shape, TableShape};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A setting as a reference lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Setting")]
pub struct Entry {
    /// The key.
    pub name: String,
    /// What it is, from the comment of its field.
    pub meaning: String,
    /// What it is if it is not set.
    pub default: String,
    /// What stands for a value in the help of a command: `N`, `RATE`, `paper|modern`.
    pub value: String,
    /// The words that it may be, if it is one of some, or some of them.
    pub words: Vec<Word>,
}

/// A word that a setting may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SettingWord")]
pub struct Word {
    /// The word.
    pub name: String,
    /// What it means.
    pub meaning: String,
}

/// Every setting of a structure of this shape that `defaults`, such a structure as JSON, has, in its order. A default of null is
/// "none", unless the field says in words what it follows from (`x-default` of the schema).
pub fn list(shape: &TableShape, defaults: &Value) -> Vec<Entry> {
    let entry = |field: &Field| {
        let default = defaults.get(&field.name)?;
        let choices = field.shape.as_choices().or_else(|| field.shape.as_items()?.as_choices()).unwrap_or_default();
        let words = choices.iter().map(|choice| Word { name: choice.name.clone(), meaning: line(&choice.meaning) });
        Some(Entry {
            name: field.name.clone(),
            meaning: line(&field.meaning),
            default: field.follows.clone().unwrap_or_else(|| written(default)),
            value: value(&field.shape),
            words: words.collect(),
        })
    };
    shape.fields.iter().filter_map(entry).collect()
}

/// Every setting of `T`, with the defaults that it has.
///
/// # Panics
/// If its values cannot be written as JSON.
pub fn of<T: JsonSchema + Serialize + Default>() -> Vec<Entry> {
    let defaults = serde_json::to_value(T::default()).expect("settings have only names and numbers");
    list(&shape::of::<T>(), &defaults)
}

fn line(meaning: &str) -> String {
    meaning.replace('\n', " ")
}

/// A value as a command line takes it.
fn written(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Array(members) => members.iter().map(written).collect::<Vec<_>>().join(","),
        Value::String(text) => text.clone(),
        Value::Number(number) => {
            number.as_f64().filter(|_| number.is_f64()).map_or_else(|| number.to_string(), |number| number.to_string())
        }
        Value::Bool(_) | Value::Object(_) => value.to_string(),
    }
}

fn value(shape: &Shape) -> String {
    match shape {
        Shape::Whole { .. } => "N".to_owned(),
        Shape::Real(_) | Shape::Either(_) => "NUMBER".to_owned(),
        Shape::List { items, .. } => {
            format!("{0},{0}", if items.as_choices().is_some() { "WORD".to_owned() } else { value(items) })
        }
        Shape::Choice(choices) => choices.iter().map(|choice| choice.name.as_str()).collect::<Vec<_>>().join("|"),
        Shape::Truth => "true|false".to_owned(),
        Shape::Quantity(quantity) => match quantity {
            Quantity::Time | Quantity::Lasting | Quantity::Delay => "TIME",
            Quantity::Rate => "RATE",
            Quantity::Size | Quantity::Packet | Quantity::Buffer | Quantity::Volume => "SIZE",
            Quantity::Queue | Quantity::Threshold | Quantity::ByteThreshold => "LENGTH",
            Quantity::Hosts => "HOSTS",
        }
        .to_owned(),
        Shape::Text => "TEXT".to_owned(),
        Shape::Table(_) | Shape::Map(_) => "TABLE".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RateText;
    use units::Rate;

    /// A network.
    #[derive(Serialize, JsonSchema)]
    struct Network {
        /// Hosts that are
        /// wanted.
        hosts: u64,
        /// Rate of a link.
        #[schemars(with = "RateText")]
        link_rate: Rate,
        /// Links in a port.
        bundles: Vec<u64>,
        /// Bandwidth down over bandwidth up.
        ratio: f64,
        /// Price of a switch.
        #[schemars(extend("x-default" = "the book's"))]
        price: Option<f64>,
        /// Its power.
        power: Option<f64>,
        /// Whether links fail.
        fails: bool,
        /// Which transceivers there are.
        optics: Optics,
        /// And which there were.
        before: Vec<Optics>,
    }

    #[derive(Serialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    enum Optics {
        /// The cheapest.
        Cheapest,
        /// One a link.
        Single,
    }

    #[test]
    fn the_reference_is_in_the_comments() {
        let network = Network {
            hosts: 100,
            link_rate: Rate::from_gbps(25),
            bundles: vec![1, 2],
            ratio: 1.0,
            price: None,
            power: None,
            fails: true,
            optics: Optics::Cheapest,
            before: vec![Optics::Single, Optics::Cheapest],
        };
        let listed = list(&shape::of::<Network>(), &serde_json::to_value(network).expect("plain"));
        let lines: Vec<[&str; 4]> =
            listed.iter().map(|each| [&*each.name, &*each.value, &*each.default, &*each.meaning]).collect();
        assert_eq!(
            lines,
            [
                ["hosts", "N", "100", "Hosts that are wanted."],
                ["link_rate", "RATE", "25 Gb/s", "Rate of a link."],
                ["bundles", "N,N", "1,2", "Links in a port."],
                ["ratio", "NUMBER", "1", "Bandwidth down over bandwidth up."],
                ["price", "NUMBER", "the book's", "Price of a switch."],
                ["power", "NUMBER", "none", "Its power."],
                ["fails", "true|false", "true", "Whether links fail."],
                ["optics", "cheapest|single", "cheapest", "Which transceivers there are."],
                ["before", "WORD,WORD", "single,cheapest", "And which there were."],
            ]
        );
        let words: Vec<[&str; 2]> = listed[7].words.iter().map(|word| [&*word.name, &*word.meaning]).collect();
        assert_eq!(words, [["cheapest", "The cheapest."], ["single", "One a link."]]);
        assert_eq!(listed[8].words, listed[7].words);
    }
}
