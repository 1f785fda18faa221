//! From a key of the checked experiment back to where it was written.

use super::Refusal;
use crate::document::Node;
use crate::origin::KeyPath;
use crate::problem::Problem;

/// The tree that one run was read from, and what was found wrong with it so far.
pub(super) struct Blame<'a> {
    root: &'a Node,
    problems: Vec<Problem>,
}

impl<'a> Blame<'a> {
    pub(super) fn new(root: &'a Node) -> Blame<'a> {
        Blame { root, problems: Vec::new() }
    }
    /// `refusal` is about the value at `path`. If that is a default, the nearest table above it is named.
    pub(super) fn value(&mut self, path: &str, refusal: Refusal) {
        self.at(&KeyPath::from(path), refusal);
    }
    /// As [`Blame::value`], for keys that may hold dots.
    pub(super) fn at(&mut self, path: &KeyPath, refusal: Refusal) {
        let problem = match self.root.at(&path.0) {
            Some(node) if !node.holds_tables() => Problem::of_value(path, node, refusal),
            Some(node) => Problem::of_key(path, &node.origin, refusal),
            None => {
                let above = (0..path.0.len()).rev().find_map(|parts| self.root.at(&path.0[..parts]));
                Problem::of_key(path, &above.unwrap_or(self.root).origin, refusal)
            }
        };
        self.problems.push(problem);
    }
    /// Problems found so far.
    pub(super) fn count(&self) -> usize {
        self.problems.len()
    }
    pub(super) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }
}
