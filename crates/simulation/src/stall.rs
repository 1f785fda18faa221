//! Who waits for what, when nothing moves any more.

use crate::flows::Flow;
use crate::hosts::Hosts;
use fabric::{Deadlock, Network, Totals};
use std::fmt::Write;
use topology::{LinkId, Topology};
use units::{Bytes, Span, Time};

/// Flows that are named before the rest are only counted.
const NAMED: usize = 10;

/// Samples without any change before nothing moves.
const SAMPLES: u32 = 20;
/// Shortest time without any change before nothing moves: what a fabric's own slow clocks need to find new paths.
const LEAST: Span = Span::from_ms(10);
/// When a port has been paused for so long, it is found out whether there is a deadlock, though other frames move. Switches that are no more than
/// congested pause each other for tens to hundreds of microseconds. Our choice.
const LONG_PAUSE: Span = Span::from_ms(1);
/// How many times what a packet needs alone it may be in flight before it counts as stuck.
const TIMES: u64 = 4;

/// For how long nothing has moved. Events go on for ever in a fabric with clocks of its own, and so do its own messages, so what is looked at
/// is what becomes of the workload's frames and flows.
pub(crate) struct Quiet {
    last: Moved,
    since: Time,
    samples: u32,
    patience: Span,
    /// The first deadlock that was found, and when; and when it was last looked for one.
    deadlock: Option<(Time, Deadlock)>,
    looked: Time,
}

/// What changes if a workload's data moves.
#[derive(Default, PartialEq, Eq)]
struct Moved {
    offered: u64,
    delivered: u64,
    dropped: u64,
    lost: u64,
    started: u64,
    finished: u64,
}

impl Moved {
    fn of<N: Network>(hosts: &Hosts<'_, N>) -> Moved {
        let Totals { offered, delivered, dropped, lost, .. } = hosts.network.totals();
        Moved { offered, delivered, dropped, lost, started: hosts.output.started, finished: hosts.output.finished }
    }
}

impl Quiet {
    /// Frames of this MTU may be long in flight over the slowest of the topology's links: that is no stall.
    pub(crate) fn new(topology: &Topology, mtu: Bytes) -> Quiet {
        let longest = topology.links().iter().map(|link| link.delay + link.rate.time_for(mtu)).max();
        let patience = longest.unwrap_or(Span::ZERO).saturating_mul(2).max(LEAST);
        let (last, since, looked) = (Moved::default(), Time::ZERO, Time::ZERO);
        Quiet { last, since, samples: 0, patience, deadlock: None, looked }
    }

    /// Since when nothing has moved, as far as samples tell.
    pub(crate) fn since(&self) -> Time {
        self.since
    }

    /// The deadlock that was found while the run went on, in words, whether or not it is there still.
    pub(crate) fn deadlock<N: Network>(&self, hosts: &Hosts<'_, N>, topology: &Topology) -> Option<String> {
        let (found, deadlock) = self.deadlock.as_ref()?;
        Some(format!("{}, found at {found}", circle(deadlock, hosts, topology)))
    }

    /// Looks for a deadlock if a pause is so long that there may be one, and not again before as much time is over.
    fn look_for_deadlock<N: Network>(&mut self, now: Time, hosts: &Hosts<'_, N>) {
        let is_due = self.deadlock.is_none() && now.since(self.looked) >= LONG_PAUSE;
        if is_due && hosts.network.longest_pause(now) >= LONG_PAUSE {
            self.looked = now;
            self.deadlock = hosts.network.deadlock().map(|deadlock| (now, deadlock));
        }
    }

    /// At a sample: whether flows are open of which nothing will move again, as nothing can or nothing has for long. A timer that is pending
    /// may yet move something.
    pub(crate) fn look<N: Network>(&mut self, now: Time, hosts: &Hosts<'_, N>) -> bool {
        self.update(now, hosts);
        self.look_for_deadlock(now, hosts);
        hosts.waits_for_nothing_but_frames()
            && (hosts.queue.is_empty()
                || hosts.has_no_frames()
                || (self.samples >= SAMPLES && self.is_long(now, hosts)))
    }

    /// When time is up: whether there is a deadlock; or whether flows that should have finished are open, and either nothing can move any more, or
    /// nothing has for long: for half of the time, if a timer is pending that may yet move something.
    pub(crate) fn at_the_end<N: Network>(&mut self, now: Time, hosts: &Hosts<'_, N>) -> bool {
        self.update(now, hosts);
        if hosts.flows.finite + hosts.flows.endless > 0 && hosts.network.deadlock().is_some() {
            return true; // whatever else moves
        }
        if hosts.flows.finite == 0 || hosts.workload.next_start().is_some() {
            return false;
        }
        let half = now.since(self.since) >= now.since(Time::ZERO) / 2;
        (hosts.waits_for_nothing_but_frames() && (hosts.has_no_frames() || self.is_long(now, hosts)))
            || (half && self.is_long(now, hosts))
    }

    fn update<N: Network>(&mut self, now: Time, hosts: &Hosts<'_, N>) {
        let moved = Moved::of(hosts);
        if moved == self.last {
            self.samples = self.samples.saturating_add(1);
        } else {
            (self.last, self.since, self.samples) = (moved, now, 0);
        }
    }

    /// Whether nothing has moved for longer than it takes a packet of any open flow to get through.
    fn is_long<N: Network>(&self, now: Time, hosts: &Hosts<'_, N>) -> bool {
        let still = now.since(self.since);
        let alone = |flow: &Flow| {
            let header = hosts.stack.header(flow.protocol);
            let packet = hosts.network.mtu().saturating_sub(header);
            hosts.network.ideal(flow.src, flow.dst, packet, header).saturating_mul(TIMES)
        };
        still >= self.patience && hosts.flows.iter().all(|(_, flow)| still >= alone(flow))
    }
}

/// Who waits for whom, and back to the first.
fn circle<N: Network>(deadlock: &Deadlock, hosts: &Hosts<'_, N>, topology: &Topology) -> String {
    let classes = hosts.network.offers().priorities;
    let names: Vec<String> = deadlock.circle.iter().map(|(link, _)| topology.link_name(LinkId(*link))).collect();
    let mut text = "deadlock: ".to_owned();
    for (number, name) in names.iter().enumerate() {
        let next = &names[(number + 1) % names.len()];
        let (comma, waits) = if number == 0 { ("", "waits for") } else { (", ", "for") };
        let _ = write!(text, "{comma}{name} {waits} {next}");
    }
    let class = deadlock.circle.first().filter(|_| classes > 1);
    let class = class.map(|(_, class)| format!(" in class {class}")).unwrap_or_default();
    let _ = write!(text, ", all paused by {}{class}", deadlock.by);
    text
}

/// Says which flows and links wait for what, now; `since` when.
pub(crate) fn report<N: Network>(
    hosts: &Hosts<'_, N>,
    topology: &Topology,
    now: Time,
    since: Time,
    quiet: &Quiet,
) -> String {
    let open = hosts.flows.finite + hosts.flows.endless;
    let are = if open == 1 { "flow is" } else { "flows are" };
    let mut text = match hosts.network.deadlock() {
        Some(deadlock) if since == now => {
            // That which was found may have ended, and another begun.
            let found = quiet.deadlock.as_ref().filter(|(_, first)| *first == deadlock);
            let found = found.map(|(at, _)| format!(", found at {at}")).unwrap_or_default();
            format!("{open} {are} open, and some will never end: {}{found}", circle(&deadlock, hosts, topology))
        }
        Some(deadlock) => {
            let circle = circle(&deadlock, hosts, topology);
            format!("{open} {are} open and nothing has moved since {since}: {circle}")
        }
        None => format!("{open} {are} open and nothing has moved since {since}"),
    };
    for operation in hosts.output.operations.waiting().take(NAMED) {
        let _ = write!(text, "\n  {operation}");
    }
    let mut inside = hosts.network.frames_inside();
    inside.sort_by_key(|inside| (inside.frame.flow, inside.link, inside.frame.sequence));
    for (place, flow) in hosts.flows.iter().take(NAMED) {
        let _ = write!(
            text,
            "\n  flow {} from host {} to host {}: {} of {} received; {}",
            flow.id,
            flow.src,
            flow.dst,
            hosts.stack.delivered(place),
            if flow.is_endless() { "endlessly many".to_owned() } else { flow.bytes.to_string() },
            hosts.stack.state(place),
        );
        let links = inside.iter().filter(|inside| inside.frame.flow == place).map(|inside| LinkId(inside.link));
        let names: Vec<_> = links.take(3).map(|link| topology.link_name(link)).collect();
        if !names.is_empty() {
            let _ = write!(text, "; frames of it are on or before {}", names.join(", "));
        }
    }
    if open > NAMED as u64 {
        let _ = write!(text, "\n  and {} more", open - NAMED as u64);
    }
    for waiting in hosts.workload.waiting().take(NAMED) {
        let _ = write!(text, "\n  {waiting}");
    }
    text
}
