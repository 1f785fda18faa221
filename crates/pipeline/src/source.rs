//! What comes to a port over its line: packets or cells, back to back.

use crate::design::{Design, Lines};
use crate::packing::Packer;
use crate::spec::Plan;
use engine::{Seed, Stream};
use std::collections::VecDeque;

/// What the data path moves as one: a packet or a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Words of the data path that it takes.
    pub words: u32,
    /// Its bytes, header and padding included.
    pub bytes: u32,
    /// Bytes of packets in it.
    pub payload: u32,
    /// Packets whose last byte is in it.
    pub packets: u32,
    /// What it took of the line. Where several units arrive as one, the last of them has it all.
    pub line_bytes: u32,
}

/// An endless line. What arrives as one is accepted or dropped as one.
pub(crate) struct Source {
    lines: Lines,
    design: Design,
    mix: crate::mix::Mix,
    stream: Stream,
    packer: Packer,
    gap: u32,
    cell: u32,
    payload_per_cell: u32,
    cell_words: u32,
    width: u32,
    ready: VecDeque<Unit>,
}

impl Source {
    pub(crate) fn new(plan: &Plan, seed: Seed, port: u32) -> Source {
        let spec = &plan.spec;
        let cell = spec.cell.get() as u32;
        let mut packer = Packer::new(spec.credit.get() as u32, plan.payload_per_cell());
        let mut stream = seed.stream("pipeline.size", u64::from(port));
        // Lines that have been up for long are somewhere within a credit, not all at its start.
        for _ in 0..stream.below(64) {
            packer.push(spec.mix.draw(&mut stream));
        }
        Source {
            lines: plan.lines,
            design: spec.design,
            mix: spec.mix.clone(),
            stream,
            packer,
            gap: spec.gap.get() as u32,
            cell,
            payload_per_cell: plan.payload_per_cell(),
            cell_words: plan.words(cell),
            width: spec.width.get() as u32,
            ready: VecDeque::new(),
        }
    }
    /// What arrives next, put at the end of `units`.
    pub(crate) fn next_arrival(&mut self, units: &mut Vec<Unit>) {
        if self.ready.is_empty() {
            self.make();
        }
        match self.lines {
            Lines::Cells => units.extend(self.ready.pop_front()),
            Lines::Packets => units.extend(self.ready.drain(..)),
        }
    }
    fn make(&mut self) {
        match self.design {
            Design::ReferenceSwitch | Design::NdpSwitch => {
                let bytes = self.mix.draw(&mut self.stream);
                let words = bytes.div_ceil(self.width);
                self.ready.push_back(Unit { words, bytes, payload: bytes, packets: 1, line_bytes: bytes + self.gap });
            }
            Design::Cells => {
                let bytes = self.mix.draw(&mut self.stream);
                self.chop(bytes, 1);
            }
            Design::PackedCells => loop {
                let bytes = self.mix.draw(&mut self.stream);
                if let Some(burst) = self.packer.push(bytes) {
                    self.chop(burst.payload, burst.packets);
                    break;
                }
            },
        }
    }
    /// Cells for so many bytes. Packets are counted with the last cell: their ends before it are not told apart.
    fn chop(&mut self, payload: u32, packets: u32) {
        let mut left = payload;
        while left > 0 {
            let carried = left.min(self.payload_per_cell);
            left -= carried;
            let last = left == 0;
            let line_bytes = match self.lines {
                Lines::Cells => self.cell + self.gap,
                Lines::Packets if last => payload + packets * self.gap,
                Lines::Packets => 0,
            };
            self.ready.push_back(Unit {
                words: self.cell_words,
                bytes: self.cell,
                payload: carried,
                packets: if last { packets } else { 0 },
                line_bytes,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mix::Mix;
    use crate::spec::Spec;
    use units::Bytes;

    fn source(change: impl FnOnce(&mut Spec)) -> Source {
        let mut spec = Spec::new(Design::Cells, Mix::fixed(65));
        change(&mut spec);
        Source::new(&spec.check().unwrap(), Seed(1), 0)
    }
    fn arrivals(source: &mut Source, count: usize) -> Vec<Vec<Unit>> {
        let arrival = |_| {
            let mut units = Vec::new();
            source.next_arrival(&mut units);
            units
        };
        (0..count).map(arrival).collect()
    }

    #[test]
    fn a_padded_packet_is_two_cells_on_the_line() {
        let first = Unit { words: 2, bytes: 64, payload: 64, packets: 0, line_bytes: 84 };
        let second = Unit { words: 2, bytes: 64, payload: 1, packets: 1, line_bytes: 84 };
        assert_eq!(arrivals(&mut source(|_| ()), 4), [[first], [second], [first], [second]]);
    }

    #[test]
    fn a_burst_that_comes_as_packets_has_a_gap_for_each() {
        let mut source = source(|spec| {
            spec.design = Design::PackedCells;
            spec.lines = Some(Lines::Packets);
            spec.cell = Bytes::new(256);
            spec.credit = Bytes::new(4096);
            spec.mix = Mix::fixed(1025);
        });
        for units in arrivals(&mut source, 3) {
            let packets: u32 = units.iter().map(|unit| unit.packets).sum();
            assert_eq!(units.iter().map(|unit| unit.payload).sum::<u32>(), packets * 1025);
            assert_eq!(units.iter().map(|unit| unit.line_bytes).sum::<u32>(), packets * 1045);
            assert_eq!(units.len(), (packets as usize * 1025).div_ceil(256));
        }
    }

    #[test]
    fn a_packet_is_a_unit() {
        let mut source = source(|spec| spec.design = Design::ReferenceSwitch);
        assert_eq!(arrivals(&mut source, 1), [[Unit { words: 3, bytes: 65, payload: 65, packets: 1, line_bytes: 85 }]]);
    }
}
