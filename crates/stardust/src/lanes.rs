//! The inside of the fabric by events: one for each cell on each link. Exact, whatever the rates.

use crate::build::Layout;
use crate::cell::Cell;
use crate::config::Config;
use crate::interior::Interior;
use crate::lane::{Lane, LinkClass};
use crate::network::Stardust;
use engine::{Event, EventQueue, Rank};
use fabric::{Counters, LinkCounters, Observer, kind};
use units::{Bytes, Time};

/// A [`Lane`] for each link.
#[derive(Debug, Clone)]
pub struct Lanes(Vec<Lane>);

impl Lanes {
    /// Sees to it that the arrival of a link's oldest cell has an event.
    #[inline(always)]
    fn watch(&mut self, link: u32, queue: &mut EventQueue) {
        let lane = &mut self.0[link as usize];
        let at = lane.next_arrival();
        if lane.pending != at {
            lane.pending = at;
            if at != Time::MAX {
                queue.push(Event { at, rank: Rank::new(kind::ARRIVAL, link), slot: 0 });
            }
        }
    }
}

impl Interior for Lanes {
    fn new(_: &Config, layout: &Layout, _: &[LinkClass]) -> Lanes {
        Lanes(vec![Lane::default(); layout.wires.len()])
    }

    #[inline(always)]
    fn join(&mut self, now: Time, link: u32, cell: Cell, class: &LinkClass, queue: &mut EventQueue) {
        let lane = &mut self.0[link as usize];
        lane.join(now, cell, class);
        if lane.len() == 1 {
            self.watch(link, queue);
        }
    }

    fn join_first(&mut self, now: Time, link: u32, cell: Cell, class: &LinkClass, queue: &mut EventQueue) {
        self.0[link as usize].join_first(now, cell, class);
        self.watch(link, queue);
    }

    #[inline(always)]
    fn on_arrival<O: Observer>(fabric: &mut Stardust<Lanes, O>, event: Event, queue: &mut EventQueue) {
        let (now, link) = (event.at, event.rank.device());
        let lane = &mut fabric.interior.0[link as usize];
        if lane.pending != now {
            return; // another event has taken this one's place
        }
        let cell = lane.pop();
        lane.pending = lane.next_arrival();
        if lane.pending != Time::MAX {
            queue.push(Event { at: lane.pending, ..event });
        }
        let from = fabric.wire(link).from;
        fabric.forget_cells(now, from, 1, queue);
        fabric.take_cell(now, link, cell, queue);
    }

    fn on_step<O: Observer>(_: &mut Stardust<Lanes, O>, _: Time, _: &mut EventQueue) {
        unreachable!("only a lock-step interior has a clock")
    }

    fn waiting(&mut self, now: Time, link: u32, class: &LinkClass) -> u32 {
        self.0[link as usize].waiting(now, class)
    }

    fn cells(&self, link: u32) -> u32 {
        self.0[link as usize].len()
    }

    fn queued(&self, now: Time, link: u32, class: &LinkClass) -> Bytes {
        self.0[link as usize].queued(now, class)
    }

    fn hold(&mut self, now: Time, link: u32, class: &LinkClass, queue: &mut EventQueue) {
        if !self.0[link as usize].is_held() {
            self.0[link as usize].hold(now, class);
            self.watch(link, queue);
        }
    }

    fn release(&mut self, now: Time, link: u32, class: &LinkClass, queue: &mut EventQueue) {
        if self.0[link as usize].is_held() {
            self.0[link as usize].release(now, class);
            self.watch(link, queue);
        }
    }

    fn clear(&mut self, now: Time, link: u32) -> Vec<Cell> {
        self.0[link as usize].clear(now)
    }

    fn counters(&self, now: Time, link: u32, class: &LinkClass) -> LinkCounters {
        let lane = &self.0[link as usize];
        lane.counters.at_rate(class.rate, lane.wait(now))
    }

    fn restart_counters(&mut self, now: Time, link: u32, class: &LinkClass) {
        let lane = &mut self.0[link as usize];
        lane.counters = Counters::with_backlog(class.rate, lane.wait(now));
    }

    fn count_loss(&mut self, link: u32) {
        self.0[link as usize].counters.lost += 1;
    }

    fn check(&self) -> u64 {
        for lane in &self.0 {
            let ordered = lane.iter().zip(lane.iter().skip(1)).all(|(one, other)| one.at <= other.at);
            assert!(ordered, "cells leave a link in order");
        }
        self.0.iter().flat_map(Lane::iter).filter(|cell| !cell.is_control()).count() as u64
    }
}
