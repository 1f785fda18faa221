//! How long a failed link is used before every adapter knows, and what knowing costs (§5.9, App. E, Table 4).

use schemars::JsonSchema;
use serde::Serialize;
use units::{Bytes, Rate, Span};

/// How devices tell each other which adapters they reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reachability {
    /// f, the clock, in Hz.
    pub clock_hz: f64,
    /// c, clocks between two messages on a link.
    pub interval_clocks: u64,
    /// b, adapters that a message speaks of.
    pub bitmap: u64,
    /// B, its size.
    pub message: Bytes,
    /// th, updates in a row that say the same before it is believed.
    pub updates: u64,
    /// pd, delay of a link that is not of the last tier, or of the only tier.
    pub near: Span,
    /// pd, delay of a link of the last tier of several.
    pub far: Span,
}

/// What follows for a network in which a link has failed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "StardustRecovery")]
pub struct Recovery {
    /// t' = c / f, from message to message on a link.
    pub interval_ps: u64,
    /// M, messages for the whole table.
    pub messages: u128,
    /// Hops that the news travels: 2n - 1.
    pub hops: u64,
    /// t = t' M (2n - 1): one update to the farthest adapter.
    pub one_update_ps: u64,
    /// t th: as many updates as it takes to be believed.
    pub updates_ps: u64,
    /// The same with each hop's propagation delay on every message, as the last equation of App. E has it.
    pub with_propagation_ps: u64,
    /// Share of a link's rate that messages take.
    pub overhead: f64,
}

impl Reachability {
    /// t' = c / f.
    #[expect(clippy::cast_precision_loss, reason = "clocks between messages are far below 2^53")]
    pub fn interval(&self) -> Span {
        Span::from_secs_f64(self.interval_clocks as f64 / self.clock_hz)
    }

    /// M = ceil(N / (h b)), for N hosts with h an adapter.
    pub fn messages(&self, hosts: u64, hosts_per_adapter: u64) -> u128 {
        u128::from(hosts).div_ceil(u128::from(hosts_per_adapter) * u128::from(self.bitmap))
    }

    /// All of it for a network of `tiers`. The failed link is between an adapter and its element. The news goes from that
    /// element up to the last tier, down again and to the farthest adapter, which is 2n - 1 hops: with two tiers or more,
    /// two of them are links of the last tier.
    #[expect(clippy::cast_precision_loss, reason = "rates and sizes are far below 2^53")]
    pub fn recovery(&self, hosts: u64, hosts_per_adapter: u64, tiers: u32, link: Rate) -> Recovery {
        let interval = self.interval();
        let messages = self.messages(hosts, hosts_per_adapter);
        let rounds = u64::try_from(messages).unwrap_or(u64::MAX);
        let hops = (2 * u64::from(tiers)).saturating_sub(1);
        let far = if tiers > 1 { 2 } else { 0 };
        let once = interval.saturating_mul(rounds).saturating_mul(hops);
        let delays = self.near.saturating_mul(hops - far).as_ps().saturating_add(self.far.saturating_mul(far).as_ps());
        let propagation = delays.saturating_mul(rounds).saturating_mul(self.updates);
        let updates = once.saturating_mul(self.updates);
        Recovery {
            interval_ps: interval.as_ps(),
            messages,
            hops,
            one_update_ps: once.as_ps(),
            updates_ps: updates.as_ps(),
            with_propagation_ps: updates.as_ps().saturating_add(propagation),
            overhead: self.message.bits() as f64 / (interval.as_secs_f64() * link.as_bps() as f64),
        }
    }
}

/// Capacity that the failure of one serial link takes away, over what it takes with bundles of `bundle`: "the improvement
/// in resilience equals the link bundling" (§5.9).
pub fn link_failure(link: Rate, bundle: u64) -> Rate {
    Rate::from_bps(link.as_bps().saturating_mul(bundle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table_4() -> Reachability {
        Reachability {
            clock_hz: 1e9,
            interval_clocks: 10_000,
            bitmap: 128,
            message: Bytes::new(24),
            updates: 3,
            near: Span::from_ns(50),
            far: Span::from_ns(500),
        }
    }

    #[test]
    fn table_4_recovers_in_652_us() {
        let found = table_4().recovery(32_000, 40, 2, Rate::from_gbps(50));
        assert_eq!((found.messages, found.hops), (7, 3));
        assert_eq!(found.interval_ps, Span::from_us(10).as_ps());
        assert_eq!(found.one_update_ps, Span::from_us(210).as_ps());
        assert_eq!(found.updates_ps, Span::from_us(630).as_ps());
        assert_eq!(found.with_propagation_ps, 652_050_000);
        assert!((found.overhead - 0.000_384).abs() < 1e-15);
    }

    #[test]
    fn one_tier_has_one_hop_and_no_far_link() {
        let found = table_4().recovery(1_000, 40, 1, Rate::from_gbps(50));
        assert_eq!((found.messages, found.hops, found.with_propagation_ps), (1, 1, 3 * 10_050_000));
    }

    #[test]
    fn a_bundle_falls_as_a_whole() {
        assert_eq!(link_failure(Rate::from_gbps(50), 8), Rate::from_gbps(400));
    }

    proptest! {
        #[test]
        fn larger_networks_take_no_less(hosts in 1u64..1_000_000, more in 0u64..1_000_000, tiers in 1u32..5) {
            let of = |hosts, tiers| table_4().recovery(hosts, 40, tiers, Rate::from_gbps(50)).with_propagation_ps;
            prop_assert!(of(hosts, tiers) <= of(hosts + more, tiers));
            prop_assert!(of(hosts, tiers) < of(hosts, tiers + 1));
        }
    }
}
