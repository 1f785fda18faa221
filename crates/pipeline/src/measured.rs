//! What a run has found.

use schemars::JsonSchema;
use serde::Serialize;

/// How much of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[schemars(rename = "PipelineTally")]
pub struct Tally {
    /// Packets or cells that the data path moves.
    pub units: u64,
    /// Packets, counted with the unit that has the last byte.
    pub packets: u64,
    /// Bytes of packets.
    pub payload: u64,
    /// Bytes of the lines, preamble and gap included.
    pub line_bytes: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, unit: &crate::source::Unit) {
        self.units += 1;
        self.packets += u64::from(unit.packets);
        self.payload += u64::from(unit.payload);
        self.line_bytes += u64::from(unit.line_bytes);
    }
}

/// A run's measured window, and the sums over the whole run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Measured {
    /// Clocks of the window.
    pub clocks: u64,
    /// Clock, in Hz.
    pub clock_hz: u64,
    /// Rate of all lines together, in b/s.
    pub lines_bps: u64,
    /// What the lines brought in the window.
    pub offered: Tally,
    /// What left the data path in the window.
    pub delivered: Tally,
    /// What found no room at its port in the window.
    pub dropped: Tally,
    /// Bytes of packets that what the lines brought could have held: more than they did hold where cells are padded.
    pub capacity: u64,
    /// Bytes that the lines could have brought while they waited for room.
    pub paused_line_bytes: u64,
    /// Over the whole run: brought, delivered, dropped, and still inside at its end.
    pub whole: [Tally; 4],
}

impl Measured {
    /// Share of what the lines could bring that was delivered as bytes of packets: 1 where the lines are full, the data
    /// path keeps up, and nothing is padding.
    pub fn throughput(&self) -> f64 {
        share(self.delivered.payload as f64, self.capacity as f64 * self.could_bring() / self.offered.line_bytes as f64)
    }
    /// Share of the line rate that the data path keeps up with, padding or not.
    pub fn line_share(&self) -> f64 {
        share(self.delivered.line_bytes as f64, self.could_bring())
    }
    /// Whether the data path keeps up with its lines: nothing was dropped, and no line waited.
    pub fn keeps_up(&self) -> bool {
        self.dropped.units == 0 && self.paused_line_bytes == 0
    }
    /// Bytes of packets delivered, in b/s.
    pub fn goodput_bps(&self) -> f64 {
        self.per_second(8 * self.delivered.payload)
    }
    /// Packets delivered a second.
    pub fn packets_per_second(&self) -> f64 {
        self.per_second(self.delivered.packets)
    }
    /// How many times faster the data path would have to be to keep up: the number of such data paths side by side that
    /// the lines need (§2.3, Fig. 3).
    pub fn pipelines_needed(&self) -> f64 {
        self.could_bring() / self.delivered.line_bytes as f64
    }
    /// What full lines bring in the window, in bytes of the lines.
    fn could_bring(&self) -> f64 {
        (self.offered.line_bytes + self.paused_line_bytes) as f64
    }
    fn per_second(&self, number: u64) -> f64 {
        number as f64 * self.clock_hz as f64 / self.clocks as f64
    }
}

/// `part` of `whole`, at most all of it: a window may deliver a little that had arrived before it.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).min(1.0) } else { 0.0 }
}
