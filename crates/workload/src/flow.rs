//! What comes out of a workload.

use std::fmt;
use units::{Bytes, Time};

/// One flow, at the moment it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flow {
    /// Counts from 0 in the order of start; flows that start together are in the order of their groups, then in the order
    /// that their group's kind defines.
    pub id: u64,
    /// Index of its group.
    pub group: u16,
    /// Host that sends.
    pub src: u32,
    /// Host that receives; another one.
    pub dst: u32,
    /// How much: at least one byte; [`Bytes::MAX`] if it never ends.
    pub bytes: Bytes,
    /// When.
    pub start: Time,
    /// Priority of its group.
    pub priority: u8,
    /// The operation that it is of, if it is of one: they count from 0 in the order of start.
    pub operation: Option<u64>,
}

/// Flows that have not started, and the flows in flight that they wait for: for the report of a run that has stalled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Index of the group.
    pub group: u16,
    /// Name of the group.
    pub name: String,
    /// What waits, such as `round 2 of 3 (8 flows)` or `3 -> 4, step 2 of 14`.
    pub what: String,
    /// Ids of the flows in flight whose end it waits for, ascending.
    pub flows: Vec<u64>,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        let shown = self.flows.iter().take(SHOWN).map(u64::to_string).collect::<Vec<_>>().join(", ");
        let more = self.flows.len().saturating_sub(SHOWN);
        let noun = if self.flows.len() == 1 { "flow" } else { "flows" };
        write!(f, "{}: {} waits for {noun} {shown}", self.name, self.what)?;
        if more > 0 { write!(f, " and {more} more") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_for_what_is_one_line() {
        let mut waiting =
            Waiting { group: 0, name: "incast".into(), what: "round 2 of 3 (8 flows)".into(), flows: vec![4] };
        assert_eq!(waiting.to_string(), "incast: round 2 of 3 (8 flows) waits for flow 4");
        waiting.flows = (0..10).collect();
        assert_eq!(
            waiting.to_string(),
            "incast: round 2 of 3 (8 flows) waits for flows 0, 1, 2, 3, 4, 5, 6, 7 and 2 more"
        );
    }
}
