//! Tables that are written as a run goes.
//!
//! A table is an Arrow IPC stream: batches of rows, each complete in itself. A run that is stopped, killed or out of disk
//! leaves every batch that was written, and readers take the file up to there.

use crate::column::Row;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;
use std::fs::File;
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

enum Sink {
    File(BufWriter<File>),
    Memory(Vec<u8>),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::File(file) => file.write(bytes),
            Sink::Memory(memory) => memory.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::File(file) => file.flush(),
            Sink::Memory(memory) => memory.flush(),
        }
    }
}

/// A table of rows `R` that is being written.
pub struct Table<R: Row> {
    path: PathBuf,
    columns: R::Columns,
    writer: StreamWriter<Sink>,
}

/// Rows in a batch: enough to write efficiently, few enough to lose little when killed.
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
            .and_then(|sink| StreamWriter::try_new(sink, &R::schema()))
            .map_err(|error| write_error(&path, error))?;
        Ok(Table { path, columns: R::Columns::default(), writer })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If a batch of rows was full and cannot be written.
    pub fn push(&mut self, row: &R) -> Result<(), WriteError> {
        row.append(&mut self.columns);
        if R::len(&self.columns) >= BATCH { self.flush() } else { Ok(()) }
    }

    /// Writes the rows that wait for their batch to fill.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        if R::len(&self.columns) > 0 {
            let batch = R::finish(&mut self.columns);
            self.writer.write(&batch).map_err(|error| write_error(&self.path, error))?;
        }
        self.writer.flush().map_err(|error| write_error(&self.path, error))
    }

    /// Ends the table. Its bytes, if it was kept in memory.
    ///
    /// # Errors
    /// If the rest cannot be written.
    pub fn close(mut self) -> Result<Option<Vec<u8>>, WriteError> {
        self.flush()?;
        let sink = self.writer.finish().and_then(|()| self.writer.into_inner());
        match sink.map_err(|error| write_error(&self.path, error))? {
            Sink::File(mut file) => {
                file.flush().map(|()| None).map_err(|source| WriteError { path: self.path, source })
            }
            Sink::Memory(memory) => Ok(Some(memory)),
        }
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
        table.close().unwrap().unwrap()
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

    #[test]
    fn a_file_that_is_there_is_not_overwritten() {
        let folder = std::env::temp_dir().join(format!("gossamer-table-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let destination = Destination::Folder(folder.clone());
        Table::<SeriesRow>::create(&destination).unwrap().close().unwrap();
        let error = Table::<SeriesRow>::create(&destination).err().unwrap().to_string();
        assert!(
            error.ends_with("series.arrow: cannot write: File exists (os error 17); what was written before is kept"),
            "{error}"
        );
        std::fs::remove_dir_all(folder).unwrap();
    }
}
