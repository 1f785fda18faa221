//! What XFabric is compared with (§6.1): the 3D torus and the random graph, which stay as they are, and OSA, which follows demand
//! over a fabric in which any port can be joined with any other.

pub mod osa;
mod random;
#[cfg(test)]
mod tests;
mod torus;

pub use random::random_graph;
pub use torus::{most_cubic, torus};

use crate::demand::index;
use crate::generate::Uplinks;
use crate::graph::paths::Distances;
use crate::{MOST_PORTS, MOST_SOCS};

/// Why there is no such topology.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaselineError {
    /// Too few or too many.
    #[error("{what} joins 2 to 16384 SoCs, not {socs}")]
    Socs {
        /// Which topology.
        what: &'static str,
        /// How many it was given.
        socs: u64,
    },
    /// Too few or too many.
    #[error("{what} needs SoCs of 1 to 16 ports, not {ports}")]
    Ports {
        /// Which topology.
        what: &'static str,
        /// How many it was given.
        ports: u32,
    },
    /// More uplinks than SoCs, or none.
    #[error("{uplinks} uplinks for {socs} SoCs; write 1 to {socs}")]
    Uplinks {
        /// How many uplinks.
        uplinks: u32,
        /// How many SoCs.
        socs: u32,
    },
}

fn check(what: &'static str, socs: u32, ports: u32) -> Result<(), BaselineError> {
    if !(2..=MOST_SOCS).contains(&socs) {
        return Err(BaselineError::Socs { what, socs: u64::from(socs) });
    }
    if !(1..=MOST_PORTS).contains(&ports) {
        return Err(BaselineError::Ports { what, ports });
    }
    Ok(())
}

/// Uplinks of a topology that does not place them (§6.1): "uniformly distributed across the SoCs", so every `n / l`-th has one, and
/// "each SoC sends ingress/egress traffic to its nearest uplink in terms of path length". Of equally near ones it takes the one
/// with the fewest SoCs so far, and of those the first.
///
/// # Errors
/// For no uplink and more than SoCs.
pub fn nearest_uplinks(distances: &Distances, uplinks: u32) -> Result<Uplinks, BaselineError> {
    let socs = distances.socs();
    if uplinks == 0 || uplinks > socs {
        return Err(BaselineError::Uplinks { uplinks, socs });
    }
    let places = (0..u64::from(uplinks)).map(|i| (i * u64::from(socs) / u64::from(uplinks)) as u32).collect();
    Ok(to_nearest(distances, places))
}

/// The same for uplinks in any places.
///
/// # Panics
/// Without an uplink.
pub fn to_nearest(distances: &Distances, places: Vec<u32>) -> Uplinks {
    let mut members = vec![0_u32; places.len()];
    let mut assigned = Vec::with_capacity(index(distances.socs()));
    for soc in 0..distances.socs() {
        let distance = |place: usize| distances.hops(soc, places[place]).unwrap_or(u32::MAX);
        let nearest = (0..places.len()).min_by_key(|&place| (distance(place), members[place]));
        let uplink = nearest.expect("there is an uplink");
        members[uplink] += 1;
        assigned.push(uplink as u32);
    }
    Uplinks { places, assigned }
}
