//! A choice of hosts: how many, which ones, or a few words.

use crate::quantity::Quantity;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::str::FromStr;
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
            HostsSpec::Words(words) => words.parse::<Words>().map(|Words(hosts)| hosts),
        }
    }
}

/// `"all"`, `"first 8"`, `"random 8"`.
pub(crate) struct Words(Hosts);

impl FromStr for Words {
    type Err = String;
    fn from_str(text: &str) -> Result<Words, String> {
        let parts: Vec<&str> = text.split_whitespace().collect();
        let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
        let hosts = match parts.as_slice() {
            ["all"] => Some(Hosts::All),
            ["first", count] => number(count).map(Hosts::First),
            ["random", count] => number(count).map(Hosts::Random),
            _other => None,
        };
        let cure = "is no choice of hosts; write \"all\", \"first 8\", \"random 8\", or a list such as [0, 5, 7]";
        hosts.map(Words).ok_or_else(|| cure.to_owned())
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
