//! Finding nodes and links by what people call them.

use crate::{LinkId, NodeId, Topology};

/// No node has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no node is called `{name}`; did you mean `{nearest}`?")]
pub struct UnknownNode {
    /// What was asked for.
    pub name: String,
    /// The most similar name there is.
    pub nearest: String,
}

/// No link has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownLink {
    /// The text is not two names with an arrow between.
    #[error("`{name}` is not a link; write it as two nodes with an arrow, such as `{example}`")]
    NotALink {
        /// What was asked for.
        name: String,
        /// A link there is.
        example: String,
    },
    /// One of its ends is no node.
    #[error(transparent)]
    Node(#[from] UnknownNode),
    /// Its ends are nodes that no cable joins.
    #[error("no link goes from `{from}` to `{to}`; from `{from}` links go to {neighbours}")]
    NotLinked {
        /// Where it should start.
        from: String,
        /// Where it should lead.
        to: String,
        /// Where links from there do lead: the first few.
        neighbours: String,
    },
    /// There are fewer parallel links than that.
    #[error("there is no `{name}`; links from `{from}` to `{to}` are numbered 1 to {count}")]
    NoSuchParallel {
        /// What was asked for.
        name: String,
        /// Where it starts.
        from: String,
        /// Where it leads.
        to: String,
        /// How many there are.
        count: usize,
    },
}

impl Topology {
    /// A node's name.
    pub fn name(&self, node: NodeId) -> &str {
        self.names.get(node.0)
    }
    /// The node of this name.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        self.names.find(name).map(NodeId)
    }
    /// The node of this name, or the most similar name there is.
    pub fn find_node(&self, name: &str) -> Result<NodeId, UnknownNode> {
        self.node(name).ok_or_else(|| {
            let nearest = nearest(name, self.names.iter()).unwrap_or_default();
            UnknownNode { name: name.to_owned(), nearest: nearest.to_owned() }
        })
    }
    /// `"edge-0 -> aggregation-1"`. Parallel links are told apart by a number from the second on:
    /// `"edge-0 -> aggregation-1 (2)"`.
    pub fn link_name(&self, id: LinkId) -> String {
        let link = self.link(id);
        let (from, to) = (self.name(link.from), self.name(link.to));
        match self.link_between(link.from, link.to).position(|other| other == id) {
            None | Some(0) => format!("{from} -> {to}"),
            Some(before) => format!("{from} -> {to} ({})", before + 1),
        }
    }
    /// The link of this [`Topology::link_name`]; blanks about the arrow don't matter.
    pub fn find_link(&self, name: &str) -> Result<LinkId, UnknownLink> {
        let Some((from, to)) = name.split_once("->") else {
            let example = self.link_name(LinkId(0));
            return Err(UnknownLink::NotALink { name: name.to_owned(), example });
        };
        let from = self.find_node(from.trim())?;
        let (to, number) = match self.node(to.trim()) {
            Some(to) => (to, 1),
            None => {
                let (to, number) = split_number(to.trim());
                (self.find_node(to)?, number)
            }
        };
        let mut between = self.link_between(from, to);
        let count = between.len();
        if count == 0 {
            let neighbours = self.neighbours(from);
            let (from, to) = (self.name(from).to_owned(), self.name(to).to_owned());
            return Err(UnknownLink::NotLinked { from, to, neighbours });
        }
        number.checked_sub(1).and_then(|before| between.nth(before)).ok_or_else(|| UnknownLink::NoSuchParallel {
            name: name.to_owned(),
            from: self.name(from).to_owned(),
            to: self.name(to).to_owned(),
            count,
        })
    }
    /// The first few nodes that links from here lead to, in words.
    fn neighbours(&self, node: NodeId) -> String {
        const SHOWN: usize = 4;
        let mut names: Vec<&str> = self.ports(node).map(|port| self.name(self.links[port as usize].to)).collect();
        names.dedup();
        let more = names.len().saturating_sub(SHOWN);
        let shown = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        if more == 0 { shown } else { format!("{shown} and {more} more") }
    }
}

/// `"spine-1 (2)"` into `("spine-1", 2)`; without a number it is the first.
fn split_number(text: &str) -> (&str, usize) {
    text.strip_suffix(')')
        .and_then(|text| text.rsplit_once('('))
        .and_then(|(name, number)| Some((name.trim_end(), number.parse().ok()?)))
        .unwrap_or((text, 1))
}

/// The most similar of `candidates`, letters' case aside; the first of equally similar ones.
pub(crate) fn nearest<'a>(text: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let text = text.to_lowercase();
    let distance = |candidate: &&str| strsim::damerau_levenshtein(&text, &candidate.to_lowercase());
    candidates.min_by_key(distance)
}
