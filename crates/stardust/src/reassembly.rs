//! Cells become packets again at their destination (§4.1): in the order of their VOQ, whatever order they come in, within bounded
//! memory and time.

use crate::cell::Cell;
use crate::config::Cells;
use crate::store::Store;
use units::{Span, Time};

/// The stream of cells of one VOQ, at its destination.
#[derive(Debug, Clone)]
pub struct Stream {
    /// The cell that is waited for.
    next: u32,
    /// Bytes of it that are accounted for: packets that were complete, and all before the end of a credit's worth.
    settled: u32,
    /// Bytes before `next`, come or lost.
    position: u32,
    /// A packet has lost cells, and its end is not in sight.
    torn: bool,
    /// A timer's event is pending.
    pub armed: bool,
    /// Cells that came before their turn, by number modulo the length.
    early: Box<[Early]>,
    /// How many.
    held: u32,
}

/// A cell that came before its turn.
#[derive(Debug, Clone, Copy, Default)]
struct Early {
    cargo: u32,
    offset: u16,
    /// Bytes of payload; 0: no cell.
    payload: u16,
    flags: u8,
    /// When it came.
    came: Time,
}

/// What comes of a cell or of a timer.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Packets that are complete, in order.
    pub complete: Vec<u32>,
    /// Packets of which a part was lost.
    pub torn: Vec<u32>,
    /// Bytes that were awaited and will not come.
    pub missing: u32,
}

impl Outcome {
    /// Whether there is nothing to do.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.complete.is_empty() && self.torn.is_empty() && self.missing == 0
    }
    /// Ready for the next one.
    pub fn clear(&mut self) {
        self.complete.clear();
        self.torn.clear();
        self.missing = 0;
    }
}

/// The streams of all VOQs, by the VOQ's number.
#[derive(Debug, Clone)]
pub struct Reassembly {
    streams: Vec<Stream>,
    /// Room for early cells that no stream needs now. Few streams need any at a time, and the room used last is the nearest.
    spare: Vec<Box<[Early]>>,
    cells: Cells,
    /// Bytes that wait for earlier cells, in each adapter; the most there ever were in one.
    waiting: Vec<u64>,
    /// See `waiting`.
    pub peak: u64,
    /// Cells that were given up.
    pub given_up: u64,
    limit: u64,
}

impl Reassembly {
    /// For this many adapters, each of which holds up to `limit` bytes.
    pub fn new(adapters: u32, cells: Cells, limit: u64) -> Reassembly {
        let waiting = vec![0; adapters as usize];
        Reassembly { streams: Vec::new(), spare: Vec::new(), cells, waiting, peak: 0, given_up: 0, limit }
    }

    /// The stream of a VOQ.
    pub fn stream(&mut self, voq: u32) -> &mut Stream {
        if voq as usize >= self.streams.len() {
            let fresh =
                Stream { next: 0, settled: 0, position: 0, torn: false, armed: false, early: Box::new([]), held: 0 };
            self.streams.resize(voq as usize + 1, fresh);
        }
        &mut self.streams[voq as usize]
    }

    /// Has a VOQ's stream on its way from memory, for a cell that is about to come.
    #[inline(always)]
    pub fn fetch(&self, voq: u32) {
        std::hint::black_box(self.streams.get(voq as usize).map(|stream| stream.next));
    }

    #[inline(always)]
    fn payload(&self, cell: &Cell) -> u16 {
        cell.len - u16::from(cell.padding) - self.cells.header.get() as u16
    }

    /// A cell has come. Says whether its stream now waits for an earlier one.
    #[inline]
    pub fn arrive(&mut self, now: Time, cell: &Cell, store: &Store, outcome: &mut Outcome) -> bool {
        let payload = self.payload(cell);
        let stream = self.stream(cell.voq);
        let ahead = cell.sequence.wrapping_sub(stream.next) as i32;
        if ahead == 0 {
            let first = Early { cargo: cell.cargo, offset: cell.offset, payload, flags: cell.flags, came: now };
            self.proceed(cell.to, cell.voq, first, store, outcome);
        } else if ahead > 0 {
            self.keep(now, cell, payload);
            // What it has waiting is what it added last at least.
            while self.waiting[usize::from(cell.to)] > self.limit {
                self.give_up(cell.to, cell.voq, store, outcome);
            }
        } else {
            // It was given up: so are the packets that end in it.
            let mut packet = cell.cargo;
            while packet != Store::NONE {
                outcome.torn.push(packet);
                packet = store.next(packet);
            }
        }
        self.streams[cell.voq as usize].held > 0
    }

    /// Keeps a cell whose turn has not come.
    #[inline(always)]
    fn keep(&mut self, now: Time, cell: &Cell, payload: u16) {
        let stream = &mut self.streams[cell.voq as usize];
        let ahead = cell.sequence.wrapping_sub(stream.next);
        if stream.early.is_empty() {
            stream.early = self.spare.pop().unwrap_or_default();
        }
        if ahead as usize >= stream.early.len() {
            stream.grow(ahead);
        }
        let place = cell.sequence as usize & (stream.early.len() - 1);
        debug_assert_eq!(stream.early[place].payload, 0, "a cell comes once");
        stream.early[place] = Early { cargo: cell.cargo, offset: cell.offset, payload, flags: cell.flags, came: now };
        stream.held += 1;
        let waiting = &mut self.waiting[usize::from(cell.to)];
        *waiting += u64::from(payload);
        self.peak = self.peak.max(*waiting);
    }

    /// The cell whose turn it is, and then all that wait right behind it.
    #[inline(always)]
    fn proceed(&mut self, adapter: u16, voq: u32, first: Early, store: &Store, outcome: &mut Outcome) {
        let Reassembly { streams, spare, waiting, cells, .. } = self;
        let stream = &mut streams[voq as usize];
        let mut cell = first;
        loop {
            stream.take(&cell, cells, store, outcome);
            stream.next = stream.next.wrapping_add(1);
            if stream.held == 0 {
                if !stream.early.is_empty() {
                    spare.push(std::mem::take(&mut stream.early));
                }
                return;
            }
            let place = stream.next as usize & (stream.early.len() - 1);
            cell = stream.early[place];
            if cell.payload == 0 {
                return;
            }
            stream.early[place].payload = 0;
            stream.held -= 1;
            waiting[usize::from(adapter)] -= u64::from(cell.payload);
        }
    }

    /// Goes on without the cells that are missing: their time is over, or the memory.
    pub fn give_up(&mut self, adapter: u16, voq: u32, store: &Store, outcome: &mut Outcome) {
        let stream = &mut self.streams[voq as usize];
        if stream.held == 0 {
            return;
        }
        stream.torn = true;
        let (mask, first) = (stream.early.len() - 1, stream.next);
        while stream.early[stream.next as usize & mask].payload == 0 {
            stream.next = stream.next.wrapping_add(1);
        }
        let given_up = stream.next.wrapping_sub(first);
        self.given_up += u64::from(given_up);
        let place = stream.next as usize & mask;
        let cell = stream.early[place];
        stream.skip(given_up, cell.offset, &self.cells);
        stream.early[place].payload = 0;
        stream.held -= 1;
        self.waiting[usize::from(adapter)] -= u64::from(cell.payload);
        self.proceed(adapter, voq, cell, store, outcome);
    }

    /// A VOQ's stream waits longer than `timeout`: gives up. Says when to look again, if it still waits.
    pub fn expire(
        &mut self,
        now: Time,
        adapter: u16,
        voq: u32,
        timeout: Span,
        store: &Store,
        outcome: &mut Outcome,
    ) -> Option<Time> {
        self.stream(voq).armed = false;
        while let Some(oldest) = self.streams[voq as usize].oldest() {
            if now < oldest + timeout {
                self.streams[voq as usize].armed = true;
                return Some(oldest + timeout);
            }
            self.give_up(adapter, voq, store, outcome);
        }
        None
    }

    /// Bytes that wait for earlier cells in an adapter.
    pub fn waiting(&self, adapter: u16) -> u64 {
        self.waiting[usize::from(adapter)]
    }

    /// Everything that an adapter holds of a VOQ is lost, with the packets that end in it.
    pub fn clear(&mut self, adapter: u16, voq: u32, store: &Store, lost: &mut Vec<u32>) {
        let stream = self.stream(voq);
        let mut bytes = 0;
        for early in stream.early.iter_mut().filter(|early| early.payload > 0) {
            bytes += u64::from(early.payload);
            early.payload = 0;
            let mut packet = early.cargo;
            while packet != Store::NONE {
                lost.push(packet);
                packet = store.next(packet);
            }
        }
        stream.held = 0;
        stream.torn = true; // what had come of a packet is lost too
        self.waiting[usize::from(adapter)] -= bytes;
    }
}

impl Stream {
    /// When the first of the cells came that are here before their turn: since then all cells before it are missing.
    fn oldest(&self) -> Option<Time> {
        self.early.iter().filter(|early| early.payload > 0).map(|early| early.came).min()
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, ahead: u32) {
        let larger = (ahead as usize + 1).next_power_of_two().max(8);
        let mut early = vec![Early::default(); larger].into_boxed_slice();
        for step in 0..self.early.len() as u32 {
            let number = self.next.wrapping_add(step) as usize;
            early[number & (larger - 1)] = self.early[number & (self.early.len() - 1)];
        }
        self.early = early;
    }

    /// The packets that end in a cell whose turn it is.
    #[inline(always)]
    fn take(&mut self, cell: &Early, cells: &Cells, store: &Store, outcome: &mut Outcome) {
        let mut packet = cell.cargo;
        if self.torn {
            let continues = cell.flags & Cell::CONTINUES != 0;
            if continues && packet != Store::NONE {
                outcome.torn.push(packet);
                packet = store.next(packet);
                self.torn = false;
            } else if !continues {
                self.torn = false;
            }
        }
        while packet != Store::NONE {
            let size = store.frame(packet).len + cells.packet_header.get() as u32;
            self.settled = self.settled.wrapping_add(size);
            outcome.complete.push(packet);
            packet = store.next(packet);
        }
        self.position = self.position.wrapping_add(u32::from(cell.payload));
        if cell.flags & Cell::LAST != 0 {
            // A packet ends with this cell, so all bytes before its end have come or are lost.
            outcome.missing += self.position.wrapping_sub(self.settled);
            self.settled = self.position;
        }
    }

    /// Cells are given up, up to the one at `offset`. That counts bytes modulo 2^16: the cells were full, but for as little as it says.
    fn skip(&mut self, given_up: u32, offset: u16, cells: &Cells) {
        let most = given_up.saturating_mul((cells.size - cells.header).get() as u32);
        let least = u32::from(offset.wrapping_sub(self.position as u16));
        debug_assert!(least <= most, "{given_up} cells are at least {least} B");
        self.position = self.position.wrapping_add(least + ((most.saturating_sub(least)) >> 16 << 16));
    }
}

#[cfg(test)]
mod tests;
