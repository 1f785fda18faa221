//! Cells on links, and in elements.

use crate::build::{Layout, Role, Wire};
use crate::cell::{Cell, Kind};
use crate::clock::Clock;
use crate::config::Config;
use crate::interior::Interior;
use crate::lane::LinkClass;
use crate::network::Stardust;
use crate::reach::Links;
use engine::EventQueue;
use fabric::{Observer, Seen, What};
use units::Time;

/// The cell memory of an element.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Memory {
    /// Cells before its links and on them.
    pub cells: u32,
    /// Cells that may still join before those in memory, counted last, can have become too many.
    pub spare: u32,
    /// Cells in memory at which its inputs are paused.
    pub pause_at: u32,
    /// Cells that its memory holds.
    pub capacity: u32,
    pub paused: bool,
}

impl Memory {
    /// So many are in memory now, and none is added but by joining: as long as fewer join than this, it is neither time to pause nor full.
    fn spare_from(&mut self, count: u32) {
        let next = if self.paused { self.capacity.saturating_add(1) } else { self.pause_at };
        self.spare = next.saturating_sub(count);
    }
}

impl<I: Interior, O: Observer> Stardust<I, O> {
    /// A data cell joins a link's queue.
    #[inline(always)]
    pub(crate) fn send_data(&mut self, now: Time, link: u32, cell: Cell, queue: &mut EventQueue) {
        let wire = self.layout.wires[link as usize];
        self.see_cell(now, &cell, link, What::Queued { leaves: None });
        self.interior.join(now, link, cell, &self.link_classes[usize::from(wire.class)], queue);
        self.house_message(wire.from);
    }

    /// A control message joins before all data.
    pub(crate) fn send_control(&mut self, now: Time, link: u32, cell: Cell, queue: &mut EventQueue) {
        let wire = self.layout.wires[link as usize];
        self.see_cell(now, &cell, link, What::Queued { leaves: None });
        self.interior.join_first(now, link, cell, &self.link_classes[usize::from(wire.class)], queue);
        self.house_message(wire.from);
    }

    /// A control message more, or an adapter's cell, lies in a device's memory.
    #[inline(always)]
    pub(crate) fn house_message(&mut self, device: u32) {
        self.totals.hops += 1;
        let memory = &mut self.held[device as usize];
        memory.cells += 1;
        memory.spare = memory.spare.saturating_sub(1);
    }

    /// Cells have left a device's memory.
    #[inline(always)]
    pub(crate) fn forget_cells(&mut self, now: Time, device: u32, cells: u32, queue: &mut EventQueue) {
        let memory = &mut self.held[device as usize];
        memory.cells -= cells;
        if memory.paused {
            self.try_release(now, device, queue);
        }
    }

    /// A cell has come over a link inside.
    #[inline(always)]
    pub(crate) fn take_cell(&mut self, now: Time, link: u32, cell: Cell, queue: &mut EventQueue) {
        let wire = self.wire(link);
        self.see_cell(now, &cell, link, What::Arrived);
        if self.broken.any && self.is_spoiled(now, link, &cell) {
            return;
        }
        if cell.is_control() && cell.kind() == Kind::Reachability {
            self.hear(now, link, &cell);
            return;
        }
        if wire.role == Role::Down && wire.to < self.layout.adapters {
            self.deliver_cell(now, cell, queue);
        } else {
            self.forward(now, wire, cell, queue);
        }
    }

    /// A Fabric Element passes a cell on (§4.2): over a link downwards that leads to its adapter, else, if it is on its way up, over
    /// one upwards.
    #[inline(always)]
    pub(crate) fn forward(&mut self, now: Time, wire: Wire, cell: Cell, queue: &mut EventQueue) {
        let Some(route) = self.tables.route(wire.to, cell.to, wire.role == Role::Up) else {
            self.drop_astray(now, &cell);
            return;
        };
        let rounds = self.config.adapter.rounds;
        if cell.is_control() {
            let link = self.control.next(route, rounds, &mut self.stream);
            self.send_control(now, link, cell, queue);
        } else {
            let link = self.sprayer.next(route, rounds, &mut self.stream);
            self.pass_on(now, wire.to, link, cell, queue);
        }
    }

    /// A data cell in an element joins the queue of the link that it was given.
    #[inline(always)]
    pub(crate) fn pass_on(&mut self, now: Time, element: u32, link: u32, cell: Cell, queue: &mut EventQueue) {
        let class = usize::from(self.layout.wires[link as usize].class);
        self.see_cell(now, &cell, link, What::Queued { leaves: None });
        self.interior.join(now, link, cell, &self.link_classes[class], queue);
        self.house_cell(now, element, queue);
    }

    /// A data cell more lies in an element's memory.
    #[inline(always)]
    pub(crate) fn house_cell(&mut self, now: Time, element: u32, queue: &mut EventQueue) {
        self.totals.hops += 1;
        let memory = &mut self.held[element as usize];
        memory.cells += 1;
        memory.spare = memory.spare.saturating_sub(1);
        // Cells on links are counted too, so there is nothing to look for below.
        if memory.spare == 0 && memory.cells > if memory.paused { memory.capacity } else { memory.pause_at } {
            self.crowd(now, element, queue);
        }
    }

    /// Something happens to a cell at a link.
    #[inline(always)]
    pub(crate) fn see_cell(&mut self, now: Time, cell: &Cell, link: u32, what: What) {
        if O::ACTIVE {
            let is_for_all = cell.is_control() && cell.kind() == Kind::Reachability;
            let from = if is_for_all { u32::MAX } else { self.ingress.voqs[cell.voq as usize].src.into() };
            self.observer.see(now, Seen::Cell { from, to: cell.to.into(), len: cell.len.into(), link, what });
        }
    }

    /// Cells that an element has in memory.
    pub(crate) fn count(&mut self, now: Time, element: u32) -> u32 {
        let class = |link: u32| &self.link_classes[usize::from(self.layout.wires[link as usize].class)];
        self.layout.out(element).map(|link| self.interior.waiting(now, link, class(link))).sum()
    }

    /// §5.5: as a last resort an element pauses what comes to it rather than drop a cell. One that finds no room all the same is
    /// counted: a real element would drop it.
    #[cold]
    #[inline(never)]
    fn crowd(&mut self, now: Time, element: u32, queue: &mut EventQueue) {
        let count = self.count(now, element);
        let memory = &mut self.held[element as usize];
        self.sums.homeless += u64::from(count > memory.capacity);
        if count >= memory.pause_at && !memory.paused {
            memory.paused = true;
            self.sums.pauses += 1;
            self.tell_neighbours(now, element, Clock::Hold, queue);
        }
        self.held[element as usize].spare_from(count);
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn try_release(&mut self, now: Time, element: u32, queue: &mut EventQueue) {
        let count = self.count(now, element);
        let memory = &mut self.held[element as usize];
        if count <= memory.pause_at / 4 * 3 {
            memory.paused = false;
            memory.spare_from(count);
            self.tell_neighbours(now, element, Clock::Release, queue);
        }
    }

    /// Pause and release reach the neighbours after the links' delays.
    pub(crate) fn tell_neighbours(
        &mut self,
        now: Time,
        element: u32,
        clock: impl Fn(u32) -> Clock,
        queue: &mut EventQueue,
    ) {
        for link in self.layout.out(element) {
            let delay = self.link_classes[usize::from(self.wire(link).class)].delay;
            let (back, what) = (self.layout.back(link), clock(self.layout.back(link)));
            self.observer.see(now, Seen::Pause { link: back, class: 0, pauses: matches!(what, Clock::Hold(_)) });
            queue.push(what.event(now + delay));
        }
    }

    /// A cell has come to the adapter that it is for.
    #[inline(always)]
    pub(crate) fn deliver_cell(&mut self, now: Time, cell: Cell, queue: &mut EventQueue) {
        match cell.kind() {
            Kind::Data => {
                self.sums.cells_delivered += 1;
                // Its last link has none of its own here: the adapter has it.
                self.see_cell(now, &cell, u32::MAX, What::Delivered);
                #[cfg(debug_assertions)]
                {
                    self.cells_inside -= 1;
                }
                self.cell_latency.record(crate::cell::since(now, cell.stamp).as_ps() >> 10);
                let indicated = cell.has(Cell::FCI);
                self.sums.indicated += u64::from(indicated);
                self.scheduler.observe(now, cell.to, indicated);
                self.reassemble(now, cell, queue);
            }
            Kind::Request => self.take_request(now, &cell, queue),
            Kind::Credit => self.take_credit(now, cell.voq, cell.sequence, queue),
            Kind::Reachability => unreachable!("reachability messages go over one link"),
        }
    }

    pub(crate) fn hold(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        let class = self.link_classes[usize::from(self.wire(link).class)];
        self.interior.hold(now, link, &class, queue);
    }

    pub(crate) fn release(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        let class = self.link_classes[usize::from(self.wire(link).class)];
        self.interior.release(now, link, &class, queue);
    }
}

/// When an element pauses its inputs: so early that what is in flight to it still finds room.
pub(crate) fn memory(device: u32, config: &Config, layout: &Layout, classes: &[LinkClass]) -> Memory {
    if device < layout.adapters {
        return Memory { pause_at: u32::MAX, capacity: u32::MAX, spare: u32::MAX, ..Memory::default() };
    }
    let flight = |link: u32| {
        let class = &classes[usize::from(layout.wires[link as usize].class)];
        class.delay.as_ps() / class.full.1.as_ps() + 2
    };
    let links = layout.out(device).count() as u32;
    // A pause takes a link's delay to get there, and another until the last cell that was sent before it has come.
    let headroom: u64 = layout.out(device).map(|link| 2 * flight(layout.back(link))).sum();
    let capacity = config.element.memory.saturating_mul(links);
    let pause_at = u64::from(capacity).saturating_sub(headroom).max(u64::from(links)) as u32;
    Memory { cells: 0, spare: pause_at, pause_at, capacity, paused: false }
}

#[cfg(test)]
mod tests;
