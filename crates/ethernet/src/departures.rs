//! When frames that wait at a port leave it.
//!
//! Which of them goes next is decided when the link is free, by what has come until then. Nothing else depends on that instant, so nobody need look at the port
//! then: it is made up for before another frame joins the port ([`Ethernet::settle`]), and at the latest when the frame that left before arrives at the far end,
//! which is later than it had left, as links have a delay. So a hop is one event here too, the arrival.
//!
//! The link asks by an event of its own where that would not do:
//!
//! - ports that pause others: what leaves makes room in the memory of its switch;
//! - links that lose frames: what is lost arrives nowhere, and chance is drawn in the order in which frames leave;
//! - links without delay, and those over which frames are cut through: a frame arrives before what follows it can leave;
//! - while somebody looks on, who is to see frames leave in their order.

use crate::discipline::Discipline;
use crate::network::Ethernet;
use engine::{Event, EventQueue, Rank};
use fabric::{Observer, Seen, What, kind};
use units::{Span, Time};

impl<D: Discipline, O: Observer> Ethernet<D, O> {
    /// Whether a link asks for each frame that waits, by an event.
    #[inline(always)]
    fn asks(&self, link: u32) -> bool {
        let class = self.class(link);
        D::PAUSES || O::ACTIVE || class.lossy || class.delay == Span::ZERO || class.head.is_some()
    }

    /// A frame waits for `link` that may go as soon as the link is free.
    #[inline(always)]
    pub(crate) fn wait_for(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        if self.asks(link) {
            self.ask(now, link, queue);
        }
    }

    /// Has a link ask for the next frame as soon as it is free.
    pub(crate) fn ask(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        if self.asking[link as usize] == Time::MAX {
            let at = self.ports.free_at(link).max(now);
            self.asking[link as usize] = at;
            queue.push(Event { at, rank: Rank::new(kind::LINK_FREE, link), slot: 0 });
        }
    }

    /// A link asks: send what waits, and come back when that is sent.
    pub(crate) fn link_free(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        if self.asking[link as usize] != now {
            return; // what it was for was lost with the link
        }
        self.asking[link as usize] = Time::MAX;
        if D::PAUSES {
            return self.turn(now, link, queue);
        }
        if self.send_next(now, link, queue) && self.ports.keeps(link) {
            self.wait_for(now, link, queue);
        }
    }

    /// Whether a frame waits that has begun to leave before `now`.
    #[inline(always)]
    pub(crate) fn is_behind(&self, now: Time, link: u32) -> bool {
        D::KEEPS && !D::PAUSES && !O::ACTIVE && self.ports.keeps(link) && self.ports.free_at(link) < now
    }

    /// Sends every frame that has begun to leave before `now`. At that very instant others may come that go first.
    #[inline(always)]
    pub(crate) fn settle(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        if self.is_behind(now, link) {
            self.send_due(now, link, queue);
        }
    }

    #[inline(never)]
    fn send_due(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        while self.is_behind(now, link) {
            self.send_next(self.ports.free_at(link), link, queue);
        }
    }

    /// As [`Ethernet::settle`], and what leaves at `now` itself: everything else has happened by then.
    pub(crate) fn settle_through(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        self.settle(now + Span::from_ps(1), link, queue);
    }

    /// The link is free: sends the frame that goes next, if one waits.
    #[inline(always)]
    fn send_next(&mut self, now: Time, link: u32, queue: &mut EventQueue) -> bool {
        let class = &self.classes[self.wires[link as usize].class as usize];
        let Some((frame, end)) = self.ports.next(now, link, class) else { return false };
        self.observer.see(now, Seen::Frame { frame: &frame, link, what: What::Left { end } });
        self.held -= 1;
        self.send(now, link, end, frame, queue);
        true
    }
}
