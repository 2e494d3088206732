//! Large tables in Parquet, written a page at a time at little cost: words refer to a dictionary, whole numbers are
//! stored as differences, and nothing is compressed further. Schema, page headers and footer are those of the library. The
//! library's own writer of files would copy everything once more.

mod column;
mod encoding;
mod fields;
mod filling;
mod read;

pub(crate) use column::Dictionary;
pub(crate) use encoding::Presence;
pub(crate) use fields::{Field, Kind, fields};
pub(crate) use filling::{Encoder, Filling, Page, Room, column, page};
pub(crate) use read::{Group, TableFile, damaged};

use column::{Column, schema};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{
    FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::writer::TrackedWrite;
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor, Type};
use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

/// The key of the metadata that says what a table is.
const ABOUT: &str = "seamline";
const PROVENANCE: &str = "provenance";
/// Grows when columns change their meaning.
const COLUMNS_VERSION: u64 = 1;
/// With which a file begins and ends.
const MAGIC: &[u8] = b"PAR1";
/// That of the pages.
const FORMAT_VERSION: i32 = 1;
/// Rows of a page: few enough for the second cache of a processor, with all columns.
pub(crate) const PAGE: usize = 4096;
/// Pages of a row group, which readers process as a whole.
const PAGES_IN_A_GROUP: usize = 32;

/// The values of a page in one column, without those that are absent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Values<'a> {
    /// Places in the dictionary of the column.
    Words(&'a [u16]),
    Number(&'a [i32]),
    Long(&'a [i64]),
    Real(&'a [f64]),
    /// Of text, too.
    Bytes(&'a [Vec<u8>]),
}

/// A table being written.
pub(crate) struct Table<W: Write + Send> {
    file: TrackedWrite<W>,
    about: Vec<KeyValue>,
    schema: SchemaDescPtr,
    columns: Vec<Column>,
    pages: usize,
    groups: Vec<RowGroupMetaData>,
}

impl<W: Write + Send> fmt::Debug for Table<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl<W: Write + Send> Table<W> {
    /// Start a table whose first column increases.
    pub(crate) fn new(to: W, fields: &[Field], about: Vec<KeyValue>) -> io::Result<Self> {
        let types = fields.iter().map(|field| schema(field).map(Arc::new)).collect::<ParquetResult<_>>();
        let schema = types.and_then(|types| Type::group_type_builder(ABOUT).with_fields(types).build());
        let schema = Arc::new(SchemaDescriptor::new(Arc::new(schema.map_err(io::Error::other)?)));
        let descriptions = schema.columns().iter().map(Arc::clone);
        let columns = descriptions.zip(fields).map(|(description, field)| Column::new(description, *field));
        let columns = columns.collect();
        let mut file = TrackedWrite::new(to);
        file.write_all(MAGIC)?;
        Ok(Table { file, about, schema, columns, pages: 0, groups: Vec::new() })
    }

    /// The words of a column.
    pub(crate) fn dictionary(&mut self, column: usize) -> &mut Dictionary {
        &mut self.columns[column].dictionary
    }

    /// Append the values of a page to a column; those of all rows, unless presence tells which rows have one.
    pub(crate) fn put(
        &mut self,
        column: usize,
        rows: usize,
        presence: Option<&Presence>,
        values: Values<'_>,
    ) -> io::Result<()> {
        self.columns[column].put(rows, presence, values).map_err(cause)
    }

    /// All columns of a page have been put.
    pub(crate) fn end_page(&mut self) -> io::Result<()> {
        self.pages += 1;
        if self.pages >= PAGES_IN_A_GROUP { self.end_group() } else { Ok(()) }
    }

    fn end_group(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.pages) == 0 {
            return Ok(());
        }
        let begin = self.file.bytes_written() as i64;
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in &mut self.columns {
            columns.push(column.write(&mut self.file).map_err(cause)?);
        }
        let rows = columns.first().map_or(0, |column| column.num_values());
        if columns.iter().any(|column| column.num_values() != rows) {
            return Err(io::Error::other("columns of different length"));
        }
        let group = RowGroupMetaData::builder(Arc::clone(&self.schema))
            .set_num_rows(rows)
            .set_total_byte_size(columns.iter().map(|column| column.uncompressed_size()).sum())
            .set_ordinal(i32::try_from(self.groups.len()).map_err(io::Error::other)?)
            .set_file_offset(begin)
            .set_column_metadata(columns);
        self.groups.push(group.build().map_err(cause)?);
        Ok(())
    }

    /// Write the rest and give back where it was written to.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.end_group()?;
        let rows = self.groups.iter().map(RowGroupMetaData::num_rows).sum();
        let by = Some("seamline".to_owned());
        let about = FileMetaData::new(FORMAT_VERSION, rows, by, Some(self.about), self.schema, None);
        let metadata = ParquetMetaData::new(about, self.groups);
        // By itself, because its writer has a buffer that it does not flush.
        let mut footer = Vec::new();
        ParquetMetaDataWriter::new(&mut footer, &metadata).finish().map_err(cause)?;
        self.file.write_all(&footer)?;
        self.file.flush()?;
        self.file.into_inner().map_err(cause)
    }
}

/// What the metadata says: which table it is, the version of its columns, the version of the program, the command that
/// makes the same table, and further names.
pub(crate) fn about(table: &str, provenance: &str, interfaces: &[String]) -> Vec<KeyValue> {
    let json = serde_json::json!({ "table": table, "columns": COLUMNS_VERSION, "interfaces": interfaces });
    vec![
        KeyValue::new(ABOUT.to_owned(), json.to_string()),
        KeyValue::new("seamline_version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        KeyValue::new(PROVENANCE.to_owned(), provenance.to_owned()),
    ]
}

/// The cause of a failure: that of a write, which the library may have wrapped several times.
fn cause(error: ParquetError) -> io::Error {
    match written(&error) {
        Some(cause) => cause
            .raw_os_error()
            .map_or_else(|| io::Error::new(cause.kind(), cause.to_string()), io::Error::from_raw_os_error),
        None => io::Error::other(error),
    }
}

/// The innermost error of a write.
fn written<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a io::Error> {
    if let Some(ParquetError::External(inner)) = error.downcast_ref() {
        return written(&**inner);
    }
    let outer: &io::Error = error.downcast_ref()?;
    outer.get_ref().and_then(|inner| written(inner)).or(Some(outer))
}
