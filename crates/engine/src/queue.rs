//! The event queue: time-bucketed, with a documented total order.
//!
//! # The order
//! Events leave by `(at, rank)`: the instant first, then the [`Rank`], which is the kind of event and then the device it
//! belongs to. A device has at most one event of a kind at an instant, so this order is total and says nothing of when an
//! event was put in: results cannot depend on it. (Two events equal in both leave by their `slot`.)
//!
//! # How it is fast
//! A wheel of 8192 buckets of time, each an unsorted list that is sorted when its turn comes; a second wheel whose buckets
//! are whole turns of the first; a heap for what lies beyond both (about 8192^2 buckets). Putting in is a push to a list;
//! taking out is a share in sorting a few entries. The cost does not grow with the number of pending events as long as the
//! width of a bucket suits their density: see [`EventQueue::new`]. The width never changes the order.
//! What the next bucket holds is fetched from memory while the bucket in turn is emptied, and its owner can do the same with what those
//! events are about: [`EventQueue::upcoming`].
//! `cargo bench -p benches --bench queue` holds it against the standard library's heap.

use crate::memory::prefetch_at;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use units::{Span, Time};

/// What an event is about: its kind, then the device it belongs to. Smaller ranks go first at the same instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(u32);

impl Rank {
    /// Devices a kind can have.
    pub const DEVICES: u32 = 1 << 28;

    /// # Panics
    /// If `kind` is 16 or more or `device` is [`Rank::DEVICES`] or more.
    #[inline]
    pub const fn new(kind: u8, device: u32) -> Rank {
        assert!(kind < 16 && device < Rank::DEVICES, "events have 16 kinds, and 2^28 devices of each");
        Rank(((kind as u32) << 28) | device)
    }
    /// The greatest.
    pub const LAST: Rank = Rank(u32::MAX);

    /// The kind of event.
    #[inline]
    pub const fn kind(self) -> u8 {
        (self.0 >> 28) as u8
    }
    /// The device of that kind.
    #[inline]
    pub const fn device(self) -> u32 {
        self.0 & (Rank::DEVICES - 1)
    }
}

/// Something that happens at an instant. `slot` is the owner's: where it keeps the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub at: Time,
    /// To whom.
    pub rank: Rank,
    /// Where the owner keeps what else there is to know.
    pub slot: u32,
}

/// An event as one integer that sorts in the order of events.
type Entry = u128;

#[inline]
fn pack(event: Event) -> Entry {
    (u128::from(event.at.as_ps()) << 64) | (u128::from(event.rank.0) << 32) | u128::from(event.slot)
}

#[inline]
fn unpack(entry: Entry) -> Event {
    Event { at: Time::from_ps((entry >> 64) as u64), rank: Rank((entry >> 32) as u32), slot: entry as u32 }
}

#[inline]
fn halves(entry: Entry) -> [u64; 2] {
    [(entry >> 64) as u64, entry as u64]
}

const BITS: u32 = 13;
const BUCKETS: u64 = 1 << BITS;

/// Entries that wait in buckets, as linked lists in one array. Places are used again, the last freed first, so what is touched
/// stays as small as what is pending.
struct Pool {
    places: Vec<Place>,
    free: u32,
    /// Where [`Pool::walk`] is, in the list of the bucket after that in turn.
    cursor: u32,
}

/// Of 24 bytes: an [`Entry`] has to lie at a multiple of 16, and would make it 32.
#[derive(Clone, Copy)]
struct Place {
    entry: [u64; 2],
    /// The next place of the same bucket, or the next free place; [`NONE`] at the end.
    next: u32,
}

const NONE: u32 = u32::MAX;

impl Pool {
    fn new() -> Pool {
        Pool { places: Vec::new(), free: NONE, cursor: NONE }
    }

    /// Keeps an entry before `next` in its list; the new head.
    #[inline(always)]
    fn put(&mut self, entry: Entry, next: u32) -> u32 {
        let head = self.free;
        if let Some(place) = self.places.get_mut(head as usize) {
            self.free = place.next;
            *place = Place { entry: halves(entry), next };
            return head;
        }
        let place = self.places.len();
        assert!(place < NONE as usize, "an event queue holds fewer than 2^32 events");
        self.places.push(Place { entry: halves(entry), next });
        place as u32
    }

    /// The entry at the cursor, which moves on. The place that it then is at is fetched from memory: a list is read one place after the other, so each would
    /// be waited for.
    #[inline(always)]
    fn walk(&mut self) -> Option<Entry> {
        let Place { entry: [high, low], next } = *self.places.get(self.cursor as usize)?;
        self.cursor = next;
        prefetch_at(&self.places, next as usize);
        Some(Entry::from(high) << 64 | Entry::from(low))
    }

    /// Takes the first entry of a list, which has one; where the rest begins.
    #[inline(always)]
    fn take_first(&mut self, head: u32) -> (Entry, u32) {
        let place = &mut self.places[head as usize];
        let [high, low] = place.entry;
        let next = std::mem::replace(&mut place.next, self.free);
        self.free = head;
        (Entry::from(high) << 64 | Entry::from(low), next)
    }

    /// Moves a list's entries to the end of `into`.
    fn take(&mut self, head: u32, into: &mut Vec<Entry>) {
        let mut rest = head;
        while rest != NONE {
            let (entry, next) = self.take_first(rest);
            into.push(entry);
            rest = next;
        }
    }
}

/// Lists of entries by bucket, and which of them hold any.
struct Wheel {
    heads: Box<[u32; BUCKETS as usize]>,
    occupied: [u64; (BUCKETS / 64) as usize],
}

impl Wheel {
    fn new() -> Wheel {
        Wheel { heads: Box::new([NONE; BUCKETS as usize]), occupied: [0; (BUCKETS / 64) as usize] }
    }

    #[inline(always)]
    fn push(&mut self, index: u64, entry: Entry, pool: &mut Pool) {
        let bucket = (index % BUCKETS) as usize;
        self.heads[bucket] = pool.put(entry, self.heads[bucket]);
        self.occupied[bucket / 64] |= 1 << (bucket % 64);
    }

    /// Empties a bucket and says where its list begins.
    #[inline(always)]
    fn take(&mut self, index: u64) -> u32 {
        let bucket = (index % BUCKETS) as usize;
        self.occupied[bucket / 64] &= !(1 << (bucket % 64));
        std::mem::replace(&mut self.heads[bucket], NONE)
    }

    /// The first index from `from` to the end of its turn whose bucket holds anything.
    #[inline(always)]
    fn first_of_turn(&self, from: u64) -> Option<u64> {
        let bucket = from % BUCKETS;
        let mut word = (bucket / 64) as usize;
        let mut bits = self.occupied[word] & (u64::MAX << (bucket % 64));
        while bits == 0 {
            word += 1;
            bits = *self.occupied.get(word)?;
        }
        Some(from - bucket + word as u64 * 64 + u64::from(bits.trailing_zeros()))
    }

    /// The first index from `from` up to but not including `end` (at most one turn later) whose bucket holds anything.
    #[inline]
    fn first(&self, from: u64, end: u64) -> Option<u64> {
        debug_assert!(end <= from + BUCKETS);
        let mut index = from;
        while index < end {
            let bucket = index % BUCKETS;
            let word = self.occupied[(bucket / 64) as usize] >> (bucket % 64);
            if word != 0 {
                let found = index + u64::from(word.trailing_zeros());
                return (found < end).then_some(found);
            }
            index += 64 - bucket % 64;
        }
        None
    }
}

/// Pending events in the order of [the module](self).
pub struct EventQueue {
    /// Buckets are `2^shift` ps wide.
    shift: u32,
    /// The bucket being emptied, as an index of time: `at >> shift`.
    now: u64,
    /// The rest of that bucket, latest first.
    current: Vec<Entry>,
    /// The next turn of buckets after `now`.
    near: Wheel,
    /// Turns after that, a bucket each. A turn is moved to `near` when its first bucket is reached.
    far: Wheel,
    pool: Pool,
    beyond: BinaryHeap<Reverse<Entry>>,
    /// Empty; its memory serves each turn that comes near.
    arriving: Vec<Entry>,
    len: usize,
    /// The instant of the last event taken out: nothing may be put in before it.
    #[cfg(debug_assertions)]
    last: Time,
}

impl EventQueue {
    /// An empty queue for events that lie about `gap` apart, all together. Buckets are made to hold a few events each.
    pub fn new(gap: Span) -> EventQueue {
        let width = gap.as_ps().saturating_mul(16).clamp(1, 1 << 36);
        EventQueue {
            shift: width.ilog2(),
            now: 0,
            current: Vec::new(),
            near: Wheel::new(),
            far: Wheel::new(),
            pool: Pool::new(),
            beyond: BinaryHeap::new(),
            arriving: Vec::new(),
            len: 0,
            #[cfg(debug_assertions)]
            last: Time::ZERO,
        }
    }

    /// How many events are pending.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Puts an event in.
    ///
    /// # Panics
    /// In debug builds, if it lies before the last event taken out: the owner tried to change the past.
    #[inline(always)] // called in so many places that the compiler would not, and most of an event's cost is here
    pub fn push(&mut self, event: Event) {
        #[cfg(debug_assertions)]
        assert!(event.at >= self.last, "{event:?} lies before {}, which has passed", self.last);
        let entry = pack(event);
        let index = event.at.as_ps() >> self.shift;
        self.len += 1;
        if index.wrapping_sub(self.now).wrapping_sub(1) < BUCKETS - 1 {
            self.near.push(index, entry, &mut self.pool);
        } else {
            self.push_elsewhere(index, entry);
        }
    }

    #[cold]
    #[inline(never)]
    fn push_elsewhere(&mut self, index: u64, entry: Entry) {
        if index <= self.now {
            // `now` may be ahead of the last event: looking at what comes next moves it.
            let place = self.current.partition_point(|other| *other > entry);
            self.current.insert(place, entry);
        } else if (index >> BITS) - (self.now >> BITS) < BUCKETS {
            self.far.push(index >> BITS, entry, &mut self.pool);
        } else {
            self.beyond.push(Reverse(entry));
        }
    }

    /// The instant of the first event.
    pub fn next_at(&mut self) -> Option<Time> {
        if self.current.is_empty()
            && let Some(entry) = self.advance()
        {
            self.current.push(entry);
        }
        self.current.last().map(|entry| unpack(*entry).at)
    }

    /// An event of the bucket after the one in turn, another at each call, in no order: all that are put in by now, if this is called once for each
    /// event that is taken out and buckets hold about as many. To have memory fetched by that it leads to; it may be one that has been taken out since.
    #[inline(always)]
    pub fn upcoming(&mut self) -> Option<Event> {
        self.pool.walk().map(unpack)
    }

    /// The first event, if it is of the bucket in turn.
    #[inline(always)]
    pub fn first(&self) -> Option<Event> {
        self.current.last().map(|entry| unpack(*entry))
    }

    /// Takes the first event out.
    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        let entry = match self.current.pop() {
            Some(entry) => entry,
            None => self.advance()?,
        };
        let event = unpack(entry);
        self.len -= 1;
        #[cfg(debug_assertions)]
        {
            self.last = event.at;
        }
        Some(event)
    }

    /// Moves on to the next bucket that holds anything, takes its first entry out, and sorts the others.
    fn advance(&mut self) -> Option<Entry> {
        // `near` holds the rest of this turn and the beginning of the next; what else the next turn has is in `far`.
        let next = self.now + 1;
        if !next.is_multiple_of(BUCKETS)
            && let Some(index) = self.near.first_of_turn(next)
        {
            return Some(self.open(index));
        }
        self.turn()
    }

    /// Moves on to the next turn that holds anything.
    #[cold]
    #[inline(never)]
    fn turn(&mut self) -> Option<Entry> {
        if self.len == 0 {
            return None;
        }
        let turn = self.now >> BITS;
        let near = self.near.first((turn + 1) << BITS, self.now + BUCKETS).map(|_| turn + 1);
        let far = self.far.first(turn + 1, turn + BUCKETS);
        let beyond = self.beyond.peek().map(|Reverse(entry)| self.index(*entry) >> BITS);
        let next = [near, far, beyond].into_iter().flatten().min();
        Some(self.enter(next.expect("an event is pending somewhere")))
    }

    fn index(&self, entry: Entry) -> u64 {
        (entry >> 64) as u64 >> self.shift
    }

    /// Makes a bucket of `near`, which holds something, the current one; its first entry.
    #[inline(always)]
    fn open(&mut self, index: u64) -> Entry {
        self.now = index;
        let head = self.near.take(index);
        let (mut first, mut rest) = self.pool.take_first(head);
        while rest != NONE {
            let (entry, next) = self.pool.take_first(rest);
            self.current.push(first.max(entry));
            (first, rest) = (first.min(entry), next);
        }
        if self.current.len() > 1 {
            self.current.sort_unstable_by(|a, b| b.cmp(a));
        }
        self.pool.cursor = self.near.heads[((index + 1) % BUCKETS) as usize];
        first
    }

    /// Begins a turn: what waited for it in `far` and beyond comes near.
    fn enter(&mut self, turn: u64) -> Entry {
        let mut arrived = std::mem::take(&mut self.arriving);
        let head = self.far.take(turn);
        self.pool.take(head, &mut arrived);
        while let Some(Reverse(entry)) = self.beyond.peek().filter(|Reverse(entry)| self.index(*entry) >> BITS <= turn)
        {
            arrived.push(*entry);
            self.beyond.pop();
        }
        for entry in arrived.drain(..) {
            self.near.push(self.index(entry), entry, &mut self.pool);
        }
        self.arriving = arrived;
        let index = self.near.first(turn << BITS, (turn + 1) << BITS);
        self.open(index.expect("a turn is entered if it holds anything"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn event(at: u64, kind: u8, device: u32) -> Event {
        Event { at: Time::from_ps(at), rank: Rank::new(kind, device), slot: 0 }
    }

    #[test]
    fn ties_are_broken_by_kind_then_device_whatever_the_order_of_entry() {
        let mut queue = EventQueue::new(Span::from_ns(1));
        for e in [event(5, 2, 0), event(5, 1, 9), event(5, 1, 3), event(4, 7, 7)] {
            queue.push(e);
        }
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [event(4, 7, 7), event(5, 1, 3), event(5, 1, 9), event(5, 2, 0)]);
    }

    #[test]
    fn an_event_may_be_put_in_for_now() {
        let mut queue = EventQueue::new(Span::from_us(1));
        queue.push(event(100, 0, 0));
        queue.push(event(300, 0, 0));
        assert_eq!(queue.pop(), Some(event(100, 0, 0)));
        queue.push(event(100, 1, 0));
        queue.push(event(200, 0, 0));
        assert_eq!(queue.pop(), Some(event(100, 1, 0)));
        assert_eq!(queue.pop(), Some(event(200, 0, 0)));
        assert_eq!(queue.next_at(), Some(Time::from_ps(300)));
        queue.push(event(1_000_000_000, 0, 0));
        assert_eq!(queue.pop(), Some(event(300, 0, 0)));
        assert_eq!(queue.next_at(), Some(Time::from_ps(1_000_000_000)));
        queue.push(event(400, 0, 0)); // looking ahead does not close what lies between
        assert_eq!(queue.pop(), Some(event(400, 0, 0)));
        assert_eq!(queue.pop(), Some(event(1_000_000_000, 0, 0)));
        assert_eq!(queue.pop(), None);
    }

    #[test]
    fn it_tells_what_comes() {
        let mut queue = EventQueue::new(Span::from_ns(1)); // 8192 ps a bucket
        let [now, next, later] = [1, 2, 3].map(|bucket| [0, 1, 8191].map(|within| event(bucket * 8192 + within, 0, 0)));
        for e in [next, later, now].concat() {
            queue.push(e);
        }
        assert_eq!((queue.pop(), queue.first()), (Some(now[0]), Some(now[1])));
        let mut told: Vec<_> = std::iter::from_fn(|| queue.upcoming()).collect();
        told.sort_by_key(|e| e.at);
        assert_eq!(told, next);
        now[1..].iter().for_each(|e| assert_eq!(queue.pop(), Some(*e)));
        assert_eq!(queue.first(), None);
    }

    #[test]
    fn what_never_happens_waits_to_the_end() {
        for gap in [1, 1_000, 1 << 40] {
            let mut queue = EventQueue::new(Span::from_ps(gap));
            let never = event(u64::MAX, 3, Rank::DEVICES - 1);
            queue.push(never);
            queue.push(event(1 << 50, 0, 0));
            queue.push(event(7, 0, 0));
            let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
            assert_eq!(order, [event(7, 0, 0), event(1 << 50, 0, 0), never], "{gap}");
        }
    }

    proptest! {
        /// Against a plain heap, over gaps from picoseconds to days, interleaving pushes and pops.
        #[test]
        fn agrees_with_a_heap(
            gap in 1_u64..100_000_000,
            steps in prop::collection::vec((0_u32..58, any::<u64>(), 0_u8..16, 0_u32..5, 0_u8..3), 1..400),
        ) {
            let mut queue = EventQueue::new(Span::from_ps(gap));
            let mut heap = BinaryHeap::new();
            let mut now = 0;
            for (bits, ahead, kind, device, pops) in steps {
                let e = event(now + (ahead >> (63 - bits)), kind, device);
                queue.push(e);
                heap.push(Reverse(pack(e)));
                prop_assert_eq!(queue.len(), heap.len());
                for _ in 0..pops {
                    let (first, popped) = (queue.first(), queue.pop());
                    prop_assert!(first.is_none() || first == popped);
                    queue.upcoming(); // changes nothing
                    prop_assert_eq!(popped.map(pack), heap.pop().map(|Reverse(entry)| entry));
                    now = popped.map_or(now, |e| e.at.as_ps());
                }
            }
            while let Some(e) = queue.pop() {
                prop_assert_eq!(Some(pack(e)), heap.pop().map(|Reverse(entry)| entry));
            }
            prop_assert!(heap.is_empty() && queue.is_empty());
        }
    }
}
