//! A plan: Stardust for so many hosts, beside fat-trees of ordinary switches with each bundle.

mod design;
mod fabric;

pub use design::{Design, Kind, Limit};
pub use fabric::{Fabric, PacketRate, Queues};

use super::table2::{self, Row};
use super::{Impossible, Input, NAME};
use crate::bill::{Missing, Uses, mixed_years};
use crate::book::Used;
use schemars::JsonSchema;
use serde::Serialize;
use units::Rate;

/// Stardust beside fat-trees, for the same hosts.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "StardustPlan")]
pub struct Plan {
    /// What was planned.
    #[schemars(extend("const" = NAME))]
    pub system: &'static str,
    /// Every setting, also those that were left out.
    pub input: Input,
    /// Stardust first, then a fat-tree for each bundle.
    pub designs: Vec<Design>,
    /// What is Stardust's own: credits, VOQs, queues, recovery.
    pub fabric: Fabric,
    /// Prices and powers that were used, with their dates and sources.
    pub prices: Vec<Used>,
    /// Table 2 of the paper, as printed and as built. The same for every input.
    pub table2: Vec<Row>,
    /// What a person should know before believing it.
    pub warnings: Vec<String>,
}

/// Plans the network of `input`.
///
/// # Errors
/// Such devices cannot be joined to such a network, or a part has no price or power and `prices` is not none.
pub fn plan(input: &Input) -> Result<Plan, Impossible> {
    let (mut uses, mut missing) = (Uses::new(), Missing::default());
    let mut designs = vec![Design::new(input, Kind::Stardust, 1, &mut uses, &mut missing)?];
    for &bundle in &input.bundles {
        designs.push(Design::new(input, Kind::FatTree, bundle, &mut uses, &mut missing)?);
    }
    missing.refuse(input.prices)?;
    let fabric = Fabric::new(input, &designs[0]);
    let prices: Vec<Used> = uses.into_values().collect();
    let mut warnings = warnings(input, &designs, &fabric);
    warnings.extend(mixed_years(&prices));
    Ok(Plan { system: NAME, input: input.clone(), designs, fabric, prices, table2: table2::rows(), warnings })
}

fn warnings(input: &Input, designs: &[Design], fabric: &Fabric) -> Vec<String> {
    let mut found = Vec::new();
    if input.credit < fabric.minimum_credit {
        found.push(format!(
            "credit = {}: with less than {} the scheduler cannot keep an adapter of {} busy (§4.1)",
            input.credit, fabric.minimum_credit, input.adapter_bandwidth
        ));
    }
    let mut left_over = |key: &str, bandwidth: Rate, port: u64| {
        let rest = bandwidth.as_bps() % port;
        if rest > 0 {
            found.push(format!(
                "{key} = {bandwidth}: no whole number of ports of {}; {} of each device stay unused",
                Rate::from_bps(port),
                Rate::from_bps(rest)
            ));
        }
    };
    left_over("element_bandwidth", input.element_bandwidth, designs[0].port_rate_bps);
    for design in &designs[1..] {
        left_over("switch_bandwidth", input.switch_bandwidth, design.port_rate_bps);
    }
    found
}

#[cfg(test)]
mod tests;
