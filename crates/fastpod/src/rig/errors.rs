//! Why a topology is no pod.

use crate::layout::LayoutError;
use arbiter::control::LARGEST_NETWORK;
use units::{Bytes, Rate, Span};

/// Why a topology is no pod.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A host with several links.
    #[error("host {host} has {links} links: a host of a pod has one, to its ToR switch")]
    Links {
        /// Which.
        host: String,
        /// How many it has.
        links: usize,
    },
    /// Racks that are not alike.
    #[error("{tor} has {hosts} hosts and {other} has {other_hosts}: all ToR switches of a pod have as many")]
    Uneven {
        /// A ToR switch.
        tor: String,
        /// Its hosts.
        hosts: usize,
        /// Another.
        other: String,
        /// Its hosts.
        other_hosts: usize,
    },
    /// A switch above that a rack does not reach by one link.
    #[error("{tor} has {links} links to {aggregation}: a pod has one from each ToR switch to each aggregation switch")]
    NotAPod {
        /// The ToR switch.
        tor: String,
        /// The switch above.
        aggregation: String,
        /// How many links there are between them.
        links: usize,
    },
    /// No switch above the ToR switches.
    #[error("{tor} has no switch above it: a pod has aggregation switches")]
    NoAggregation {
        /// A ToR switch.
        tor: String,
    },
    /// Switches above the aggregation switches of a pod that is alone, or above core switches.
    #[error(
        "{switch} is above the aggregation switches and joins no two pods: leave it out, or have a link from it to an aggregation switch of each pod"
    )]
    Above {
        /// One of them.
        switch: String,
    },
    /// Switches above the aggregation switches, where queues are before links.
    #[error("{switch} is above the aggregation switches: this fabric is one pod")]
    OnePod {
        /// One of them.
        switch: String,
    },
    /// Pods that are not alike.
    #[error(
        "the pod of {tor} has {racks} ToR switches and {aggregations} aggregation switches, and that of {other} has {other_racks} and {other_aggregations}: all pods are alike"
    )]
    UnevenPods {
        /// A ToR switch.
        tor: String,
        /// ToR switches of its pod.
        racks: usize,
        /// Aggregation switches of its pod.
        aggregations: usize,
        /// A ToR switch of another.
        other: String,
        /// Its pod's.
        other_racks: usize,
        /// Its pod's.
        other_aggregations: usize,
    },
    /// A core switch that does not join all pods alike.
    #[error(
        "{core} is not joined to one aggregation switch of each pod, of the same number in each ({found} of {pods} are there for number {plane}): a core switch has one port for every pod"
    )]
    Core {
        /// Which.
        core: String,
        /// Pods of which it is joined to one aggregation switch, and that is of this number.
        found: usize,
        /// Pods.
        pods: usize,
        /// The number of its aggregation switch in the first pod that it is joined to.
        plane: usize,
    },
    /// Aggregation switches with different numbers of core switches above.
    #[error("{aggregation} has {cores} core switches above and {other} has {other_cores}: all have as many")]
    UnevenPlanes {
        /// An aggregation switch.
        aggregation: String,
        /// Core switches above it.
        cores: usize,
        /// Another.
        other: String,
        /// Core switches above it.
        other_cores: usize,
    },
    /// More pods than core switches can speak of.
    #[error("a core switch can speak of {LARGEST_NETWORK} pods, not {pods}")]
    Pods {
        /// How many.
        pods: u16,
    },
    /// No room for what is under way when a core switch says stop.
    #[error(
        "holds less than what {pods} pods can send to a core switch until they have heard that it is full; write at least {least}, or lower fabric.batch"
    )]
    CoreBuffer {
        /// Pods.
        pods: u16,
        /// The least that is enough.
        least: Bytes,
    },
    /// Links that are not equally fast.
    #[error(
        "the link from {from} to {to} has {rate}, and that of the first host {first}: all links of a pod are equally fast, since nothing can wait in it"
    )]
    Rates {
        /// Where it begins.
        from: String,
        /// Where it ends.
        to: String,
        /// Its rate.
        rate: Rate,
        /// That of the first host's link.
        first: Rate,
    },
    /// Paths that nobody can compensate for.
    #[error(
        "packets over {one} and over {other} reach {at} {apart} apart, which is more than the guard band of {guard}: hosts can send earlier or later, but not by path"
    )]
    Lengths {
        /// A switch.
        one: String,
        /// Another.
        other: String,
        /// Where their packets meet.
        at: String,
        /// By how much they differ.
        apart: Span,
        /// The guard band.
        guard: Span,
    },
    /// Too many hosts or links for the arbiter.
    #[error(transparent)]
    Pod(#[from] arbiter::PodError),
    /// No slot.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// An arbiter that is too slow or too far away.
    #[error(
        "makes {slots} slots of {slot} pass from a request to the slot that it can be given, but hosts and arbiters can speak of the next {most} only; make the arbiter faster or the slot longer"
    )]
    TooFarAhead {
        /// Slots ahead.
        slots: u64,
        /// The length of each.
        slot: Span,
        /// The most there may be.
        most: u64,
    },
}
