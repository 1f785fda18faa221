//! The L1 switch (§4): ringmasters that find a slot that is free at the input and at the output, and the crossbar's schedule.
//!
//! A request passes three steps, each of which is a message on the ring: at the input's ringmaster, which locks the input's schedule and sends it along; at the output's, which takes a slot that is
//! free in both, passes the request on, and answers; and at the input's again, which notes the slot, unlocks, and acknowledges (Fig. 8). The device knows no time: the ring carries what each
//! step returns to the next.

use crate::effect::Effect;
use crate::message::{Goal, Message, Name, Place, Reason};
use crate::slots::Slots;
use crate::table::{Entry, Table};
use std::collections::VecDeque;

/// A request on its way around the ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Request {
    /// Of this circuit.
    pub name: Name,
    /// Where it is to go.
    pub goal: Goal,
    /// The slot in which its cells come from the switch or NIC before.
    pub from: Place,
    /// The port at which it is to leave.
    pub to: u8,
    /// Why there is no slot, if there is none: full, or full between containers.
    pub full: Reason,
}

/// What goes around the ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Turn {
    /// From the input's ringmaster to the output's, with the input's schedule.
    Request(Request),
    /// From there on to the input's again: the slot, or why there is none.
    Answer(Request, Result<u8, Reason>),
    /// From the input's to the output's: a circuit has ended that leaves in this slot.
    Close(Name, Place),
    /// From the output's to the input's: what is to be told the node before, of a circuit that comes in this slot.
    Back(Name, Place, Message),
}

impl Turn {
    /// Whether ringmasters let it onto the ring before requests: what frees slots does (§8.2).
    pub fn is_urgent(self) -> bool {
        match self {
            Turn::Close(..) => true,
            Turn::Back(.., message) => message.is_urgent(),
            Turn::Request(_) | Turn::Answer(..) => false,
        }
    }
}

/// Where a request leaves a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// The port.
    pub port: u8,
    /// Where it is to go from there.
    pub goal: Goal,
    /// What it means if no slot of that port is free.
    pub full: Reason,
}

/// A circuit that comes in a slot of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Incoming {
    /// It was asked for, and waits or is on the ring.
    Asked(Name),
    /// Its cells cross the switch in the slot of this place and leave at its port.
    Open(Name, Place),
}

impl Incoming {
    fn name(self) -> Name {
        match self {
            Incoming::Asked(name) | Incoming::Open(name, _) => name,
        }
    }
}

/// What a ringmaster keeps of an input.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Input {
    /// By the slot in which cells come.
    incoming: Box<[Option<Incoming>]>,
    /// Slots in which the crossbar takes nothing from this input.
    schedule: Slots,
    /// A request with this schedule is on the ring, and no other goes meanwhile.
    is_locked: bool,
    waiting: VecDeque<Request>,
}

/// An L1 switch's ringmasters, without their ring.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Switch {
    inputs: Vec<Input>,
    /// By port, what leaves in the slots in which it crosses.
    outputs: Vec<Table>,
}

/// What the input's ringmaster does when the answer has come around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answered {
    /// It acknowledges.
    Open,
    /// It tells the node before why not.
    Refused,
    /// The circuit was closed meanwhile: the output is to forget it.
    Unwanted,
}

impl Switch {
    /// With ports of so many slots each.
    pub fn new(slots: &[u32]) -> Switch {
        let input = |slots: &u32| Input {
            incoming: vec![None; *slots as usize].into(),
            schedule: Slots::first_of(*slots),
            is_locked: false,
            waiting: VecDeque::new(),
        };
        Switch {
            inputs: slots.iter().map(input).collect(),
            outputs: slots.iter().map(|slots| Table::new(*slots)).collect(),
        }
    }

    /// Slots that are free at an output.
    pub fn free(&self, port: u8) -> Slots {
        self.outputs[usize::from(port)].free()
    }

    /// What leaves at an output.
    pub fn output(&self, port: u8) -> &Table {
        &self.outputs[usize::from(port)]
    }

    /// Circuits that come at an input, with the slots in which they come, whether or not they have crossed.
    pub fn incoming(&self, port: u8) -> impl Iterator<Item = (u8, Name)> {
        (0..).zip(&self.inputs[usize::from(port)].incoming).filter_map(|(slot, entry)| Some((slot, (*entry)?.name())))
    }

    /// A control cell has come at a port, of the circuit in this slot of its link. Over which port a request leaves, of those that work, `output` says.
    pub fn hear(
        &mut self,
        place: Place,
        name: Name,
        message: Message,
        output: impl FnOnce(&Goal) -> Option<Way>,
        effects: &mut Vec<Effect>,
    ) {
        match message {
            Message::SetUp(goal) => {
                // An earlier circuit's end was lost on the way.
                if let Some(earlier) = self.holder(place) {
                    self.close(place, earlier, effects);
                }
                match output(&goal) {
                    None => effects.push(Effect::Tell(name, place, Message::TearDown(Reason::Broken))),
                    Some(Way { port, goal, full }) => {
                        let request = self.ask(Request { name, goal, from: place, to: port, full });
                        effects.extend(request.map(|request| Effect::Ring(place.port, Turn::Request(request))));
                    }
                }
            }
            Message::Close => self.close(place, name, effects),
            Message::TearDown(_) => {
                if let Some(from) = self.release_output(name, place) {
                    let back = Effect::Ring(place.port, Turn::Back(name, from, message));
                    effects.extend([Effect::Leave(name, place), back]);
                }
            }
            Message::Ack => {
                if self.before(name, place).is_some() {
                    effects.push(Effect::Open(name, place));
                }
            }
            Message::DataAck { .. } | Message::Restart => {
                let from = self.before(name, place);
                effects.extend(from.map(|from| Effect::Ring(place.port, Turn::Back(name, from, message))));
            }
        }
    }

    /// At the input's ringmaster: a circuit is closed that comes in this slot.
    fn close(&mut self, from: Place, name: Name, effects: &mut Vec<Effect>) {
        if let (true, Some(to)) = self.release_input(name, from) {
            effects.push(Effect::Ring(from.port, Turn::Close(name, to)));
        }
    }

    /// Something on the ring is where it goes. A request finds no slot at a port whose link is broken.
    pub fn turn(&mut self, turn: Turn, works: impl FnOnce(u8) -> bool, effects: &mut Vec<Effect>) {
        match turn {
            Turn::Request(request) => {
                let slot = if works(request.to) { self.match_slot(request) } else { Err(Reason::Broken) };
                if let Ok(slot) = slot {
                    let to = Place { port: request.to, slot };
                    let on = Effect::Tell(request.name, to, Message::SetUp(request.goal));
                    effects.extend([Effect::Join(request.name, to), on]);
                }
                effects.push(Effect::Ring(request.to, Turn::Answer(request, slot)));
            }
            Turn::Answer(request, slot) => {
                let (answered, next) = self.answer(request, slot);
                let (name, from) = (request.name, request.from);
                let close = |slot| Turn::Close(name, Place { port: request.to, slot });
                effects.extend(match (answered, slot) {
                    (Answered::Open, _) => Some(Effect::Tell(name, from, Message::Ack)),
                    (Answered::Refused, slot) => {
                        let reason = slot.err().unwrap_or(request.full);
                        Some(Effect::Tell(name, from, Message::TearDown(reason)))
                    }
                    (Answered::Unwanted, slot) => slot.ok().map(|slot| Effect::Ring(from.port, close(slot))),
                });
                effects.extend(next.map(|next| Effect::Ring(next.from.port, Turn::Request(next))));
            }
            Turn::Close(name, to) => {
                if self.release_output(name, to).is_some() {
                    effects.extend([Effect::Leave(name, to), Effect::Tell(name, to, Message::Close)]);
                }
            }
            Turn::Back(name, from, message) => {
                let is_there = match message {
                    Message::TearDown(_) => self.release_input(name, from).0,
                    Message::SetUp(_) | Message::Ack | Message::Close | Message::DataAck { .. } | Message::Restart => {
                        self.after(name, from).is_some()
                    }
                };
                if is_there {
                    effects.push(Effect::Tell(name, from, message));
                }
            }
        }
    }

    /// A request has come: (1) in Fig. 8. If the input is not locked it goes onto the ring now. If its slot has an earlier circuit ([`Switch::holder`]), that one's end was
    /// lost on the way: release it before.
    fn ask(&mut self, request: Request) -> Option<Request> {
        let input = &mut self.inputs[usize::from(request.from.port)];
        let slot = &mut input.incoming[usize::from(request.from.slot)];
        debug_assert!(slot.is_none(), "a slot has one circuit");
        *slot = Some(Incoming::Asked(request.name));
        if input.is_locked {
            input.waiting.push_back(request);
            return None;
        }
        input.is_locked = true;
        Some(request)
    }

    /// The request is at the output's ringmaster, with the input's schedule (4). The slot in which it crosses, or why there is none. While the input is locked nothing but an end
    /// changes its schedule, which frees a slot: looking at it now and not at a copy finds those too.
    ///
    /// # Errors
    /// If there is none.
    fn match_slot(&mut self, request: Request) -> Result<u8, Reason> {
        let input = self.inputs[usize::from(request.from.port)].schedule;
        let output = &mut self.outputs[usize::from(request.to)];
        let slot = input.and(output.free()).least().ok_or(request.full)?;
        output.take(slot, Entry { name: request.name, other: request.from });
        Ok(slot)
    }

    /// The answer is back at the input's ringmaster (6). What it does, and the request that goes onto the ring next.
    fn answer(&mut self, request: Request, slot: Result<u8, Reason>) -> (Answered, Option<Request>) {
        let input = &mut self.inputs[usize::from(request.from.port)];
        let incoming = &mut input.incoming[usize::from(request.from.slot)];
        let is_wanted = *incoming == Some(Incoming::Asked(request.name));
        let answered = match (is_wanted, slot) {
            (true, Ok(slot)) => {
                *incoming = Some(Incoming::Open(request.name, Place { port: request.to, slot }));
                input.schedule.take(slot);
                Answered::Open
            }
            (true, Err(_)) => {
                *incoming = None;
                Answered::Refused
            }
            (false, _) => Answered::Unwanted,
        };
        let next = input.waiting.pop_front();
        input.is_locked = next.is_some();
        (answered, next)
    }

    /// From where a circuit comes that leaves in this slot.
    pub fn before(&self, name: Name, to: Place) -> Option<Place> {
        Some(self.outputs[usize::from(to.port)].of(to.slot, name)?.other)
    }

    /// Where a circuit leaves that comes in this slot, if it has crossed.
    pub fn after(&self, name: Name, from: Place) -> Option<Place> {
        match self.inputs[usize::from(from.port)].incoming[usize::from(from.slot)]? {
            Incoming::Open(own, to) if own == name => Some(to),
            Incoming::Open(..) | Incoming::Asked(_) => None,
        }
    }

    /// At the output's ringmaster: a circuit that left in this slot is no more. From where it came: the input's ringmaster is to [`Switch::release_input`].
    fn release_output(&mut self, name: Name, to: Place) -> Option<Place> {
        Some(self.outputs[usize::from(to.port)].release(to.slot, name)?.other)
    }

    /// At the input's ringmaster: a circuit that came in this slot is no more. Whether it was there; and where it leaves, if it has crossed: then the output's ringmaster is to
    /// [`Switch::release_output`], unless it has done so.
    fn release_input(&mut self, name: Name, from: Place) -> (bool, Option<Place>) {
        let input = &mut self.inputs[usize::from(from.port)];
        let slot = &mut input.incoming[usize::from(from.slot)];
        match *slot {
            Some(Incoming::Open(own, to)) if own == name => {
                *slot = None;
                input.schedule.put(to.slot);
                (true, Some(to))
            }
            Some(Incoming::Asked(own)) if own == name => {
                *slot = None;
                // One that waits needs no answer; one on the ring finds nothing when it is back.
                input.waiting.retain(|request| request.name != name);
                (true, None)
            }
            Some(Incoming::Open(..) | Incoming::Asked(_)) | None => (false, None),
        }
    }

    /// What has a slot of an input.
    fn holder(&self, from: Place) -> Option<Name> {
        self.inputs[usize::from(from.port)].incoming[usize::from(from.slot)].map(Incoming::name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOAL: Goal = Goal { destination: 0, exit: 0, via: None };

    fn request(circuit: u32, from: [u8; 2], to: u8) -> Request {
        let [port, slot] = from;
        Request {
            name: Name { circuit, attempt: 0 },
            goal: GOAL,
            from: Place { port, slot },
            to,
            full: Reason::Between,
        }
    }

    #[test]
    fn a_common_slot_is_found_and_given_back() {
        let mut switch = Switch::new(&[2, 2, 2]);
        let first = switch.ask(request(1, [0, 1], 2)).expect("nothing is locked");
        assert_eq!(switch.ask(request(2, [0, 0], 2)), None, "the input is locked");
        let slot = switch.match_slot(first);
        assert_eq!(slot, Ok(0));
        let (answered, next) = switch.answer(first, slot);
        assert_eq!((answered, next.map(|request| request.name.circuit)), (Answered::Open, Some(2)));
        let second = next.expect("it waited");
        let slot = switch.match_slot(second);
        assert_eq!(slot, Ok(1), "slot 0 is taken on both sides");
        assert_eq!(switch.answer(second, slot), (Answered::Open, None));
        // Another input has both slots free, and the output none.
        let third = switch.ask(request(3, [1, 0], 2)).expect("it is another input");
        assert_eq!(switch.match_slot(third), Err(Reason::Between));
        assert_eq!(switch.answer(third, Err(Reason::Between)), (Answered::Refused, None));
        let place = Place { port: 2, slot: 0 };
        assert_eq!(switch.before(first.name, place), Some(first.from));
        assert_eq!(switch.release_output(first.name, place), Some(first.from));
        assert_eq!(switch.release_input(first.name, first.from), (true, Some(place)));
        assert_eq!(switch.release_output(first.name, place), None, "once is enough");
        let third = switch.ask(third).expect("it is not locked any more");
        assert_eq!(switch.match_slot(third), Ok(0));
    }

    #[test]
    fn a_circuit_that_is_closed_on_the_ring_is_unwanted() {
        let mut switch = Switch::new(&[2, 2]);
        let request = switch.ask(request(1, [0, 0], 1)).expect("nothing is locked");
        let slot = switch.match_slot(request);
        assert_eq!(switch.release_input(request.name, request.from), (true, None));
        assert_eq!(switch.answer(request, slot).0, Answered::Unwanted);
        assert_eq!(switch.release_output(request.name, Place { port: 1, slot: 0 }), Some(request.from));
        assert_eq!(switch, Switch::new(&[2, 2]), "nothing is left of it");
    }
}
