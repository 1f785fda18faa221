//! What a run leaves behind: typed rows ([`rows`]) in tables that are written as the run goes ([`table`]), and histograms.
//!
//! Libraries never print: whatever a person reads is made from these tables afterwards.

mod column;
pub mod digest;
pub mod histogram;
pub mod rows;
pub mod table;

pub use column::Row;
pub use digest::Digest;
pub use histogram::Histogram;
pub use rows::{CollisionRow, CounterRow, FlowRow, HistogramRow, LinkRow, OperationRow, SeriesRow, SummaryRow};
pub use table::{Closed, Destination, Table, WriteError};
