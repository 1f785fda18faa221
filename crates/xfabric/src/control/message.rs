//! What controller, crosspoints and SoCs say to each other. [`super::encoding`] has their bytes.

use super::version::{Epoch, Version};
use crate::demand::DemandVector;
use crate::forwarding::{Mac, Update};

/// Who is joined with whom inside one crosspoint: by local port, the local port at the other end. [`super::Wiring`] says which
/// SoC's port hangs on which local port.
pub type PortMap = Vec<Option<u16>>;

/// A configuration of one crosspoint.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Setting {
    /// Of the rack's configuration that it is a part of.
    pub version: Version,
    /// Its circuits.
    pub map: PortMap,
}

/// What a controller asks of a crosspoint, over the control plane.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Command {
    /// Obey this epoch from now on, and say what is set. Answered with [`Answer::Status`].
    Take {
        /// The controller's.
        epoch: Epoch,
    },
    /// The map packet of §4.4: load this and set nothing. Answered with [`Answer::Stored`].
    Map {
        /// The controller's.
        epoch: Epoch,
        /// Of the new configuration.
        version: Version,
        /// Of the configuration that `changes` change: the one that the crosspoint has set.
        base: Version,
        /// The ports to be reconfigured, in ascending order, each with the port at its other end; all others stay as they are.
        changes: Vec<(u16, Option<u16>)>,
    },
    /// Set what was loaded (§4.4: `reconfigure`). Answered with [`Answer::Reconfigured`].
    Reconfigure {
        /// The controller's.
        epoch: Epoch,
        /// Of what is to be set.
        version: Version,
    },
}

/// What a crosspoint answers a controller.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Answer {
    /// What is set, and what would be.
    Status {
        /// Who answers.
        crosspoint: u32,
        /// The epoch that it obeys.
        promised: Epoch,
        /// It obeys this epoch since the very command that it answers.
        granted: bool,
        /// What is set.
        active: Setting,
        /// What is loaded to be set next.
        pending: Option<Setting>,
    },
    /// The map with this version is loaded.
    Stored {
        /// Who answers.
        crosspoint: u32,
        /// Of the map.
        version: Version,
    },
    /// The configuration with this version, or a later one, is set.
    Reconfigured {
        /// Who answers.
        crosspoint: u32,
        /// That it was told to set.
        version: Version,
    },
}

/// What crosspoints tell each other, so that all set a configuration which one has set, even if its controller dies (§4.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// I have set this configuration: set it too.
    Reconfigure {
        /// Who says so.
        from: u32,
        /// Of the configuration.
        version: Version,
    },
    /// I have set this configuration or a later one.
    Confirm {
        /// Who says so.
        from: u32,
        /// Of the configuration.
        version: Version,
    },
}

/// What goes over a link from a SoC to its neighbour, among the frames of hosts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum LinkMessage {
    /// I am at the other end. The neighbour check of §4.4, for links on which hosts are silent.
    Hello {
        /// The address of the sender's port.
        from: Mac,
        /// Of the tables that the sender uses.
        version: Version,
        /// Of the tables that it has stored to be used next; [`Version::NONE`] if it has none.
        stored: Version,
    },
    /// Use the tables of this version, and pass it on (§4.4: the flood).
    Reconfigure {
        /// Of the configuration.
        version: Version,
    },
    /// Between the controller and a SoC.
    Routed(Packet),
}

/// A message between the controller and a SoC, over the data plane. It goes by a route that the controller chose, and its answer by
/// the same route back: tables of any version, or none, will do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Packet {
    /// The ports by which it has still to leave, the next one last.
    pub route: Vec<u8>,
    /// The ports by which it came, the latest last: the route of an answer.
    pub back: Vec<u8>,
    /// What it says.
    pub body: Body,
}

/// What a controller and a SoC say to each other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Body {
    /// To a SoC: how are you, and what have you sent? Answered with [`Body::Report`].
    Query {
        /// To whom.
        soc: u32,
        /// The controller's.
        epoch: Epoch,
        /// Counts the controller's questions, so that an answer that is late is known as such.
        round: u32,
    },
    /// To a SoC: store these tables, use none of them yet. Answered with [`Body::Stored`].
    Map {
        /// To whom.
        soc: u32,
        /// The version that is in force: all crosspoints have set it. If it is that of the update, use it at once.
        base: Version,
        /// Tables, neighbours and version.
        update: Update,
    },
    /// From a SoC.
    Report(Report),
    /// From a SoC: the tables of this version are stored.
    Stored {
        /// Who.
        soc: u32,
        /// Of the tables.
        version: Version,
    },
}

/// What a SoC answers to a query.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Report {
    /// Who.
    pub soc: u32,
    /// Of the query.
    pub epoch: Epoch,
    /// Of the query.
    pub round: u32,
    /// Of the tables in use.
    pub active: Version,
    /// Bit `i` for port `i`: the neighbour that its tables name there has not been heard for a while.
    pub silent: u16,
    /// What was counted since the report before (§4.1).
    pub demand: DemandVector,
}
