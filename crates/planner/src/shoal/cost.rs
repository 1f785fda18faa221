//! What Shoal costs against packet switches, by the price of a circuit switch (§5, Fig. 11). Prices are in packet switches.

use super::float;
use schemars::JsonSchema;
use serde::Serialize;

/// Devices of the two networks, and what a NIC costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts {
    /// Packet switches of the one network.
    pub packet_switches: u64,
    /// Circuit switches of the other.
    pub circuit_switches: u64,
    /// NICs of either.
    pub nodes: u64,
    /// Price of a packet network's NIC.
    pub nic: f64,
}

/// §5's devices: 24 packet switches, 48 circuit switches, 512 nodes.
const SECTION_5: Parts = Parts { packet_switches: 24, circuit_switches: 48, nodes: 512, nic: 0.0 };

impl Parts {
    /// The packet network.
    pub fn packet(&self) -> f64 {
        float(self.packet_switches) + float(self.nodes) * self.nic
    }

    /// Shoal, with a circuit switch at `switch` and a NIC at `multiple` of a packet network's.
    pub fn shoal(&self, switch: f64, multiple: f64) -> f64 {
        float(self.circuit_switches) * switch + float(self.nodes) * multiple * self.nic
    }

    /// Shoal's cost over the packet network's (Fig. 11).
    pub fn relative(&self, switch: f64, multiple: f64) -> f64 {
        self.shoal(switch, multiple) / self.packet()
    }

    /// Price of a circuit switch with which Shoal saves that share; 0 saves nothing. Negative if no price does.
    pub fn price_that_saves(&self, saving: f64, multiple: f64) -> f64 {
        let switches = (1.0 - saving) * self.packet() - float(self.nodes) * multiple * self.nic;
        switches / float(self.circuit_switches)
    }

    /// The NIC's price with which a circuit switch at `switch` saves that share: [`Parts::price_that_saves`] the other way round.
    pub fn nic_that_saves(&self, switch: f64, saving: f64, multiple: f64) -> f64 {
        let left = (1.0 - saving) * float(self.packet_switches) - float(self.circuit_switches) * switch;
        left / (float(self.nodes) * (multiple - 1.0 + saving))
    }
}

/// One of the four ratios of §5, and the NIC's price that follows from it. The paper does not print that price.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ShoalDerivation")]
pub struct Derivation {
    /// A Shoal NIC, in packet NICs.
    pub nic_multiple: f64,
    /// What is saved.
    pub saving: f64,
    /// Price of a circuit switch, as §5 prints it.
    pub printed: f64,
    /// A packet NIC's price that gives it.
    pub nic: f64,
}

/// The four.
pub fn derivations() -> [Derivation; 4] {
    let of = |nic_multiple, saving, printed| {
        let nic = SECTION_5.nic_that_saves(printed, saving, nic_multiple);
        Derivation { nic_multiple, saving, printed, nic }
    };
    [of(3.0, 0.0, 0.333), of(2.0, 0.0, 0.416), of(3.0, 0.4, 0.096), of(2.0, 0.4, 0.183)]
}

/// A packet NIC at 1/128 of a switch: three of the four printed ratios to their last digit.
pub const NIC: f64 = 1.0 / 128.0;

/// Cost for a price of a Shoal NIC.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ShoalCost")]
pub struct Cost {
    /// A Shoal NIC, in packet NICs.
    pub nic_multiple: f64,
    /// Shoal over the packet network, at the price of a circuit switch that is set.
    pub relative: f64,
    /// Price of a circuit switch with which both cost the same; null if none does.
    pub break_even: Option<f64>,
    /// With which Shoal saves as much as is set; null if none does.
    pub saves: Option<f64>,
}

impl Cost {
    /// With a circuit switch at `switch`.
    pub fn new(parts: &Parts, switch: f64, nic_multiple: f64, saving: f64) -> Cost {
        let price = |saving| Some(parts.price_that_saves(saving, nic_multiple)).filter(|price| *price >= 0.0);
        Cost {
            nic_multiple,
            relative: parts.relative(switch, nic_multiple),
            break_even: price(0.0),
            saves: price(saving),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_nic_at_a_128th_gives_the_printed_ratios() {
        let parts = Parts { nic: NIC, ..SECTION_5 };
        let at = |saving, multiple| parts.price_that_saves(saving, multiple);
        assert!((at(0.0, 3.0) - 1.0 / 3.0).abs() < 1e-12 && (at(0.0, 2.0) - 0.416_666_666_667).abs() < 1e-9);
        assert!((at(0.4, 2.0) - 0.183_333_333_333).abs() < 1e-9);
        assert!((at(0.4, 3.0) - 0.1).abs() < 1e-12, "§5 prints 0.096");
    }

    #[test]
    fn the_four_ratios_give_almost_one_price() {
        let prices = derivations().map(|each| each.nic * 128.0);
        for (price, wanted) in prices.into_iter().zip([1.002, 1.008, 1.02, 1.002_9]) {
            assert!((price - wanted).abs() < 5e-4, "{prices:?}");
        }
    }

    #[test]
    fn dear_nics_leave_nothing_for_switches() {
        let parts = Parts { nic: 1.0, ..SECTION_5 };
        let found = Cost::new(&parts, 0.15, 2.0, 0.4);
        assert_eq!((found.break_even, found.saves), (None, None));
        assert!(found.relative > 1.0);
    }

    proptest! {
        #[test]
        fn prices_go_both_ways(nic in 0.0f64..0.02, multiple in 1.5f64..4.0, saving in 0.0f64..0.5) {
            let parts = Parts { nic, ..SECTION_5 };
            let switch = parts.price_that_saves(saving, multiple);
            prop_assert!((parts.nic_that_saves(switch, saving, multiple) - nic).abs() < 1e-12);
            prop_assert!((parts.relative(switch, multiple) - (1.0 - saving)).abs() < 1e-9);
        }
    }
}
