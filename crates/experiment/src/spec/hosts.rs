//! A choice of hosts: how many, which ones, or a few words.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use settings::{HostWords, Quantity};
use std::borrow::Cow;
use workload::Hosts;

/// A choice of hosts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum HostsSpec {
    /// So many, at random.
    Count(u32),
    /// These, in this order.
    List(Vec<u32>),
    /// In words.
    Words(String),
}

impl Default for HostsSpec {
    fn default() -> HostsSpec {
        HostsSpec::Words("all".to_owned())
    }
}

impl HostsSpec {
    /// The choice, or how to write one.
    pub(crate) fn hosts(&self) -> Result<Hosts, String> {
        match self {
            HostsSpec::Count(count) => Ok(Hosts::Random(*count)),
            HostsSpec::List(list) => Ok(Hosts::List(list.clone())),
            HostsSpec::Words(words) => words.parse().map(|words| match words {
                HostWords::All => Hosts::All,
                HostWords::First(count) => Hosts::First(count),
                HostWords::Random(count) => Hosts::Random(count),
            }),
        }
    }
}

impl JsonSchema for HostsSpec {
    fn schema_name() -> Cow<'static, str> {
        "Hosts".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "integer", "format": "uint32", "minimum": 1, "description": "So many, at random." },
                { "type": "array", "items": { "type": "integer", "format": "uint32", "minimum": 0 }, "minItems": 1 },
                Quantity::Hosts.schema(),
            ]
        })
    }
}
