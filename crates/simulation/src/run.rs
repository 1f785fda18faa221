//! Events, one after the other, until there is a reason to stop.

use crate::hosts::Hosts;
use crate::output::Output;
use crate::stall::{Quiet, report};
use crate::transports::Transports;
use engine::{Control, Event, Rank, Seed, Stopped};
use fabric::{Network, kind};
use results::{Closed, WriteError};
use topology::Topology;
use units::Time;
use workload::Workload;

/// Why a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// Its time was up, or every flow had finished.
    Done,
    /// It was told to.
    Stopped,
    /// Nothing moved any more, or time stood still: who waits for what.
    Stalled(String),
}

/// What a run was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Why it ended.
    pub ended: Ended,
    /// Frames that waited for each other in a circle while others moved, and when that was found: in whatever way it ended then.
    pub deadlock: Option<String>,
    /// Packets that met where the fabric is to see to it that none do, in words: how many in the window, and the first of them.
    pub collisions: Option<String>,
    /// Simulated time at the end.
    pub simulated: Time,
    /// Frames over links.
    pub hops: u64,
    /// Events handled.
    pub events: u64,
    /// The tables.
    pub tables: Vec<Closed>,
}

/// Events between reports to the control.
const LOOK: u64 = 4096;
/// Looks at which time may stand still before the run counts as stalled: 40 million events at one instant.
const STILL: u64 = 10_000;

/// Samples between checks of what costs too much to check at each.
const CHECK: u64 = 8;

/// Runs `workload` by `transports` over `network`, which is built on `topology`.
///
/// # Errors
/// If results cannot be written. What was written before is kept.
pub fn run<N: Network>(
    network: N,
    transports: &Transports,
    workload: Workload,
    topology: &Topology,
    seed: Seed,
    output: Output,
    control: &Control,
) -> Result<Outcome, WriteError> {
    let settings = output.settings.clone();
    let mut hosts = Hosts::new(network, transports, workload, topology, seed, output, control);
    let event = |at, kind| Event { at, rank: Rank::new(kind, 0), slot: 0 };
    if settings.warmup > Time::ZERO {
        hosts.queue.push(event(settings.warmup, kind::WARM));
    }
    hosts.queue.push(event(Time::ZERO + hosts.output.sample_interval(), kind::SAMPLE));
    let mut faults_left = 0;
    for (number, (at, _)) in (0..).zip(&settings.faults).filter(|(_, (at, _))| *at <= settings.duration) {
        hosts.queue.push(Event { at: *at, rank: Rank::new(kind::FAULT, number), slot: 0 });
        faults_left += 1;
    }
    hosts.network.begin(&mut hosts.queue);
    hosts.start_due(Time::ZERO)?;

    let mut now = Time::ZERO;
    let mut events = 0_u64;
    let (mut seen, mut still) = (Time::ZERO, 0);
    let mut samples = 0_u64;
    // Up to when everything has happened at the end.
    let mut through = None;
    let mut quiet = Quiet::new(topology, hosts.network.mtu());
    // One that is stopped in the middle of an event, such as new routes for a large network, keeps its rows as well.
    let ended: Result<Result<Ended, WriteError>, Stopped> = control.stoppable(|| {
        loop {
            let Some(event) = hosts.queue.pop().filter(|event| event.at <= settings.duration) else {
                now = settings.duration;
                hosts.catch_up_all(now, Rank::LAST);
                break Ok(match quiet.at_the_end(now, &hosts) {
                    true => Ended::Stalled(report(&hosts, topology, now, quiet.since(), &quiet)),
                    false => Ended::Done,
                });
            };
            hosts.network.look_ahead(&mut hosts.queue);
            now = event.at;
            events += 1;
            match event.rank.kind() {
                kind::ARRIVAL..=kind::TICK => {
                    if let Some(frame) = hosts.network.handle(event, &mut hosts.queue) {
                        hosts.receive(event, frame)?;
                    }
                    while let Some(collision) = hosts.network.take_collision() {
                        hosts.collide(collision);
                    }
                }
                kind::READY => hosts.ready(now, event)?,
                kind::TIMER | kind::HOST_TIMER => hosts.expire(now, event)?,
                kind::START => hosts.start_due(now)?,
                kind::WARM => {
                    hosts.catch_up_all(now, event.rank);
                    hosts.begin_measurement(now);
                }
                kind::SAMPLE => {
                    samples += 1;
                    hosts.catch_up_all(now, event.rank);
                    if samples.is_multiple_of(CHECK) {
                        hosts.network.check();
                    }
                    hosts.output.sample(now, &mut hosts.network)?;
                    if quiet.look(now, &hosts) && faults_left == 0 {
                        break Ok(Ended::Stalled(report(&hosts, topology, now, quiet.since(), &quiet)));
                    }
                    hosts.queue.push(Event { at: now + hosts.output.sample_interval(), ..event });
                }
                kind::FAULT => {
                    faults_left -= 1;
                    let (_, fault) = settings.faults[event.rank.device() as usize];
                    hosts.catch_up_all(now, event.rank);
                    hosts.tell_all_after_all();
                    hosts.network.fault(now, fault, &mut hosts.queue);
                }
                other => unreachable!("no event is of kind {other}"),
            }
            if hosts.flows.finite == 0 && settings.stop_when_done && hosts.is_done() {
                hosts.catch_up_all(now, event.rank);
                if event.rank.kind() == kind::ARRIVAL {
                    // What else was to happen at this instant has not.
                    through = Some(Time::from_ps(now.as_ps().saturating_sub(1)));
                }
                break Ok(Ended::Done);
            }
            // A single event may take long: in the ideal network all rates are computed at one.
            if control.is_stopped() {
                break Ok(Ended::Stopped);
            }
            if events.is_multiple_of(LOOK) {
                if control.report(hosts.progress(now)) {
                    break Ok(Ended::Stopped);
                }
                if control.is_to_save() {
                    hosts.output.tables.save()?;
                }
                still = if now == seen { still + 1 } else { 0 };
                seen = now;
                if still >= STILL {
                    break Ok(Ended::Stalled(format!(
                        "time stands still at {now}: {}",
                        report(&hosts, topology, now, now, &quiet)
                    )));
                }
            }
        }
    });
    let ended = match ended {
        Ok(ended) => {
            hosts.network.check();
            ended?
        }
        Err(Stopped) => Ended::Stopped,
    };
    hosts.network.catch_up(through.unwrap_or(now), &mut hosts.queue);
    let deadlock = quiet.deadlock(&hosts, topology);
    finish(hosts, (ended, deadlock), now, events, topology, control)
}

/// Writes the rows of flows that are still open, and everything that is known only now.
///
/// This looks at no control: a run that is stopped keeps what it had, and one that was over when somebody stopped it is done.
fn finish<N: Network>(
    mut hosts: Hosts<'_, N>,
    (ended, deadlock): (Ended, Option<String>),
    now: Time,
    events: u64,
    topology: &Topology,
    control: &Control,
) -> Result<Outcome, WriteError> {
    let events = events + hosts.idle_waits.count;
    if !hosts.output.is_measuring {
        // It ended before its window began, in which there is nothing then.
        hosts.begin_measurement(now);
    }
    let mut open: Vec<(u64, u32)> = hosts.flows.iter().map(|(place, flow)| (flow.id, place)).collect();
    open.sort_unstable();
    let progress = hosts.progress(now);
    control.report(progress);
    for (_, place) in open {
        hosts.close(now, place)?;
    }
    let collisions = hosts.output.collisions.warning(topology);
    let tables = hosts.output.close(now, events, &hosts.network, topology)?;
    Ok(Outcome { ended, deadlock, collisions, simulated: now, hops: progress.hops, events, tables })
}
