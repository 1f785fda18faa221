//! The egress half of Fabric Adapters: the schedulers of their ports, which give credits to VOQs (§3.3, §4.1).

use crate::config::{Class, Credits, Throttle};
use units::{Pace, Rate, Span, Time};

/// What a scheduler knows of a VOQ. Totals are in bytes and wrap.
#[derive(Debug, Clone, Copy)]
struct Demand {
    reported: u32,
    granted: u32,
    /// The next VOQ in its class's round.
    next: u32,
    queued: bool,
    /// When it was last given a credit.
    last: Time,
}

const NONE: u32 = u32::MAX;

/// VOQs of one class that want credits, in turns.
#[derive(Debug, Clone, Copy)]
struct Round {
    head: u32,
    tail: u32,
    /// Weighted classes: bytes given over the weight, in 2^-16.
    service: u64,
}

/// The scheduler of a port.
#[derive(Debug, Clone)]
pub struct Port {
    /// Adapter that it is in.
    pub adapter: u16,
    pace: Pace,
    /// Bytes that have been granted and have not left through the port.
    pub committed: u32,
    /// The most that may be.
    pub window: u32,
    /// When the next credit may be given.
    free_at: Time,
    /// An event for it is pending; at this time.
    pub scheduled: Option<Time>,
    /// It has stopped because of `committed`.
    full: bool,
    /// When bytes last left through it.
    left: Time,
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
    /// Credits given, and their bytes.
    pub given: (u64, u64),
    /// Times that a credit rate was cut.
    pub cuts: u64,
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
    /// For ports of these rates, in these adapters.
    pub fn new(ports: &[(u16, Rate)], adapters: u32, classes: &[Class], credits: Credits) -> Scheduler {
        let port = |&(adapter, rate): &(u16, Rate)| {
            let faster = (rate.as_bps() as f64 * (1.0 + credits.speed_up)).round() as u64;
            let window = rate.bytes_in(credits.window).get().max(2 * credits.size.get());
            Port {
                adapter,
                pace: Pace::new(Rate::from_bps(faster)),
                committed: 0,
                window: u32::try_from(window).unwrap_or(u32::MAX / 2),
                free_at: Time::ZERO,
                scheduled: None,
                full: false,
                left: Time::ZERO,
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
            given: (0, 0),
            cuts: 0,
        }
    }

    fn demand(&mut self, voq: u32) -> &mut Demand {
        if voq as usize >= self.demands.len() {
            let fresh = Demand { reported: 0, granted: 0, next: NONE, queued: false, last: Time::ZERO };
            self.demands.resize(voq as usize + 1, fresh);
        }
        &mut self.demands[voq as usize]
    }

    /// A VOQ says what it has had in all. True: the port's scheduler has a turn to take.
    pub fn request(&mut self, voq: u32, port: u32, class: u8, reported: u32) -> bool {
        let demand = self.demand(voq);
        // Requests may overtake each other.
        if (reported.wrapping_sub(demand.reported) as i32) > 0 {
            demand.reported = reported;
        }
        self.enter(voq, port, class);
        self.has_turn(port)
    }

    /// A VOQ that has waited too long says what it has had and was credited in all, in case messages were lost. Credits that may
    /// still be under way to it count; and a port that awaits bytes, and has seen none for as long, awaits them no more.
    pub fn resync(&mut self, now: Time, voq: u32, port: u32, class: u8, (reported, credited): (u32, u32)) -> bool {
        let watchdog = self.credits.watchdog;
        let demand = self.demand(voq);
        demand.reported = reported;
        if now.since(demand.last) >= watchdog {
            let lost = demand.granted.wrapping_sub(credited) as i32;
            demand.granted = credited;
            let state = &mut self.ports[port as usize];
            state.committed = state.committed.saturating_sub(lost.max(0) as u32);
        }
        let state = &mut self.ports[port as usize];
        if state.full && now.since(state.left) >= watchdog {
            state.committed = 0;
            state.full = false;
        }
        self.enter(voq, port, class);
        self.has_turn(port)
    }

    fn enter(&mut self, voq: u32, port: u32, class: u8) {
        let demand = self.demands[voq as usize];
        if demand.queued || demand.reported.wrapping_sub(demand.granted) as i32 <= 0 {
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

    /// The port's turn: a credit, if a VOQ wants one and the egress memory allows it (§4.1).
    pub fn grant(&mut self, now: Time, port: u32) -> Option<Grant> {
        let state = &mut self.ports[port as usize];
        state.scheduled = None;
        let size = self.credits.size.get() as u32;
        if state.committed > 0 && state.committed + size > state.window {
            state.full = true;
            return None;
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
        let bytes = demand.reported.wrapping_sub(demand.granted).min(size);
        demand.granted = demand.granted.wrapping_add(bytes);
        demand.queued = false;
        demand.last = now;
        let (next, more) = (demand.next, demand.reported != demand.granted);
        let round = &mut self.rounds[place];
        round.head = next;
        round.service += (u64::from(bytes) << 16) / u64::from(self.classes[class].weight.max(1));
        if more {
            self.append(place, voq);
        }
        let state = &mut self.ports[port as usize];
        let share = self.brakes[usize::from(state.adapter)].share;
        state.committed += bytes;
        let time = state.pace.span(bytes);
        let time = if share < 1.0 { Span::from_ps((time.as_ps() as f64 / share) as u64) } else { time };
        state.free_at = state.free_at.max(now) + time;
        self.brakes[usize::from(state.adapter)].free_at = now + self.credits.interval;
        self.given.0 += 1;
        self.given.1 += u64::from(bytes);
        Some(Grant { voq, bytes })
    }

    /// Bytes have left through a port, or will never come. True: its scheduler goes on.
    #[inline]
    pub fn settle(&mut self, now: Time, port: u32, bytes: u32) -> bool {
        let size = self.credits.size.get() as u32;
        let state = &mut self.ports[port as usize];
        state.left = now;
        state.committed = state.committed.saturating_sub(bytes);
        if state.full && (state.committed == 0 || state.committed + size <= state.window) {
            state.full = false;
            return self.has_turn(port);
        }
        false
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

    /// All that was said of a VOQ is void: nobody reaches its adapter, or its port.
    pub fn forget(&mut self, voq: u32, port: u32, class: u8) {
        if self.demand(voq).queued {
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
        let demand = self.demand(voq);
        *demand = Demand { reported: demand.granted, queued: false, ..*demand };
    }
}
