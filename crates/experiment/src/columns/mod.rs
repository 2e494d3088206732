//! Large tables in Parquet, written a page at a time at little cost: words refer to a dictionary, whole numbers are
//! stored as differences, and nothing is compressed further. The container (schema, page headers, footer) is that of the
//! library.

mod column;
mod encoding;
mod fields;
mod filling;
mod read;

pub(crate) use column::Dictionary;
pub(crate) use encoding::Presence;
pub(crate) use fields::{Field, Kind, fields};
pub(crate) use filling::{Encoder, Filling, Page, page};
pub(crate) use read::{Group, TableFile, damaged};

use column::{Column, schema};
use parquet::basic::Compression;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;

/// The key of the metadata that says what a table is.
const ABOUT: &str = "seamline";
const PROVENANCE: &str = "provenance";
/// Grows when columns change their meaning.
const COLUMNS_VERSION: u64 = 1;
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
#[derive(Debug)]
pub(crate) struct Table<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Column>,
    pages: usize,
}

impl<W: Write + Send> Table<W> {
    /// Start a table whose first column increases.
    pub(crate) fn new(to: W, fields: &[Field], about: Vec<KeyValue>) -> io::Result<Self> {
        let types = fields.iter().map(|field| schema(field).map(Arc::new)).collect::<ParquetResult<_>>();
        let schema = types.and_then(|types| Type::group_type_builder(ABOUT).with_fields(types).build());
        let schema = Arc::new(schema.map_err(io::Error::other)?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::UNCOMPRESSED)
            .set_offset_index_disabled(true)
            .set_created_by("seamline".to_owned())
            .set_key_value_metadata(Some(about))
            .build();
        let file = SerializedFileWriter::new(to, schema, Arc::new(properties)).map_err(cause)?;
        let descriptions = file.schema_descr().columns().iter().map(Arc::clone);
        let columns = descriptions.zip(fields).map(|(description, field)| Column::new(description, *field));
        Ok(Table { columns: columns.collect(), file, pages: 0 })
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
        let mut group = self.file.next_row_group().map_err(cause)?;
        for column in &mut self.columns {
            let (chunk, close) = column.take().map_err(cause)?;
            group.append_column(&chunk, close).map_err(cause)?;
        }
        group.close().map_err(cause)?;
        Ok(())
    }

    /// Write the rest and give back where it was written to.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.end_group()?;
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
