//! How long flows are: a size, the name of a published distribution, or a table.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use settings::{PacketText, Volume, VolumeText};
use std::borrow::Cow;
use units::Bytes;
use workload::sizes::{PARETO_BOUND, PUBLISHED};

/// How long flows are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SizesSpec {
    /// All alike: `size = "1 MB"`.
    Fixed(Volume),
    /// A published distribution, read as its users do: `size = "web-search"`.
    Named(String),
    /// Anything else: `size = { kind = "pareto", mean = "100 KB" }`.
    Table(SizesTable),
}

/// Distributions of flow sizes that need more than a word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SizesTable {
    /// A published distribution, read in a way of your choice.
    Published(PublishedSpec),
    /// Pareto: many short flows, and a few that carry most bytes.
    Pareto(ParetoSpec),
    /// Exponential.
    Exponential(ExponentialSpec),
    /// Every size from one to another, equally likely.
    Uniform(UniformSpec),
    /// A cumulative distribution from a file of two columns: bytes, and the share of flows that are no larger, as a fraction
    /// or in percent. The files of HPCC, TrafficGenerator, Homa and Opera are read as they are.
    File(SizesFileSpec),
}

/// A published distribution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedSpec {
    /// Which one.
    #[schemars(with = "PublishedName", extend("examples" = ["web-search"]))]
    pub name: String,
    /// What lies between its points. By default, what its users assume. It changes the mean up to elevenfold.
    #[serde(default)]
    pub interpolation: Option<InterpolationSpec>,
}

/// A Pareto distribution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParetoSpec {
    /// Mean without the bound, as papers give it.
    #[schemars(with = "VolumeText", example = "100 KB")]
    pub mean: Bytes,
    /// Above 1, or there would be no mean.
    #[serde(default = "common_shape")]
    #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 1.0))]
    pub shape: f64,
    /// The largest size: what would be longer becomes this. The default is NetBench's, 1 GiB.
    #[serde(default = "pareto_bound")]
    #[schemars(with = "VolumeText", extend("default" = "1 GiB"))]
    pub bound: Bytes,
}

/// An exponential distribution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExponentialSpec {
    /// Its mean.
    #[schemars(with = "VolumeText", example = "100 KB")]
    pub mean: Bytes,
}

/// A uniform distribution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UniformSpec {
    /// The smallest size.
    #[schemars(with = "VolumeText", example = "1 KB")]
    pub min: Bytes,
    /// The largest size.
    #[schemars(with = "VolumeText", example = "1 MB")]
    pub max: Bytes,
}

/// A distribution from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SizesFileSpec {
    /// The file, relative to the folder of the experiment file.
    #[schemars(example = "sizes.txt")]
    pub path: String,
    /// Bytes of one packet, for files of three columns that count packets (NetSys/simulator's `CDF_*.txt`: "1460 B"). By
    /// default the file counts bytes.
    #[serde(default)]
    #[schemars(with = "Option<PacketText>")]
    pub packet: Option<Bytes>,
    /// What lies between its points.
    #[serde(default = "linear")]
    pub interpolation: InterpolationSpec,
}

/// What lies between two points of a cumulative distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InterpolationSpec {
    /// Every size between the two alike. What most simulators do.
    Linear,
    /// The larger of the two only: the points are all the sizes there are. Homa's files.
    Step,
    /// The smaller of the two only: NetBench's lower bound.
    StepDown,
    /// A straight line in the usual plot with a logarithmic size axis.
    LogLinear,
    /// As `linear`, rounded up to whole packets of 1460 B, as YAPS (NetSys/simulator) draws from its files.
    LinearPackets,
}

/// The names of published distributions, for the schema.
pub struct PublishedName;

impl JsonSchema for PublishedName {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "PublishedName".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let name = |known: &workload::sizes::Published| json_schema!({ "type": "string", "const": known.name, "description": known.summary });
        json_schema!({ "oneOf": PUBLISHED.iter().map(name).collect::<Vec<_>>() })
    }
}

impl JsonSchema for SizesSpec {
    fn schema_name() -> Cow<'static, str> {
        "Sizes".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                VolumeText::json_schema(generator),
                PublishedName::json_schema(generator),
                generator.subschema_for::<SizesTable>(),
            ]
        })
    }
}

fn common_shape() -> f64 {
    1.05
}
fn pareto_bound() -> Bytes {
    PARETO_BOUND
}
fn linear() -> InterpolationSpec {
    InterpolationSpec::Linear
}
