//! Tables that were written here, read back a row group at a time.

use super::{ABOUT, COLUMNS_VERSION, Field, Kind, PROVENANCE};
use parquet::column::reader::ColumnReader;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use seamline_recordings::{contained, open_regular};
use serde_json::Value;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;

/// A table on disk.
pub(crate) struct TableFile {
    file: SerializedFileReader<File>,
    /// Which table it is.
    pub(crate) table: String,
    /// The names of the interfaces of a capture, in order.
    pub(crate) interfaces: Vec<String>,
    /// Where the table comes from.
    pub(crate) provenance: String,
}

impl TableFile {
    /// Open a file.
    ///
    /// # Errors
    /// When it cannot be read, or was not written here.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = open_regular(path)?;
        let file = contained(|| SerializedFileReader::new(file)).unwrap_or_else(|| Err(panicked()));
        let file = file
            .map_err(|error| invalid(format!("it is not a Parquet file, or an incomplete one ({error})")))?;
        let values = file.metadata().file_metadata().key_value_metadata();
        let value = |key: &str| {
            let known = values.into_iter().flatten().find(|it| it.key == key);
            known.and_then(|it| it.value.clone())
        };
        let about = value(ABOUT).and_then(|text| serde_json::from_str::<Value>(&text).ok());
        let table = about.as_ref().and_then(|about| about["table"].as_str().map(str::to_owned));
        let (Some(about), Some(table)) = (about, table) else {
            return Err(invalid("it is a Parquet file, but --parquet did not write it"));
        };
        if about["columns"] != COLUMNS_VERSION {
            return Err(invalid(format!(
                "it is of format version {}, but this program reads version {COLUMNS_VERSION}: use the program that wrote it",
                about["columns"]
            )));
        }
        let interfaces = about["interfaces"].as_array().into_iter().flatten();
        let interfaces = interfaces.filter_map(|name| name.as_str().map(str::to_owned)).collect();
        let provenance = value(PROVENANCE).unwrap_or_default();
        Ok(TableFile { file, table, interfaces, provenance })
    }

    /// How many row groups there are.
    pub(crate) fn groups(&self) -> usize {
        self.file.num_row_groups()
    }

    /// Read a row group.
    ///
    /// # Errors
    /// When it is damaged.
    pub(crate) fn group(&self, number: usize, fields: &[Field]) -> io::Result<Group> {
        contained(|| self.read_group(number, fields)).unwrap_or_else(|| Err(damaged(panicked())))
    }

    fn read_group(&self, number: usize, fields: &[Field]) -> io::Result<Group> {
        let group = self.file.get_row_group(number).map_err(damaged)?;
        let rows = usize::try_from(group.metadata().num_rows()).map_err(damaged)?;
        if group.num_columns() != fields.len() {
            return Err(damaged(format!("{} columns instead of {}", group.num_columns(), fields.len())));
        }
        let columns = fields.iter().enumerate().map(|(place, field)| column(&*group, place, field, rows));
        Ok(Group { rows, columns: columns.collect::<io::Result<_>>()? })
    }
}

/// The rows of a row group, in columns. Values are taken from each column in order, one for each row.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) rows: usize,
    columns: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    /// Whether each row has a value; empty if all have.
    levels: std::vec::IntoIter<i16>,
    values: Read,
}

/// The values that are not absent.
#[derive(Debug)]
enum Read {
    Bytes(std::vec::IntoIter<ByteArray>),
    Number(std::vec::IntoIter<i32>),
    Long(std::vec::IntoIter<i64>),
    Real(std::vec::IntoIter<f64>),
}

impl Group {
    fn values(&mut self, column: usize) -> Option<&mut Read> {
        let Column { levels, values } = &mut self.columns[column];
        (levels.next() != Some(0)).then_some(values)
    }
    /// The text, or the bytes, of the next row.
    pub(crate) fn bytes(&mut self, column: usize) -> Option<ByteArray> {
        match self.values(column)? {
            Read::Bytes(values) => values.next(),
            _ => None,
        }
    }
    /// The number of the next row.
    pub(crate) fn number(&mut self, column: usize) -> Option<u32> {
        match self.values(column)? {
            Read::Number(values) => values.next().map(|value| value as u32),
            _ => None,
        }
    }
    /// Likewise a long one.
    pub(crate) fn long(&mut self, column: usize) -> Option<u64> {
        match self.values(column)? {
            Read::Long(values) => values.next().map(|value| value as u64),
            _ => None,
        }
    }
    /// Likewise one that need not be whole.
    pub(crate) fn real(&mut self, column: usize) -> Option<f64> {
        match self.values(column)? {
            Read::Real(values) => values.next(),
            _ => None,
        }
    }
}

fn column(group: &dyn RowGroupReader, place: usize, field: &Field, rows: usize) -> io::Result<Column> {
    let reader = group.get_column_reader(place).map_err(damaged)?;
    let name = group.metadata().column(place).column_descr().name();
    match (field.kind, reader) {
        _ if name != field.name => {
            Err(damaged(format!("column {} is called {name} instead of {}", place + 1, field.name)))
        }
        (Kind::Words | Kind::Text | Kind::Bytes, ColumnReader::ByteArrayColumnReader(reader)) => {
            read(reader, field, rows, Read::Bytes)
        }
        (Kind::Number, ColumnReader::Int32ColumnReader(reader)) => read(reader, field, rows, Read::Number),
        (Kind::Long, ColumnReader::Int64ColumnReader(reader)) => read(reader, field, rows, Read::Long),
        (Kind::Real, ColumnReader::DoubleColumnReader(reader)) => read(reader, field, rows, Read::Real),
        _ => Err(damaged(format!("column {name} is of another type"))),
    }
}

fn read<D: DataType>(
    mut reader: ColumnReaderImpl<D>,
    field: &Field,
    rows: usize,
    of: fn(std::vec::IntoIter<D::T>) -> Read,
) -> io::Result<Column> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let mut read = 0;
    while read < rows {
        let wanted = field.optional.then_some(&mut levels);
        let (more, _, _) = reader.read_records(rows - read, wanted, None, &mut values).map_err(damaged)?;
        if more == 0 {
            return Err(damaged(format!("column {} ends after {read} of {rows} rows", field.name)));
        }
        read += more;
    }
    Ok(Column { levels: levels.into_iter(), values: of(values.into_iter()) })
}

/// The error of a file on which the library panics.
fn panicked() -> ParquetError {
    ParquetError::General("inconsistent contents".to_owned())
}

fn invalid(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

/// The error of a file whose content is wrong.
pub(crate) fn damaged(what: impl fmt::Display) -> io::Error {
    invalid(format!("it is damaged ({what})"))
}
