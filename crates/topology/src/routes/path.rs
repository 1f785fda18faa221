//! Whole paths, and what they take when nothing else is sent.

use super::Routes;
use crate::{LinkId, NodeId, Topology};
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
    /// Where a link leads.
    #[inline]
    pub fn leads_to(&self, link: LinkId) -> NodeId {
        self.leads_to[link.index()]
    }

    fn walk(&self, src: u32, dst: u32, mut choose: impl FnMut(u32) -> u32) -> impl Iterator<Item = LinkId> {
        let (mut at, end) = (NodeId(src), NodeId(dst));
        std::iter::from_fn(move || {
            if at == end {
                return None;
            }
            let ways = self.next(at, dst);
            let link = ways.link(choose(ways.len()));
            at = self.leads_to(link);
            Some(link)
        })
    }
}
