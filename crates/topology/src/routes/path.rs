//! Whole paths, and what they take when nothing else is sent.

use super::Routes;
use crate::{LinkId, NodeId, Topology};
use std::collections::BTreeMap;
use units::{Rate, Span};

impl Routes {
    /// A shortest path from a host to another, link by link; none from a host to itself. Where there are several links,
    /// `choose` is given their number and picks one.
    ///
    /// # Panics
    /// If there is no such host, or `choose` picks a number that is not below the one it is given.
    pub fn path(&self, src: u32, dst: u32, choose: impl FnMut(u32) -> u32) -> Vec<LinkId> {
        self.walk(src, dst, choose).collect()
    }
    /// The first shortest path, link by link.
    pub fn unloaded(&self, src: u32, dst: u32) -> impl Iterator<Item = LinkId> {
        self.walk(src, dst, |_| 0)
    }
    /// Links of a shortest path; 0 from a host to itself.
    pub fn hop_count(&self, src: u32, dst: u32) -> u32 {
        self.unloaded(src, dst).count() as u32
    }
    /// Sum of the delays along the first shortest path.
    pub fn path_delay(&self, topology: &Topology, src: u32, dst: u32) -> Span {
        self.unloaded(src, dst).map(|link| topology.link(link).delay).sum()
    }
    /// Lowest rate along the first shortest path; none from a host to itself.
    pub fn bottleneck(&self, topology: &Topology, src: u32, dst: u32) -> Option<Rate> {
        self.unloaded(src, dst).map(|link| topology.link(link).rate).min()
    }
    /// Whether there is but one shortest path from a host to another.
    pub fn is_only_path(&self, src: u32, dst: u32) -> bool {
        let mut is_only = true;
        self.walk(src, dst, |hops| {
            is_only &= hops <= 1;
            0
        })
        .for_each(drop);
        is_only
    }
    /// Where a link leads.
    #[inline]
    pub fn leads_to(&self, link: LinkId) -> NodeId {
        self.leads_to[link.index()]
    }

    /// A state carried over every shortest path from a host to another, from `start` on, a link at a time by `cross`. Of the states
    /// that meet at a node one that another `covers` is dropped, so what is left at the end are the best, and the work stays small if
    /// paths are alike. `cross` must keep what covers covering.
    pub fn best_paths<S: Copy>(
        &self,
        src: u32,
        dst: u32,
        start: S,
        cross: impl Fn(S, LinkId) -> S,
        covers: impl Fn(&S, &S) -> bool,
    ) -> Vec<S> {
        // All nodes that are as many links away from the source.
        let mut round = BTreeMap::from([(NodeId(src), vec![start])]);
        while !round.contains_key(&NodeId(dst)) && !round.is_empty() {
            let mut next: BTreeMap<NodeId, Vec<S>> = BTreeMap::new();
            for (node, states) in &round {
                for link in self.next_hops(*node, dst).iter() {
                    let known = next.entry(self.leads_to(link)).or_default();
                    for state in states.iter().map(|state| cross(*state, link)) {
                        if !known.iter().any(|known| covers(known, &state)) {
                            known.retain(|known| !covers(&state, known));
                            known.push(state);
                        }
                    }
                }
            }
            round = next;
        }
        round.remove(&NodeId(dst)).unwrap_or_default()
    }

    fn walk(&self, src: u32, dst: u32, mut choose: impl FnMut(u32) -> u32) -> impl Iterator<Item = LinkId> {
        let (mut at, end) = (NodeId(src), NodeId(dst));
        std::iter::from_fn(move || {
            if at == end {
                return None;
            }
            let hops = self.next_hops(at, dst);
            let link = hops.link(choose(hops.len()));
            at = self.leads_to(link);
            Some(link)
        })
    }
}
