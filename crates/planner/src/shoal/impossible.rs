//! Settings that are each right, and cannot be together.

use units::{Bytes, Rate, Span};

/// Why a rack cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// A switch's ports are halved between nodes and spines.
    #[error("switch_ports = {ports}: half of a leaf's ports go up, so the number must be even")]
    Odd {
        /// Ports of a switch.
        ports: u64,
    },
    /// Two stages are not enough.
    #[error(
        "nodes = {nodes}: two stages of switches with {ports} ports join no more than {most} nodes (k^2/2): raise `switch_ports`"
    )]
    Nodes {
        /// Nodes that are wanted.
        nodes: u64,
        /// Ports of a switch.
        ports: u64,
        /// The most nodes.
        most: u64,
    },
    /// A channel is one link of a switch.
    #[error(
        "channels = {channels}: a channel of {channel} is wider than a switch's port, switch_port_rate = {port}: use more \
         channels, or faster ports"
    )]
    Channel {
        /// Channels of a node.
        channels: u64,
        /// Rate of one.
        channel: Rate,
        /// Rate of a switch's port.
        port: Rate,
    },
    /// A cell has no room for anything behind its header.
    #[error(
        "usable_slot = {usable}: a channel of {channel} carries {cell} in it, and the header of a cell alone takes {header}: \
         raise it, or use fewer channels"
    )]
    Cell {
        /// While a cell is on the line.
        usable: Span,
        /// Rate of a channel.
        channel: Rate,
        /// The cell.
        cell: Bytes,
        /// Its header.
        header: Bytes,
    },
}
