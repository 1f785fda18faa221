//! Between hosts and their adapters: whole packets on Ethernet links.

use crate::store::{List, Store};
use fabric::Counters;
use units::{Pace, Rate, Span, Time};

/// What links between hosts and adapters have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct EdgeClass {
    /// Rate.
    pub rate: Rate,
    /// The same, ready.
    pub pace: Pace,
    /// From the last bit sent to the last bit received.
    pub delay: Span,
    /// What each packet takes on the wire beyond itself.
    pub framing: u32,
}

impl EdgeClass {
    /// Time on the wire of a packet of `len` bytes.
    #[inline]
    pub(crate) fn time_on_wire(&self, len: u32) -> Span {
        self.pace.span(len + self.framing)
    }
}

/// A host's interface: first in, first out, never drops, takes data while at most one packet waits.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Interface {
    free_at: Time,
    /// Its adapter has paused it.
    pub paused: bool,
    /// Its transports wait to hear that it has room.
    pub awaited: bool,
    /// What it has sent.
    pub counters: Counters,
}

impl Interface {
    /// Time until all that it has taken is sent.
    pub(crate) fn wait(&self, now: Time) -> Span {
        self.free_at.since(now)
    }
    /// Takes a packet; says when its last bit leaves.
    #[inline]
    pub(crate) fn send(&mut self, now: Time, len: u32, class: &EdgeClass) -> Time {
        let (wait, service) = (self.wait(now), class.time_on_wire(len));
        self.counters.admit(len + class.framing, wait, service);
        self.free_at = now + wait + service;
        self.free_at
    }
}

/// An adapter's port to a host: complete packets in the order of their class, then of their completion.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outlet {
    queues: Vec<List>,
    /// Length of the packet that is being sent.
    sending: Option<u32>,
    free_at: Time,
    /// Bytes that wait or are being sent, on the wire.
    waiting: u64,
    /// What it has sent.
    pub counters: Counters,
}

impl Outlet {
    /// A port with so many classes.
    pub(crate) fn new(classes: usize) -> Outlet {
        Outlet { queues: vec![List::default(); classes], ..Outlet::default() }
    }

    /// Bytes that wait or are being sent.
    pub(crate) fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Bytes of packets that wait or are being sent, and of a header for each.
    #[cfg(debug_assertions)]
    pub(crate) fn bytes(&self, store: &Store, header: u32) -> u32 {
        let waiting = self.queues.iter().flat_map(|queue| {
            let some = |packet: u32| (packet != Store::NONE).then_some(packet);
            std::iter::successors(some(queue.head), move |packet| some(store.next(*packet)))
        });
        let waiting = waiting.map(|packet| store.frame(packet).len);
        waiting.chain(self.sending).map(|len| len + header).sum()
    }

    /// Time until all that waits is sent, at this rate.
    pub(crate) fn wait(&self, class: &EdgeClass) -> Span {
        class.rate.time_for(units::Bytes::new(self.waiting))
    }

    /// A packet is complete. True: the link is idle, [`Outlet::begin`] sends it.
    #[inline]
    pub(crate) fn take(&mut self, packet: u32, store: &mut Store, class: &EdgeClass) -> bool {
        let (len, priority) = (store.frame(packet).len, store.frame(packet).priority);
        let wire = len + class.framing;
        let wait = self.wait(class);
        self.counters.admit(wire, wait, class.time_on_wire(len));
        self.waiting += u64::from(wire);
        let queue = usize::from(priority).min(self.queues.len() - 1);
        store.append(&mut self.queues[queue], packet);
        self.sending.is_none()
    }

    /// The link is free: the next packet, and when its last bit leaves.
    #[inline]
    pub(crate) fn begin(&mut self, now: Time, store: &mut Store, class: &EdgeClass) -> Option<(u32, Time)> {
        let packet = self.queues.iter_mut().find_map(|queue| store.pop(queue))?;
        let len = store.frame(packet).len;
        self.sending = Some(len);
        self.free_at = now + class.time_on_wire(len);
        Some((packet, self.free_at))
    }

    /// The last bit of the packet being sent has left: its length.
    #[inline]
    pub(crate) fn end(&mut self, class: &EdgeClass) -> Option<u32> {
        let len = self.sending.take()?;
        self.waiting -= u64::from(len + class.framing);
        Some(len)
    }

    /// Everything that waits is lost; its bytes are said. What is being sent goes its way.
    pub(crate) fn clear(&mut self, store: &mut Store, class: &EdgeClass, lost: &mut Vec<u32>) {
        for queue in &mut self.queues {
            lost.extend(std::iter::from_fn(|| store.pop(queue)));
        }
        self.waiting = self.sending.map_or(0, |len| u64::from(len + class.framing));
    }
}

#[cfg(test)]
mod tests;
