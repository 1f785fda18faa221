//! What a plan is made from: servers, oversubscription, and prices.

use crate::book::{Book, Edition, Part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{Flat, RateText, SettingError};
use units::Rate;

/// What an L0 NIC is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "An3Nic")]
pub enum Nic {
    /// An FPGA: little to design, much for each.
    Fpga,
    /// An ASIC: the other way round.
    #[default]
    Asic,
}

impl Nic {
    /// A NIC, and its design.
    pub fn parts(self) -> [Part; 2] {
        match self {
            Nic::Fpga => [Part::An3FpgaNic, Part::An3FpgaNicDesign],
            Nic::Asic => [Part::An3AsicNic, Part::An3AsicNicDesign],
        }
    }
}

/// AN3 beside ToR and aggregation switches for the same servers and oversubscription.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "An3Input")]
pub struct Input {
    /// Servers, each with a NIC.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub servers: u64,
    /// Bandwidth of the servers below a ToR switch over that of its links up.
    #[schemars(range(min = 1.0, max = 1_000.0))]
    pub oversubscription: f64,
    /// What is taken off the prices of NICs and switches that are bought; 0.75 takes three quarters.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub discount: f64,
    /// What AN3's NICs are made of.
    pub nic: Nic,
    /// Ports of a ToR or aggregation switch.
    #[schemars(range(min = 4, max = 1_024))]
    pub switch_ports: u64,
    /// Ports of an L1 switch; half of them lead to egress NICs.
    #[schemars(range(min = 4, max = 1_024))]
    pub l1_ports: u64,
    /// Rate of links to servers and between switches; links between NICs of AN3 have half of it.
    #[schemars(with = "RateText", extend("x-most" = "100 Tb/s"))]
    pub rate: Rate,
    /// Prices and power: an edition of the book, or a TOML file of your own.
    pub prices: Edition,
    /// Price of a NIC that is bought, in USD, before the discount.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "the book's"))]
    pub price_nic: Option<f64>,
    /// Price of a ToR or aggregation switch, before the discount.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "the book's"))]
    pub price_switch: Option<f64>,
    /// Price of an L1 switch.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "the book's"))]
    pub price_l1: Option<f64>,
    /// Price of an L0 NIC, of the kind that is chosen.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "the book's"))]
    pub price_l0: Option<f64>,
    /// What it costs once to design the L1 switch.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "the book's"))]
    pub design_l1: Option<f64>,
    /// What it costs once to design the L0 NIC, of the kind that is chosen.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "the book's"))]
    pub design_l0: Option<f64>,
    /// Price of a cable between two NICs.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "the book's"))]
    pub price_sata_cable: Option<f64>,
    /// Price of a copper cable from a server to its ToR switch.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "the book's"))]
    pub price_copper_cable: Option<f64>,
    /// Price of each end of an optical link: a transceiver and its half of the cable.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "the book's"))]
    pub price_optical_port: Option<f64>,
    /// Power of a NIC, bought or AN3's, in W.
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("x-default" = "the book's"))]
    pub nic_power_w: Option<f64>,
    /// Power of a ToR or aggregation switch, in W.
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("x-default" = "the book's"))]
    pub switch_power_w: Option<f64>,
    /// Power of an L1 switch, in W.
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("x-default" = "the book's"))]
    pub l1_power_w: Option<f64>,
    /// The book, with all that is set laid over it.
    #[serde(skip)]
    pub book: Book,
}

impl Default for Input {
    /// The first row of Table 2, at the higher discount of Table 3, with NICs of ASICs.
    fn default() -> Input {
        Input {
            servers: 20_000,
            oversubscription: 2.5,
            discount: 0.75,
            nic: Nic::default(),
            switch_ports: 56,
            l1_ports: topology::L1_PORTS.into(),
            rate: Rate::from_gbps(10),
            prices: Edition::Paper,
            price_nic: None,
            price_switch: None,
            price_l1: None,
            price_l0: None,
            design_l1: None,
            design_l0: None,
            price_sata_cable: None,
            price_copper_cable: None,
            price_optical_port: None,
            nic_power_w: None,
            switch_power_w: None,
            l1_power_w: None,
            book: Book::default(),
        }
    }
}

impl Input {
    /// Reads settings; those not given are of Table 2's first row.
    ///
    /// # Errors
    /// A key is unknown, or a value out of its range.
    pub fn read(mut given: Flat) -> Result<Input, SettingError> {
        let entries = given.take("book");
        let mut input: Input = given.read()?;
        for (key, ports) in [("switch_ports", input.switch_ports), ("l1_ports", input.l1_ports)] {
            if !ports.is_multiple_of(2) {
                return Err(given.refusal(key, "expected an even number of ports"));
            }
        }
        input.book = Book::new(input.prices, entries)?;
        let [nic, design] = input.nic.parts();
        for (key, part, usd) in [
            ("price_nic", Part::Nic, input.price_nic),
            ("price_switch", Part::AccessSwitch, input.price_switch),
            ("price_l1", Part::An3Switch, input.price_l1),
            ("price_l0", nic, input.price_l0),
            ("design_l1", Part::An3SwitchDesign, input.design_l1),
            ("design_l0", design, input.design_l0),
            ("price_sata_cable", Part::SataCable, input.price_sata_cable),
            ("price_copper_cable", Part::CopperCable, input.price_copper_cable),
            ("price_optical_port", Part::OpticalPort, input.price_optical_port),
        ] {
            usd.into_iter().for_each(|usd| input.book.set_usd(key, part, None, usd));
        }
        for (key, part, w) in [
            ("nic_power_w", Part::Nic, input.nic_power_w),
            ("nic_power_w", nic, input.nic_power_w),
            ("switch_power_w", Part::AccessSwitch, input.switch_power_w),
            ("l1_power_w", Part::An3Switch, input.l1_power_w),
        ] {
            w.into_iter().for_each(|w| input.book.set_w(key, part, None, w));
        }
        Ok(input)
    }

    /// Servers below a ToR switch, of an L0 network: those that leave as many ports for links up as the oversubscription asks for. Not a whole number always (Table 2 has 46.7
    /// at an oversubscription of 5).
    pub fn servers_per_rack(&self) -> f64 {
        super::float(self.switch_ports) * self.oversubscription / (1.0 + self.oversubscription)
    }

    /// Links up from all racks, or links of all egress NICs.
    pub fn uplinks(&self) -> f64 {
        super::float(self.servers) / self.oversubscription
    }
}
