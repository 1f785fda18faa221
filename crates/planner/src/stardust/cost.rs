//! What the parts of a network cost and draw (§7, App. D, Table 3).

use super::silicon::Sum;
use crate::bill::{Bill, Missing, Uses};
use crate::book::{Book, Part};
use schemars::JsonSchema;
use serde::Serialize;
use units::Rate;

/// How many links of `link` the cable carries that is cheapest a link: Stardust's devices "are oblivious to whether bundling
/// was used in the transceiver" (§7), and cables that break out join them to several devices. None where no transceiver with a
/// price carries them.
pub fn cheapest(book: &Book, link: Rate, far: bool) -> Option<u64> {
    let fibre = book.usd((fibre(far), None)).map_or(0.0, |found| found.value);
    #[expect(clippy::cast_precision_loss, reason = "a transceiver carries few links")]
    let by_link = |rate: Rate| {
        let links = book.links(rate, link)?;
        let price = book.usd((Part::Transceiver, Some(rate)))?.value;
        Some(((2.0 * price + fibre) / links as f64, links))
    };
    book.carriers(link).into_iter().filter_map(by_link).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, links)| links)
}

/// Which fibre lies in a tier.
pub const fn fibre(far: bool) -> Part {
    if far { Part::FibreFar } else { Part::FibreNear }
}

/// What a network costs, by part, in USD.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
#[schemars(rename = "StardustCost")]
pub struct Cost {
    /// Adapters or ToRs.
    pub adapters_usd: f64,
    /// Cables to servers.
    pub server_cables_usd: f64,
    /// Elements or switches.
    pub elements_usd: f64,
    /// Transceivers, two a cable.
    pub transceivers_usd: f64,
    /// Fibres.
    pub fibres_usd: f64,
}

impl Cost {
    /// All parts.
    pub fn total_usd(&self) -> f64 {
        self.adapters_usd + self.server_cables_usd + self.elements_usd + self.transceivers_usd + self.fibres_usd
    }
}

/// Everything of a design that is bought.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// Adapters or ToRs, each as a switch of `adapter` bandwidth.
    pub adapters: f64,
    /// Their bandwidth.
    pub adapter: Rate,
    /// Elements or switches, each as a switch of `switch` bandwidth.
    pub elements: f64,
    /// The bandwidth of the switch that an element is compared with.
    pub switch: Rate,
    /// An element's price over that switch's.
    pub element_usd: f64,
    /// An element's power over that switch's.
    pub element_w: f64,
    /// Hosts.
    pub hosts: f64,
    /// Rate of a host's port.
    pub host: Rate,
    /// Of each tier: cables, the rate of their transceivers, and whether they are long.
    pub tiers: Vec<(f64, Rate, bool)>,
}

impl Parts {
    /// What they cost, what they draw in all and in the fabric alone, and what is missing of either; numbers that were looked up
    /// go into `used`.
    pub fn sums(&self, book: &Book, used: &mut Uses) -> (Cost, Sum, Missing) {
        let (adapter, switch) = ((Part::Switch, Some(self.adapter)), (Part::Switch, Some(self.switch)));
        let mut count = Bill::new(book, used);
        let mut cost = Cost {
            adapters_usd: count.usd(self.adapters, adapter),
            server_cables_usd: count.usd(self.hosts, (Part::HostCable, Some(self.host))),
            elements_usd: self.element_usd * count.usd(self.elements, switch),
            ..Cost::default()
        };
        let edge = count.w(self.adapters, adapter);
        let mut fabric = self.element_w * count.w(self.elements, switch);
        for &(cables, rate, far) in &self.tiers {
            let transceiver = (Part::Transceiver, Some(rate));
            cost.transceivers_usd += count.usd(2.0 * cables, transceiver);
            cost.fibres_usd += count.usd(cables, (fibre(far), None));
            fabric += count.w(2.0 * cables, transceiver);
        }
        (cost, Sum { network: edge + fabric, fabric }, count.missing())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Edition;

    fn book(edition: Edition) -> Book {
        Book::new(edition, None).unwrap()
    }

    #[test]
    fn four_links_in_one_transceiver_are_the_cheapest() {
        let paper = book(Edition::Paper);
        let of = |gbps, far| cheapest(&paper, Rate::from_gbps(gbps), far);
        assert_eq!(of(25, false), Some(4)); // 219.5 a link, against 258 and 284
        assert_eq!(
            (of(50, true), of(100, true)),
            (Some(2), Some(1)),
            "those of 2026 are not set against those of 2018"
        );
        assert_eq!(of(40, true), None);
        assert_eq!(cheapest(&book(Edition::Modern), Rate::from_gbps(100), true), Some(8));
    }

    #[test]
    fn what_is_missing_is_listed_once() {
        let parts = Parts {
            adapters: 2.0,
            adapter: Rate::from_gbps(9_600),
            elements: 1.0,
            switch: Rate::from_gbps(9_600),
            element_usd: 1.0,
            element_w: 1.0,
            hosts: 80.0,
            host: Rate::from_gbps(400),
            tiers: vec![(4.0, Rate::from_gbps(1_600), false)],
        };
        let mut used = Uses::new();
        let (_, _, missing) = parts.sums(&book(Edition::Paper), &mut used);
        assert_eq!(
            missing.told().as_deref(),
            Some(
                "no price known for a switch of 9.6 Tb/s, a transceiver of 1.6 Tb/s, the cable to a host of 400 Gb/s; no power \
                 known for a switch of 9.6 Tb/s, a transceiver of 1.6 Tb/s"
            )
        );
        assert_eq!(
            missing.cure(),
            "price_switch=USD and price_server_cable=USD and price_transceivers='1.6 Tb/s: USD' and switch_power_w=W and \
             transceiver_power_w='1.6 Tb/s: W'"
        );
        assert_eq!(used.len(), 1, "the fibre: {used:?}");
    }
}
