//! The time slot, and where in it everything goes (§3.2, §4; Figs. 3 and 4).
//!
//! With N hosts below each ToR a slot has N - 1 data packets, between which, and before and after which, are N gaps. A host sends its request in gap
//! i and leaves gap j empty for the answer that its receiver gets then, where i and j are its number and that of its receiver among the hosts
//! of their ToRs. Gaps that neither takes are not there. Three guard bands absorb what clocks are off: one for the slot, one for each of the two
//! gaps.

use units::{Bytes, Rate, Span};

/// The layout of a time slot. All offsets are from the slot's begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Hosts below each ToR: N.
    pub hosts: u32,
    /// Time that a data packet takes.
    pub data: Span,
    /// Time that a control packet takes: a request (RTS) or an answer (SCHD).
    pub control: Span,
    /// Each guard band. Clocks may be off by half of it.
    pub guard: Span,
}

/// Why there is no such slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// No data packet would fit.
    #[error(
        "a slot has one data packet less than there are hosts below a ToR, so there have to be at least 2, not {hosts}"
    )]
    Hosts {
        /// Hosts below a ToR.
        hosts: u32,
    },
    /// Requests of neighbouring gaps could meet.
    #[error(
        "two control packets and two guard bands last {controls}, more than a data packet ({data}), so that what fills neighbouring gaps could meet"
    )]
    TooShort {
        /// Two of each.
        controls: Span,
        /// A data packet.
        data: Span,
    },
}

impl Layout {
    /// The layout for packets of these lengths on the wire.
    ///
    /// # Errors
    /// [`LayoutError`] if it has room for no packet, or control packets could meet (§3.2: two of them are shorter than a data packet; here with their
    /// guard bands).
    pub fn new(hosts: u32, rate: Rate, packet: Bytes, control: Bytes, guard: Span) -> Result<Layout, LayoutError> {
        let layout = Layout { hosts, data: rate.time_for(packet), control: rate.time_for(control), guard };
        if hosts < 2 {
            return Err(LayoutError::Hosts { hosts });
        }
        let controls = Span::from_ps(layout.control.as_ps().saturating_add(guard.as_ps()).saturating_mul(2));
        if controls > layout.data {
            return Err(LayoutError::TooShort { controls, data: layout.data });
        }
        Ok(layout)
    }

    /// Data packets of a slot.
    pub fn packets(&self) -> u32 {
        self.hosts - 1
    }

    /// A gap that is kept: a control packet and its guard band.
    pub fn gap(&self) -> Span {
        self.control + self.guard
    }

    /// The whole slot.
    pub fn slot(&self) -> Span {
        self.data * u64::from(self.packets()) + self.gap() * 2 + self.guard
    }

    /// How far clocks may be off, either way, where paths are equally long: of two that meet, one may be early and the other late.
    pub fn absorbs(&self) -> Span {
        self.guard / 2
    }

    /// The guard band for clocks that are off by `clock_error` at most, either way, and paths whose lengths differ by `paths`.
    pub fn guard_for(clock_error: Span, paths: Span) -> Span {
        clock_error * 2 + paths
    }

    /// The largest guard band with which control packets of neighbouring gaps cannot meet (§3.2); none if they meet without any.
    pub fn largest_guard(rate: Rate, packet: Bytes, control: Bytes) -> Option<Span> {
        (rate.time_for(packet) / 2).as_ps().checked_sub(rate.time_for(control).as_ps()).map(Span::from_ps)
    }

    /// The share of a host's link that data packets can have.
    pub fn efficiency(&self) -> f64 {
        (self.data * u64::from(self.packets())).as_secs_f64() / self.slot().as_secs_f64()
    }

    /// When the host of number `sender` begins to send data packet `packet` (from 0) to a receiver of number `receiver`.
    #[inline]
    pub fn packet(&self, packet: u32, sender: u32, receiver: u32) -> Span {
        let gaps = u64::from(sender <= packet) + u64::from(receiver <= packet);
        self.lead() + self.data * u64::from(packet) + self.gap() * gaps
    }

    /// When the host of number `sender` begins to send its request, if it sends to a receiver of number `receiver` in this slot. Where both gaps are the same
    /// the request goes first.
    #[inline]
    pub fn request(&self, sender: u32, receiver: Option<u32>) -> Span {
        let gaps = u64::from(receiver.is_some_and(|receiver| receiver < sender));
        self.lead() * 2 + self.data * u64::from(sender) + self.gap() * gaps
    }

    /// When the answer to the host of number `receiver` begins to leave its ToR, if it gets packets from a sender of number `sender` in this slot; if it gets
    /// none that the arbiter knows of, at the later of the two times that there are, which leaves most room to packets that are not scheduled.
    #[inline]
    pub fn answer(&self, sender: Option<u32>, receiver: u32) -> Span {
        let gaps = u64::from(sender.is_none_or(|sender| sender <= receiver));
        self.lead() * 2 + self.data * u64::from(receiver) + self.gap() * gaps
    }

    /// A guard band lies on both sides of what it guards.
    fn lead(&self) -> Span {
        self.guard / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(guard: Span) -> Layout {
        Layout::new(4, Rate::from_gbps(100), Bytes::new(1500), Bytes::new(64), guard).unwrap()
    }

    #[test]
    fn the_slot_of_the_papers_pod() {
        let layout = pod(Span::ZERO);
        assert_eq!((layout.packets(), layout.data, layout.control), (3, Span::from_ps(120_000), Span::from_ps(5120)));
        assert_eq!(layout.slot(), Span::from_ps(3 * 120_000 + 2 * 5120));
        // Fig. 4, first case: the request of the second host goes after one packet, and the third gap is kept.
        let at = |packet| layout.packet(packet, 1, 2).as_ps();
        assert_eq!([at(0), at(1), at(2)], [0, 125_120, 250_240]);
        assert_eq!(layout.request(1, Some(2)), Span::from_ps(120_000));
        assert_eq!(layout.answer(Some(1), 2), Span::from_ps(245_120));
        // Second case: both in one gap, the request first.
        assert_eq!(layout.request(1, Some(1)), Span::from_ps(120_000));
        assert_eq!(layout.answer(Some(1), 1), Span::from_ps(125_120));
        assert_eq!(pod(Span::from_ns(10)).slot(), Span::from_ps(370_240 + 30_000));
    }

    /// Everything that a pair sends and that its receiver gets lies apart by the guard band; so do requests below one ToR, whoever they send to,
    /// and answers below one ToR, whoever sends to their hosts.
    #[test]
    fn nothing_overlaps_with_its_guard_bands() {
        for guard in [0, 1, 5, 50] {
            let layout = pod(Span::from_ns(guard));
            let (guard, half) = (Span::from_ns(guard), Span::from_ps(guard * 500));
            let apart = |mut all: Vec<(Span, Span)>, by: Span| {
                all.sort_unstable();
                all.windows(2).all(|pair| pair[0].0 + pair[0].1 + by <= pair[1].0)
            };
            for (sender, receiver) in (0..4).flat_map(|sender| (0..4).map(move |receiver| (sender, receiver))) {
                let packets = (0..3).map(|packet| (layout.packet(packet, sender, receiver), layout.data));
                let request = (layout.request(sender, Some(receiver)), layout.control);
                let answer = (layout.answer(Some(sender), receiver), layout.control);
                let all: Vec<_> = packets.chain([answer]).collect();
                assert!(all.iter().all(|(at, length)| *at >= half && *at + *length + half <= layout.slot()));
                assert!(apart(all.iter().copied().chain([request]).collect(), Span::ZERO), "{sender} to {receiver}");
                assert!(
                    all[..3]
                        .iter()
                        .all(|(at, length)| { *at + *length + half <= answer.0 || answer.0 + answer.1 + half <= *at })
                );
            }
            let others = || [None, Some(0), Some(1), Some(2), Some(3)];
            for (one, other) in (0..4).flat_map(|one| (0..4).map(move |other| (one, other))).filter(|(a, b)| a != b) {
                for (to, from) in others().into_iter().flat_map(|to| others().map(move |from| (to, from))) {
                    let requests =
                        vec![(layout.request(one, to), layout.control), (layout.request(other, from), layout.control)];
                    assert!(apart(requests, guard));
                    let answers =
                        vec![(layout.answer(to, one), layout.control), (layout.answer(from, other), layout.control)];
                    assert!(apart(answers, guard));
                }
            }
        }
    }

    #[test]
    fn guard_bands_and_the_clocks_that_they_are_for() {
        let (rate, packet, control) = (Rate::from_gbps(100), Bytes::new(1500), Bytes::new(64));
        let most = Layout::largest_guard(rate, packet, control).unwrap();
        assert_eq!(most, Span::from_ps(60_000 - 5120));
        let slot = |guard| Layout::new(4, rate, packet, control, guard);
        assert!(slot(most).is_ok() && slot(most + Span::from_ps(1)).is_err());
        assert_eq!(Layout::largest_guard(rate, packet, Bytes::new(751)), None);
        let guard = Layout::guard_for(Span::from_ns(5), Span::ZERO);
        assert_eq!((guard, slot(guard).unwrap().absorbs()), (Span::from_ns(10), Span::from_ns(5)));
    }

    #[test]
    fn what_is_no_slot_is_refused() {
        let refused = |hosts, guard| {
            Layout::new(hosts, Rate::from_gbps(100), Bytes::new(1500), Bytes::new(64), guard).unwrap_err().to_string()
        };
        assert!(refused(1, Span::ZERO).ends_with("so there have to be at least 2, not 1"));
        assert!(
            refused(4, Span::from_ns(60)).contains("more than a data packet (120 ns)"),
            "{}",
            refused(4, Span::from_ns(60))
        );
    }
}
