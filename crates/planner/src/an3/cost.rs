//! Devices and links of the two networks, what they cost and what they draw (§7).

use super::{Input, float, nearest};
use crate::bill::{Bill, Missing, Uses};
use crate::book::Part;
use schemars::JsonSchema;
use serde::Serialize;

/// Links, each in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "An3Links")]
pub struct Links {
    /// Between NICs of an L0 network: two for each NIC, which has four ports.
    pub sata: u64,
    /// From servers to ToR switches.
    pub copper: u64,
    /// From ToR to aggregation switches, or from egress NICs to L1 switches.
    pub up: u64,
    /// Between L1 switches.
    pub between: u64,
}

/// What a network costs, by part, in USD.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "An3Cost")]
pub struct Cost {
    /// NICs.
    pub nics_usd: f64,
    /// Switches of all kinds.
    pub switches_usd: f64,
    /// Cables and transceivers.
    pub links_usd: f64,
    /// What it costs once to design the parts.
    pub design_usd: f64,
    /// All of it.
    pub total_usd: f64,
    /// For each server, which has one port.
    pub port_usd: f64,
}

/// What a network draws, in W.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "An3Power")]
pub struct Power {
    /// NICs.
    pub nics_w: f64,
    /// Switches of all kinds.
    pub switches_w: f64,
    /// Both.
    pub total_w: f64,
}

/// One of the two networks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "An3Design")]
pub struct Design {
    /// Tiers of switches.
    pub tiers: u64,
    /// NICs, one a server.
    pub nics: u64,
    /// ToR switches; none in AN3.
    pub tors: u64,
    /// Aggregation switches; none in AN3.
    pub aggregations: u64,
    /// L1 switches; none in the network beside it.
    pub l1: u64,
    /// Links.
    pub links: Links,
    /// What links up carry from half of the racks, one way.
    pub bisection_bps: u64,
    /// What it draws; null where a power is missing.
    pub power: Option<Power>,
    /// What it costs; null where a price is missing.
    pub cost: Option<Cost>,
}

/// A price for the book: how many pieces, and for what share of it.
type Priced = (f64, f64, Part);

impl Design {
    /// The network of ToR and aggregation switches (Fig. 1), without what is above.
    pub fn baseline(input: &Input, uses: &mut Uses, missing: &mut Missing) -> Design {
        let servers = float(input.servers);
        let tors = nearest(servers / input.servers_per_rack());
        let aggregations = nearest(input.uplinks() / float(input.switch_ports));
        let up = nearest(input.uplinks());
        let links = Links { sata: 0, copper: input.servers, up, between: 0 };
        let pays = 1.0 - input.discount;
        let counts = Design::counts(input, 2, links);
        let design = Design { tors, aggregations, ..counts };
        let switches = float(tors + aggregations);
        design.priced(
            input,
            uses,
            missing,
            [(servers, pays, Part::Nic), (switches, pays, Part::AccessSwitch)],
            &[(servers, Part::CopperCable), (2.0 * float(up), Part::OpticalPort)],
            &[],
        )
    }

    /// AN3, with as many servers in an L0 network as below a ToR switch, and as many links up.
    pub fn an3(input: &Input, uses: &mut Uses, missing: &mut Missing) -> Design {
        let half = input.l1_ports / 2;
        let l1 = nearest(input.uplinks() / float(half)).max(1);
        let up = nearest(input.uplinks());
        // Each of these links has a port at both ends, and one switch alone has none.
        let between = if l1 > 1 { l1 * half / 2 } else { 0 };
        let links = Links { sata: 2 * input.servers, copper: 0, up, between };
        let design = Design { l1, ..Design::counts(input, 1, links) };
        let [nic, nic_design] = input.nic.parts();
        let ends = 2.0 * float(links.up + links.between);
        design.priced(
            input,
            uses,
            missing,
            [(float(input.servers), 1.0, nic), (float(l1), 1.0, Part::An3Switch)],
            &[(float(links.sata), Part::SataCable), (ends, Part::OpticalPort)],
            &[nic_design, Part::An3SwitchDesign],
        )
    }

    fn counts(input: &Input, tiers: u64, links: Links) -> Design {
        let bisection_bps = (links.up / 2).saturating_mul(input.rate.as_bps());
        let nics = input.servers;
        Design { tiers, nics, tors: 0, aggregations: 0, l1: 0, links, bisection_bps, power: None, cost: None }
    }

    fn priced(
        self,
        input: &Input,
        uses: &mut Uses,
        missing: &mut Missing,
        [nics, switches]: [Priced; 2],
        links: &[(f64, Part)],
        designs: &[Part],
    ) -> Design {
        let mut bill = Bill::new(&input.book, uses);
        let item = |part| (part, None);
        let nics_usd = nics.1 * bill.usd(nics.0, item(nics.2));
        let switches_usd = switches.1 * bill.usd(switches.0, item(switches.2));
        let links_usd: f64 = links.iter().map(|&(count, part)| bill.usd(count, item(part))).sum();
        // Not `sum`, which is -0.0 for none.
        let design_usd = designs.iter().fold(0.0, |sum, &part| sum + bill.usd(1.0, item(part)));
        let total_usd = nics_usd + switches_usd + links_usd + design_usd;
        let cost = Cost {
            nics_usd,
            switches_usd,
            links_usd,
            design_usd,
            total_usd,
            port_usd: total_usd / float(input.servers),
        };
        let (nics_w, switches_w) = (bill.w(nics.0, item(nics.2)), bill.w(switches.0, item(switches.2)));
        let power = Power { nics_w, switches_w, total_w: nics_w + switches_w };
        let lacks = bill.missing();
        let found =
            Design { power: lacks.has_powers().then_some(power), cost: lacks.has_prices().then_some(cost), ..self };
        missing.add(lacks);
        found
    }
}
