//! How a fabric can lose frames though nothing in it is broken, and what would keep it from that.

use super::{FabricPlan, Refusal, RunPlan};
use ::topology::Topology;
use ::workload::{Group, GroupInfo, Kind};
use fabric::Loss;
use settings::Length;
use simulation::Transports;
use units::{Bytes, Rate};

impl RunPlan {
    /// The ways in which this run can lose what its flows, those that have an end, send.
    pub(crate) fn losses(&self) -> Vec<Loss> {
        let in_flight = InFlight::of(&self.workload, &self.groups, self.fabric.mtu());
        let happens = |loss: &Loss| match loss {
            Loss::Chance { .. } | Loss::Circuits => true,
            Loss::Full { holds: Length::Bytes(bytes), .. } => in_flight.bytes > bytes.get() as f64,
            Loss::Full { holds: Length::Packets(packets), .. } => in_flight.packets > f64::from(*packets),
        };
        let finite = self.groups.iter().any(|group| group.mean_bytes.is_some());
        self.fabric.losses().into_iter().filter(|loss| finite && happens(loss)).collect()
    }
}

/// The most that flows with an end can have in flight at the same time.
struct InFlight {
    bytes: f64,
    packets: f64,
}

impl InFlight {
    fn of(groups: &[Group], infos: &[GroupInfo], mtu: Bytes) -> InFlight {
        let mut sum = InFlight { bytes: 0.0, packets: 0.0 };
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
    let (holds, cure) = fabric.holds()?;
    // Twice what there is: cells on their way and memory at the egress are not in it.
    let holds = 2.0 * holds;
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
