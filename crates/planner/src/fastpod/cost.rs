//! Switches, links, what they cost and draw, and how much silicon they are: pods of switches without buffers, or the same of buffered ones.

use super::{Input, float};
use crate::bill::{Bill, Missing, Uses};
use crate::book::{Book, Part};
use schemars::JsonSchema;
use serde::Serialize;
use units::Rate;

/// Switches of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "FastpodSwitches")]
pub struct Switches {
    /// How many there are, in all pods.
    pub count: u64,
    /// Ports of each.
    pub ports: u64,
    /// Bandwidth of each, over all its ports.
    pub bandwidth_bps: u64,
}

impl Switches {
    fn new(count: u64, ports: u64, rate: Rate) -> Switches {
        Switches { count, ports, bandwidth_bps: rate.as_bps().saturating_mul(ports) }
    }

    fn bandwidth(&self) -> Rate {
        Rate::from_bps(self.bandwidth_bps)
    }
}

/// Links, each in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "FastpodLinks")]
pub struct Links {
    /// To hosts.
    pub hosts: u64,
    /// Between ToR and aggregation switches.
    pub racks: u64,
    /// Between aggregation and core switches.
    pub cores: u64,
    /// Between ToR switches and arbiters.
    pub arbiters: u64,
}

/// What a network costs, by part, in USD.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FastpodCost")]
pub struct Cost {
    /// Switches of all kinds.
    pub switches_usd: f64,
    /// Cables to hosts.
    pub host_cables_usd: f64,
    /// Transceivers, two a link between switches or to an arbiter.
    pub transceivers_usd: f64,
    /// Fibres, one for each of these links.
    pub fibres_usd: f64,
    /// Arbiters, if they have a price.
    pub arbiters_usd: f64,
    /// All of it.
    pub total_usd: f64,
}

/// What a network draws, in W.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FastpodPower")]
pub struct Power {
    /// Switches of all kinds.
    pub switches_w: f64,
    /// Transceivers.
    pub transceivers_w: f64,
    /// Arbiters, if their power is known.
    pub arbiters_w: f64,
    /// All of it.
    pub total_w: f64,
}

/// One of the two networks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FastpodDesign")]
pub struct Design {
    /// ToR switches.
    pub tors: Switches,
    /// Aggregation switches.
    pub aggregations: Switches,
    /// Core switches, which are buffered in both networks; none for one pod.
    pub cores: Switches,
    /// All switches.
    pub switches: u64,
    /// Links.
    pub links: Links,
    /// Transceivers.
    pub transceivers: u64,
    /// Silicon of all switches: what buffered switches have for so many Tb/s.
    pub area_tbps: f64,
    /// What it draws; null where a power is missing.
    pub power: Option<Power>,
    /// What it costs; null where a price is missing.
    pub cost: Option<Cost>,
}

impl Design {
    /// Devices and links of pods, without buffers or with, at the prices of `book`; what that lacks goes into `missing`.
    pub fn new(input: &Input, zero_buffer: bool, book: &mut Book, uses: &mut Uses, missing: &mut Missing) -> Design {
        let (pods, racks, uplinks) = (input.pods, input.racks, input.uplinks);
        let arbiters = if zero_buffer { input.arbiters } else { 0 };
        let above = if pods > 1 { input.cores_per_plane } else { 0 };
        let tors = Switches::new(pods * racks, input.hosts_per_rack + uplinks + arbiters, input.rate);
        let aggregations = Switches::new(pods * uplinks, racks + above, input.rate);
        let cores = Switches::new(uplinks * above, if above > 0 { pods } else { 0 }, input.rate);
        let links = Links {
            hosts: pods * input.hosts(),
            racks: pods * racks * uplinks,
            cores: pods * uplinks * above,
            arbiters: pods * racks * arbiters,
        };
        let ratios = |zero: f64| if zero_buffer { zero } else { 1.0 };
        let area = |of: Switches| float(of.count) * float(of.bandwidth_bps) / 1e12;
        let inside = [tors, aggregations];
        let kinds = [tors, aggregations, cores];
        for of in kinds.into_iter().filter(|of| of.count > 0) {
            book.fill(Part::Switch, of.bandwidth());
        }
        let mut bill = Bill::new(book, uses);
        let item = |of: Switches| (Part::Switch, Some(of.bandwidth()));
        let transceiver = (Part::Transceiver, Some(input.rate));
        let near = links.racks + links.arbiters;
        let transceivers = 2 * (near + links.cores);
        let zero_usd = ratios(input.price_zero_buffer_ratio);
        let switches_usd = zero_usd * inside.into_iter().map(|of| bill.usd(float(of.count), item(of))).sum::<f64>()
            + bill.usd(float(cores.count), item(cores));
        let zero_w = ratios(input.zero_buffer_power);
        let switches_w = zero_w * inside.into_iter().map(|of| bill.w(float(of.count), item(of))).sum::<f64>()
            + bill.w(float(cores.count), item(cores));
        let host_cables_usd = bill.usd(float(links.hosts), (Part::HostCable, Some(input.rate)));
        let transceivers_usd = bill.usd(float(transceivers), transceiver);
        let transceivers_w = bill.w(float(transceivers), transceiver);
        let fibres_usd =
            bill.usd(float(near), (Part::FibreNear, None)) + bill.usd(float(links.cores), (Part::FibreFar, None));
        let machines = float(pods * arbiters);
        let arbiters_usd = machines * input.price_arbiter.unwrap_or(0.0);
        let arbiters_w = machines * input.arbiter_power_w.unwrap_or(0.0);
        let total_usd = switches_usd + host_cables_usd + transceivers_usd + fibres_usd + arbiters_usd;
        let total_w = switches_w + transceivers_w + arbiters_w;
        let lacks = bill.missing();
        let cost = Cost { switches_usd, host_cables_usd, transceivers_usd, fibres_usd, arbiters_usd, total_usd };
        let power = Power { switches_w, transceivers_w, arbiters_w, total_w };
        let found = Design {
            tors,
            aggregations,
            cores,
            switches: kinds.into_iter().map(|of| of.count).sum(),
            links,
            transceivers,
            area_tbps: ratios(input.zero_buffer_area) * inside.into_iter().map(area).sum::<f64>() + area(cores),
            power: lacks.has_powers().then_some(power),
            cost: lacks.has_prices().then_some(cost),
        };
        missing.add(lacks);
        found
    }
}
