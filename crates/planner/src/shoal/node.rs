//! What a node keeps, and how wide the fields of a cell's header have to be (§3.3.4, §3.5, §4.2, Fig. 5).

use serde::Serialize;
use units::Bytes;

/// Bits that it takes to write every number up to `most`.
pub const fn width(most: u64) -> u64 {
    (u64::BITS - most.leading_zeros()) as u64
}

/// Bounds of a node's queues, and the memory for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// Queues, one for each other node.
    pub queues: u64,
    /// The longest that one gets, in cells: 1 + incast degree of its node, at most N (Eq. 5).
    pub queue_cells: u64,
    /// Flows that wait in a ready queue, at most (Eq. 4).
    pub ready_flows: u64,
    /// What a node reports of a queue, at most: len(Q) + len(R) - 1 (Eq. 6).
    pub most_feedback: u64,
    /// All queues at their bound (§3.3.4).
    pub buffer_bytes: u64,
    /// What of it must be on the chip: the next cell of each queue (§3.3.4).
    pub cache_bytes: u64,
    /// Feedback of every other node for every flow: (N-1) x (N-1) numbers (§4.2).
    pub feedback_bits: u64,
    /// The subflow of the last cell to, and the queue of the last cell from, every other node (§4.2).
    pub last_cell_bits: u64,
    /// Cells of one flow that may overtake another of its cells: a cell waits for 2N epochs at most, and the flow sends one
    /// over every other node in each of them.
    pub reorder_cells: u64,
}

impl Memory {
    /// Of a node among `nodes`.
    pub fn new(nodes: u64, cell: Bytes) -> Memory {
        let others = nodes - 1;
        let most_feedback = nodes + others - 1;
        Memory {
            queues: others,
            queue_cells: nodes,
            ready_flows: others,
            most_feedback,
            buffer_bytes: (others * nodes).saturating_mul(cell.get()),
            cache_bytes: others.saturating_mul(cell.get()),
            feedback_bits: others * others * width(most_feedback),
            last_cell_bits: 2 * others * width(others),
            reorder_cells: 2 * nodes * others,
        }
    }

    /// State of the congestion control on the chip: Theta(N^2 log N) bits (§3.5).
    pub const fn state_bits(&self) -> u64 {
        self.feedback_bits + self.last_cell_bits
    }

    /// Everything that must be on the chip.
    pub const fn chip_bits(&self) -> u64 {
        self.state_bits().saturating_add(self.cache_bytes.saturating_mul(8))
    }
}

/// Flags of the header: start of packet, end of packet, last cell dropped.
pub const FLAGS: u64 = 3;

/// Widths of the header's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Widths {
    /// Of source and destination each.
    pub id: u64,
    /// Of the sequence number.
    pub sequence: u64,
    /// Of the rate-limit feedback.
    pub feedback: u64,
    /// Of the checksum.
    pub crc: u64,
}

/// Fig. 5.
pub const FIG_5: Widths = Widths { id: 10, sequence: 22, feedback: 11, crc: 8 };

/// The header of a cell: what its fields have, and what they need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Header {
    /// All fields.
    pub bits: u64,
    /// In whole bytes.
    pub bytes: u64,
    /// Width that ids of so many nodes need.
    pub id_needed: u64,
    /// Width that the largest feedback needs.
    pub feedback_needed: u64,
    /// Width with which a cell and one that it was overtaken by are told apart: twice the cells that may lie between.
    pub sequence_needed: u64,
    /// The most nodes that all fields allow.
    pub most_nodes: u64,
}

impl Widths {
    /// The header's bits.
    pub const fn bits(&self) -> u64 {
        2 * self.id + self.sequence + self.feedback + FLAGS + self.crc
    }

    /// The header's bytes.
    pub const fn bytes(&self) -> u64 {
        self.bits().div_ceil(8)
    }

    /// Widths that `nodes` nodes need of id, feedback and sequence number.
    const fn needed(nodes: u64) -> [u64; 3] {
        let others = nodes - 1;
        [width(others), width(nodes + others - 1), width(4 * nodes * others - 1)]
    }

    /// The header for `nodes` nodes.
    pub fn header(&self, nodes: u64) -> Header {
        let [id_needed, feedback_needed, sequence_needed] = Widths::needed(nodes);
        let fits = |nodes: u64| {
            let [id, feedback, sequence] = Widths::needed(nodes);
            id <= self.id && feedback <= self.feedback && sequence <= self.sequence
        };
        // Widths grow with the nodes, so the most are found by halving. 2^20 nodes are more than any setting allows.
        let (mut most, mut beyond) = (1, 1 << 20);
        while beyond - most > 1 {
            let middle = most + (beyond - most) / 2;
            if fits(middle) {
                most = middle;
            } else {
                beyond = middle;
            }
        }
        Header { bits: self.bits(), bytes: self.bytes(), id_needed, feedback_needed, sequence_needed, most_nodes: most }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn section_3_3_4() {
        let found = Memory::new(512, Bytes::new(64));
        assert_eq!((found.queues, found.queue_cells, found.ready_flows), (511, 512, 511));
        assert_eq!(found.buffer_bytes, 511 * 512 * 64); // 16.7 MB; the paper says 17
        assert_eq!(found.cache_bytes, 32_704); // 32 KB
        assert_eq!(found.most_feedback, 1_022);
        assert_eq!(found.feedback_bits, 511 * 511 * 10);
        assert_eq!(found.last_cell_bits, 2 * 511 * 9);
    }

    #[test]
    fn a_thousand_nodes_take_about_a_megabyte() {
        let found = Memory::new(1_000, Bytes::new(64));
        assert_eq!(found.chip_bits() / 8, 1_438_684);
    }

    #[test]
    fn fig_5_is_made_for_1024_nodes() {
        assert_eq!((FIG_5.bits(), FIG_5.bytes()), (64, 8));
        let full = FIG_5.header(1_024);
        assert_eq!((full.id_needed, full.feedback_needed, full.sequence_needed), (10, 11, 22), "every field is filled");
        assert_eq!(full.most_nodes, 1_024);
        let beyond = FIG_5.header(1_025);
        assert_eq!((beyond.id_needed, beyond.feedback_needed, beyond.sequence_needed), (11, 12, 23));
        let half = FIG_5.header(512);
        assert_eq!((half.id_needed, half.feedback_needed, half.sequence_needed), (9, 10, 20));
    }

    #[test]
    fn widths_at_powers_of_two() {
        assert_eq!([0, 1, 2, 3, 4, 1_023, 1_024].map(width), [0, 1, 2, 2, 3, 10, 11]);
    }

    proptest! {
        #[test]
        fn the_most_nodes_fit_and_one_more_does_not(id in 1u64..16, sequence in 3u64..40, feedback in 2u64..18) {
            let widths = Widths { id, sequence, feedback, crc: 8 };
            let most = widths.header(2).most_nodes;
            let fits = |nodes| {
                let [a, b, c] = Widths::needed(nodes);
                a <= id && b <= feedback && c <= sequence
            };
            prop_assert!(most == 1 || fits(most));
            prop_assert!(!fits(most + 1));
        }
    }
}
