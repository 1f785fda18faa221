//! How a fabric can lose frames though nothing in it is broken, and what would keep it from that.

use super::{FabricPlan, RackPlan, Refusal, RunPlan};
use crate::quantity::QueueLength;
use ::topology::Topology;
use ::workload::{Group, GroupInfo, Kind};
use ethernet::Length;
use simulation::Transports;
use units::{Bytes, Rate};

/// A way in which a fabric can lose frames.
#[derive(Debug, Clone, PartialEq)]
pub enum Loss {
    /// Links lose frames by chance.
    Chance,
    /// Circuits change under what is on them.
    Circuits,
    /// Something can fill.
    Full {
        /// What, and how much it holds, such as `"a queue of 100 packets"`.
        what: String,
        /// How much that is.
        holds: Length,
        /// What to write so that it does not overflow.
        cure: &'static str,
    },
}

/// A queue of so much is taken for one that never fills.
const NEVER_FULL: Bytes = Bytes::new(1_000_000_000);

impl FabricPlan {
    /// All the ways in which this fabric can lose frames though nothing is broken.
    pub fn losses(&self) -> Vec<Loss> {
        match self {
            FabricPlan::Ethernet(config) => of_ethernet(config, "fabric.queue = \"1 GB\""),
            FabricPlan::Stardust(config) if config.adapter.pause_threshold.is_some() => Vec::new(),
            FabricPlan::Stardust(config) => {
                let adapter = &config.adapter;
                let (buffer, share) = (adapter.buffer.get() as f64, adapter.voq_share);
                // One VOQ takes packets while it holds less than its share of what is free.
                let holds = Length::Bytes(Bytes::new((buffer * share / (1.0 + share)) as u64));
                let what = format!("an adapter's memory (fabric.buffer) of {}", adapter.buffer);
                vec![Loss::Full { what, holds, cure: "fabric.pause_threshold, at half of fabric.buffer" }]
            }
            FabricPlan::XFabric(config) => of_xfabric(config),
            FabricPlan::Gateways(plan) => {
                let (cure, mut losses) = match &plan.rack {
                    RackPlan::Shoal(_) => ("a larger fabric.gateways.buffer", Vec::new()),
                    RackPlan::XFabric(rack) => ("a larger fabric.uplinks.buffer", of_xfabric(rack)),
                };
                losses.extend(of_ethernet(&plan.outside, "fabric.outside.queue = \"1 GB\""));
                let buffer = plan.gateways.buffer;
                let what = format!("a gateway's buffer of {buffer}");
                losses.push(Loss::Full { what, holds: Length::Bytes(buffer), cure });
                losses
            }
            FabricPlan::Shoal(_) | FabricPlan::Fluid(_) => Vec::new(),
        }
    }
}

fn of_ethernet(config: &ethernet::Config, cure: &'static str) -> Vec<Loss> {
    let lossy = config.port.loss > 0.0 || config.rules.iter().any(|rule| rule.loss.is_some_and(|loss| loss > 0.0));
    let queues = config.rules.iter().filter_map(|rule| rule.queue).chain([config.port.queue]);
    let (framed, in_packets) =
        ((config.mtu + config.framing).get(), |queue: &Length| matches!(queue, Length::Packets(_)));
    let bytes = |queue: &Length| match queue {
        Length::Bytes(bytes) => bytes.get(),
        Length::Packets(packets) => u64::from(*packets).saturating_mul(framed),
    };
    let shortest = queues.filter(|queue| in_packets(queue) || bytes(queue) < NEVER_FULL.get()).min_by_key(bytes);
    let full =
        shortest.map(|holds| Loss::Full { what: format!("a port's queue of {}", QueueLength(holds)), holds, cure });
    lossy.then_some(Loss::Chance).into_iter().chain(full).collect()
}

fn of_xfabric(config: &::xfabric::network::Config) -> Vec<Loss> {
    let (what, holds) = (format!("a port's queue of {}", config.queue), Length::Bytes(config.queue));
    let full = Loss::Full { what, holds, cure: "a larger fabric.queue" };
    config.period.map(|_| Loss::Circuits).into_iter().chain([full]).collect()
}

impl RunPlan {
    /// The ways in which this run can lose what its flows, those that have an end, send.
    pub(crate) fn losses(&self) -> Vec<Loss> {
        let under_way = UnderWay::of(&self.workload, &self.groups, self.fabric.mtu());
        let happens = |loss: &Loss| match loss {
            Loss::Chance | Loss::Circuits => true,
            Loss::Full { holds: Length::Bytes(bytes), .. } => under_way.bytes > bytes.get() as f64,
            Loss::Full { holds: Length::Packets(packets), .. } => under_way.packets > f64::from(*packets),
        };
        let finite = self.groups.iter().any(|group| group.mean_bytes.is_some());
        self.fabric.losses().into_iter().filter(|loss| finite && happens(loss)).collect()
    }
}

/// The most that flows with an end can have under way at the same time.
struct UnderWay {
    bytes: f64,
    packets: f64,
}

impl UnderWay {
    fn of(groups: &[Group], infos: &[GroupInfo], mtu: Bytes) -> UnderWay {
        let mut sum = UnderWay { bytes: 0.0, packets: 0.0 };
        for (group, info) in groups.iter().zip(infos) {
            let Some(mean) = info.mean_bytes else { continue };
            let flows = info.flows.map_or(f64::INFINITY, |flows| flows as f64) / times(&group.kind);
            sum.bytes += flows * mean;
            sum.packets += flows * (mean / mtu.get() as f64).ceil();
        }
        sum
    }
}

/// How often a workload does the same, one time after the other.
fn times(kind: &Kind) -> f64 {
    let times = match kind {
        Kind::Permutation(it) => it.rounds.count,
        Kind::AllToMany(it) => it.rounds.count,
        Kind::Incast(it) => it.rounds.count,
        Kind::RingAllReduce(it) | Kind::TreeAllReduce(it) => it.repeat,
        Kind::CollectiveAllToAll { collective, .. } => collective.repeat,
        Kind::AllToAll(_) | Kind::Poisson(_) | Kind::Background(_) | Kind::ClosedLoop(_) | Kind::Trace { .. } => 1,
    };
    times.max(1) as f64
}

/// Data that is lost for certain, and of which workload: an incast sends more at once than its receiver's link carries meanwhile and all buffers hold. `direct`
/// sends at the rate of the hosts' links whatever happens.
pub(super) fn must_lose(
    transports: &Transports,
    fabric: &FabricPlan,
    topology: &Topology,
    workload: &[Group],
    groups: &[GroupInfo],
) -> Option<(usize, Refusal)> {
    // Twice what there is: cells on their way and memory at the egress are not in it.
    let (holds, cure) = match fabric {
        FabricPlan::Ethernet(config) => (2.0 * all_queues(config, topology), "fabric.queue = \"1 GB\""),
        FabricPlan::Stardust(config) if config.adapter.pause_threshold.is_none() => {
            let all = f64::from(topology.switches()) * config.adapter.buffer.get() as f64;
            (2.0 * all, "fabric.pause_threshold, at half of fabric.buffer")
        }
        FabricPlan::Stardust(_)
        | FabricPlan::Shoal(_)
        | FabricPlan::XFabric(_)
        | FabricPlan::Gateways(_)
        | FabricPlan::Fluid(_) => return None,
    };
    let rates = || (0..topology.hosts()).map(|host| topology.host_rate(host));
    let (slowest, fastest) = (rates().min()?, rates().max()?);
    let seconds = |bytes: f64, rate: Rate| bytes * 8.0 / rate.as_bps() as f64;
    workload.iter().zip(groups).enumerate().find_map(|(index, (group, info))| {
        let (Kind::Incast(incast), ::transport::Config::Direct(_)) = (&group.kind, transports.of(index)) else {
            return None;
        };
        let Some(::workload::sizes::Sizes::Fixed(size)) = &incast.size else { return None };
        let size = size.get() as f64;
        let sent = info.flows? as f64 / times(&group.kind) * size;
        let carried = (seconds(size, slowest) + group.jitter.as_secs_f64()) * fastest.as_bps() as f64 / 8.0;
        let bytes = |bytes: f64| Bytes::new(bytes as u64);
        let refusal = Refusal::MustLose {
            workload: group.name.clone(),
            sent: bytes(sent),
            carried: bytes(carried),
            holds: bytes(holds / 2.0),
            cure,
        };
        (sent > carried + holds).then_some((index, refusal))
    })
}

/// What the ports of all switches hold.
fn all_queues(config: &ethernet::Config, topology: &Topology) -> f64 {
    let framed = (config.mtu + config.framing).get() as f64;
    let bytes = |queue: Length| match queue {
        Length::Bytes(bytes) => bytes.get() as f64,
        Length::Packets(packets) => f64::from(packets) * framed,
    };
    let mut queues = vec![bytes(config.port.queue); topology.links().len()];
    for rule in &config.rules {
        for link in rule.queue.iter().flat_map(|_| &rule.links) {
            queues[*link as usize] = rule.queue.map_or(0.0, bytes);
        }
    }
    let of_switch = |(link, _): &(&::topology::Link, f64)| link.from.0 >= topology.hosts();
    topology.links().iter().zip(queues).filter(of_switch).map(|(_, bytes)| bytes).sum()
}
