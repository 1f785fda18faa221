//! Pauses between ports: how they travel, and what they do to hosts. All of it is gone where ports do not pause each other.

use crate::class::PortClass;
use crate::config::Routing;
use crate::discipline::{Admission, Discipline};
use crate::network::Ethernet;
use crate::pausing::{Notice, PAUSE, Pausing};
use engine::{Event, EventQueue, Rank};
use fabric::ecmp::choose;
use fabric::{Fault, Frame, Network, Observer, Seen, What, kind};
use topology::{LinkId, NodeId};
use units::{Span, Time};

/// What [`kind::DEADLINE`] is for, beside routes (device 0): one more than twice a link, for a PAUSE that is to be repeated to its sender;
/// and one more than that, for the end of a pause of its port.
const DEADLINES: u32 = 2;

impl<D: Discipline, O: Observer> Ethernet<D, O> {
    /// Whether a port at which something waits has anything to send.
    #[inline(always)]
    pub(crate) fn may_send(&self, now: Time, link: u32) -> bool {
        self.ports.pausing().is_none_or(|pausing| pausing.may_send(now, link))
    }

    /// A link is free, or was to be: a PAUSE goes first, then what waits and is not paused.
    pub(crate) fn turn(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        if self.ports.free_at(link) <= now && !self.send_pause(now, link, queue) {
            let class = *self.class(link);
            if let Some((frame, end)) = self.ports.next(now, link, &class) {
                self.held -= 1;
                self.count_held(now, link, &frame);
                self.depart(now, link, end, frame, queue);
                self.tell(now, queue);
            }
        }
        if self.may_send(now, link) {
            self.ask(now, link, queue);
        }
    }

    /// Head-of-line blocking: a frame that a pause had held is counted when it leaves, and so is whether it could go on at once from where it is going.
    fn count_held(&mut self, now: Time, link: u32, frame: &Frame) {
        if !self.ports.pausing_mut().is_some_and(Pausing::take_held) {
            return;
        }
        let is_victim = self.goes_on_at_once(now, link, frame);
        if let Some(pausing) = self.ports.pausing_mut() {
            pausing.statistics.hold(is_victim);
        }
    }

    /// Whether the next port of a frame that leaves on `link` has nothing else to send, one of them where any may be drawn.
    fn goes_on_at_once(&self, now: Time, link: u32, frame: &Frame) -> bool {
        let (node, Some(pausing)) = (self.wires[link as usize].to, self.ports.pausing()) else { return false };
        let links = self.routes.next_hops(NodeId(node), frame.dst);
        let is_free = |hop| links.get(hop).is_some_and(|LinkId(next)| pausing.is_free(now, next, frame.priority));
        match self.config.routing {
            _ if links.len() <= 1 => is_free(0),
            _ if frame.path != Frame::ANY_PATH => is_free(frame.path % links.len()),
            Routing::Ecmp => is_free(choose(frame.entropy, self.salt(node), links.len())),
            Routing::Spray => (0..links.len()).any(is_free),
        }
    }

    /// A frame leaves a host or a switch.
    fn depart(&mut self, now: Time, link: u32, end: Time, frame: Frame, queue: &mut EventQueue) {
        let held_back = self.config.jitter > Span::ZERO && self.is_interface(link);
        let end = if held_back { self.held_back(link, end) } else { end };
        self.observer.see(now, Seen::Frame { frame: &frame, link, what: What::Left { end } });
        self.send(now, link, end, frame, queue);
    }

    /// A host hands a frame to its interface.
    pub(crate) fn offer_to_port(&mut self, now: Time, link: u32, mut frame: Frame, queue: &mut EventQueue) {
        let class = *self.class(link);
        match self.ports.admit(now, now, link, &mut frame, &class, |_| 0) {
            Admission::Departs(end) => self.depart(now, link, end, frame, queue),
            Admission::Waits => {
                self.observer.see(now, Seen::Frame { frame: &frame, link, what: What::Queued { leaves: None } });
                self.held += 1;
                if self.may_send(now, link) {
                    self.ask(now, link, queue);
                }
            }
            other @ (Admission::Displaces
            | Admission::Dropped
            | Admission::Trimmed { .. }
            | Admission::Returned { .. }) => {
                unreachable!("an interface takes what its host hands over: {other:?}")
            }
        }
    }

    /// An interface takes its time over a frame that goes nowhere.
    pub(crate) fn waste(&mut self, now: Time, link: u32, frame: &mut Frame, class: &PortClass) {
        match self.ports.pausing_mut() {
            Some(pausing) => pausing.waste(now, link, frame, class),
            None => {
                self.interfaces.admit(now, now, link, frame, class, |_| 0);
            }
        }
    }

    /// Senders hear of it that they are paused or may go on, as soon as the link to them is free.
    pub(crate) fn tell(&mut self, now: Time, queue: &mut EventQueue) {
        while let Some(link) = self.ports.pausing_mut().and_then(|pausing| pausing.news.pop()) {
            if let Some(at) = self.ports.pausing_mut().and_then(|pausing| pausing.repeats(now, link)) {
                queue.push(Event { at, rank: Rank::new(kind::DEADLINE, 1 + DEADLINES * link), slot: 0 });
            }
            let back = self.wires[link as usize].back;
            if !self.send_pause(now, back, queue) && self.may_send(now, back) {
                self.ask(now, back, queue);
            }
        }
    }

    /// Sends what there is to tell over a link that is free. Whether there was something.
    fn send_pause(&mut self, now: Time, link: u32, queue: &mut EventQueue) -> bool {
        let class = *self.class(link);
        let Some(pausing) = self.ports.pausing_mut() else { return false };
        let Some((notice, end)) = pausing.announce(now, link, &class) else { return false };
        if !self.is_corrupted(&class, PAUSE.get() as u32) {
            let response = self.config.pfc.map_or(Span::ZERO, |pfc| pfc.response);
            let at = end + class.delay + response;
            queue.push(Event { at, rank: Rank::new(kind::ARRIVAL, link), slot: notice.pack() });
        }
        true
    }

    /// Whether a link delivers a PAUSE with a wrong bit, so that it is discarded.
    fn is_corrupted(&mut self, class: &PortClass, len: u32) -> bool {
        (class.loss > 0 && self.stream.bits() < class.loss)
            || (class.bit_errors > 0.0 && self.errors.unit() < class.frame_error(len))
    }

    /// A PAUSE takes effect that has come over `link`.
    pub(crate) fn hear(&mut self, now: Time, link: u32, slot: u32, queue: &mut EventQueue) {
        let port = self.wires[link as usize].back;
        let Some(pausing) = self.ports.pausing_mut() else { return };
        if let Some(at) = pausing.hear(now, port, Notice::unpack(slot)) {
            queue.push(Event { at, rank: Rank::new(kind::DEADLINE, 1 + DEADLINES * port + 1), slot: 0 });
        }
        self.go_on(now, port, queue);
    }

    /// A PAUSE is to be repeated, or one is over.
    pub(crate) fn pause_deadline(&mut self, now: Time, what: u32, queue: &mut EventQueue) {
        let (link, is_end) = (what / DEADLINES, what % DEADLINES == 1);
        let Some(pausing) = self.ports.pausing_mut() else { return };
        if is_end {
            pausing.expired(now, link);
            if let Some(at) = pausing.expiry(now, link) {
                queue.push(Event { at, rank: Rank::new(kind::DEADLINE, 1 + what), slot: 0 });
            }
            self.go_on(now, link, queue);
        } else {
            pausing.repeat(link);
            self.tell(now, queue);
        }
    }

    /// A class may have been let go on at a port.
    fn go_on(&mut self, now: Time, port: u32, queue: &mut EventQueue) {
        if self.may_send(now, port) {
            self.ask(now, port, queue);
        }
        let host = self.wires[port as usize].from;
        if host < self.hosts && self.ports.pausing_mut().is_some_and(|pausing| pausing.take_call(host)) {
            self.call_when_ready(now, host, queue);
        }
    }

    /// Something has broken or was repaired; `works` are those of the links concerned that work now. What is charged for frames that are lost
    /// is free again, and over links that work again switches say what they want.
    pub(crate) fn tell_of_change(&mut self, now: Time, fault: Fault, works: &[u32], queue: &mut EventQueue) {
        let Some(pausing) = self.ports.pausing_mut() else { return };
        pausing.harmed = true;
        if !matches!(fault, Fault::BitErrors { .. }) {
            works.iter().for_each(|link| pausing.revive(*link));
        }
        self.tell(now, queue);
    }
}
