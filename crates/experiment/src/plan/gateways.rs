//! `[fabric.outside]` and `[fabric.gateways]`: a rack that is joined to an outside network.

use super::blame::Blame;
use super::topology::BuiltParts;
use super::{Refusal, fabric, shoal};
use crate::spec::{EthernetSpec, GatewaysSpec, ShoalSpec, SpreadingSpec};
use ::gateway::{Config, Spreading};
use units::Bytes;

/// A rack, what is outside it, and what joins them.
#[derive(Debug, Clone, PartialEq)]
pub struct GatewaysPlan {
    /// The rack.
    pub rack: ::shoal::Config,
    /// The network outside.
    pub outside: ::ethernet::Config,
    /// The gateways.
    pub gateways: Config,
}

impl GatewaysPlan {
    /// Strict priority classes that a packet keeps all the way.
    pub fn priorities(&self) -> u8 {
        self.rack.classes.min(self.outside.priorities)
    }
}

pub(super) fn check(spec: &ShoalSpec, parts: &BuiltParts, blame: &mut Blame<'_>) -> GatewaysPlan {
    let rack = shoal::check(spec, &parts.rack, blame);
    // What is not written at all is as large as the rack has it.
    let outside = spec.outside.clone().unwrap_or(EthernetSpec { mtu: spec.mtu, ..EthernetSpec::default() });
    let outside = fabric::ethernet(&outside, "fabric.outside", &parts.outside, blame);
    if outside.mtu != rack.mtu {
        blame.value("fabric.outside.mtu", Refusal::OtherMtu { rack: rack.mtu });
    }
    let gateways = gateways(&spec.gateways.clone().unwrap_or_default(), rack.mtu, blame);
    GatewaysPlan { rack, outside, gateways }
}

fn gateways(spec: &GatewaysSpec, mtu: Bytes, blame: &mut Blame<'_>) -> Config {
    let GatewaysSpec { buffer, ecn_threshold, spreading, failover } = *spec;
    if buffer < mtu {
        blame.value("fabric.gateways.buffer", Refusal::BufferTooSmall { packet: mtu });
    }
    if ecn_threshold.is_some_and(|threshold| threshold >= buffer) {
        blame.value("fabric.gateways.ecn_threshold", Refusal::ThresholdAboveGateway { buffer });
    }
    let spreading = match spreading {
        SpreadingSpec::Flow => Spreading::Flow,
        SpreadingSpec::Packet => Spreading::Packet,
    };
    Config { buffer, ecn_threshold, spreading, failover }
}

/// A rack by itself has no use for these.
pub(super) fn refuse(spec: &ShoalSpec, blame: &mut Blame<'_>) {
    for (key, is_written) in [("fabric.outside", spec.outside.is_some()), ("fabric.gateways", spec.gateways.is_some())]
    {
        if is_written {
            blame.value(key, Refusal::NothingOutside);
        }
    }
}
