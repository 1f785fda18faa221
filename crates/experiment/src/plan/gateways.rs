//! `[fabric.outside]` with `[fabric.gateways]` or `[fabric.uplinks]`: a rack that is joined to an outside network.

use super::blame::Blame;
use super::files::Folder;
use super::topology::BuiltParts;
use super::{Refusal, fabric, shoal, xfabric};
use crate::spec::{EthernetSpec, GatewaysSpec, ShoalSpec, SpreadingSpec, UplinksSpec, XFabricSpec};
use ::gateway::{Config, Spreading};
use units::Bytes;

/// A rack, what is outside it, and what joins them.
#[derive(Debug, Clone, PartialEq)]
pub struct GatewaysPlan {
    /// The rack.
    pub rack: RackPlan,
    /// The network outside.
    pub outside: ::ethernet::Config,
    /// The gateways: hosts of the rack, or the far ends of its uplinks.
    pub gateways: Config,
}

/// A rack that can be joined to an outside.
#[derive(Debug, Clone, PartialEq)]
pub enum RackPlan {
    /// Circuit switches on a static schedule.
    Shoal(::shoal::Config),
    /// A rack that re-cables itself.
    XFabric(::xfabric::network::Config),
}

impl RackPlan {
    /// Its kind, as experiment files have it.
    pub fn name(&self) -> &'static str {
        match self {
            RackPlan::Shoal(_) => "shoal",
            RackPlan::XFabric(_) => "xfabric",
        }
    }
    /// Largest packet, the transport's header included.
    pub fn mtu(&self) -> Bytes {
        match self {
            RackPlan::Shoal(config) => config.mtu,
            RackPlan::XFabric(config) => config.mtu,
        }
    }
    /// What joins it to its outside: a key of `[topology.outside]` and a table of `[fabric]`.
    pub(super) fn joined_by(&self) -> &'static str {
        match self {
            RackPlan::Shoal(_) => GATEWAYS,
            RackPlan::XFabric(_) => UPLINKS,
        }
    }
}

impl GatewaysPlan {
    /// Strict priority classes that a packet keeps all the way.
    pub fn priorities(&self) -> u8 {
        match &self.rack {
            RackPlan::Shoal(config) => config.classes.min(self.outside.priorities),
            RackPlan::XFabric(_) => 1,
        }
    }
}

const GATEWAYS: &str = "gateways";
const UPLINKS: &str = "uplinks";

pub(super) fn check_shoal(spec: &ShoalSpec, parts: &BuiltParts, blame: &mut Blame<'_>) -> Option<GatewaysPlan> {
    if parts.joined.has_uplinks() {
        let refusal = Refusal::JoinedOtherwise { fabric: "shoal", by: GATEWAYS, count: parts.joined.gateways };
        blame.value("topology.outside.uplinks", refusal);
        return None;
    }
    let rack = RackPlan::Shoal(shoal::check(spec, &parts.rack, blame));
    let outside = outside(spec.outside.as_ref(), spec.mtu, &rack, parts, blame);
    let GatewaysSpec { buffer, ecn_threshold, spreading, failover } = spec.gateways.clone().unwrap_or_default();
    check_buffer(&rack, buffer, ecn_threshold, blame);
    let spreading = match spreading {
        SpreadingSpec::Flow => Spreading::Flow,
        SpreadingSpec::Packet => Spreading::Packet,
    };
    Some(GatewaysPlan { rack, outside, gateways: Config { buffer, ecn_threshold, spreading, failover } })
}

pub(super) fn check_xfabric(
    spec: &XFabricSpec,
    parts: &BuiltParts,
    folder: &Folder,
    blame: &mut Blame<'_>,
) -> Option<GatewaysPlan> {
    let count = parts.joined.gateways;
    if !parts.joined.has_uplinks() {
        let refusal = Refusal::JoinedOtherwise { fabric: "xfabric", by: UPLINKS, count };
        blame.value("topology.outside.gateways", refusal);
        return None;
    }
    let rack = RackPlan::XFabric(xfabric::check(spec, (&parts.rack, count), folder, blame));
    let outside = outside(spec.outside.as_deref(), spec.mtu, &rack, parts, blame);
    let UplinksSpec { buffer, ecn_threshold } = spec.uplinks.clone().unwrap_or_default();
    check_buffer(&rack, buffer, ecn_threshold, blame);
    Some(GatewaysPlan { rack, outside, gateways: Config { buffer, ecn_threshold, ..Config::default() } })
}

/// The Ethernet outside. What is not written at all is as large as the rack has it.
fn outside(
    spec: Option<&EthernetSpec>,
    mtu: Bytes,
    rack: &RackPlan,
    parts: &BuiltParts,
    blame: &mut Blame<'_>,
) -> ::ethernet::Config {
    let spec = spec.cloned().unwrap_or(EthernetSpec { mtu, ..EthernetSpec::default() });
    let outside = fabric::ethernet(&spec, "fabric.outside", &parts.outside, blame);
    if outside.trim.is_some() {
        blame.value("fabric.outside.trimming", Refusal::TrimmingOutside);
    }
    if outside.mtu != rack.mtu() {
        blame.value("fabric.outside.mtu", Refusal::OtherMtu { rack: rack.mtu() });
    }
    outside
}

fn check_buffer(rack: &RackPlan, buffer: Bytes, ecn_threshold: Option<Bytes>, blame: &mut Blame<'_>) {
    let table = rack.joined_by();
    if buffer < rack.mtu() {
        blame.value(&format!("fabric.{table}.buffer"), Refusal::BufferTooSmall { packet: rack.mtu() });
    }
    if ecn_threshold.is_some_and(|threshold| threshold >= buffer) {
        blame.value(&format!("fabric.{table}.ecn_threshold"), Refusal::ThresholdAboveGateway { table, buffer });
    }
}

/// A rack by itself has no use for these.
pub(super) fn refuse_shoal(spec: &ShoalSpec, blame: &mut Blame<'_>) {
    refuse(GATEWAYS, [spec.outside.is_some(), spec.gateways.is_some()], blame);
}
/// The same of an XFabric rack.
pub(super) fn refuse_xfabric(spec: &XFabricSpec, blame: &mut Blame<'_>) {
    refuse(UPLINKS, [spec.outside.is_some(), spec.uplinks.is_some()], blame);
}

fn refuse(by: &'static str, are_written: [bool; 2], blame: &mut Blame<'_>) {
    for (table, _) in ["outside", by].into_iter().zip(are_written).filter(|(_, is_written)| *is_written) {
        blame.value(&format!("fabric.{table}"), Refusal::NothingOutside { by });
    }
}
