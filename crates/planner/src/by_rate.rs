//! Prices and powers by rate, as a person sets them.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use units::Rate;

/// Numbers by rate: one for every rate, or one for each of some.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ByRate(pub BTreeMap<Option<Rate>, f64>);

impl Serialize for ByRate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ByRate(numbers) = self;
        match numbers.get(&None) {
            Some(every) => serializer.serialize_some(every),
            None if numbers.is_empty() => serializer.serialize_none(),
            None => serializer
                .collect_map(numbers.iter().filter_map(|(rate, number)| Some((rate.as_ref()?.to_string(), number)))),
        }
    }
}

impl<'de> Deserialize<'de> for ByRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ByRate, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Every(f64),
            Some(BTreeMap<String, f64>),
        }
        Ok(ByRate(match Option::<Written>::deserialize(deserializer)? {
            None => BTreeMap::new(),
            Some(Written::Every(number)) => BTreeMap::from([(None, number)]),
            Some(Written::Some(numbers)) => {
                let pair = |(rate, number): (String, f64)| Ok((Some(rate.parse().map_err(D::Error::custom)?), number));
                numbers.into_iter().map(pair).collect::<Result<_, D::Error>>()?
            }
        }))
    }
}

/// What [`ByRate`] looks like where each number is at most `MOST`.
pub(crate) struct UpTo<const MOST: u64>;

impl<const MOST: u64> JsonSchema for UpTo<MOST> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("numbers by rate up to {MOST}").into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let number = json_schema!({ "type": "number", "minimum": 0.0, "maximum": MOST });
        let by_rate = json_schema!({ "type": "object", "additionalProperties": number });
        if generator.contract().is_serialize() {
            // A plan that was given none says so.
            return json_schema!({ "anyOf": [number, by_rate, { "type": "null" }] });
        }
        json_schema!({ "anyOf": [number, by_rate] })
    }
}
