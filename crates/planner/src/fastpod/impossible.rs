//! Settings that are each right, and cannot be together.

use crate::bill::Unpriced;
use ::arbiter::PodError;
use ::fastpod::LayoutError;
use units::{Bytes, Span};

/// Why a pod cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Impossible {
    /// More hosts than an arbiter has numbers for.
    #[error("racks = {racks}, hosts_per_rack = {hosts_per_rack}: {error}; lower one of the two")]
    Pod {
        /// ToR switches of a pod.
        racks: u64,
        /// Hosts below each.
        hosts_per_rack: u64,
        /// What the arbiter says.
        error: PodError,
    },
    /// More core switches and pods than an arbiter has numbers for.
    #[error("pods = {pods}, cores_per_plane = {cores_per_plane}: {error}; lower one of the two, or plan smaller pods")]
    Pods {
        /// Pods.
        pods: u64,
        /// Core switches above each aggregation switch.
        cores_per_plane: u64,
        /// What the arbiter says.
        error: PodError,
    },
    /// Control packets of neighbouring gaps could meet, whatever the guard band.
    #[error(
        "control = {control}: two control packets have to be shorter than a data packet, packet = {packet}, or those of neighbouring gaps meet (§3.2): shorten \
         it, or lengthen `packet`"
    )]
    Control {
        /// A control packet.
        control: Bytes,
        /// A data packet.
        packet: Bytes,
    },
    /// A guard band for which there is no room.
    #[error("guard = {guard}: {error}; {most} is the most: shorten it, or lengthen `packet`")]
    Guard {
        /// A guard band.
        guard: Span,
        /// What the layout of slots says.
        error: LayoutError,
        /// The largest for which there is room.
        most: Span,
    },
    /// Clocks or paths that would take such a guard band.
    #[error(
        "{key} = {value}: clocks that are off by {off} and paths that differ by {paths} need guard bands of {guard}, and {most} is the most for which a slot has \
         room: lower it, or lengthen `packet`"
    )]
    Clocks {
        /// The setting that needs most of it.
        key: &'static str,
        /// Its value.
        value: String,
        /// How far clocks are off.
        off: Span,
        /// By how much paths differ.
        paths: Span,
        /// The guard band that follows.
        guard: Span,
        /// The largest for which there is room.
        most: Span,
    },
    /// A part has no price or no power in the book.
    #[error(transparent)]
    Unpriced(#[from] Unpriced),
}
