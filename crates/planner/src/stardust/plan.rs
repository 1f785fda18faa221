//! A plan: Stardust for so many hosts, beside fat-trees of ordinary switches with each bundle.

mod design;
mod fabric;

pub use design::{Design, Kind, Limit};
pub use fabric::{Fabric, PacketRate, Queues};

use super::table2::{self, Row};
use super::{Impossible, Input, NAME};
use serde::Serialize;

/// Everything that follows from an [`Input`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    /// What was planned.
    pub system: &'static str,
    /// From what.
    pub input: Input,
    /// Stardust first, then a fat-tree for each bundle.
    pub designs: Vec<Design>,
    /// What is Stardust's own: credits, VOQs, queues, recovery.
    pub fabric: Fabric,
    /// Table 2 of the paper, as printed and as built. The same for every input.
    pub table2: Vec<Row>,
    /// What a person should know before believing it.
    pub warnings: Vec<String>,
}

/// Plans the network of `input`.
///
/// # Errors
/// Such devices cannot be joined to such a network.
pub fn plan(input: &Input) -> Result<Plan, Impossible> {
    let stardust = Design::new(input, Kind::Stardust, 1)?;
    let mut designs = vec![stardust];
    for &bundle in &input.bundles {
        designs.push(Design::new(input, Kind::FatTree, bundle)?);
    }
    let fabric = Fabric::new(input, &designs[0]);
    let warnings = warnings(input, &designs, &fabric);
    Ok(Plan { system: NAME, input: input.clone(), designs, fabric, table2: table2::rows(), warnings })
}

fn warnings(input: &Input, designs: &[Design], fabric: &Fabric) -> Vec<String> {
    let mut found = Vec::new();
    let hosts = u128::from(input.hosts_per_adapter) * u128::from(input.host_rate.as_bps());
    let edges = [(input.adapter_bandwidth, "adapter_bandwidth"), (input.switch_bandwidth, "switch_bandwidth")];
    for (design, (room, key)) in designs.iter().zip(edges) {
        let wanted = hosts + u128::from(design.uplinks) * u128::from(design.port_rate_bps);
        if wanted > u128::from(room.as_bps()) {
            let wanted = units::Rate::from_bps(u64::try_from(wanted).unwrap_or(u64::MAX));
            found.push(format!(
                "{}: hosts and uplinks of an edge device take {wanted}, and {key} is {room}: fewer hosts_per_adapter, or \
                 more oversubscription",
                design.name
            ));
        }
    }
    if input.credit < fabric.minimum_credit {
        found.push(format!(
            "credit = {}: with less than {} the scheduler cannot keep an adapter of {} busy (§4.1)",
            input.credit, fabric.minimum_credit, input.adapter_bandwidth
        ));
    }
    for design in designs {
        if let Some(missing) = &design.cost_missing {
            found.push(format!("{}: no cost: {missing}", design.name));
        }
    }
    found
}

#[cfg(test)]
mod tests;
