//! The egress half of Fabric Adapters: the schedulers of their ports, which give credits to VOQs (§3.3, §4.1).

use crate::config::{Class, Credits, Throttle};
use units::{Pace, Rate, Span, Time};

/// What a scheduler knows of a VOQ. Totals are in bytes and wrap.
#[derive(Debug, Clone, Copy)]
struct Demand {
    reported: u32,
    granted: u32,
    /// What has come of it, as whole packets, or was given up.
    arrived: u32,
    /// The next VOQ in its class's round.
    next: u32,
    /// The next VOQ of its port.
    sibling: u32,
    known: bool,
    queued: bool,
    /// When it was last given a credit.
    last: Time,
}

impl Demand {
    const FRESH: Demand = Demand {
        reported: 0,
        granted: 0,
        arrived: 0,
        next: NONE,
        sibling: NONE,
        known: false,
        queued: false,
        last: Time::ZERO,
    };
    /// Bytes that it wants and has not been granted.
    fn wants(&self) -> u32 {
        (self.reported.wrapping_sub(self.granted) as i32).max(0) as u32
    }
    /// Bytes that it was granted and that have not come. A packet may bring more than was granted: none until credits have paid.
    fn awaited(&self) -> u32 {
        (self.granted.wrapping_sub(self.arrived) as i32).max(0) as u32
    }
}

const NONE: u32 = u32::MAX;
/// The largest window, so that a credit and a packet beyond it still fit.
const LONGEST_WINDOW: u32 = u32::MAX / 2;

/// What a class of this weight has had, in 2^-16: the sum over a run fits 128 bits, and does not fit 64.
fn share_of(bytes: u32, weight: u32) -> u128 {
    ((u64::from(bytes) << 16) / u64::from(weight.max(1))).into()
}

/// VOQs of one class that want credits, in turns.
#[derive(Debug, Clone, Copy)]
struct Round {
    head: u32,
    tail: u32,
    /// Weighted classes: bytes given over the weight, in 2^-16.
    service: u128,
}

/// The scheduler of a port.
#[derive(Debug, Clone)]
pub struct Port {
    /// Adapter that it is in.
    pub adapter: u16,
    pace: Pace,
    /// Bytes that have been granted and have not come: the sum over its VOQs.
    awaited: u32,
    /// Bytes of packets that have come and have not left through the port.
    pub held: u32,
    /// The most that may be awaited and held when a credit is given.
    pub window: u32,
    /// The first of its VOQs.
    first: u32,
    /// How many VOQs it knows.
    pub voqs: u32,
    /// When it next looks for bytes that never came.
    audit: Time,
    /// When the next credit may be given.
    free_at: Time,
    /// Bytes that the next credit takes the time of, beside its own: what packets took of the port that no credit counts. Or fewer.
    owed: i32,
    /// An event for it is pending; at this time.
    pub scheduled: Option<Time>,
    /// It has stopped because of the window.
    full: bool,
}

impl Port {
    /// Bytes that have been granted and have not left through the port.
    pub fn committed(&self) -> u32 {
        self.awaited + self.held
    }
}

/// How far an adapter's credit rate is throttled.
#[derive(Debug, Clone, Copy)]
struct Brake {
    /// Share of the full rate.
    share: f64,
    /// Cells that have come in this interval, and those of them with an indication.
    cells: u32,
    indicated: u32,
    /// When the interval ends.
    ends: Time,
    /// When the adapter may next give a credit, whatever the port.
    free_at: Time,
}

/// The schedulers of all ports, by host.
#[derive(Debug, Clone)]
pub struct Scheduler {
    /// By host.
    pub ports: Vec<Port>,
    rounds: Vec<Round>,
    demands: Vec<Demand>,
    brakes: Vec<Brake>,
    classes: Vec<Class>,
    credits: Credits,
    packets: Packets,
    /// Credits given, and their bytes.
    pub given: (u64, u64),
    /// Times that a credit rate was cut.
    pub cuts: u64,
    /// Something was awaited for longer than the watchdog, and is not any more. If that is less than the way takes, it comes beside what is granted in its place.
    pub(crate) believed_lost: bool,
}

/// What a scheduler has to know of packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packets {
    /// Bytes of the longest one on its way through the fabric.
    pub longest: u32,
    /// Bytes that each takes of its port beside those that credits count: framing, less what only the fabric carries.
    pub uncounted: i32,
}

/// A credit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// To whom.
    pub voq: u32,
    /// How much.
    pub bytes: u32,
}

impl Scheduler {
    /// For ports of these rates, in these adapters, and such packets.
    pub fn new(
        ports: &[(u16, Rate)],
        adapters: u32,
        classes: &[Class],
        credits: Credits,
        packets: Packets,
    ) -> Scheduler {
        let port = |&(adapter, rate): &(u16, Rate)| {
            let faster = (rate.as_bps() as f64 * (1.0 + credits.speed_up)).round() as u64;
            let window = rate.bytes_in(credits.window).get().max(2 * credits.size.get());
            Port {
                adapter,
                pace: Pace::new(Rate::from_bps(faster)),
                awaited: 0,
                held: 0,
                first: NONE,
                voqs: 0,
                audit: Time::ZERO,
                window: window.min(u64::from(LONGEST_WINDOW)) as u32,
                free_at: Time::ZERO,
                owed: 0,
                scheduled: None,
                full: false,
            }
        };
        Scheduler {
            ports: ports.iter().map(port).collect(),
            rounds: vec![Round { head: NONE, tail: NONE, service: 0 }; ports.len() * classes.len()],
            demands: Vec::new(),
            brakes: vec![
                Brake { share: 1.0, cells: 0, indicated: 0, ends: Time::ZERO, free_at: Time::ZERO };
                adapters as usize
            ],
            classes: classes.to_vec(),
            credits,
            packets,
            given: (0, 0),
            cuts: 0,
            believed_lost: false,
        }
    }

    fn demand(&mut self, voq: u32, port: u32) -> &mut Demand {
        if voq as usize >= self.demands.len() {
            self.demands.resize(voq as usize + 1, Demand::FRESH);
        }
        let demand = &mut self.demands[voq as usize];
        if !demand.known {
            let state = &mut self.ports[port as usize];
            (demand.known, demand.sibling) = (true, state.first);
            (state.first, state.voqs) = (voq, state.voqs + 1);
        }
        demand
    }

    /// Changes what is known of a VOQ, and what its port awaits with it.
    fn change(&mut self, voq: u32, port: u32, change: impl FnOnce(&mut Demand)) {
        let demand = self.demand(voq, port);
        let before = demand.awaited();
        change(demand);
        let after = demand.awaited();
        let state = &mut self.ports[port as usize];
        state.awaited = state.awaited - before + after;
    }

    /// A VOQ says what it has had in all. True: the port's scheduler has a turn to take.
    pub fn request(&mut self, voq: u32, port: u32, class: u8, reported: u32) -> bool {
        let demand = self.demand(voq, port);
        // Requests may overtake each other.
        if (reported.wrapping_sub(demand.reported) as i32) > 0 {
            demand.reported = reported;
        }
        self.enter(voq, port, class);
        self.has_turn(port)
    }

    /// A VOQ that has waited too long says what it has had and was credited in all, in case messages were lost. Credits that may
    /// still be in flight to it count.
    pub fn resync(&mut self, now: Time, voq: u32, port: u32, class: u8, (reported, credited): (u32, u32)) -> bool {
        let watchdog = self.credits.watchdog;
        let mut believed_lost = self.believed_lost;
        self.change(voq, port, |demand| {
            demand.reported = reported;
            if now.since(demand.last) >= watchdog {
                believed_lost |= demand.granted != credited;
                demand.granted = credited;
            }
        });
        self.believed_lost = believed_lost;
        self.resume(port);
        self.enter(voq, port, class);
        self.has_turn(port)
    }

    /// From time to time a port looks for VOQs that were last granted something so long ago that what has not come never will: their
    /// credits, or the last of their cells, were lost. It awaits them no more. True: its scheduler has a turn to take.
    pub fn audit(&mut self, now: Time, port: u32) -> bool {
        let (state, watchdog) = (&mut self.ports[port as usize], self.credits.watchdog);
        if state.awaited == 0 || now < state.audit {
            return self.resume(port); // VOQs may have been forgotten
        }
        state.audit = now + watchdog;
        let mut voq = state.first;
        while voq != NONE {
            let overdue = now.since(self.demands[voq as usize].last) >= watchdog;
            if overdue && self.demands[voq as usize].awaited() > 0 {
                self.change(voq, port, |demand| demand.arrived = demand.granted);
                self.believed_lost = true;
            }
            voq = self.demands[voq as usize].sibling;
        }
        self.resume(port)
    }

    fn enter(&mut self, voq: u32, port: u32, class: u8) {
        let demand = self.demands[voq as usize];
        if demand.queued || demand.wants() == 0 {
            return;
        }
        let first = port as usize * self.classes.len();
        let place = first + usize::from(class);
        if self.rounds[place].head == NONE {
            // A class that comes back has no claim on what it left unused.
            let busy = self.rounds[first..first + self.classes.len()].iter().filter(|round| round.head != NONE);
            let least = busy.map(|round| round.service).min();
            self.rounds[place].service = self.rounds[place].service.max(least.unwrap_or(0));
        }
        self.append(place, voq);
    }

    fn append(&mut self, round: usize, voq: u32) {
        let round = &mut self.rounds[round];
        self.demands[voq as usize].next = NONE;
        self.demands[voq as usize].queued = true;
        if round.head == NONE {
            round.head = voq;
        } else {
            self.demands[round.tail as usize].next = voq;
        }
        round.tail = voq;
    }

    /// The class that is served next: strict ones in order, then the one that has had least for its weight.
    fn choose(&self, port: u32) -> Option<usize> {
        let first = port as usize * self.classes.len();
        let busy = |class: &usize| self.rounds[first + class].head != NONE;
        let strict = (0..self.classes.len()).filter(busy).find(|class| self.classes[*class].weight == 0);
        let fair = || (0..self.classes.len()).filter(busy).min_by_key(|class| self.rounds[first + class].service);
        strict.or_else(fair)
    }

    /// Whether a port's scheduler has a turn to take that is not arranged yet.
    pub fn has_turn(&self, port: u32) -> bool {
        let port_state = &self.ports[port as usize];
        port_state.scheduled.is_none() && !port_state.full && self.choose(port).is_some()
    }

    /// When a port that has a turn takes it.
    pub fn turn(&mut self, now: Time, port: u32) -> Time {
        let port = &mut self.ports[port as usize];
        let at = port.free_at.max(now);
        port.scheduled = Some(at);
        at
    }

    /// Whether the window has no room for a credit.
    fn is_full(&self, port: u32) -> bool {
        let state = &self.ports[port as usize];
        let committed = u64::from(state.awaited) + u64::from(state.held);
        committed > 0 && committed + self.credits.size.get() > u64::from(state.window)
    }

    /// A port that has stopped goes on when there is room. True: its scheduler has a turn to take.
    fn resume(&mut self, port: u32) -> bool {
        if self.ports[port as usize].full && !self.is_full(port) {
            self.ports[port as usize].full = false;
            return self.has_turn(port);
        }
        false
    }

    /// The port's turn: a credit, if a VOQ wants one and the egress memory allows it (§4.1).
    pub fn grant(&mut self, now: Time, port: u32) -> Option<Grant> {
        self.ports[port as usize].scheduled = None;
        if self.is_full(port) {
            self.ports[port as usize].full = true;
            return None;
        }
        let state = &mut self.ports[port as usize];
        if state.free_at > now {
            return None; // a surplus has taken the time of this credit since
        }
        let brake = &mut self.brakes[usize::from(state.adapter)];
        if brake.free_at > now {
            // The adapter as a whole gives a credit only every so often.
            state.free_at = state.free_at.max(brake.free_at);
            return None;
        }
        let class = self.choose(port)?;
        let place = port as usize * self.classes.len() + class;
        let voq = self.rounds[place].head;
        let demand = &mut self.demands[voq as usize];
        // It may want nothing any more, after a resync.
        let bytes = demand.wants().min(self.credits.size.get() as u32);
        let before = demand.awaited();
        demand.granted = demand.granted.wrapping_add(bytes);
        demand.queued = false;
        let (next, more, after) = (demand.next, demand.wants() > 0, demand.awaited());
        let round = &mut self.rounds[place];
        round.head = next;
        round.service += share_of(bytes, self.classes[class].weight);
        if more {
            self.append(place, voq);
        }
        if bytes == 0 {
            return None;
        }
        self.demands[voq as usize].last = now;
        let state = &mut self.ports[port as usize];
        state.awaited += after - before;
        self.brakes[usize::from(state.adapter)].free_at = now + self.credits.interval;
        Some(self.charge(now, voq, port, bytes))
    }

    /// The time that a credit takes of its port: its bytes', and that of what packets take of the port beside them, so that "the total
    /// rate of credits matches the egress port's rate" (§3.3) whatever the packets' size.
    fn charge(&mut self, now: Time, voq: u32, port: u32, bytes: u32) -> Grant {
        let state = &mut self.ports[port as usize];
        let share = self.brakes[usize::from(state.adapter)].share;
        let billed = bytes.saturating_add_signed(state.owed);
        state.owed -= billed.wrapping_sub(bytes) as i32;
        let time = state.pace.span(billed);
        let time = if share < 1.0 { Span::from_ps((time.as_ps() as f64 / share) as u64) } else { time };
        state.free_at = state.free_at.max(now) + time;
        self.given.0 += 1;
        self.given.1 += u64::from(bytes);
        Grant { voq, bytes }
    }

    /// A VOQ whose packet was longer than its credits has sent a surplus, which has come (§3.3: it is stored for later accounting). It
    /// gets the credit for it now, beside the turns of others, and the port's next credit waits for as long as those bytes
    /// take. So long packets cost what they are, and nobody's turn passes with a credit that only pays for the past.
    pub fn credit_surplus(&mut self, now: Time, voq: u32, port: u32, class: u8) -> Option<Grant> {
        let demand = &mut self.demands[voq as usize];
        let surplus = demand.arrived.wrapping_sub(demand.granted) as i32;
        if surplus <= 0 {
            return None;
        }
        // Neither was anything awaited of it, nor is it now.
        demand.granted = demand.arrived;
        let round = &mut self.rounds[port as usize * self.classes.len() + usize::from(class)];
        round.service += share_of(surplus as u32, self.classes[usize::from(class)].weight);
        Some(self.charge(now, voq, port, surplus as u32))
    }

    /// Bytes of a VOQ have come: a packet is complete, and waits for its port.
    #[inline]
    pub fn complete(&mut self, voq: u32, port: u32, bytes: u32) {
        self.account(voq, port, bytes);
        let most = self.credits.size.get() as i32;
        let state = &mut self.ports[port as usize];
        state.held += bytes;
        state.owed = (state.owed + self.packets.uncounted).clamp(-most, most);
    }

    /// Bytes of a VOQ will never come. True: the port's scheduler goes on.
    pub fn give_up(&mut self, voq: u32, port: u32, bytes: u32) -> bool {
        self.account(voq, port, bytes);
        self.resume(port)
    }

    #[inline]
    fn account(&mut self, voq: u32, port: u32, bytes: u32) {
        let longest = self.packets.longest;
        self.change(voq, port, |demand| {
            demand.arrived = demand.arrived.wrapping_add(bytes);
            // Less than a packet is sent ahead of credits. More: it needs none, or they were believed to be lost.
            if demand.arrived.wrapping_sub(demand.granted) as i32 > longest as i32 {
                demand.arrived = demand.granted.wrapping_add(longest);
            }
        });
    }

    /// A packet has left through a port, or was lost before it could. True: its scheduler goes on.
    #[inline]
    pub fn settle(&mut self, port: u32, bytes: u32) -> bool {
        self.ports[port as usize].held -= bytes;
        self.ports[port as usize].full && self.resume(port)
    }

    /// A data cell has come to an adapter, with or without a congestion indication (§4.2, §5.5): the larger the share of cells with
    /// one, the more of its credit rate the adapter takes back.
    #[inline]
    pub fn observe(&mut self, now: Time, adapter: u16, indicated: bool) {
        let brake = &mut self.brakes[usize::from(adapter)];
        brake.cells += 1;
        brake.indicated += u32::from(indicated);
        if now >= brake.ends {
            let Throttle { cut, recover, interval, least } = self.credits.throttle;
            let idle = now.since(brake.ends) > interval.saturating_mul(1 << 10);
            let fraction = f64::from(brake.indicated) / f64::from(brake.cells);
            let share = if idle { 1.0 } else { brake.share * (1.0 - cut * fraction) + recover };
            brake.share = share.clamp(least, 1.0);
            self.cuts += u64::from(brake.indicated > 0);
            (brake.cells, brake.indicated, brake.ends) = (0, 0, now + interval);
        }
    }

    /// Share of the full credit rate that an adapter gives.
    pub fn share(&self, adapter: u16) -> f64 {
        self.brakes[usize::from(adapter)].share
    }

    /// What ports await is what their VOQs have been granted and has not come.
    #[cfg(debug_assertions)]
    pub(crate) fn check(&self) {
        for port in &self.ports {
            let next = |voq: &u32| self.demands[*voq as usize].sibling;
            let voqs = std::iter::successors(Some(port.first), |voq| Some(next(voq))).take(port.voqs as usize);
            let awaited: u32 = voqs.map(|voq| self.demands[voq as usize].awaited()).sum();
            assert_eq!(port.awaited, awaited, "bytes that are awaited are counted");
        }
    }

    /// All that was said of a VOQ is void: nobody reaches its adapter, or its port.
    pub fn forget(&mut self, voq: u32, port: u32, class: u8) {
        if self.demand(voq, port).queued {
            let place = port as usize * self.classes.len() + usize::from(class);
            let mut kept = Vec::new();
            let mut at = self.rounds[place].head;
            while at != NONE {
                if at != voq {
                    kept.push(at);
                }
                at = self.demands[at as usize].next;
            }
            self.rounds[place].head = NONE;
            for other in kept {
                self.append(place, other);
            }
        }
        self.change(voq, port, |demand| {
            (demand.reported, demand.arrived, demand.queued) = (demand.granted, demand.granted, false);
        });
    }
}

#[cfg(test)]
mod tests;
