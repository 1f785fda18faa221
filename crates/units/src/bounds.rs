//! The largest quantities that an experiment may ask for.
//!
//! Instants, lengths of time and byte counts are 64-bit integers. With these bounds, held where files are read, what is computed
//! from a few of them fits: a run of [`TIME`] ends 184 times before the end of [`crate::Time`]; a [`BUFFER`] drains at
//! 1 Mb/s in 8 10^18 ps, half of it; 18 000 messages of [`MESSAGE`] are counted together. What grows with the length of a run is
//! bounded by what all links together carry, [`CARRIED`].

use crate::{Bytes, Rate, Span};

/// The longest run, and the longest that anything in it waits: 28 hours.
pub const TIME: Span = Span::from_ms(100_000_000);
/// The longest that a frame takes over a link or through a device.
pub const DELAY: Span = Span::from_ms(10_000);
/// The highest rate of a link.
pub const RATE: Rate = Rate::from_gbps(100_000);
/// The largest packet, cell or header.
pub const PACKET: Bytes = Bytes::new(1 << 30);
/// The largest memory of a device or of a connection.
pub const BUFFER: Bytes = Bytes::new(1_000_000_000_000);
/// The most packets that a queue may be allowed to hold.
pub const PACKETS: u32 = 10_000_000;
/// The longest message: 1 PB.
pub const MESSAGE: Bytes = Bytes::new(1_000_000_000_000_000);
/// The most that all links of a run may carry in its time, so that bytes can be added up whatever they belong to: 9.2 EB.
pub const CARRIED: Bytes = Bytes::new(1 << 63);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_bounds_fit() {
        let slowest = Rate::from_bps(1_000_000);
        for bytes in [PACKET, BUFFER] {
            assert!(slowest.time_for(bytes) < Span::MAX);
        }
        let queue = Bytes::new(u64::from(PACKETS) * (1 << 16));
        assert!(queue <= BUFFER);
        assert!(RATE.bytes_in(TIME) < CARRIED);
        assert!((TIME + TIME + DELAY).as_ps() < u64::MAX / 50);
    }
}
