//! A NIC between its neighbours (§5): it gives each circuit that passes a slot of the link that it leaves on, so that cells need not wait for each other.
//!
//! The paper says that NICs "must be aware of framing" and that every switch on a path assigns a slot (§3); cells then move through an L0 network without jitter (§3.3). Which slot is
//! the caller's choice, as the first that comes after a cell's arrival depends on when frames begin.

use crate::effect::Effect;
use crate::message::{Goal, Message, Name, Place, Reason};
use crate::slots::Slots;
use crate::table::{Entry, Table};

/// The circuits of one NIC: those that begin there, those that end there, those that pass.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Nic {
    ports: Vec<[Table; 2]>,
    /// Circuits that end here, and how many may.
    ending: u32,
    most: u32,
}

const IN: usize = 0;
const OUT: usize = 1;

impl Nic {
    /// With links of so many slots, by port, at which so many circuits may end at once.
    pub fn new(slots: impl IntoIterator<Item = u32>, most: u32) -> Nic {
        let ports = slots.into_iter().map(|slots| [Table::new(slots), Table::new(slots)]).collect();
        Nic { ports, ending: 0, most }
    }

    /// Slots that are free on the link of a port, away from here.
    pub fn free(&self, port: u8) -> Slots {
        self.ports[usize::from(port)][OUT].free()
    }

    /// Circuits on the link of a port: towards here, and away from here.
    pub fn tables(&self, port: u8) -> &[Table; 2] {
        &self.ports[usize::from(port)]
    }

    /// From where a circuit comes that leaves in this slot.
    pub fn before(&self, name: Name, to: Place) -> Option<Place> {
        Some(self.ports[usize::from(to.port)][OUT].of(to.slot, name)?.other)
    }

    /// Where a circuit leaves that comes in this slot.
    pub fn after(&self, name: Name, from: Place) -> Option<Place> {
        Some(self.ports[usize::from(from.port)][IN].of(from.slot, name)?.other)
    }

    /// A circuit begins here and leaves in this slot.
    pub fn begin(&mut self, name: Name, to: Place) {
        self.join(name, Place::HERE, to);
    }

    /// The source of a circuit that leaves in this slot gives it up. Whether it was there: the next node is to hear that it is closed.
    pub fn give_up(&mut self, name: Name, to: Place) -> bool {
        self.tear_down(name, to).is_some()
    }

    /// The destination of a circuit that comes in this slot has all of its data, and ends it. Whether it was there: the node before is to hear that it is torn down.
    pub fn finish(&mut self, name: Name, from: Place) -> bool {
        self.close(name, from).is_some()
    }

    /// It hears of the circuit in this slot. A request that ends here, or may not pass, or leaves in the slot that `choose` finds: [`Place::HERE`], a refusal, or a place.
    pub fn hear(
        &mut self,
        place: Place,
        name: Name,
        message: Message,
        choose: impl FnOnce(&Nic, &Goal) -> Result<Place, Reason>,
        effects: &mut Vec<Effect>,
    ) {
        match message {
            Message::SetUp(goal) => {
                // An earlier circuit's end was lost on the way.
                if let Some(earlier) = self.ports[usize::from(place.port)][IN].get(place.slot) {
                    self.pass_close(place, earlier.name, effects);
                }
                let to = choose(self, &goal);
                self.set_up(place, name, &goal, to, effects);
            }
            Message::Close => self.pass_close(place, name, effects),
            Message::TearDown(_) => {
                let Some(from) = self.tear_down(name, place) else { return };
                effects.extend([Effect::Leave(name, place), Nic::back(name, from, message)]);
            }
            Message::Ack => {
                let Some(from) = self.before(name, place) else { return };
                effects.extend([Effect::Open(name, place), Nic::back(name, from, message)]);
            }
            Message::DataAck { .. } | Message::Restart => {
                effects.extend(self.before(name, place).map(|from| Nic::back(name, from, message)));
            }
        }
    }

    /// A request takes its slots, or ends here, or is refused.
    fn set_up(&mut self, from: Place, name: Name, goal: &Goal, to: Result<Place, Reason>, effects: &mut Vec<Effect>) {
        let refuse = |reason| Effect::Tell(name, from, Message::TearDown(reason));
        match to {
            Ok(Place::HERE) if self.ending >= self.most => effects.push(refuse(Reason::Destination)),
            Ok(Place::HERE) => {
                self.ending += 1;
                self.join(name, from, Place::HERE);
                effects.extend([Effect::Tell(name, from, Message::Ack), Effect::Accept(name)]);
            }
            Ok(to) => {
                self.join(name, from, to);
                effects.extend([Effect::Join(name, to), Effect::Tell(name, to, Message::SetUp(*goal))]);
            }
            Err(reason) => effects.push(refuse(reason)),
        }
    }

    /// A circuit that comes in this slot is closed, and so is the rest of it.
    fn pass_close(&mut self, from: Place, name: Name, effects: &mut Vec<Effect>) {
        if let Some(to) = self.close(name, from).filter(|to| *to != Place::HERE) {
            effects.extend([Effect::Leave(name, to), Effect::Tell(name, to, Message::Close)]);
        }
    }

    /// What goes against the data goes to the node before, or to the source here.
    fn back(name: Name, from: Place, message: Message) -> Effect {
        if from == Place::HERE { Effect::Source(name, message) } else { Effect::Tell(name, from, message) }
    }

    /// A circuit comes in one slot and leaves in the other; [`Place::HERE`] is where it begins or ends.
    fn join(&mut self, name: Name, from: Place, to: Place) {
        if from != Place::HERE {
            self.ports[usize::from(from.port)][IN].take(from.slot, Entry { name, other: to });
        }
        if to != Place::HERE {
            self.ports[usize::from(to.port)][OUT].take(to.slot, Entry { name, other: from });
        }
    }

    /// A circuit that leaves in this slot is no more. From where it came.
    fn tear_down(&mut self, name: Name, to: Place) -> Option<Place> {
        let from = self.ports[usize::from(to.port)][OUT].release(to.slot, name)?.other;
        if from != Place::HERE {
            self.ports[usize::from(from.port)][IN].release(from.slot, name);
        }
        Some(from)
    }

    /// A circuit that comes in this slot is no more. Where it left.
    fn close(&mut self, name: Name, from: Place) -> Option<Place> {
        let to = self.ports[usize::from(from.port)][IN].release(from.slot, name)?.other;
        if to == Place::HERE {
            self.ending -= 1;
        } else {
            self.ports[usize::from(to.port)][OUT].release(to.slot, name);
        }
        Some(to)
    }
}
