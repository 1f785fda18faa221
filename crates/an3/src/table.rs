//! The slots of one direction of a link, as the node at one of its ends knows them.

use crate::message::{Name, Place};
use crate::slots::Slots;

/// A circuit in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entry {
    /// Which.
    pub name: Name,
    /// The slot that it has on the other side of the node.
    pub other: Place,
}

impl Entry {
    /// What stands in a slot that is free: no circuit has this number.
    const NONE: Entry = Entry { name: Name { circuit: u32::MAX, attempt: 0 }, other: Place::HERE };
}

/// Which circuit has which slot.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Table {
    /// [`Entry::NONE`] where a slot is free: tables are most of what a large network takes of memory, and an option would be a third more.
    entries: Box<[Entry]>,
    free: Slots,
}

impl Table {
    /// Of a link with so many slots.
    pub fn new(slots: u32) -> Table {
        Table { entries: vec![Entry::NONE; slots as usize].into(), free: Slots::first_of(slots) }
    }

    /// Slots without a circuit.
    pub fn free(&self) -> Slots {
        self.free
    }

    /// What has a slot.
    pub fn get(&self, slot: u8) -> Option<Entry> {
        let entry = self.entries[usize::from(slot)];
        (entry.name.circuit != Entry::NONE.name.circuit).then_some(entry)
    }

    /// The entry of this circuit in a slot, if it has it.
    pub fn of(&self, slot: u8, name: Name) -> Option<Entry> {
        self.get(slot).filter(|entry| entry.name == name)
    }

    /// A circuit takes a slot that is free.
    pub fn take(&mut self, slot: u8, entry: Entry) {
        self.free.take(slot);
        self.entries[usize::from(slot)] = entry;
    }

    /// A circuit gives its slot back, if it has it.
    pub fn release(&mut self, slot: u8, name: Name) -> Option<Entry> {
        let entry = self.of(slot, name)?;
        self.entries[usize::from(slot)] = Entry::NONE;
        self.free.put(slot);
        Some(entry)
    }

    /// All circuits, and their slots.
    pub fn all(&self) -> impl Iterator<Item = (u8, Entry)> {
        let taken = Slots::first_of(self.entries.len() as u32).without(self.free);
        taken.all().map(|slot| (slot, self.entries[usize::from(slot)]))
    }
}
