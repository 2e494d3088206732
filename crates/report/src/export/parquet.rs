//! Parquet, compressed with Snappy, provenance in the key-value metadata of the file.

use super::table::{Column, Data, Table};
use crate::files::ReportError;
use crate::provenance::Provenance;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::Result as ParquetResult;
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
    write(to, table, about).map_err(|error| ReportError(format!("{}.parquet: {error}", table.name)))
}

fn write<W: Write + Send>(to: W, table: &Table, about: Vec<(&str, String)>) -> ParquetResult<W> {
    let columns = table.columns.iter().map(|column| schema(column).map(Arc::new));
    let fields = columns.collect::<ParquetResult<Vec<_>>>()?;
    let schema = Arc::new(Type::group_type_builder(table.name).with_fields(fields).build()?);
    let about = about.into_iter().map(|(key, value)| KeyValue::new(key.to_owned(), value));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by("seamline".to_owned())
        .set_key_value_metadata(Some(about.collect()))
        .build();
    let mut writer = SerializedFileWriter::new(to, schema, Arc::new(properties))?;
    for from in (0..table.rows()).step_by(ROWS_IN_A_GROUP) {
        let group = from..table.rows().min(from + ROWS_IN_A_GROUP);
        let mut rows = writer.next_row_group()?;
        for column in &table.columns {
            write_column(&mut rows, &column.data, group.clone())?;
        }
        rows.close()?;
    }
    writer.into_inner()
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
