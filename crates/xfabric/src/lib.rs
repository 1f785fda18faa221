//! XFabric (Legtchenko et al., NSDI 2016): a rack of systems-on-chip (SoCs) whose ports hang on crosspoint switches, small
//! circuit switches that join ports in pairs. A controller re-cables them every second or so to follow the demand; packets
//! go from SoC to SoC over whatever circuits there are.
//!
//! All but one module compute and simulate no packet: [`demand`] estimates who sends to whom, [`crosspoints`] says which circuits
//! are possible, [`generate`] chooses among them, [`forwarding`] sends packets over what was chosen, and [`paths`] measures
//! it. [`rivals`] are the topologies of §6.1 that it is compared with, and
//! [`flow_level`] lays a demand over any of them. [`workload`] makes the demand of §6.2, most of it synthetic; [`study`] compares
//! topologies under one. [`configuration`] is all of it for a rack that somebody has: demand from a file in, circuits and tables out. [`control`] has the
//! devices that reconfigure a rack, and the protocol between them; [`network`] is the rack at packet level.
//!
//! ```
//! use xfabric::crosspoints::Fabric;
//! use xfabric::demand::Demand;
//! use xfabric::generate::{Ties, generate};
//!
//! let fabric = Fabric::port_by_port(4, 3)?;
//! // SoCs 0 and 2 exchange a lot, 1 and 3 a little.
//! let demand = Demand::new(4, vec![0, 0, 900, 0, 0, 0, 0, 5, 100, 0, 0, 0, 0, 5, 0, 0])?;
//! let cabling = generate(&fabric, &demand, Ties::ByNumber)?;
//! assert_eq!(cabling.circuits.len(), 6);
//! let first = cabling.circuits[0];
//! assert_eq!((first.crosspoint, first.ends.map(|end| end.soc)), (0, [0, 2]));
//! assert!(cabling.graph(&fabric).is_connected());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod configuration;
pub mod control;
pub mod crosspoints;
pub mod demand;
pub mod flow_level;
pub mod forwarding;
pub mod generate;
pub mod graph;
pub mod network;
pub mod paths;
#[cfg(test)]
mod random_rack;
pub mod records;
pub mod rivals;
pub mod study;
pub mod workload;

/// More SoCs than this are refused: sixteen times what the paper plans for, and a demand matrix of 2 GiB.
pub const MOST_SOCS: u32 = 1 << 14;
/// More internal ports on a SoC than this are refused: forwarding tables hold a bit for each. The paper has 6.
pub const MOST_PORTS: u32 = 16;
