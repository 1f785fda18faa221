//! The inside of the fabric in lock-step, a cell time a step: the paper's own queueing model (§4.2.1), over dense state.
//!
//! In each step every link sends one cell, if it has one; a cell is on its link for a whole number of steps. Control messages go before data; when
//! they have taken as many bytes as a cell has, a step is theirs. A short cell takes a whole step. What happens outside, at adapters
//! and hosts, keeps its own times: a cell that is given to a link leaves it with the next step.

use crate::build::{Layout, Role};
use crate::cell::Cell;
use crate::config::Config;
use crate::interior::Interior;
use crate::lane::LinkClass;
use crate::network::{Clock, Stardust};
use crate::ring::Ring;
use engine::{Event, EventQueue, SlotClock};
use fabric::{Counters, LinkCounters};
use units::{Bytes, Span, Time};

/// All links, one step after the other.
#[derive(Debug, Clone)]
pub struct LockStep {
    clock: SlotClock,
    step: Span,
    /// A step's event is pending.
    ticking: bool,
    links: Vec<Link>,
    /// Links with cells, a bit each.
    busy: Vec<u64>,
    /// Steps that a cell is on its link, by class; and the class of each link.
    flight: Vec<u32>,
    classes: Vec<u16>,
    /// Cells under way, by the step in which they arrive, modulo the length. A cell's `at` holds the number of its link.
    air: Vec<Vec<Cell>>,
    /// How many are under way.
    flying: u64,
    cell: u32,
    indicate: u32,
}

/// A link's queues.
#[derive(Debug, Clone, Default)]
struct Link {
    data: Ring,
    control: Ring,
    /// Bytes of control messages that have not been paid for with a step.
    debt: u32,
    held: bool,
    counters: Counters,
}

impl LockStep {
    #[inline(always)]
    fn rouse(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        self.busy[link as usize / 64] |= 1 << (link % 64);
        if !self.ticking {
            self.ticking = true;
            self.clock.skip_to(now);
            queue.push(Clock::Step.event(self.clock.begins()));
        }
    }

    /// What a link sends in a step.
    #[inline(always)]
    fn depart(&mut self, step: u64, number: u32, sent: &mut u32) {
        let link = &mut self.links[number as usize];
        let flight = self.flight[usize::from(self.classes[number as usize])];
        let slots = self.air.len() as u64;
        let air = &mut self.air[((step + u64::from(flight)) % slots) as usize];
        let mut fly = |mut cell: Cell| {
            cell.at = Time::from_ps(u64::from(number));
            air.push(cell);
            *sent += 1;
        };
        while link.debt < self.cell && !link.control.is_empty() {
            let cell = link.control.pop();
            link.debt += u32::from(cell.len);
            fly(cell);
        }
        if link.debt >= self.cell {
            link.debt -= self.cell;
        } else if !link.data.is_empty() {
            fly(link.data.pop());
        } else if link.control.is_empty() {
            link.debt = 0; // an idle step pays for it
            self.busy[number as usize / 64] &= !(1 << (number % 64));
        }
    }
}

impl Interior for LockStep {
    /// In lock-step all links are as fast as the first of them.
    fn unsuited(layout: &Layout, classes: &[LinkClass]) -> Option<u32> {
        let inside = |link: &u32| matches!(layout.wires[*link as usize].role, Role::Up | Role::Down);
        let rate = |link: u32| classes[usize::from(layout.wires[link as usize].class)].rate;
        let mut links = (0..layout.wires.len() as u32).filter(inside);
        let first = links.next()?;
        links.find(|link| rate(*link) != rate(first))
    }

    fn new(config: &Config, layout: &Layout, classes: &[LinkClass]) -> LockStep {
        let first = layout.wires.iter().find(|wire| matches!(wire.role, Role::Up | Role::Down));
        let step = first.map_or(Span::from_ns(1), |wire| classes[usize::from(wire.class)].full.1);
        // A cell that is sent in step n, and has been on its link for the delay, is there in step n + 1 + delay.
        let steps = |class: &LinkClass| ((class.delay.as_ps() + step.as_ps() / 2) / step.as_ps()) as u32 + 1;
        let flight: Vec<u32> = classes.iter().map(steps).collect();
        let longest = flight.iter().copied().max().unwrap_or(1) as usize;
        let links = layout.wires.len();
        LockStep {
            clock: SlotClock::new(step),
            step,
            ticking: false,
            links: vec![Link::default(); links],
            busy: vec![0; links.div_ceil(64)],
            flight,
            classes: layout.wires.iter().map(|wire| wire.class).collect(),
            air: vec![Vec::new(); longest + 1],
            flying: 0,
            cell: config.cells.size.get() as u32,
            indicate: config.element.fci_threshold,
        }
    }

    #[inline(always)]
    fn join(&mut self, now: Time, number: u32, mut cell: Cell, _: &LinkClass, queue: &mut EventQueue) {
        let link = &mut self.links[number as usize];
        let before = link.data.len();
        if before > self.indicate {
            cell.flags |= Cell::FCI;
            link.counters.marked += 1;
        }
        link.counters.admit(u32::from(cell.len), self.step * u64::from(before), self.step);
        link.data.push(cell);
        self.rouse(now, number, queue);
    }

    fn join_first(&mut self, now: Time, number: u32, cell: Cell, class: &LinkClass, queue: &mut EventQueue) {
        let link = &mut self.links[number as usize];
        link.counters.admit(u32::from(cell.len), Span::ZERO, class.service(cell.len));
        link.control.push(cell);
        self.rouse(now, number, queue);
    }

    fn on_arrival(_: &mut Stardust<LockStep>, _: Event, _: &mut EventQueue) {
        unreachable!("in lock-step cells arrive in steps")
    }

    fn on_step(fabric: &mut Stardust<LockStep>, now: Time, queue: &mut EventQueue) {
        let step = fabric.interior.clock.tick();
        let slot = (step % fabric.interior.air.len() as u64) as usize;
        let mut arrived = std::mem::take(&mut fabric.interior.air[slot]);
        fabric.interior.flying -= arrived.len() as u64;
        for cell in arrived.drain(..) {
            fabric.take_cell(now, cell.at.as_ps() as u32, cell, queue);
        }
        fabric.interior.air[slot] = arrived;
        let (mut sent, mut any) = (0, false);
        for word in 0..fabric.interior.busy.len() {
            let mut bits = fabric.interior.busy[word];
            any |= bits != 0;
            while bits != 0 {
                let number = (word * 64) as u32 + bits.trailing_zeros();
                bits &= bits - 1;
                if fabric.interior.links[number as usize].held {
                    continue;
                }
                let before = sent;
                fabric.interior.depart(step, number, &mut sent);
                for _ in before..sent {
                    fabric.forget_cell(now, number, queue);
                }
            }
        }
        let interior = &mut fabric.interior;
        interior.flying += u64::from(sent);
        if any || interior.flying > 0 {
            queue.push(Clock::Step.event(interior.clock.begins()));
        } else {
            interior.ticking = false;
        }
    }

    fn waiting(&self, _: Time, link: u32, _: &LinkClass) -> u32 {
        self.cells(link)
    }

    fn cells(&self, link: u32) -> u32 {
        self.links[link as usize].data.len() + self.links[link as usize].control.len()
    }

    fn queued(&self, _: Time, link: u32, _: &LinkClass) -> Bytes {
        Bytes::new(u64::from(self.links[link as usize].data.len() * self.cell))
    }

    fn hold(&mut self, _: Time, link: u32, _: &LinkClass, _: &mut EventQueue) {
        self.links[link as usize].held = true;
    }

    fn release(&mut self, now: Time, link: u32, _: &LinkClass, queue: &mut EventQueue) {
        self.links[link as usize].held = false;
        self.rouse(now, link, queue);
    }

    fn clear(&mut self, _: Time, number: u32) -> Vec<Cell> {
        let link = &mut self.links[number as usize];
        let mut cells = link.data.drain();
        cells.extend(link.control.drain());
        link.held = false;
        link.debt = 0;
        // Cells on the link are lost too, but were let go when they left the queue.
        for air in &mut self.air {
            air.retain(|cell| {
                let lost = cell.at.as_ps() == u64::from(number);
                if lost {
                    self.flying -= 1;
                    cells.push(*cell);
                }
                !lost
            });
        }
        cells
    }

    fn counters(&self, _: Time, link: u32, class: &LinkClass) -> LinkCounters {
        let waits = self.step * u64::from(self.links[link as usize].data.len());
        self.links[link as usize].counters.at_rate(class.rate, waits)
    }

    fn restart_counters(&mut self, _: Time, link: u32, class: &LinkClass) {
        let link = &mut self.links[link as usize];
        link.counters = Counters::with_backlog(class.rate, self.step * u64::from(link.data.len()));
    }

    fn count_loss(&mut self, link: u32) {
        self.links[link as usize].counters.lost += 1;
    }

    fn check(&self) {
        let under_way: usize = self.air.iter().map(Vec::len).sum();
        assert_eq!(under_way as u64, self.flying, "cells under way are counted");
    }
}
