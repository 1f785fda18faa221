//! The four designs of §6.1.1, by what they do clock by clock.

use serde::{Deserialize, Serialize};

/// A device's data path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Design {
    /// NetFPGA SUME's Reference Switch: whole packets, a word a clock; the output port look-up starts at most one packet
    /// every `lookup_clocks` (`switch_output_port_lookup.v`: the header is taken from the first word, a second state waits
    /// for the end of the packet, so that a packet takes two clocks at least).
    ReferenceSwitch,
    /// NDP's switch: as the Reference Switch, and a stage that holds the first word of every NDP packet for one clock.
    NdpSwitch,
    /// Cells of a fixed size; each packet is padded to whole cells.
    Cells,
    /// Cells of a fixed size; all packets that a credit releases are one burst, and only its last cell is padded.
    PackedCells,
}

impl Design {
    /// All of them, in the paper's order.
    pub const ALL: [Design; 4] = [Design::ReferenceSwitch, Design::NdpSwitch, Design::Cells, Design::PackedCells];

    /// As people write it.
    pub const fn name(self) -> &'static str {
        match self {
            Design::ReferenceSwitch => "reference-switch",
            Design::NdpSwitch => "ndp-switch",
            Design::Cells => "cells",
            Design::PackedCells => "packed-cells",
        }
    }
    /// Whether it moves cells, not packets.
    pub const fn has_cells(self) -> bool {
        match self {
            Design::ReferenceSwitch | Design::NdpSwitch => false,
            Design::Cells | Design::PackedCells => true,
        }
    }
    /// Clocks for which a stage behind the look-up holds the first word of a unit; none where there is no such stage.
    ///
    /// NDP's `nf_ndp.v` (nets-cs-pub-ro/NDP, `switch/netfpga`): in `CHECK_TCP_OQ_STATUS` the first word of an NDP packet is
    /// put aside and nothing is sent; it leaves in `CHECK_ACK_NACK`, one clock later, and the rest follows a word a clock.
    /// Packets of other protocols pass without it. Trimming, which takes longer, needs a full output queue.
    pub(crate) const fn hold(self, traffic: Traffic) -> Option<u32> {
        match (self, traffic) {
            (Design::NdpSwitch, Traffic::Ndp) => Some(1),
            (Design::NdpSwitch, Traffic::Tcp) => Some(0),
            (Design::ReferenceSwitch | Design::Cells | Design::PackedCells, _) => None,
        }
    }
}

/// What the packets are; only NDP's switch tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Traffic {
    /// NDP packets.
    Ndp,
    /// Anything else. NDP's switch treats it as the Reference Switch does (§6.1.1, footnote 3).
    Tcp,
}

/// What the lines carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lines {
    /// Packets, each with preamble and gap. A design with cells makes them inside.
    Packets,
    /// Cells, each a frame with preamble and gap: the device is a Fabric Element, somebody else has made the cells.
    Cells,
}
