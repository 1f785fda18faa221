//! A plan: pods of switches without buffers, beside the same network of buffered ones.

use super::arbiter::{MOST_MEASURED, REQUEST_NS, SOURCE, Work};
use super::cost::Design;
use super::silicon::Silicon;
use super::{Impossible, Input, NAME, float};
use crate::bill::{Missing, Uses, mixed_years};
use crate::book::Used;
use ::arbiter::Pod;
use ::arbiter::interpod::{Attached, slots_after_stop};
use ::fastpod::Layout;
use ::fastpod::timing::{Latency, MOST_AHEAD};
use ::shoal::schedule::quotient;
use schemars::JsonSchema;
use serde::Serialize;
use units::{Rate, Span};

/// A time slot (§3.2).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FastpodSlot")]
pub struct Slot {
    /// From one to the next.
    pub slot_ps: u64,
    /// Data packets in it: one less than hosts below a ToR switch.
    pub packets: u64,
    /// What each of these takes.
    pub data_ps: u64,
    /// What each of its two control packets takes.
    pub control_ps: u64,
    /// Each of its three guard bands.
    pub guard_ps: u64,
    /// Share of a host's link that data packets can have.
    pub data_share: f64,
    /// Share that their payload can have.
    pub payload_share: f64,
    /// Share that control packets have.
    pub control_share: f64,
    /// Share that guard bands have.
    pub guard_share: f64,
    /// Rate of a host's payload, if its rack has links upwards for it.
    pub payload_bps: u64,
    /// Share of a rack's slots for which it has links upwards.
    pub upward_share: f64,
}

/// Clocks, and the guard bands for them (§4).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FastpodClocks")]
pub struct Clocks {
    /// How far they can be off: what stays, their resolution, and what they run away in a slot.
    pub off_ps: u64,
    /// The guard band that this takes, with paths of different lengths.
    pub needed_guard_ps: u64,
    /// How far they may be off with the guard bands that there are, on the same paths.
    pub absorbed_ps: u64,
    /// The largest guard band for which a slot has room.
    pub largest_guard_ps: u64,
    /// How far clocks may be off with that, on the same paths.
    pub most_absorbed_ps: u64,
    /// Share of a link that clocks cost which are off by another nanosecond, about.
    pub share_per_ns: f64,
}

/// How long things take. What is scheduled is a packet by itself: a pod in which nothing else is sent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FastpodLatency")]
pub struct Times {
    /// From host to host, beyond the length of a packet: the same for every pair.
    pub passage_ps: u64,
    /// From a host to its arbiter and back, beyond the length of control packets and what the arbiter takes.
    pub round_trip_ps: u64,
    /// The same in slots.
    pub round_trip_slots: f64,
    /// From the slot in which a host asks to the first that it can be given.
    pub ahead_slots: u64,
    /// The most that hosts and arbiters of the simulator have numbers for.
    pub most_ahead_slots: u64,
    /// A packet that is sent at once.
    pub optimistic_ps: u64,
    /// A scheduled packet at the best.
    pub least_ps: u64,
    /// On average.
    pub mean_ps: u64,
    /// At the worst.
    pub most_ps: u64,
    /// What the average is made of.
    pub budget: Budget,
    /// From when a host's link breaks until its arbiter takes it for broken, at most.
    pub failure_ps: u64,
}

/// What the average of a scheduled packet is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "FastpodBudget")]
pub struct Budget {
    /// Until the gap for the next request.
    pub asking_ps: u64,
    /// To the arbiter and back.
    pub round_trip_ps: u64,
    /// What the arbiter takes.
    pub arbiter_ps: u64,
    /// Until requests of the whole slot are there, until the gap for the answer, and until the slot that was given.
    pub slots_ps: u64,
    /// From host to host, with the length of the packet.
    pub passage_ps: u64,
}

/// What an arbiter has to do.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FastpodArbiter")]
pub struct Arbiter {
    /// Its ports: one for each ToR switch (§3.2).
    pub ports: u64,
    /// What control packets take of each, either way.
    pub port_bps: u64,
    /// Share of each.
    pub port_share: f64,
    /// Requests a second, and as many answers: one a host in every slot.
    pub requests_per_second: f64,
    /// Slots given to pairs of hosts, a second.
    pub allocations_per_second: f64,
    /// Data packets of these.
    pub allocated_bps: u64,
    /// What it takes to find slots and paths.
    pub work: Work,
    /// The same as allocated data of a busy core.
    pub core_bps: u64,
    /// Cores that the whole machine would be busy on, requests included, if every host asked in every slot.
    pub request_cores: f64,
    /// What a request takes it, in nanoseconds, slots and paths included.
    pub request_ns: f64,
    /// Cores that there are.
    pub cores: u64,
    /// Whether slots and paths are found on them as fast as slots pass.
    pub keeps_up: bool,
    /// The largest fat-tree pod for which they are; null if there is none from 4 ports on.
    pub largest: Option<Largest>,
    /// Where its times were measured.
    pub source: &'static str,
}

/// The pod of a fat-tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "FastpodLargest")]
pub struct Largest {
    /// Ports of its switches.
    pub ports: u64,
    /// Its hosts.
    pub hosts: u64,
}

/// A round-robin schedule without an arbiter (§2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "FastpodRoundRobin")]
pub struct RoundRobin {
    /// A slot of it: a packet of control on one channel.
    pub slot_ps: u64,
    /// An epoch, and so the longest that a packet waits, for the servers to compare with.
    pub epoch_ps: u64,
    /// For the hosts of this plan.
    pub own_epoch_ps: u64,
}

/// Core switches between pods (§3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "FastpodCore")]
pub struct Core {
    /// How many there are.
    pub switches: u64,
    /// Slots until nothing more comes of what was given before arbiters knew of a stop.
    pub heard_slots: u64,
    /// Slots in which a pod can still send to a core switch that has said stop.
    pub stop_slots: u64,
    /// Room above the mark at which it says stop, for all pods.
    pub stop_bytes: u64,
    /// Slots that a packet waits at least until it is told when to go on.
    pub wait_slots: u64,
    /// What waits for that, if all ports are busy.
    pub wait_bytes: u64,
    /// Both: the least buffer of a core switch that is never idle and never overflows.
    pub buffer_bytes: u64,
    /// Of all core switches.
    pub all_buffers_bytes: u64,
}

/// Pods of switches without buffers, beside the same network of buffered ones.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FastpodPlan")]
pub struct Plan {
    /// What was planned.
    #[schemars(extend("const" = NAME))]
    pub system: &'static str,
    /// Every setting, also those that were left out.
    pub input: Input,
    /// Hosts of a pod.
    pub pod_hosts: u64,
    /// Hosts of all pods.
    pub hosts: u64,
    /// Pods of switches without buffers.
    pub fastpod: Design,
    /// The same network of buffered switches, without arbiters.
    pub buffered: Design,
    /// What is on a switch chip.
    pub silicon: Silicon,
    /// A time slot.
    pub slot: Slot,
    /// Clocks.
    pub clocks: Clocks,
    /// Times.
    pub latency: Times,
    /// The arbiter of one pod.
    pub arbiter: Arbiter,
    /// A schedule without arbiter, to compare with.
    pub round_robin: RoundRobin,
    /// Core switches; null for one pod.
    pub core: Option<Core>,
    /// Prices and powers that were used, with their dates and sources.
    pub prices: Vec<Used>,
    /// What a person should know before believing it.
    pub warnings: Vec<String>,
}

/// Plans the pods of `input`.
///
/// # Errors
/// Such pods cannot be built, or a part has no price or power and `prices` is not none.
pub fn plan(input: &Input) -> Result<Plan, Impossible> {
    check(input)?;
    let layout = input.layout()?;
    let (mut book, mut uses, mut missing) = (input.book.clone(), Uses::new(), Missing::default());
    let fastpod = Design::new(input, true, &mut book, &mut uses, &mut missing);
    let buffered = Design::new(input, false, &mut book, &mut uses, &mut missing);
    missing.refuse(input.prices)?;
    let prices: Vec<Used> = uses.into_values().collect();
    let mut found = Plan {
        system: NAME,
        input: input.clone(),
        pod_hosts: input.hosts(),
        hosts: input.hosts() * input.pods,
        fastpod,
        buffered,
        silicon: Silicon::new(input.zero_buffer_area, input.zero_buffer_power),
        slot: slot(input, &layout),
        clocks: clocks(input, &layout),
        latency: times(input, &layout),
        arbiter: arbiter(input, &layout),
        round_robin: round_robin(input),
        core: (input.pods > 1).then(|| core(input, &layout)),
        warnings: Vec::new(),
        prices,
    };
    found.warnings = warnings(&found);
    found.warnings.extend(mixed_years(&found.prices));
    Ok(found)
}

/// Whether an arbiter has numbers for all of them.
fn check(input: &Input) -> Result<(), Impossible> {
    let narrow = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let (racks, hosts_per_rack) = (input.racks, input.hosts_per_rack);
    let pod = Pod::two_tiers(narrow(racks), narrow(hosts_per_rack), narrow(input.uplinks))
        .map_err(|error| Impossible::Pod { racks, hosts_per_rack, error })?;
    let (pods, cores_per_plane) = (input.pods, input.cores_per_plane);
    if pods > 1 {
        Attached::new(pod, narrow(cores_per_plane), u16::try_from(pods).unwrap_or(u16::MAX))
            .map_err(|error| Impossible::Pods { pods, cores_per_plane, error })?;
    }
    Ok(())
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rates and times, not negative")]
fn whole(number: f64) -> u64 {
    number.round() as u64
}

fn slot(input: &Input, layout: &Layout) -> Slot {
    let share = |span: Span| float(span.as_ps()) / float(layout.slot().as_ps());
    let data_share = layout.efficiency();
    let payload = float(input.packet.get() - input.header.get()) / float(input.packet.get());
    let upward_share = input.upward_share();
    Slot {
        slot_ps: layout.slot().as_ps(),
        packets: layout.packets().into(),
        data_ps: layout.data.as_ps(),
        control_ps: layout.control.as_ps(),
        guard_ps: layout.guard.as_ps(),
        data_share,
        payload_share: data_share * payload,
        control_share: share(layout.control * 2),
        guard_share: share(layout.guard * 3),
        payload_bps: whole(float(input.rate.as_bps()) * data_share * payload * upward_share),
        upward_share,
    }
}

fn clocks(input: &Input, layout: &Layout) -> Clocks {
    let off = input.clocks_off(layout.slot());
    let absorbed = |guard: Span| guard.saturating_sub(input.path_variation) / 2;
    let largest = input.largest_guard().unwrap_or(Span::ZERO);
    // Each of three guard bands is twice as long as clocks are off, and what they take is the data's.
    let longer = layout.slot() + Layout::guard_for(Span::from_ns(1), Span::ZERO) * 3;
    let shorter = float(layout.slot().as_ps()) / float(longer.as_ps());
    Clocks {
        off_ps: off.as_ps(),
        needed_guard_ps: Layout::guard_for(off, input.path_variation).as_ps(),
        absorbed_ps: absorbed(layout.guard).as_ps(),
        largest_guard_ps: largest.as_ps(),
        most_absorbed_ps: absorbed(largest).as_ps(),
        share_per_ns: layout.efficiency() * (1.0 - shorter),
    }
}

fn times(input: &Input, layout: &Layout) -> Times {
    let (cables, slot) = (input.cables(), layout.slot());
    let turnaround = cables.turnaround(input.arbiter_latency, slot);
    let found = Latency::new(&cables, layout, turnaround.ahead);
    let round_trip = cables.control() * 2;
    let known = slot / 2 + round_trip + input.arbiter_latency + found.optimistic;
    Times {
        passage_ps: cables.passage().as_ps(),
        round_trip_ps: round_trip.as_ps(),
        round_trip_slots: float(round_trip.as_ps()) / float(slot.as_ps()),
        ahead_slots: turnaround.ahead,
        most_ahead_slots: MOST_AHEAD,
        optimistic_ps: found.optimistic.as_ps(),
        least_ps: found.least.as_ps(),
        mean_ps: found.mean.as_ps(),
        most_ps: found.most.as_ps(),
        budget: Budget {
            asking_ps: (slot / 2).as_ps(),
            round_trip_ps: round_trip.as_ps(),
            arbiter_ps: input.arbiter_latency.as_ps(),
            slots_ps: found.mean.saturating_sub(known).as_ps(),
            passage_ps: found.optimistic.as_ps(),
        },
        // A link that breaks when the request has just left is missed in the next slot.
        failure_ps: (turnaround.requests + slot * input.suspicion).as_ps(),
    }
}

fn arbiter(input: &Input, layout: &Layout) -> Arbiter {
    let seconds = layout.slot().as_secs_f64();
    let (hosts, transfers) = (float(input.hosts()), input.transfers());
    let bits = |bytes: u64| float(bytes) * 8.0;
    let port = bits(input.control.get()) * float(input.hosts_per_rack) / seconds;
    let allocated = transfers * f64::from(layout.packets()) * bits(input.packet.get()) / seconds;
    let work = Work::new(transfers, input.pace(), layout.slot());
    let fits = |work: &Work| work.cores <= input.arbiter_cores;
    let largest = (4..=128).step_by(2).filter_map(|ports| {
        let (hosts, work) = input.fat_tree(ports)?;
        fits(&work).then_some(Largest { ports, hosts })
    });
    Arbiter {
        ports: input.racks,
        port_bps: whole(port),
        port_share: port / float(input.rate.as_bps()),
        requests_per_second: hosts / seconds,
        allocations_per_second: transfers / seconds,
        allocated_bps: whole(allocated),
        work,
        core_bps: whole(allocated / work.busy_cores),
        request_cores: hosts * REQUEST_NS * 1e-9 / seconds,
        request_ns: REQUEST_NS,
        cores: input.arbiter_cores,
        keeps_up: fits(&work),
        largest: largest.last(),
        source: SOURCE,
    }
}

fn round_robin(input: &Input) -> RoundRobin {
    let channel = Rate::from_bps(input.rate.as_bps() / input.epoch_channels);
    let slot = channel.time_for(input.control);
    let epoch = |hosts| quotient(slot, hosts, input.epoch_channels).as_ps();
    RoundRobin {
        slot_ps: slot.as_ps(),
        epoch_ps: epoch(input.epoch_hosts),
        own_epoch_ps: epoch(input.hosts() * input.pods),
    }
}

fn core(input: &Input, layout: &Layout) -> Core {
    let (cables, slot, delay) = (input.cables(), layout.slot(), input.core_delay);
    let heard_slots = cables.heard_by_core(delay, slot);
    let ahead = cables.turnaround(input.arbiter_latency, slot).ahead;
    let batch = u32::try_from(input.batch).unwrap_or(u32::MAX);
    let stop_slots = slots_after_stop(heard_slots, ahead, batch);
    let wait_slots = cables.wait_in_core(delay, input.arbiter_latency, slot);
    // In a slot each pod sends a core switch at most what one host does.
    let each = input.pods * u64::from(layout.packets()) * input.packet.get();
    let (stop_bytes, wait_bytes) = (stop_slots.saturating_mul(each), wait_slots.saturating_mul(each));
    let buffer_bytes = stop_bytes.saturating_add(wait_bytes);
    let switches = input.uplinks * input.cores_per_plane;
    Core {
        switches,
        heard_slots,
        stop_slots,
        stop_bytes,
        wait_slots,
        wait_bytes,
        buffer_bytes,
        all_buffers_bytes: buffer_bytes.saturating_mul(switches),
    }
}

fn warnings(plan: &Plan) -> Vec<String> {
    let (input, latency, work) = (&plan.input, &plan.latency, &plan.arbiter.work);
    let mut found = Vec::new();
    let (off, guard) = (Span::from_ps(plan.clocks.off_ps), Span::from_ps(plan.clocks.needed_guard_ps));
    if guard > input.guard {
        found.push(format!(
            "guard = {}: clocks that are off by {off} need guard bands of {guard}, or scheduled packets collide",
            input.guard
        ));
    }
    if latency.ahead_slots > MOST_AHEAD {
        found.push(format!(
            "a host asks {} slots ahead, and hosts and arbiters of the simulator have numbers for {MOST_AHEAD}: `gossamer run` refuses this pod",
            latency.ahead_slots
        ));
    }
    if !plan.arbiter.keeps_up {
        found.push(format!(
            "arbiter_cores = {}: to find slots and paths as fast as slots pass takes {}; raise it, or plan smaller pods or longer packets",
            input.arbiter_cores, work.cores
        ));
    }
    if work.slots_ps.max(work.paths_ps) > plan.slot.slot_ps {
        found.push(
            "one stage of the arbiter takes longer than a slot, so that several cores have to work on slots of their own: that is Fastpass's pipeline, \
             which the arbiter that was measured does not have"
                .to_owned(),
        );
    }
    if plan.pod_hosts > MOST_MEASURED && input.is_measured {
        found.push(format!(
            "no arbiter was measured with more than {MOST_MEASURED} hosts: times of {} are a guess",
            plan.pod_hosts
        ));
    }
    if plan.slot.upward_share < 1.0 {
        found.push(format!(
            "uplinks = {}: {} hosts of a rack share them for all that they send, to hosts of their own rack too (§5)",
            input.uplinks, input.hosts_per_rack
        ));
    }
    found
}

#[cfg(test)]
mod tests;
