//! Parquet, compressed with Snappy, provenance in the key-value metadata of the file.

use super::table::{Column, Data, Table};
use crate::files::ReportError;
use crate::provenance::Provenance;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

/// Rows that are written together.
const ROWS_IN_A_GROUP: usize = 100_000;

/// A table as the bytes of a Parquet file.
///
/// # Errors
/// Never in practice: names of columns are unique and everything is written into memory.
pub fn parquet(table: &Table, provenance: &Provenance) -> Result<Vec<u8>, ReportError> {
    let mut about: Vec<(&str, String)> = provenance.fields();
    about.push(("scenario_text", provenance.scenario_text.clone()));
    write_parquet(Vec::new(), table, about)
}

/// Write a table as a Parquet file, with what is known about it as metadata of the file; gives back where it was written
/// to.
///
/// # Errors
/// When it cannot be written there, or two columns have the same name.
pub fn write_parquet<W: Write + Send>(
    to: W,
    table: &Table,
    about: Vec<(&str, String)>,
) -> Result<W, ReportError> {
    let mut file = ParquetFile::new(to, table, about)?;
    file.append(table)?;
    file.finish()
}

/// A Parquet file that is written piece by piece.
#[derive(Debug)]
pub struct ParquetFile<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    name: &'static str,
}

impl<W: Write + Send> ParquetFile<W> {
    /// Start a file with the columns of this table, whose rows do not count, and what is known about it.
    ///
    /// # Errors
    /// When it cannot be written there, or two columns have the same name.
    pub fn new(to: W, like: &Table, about: Vec<(&str, String)>) -> Result<Self, ReportError> {
        let name = like.name;
        start(to, like, about).map(|writer| ParquetFile { writer, name }).map_err(|error| failed(name, error))
    }

    /// Append the rows of a table that has the same columns.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn append(&mut self, table: &Table) -> Result<(), ReportError> {
        let mut groups = (0..table.rows())
            .step_by(ROWS_IN_A_GROUP)
            .map(|from| from..table.rows().min(from + ROWS_IN_A_GROUP));
        groups
            .try_for_each(|group| write(&mut self.writer, table, group))
            .map_err(|error| failed(self.name, error))
    }

    /// Finish the file, and give back where it was written to.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> Result<W, ReportError> {
        self.writer.into_inner().map_err(|error| failed(self.name, error))
    }
}

fn failed(name: &str, error: ParquetError) -> ReportError {
    ReportError(format!("{name}.parquet: {error}"))
}

fn start<W: Write + Send>(
    to: W,
    like: &Table,
    about: Vec<(&str, String)>,
) -> ParquetResult<SerializedFileWriter<W>> {
    let columns = like.columns.iter().map(|column| schema(column).map(Arc::new));
    let fields = columns.collect::<ParquetResult<Vec<_>>>()?;
    let schema = Arc::new(Type::group_type_builder(like.name).with_fields(fields).build()?);
    let about = about.into_iter().map(|(key, value)| KeyValue::new(key.to_owned(), value));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by("seamline".to_owned())
        .set_key_value_metadata(Some(about.collect()))
        .build();
    SerializedFileWriter::new(to, schema, Arc::new(properties))
}

fn write<W: Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    table: &Table,
    group: Range<usize>,
) -> ParquetResult<()> {
    let mut rows = writer.next_row_group()?;
    for column in &table.columns {
        write_column(&mut rows, &column.data, group.clone())?;
    }
    rows.close()?;
    Ok(())
}

fn schema(column: &Column) -> ParquetResult<Type> {
    let (physical, logical, repetition) = match &column.data {
        Data::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String), Repetition::OPTIONAL),
        Data::Whole(_) => (Physical::INT64, None, Repetition::OPTIONAL),
        Data::Real(_) => (Physical::DOUBLE, None, Repetition::OPTIONAL),
        Data::Truth(_) => (Physical::BOOLEAN, None, Repetition::REQUIRED),
    };
    Type::primitive_type_builder(&column.name, physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
        .build()
}

fn write_column<W: Write + Send>(
    rows: &mut SerializedRowGroupWriter<'_, W>,
    data: &Data,
    group: Range<usize>,
) -> ParquetResult<()> {
    match data {
        Data::Text(values) => {
            put_optional::<ByteArrayType, _, _>(rows, &values[group], |text| ByteArray::from(text.as_str()))
        }
        Data::Whole(values) => put_optional::<Int64Type, _, _>(rows, &values[group], |value| *value),
        Data::Real(values) => put_optional::<DoubleType, _, _>(rows, &values[group], |value| *value),
        Data::Truth(values) => put::<BoolType, _>(rows, &values[group], None),
    }
}

fn put_optional<D: DataType, T, W: Write + Send>(
    rows: &mut SerializedRowGroupWriter<'_, W>,
    values: &[Option<T>],
    as_stored: impl Fn(&T) -> D::T,
) -> ParquetResult<()> {
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let present: Vec<D::T> = values.iter().flatten().map(as_stored).collect();
    put::<D, W>(rows, &present, Some(&levels))
}

fn put<D: DataType, W: Write + Send>(
    rows: &mut SerializedRowGroupWriter<'_, W>,
    values: &[D::T],
    levels: Option<&[i16]>,
) -> ParquetResult<()> {
    if let Some(mut column) = rows.next_column()? {
        column.typed::<D>().write_batch(values, levels, None)?;
        column.close()?;
    }
    Ok(())
}
