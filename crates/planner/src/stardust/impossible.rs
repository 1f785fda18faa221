//! Settings that are each right, and cannot be together.

use crate::bill::Unpriced;
use units::Rate;

/// Why a network cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Impossible {
    /// A device has not one port of such a bundle, or not two where it stands below another tier.
    #[error(
        "{key} = {bandwidth}: room for too few ports of {bundle} x {link}, {ports} where a fabric needs 2: raise it, or use \
         smaller bundles or links"
    )]
    Ports {
        /// Serial links in a bundle.
        bundle: u64,
        /// Bandwidth of the device.
        bandwidth: Rate,
        /// Rate of a serial link.
        link: Rate,
        /// Ports it has.
        ports: u64,
        /// The setting with the bandwidth.
        key: &'static str,
    },
    /// Hosts and uplinks of an edge device take more than it has.
    #[error("{edge} = {bandwidth}: {load} take {wanted}; {cure}")]
    Edge {
        /// The setting with the bandwidth.
        edge: &'static str,
        /// The edge device's bandwidth.
        bandwidth: Rate,
        /// Its hosts and uplinks, in words.
        load: String,
        /// What they take together.
        wanted: Rate,
        /// What would fit.
        cure: String,
    },
    /// A part has no price or no power in the book.
    #[error(transparent)]
    Unpriced(#[from] Unpriced),
    /// No number of tiers is enough.
    #[error(
        "hosts = {hosts}: switches with {radix} ports, {down} of them down, join no more than {most} hosts however many \
         tiers there are: raise `switch_bandwidth`, or lower `bundles` or `fabric_oversubscription`"
    )]
    Hosts {
        /// Hosts that are wanted.
        hosts: u64,
        /// Ports of a switch.
        radix: u64,
        /// Those of them that go down.
        down: u64,
        /// What four tiers can join.
        most: u128,
    },
    /// Regular patterns are only searched for up to so many tiers.
    #[error(
        "counting = regular: with bundles of {bundle} it takes {tiers} tiers, and patterns are known up to {most}: \
         count ports, or take devices with more of them"
    )]
    Regular {
        /// Serial links in a bundle.
        bundle: u64,
        /// Tiers it takes.
        tiers: u32,
        /// Most tiers.
        most: u32,
    },
}
