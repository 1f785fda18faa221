//! Time-slot allocation: which packets go in which slot (Fastpass §3; Fastpod §3.1 leaves it to Fastpass).
//!
//! A *batch* of up to 64 slots is allocated at once. Every source and every destination has a word with a bit for each slot of the batch in
//! which it is free, so the first slot that suits a demand is the lowest bit of the conjunction of two words. Demands are gone through in
//! the order of the [`Policy`]. One that got a slot is tried again when its turn comes in that order, and one that found none waits for the next
//! batch; so when a slot is handed out, no demand is left of which both ends are free in it: each slot's matching is maximal.
//!
//! Slots are handed out one after another ([`Allocator::next_slot`]), and what is asked for in between can have the slots of the batch that have
//! not been handed out. Under max-min fairness a demand is tried a second time only when the slot that it got is handed out (as in Fastpass), so
//! that a batch does not fill with what was known at its beginning.
//!
//! Which participants are free is an [`Admission`]'s business: [`hosts::Hosts`] knows hosts, and racks with fewer uplinks than
//! hosts; [`interpod`](crate::interpod) knows core switches beside them, and finds paths at the same time.

pub mod hosts;
mod origins;
mod queue;
#[cfg(test)]
mod tests;

use crate::pod::Transfer;
use crate::slot::Slot;
use origins::Origins;
use queue::{Buckets, Entry};

/// The largest batch, in slots: a word has a bit for each.
pub const LARGEST_BATCH: u32 = 64;

/// In a pair's word: it has a demand.
const ACTIVE: u32 = 1 << 31;

/// In which order demands are gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Policy {
    /// The one that got its last slot longest ago comes first, and takes one slot (Fastpass §3.1). A demand that always has something left
    /// gets a slot at least every s + d - 1 slots, where s and d demands are left at its source and its destination: in each slot that
    /// passes it by, another one of those got its turn, and each can do so once. Demands of one origin for one destination
    /// ([`Allocator::set_origin`]) have a turn together.
    MaxMin,
    /// The one with the fewest slots left comes first, and takes as many as it can have: mean completion times are short, large
    /// demands can starve. The order is that at the beginning of a batch; what comes later is tried when it comes.
    MinCompletion,
}

/// Who can send and receive in which slots of a batch.
pub trait Admission {
    /// A new batch begins: everybody is free.
    fn clear(&mut self);

    /// Those of the slots `open` in which the ends of a demand are free. A slot that is not among them cannot be had; of those
    /// that are, one may still fail in [`admit`](Admission::admit).
    fn candidates(&self, source: u16, destination: u16, open: u64) -> u64;

    /// Takes the earliest slot of `candidates` that can be had, and answers its number in the batch, or nothing.
    fn admit(&mut self, source: u16, destination: u16, candidates: u64) -> Option<u32>;

    /// Whether, since this was last asked, something has changed by which a demand may fit that was refused before.
    fn has_moved(&mut self) -> bool;
}

/// What a pair has asked for and not got, or got in a slot that has not been handed out. Demands are few beside pairs, and lie close together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Demand {
    /// The slot after its last one; zero if the pair has had none.
    last: u64,
    /// Those of the batch that it has been given, if it was given any in this batch.
    given: u64,
    /// Slots that are still wanted.
    remaining: u32,
    /// The next one in its bucket.
    next: u32,
    source: u16,
    destination: u16,
    /// Whether it is in a list or a bucket.
    queued: bool,
}

/// Demands, and the batch that is being handed out. Nothing is allocated on the heap once lists have grown to
/// what they need. Takes 4 B for each pair of a source and a destination, touched when the pair first asks, and some
/// 100 B for each whose demand is not met.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Allocator<A> {
    policy: Policy,
    admission: A,
    destinations: usize,
    /// Slots of a batch.
    batch: u32,
    /// The first slot of the batch.
    first: Slot,
    /// How many slots of the batch have been handed out.
    closed: u32,
    /// Whether the demands that waited have been gone through for this batch.
    begun: bool,
    /// For each pair, the number of its demand and [`ACTIVE`]; or if it has none, the last 31 bits of `last`, zero if it has had no slot.
    pairs: Vec<u32>,
    demands: Vec<Demand>,
    /// Numbers of demands that are no more.
    unused: Vec<u32>,
    /// What found no slot in this batch, for the next: under max-min fairness in order.
    waiting: Vec<Entry>,
    /// What found none though it came late, so that it has no place in the order yet.
    late: Vec<Entry>,
    /// What has not been tried.
    arrivals: Vec<Entry>,
    /// Of the batch before.
    scratch: Vec<Entry>,
    buckets: Buckets,
    origins: Origins,
    matchings: Vec<Vec<Transfer>>,
}

impl<A: Admission> Allocator<A> {
    /// Nothing is asked for yet. Sources and destinations are numbered as `admission` has them, from 0. The first slot to be handed out is `first`.
    ///
    /// # Panics
    /// If `batch` is not within 1..=[`LARGEST_BATCH`].
    pub fn new(policy: Policy, admission: A, sources: u16, destinations: u16, batch: u32, first: Slot) -> Allocator<A> {
        assert!((1..=LARGEST_BATCH).contains(&batch), "a batch has 1 to {LARGEST_BATCH} slots, not {batch}");
        let (sources, destinations) = (usize::from(sources), usize::from(destinations));
        Allocator {
            policy,
            admission,
            destinations,
            batch,
            first,
            closed: 0,
            begun: false,
            pairs: vec![0; sources * destinations],
            demands: Vec::new(),
            unused: Vec::new(),
            waiting: Vec::new(),
            late: Vec::new(),
            arrivals: Vec::new(),
            scratch: Vec::new(),
            buckets: Buckets::new(batch),
            origins: Origins::default(),
            matchings: vec![Vec::with_capacity(sources.max(destinations)); batch as usize],
        }
    }

    /// The slot that is handed out next.
    pub fn upcoming(&self) -> Slot {
        self.first.plus(self.closed.into())
    }

    /// Slots that a pair still wants and has not been given, in this batch or before.
    pub fn remaining(&self, source: u16, destination: u16) -> u32 {
        let pair = self.pairs[self.pair(source, destination)];
        if pair & ACTIVE == 0 { 0 } else { self.demands[(pair & !ACTIVE) as usize].remaining }
    }

    /// A pair wants more slots. O(1).
    ///
    /// # Panics
    /// If one of them is out of range, or the pair wants more than 2^32 slots.
    pub fn add(&mut self, source: u16, destination: u16, slots: u32) {
        let number = self.number(source, destination);
        let remaining = &mut self.demands[number as usize].remaining;
        *remaining = remaining.checked_add(slots).expect("nobody wants 2^32 slots");
        self.queue(number);
    }

    /// A pair wants this many slots, whatever it wanted before, of those that have not been handed out. What the batch has given it counts among
    /// them, and is not taken back. O(1).
    ///
    /// # Panics
    /// If one of them is out of range.
    pub fn set(&mut self, source: u16, destination: u16, slots: u32) {
        if slots == 0 && self.pairs[self.pair(source, destination)] & ACTIVE == 0 {
            return;
        }
        let (number, open) = (self.number(source, destination), self.open());
        let demand = &mut self.demands[number as usize];
        let given = if demand.last > self.first.0 { (demand.given & open).count_ones() } else { 0 };
        demand.remaining = slots.saturating_sub(given);
        self.queue(number);
    }

    /// What a pair sends next is not its source's own but of this origin, of which other sources may have packets for the same destination too. Under max-min
    /// fairness they share that origin's turns: it comes first whose origin got its last slot longest ago. Counts from when the pair's turn is next considered.
    ///
    /// # Panics
    /// If one of them is out of range.
    pub fn set_origin(&mut self, source: u16, destination: u16, origin: u16) {
        let pair = self.pair(source, destination);
        self.origins.set(pair, self.pairs.len(), origin);
    }

    /// What is admitted by: to change what cores may take, say. What has been given stays given.
    pub fn admission_mut(&mut self) -> &mut A {
        &mut self.admission
    }

    /// What is admitted by.
    pub fn admission(&self) -> &A {
        &self.admission
    }

    /// The next slot and its transfers, which no later call changes any more.
    pub fn next_slot(&mut self) -> (Slot, &[Transfer]) {
        if self.closed == self.batch {
            self.first = self.first.plus(self.batch.into());
            self.clear();
        }
        if !self.begun {
            self.begin();
        }
        if !self.arrivals.is_empty() {
            self.try_arrivals();
        }
        while self.admission.has_moved() {
            self.try_refused();
        }
        let (slot, number) = (self.upcoming(), self.closed);
        self.closed += 1;
        let mut next = self.buckets.take(number);
        while let Some(demand) = next {
            let link = self.demands[demand as usize].next;
            next = (link != queue::END).then_some(link);
            self.again(demand);
        }
        (slot, &self.matchings[number as usize])
    }

    /// Goes on at another slot, which is none of those that have been handed out, with a new batch. What the batch has for slots that have not been handed out is wanted again.
    pub fn resume_at(&mut self, slot: Slot) {
        for number in self.closed..self.batch {
            for index in 0..self.matchings[number as usize].len() {
                let Transfer { source, destination } = self.matchings[number as usize][index];
                self.add(source, destination, 1);
                let number = self.number(source, destination);
                self.demands[number as usize].given = 0;
            }
            let mut next = self.buckets.take(number);
            while let Some(demand) = next {
                let link = self.demands[demand as usize].next;
                next = (link != queue::END).then_some(link);
                let entry = self.entry(demand);
                self.late.push(entry);
            }
        }
        self.first = slot;
        self.origins.clear();
        self.clear();
    }

    fn clear(&mut self) {
        self.admission.clear();
        self.matchings.iter_mut().for_each(Vec::clear);
        self.closed = 0;
        self.begun = false;
    }

    fn pair(&self, source: u16, destination: u16) -> usize {
        assert!(usize::from(destination) < self.destinations, "no destination {destination}");
        usize::from(source) * self.destinations + usize::from(destination)
    }

    /// The number of a pair's demand, of a new one if it has none.
    fn number(&mut self, source: u16, destination: u16) -> u32 {
        let pair = self.pair(source, destination);
        let word = self.pairs[pair];
        if word & ACTIVE != 0 {
            return word & !ACTIVE;
        }
        // What has been idle for 2^31 slots may pass for something that has been idle for less.
        let age = (self.upcoming().0 as u32).wrapping_sub(word) & !ACTIVE;
        let last = if word == 0 { 0 } else { self.upcoming().0.saturating_sub(age.into()) };
        let demand = Demand { last, given: 0, remaining: 0, next: queue::END, source, destination, queued: false };
        let number = match self.unused.pop() {
            Some(number) => {
                self.demands[number as usize] = demand;
                number
            }
            None => {
                self.demands.push(demand);
                u32::try_from(self.demands.len() - 1).expect("at most 2^31 demands")
            }
        };
        self.pairs[pair] = number | ACTIVE;
        number
    }

    /// A demand is met. It is kept until its last slot is handed out.
    fn retire(&mut self, number: u32) {
        let upcoming = self.upcoming().0;
        let demand = &mut self.demands[number as usize];
        if demand.last > upcoming {
            let slot = (demand.last - 1 - self.first.0) as u32;
            self.buckets.put(slot, number, &mut self.demands);
        } else {
            demand.queued = false;
            let last = demand.last as u32 & !ACTIVE;
            let pair = usize::from(demand.source) * self.destinations + usize::from(demand.destination);
            self.pairs[pair] = if demand.last == 0 { 0 } else { last.max(1) };
            self.unused.push(number);
        }
    }

    fn queue(&mut self, number: u32) {
        let demand = &mut self.demands[number as usize];
        if !demand.queued && demand.remaining > 0 {
            demand.queued = true;
            let entry = self.entry(number);
            self.arrivals.push(entry);
        }
    }

    fn entry(&self, number: u32) -> Entry {
        let demand = &self.demands[number as usize];
        let key = match self.policy {
            Policy::MaxMin => {
                let pair = usize::from(demand.source) * self.destinations + usize::from(demand.destination);
                self.origins.last(pair, demand.destination).unwrap_or(demand.last)
            }
            Policy::MinCompletion => demand.remaining.into(),
        };
        Entry { key, number, source: demand.source, destination: demand.destination }
    }

    /// The slots that have not been handed out.
    fn open(&self) -> u64 {
        if self.closed >= self.batch {
            return 0;
        }
        (u64::MAX << self.closed) & (u64::MAX >> (LARGEST_BATCH - self.batch))
    }

    /// Goes through all that waits, in order.
    fn begin(&mut self) {
        self.begun = true;
        let mut waiting = std::mem::replace(&mut self.waiting, std::mem::take(&mut self.scratch));
        self.waiting.clear();
        let mut late = std::mem::take(&mut self.late);
        late.append(&mut self.arrivals);
        if self.policy == Policy::MinCompletion {
            // What is left of them may have changed since they were put in.
            waiting.append(&mut late);
            for entry in &mut waiting {
                entry.key = self.demands[entry.number as usize].remaining.into();
            }
            waiting.sort_unstable();
        } else if !self.origins.is_empty() {
            // Others of the same origin may have had slots since they were put in.
            self.origins.forget(self.first.0);
            for entry in waiting.iter_mut().chain(&mut late) {
                *entry = self.entry(entry.number);
            }
            waiting.sort_by_key(|entry| entry.key);
        }
        late.sort_unstable();
        let mut newcomers = late.iter().peekable();
        for &entry in &waiting {
            while let Some(newcomer) = newcomers.next_if(|newcomer| newcomer.key < entry.key) {
                self.try_waiting(*newcomer);
            }
            self.try_waiting(entry);
        }
        for newcomer in newcomers {
            self.try_waiting(*newcomer);
        }
        waiting.clear();
        late.clear();
        (self.scratch, self.late) = (waiting, late);
    }

    fn try_waiting(&mut self, entry: Entry) {
        if !self.serve(entry) {
            self.waiting.push(entry);
        }
    }

    /// Tries what has come since the batch began.
    fn try_arrivals(&mut self) {
        let mut arrivals = std::mem::take(&mut self.arrivals);
        arrivals.sort_unstable();
        for &entry in &arrivals {
            if !self.serve(entry) {
                self.late.push(entry);
            }
        }
        arrivals.clear();
        self.arrivals = arrivals;
    }

    /// Tries what has been refused, in the same order.
    fn try_refused(&mut self) {
        let (mut waiting, mut late) = (std::mem::take(&mut self.waiting), std::mem::take(&mut self.late));
        waiting.retain(|&entry| !self.serve(entry));
        late.retain(|&entry| !self.serve(entry));
        (self.waiting, self.late) = (waiting, late);
    }

    /// Tries what got the slot that is handed out now.
    fn again(&mut self, number: u32) {
        if self.demands[number as usize].remaining == 0 {
            self.retire(number);
            return;
        }
        let entry = self.entry(number);
        if !self.serve(entry) {
            self.waiting.push(entry);
        }
    }

    /// Gives a demand a slot, or under [`Policy::MinCompletion`] as many as it can have, and sees to it that it is in a bucket or not queued any
    /// more; or else answers that it has to wait.
    fn serve(&mut self, entry: Entry) -> bool {
        let Entry { source, destination, number, .. } = entry;
        let mut candidates = self.admission.candidates(source, destination, self.open());
        if candidates == 0 {
            return false;
        }
        let pair = usize::from(source) * self.destinations + usize::from(destination);
        let shared = if self.policy == Policy::MaxMin { self.origins.last(pair, destination) } else { None };
        if let Some(slot) = shared.and_then(|last| last.checked_sub(self.upcoming().0 + 1)) {
            // Another one of its origin has had their turn: with the slot that it got this one's comes, unless an earlier one is left over.
            let slot = slot as u32 + self.closed;
            candidates &= (1 << slot) - 1;
            if candidates == 0 {
                self.buckets.put(slot, number, &mut self.demands);
                return true;
            }
        }
        loop {
            let demand = &mut self.demands[number as usize];
            if demand.remaining == 0 {
                self.retire(number);
                return true;
            }
            let Some(slot) = self.admission.admit(source, destination, candidates) else { return false };
            self.matchings[slot as usize].push(Transfer { source, destination });
            if demand.last <= self.first.0 {
                demand.given = 0;
            }
            demand.given |= 1 << slot;
            demand.last = self.first.0 + u64::from(slot) + 1;
            demand.remaining -= 1;
            let last = demand.last;
            self.origins.give(pair, destination, shared.map_or(last, |shared| shared.max(last)));
            match self.policy {
                Policy::MaxMin if demand.remaining == 0 => {}
                Policy::MaxMin => {
                    self.buckets.put(slot, number, &mut self.demands);
                    return true;
                }
                Policy::MinCompletion => candidates &= (u64::MAX << slot) << 1,
            }
        }
    }
}
