//! A configuration as it is written: JSON with names, for people and for what drives their switches. docs/topology.md describes it.

use super::wiring::Plug;
use crate::generate::TieBreak;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the first key says, so that nothing else is taken for a configuration.
pub const FORMAT: &str = "gossamer-xfabric-topology-1";

/// Everything that a controller needs to re-cable the rack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "XFabricConfiguration")]
pub struct Configuration {
    /// Says that this is a configuration.
    #[schemars(extend("const" = FORMAT))]
    pub format: String,
    /// Of this configuration: one more than the previous one's (§4.4).
    pub version: u64,
    /// Its settings.
    pub input: Input,
    /// What SoCs are called, by number.
    pub socs: Vec<String>,
    /// By SoC and port; null for a port that is not there.
    pub wiring: Vec<Vec<Option<Plug>>>,
    /// What each crosspoint sets.
    pub crosspoints: Vec<Crosspoint>,
    /// Cables that stay: ports that an odd number leaves over, joined for good (§6.1).
    pub fixed_circuits: Vec<Fixed>,
    /// Where uplinks go (§4.2).
    pub uplinks: Vec<Uplink>,
    /// Tables, by SoC (§4.3).
    pub forwarding: Vec<Forwarding>,
    /// What the controller sends to each SoC, encoded, in bytes (§4.4).
    pub update_bytes: usize,
    /// What it does to this demand.
    pub summary: Summary,
    /// What is different from the previous configuration; null without one.
    pub changes: Option<Changes>,
    /// The demand that it is for, averaged.
    pub demand: DemandRecord,
    /// What a person should know before using it.
    pub warnings: Vec<String>,
}

/// What a configuration was made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "XFabricConfigurationInput")]
pub struct Input {
    /// d, internal ports of a SoC.
    pub soc_ports: u32,
    /// How many crosspoints.
    pub crosspoints: u32,
    /// l, uplinks of the rack.
    pub uplinks: u32,
    /// Weight of the latest period's demand; the previous average has the rest.
    pub weight: f64,
    /// Which of pairs with equal demand comes first.
    pub ties: TieBreak,
    /// Of shuffled ties and fixed circuits.
    pub seed: u64,
    /// Are ports that an odd number leaves over joined for good?
    pub fixed_circuits: bool,
    /// SoCs and ports (`name:port`) that were left out.
    pub failed: Vec<String>,
}

/// A crosspoint switch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "XFabricCrosspoint")]
pub struct Crosspoint {
    /// Its name.
    pub name: String,
    /// All that it is to set, the most wanted first.
    pub circuits: Vec<Circuit>,
    /// Pairs of its ports that the previous configuration joined and this one does not.
    pub removed: Vec<[String; 2]>,
}

/// Two ports of a crosspoint, joined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "XFabricCircuit")]
pub struct Circuit {
    /// The crosspoint's.
    pub ports: [String; 2],
    /// Whose they are.
    pub socs: [String; 2],
    /// Which port of each.
    pub soc_ports: [u32; 2],
    /// What the two SoCs send each other, what one forwards to the other's uplink among it, in bytes.
    pub bytes: u64,
    /// In which turn the algorithm chose it, of all crosspoints, from 0.
    pub turn: u32,
    /// Was it not there before? True for all where there was nothing before.
    pub new: bool,
}

/// A cable between ports of two crosspoints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "XFabricFixedCircuit")]
pub struct Fixed {
    /// Whose ports it joins.
    pub socs: [String; 2],
    /// Which port of each.
    pub soc_ports: [u32; 2],
    /// Where these ports would hang.
    pub plugs: [Plug; 2],
}

/// An uplink and who uses it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "XFabricUplink")]
pub struct Uplink {
    /// From 0.
    pub uplink: u32,
    /// The SoC whose uplink port it is joined with.
    pub soc: String,
    /// Ports of the uplink crosspoint that are joined: SoCs have the first ones, by number, uplinks those after (§6.1).
    pub ports: [u32; 2],
    /// What goes through it both ways, in bytes.
    pub bytes: u64,
    /// Who reaches the world through it, its own SoC among them.
    pub used_by: Vec<String>,
}

/// A SoC's forwarding table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "XFabricForwarding")]
pub struct Forwarding {
    /// Whose.
    pub soc: String,
    /// Where traffic to the world goes; null without uplinks.
    pub gateway: Option<String>,
    /// By port: who is at the other end; null if nobody is.
    pub neighbours: Vec<Option<String>>,
    /// By destination, in the order of `socs`: ports that lead there by as few hops as can be.
    pub toward: Vec<Vec<u32>>,
}

/// What the topology does to the demand. Means are over bytes; null without such traffic, or if some of it has no path.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "XFabricSummary")]
pub struct Summary {
    /// Between SoCs.
    pub bytes: u64,
    /// From and to the world.
    pub uplink_bytes: u64,
    /// Circuits that crosspoints set.
    pub circuits: usize,
    /// Spanning trees that these are.
    pub trees: u32,
    /// Can all SoCs reach each other?
    pub connected: bool,
    /// The longest shortest path, in hops.
    pub diameter: Option<u32>,
    /// Hops between SoCs.
    pub path_length: Option<f64>,
    /// The same over a random graph of as many ports: what could be had without following demand.
    pub random_path_length: Option<f64>,
    /// The same over the previous configuration: what would be had without changing anything.
    pub previous_path_length: Option<f64>,
    /// Hops to and from uplinks.
    pub uplink_path_length: Option<f64>,
    /// Share of the bytes between SoCs that go over a single circuit.
    pub direct: Option<f64>,
    /// The most that this share can be with so many ports.
    pub direct_at_most: Option<f64>,
}

/// How many circuits are different.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "XFabricChanges")]
pub struct Changes {
    /// Of the previous configuration.
    pub version: u64,
    /// Set now and not before.
    pub added: usize,
    /// Set before and not now.
    pub removed: usize,
    /// Set before and now.
    pub kept: usize,
}

/// The demand in numbers of SoCs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "XFabricDemand")]
pub struct DemandRecord {
    /// From, to, bytes.
    pub inside: Vec<(u32, u32, u64)>,
    /// To the world, by SoC, in bytes.
    pub sent: Vec<u64>,
    /// From the world.
    pub received: Vec<u64>,
}
