//! The ingress half of Fabric Adapters: virtual output queues, and the credits that let them send (§3.3, §4.1).

use crate::cell::{Cell, Kind};
use crate::config::{Adapter, Cells, Config, Credits};
use crate::store::{List, Store};
use fabric::Ecn;
use units::Time;

/// A virtual output queue: packets of one adapter for one port and class. Totals are in bytes, adapter's packet headers included,
/// and wrap.
#[derive(Debug, Clone)]
pub struct Voq {
    packets: List,
    /// Bytes that wait.
    pub waiting: u32,
    /// What its scheduler has been told of, in all.
    reported: u32,
    /// What it has been allowed to send, in all.
    credited: u32,
    /// What it has sent, in all.
    released: u32,
    /// Number of its next cell.
    sequence: u32,
    /// Adapter that it is in.
    pub src: u16,
    /// Adapter of its port.
    pub dst: u16,
    /// Its port: the host's number.
    pub port: u32,
    /// Its class.
    pub class: u8,
    /// A watchdog's event is pending.
    pub watched: bool,
    /// When it last got a credit, or began to wait for one.
    pub since: Time,
}

impl Voq {
    /// Bytes it has been allowed to send and has not sent; negative after a packet that was longer than what was left, which
    /// later credits pay for (§3.3: the surplus is stored for later accounting).
    pub fn balance(&self) -> i32 {
        self.credited.wrapping_sub(self.released) as i32
    }
    /// Whether its scheduler owes it credits.
    pub fn is_waiting(&self) -> bool {
        self.waiting > 0 && self.balance() <= 0
    }
}

/// What became of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admitted {
    /// No room in the adapter.
    Dropped,
    /// It waits in this VOQ.
    Queued(u32),
}

/// All VOQs. Each is made when its first packet comes.
#[derive(Debug, Clone)]
pub struct Ingress {
    /// By number.
    pub voqs: Vec<Voq>,
    adapters: u32,
    classes: u32,
    /// By source and destination adapter: where in `table` their VOQs are, if there are any.
    blocks: Vec<u32>,
    /// A number for each port of the destination and class.
    table: Vec<u32>,
    /// Bytes that wait in each adapter, and the most there ever were.
    pub used: Vec<u64>,
    /// Most bytes that waited in one adapter.
    pub peak: u64,
    /// Packets marked.
    pub marked: u64,
    cells: Cells,
    credits: Credits,
    limits: Adapter,
    /// Longest packet on its way through the fabric.
    #[cfg(debug_assertions)]
    longest: u32,
    /// By VOQ: packets that it has sent and that have not come, in order.
    #[cfg(debug_assertions)]
    sent: Vec<std::collections::VecDeque<u32>>,
}

/// No VOQ.
const NONE: u32 = u32::MAX;

/// Where a packet is to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VoqKey {
    /// Adapter it is in.
    pub src: u16,
    /// Adapter of its port.
    pub dst: u16,
    /// Its port: the host's number.
    pub port: u32,
    /// The port's place among its adapter's.
    pub place: u32,
    /// Ports of that adapter.
    pub ports: u32,
    /// Its class.
    pub class: u8,
}

impl Ingress {
    /// Of a fabric with this many adapters, without any packets.
    pub fn new(adapters: u32, config: &Config) -> Ingress {
        let Config { cells, credits, adapter: limits, .. } = *config;
        Ingress {
            voqs: Vec::new(),
            adapters,
            classes: u32::from(config.priorities),
            blocks: vec![NONE; (adapters * adapters) as usize],
            table: Vec::new(),
            used: vec![0; adapters as usize],
            peak: 0,
            marked: 0,
            cells,
            credits,
            limits,
            #[cfg(debug_assertions)]
            longest: config.longest_packet().get() as u32,
            #[cfg(debug_assertions)]
            sent: Vec::new(),
        }
    }

    /// Bytes of a packet on its way through the fabric.
    #[inline]
    fn size(&self, store: &Store, place: u32) -> u32 {
        store.frame(place).len + self.cells.packet_header.get() as u32
    }

    /// The VOQ of a key, made now if need be.
    fn find(&mut self, now: Time, key: VoqKey) -> u32 {
        let block = &mut self.blocks[usize::from(key.src) * self.adapters as usize + usize::from(key.dst)];
        if *block == NONE {
            *block = self.table.len() as u32;
            self.table.resize(self.table.len() + (key.ports * self.classes) as usize, NONE);
        }
        let number = &mut self.table[(*block + key.place * self.classes) as usize + usize::from(key.class)];
        if *number == NONE {
            *number = self.voqs.len() as u32;
            self.voqs.push(Voq {
                packets: List::default(),
                waiting: 0,
                reported: 0,
                credited: 0,
                released: 0,
                sequence: 0,
                src: key.src,
                dst: key.dst,
                port: key.port,
                class: key.class,
                watched: false,
                since: now,
            });
        }
        *number
    }

    /// A packet comes from a host. It is marked if its VOQ is long, and dropped if the memory is full.
    #[inline]
    pub fn admit(&mut self, now: Time, key: VoqKey, packet: u32, store: &mut Store) -> Admitted {
        let size = self.size(store, packet);
        let number = self.find(now, key);
        let used = &mut self.used[usize::from(key.src)];
        let voq = &mut self.voqs[number as usize];
        let free = self.limits.buffer.get().saturating_sub(*used);
        // A VOQ has its share of what is free (dynamic thresholds: Choudhury and Hahne 1998), so that one port's surplus leaves room
        // for others. An adapter that pauses its hosts has to take what is in flight.
        let share = if self.limits.pause_threshold.is_some() { f64::INFINITY } else { self.limits.voq_share };
        if u64::from(size) > free || f64::from(voq.waiting + size) > share * free as f64 {
            return Admitted::Dropped;
        }
        *used += u64::from(size);
        self.peak = self.peak.max(*used);
        if self.limits.ecn_threshold.is_some_and(|threshold| u64::from(voq.waiting) > threshold.get()) {
            let frame = store.frame_mut(packet);
            if frame.ecn == Ecn::Capable {
                frame.ecn = Ecn::Marked;
                self.marked += 1;
            }
        }
        if voq.waiting == 0 {
            voq.since = now;
        }
        voq.waiting += size;
        store.append(&mut voq.packets, packet);
        Admitted::Queued(number)
    }

    /// What a VOQ has to say to its scheduler, if it is time: when the scheduler knows of less than the watermark, and then either of
    /// nothing, or there is enough to say.
    #[inline]
    pub fn request(&mut self, number: u32) -> Option<Cell> {
        let voq = &mut self.voqs[number as usize];
        let arrived = voq.released.wrapping_add(voq.waiting);
        let known = voq.reported.wrapping_sub(voq.credited) as i32;
        let unknown = arrived.wrapping_sub(voq.reported);
        if unknown == 0 || i64::from(known) >= self.credits.watermark.get() as i64 {
            return None;
        }
        if known > 0 && u64::from(unknown) < self.credits.step.get() {
            return None; // it is asked again when a credit comes
        }
        voq.reported = arrived;
        Some(self.message(number, 0))
    }

    /// Says again what a VOQ has, because it has waited too long.
    pub fn resync(&mut self, number: u32) -> Cell {
        let voq = &mut self.voqs[number as usize];
        voq.reported = voq.released.wrapping_add(voq.waiting);
        self.message(number, Cell::RESYNC)
    }

    fn message(&self, number: u32, flags: u8) -> Cell {
        let voq = &self.voqs[number as usize];
        let cell = Cell::control(Kind::Request, number, voq.dst, self.credits.message.get() as u16);
        Cell { sequence: voq.reported, cargo: voq.released, stamp: voq.credited, flags: cell.flags | flags, ..cell }
    }

    /// A credit of `bytes` lets a VOQ send: whole packets while its balance is above zero, chopped into `cells`.
    pub fn credit(&mut self, now: Time, number: u32, bytes: u32, store: &mut Store, cells: &mut Vec<Cell>) {
        let voq = &mut self.voqs[number as usize];
        voq.credited = voq.credited.wrapping_add(bytes);
        voq.since = now;
        self.release(now, number, store, cells);
    }

    /// Sends all that waits in a VOQ of a low-latency class, without credit (§5.6).
    pub fn send_at_once(&mut self, now: Time, number: u32, store: &mut Store, cells: &mut Vec<Cell>) {
        let voq = &mut self.voqs[number as usize];
        voq.credited = voq.credited.wrapping_add(voq.waiting);
        voq.reported = voq.credited;
        self.release(now, number, store, cells);
    }

    /// Takes packets out of a VOQ while it may send, and chops them, all together (§3.4) or one by one.
    fn release(&mut self, now: Time, number: u32, store: &mut Store, cells: &mut Vec<Cell>) {
        let voq = &mut self.voqs[number as usize];
        let Cells { size, header, shortest, packing, packet_header } = self.cells;
        let (payload, header, shortest) = ((size - header).get() as u32, header.get() as u32, shortest.get() as u32);
        let first = cells.len();
        let mut cell = Chopper::new(voq, number, crate::cell::stamp(now));
        let before = voq.released;
        while voq.credited.wrapping_sub(voq.released) as i32 > 0 {
            let Some(packet) = store.pop(&mut voq.packets) else { break };
            #[cfg(debug_assertions)]
            {
                let sent = self.sent.len().max(number as usize + 1);
                self.sent.resize_with(sent, Default::default);
                self.sent[number as usize].push_back(packet);
            }
            let mut left = store.frame(packet).len + packet_header.get() as u32;
            voq.released = voq.released.wrapping_add(left);
            loop {
                let part = left.min(payload - cell.filled);
                cell.filled += part;
                left -= part;
                if left == 0 {
                    store.append(&mut cell.ends, packet);
                }
                if cell.filled == payload || (left == 0 && !packing) {
                    cells.push(cell.close(header, shortest));
                    cell.continues = left > 0;
                }
                if left == 0 {
                    break;
                }
            }
        }
        if cell.filled > 0 {
            cells.push(cell.close(header, shortest));
        }
        voq.sequence = cell.sequence;
        if let Some(last) = cells[first..].last_mut() {
            last.flags |= Cell::LAST;
        }
        let released = voq.released.wrapping_sub(before);
        voq.waiting -= released;
        if voq.waiting == 0 && voq.balance() > 0 {
            voq.credited = voq.released; // a credit too many, after a loss: it lapses
        }
        self.used[usize::from(voq.src)] -= u64::from(released);
        #[cfg(debug_assertions)]
        self.check(number);
    }

    /// Nobody reaches a VOQ's port any more: its packets are taken out, and all that was said of it is void.
    pub fn purge(&mut self, number: u32, store: &mut Store, packets: &mut Vec<u32>) {
        let voq = &mut self.voqs[number as usize];
        self.used[usize::from(voq.src)] -= u64::from(voq.waiting);
        voq.waiting = 0;
        voq.reported = voq.released;
        voq.credited = voq.released;
        packets.extend(std::iter::from_fn(|| store.pop(&mut voq.packets)));
    }

    /// A packet of a VOQ is complete. It was sent, and none that was sent after it is complete yet: those before it that are not are lost.
    #[cfg(debug_assertions)]
    pub(crate) fn check_order(&mut self, number: u32, packet: u32) {
        let sent = &mut self.sent[number as usize];
        while let Some(first) = sent.pop_front() {
            if first == packet {
                return;
            }
        }
        panic!("a packet of VOQ {number} is complete twice, or after a later one");
    }

    /// What a VOQ has sent exceeds its credits by less than a packet, and it never waits with credits left.
    #[cfg(debug_assertions)]
    fn check(&self, number: u32) {
        let voq = &self.voqs[number as usize];
        assert!(voq.balance() > -(self.longest as i32), "VOQ {number} has sent more than its credits: {voq:?}");
        assert!(voq.balance() <= 0 || voq.waiting == 0, "VOQ {number} may send and does not: {voq:?}");
    }
}

#[cfg(test)]
mod tests;

/// A cell in the making.
struct Chopper {
    number: u32,
    to: u16,
    stamp: u32,
    sequence: u32,
    offset: u16,
    filled: u32,
    ends: List,
    continues: bool,
}

impl Chopper {
    fn new(voq: &Voq, number: u32, stamp: u32) -> Chopper {
        Chopper {
            number,
            to: voq.dst,
            stamp,
            sequence: voq.sequence,
            offset: voq.released as u16,
            filled: 0,
            ends: List::default(),
            continues: false,
        }
    }

    /// The cell, and the next one begins empty.
    #[inline]
    fn close(&mut self, header: u32, shortest: u32) -> Cell {
        let bare = self.filled + header;
        let len = bare.max(shortest);
        let cell = Cell {
            at: Time::MAX,
            voq: self.number,
            sequence: self.sequence,
            cargo: std::mem::take(&mut self.ends).head,
            stamp: self.stamp,
            to: self.to,
            len: len as u16,
            offset: self.offset,
            padding: (len - bare) as u8,
            flags: Kind::Data.bits() | if self.continues { Cell::CONTINUES } else { 0 },
        };
        self.sequence = self.sequence.wrapping_add(1);
        self.offset = self.offset.wrapping_add(self.filled as u16);
        self.filled = 0;
        self.continues = false;
        cell
    }
}
