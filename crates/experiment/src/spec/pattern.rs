//! Who sends to whom, for flows that arrive at random: a word or a table.

use super::HostsSpec;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Who sends to whom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PatternSpec {
    /// A pattern that needs no more than its name.
    Named(PatternName),
    /// Anything else.
    Table(PatternTable),
}

impl Default for PatternSpec {
    fn default() -> PatternSpec {
        PatternSpec::Named(PatternName::Uniform)
    }
}

/// Patterns that need no more than their name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PatternName {
    /// Every pair of different hosts alike.
    Uniform,
    /// Every source alike, each with one destination of its own for the whole run.
    Permutation,
}

/// Patterns that need more than a word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PatternTable {
    /// A fraction of flows stays in the rack, the rest leaves it.
    RackLocal(RackLocalSpec),
    /// A fraction of flows goes to hot hosts, the rest to any host.
    Hotspot(HotspotSpec),
    /// A fraction of flows stays among some hosts.
    Among(AmongSpec),
    /// Hosts in clusters drawn at random, which keep to themselves; every pair in a cluster alike.
    Clusters(ClustersSpec),
    /// Some hosts send much more than others.
    Skewed(SkewedSpec),
    /// Each pair of hosts in proportion to its weight.
    Matrix(MatrixSpec),
}

/// Flows that stay in the rack, more or less.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RackLocalSpec {
    /// Fraction of flows that stay in the rack of their source.
    #[schemars(range(min = 0.0, max = 1.0), extend("examples" = [0.8]))]
    pub fraction: f64,
}

/// Some hosts that many send to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HotspotSpec {
    /// The hot hosts.
    #[schemars(extend("examples" = [[0]]))]
    pub targets: HostsSpec,
    /// Fraction of all flows that go to them; the rest goes from any host to any other, hot or not. A host sends nothing to itself: if
    /// only one is hot, the others send all of this fraction, and it sends its part of the rest.
    #[schemars(range(min = 0.0, max = 1.0), extend("examples" = [0.1]))]
    pub fraction: f64,
}

/// Clusters that keep to themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClustersSpec {
    /// Hosts of a cluster; the last has what is left over, and a host that is alone sends nothing.
    #[schemars(range(min = 2), extend("examples" = [9]))]
    pub clusters: u32,
}

/// Some hosts that send most to each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AmongSpec {
    /// The hosts.
    #[schemars(extend("examples" = ["first 8"]))]
    pub hosts: HostsSpec,
    /// Fraction of flows that go from one of them to another; each of the rest has one end elsewhere, or both.
    #[schemars(range(min = 0.0, max = 1.0), extend("examples" = [0.8]))]
    pub fraction: f64,
}

/// Hosts that send unequally.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkewedSpec {
    /// Standard deviation of the logarithm of what hosts send, which is log-normal: with 1 one host in a hundred sends more than ten times the median. Each
    /// host's part is drawn once; destinations are any other hosts alike.
    #[schemars(range(max = 10.0), extend("exclusiveMinimum" = 0.0, "examples" = [1.0]))]
    pub sigma: f64,
}

/// Weights of pairs of hosts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatrixSpec {
    /// A CSV file with the header `src,dst,weight`, or `source,destination,bytes` as a demand of XFabric has; hosts are numbers from 0. Relative
    /// to the folder of the experiment file. Pairs that are not in it send nothing.
    #[schemars(example = "weights.csv")]
    pub path: String,
}

impl JsonSchema for PatternSpec {
    fn schema_name() -> Cow<'static, str> {
        "Pattern".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [generator.subschema_for::<PatternName>(), generator.subschema_for::<PatternTable>()]
        })
    }
}
