//! Which node knows of which flow.

/// By flow's place and node: whether the node has heard of its start, and of its end. The one may overtake the other.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Words of 64 nodes for each flow.
    width: usize,
    started: Vec<u64>,
    ended: Vec<u64>,
}

impl Known {
    /// Among so many nodes.
    pub(crate) fn new(nodes: u32) -> Known {
        Known { width: (nodes as usize).div_ceil(64), ..Known::default() }
    }

    fn place(&self, flow: u32, node: usize) -> (usize, u64) {
        (flow as usize * self.width + node / 64, 1 << (node % 64))
    }

    /// A node hears that a flow starts, or ends.
    pub(crate) fn hear(&mut self, flow: u32, node: usize, starts: bool) {
        let (word, bit) = self.place(flow, node);
        if word >= self.started.len() {
            let words = (flow as usize + 1) * self.width;
            self.started.resize(words, 0);
            self.ended.resize(words, 0);
        }
        let heard = if starts { &mut self.started } else { &mut self.ended };
        heard[word] |= bit;
    }

    /// Whether a node takes a flow for one that goes on.
    pub(crate) fn knows(&self, flow: u32, node: usize) -> bool {
        let (word, bit) = self.place(flow, node);
        let started = self.started.get(word).copied().unwrap_or(0);
        started & bit != 0 && self.ended[word] & bit == 0
    }

    /// All nodes forget a flow.
    pub(crate) fn forget(&mut self, flow: u32) {
        let first = flow as usize * self.width;
        if first < self.started.len() {
            self.started[first..first + self.width].fill(0);
            self.ended[first..first + self.width].fill(0);
        }
    }

    /// A node forgets all flows.
    pub(crate) fn lose(&mut self, node: usize) {
        let (word, bit) = self.place(0, node);
        self.started.iter_mut().skip(word).step_by(self.width).for_each(|word| *word &= !bit);
        self.ended.iter_mut().skip(word).step_by(self.width).for_each(|word| *word &= !bit);
    }
}

#[cfg(test)]
mod tests {
    use super::Known;

    #[test]
    fn an_end_may_overtake_a_start() {
        let mut known = Known::new(100);
        known.hear(3, 70, true);
        known.hear(2, 70, true);
        known.hear(2, 71, false);
        assert!(known.knows(3, 70) && known.knows(2, 70) && !known.knows(2, 71) && !known.knows(9, 0));
        known.hear(2, 71, true);
        known.hear(2, 70, false);
        assert!(!known.knows(2, 70) && !known.knows(2, 71) && known.knows(3, 70));
        known.forget(2);
        known.hear(2, 71, true);
        assert!(known.knows(2, 71));
        known.lose(71);
        assert!(!known.knows(2, 71) && known.knows(3, 70));
    }
}
