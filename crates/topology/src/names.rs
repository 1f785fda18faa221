//! Names of nodes, in one piece of memory, found in both directions.

use engine::{Looks, looking};

/// Every node's name.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    text: String,
    /// Where in `text` each name ends; it starts where the one before ends.
    ends: Vec<usize>,
    /// Nodes in the order of their names.
    sorted: Vec<u32>,
}

impl Names {
    /// Names of nodes 0, 1, ...; gives back one that occurs twice, if there is one.
    pub(crate) fn new<'a>(names: impl Iterator<Item = &'a str>) -> Result<Names, String> {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for name in looking(names) {
            text.push_str(name);
            ends.push(text.len());
        }
        let mut names = Names { text, ends, sorted: Vec::new() };
        let mut sorted: Vec<u32> = (0..names.ends.len() as u32).collect();
        let mut looks = Looks::default();
        sorted.sort_by(|&one, &other| {
            looks.step();
            names.get(one).cmp(names.get(other))
        });
        if let Some(pair) = sorted.windows(2).find(|pair| names.get(pair[0]) == names.get(pair[1])) {
            return Err(names.get(pair[0]).to_owned());
        }
        names.sorted = sorted;
        Ok(names)
    }
    /// The name of a node.
    pub(crate) fn get(&self, node: u32) -> &str {
        let node = node as usize;
        let start = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.text[start..self.ends[node]]
    }
    /// The node of a name.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        let place = self.sorted.binary_search_by_key(&name, |&node| self.get(node)).ok()?;
        Some(self.sorted[place])
    }
    /// All names, in the order of the nodes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|node| self.get(node))
    }
}
