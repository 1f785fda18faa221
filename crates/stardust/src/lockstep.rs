//! The inside of the fabric in lock-step, a cell time a step: the paper's own queueing model (§4.2.1), over dense state.
//!
//! In each step every link sends the bytes of one cell: one full cell, or several short ones and control messages, which go before
//! data. What it sends too much, less than a cell, it owes to later steps. A cell is on its link for a whole number of steps. What happens
//! outside, at adapters and hosts, keeps its own times: a cell that is given to a link leaves it with the next step.

use crate::build::{Layout, Role};
use crate::cell::Cell;
use crate::clock::Clock;
use crate::config::Config;
use crate::interior::Interior;
use crate::lane::LinkClass;
use crate::network::Stardust;
use crate::ring::Ring;
use engine::{Event, EventQueue, SlotClock};
use fabric::{Counters, LinkCounters};
use units::{Bytes, Span, Time};

/// All links, one step after the other. What is looked at in every step lies in arrays of its own.
#[derive(Debug, Clone)]
pub struct LockStep {
    clock: SlotClock,
    step: Span,
    /// A step's event is pending.
    ticking: bool,
    /// Data cells before each link.
    data: Vec<Ring>,
    /// Control messages before each link.
    control: Vec<Ring>,
    /// Bytes that each link may send, up to a cell; below zero, what it has sent too much.
    balance: Vec<i32>,
    counters: Vec<Counters>,
    /// Links that have cells, a bit each; links that are more than a queue of data: they have control messages, or are held.
    busy: Vec<u64>,
    special: Vec<u64>,
    held: Vec<bool>,
    /// Steps that a cell is on its link, by class; and the class of each link.
    flight: Vec<u32>,
    classes: Vec<u16>,
    /// Cells under way, by the step in which they arrive, modulo the length. A cell's `at` holds the number of its link.
    air: Vec<Vec<Cell>>,
    /// How many are under way.
    flying: u64,
    cell: u32,
    indicate: u32,
    /// Bytes times time that a cell adds to a queue in a step, as counters have it.
    area: u64,
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

    /// A cell leaves on a link.
    #[inline(always)]
    fn fly(&mut self, slot: usize, number: u32, mut cell: Cell) {
        cell.at = Time::from_ps(u64::from(number));
        let counters = &mut self.counters[number as usize];
        counters.frames += 1;
        counters.bytes += u64::from(cell.len);
        self.air[slot].push(cell);
    }

    /// What a link sends in a step, and how many cells that is.
    #[inline(always)]
    fn depart(&mut self, step: u64, number: u32) -> u32 {
        let flight = self.flight[usize::from(self.classes[number as usize])];
        let slot = ((step + u64::from(flight)) % self.air.len() as u64) as usize;
        let (word, bit) = (number as usize / 64, 1 << (number % 64));
        if self.special[word] & bit != 0 {
            return self.depart_special(slot, number);
        }
        let waiting = self.data[number as usize].len();
        if waiting == 0 {
            self.busy[word] &= !bit;
            return 0;
        }
        self.count_waiting(number, waiting);
        let mut balance = self.earn(number);
        let mut sent = 0;
        while balance > 0 && sent < waiting {
            let cell = self.data[number as usize].pop();
            balance -= i32::from(cell.len);
            self.fly(slot, number, cell);
            sent += 1;
        }
        self.balance[number as usize] = balance;
        sent
    }

    /// The same for a link with control messages, or one that is held.
    #[inline(never)]
    fn depart_special(&mut self, slot: usize, number: u32) -> u32 {
        let held = self.held[number as usize];
        let waiting = self.data[number as usize].len();
        self.count_waiting(number, waiting);
        let mut balance = self.earn(number);
        let mut sent = 0;
        while balance > 0 {
            let cell = if !self.control[number as usize].is_empty() {
                self.control[number as usize].pop()
            } else if !held && !self.data[number as usize].is_empty() {
                self.data[number as usize].pop()
            } else {
                break;
            };
            balance -= i32::from(cell.len);
            self.fly(slot, number, cell);
            sent += 1;
        }
        self.balance[number as usize] = balance;
        if self.control[number as usize].is_empty() && !held {
            self.special[number as usize / 64] &= !(1 << (number % 64));
        }
        sent
    }

    /// What a link may send in this step.
    #[inline(always)]
    fn earn(&self, number: u32) -> i32 {
        (self.balance[number as usize] + self.cell as i32).min(self.cell as i32)
    }

    /// Cells wait before a link in this step.
    #[inline(always)]
    fn count_waiting(&mut self, number: u32, waiting: u32) {
        let counters = &mut self.counters[number as usize];
        counters.area += u64::from(waiting) * self.area;
        counters.peak = counters.peak.max(u64::from(waiting) * self.step.as_ps());
    }
}

impl Stardust<LockStep> {
    /// Arrivals in two passes over a few at a time: where each goes, then the going, so that the memory that one waits for and the
    /// next one's do not wait for each other.
    fn take_cells(&mut self, now: Time, arrived: &[Cell], queue: &mut EventQueue) {
        const ELSEWHERE: u32 = u32::MAX;
        let rounds = self.config.adapter.rounds;
        let mut ways = [ELSEWHERE; 32];
        for some in arrived.chunks(ways.len()) {
            for (cell, way) in some.iter().zip(&mut ways) {
                let wire = self.layout.wires[cell.at.as_ps() as usize];
                *way = ELSEWHERE;
                if cell.is_control() || self.broken.any {
                    continue;
                }
                if wire.to < self.layout.adapters {
                    self.reassembly.fetch(cell.voq);
                } else if let Some(set) = self.tables.way(wire.to, cell.to, wire.role == Role::Up) {
                    *way = self.sprayer.next(set, rounds, &mut self.stream);
                }
            }
            for (cell, way) in some.iter().zip(&ways) {
                let link = cell.at.as_ps() as u32;
                if *way == ELSEWHERE {
                    self.take_cell(now, link, *cell, queue);
                } else {
                    let device = self.layout.wires[link as usize].to;
                    self.pass_on(now, device, *way, *cell, queue);
                }
            }
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
        let cell = config.cells.size.get() as u32;
        LockStep {
            clock: SlotClock::new(step),
            step,
            ticking: false,
            data: vec![Ring::default(); links],
            control: vec![Ring::default(); links],
            balance: vec![0; links],
            counters: vec![Counters::default(); links],
            busy: vec![0; links.div_ceil(64)],
            special: vec![0; links.div_ceil(64)],
            held: vec![false; links],
            flight,
            classes: layout.wires.iter().map(|wire| wire.class).collect(),
            air: vec![Vec::new(); longest + 1],
            flying: 0,
            cell,
            indicate: config.element.fci_threshold,
            area: u64::from(cell) * (step.as_ps() >> 10),
        }
    }

    #[inline(always)]
    fn join(&mut self, now: Time, number: u32, mut cell: Cell, _: &LinkClass, queue: &mut EventQueue) {
        let data = &mut self.data[number as usize];
        if data.len() > self.indicate {
            cell.flags |= Cell::FCI;
            self.counters[number as usize].marked += 1;
        }
        data.push(cell);
        self.rouse(now, number, queue);
    }

    fn join_first(&mut self, now: Time, number: u32, cell: Cell, _: &LinkClass, queue: &mut EventQueue) {
        self.control[number as usize].push(cell);
        self.special[number as usize / 64] |= 1 << (number % 64);
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
        fabric.take_cells(now, &arrived, queue);
        arrived.clear();
        fabric.interior.air[slot] = arrived;
        let mut any = false;
        for word in 0..fabric.interior.busy.len() {
            let mut bits = fabric.interior.busy[word];
            any |= bits != 0;
            while bits != 0 {
                let number = (word * 64) as u32 + bits.trailing_zeros();
                bits &= bits - 1;
                let sent = fabric.interior.depart(step, number);
                fabric.interior.flying += u64::from(sent);
                for _ in 0..sent {
                    fabric.forget_cell(now, number, queue);
                }
            }
        }
        let interior = &mut fabric.interior;
        if any || interior.flying > 0 {
            queue.push(Clock::Step.event(interior.clock.begins()));
        } else {
            interior.ticking = false;
        }
    }

    fn crossing(&self, link: u32, _: u16, _: &LinkClass) -> Span {
        self.step * u64::from(self.flight[usize::from(self.classes[link as usize])])
    }

    fn waiting(&self, _: Time, link: u32, _: &LinkClass) -> u32 {
        self.cells(link)
    }

    fn cells(&self, link: u32) -> u32 {
        self.data[link as usize].len() + self.control[link as usize].len()
    }

    fn queued(&self, _: Time, link: u32, _: &LinkClass) -> Bytes {
        Bytes::new(u64::from(self.data[link as usize].len() * self.cell))
    }

    fn hold(&mut self, _: Time, link: u32, _: &LinkClass, _: &mut EventQueue) {
        self.held[link as usize] = true;
        self.special[link as usize / 64] |= 1 << (link % 64);
    }

    fn release(&mut self, now: Time, link: u32, _: &LinkClass, queue: &mut EventQueue) {
        self.held[link as usize] = false;
        self.rouse(now, link, queue);
    }

    fn clear(&mut self, _: Time, number: u32) -> Vec<Cell> {
        let mut cells = self.data[number as usize].drain();
        cells.extend(self.control[number as usize].drain());
        self.held[number as usize] = false;
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
        // What waits is not counted yet.
        self.counters[link as usize].at_rate(class.rate, Span::ZERO)
    }

    fn restart_counters(&mut self, _: Time, link: u32, _: &LinkClass) {
        self.counters[link as usize] = Counters::default();
    }

    fn count_loss(&mut self, link: u32) {
        self.counters[link as usize].lost += 1;
    }

    fn check(&self) -> u64 {
        let under_way: usize = self.air.iter().map(Vec::len).sum();
        assert_eq!(under_way as u64, self.flying, "cells under way are counted");
        let data = |cell: &&Cell| !cell.is_control();
        let flying = self.air.iter().flatten().filter(data).count();
        (flying + self.data.iter().flat_map(Ring::iter).count()) as u64
    }
}
