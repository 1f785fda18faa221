//! What is on a switch chip, and what of it a switch without buffers has (§1, §2.1).

use schemars::JsonSchema;
use serde::Serialize;

/// Share of a chip's area that is memory: look-up tables and packet buffers (§1).
pub const MEMORY: f64 = 0.5;
/// Share that is packet processing: forwarding and buffer management (§1).
pub const PROCESSING: f64 = 0.2;
/// Share that is serial I/O (§1).
pub const SERIAL_IO: f64 = 0.3;

/// Shares of a switch chip, and what is left of it without buffers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FastpodSilicon")]
pub struct Silicon {
    /// Share of a buffered switch's area that is memory.
    pub memory: f64,
    /// Share that is packet processing.
    pub processing: f64,
    /// Share that is serial I/O.
    pub serial_io: f64,
    /// Area of a switch without buffers over a buffered one's, for the same bandwidth.
    pub area: f64,
    /// The same for power.
    pub power: f64,
    /// The least of the area: serial I/O alone, if nothing of packet processing were left.
    pub least_area: f64,
    /// Bandwidth of a chip without buffers over that of a buffered chip of the same size.
    pub bandwidth: f64,
}

impl Silicon {
    /// With such an area and power over a buffered switch's.
    pub fn new(area: f64, power: f64) -> Silicon {
        Silicon {
            memory: MEMORY,
            processing: PROCESSING,
            serial_io: SERIAL_IO,
            area,
            power,
            least_area: SERIAL_IO,
            bandwidth: 1.0 / area,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_memory_half_is_left() {
        assert!((MEMORY + PROCESSING + SERIAL_IO - 1.0).abs() < 1e-12);
        let found = Silicon::new(1.0 - MEMORY, 1.0 - MEMORY);
        assert!((found.area - 0.5).abs() < 1e-12 && (found.bandwidth - 2.0).abs() < 1e-12);
    }
}
