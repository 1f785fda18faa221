//! The inside of the fabric: cells before links and on them.

use crate::build::Layout;
use crate::cell::Cell;
use crate::config::Config;
use crate::lane::LinkClass;
use crate::network::Stardust;
use engine::{Event, EventQueue};
use fabric::{LinkCounters, Observer};
use units::{Bytes, Span, Time};

/// How cells get over links. An implementation holds the queues of all fabric links and what is in flight on them, and hands a cell that has
/// come to the far end to `Stardust::take_cell`.
pub trait Interior: Sized {
    /// A link of a layout that this interior cannot compute.
    fn unsuited(_layout: &Layout, _classes: &[LinkClass]) -> Option<u32> {
        None
    }

    /// Empty links.
    fn new(config: &Config, layout: &Layout, classes: &[LinkClass]) -> Self;

    /// A data cell joins a link's queue. §4.2: while the queue is above the threshold, cells carry indications.
    fn join(&mut self, now: Time, link: u32, cell: Cell, class: &LinkClass, queue: &mut EventQueue);

    /// A control message joins a link's queue before all data.
    fn join_first(&mut self, now: Time, link: u32, cell: Cell, class: &LinkClass, queue: &mut EventQueue);

    /// An event of kind [`fabric::kind::ARRIVAL`] on a link inside.
    fn on_arrival<O: Observer>(fabric: &mut Stardust<Self, O>, event: Event, queue: &mut EventQueue);

    /// A step of the interior's own clock.
    fn on_step<O: Observer>(fabric: &mut Stardust<Self, O>, now: Time, queue: &mut EventQueue);

    /// Time from a cell's joining an empty link until its arrival, at best.
    fn crossing(&self, _link: u32, len: u16, class: &LinkClass) -> Span {
        class.service(len) + class.delay
    }

    /// Cells that wait for a link; `now` is no earlier than in any call before.
    fn waiting(&mut self, now: Time, link: u32, class: &LinkClass) -> u32;

    /// Cells that are kept for a link, in memory or, where that is settled in advance, on it.
    fn cells(&self, link: u32) -> u32;

    /// Bytes that wait for a link.
    fn queued(&self, now: Time, link: u32, class: &LinkClass) -> Bytes;

    /// The far end pauses a link: data waits, but for the cell that is being sent.
    fn hold(&mut self, now: Time, link: u32, class: &LinkClass, queue: &mut EventQueue);

    /// The far end lets a link go on.
    fn release(&mut self, now: Time, link: u32, class: &LinkClass, queue: &mut EventQueue);

    /// Everything before a link and on it is lost.
    fn clear(&mut self, now: Time, link: u32) -> Vec<Cell>;

    /// What a link has carried since its counters began anew.
    fn counters(&self, now: Time, link: u32, class: &LinkClass) -> LinkCounters;

    /// A link's counters begin anew.
    fn restart_counters(&mut self, now: Time, link: u32, class: &LinkClass);

    /// A cell that has come over a link was received wrong.
    fn count_loss(&mut self, link: u32);

    /// What must hold at any instant. Counts the data cells inside.
    fn check(&self) -> u64;
}
