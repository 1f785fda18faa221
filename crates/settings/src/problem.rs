//! What is wrong with what was written: one line a problem, each with its place and its cure.

use crate::document::Node;
use crate::origin::{KeyPath, Origin};
use crate::printable::printable;
use std::fmt::{self, Write as _};

/// Everything that was found wrong with a file, in the order of the file. Prints one line a problem.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub struct Problems {
    file: String,
    list: Vec<Problem>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Where it was written.
    pub origin: Origin,
    /// The column, for text that is not TOML.
    pub column: Option<usize>,
    /// The key, if one is to blame.
    pub key: KeyPath,
    /// The value as written, cut short if it is long.
    pub value: Option<String>,
    /// What was expected, and the cure.
    pub mistake: Mistake,
    /// A run that has the problem, if not all have it.
    pub run: Option<String>,
}

/// The ways in which what was written can be wrong.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Mistake {
    /// Not TOML.
    #[error("not TOML: {message}")]
    Syntax {
        /// What to do, or else what the reader says.
        message: String,
    },
    /// A key that is not known here.
    #[error("no such key; {cure}")]
    NoSuchKey {
        /// The nearest, or all there are.
        cure: String,
    },
    /// A key of another kind.
    #[error("a {tag} of kind \"{kind}\" has no such key ({others}); its keys are {keys}")]
    OtherKind {
        /// The table.
        tag: String,
        /// The kind it is of.
        kind: String,
        /// The kinds that have the key.
        others: String,
        /// The keys that this kind has.
        keys: String,
    },
    /// A key that must be written.
    #[error("missing: write for example {example}")]
    Missing {
        /// How to write it.
        example: String,
    },
    /// The wrong type of value.
    #[error("expected {expected}{}", cure.as_ref().map(|cure| format!("; {cure}")).unwrap_or_default())]
    Type {
        /// What was expected.
        expected: String,
        /// How to write it.
        cure: Option<String>,
    },
    /// None of the words that can stand here.
    #[error("no such {what}; {cure}")]
    NoSuchChoice {
        /// What the word names.
        what: String,
        /// The nearest, or all there are.
        cure: String,
    },
    /// A quantity that can't be read.
    #[error("{0}")]
    Quantity(String),
    /// A text that a terminal would obey.
    #[error("holds the control character U+{code:04X}; names and titles are plain text on one line")]
    Control {
        /// Its number.
        code: u32,
    },
    /// A number that is too small or too large.
    #[error("must be {0}")]
    Range(String),
    /// A list that is too short or too long.
    #[error("needs {0}")]
    Entries(String),
    /// Well-formed, but whoever reads it refuses it.
    #[error("{0}")]
    Refused(String),
}

impl Problem {
    /// A problem of the text itself.
    pub fn of_text(origin: Origin, column: usize, mistake: Mistake) -> Problem {
        Problem { origin, column: Some(column), key: KeyPath::default(), value: None, mistake, run: None }
    }
    /// A problem of the value of a key.
    pub fn of_value(key: &KeyPath, node: &Node, mistake: impl Into<Mistake>) -> Problem {
        // A table that does not fit into a line tells nothing.
        let value = Some(node.shown()).filter(|shown| !(shown.ends_with("...") && node.holds_tables()));
        Problem {
            origin: node.origin.clone(),
            column: None,
            key: key.clone(),
            value,
            mistake: mistake.into(),
            run: None,
        }
    }
    /// A problem of the key itself, whatever its value.
    pub fn of_key(key: &KeyPath, origin: &Origin, mistake: impl Into<Mistake>) -> Problem {
        Problem {
            origin: origin.clone(),
            column: None,
            key: key.clone(),
            value: None,
            mistake: mistake.into(),
            run: None,
        }
    }

    fn write(&self, file: &str, f: &mut String) -> fmt::Result {
        match &self.origin {
            Origin::Override => {
                // As typed: what comes from --set is shown the way it is written there.
                write!(f, "--set {}", self.key)?;
                if let Some(value) = &self.value {
                    write!(f, "={}", value.trim_matches('"'))?;
                }
                return write!(f, ": {}", self.mistake);
            }
            Origin::File { line } => {
                write!(f, "{file}:{line}:")?;
                // A variant or a sweep says itself what is different.
                if let Some(run) = &self.run {
                    write!(f, " run {run}:")?;
                }
            }
            Origin::Variant { name, line } => write!(f, "{file}:{line}: variant {name}:")?,
            Origin::Sweep { line } => write!(f, "{file}:{line}: sweep:")?,
        }
        if let Some(column) = self.column {
            write!(f, "{column}:")?;
        }
        if !self.key.0.is_empty() {
            write!(f, " {}", self.key)?;
            if let Some(value) = &self.value {
                write!(f, " = {value}")?;
            }
            write!(f, ":")?;
        }
        write!(f, " {}", self.mistake)
    }
}

impl Problems {
    /// More than this are not printed: the first ones are the ones to fix.
    const SHOWN: usize = 20;
    /// More than this are not collected.
    const MOST: usize = 1000;

    /// Nothing wrong so far with this file.
    pub fn new(file: &str) -> Problems {
        Problems { file: file.to_owned(), list: Vec::new() }
    }
    /// Adds a problem, once: what is wrong in every variant is wrong once.
    pub fn push(&mut self, problem: Problem) {
        // Nobody fixes more than this before looking again, and each is compared with all before it.
        if self.list.len() < Self::MOST && !self.list.contains(&problem) {
            self.list.push(problem);
        }
    }
    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
    /// `value` if nothing is wrong, else everything that is, in the order of the file.
    pub fn unless_any<T>(mut self, value: T) -> Result<T, Problems> {
        if self.is_empty() {
            return Ok(value);
        }
        self.list.sort_by_key(|problem| problem.origin.line());
        Err(self)
    }
    /// The problems, in the order of the file; those of the command line first.
    pub fn list(&self) -> &[Problem] {
        &self.list
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.list.iter().take(Self::SHOWN).enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            // What a file holds is quoted in many messages, by many readers: here is where all of them come by.
            let mut line = String::new();
            problem.write(&self.file, &mut line)?;
            f.write_str(&printable(&line))?;
        }
        match self.list.len().saturating_sub(Self::SHOWN) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}
