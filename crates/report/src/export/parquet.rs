//! Parquet, compressed with Snappy, provenance in the key-value metadata of the file.

use super::table::{Column, Data, Table};
use crate::files::ReportError;
use crate::model::Provenance;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::sync::Arc;

/// A table as the bytes of a Parquet file.
///
/// # Errors
/// Never in practice: names of columns are unique and everything is written into memory.
pub fn parquet(table: &Table, provenance: &Provenance) -> Result<Vec<u8>, ReportError> {
    let file = format!("{}.parquet", table.name);
    write(table, provenance).map_err(|error| ReportError(format!("{file}: {error}")))
}

fn write(table: &Table, provenance: &Provenance) -> ParquetResult<Vec<u8>> {
    let columns = table.columns.iter().map(|column| schema(column).map(Arc::new));
    let fields = columns.collect::<ParquetResult<Vec<_>>>()?;
    let schema = Arc::new(Type::group_type_builder(table.name).with_fields(fields).build()?);
    let mut metadata: Vec<KeyValue> =
        provenance.fields().into_iter().map(|(key, value)| KeyValue::new(key.to_owned(), value)).collect();
    metadata.push(KeyValue::new("scenario_text".to_owned(), provenance.scenario_text.clone()));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by("seamline".to_owned())
        .set_key_value_metadata(Some(metadata))
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut rows = writer.next_row_group()?;
    for column in &table.columns {
        write_column(&mut rows, &column.data)?;
    }
    rows.close()?;
    writer.into_inner()
}

fn schema(column: &Column) -> ParquetResult<Type> {
    let (physical, logical, repetition) = match &column.data {
        Data::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED),
        Data::Whole(_) => (Physical::INT64, None, Repetition::OPTIONAL),
        Data::Real(_) => (Physical::DOUBLE, None, Repetition::OPTIONAL),
        Data::Truth(_) => (Physical::BOOLEAN, None, Repetition::REQUIRED),
    };
    Type::primitive_type_builder(&column.name, physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
        .build()
}

fn write_column<W: std::io::Write + Send>(
    rows: &mut SerializedRowGroupWriter<'_, W>,
    data: &Data,
) -> ParquetResult<()> {
    match data {
        Data::Text(values) => {
            let values: Vec<ByteArray> = values.iter().map(|text| ByteArray::from(text.as_str())).collect();
            put::<ByteArrayType, _>(rows, &values, None)
        }
        Data::Whole(values) => put_optional::<Int64Type, _>(rows, values),
        Data::Real(values) => put_optional::<DoubleType, _>(rows, values),
        Data::Truth(values) => put::<BoolType, _>(rows, values, None),
    }
}

fn put_optional<D: DataType, W: std::io::Write + Send>(
    rows: &mut SerializedRowGroupWriter<'_, W>,
    values: &[Option<D::T>],
) -> ParquetResult<()>
where
    D::T: Copy,
{
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let present: Vec<D::T> = values.iter().copied().flatten().collect();
    put::<D, W>(rows, &present, Some(&levels))
}

fn put<D: DataType, W: std::io::Write + Send>(
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
