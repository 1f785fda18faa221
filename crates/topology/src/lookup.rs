//! Finding nodes and links by what people call them.

use crate::{LinkId, NodeId, Topology};

/// No node has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no node is called `{name}`; {cure}")]
pub struct UnknownNode {
    /// What was asked for.
    pub name: String,
    /// The name that was probably meant, or the first few that there are.
    pub cure: String,
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
    /// The node of this name, or what was probably meant.
    pub fn find_node(&self, name: &str) -> Result<NodeId, UnknownNode> {
        self.node(name).ok_or_else(|| {
            let cure = cure(name, || self.names.iter());
            UnknownNode { name: name.to_owned(), cure }
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
        let mut names: Vec<&str> = self.ports(node).map(|port| self.name(self.links[port as usize].to)).collect();
        names.dedup();
        first_few(names)
    }
}

/// `"spine-1 (2)"` into `("spine-1", 2)`; without a number it is the first.
fn split_number(text: &str) -> (&str, usize) {
    text.strip_suffix(')')
        .and_then(|text| text.rsplit_once('('))
        .and_then(|(name, number)| Some((name.trim_end(), number.parse().ok()?)))
        .unwrap_or((text, 1))
}

/// "did you mean `edge-0`?", or the first few of the nodes that there are.
pub(crate) fn cure<'a, I: Iterator<Item = &'a str>>(name: &str, names: impl Fn() -> I) -> String {
    match settings::nearest(name, names()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("the nodes are {}", first_few(names())),
    }
}

/// As many names as a message has room for, and how many more there are.
fn first_few<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 4;
    let mut names = names.into_iter();
    let shown: Vec<String> = names.by_ref().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let (shown, more) = (shown.join(", "), names.count());
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
