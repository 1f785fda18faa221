//! Who met whom at a port that only one packet can have.

use crate::links::{Fate, Load, Packet};
use crate::network::Fastpod;
use arbiter::Slot;
use fabric::{Collision, Observer, Party};
use units::Time;

/// Of what a packet is, from whom and to whom, and the slot in which it was sent.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Passing {
    kind: Kind,
    source: u16,
    destination: u16,
    slot: Option<Slot>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Data,
    Request,
    Answer,
}

impl Packet {
    pub(crate) fn passing(&self) -> Passing {
        let kind = match self.load {
            Load::Data(..) => Kind::Data,
            Load::Request(_) => Kind::Request,
            Load::Answer(_) => Kind::Answer,
        };
        Passing { kind, source: self.source, destination: self.destination, slot: self.slot }
    }
}

impl<O: Observer> Fastpod<O> {
    /// Two packets that were scheduled have met: the one that comes later is lost.
    #[cold]
    pub(crate) fn collide(&mut self, now: Time, link: u32, place: u32) {
        self.sums.collisions += 1;
        *self.collisions.entry(link).or_default() += 1;
        self.sums.first_collision = self.sums.first_collision.or(Some(now));
        let wire = &self.wires[link as usize];
        let other = Some(wire.packet).filter(|other| self.packets[*other].serial == wire.serial);
        let links = &self.rig.topology;
        let is_inside = (link as usize) < links.links().len();
        let from = if is_inside { links.link(topology::LinkId(link)).from.0 } else { self.rack_before(link) };
        let collision = Collision {
            at: now,
            from,
            link: is_inside.then_some(link),
            lost: self.party(self.packets[place].passing(), Some(place)),
            met: self.party(wire.passing, other),
        };
        self.met.push_back(collision);
        self.give_up(now, link, place, Fate::Collision);
    }

    /// Who a packet is of; and the connection, if it is still there.
    fn party(&self, passing: Passing, place: Option<u32>) -> Party {
        let Passing { kind, source, destination, slot } = passing;
        let host = |number: u16| Some(self.rig.hosts[usize::from(number)]);
        let (kind, source, destination) = match kind {
            Kind::Data => ("data", host(source), host(destination)),
            Kind::Request => ("request", host(source), None),
            Kind::Answer => ("answer", None, host(destination)),
        };
        let flow = place.and_then(|place| match &self.packets[place].load {
            Load::Data(first, _) => Some(self.messages[first.0].frame),
            Load::Request(_) | Load::Answer(_) => None,
        });
        Party {
            kind,
            source,
            destination,
            flow: flow.map(|frame| [frame.flow, frame.epoch]),
            slot: slot.map(|slot| slot.0),
        }
    }
}
