//! Files on disk: Parquet, and how a format is found.

use parquet::basic::{Compression, ConvertedType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaDataWriter};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use workload::readers::{Format, read};
use workload::{Trace, TraceStart};

/// A column to write.
enum Column {
    Int32(Vec<i32>),
    /// Unsigned, in the bits of signed ones.
    Unsigned(Vec<u64>),
    Int64(Vec<i64>),
    Double(Vec<f64>),
    Float(Vec<f32>),
    Text(Vec<&'static str>),
    /// Text, some of which is not there.
    Maybe(Vec<Option<&'static str>>),
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn field(name: &str, column: &Column) -> Arc<Type> {
    let (physical, converted) = match column {
        Column::Int32(_) => (Physical::INT32, ConvertedType::NONE),
        Column::Unsigned(_) => (Physical::INT64, ConvertedType::UINT_64),
        Column::Int64(_) => (Physical::INT64, ConvertedType::NONE),
        Column::Double(_) => (Physical::DOUBLE, ConvertedType::NONE),
        Column::Float(_) => (Physical::FLOAT, ConvertedType::NONE),
        Column::Text(_) | Column::Maybe(_) => (Physical::BYTE_ARRAY, ConvertedType::UTF8),
    };
    let repetition = if matches!(column, Column::Maybe(_)) { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let builder = Type::primitive_type_builder(name, physical).with_converted_type(converted);
    Arc::new(builder.with_repetition(repetition).build().unwrap())
}

fn write(name: &str, compression: Compression, columns: &[(&str, Column)]) -> PathBuf {
    let fields = columns.iter().map(|(name, column)| field(name, column)).collect();
    let schema = Arc::new(Type::group_type_builder("flows").with_fields(fields).build().unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut file = SerializedFileWriter::new(File::create(path(name)).unwrap(), schema, properties).unwrap();
    let mut group = file.next_row_group().unwrap();
    for (_, column) in columns {
        let mut writer = group.next_column().unwrap().unwrap();
        let text = |text: &&str| ByteArray::from(*text);
        match column {
            Column::Int32(values) => writer.typed::<Int32Type>().write_batch(values, None, None),
            Column::Int64(values) => writer.typed::<Int64Type>().write_batch(values, None, None),
            Column::Unsigned(values) => {
                let values: Vec<i64> = values.iter().map(|value| value.cast_signed()).collect();
                writer.typed::<Int64Type>().write_batch(&values, None, None)
            }
            Column::Double(values) => writer.typed::<DoubleType>().write_batch(values, None, None),
            Column::Float(values) => writer.typed::<FloatType>().write_batch(values, None, None),
            Column::Text(values) => {
                let values: Vec<ByteArray> = values.iter().map(text).collect();
                writer.typed::<ByteArrayType>().write_batch(&values, None, None)
            }
            Column::Maybe(values) => {
                let there: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
                let values: Vec<ByteArray> = values.iter().flatten().map(text).collect();
                writer.typed::<ByteArrayType>().write_batch(&values, Some(&there), None)
            }
        }
        .unwrap();
        writer.close().unwrap();
    }
    group.close().unwrap();
    file.close().unwrap();
    path(name)
}

/// Source, destination, bytes and start of each flow that starts at a time.
fn rows(trace: &Trace) -> Vec<(u32, u32, u64, u64)> {
    let starts = trace.flows.iter().filter_map(|flow| match flow.start {
        TraceStart::At(time) => Some((flow.src, flow.dst, flow.bytes.get(), time.as_ps())),
        TraceStart::After { .. } => None,
    });
    starts.collect()
}

fn ends() -> [(&'static str, Column); 2] {
    [("src", Column::Int32(vec![0, 1])), ("dst", Column::Int64(vec![2, 3]))]
}

#[test]
fn parquet_is_read_with_snappy_and_without() {
    for (name, compression) in [("plain.parquet", Compression::UNCOMPRESSED), ("snappy.parquet", Compression::SNAPPY)] {
        let [src, dst] = ends();
        let bytes = ("bytes", Column::Unsigned(vec![1500, 1_000_000_000_000_000]));
        let start = ("start_ps", Column::Int64(vec![16_800_001, 0]));
        let trace = read(&write(name, compression, &[src, dst, bytes, start]), None, 16).unwrap();
        assert_eq!(rows(&trace), [(0, 2, 1500, 16_800_001), (1, 3, 1_000_000_000_000_000, 0)]);
    }
}

#[test]
fn parquet_doubles_and_text_are_exact() {
    let [src, dst] = ends();
    let bytes = ("bytes", Column::Text(vec!["4 KB", "endless"]));
    // 0.1 + 0.2 is not 0.3, and no double is 0.000000000001: the digits are what counts.
    let start = ("start", Column::Double(vec![1e-12, 100.300_000_000_001]));
    let trace = read(&write("double.parquet", Compression::SNAPPY, &[src, dst, bytes, start]), None, 16).unwrap();
    assert_eq!(rows(&trace), [(0, 2, 4000, 1), (1, 3, u64::MAX, 100_300_000_000_001)]);

    let [src, dst] = ends();
    let columns = [
        src,
        dst,
        ("id", Column::Int64(vec![5, 6])),
        ("bytes", Column::Int32(vec![1, 2])),
        ("start", Column::Text(vec!["10 us", "0.5"])),
        ("after", Column::Maybe(vec![None, Some("5")])),
    ];
    let trace = read(&write("after.parquet", Compression::SNAPPY, &columns), Some(Format::Parquet), 16).unwrap();
    assert_eq!(rows(&trace), [(0, 2, 1, 10_000_000)]);
    assert_eq!(trace.gates[0].passed_by, [0]);
}

#[test]
fn wrong_parquet_is_named_by_row() {
    let wrong = |name: &str, compression, columns: &[(&str, Column)]| {
        let path = write(name, compression, columns);
        let error = read(&path, None, 16).unwrap_err().to_string();
        error.strip_prefix(&format!("{}", path.display())).unwrap_or_else(|| panic!("{error}")).to_owned()
    };
    let with = |name: &str, bytes: Column, start: (&'static str, Column)| {
        let [src, dst] = ends();
        wrong(name, Compression::SNAPPY, &[src, dst, ("bytes", bytes), start])
    };
    let ok = || ("start", Column::Double(vec![0.0, 1.0]));
    assert_eq!(
        with("zero.parquet", Column::Int32(vec![1, 0]), ok()),
        ", row 2: flow 1 has 0 bytes; a flow has at least 1"
    );
    assert_eq!(
        with("negative.parquet", Column::Int32(vec![-1, 0]), ok()),
        ", row 1: `bytes`: `-1` is not a number of bytes, such as 1500, 4 KB or endless"
    );
    assert_eq!(
        with("type.parquet", Column::Double(vec![1.0, 2.0]), ok()),
        ", row 1: the column `bytes` holds a floating-point number; it must hold a whole number"
    );
    assert_eq!(
        with("float.parquet", Column::Int32(vec![1, 2]), ("start", Column::Float(vec![0.5, 1.0]))),
        ", row 1: the column `start` holds a floating-point number; it must hold a double"
    );
    assert_eq!(
        with("nothing.parquet", Column::Int32(vec![1, 2]), ("start", Column::Maybe(vec![Some("0"), None]))),
        ", row 2: the column `start` holds no value; it must hold a value in every row"
    );
    assert_eq!(
        with("nan.parquet", Column::Int32(vec![1, 2]), ("start", Column::Double(vec![0.0, f64::NAN]))),
        ", row 2: `start`: `NaN` is not a time in seconds, such as 0.000125"
    );
    assert_eq!(
        with("column.parquet", Column::Int32(vec![1, 2]), ("begin", Column::Double(vec![0.0, 1.0]))),
        ": there is no column `begin`; there are id, src, dst, bytes, start, start_ps, after"
    );
}

#[test]
fn broken_parquet_is_said_to_be() {
    let broken = path("broken.parquet");
    std::fs::write(&broken, b"PAR1 but no more").unwrap();
    let error = read(&broken, None, 16).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: ", broken.display())), "{error}");
    // Cut short in the middle.
    let [src, dst] = ends();
    let columns = [src, dst, ("bytes", Column::Int32(vec![1, 2])), ("start_ps", Column::Int32(vec![1, 2]))];
    let whole = std::fs::read(write("whole.parquet", Compression::SNAPPY, &columns)).unwrap();
    for length in 0..whole.len() {
        let cut = path("cut.parquet");
        std::fs::write(&cut, &whole[..length]).unwrap();
        assert!(read(&cut, None, 16).is_err(), "{length} of {} bytes", whole.len());
    }
}

#[test]
fn other_compressions_are_named() {
    let [src, dst] = ends();
    let columns = [src, dst, ("bytes", Column::Int32(vec![1, 2])), ("start_ps", Column::Int32(vec![1, 2]))];
    let plain = write("uncompressed.parquet", Compression::UNCOMPRESSED, &columns);
    // The same file with metadata that says otherwise: nothing here can write with zstd.
    let metadata = SerializedFileReader::new(File::open(&plain).unwrap()).unwrap().metadata().clone();
    let group = metadata.row_group(0).clone();
    let zstd = |column: &ColumnChunkMetaData| {
        column.clone().into_builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build().unwrap()
    };
    let changed = group.columns().iter().map(zstd).collect();
    let group = group.into_builder().set_column_metadata(changed).build().unwrap();
    let metadata = metadata.into_builder().set_row_groups(vec![group]).build();
    let mut bytes = std::fs::read(&plain).unwrap();
    ParquetMetaDataWriter::new(&mut bytes, &metadata).finish().unwrap();
    let file = path("zstd.parquet");
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(
        read(&file, None, 16).unwrap_err().to_string(),
        format!(
            "{}: the column `src` is compressed with ZSTD; write the file with SNAPPY or without compression",
            file.display()
        )
    );
}

#[test]
fn a_damaged_parquet_file_is_never_a_panic() {
    let [src, dst] = ends();
    let columns = [src, dst, ("bytes", Column::Int32(vec![1, 2])), ("start", Column::Text(vec!["1 us", "0.5"]))];
    let whole = std::fs::read(write("damage.parquet", Compression::SNAPPY, &columns)).unwrap();
    let damaged = path("damaged.parquet");
    // The library's own panics are caught; their messages would only clutter the output of the tests.
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !panic.location().is_some_and(|location| location.file().contains("parquet")) {
            usual(panic);
        }
    }));
    let mut refused = 0;
    for at in 0..whole.len() {
        for flip in [0x01, 0x80] {
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            std::fs::write(&damaged, &bytes).unwrap();
            refused += u32::from(read(&damaged, None, 16).is_err());
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn the_ending_of_a_file_decides() {
    let file = path("flows.cm");
    std::fs::write(&file, "Nodes 16\nConnections 1\n0->1 start 5 size 7\n").unwrap();
    assert_eq!(rows(&read(&file, None, 16).unwrap()), [(0, 1, 7, 5)]);
    let file = path("flows.htsim");
    std::fs::write(&file, "0 1 7 5\n").unwrap();
    assert_eq!(rows(&read(&file, None, 16).unwrap()), [(0, 1, 7, 5000)]);
    let file = path("flows.dat");
    std::fs::write(&file, "src,dst,bytes,start\n0,1,7,0\n").unwrap();
    assert_eq!(rows(&read(&file, Some(Format::Csv), 16).unwrap()), [(0, 1, 7, 0)]);
}
