//! Operations: flows that are one job together, such as a collective or a round of an incast.

/// What an operation is. Its flows start and end one by one; it ends with the last of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// Its kind.
    pub kind: OperationKind,
    /// Hosts that take part.
    pub ranks: u32,
    /// Its flows.
    pub flows: u64,
    /// How much one participant contributes, if that is known from the start. Else the sizes of its flows say it.
    pub bytes: Option<u64>,
}

/// Kinds of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationKind {
    /// All-reduce over a ring.
    RingAllReduce,
    /// All-reduce over a binary tree.
    TreeAllReduce,
    /// Each participant has something for each other one.
    AllToAll,
    /// Many send to one.
    Incast,
    /// Each sends to one other.
    Permutation,
    /// Each sends to some others.
    AllToMany,
    /// The flows of a trace, some of which wait for others.
    Trace,
}

impl OperationKind {
    /// Its name in tables and messages.
    pub fn name(self) -> &'static str {
        match self {
            OperationKind::RingAllReduce => "all-reduce (ring)",
            OperationKind::TreeAllReduce => "all-reduce (tree)",
            OperationKind::AllToAll => "all-to-all",
            OperationKind::Incast => "incast",
            OperationKind::Permutation => "permutation",
            OperationKind::AllToMany => "all-to-many",
            OperationKind::Trace => "trace",
        }
    }

    /// Bus bandwidth over algorithm bandwidth among so many ranks: what makes numbers of different operations comparable with
    /// the rate of a link (nccl-tests, doc/PERFORMANCE.md). None where nccl-tests define none.
    pub fn bus_factor(self, ranks: u32) -> Option<f64> {
        let n = f64::from(ranks);
        match self {
            OperationKind::RingAllReduce | OperationKind::TreeAllReduce => Some(2.0 * (n - 1.0) / n),
            OperationKind::AllToAll => Some((n - 1.0) / n),
            OperationKind::Incast | OperationKind::Permutation | OperationKind::AllToMany | OperationKind::Trace => {
                None
            }
        }
    }

    /// The size that bandwidths are of, as nccl-tests count it: bytes of one rank's buffer. `sent`: bytes of all its flows. In an
    /// all-to-all each rank's buffer has a part for itself, which no flow carries. For kinds that nccl-tests do not have it is all
    /// that is sent: for an incast, what its receiver gets.
    pub fn size(self, ranks: u32, sent: u64) -> u64 {
        match self {
            OperationKind::AllToAll => sent / u64::from(ranks.max(2) - 1),
            OperationKind::RingAllReduce
            | OperationKind::TreeAllReduce
            | OperationKind::Incast
            | OperationKind::Permutation
            | OperationKind::AllToMany
            | OperationKind::Trace => sent,
        }
    }
}
