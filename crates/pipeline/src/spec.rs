//! What a person may say of a data path, and what of it can run.

use crate::design::{Design, Lines, Traffic};
use crate::mix::Mix;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use units::{Bytes, Rate};

/// A data path, its lines, its traffic, and how long to watch it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// What the data path does.
    pub design: Design,
    /// Sizes of packets: whole frames, check sequence included; that is what the data path moves.
    pub mix: Mix,
    /// What the packets are.
    #[serde(default = "defaults::traffic")]
    pub traffic: Traffic,
    /// What the lines carry; without it, cells for designs with cells and packets for the others.
    #[serde(default)]
    pub lines: Option<Lines>,
    /// Ports.
    #[serde(default = "defaults::ports")]
    pub ports: u32,
    /// Rate of every port.
    #[serde(default = "defaults::line_rate")]
    pub line_rate: Rate,
    /// What a frame takes of its line besides itself: preamble and start of frame, 8 B, and gap, 12 B (Appendix B).
    #[serde(default = "defaults::gap")]
    pub gap: Bytes,
    /// Width of the data path: a word, moved in one clock.
    #[serde(default = "defaults::width")]
    pub width: Bytes,
    /// Clock of the data path, in Hz.
    #[serde(default = "defaults::clock_hz")]
    pub clock_hz: u64,
    /// Clocks between the starts of two table look-ups.
    #[serde(default = "defaults::lookup_clocks")]
    pub lookup_clocks: u32,
    /// Size of a cell, header included.
    #[serde(default = "defaults::cell")]
    pub cell: Bytes,
    /// Of that, its header.
    #[serde(default)]
    pub cell_header: Bytes,
    /// What a credit releases.
    #[serde(default = "defaults::credit")]
    pub credit: Bytes,
    /// Inputs of the arbiter that never have anything, such as a host interface.
    #[serde(default)]
    pub idle_inputs: u32,
    /// Whether the arbiter takes a clock to pass over an empty input.
    #[serde(default)]
    pub polls: bool,
    /// Clocks for which the output queues hold the first word of a unit.
    #[serde(default)]
    pub output_hold: u32,
    /// Whether a line waits when what comes next does not fit at its port; else that is dropped.
    #[serde(default)]
    pub pauses: bool,
    /// Room at each port.
    #[serde(default = "defaults::port_buffer")]
    pub port_buffer: Bytes,
    /// Clocks before the measured window.
    #[serde(default = "defaults::warmup_clocks")]
    pub warmup_clocks: u64,
    /// Clocks of the measured window.
    #[serde(default = "defaults::clocks")]
    pub clocks: u64,
}

/// NetFPGA SUME as §6.1.1 has it: 4 x 10GE, 32 B, 150 MHz, 2 clocks a look-up, cells of 64 B, credits of 2 KB.
mod defaults {
    use super::{Bytes, Rate, Traffic};

    pub(super) fn traffic() -> Traffic {
        Traffic::Ndp
    }
    pub(super) fn ports() -> u32 {
        4
    }
    pub(super) fn line_rate() -> Rate {
        Rate::from_gbps(10)
    }
    pub(super) fn gap() -> Bytes {
        Bytes::new(20)
    }
    pub(super) fn width() -> Bytes {
        Bytes::new(32)
    }
    pub(super) fn clock_hz() -> u64 {
        150_000_000
    }
    pub(super) fn lookup_clocks() -> u32 {
        2
    }
    pub(super) fn cell() -> Bytes {
        Bytes::new(64)
    }
    pub(super) fn credit() -> Bytes {
        Bytes::new(2048)
    }
    pub(super) fn port_buffer() -> Bytes {
        Bytes::new(16 * 1024)
    }
    pub(super) fn warmup_clocks() -> u64 {
        10_000
    }
    pub(super) fn clocks() -> u64 {
        100_000
    }
}

/// Why a data path cannot be run. Its text is the whole message for a person.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// A whole number out of its bounds.
    #[error("{key}: {value} is not possible; a whole number from {low} to {high} is expected")]
    OutOfBounds {
        /// Which.
        key: &'static str,
        /// What was given.
        value: u64,
        /// The least that is possible.
        low: u64,
        /// The most.
        high: u64,
    },
    /// No packets at all.
    #[error("mix: it has no packets; at least one part with a weight is expected")]
    NoPackets,
    /// Sizes in the wrong order.
    #[error("mix: a part from {from} B to {to} B is empty; `from` must not be above `to`")]
    EmptyPart {
        /// Smallest size.
        from: u32,
        /// Largest size.
        to: u32,
    },
    /// A header as large as its cell.
    #[error("cell_header: {header} leaves no room in a cell of {cell}")]
    NoRoomInCell {
        /// The header.
        header: Bytes,
        /// The cell.
        cell: Bytes,
    },
    /// Lines with cells before a device without.
    #[error("lines: the design {design} does not take cells; `packets` is expected")]
    CellsBeforePackets {
        /// The device.
        design: &'static str,
    },
    /// Something that arrives as one is larger than a port's buffer.
    #[error("port_buffer: {buffer} cannot hold {needed}, the most that arrives as one")]
    BufferTooSmall {
        /// The buffer.
        buffer: Bytes,
        /// What it must hold.
        needed: Bytes,
    },
}

/// A data path that can run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub(crate) spec: Spec,
    pub(crate) lines: Lines,
}

impl Spec {
    /// NetFPGA SUME as §6.1.1 has it, with this design and these packets.
    pub fn new(design: Design, mix: Mix) -> Spec {
        Spec {
            design,
            mix,
            traffic: defaults::traffic(),
            lines: None,
            ports: defaults::ports(),
            line_rate: defaults::line_rate(),
            gap: defaults::gap(),
            width: defaults::width(),
            clock_hz: defaults::clock_hz(),
            lookup_clocks: defaults::lookup_clocks(),
            cell: defaults::cell(),
            cell_header: Bytes::ZERO,
            credit: defaults::credit(),
            idle_inputs: 0,
            polls: false,
            output_hold: 0,
            pauses: false,
            port_buffer: defaults::port_buffer(),
            warmup_clocks: defaults::warmup_clocks(),
            clocks: defaults::clocks(),
        }
    }
    /// Checks that it can run.
    ///
    /// # Errors
    /// The first thing that is not possible.
    pub fn check(self) -> Result<Plan, Refusal> {
        let bounds: [(&'static str, u64, u64, u64); 12] = [
            ("ports", u64::from(self.ports), 1, 1024),
            ("line_rate in b/s", self.line_rate.as_bps(), 1, 100_000_000_000_000),
            ("gap in bytes", self.gap.get(), 0, 1024),
            ("width in bytes", self.width.get(), 1, 65_536),
            ("clock_hz", self.clock_hz, 1, 100_000_000_000),
            ("lookup_clocks", u64::from(self.lookup_clocks), 1, 1024),
            ("cell in bytes", self.cell.get(), 1, 65_536),
            ("credit in bytes", self.credit.get(), 1, 1 << 20),
            ("idle_inputs", u64::from(self.idle_inputs), 0, 1024),
            ("output_hold", u64::from(self.output_hold), 0, 1024),
            ("warmup_clocks", self.warmup_clocks, 0, 10_000_000_000),
            ("clocks", self.clocks, 1, 10_000_000_000),
        ];
        for (key, value, low, high) in bounds {
            if !(low..=high).contains(&value) {
                return Err(Refusal::OutOfBounds { key, value, low, high });
            }
        }
        for part in &self.mix.parts {
            if part.from > part.to {
                return Err(Refusal::EmptyPart { from: part.from, to: part.to });
            }
            for value in [part.from, part.to] {
                if !(1..=65_536).contains(&value) {
                    return Err(Refusal::OutOfBounds {
                        key: "size in bytes",
                        value: u64::from(value),
                        low: 1,
                        high: 65_536,
                    });
                }
            }
        }
        if self.mix.parts.iter().all(|part| part.weight == 0) {
            return Err(Refusal::NoPackets);
        }
        if self.cell_header >= self.cell {
            return Err(Refusal::NoRoomInCell { header: self.cell_header, cell: self.cell });
        }
        let lines = self.lines.unwrap_or(if self.design.has_cells() { Lines::Cells } else { Lines::Packets });
        if lines == Lines::Cells && !self.design.has_cells() {
            return Err(Refusal::CellsBeforePackets { design: self.design.name() });
        }
        let plan = Plan { spec: self, lines };
        let needed = plan.largest_arrival();
        if plan.spec.port_buffer < needed {
            return Err(Refusal::BufferTooSmall { buffer: plan.spec.port_buffer, needed });
        }
        Ok(plan)
    }
}

impl Plan {
    /// What was asked.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }
    /// What the lines carry.
    pub fn lines(&self) -> Lines {
        self.lines
    }
    /// Room for packets in a cell, in bytes.
    pub(crate) fn payload_per_cell(&self) -> u32 {
        (self.spec.cell.get() - self.spec.cell_header.get()) as u32
    }
    /// Words of the data path that so many bytes take.
    pub(crate) fn words(&self, bytes: u32) -> u32 {
        u64::from(bytes).div_ceil(self.spec.width.get()) as u32
    }
    /// The most bytes that come to a port as one.
    pub(crate) fn largest_arrival(&self) -> Bytes {
        let largest = u64::from(self.spec.mix.largest());
        let cells = |payload: u64| payload.div_ceil(u64::from(self.payload_per_cell())) * self.spec.cell.get();
        Bytes::new(match (self.lines, self.spec.design) {
            (Lines::Cells, _) => self.spec.cell.get(),
            (Lines::Packets, Design::ReferenceSwitch | Design::NdpSwitch) => largest,
            (Lines::Packets, Design::Cells) => cells(largest),
            (Lines::Packets, Design::PackedCells) => cells(self.spec.credit.get() + largest),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mix::Part;

    fn refused(change: impl FnOnce(&mut Spec)) -> String {
        let mut spec = Spec::new(Design::PackedCells, Mix::fixed(65));
        change(&mut spec);
        spec.check().map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn every_mistake_is_answered() {
        assert_eq!(
            refused(|spec| spec.ports = 0),
            "ports: 0 is not possible; a whole number from 1 to 1024 is expected"
        );
        assert_eq!(
            refused(|spec| spec.clock_hz = 0),
            "clock_hz: 0 is not possible; a whole number from 1 to 100000000000 is expected"
        );
        assert_eq!(
            refused(|spec| spec.mix = Mix::fixed(0)),
            "size in bytes: 0 is not possible; a whole number from 1 to 65536 is expected"
        );
        assert_eq!(
            refused(|spec| spec.mix = Mix { parts: vec![Part { from: 70, to: 65, weight: 1 }] }),
            "mix: a part from 70 B to 65 B is empty; `from` must not be above `to`"
        );
        assert_eq!(
            refused(|spec| spec.mix = Mix { parts: vec![] }),
            "mix: it has no packets; at least one part with a weight is expected"
        );
        assert_eq!(
            refused(|spec| spec.cell_header = Bytes::new(64)),
            "cell_header: 64 B leaves no room in a cell of 64 B"
        );
        assert_eq!(
            refused(|spec| {
                spec.design = Design::NdpSwitch;
                spec.lines = Some(Lines::Cells);
            }),
            "lines: the design ndp-switch does not take cells; `packets` is expected"
        );
        assert_eq!(
            refused(|spec| {
                spec.lines = Some(Lines::Packets);
                spec.port_buffer = Bytes::new(2048);
            }),
            "port_buffer: 2.048 KB cannot hold 2.176 KB, the most that arrives as one"
        );
    }

    #[test]
    fn defaults_in_a_file_are_those_of_the_paper() {
        let read: Spec =
            serde_json::from_str(r#"{"design": "packed-cells", "mix": [{"from": 65, "to": 65, "weight": 1}]}"#)
                .unwrap();
        assert_eq!(read, Spec::new(Design::PackedCells, Mix::fixed(65)));
    }
}
