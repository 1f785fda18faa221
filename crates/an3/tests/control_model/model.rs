//! The network as a state machine: its very NICs and switches, what is between them, and how much may still go wrong.

use an3::effect::Effect;
use an3::message::{Goal, Message, Name, Place, Reason};
use an3::nic::Nic;
use an3::switch::{Switch, Turn, Way};
use std::collections::{BTreeSet, VecDeque};

/// Nodes and cables. Hosts come first; every switch is a container of its own.
#[derive(Debug, Clone)]
pub(crate) struct Wiring {
    pub hosts: u32,
    pub nodes: u32,
    /// Directed links, two for each cable, one after the other.
    pub links: Vec<Link>,
    /// By node and port, the link away from there.
    pub ports: Vec<Vec<u32>>,
    /// By node: how far all nodes are from it, over whole cables.
    distances: Vec<Vec<u32>>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    pub from: u32,
    pub to: u32,
    pub from_port: u8,
    pub to_port: u8,
}

impl Wiring {
    /// Of cables between hosts and switches, which are numbered after them.
    pub(crate) fn new(hosts: u32, cables: &[[u32; 2]]) -> Wiring {
        let nodes = cables.iter().flatten().max().expect("there are cables") + 1;
        let mut ports = vec![Vec::new(); nodes as usize];
        let mut links = Vec::new();
        for &[a, b] in cables {
            let port = |node: u32| ports[node as usize].len() as u8;
            let (at_a, at_b) = (port(a), port(b));
            for (from, to, from_port, to_port) in [(a, b, at_a, at_b), (b, a, at_b, at_a)] {
                ports[from as usize].push(links.len() as u32);
                links.push(Link { from, to, from_port, to_port });
            }
        }
        let mut wiring = Wiring { hosts, nodes, links, ports, distances: Vec::new() };
        wiring.distances = (0..nodes).map(|node| wiring.measure(node)).collect();
        wiring
    }

    fn switch(&self, node: u32) -> usize {
        (node - self.hosts) as usize
    }

    fn is_host(&self, node: u32) -> bool {
        node < self.hosts
    }

    fn measure(&self, target: u32) -> Vec<u32> {
        let mut distances = vec![u32::MAX; self.nodes as usize];
        distances[target as usize] = 0;
        let mut reached = VecDeque::from([target]);
        while let Some(node) = reached.pop_front() {
            for link in &self.ports[node as usize] {
                let to = self.links[*link as usize].to;
                if distances[to as usize] == u32::MAX {
                    distances[to as usize] = distances[node as usize] + 1;
                    reached.push_back(to);
                }
            }
        }
        distances
    }
}

/// A control cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Cell {
    pub name: Name,
    pub slot: u8,
    pub message: Message,
}

/// What has become of a flow, at its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Phase {
    Waiting,
    /// Its request has no answer.
    Asked(Attempt),
    /// Cells leave.
    Sending(Attempt),
    /// Its source knows that all has come.
    Done,
    /// Its source has been refused as often as it asks.
    Told,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Attempt {
    pub name: Name,
    pub to: Place,
    /// A control cell of it was lost, so that it may wait for ever.
    pub is_stuck: bool,
    /// Its first cells came too early somewhere, and the destination said so.
    pub began_again: bool,
    /// Its first chunk has come.
    pub is_half: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Flow {
    pub phase: Phase,
    pub attempts: u8,
    /// The links to another container were full: it goes over a third.
    pub is_turned_away: bool,
    /// All its data is at the destination.
    pub has_come: bool,
}

/// What may still go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Faults {
    /// Control cells lost to wrong bits.
    pub losses: u8,
    /// Cables that break.
    pub cables: u8,
    /// Switches or NICs that stop.
    pub nodes: u8,
    /// Broken things that are repaired.
    pub repairs: u8,
}

/// A way in which the protocol could be wrong, to see whether the checker finds out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// As it is.
    Nothing,
    /// A circuit that was closed while it was asked for keeps its slot at the output.
    UnwantedStays,
    /// Refusals and ends go no further than one node back.
    NoReverse,
    /// Only the node before a broken link tears down.
    OneEnd,
    /// Requests get slots of broken links.
    BlindOutput,
    /// Nobody notices that the end of a circuit was lost.
    NoNotice,
    /// Sources wait for answers for ever.
    NoPatience,
    /// Nodes pass cells on before the next one has acknowledged.
    NoFirstCells,
}

/// What is checked.
pub(crate) struct Checked {
    pub wiring: Wiring,
    /// Slots of each link.
    pub slots: u32,
    /// Circuits that may end at a NIC.
    pub ending: u32,
    /// From where to where.
    pub flows: Vec<[u32; 2]>,
    /// How often each asks.
    pub attempts: u8,
    pub faults: Faults,
    pub broken: Broken,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub nics: Vec<Nic>,
    pub switches: Vec<Switch>,
    /// By link, in the order in which they left.
    pub cells: Vec<VecDeque<Cell>>,
    /// On rings. They may come in any order: urgent ones overtake others.
    pub turns: Vec<(u32, Turn)>,
    /// Ends of circuits that were lost on a link, of which the node there will learn by itself.
    pub missed: Vec<(u32, Cell)>,
    pub works: Vec<bool>,
    /// Circuits and links: the node there takes its cells.
    pub open: BTreeSet<(Name, u32)>,
    pub flows: Vec<Flow>,
    pub faults: Faults,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    /// A flow asks for a circuit.
    Ask(usize),
    /// The first control cell of a link comes.
    Arrive(u32),
    /// Something on a ring is where it goes.
    Turn(u32, Turn),
    /// A chunk of a flow comes.
    Data(usize),
    /// The first cell of a flow came to a node that did not take it yet.
    Early(usize),
    /// A node learns late that a circuit has ended.
    Notice(u32, Cell),
    /// A source waits no longer.
    GiveUp(usize),
    /// The first control cell of a link is lost.
    Lose(u32),
    /// A cable breaks, by the first of its links.
    Break(u32),
    /// All cables of a node break.
    Stop(u32),
    /// A cable works again.
    Repair(u32),
}

/// Where a flow's next cell of data would come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// To this NIC, at this place.
    At(u32, Place),
    /// Nowhere: somebody discards it.
    Nowhere,
    /// To a node that takes it for another circuit's.
    Wrong,
}

impl Checked {
    pub(crate) fn first_state(&self) -> State {
        let wiring = &self.wiring;
        let slots = |node: u32| vec![self.slots; wiring.ports[node as usize].len()];
        let flow = Flow { phase: Phase::Waiting, attempts: self.attempts, is_turned_away: false, has_come: false };
        State {
            nics: (0..wiring.hosts).map(|host| Nic::new(slots(host), self.ending)).collect(),
            switches: (wiring.hosts..wiring.nodes).map(|node| Switch::new(&slots(node))).collect(),
            cells: vec![VecDeque::new(); wiring.links.len()],
            turns: Vec::new(),
            missed: Vec::new(),
            works: vec![true; wiring.links.len()],
            open: BTreeSet::new(),
            flows: vec![flow; self.flows.len()],
            faults: self.faults,
        }
    }

    /// The port over which a request leaves a node.
    fn port(&self, state: &State, node: u32, goal: &Goal) -> Result<u8, Reason> {
        let target = goal.via.map_or(goal.destination, |via| self.wiring.hosts + u32::from(via));
        let distances = &self.wiring.distances[target as usize];
        let nearer = |link: &&u32| {
            let to = self.wiring.links[**link as usize].to;
            distances[to as usize] < distances[node as usize] && state.works[**link as usize]
        };
        let link = self.wiring.ports[node as usize].iter().find(nearer).ok_or(Reason::Broken)?;
        Ok(self.wiring.links[*link as usize].from_port)
    }

    /// The slot in which a request leaves a NIC.
    fn choose(&self, state: &State, host: u32, nic: &Nic, goal: &Goal) -> Result<Place, Reason> {
        if goal.destination == host {
            return Ok(Place::HERE);
        }
        let port = self.port(state, host, goal)?;
        nic.free(port).least().map(|slot| Place { port, slot }).ok_or(Reason::Full)
    }

    /// A node hears of the circuit in this slot.
    fn hear(&self, state: &mut State, node: u32, place: Place, name: Name, message: Message) {
        let mut effects = Vec::new();
        if self.wiring.is_host(node) {
            let mut nic = state.nics[node as usize].clone();
            nic.hear(place, name, message, |nic, goal| self.choose(state, node, nic, goal), &mut effects);
            state.nics[node as usize] = nic;
        } else {
            let output = |goal: &Goal| {
                let here = (node - self.wiring.hosts) as u16;
                let goal = Goal { via: goal.via.filter(|via| *via != here), ..*goal };
                let port = self.port(state, node, &goal).ok()?;
                let next = self.wiring.links[self.wiring.ports[node as usize][usize::from(port)] as usize].to;
                let full = if self.wiring.is_host(next) { Reason::Full } else { Reason::Between };
                Some(Way { port, goal, full })
            };
            let mut switch = state.switches[self.wiring.switch(node)].clone();
            switch.hear(place, name, message, output, &mut effects);
            state.switches[self.wiring.switch(node)] = switch;
        }
        if self.broken == Broken::NoReverse && self.wiring.is_host(node) {
            effects
                .retain(|effect| !matches!(effect, Effect::Tell(_, _, Message::TearDown(_))) || message.is_forward());
        }
        self.carry_out(state, node, &effects);
    }

    fn turn(&self, state: &mut State, switch: u32, turn: Turn) {
        let mut effects = Vec::new();
        let node = self.wiring.hosts + switch;
        let works = |port: u8| {
            let link = self.wiring.ports[node as usize][usize::from(port)];
            state.works[link as usize] || self.broken == Broken::BlindOutput
        };
        let mut own = state.switches[switch as usize].clone();
        own.turn(turn, works, &mut effects);
        state.switches[switch as usize] = own;
        match (self.broken, turn) {
            (Broken::UnwantedStays, Turn::Answer(..)) => {
                effects.retain(|effect| !matches!(effect, Effect::Ring(_, Turn::Close(..))));
            }
            (Broken::NoReverse, Turn::Back(..)) => {
                effects.retain(|effect| !matches!(effect, Effect::Tell(_, _, Message::TearDown(_))));
            }
            _ => {}
        }
        self.carry_out(state, node, &effects);
    }

    fn tell(&self, state: &mut State, node: u32, name: Name, place: Place, message: Message) {
        let link = self.wiring.ports[node as usize][usize::from(place.port)];
        if state.works[link as usize] {
            state.cells[link as usize].push_back(Cell { name, slot: place.slot, message });
        }
    }

    fn carry_out(&self, state: &mut State, node: u32, effects: &[Effect]) {
        let link = |place: Place| self.wiring.ports[node as usize][usize::from(place.port)];
        for effect in effects {
            match *effect {
                Effect::Tell(name, place, message) => self.tell(state, node, name, place, message),
                Effect::Leave(name, place) => {
                    state.open.remove(&(name, link(place)));
                }
                Effect::Open(name, place) => {
                    state.open.insert((name, link(place)));
                }
                Effect::Source(name, message) => Checked::at_source(state, name, message),
                Effect::Ring(_, turn) => state.turns.push((node - self.wiring.hosts, turn)),
                Effect::Join(..) | Effect::Accept(_) => {}
            }
        }
    }

    /// A source hears of its circuit.
    fn at_source(state: &mut State, name: Name, message: Message) {
        let flow = &mut state.flows[name.circuit as usize];
        let (Phase::Asked(attempt) | Phase::Sending(attempt)) = flow.phase else { return };
        if attempt.name != name {
            return;
        }
        match message {
            Message::Ack => flow.phase = Phase::Sending(attempt),
            Message::TearDown(Reason::Done) => flow.phase = Phase::Done,
            Message::TearDown(reason) => {
                flow.is_turned_away |= reason == Reason::Between;
                flow.refuse();
            }
            // The next chunk, or the first again: the checker's data comes whenever it can.
            Message::DataAck { .. } | Message::Restart => {}
            Message::SetUp(_) | Message::Close => unreachable!("these go with the data"),
        }
    }

    /// The circuit in a slot of a link, at the node that the link leads to, and where it goes on.
    fn taken(&self, state: &State, link: &Link, slot: u8) -> Option<(Name, Option<Place>)> {
        let place = Place { port: link.to_port, slot };
        if self.wiring.is_host(link.to) {
            let entry = state.nics[link.to as usize].tables(link.to_port)[0].get(slot)?;
            return Some((entry.name, Some(entry.other)));
        }
        let switch = &state.switches[self.wiring.switch(link.to)];
        let (_, name) = switch.incoming(link.to_port).find(|(own, _)| *own == slot)?;
        Some((name, switch.after(name, place)))
    }

    /// Where a cell comes that a source sends, as the slots have it: nodes see slots and not names.
    pub(crate) fn walk(&self, state: &State, source: u32, attempt: &Attempt) -> End {
        let (mut node, mut to, mut name) = (source, attempt.to, attempt.name);
        // A cell that goes around would be a wrong one, too.
        for _ in 0..=self.wiring.nodes {
            let number = self.wiring.ports[node as usize][usize::from(to.port)];
            let link = &self.wiring.links[number as usize];
            let is_open = state.open.contains(&(name, number)) || self.broken == Broken::NoFirstCells;
            if !state.works[number as usize] || !is_open {
                return End::Nowhere;
            }
            let Some((own, next)) = self.taken(state, link, to.slot) else { return End::Nowhere };
            let Some(next) = next else { return End::Nowhere };
            if next == Place::HERE {
                let place = Place { port: link.to_port, slot: to.slot };
                return if own == attempt.name { End::At(link.to, place) } else { End::Wrong };
            }
            (node, to, name) = (link.to, next, own);
        }
        End::Wrong
    }

    /// Whether anything of a circuit is between nodes.
    fn is_on_its_way(state: &State, name: Name) -> bool {
        let turn = |turn: &Turn| match turn {
            Turn::Request(request) | Turn::Answer(request, _) => request.name == name,
            Turn::Close(own, _) | Turn::Back(own, ..) => *own == name,
        };
        state.cells.iter().flatten().any(|cell| cell.name == name)
            || state.turns.iter().any(|(_, own)| turn(own))
            || state.missed.iter().any(|(_, cell)| cell.name == name)
    }

    /// What can happen without anything going wrong.
    pub(crate) fn progress(&self, state: &State, actions: &mut Vec<Action>) {
        for (number, (flow, [source, _])) in state.flows.iter().zip(&self.flows).enumerate() {
            match flow.phase {
                Phase::Waiting => {
                    let choice = self.choose(state, *source, &state.nics[*source as usize], &self.goal(number, flow));
                    if choice != Err(Reason::Full) {
                        actions.push(Action::Ask(number));
                    }
                }
                Phase::Asked(attempt) => {
                    if attempt.is_stuck && self.broken != Broken::NoPatience {
                        actions.push(Action::GiveUp(number));
                    }
                }
                Phase::Sending(attempt) => {
                    let end = self.walk(state, *source, &attempt);
                    let is_lost = end == End::Nowhere && !Checked::is_on_its_way(state, attempt.name);
                    if matches!(end, End::At(..)) {
                        actions.push(Action::Data(number));
                    } else if !attempt.began_again && self.end_of(state, number, attempt.name).is_some() {
                        actions.push(Action::Early(number));
                    }
                    if (attempt.is_stuck || is_lost) && self.broken != Broken::NoPatience {
                        actions.push(Action::GiveUp(number));
                    }
                }
                Phase::Done | Phase::Told => {}
            }
        }
        let busy = (0..).zip(&state.cells).filter(|(_, cells)| !cells.is_empty());
        actions.extend(busy.map(|(link, _)| Action::Arrive(link)));
        actions.extend(state.turns.iter().map(|(switch, turn)| Action::Turn(*switch, *turn)));
        if self.broken != Broken::NoNotice {
            actions.extend(state.missed.iter().map(|(link, cell)| Action::Notice(*link, *cell)));
        }
    }

    pub(crate) fn mishaps(&self, state: &State, actions: &mut Vec<Action>) {
        let faults = state.faults;
        if faults.losses > 0 {
            let busy = (0..).zip(&state.cells).filter(|(_, cells)| !cells.is_empty());
            actions.extend(busy.map(|(link, _)| Action::Lose(link)));
        }
        let cables = || (0..state.works.len() as u32).step_by(2);
        if faults.cables > 0 {
            actions.extend(cables().filter(|link| state.works[*link as usize]).map(Action::Break));
        }
        if faults.nodes > 0 {
            actions.extend((0..self.wiring.nodes).map(Action::Stop));
        }
        if faults.repairs > 0 {
            actions.extend(cables().filter(|link| !state.works[*link as usize]).map(Action::Repair));
        }
    }

    /// Where a flow's request goes.
    pub(crate) fn goal(&self, number: usize, flow: &Flow) -> Goal {
        let [source, destination] = self.flows[number];
        let home = |host: u32| {
            let distances = &self.wiring.distances[host as usize];
            (0..self.wiring.nodes - self.wiring.hosts)
                .min_by_key(|switch| distances[(self.wiring.hosts + switch) as usize])
        };
        let third = (0..self.wiring.nodes - self.wiring.hosts)
            .find(|switch| Some(*switch) != home(source) && Some(*switch) != home(destination));
        let via = third.filter(|_| flow.is_turned_away).map(|switch| switch as u16);
        Goal { destination, exit: 0, via }
    }

    /// Where a circuit comes in at its destination.
    fn end_of(&self, state: &State, number: usize, name: Name) -> Option<Place> {
        let host = self.flows[number][1];
        let nic = &state.nics[host as usize];
        (0..self.wiring.ports[host as usize].len() as u8)
            .flat_map(|port| nic.tables(port)[0].all().map(move |(slot, entry)| (Place { port, slot }, entry)))
            .find(|(_, entry)| entry.name == name && entry.other == Place::HERE)
            .map(|(place, _)| place)
    }

    fn break_links(&self, state: &mut State, links: &[u32]) {
        for link in links {
            state.works[*link as usize] = false;
            state.cells[*link as usize].clear();
            state.missed.retain(|(own, _)| own != link);
        }
        for number in links {
            let link = self.wiring.links[*number as usize];
            let outgoing: Vec<(u8, Name)> = self.outgoing(state, &link).collect();
            let incoming: Vec<(u8, Name)> = self.incoming(state, &link).collect();
            for (slot, name) in outgoing {
                let place = Place { port: link.from_port, slot };
                self.hear(state, link.from, place, name, Message::TearDown(Reason::Broken));
            }
            for (slot, name) in incoming.into_iter().filter(|_| self.broken != Broken::OneEnd) {
                self.hear(state, link.to, Place { port: link.to_port, slot }, name, Message::Close);
            }
        }
    }

    /// Circuits in slots of a link, as the node before it has them.
    pub(crate) fn outgoing<'a>(&self, state: &'a State, link: &Link) -> impl Iterator<Item = (u8, Name)> + use<'a> {
        let table = match self.wiring.is_host(link.from) {
            true => &state.nics[link.from as usize].tables(link.from_port)[1],
            false => state.switches[self.wiring.switch(link.from)].output(link.from_port),
        };
        table.all().map(|(slot, entry)| (slot, entry.name))
    }

    /// The same as the node after it has them.
    pub(crate) fn incoming<'a>(&self, state: &'a State, link: &Link) -> Box<dyn Iterator<Item = (u8, Name)> + 'a> {
        match self.wiring.is_host(link.to) {
            true => {
                let table = &state.nics[link.to as usize].tables(link.to_port)[0];
                Box::new(table.all().map(|(slot, entry)| (slot, entry.name)))
            }
            false => Box::new(state.switches[self.wiring.switch(link.to)].incoming(link.to_port)),
        }
    }

    pub(crate) fn step(&self, before: &State, action: Action) -> State {
        let mut state = before.clone();
        match action {
            Action::Ask(number) => self.ask(&mut state, number),
            Action::Arrive(link) => {
                if let Some(cell) = state.cells[link as usize].pop_front() {
                    self.arrive(&mut state, link, cell);
                }
            }
            Action::Turn(switch, turn) => {
                let at = state.turns.iter().position(|own| *own == (switch, turn)).expect("it is on the ring");
                state.turns.remove(at);
                self.turn(&mut state, switch, turn);
            }
            Action::Data(number) => self.data(&mut state, number),
            Action::Early(number) => {
                let flow = &mut state.flows[number];
                if let Phase::Sending(attempt) = &mut flow.phase {
                    attempt.began_again = true;
                    let name = attempt.name;
                    if let Some(place) = self.end_of(&state, number, name) {
                        self.tell(&mut state, self.flows[number][1], name, place, Message::Restart);
                    }
                }
            }
            Action::Notice(link, cell) => {
                state.missed.retain(|own| *own != (link, cell));
                self.arrive(&mut state, link, cell);
            }
            Action::GiveUp(number) => self.give_up(&mut state, number),
            Action::Lose(link) => {
                state.faults.losses -= 1;
                if let Some(cell) = state.cells[link as usize].pop_front() {
                    Checked::lose(&mut state, link, cell);
                }
            }
            Action::Break(link) => {
                state.faults.cables -= 1;
                self.break_links(&mut state, &[link, link + 1]);
            }
            Action::Stop(node) => {
                state.faults.nodes -= 1;
                let touches = |link: &u32| {
                    let Link { from, to, .. } = self.wiring.links[*link as usize];
                    from == node || to == node
                };
                let links: Vec<u32> = (0..state.works.len() as u32).filter(touches).collect();
                self.break_links(&mut state, &links);
            }
            Action::Repair(link) => {
                state.faults.repairs -= 1;
                state.works[link as usize] = true;
                state.works[link as usize + 1] = true;
            }
        }
        state.turns.sort_unstable();
        state.missed.sort_unstable();
        state
    }

    fn arrive(&self, state: &mut State, link: u32, cell: Cell) {
        let Link { to, to_port, .. } = self.wiring.links[link as usize];
        self.hear(state, to, Place { port: to_port, slot: cell.slot }, cell.name, cell.message);
    }

    fn ask(&self, state: &mut State, number: usize) {
        let source = self.flows[number][0];
        let goal = self.goal(number, &state.flows[number]);
        let choice = self.choose(state, source, &state.nics[source as usize], &goal);
        let flow = &mut state.flows[number];
        let Ok(to) = choice else { return flow.refuse() };
        let name = Name { circuit: number as u32, attempt: u32::from(self.attempts - flow.attempts) };
        let attempt = Attempt { name, to, is_stuck: false, began_again: false, is_half: false };
        flow.phase = Phase::Asked(attempt);
        state.nics[source as usize].begin(name, to);
        self.tell(state, source, name, to, Message::SetUp(goal));
    }

    /// A chunk comes, the first or the last: the destination acknowledges it, or ends the circuit.
    fn data(&self, state: &mut State, number: usize) {
        let [source, _] = self.flows[number];
        let Phase::Sending(mut attempt) = state.flows[number].phase else { return };
        let End::At(host, place) = self.walk(state, source, &attempt) else { return };
        if attempt.is_half {
            if state.nics[host as usize].finish(attempt.name, place) {
                state.flows[number].has_come = true;
                self.tell(state, host, attempt.name, place, Message::TearDown(Reason::Done));
            }
        } else {
            attempt.is_half = true;
            state.flows[number].phase = Phase::Sending(attempt);
            self.tell(state, host, attempt.name, place, Message::DataAck { chunk: 0 });
        }
    }

    fn give_up(&self, state: &mut State, number: usize) {
        let (Phase::Asked(attempt) | Phase::Sending(attempt)) = state.flows[number].phase else { return };
        let source = self.flows[number][0];
        if state.nics[source as usize].give_up(attempt.name, attempt.to) {
            let link = self.wiring.ports[source as usize][usize::from(attempt.to.port)];
            state.open.remove(&(attempt.name, link));
            self.tell(state, source, attempt.name, attempt.to, Message::Close);
        }
        state.flows[number].refuse();
    }

    /// A wrong bit is in a control cell. Of the end of a circuit the node there learns by itself; all else its source misses.
    fn lose(state: &mut State, link: u32, cell: Cell) {
        if matches!(cell.message, Message::Close | Message::TearDown(_)) {
            state.missed.push((link, cell));
        }
        if let Phase::Asked(attempt) | Phase::Sending(attempt) = &mut state.flows[cell.name.circuit as usize].phase
            && attempt.name == cell.name
            && cell.message != Message::Close
        {
            attempt.is_stuck = true;
        }
    }
}

impl Flow {
    /// It asks again, if it has not asked often enough.
    fn refuse(&mut self) {
        self.attempts -= 1;
        self.phase = if self.attempts > 0 { Phase::Waiting } else { Phase::Told };
    }
}
