//! When what happens, in closed form: how long requests and answers take (§3.1), how far ahead slots are handed out, and how long a packet takes (§3.3,
//! §5). What runs ([`Rig`](crate::Rig)) has its slots from here, with the cables of its topology; a plan has one length for all cables of a kind.

use crate::layout::Layout;
use units::Span;

/// Slots ahead for which hosts and arbiters have numbers.
pub const MOST_AHEAD: u64 = 63;

/// When slot 0 is where, for one host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leg {
    /// When the host begins to send.
    pub begins: Span,
    /// Its cable to its ToR switch.
    pub from_host: Span,
    /// When the slot's packets are at its ToR switch, ready to leave it to hosts.
    pub rack: Span,
    /// The cable from its ToR switch.
    pub to_host: Span,
}

/// What passes between a request and the slot that is given for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turnaround {
    /// When an arbiter has all requests of slot 0.
    pub requests: Span,
    /// From the slot whose requests an arbiter has to that in which hosts get the answers.
    pub answers: u64,
    /// From the slot whose requests an arbiter has to the first that it can still give.
    pub ahead: u64,
}

impl Turnaround {
    /// For hosts on these legs, slots of `slot`, a way of `control` from a ToR switch to an arbiter, and an arbiter that takes `latency` for a slot.
    pub fn new(legs: impl Iterator<Item = Leg> + Clone, control: Span, latency: Span, slot: Span) -> Turnaround {
        let heard = legs.clone().map(|leg| leg.begins + leg.from_host + control + slot).max();
        Turnaround::after(heard.unwrap_or(slot), legs, control, latency, slot)
    }

    /// The same, of an arbiter that has all `requests` of slot 0 by then.
    pub(crate) fn after(
        requests: Span,
        legs: impl Iterator<Item = Leg> + Clone,
        control: Span,
        latency: Span,
        slot: Span,
    ) -> Turnaround {
        let longest = |time: &dyn Fn(Leg) -> Span| legs.clone().map(time).max().unwrap_or(Span::ZERO);
        let slots = |time: Span| time.as_ps().div_ceil(slot.as_ps());
        // An answer has to leave the arbiter so much earlier than its ToR switch.
        let answers = slots(longest(&|leg| (requests + latency + control).saturating_sub(leg.rack)));
        let known = |leg: Leg| (leg.rack + slot * (answers + 1) + leg.to_host).saturating_sub(leg.begins);
        Turnaround { requests, answers, ahead: slots(longest(&known)).max(1) }
    }
}

/// A pod in which all cables of a kind are equally long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cables {
    /// From a host to its ToR switch.
    pub host: Span,
    /// From a ToR switch to an aggregation switch.
    pub rack: Span,
    /// From a ToR switch to an arbiter.
    pub arbiter: Span,
    /// Through a switch, which cuts through.
    pub switch: Span,
}

impl Cables {
    /// From a host to its arbiter, one way, beyond the length of the packet.
    pub fn control(&self) -> Span {
        self.host + self.switch + self.arbiter
    }

    /// From a host to any other, beyond the length of the packet: always over an aggregation switch (§5).
    pub fn passage(&self) -> Span {
        self.host * 2 + self.rack * 2 + self.switch * 3
    }

    /// From a host to a core switch over a cable of `core`, beyond the length of the packet.
    pub fn to_core(&self, core: Span) -> Span {
        self.host + self.rack + core + self.switch * 2
    }

    /// From a core switch to an arbiter of a pod, beyond the length of the packet: backpressure, and requests for what waits (§3.4).
    pub fn from_core(&self, core: Span) -> Span {
        core + self.rack + self.arbiter + self.switch * 2
    }

    /// Slots that pass from when a core switch says stop until nothing more comes of what its pods' arbiters gave before they knew: a slot until its next
    /// request, the way to the arbiter, a slot until that has all requests, and the way of the last packets.
    pub fn heard_by_core(&self, core: Span, slot: Span) -> u64 {
        (slot * 2 + self.from_core(core) + self.to_core(core)).as_ps().div_ceil(slot.as_ps())
    }

    /// Slots that a packet waits in a core switch at least until that is told when to send it on: as for [`Cables::heard_by_core`], and
    /// back, with an arbiter that takes `latency` for a slot.
    pub fn wait_in_core(&self, core: Span, latency: Span, slot: Span) -> u64 {
        (slot * 2 + self.from_core(core) * 2 + latency).as_ps().div_ceil(slot.as_ps())
    }

    /// Requests and answers.
    pub fn turnaround(&self, latency: Span, slot: Span) -> Turnaround {
        let Cables { host, rack, arbiter, switch } = *self;
        let leg = Leg { begins: Span::ZERO, from_host: host, rack: host + rack * 2 + switch * 3, to_host: host };
        Turnaround::new(std::iter::once(leg), switch + arbiter, latency, slot)
    }
}

/// How long the first packet of a message takes in a pod in which nothing else is sent, from when its host has it until all of it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Latency {
    /// Sent at once, without being scheduled.
    pub optimistic: Span,
    /// Scheduled: if the message comes right before the last request of a rack leaves, and is to a host that keeps no gap before the first packet.
    pub least: Span,
    /// On the average of hosts, and of the instants of a slot.
    pub mean: Span,
    /// If it comes right after the first request of a rack has left, and is to the first host of another.
    pub most: Span,
}

impl Latency {
    /// In such a pod, with these slots.
    pub fn new(cables: &Cables, layout: &Layout, ahead: u64) -> Latency {
        let optimistic = cables.passage() + layout.data;
        let scheduled = |sender, receiver| {
            let sent = layout.slot() * ahead + layout.packet(0, sender, receiver);
            sent.saturating_sub(layout.request(sender, None)) + optimistic
        };
        let last = layout.hosts - 1;
        // Requests lie at equal distances; one host of N keeps a gap before the first packet, for its request, and one for the receiver's answer.
        let sent = layout.slot() * ahead + layout.packet(0, last, last) + layout.gap() * 2 / u64::from(layout.hosts);
        let asked = (layout.request(0, None) + layout.request(last, None)) / 2;
        Latency {
            optimistic,
            least: scheduled(last, last),
            mean: sent.saturating_sub(asked) + optimistic + layout.slot() / 2,
            most: scheduled(0, 0) + layout.slot(),
        }
    }
}
