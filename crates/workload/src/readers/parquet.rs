//! Our columns in a Parquet file, without compression or with Snappy.

use super::decimal::Finer;
use super::table::{Columns, Table};
use super::{LineProblem, ReadError};
use crate::trace::Trace;
use ::parquet::basic::Compression;
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::Field;
use engine::{Stopped, looking};
use std::fs::File;
use std::panic::{self, AssertUnwindSafe};

/// The flows of a Parquet file, checked for hosts 0..hosts.
pub(super) fn parse(opened: File, file: &str, hosts: u32) -> Result<Trace, ReadError> {
    // The Parquet library panics on some damaged pages; to a person they are all damaged files.
    let read = panic::catch_unwind(AssertUnwindSafe(|| table(opened, file)));
    let trace = read.unwrap_or_else(|panic| match panic.downcast::<Stopped>() {
        Ok(stopped) => panic::resume_unwind(stopped),
        Err(_) => Err(ReadError::whole(file, LineProblem::Damaged)),
    })?;
    trace.check(hosts).map_err(ReadError::in_rows)?;
    Ok(trace)
}

fn table(opened: File, file: &str) -> Result<Trace, ReadError> {
    let broken = |error: ParquetError| ReadError::whole(file, LineProblem::Unreadable(error.to_string()));
    let length = opened.metadata().map_err(|error| broken(error.into()))?.len();
    let reader = SerializedFileReader::new(opened).map_err(broken)?;
    let schema = reader.metadata().file_metadata().schema();
    let names: Vec<String> = schema.get_fields().iter().map(|column| column.name().to_owned()).collect();
    let columns = Columns::find(names.iter().map(String::as_str)).map_err(|problem| ReadError::whole(file, problem))?;
    for column in reader.metadata().row_groups().iter().flat_map(|group| group.columns()) {
        check_column(column, length).map_err(|problem| ReadError::whole(file, problem))?;
    }
    // A double of seconds is written out with the digits that tell it from its neighbours, which are those it was read
    // from, and then read to the nearest picosecond.
    let mut table = Table::new(file, columns, Finer::Round);
    for (row, fields) in looking((1..).zip(reader.get_row_iter(None).map_err(broken)?)) {
        let fields = fields.map_err(broken)?;
        let wrong = |problem| ReadError::at(file, row, problem).in_rows();
        let texts: Result<Vec<String>, LineProblem> =
            fields.get_column_iter().map(|(name, field)| text(name, field)).collect();
        let texts = texts.map_err(wrong)?;
        table.row(row, |at| &texts[at]).map_err(wrong)?;
    }
    table.finish().map_err(ReadError::in_rows)
}

/// Whether a column can be unpacked, and lies within the file: the Parquet library takes that for granted.
fn check_column(column: &ColumnChunkMetaData, length: u64) -> Result<(), LineProblem> {
    let name = || column.column_path().string();
    let codec = match column.compression() {
        Compression::UNCOMPRESSED | Compression::SNAPPY => None,
        Compression::GZIP(_) => Some("GZIP"),
        Compression::LZO => Some("LZO"),
        Compression::BROTLI(_) => Some("BROTLI"),
        Compression::LZ4 | Compression::LZ4_RAW => Some("LZ4"),
        Compression::ZSTD(_) => Some("ZSTD"),
    };
    if let Some(codec) = codec {
        return Err(LineProblem::Compression { column: name(), codec });
    }
    let begin = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
    let end = begin.checked_add(column.compressed_size());
    let within = |end: i64| begin >= 0 && column.compressed_size() >= 0 && end.cast_unsigned() <= length;
    if end.is_some_and(within) { Ok(()) } else { Err(LineProblem::ColumnOutside { column: name() }) }
}

/// A field as it would stand in a comma-separated file.
fn text(column: &str, field: &Field) -> Result<String, LineProblem> {
    let not = |found: &str, expected| {
        Err(LineProblem::ColumnType { column: column.to_owned(), found: found.to_owned(), expected })
    };
    match field {
        Field::Byte(number) => Ok(number.to_string()),
        Field::Short(number) => Ok(number.to_string()),
        Field::Int(number) => Ok(number.to_string()),
        Field::Long(number) => Ok(number.to_string()),
        Field::UByte(number) => Ok(number.to_string()),
        Field::UShort(number) => Ok(number.to_string()),
        Field::UInt(number) => Ok(number.to_string()),
        Field::ULong(number) => Ok(number.to_string()),
        Field::Str(text) => Ok(text.trim().to_owned()),
        Field::Null if column == "after" => Ok(String::new()),
        Field::Double(number) if column == "start" => Ok(number.to_string()),
        Field::Null => not("no value", "a value in every row"),
        Field::Double(_) | Field::Float(_) | Field::Float16(_) => {
            not("a floating-point number", if column == "start" { "a double" } else { "a whole number" })
        }
        Field::Bool(_)
        | Field::Decimal(_)
        | Field::Bytes(_)
        | Field::Date(_)
        | Field::TimeMillis(_)
        | Field::TimeMicros(_)
        | Field::TimestampMillis(_)
        | Field::TimestampMicros(_)
        | Field::Group(_)
        | Field::ListInternal(_)
        | Field::MapInternal(_) => not("something that is no number", "numbers or text"),
    }
}
