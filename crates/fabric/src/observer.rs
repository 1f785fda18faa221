//! Who looks on: every event of devices, as it happens. A run has one observer, compiled in; with [`Off`] nothing is left of it.
//!
//! Counters and series do not go through it: a sample reads what a port keeps to settle the fate of frames (when it is free, what it has sent),
//! which costs nothing between samples, whereas an observer that counted would be paid for at every event of every run.

use crate::{Frame, Kind};
use units::{Bytes, Rate, Span, Time};

/// Sees every event of a run's devices.
pub trait Observer {
    /// Whether it looks at all. What it costs to find out what an observer would see is spent only if so.
    const ACTIVE: bool = true;

    /// Something happens.
    fn see(&mut self, now: Time, seen: Seen<'_>);
}

/// Nobody looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Off;

impl Observer for Off {
    const ACTIVE: bool = false;

    #[inline(always)]
    fn see(&mut self, _: Time, _: Seen<'_>) {}
}

impl<O: Observer> Observer for &mut O {
    const ACTIVE: bool = O::ACTIVE;

    #[inline(always)]
    fn see(&mut self, now: Time, seen: Seen<'_>) {
        (**self).see(now, seen);
    }
}

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Seen<'a> {
    /// To a frame, at a link.
    Frame {
        /// As it is then.
        frame: &'a Frame,
        /// The link that it came over, or the one that it is to leave on.
        link: u32,
        /// What.
        what: What,
    },
    /// To a cell, at a link; where cells take no links of the topology, at the one of the node that has it.
    Cell {
        /// Where it is from: a host, or a host's device.
        from: u32,
        /// Where it goes.
        to: u32,
        /// Its length.
        len: u32,
        /// The link.
        link: u32,
        /// What.
        what: What,
    },
    /// A receiver, or a scheduler for it, lets a sender send.
    Credit {
        /// Who may send.
        to: u32,
        /// Where to.
        port: u32,
        /// How much.
        bytes: Bytes,
    },
    /// What feeds a link is to pause, or may go on.
    Pause {
        /// The link.
        link: u32,
        /// Priority class.
        class: u8,
        /// Whether it pauses.
        pauses: bool,
    },
    /// A sender's window or rate has changed.
    Window {
        /// The connection's place ([`Frame::flow`]).
        flow: u32,
        /// Its sender's host.
        host: u32,
        /// Bytes that it may have in flight, if a window limits it.
        window: Option<Bytes>,
        /// At what rate it sends, if it has one: its share in the fluid network. Pulls, which go at a fixed pace, are frames.
        rate: Option<Rate>,
    },
    /// A slot begins.
    Slot {
        /// Slots since the run began.
        number: u64,
        /// How long it is.
        length: Span,
    },
    /// A circuit is made or ends.
    Circuit {
        /// The ports that it joins.
        ends: [u32; 2],
        /// Whether it is made.
        made: bool,
    },
}

/// What happens to a frame or a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// It has come over the link.
    Arrived,
    /// It joined the queue before the link, or leaves at once. `leaves` is when its last bit will have been sent, where that is known by then.
    Queued {
        /// When it will have left.
        leaves: Option<Time>,
    },
    /// It began to leave after it waited, and its last bit will have been sent at this time.
    Left {
        /// When.
        end: Time,
    },
    /// It was marked (ECN) before the link.
    Marked,
    /// So many bytes were cut off it, or off one that waited before it.
    Trimmed {
        /// Bytes.
        cut: u32,
    },
    /// It is sent back to its source.
    Returned,
    /// There was no room.
    Dropped,
    /// Something broken took it, or a wrong bit.
    Lost,
    /// It reached its host.
    Delivered,
}

/// What an observer is to see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Connections' places; none given: all.
    pub flows: Vec<u32>,
    /// Hosts that something comes from or goes to; none given: all.
    pub hosts: Vec<u32>,
    /// Links; none given: all.
    pub links: Vec<u32>,
    /// From when on.
    pub from: Time,
    /// Until before when; `None`: to the end.
    pub until: Option<Time>,
}

impl Filter {
    /// Whether this is to be seen. What has no flow, no host or no link is not hidden by a choice among these.
    pub fn shows(&self, now: Time, seen: &Seen<'_>) -> bool {
        let chosen = |of: &[u32], number: u32| of.is_empty() || of.contains(&number);
        let host =
            |[from, to]: [u32; 2]| self.hosts.is_empty() || self.hosts.iter().any(|host| [from, to].contains(host));
        let in_time = now >= self.from && self.until.is_none_or(|until| now < until);
        in_time
            && match *seen {
                Seen::Frame { frame, link, .. } => {
                    chosen(&self.flows, frame.flow) && host([frame.src, frame.dst]) && chosen(&self.links, link)
                }
                Seen::Cell { from, to, link, .. } => host([from, to]) && chosen(&self.links, link),
                Seen::Credit { to, port, .. } => host([to, port]),
                Seen::Pause { link, .. } => chosen(&self.links, link),
                Seen::Window { flow, host: own, .. } => chosen(&self.flows, flow) && host([own, own]),
                Seen::Slot { .. } | Seen::Circuit { .. } => true,
            }
    }
}

/// An observer that sees only what a filter shows it.
#[derive(Debug, Clone, Default)]
pub struct Filtered<O> {
    /// What it sees.
    pub filter: Filter,
    /// Who sees it.
    pub observer: O,
}

impl<O: Observer> Observer for Filtered<O> {
    const ACTIVE: bool = O::ACTIVE;

    fn see(&mut self, now: Time, seen: Seen<'_>) {
        if self.filter.shows(now, &seen) {
            self.observer.see(now, seen);
        }
    }
}

/// An observer that counts what it sees and hands it on as a line of text: for tests, and for a person who wants to read along.
#[derive(Debug, Clone, Default)]
pub struct Log {
    /// A line for each event, in order: the time in picoseconds, what, and where.
    pub lines: Vec<String>,
}

impl Observer for Log {
    fn see(&mut self, now: Time, seen: Seen<'_>) {
        let what = match seen {
            Seen::Frame { frame, link, what } => {
                let kind = match frame.kind {
                    Kind::Data => "data",
                    Kind::Ack => "ack",
                    Kind::Nack => "nack",
                    Kind::Pull => "pull",
                    Kind::Notification => "notification",
                    Kind::Request => "request",
                };
                format!(
                    "{kind} {} -> {} flow {} at {}: {link} {what:?}",
                    frame.src, frame.dst, frame.flow, frame.sequence
                )
            }
            Seen::Cell { from, to, len, link, what } => format!("cell {from} -> {to} of {len} B: {link} {what:?}"),
            Seen::Credit { .. }
            | Seen::Pause { .. }
            | Seen::Window { .. }
            | Seen::Slot { .. }
            | Seen::Circuit { .. } => format!("{seen:?}"),
        };
        self.lines.push(format!("{} {what}", now.as_ps()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Count(usize);

    impl Observer for Count {
        fn see(&mut self, _: Time, _: Seen<'_>) {
            self.0 += 1;
        }
    }

    #[test]
    fn a_filter_shows_what_is_asked_for() {
        let frame = |flow, src| Frame { flow, src, dst: 9, ..Frame::EMPTY };
        let at = |ps| Time::ZERO + Span::from_ps(ps);
        let seen = |filter: &Filter| {
            let mut filtered = Filtered { filter: filter.clone(), observer: Count::default() };
            for (now, flow, src, link) in [(1, 0, 0, 5), (2, 0, 1, 6), (3, 1, 0, 5), (4, 1, 1, 6)] {
                filtered.see(at(now), Seen::Frame { frame: &frame(flow, src), link, what: What::Arrived });
            }
            filtered.see(at(5), Seen::Slot { number: 0, length: Span::ZERO });
            filtered.observer.0
        };
        let all = Filter::default();
        assert_eq!(seen(&all), 5);
        assert_eq!(seen(&Filter { flows: vec![1], ..all.clone() }), 3);
        assert_eq!(seen(&Filter { hosts: vec![0], ..all.clone() }), 3);
        assert_eq!(seen(&Filter { hosts: vec![9], ..all.clone() }), 5);
        assert_eq!(seen(&Filter { links: vec![6], flows: vec![0], ..all.clone() }), 2);
        assert_eq!(seen(&Filter { from: at(3), until: Some(at(5)), ..all }), 2);
    }
}
