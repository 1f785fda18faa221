//! A plan: Shoal for a rack, beside a packet-switched network for the same nodes.

use super::cost::{Cost, Derivation, Parts, derivations};
use super::input::SECTION_5;
use super::power::Power;
use super::{Impossible, Input, NAME, float};
use crate::book::Used;
use schemars::JsonSchema;
use serde::Serialize;
use shoal::clos::{Built, Clos, ClosError, Failed, Network, Plane, table_1};
use shoal::header::Needs;
use shoal::latency::{Incast, Latency};
use shoal::memory::Memory;
use shoal::schedule::{Epoch, Order, quotient};
use shoal::throughput::{WORST_CASE, permutation};
use units::{Bytes, Rate};

/// A slot, an epoch, and what a node's rate comes to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ShoalTiming")]
pub struct Timing {
    /// Rate of a channel.
    pub channel_bps: u64,
    /// Guard band: reconfiguration, variation of propagation and error of synchronisation.
    pub guard_ps: u64,
    /// From slot to slot.
    pub slot_ps: u64,
    /// Share of the slot that is guard band.
    pub guard_share: f64,
    /// A cell with its header.
    pub cell_bytes: u64,
    /// What it carries.
    pub payload_bytes: u64,
    /// (N-1) slots over channels, as §3.4 has it.
    pub epoch_ps: u64,
    /// Schedules of whole slots: cyclic, and rearranged for the propagation delay. The rest of the plan is for the one that is
    /// set.
    pub schedules: [Epoch; 2],
}

/// What a node can send.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ShoalThroughput")]
pub struct Throughput {
    /// The interface's rate, less guard band: the paper's maximum.
    pub peak_bps: u64,
    /// Of which cells fill.
    pub cells_bps: u64,
    /// And their payload, in slots that are not empty.
    pub payload_bps: u64,
    /// The peak for any traffic, with detours: at least this (§3.3.1).
    pub worst_peak_bps: u64,
    /// And its payload.
    pub worst_payload_bps: u64,
    /// Lower bound of the share of the peak.
    pub worst_share: f64,
    /// Share of the peak if all nodes send, each to one other (§7.2, Fig. 12).
    pub permutation_share: f64,
    /// Share of its rate that a subflow has where feedback takes longer than an epoch: one cell in so many epochs (§6.2).
    pub feedback_share: f64,
}

/// Shoal, or the packet-switched network for the same nodes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ShoalDesign")]
pub struct Design {
    /// Its switches and links.
    pub network: Network,
    /// What it draws.
    pub power: Power,
}

/// What circuit switches cost, against packet switches.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ShoalCosts")]
pub struct Costs {
    /// With Shoal's NIC at its lowest and at its highest price.
    pub designs: [Cost; 2],
    /// What the four ratios that the paper prints say about a NIC's price. The same for every input.
    pub derivations: [Derivation; 4],
}

/// Shoal for a rack, beside a packet-switched network for the same nodes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ShoalPlan")]
pub struct Plan {
    /// What was planned.
    #[schemars(extend("const" = NAME))]
    pub system: &'static str,
    /// Every setting, also those that were left out.
    pub input: Input,
    /// The most nodes that two stages of such switches join.
    pub most_nodes: u64,
    /// Shoal.
    pub shoal: Design,
    /// The packet-switched network.
    pub packet: Design,
    /// Share of the packet network's power that Shoal saves.
    pub power_saving: f64,
    /// What both cost.
    pub cost: Costs,
    /// Slots and epochs.
    pub timing: Timing,
    /// Rates.
    pub throughput: Throughput,
    /// Times of a cell.
    pub latency: Latency,
    /// A burst to one node.
    pub incast: Incast,
    /// Queues and memory of a node.
    pub memory: Memory,
    /// All that must be on its chip, in bytes.
    pub chip_bytes: u64,
    /// The cells' header.
    pub header: Needs,
    /// Table 1.
    pub failures: Vec<Failed>,
    /// Nodes for which its slots are counted: those of full leaves.
    pub failures_nodes: u64,
    /// Power of the switches, with dates and sources; prices are the ratios of §5.
    pub prices: Vec<Used>,
    /// What a person should know before believing it.
    pub warnings: Vec<String>,
}

/// Plans the rack of `input`.
///
/// # Errors
/// Such devices cannot be joined to such a rack.
pub fn plan(input: &Input) -> Result<Plan, Impossible> {
    let (nodes, ports) = (input.nodes, input.switch_ports);
    let clos = clos(nodes, ports)?;
    if input.channel_rate() > input.switch_port_rate {
        let (channels, channel) = (input.channels, input.channel_rate());
        return Err(Impossible::Channel { channels, channel, port: input.switch_port_rate });
    }
    let slot = input.slot();
    let (cell, header) = (slot.cell(input.channel_rate()), input.widths().needs(nodes));
    if cell.get() <= header.bytes {
        let (usable, channel) = (input.usable_slot, input.channel_rate());
        return Err(Impossible::Cell { usable, channel, cell, header: Bytes::new(header.bytes) });
    }
    let payload = Bytes::new(cell.get() - header.bytes);
    let schedules =
        [Order::Cyclic, Order::Rearranged].map(|order| Epoch::new(order, slot.length(), nodes, input.channels));
    let schedule = match input.schedule {
        Order::Cyclic => schedules[0],
        Order::Rearranged => schedules[1],
    };
    let delay = input.path().delay();
    let latency = Latency::new(&schedule, slot.length(), input.channel_rate().time_for(cell), delay, nodes);
    let plane = Plane::from(clos);
    let shoal = Network::new(plane, input.node_rate, input.switch_port_rate);
    let packet = Network::new(plane, input.packet_node_rate, input.switch_port_rate);
    let parts =
        Parts { packet_switches: packet.switches, circuit_switches: shoal.switches, nodes, nic: input.price_nic };
    let draws = |network: &Network, switch_w, nic_w| Design {
        network: *network,
        power: Power::new(network.switches, switch_w, nodes, nic_w, input.rack_w),
    };
    let shoal = draws(&shoal, input.circuit_switch_w, input.shoal_nic_w);
    let packet = draws(&packet, input.packet_switch_w, input.packet_nic_w);
    let memory = Memory::new(nodes, cell);
    let mut found = Plan {
        system: NAME,
        input: input.clone(),
        most_nodes: most_nodes(ports),
        power_saving: if packet.power.total_w > 0.0 { 1.0 - shoal.power.total_w / packet.power.total_w } else { 0.0 },
        cost: Costs {
            designs: [input.nic_multiple_low, input.nic_multiple_high]
                .map(|multiple| Cost::new(&parts, input.price_circuit_switch, multiple, input.saving)),
            derivations: derivations(),
        },
        timing: Timing {
            channel_bps: input.channel_rate().as_bps(),
            guard_ps: slot.guard.total().as_ps(),
            slot_ps: slot.length().as_ps(),
            guard_share: slot.guard_share(),
            cell_bytes: cell.get(),
            payload_bytes: payload.get(),
            epoch_ps: quotient(slot.length(), nodes, input.channels).as_ps(),
            schedules,
        },
        throughput: throughput(input, cell, payload, &schedule, latency.feedback_epochs),
        latency,
        incast: Incast::new(
            input.incast_senders,
            input.incast_burst.get().div_ceil(payload.get()),
            nodes,
            schedule.length(),
            delay,
        ),
        memory,
        chip_bytes: memory.chip_bits().div_ceil(8),
        header,
        failures: table_1(&shoal.network.plane, shoal.network.planes),
        failures_nodes: Built::new(&shoal.network.plane).nodes(),
        shoal,
        packet,
        prices: input.used.clone(),
        warnings: Vec::new(),
    };
    found.warnings = warnings(&found);
    Ok(found)
}

/// k^2/2, the nodes of a full two-stage Clos (§3.2).
const fn most_nodes(switch_ports: u64) -> u64 {
    switch_ports / 2 * switch_ports
}

/// The switches, or in the words of a plan why there are none.
fn clos(nodes: u64, ports: u64) -> Result<Clos, Impossible> {
    let narrow = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    Clos::new(narrow(nodes), narrow(ports)).map_err(|error| match error {
        ClosError::Ports { .. } => Impossible::Odd { ports },
        ClosError::Nodes { most, .. } => Impossible::Nodes { nodes, ports, most: most.into() },
    })
}

fn throughput(input: &Input, cell: Bytes, payload: Bytes, schedule: &Epoch, feedback_epochs: u64) -> Throughput {
    let slot = input.slot();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a rate")]
    let part = |rate: Rate, share: f64| (float(rate.as_bps()) * share).round() as u64;
    let peak = slot.left_of(input.node_rate);
    let carried = part(slot.carries(payload, input.channels), schedule.share);
    Throughput {
        peak_bps: peak.as_bps(),
        cells_bps: slot.carries(cell, input.channels).as_bps(),
        payload_bps: carried,
        worst_peak_bps: part(peak, WORST_CASE),
        worst_payload_bps: part(Rate::from_bps(carried), WORST_CASE),
        worst_share: WORST_CASE,
        permutation_share: permutation(input.nodes, input.nodes),
        feedback_share: 1.0 / float(feedback_epochs),
    }
}

fn warnings(plan: &Plan) -> Vec<String> {
    let (input, header) = (&plan.input, &plan.header);
    let mut found = Vec::new();
    for (key, has, needs, what) in [
        ("id_bits", input.id_bits, header.id_needed, "to name every node"),
        ("feedback_bits", input.feedback_bits, header.feedback_needed, "for the longest queues (Eq. 6)"),
        ("sequence_bits", input.sequence_bits, header.sequence_needed, "to tell a cell from those that overtook it"),
    ] {
        if has < needs {
            found.push(format!(
                "{key} = {has}: {} nodes need {needs} {what}; such a header is for {} nodes at most",
                input.nodes, header.most_nodes
            ));
        }
    }
    if plan.latency.feedback_epochs > 1 {
        found.push(format!(
            "feedback takes {} epochs for some pair of nodes: a way of {} slots is longer than the {} between its two \
             directions, and a subflow over it sends one cell in so many epochs (§6.2, App. A)",
            plan.latency.feedback_epochs,
            plan.latency.delay_slots,
            plan.timing.schedules[usize::from(input.schedule == Order::Rearranged)].gap_slots
        ));
    }
    for (key, used) in ["packet_switch_w", "circuit_switch_w"].iter().zip(&input.used) {
        if used.rate_bps == Some(SECTION_5.as_bps()) && input.switch_bandwidth() != SECTION_5 {
            found.push(format!(
                "{key} = {} is that of a switch of {SECTION_5} (§5), and yours has {}: set its own",
                used.value,
                input.switch_bandwidth()
            ));
        }
    }
    if input.nodes <= input.switch_ports {
        found.push(format!(
            "nodes = {}: one switch with {} ports joins them; both networks are counted with two stages all the same",
            input.nodes, input.switch_ports
        ));
    }
    if plan.failures_nodes != input.nodes {
        let Plane { leaves, .. } = plan.shoal.network.plane;
        found.push(format!(
            "slots that failures take are counted for the {} nodes of {leaves} full leaves",
            plan.failures_nodes
        ));
    }
    found
}

#[cfg(test)]
mod tests;
