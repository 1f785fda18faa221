//! What is wrong with settings that are well-formed, by the key that each finding is about.

use crate::document::Node;
use crate::origin::KeyPath;
use crate::problem::{Mistake, Problem};
use std::fmt::Display;

/// The tree that settings were read from, and what was found wrong with it so far.
#[derive(Debug)]
pub struct Diagnostics<'a> {
    root: &'a Node,
    problems: Vec<Problem>,
}

impl<'a> Diagnostics<'a> {
    /// Nothing wrong so far with what was read from `root`.
    pub fn new(root: &'a Node) -> Diagnostics<'a> {
        Diagnostics { root, problems: Vec::new() }
    }
    /// `why` the value at `path` is refused, and the cure. If that is a default, the nearest table above it is named.
    pub fn refuse(&mut self, path: &str, why: impl Display) {
        self.refuse_at(&KeyPath::from(path), why);
    }
    /// As [`Diagnostics::refuse`], for keys that may hold dots.
    pub fn refuse_at(&mut self, path: &KeyPath, why: impl Display) {
        let why = Mistake::Refused(why.to_string());
        let problem = match self.root.at(&path.0) {
            Some(node) if !node.holds_tables() => Problem::of_value(path, node, why),
            Some(node) => Problem::of_key(path, &node.origin, why),
            None => {
                let above = (0..path.0.len()).rev().find_map(|parts| self.root.at(&path.0[..parts]));
                Problem::of_key(path, &above.unwrap_or(self.root).origin, why)
            }
        };
        self.problems.push(problem);
    }
    /// The table at `path`, whose keys are named without it.
    pub fn section(&mut self, path: &str) -> Section<'_, 'a> {
        Section { path: KeyPath::from(path), diagnostics: self }
    }
    /// Problems found so far.
    pub fn count(&self) -> usize {
        self.problems.len()
    }
    /// All that were found.
    pub fn into_problems(self) -> Vec<Problem> {
        self.problems
    }
}

/// One table of the settings: its reader names keys by themselves.
#[derive(Debug)]
pub struct Section<'d, 'a> {
    path: KeyPath,
    diagnostics: &'d mut Diagnostics<'a>,
}

impl<'a> Section<'_, 'a> {
    /// `why` the value of `key` of this table is refused, and the cure.
    pub fn refuse(&mut self, key: &str, why: impl Display) {
        let path = self.path.joined(&KeyPath::from(key));
        self.diagnostics.refuse_at(&path, why);
    }
    /// `why` something in another table is refused, by its whole path.
    pub fn refuse_elsewhere(&mut self, path: &KeyPath, why: impl Display) {
        self.diagnostics.refuse_at(path, why);
    }
    /// Whether somebody has written `key` of this table, and it is not the default.
    pub fn is_written(&self, key: &str) -> bool {
        self.diagnostics.root.at(&self.path.joined(&KeyPath::from(key)).0).is_some()
    }
    /// A table within this one.
    pub fn section(&mut self, key: &str) -> Section<'_, 'a> {
        Section { path: self.path.joined(&KeyPath::from(key)), diagnostics: self.diagnostics }
    }
    /// Problems found so far, in all tables.
    pub fn count(&self) -> usize {
        self.diagnostics.count()
    }
}
