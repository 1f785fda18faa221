//! What must hold at any instant, in debug builds.

use super::{Cell, NONE, Rack};

impl Rack {
    /// Queues are bounded (Eqs. 3 and 5), and a subflow has one cell at most in each of its two queues (§3.3.2).
    ///
    /// Of the first class only (App. C), and not where cells may be sent twice (App. D).
    pub(super) fn check_queue(&self, pair: usize, node: u16, cell: Cell) {
        if cell.class() > 0 || self.trouble.is_some() {
            return;
        }
        let to = ((pair / self.nodes as usize + 1 + usize::from(node)) % self.nodes as usize) as u16;
        let twice = self
            .queues
            .iter(pair)
            .any(|other| (other.source(), other.destination()) == (cell.source(), cell.destination()));
        assert!(!twice, "{cell:?} finds a cell of its subflow in the queue from {node} to {to}");
        let live = |source: u16, destination: u16| self.flow_of[self.flow_key(source, destination, 0)] != NONE;
        let incast = (0..self.nodes as u16).filter(|source| live(*source, to)).count();
        let local = match self.release.ready_queue {
            true => 1,
            false => (0..self.nodes as u16).filter(|destination| live(node, *destination)).count(),
        };
        let len = self.queues.len(pair) as usize;
        assert!(
            len < local + incast,
            "{len} cells wait from {node} to {to} before {cell:?}: at most {local} + {incast} may"
        );
    }

    /// What must hold at any instant and costs much to check.
    pub fn check(&self) {
        for node in 0..self.nodes as u16 {
            let others = (0..self.nodes as u16).filter(|other| *other != node);
            let queued: u32 = others.clone().map(|other| self.queue(node, other)).sum();
            assert_eq!(self.held[usize::from(node)].cells, queued, "cells of node {node} are counted");
            let waiting = others.clone().flat_map(|other| {
                let pair = self.pair(node, other);
                (0..self.classes.count).flat_map(move |class| self.queues.iter(class * self.pairs + pair))
            });
            let passing = waiting.filter(|cell| !cell.is_own(node)).count() as u32;
            assert_eq!(self.held[usize::from(node)].passing, passing, "cells that node {node} passes on are counted");
            let flows = others.flat_map(|other| {
                let numbers = (0..self.classes.count).map(move |class| self.flow_of[self.flow_key(node, other, class)]);
                numbers.filter_map(|number| self.flows.get(number as usize))
            });
            let unsent: u64 = flows.map(|flow| u64::from(flow.end.wrapping_sub(flow.next) + flow.again)).sum();
            assert_eq!(self.unsent(node), unsent, "unsent cells of node {node} are counted");
        }
    }

    /// Cells are where they are counted.
    pub(super) fn check_conservation(&self) {
        let queued: u64 = self.held.iter().map(|held| u64::from(held.cells)).sum();
        let flying = self.air.iter().flatten().filter(|flying| flying.cell != Cell::NONE).count() as u64;
        assert_eq!(self.inside, queued + flying, "cells are conserved");
        assert_eq!(self.queued, queued, "cells in queues are counted");
    }
}
