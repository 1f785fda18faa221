//! The inside of the fabric in lock-step, a cell time a step: the paper's own queueing model (§4.2.1), over dense state.
//!
//! In each step every link sends the bytes of one cell: one full cell, or several short ones and control messages, which go before
//! data. What it sends too much, less than a cell, it owes to later steps. A cell is on its link for a whole number of steps. What happens
//! outside, at adapters and hosts, keeps its own times: a cell that is given to a link leaves it with the next step.

use crate::build::{Layout, Role};
use crate::cell::Cell;
use crate::clock::Clock;
use crate::config::Config;
use crate::fifo::{Fifo, Token};
use crate::interior::Interior;
use crate::lane::LinkClass;
use crate::network::Stardust;
use engine::{Event, EventQueue, SlotClock};
use fabric::{Counters, LinkCounters};
use units::{Bytes, Span, Time};

/// All links, one step after the other. What is looked at in every step lies in arrays of its own; a cell is written once, when it
/// comes in, and read once, when it goes out.
#[derive(Debug, Clone)]
pub struct LockStep {
    clock: SlotClock,
    step: Span,
    /// A step's event is pending.
    ticking: bool,
    /// What waits before each link.
    queues: Vec<Fifo>,
    cells: Cells,
    counters: Vec<Counters>,
    /// Links before which something waits, a bit each.
    busy: Vec<u64>,
    /// Links that are held, and may send control messages only.
    held: Vec<bool>,
    /// Steps that a cell is on its link, by class; and the class of each link.
    flight: Vec<u32>,
    classes: Vec<u16>,
    /// Cells under way, by the step in which they arrive, modulo the length.
    air: Vec<Vec<Flying>>,
    /// How many are under way.
    flying: u64,
    cell: u32,
    indicate: u32,
    /// Bytes times time that a cell adds to a queue in a step, as counters have it.
    area: u64,
}

/// A cell on a link.
#[derive(Debug, Clone, Copy)]
struct Flying {
    token: Token,
    link: u32,
}

/// All cells inside, each kept once.
#[derive(Debug, Clone, Default)]
struct Cells {
    places: Vec<Cell>,
    free: Vec<u32>,
}

impl Cells {
    #[inline(always)]
    fn put(&mut self, cell: Cell) -> Token {
        let place = self.free.pop().unwrap_or_else(|| self.grow());
        self.places[place as usize] = cell;
        Token::new(place, cell.to, cell.len, cell.is_control())
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> u32 {
        let place = self.places.len() as u32;
        assert!(place < Token::PLACES, "a cell inside has a number of 30 bits");
        self.places.push(Cell::EMPTY);
        place
    }

    #[inline(always)]
    fn take(&mut self, token: Token) -> Cell {
        self.free.push(token.place() as u32);
        let mut cell = self.places[token.place()];
        cell.flags |= if token.is_indicated() { Cell::FCI } else { 0 };
        cell
    }
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

    /// A data cell inside joins a link's queue.
    #[inline(always)]
    fn append(&mut self, now: Time, link: u32, mut token: Token, queue: &mut EventQueue) {
        let fifo = &mut self.queues[link as usize];
        if fifo.data() > self.indicate {
            token.indicate();
            self.counters[link as usize].marked += 1;
        }
        fifo.push(token);
        self.rouse(now, link, queue);
    }

    /// What a link sends in a step, and how many cells that is.
    #[inline(always)]
    fn depart(&mut self, step: u64, link: u32) -> u32 {
        let fifo = &mut self.queues[link as usize];
        let (all, data) = (fifo.len(), fifo.data());
        if all == 0 {
            self.busy[link as usize / 64] &= !(1 << (link % 64));
            return 0;
        }
        let flight = self.flight[usize::from(self.classes[link as usize])];
        let slot = (step + u64::from(flight)) % self.air.len() as u64;
        let air = &mut self.air[slot as usize];
        let counters = &mut self.counters[link as usize];
        counters.area += u64::from(data) * self.area;
        counters.peak = counters.peak.max(u64::from(data) * self.step.as_ps());
        let may_go = if self.held[link as usize] { fifo.control() } else { all };
        fifo.balance = (fifo.balance + self.cell as i32).min(self.cell as i32);
        let mut sent = 0;
        while fifo.balance > 0 && sent < may_go {
            let token = fifo.pop();
            fifo.balance -= i32::from(token.len);
            counters.frames += 1;
            counters.bytes += u64::from(token.len);
            air.push(Flying { token, link });
            sent += 1;
        }
        sent
    }
}

impl Stardust<LockStep> {
    /// Arrivals in two passes over a few at a time: where each goes, then the going, so that the memory that one waits for and the
    /// next one's do not wait for each other.
    fn take_cells(&mut self, now: Time, arrived: &[Flying], queue: &mut EventQueue) {
        const ELSEWHERE: u32 = u32::MAX;
        let rounds = self.config.adapter.rounds;
        let mut ways = [ELSEWHERE; 32];
        for some in arrived.chunks(ways.len()) {
            for (flying, way) in some.iter().zip(&mut ways) {
                let wire = self.layout.wires[flying.link as usize];
                *way = ELSEWHERE;
                if flying.token.is_control() || self.broken.any {
                    continue;
                }
                if wire.to < self.layout.adapters {
                    self.reassembly.fetch(self.interior.cells.places[flying.token.place()].voq);
                } else if let Some(set) = self.tables.way(wire.to, flying.token.to, wire.role == Role::Up) {
                    *way = self.sprayer.next(set, rounds, &mut self.stream);
                }
            }
            for (Flying { token, link }, way) in some.iter().zip(&ways) {
                if *way == ELSEWHERE {
                    let cell = self.interior.cells.take(*token);
                    self.take_cell(now, *link, cell, queue);
                } else {
                    let device = self.layout.wires[*link as usize].to;
                    self.interior.append(now, *way, *token, queue);
                    self.house_cell(now, device, queue);
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
            queues: vec![Fifo::default(); links],
            cells: Cells::default(),
            counters: vec![Counters::default(); links],
            busy: vec![0; links.div_ceil(64)],
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
    fn join(&mut self, now: Time, link: u32, cell: Cell, _: &LinkClass, queue: &mut EventQueue) {
        let token = self.cells.put(cell);
        self.append(now, link, token, queue);
    }

    fn join_first(&mut self, now: Time, link: u32, cell: Cell, _: &LinkClass, queue: &mut EventQueue) {
        let token = self.cells.put(cell);
        self.queues[link as usize].push_control(token);
        self.rouse(now, link, queue);
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
        self.queues[link as usize].len()
    }

    fn queued(&self, _: Time, link: u32, _: &LinkClass) -> Bytes {
        Bytes::new(u64::from(self.queues[link as usize].data() * self.cell))
    }

    fn hold(&mut self, _: Time, link: u32, _: &LinkClass, _: &mut EventQueue) {
        self.held[link as usize] = true;
    }

    fn release(&mut self, now: Time, link: u32, _: &LinkClass, queue: &mut EventQueue) {
        self.held[link as usize] = false;
        self.rouse(now, link, queue);
    }

    fn clear(&mut self, _: Time, link: u32) -> Vec<Cell> {
        let mut tokens = self.queues[link as usize].drain();
        self.held[link as usize] = false;
        // Cells on the link are lost too, but were let go when they left the queue.
        for air in &mut self.air {
            air.retain(|flying| {
                let lost = flying.link == link;
                if lost {
                    self.flying -= 1;
                    tokens.push(flying.token);
                }
                !lost
            });
        }
        tokens.into_iter().map(|token| self.cells.take(token)).collect()
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
        let tokens =
            || self.queues.iter().flat_map(Fifo::iter).chain(self.air.iter().flatten().map(|flying| flying.token));
        assert_eq!(tokens().count(), self.cells.places.len() - self.cells.free.len(), "a cell inside is in one place");
        tokens().filter(|token| !token.is_control()).count() as u64
    }
}
