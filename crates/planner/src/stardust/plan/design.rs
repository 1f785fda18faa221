//! One way to build the network.

use super::super::cost::{Cost, Parts, cheapest};
use super::super::size::{FatTree, Regular, Tier};
use super::super::{Counting, Impossible, Input, Optics, device, recovery, silicon};
use crate::bill::{Missing, Uses};
use schemars::JsonSchema;
use serde::Serialize;
use units::Rate;

/// Tiers for which a design says how many hosts they could join.
const LIMITS: u32 = 4;

/// Cells or packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "StardustDesignKind")]
pub enum Kind {
    /// Fabric Adapters and Fabric Elements.
    Stardust,
    /// ToRs and ordinary switches.
    FatTree,
}

/// How many hosts a number of tiers can join.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "StardustLimit")]
pub struct Limit {
    /// n.
    pub tiers: u32,
    /// The most hosts.
    pub hosts: u128,
}

/// One tier of a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "StardustLevel")]
pub struct Level {
    /// Devices in it.
    pub elements: u128,
    /// Bundles below it.
    pub bundles: u128,
    /// Serial links below it.
    pub links: u128,
    /// Cables below it, each with two transceivers.
    pub cables: u128,
    /// Whether those are long: of the last tier of several.
    pub far: bool,
}

/// One way to build the network: Stardust, or a fat-tree of ordinary switches with bundles of so many links.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "StardustDesign")]
pub struct Design {
    /// What a person calls it.
    pub name: String,
    /// Cells or packets.
    pub kind: Kind,
    /// l, serial links in a bundle.
    pub bundle: u64,
    /// Rate of a port: of a bundle.
    pub port_rate_bps: u64,
    /// k, ports of a device in the fabric.
    pub radix: u64,
    /// t, ports up of an adapter or ToR.
    pub uplinks: u64,
    /// Bandwidth of an adapter's uplinks over that of its hosts (fs).
    pub speed_up: f64,
    /// n; 0 where one adapter has all the hosts.
    pub tiers: u32,
    /// Most hosts with 1 to 4 tiers.
    pub limits: Vec<Limit>,
    /// Fabric Adapters or ToRs.
    pub adapters: u128,
    /// Fabric Elements or switches.
    pub elements: u128,
    /// Those that have the ports (App. A).
    pub elements_by_ports: u128,
    /// Those that a regular pattern takes; null with more than four tiers.
    pub elements_regular: Option<u128>,
    /// Adapters and elements.
    pub devices: u128,
    /// From the first tier to the last.
    pub levels: Vec<Level>,
    /// Serial links in the fabric; those to hosts are not counted.
    pub links: u128,
    /// Serial links in the fabric per adapter: n t l in a full one.
    pub links_per_adapter: f64,
    /// Cables in the fabric.
    pub cables: u128,
    /// Transceivers in the fabric.
    pub transceivers: u128,
    /// Silicon of adapters and elements, in ToRs.
    pub area: silicon::Sum,
    /// Power of devices and of the fabric's transceivers, in W; null where one is not known.
    pub power: Option<silicon::Sum>,
    /// What it costs, in USD; null where a price is missing.
    pub cost: Option<Cost>,
    /// The sum of it.
    pub cost_usd: Option<f64>,
    /// Which prices or powers are missing; never any unless `prices` is none.
    pub cost_missing: Option<String>,
    /// Bits of the look-up table in a device of the fabric (App. C).
    pub table_bits: u128,
    /// Capacity that goes with one serial link that fails (§5.9).
    pub link_failure_bps: u64,
}

impl Design {
    /// The network of `input`, with bundles of `bundle` links.
    ///
    /// # Errors
    /// Devices have too few ports, an edge device has more hosts than fit, or no number of tiers joins so many hosts.
    pub(super) fn new(
        input: &Input,
        kind: Kind,
        bundle: u64,
        uses: &mut Uses,
        missing: &mut Missing,
    ) -> Result<Design, Impossible> {
        let port_rate = Rate::from_bps(input.link_rate.as_bps().saturating_mul(bundle));
        let tree = tree(input, kind, bundle, port_rate)?;
        let adapters = u128::from(input.hosts.div_ceil(input.hosts_per_adapter));
        edge_fits(input, kind, port_rate, if adapters > 1 { tree.uplinks() } else { 0 })?;
        let tiers = tree.tiers(adapters).ok_or_else(|| Impossible::Hosts {
            hosts: input.hosts,
            radix: tree.radix(),
            down: tree.down(),
            most: tree.tors(LIMITS).saturating_mul(u128::from(input.hosts_per_adapter)),
        })?;
        let ports = tree.by_ports(adapters, tiers);
        let regular = match tiers {
            0 => Some(Vec::new()),
            1..=LIMITS => Regular::new(tree, adapters, tiers).map(|found| found.tiers),
            _ => None,
        };
        let sum = |tiers: &[Tier]| tiers.iter().map(|tier| tier.elements).sum();
        let (elements_by_ports, elements_regular) = (sum(&ports), regular.as_deref().map(sum));
        let counted = match input.counting {
            Counting::Ports => ports,
            Counting::Regular => regular.ok_or(Impossible::Regular { bundle, tiers, most: LIMITS })?,
        };
        let levels = levels(input, kind, bundle, port_rate, &counted);
        let elements = sum(&counted);
        let links: u128 = levels.iter().map(|level| level.links).sum();
        let cables: u128 = levels.iter().map(|level| level.cables).sum();
        let (area_ratio, power_ratio) = match kind {
            Kind::Stardust => {
                let scale = ratio(input.element_bandwidth, input.switch_bandwidth);
                (input.element_area * scale, input.element_power * scale)
            }
            Kind::FatTree => (1.0, 1.0),
        };
        let parts = parts(input, kind, adapters, port_rate, power_ratio, &levels);
        let (cost, power, lacks) = parts.sums(&input.book, uses);
        let (cost, power) = (lacks.has_prices().then_some(cost), lacks.has_powers().then_some(power));
        let cost_missing = lacks.told();
        missing.add(lacks);
        let table_bits = match kind {
            Kind::Stardust => device::element_table_bits(u64::try_from(adapters).unwrap_or(u64::MAX), tree.radix()),
            Kind::FatTree => device::forwarding_table_bits(input.hosts, tree.radix()),
        };
        let hosts_bps = float(input.hosts_per_adapter.into()) * float(input.host_rate.as_bps().into());
        Ok(Design {
            name: match kind {
                Kind::Stardust => "Stardust".to_owned(),
                Kind::FatTree => format!("fat-tree {bundle} x {}", input.link_rate),
            },
            kind,
            bundle,
            port_rate_bps: port_rate.as_bps(),
            radix: tree.radix(),
            uplinks: tree.uplinks(),
            speed_up: float(tree.uplinks().into()) * float(port_rate.as_bps().into()) / hosts_bps,
            tiers,
            limits: (1..=LIMITS)
                .map(|tiers| Limit {
                    tiers,
                    hosts: tree.tors(tiers).saturating_mul(u128::from(input.hosts_per_adapter)),
                })
                .collect(),
            adapters,
            elements,
            elements_by_ports,
            elements_regular,
            devices: adapters + elements,
            links,
            links_per_adapter: float(links) / float(adapters),
            cables,
            transceivers: 2 * cables,
            area: silicon::sum(adapters, elements, area_ratio),
            power,
            cost_usd: cost.as_ref().map(Cost::total_usd),
            cost,
            cost_missing,
            table_bits,
            link_failure_bps: recovery::link_failure(input.link_rate, bundle).as_bps(),
            levels,
        })
    }
}

/// The fat-tree's parameters. Without oversubscription a port that has no partner stays free.
fn tree(input: &Input, kind: Kind, bundle: u64, port_rate: Rate) -> Result<FatTree, Impossible> {
    let (bandwidth, key) = match kind {
        Kind::Stardust => (input.element_bandwidth, "element_bandwidth"),
        Kind::FatTree => (input.switch_bandwidth, "switch_bandwidth"),
    };
    let ports = (bandwidth.as_bps() / port_rate.as_bps()).min(1 << 20);
    let halves = input.fabric_oversubscription <= 1.0;
    let radix = if halves { ports - ports % 2 } else { ports };
    if radix < 2 {
        return Err(Impossible::Ports { bundle, bandwidth, link: input.link_rate, ports, key });
    }
    let up = if halves { radix / 2 } else { whole(float(radix.into()) / (1.0 + input.fabric_oversubscription)).max(1) };
    let hosts = float(input.hosts_per_adapter.into()) * float(input.host_rate.as_bps().into());
    let wanted = hosts / input.oversubscription / float(port_rate.as_bps().into());
    // A quotient that is whole but for rounding is whole.
    let uplinks = whole((wanted - 1e-9).ceil()).max(1);
    Ok(FatTree::new(radix, uplinks, up))
}

/// The tiers, with their cables.
fn levels(input: &Input, kind: Kind, bundle: u64, port_rate: Rate, counted: &[Tier]) -> Vec<Level> {
    let last = counted.len();
    let level = |(place, tier): (usize, &Tier)| {
        let far = last > 1 && place + 1 == last;
        let carried = bundles_a_cable(input, kind, port_rate, far);
        Level {
            elements: tier.elements,
            bundles: tier.bundles,
            links: tier.bundles * u128::from(bundle),
            cables: tier.bundles.div_ceil(u128::from(carried)),
            far,
        }
    };
    counted.iter().enumerate().map(level).collect()
}

/// How many of a tier's bundles share a cable and its transceivers.
fn bundles_a_cable(input: &Input, kind: Kind, port_rate: Rate, far: bool) -> u64 {
    match (kind, input.optics) {
        (Kind::Stardust, Optics::Cheapest) => cheapest(&input.book, port_rate, far).unwrap_or(1),
        (Kind::Stardust, Optics::Single) | (Kind::FatTree, _) => 1,
    }
}

/// Everything that is bought for it.
fn parts(input: &Input, kind: Kind, adapters: u128, port_rate: Rate, element_w: f64, levels: &[Level]) -> Parts {
    let of = |level: &Level| {
        let carried = bundles_a_cable(input, kind, port_rate, level.far);
        (float(level.cables), Rate::from_bps(port_rate.as_bps().saturating_mul(carried)), level.far)
    };
    Parts {
        adapters: float(adapters),
        adapter: edge(input, kind).1,
        elements: float(levels.iter().map(|level| level.elements).sum()),
        switch: input.switch_bandwidth,
        element_usd: match kind {
            Kind::Stardust => input.price_element_ratio * ratio(input.element_bandwidth, input.switch_bandwidth),
            Kind::FatTree => 1.0,
        },
        element_w,
        hosts: float(input.hosts.into()),
        host: input.host_rate,
        tiers: levels.iter().map(of).collect(),
    }
}

/// The edge device's bandwidth, and the setting that says it.
const fn edge(input: &Input, kind: Kind) -> (&'static str, Rate) {
    match kind {
        Kind::Stardust => ("adapter_bandwidth", input.adapter_bandwidth),
        Kind::FatTree => ("switch_bandwidth", input.switch_bandwidth),
    }
}

/// Whether an edge device has the bandwidth for its hosts and uplinks.
fn edge_fits(input: &Input, kind: Kind, port: Rate, uplinks: u64) -> Result<(), Impossible> {
    let (edge, bandwidth) = edge(input, kind);
    let hosts = input.hosts_per_adapter.min(input.hosts);
    let (host, room) = (u128::from(input.host_rate.as_bps()), u128::from(bandwidth.as_bps()));
    let wanted = u128::from(hosts) * host + u128::from(uplinks) * u128::from(port.as_bps());
    if wanted <= room {
        return Ok(());
    }
    // With n hosts the uplinks take n host / oversubscription, rounded up to whole ports.
    let up = |hosts: u128| {
        let wanted = float(hosts * host) / input.oversubscription / float(port.as_bps().into());
        if uplinks == 0 { 0 } else { u128::from(whole((wanted - 1e-9).ceil()).max(1)) * u128::from(port.as_bps()) }
    };
    let fits = (1..=u128::from(hosts)).rev().find(|hosts| hosts * host + up(*hosts) <= room);
    let raise = if edge == "adapter_bandwidth" && input.adapter_bandwidth == input.switch_bandwidth {
        "`switch_bandwidth`".to_owned()
    } else {
        format!("`{edge}`")
    };
    let cure = match fits {
        Some(most) => format!("lower `hosts_per_adapter` to {most}, or raise {raise} or `oversubscription`"),
        None => format!("raise {raise}: not one such host and its uplinks fit"),
    };
    let load = match uplinks {
        0 => format!("hosts_per_adapter x host_rate, {hosts} x {},", input.host_rate),
        _ => format!("{hosts} x {} to hosts and {uplinks} x {port} of uplinks", input.host_rate),
    };
    let wanted = Rate::from_bps(u64::try_from(wanted).unwrap_or(u64::MAX));
    Err(Impossible::Edge { edge, bandwidth, load, wanted, cure })
}

fn ratio(part: Rate, of: Rate) -> f64 {
    float(part.as_bps().into()) / float(of.as_bps().into())
}

#[expect(clippy::cast_precision_loss, reason = "counts and rates of networks are far below 2^53")]
fn float(number: u128) -> f64 {
    number as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and cut off on purpose")]
fn whole(number: f64) -> u64 {
    number as u64
}
