//! All nodes of a rack, slot by slot (§3.3): queues, release of local cells, feedback.
//!
//! Nodes move in lock-step, so their state is dense. An ordered pair `i -> j` has a number such that all pairs with the same
//! shift `j - i`, which send in the same slot, lie one after the other: a slot reads and writes memory from end to end. Only where a cell
//! goes to its next queue is anywhere. Pairs with nothing to send and nothing to say are left out.
//!
//! The paper's words and ours: `Q_ij` is `Lines`, `R_ij` the `ready` bits of pair `i -> j`, a bit for each of the flows that node
//! `i` has just now. Ready flows take turns, where the paper has a queue of their names: either way none has a second turn before
//! all others that are ready had one.
//!
//! A slot takes the fast path (`fast`) as long as there is one class and nothing has failed, or what has failed is known to all (`settled`),
//! and otherwise the general one (`slot`).

mod change;
#[cfg(debug_assertions)]
mod checks;
mod classes;
mod connections;
mod corruption;
mod counts;
mod failures;
mod fast;
mod flows;
mod line;
mod loss;
mod release;
mod settled;
mod slot;
mod sources;
#[cfg(test)]
mod tests;
mod trouble;
mod turns;

pub use counts::{Held, Sums};
pub use line::Cell;
pub use slot::Move;
pub use trouble::{Path, Recovery};

use crate::schedule::Schedule;
use classes::Classes;
use fast::Lists;
use flows::Flow;
use line::Lines;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slot::Answer;
use trouble::Trouble;
use turns::Turns;

/// Which local cells join which queue when: the latency optimisations of §3.3.3, without which it is Eqs. 1 to 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Release {
    /// At most one local cell in each queue; further ones wait in a ready queue, out of the way of others' cells (§3.3.3).
    pub ready_queue: bool,
    /// When a cell of the ready queue joins the queue itself, which §3.3.3 leaves open. Without a ready queue all cells join at once.
    pub refill: Refill,
    /// Cells of a flow that began n epochs ago go only into queues of up to 2^n cells (§3.3.3).
    pub age_rule: bool,
    /// How connections between the same two nodes share what these may send. To congestion control they are one flow (§3.3.2), which
    /// leaves open whose cell is next.
    pub connections: Sharing,
}

/// When a cell of the ready queue joins the queue itself, if no other local cell is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Refill {
    /// When the node is about to send from the queue. Until then cells of other nodes go first.
    AtTurn,
    /// As soon as the local cell before it has left.
    AtOnce,
}

/// How connections between the same two nodes share what these may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// They take turns cell by cell, and each is put in order for itself: a short message does not wait for a long one.
    TakeTurns,
    /// Packets go in the order in which hosts hand them over, and all are put in order together.
    InOrder,
}

impl Default for Release {
    fn default() -> Release {
        Release::PAPER
    }
}

impl Release {
    /// As in the paper. Where it leaves the choice, papers/shoal/README.md says why.
    pub const PAPER: Release =
        Release { ready_queue: true, age_rule: true, refill: Refill::AtTurn, connections: Sharing::TakeTurns };

    /// Whether local cells join queues between turns, too: without a ready queue they all do when Eq. 2 lets them.
    #[inline(always)]
    fn joins_at_once(self) -> bool {
        self.refill == Refill::AtOnce || !self.ready_queue
    }
}

/// What a node has for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet {
    /// Where it is.
    pub source: u16,
    /// Where it is to go.
    pub destination: u16,
    /// Its priority class, 0 first.
    pub class: u8,
    /// The connection it is of, among those between these two nodes.
    pub connection: u32,
    /// How many cells it takes.
    pub cells: u32,
    /// Where its frame is kept.
    pub frame: u32,
}

/// What came to its destination in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrived {
    /// Where it came from first.
    pub source: u16,
    /// Where it is.
    pub destination: u16,
    /// The place of the frame that is complete with it.
    pub frame: u32,
}

/// A cell on its way between two nodes, or an empty one with feedback.
#[derive(Debug, Clone, Copy)]
struct Flying {
    cell: Cell,
    /// The shift of the nodes.
    row: u16,
    to: u16,
    /// Feedback; [`NOTHING`], [`DROPPED`], or [`MISSING`] if there is no cell where one should be.
    feedback: u16,
    /// How many nodes the sender has reported as failed so far, modulo 2^16.
    news: u16,
}

/// The last cell that a node has from another, until it is answered.
#[derive(Debug, Clone, Copy)]
struct Got {
    /// Where it went from here, and in the upper bits its class; [`MINE`], [`DROPPED`] or [`NOTHING`].
    destination: u16,
    /// What Eq. 6 gave when it had joined; what is answered if it joined nothing.
    joined: u16,
}

impl Got {
    const NOTHING: Got = Got { destination: NOTHING, joined: NOTHING };

    /// Where a cell goes, with its class.
    #[inline(always)]
    fn destination(cell: Cell) -> u16 {
        cell.destination() | (cell.class() as u16) << 12
    }
    /// The node and the class of a destination.
    fn parts(destination: u16) -> (u16, usize) {
        (destination & 0xfff, usize::from(destination >> 12))
    }
}

/// Subflows of the flows of a node over one other, a bit each.
#[derive(Debug, Clone, Copy, Default)]
struct Bits {
    /// Not idle: what follows, or a cell is in a queue here or there, or its feedback is on its way.
    busy: u64,
    /// May send a cell (`R_ij`).
    ready: u64,
    /// Have feedback, and wait until enough epochs have passed (Eq. 2).
    waiting: u64,
}

/// Epochs of so many slots for which a pair keeps what it sent, if a cell may leave the next node so many slots later: those of two delays.
pub(crate) fn epochs_kept(delay: u64, epoch: u64) -> u64 {
    (2 * delay / epoch + 2).next_power_of_two()
}

/// A rack.
#[derive(Debug, Clone)]
pub struct Rack {
    nodes: u32,
    schedule: Schedule,
    release: Release,
    /// Slots from a cell's leaving until it may leave the next node.
    delay: u64,
    turns: Turns,
    /// How many ordered pairs there are.
    pairs: usize,
    classes: Classes,
    /// How it recovers from failures, and what is only there once something has failed.
    recovery: Option<Recovery>,
    trouble: Option<Box<Trouble>>,
    /// By pair, as all that follows, and what is of a class by class before: `Q_ij`, with what else is looked at when the pair sends; its
    /// length and that of `R_ij` together; what was sent, so many epochs back.
    queues: Lines,
    backlog: Vec<u16>,
    sent: Vec<Cell>,
    depth: u64,
    /// 64 flows of a node to a word, so many words.
    words: usize,
    /// By flow and pair: the epoch in which Eq. 2 would hold for an empty queue.
    keys: Vec<u16>,
    /// Pairs that have something to send or to say, a bit each.
    stirring: Vec<u64>,
    /// Nodes that have flows.
    active: Vec<u64>,
    /// By node and word: flows that have cells, and those that are young.
    has_data: Vec<u64>,
    young: Vec<u64>,
    /// By node and bit: the flow.
    slots: Vec<u32>,
    taken: Vec<u64>,
    held: Vec<Held>,
    /// Cells of a node's flows that are in no queue yet; those who had this many, and have fewer now.
    unsent: Vec<u64>,
    room: u64,
    drained: Vec<u16>,
    /// Cells in all queues, and cells that wait for their answer.
    queued: u64,
    unanswered: u64,
    /// Links inside that a pair's cells cross, two each, if they are counted; and the cells that crossed each.
    paths: Vec<[u16; 2]>,
    crossed: Vec<u64>,
    /// The slot, and its epoch.
    now: u64,
    epoch: u32,
    flows: Vec<Flow>,
    free_flows: Vec<u32>,
    /// By class, source and destination.
    flow_of: Vec<u32>,
    air: Vec<Vec<Flying>>,
    /// Room for answers that come together.
    answers: Vec<Answer>,
    lists: Option<Box<Lists>>,
    /// Room for flows of which a subflow has come to rest.
    resting: Vec<u32>,
    flying: u64,
    /// Since the measurement began.
    pub sums: Sums,
    /// Cells that have left their source's flow and have not come to their destination.
    #[cfg(debug_assertions)]
    inside: u64,
}

const NONE: u32 = u32::MAX;
/// No cell came, or it has been answered.
const NOTHING: u16 = u16::MAX;
/// The cell was for the node itself.
const MINE: u16 = u16::MAX - 1;
/// The cell was dropped, and is to be sent again (App. C, App. D).
const DROPPED: u16 = u16::MAX - 2;
/// No cell came where one should have.
const MISSING: u16 = u16::MAX - 3;

impl Rack {
    /// An idle rack. A cell that leaves in slot `n` may leave the next node in slot `n + delay`.
    ///
    /// # Panics
    /// If `delay` is 0, or nodes have been left out of the schedule.
    pub fn new(schedule: Schedule, delay: u32, release: Release) -> Rack {
        assert!(delay > 0, "a cell takes a slot at least");
        assert_eq!(schedule.living(), schedule.nodes(), "all nodes take part");
        let nodes = schedule.nodes();
        let pairs = (nodes as usize - 1) * nodes as usize;
        let depth = epochs_kept(delay.into(), schedule.epoch().into());
        let mut air = engine::room(delay as usize + 1);
        air.resize_with(delay as usize + 1, Vec::new);
        let mut rack = Rack {
            nodes,
            release,
            delay: u64::from(delay),
            turns: Turns::new(&schedule, delay),
            pairs,
            classes: Classes::default(),
            recovery: None,
            trouble: None,
            queues: Lines::new(pairs),
            backlog: engine::long_array(0, pairs + 1),
            sent: engine::long_array(Cell::NONE, pairs * depth as usize),
            depth,
            words: 0,
            keys: Vec::new(),
            stirring: vec![0; pairs.div_ceil(64) + 1],
            active: vec![0; (nodes as usize).div_ceil(64)],
            has_data: Vec::new(),
            young: Vec::new(),
            slots: Vec::new(),
            taken: Vec::new(),
            held: vec![Held::default(); nodes as usize],
            unsent: vec![0; nodes as usize],
            room: u64::MAX,
            drained: Vec::new(),
            queued: 0,
            unanswered: 0,
            paths: Vec::new(),
            crossed: Vec::new(),
            now: 0,
            epoch: 0,
            flows: Vec::new(),
            free_flows: Vec::new(),
            flow_of: engine::long_array(NONE, nodes as usize * nodes as usize),
            air,
            answers: Vec::new(),
            lists: None,
            resting: Vec::new(),
            flying: 0,
            sums: Sums::default(),
            #[cfg(debug_assertions)]
            inside: 0,
            schedule,
        };
        rack.widen();
        rack
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }
    /// Slots of an epoch.
    pub fn epoch(&self) -> u32 {
        self.schedule.epoch()
    }
    /// Who sends to whom when.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }
    /// Whether nothing is left to do.
    pub fn is_idle(&self) -> bool {
        let calm = self.trouble.as_ref().is_none_or(|trouble| trouble.is_over(self.now));
        calm && self.flying + self.queued + self.unanswered == 0 && self.active.iter().all(|nodes| *nodes == 0)
    }
    /// Cells that wait in `Q_ij`, of all classes.
    pub fn queue(&self, from: u16, to: u16) -> u32 {
        self.waiting(self.pair(from, to))
    }
    /// What a node's queues hold.
    pub fn held(&self, node: u16) -> Held {
        self.held[usize::from(node)]
    }
    /// Has cells counted on so many links inside, two of which those of each ordered pair of nodes cross.
    pub fn count_crossings(&mut self, links: usize, path: impl Fn(u16, u16) -> [u16; 2]) {
        self.paths = engine::long_array([0; 2], self.pairs);
        self.crossed.resize(links, 0);
        for from in 0..self.nodes as u16 {
            engine::look();
            for to in (0..self.nodes as u16).filter(|to| *to != from) {
                let pair = self.pair(from, to);
                self.paths[pair] = path(from, to);
            }
        }
    }
    /// Cells over a link inside since the measurement began.
    pub fn crossed(&self, link: usize) -> u64 {
        self.crossed[link]
    }
    /// Cells of a node's own flows that are in no queue yet.
    pub fn unsent(&self, node: u16) -> u64 {
        self.unsent[usize::from(node)]
    }
    /// Tells [`Rack::drained`] of nodes that have fewer than `cells` unsent.
    pub fn watch(&mut self, cells: u64) {
        self.room = cells;
    }
    /// Nodes that have come to have fewer unsent cells than [`Rack::watch`] says, since this was last asked.
    pub fn drained(&mut self) -> std::vec::Drain<'_, u16> {
        self.drained.drain(..)
    }
    /// Counters begin anew, at the beginning of slot `now`.
    pub fn begin_measurement(&mut self, now: u64) {
        self.sums = Sums::default();
        self.crossed.fill(0);
        for held in &mut self.held {
            held.restart(now);
        }
    }

    /// The shift of a pair.
    #[inline(always)]
    fn row(&self, from: u16, to: u16) -> usize {
        let (from, to) = (u32::from(from), u32::from(to));
        (if to > from { to - from } else { to + self.nodes - from }) as usize
    }
    #[inline(always)]
    fn pair(&self, from: u16, to: u16) -> usize {
        (self.row(from, to) - 1) * self.nodes as usize + usize::from(from)
    }

    /// Where a pair keeps what it sent in an epoch.
    #[inline(always)]
    fn entry(&self, pair: usize, epoch: u32) -> usize {
        (epoch as usize & (self.depth as usize - 1)) * self.pairs + pair
    }

    #[inline(always)]
    fn key(&self, pair: usize, word: usize, bit: u32) -> usize {
        (word * 64 + bit as usize) * self.pairs + pair
    }

    /// A pair of which the shift and the destination are known, and its source.
    #[inline(always)]
    fn pair_to(&self, row: u16, to: u16) -> (usize, u16) {
        let (row, to, nodes) = (usize::from(row), usize::from(to), self.nodes as usize);
        let from = if to >= row { to - row } else { to + nodes - row };
        ((row - 1) * nodes + from, from as u16)
    }

    /// The place of what a pair has for a class.
    #[inline(always)]
    fn at(&self, pair: usize, class: usize) -> usize {
        class * self.pairs + pair
    }

    /// The place of a flow's number.
    #[inline(always)]
    fn flow_key(&self, source: u16, destination: u16, class: usize) -> usize {
        (class * self.nodes as usize + usize::from(source)) * self.nodes as usize + usize::from(destination)
    }
}
