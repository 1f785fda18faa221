//! Tables that are written as a run goes.
//!
//! A table is an Arrow IPC stream: batches of rows, each complete in itself. A run that is killed or out of disk leaves every
//! batch that was written, and readers take the file up to there.
//!
//! Where batches begin and end depends on rows alone, never on the clock, so a table that is closed has the same bytes whoever
//! watched it. The rows that wait for their batch to fill are therefore saved beside it: [`Table::save`] puts them in
//! `NAME.arrow.tail`, an Arrow IPC stream of its own whose schema says how many rows come before them (`rows_before`). Closing
//! the table removes it.

use crate::column::Row;
use crate::digest::{Digest, Hasher};
use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, Metadata};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Where a run's tables go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// Files in this folder.
    Folder(PathBuf),
    /// Kept, to be taken when the run is over.
    Memory,
}

/// A table could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot write: {source}; what was written before is kept", path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// A table that is closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// Its name.
    pub name: &'static str,
    /// Of all its bytes.
    pub digest: Digest,
    /// The bytes, if they were kept in memory.
    pub kept: Option<Vec<u8>>,
}

enum Sink {
    File(BufWriter<File>),
    Memory(Vec<u8>),
}

/// A sink and the digest of what went into it.
struct Hashed {
    sink: Sink,
    hasher: Hasher,
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.sink {
            Sink::File(file) => file.write(bytes)?,
            Sink::Memory(memory) => memory.write(bytes)?,
        };
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::File(file) => file.flush(),
            Sink::Memory(memory) => memory.flush(),
        }
    }
}

/// A table of rows `R` that is being written.
pub struct Table<R: Row> {
    path: PathBuf,
    in_memory: bool,
    columns: R::Columns,
    writer: StreamWriter<Hashed>,
    /// Rows in batches.
    written: u64,
    /// Rows that were so in the file's tail, and rows that stand in it; none, if there is no tail.
    saved: Option<(u64, usize)>,
}

/// Rows in a batch: enough to write efficiently.
const BATCH: usize = 8192;

impl<R: Row> Table<R> {
    /// Begins the table.
    ///
    /// # Errors
    /// If its file cannot be made. A file that is there already is not overwritten.
    pub fn create(destination: &Destination) -> Result<Table<R>, WriteError> {
        let name = format!("{}.arrow", R::NAME);
        let (path, sink) = match destination {
            Destination::Memory => (PathBuf::from(name), Ok(Sink::Memory(Vec::new()))),
            Destination::Folder(folder) => {
                let path = folder.join(name);
                let file = File::create_new(&path).map(|file| Sink::File(BufWriter::new(file)));
                (path, file)
            }
        };
        let writer = sink
            .map_err(ArrowError::from)
            .and_then(|sink| StreamWriter::try_new(Hashed { sink, hasher: Hasher::default() }, &R::schema()))
            .and_then(|mut writer| writer.flush().map(|()| writer)) // a table that is killed early has its columns
            .map_err(|error| write_error(&path, error))?;
        let (in_memory, columns) = (*destination == Destination::Memory, R::Columns::default());
        Ok(Table { path, in_memory, columns, writer, written: 0, saved: None })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If a batch of rows was full and cannot be written.
    pub fn push(&mut self, row: &R) -> Result<(), WriteError> {
        row.append(&mut self.columns);
        if R::len(&self.columns) >= BATCH { self.write_batch() } else { Ok(()) }
    }

    fn write_batch(&mut self) -> Result<(), WriteError> {
        let batch = R::finish(&mut self.columns);
        self.written += batch.num_rows() as u64;
        self.writer.write(&batch).map_err(|error| write_error(&self.path, error))
    }

    /// Has every row outlive this process: what is written reaches the file, and the rows that wait for their batch to fill
    /// reach its tail. The table's own bytes stay as they would have been.
    ///
    /// # Errors
    /// If what is written cannot reach the file. A tail that cannot be written is left out: it is a copy for a case of need.
    pub fn save(&mut self) -> Result<(), WriteError> {
        if self.in_memory {
            return Ok(());
        }
        self.writer.flush().map_err(|error| write_error(&self.path, error))?;
        let waiting = (self.written, R::len(&self.columns));
        if waiting.1 > 0 && self.saved != Some(waiting) && self.write_tail(&self.columns).is_ok() {
            self.saved = Some(waiting);
        }
        Ok(())
    }

    /// Like [`Table::save`], of rows that may still change: they are to follow those that were pushed, which no others may wait with.
    ///
    /// # Errors
    /// If what is written cannot reach the file.
    pub fn save_draft(&mut self, rows: impl IntoIterator<Item = R>) -> Result<(), WriteError> {
        if self.in_memory {
            return Ok(());
        }
        debug_assert_eq!(R::len(&self.columns), 0, "a draft follows rows that are written");
        self.writer.flush().map_err(|error| write_error(&self.path, error))?;
        let mut columns = R::Columns::default();
        rows.into_iter().for_each(|row| row.append(&mut columns));
        if R::len(&columns) > 0 && self.write_tail(&columns).is_ok() {
            self.saved = Some((self.written, R::len(&columns)));
        }
        Ok(())
    }

    /// Replaces the tail, so that a reader sees the old one or the new one, never a part.
    fn write_tail(&self, columns: &R::Columns) -> Result<(), ArrowError> {
        let schema = (*R::schema()).clone();
        let before = ("rows_before".to_owned(), self.written.to_string());
        let schema = schema.with_metadata(Metadata::from_iter([before]));
        let rows = R::so_far(columns);
        let rows = RecordBatch::try_new(schema.clone().into(), rows.columns().to_vec())?;
        let mut bytes = Vec::new();
        let mut writer = StreamWriter::try_new(&mut bytes, &schema)?;
        writer.write(&rows)?;
        writer.finish()?;
        let (tail, new) = (self.tail(), self.path.with_extension("arrow.tail.new"));
        let written = fs::write(&new, &bytes).and_then(|()| fs::rename(&new, &tail));
        written.inspect_err(|_| drop(fs::remove_file(&new)))?;
        Ok(())
    }

    fn tail(&self) -> PathBuf {
        self.path.with_extension("arrow.tail")
    }

    /// Ends the table.
    ///
    /// # Errors
    /// If the rest cannot be written.
    pub fn close(mut self) -> Result<Closed, WriteError> {
        if R::len(&self.columns) > 0 {
            self.write_batch()?;
        }
        let tail = self.saved.is_some().then(|| self.tail());
        let hashed = self.writer.finish().and_then(|()| self.writer.into_inner());
        let Hashed { mut sink, hasher } = hashed.map_err(|error| write_error(&self.path, error))?;
        if let Sink::File(file) = &mut sink {
            file.flush().map_err(|source| WriteError { path: self.path, source })?;
        }
        if let Some(tail) = tail {
            drop(fs::remove_file(tail)); // one that stays says nothing new: the table is whole
        }
        let kept = if let Sink::Memory(memory) = sink { Some(memory) } else { None };
        Ok(Closed { name: R::NAME, digest: hasher.digest(), kept })
    }
}

fn write_error(path: &Path, error: ArrowError) -> WriteError {
    let source = if let ArrowError::IoError(_, source) = error { source } else { io::Error::other(error.to_string()) };
    WriteError { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeriesRow;
    use arrow_array::Array;
    use arrow_ipc::reader::StreamReader;
    use std::io::Cursor;

    fn row(i: u64) -> SeriesRow {
        let scope = if i.is_multiple_of(2) { "all" } else { "host-edge up" };
        SeriesRow { time_ps: i, series: "queue".into(), scope: scope.into(), unit: "B".into(), value: i as f64 / 2.0 }
    }

    fn bytes_of(rows: u64) -> Vec<u8> {
        let mut table = Table::create(&Destination::Memory).unwrap();
        (0..rows).for_each(|i| table.push(&row(i)).unwrap());
        table.close().unwrap().kept.unwrap()
    }

    fn count(bytes: &[u8]) -> usize {
        let batches = StreamReader::try_new(Cursor::new(bytes), None).unwrap();
        batches.map_while(Result::ok).map(|batch| batch.num_rows()).sum()
    }

    #[test]
    fn what_is_written_reads_back_with_its_descriptions() {
        let bytes = bytes_of(20_000);
        let mut reader = StreamReader::try_new(Cursor::new(&bytes), None).unwrap();
        let schema = reader.schema();
        assert_eq!(schema.field(0).metadata()["description"], "End of the sampling interval, in ps.");
        let first = reader.next().unwrap().unwrap();
        assert_eq!((first.num_columns(), first.column(0).len()), (5, BATCH));
        assert_eq!(count(&bytes), 20_000);
    }

    #[test]
    fn a_file_cut_short_keeps_its_whole_batches() {
        let bytes = bytes_of(20_000);
        assert_eq!(count(&bytes[..bytes.len() - 1000]), 2 * BATCH);
    }

    #[test]
    fn an_empty_table_has_its_columns() {
        assert_eq!(count(&bytes_of(0)), 0);
    }

    #[test]
    fn equal_rows_make_equal_bytes() {
        assert_eq!(bytes_of(9000), bytes_of(9000));
    }

    /// A folder for one test, removed when it ends.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("gossamer-table-{name}-{}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            Folder(folder)
        }
        fn table(&self) -> Result<Table<SeriesRow>, WriteError> {
            Table::create(&Destination::Folder(self.0.clone()))
        }
        fn bytes(&self, name: &str) -> Vec<u8> {
            fs::read(self.0.join(name)).unwrap()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).unwrap();
        }
    }

    #[test]
    fn a_file_that_is_there_is_not_overwritten() {
        let folder = Folder::new("again");
        folder.table().unwrap().close().unwrap();
        let error = folder.table().err().unwrap().to_string();
        assert!(
            error.ends_with("series.arrow: cannot write: File exists (os error 17); what was written before is kept"),
            "{error}"
        );
    }

    #[test]
    fn rows_that_wait_are_saved_beside_the_table() {
        let folder = Folder::new("saved");
        let mut table = folder.table().unwrap();
        assert_eq!(count(&folder.bytes("series.arrow")), 0);
        (0..BATCH as u64 + 3).for_each(|i| table.push(&row(i)).unwrap());
        table.save().unwrap();
        assert_eq!(count(&folder.bytes("series.arrow")), BATCH);
        let tail = folder.bytes("series.arrow.tail");
        assert_eq!(count(&tail), 3);
        let reader = StreamReader::try_new(Cursor::new(&tail), None).unwrap();
        assert_eq!(reader.schema().metadata()["rows_before"], BATCH.to_string());
    }

    #[test]
    fn a_table_has_the_same_bytes_however_often_it_was_saved() {
        let folder = Folder::new("alike");
        let mut table = folder.table().unwrap();
        for i in 0..20_000 {
            table.push(&row(i)).unwrap();
            if i.is_multiple_of(1000) {
                table.save().unwrap();
            }
        }
        let closed = table.close().unwrap();
        assert_eq!(folder.bytes("series.arrow"), bytes_of(20_000));
        assert!(!folder.0.join("series.arrow.tail").exists());
        assert_eq!(closed.digest, Digest::of_file(&folder.0.join("series.arrow")).unwrap());
    }
}
