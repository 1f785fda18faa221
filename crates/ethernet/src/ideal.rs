//! How long a message takes that is alone in the fabric: from handing the first of its packets to the source's interface until the last
//! bit of the last is there, with nothing else in the way.

use crate::class::PortClass;
use units::{Bytes, Span};

/// A message in packets: all but the last have `full` bytes.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    packets: u64,
    full: u32,
    last: u32,
}

impl Message {
    /// A message of `bytes` in packets of up to `mtu`, of which `header` are not message.
    pub fn new(bytes: Bytes, header: Bytes, mtu: Bytes) -> Message {
        let payload = mtu.get() - header.get();
        let packets = bytes.get().div_ceil(payload).max(1);
        let last = (bytes.get() - (packets - 1) * payload + header.get()) as u32;
        Message { packets, full: mtu.get() as u32, last }
    }

    fn one(len: u32) -> Message {
        Message { packets: 1, full: len, last: len }
    }

    /// A full packet alone, if there are any before the last; and the last alone.
    pub(crate) fn alone(&self) -> (Option<Message>, Message) {
        ((self.packets > 1).then(|| Message::one(self.full)), Message::one(self.last))
    }

    /// Exact, packet by packet, in closed form, over links of these classes one after the other.
    pub fn over<'a>(&self, path: impl IntoIterator<Item = &'a PortClass>) -> Span {
        path.into_iter().fold(Progress::default(), |progress, class| progress.cross(class, self)).whole()
    }

    /// No path over which its packets are spread can bring it sooner. `full` and `last` are the earliest that a full packet and the last
    /// can have reached the last switch, each alone; `first` are the source's links and `to` the destination's.
    ///
    /// Full packets begin one after the other at the source, and reach the last switch in no shorter distance. Its links to the
    /// destination then have, from any of them on, all that comes later to send; no order of packets is quicker, and short packets may
    /// overtake.
    pub(crate) fn spread(&self, full: Progress, last: Progress, first: &[&PortClass], to: &[&PortClass]) -> Span {
        let quickest = |links: &[&PortClass], len| links.iter().map(|class| class.time_on_wire(len)).min();
        let (sources, sinks) = (first.len() as u64, to.len() as u64);
        let [gap, full_time] = [first, to].map(|links| quickest(links, self.full).unwrap_or(Span::ZERO));
        let last_time = quickest(to, self.last).unwrap_or(Span::ZERO);
        let fulls = self.packets - 1;
        // When the n-th full packet has left this far behind, and how long the links need for so many and the last.
        let behind = |n: u64| gap.saturating_mul((n - 1) / sources);
        let need = |fulls: u64, lasts: u64| (full_time.saturating_mul(fulls) + last_time.saturating_mul(lasts)) / sinks;
        // Over one link it leaves behind all others; over several it may be the first.
        let before = if sources == 1 { gap.saturating_mul(fulls) } else { Span::ZERO };
        let last_comes = last.last_head + before;
        let mut end = (last_comes + last_time).max(last.last_whole + before);
        if fulls > 0 {
            // Full packets that come before the last one, or with it.
            let after_first = last_comes.as_ps().checked_sub(full.last_head.as_ps());
            let earlier = after_first.map_or(0, |ps| (ps / gap.as_ps().max(1) + 1).saturating_mul(sources).min(fulls));
            end = end.max(last_comes + need(fulls - earlier, 1));
            for n in [1, earlier, earlier + 1, fulls - (fulls - 1) % sources, fulls] {
                if (1..=fulls).contains(&n) {
                    let later = need(fulls - n + 1, u64::from(n <= earlier));
                    end = end.max(full.last_head + behind(n) + later);
                }
            }
            end = end.max(full.last_head + behind(fulls) + full_time).max(full.last_whole + behind(fulls));
        }
        end + to.iter().map(|class| class.delay).min().unwrap_or(Span::ZERO)
    }
}

/// When a message's packets reach a node: the head and the whole of the first full one, and of the last; and the longest time that a full
/// one took on a link so far. Equal packets keep their distance: at hop i the n-th of them is done `(n - 1) * max(T_1..T_i)` after the
/// first. The last may be shorter, and follows as fast as links and packets before it let it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    first_head: Span,
    first_whole: Span,
    last_head: Span,
    last_whole: Span,
    slowest: Span,
}

impl Progress {
    /// Over one more link.
    pub fn cross(self, class: &PortClass, message: &Message) -> Progress {
        let Progress { mut first_head, mut first_whole, last_head, last_whole, mut slowest } = self;
        let (full_time, last_time) = (class.time_on_wire(message.full), class.time_on_wire(message.last));
        let head = |end: Span, time: Span, whole: Span| {
            class.head.map_or(whole, |head| end.saturating_sub(time) + head.min(time) + class.delay)
        };
        let mut free = Span::ZERO;
        if message.packets > 1 {
            slowest = slowest.max(full_time);
            let end = (first_head + full_time).max(first_whole);
            free = end + slowest.saturating_mul(message.packets - 2);
            first_whole = end + class.delay;
            first_head = head(end, full_time, first_whole);
        }
        let end = (last_head.max(free) + last_time).max(last_whole);
        let last_whole = end + class.delay;
        Progress { first_head, first_whole, last_head: head(end, last_time, last_whole), last_whole, slowest }
    }

    /// When all of it is there.
    pub fn whole(&self) -> Span {
        self.last_whole
    }

    /// Nothing is later than in another.
    pub fn covers(&self, other: &Progress) -> bool {
        self.first_head <= other.first_head
            && self.first_whole <= other.first_whole
            && self.last_head <= other.last_head
            && self.last_whole <= other.last_whole
            && self.slowest <= other.slowest
    }

    /// What is earliest in any of several.
    pub(crate) fn earliest(all: &[Progress]) -> Progress {
        let least = |of: fn(&Progress) -> Span| all.iter().map(of).min().unwrap_or(Span::ZERO);
        Progress {
            first_head: least(|one| one.first_head),
            first_whole: least(|one| one.first_whole),
            last_head: least(|one| one.last_head),
            last_whole: least(|one| one.last_whole),
            slowest: least(|one| one.slowest),
        }
    }
}
