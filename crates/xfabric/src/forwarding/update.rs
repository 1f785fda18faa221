//! What the controller sends to each SoC before a reconfiguration (§4.4), and how it is encoded: for 512 SoCs of 6 ports in 433 of
//! the 1024 bytes that the paper allows.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | version |
//! | 2 | number of SoCs |
//! | 2 | the SoC that is the gateway to the world; 65535 if there is none |
//! | 1 | ports of a SoC |
//! | 6 a port | address of the SoC that will be at the other end; zeros if there is no link |
//! | the rest | for each destination a bit a port, packed from the lowest bit of each byte on |
//!
//! Numbers are big-endian.

use super::{Table, tables};
use crate::demand::index;
use crate::generate::Uplinks;
use crate::graph::paths::Distances;
use crate::graph::{Graph, Port};
use crate::{MOST_PORTS, MOST_SOCS};

/// A MAC address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Mac(pub [u8; 6]);

const NO_GATEWAY: u16 = u16::MAX;
const HEAD: usize = 13;

/// A SoC's part of a new configuration.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Update {
    /// Of the whole rack's configuration; no two have the same.
    pub version: u64,
    /// By port: who will be at the other end. SoCs know from it that circuits have changed, if nobody tells them (§4.4).
    pub neighbours: Vec<Option<Mac>>,
    /// The SoC to which traffic out of the rack goes.
    pub gateway: Option<u32>,
    /// Where to send what.
    pub table: Table,
}

/// Why these bytes are no update.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Cut off, or with something after it.
    #[error("an update of {expected} B is expected, here are {given} B")]
    Length {
        /// Bytes that the head asks for.
        expected: usize,
        /// Bytes that there are.
        given: usize,
    },
    /// Sizes of no rack.
    #[error("an update for {socs} SoCs of {ports} ports; a rack has 2 to 16384 SoCs of 1 to 16 ports")]
    Sizes {
        /// How many SoCs it says.
        socs: u32,
        /// Ports of each.
        ports: u32,
    },
    /// A gateway outside the rack.
    #[error("the gateway is SoC {gateway}, SoCs are 0 to {}", socs - 1)]
    Gateway {
        /// What it says.
        gateway: u32,
        /// How many SoCs there are.
        socs: u32,
    },
    /// Bits after the last destination.
    #[error("bits after the last destination are set")]
    Padding,
}

impl Update {
    /// The updates of all SoCs, by SoC. `address` is that of a SoC's port.
    ///
    /// # Panics
    /// If the distances or the uplinks are of another rack.
    pub fn of_rack(
        graph: &Graph,
        distances: &Distances,
        uplinks: Option<&Uplinks>,
        version: u64,
        address: impl Fn(Port) -> Mac,
    ) -> Vec<Update> {
        let tables = tables(graph, distances);
        let update = |(soc, table): (u32, Table)| Update {
            version,
            neighbours: (0..graph.ports()).map(|number| graph.peer(Port { soc, number }).map(&address)).collect(),
            gateway: uplinks.map(|uplinks| uplinks.gateway(soc)),
            table,
        };
        (0..).zip(tables).map(update).collect()
    }

    /// Its length in bytes for so many SoCs of so many ports.
    pub fn encoded_len(socs: u32, ports: u32) -> usize {
        HEAD + 6 * index(ports) + (index(socs) * index(ports)).div_ceil(8)
    }

    /// The bytes that are sent.
    ///
    /// # Panics
    /// If there are not as many neighbours as ports.
    pub fn encode(&self) -> Vec<u8> {
        let (socs, ports) = (self.table.socs(), self.table.ports());
        assert_eq!(self.neighbours.len(), index(ports), "a neighbour or none for each port");
        let mut bytes = Vec::with_capacity(Update::encoded_len(socs, ports));
        bytes.extend(self.version.to_be_bytes());
        bytes.extend((socs as u16).to_be_bytes());
        bytes.extend(self.gateway.map_or(NO_GATEWAY, |gateway| gateway as u16).to_be_bytes());
        bytes.push(ports as u8);
        for neighbour in &self.neighbours {
            bytes.extend(neighbour.unwrap_or_default().0);
        }
        let start = bytes.len();
        bytes.resize(Update::encoded_len(socs, ports), 0);
        let sets = &mut bytes[start..];
        for (bit, _) in bits(&self.table).enumerate().filter(|(_, set)| *set) {
            sets[bit / 8] |= 1 << (bit % 8);
        }
        bytes
    }

    /// What was sent.
    ///
    /// # Errors
    /// For bytes that [`Update::encode`] never makes.
    pub fn decode(bytes: &[u8]) -> Result<Update, DecodeError> {
        let given = bytes.len();
        let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() else {
            return Err(DecodeError::Length { expected: HEAD, given });
        };
        let &[v0, v1, v2, v3, v4, v5, v6, v7, s0, s1, g0, g1, ports] = head;
        let version = u64::from_be_bytes([v0, v1, v2, v3, v4, v5, v6, v7]);
        let (socs, gateway) = (u32::from(u16::from_be_bytes([s0, s1])), u16::from_be_bytes([g0, g1]));
        let ports = u32::from(ports);
        if !(2..=MOST_SOCS).contains(&socs) || !(1..=MOST_PORTS).contains(&ports) {
            return Err(DecodeError::Sizes { socs, ports });
        }
        let expected = Update::encoded_len(socs, ports);
        if given != expected {
            return Err(DecodeError::Length { expected, given });
        }
        let gateway = (gateway != NO_GATEWAY).then_some(u32::from(gateway));
        if let Some(gateway) = gateway.filter(|&gateway| gateway >= socs) {
            return Err(DecodeError::Gateway { gateway, socs });
        }
        let (addresses, sets) = rest.split_at(6 * index(ports));
        let (addresses, _) = addresses.as_chunks::<6>();
        let neighbours = addresses.iter().map(|&address| (address != [0; 6]).then_some(Mac(address))).collect();
        let bit = |bit: usize| sets[bit / 8] >> (bit % 8) & 1 == 1;
        if (index(socs) * index(ports)..sets.len() * 8).any(bit) {
            return Err(DecodeError::Padding);
        }
        let set =
            |soc: usize| (0..ports).fold(0, |set, port| set | u16::from(bit(soc * index(ports) + index(port))) << port);
        let table = Table::new(ports, (0..index(socs)).map(set).collect());
        Ok(Update { version, neighbours, gateway, table })
    }
}

/// A bit for each destination and port.
fn bits(table: &Table) -> impl Iterator<Item = bool> + '_ {
    (0..table.socs()).flat_map(move |soc| (0..table.ports()).map(move |port| table.set(soc) >> port & 1 == 1))
}
