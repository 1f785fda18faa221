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
use fabric::{Counters, LinkCounters, Observer, What};
use units::{Bytes, Span, Time};

/// All links, a step after the other, device by device: what comes to a device, then what leaves it, so that its queues are near
/// while they are needed. A cell is written once, when it comes in, and read once, when it goes out.
#[derive(Debug, Clone)]
pub struct LockStep {
    clock: SlotClock,
    step: Span,
    /// A step's event is pending.
    ticking: bool,
    /// The links in the order of the devices that they leave, the place of each in it (by link), and the first place of each device.
    links: Vec<u32>,
    places: Vec<u32>,
    first: Vec<u32>,
    /// By place, as all that follows: the device at the far end, and the steps that a cell is on its way there.
    ends: Vec<u32>,
    flight: Vec<u32>,
    queues: Vec<Fifo>,
    counters: Vec<Counters>,
    /// Links before which something waits, a bit each.
    busy: Vec<u64>,
    /// Links that are held, and may send control messages only.
    held: Vec<bool>,
    cells: Cells,
    /// Cells in flight, by the step in which they arrive, modulo the length.
    air: Vec<Vec<Flying>>,
    /// Where those of this step are.
    slot: usize,
    /// Those that arrive in this step, by device.
    inboxes: Vec<Vec<Flying>>,
    /// How many are in flight.
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
    /// The link's place.
    place: u32,
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
        Token::new(place, &cell)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> u32 {
        let place = self.places.len() as u32;
        assert!(place < Token::PLACES, "a cell inside has a number of 29 bits");
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
    fn rouse(&mut self, now: Time, place: usize, queue: &mut EventQueue) {
        self.busy[place / 64] |= 1 << (place % 64);
        if !self.ticking {
            self.ticking = true;
            self.clock.skip_to(now);
            queue.push(Clock::Step.event(self.clock.begins()));
        }
    }

    #[inline(always)]
    fn place(&self, link: u32) -> usize {
        self.places[link as usize] as usize
    }

    /// A data cell inside joins a link's queue.
    #[inline(always)]
    fn append(&mut self, now: Time, link: u32, mut token: Token, queue: &mut EventQueue) {
        let place = self.place(link);
        let fifo = &mut self.queues[place];
        if fifo.data() > self.indicate {
            token.indicate();
            self.counters[place].marked += 1;
        }
        fifo.push(token);
        self.rouse(now, place, queue);
    }

    /// A control message inside joins a link's queue, before all data.
    #[inline(always)]
    fn append_control(&mut self, now: Time, link: u32, token: Token, queue: &mut EventQueue) {
        let place = self.place(link);
        self.queues[place].push_control(token);
        self.rouse(now, place, queue);
    }

    /// What a device sends in a step: so many cells.
    fn depart(&mut self, device: usize) -> u32 {
        let (first, end) = (self.first[device] as usize, self.first[device + 1] as usize);
        let mut sent = 0;
        let mut base = first / 64 * 64;
        while base < end {
            let mut bits = self.busy[base / 64];
            // Others' links may share its first and its last word.
            bits &= if base < first { u64::MAX << (first - base) } else { u64::MAX };
            bits &= if end - base < 64 { (1 << (end - base)) - 1 } else { u64::MAX };
            while bits != 0 {
                sent += self.depart_over(base + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
            base += 64;
        }
        self.flying += u64::from(sent);
        sent
    }

    /// What a link sends.
    #[inline(always)]
    fn depart_over(&mut self, place: usize) -> u32 {
        let fifo = &mut self.queues[place];
        let (all, data) = (fifo.len(), fifo.data());
        if all == 0 {
            self.busy[place / 64] &= !(1 << (place % 64));
            return 0;
        }
        let slot = self.slot + self.flight[place] as usize;
        let slot = if slot < self.air.len() { slot } else { slot - self.air.len() };
        let air = &mut self.air[slot];
        let counters = &mut self.counters[place];
        counters.area += u128::from(data) * u128::from(self.area);
        counters.peak = counters.peak.max(u64::from(data) * self.step.as_ps());
        let may_go = if self.held[place] { fifo.control() } else { all };
        fifo.balance = (fifo.balance + self.cell as i32).min(self.cell as i32);
        let mut sent = 0;
        while fifo.balance > 0 && sent < may_go {
            let token = fifo.pop();
            fifo.balance -= i32::from(token.len);
            counters.frames += 1;
            counters.bytes += u64::from(token.len);
            air.push(Flying { token, place: place as u32 });
            sent += 1;
        }
        sent
    }

    /// Sorts what arrives in a step by device.
    fn sort(&mut self, step: u64) {
        self.slot = (step % self.air.len() as u64) as usize;
        let air = &mut self.air[self.slot];
        self.flying -= air.len() as u64;
        for flying in air.drain(..) {
            self.inboxes[self.ends[flying.place as usize] as usize].push(flying);
        }
    }
}

impl<O: Observer> Stardust<LockStep, O> {
    /// What comes to a device, in two passes over a few at a time: where each goes, then the going, so that the memory that one waits
    /// for and the next one's do not wait for each other.
    fn take_cells(&mut self, now: Time, device: u32, arrived: &[Flying], queue: &mut EventQueue) {
        const ELSEWHERE: u32 = u32::MAX;
        let rounds = self.config.adapter.rounds;
        let mut routes = [ELSEWHERE; 32];
        for some in arrived.chunks(routes.len()) {
            for (Flying { token, place }, route) in some.iter().zip(&mut routes) {
                *route = ELSEWHERE;
                if self.broken.any || token.is_local() {
                    continue;
                }
                if device < self.layout.adapters {
                    self.reassembly.fetch(self.interior.cells.places[token.place()].voq);
                    continue;
                }
                let rising = self.layout.wires[self.interior.links[*place as usize] as usize].role == Role::Up;
                if let Some(set) = self.tables.route(device, token.to, rising) {
                    let sprayer = if token.is_control() { &mut self.control } else { &mut self.sprayer };
                    *route = sprayer.next(set, rounds, &mut self.stream);
                    std::hint::black_box(self.interior.queues[self.interior.place(*route)].balance);
                }
            }
            for (Flying { token, place }, route) in some.iter().zip(&routes) {
                if *route == ELSEWHERE {
                    let cell = self.interior.cells.take(*token);
                    self.take_cell(now, self.interior.links[*place as usize], cell, queue);
                    continue;
                }
                if O::ACTIVE {
                    let cell = self.interior.cells.places[token.place()];
                    self.see_cell(now, &cell, self.interior.links[*place as usize], What::Arrived);
                    self.see_cell(now, &cell, *route, What::Queued { leaves: None });
                }
                if token.is_control() {
                    self.interior.append_control(now, *route, *token, queue);
                    self.house_message(device);
                } else {
                    self.interior.append(now, *route, *token, queue);
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
        let steps = |class: &LinkClass| {
            let steps = (class.delay.as_ps() + step.as_ps() / 2) / step.as_ps() + 1;
            u32::try_from(steps).unwrap_or(u32::MAX) // for which there is no memory
        };
        let flight: Vec<u32> = classes.iter().map(steps).collect();
        let longest = flight.iter().copied().max().unwrap_or(1) as usize;
        let links: Vec<u32> = (0..layout.devices).flat_map(|device| layout.out(device)).collect();
        let mut places = vec![u32::MAX; layout.wires.len()];
        for (place, link) in (0..).zip(&links) {
            places[*link as usize] = place;
        }
        let mut first = vec![0];
        first.extend((0..layout.devices).scan(0, |sum, device| {
            *sum += layout.out(device).count() as u32;
            Some(*sum)
        }));
        let wires = || links.iter().map(|link| layout.wires[*link as usize]);
        let cell = config.cells.size.get() as u32;
        let mut air = engine::room(longest + 1);
        air.resize_with(longest + 1, Vec::new);
        LockStep {
            clock: SlotClock::new(step),
            step,
            ticking: false,
            ends: wires().map(|wire| wire.to).collect(),
            flight: wires().map(|wire| flight[usize::from(wire.class)]).collect(),
            queues: vec![Fifo::default(); links.len()],
            counters: vec![Counters::default(); links.len()],
            busy: vec![0; links.len().div_ceil(64)],
            held: vec![false; links.len()],
            links,
            places,
            first,
            cells: Cells::default(),
            air,
            slot: 0,
            inboxes: vec![Vec::new(); layout.devices as usize],
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
        self.append_control(now, link, token, queue);
    }

    fn on_arrival<O: Observer>(_: &mut Stardust<LockStep, O>, _: Event, _: &mut EventQueue) {
        unreachable!("in lock-step cells arrive in steps")
    }

    fn on_step<O: Observer>(fabric: &mut Stardust<LockStep, O>, now: Time, queue: &mut EventQueue) {
        let step = fabric.interior.clock.tick();
        fabric.interior.sort(step);
        for device in 0..fabric.layout.devices {
            let mut arrived = std::mem::take(&mut fabric.interior.inboxes[device as usize]);
            fabric.take_cells(now, device, &arrived, queue);
            arrived.clear();
            fabric.interior.inboxes[device as usize] = arrived;
            let sent = fabric.interior.depart(device as usize);
            if sent > 0 {
                fabric.forget_cells(now, device, sent, queue);
            }
        }
        let interior = &mut fabric.interior;
        if interior.flying > 0 || interior.busy.iter().any(|links| *links != 0) {
            queue.push(Clock::Step.event(interior.clock.begins()));
        } else {
            interior.ticking = false;
        }
    }

    fn crossing(&self, link: u32, _: u16, _: &LinkClass) -> Span {
        self.step * u64::from(self.flight[self.place(link)])
    }

    fn waiting(&mut self, _: Time, link: u32, _: &LinkClass) -> u32 {
        self.cells(link)
    }

    fn cells(&self, link: u32) -> u32 {
        self.queues[self.place(link)].len()
    }

    fn queued(&self, _: Time, link: u32, _: &LinkClass) -> Bytes {
        Bytes::new(u64::from(self.queues[self.place(link)].data() * self.cell))
    }

    fn hold(&mut self, _: Time, link: u32, _: &LinkClass, _: &mut EventQueue) {
        let place = self.place(link);
        self.held[place] = true;
    }

    fn release(&mut self, now: Time, link: u32, _: &LinkClass, queue: &mut EventQueue) {
        let place = self.place(link);
        self.held[place] = false;
        self.rouse(now, place, queue);
    }

    fn clear(&mut self, _: Time, link: u32) -> Vec<Cell> {
        let place = self.place(link);
        let mut tokens = self.queues[place].drain();
        self.held[place] = false;
        // Cells on the link are lost too, but were let go when they left the queue.
        for air in &mut self.air {
            air.retain(|flying| {
                let lost = flying.place as usize == place;
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
        self.counters[self.place(link)].at_rate(class.rate, Span::ZERO)
    }

    fn restart_counters(&mut self, _: Time, link: u32, _: &LinkClass) {
        let place = self.place(link);
        self.counters[place] = Counters::default();
    }

    fn count_loss(&mut self, link: u32) {
        let place = self.place(link);
        self.counters[place].lost += 1;
    }

    fn check(&self) -> u64 {
        let in_flight: usize = self.air.iter().map(Vec::len).sum();
        assert_eq!(in_flight as u64, self.flying, "cells in flight are counted");
        let tokens =
            || self.queues.iter().flat_map(Fifo::iter).chain(self.air.iter().flatten().map(|flying| flying.token));
        assert_eq!(tokens().count(), self.cells.places.len() - self.cells.free.len(), "a cell inside is in one place");
        tokens().filter(|token| !token.is_control()).count() as u64
    }
}
