//! What a receiver says by selective acknowledgements: RFC 2018 §4, and of what came twice: RFC 2883 §4.

use fabric::{Options, SackBlock};

/// Segments in different blocks that it remembers. Three fit into an acknowledgement; one of them may since have been joined to another.
const REMEMBERED: usize = 4;

/// What of the bytes beyond a hole came last, and what came twice.
#[derive(Debug, Clone)]
pub(super) struct Reports {
    /// Payload of a full segment.
    segment: u64,
    /// First bytes of segments that came beyond a hole, the last of them first, one for each block.
    recent: Vec<u64>,
    /// A segment that came once more, and was not reported yet: its first byte.
    twice: Option<u64>,
}

impl Reports {
    pub(super) fn new(segment: u32) -> Reports {
        Reports { segment: u64::from(segment), recent: Vec::new(), twice: None }
    }

    /// Bytes `from..to` have come: before they are counted in what came without a hole, up to `next`, and in ranges beyond it.
    #[inline(never)]
    pub(super) fn hear(&mut self, from: u64, to: u64, next: u64, beyond: &[(u64, u64)]) {
        debug_assert!(from.is_multiple_of(self.segment), "all segments but the last are full");
        let has = to <= next || containing(beyond, from).is_some_and(|(_, end)| to <= end);
        if has {
            self.twice = Some(from);
        }
        if to > next && from > next {
            self.recent.retain(|&other| other > next && other != from);
            self.recent.insert(0, from);
        }
    }

    /// The blocks of an acknowledgement that expects `next`. What has no room, or is too far off to be said, is left out, as RFC 2018 §3
    /// allows.
    #[inline(never)]
    pub(super) fn options(&mut self, next: u64, beyond: &[(u64, u64)]) -> Options {
        let twice = self.twice.take();
        if beyond.is_empty() && twice.is_none() {
            return Options::NONE; // the usual case
        }
        // The end of a message may be no multiple of a segment; what begins there is nothing.
        let base = next.div_ceil(self.segment) as i64;
        let block = |from: u64, to: u64| {
            let start = i16::try_from((from / self.segment) as i64 - base).ok()?;
            let length = to.div_ceil(self.segment) - from / self.segment;
            Some(SackBlock { start, length: u16::try_from(length).unwrap_or(u16::MAX) })
        };
        let mut blocks = [SackBlock::NONE; 3];
        let mut used = 0;
        // RFC 2883 §4: the first block is what came twice, the next the one that it is part of, if it is beyond a hole.
        if let Some(found) = twice.and_then(|from| block(from, from + 1)) {
            blocks[0] = found;
            used = 1;
        }
        // RFC 2018 §4: the first of these has what came last, and then those come again that were reported last.
        let mut latest = [(0, 0); REMEMBERED];
        let mut known = 0;
        self.recent.retain(|&from| {
            let range = containing(beyond, from).filter(|range| known < REMEMBERED && !latest[..known].contains(range));
            if let Some(range) = range {
                latest[known] = range;
                known += 1;
            }
            range.is_some()
        });
        let found = latest[..known].iter().filter_map(|&(from, to)| block(from, to));
        for (place, block) in blocks[used..].iter_mut().zip(found) {
            *place = block;
        }
        Options::of_blocks(blocks)
    }
}

/// The range that has this byte.
fn containing(ranges: &[(u64, u64)], byte: u64) -> Option<(u64, u64)> {
    let place = ranges.partition_point(|&(_, end)| end <= byte);
    ranges.get(place).copied().filter(|&(begin, _)| begin <= byte)
}
