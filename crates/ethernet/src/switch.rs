//! An output-queued packet switch: a window onto its fabric's flat arrays.

use crate::class::PortClass;
use crate::config::Routing;
use crate::discipline::{Admission, Discipline};
use crate::surroundings::Surroundings;
use fabric::{Frame, Observer, Port, What, ecmp::choose};
use topology::{NodeId, Routes};
use units::Time;

/// Where a directed link goes, and which of the fabric's classes its sending port has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wire {
    /// The node that sends.
    pub from: u32,
    /// The node that receives.
    pub to: u32,
    /// Index of the port's class.
    pub class: u32,
    /// The link in the other direction: the port at the far end.
    pub back: u32,
}

/// What a switch does with a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It leaves on this link; its last bit will have been sent at that time. Its length.
    Departs(u32, Time, u32),
    /// A copy of it waits before this link.
    Waits(u32),
    /// A copy of it waits before a link where so many that waited were dropped for it.
    Displaces(u64),
    /// It is dropped.
    Gone,
}

/// One switch of an [`crate::Ethernet`]. Its ports are its outgoing links, counted from `first`.
pub(crate) struct Switch<'a, D> {
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
    pub(crate) fn route<O: Observer>(&self, frame: &mut Frame, around: &mut Surroundings<'_, O>) -> Option<u32> {
        let links = self.routes.next_hops(self.node, frame.dst);
        let hops = links.len();
        let hop = match self.routing {
            _ if hops <= 1 => 0,
            _ if frame.path != Frame::ANY_PATH => take_path(frame, hops),
            Routing::Ecmp => choose(frame.entropy, self.salt, hops),
            Routing::Spray => around.pick(hops),
        };
        let link = links.get(hop).map(|link| link.0);
        if link.is_none() {
            around.unreachable(frame, self.first);
        }
        link
    }

    /// When the last bit of a frame that begins to be handled at `now` is here.
    #[inline(always)]
    pub(crate) fn whole(&self, now: Time, port: Port, frame: &Frame) -> Time {
        if !self.cut_through {
            return now;
        }
        let arrived_over = self.wires[(self.first + port.0) as usize].back;
        let class = self.class(arrived_over);
        class.head.map_or(now, |head| now + class.time_on_wire(frame.len).saturating_sub(head))
    }

    /// A frame is to leave on `link`, its last bit here at `whole`. Where it is kept it may be marked or trimmed. `None`: it was turned back to its source,
    /// and leaves on another link.
    #[inline(always)]
    pub(crate) fn admit<O: Observer>(
        &mut self,
        whole: Time,
        link: u32,
        frame: &mut Frame,
        around: &mut Surroundings<'_, O>,
    ) -> Option<Verdict> {
        let class = &self.classes[self.wires[link as usize].class as usize];
        let ecn = frame.ecn;
        let admission = self.ports.admit(around.now, whole, link, frame, class, |hops| around.pick(hops));
        if O::ACTIVE && frame.ecn != ecn {
            around.see(frame, link, What::Marked);
        }
        Some(match admission {
            Admission::Departs(end) => {
                around.see(frame, link, What::Queued { leaves: Some(end) });
                Verdict::Departs(link, end, frame.len)
            }
            Admission::Waits => {
                around.see(frame, link, What::Queued { leaves: None });
                Verdict::Waits(link)
            }
            Admission::Displaces => {
                let mut displaced = 0;
                while let Some(frame) = self.ports.displaced() {
                    around.dropped(&frame, link, false);
                    displaced += 1;
                }
                around.see(frame, link, What::Queued { leaves: None });
                Verdict::Displaces(displaced)
            }
            Admission::Dropped => {
                around.dropped(frame, link, class.dead);
                Verdict::Gone
            }
            Admission::Trimmed { cut } => {
                around.trimmed(frame, link, cut);
                Verdict::Waits(link)
            }
            Admission::Returned { cut } => {
                around.trimmed(frame, link, cut);
                around.returned(frame, link);
                frame.turn_back();
                return None;
            }
        })
    }
}

/// The next hop that a frame's source has chosen here, of so many; what is left of its path is for the switches after this one.
#[inline]
pub(crate) fn take_path(frame: &mut Frame, hops: u32) -> u32 {
    let hop = frame.path % hops;
    frame.path /= hops;
    hop
}
