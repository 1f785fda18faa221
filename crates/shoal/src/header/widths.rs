//! How wide the fields of a cell's header have to be (§3.3.4, §3.5, Fig. 5).

use super::{CRC_BITS, FLAGS, Layout};
use schemars::JsonSchema;
use serde::Serialize;

/// Bits that it takes to write every number up to `most`.
pub const fn width(most: u64) -> u64 {
    (u64::BITS - most.leading_zeros()) as u64
}

/// Widths of a header's fields, whatever they are; those of a rack that runs are a [`Layout`].
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

impl From<Layout> for Widths {
    fn from(layout: Layout) -> Widths {
        let Layout { node, sequence, feedback } = layout;
        Widths { id: node.into(), sequence: sequence.into(), feedback: feedback.into(), crc: CRC_BITS.into() }
    }
}

/// A header's size, and what its fields need for so many nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ShoalHeader")]
pub struct Needs {
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
        2 * self.id + self.sequence + self.feedback + FLAGS as u64 + self.crc
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

    /// What `nodes` nodes need of it.
    pub fn needs(&self, nodes: u64) -> Needs {
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
        Needs { bits: self.bits(), bytes: self.bytes(), id_needed, feedback_needed, sequence_needed, most_nodes: most }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fig_5() -> Widths {
        Layout::FIGURE_5.into()
    }

    #[test]
    fn fig_5_is_made_for_1024_nodes() {
        assert_eq!((fig_5().bits(), fig_5().bytes()), (64, 8));
        let full = fig_5().needs(1_024);
        assert_eq!((full.id_needed, full.feedback_needed, full.sequence_needed), (10, 11, 22), "every field is filled");
        assert_eq!(full.most_nodes, 1_024);
        let beyond = fig_5().needs(1_025);
        assert_eq!((beyond.id_needed, beyond.feedback_needed, beyond.sequence_needed), (11, 12, 23));
        let half = fig_5().needs(512);
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
            let most = widths.needs(2).most_nodes;
            let fits = |nodes| {
                let [a, b, c] = Widths::needed(nodes);
                a <= id && b <= feedback && c <= sequence
            };
            prop_assert!(most == 1 || fits(most));
            prop_assert!(!fits(most + 1));
        }
    }
}
