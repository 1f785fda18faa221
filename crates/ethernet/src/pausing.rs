//! Priority flow control (IEEE 802.1Qbb) over memory that the ports of a switch share.
//!
//! Who sends too much into a switch is paused before its frames find no room. Each link and class has an account in the memory of the switch at
//! its far end (`memory`). When an account of a lossless class exceeds its threshold, a PAUSE goes back over the cable: ahead of
//! everything that waits, behind the frame that is being sent. It stops that class at the port before the link, a switch's or a host's, once the
//! frame that is being sent there is out; until then headroom takes what comes. When enough has left, a PAUSE of no time lets the class go on.
//! A PAUSE lasts so many quanta of 512 bits, and is sent again when half of that is over.
//!
//! Ports have a queue for each class, with strict priorities among those that are not paused. Hosts' interfaces are such ports too,
//! without limits: a host stops handing over data of a class when one of its frames waits, and control frames always find room.

mod deadlock;
mod memory;
mod statistics;

use crate::class::PortClass;
use crate::config::Config;
use crate::discipline::{Admission, Discipline};
use crate::switch::Wire;
use engine::{Stream, prefetch_at};
use fabric::{Counter, Counters, Ecn, Frame};
use memory::{Account, Limits, Memory};
use statistics::{PortPauses, Statistics};
use std::collections::VecDeque;
use topology::Topology;
use units::{Bytes, Span, Time};

/// Length of a PAUSE, as a packet: with Ethernet's header and check sequence, which are part of the framing, it is 64 B.
pub(crate) const PAUSE: Bytes = Bytes::new(46);

/// Bytes that a quantum of pausing lasts: 512 bits.
pub(crate) const QUANTUM: u64 = 64;

/// Hosts' ports are in no switch's memory.
const NOWHERE: u32 = u32::MAX;

/// The ports of a fabric with priority flow control.
#[derive(Debug, Clone)]
pub struct Pausing {
    classes: usize,
    framing: u32,
    /// One bit a class.
    lossless: u8,
    limits: Option<Limits>,
    ports: Vec<PausingPort>,
    /// Class `c` of port `p` is number `p * classes + c`.
    queues: Vec<ClassQueue>,
    marks: Stream,
    /// Frames of class `c` that came over link `l` are charged to number `l * classes + c`.
    accounts: Vec<Account>,
    /// Of each switch.
    memories: Vec<Memory>,
    /// The link over which the frame came that is handled now.
    from: u32,
    /// Links whose senders are to hear of it that they are paused or may go on.
    pub(crate) news: Vec<u32>,
    /// Hosts that wait for a class to go on.
    called: Vec<bool>,
    /// The frame that left last had been held by a pause.
    was_held: bool,
    pub(crate) statistics: Statistics,
    sums: Sums,
    /// The last time that was heard of.
    clock: Time,
    /// Something has broken, or may lose a PAUSE.
    pub(crate) harmed: bool,
}

/// A directed link, as its port sees it and as the switch at its far end does.
#[derive(Debug, Clone, Copy)]
struct PausingPort {
    free_at: Time,
    /// Time to send all that waits.
    backlog: Span,
    /// Bytes of it.
    bytes: u64,
    /// Until when what waits is in the counters.
    counted: Time,
    waiting: u32,
    /// The memory of its switch.
    memory: u32,
    /// The link in the other direction.
    back: u32,
    /// Classes that the switch at the far end wants to be paused, and those of which it has said so.
    off: u8,
    told: u8,
    /// Of those it is to say so again.
    repeat: u8,
    dead: bool,
    /// How often it has died: what was on it then is gone.
    deaths: u16,
    /// Events that are pending: a PAUSE is to be repeated; a pause is over.
    repeats: bool,
    expires: Time,
    /// How long one PAUSE lasts at its rate.
    lasts: Span,
    /// Headroom that a class of it needs at the far end.
    need: u64,
    /// Classes that are paused here, and what their pauses were.
    on_pause: u8,
    pauses: PortPauses,
    counters: Counters,
}

/// Frames of one class that wait at a port.
#[derive(Debug, Clone, Default)]
struct ClassQueue {
    frames: VecDeque<Stored>,
    /// Time to send them all.
    backlog: Span,
    /// Their bytes on the wire.
    bytes: u64,
    /// Paused from then until then.
    since: Time,
    until: Time,
    /// So many of the first frames were here when a pause ended.
    held: u32,
}

impl ClassQueue {
    fn is_paused(&self, now: Time) -> bool {
        self.until > now
    }
}

/// A frame that waits, when its last bit is there, and the link over which it came.
#[derive(Debug, Clone, Copy)]
struct Stored {
    frame: Frame,
    whole: Time,
    from: u32,
}

/// What was counted since the measurement began.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    sent: u64,
    repeated: u64,
    resumed: u64,
    received: u64,
    /// Picoseconds of all ports and classes, of pauses that are over.
    paused: u128,
    most_shared: u64,
    most_headroom: u64,
    dropped: u64,
}

/// What a PAUSE says: of the classes in `of`, those in `off` are paused, and the others go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Notice {
    pub of: u8,
    pub off: u8,
    /// The link has died so often before it was sent.
    pub deaths: u16,
}

impl Notice {
    /// Set in the slot of an event that is the arrival of a PAUSE: frames have no places as high.
    pub(crate) const FLAG: u32 = 1 << 31;

    pub(crate) fn pack(self) -> u32 {
        Self::FLAG | u32::from(self.of) | u32::from(self.off) << 8 | u32::from(self.deaths) << 16
    }
    pub(crate) fn unpack(slot: u32) -> Notice {
        Notice { of: slot as u8, off: (slot >> 8) as u8, deaths: (slot >> 16 & DEATHS) as u16 }
    }
}

/// Deaths of a link are counted modulo this and one: so many do not happen while a PAUSE is on its way.
const DEATHS: u32 = (1 << 15) - 1;

impl Pausing {
    /// Gives ports their switches and their limits.
    pub(crate) fn set_up(&mut self, config: &Config, topology: &Topology, wires: &[Wire], classes: &[PortClass]) {
        let Some(pfc) = config.pfc else { return };
        let hosts = topology.hosts();
        let wire = (config.mtu + config.framing).get();
        (self.lossless, self.framing) = (pfc.lossless, config.framing.get() as u32);
        self.harmed = classes.iter().any(|class| class.lossy);
        self.limits = Some(Limits::new(&pfc, wire));
        self.called = vec![false; hosts as usize];
        let class = |link: u32| &classes[wires[link as usize].class as usize];
        let mut reserved = vec![0; topology.switches() as usize];
        for ((link, wire), need) in (0..).zip(wires).zip(config.headroom_needs(topology)) {
            let port = &mut self.ports[link as usize];
            port.back = wire.back;
            port.memory = wire.from.checked_sub(hosts).unwrap_or(NOWHERE);
            port.lasts = class(link).rate.time_for(Bytes::new(QUANTUM * u64::from(pfc.quanta)));
            let Some(switch) = wire.to.checked_sub(hosts) else { continue };
            port.need = need.get();
            let headroom = pfc.headroom.map_or(port.need, |headroom| headroom.get());
            for own in (0..self.classes).filter(|own| pfc.is_lossless(*own as u8)) {
                self.accounts[link as usize * self.classes + own].reserved = headroom;
                reserved[switch as usize] += headroom;
            }
        }
        self.memories =
            reserved.iter().map(|reserved| Memory::new(pfc.buffer.get().saturating_sub(*reserved))).collect();
    }

    fn of_port(&self, port: u32) -> std::ops::Range<usize> {
        let first = port as usize * self.classes;
        first..first + self.classes
    }

    /// The frame that is handled next came over this link.
    #[inline]
    pub(crate) fn arrives_over(&mut self, link: u32) {
        self.from = link;
    }

    /// What waits at a port adds to its counters as if the link were always busy while something does: here is added what a pause adds.
    fn count(&mut self, now: Time, port: u32) {
        self.clock = now;
        let state = &mut self.ports[port as usize];
        let idle = state.idle(now);
        state.counters.area += u128::from(state.bytes) * u128::from(idle.as_ps() >> 10);
        state.counted = now;
    }

    /// A port's counters at `now`.
    pub(crate) fn counters_at(&self, now: Time, port: u32) -> Counters {
        let state = &self.ports[port as usize];
        let paused = u128::from(state.bytes) * u128::from(state.idle(now).as_ps() >> 10);
        Counters { area: state.counters.area + paused, ..state.counters }
    }

    /// Whether a port has something to send: a PAUSE, or a frame of a class that is not paused.
    #[inline]
    pub(crate) fn may_send(&self, now: Time, port: u32) -> bool {
        let state = &self.ports[port as usize];
        (!state.dead && self.notice(port).is_some())
            || (state.waiting > 0
                && self.queues[self.of_port(port)]
                    .iter()
                    .any(|queue| !queue.frames.is_empty() && !queue.is_paused(now)))
    }

    /// What the switch before `port` has to tell the other end.
    fn notice(&self, port: u32) -> Option<Notice> {
        let link = &self.ports[self.ports[port as usize].back as usize];
        let of = (link.told ^ link.off) | (link.repeat & link.off);
        (of != 0).then_some(Notice { of, off: of & link.off, deaths: self.ports[port as usize].deaths })
    }

    /// The link after `port` is free: the PAUSE that goes now, if there is one, and when it has been sent.
    pub(crate) fn announce(&mut self, now: Time, port: u32, class: &PortClass) -> Option<(Notice, Time)> {
        let state = &self.ports[port as usize];
        if state.dead || state.free_at > now {
            return None;
        }
        let notice = self.notice(port)?;
        self.count(now, port);
        let length = PAUSE.get() as u32;
        let service = class.time_on_wire(length);
        let state = &mut self.ports[port as usize];
        state.free_at = now + service;
        state.counters.bytes += u64::from(length + class.framing);
        state.counters.area += u128::from(state.bytes) * u128::from(service.as_ps() >> 10);
        let (back, end) = (state.back, state.free_at);
        let link = &mut self.ports[back as usize];
        let again = notice.off & link.told;
        (link.told, link.repeat) = (link.told & !notice.of | notice.off, 0);
        self.sums.sent += u64::from((notice.off & !again).count_ones());
        self.sums.repeated += u64::from(again.count_ones());
        self.sums.resumed += u64::from((notice.of & !notice.off).count_ones());
        Some((notice, end))
    }

    /// A PAUSE for `port` has come over the link in the other direction. When the pause is over, if an event for that is needed.
    pub(crate) fn hear(&mut self, now: Time, port: u32, notice: Notice) -> Option<Time> {
        let back = self.ports[port as usize].back;
        if notice.deaths != self.ports[back as usize].deaths {
            return None; // lost with its link
        }
        self.count(now, port);
        let lasts = self.ports[port as usize].lasts;
        for class in (0..self.classes).filter(|class| notice.of >> class & 1 == 1) {
            if notice.off >> class & 1 == 1 {
                self.begin_pause(now, port, class);
                self.queues[port as usize * self.classes + class].until = now + lasts;
            } else {
                self.end_pause(now, port, class);
            }
        }
        self.expiry(now, port)
    }

    /// When to look at a port again because a pause is over, if nobody will.
    pub(crate) fn expiry(&mut self, now: Time, port: u32) -> Option<Time> {
        let range = self.of_port(port);
        let paused = self.queues[range].iter().filter(|queue| queue.is_paused(now));
        let first = paused.map(|queue| queue.until).min()?;
        let state = &mut self.ports[port as usize];
        if state.expires != Time::MAX {
            return None;
        }
        state.expires = first;
        Some(first)
    }

    /// The event of [`Pausing::expiry`] has come: what is over by now ends.
    pub(crate) fn expired(&mut self, now: Time, port: u32) {
        self.ports[port as usize].expires = Time::MAX;
        for class in 0..self.classes {
            if !self.queues[port as usize * self.classes + class].is_paused(now) {
                self.end_pause(now, port, class);
            }
        }
    }

    /// A class is paused at a port, from now on if it is not already.
    fn begin_pause(&mut self, now: Time, port: u32, class: usize) {
        let queue = &self.queues[port as usize * self.classes + class];
        if queue.is_paused(now) {
            return;
        }
        // It may be over at this very instant.
        self.end_pause(now, port, class);
        self.sums.received += 1;
        self.queues[port as usize * self.classes + class].since = now;
        let state = &mut self.ports[port as usize];
        state.pauses.begin();
        if state.on_pause == 0 {
            self.statistics.shift(now, 1);
        }
        state.on_pause |= 1 << class;
    }

    /// A class goes on at a port, if it is paused there. What waits has been held.
    fn end_pause(&mut self, now: Time, port: u32, class: usize) {
        let state = &mut self.ports[port as usize];
        if state.on_pause >> class & 1 == 0 {
            return;
        }
        state.on_pause &= !(1 << class);
        if state.on_pause == 0 {
            self.statistics.shift(now, -1);
        }
        let queue = &mut self.queues[port as usize * self.classes + class];
        queue.until = queue.until.min(now);
        queue.held = queue.frames.len() as u32;
        let length = queue.until.since(queue.since);
        state.pauses.end(length);
        self.sums.paused += u128::from(length.as_ps());
    }

    /// What of the pauses at a port was, and is.
    pub(crate) fn pauses_at(&self, now: Time, port: u32) -> PortPauses {
        let state = &self.ports[port as usize];
        let open = self.queues[self.of_port(port)].iter().filter(|queue| queue.is_paused(now));
        open.fold(state.pauses, |pauses, queue| pauses.with_open(now.since(queue.since)))
    }

    /// Whether the frame that left a port last had been held by a pause there.
    #[inline]
    pub(crate) fn take_held(&mut self) -> bool {
        std::mem::take(&mut self.was_held)
    }

    /// Whether a frame of this class could be sent at a port if it were there now: nothing waits, and the class is not paused.
    pub(crate) fn is_free(&self, now: Time, port: u32, priority: u8) -> bool {
        self.ports[port as usize].waiting == 0 && !self.is_paused(now, port, priority)
    }

    /// When the switch at the far end of `link` is to repeat that it wants a pause, if nobody has asked.
    pub(crate) fn repeats(&mut self, now: Time, link: u32) -> Option<Time> {
        let state = &mut self.ports[link as usize];
        if state.off == 0 || state.repeats {
            return None;
        }
        state.repeats = true;
        Some(now + state.lasts / 2)
    }

    /// The event of [`Pausing::repeats`] has come.
    pub(crate) fn repeat(&mut self, link: u32) {
        let state = &mut self.ports[link as usize];
        (state.repeats, state.repeat) = (false, state.off);
        if state.off != 0 {
            self.news.push(link);
        }
    }

    /// The link after `port` works again: what could not be told over it is told now.
    pub(crate) fn revive(&mut self, port: u32) {
        let state = &mut self.ports[port as usize];
        state.dead = false;
        let back = state.back;
        let off = [port, back].into_iter().filter(|link| self.ports[*link as usize].off != 0);
        self.news.extend(off);
    }

    /// Time until what may go at a port has been sent.
    pub(crate) fn wait_of_unpaused(&self, now: Time, port: u32) -> Span {
        let state = &self.ports[port as usize];
        let sending = state.free_at.since(now);
        if state.waiting == 0 {
            return sending;
        }
        let unpaused = self.queues[self.of_port(port)].iter().filter(|queue| !queue.is_paused(now));
        sending + unpaused.map(|queue| queue.backlog).sum()
    }

    /// A host's port takes its time over a frame that goes nowhere, ahead of what waits.
    pub(crate) fn waste(&mut self, now: Time, port: u32, frame: &Frame, class: &PortClass) {
        self.count(now, port);
        let (wait, service) = (self.wait(now, port), class.time_on_wire(frame.len));
        let state = &mut self.ports[port as usize];
        state.counters.admit(frame.len + class.framing, wait, service);
        state.free_at = state.free_at.max(now) + service;
    }

    /// Whether a class is paused at a port.
    pub(crate) fn is_paused(&self, now: Time, port: u32, priority: u8) -> bool {
        self.queues[port as usize * self.classes + self.class_of(priority)].is_paused(now)
    }

    fn class_of(&self, priority: u8) -> usize {
        usize::from(priority).min(self.classes - 1)
    }

    /// A host wants to know when a class goes on.
    pub(crate) fn call(&mut self, host: u32) {
        self.called[host as usize] = true;
    }

    /// Whether this host wanted to.
    pub(crate) fn take_call(&mut self, host: u32) -> bool {
        self.called.get_mut(host as usize).is_some_and(std::mem::take)
    }

    /// Charges a frame that is to wait at a port of a switch to its account. Whether there is room.
    fn charge(&mut self, memory: u32, own: usize, wire: u64, queued: u64) -> bool {
        let Some(limits) = &self.limits else { return true };
        let number = self.from as usize * self.classes + own;
        let (memory, account) = (&mut self.memories[memory as usize], &mut self.accounts[number]);
        let free = memory.free();
        let lossless = self.lossless >> own & 1 == 1;
        let (holds, most) =
            if lossless { (account.shared, limits.threshold(free)) } else { (queued, limits.lossy_threshold(free)) };
        if wire <= free && holds + wire <= most && account.headroom == 0 {
            account.shared += wire;
            memory.used += wire;
            self.sums.most_shared = self.sums.most_shared.max(memory.used);
            return true;
        }
        if !lossless {
            return false;
        }
        let fits = account.headroom + wire <= account.reserved;
        if fits {
            account.headroom += wire;
            self.sums.most_headroom = self.sums.most_headroom.max(account.headroom);
        }
        let link = &mut self.ports[self.from as usize];
        if link.off >> own & 1 == 0 {
            link.off |= 1 << own;
            // The sender may not have heard yet that it could go on: its pause begins anew.
            link.repeat |= link.told & 1 << own;
            memory.pause(number as u32, &self.accounts, limits);
            self.news.push(self.from);
        }
        fits
    }

    /// A frame that came over `from` leaves, and with it what was charged for it: headroom first.
    fn release(&mut self, memory: u32, from: u32, own: usize, wire: u64) {
        let Some(limits) = &self.limits else { return };
        let number = from as usize * self.classes + own;
        let (memory, account) = (&mut self.memories[memory as usize], &mut self.accounts[number]);
        let headroom = account.headroom.min(wire);
        account.headroom -= headroom;
        account.shared -= wire - headroom;
        memory.used -= wire - headroom;
        if self.ports[from as usize].off >> own & 1 == 1 {
            memory.shrinks(number as u32, &self.accounts, limits);
        }
        let (ports, news, classes) = (&mut self.ports, &mut self.news, self.classes);
        memory.resume(&self.accounts, limits, |account| {
            let (link, own) = (account as usize / classes, account as usize % classes);
            ports[link].off &= !(1 << own);
            news.push(link as u32);
        });
    }

    /// What is counted of pauses.
    pub(crate) fn report(&self) -> Vec<Counter> {
        let Sums { sent, repeated, resumed, received, paused, most_shared, most_headroom, dropped } = self.sums;
        let now = self.clock;
        let open = || self.queues.iter().filter(|queue| queue.is_paused(now)).map(|queue| now.since(queue.since));
        let paused = paused + open().map(|length| u128::from(length.as_ps())).sum::<u128>();
        let over = self.ports.iter().map(|port| port.pauses.longest);
        let longest = over.chain(open()).max().unwrap_or(Span::ZERO);
        let Statistics { most, held, victims, .. } = self.statistics;
        let counter = |name, unit, value| Counter { name, unit, value };
        vec![
            counter("pauses sent", "", sent as f64),
            counter("pauses repeated", "", repeated as f64),
            counter("pauses ended", "", resumed as f64),
            counter("pauses received", "", received as f64),
            counter("time paused, all ports and classes", "s", paused as f64 / 1e12),
            counter("largest use of shared memory", "B", most_shared as f64),
            counter("largest use of headroom", "B", most_headroom as f64),
            counter("dropped from lossless classes", "frames", dropped as f64),
            counter("longest pause", "s", longest.as_secs_f64()),
            counter("links paused at once, at most", "", f64::from(most)),
            counter("held by a pause", "frames", held as f64),
            counter("held by a pause though their next port was free", "frames", victims as f64),
        ]
    }

    /// The measurement begins.
    pub(crate) fn begin_measurement(&mut self, now: Time) {
        let most_shared = self.memories.iter().map(|memory| memory.used).max().unwrap_or(0);
        let most_headroom = self.accounts.iter().map(|account| account.headroom).max().unwrap_or(0);
        self.sums = Sums { most_shared, most_headroom, ..Sums::default() };
        self.statistics.begin_measurement(now);
        for queue in &mut self.queues {
            queue.since = now;
        }
        for port in &mut self.ports {
            port.pauses = PortPauses::default();
        }
        for port in 0..self.ports.len() as u32 {
            self.count(now, port);
        }
    }

    /// A frame of a lossless class is dropped. With headroom that suffices that cannot happen.
    fn check_drop(&self, own: usize) {
        let (reserved, need) =
            (self.accounts[self.from as usize * self.classes + own].reserved, self.ports[self.from as usize].need);
        debug_assert!(self.harmed || reserved < need, "headroom of {reserved} B that suffices ran out");
    }

    /// A switch's memory adds up: checked at every event of it in debug builds. `ports` are its own.
    #[cfg(debug_assertions)]
    pub(crate) fn check_memory(&self, ports: std::ops::Range<u32>) {
        let Some(Memory { pool, used, .. }) =
            ports.clone().next().and_then(|port| self.memories.get(self.ports[port as usize].memory as usize))
        else {
            return;
        };
        let (mut shared, mut headroom, mut queued) = (0, 0, 0);
        for port in ports {
            queued += self.ports[port as usize].bytes;
            for account in &self.accounts[self.of_port(self.ports[port as usize].back)] {
                assert!(account.headroom <= account.reserved, "headroom holds what is reserved for it");
                (shared, headroom) = (shared + account.shared, headroom + account.headroom);
            }
        }
        assert!(used <= pool, "the pool holds what it has");
        assert_eq!(*used, shared, "the pool's use is that of all accounts");
        assert_eq!(shared + headroom, queued, "memory in use is that of the frames that wait");
    }

    /// Every account has what its frames take.
    #[cfg(debug_assertions)]
    pub(crate) fn check_accounts(&self) {
        let mut charged = vec![0; self.accounts.len()];
        for (number, queue) in self.queues.iter().enumerate() {
            let bytes: u64 = queue.frames.iter().map(|stored| u64::from(stored.frame.len + self.framing)).sum();
            assert_eq!(bytes, queue.bytes, "a queue's bytes are those of its frames");
            if self.ports[number / self.classes].memory == NOWHERE {
                continue;
            }
            for Stored { frame, from, .. } in &queue.frames {
                let own = number % self.classes;
                charged[*from as usize * self.classes + own] += u64::from(frame.len + self.framing);
            }
        }
        let has: Vec<u64> = self.accounts.iter().map(|account| account.shared + account.headroom).collect();
        assert_eq!(charged, has, "an account has what its frames take");
    }
}

impl PausingPort {
    const IDLE: PausingPort = PausingPort {
        free_at: Time::ZERO,
        backlog: Span::ZERO,
        bytes: 0,
        counted: Time::ZERO,
        waiting: 0,
        memory: NOWHERE,
        back: 0,
        off: 0,
        told: 0,
        repeat: 0,
        dead: false,
        deaths: 0,
        repeats: false,
        expires: Time::MAX,
        lasts: Span::ZERO,
        need: 0,
        on_pause: 0,
        pauses: PortPauses::NONE,
        counters: Counters { frames: 0, bytes: 0, dropped: 0, marked: 0, lost: 0, peak: 0, area: 0 },
    };

    /// For how long, of the time that is not in the counters yet, the link has been free though something waits.
    fn idle(&self, now: Time) -> Span {
        if self.waiting == 0 { Span::ZERO } else { now.since(self.free_at.max(self.counted)) }
    }
}

impl Discipline for Pausing {
    const PAUSES: bool = true;

    fn new(ports: usize, classes: u8, marks: Stream) -> Pausing {
        let classes = usize::from(classes.max(1));
        Pausing {
            classes,
            framing: 0,
            lossless: 0,
            limits: None,
            ports: vec![PausingPort::IDLE; ports],
            queues: vec![ClassQueue::default(); ports * classes],
            marks,
            accounts: vec![Account::default(); ports * classes],
            memories: Vec::new(),
            from: 0,
            news: Vec::new(),
            called: Vec::new(),
            was_held: false,
            statistics: Statistics::default(),
            sums: Sums::default(),
            clock: Time::ZERO,
            harmed: false,
        }
    }

    fn pausing_mut(&mut self) -> Option<&mut Pausing> {
        Some(self)
    }

    fn pausing(&self) -> Option<&Pausing> {
        Some(self)
    }

    fn admit(
        &mut self,
        now: Time,
        whole: Time,
        port: u32,
        frame: &mut Frame,
        class: &PortClass,
        _: impl FnMut(u32) -> u32,
    ) -> Admission {
        self.count(now, port);
        let memory = self.ports[port as usize].memory;
        if class.dead && memory != NOWHERE {
            self.ports[port as usize].counters.lost += 1;
            return Admission::Dropped;
        }
        let wait = self.wait(now, port);
        let (service, wire) = (class.time_on_wire(frame.len), u64::from(frame.len + class.framing));
        let own = self.class_of(frame.priority);
        let number = port as usize * self.classes + own;
        let sending = self.ports[port as usize].free_at.since(now);
        let goes = sending == Span::ZERO && !self.queues[number].is_paused(now) && !self.may_send(now, port);
        if !goes && memory != NOWHERE && !self.charge(memory, own, wire, self.queues[number].bytes) {
            self.ports[port as usize].counters.dropped += 1;
            if self.lossless >> own & 1 == 1 {
                self.sums.dropped += 1;
                self.check_drop(own);
            }
            return Admission::Dropped;
        }
        let (state, queue) = (&mut self.ports[port as usize], &mut self.queues[number]);
        let own_wait = sending + queue.backlog;
        let own_count = queue.frames.len() as u32 + u32::from(sending > Span::ZERO);
        if frame.ecn == Ecn::Capable
            && (own_wait > class.mark || own_count > class.mark_packets)
            && class.marks(own_wait, &mut self.marks)
        {
            frame.ecn = Ecn::Marked;
            state.counters.marked += 1;
        }
        state.counters.admit(frame.len + class.framing, wait, service);
        if goes {
            state.free_at = (now + service).max(whole);
            return Admission::Departs(state.free_at);
        }
        state.backlog += service;
        state.bytes += wire;
        state.waiting += 1;
        queue.backlog += service;
        queue.bytes += wire;
        queue.frames.push_back(Stored { frame: *frame, whole, from: self.from });
        Admission::Waits
    }

    fn next(&mut self, now: Time, port: u32, class: &PortClass) -> Option<(Frame, Time)> {
        self.count(now, port);
        let range = self.of_port(port);
        let state = &mut self.ports[port as usize];
        if state.waiting == 0 || state.free_at > now {
            return None;
        }
        let mut queues = self.queues[range].iter_mut().enumerate();
        let (own, queue) = queues.find(|(_, queue)| !queue.frames.is_empty() && !queue.is_paused(now))?;
        let Stored { frame, whole, from } = queue.frames.pop_front()?;
        self.was_held = queue.held > 0;
        queue.held = queue.held.saturating_sub(1);
        let (service, wire) = (class.time_on_wire(frame.len), u64::from(frame.len + class.framing));
        queue.backlog = queue.backlog - service;
        queue.bytes -= wire;
        state.backlog = state.backlog - service;
        state.bytes -= wire;
        state.waiting -= 1;
        state.free_at = (now + service).max(whole);
        let (memory, end) = (state.memory, state.free_at);
        if memory != NOWHERE {
            self.release(memory, from, own, wire);
        }
        Some((frame, end))
    }

    fn flush(&mut self, port: u32) -> u64 {
        let state = &mut self.ports[port as usize];
        let waiting = std::mem::take(&mut state.waiting);
        (state.free_at, state.backlog, state.bytes) = (Time::ZERO, Span::ZERO, 0);
        (state.dead, state.deaths) = (true, ((u32::from(state.deaths) + 1) & DEATHS) as u16);
        let (memory, back) = (state.memory, state.back);
        // Who was told over it has to be told again, and so has its own sender.
        self.ports[back as usize].told = 0;
        self.ports[port as usize].told = 0;
        let clock = self.clock;
        let mut gone = Vec::new();
        for (number, queue) in self.of_port(port).enumerate() {
            self.end_pause(clock, port, number);
            let queue = &mut self.queues[queue];
            (queue.since, queue.until, queue.held) = (Time::ZERO, Time::ZERO, 0);
            (queue.backlog, queue.bytes) = (Span::ZERO, 0);
            gone.extend(queue.frames.drain(..).map(|stored| (number, stored)));
        }
        for (own, Stored { frame, from, .. }) in gone.into_iter().filter(|_| memory != NOWHERE) {
            self.release(memory, from, own, u64::from(frame.len + self.framing));
        }
        u64::from(waiting)
    }

    fn wait(&self, now: Time, port: u32) -> Span {
        let state = &self.ports[port as usize];
        state.free_at.since(now) + state.backlog
    }

    fn keeps(&self, port: u32) -> bool {
        self.ports[port as usize].waiting > 0
    }

    #[inline(always)]
    fn prefetch(&self, port: u32) {
        prefetch_at(&self.ports, port as usize);
    }

    fn free_at(&self, port: u32) -> Time {
        self.ports[port as usize].free_at
    }

    fn counters(&self, port: u32) -> &Counters {
        &self.ports[port as usize].counters
    }

    fn counters_mut(&mut self, port: u32) -> &mut Counters {
        &mut self.ports[port as usize].counters
    }

    fn waiting(&self) -> Vec<(u32, Frame)> {
        let queues = self.queues.iter().enumerate();
        queues.flat_map(|(i, queue)| queue.frames.iter().map(move |w| ((i / self.classes) as u32, w.frame))).collect()
    }
}
