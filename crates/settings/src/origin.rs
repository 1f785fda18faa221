//! Where a value was written, so that every message can say it.

use std::fmt;
use std::sync::Arc;

/// Where a value was written. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// On the command line, with `--set`.
    Override,
    /// In the file.
    File {
        /// Its line.
        line: usize,
    },
    /// In the file, in a `[[variant]]`.
    Variant {
        /// Which one.
        name: Arc<str>,
        /// Its line.
        line: usize,
    },
    /// In the file, as one value of a `[sweep]` axis.
    Sweep {
        /// Its line.
        line: usize,
    },
}

impl Origin {
    /// The line, or 0 on the command line: messages are sorted by it.
    pub fn line(&self) -> usize {
        match self {
            Origin::Override => 0,
            Origin::File { line } | Origin::Variant { line, .. } | Origin::Sweep { line } => *line,
        }
    }
}

/// A key path such as `topology.links.host-edge.rate` or `workload.0.load`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct KeyPath(pub Vec<String>);

impl KeyPath {
    /// Tables within tables that a path may go down: more than any experiment has.
    const DEEPEST: usize = 32;

    /// Reads `transport.kind`; each part may be in quotes. None if a part is empty, or there are too many.
    pub fn parse(text: &str) -> Option<KeyPath> {
        let parts: Vec<String> = text.split('.').map(|part| part.trim().trim_matches(['"', '\'']).to_owned()).collect();
        (!parts.iter().any(String::is_empty) && parts.len() <= KeyPath::DEEPEST).then_some(KeyPath(parts))
    }
    /// The path of `key` within this one.
    pub fn child(&self, key: &str) -> KeyPath {
        let mut parts = self.0.clone();
        parts.push(key.to_owned());
        KeyPath(parts)
    }
    /// This path and then `rest`.
    pub fn joined(&self, rest: &KeyPath) -> KeyPath {
        KeyPath([self.0.as_slice(), &rest.0].concat())
    }
    /// The key itself, without the tables above it.
    pub fn last(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }
}

impl From<&str> for KeyPath {
    /// For paths written in the program: no quotes, no empty part.
    fn from(text: &str) -> KeyPath {
        KeyPath(text.split('.').map(str::to_owned).collect())
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}
