//! Silicon area and power, relative to a ToR (§7, App. C, Fig. 10d).
//!
//! These are the paper's inputs: two shipped devices of one process, measured by their makers. Only sums follow from them.

use schemars::JsonSchema;
use serde::Serialize;

/// Area per Tb/s of a Fabric Element over that of a ToR (Fig. 10d). The paper takes it for the relation of powers as well.
pub const ELEMENT_AREA: f64 = 0.666;
/// What is left of the area of a network interface: "the gain in area per port is 70%" (App. C).
pub const INTERFACE_LEFT: f64 = 0.3;
/// What is left of everything that is neither I/O, interface, header processing nor tables: 40% are saved (App. C).
pub const REMAINING_LEFT: f64 = 0.6;
/// Share of an adapter's area that only Stardust needs (App. C).
pub const ADAPTER_LOGIC: f64 = 0.08;

/// How a ToR's area is divided; the remaining functionality has what these leave. The paper prints no shares.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Shares {
    /// Serial I/O, the same in both devices.
    pub io: f64,
    /// Network interfaces beyond the I/O, such as MACs.
    pub interfaces: f64,
    /// Header processing and look-up tables, which an element hardly has.
    pub headers: f64,
}

/// An element's area per Tb/s over a ToR's, from the savings of App. C.
pub fn element_area(shares: Shares) -> f64 {
    let remaining = 1.0 - shares.io - shares.interfaces - shares.headers;
    shares.io + INTERFACE_LEFT * shares.interfaces + REMAINING_LEFT * remaining
}

/// The share of I/O with which the savings of App. C give the area of Fig. 10d, for a ToR with these other shares.
pub fn io_share_for(element_area: f64, interfaces: f64, headers: f64) -> f64 {
    let rest = 1.0 - interfaces - headers;
    (element_area - INTERFACE_LEFT * interfaces - REMAINING_LEFT * rest) / (1.0 - REMAINING_LEFT)
}

/// An adapter's area over a ToR's: it adds Stardust's logic, and saves on the interfaces that face the fabric (App. C).
/// `interfaces` is their share of a ToR's area, `facing` the share of ports that face the fabric.
pub fn adapter_area(interfaces: f64, facing: f64) -> f64 {
    (1.0 - (1.0 - INTERFACE_LEFT) * interfaces * facing) / (1.0 - ADAPTER_LOGIC)
}

/// Area or power: of a whole network, and of its fabric alone.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "StardustSum")]
pub struct Sum {
    /// Of all devices.
    pub network: f64,
    /// Of those in the fabric alone: without adapters and ToRs.
    pub fabric: f64,
}

/// Sums over `adapters`, which count 1 each, and `elements`, which count `element`.
#[expect(clippy::cast_precision_loss, reason = "counts of devices are far below 2^53")]
pub fn sum(adapters: u128, elements: u128, element: f64) -> Sum {
    let fabric = elements as f64 * element;
    Sum { network: adapters as f64 + fabric, fabric }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn without_interfaces_and_headers_the_printed_area_has_a_sixth_of_io() {
        assert!((io_share_for(ELEMENT_AREA, 0.0, 0.0) - 0.165).abs() < 1e-12);
    }

    #[test]
    fn an_adapter_is_about_as_large_as_a_tor() {
        assert!((adapter_area(0.2286, 0.5) - 1.0).abs() < 0.001, "a fifth for interfaces makes up for the logic");
        assert!((adapter_area(0.0, 0.5) - 1.0 / 0.92).abs() < 1e-12);
    }

    #[test]
    fn one_tier_of_elements_for_two_of_switches_saves_78_percent_of_the_fabric() {
        // Fig. 11b: a third of the devices, each at 0.666.
        assert!((1.0 - sum(1, 100, ELEMENT_AREA).fabric / sum(1, 300, 1.0).fabric - 0.778).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn shares_and_area_go_both_ways(interfaces in 0.0f64..0.4, headers in 0.0f64..0.3) {
            let io = io_share_for(ELEMENT_AREA, interfaces, headers);
            let area = element_area(Shares { io, interfaces, headers });
            prop_assert!((area - ELEMENT_AREA).abs() < 1e-12);
        }
    }
}
