//! Power of a rack's network (§5, App. B).

use super::float;
use schemars::JsonSchema;
use serde::Serialize;
use units::Rate;

/// What a typical NIC of 100 Gb/s draws, in W (§5).
pub const NIC_TODAY_W: f64 = 12.4;
/// By how much a NIC on the node's own chip draws less (§5).
pub const INTEGRATION: f64 = 10.0;
/// What routing and congestion control add to a NIC (App. B).
pub const SHOAL_LOGIC: f64 = 0.11;

/// What a NIC on the node's chip draws, in W to four digits: half as much at half the rate (§5: 0.62 W at 50 Gb/s). With Shoal's
/// logic it is 1.3764 W at 100 Gb/s, of which §5 prints 1.37.
pub fn nic_w(rate: Rate, shoal: bool) -> f64 {
    let logic = if shoal { 1.0 + SHOAL_LOGIC } else { 1.0 };
    let watts = NIC_TODAY_W / INTEGRATION * (float(rate.as_bps()) / 100e9) * logic;
    (watts * 1e4).round() / 1e4
}

/// Of one network, in W.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ShoalPower")]
pub struct Power {
    /// All switches.
    pub switches_w: f64,
    /// All NICs.
    pub nics_w: f64,
    /// Both.
    pub total_w: f64,
    /// Share of what the rack may draw.
    pub of_rack: f64,
}

impl Power {
    /// Of so many switches and NICs, that draw so much each, in a rack that may draw `rack_w`.
    pub fn new(switches: u64, switch_w: f64, nodes: u64, nic_w: f64, rack_w: f64) -> Power {
        let (switches_w, nics_w) = (float(switches) * switch_w, float(nodes) * nic_w);
        let total_w = switches_w + nics_w;
        Power { switches_w, nics_w, total_w, of_rack: total_w / rack_w }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn section_5() {
        let packet = Power::new(24, 350.0, 512, 0.62, 15_000.0);
        let shoal = Power::new(48, 38.5, 512, 1.37, 15_000.0);
        assert!((packet.total_w - 8_717.44).abs() < 1e-9 && (shoal.total_w - 2_549.44).abs() < 1e-9);
        assert!((packet.of_rack - 0.581).abs() < 1e-3);
    }

    #[test]
    fn the_nics_of_section_5() {
        assert_eq!(nic_w(Rate::from_gbps(50), false), 0.62);
        assert_eq!(nic_w(Rate::from_gbps(100), true), 1.3764);
    }
}
