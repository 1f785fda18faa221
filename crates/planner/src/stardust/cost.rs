//! What the parts of a network cost (§7, App. D, Table 3).

use serde::Serialize;
use std::collections::BTreeMap;
use units::Rate;

/// Prices of parts, in USD.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prices {
    /// A ToR, an adapter or a switch, as a platform.
    pub switch: f64,
    /// An element's platform over a switch's: the relation of their areas (§7).
    pub element_ratio: f64,
    /// The cable from a server to its ToR.
    pub server_cable: f64,
    /// One transceiver by its rate.
    #[serde(serialize_with = "by_rate")]
    pub transceivers: BTreeMap<Rate, f64>,
    /// A fibre in a tier that is not the last, or in the only one.
    pub fibre_near: f64,
    /// A fibre in the last tier of several.
    pub fibre_far: f64,
}

fn by_rate<S: serde::Serializer>(prices: &BTreeMap<Rate, f64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(prices.iter().map(|(rate, price)| (rate.to_string(), price)))
}

impl Prices {
    /// List prices of September 2018 (Table 3), and an element's platform at 0.67 of a ToR's.
    pub fn table_3() -> Prices {
        Prices {
            switch: 16_200.0,
            element_ratio: 0.67,
            server_cable: 84.0,
            transceivers: [(25, 125.0), (50, 280.0), (100, 435.0)].map(|(g, usd)| (Rate::from_gbps(g), usd)).into(),
            fibre_near: 8.0,
            fibre_far: 62.0,
        }
    }

    /// A cable with its two transceivers, joining two ports of `rate`; None where no transceiver has that rate.
    pub fn cable(&self, rate: Rate, far: bool) -> Option<f64> {
        let fibre = if far { self.fibre_far } else { self.fibre_near };
        self.transceivers.get(&rate).map(|price| 2.0 * price + fibre)
    }

    /// How many links of `link` the cable carries that is cheapest a link: Stardust's devices "are oblivious to whether
    /// bundling was used in the transceiver" (§7), and cables that break out join them to several devices. None where no
    /// transceiver carries a whole number of links.
    pub fn cheapest(&self, link: Rate, far: bool) -> Option<u64> {
        let carried = |rate: &Rate| {
            let links = rate.as_bps() / link.as_bps();
            (links > 0 && rate.as_bps().is_multiple_of(link.as_bps())).then_some(links)
        };
        #[expect(clippy::cast_precision_loss, reason = "a transceiver carries few links")]
        let by_link = |rate: &Rate| {
            let links = carried(rate)?;
            Some((self.cable(*rate, far)? / links as f64, links))
        };
        let all = self.transceivers.keys().filter_map(by_link);
        all.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, links)| links)
    }
}

/// What a network costs, by part, in USD.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_3_is_read() {
        let prices = Prices::table_3();
        assert_eq!(prices.cable(Rate::from_gbps(25), false), Some(258.0));
        assert_eq!(prices.cable(Rate::from_gbps(50), true), Some(622.0));
        assert_eq!(prices.cable(Rate::from_gbps(100), false), Some(878.0));
        assert_eq!(prices.cable(Rate::from_gbps(400), false), None);
    }

    #[test]
    fn four_links_in_one_transceiver_are_the_cheapest() {
        let prices = Prices::table_3();
        assert_eq!(prices.cheapest(Rate::from_gbps(25), false), Some(4)); // 219.5 a link, against 258 and 284
        assert_eq!(prices.cheapest(Rate::from_gbps(50), true), Some(2));
        assert_eq!(prices.cheapest(Rate::from_gbps(100), true), Some(1));
        assert_eq!(prices.cheapest(Rate::from_gbps(400), true), None);
        assert_eq!(prices.cheapest(Rate::from_gbps(40), true), None);
    }
}
