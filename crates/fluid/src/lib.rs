//! The ideal network: data flow like water, without packets, queues or delays of control, and at every instant each flow has its
//! max-min fair rate (Bertsekas and Gallager, Data Networks, §6.5.2): none could have more without taking from one that has no
//! more than itself. What systems with congestion control try to reach, as a baseline.

pub mod filling;
mod network;
mod paths;
mod sharing;
mod streams;

pub use filling::{Crossings, Filling};
pub use network::{BuildError, Fluid};
pub use sharing::Sharing;

use fabric::Footprint;
use units::Bytes;

/// A fluid network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The largest packet, transport headers included: the grain in which data are handed over. It takes nothing from what is exact:
    /// a longer message is taken in pieces of this, each in time for the one before it.
    pub mtu: Bytes,
    /// What flows share.
    pub sharing: Sharing,
}

impl Config {
    /// What the network takes of memory among so many hosts. Only what is sent decides how many frames are inside.
    pub fn footprint(&self, hosts: u32) -> Footprint {
        let hosts = u64::from(hosts);
        // Detours: a link between each two hosts, and for each two that exchange something a subflow over each host.
        let (links, pair) = match self.sharing {
            Sharing::Interfaces | Sharing::Paths => (0, 0),
            Sharing::Detours => (hosts * hosts, hosts * 50),
        };
        Footprint { fixed: hosts * 400 + links * 80, frames: u64::MAX, frame: 250, pair, at_once: true }
    }
}

impl Default for Config {
    fn default() -> Config {
        Config { mtu: Bytes::new(64_000), sharing: Sharing::Interfaces }
    }
}
