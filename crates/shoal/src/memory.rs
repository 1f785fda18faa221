//! What a node keeps (§3.3.4, §3.5, §4.2).

use crate::header::width;
use schemars::JsonSchema;
use serde::Serialize;
use units::Bytes;

/// Bounds of a node's queues, and the memory for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ShoalMemory")]
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
