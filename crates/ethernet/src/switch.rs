//! An output-queued packet switch, as a device: a window onto its fabric's flat arrays.

use crate::class::PortClass;
use crate::config::Routing;
use crate::discipline::{Admission, Discipline};
use fabric::{Device, Env, Frame, Port, ecmp::choose};
use topology::{NodeId, Routes};
use units::Time;

/// Where a directed link goes, and which of the fabric's classes its sending port has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wire {
    /// The node that sends.
    pub from: u32,
    /// The node that receives.
    pub to: u32,
    /// Index of the port's class.
    pub class: u32,
    /// The link in the other direction: the port at the far end.
    pub back: u32,
}

/// What a switch has to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// No room for this frame on that port, or its link is dead.
    Dropped(Port, Frame),
    /// No path is left to this frame's host.
    Unreachable(Frame),
    /// This frame waits at that port.
    Queued(Port, Frame),
    /// This frame is marked at that port.
    Marked(Port, Frame),
    /// So many bytes were cut off this frame, or off one that waits at that port.
    Trimmed(Port, Frame, u32),
    /// The header of this frame is sent back to its source, for want of room at that port.
    Returned(Port, Frame),
}

/// One switch of an [`crate::Ethernet`]. Its ports are its outgoing links, counted from `first`.
pub struct Switch<'a, D> {
    pub(crate) node: NodeId,
    pub(crate) first: u32,
    /// Makes its hashes differ from other switches': else flows that one switch put together, the next would too.
    pub(crate) salt: u32,
    pub(crate) ports: &'a mut D,
    pub(crate) wires: &'a [Wire],
    pub(crate) classes: &'a [PortClass],
    pub(crate) routes: &'a Routes,
    pub(crate) routing: Routing,
    pub(crate) cut_through: bool,
}

impl<D: Discipline> Switch<'_, D> {
    #[inline]
    fn class(&self, link: u32) -> &PortClass {
        &self.classes[self.wires[link as usize].class as usize]
    }

    /// The output link for a frame, if one leads there.
    #[inline(always)]
    fn route(&self, frame: &mut Frame, env: &mut impl Env<Frame, Note>) -> Option<u32> {
        let links = self.routes.next_hops(self.node, frame.dst);
        let hops = links.len();
        let hop = match self.routing {
            _ if hops <= 1 => 0,
            _ if frame.path != Frame::ANY_PATH => take_path(frame, hops),
            Routing::Ecmp => choose(frame.entropy, self.salt, hops),
            Routing::Spray => env.pick(hops),
        };
        links.get(hop).map(|link| link.0)
    }

    /// When the last bit of a frame that begins to be handled at `now` is here.
    #[inline(always)]
    fn whole(&self, now: Time, port: Port, frame: &Frame) -> Time {
        if !self.cut_through {
            return now;
        }
        let arrived_over = self.wires[(self.first + port.0) as usize].back;
        let class = self.class(arrived_over);
        class.head.map_or(now, |head| now + class.time_on_wire(frame.len).saturating_sub(head))
    }

    /// The frame that goes next on a link that is free, and when its last bit will have been sent.
    pub(crate) fn send(&mut self, now: Time, port: Port) -> Option<(Frame, Time)> {
        let link = self.first + port.0;
        self.ports.next(now, link, &self.classes[self.wires[link as usize].class as usize])
    }
}

/// The next hop that a frame's source has chosen here, of so many; what is left of its path is for the switches after this one.
#[inline]
pub(crate) fn take_path(frame: &mut Frame, hops: u32) -> u32 {
    let hop = frame.path % hops;
    frame.path /= hops;
    hop
}

impl<D: Discipline> Device for Switch<'_, D> {
    type Frame = Frame;
    type Note = Note;

    #[inline(always)]
    fn receive(&mut self, now: Time, port: Port, mut frame: Frame, env: &mut impl Env<Frame, Note>) {
        let whole = self.whole(now, port, &frame);
        loop {
            let Some(link) = self.route(&mut frame, env) else {
                return env.note(Note::Unreachable(frame));
            };
            let class = &self.classes[self.wires[link as usize].class as usize];
            let out = Port(link - self.first);
            let ecn = frame.ecn;
            let admission = self.ports.admit(now, whole, link, &mut frame, class, |hops| env.pick(hops));
            if frame.ecn != ecn {
                env.note(Note::Marked(out, frame));
            }
            match admission {
                Admission::Departs(end) => env.depart(out, end, frame),
                Admission::Waits => {
                    env.note(Note::Queued(out, frame));
                    env.wake(out);
                }
                Admission::Dropped => env.note(Note::Dropped(out, frame)),
                Admission::Trimmed { cut } => {
                    env.note(Note::Trimmed(out, frame, cut));
                    env.wake(out);
                }
                Admission::Returned { cut } => {
                    env.note(Note::Trimmed(out, frame, cut));
                    env.note(Note::Returned(out, frame));
                    frame.turn_back();
                    continue;
                }
            }
            return;
        }
    }

    fn transmit(&mut self, now: Time, port: Port, _: &mut impl Env<Frame, Note>) -> Option<Frame> {
        self.send(now, port).map(|(frame, _)| frame)
    }
}
