//! Requests and credits, from an adapter to another.

use crate::cell::{Cell, Kind};
use crate::interior::Interior;
use crate::network::Stardust;
use crate::scheduler::Grant;
use engine::{Event, EventQueue, Rank};
use fabric::{Observer, Seen, kind};
use units::{Bytes, Time};

impl<I: Interior, O: Observer> Stardust<I, O> {
    /// A control message on its way from an adapter to another, or to itself.
    pub(crate) fn dispatch(&mut self, now: Time, from: u16, cell: Cell, queue: &mut EventQueue) {
        if cell.to == from {
            self.deliver_cell(now, cell, queue);
            return;
        }
        match self.tables.route(u32::from(from), cell.to, true) {
            Some(route) => {
                let link = self.control.next(route, self.config.adapter.rounds, &mut self.stream);
                self.send_control(now, link, cell, queue);
            }
            None => self.drop_astray(now, &cell), // the watchdog says it again
        }
    }

    /// A VOQ reports what it has, if it is time.
    pub(crate) fn ask(&mut self, now: Time, voq: u32, queue: &mut EventQueue) {
        if let Some(request) = self.ingress.request(voq) {
            self.sums.requests += 1;
            let from = self.ingress.voqs[voq as usize].src;
            self.dispatch(now, from, request, queue);
        }
        let watchdog = self.config.credits.watchdog;
        let voq_state = &mut self.ingress.voqs[voq as usize];
        if voq_state.is_waiting() && !voq_state.watched {
            voq_state.watched = true;
            queue.push(Event { at: now + watchdog, rank: Rank::new(kind::DEADLINE, voq * 2), slot: 0 });
        }
    }

    /// A VOQ may have waited too long for a credit.
    pub(crate) fn check_waiting(&mut self, now: Time, voq: u32, queue: &mut EventQueue) {
        let watchdog = self.config.credits.watchdog;
        let state = &mut self.ingress.voqs[voq as usize];
        state.watched = false;
        if !state.is_waiting() {
            return;
        }
        state.watched = true;
        let mut due = state.since + watchdog;
        if due <= now {
            due = now + watchdog;
            let from = state.src;
            let request = self.ingress.resync(voq);
            self.sums.requests += 1;
            self.dispatch(now, from, request, queue);
        }
        queue.push(Event { at: due, rank: Rank::new(kind::DEADLINE, voq * 2), slot: 0 });
    }

    pub(crate) fn take_request(&mut self, now: Time, cell: &Cell, queue: &mut EventQueue) {
        let voq = &self.ingress.voqs[cell.voq as usize];
        let (port, class) = (voq.port, voq.class);
        let has_turn = if cell.has(Cell::RESYNC) {
            self.scheduler.resync(now, cell.voq, port, class, (cell.sequence, cell.stamp))
        } else {
            self.scheduler.request(cell.voq, port, class, cell.sequence)
        };
        if has_turn {
            self.schedule(now, port, queue);
        }
    }

    pub(crate) fn schedule(&mut self, now: Time, port: u32, queue: &mut EventQueue) {
        let at = self.scheduler.turn(now, port);
        queue.push(Event { at, rank: Rank::new(kind::SCHEDULE, port), slot: 0 });
    }

    /// A port's scheduler has its turn.
    pub(crate) fn grant(&mut self, now: Time, port: u32, queue: &mut EventQueue) {
        if let Some(grant) = self.scheduler.grant(now, port) {
            self.send_credit(now, port, grant, queue);
        }
        if self.scheduler.has_turn(port) {
            self.schedule(now, port, queue);
        }
    }

    /// A credit goes to its VOQ.
    pub(crate) fn send_credit(&mut self, now: Time, port: u32, grant: Grant, queue: &mut EventQueue) {
        self.sums.credits += 1;
        self.sums.credit_bytes += u64::from(grant.bytes);
        let from = self.scheduler.ports[port as usize].adapter;
        let to = self.ingress.voqs[grant.voq as usize].src;
        let bytes = Bytes::new(grant.bytes.into());
        self.observer.see(now, Seen::Credit { to: to.into(), port, bytes });
        let len = self.config.credits.message.get() as u16;
        let credit = Cell { sequence: grant.bytes, ..Cell::control(Kind::Credit, grant.voq, to, len) };
        self.dispatch(now, from, credit, queue);
    }

    /// A credit has come to its VOQ.
    pub(crate) fn take_credit(&mut self, now: Time, voq: u32, bytes: u32, queue: &mut EventQueue) {
        let mut cells = std::mem::take(&mut self.cells);
        self.ingress.credit(now, voq, bytes, &mut self.store, &mut cells);
        self.spray(now, voq, &mut cells, queue);
        self.cells = cells;
        self.ask(now, voq, queue);
        let adapter = self.ingress.voqs[voq as usize].src;
        self.unpause(now, adapter, queue);
    }

    /// Cells leave a VOQ over all links that lead to their destination (§3.2).
    pub(crate) fn spray(&mut self, now: Time, voq: u32, cells: &mut Vec<Cell>, queue: &mut EventQueue) {
        let state = &self.ingress.voqs[voq as usize];
        let (src, dst) = (state.src, state.dst);
        if src == dst {
            for cell in cells.drain(..) {
                self.reassemble(now, cell, queue);
            }
            return;
        }
        let route = self.tables.route(u32::from(src), dst, true);
        for cell in cells.drain(..) {
            self.sums.cells += 1;
            self.sums.cell_bytes += u64::from(cell.len);
            #[cfg(debug_assertions)]
            {
                self.cells_inside += 1;
            }
            match route {
                Some(route) => {
                    let link = self.sprayer.next(route, self.config.adapter.rounds, &mut self.stream);
                    self.send_data(now, link, cell, queue);
                }
                None => self.drop_astray(now, &cell),
            }
        }
    }
}
