//! From struct to Arrow columns: [`rows!`] makes a table's schema and its writer from one definition with its docs.

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float64Builder, StringDictionaryBuilder, UInt32Builder, UInt64Builder,
};
use arrow_array::types::UInt32Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Metadata, SchemaRef};
use std::sync::Arc;

/// A row of a table.
pub trait Row {
    /// Collects rows into columns.
    type Columns: Default + Send;
    /// The table's name: that of its file, without the ending.
    const NAME: &'static str;
    /// Names, types and descriptions of its columns.
    fn schema() -> SchemaRef;
    /// Adds this row.
    fn append(&self, columns: &mut Self::Columns);
    /// How many rows are collected.
    fn len(columns: &Self::Columns) -> usize;
    /// The rows collected so far, leaving none.
    fn finish(columns: &mut Self::Columns) -> RecordBatch;
    /// A copy of the rows collected so far.
    fn so_far(columns: &Self::Columns) -> RecordBatch;
}

/// A type that a column can have.
pub(crate) trait Cell {
    type Builder: ArrayBuilder + Default;
    const NULLABLE: bool = false;
    fn data_type() -> DataType;
    fn append(&self, builder: &mut Self::Builder);
}

macro_rules! cell {
    ($type:ty, $builder:ty, $data_type:expr) => {
        impl Cell for $type {
            type Builder = $builder;
            fn data_type() -> DataType {
                $data_type
            }
            fn append(&self, builder: &mut $builder) {
                builder.append_value(*self);
            }
        }
        impl Cell for Option<$type> {
            type Builder = $builder;
            const NULLABLE: bool = true;
            fn data_type() -> DataType {
                $data_type
            }
            fn append(&self, builder: &mut $builder) {
                builder.append_option(*self);
            }
        }
    };
}
cell!(u64, UInt64Builder, DataType::UInt64);
cell!(u32, UInt32Builder, DataType::UInt32);
cell!(f64, Float64Builder, DataType::Float64);
cell!(bool, BooleanBuilder, DataType::Boolean);

/// Text repeats, so each value is kept once and rows hold its number.
impl Cell for Arc<str> {
    type Builder = StringDictionaryBuilder<UInt32Type>;
    fn data_type() -> DataType {
        DataType::Dictionary(Box::new(DataType::UInt32), Box::new(DataType::Utf8))
    }
    fn append(&self, builder: &mut Self::Builder) {
        builder.append_value(self);
    }
}
impl Cell for Option<Arc<str>> {
    type Builder = StringDictionaryBuilder<UInt32Type>;
    const NULLABLE: bool = true;
    fn data_type() -> DataType {
        <Arc<str>>::data_type()
    }
    fn append(&self, builder: &mut Self::Builder) {
        builder.append_option(self.as_deref());
    }
}

pub(crate) fn field<C: Cell>(name: &str, description: &str) -> Field {
    let description = [("description".to_owned(), description.trim().to_owned())];
    Field::new(name, C::data_type(), C::NULLABLE).with_metadata(Metadata::from_iter(description))
}

pub(crate) fn batch(schema: SchemaRef, arrays: Vec<ArrayRef>) -> RecordBatch {
    RecordBatch::try_new(schema, arrays).expect("columns are as the schema says, and equally long")
}

pub(crate) fn array<B: ArrayBuilder>(builder: &mut B) -> ArrayRef {
    builder.finish()
}

pub(crate) fn copied<B: ArrayBuilder>(builder: &B) -> ArrayRef {
    builder.finish_cloned()
}

/// Defines a row and the table of such rows. Each column's doc comment goes into the file as its description.
macro_rules! rows {
    ($(#[doc = $about:literal])+ $row:ident in $name:literal { $($(#[doc = $doc:literal])+ $column:ident: $type:ty,)+ }) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq)]
        pub struct $row { $($(#[doc = $doc])+ pub $column: $type,)+ }

        const _: () = {
            #[derive(Default)]
            pub struct Columns { $($column: <$type as Cell>::Builder,)+ rows: usize }

            impl Row for $row {
                type Columns = Columns;
                const NAME: &'static str = $name;
                fn schema() -> SchemaRef {
                    Arc::new(Schema::new(vec![$(column::field::<$type>(stringify!($column), concat!($($doc),+)),)+]))
                }
                fn append(&self, columns: &mut Columns) {
                    columns.rows += 1;
                    $(Cell::append(&self.$column, &mut columns.$column);)+
                }
                fn len(columns: &Columns) -> usize {
                    columns.rows
                }
                fn finish(columns: &mut Columns) -> RecordBatch {
                    columns.rows = 0;
                    column::batch(Self::schema(), vec![$(column::array(&mut columns.$column),)+])
                }
                fn so_far(columns: &Columns) -> RecordBatch {
                    column::batch(Self::schema(), vec![$(column::copied(&columns.$column),)+])
                }
            }
        };
    };
}
pub(crate) use rows;
