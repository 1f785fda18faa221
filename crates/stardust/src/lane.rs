//! The queue before a fabric link. Cells leave it in order, control before data, and when each will arrive is settled as soon as
//! it joins; what comes later and goes first moves the others back.

use crate::cell::Cell;
use crate::ring::Ring;
use fabric::Counters;
use units::{Bytes, Pace, Rate, Span, Time};

/// What links of one kind have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkClass {
    /// Rate.
    pub rate: Rate,
    /// The same, ready.
    pub pace: Pace,
    /// From the last bit sent to the last bit received.
    pub delay: Span,
    /// Length of the longest cell, and how long it takes.
    pub full: (u16, Span),
    /// A data cell that will wait longer than this carries a congestion indication.
    pub indicate: Span,
}

impl LinkClass {
    /// Links of this rate and delay for cells of up to `cell` bytes, with indications above `threshold` of them.
    pub fn new(rate: Rate, delay: Span, cell: Bytes, threshold: u32) -> LinkClass {
        let pace = Pace::new(rate);
        let full = pace.span(cell.get() as u32);
        LinkClass {
            rate,
            pace,
            delay,
            full: (cell.get() as u16, full),
            indicate: full.saturating_mul(u64::from(threshold)),
        }
    }
    /// Time that a cell takes on the link.
    #[inline(always)]
    pub fn service(&self, len: u16) -> Span {
        if len == self.full.0 { self.full.1 } else { self.pace.span(u32::from(len)) }
    }
}

/// A link's queue, and what is in flight on the link: one ring of cells, oldest first.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Lane {
    /// When all that is queued will have been sent.
    free_at: Time,
    /// The arrival that has an event; [`Time::MAX`]: none has.
    pub pending: Time,
    ring: Ring,
    /// Cells at the head of the ring that are known to have begun to be sent.
    begun: u32,
    /// Its far end has paused it.
    held: bool,
    /// Time that the cells take which wait for that to end.
    backlog: Span,
    /// What it has carried.
    pub counters: Counters,
}

impl Default for Lane {
    fn default() -> Lane {
        Lane {
            free_at: Time::ZERO,
            pending: Time::MAX,
            ring: Ring::default(),
            begun: 0,
            held: false,
            backlog: Span::ZERO,
            counters: Counters::default(),
        }
    }
}

impl Lane {
    /// Cells that wait or are in flight.
    #[inline(always)]
    pub fn len(&self) -> u32 {
        self.ring.len()
    }

    /// Whether nothing waits or is in flight.
    pub fn is_empty(&self) -> bool {
        self.ring.is_empty()
    }

    /// Time until all that is queued has been sent.
    #[inline(always)]
    pub fn wait(&self, now: Time) -> Span {
        self.free_at.since(now)
    }

    /// Whether its far end has paused it.
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// When the oldest cell arrives.
    #[inline(always)]
    pub fn next_arrival(&self) -> Time {
        if self.ring.is_empty() { Time::MAX } else { self.ring.at(0).at }
    }

    /// Every cell, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Cell> + '_ {
        self.ring.iter()
    }

    /// A cell joins the end of the queue. §4.2: while the queue is above the threshold, data cells carry indications.
    #[inline(always)]
    pub fn join(&mut self, now: Time, mut cell: Cell, class: &LinkClass) {
        let wait = self.free_at.since(now) + self.backlog;
        if wait > class.indicate && !cell.is_control() {
            cell.flags |= Cell::FCI;
            self.counters.marked += 1;
        }
        let service = class.service(cell.len);
        self.counters.admit(u32::from(cell.len), wait, service);
        if self.held {
            cell.at = Time::MAX;
            self.backlog += service;
        } else {
            self.free_at = now + wait + service;
            cell.at = self.free_at + class.delay;
        }
        self.ring.push(cell);
    }

    /// A control message joins before all data that has not begun to be sent (§4.2: control has a crossbar of its own), which is
    /// then sent later by the message's time.
    pub fn join_first(&mut self, now: Time, mut cell: Cell, class: &LinkClass) {
        let service = class.service(cell.len);
        self.ring.push(cell);
        let mut place = self.ring.len() - 1;
        let (mut moved, mut begins) = (0, None);
        while place > 0 {
            let mut other = *self.ring.at(place - 1);
            if other.is_control() {
                break;
            }
            if other.at != Time::MAX {
                let begin = other.at - class.service(other.len) - class.delay;
                if begin <= now {
                    break;
                }
                begins = Some(begin);
                other.at += service;
            }
            moved += u64::from(other.len);
            *self.ring.at_mut(place) = other;
            place -= 1;
        }
        let begin = begins.unwrap_or(self.free_at.max(now));
        self.counters.admit(u32::from(cell.len), begin.since(now), service);
        self.counters.area += u128::from(moved) * u128::from(service.as_ps() >> 10);
        cell.at = begin + service + class.delay;
        self.free_at = self.free_at.max(now) + service;
        *self.ring.at_mut(place) = cell;
    }

    /// The oldest cell arrives.
    #[inline(always)]
    pub fn pop(&mut self) -> Cell {
        self.begun = self.begun.saturating_sub(1);
        self.ring.pop()
    }

    /// The far end pauses the link: data waits, but for the cell that is being sent. Control messages go on: they need no room in the
    /// memory that is full, and a link without reachability messages would count as failed.
    pub fn hold(&mut self, now: Time, class: &LinkClass) {
        self.held = true;
        let mut last = now;
        for index in 0..self.ring.len() {
            let cell = self.ring.at_mut(index);
            let service = class.service(cell.len);
            if cell.at - service - class.delay > now && !cell.is_control() {
                cell.at = Time::MAX;
                self.backlog += service;
            } else {
                last = last.max(cell.at - class.delay);
            }
        }
        self.free_at = last;
    }

    /// The far end lets the link go on.
    pub fn release(&mut self, now: Time, class: &LinkClass) {
        self.held = false;
        self.backlog = Span::ZERO;
        let mut end = self.free_at.max(now);
        for index in 0..self.ring.len() {
            let cell = self.ring.at_mut(index);
            if cell.at == Time::MAX {
                end += class.service(cell.len);
                cell.at = end + class.delay;
            }
        }
        self.free_at = end;
    }

    /// Everything is lost: the link or one of its ends has failed.
    pub fn clear(&mut self, now: Time) -> Vec<Cell> {
        self.free_at = now;
        self.pending = Time::MAX;
        self.held = false;
        self.backlog = Span::ZERO;
        self.begun = 0;
        self.ring.drain()
    }

    /// Cells that have not begun to be sent: those in memory. Each cell is looked at once when it has begun, so this is O(1) however long the
    /// link. `now` is no earlier than in any call before.
    pub fn waiting(&mut self, now: Time, class: &LinkClass) -> u32 {
        let begun = |cell: &Cell| cell.at != Time::MAX && cell.at <= now + class.service(cell.len) + class.delay;
        while self.begun < self.ring.len() && begun(self.ring.at(self.begun)) {
            self.begun += 1;
        }
        self.ring.len() - self.begun
    }

    /// Bytes that wait or are being sent.
    pub fn queued(&self, now: Time, class: &LinkClass) -> Bytes {
        let held: u64 = if self.held {
            self.iter().filter(|cell| cell.at == Time::MAX).map(|cell| u64::from(cell.len)).sum()
        } else {
            0
        };
        class.rate.bytes_in(self.wait(now)) + Bytes::new(held)
    }
}

#[cfg(test)]
mod tests;
