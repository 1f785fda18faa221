//! Incast: what the fabric lets in and what waits at its edge (§5.4).

use schemars::JsonSchema;
use serde::Serialize;
use units::{Bytes, Rate};

/// Many adapters send a burst each to one port, all at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Incast {
    /// Adapters that send.
    pub sources: u64,
    /// What each of them sends.
    pub burst: Bytes,
    /// Rate at which a burst comes into its adapter; §5.4's numbers follow if it is the port's rate.
    pub arrival: Rate,
    /// Rate of the port.
    pub port: Rate,
    /// Packet buffer of an adapter, or of a ToR.
    pub buffer: Bytes,
}

/// What becomes of a burst that every adapter sends to one port.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "StardustIncast")]
pub struct Absorbed {
    /// What the destination's credits let into the fabric, from all sources together.
    pub admitted_bps: u64,
    /// The most that waits at each source: when its burst has come in whole.
    pub ingress_bytes: f64,
    /// Share of a burst that waits then.
    pub waiting: f64,
    /// Whether the sources' buffers hold it, so that nothing is lost.
    pub held: bool,
    /// Buffer for this destination with Stardust: of all sources.
    pub buffer_bytes: u128,
    /// The most that would wait at the destination's ToR in a fabric that pushes everything there.
    pub pushed_bytes: f64,
    /// What such a ToR would have no room for, and drop or answer with pause.
    pub overflow_bytes: f64,
}

impl Incast {
    /// What becomes of it. Each source gets an equal share of the credits.
    #[expect(clippy::cast_precision_loss, reason = "rates and sizes are far below 2^53")]
    pub fn absorbed(&self) -> Absorbed {
        let (sources, burst) = (self.sources as f64, self.burst.get() as f64);
        let share = self.port.as_bps() as f64 / sources;
        // While a burst comes in at its rate, its source sends at its share of the port.
        let waiting = (1.0 - share / self.arrival.as_bps() as f64).max(0.0);
        let pushed = sources * burst * waiting;
        Absorbed {
            admitted_bps: self.port.as_bps(),
            ingress_bytes: burst * waiting,
            waiting,
            held: burst * waiting <= self.buffer.get() as f64,
            buffer_bytes: u128::from(self.sources) * u128::from(self.buffer.get()),
            pushed_bytes: pushed,
            overflow_bytes: (pushed - self.buffer.get() as f64).max(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn section_5_4() {
        let found = Incast {
            sources: 128,
            burst: Bytes::new(1_000_000),
            arrival: Rate::from_gbps(50),
            port: Rate::from_gbps(50),
            buffer: Bytes::new(32_000_000),
        }
        .absorbed();
        assert_eq!(found.admitted_bps, 50_000_000_000);
        assert!((found.ingress_bytes - 992_187.5).abs() < 1e-6, "0.99 MB at each, 99% of it");
        assert!(found.held);
        assert_eq!(found.buffer_bytes, 128 * 32_000_000);
        assert!((found.overflow_bytes - 95e6).abs() < 1e-3, "127 MB come, 32 MB fit");
    }

    #[test]
    fn one_source_at_the_port_s_rate_never_waits() {
        let port = Rate::from_gbps(50);
        let buffer = Bytes::new(1);
        let found = Incast { sources: 1, burst: Bytes::new(1_000_000), arrival: port, port, buffer }.absorbed();
        assert_eq!((found.ingress_bytes, found.overflow_bytes, found.held), (0.0, 0.0, true));
    }
}
