//! What NICs and L1 switches do about what they hear. They know no time and no network: whoever runs them, the simulator or the model checker, carries their effects out,
//! one after another.

use crate::message::{Message, Name, Place};
use crate::switch::Turn;

/// One thing that a NIC or a switch does about a circuit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It sends a control cell over the link of a place, which tells the node there of the circuit in that slot.
    Tell(Name, Place, Message),
    /// The circuit has a slot of a link away from here.
    Join(Name, Place),
    /// It has given that slot back.
    Leave(Name, Place),
    /// The node at the other end of that slot takes the circuit's cells from now on.
    Open(Name, Place),
    /// A circuit that begins at this NIC: its source hears `Ack`, `TearDown`, `DataAck` or `Restart`.
    Source(Name, Message),
    /// A circuit that ends at this NIC has been accepted.
    Accept(Name),
    /// The ringmaster of this port of the switch puts something onto the ring. An answer goes on in the place in which its request came.
    Ring(u8, Turn),
}
