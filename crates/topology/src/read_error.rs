//! Why a topology's file cannot be read.

use crate::{BuildError, htsim_topo, node_link};

/// What is wrong with a file, and what to do about it. The message leaves out the file's name, which only the caller knows.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Not JSON, or not the JSON of a node-link graph.
    #[error("line {line}, column {column}: {what}")]
    Json {
        /// Counted from 1.
        line: usize,
        /// Counted from 1; 0 at a line's end.
        column: usize,
        /// What is wrong there.
        what: String,
    },
    /// A node-link graph that is no network.
    #[error(transparent)]
    NodeLink(#[from] node_link::Problem),
    /// A line of a `.topo` file, or what follows from it.
    #[error("line {line}: {problem}")]
    HtsimTopo {
        /// Counted from 1.
        line: u32,
        /// What is wrong there.
        problem: htsim_topo::Problem,
    },
    /// A graph that cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
}
