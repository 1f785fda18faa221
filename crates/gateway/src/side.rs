//! One of the two networks, with its events.

use engine::{Event, EventQueue, Rank};
use fabric::{Frame, Network, kind};
use units::Time;

/// A network and its own queue of events. The queue of the whole has one event for it at the instant of its first.
pub(crate) struct Side<N> {
    pub network: N,
    pub queue: EventQueue,
    /// Instants at which events of the whole will come, the first last.
    wakes: Vec<Time>,
    /// Its number among the clocks of the whole.
    clock: u32,
    classes: u8,
}

/// What the other side, or a host, must hear of.
pub(crate) enum News {
    /// A frame has come to one of its hosts.
    Arrived(Frame),
    /// The interface of one of its hosts has room, for all or for one connection ([`kind::READY`]).
    Ready { host: u32, slot: u32 },
}

impl<N: Network> Side<N> {
    pub(crate) fn new(network: N, clock: u32) -> Side<N> {
        let queue = EventQueue::new(network.event_gap());
        Side { classes: network.offers().priorities, network, queue, wakes: Vec::new(), clock }
    }

    /// Sends a frame on its way between two of the network's hosts, in its numbers. `place` is where the original is.
    pub(crate) fn carry(&mut self, now: Time, frame: &Frame, [src, dst]: [u32; 2], place: u32) {
        let priority = frame.priority.min(self.classes - 1);
        let own = Frame { src, dst, sequence: place.into(), priority, ..*frame };
        self.network.offer(now, own, &mut self.queue);
    }

    /// The event of the whole for `now` has come.
    pub(crate) fn woken(&mut self, now: Time) {
        let due = self.wakes.pop();
        debug_assert_eq!(due, Some(now), "wakes come in order");
    }

    /// Handles events that are due, until there is something to tell.
    pub(crate) fn advance(&mut self, now: Time) -> Option<News> {
        while self.queue.next_at().is_some_and(|at| at <= now) {
            let event = self.queue.pop()?;
            if event.rank.kind() == kind::READY {
                return Some(News::Ready { host: event.rank.device(), slot: event.slot });
            }
            if let Some(frame) = self.network.handle(event, &mut self.queue) {
                return Some(News::Arrived(frame));
            }
        }
        None
    }

    /// Has an event of the whole come for its first event, if none comes so early.
    pub(crate) fn wake(&mut self, whole: &mut EventQueue) {
        let Some(at) = self.queue.next_at() else { return };
        if self.wakes.last().is_none_or(|first| at < *first) {
            self.wakes.push(at);
            whole.push(Event { at, rank: Rank::new(kind::TICK, self.clock), slot: 0 });
        }
    }
}
