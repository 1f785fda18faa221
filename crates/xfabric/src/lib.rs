//! XFabric (Legtchenko et al., NSDI 2016): a rack of systems-on-chip (SoCs) whose ports hang on crosspoint switches, small
//! circuit switches that join ports in pairs. A controller re-cables them every second or so to follow the demand; packets
//! go from SoC to SoC over whatever circuits there are.
//!
//! One room each: [`demand`] estimates who sends to whom, and reads it from files; [`generate`] says which circuits are possible and chooses
//! among them; [`graph`] is the topology that comes of it, and its paths; [`forwarding`] sends packets over it; [`control`] has the devices
//! that reconfigure a rack, and the protocol between them; [`network`] is the rack at packet level. [`baselines`] are the topologies of
//! §6.1 that XFabric is compared with, and [`study`] compares them under a workload, without simulating a packet. [`configuration`] is
//! demand, generation and forwarding for a rack that somebody has: files in, circuits and tables out.
//!
//! ```
//! use xfabric::demand::Demand;
//! use xfabric::generate::crosspoints::Fabric;
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

pub mod baselines;
pub mod configuration;
pub mod control;
pub mod demand;
pub mod forwarding;
pub mod generate;
pub mod graph;
pub mod network;
pub mod study;

/// More SoCs than this are refused: sixteen times what the paper plans for, and a demand matrix of 2 GiB.
pub const MOST_SOCS: u32 = 1 << 14;
/// More internal ports on a SoC than this are refused: forwarding tables hold a bit for each. The paper has 6.
pub const MOST_PORTS: u32 = 16;
