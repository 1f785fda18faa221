//! Checks of what an observer is shown.

use super::networks::{Traffic, Trial};
use crate::{Frame, Network, Observer, Seen, What};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use units::Time;

/// What was shown, summed up. Clones share it, for networks that are made of several.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    sums: Rc<RefCell<Sums>>,
}

/// The sums of a [`Tally`]. Frames of a fabric's own, between no two hosts, are not in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sums {
    /// Frames, by flow and number: how often they joined a queue. There may be no room for one at the first.
    pub queued: BTreeMap<(u32, u64), u32>,
    /// Frames that came over a link and went on.
    pub arrived: u64,
    /// Frames that reached their host.
    pub delivered: u64,
    /// Frames for which there was no room.
    pub dropped: u64,
    /// Frames that were lost.
    pub lost: u64,
    /// Frames that were marked.
    pub marked: u64,
    /// Cells that joined a queue or left a node, and those that came somewhere.
    pub cells: [u64; 2],
    /// Credits.
    pub credits: u64,
    /// Pauses and ends of pauses.
    pub pauses: [u64; 2],
    /// Slots.
    pub slots: u64,
    /// Circuits that were made, and that ended.
    pub circuits: [u64; 2],
    last: Time,
}

impl Tally {
    /// What was shown so far.
    pub fn sums(&self) -> Sums {
        self.sums.borrow().clone()
    }
}

impl Observer for Tally {
    fn see(&mut self, now: Time, seen: Seen<'_>) {
        let mut sums = self.sums.borrow_mut();
        assert!(now >= sums.last, "what happens is shown in order: at {now}, after {}", sums.last);
        sums.last = now;
        match seen {
            Seen::Frame { frame, .. } if frame.dst == Frame::NO_HOST => {}
            Seen::Frame { frame, what, .. } => {
                let queued = sums.queued.get(&(frame.flow, frame.sequence)).copied().unwrap_or(0);
                match what {
                    What::Queued { leaves } => {
                        assert!(leaves.is_none_or(|leaves| leaves >= now), "nothing has left before it came");
                        sums.queued.insert((frame.flow, frame.sequence), queued + 1);
                    }
                    What::Arrived => sums.arrived += 1,
                    What::Marked => sums.marked += 1,
                    What::Dropped | What::Lost => {
                        sums.queued.insert((frame.flow, frame.sequence), queued);
                        if what == What::Dropped {
                            sums.dropped += 1;
                        } else {
                            sums.lost += 1;
                        }
                    }
                    What::Delivered => {
                        assert!(queued > 0, "a frame is delivered that joined no queue: {frame:?}");
                        sums.delivered += 1;
                    }
                    What::Left { end } => assert!(end >= now, "nothing has left before it begins to"),
                    What::Trimmed { .. } | What::Returned => {}
                }
            }
            Seen::Cell { what, .. } => match what {
                What::Queued { .. } | What::Left { .. } => sums.cells[0] += 1,
                What::Arrived => sums.cells[1] += 1,
                What::Marked | What::Trimmed { .. } | What::Returned | What::Dropped | What::Lost | What::Delivered => {
                }
            },
            Seen::Credit { .. } => sums.credits += 1,
            Seen::Pause { pauses, .. } => sums.pauses[usize::from(!pauses)] += 1,
            Seen::Slot { .. } => sums.slots += 1,
            Seen::Circuit { made, .. } => sums.circuits[usize::from(!made)] += 1,
            Seen::Window { .. } => {}
        }
    }
}

/// Sends traffic through a network and checks that its observer, of whose clones this is one, is shown all of it: every frame that is offered
/// joins a queue or finds no room, and as many are delivered, dropped and lost as the network counts.
///
/// # Panics
/// If something is missing.
pub fn observed<N: Network<Observer = Tally>>(network: N, tally: &Tally, traffic: Traffic) -> Sums {
    let mut trial = Trial::new(network, traffic, None);
    trial.send_all();
    let (totals, sums) = (trial.network.totals(), tally.sums());
    let shown = [sums.queued.len() as u64, sums.delivered, sums.dropped, sums.lost];
    assert_eq!(
        shown,
        [totals.offered, totals.delivered, totals.dropped, totals.lost],
        "offered, delivered, dropped, lost"
    );
    sums
}
