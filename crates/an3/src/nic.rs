//! A NIC between its neighbours (§5): it gives each circuit that passes a slot of the link that it leaves on, so that cells need not wait for each other.
//!
//! The paper says that NICs "must be aware of framing" and that every switch on a path assigns a slot (§3); cells then move through an L0 network without jitter (§3.3). Which slot is
//! the caller's choice, as the first that comes after a cell's arrival depends on when frames begin.

use crate::message::{Name, Place};
use crate::slots::Slots;
use crate::table::{Entry, Table};

/// The circuits of one NIC: those that begin there, those that end there, those that pass.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Nic {
    ports: Vec<[Table; 2]>,
}

const IN: usize = 0;
const OUT: usize = 1;

impl Nic {
    /// With links of so many slots, by port.
    pub fn new(slots: impl IntoIterator<Item = u32>) -> Nic {
        Nic { ports: slots.into_iter().map(|slots| [Table::new(slots), Table::new(slots)]).collect() }
    }

    /// Slots that are free on the link of a port, away from here.
    pub fn free(&self, port: u8) -> Slots {
        self.ports[usize::from(port)][OUT].free()
    }

    /// Circuits on the link of a port: towards here, and away from here.
    pub fn tables(&self, port: u8) -> &[Table; 2] {
        &self.ports[usize::from(port)]
    }

    /// A circuit comes in one slot and leaves in the other; [`Place::HERE`] is where it begins or ends. If its slot has an earlier circuit, that one's
    /// end was lost on the way: it has ended, and the place where it left is returned.
    pub fn join(&mut self, name: Name, from: Place, to: Place) -> Option<Place> {
        let earlier = self.forget(from);
        if from != Place::HERE {
            self.ports[usize::from(from.port)][IN].take(from.slot, Entry { name, other: to });
        }
        if to != Place::HERE {
            self.ports[usize::from(to.port)][OUT].take(to.slot, Entry { name, other: from });
        }
        earlier
    }

    /// What has a slot of a link towards here has ended without a word. Where it left.
    pub fn forget(&mut self, from: Place) -> Option<Place> {
        if from == Place::HERE {
            return None;
        }
        let entry = self.ports[usize::from(from.port)][IN].get(from.slot)?;
        self.close(entry.name, from)
    }

    /// From where a circuit comes that leaves in this slot.
    pub fn before(&self, name: Name, to: Place) -> Option<Place> {
        Some(self.ports[usize::from(to.port)][OUT].of(to.slot, name)?.other)
    }

    /// Where a circuit leaves that comes in this slot.
    pub fn after(&self, name: Name, from: Place) -> Option<Place> {
        Some(self.ports[usize::from(from.port)][IN].of(from.slot, name)?.other)
    }

    /// A circuit that leaves in this slot is no more. From where it came.
    pub fn tear_down(&mut self, name: Name, to: Place) -> Option<Place> {
        let from = self.ports[usize::from(to.port)][OUT].release(to.slot, name)?.other;
        if from != Place::HERE {
            self.ports[usize::from(from.port)][IN].release(from.slot, name);
        }
        Some(from)
    }

    /// A circuit that comes in this slot is no more. Where it left.
    pub fn close(&mut self, name: Name, from: Place) -> Option<Place> {
        let to = self.ports[usize::from(from.port)][IN].release(from.slot, name)?.other;
        if to != Place::HERE {
            self.ports[usize::from(to.port)][OUT].release(to.slot, name);
        }
        Some(to)
    }
}
