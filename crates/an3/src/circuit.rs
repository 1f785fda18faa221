//! A circuit as the simulator sees it: when its cells pass where, computed and not queued, since each has the same slot of every frame on each link.

use crate::message::Name;
use crate::network::Measure;
use std::collections::VecDeque;
use units::{Span, Time};

/// What traffic it is (§8.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Within an L0 network.
    Local,
    /// To another L0 network of the container.
    Container,
    /// To another container.
    Across,
    /// To another container over a third.
    Via,
}

impl Kind {
    /// All of them, in their order.
    pub(crate) const ALL: [Kind; 4] = [Kind::Local, Kind::Container, Kind::Across, Kind::Via];

    pub(crate) fn name_of(self, measure: Measure) -> &'static str {
        use Measure::{EndMark, FirstMark, SetUpAck, Waiting};
        match (self, measure) {
            (Kind::Local, SetUpAck) => "set-up ACK, local",
            (Kind::Container, SetUpAck) => "set-up ACK, same container",
            (Kind::Across, SetUpAck) => "set-up ACK, cross-container",
            (Kind::Via, SetUpAck) => "set-up ACK, VLB",
            (Kind::Local, FirstMark) => "FirstMark, local",
            (Kind::Container, FirstMark) => "FirstMark, same container",
            (Kind::Across, FirstMark) => "FirstMark, cross-container",
            (Kind::Via, FirstMark) => "FirstMark, VLB",
            (Kind::Local, EndMark) => "EndMark, local",
            (Kind::Container, EndMark) => "EndMark, same container",
            (Kind::Across, EndMark) => "EndMark, cross-container",
            (Kind::Via, EndMark) => "EndMark, VLB",
            (Kind::Local, Waiting) => "waiting time, local",
            (Kind::Container, Waiting) => "waiting time, same container",
            (Kind::Across, Waiting) => "waiting time, cross-container",
            (Kind::Via, Waiting) => "waiting time, VLB",
        }
    }
}

/// A link of its path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hop {
    pub link: u32,
    pub slot: u8,
    /// From when a cell leaves its source until it leaves over this link.
    pub offset: Span,
    /// From when on the next node takes its cells: it has acknowledged.
    pub open: Time,
    /// Cells that leave from then on are lost: the link broke.
    pub cut: Time,
    /// When it gave its slot back: what would leave from then on is discarded.
    pub over: Time,
    /// What it sent there is among what the link has carried.
    pub is_counted: bool,
}

impl Hop {
    /// The first link of a path, on which cells leave their source.
    pub(crate) fn first(link: u32, slot: u8) -> Hop {
        let never = Time::from_ps(u64::MAX);
        Hop { link, slot, offset: Span::ZERO, open: never, cut: never, over: never, is_counted: false }
    }
}

/// A chunk and its mark, one cell a frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Burst {
    pub serial: u32,
    pub chunk: u32,
    /// When its first cell leaves its source.
    pub first: Time,
    /// Its mark among them.
    pub cells: u32,
    /// Its mark leaves, or has left.
    pub is_sent: bool,
    /// The mark says that nothing follows.
    pub is_last: bool,
}

/// A circuit, from its request until nothing of it is anywhere.
#[derive(Debug, Clone)]
pub(crate) struct Circuit {
    pub name: Name,
    pub connection: u32,
    pub lane: u8,
    pub kind: Kind,
    /// A time at which a slot of its source begins; others are whole frames away.
    pub start: Time,
    pub hops: Vec<Hop>,
    pub asked: Time,
    pub acknowledged: Option<Time>,
    /// When its last cell left.
    pub ended: Time,
    /// From when a cell leaves its source until all of it is at the destination, once that has accepted it.
    pub passage: Option<Span>,
    /// Chunks on their way, in their order.
    pub bursts: VecDeque<Burst>,
    /// Cells of those that are not.
    pub past: u64,
    /// Chunks that it sent and of which its source does not know whether they came; and the last of all, once its mark has said so.
    pub unacknowledged: Vec<u32>,
    pub last: Option<u32>,
    /// Its source has it.
    pub is_live: bool,
    /// It takes no further chunk.
    pub is_closing: bool,
    /// Its first cells were discarded on the way: the destination has said so, and takes none before the first cell comes again (§3.2).
    pub is_headless: bool,
    /// Its place is free.
    pub is_free: bool,
}

impl Circuit {
    /// One of which nothing is known, in whose place another begins.
    pub(crate) const EMPTY: Circuit = Circuit {
        name: Name { circuit: 0, attempt: 0 },
        connection: 0,
        lane: 0,
        kind: Kind::Local,
        start: Time::ZERO,
        hops: Vec::new(),
        asked: Time::ZERO,
        acknowledged: None,
        ended: Time::ZERO,
        passage: None,
        bursts: VecDeque::new(),
        past: 0,
        unacknowledged: Vec::new(),
        last: None,
        is_live: true,
        is_closing: false,
        is_headless: false,
        is_free: false,
    };

    /// Begins anew; what held its links and its chunks is kept for its memory.
    pub(crate) fn renew(&mut self) {
        let (mut hops, mut bursts) = (std::mem::take(&mut self.hops), std::mem::take(&mut self.bursts));
        let mut unacknowledged = std::mem::take(&mut self.unacknowledged);
        hops.clear();
        bursts.clear();
        unacknowledged.clear();
        *self = Circuit { hops, bursts, unacknowledged, ..Circuit::EMPTY };
    }

    /// Which of its links this is.
    pub(crate) fn hop(&self, link: u32) -> Option<usize> {
        self.hops.iter().position(|hop| hop.link == link)
    }

    /// Cells that have begun to leave over a link in which it has a slot.
    pub(crate) fn passed(&self, now: Time, link: u32, frame: Span) -> u64 {
        // Most requests are refused before anything was sent.
        if self.acknowledged.is_none() {
            return 0;
        }
        let Some(hop) = self.hops.iter().find(|hop| hop.link == link && !hop.is_counted) else { return 0 };
        let of = |burst: &Burst| {
            let first = burst.first + hop.offset;
            if first > now {
                return 0;
            }
            (now.since(first).as_ps() / frame.as_ps() + 1).min(burst.cells.into())
        };
        self.past + self.bursts.iter().map(of).sum::<u64>()
    }

    /// Where and when its next burst begins at the earliest, if it began at `now`.
    pub(crate) fn next_slot(&self, now: Time, frame: Span) -> Time {
        let (start, frame) = (self.start.as_ps(), frame.as_ps());
        let since = now.as_ps().saturating_sub(start);
        Time::from_ps(start + since.div_ceil(frame) * frame)
    }
}
