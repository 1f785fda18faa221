//! The pod as a state machine: its very machines, the messages in flight, and how much may still go wrong.

use arbiter::allocation::Policy;
use arbiter::control::{
    Action as Sent, Allocation, Arbiter, Beat, Endpoint, Lease, Request, Role, Settings, Taken, Vote, Voter,
};
use arbiter::{Path, Pod, Slot, Transfer};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// What may still go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Faults {
    /// Messages that are lost.
    pub losses: u8,
    /// Messages that arrive at any later time; others arrive in the slot in which they were sent, in any order.
    pub delays: u8,
    /// Messages that arrive twice, the second time at any later time.
    pub doublings: u8,
    /// Arbiters that die with the voter on their machine, each at any step, half-way through sending too.
    pub deaths: u8,
    /// Arbiters that take over at any step, whoever is in charge.
    pub suspicions: u8,
    /// Arbiters do not hear each other.
    pub deaf: bool,
}

/// A way in which the machines could be wrong, to see whether the checker finds out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// As they are.
    Nothing,
    /// An arbiter begins with the next slot, whatever was leased before.
    NoFloor,
    /// An arbiter hands out slots that it has not leased.
    NoEnd,
    /// Voters forget what they have granted.
    VotersForget,
    /// What a request says is wanted beside what is wanted already, whatever has been given.
    RequestsAdd,
    /// Hosts ask once.
    NoRepetition,
}

/// A message in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Message {
    /// To an arbiter.
    Request(u8, Request),
    /// To an arbiter.
    Beat(u8, Beat),
    /// To a voter.
    Lease(u8, Lease),
    /// To an arbiter, from a voter.
    Vote(u8, u8, Vote),
    /// To its source.
    Allocation(Allocation),
}

impl Message {
    /// Which machine gets it: voters, then hosts, then arbiters.
    pub(crate) fn receiver(&self) -> (u8, u16) {
        match *self {
            Message::Lease(voter, _) => (0, voter.into()),
            Message::Allocation(allocation) => (1, allocation.source),
            Message::Request(arbiter, _) | Message::Beat(arbiter, _) | Message::Vote(arbiter, ..) => {
                (2, arbiter.into())
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub now: u64,
    pub arbiters: Vec<Option<Arbiter>>,
    pub voters: Vec<Option<Voter>>,
    pub hosts: Vec<Endpoint>,
    /// Whether a host has asked, if hosts ask once.
    pub asked: BTreeSet<(u16, u16, u64)>,
    pub in_flight: BTreeSet<Message>,
    /// In flight, and may stay so.
    pub late: BTreeSet<Message>,
    pub faults: Faults,
    pub collided: bool,
    /// The number of the highest epoch of which a host has taken an allocation.
    pub reigns: BTreeSet<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    Deliver(Message),
    DeliverLate(Message),
    Lose(Message),
    Delay(Message),
    Double(Message),
    /// This arbiter, when only so many of its messages have left.
    Die(u8, usize),
    Suspect(u8),
    NextSlot,
}

/// What is checked.
pub(crate) struct Checked {
    pub faults: Faults,
    pub broken: Broken,
    pub settings: Settings,
    /// Slots that pairs want, from the beginning.
    pub wanted: Vec<(u16, u16, u64)>,
    /// The last slot to be explored; from there on nothing more goes wrong.
    pub last: u64,
    /// Marks of states from which all demands are met.
    pub settled: Mutex<BTreeSet<u64>>,
}

impl Checked {
    pub(crate) fn new(faults: Faults) -> Checked {
        let pod = Pod::two_tiers(3, 1, 1).expect("a pod");
        let settings = Settings {
            pod,
            policy: Policy::MaxMin,
            batch: 2,
            arbiter: 0,
            voters: 3,
            ahead: 2,
            repair: 1,
            lease: 6,
            patience: 2,
        };
        // Two senders to one host: whoever gives a slot to both makes a collision.
        let wanted = vec![(0, 2, 1), (1, 2, 1)];
        Checked { faults, broken: Broken::Nothing, settings, wanted, last: 6, settled: Mutex::default() }
    }

    /// The first arbiter is in charge, and nobody has asked for anything.
    pub(crate) fn first_state(&self) -> State {
        let hosts = self.settings.pod.hosts();
        let arbiter = |arbiter| Arbiter::new(Settings { arbiter, ..self.settings.clone() }, Slot(0)).ok();
        let mut state = State {
            now: 0,
            arbiters: (0..2).map(arbiter).collect(),
            voters: vec![Some(Voter::default()); 3],
            hosts: (0..hosts).map(|host| Endpoint::new(host, hosts, Slot(0))).collect(),
            asked: BTreeSet::new(),
            in_flight: BTreeSet::new(),
            late: BTreeSet::new(),
            faults: Faults::default(),
            collided: false,
            reigns: BTreeSet::new(),
        };
        self.with_arbiter(&mut state, 0, |arbiter, sent| arbiter.take_over(sent));
        while let Some(message) = state.in_flight.pop_first() {
            self.deliver(&mut state, message);
        }
        state.faults = self.faults;
        for &(source, destination, slots) in &self.wanted {
            state.hosts[usize::from(source)].want(destination, slots);
        }
        state
    }

    pub(crate) fn step(&self, before: &State, action: &Action) -> State {
        let mut state = before.clone();
        match *action {
            Action::Deliver(message) => {
                state.in_flight.remove(&message);
                self.deliver(&mut state, message);
            }
            Action::DeliverLate(message) => {
                state.late.remove(&message);
                self.deliver(&mut state, message);
            }
            Action::Lose(message) => {
                state.in_flight.remove(&message);
                state.faults.losses -= 1;
            }
            Action::Delay(message) => {
                state.in_flight.remove(&message);
                state.late.insert(message);
                state.faults.delays -= 1;
            }
            Action::Double(message) => {
                state.in_flight.remove(&message);
                state.late.insert(message);
                state.faults.doublings -= 1;
                self.deliver(&mut state, message);
            }
            Action::Die(arbiter, sent) => {
                let unsent: Vec<Message> = Checked::sent_by(&state, arbiter).skip(sent).collect();
                unsent.iter().for_each(|message| {
                    state.in_flight.remove(message);
                });
                state.arbiters[usize::from(arbiter)] = None;
                state.voters[usize::from(arbiter)] = None;
                state.faults.deaths -= 1;
            }
            Action::Suspect(arbiter) => {
                state.faults.suspicions -= 1;
                self.with_arbiter(&mut state, arbiter, |arbiter, sent| arbiter.take_over(sent));
            }
            Action::NextSlot => self.next_slot(&mut state),
        }
        state
    }

    fn next_slot(&self, state: &mut State) {
        state.now += 1;
        let now = Slot(state.now);
        for number in 0..2 {
            self.with_arbiter(state, number, |arbiter, sent| arbiter.advance(now, sent));
        }
        // On standby they take no requests.
        let listens = |arbiter: &Option<Arbiter>| {
            arbiter.as_ref().is_some_and(|arbiter| state.faults.suspicions > 0 || arbiter.role() != Role::Standby)
        };
        let listening: Vec<bool> = state.arbiters.iter().map(listens).collect();
        for host in &mut state.hosts {
            host.advance(now);
            for request in host.requests() {
                let first = state.asked.insert((request.source, request.destination, request.requested));
                if self.broken == Broken::NoRepetition && !first {
                    continue;
                }
                for (arbiter, _) in (0..).zip(&listening).filter(|(_, listens)| **listens) {
                    state.in_flight.insert(Message::Request(arbiter, request));
                }
            }
        }
        if self.broken != Broken::NoRepetition {
            state.asked.clear();
        }
    }

    fn with_arbiter(&self, state: &mut State, number: u8, act: impl FnOnce(&mut Arbiter, &mut Vec<Sent>)) {
        let mut sent = Vec::new();
        if let Some(arbiter) = &mut state.arbiters[usize::from(number)] {
            act(arbiter, &mut sent);
        }
        for action in sent {
            state.in_flight.insert(match action {
                Sent::Allocate(allocation) => Message::Allocation(allocation),
                Sent::Ask(voter, lease) => Message::Lease(voter, lease),
                Sent::Beat(_) if state.faults.deaf => continue,
                Sent::Beat(beat) => Message::Beat(1 - number, beat),
            });
        }
    }

    pub(crate) fn deliver(&self, state: &mut State, message: Message) {
        match message {
            Message::Request(number, mut request) => {
                if self.broken == Broken::RequestsAdd {
                    (request.granted, request.held) = (0, u64::MAX);
                }
                self.with_arbiter(state, number, |arbiter, sent| {
                    arbiter.on_request(request, sent).expect("hosts ask for what there is");
                });
            }
            Message::Beat(number, beat) => self.with_arbiter(state, number, |arbiter, _| arbiter.on_beat(beat)),
            Message::Lease(voter, lease) => {
                if let Some(machine) = &mut state.voters[usize::from(voter)] {
                    if self.broken == Broken::VotersForget {
                        *machine = Voter::default();
                    }
                    let vote = machine.handle(lease);
                    state.in_flight.insert(Message::Vote(lease.epoch.arbiter, voter, vote));
                }
            }
            Message::Vote(number, voter, mut vote) => {
                if let Vote::Granted { floor, until, .. } = &mut vote {
                    match self.broken {
                        Broken::NoFloor => *floor = Slot(0),
                        Broken::NoEnd => *until = Slot(u64::MAX / 2),
                        Broken::Nothing | Broken::VotersForget | Broken::RequestsAdd | Broken::NoRepetition => {}
                    }
                }
                self.with_arbiter(state, number, |arbiter, sent| arbiter.on_vote(voter, vote, sent));
            }
            Message::Allocation(allocation) => Checked::allocate(state, allocation),
        }
    }

    /// A host gets an allocation: does it collide with what others hold?
    fn allocate(state: &mut State, allocation: Allocation) {
        let Allocation { slot, source, destination, path, epoch } = allocation;
        match state.hosts[usize::from(source)].handle(allocation) {
            Taken::Again | Taken::OutOfReach => {}
            Taken::Contradiction => state.collided = true,
            Taken::Held => {
                state.reigns.insert(epoch.number as u8);
                let pod = Pod::two_tiers(3, 1, 1).expect("a pod");
                let links = |transfer: Transfer, path: Path| pod.links(transfer, path).collect::<BTreeSet<_>>();
                let mine = links(Transfer { source, destination }, path);
                for (other, host) in (0..).zip(&state.hosts).filter(|(other, _)| *other != source) {
                    for (held, to, path) in host.held() {
                        let theirs = links(Transfer { source: other, destination: to }, path);
                        state.collided |= held == slot && !mine.is_disjoint(&theirs);
                    }
                }
            }
        }
    }

    /// What is in flight from an arbiter.
    pub(crate) fn sent_by(state: &State, number: u8) -> impl Iterator<Item = Message> + '_ {
        state.in_flight.iter().copied().filter(move |message| match *message {
            Message::Beat(to, _) => to != number,
            Message::Lease(_, lease) => lease.epoch.arbiter == number,
            Message::Allocation(allocation) => allocation.epoch.arbiter == number,
            Message::Request(..) | Message::Vote(..) => false,
        })
    }
}
