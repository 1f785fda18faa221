//! An arbiter: in charge, or ready to be.

use super::scheduler::{Outside, Scheduler};
use super::{Action, Allocation, Beat, Epoch, Lease, Request, Vote};
use crate::allocation::{LARGEST_BATCH, Policy};
use crate::interpod::{Attached, Core};
use crate::pod::{Part, Path, Pod, Transfer};
use crate::slot::Slot;

/// The largest number of pods: what a core switch says has a bit for each.
pub const LARGEST_NETWORK: u16 = 128;

/// How an arbiter works. All lengths are in slots.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Settings {
    /// Its pod.
    pub pod: Pod,
    /// Who comes first.
    pub policy: Policy,
    /// How many slots are allocated at once ([`allocation`](crate::allocation)).
    pub batch: u32,
    /// Its number among arbiters, which also decides who waits longer before it takes over.
    pub arbiter: u8,
    /// How many voters there are.
    pub voters: u8,
    /// How many slots ahead it hands them out: at least what a message to a host takes, at most 63.
    pub ahead: u64,
    /// After how many slots an allocation that the host does not hold counts as lost and is sent again: what a message takes there and back.
    pub repair: u64,
    /// How many slots it leases at a time, from the present one on: at least twice `ahead`. A takeover leaves at most as many unused.
    pub lease: u64,
    /// How many slots without a beat make it take over; the arbiter of number n waits n more times as long.
    pub patience: u64,
}

/// What is wrong with [`Settings`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A batch that fits no word.
    #[error("a batch has 1 to {LARGEST_BATCH} slots, not {batch}")]
    Batch {
        /// Slots.
        batch: u32,
    },
    /// Nobody to lease slots from, or more than bits in a word.
    #[error("there are 1 to 64 voters, not {voters}")]
    Voters {
        /// How many.
        voters: u8,
    },
    /// Hosts cannot acknowledge what is further ahead.
    #[error("slots are handed out 1 to 63 ahead, not {ahead}")]
    Ahead {
        /// Slots.
        ahead: u64,
    },
    /// A lease that runs out before it is renewed.
    #[error("a lease of {lease} slots is too short to hand out slots {ahead} ahead; it needs {} at least", 2 * (ahead + 1))]
    Lease {
        /// Slots of a lease.
        lease: u64,
        /// Slots ahead.
        ahead: u64,
    },
    /// Core switches say in a word for which pods they take packets.
    #[error("core switches join at most {LARGEST_NETWORK} pods, not {pods}")]
    Pods {
        /// Pods of the network.
        pods: u16,
    },
    /// Beats cannot come more often than once a slot.
    #[error("an arbiter needs patience for at least 2 slots, not {patience}")]
    Patience {
        /// Slots.
        patience: u64,
    },
}

/// A request that no host of the pod can have made. It changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// A host that is not there.
    #[error("host {host} asks for slots or is asked for, but hosts are 0..{hosts}")]
    UnknownHost {
        /// Its number.
        host: u16,
        /// How many there are.
        hosts: u16,
    },
    /// A host does not send to itself over the pod.
    #[error("host {host} asks for slots to itself")]
    ToItself {
        /// Its number.
        host: u16,
    },
    /// A slot to come.
    #[error("host {source_host} asks as of {slot}, which is after {now}")]
    FromTheFuture {
        /// Who asks.
        source_host: u16,
        /// As of when.
        slot: Slot,
        /// The arbiter's slot.
        now: Slot,
    },
}

/// What an arbiter is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Another one is in charge, as far as it knows.
    Standby,
    /// It is asking voters.
    Claiming,
    /// It hands out slots.
    Active,
}

/// One of a pod's arbiters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Arbiter {
    settings: Settings,
    now: Slot,
    role: Role,
    /// Its own, if it has claimed one or is active.
    epoch: Epoch,
    /// The highest that it has heard of.
    heard: Epoch,
    /// When it last had a reason to believe that another one is in charge.
    heard_at: Slot,
    /// What each voter has granted to its epoch: floor and end.
    grants: Vec<Option<(Slot, Slot)>>,
    /// The first slot that is its own, if it is active, and the first that a majority has not leased to its epoch.
    first: Slot,
    leased: Slot,
    scheduler: Scheduler,
    /// What is above its pod, if that is one among others.
    outside: Option<Outside>,
    /// What does not work, in order.
    broken: Vec<Part>,
    /// Of how many slots it is remembered who was given them; a request that is older is of no use.
    remembered: usize,
    /// For each host, what it was given lately, by slot modulo `remembered`: slot, destination, path.
    given: Vec<Option<(Slot, u16, Path)>>,
    /// For each host, the slot of its last request.
    asked: Vec<Slot>,
}

impl Arbiter {
    /// An arbiter on standby.
    ///
    /// # Errors
    /// [`SettingsError`] if they contradict each other.
    pub fn new(settings: Settings, now: Slot) -> Result<Arbiter, SettingsError> {
        Arbiter::with(settings, None, now)
    }

    /// An arbiter on standby of a pod among others (Fastpod §3.4). Core switches ask as hosts do, and are numbered after them, plane by plane; what a host has
    /// for a pod goes to the destination of the pod's number after those of hosts.
    ///
    /// # Errors
    /// As [`Arbiter::new`], and if there are more pods than a core switch can speak of.
    pub fn among(settings: Settings, attached: Attached, now: Slot) -> Result<Arbiter, SettingsError> {
        let pods = attached.pods();
        if pods > LARGEST_NETWORK {
            return Err(SettingsError::Pods { pods });
        }
        let settings = Settings { pod: attached.pod().clone(), ..settings };
        Arbiter::with(settings, Some(Outside::new(attached)), now)
    }

    fn with(settings: Settings, outside: Option<Outside>, now: Slot) -> Result<Arbiter, SettingsError> {
        let Settings { batch, voters, ahead, lease, patience, .. } = settings;
        if !(1..=LARGEST_BATCH).contains(&batch) {
            return Err(SettingsError::Batch { batch });
        }
        if !(1..=64).contains(&voters) {
            return Err(SettingsError::Voters { voters });
        }
        if !(1..u64::from(LARGEST_BATCH)).contains(&ahead) {
            return Err(SettingsError::Ahead { ahead });
        }
        if lease < 2 * (ahead + 1) {
            return Err(SettingsError::Lease { lease, ahead });
        }
        if patience < 2 {
            return Err(SettingsError::Patience { patience });
        }
        let remembered = (4 * ahead).next_power_of_two() as usize;
        let cores = outside.as_ref().map_or(0, |outside| outside.attached.cores().count());
        let sources = usize::from(settings.pod.hosts()) + cores;
        Ok(Arbiter {
            remembered,
            now,
            role: Role::Standby,
            epoch: Epoch::default(),
            heard: Epoch::default(),
            heard_at: now,
            grants: vec![None; voters.into()],
            first: Slot(0),
            leased: Slot(0),
            scheduler: Scheduler::new(&settings.pod, outside.as_ref(), settings.policy, settings.batch, now, &[]),
            outside,
            broken: Vec::new(),
            given: vec![None; sources * remembered],
            asked: vec![Slot(0); sources],
            settings,
        })
    }

    /// What it is doing.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Its epoch, the last one that it has claimed.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Whether a slot is its own: nobody else hands it out, or may use what lies in it.
    pub fn holds(&self, slot: Slot) -> bool {
        self.role == Role::Active && (self.first..self.leased).contains(&slot)
    }

    /// The first slot that it has not handed out; of no meaning unless it is active.
    pub fn upcoming(&self) -> Slot {
        self.scheduler.upcoming()
    }

    /// The first slot that a majority has not leased to its epoch.
    pub fn leased(&self) -> Slot {
        self.leased
    }

    /// It is this slot now. To be called once a slot; an earlier slot than before does nothing.
    pub fn advance(&mut self, now: Slot, actions: &mut Vec<Action>) {
        if now < self.now {
            return;
        }
        self.now = now;
        match self.role {
            Role::Standby => {
                let patience = self.settings.patience * (1 + u64::from(self.settings.arbiter));
                if now.since(self.heard_at) >= patience {
                    self.claim(actions);
                }
            }
            Role::Claiming => self.ask(actions),
            Role::Active => {
                actions.push(Action::Beat(Beat { epoch: self.epoch }));
                if self.leased.since(now) <= self.settings.lease / 2 {
                    self.ask(actions);
                }
                self.hand_out(actions);
            }
        }
    }

    /// Another arbiter is alive.
    pub fn on_beat(&mut self, beat: Beat) {
        self.hear(beat.epoch);
    }

    /// A voter has answered.
    pub fn on_vote(&mut self, voter: u8, vote: Vote, actions: &mut Vec<Action>) {
        match vote {
            Vote::Refused { epoch } => self.hear(epoch),
            Vote::Granted { epoch, floor, until } => {
                let Some(grant) = self.grants.get_mut(usize::from(voter)) else { return };
                if epoch != self.epoch || self.role == Role::Standby {
                    return;
                }
                let before = grant.map_or(Slot(0), |(_, until)| until);
                *grant = Some((floor, until.max(before)));
                self.count_grants();
                if self.role == Role::Claiming && self.grants.iter().flatten().count() >= self.majority() {
                    self.begin(actions);
                } else if self.role == Role::Active {
                    self.hand_out(actions);
                }
            }
        }
    }

    /// A host asks. Answers nothing at once; allocations that it should have by now are sent again.
    ///
    /// # Errors
    /// [`RequestError`] if no host of the pod can have said so.
    pub fn on_request(&mut self, request: Request, actions: &mut Vec<Action>) -> Result<(), RequestError> {
        let Request { source, destination, slot, held, requested, granted } = request;
        let hosts = self.settings.pod.hosts();
        let is_host = |number: u16| number < hosts;
        // Of a pod among others, a core switch may ask for a host, and a host for a pod.
        let is_known = is_host(source) && is_host(destination)
            || self.outside.as_ref().is_some_and(|outside| {
                is_host(source) && destination - hosts < outside.attached.pods()
                    || is_host(destination) && usize::from(source) < self.asked.len()
            });
        if !is_known {
            let host = if is_host(source) { destination } else { source };
            return Err(RequestError::UnknownHost { host, hosts });
        }
        if source == destination {
            return Err(RequestError::ToItself { host: source });
        }
        // A host's clock may be ahead by less than a slot.
        if slot.since(self.now) > 1 {
            return Err(RequestError::FromTheFuture { source_host: source, slot, now: self.now });
        }
        let upcoming = self.scheduler.upcoming();
        let asked = &mut self.asked[usize::from(source)];
        if self.role != Role::Active || slot < *asked || upcoming.since(slot) > self.remembered as u64 {
            return Ok(());
        }
        *asked = slot;
        let mut under_way = 0;
        for number in slot.0 + 1..upcoming.0 {
            let slot_given = Slot(number);
            let Some((given_for, to, path)) = self.given[place(self.remembered, source, slot_given)] else { continue };
            let ahead = number - slot.0 - 1;
            let is_held = ahead < 64 && held >> ahead & 1 != 0;
            if given_for != slot_given || to != destination || is_held {
                continue;
            }
            under_way += 1;
            // It was handed out `ahead` slots before its time, or later.
            if slot_given > self.now && self.now.0 + self.settings.ahead >= number + self.settings.repair {
                let epoch = self.epoch;
                actions.push(Action::Allocate(Allocation { epoch, slot: slot_given, source, destination, path }));
            }
        }
        let wanted = requested.saturating_sub(granted).saturating_sub(under_way);
        self.scheduler.set(source, destination, u32::try_from(wanted).unwrap_or(u32::MAX));
        Ok(())
    }

    fn majority(&self) -> usize {
        self.grants.len() / 2 + 1
    }

    /// What a majority of grants allows.
    fn count_grants(&mut self) {
        let mut ends: Vec<Slot> = self.grants.iter().map(|grant| grant.map_or(Slot(0), |(_, until)| until)).collect();
        ends.sort_unstable_by(|a, b| b.cmp(a));
        self.leased = ends[self.majority() - 1];
    }

    /// Another arbiter has this epoch.
    fn hear(&mut self, epoch: Epoch) {
        if epoch < self.heard || epoch == self.epoch {
            return;
        }
        self.heard = epoch;
        if self.role == Role::Standby || epoch > self.epoch {
            self.heard_at = self.now;
            self.role = Role::Standby;
        }
    }

    /// Takes over, whoever is in charge: because an operator says so. Does nothing if it is in charge itself.
    pub fn take_over(&mut self, actions: &mut Vec<Action>) {
        if self.role != Role::Active {
            self.claim(actions);
        }
    }

    fn claim(&mut self, actions: &mut Vec<Action>) {
        let number = self.heard.number.max(self.epoch.number) + 1;
        self.epoch = Epoch { number, arbiter: self.settings.arbiter };
        self.role = Role::Claiming;
        self.grants.fill(None);
        self.leased = Slot(0);
        self.ask(actions);
    }

    /// Asks the voters that have not granted a whole lease from now on.
    fn ask(&mut self, actions: &mut Vec<Action>) {
        let until = self.now.plus(self.settings.lease);
        for (voter, grant) in (0..).zip(&self.grants) {
            if grant.is_none_or(|(_, granted)| granted < until) {
                actions.push(Action::Ask(voter, Lease { epoch: self.epoch, until }));
            }
        }
    }

    /// A majority has granted: it is in charge, knows of no demand, and hands out slots that nobody else can have handed out.
    fn begin(&mut self, actions: &mut Vec<Action>) {
        let floor = self.grants.iter().flatten().map(|&(floor, _)| floor).max().unwrap_or_default();
        self.role = Role::Active;
        self.first = floor.max(self.now.plus(1));
        self.schedule_from(self.first);
        self.given.fill(None);
        self.asked.fill(Slot(0));
        actions.push(Action::Beat(Beat { epoch: self.epoch }));
    }

    /// Schedules anew from a slot on: what was wanted is wanted again when hosts say so the next time.
    fn schedule_from(&mut self, first: Slot) {
        let Settings { pod, policy, batch, .. } = &self.settings;
        self.scheduler = Scheduler::new(pod, self.outside.as_ref(), *policy, *batch, first, &self.broken);
    }

    /// A core switch says for which pods it takes packets, a bit for each: backpressure (Fastpod §3.4). Slots that have been allocated stay so. Does nothing in a
    /// pod that is alone.
    ///
    /// # Panics
    /// If there is no such core switch.
    pub fn set_open(&mut self, core: Core, open: u128) {
        if self.outside.as_mut().is_some_and(|outside| outside.set_open(core, open)) {
            self.scheduler.set_open(core, open);
        }
    }

    /// A core switch says of which host of another pod, however that is numbered, the packet is that it sends next to a host of this one. Under max-min fairness such a host
    /// has the turns of one that sends by itself, in however many core switches its packets wait. Does nothing in a pod that is alone.
    ///
    /// # Panics
    /// If there is no such core switch or host.
    pub fn set_origin(&mut self, source: u16, destination: u16, origin: u16) {
        self.scheduler.set_origin(source, destination, origin);
    }

    /// Something works from the next slot that is handed out on, or does not: nothing is given that needs it. A pod of three tiers goes on as if all
    /// worked.
    pub fn set_works(&mut self, part: Part, works: bool) {
        match (self.broken.binary_search(&part), works) {
            (Ok(place), true) => drop(self.broken.remove(place)),
            (Err(place), false) => self.broken.insert(place, part),
            (Ok(_), false) | (Err(_), true) => return,
        }
        self.schedule_from(self.scheduler.upcoming());
    }

    /// What does not work.
    pub fn broken(&self) -> &[Part] {
        &self.broken
    }

    /// Hands out what is leased and near enough.
    fn hand_out(&mut self, actions: &mut Vec<Action>) {
        let end = self.now.plus(self.settings.ahead);
        if self.scheduler.upcoming() <= self.now {
            self.scheduler.resume_at(self.now.plus(1));
        }
        let (epoch, remembered) = (self.epoch, self.remembered);
        while self.scheduler.upcoming() <= end && self.scheduler.upcoming() < self.leased {
            let given = &mut self.given;
            self.scheduler.next_slot(self.settings.batch, |slot, Transfer { source, destination }, path| {
                given[place(remembered, source, slot)] = Some((slot, destination, path));
                actions.push(Action::Allocate(Allocation { epoch, slot, source, destination, path }));
            });
        }
    }
}

/// Where what a host was given for a slot is kept.
fn place(remembered: usize, source: u16, slot: Slot) -> usize {
    usize::from(source) * remembered + (slot.0 as usize & (remembered - 1))
}
