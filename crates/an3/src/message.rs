//! Control cells (§3): what sets circuits up, tears them down, and tells of their data.

/// A circuit, or an attempt at one: the number of its source's flow, and which of its attempts it is. A message of an earlier attempt is known by that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name {
    /// Which circuit.
    pub circuit: u32,
    /// Which attempt.
    pub attempt: u32,
}

/// A slot of a link, by the number of the link's port at the node that speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The port; [`Place::HERE`] at the end of a circuit.
    pub port: u8,
    /// The slot.
    pub slot: u8,
}

impl Place {
    /// The node itself: its circuit begins or ends there.
    pub const HERE: Place = Place { port: u8::MAX, slot: 0 };
}

/// Where a circuit is to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Goal {
    /// The NIC at its end.
    pub destination: u32,
    /// The egress NIC over which it leaves its L0 network, by its number there.
    pub exit: u8,
    /// The container that it goes to first, until it is there (Valiant load balancing, §2.2).
    pub via: Option<u16>,
}

/// Why a circuit could not be set up, so that its source knows whether another path can help (§3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// Its data has come, or its source wants it no longer.
    Done,
    /// No slot on a link of an L0 network or out of it, or none in common at the L1 switch.
    Full,
    /// No slot from its container to the next.
    Between,
    /// The destination takes no more circuits, or its L0 network has no room for one.
    Destination,
    /// A link or a node on its path is broken.
    Broken,
}

/// What a control cell says of the circuit in this slot of the link. `SetUp` and `Close` go with the data, all others against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    /// Take this slot for it, and pass the request on.
    SetUp(Goal),
    /// The next switch, or the destination, has it and takes data.
    Ack,
    /// It is no more, from here to the destination; the slot is free.
    TearDown(Reason),
    /// It is no more, from the source to here; the slot is free.
    Close,
    /// A chunk of its data has come.
    DataAck {
        /// Which, by the number of the flow's chunk.
        chunk: u32,
    },
    /// Its first cells have not come; begin again.
    Restart,
}

impl Message {
    /// Whether it goes from the source towards the destination.
    pub fn is_forward(self) -> bool {
        match self {
            Message::SetUp(_) | Message::Close => true,
            Message::Ack | Message::TearDown(_) | Message::DataAck { .. } | Message::Restart => false,
        }
    }

    /// Whether ringmasters let it onto the ring before requests: what frees slots does (§8.2).
    pub fn is_urgent(self) -> bool {
        match self {
            Message::TearDown(_) | Message::Close => true,
            Message::SetUp(_) | Message::Ack | Message::DataAck { .. } | Message::Restart => false,
        }
    }
}
