//! What is on its way between pods, as its host sees it (§3.4): kept until it has come, since a core switch that holds it may die.
//!
//! The paper leaves open what becomes of what a core switch holds then. Here a core switch tells the arbiters of the pod that a packet is from when all of its slot have come to their
//! hosts, and they tell the host ([`Receipt`]). If a core switch dies, or begins anew, its pods' arbiters tell all hosts, which send again whatever it had of theirs, over others; what has
//! come already is thrown away by who has it. Receipts can be lost, with an answer or an arbiter: after `core_patience` a host sends again without being told.

use crate::agent::Sent;
use crate::network::Fastpod;
use arbiter::Slot;
use fabric::Observer;
use std::collections::VecDeque;
use units::Time;

/// What is in a core switch, for as long as it is not known to have come to its hosts (§3.4): the switch may die.
#[derive(Debug, Clone)]
pub(crate) struct Crossing {
    pub sent: Sent,
    /// The slot in which it is sent again if nothing is heard of it.
    pub until: Slot,
}

/// What a host has sent to a core switch in a slot has come to hosts of other pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Receipt {
    /// The host, by its number in its pod.
    pub source: u16,
    /// The slot of its pod.
    pub slot: Slot,
    /// How many packets of that slot they are.
    pub packets: u8,
}

/// Receipts that fit into a request or an answer beside what else it says: more than one a slot, so that there are never more and more of them.
pub(crate) const RECEIPTS: usize = 2;

/// Receipts that an arbiter keeps for a host at most. Of one that is forgotten the host finds out by itself (`Fastpod::give_up_crossing`).
pub(crate) const MOST_RECEIPTS: usize = 1024;

impl<O: Observer> Fastpod<O> {
    /// What a host sent in a slot to another pod has come there.
    pub(crate) fn take_receipt(&mut self, now: Time, host: u16, receipt: Receipt) {
        let agent = &mut self.agents[usize::from(host)];
        let is_meant = |sent: &Sent| sent.slot == receipt.slot && sent.packets == receipt.packets;
        if let Some(place) = agent.crossing.iter().position(|crossing| is_meant(&crossing.sent))
            && let Some(crossing) = agent.crossing.remove(place)
        {
            self.forget(now, crossing.sent);
        } else if let Some(place) = agent.sent.iter().position(is_meant)
            && let Some(sent) = agent.sent.remove(place)
        {
            // It has not been told that the core switch got it.
            self.forget(now, sent);
        }
    }

    /// A core switch has lost all that it held, or may have: whatever is not known to have come is sent again. Whoever has it already throws it away.
    pub(crate) fn send_again_from(&mut self, now: Time, host: u16, core: u16) {
        let agent = &mut self.agents[usize::from(host)];
        let is_its = |sent: &Sent| sent.core == Some(core);
        let (lost, kept): (VecDeque<Crossing>, _) =
            std::mem::take(&mut agent.crossing).into_iter().partition(|crossing| is_its(&crossing.sent));
        // What it would say has come of what was sent last it never will.
        let (late, waiting): (VecDeque<Sent>, _) = std::mem::take(&mut agent.sent).into_iter().partition(is_its);
        (agent.crossing, agent.sent) = (kept, waiting);
        for sent in lost.into_iter().map(|crossing| crossing.sent).chain(late) {
            self.conclude(now, host, sent, false);
        }
    }

    /// What has been on its way to another pod for so long that it should have come is sent again: what told of it may have been lost.
    pub(crate) fn give_up_crossing(&mut self, now: Time, host: u16, slot: Slot) {
        while let Some(crossing) =
            self.agents[usize::from(host)].crossing.front().filter(|crossing| crossing.until <= slot)
        {
            debug_assert!(crossing.sent.core.is_some(), "it is for another pod");
            let Some(Crossing { sent, .. }) = self.agents[usize::from(host)].crossing.pop_front() else { return };
            self.conclude(now, host, sent, false);
        }
    }

    /// All that was sent in a slot is where it should be.
    pub(crate) fn forget(&mut self, now: Time, sent: Sent) {
        for (place, _) in sent.pieces {
            self.messages[place].copies -= 1;
            self.settle(now, place);
        }
    }
}
