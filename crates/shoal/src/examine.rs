//! Whether a schedule and its switches are what §3.2 and App. A say: looked at slot by slot, as a reader of the paper would.

use crate::clos::{Clos, ClosError, Configuration, Decomposition};
use crate::schedule::{Order, Schedule, ScheduleError};
use schemars::JsonSchema;
use serde::Serialize;

/// Why there is nothing to look at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExamineError {
    /// No such schedule.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// No such switches.
    #[error(transparent)]
    Clos(#[from] ClosError),
}

/// What a fabric's schedule and switches do in an epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ShoalExamination")]
pub struct Examination {
    /// Slots of an epoch.
    pub epoch: u32,
    /// Whether each ordered pair of nodes is joined exactly once.
    pub each_pair_once: bool,
    /// Whether the switches, each set as its own schedule says, carry every cell over leaf, spine and leaf to where the fabric's schedule
    /// sends it, and no port takes two cells in a slot.
    pub decomposes: bool,
    /// Slots between the circuits of a pair, one way and the other: the least, over all pairs.
    pub least_distance: u32,
    /// The most, over all pairs.
    pub most_distance: u32,
    /// Of a node: turns in which it sends to nobody, over all channels.
    pub idle_turns: u32,
}

/// Goes through an epoch of `nodes` nodes on `channels` channels, over switches of `ports` ports.
///
/// # Errors
/// If there is no such fabric.
pub fn examine(nodes: u32, channels: u32, ports: u32, order: Order) -> Result<Examination, ExamineError> {
    let schedule = Schedule::new(nodes, channels, order)?;
    let clos = Clos::new(nodes, ports)?;
    let fabric = Decomposition::new(clos, schedule.clone());
    let mut met = vec![0_u32; (nodes * nodes) as usize];
    let (mut decomposes, mut idle) = (true, 0);
    for slot in 0..schedule.epoch() {
        for channel in 0..channels {
            let switches = fabric.configuration(slot, channel);
            decomposes &= no_port_twice(clos, &switches);
            idle += u32::from(schedule.to(slot, channel, 0).is_none());
            for source in 0..nodes {
                let to = schedule.to(slot, channel, source);
                if let Some(to) = to {
                    met[(source * nodes + to) as usize] += 1;
                }
                decomposes &= through(clos, &switches, source) == to;
            }
        }
    }
    let pairs = || (0..nodes).flat_map(|one| (0..nodes).map(move |other| (one, other)));
    let each_pair_once = pairs().all(|(one, other)| met[(one * nodes + other) as usize] == u32::from(one != other));
    let distances = || pairs().filter_map(|(one, other)| schedule.distance(one, other));
    Ok(Examination {
        epoch: schedule.epoch(),
        each_pair_once,
        decomposes,
        least_distance: distances().min().unwrap_or(0),
        most_distance: distances().max().unwrap_or(0),
        idle_turns: idle,
    })
}

/// Where a cell of `source` comes out, switch by switch.
fn through(clos: Clos, switches: &Configuration, source: u32) -> Option<u32> {
    let leaf = clos.leaf_of(source);
    let up = switches.leaf(leaf, clos.port_of(source))?;
    let spine = up.checked_sub(clos.half())?;
    let other = switches.spine(spine, leaf)?;
    let port = switches.leaf(other, clos.uplink(spine))?;
    (port < clos.half()).then_some(other * clos.half() + port)
}

/// Whether no switch sends two cells out of one port.
fn no_port_twice(clos: Clos, switches: &Configuration) -> bool {
    let leaves = (0..clos.leaves()).all(|leaf| all_differ(clos, |port| switches.leaf(leaf, port)));
    leaves && (0..clos.spines()).all(|spine| all_differ(clos, |port| switches.spine(spine, port)))
}

fn all_differ(clos: Clos, out_of: impl Fn(u32) -> Option<u32>) -> bool {
    let mut taken = vec![false; clos.ports() as usize];
    (0..clos.ports()).filter_map(out_of).all(|port| !std::mem::replace(&mut taken[port as usize], true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prototype_and_the_rack() {
        let prototype = examine(8, 1, 4, Order::Rearranged).expect("eight nodes over six switches");
        assert!(prototype.each_pair_once && prototype.decomposes);
        assert_eq!((prototype.epoch, prototype.least_distance, prototype.idle_turns), (8, 4, 1));
        let rack = examine(512, 4, 64, Order::Rearranged).expect("the rack of section 7");
        assert!(rack.each_pair_once && rack.decomposes);
        assert_eq!((rack.epoch, rack.least_distance, rack.idle_turns), (128, 64, 1));
        assert!(examine(9, 1, 4, Order::Cyclic).is_err_and(|error| error.to_string().contains("9")));
    }

    #[test]
    fn what_does_not_fit_is_seen() {
        // Switches set for another slot do not carry this one's cells.
        let schedule = Schedule::new(8, 1, Order::Cyclic).expect("a schedule");
        let fabric = Decomposition::new(Clos::new(8, 4).expect("switches"), schedule.clone());
        let wrong = fabric.configuration(1, 0);
        assert!((0..8).any(|source| through(fabric.clos(), &wrong, source) != schedule.to(0, 0, source)));
    }
}
