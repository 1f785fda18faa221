//! Hosts that wait for room in their interface and have nothing to send.
//!
//! A host whose interface is full is told when there is room ([`kind::READY`]). If the only connection in its line has nothing to send by
//! then, all that comes of it is that this connection leaves the line. With delayed acknowledgements that is what comes of nearly all such
//! events: two packets fill the interface, and the window. So they have no place in the queue. What comes of them is made up for before anything
//! else happens to their host that could tell the difference, and if that is something to send first, the host is told after all.
//!
//! They are counted as the events that they are: how a run is computed changes no table.

use crate::hosts::Hosts;
use engine::{Event, Rank};
use fabric::{Network, kind};
use host::End;
use units::Time;

/// The events that are not in the queue.
pub(crate) struct IdleWaits {
    /// By host: when it would be told; [`Time::MAX`]: it is not waiting, or has an event.
    at: Box<[Time]>,
    /// How many there were so far.
    pub count: u64,
}

impl IdleWaits {
    pub(crate) fn new(hosts: u32) -> IdleWaits {
        IdleWaits { at: vec![Time::MAX; hosts as usize].into(), count: 0 }
    }
}

impl<N: Network> Hosts<'_, N> {
    /// A host is to be told when its interface has room.
    #[inline]
    pub(crate) fn wait_for_room(&mut self, now: Time, host: u32) {
        match self.network.room_at(now, host) {
            Some(at) if self.stack.is_line_idle(host) => self.idle_waits.at[host as usize] = at,
            _ => self.network.call_when_ready(now, host, &mut self.queue),
        }
    }

    /// What would have happened to a host before an event of this rank has happened.
    #[inline(always)]
    pub(crate) fn catch_up(&mut self, host: u32, now: Time, rank: Rank) {
        if self.idle_waits.at[host as usize] <= now {
            self.make_up(host, now, rank);
        }
    }

    #[inline(never)]
    fn make_up(&mut self, host: u32, now: Time, rank: Rank) {
        let index = host as usize;
        loop {
            let at = self.idle_waits.at[index];
            if (at, Rank::new(kind::READY, host)) >= (now, rank) {
                return;
            }
            self.idle_waits.count += 1;
            if self.network.has_room(at, host) {
                break;
            }
            // Acknowledgements have taken the room meanwhile, and it waits on.
            self.idle_waits.at[index] = self.network.room_at(at, host).unwrap_or(Time::MAX);
        }
        debug_assert!(self.stack.is_line_idle(host), "nothing has happened to it that would let it send");
        self.idle_waits.at[index] = Time::MAX;
        self.waits[index] = false;
        self.stack.stand_aside(host);
    }

    /// The same of all hosts.
    pub(crate) fn catch_up_all(&mut self, now: Time, rank: Rank) {
        (0..self.waits.len() as u32).for_each(|host| self.catch_up(host, now, rank));
    }

    /// A host may have something to send by then: it is told when there is room after all.
    #[inline]
    pub(crate) fn tell_after_all(&mut self, host: u32) {
        let at = std::mem::replace(&mut self.idle_waits.at[host as usize], Time::MAX);
        if at < Time::MAX {
            self.queue.push(Event { at, rank: Rank::new(kind::READY, host), slot: 0 });
        }
    }

    /// The same of all hosts: something breaks, or is repaired.
    pub(crate) fn tell_all_after_all(&mut self) {
        (0..self.waits.len() as u32).for_each(|host| self.tell_after_all(host));
    }

    /// A timer of this end is due.
    #[inline]
    pub(crate) fn before_expiry(&mut self, place: u32, epoch: u32, end: End, now: Time, rank: Rank) {
        if let Some(host) = self.stack.host_of(place, epoch, end) {
            self.catch_up(host, now, rank);
            self.tell_after_all(host);
        }
    }
}
