//! A plan: AN3 beside ToR and aggregation switches, and what follows from its frames, its switches and its L0 network.

use super::cost::Design;
use super::{Input, NAME};
use crate::bill::{Missing, Unpriced, Uses, mixed_years};
use crate::book::Used;
use ::an3::frame::{CONTROL, DATA, SLOTS};
use ::an3::l0::{Distances, Network};
use ::an3::{Frame, ring, size};
use schemars::JsonSchema;
use serde::Serialize;
use topology::{An3, Shape};
use units::{Rate, Span};

/// What a link of an L1 switch carries (§3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "An3Frame")]
pub struct FrameTimes {
    /// Slots, each with a control cell and a data cell.
    pub slots: u32,
    /// A control cell.
    pub control_bytes: u64,
    /// A data cell.
    pub data_bytes: u64,
    /// A frame, with the rate as that of the payload.
    pub frame_ps: u64,
    /// What a slot of every frame carries of data.
    pub slot_bps: u64,
}

/// An L1 switch (§4).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "An3Switch")]
pub struct Switch {
    /// Ports.
    pub ports: u32,
    /// Line cards, and ringmasters.
    pub line_cards: u32,
    /// What its crossbar carries, both ways together.
    pub crossbar_bps: u64,
    /// Set-ups and tear-downs that its ring can process in a second, in closed form.
    pub requests_per_second: f64,
}

/// The fat-tree of 22 NICs (§5). Hops are links between NICs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "An3L0Network")]
pub struct L0 {
    /// NICs.
    pub nics: u32,
    /// Links of each to others.
    pub links_per_nic: u32,
    /// From a NIC to another, on average.
    pub mean_hops: f64,
    /// From a NIC to the nearest egress NIC, at most.
    pub egress_hops: u32,
    /// From a NIC to another, at most.
    pub most_hops: u32,
}

/// The largest network (§2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "An3Largest")]
pub struct Largest {
    /// Containers.
    pub containers: u32,
    /// L0 networks of each.
    pub networks: u32,
    /// Servers of each of these.
    pub hosts: u32,
    /// All servers.
    pub servers: u64,
    /// What links of L1 switches carry between two halves of the containers, one way.
    pub bisection_bps: u64,
}

/// AN3 beside ToR and aggregation switches.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "An3Plan")]
pub struct Plan {
    /// What was planned.
    #[schemars(extend("const" = NAME))]
    pub system: &'static str,
    /// Every setting, also those that were left out.
    pub input: Input,
    /// Servers below a ToR switch, and of an L0 network.
    pub servers_per_rack: f64,
    /// Links up of each; in AN3 those of its egress NICs.
    pub uplinks_per_rack: f64,
    /// AN3.
    pub an3: Design,
    /// ToR and aggregation switches.
    pub baseline: Design,
    /// What a port of the baseline costs over one of AN3; null where a price is missing.
    pub cheaper: Option<f64>,
    /// Frames.
    pub frame: FrameTimes,
    /// An L1 switch.
    pub switch: Switch,
    /// The paper's L0 network.
    pub l0: L0,
    /// The largest network.
    pub largest: Largest,
    /// Prices and powers that were used, with their dates and sources.
    pub prices: Vec<Used>,
    /// What a person should know before believing it.
    pub warnings: Vec<String>,
}

/// Plans both networks of `input`.
///
/// # Errors
/// A part has no price or power and `prices` is not none.
pub fn plan(input: &Input) -> Result<Plan, Unpriced> {
    let (mut uses, mut missing) = (Uses::new(), Missing::default());
    let an3 = Design::an3(input, &mut uses, &mut missing);
    let baseline = Design::baseline(input, &mut uses, &mut missing);
    missing.refuse(input.prices)?;
    let prices: Vec<Used> = uses.into_values().collect();
    let cheaper = baseline.cost.zip(an3.cost).map(|(baseline, an3)| baseline.port_usd / an3.port_usd);
    let mut warnings = warnings(input, &an3);
    warnings.extend(mixed_years(&prices));
    Ok(Plan {
        system: NAME,
        input: input.clone(),
        servers_per_rack: input.servers_per_rack(),
        uplinks_per_rack: input.servers_per_rack() / input.oversubscription,
        an3,
        baseline,
        cheaper: cheaper.filter(|ratio| ratio.is_finite()),
        frame: frame(input.rate),
        switch: Switch {
            ports: topology::L1_PORTS,
            line_cards: ring::RINGMASTERS,
            crossbar_bps: size::crossbar(input.rate),
            requests_per_second: size::requests_per_second(),
        },
        l0: l0(),
        largest: largest(input.rate),
        prices,
        warnings,
    })
}

fn frame(rate: Rate) -> FrameTimes {
    let frame = Frame::of(rate);
    FrameTimes {
        slots: SLOTS,
        control_bytes: CONTROL,
        data_bytes: DATA,
        frame_ps: frame.length().as_ps(),
        slot_bps: rate.as_bps() * DATA / (CONTROL + DATA) / u64::from(SLOTS),
    }
}

fn l0() -> L0 {
    let shape = Shape::An3(An3 { containers: 1, networks: 1, ..size::LARGEST });
    let topology = shape.build(Rate::from_gbps(10), Span::from_ns(100)).expect("the paper's L0 network");
    let network = Network::all(&topology).remove(0);
    let distances = Distances::new(&network.neighbours, |_, _| true);
    let nics = size::LARGEST.hosts;
    let hops = |from, to| distances.hops(from, to).expect("in one piece");
    let all = || (0..nics).flat_map(|from| (0..nics).map(move |to| hops(from, to)));
    let nearest = |from| network.egress.iter().map(|&egress| hops(from, egress)).min();
    L0 {
        nics,
        links_per_nic: network.neighbours[0].len() as u32,
        mean_hops: f64::from(all().sum::<u32>()) / f64::from(nics * (nics - 1)),
        egress_hops: (0..nics).filter_map(nearest).max().unwrap_or(0),
        most_hops: all().max().unwrap_or(0),
    }
}

fn largest(rate: Rate) -> Largest {
    let An3 { containers, networks, hosts, .. } = size::LARGEST;
    Largest {
        containers,
        networks,
        hosts,
        servers: size::servers(&size::LARGEST),
        bisection_bps: size::bisection(&size::LARGEST, rate).unwrap_or(0),
    }
}

fn warnings(input: &Input, an3: &Design) -> Vec<String> {
    let half = input.l1_ports / 2;
    let mut found = Vec::new();
    if an3.l1 > half + 1 {
        found.push(format!(
            "{} L1 switches cannot each have a link to every other: {half} ports of each lead to others; counts are Table 2's, with all ports in use",
            an3.l1
        ));
    }
    if input.servers > size::servers(&size::LARGEST) {
        found.push(format!(
            "servers = {}: the largest network of §2.2 has {}",
            input.servers,
            size::servers(&size::LARGEST)
        ));
    }
    found
}

#[cfg(test)]
mod tests;
