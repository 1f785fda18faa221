//! The flows that nodes have of their own: they begin, have a place at their source, and end.

use super::flows::Flow;
use super::{NONE, Packet, Rack, Sharing};

impl Rack {
    /// Room for 64 flows more at each node.
    #[cold]
    pub(super) fn widen(&mut self) {
        let (before, after, nodes) = (self.words, self.words + 1, self.nodes as usize);
        let pairs = self.pairs;
        fn spread<T: Copy + Default>(of: &[T], rows: usize, before: usize, after: usize) -> Vec<T> {
            let mut wide = vec![T::default(); rows * after];
            for row in 0..rows {
                wide[row * after..row * after + before].copy_from_slice(&of[row * before..(row + 1) * before]);
            }
            wide
        }
        self.queues.widen(after);
        self.keys.resize(pairs * after * 64, 0);
        self.has_data = spread(&self.has_data, nodes, before, after);
        self.young = spread(&self.young, nodes, before, after);
        self.taken = spread(&self.taken, nodes, before, after);
        self.slots = spread(&self.slots, nodes, before * 64, after * 64);
        self.widen_classes(before, after);
        self.words = after;
    }

    /// A node has a frame of so many cells for another, in the first class and all of one connection. `slot` is the slot that is about to begin.
    ///
    /// # Panics
    /// If it is for the node itself, or has no cells.
    pub fn offer(&mut self, slot: u64, source: u16, destination: u16, cells: u32, frame: u32) {
        self.offer_packet(slot, Packet { source, destination, class: 0, connection: 0, cells, frame });
    }

    /// See [`Rack::offer`]. A frame for which there is no path at all is lost at once; false says so.
    ///
    /// # Panics
    /// If it is for the node itself, has no cells, or there is no such class.
    pub fn offer_packet(&mut self, slot: u64, packet: Packet) -> bool {
        let Packet { source, destination, class, connection, cells, frame } = packet;
        assert!(source != destination && cells > 0, "a frame has cells, and goes to another node");
        assert!(usize::from(class) < self.classes.count, "there is such a class");
        if self.refuses(source, destination, frame) {
            return false;
        }
        let connection = if self.release.connections == Sharing::InOrder { 0 } else { connection };
        let key = self.flow_key(source, destination, class.into());
        if self.flow_of[key] == NONE {
            self.flow_of[key] = self.free_flows.pop().unwrap_or_else(|| {
                self.flows.push(Flow::default());
                self.flows.len() as u32 - 1
            });
            let first = self.trouble.as_ref().map_or(0, |trouble| trouble.first_number(key));
            self.flows[self.flow_of[key] as usize] = Flow::new(source, destination, class, first);
        }
        self.unsent[usize::from(source)] += u64::from(cells);
        let number = self.flow_of[key];
        let flow = &mut self.flows[number as usize];
        let begins = !flow.has_data();
        flow.add(connection, frame, cells);
        self.wake(number);
        if begins {
            let epoch = self.turns.epoch_of(slot, self.schedule.epoch().into());
            let flow = &mut self.flows[number as usize];
            flow.began = epoch;
            let slot = flow.slot;
            let (word, bit) = self.word(source, slot);
            self.young[word] |= bit;
        }
        true
    }

    /// A flow has cells to send.
    pub(super) fn wake(&mut self, number: u32) {
        let Flow { source, slot, .. } = self.flows[number as usize];
        if slot == Flow::NOWHERE {
            self.settle(number, source);
        }
        let (word, bit) = self.word(source, self.flows[number as usize].slot);
        self.has_data[word] |= bit;
    }

    /// Gives a flow a place among those of its source.
    fn settle(&mut self, number: u32, source: u16) {
        let first = usize::from(source) * self.words;
        let free = self.taken[first..first + self.words].iter().position(|taken| *taken != u64::MAX);
        let word = free.unwrap_or_else(|| {
            self.widen();
            self.words - 1
        });
        let place = usize::from(source) * self.words + word;
        let bit = self.taken[place].trailing_ones();
        self.taken[place] |= 1 << bit;
        self.slots[place * 64 + bit as usize] = number;
        let flow = &mut self.flows[number as usize];
        flow.slot = (word * 64) as u16 + bit as u16;
        let (class, slot) = (flow.class, flow.slot);
        self.mark_class(class, source, slot, true);
        self.active[usize::from(source) / 64] |= 1 << (source % 64);
    }

    /// The word in which a flow of a node has its bit, among those by node; and the bit.
    #[inline(always)]
    pub(super) fn word(&self, node: u16, slot: u16) -> (usize, u64) {
        (usize::from(node) * self.words + usize::from(slot) / 64, 1 << (slot % 64))
    }

    /// One subflow less of a flow has anything to do.
    #[inline(always)]
    pub(super) fn rest(&mut self, number: u32) {
        let flow = &mut self.flows[number as usize];
        flow.outstanding -= 1;
        if flow.outstanding == 0 && !flow.has_data() {
            self.leave(number);
        }
    }

    /// A flow has nothing more to do at its source.
    #[inline(never)]
    fn leave(&mut self, number: u32) {
        self.give_up_place(number);
        self.end_if_over(number);
    }

    /// A flow has no place any more among those of its source.
    pub(super) fn give_up_place(&mut self, number: u32) {
        let flow = &mut self.flows[number as usize];
        let (source, class, slot) = (flow.source, flow.class, std::mem::replace(&mut flow.slot, Flow::NOWHERE));
        self.mark_class(class, source, slot, false);
        let (word, bit) = self.word(source, slot);
        self.taken[word] &= !bit;
        self.young[word] &= !bit;
        let first = usize::from(source) * self.words;
        if self.taken[first..first + self.words].iter().all(|taken| *taken == 0) {
            self.active[usize::from(source) / 64] &= !(1 << (source % 64));
        }
    }

    pub(super) fn end_if_over(&mut self, number: u32) {
        let flow = &self.flows[number as usize];
        if flow.is_over() {
            let key = self.flow_key(flow.source, flow.destination, flow.class.into());
            if let Some(trouble) = &mut self.trouble {
                trouble.remember(key, flow.end);
            }
            self.flow_of[key] = NONE;
            self.free_flows.push(number);
        }
    }
}
