//! What can be wrong with a file of flows, and where.

use super::COLUMNS;
use crate::prose;
use std::fmt;

/// A file that cannot be read as flows: where, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// The file, as it was named.
    pub file: String,
    /// Where in it.
    pub place: Place,
    /// What is wrong there.
    pub problem: LineProblem,
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Nowhere in particular.
    Whole,
    /// A line, from 1.
    Line(u64),
    /// A row of a table, from 1.
    Row(u64),
}

impl ReadError {
    pub(crate) fn whole(file: &str, problem: LineProblem) -> ReadError {
        ReadError { file: file.to_owned(), place: Place::Whole, problem }
    }
    /// At a line; line 0 is none.
    pub(crate) fn at(file: &str, line: u64, problem: LineProblem) -> ReadError {
        let place = if line == 0 { Place::Whole } else { Place::Line(line) };
        ReadError { file: file.to_owned(), place, problem }
    }
    /// The same in a table, where what counts as a line is a row.
    pub(crate) fn in_rows(self) -> ReadError {
        let place = match self.place {
            Place::Line(row) => Place::Row(row),
            Place::Whole | Place::Row(_) => self.place,
        };
        ReadError { place, ..self }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ReadError { file, place, problem } = self;
        match place {
            Place::Whole => write!(f, "{file}: {problem}"),
            Place::Line(line) => write!(f, "{file}, line {line}: {problem}"),
            Place::Row(row) => write!(f, "{file}, row {row}: {problem}"),
        }
    }
}
impl std::error::Error for ReadError {}

/// What is wrong with a line of a file of flows, or with the whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineProblem {
    /// It cannot be opened or read.
    #[error("{0}")]
    Unreadable(String),
    /// Bytes that are no text.
    #[error("this is not text; is it in another format, or not saved as UTF-8?")]
    NotText,
    /// A line without an end.
    #[error("the line is longer than 4 MiB; is this a list of flows, one a line?")]
    LongLine,
    /// Fields that are not apart by commas.
    #[error("the columns are apart by {separator}; write commas between them")]
    Separator {
        /// What is between them, in the plural.
        separator: &'static str,
    },
    /// A number that no run can have.
    #[error("flow {id}: `{field}` is more than {most}, the most there may be")]
    Beyond {
        /// The flow.
        id: u64,
        /// Which field.
        field: &'static str,
        /// The most.
        most: &'static str,
    },
    /// An ending that says nothing.
    #[error("its ending does not say what format it has; give `format`, one of {formats}")]
    UnknownFormat {
        /// All formats.
        formats: String,
    },
    /// Nothing in it.
    #[error("there are no flows in it")]
    NoFlows,
    /// Too few or too many fields.
    #[error("expected {expected}, found {}: `{text}`", prose::count(*.found as u64, "field"))]
    Fields {
        /// What a line has.
        expected: &'static str,
        /// How many this one has.
        found: usize,
        /// The line.
        text: String,
    },
    /// Something else where a number belongs.
    #[error("`{field}`: `{text}` is not {expected}")]
    NotANumber {
        /// Which field.
        field: &'static str,
        /// What belongs there.
        expected: &'static str,
        /// What stands there.
        text: String,
    },
    /// Finer than time is.
    #[error("`{field}`: `{text}` is finer than 1 ps, the smallest step there is")]
    TooFine {
        /// Which field.
        field: &'static str,
        /// What stands there.
        text: String,
    },
    /// Larger than fits.
    #[error("`{field}`: `{text}` is too large")]
    TooLarge {
        /// Which field.
        field: &'static str,
        /// What stands there.
        text: String,
    },
    /// Fewer or more lines than announced.
    #[error("{says} says {announced}, and there are {found}: the file is cut short, or the number is wrong")]
    Count {
        /// Which line says so.
        says: &'static str,
        /// How many it says, with what.
        announced: String,
        /// How many there are.
        found: u64,
    },
    /// A column that is not one of ours.
    #[error("there is no column `{column}`{}; there are {}", prose::did_you_mean(*.nearest), COLUMNS.join(", "))]
    UnknownColumn {
        /// What stands there.
        column: String,
        /// The nearest there is.
        nearest: Option<&'static str>,
    },
    /// A column twice.
    #[error("there are two columns `{column}`")]
    TwoColumns {
        /// The column.
        column: &'static str,
    },
    /// A column that must be there.
    #[error("there is no column {column}; a flow needs `src`, `dst`, `bytes`, and `start` (seconds) or `start_ps`")]
    MissingColumn {
        /// The column, in quotes, or two.
        column: &'static str,
    },
    /// Two columns for one thing.
    #[error("both `start` and `start_ps` say when flows start; leave one out")]
    TwoStarts,
    /// A header that is not Shoal's.
    #[error("expected the header `flow-id,src,dst,bytes,start_s`, found `{text}`")]
    ShoalHeader {
        /// What stands there.
        text: String,
    },
    /// A header that is not that of weights.
    #[error("expected the header `src,dst,weight`, found `{text}`")]
    WeightsHeader {
        /// What stands there.
        text: String,
    },
    /// A column of a type that cannot hold this.
    #[error("the column `{column}` holds {found}; it must hold {expected}")]
    ColumnType {
        /// The column.
        column: String,
        /// What it holds.
        found: String,
        /// What it may hold.
        expected: &'static str,
    },
    /// A compression that is not built in.
    #[error("the column `{column}` is compressed with {codec}; write the file with SNAPPY or without compression")]
    Compression {
        /// The column.
        column: String,
        /// How.
        codec: &'static str,
    },
    /// A table whose pages are not what they say.
    #[error("the file is damaged: a page does not hold what its header says")]
    Damaged,
    /// A table whose directory is damaged.
    #[error("the column `{column}` lies outside the file: the file is damaged")]
    ColumnOutside {
        /// The column.
        column: String,
    },
    /// An id twice.
    #[error("the id {id} is that of line {before} too")]
    SameId {
        /// The id.
        id: u64,
        /// The line that has it.
        before: u64,
    },
    /// Ids without a column of them.
    #[error("the column `after` names ids, so there must be a column `id`")]
    AfterWithoutId,
    /// An id that is not there.
    #[error("flow {id} starts after flow {after}, which is not in the file")]
    NoSuchAfter {
        /// Who waits.
        id: u64,
        /// For whom.
        after: u64,
    },
    /// A host that does not exist.
    #[error("flow {id}: {host} is not a host (hosts are 0 to {})", .hosts.saturating_sub(1))]
    NoSuchHost {
        /// The flow.
        id: u64,
        /// The host.
        host: u32,
        /// How many there are.
        hosts: u32,
    },
    /// A flow to itself.
    #[error("flow {id}: host {host} would send to itself")]
    ToItself {
        /// The flow.
        id: u64,
        /// The host.
        host: u32,
    },
    /// A pair with a host that does not exist.
    #[error("{host} is not a host (hosts are 0 to {})", .hosts.saturating_sub(1))]
    PairNoSuchHost {
        /// The host.
        host: u32,
        /// How many there are.
        hosts: u32,
    },
    /// A pair of a host with itself.
    #[error("host {host} would send to itself")]
    PairToItself {
        /// The host.
        host: u32,
    },
    /// Nothing to send.
    #[error("flow {id} has 0 bytes; a flow has at least 1")]
    NoBytes {
        /// The flow.
        id: u64,
    },
    /// A circle, or a wait for a flow without end.
    #[error("flow {id} never starts: what it waits for waits for it in turn, or never ends")]
    NeverStarts {
        /// The flow.
        id: u64,
    },
    /// A wait for more than comes.
    #[error("flow {id} never starts: it waits for {}, and only {ends} can come", prose::count(u64::from(*.needs), "end"))]
    TooFewEnds {
        /// The flow.
        id: u64,
        /// What it waits for.
        needs: u32,
        /// What there is.
        ends: usize,
    },
    /// A gate passed by a flow that is not there.
    #[error("a gate is passed by flow number {flow}, and there are not so many")]
    NoSuchFlow {
        /// Its index.
        flow: u64,
    },
    /// A word that means nothing here.
    #[error("`{word}` means nothing here{}; expected {expected}", prose::did_you_mean(*.nearest))]
    UnknownWord {
        /// The word.
        word: String,
        /// The nearest that means something.
        nearest: Option<&'static str>,
        /// What belongs here.
        expected: &'static str,
    },
    /// A word with nothing behind it.
    #[error("`{word}` is the last word of the line; a number belongs behind it")]
    NoValue {
        /// The word.
        word: String,
    },
    /// A word that must be there.
    #[error("{0}")]
    Htsim(#[from] HtsimProblem),
    /// More nodes than hosts.
    #[error("`Nodes {nodes}`: there are only {hosts} hosts in this topology")]
    TooManyNodes {
        /// What the file says.
        nodes: u64,
        /// What there is.
        hosts: u32,
    },
}

/// What is wrong with a connection matrix of htsim's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HtsimProblem {
    /// No such line in the header.
    #[error("there is no line `{word} N` at the beginning")]
    NoHeader {
        /// Its word.
        word: &'static str,
    },
    /// A connection without a start.
    #[error("the connection has neither `start T` nor `trigger I`, so it never starts")]
    NoStart,
    /// A connection with two.
    #[error("the connection has both `start` and `trigger`; it starts at a time or when a trigger fires")]
    TwoStarts,
    /// A connection without a size.
    #[error("the connection has no `size B`")]
    NoSize,
    /// A triggered connection without an id.
    #[error("the connection has a `trigger`, so it needs an `id`")]
    NoId,
    /// An id of 0.
    #[error("ids count from 1")]
    ZeroId,
    /// A trigger without its parts.
    #[error("a trigger is `trigger id I oneshot|multishot|barrier [count N]`")]
    HalfTrigger,
    /// A trigger that is defined twice.
    #[error("trigger {id} is defined in line {before} too")]
    SameTrigger {
        /// The trigger.
        id: u64,
        /// The line that defines it.
        before: u64,
    },
    /// A trigger that is not defined.
    #[error("trigger {id} is not defined; add `trigger id {id} oneshot`, `multishot` or `barrier count N`")]
    NoTrigger {
        /// The trigger.
        id: u64,
    },
    /// A oneshot that fires twice.
    #[error("trigger {id} is a oneshot, and {fired} ends of connections fire it; a oneshot can be fired once")]
    Oneshot {
        /// The trigger.
        id: u64,
        /// How often it is fired.
        fired: usize,
    },
    /// A barrier that does not open, or opens too early.
    #[error(
        "trigger {id} is a barrier of count {count}, and {fired} ends of connections fire it; they must be as many"
    )]
    Barrier {
        /// The trigger.
        id: u64,
        /// What it says.
        count: u64,
        /// How often it is fired.
        fired: usize,
    },
    /// A link that fails.
    #[error("failures cannot be read from a connection matrix; leave the `failure` lines out")]
    Failure,
    /// A word whose meaning is htsim's own.
    #[error("`addon` changes what a trigger does inside htsim and cannot be read; leave it out")]
    Addon,
}
