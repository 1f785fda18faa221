//! The two synthetic patterns of §6.4, Fig 3.

use super::{WorkloadError, in_range};
use crate::demand::{Demand, index};
use engine::Seed;

/// What each pair that talks sends each way: only ratios count.
const BYTES: u64 = 1_000_000;

/// Clusters of so many SoCs, drawn at random from the rack; each SoC sends as much to every other of its cluster (§6.4, Fig 3a). The
/// last cluster has what is left over.
///
/// # Errors
/// For a cluster of less than two or more than the rack, and racks that [`Demand`] refuses.
pub fn clustered(socs: u32, cluster: u32, seed: Seed) -> Result<Demand, WorkloadError> {
    let none = Demand::none(socs)?;
    in_range("cluster", cluster, 2, socs)?;
    let mut order: Vec<u32> = (0..socs).collect();
    seed.stream("xfabric.workload.clustered", 0).shuffle(&mut order);
    let pairs = order.chunks(index(cluster)).flat_map(|members| {
        members.iter().flat_map(move |&a| members.iter().filter(move |&&b| a != b).map(move |&b| (a, b, BYTES)))
    });
    Ok(none.plus(pairs)?)
}

/// Each SoC sends as much to each of so many others, drawn at random (§6.4, Fig 3b).
///
/// # Errors
/// For no destination and more than the other SoCs, and racks that [`Demand`] refuses.
pub fn random_destinations(socs: u32, destinations: u32, seed: Seed) -> Result<Demand, WorkloadError> {
    let none = Demand::none(socs)?;
    in_range("destinations", destinations, 1, socs - 1)?;
    let pairs = (0..socs).flat_map(|from| {
        let mut others: Vec<u32> = (0..socs).filter(|&to| to != from).collect();
        seed.stream("xfabric.workload.destinations", u64::from(from)).shuffle(&mut others);
        others.truncate(index(destinations));
        others.into_iter().map(move |to| (from, to, BYTES))
    });
    Ok(none.plus(pairs)?)
}
