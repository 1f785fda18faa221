//! Parts of a network as it is simulated: counted in its topology, at what the book says.
//!
//! A plan configures a system for so many hosts with devices that can be bought; an experiment has whatever its file says, and mostly a small model of that. So each
//! switch here is in proportion to the ports that are used, and each cable between switches is a link of its own.

#[cfg(test)]
mod tests;

use crate::bill::{Bill, Uses};
use crate::book::{Book, Part, Used};
use crate::{fastpod, stardust};
use settings::Flat;
use topology::{L1_PORTS, NodeId, Topology};
use units::Rate;

/// Whose parts a network is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Ordinary packet switches.
    Ethernet,
    /// Fabric Adapters at the edge, Fabric Elements above.
    Stardust,
    /// Switches without buffers, and buffered ones between pods.
    Fastpod,
    /// Circuit switches.
    Shoal,
    /// NICs that are joined to each other, and L1 switches.
    An3,
    /// Crosspoints.
    XFabric,
}

/// What switches and links take together of something: W, or USD.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    /// Switches; none if it is not given.
    pub switches: Option<f64>,
    /// Links, with what is at their ends; none if it is not given.
    pub links: Option<f64>,
    /// Why something is not given; empty if all is.
    pub why: &'static str,
}

impl Amount {
    /// Of all, if all is given.
    pub fn total(&self) -> Option<f64> {
        Some(self.switches? + self.links?)
    }
}

/// What a network draws and costs, NICs aside.
#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    /// In W.
    pub power: Amount,
    /// In USD.
    pub cost: Amount,
    /// What is counted, and what is left out.
    pub counted: &'static str,
    /// Prices and powers that were used.
    pub prices: Vec<Used>,
}

/// Rate of the ports of AN3's parts and of XFabric's crosspoints, in their papers.
const PAPER: Rate = Rate::from_gbps(10);

/// What a network of this system draws and costs at the papers' prices.
///
/// Prices of switches, transceivers and cables that the book has at other rates are in proportion to the nearest; see [`Book::fill`].
pub fn price(system: System, topology: &Topology) -> Built {
    let counts = Counts::of(topology);
    let book = counts.book();
    let mut uses = Uses::new();
    let mut bill = Bill::new(&book, &mut uses);
    let mut built = match system {
        System::Ethernet => counts.packets(&mut bill, |_| [1.0; 2], ETHERNET),
        System::Stardust => {
            let input = stardust::Input::read(Flat::default()).expect("no setting is wrong");
            let element = [input.price_element_ratio, input.element_power];
            counts.packets(&mut bill, |tier| if tier > 1 { element } else { [1.0; 2] }, STARDUST)
        }
        System::Fastpod => {
            let input = fastpod::Input::read(Flat::default()).expect("no setting is wrong");
            let inside = [input.price_zero_buffer_ratio, input.zero_buffer_power];
            let core = |tier| tier > 2;
            counts.packets(&mut bill, |tier| if core(tier) { [1.0; 2] } else { inside }, FASTPOD)
        }
        System::Shoal => counts.shoal(&mut bill),
        System::An3 => counts.an3(&mut bill),
        System::XFabric => counts.xfabric(&mut bill),
    };
    debug_assert!(
        bill.missing().told().is_none(),
        "the book has a number of every part, and other rates are in proportion"
    );
    built.prices = uses.into_values().collect();
    built
}

const ETHERNET: &str = "switches in proportion to their ports, a cable to every host, two transceivers and a fibre a cable between switches; NICs are left out";
const STARDUST: &str = "as for Ethernet, with Fabric Elements at 0.67 of a switch's price and 0.666 of its power (Stardust, §7); NICs are left out";
const FASTPOD: &str =
    "as for Ethernet, with switches of pods at 0.5 of a buffered one's price and power; NICs and arbiters are left out";

/// What there is of everything.
struct Counts {
    /// Bandwidth of all ports of each switch, and its tier.
    switches: Vec<(Rate, u16)>,
    /// Rates of cables between hosts and switches.
    hosts: Vec<Rate>,
    /// Cables between hosts.
    among_hosts: usize,
    /// Rates of cables between switches, and whether they are in the last of several tiers.
    between: Vec<(Rate, bool)>,
}

impl Counts {
    fn of(topology: &Topology) -> Counts {
        let bandwidth = |node| topology.ports(node).map(|port| topology.links()[port as usize].rate.as_bps()).sum();
        let switches = (topology.hosts()..topology.nodes()).map(NodeId);
        let top = topology.top_tier();
        let mut counts = Counts {
            switches: switches.map(|node| (Rate::from_bps(bandwidth(node)), topology.tier(node))).collect(),
            hosts: Vec::new(),
            among_hosts: 0,
            between: Vec::new(),
        };
        for link in topology.links().iter().filter(|link| link.from < link.to) {
            match [link.from, link.to].map(|node| topology.is_host(node)) {
                [true, true] => counts.among_hosts += 1,
                [false, false] => {
                    let higher = topology.tier(link.from).max(topology.tier(link.to));
                    counts.between.push((link.rate, top > 2 && higher == top));
                }
                [true, false] | [false, true] => counts.hosts.push(link.rate),
            }
        }
        counts
    }

    /// The book, with what is here and not in it in proportion to what is.
    fn book(&self) -> Book {
        let mut book = Book::default();
        for &(bandwidth, _) in &self.switches {
            book.fill(Part::Switch, bandwidth);
            book.fill(Part::CircuitSwitch, bandwidth);
        }
        self.hosts.iter().for_each(|&rate| book.fill(Part::HostCable, rate));
        self.between.iter().for_each(|&(rate, _)| book.fill(Part::Transceiver, rate));
        book
    }

    /// Packet switches; `ratio` has the price and the power of one of a tier over those of an ordinary one.
    fn packets(&self, bill: &mut Bill<'_>, ratio: impl Fn(u16) -> [f64; 2], counted: &'static str) -> Built {
        let (mut usd, mut w) = ([0.0; 2], [0.0; 2]);
        for &(bandwidth, tier) in &self.switches {
            let item = (Part::Switch, Some(bandwidth));
            usd[0] += ratio(tier)[0] * bill.usd(1.0, item);
            w[0] += ratio(tier)[1] * bill.w(1.0, item);
        }
        for &rate in &self.hosts {
            usd[1] += bill.usd(1.0, (Part::HostCable, Some(rate)));
        }
        for &(rate, far) in &self.between {
            let ends = (Part::Transceiver, Some(rate));
            let fibre = if far { Part::FibreFar } else { Part::FibreNear };
            usd[1] += bill.usd(2.0, ends) + bill.usd(1.0, (fibre, None));
            w[1] += bill.w(2.0, ends);
        }
        Built { power: Amount::all(w), cost: Amount::all(usd), counted, prices: Vec::new() }
    }

    fn shoal(&self, bill: &mut Bill<'_>) -> Built {
        let switches = self.switches.iter().map(|&(of, _)| bill.w(1.0, (Part::CircuitSwitch, Some(of)))).sum();
        Built {
            power: Amount::of_switches(switches, "the paper has none of what is between nodes and switches"),
            cost: Amount::nothing("the paper counts cost in packet switches, and has no price in USD"),
            counted: "circuit switches in proportion to their ports; NICs are on the nodes' chips, and left out (Shoal, §5)",
            prices: Vec::new(),
        }
    }

    fn an3(&self, bill: &mut Bill<'_>) -> Built {
        if self.hosts.iter().chain(self.between.iter().map(|(rate, _)| rate)).any(|&rate| rate != PAPER) {
            return Built::nothing("the paper has prices and power of parts of 10 Gb/s alone");
        }
        let ports = float(self.hosts.len() + 2 * self.between.len()) / f64::from(L1_PORTS);
        let ends = float(2 * (self.hosts.len() + self.between.len()));
        let cables = bill.usd(float(self.among_hosts), (Part::SataCable, None));
        let usd = [bill.usd(ports, (Part::An3Switch, None)), cables + bill.usd(ends, (Part::OpticalPort, None))];
        let w = bill.w(ports, (Part::An3Switch, None));
        Built {
            power: Amount::of_switches(w, "the paper has no power of optical ends (AN3, §6)"),
            cost: Amount::all(usd),
            counted: "L1 switches in proportion to their ports, SATA cables, optical links with both ends; NICs, which pass on what others send, and the design of both are left out",
            prices: Vec::new(),
        }
    }

    fn xfabric(&self, bill: &mut Bill<'_>) -> Built {
        if self.hosts.iter().any(|&rate| rate > PAPER) {
            return Built::nothing("the paper has crosspoints of 10 Gb/s a port at most");
        }
        let ports = float(self.hosts.len());
        let board = "the paper has circuits on a board, and nothing of what their ends take";
        Built {
            power: Amount::of_switches(bill.w(ports, (Part::CrosspointPort, None)), board),
            cost: Amount::of_switches(bill.usd(ports, (Part::CrosspointPort, None)), board),
            counted: "ports of crosspoints; SoCs' packet switches, which pass on what others send, are left out",
            prices: Vec::new(),
        }
    }
}

impl Amount {
    fn all([switches, links]: [f64; 2]) -> Amount {
        Amount { switches: Some(switches), links: Some(links), why: "" }
    }
    fn of_switches(switches: f64, why: &'static str) -> Amount {
        Amount { switches: Some(switches), links: None, why }
    }
    fn nothing(why: &'static str) -> Amount {
        Amount { switches: None, links: None, why }
    }
}

impl Built {
    /// Nothing is known, for this reason.
    pub fn nothing(why: &'static str) -> Built {
        Built { power: Amount::nothing(why), cost: Amount::nothing(why), counted: "nothing", prices: Vec::new() }
    }
}

#[expect(clippy::cast_precision_loss, reason = "parts of a network are far below 2^53")]
fn float(number: usize) -> f64 {
    number as f64
}
