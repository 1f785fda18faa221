//! Flows and what waits of them at their nodes.

use fabric::Frame;
use std::collections::VecDeque;
use units::{Span, Time};

/// A frame of a host on its way through the rack, as packets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Message {
    pub frame: Frame,
    /// Bytes that are in no packet yet.
    pub unsent: u32,
    /// Packets on their way.
    pub out: u32,
    /// None of it is lost.
    pub is_whole: bool,
}

/// Where a flow is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It has something to send, or had a short time ago.
    Going,
    /// It has ended, and somebody may not know yet.
    Ended,
    /// There is no flow in this place.
    Free,
}

/// Where a flow stands in its host's line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Nothing of it is to be sent.
    None,
    /// Its next packet may go at this time.
    Waiting(Time),
    /// Its next packet might have gone since this time.
    Due(Time),
}

/// What a host sends to another on a connection, from its announcement to the time at which all have forgotten it.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    /// The connection's place and epoch.
    pub origin: [u32; 2],
    pub src: u32,
    pub dst: u32,
    pub priority: u8,
    pub phase: Phase,
    /// Messages of which something is unsent, first to leave first; and the sum of that.
    pub messages: VecDeque<u32>,
    pub unsent: u64,
    /// Its sender waits to hear that less is unsent.
    pub is_awaited: bool,
    /// What came last was shorter than the longest frame.
    pub ends_short: bool,
    /// While it has nothing left to send: the number of this pause among all.
    pub pause: Option<u32>,
    /// In bits a second; and whether that is computed, or what its paths carry.
    pub rate: f64,
    pub has_rate: bool,
    pub turn: Turn,
    /// When the last packet was due to leave, and its bits.
    pub sent: Option<(Time, f64)>,
    /// When it was announced last.
    pub announced: Time,
    /// Announcements of it that are on their way.
    pub announcements: u32,
    /// Whether all know of its start, and of its end.
    pub start_known: bool,
    pub end_known: bool,
}

impl Flow {
    /// When its next packet may go.
    pub(crate) fn next(&self, now: Time) -> Time {
        match self.sent {
            None => now,
            Some((at, bits)) => (at + Span::from_ps((bits / self.rate * 1e12) as u64)).max(now),
        }
    }
    /// Whether it counts where those are counted of which all know.
    pub(crate) fn is_common(&self) -> bool {
        self.start_known && !self.end_known
    }
}
