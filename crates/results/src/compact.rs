//! Lines as a table for notebooks: Parquet, one row for each flow of each run.
//!
//! The columns are `key`, `engine`, `sweep`, `seed`, one for each key of the grid, one for each field of a
//! flow's record, and `links`. Lists (handovers, links) are JSON texts. Everything about where the results
//! come from is in the file's metadata under `seamline`.

use crate::error::Error;
use crate::line::Line;
use crate::manifest::Manifest;
use crate::store::{line_files, read_lines};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use seamline_scenario::atomic::AtomicFile;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the table.
pub const TABLE: &str = "runs.parquet";
/// Rows that are written together.
const ROWS_IN_A_GROUP: usize = 100_000;

/// Write all lines of a folder as a table beside them. The path of the table, and how many rows it has.
///
/// # Errors
/// When the folder cannot be read, or the table not written.
pub fn compact(folder: &Path) -> Result<(PathBuf, usize), Error> {
    let manifest = Manifest::read(folder)?;
    let mut lines = read_lines(&line_files(folder)?)?.lines;
    if lines.is_empty() {
        let reason = format!("{} has no finished runs", folder.display());
        return Err(Error::refused(reason, "run a sweep into it first: seamline sweep FILE --out DIR"));
    }
    // Lines stand in the order in which runs were finished, which is no property of the results.
    lines.sort_by(|a, b| (&a.sweep, &a.key).cmp(&(&b.sweep, &b.key)));
    let rows: Vec<Row> = lines.iter().flat_map(rows).collect();
    let path = folder.join(TABLE);
    let provenance = serde_json::to_string(&manifest.sweeps).unwrap_or_default();
    let file = AtomicFile::create(&path)?;
    let fail = |error: ParquetError| Error::write(&path, io::Error::other(error));
    let mut file = write_table(file, &rows, provenance).map_err(fail)?;
    file.flush().map_err(|cause| Error::write(&path, cause))?;
    file.finish()?;
    Ok((path, rows.len()))
}

/// Columns and their values.
type Row = Vec<(String, Value)>;

fn rows(line: &Line) -> Vec<Row> {
    let about_run = |flow: Value| {
        let text = |name: &str, value: &str| (name.to_owned(), Value::from(value));
        let mut row = vec![text("key", &line.key), text("engine", &line.engine), text("sweep", &line.sweep)];
        row.push(("seed".to_owned(), line.run.seed.into()));
        row.extend(line.cell.iter().map(|(path, value)| (path.clone(), value.clone())));
        if let Value::Object(fields) = flow {
            row.extend(
                fields
                    .into_iter()
                    .map(|(name, value)| (if name == "name" { "flow".to_owned() } else { name }, value)),
            );
        }
        row.push(("links".to_owned(), serde_json::to_value(&line.run.links).unwrap_or_default()));
        row
    };
    line.run.flows.iter().map(|flow| about_run(serde_json::to_value(flow).unwrap_or_default())).collect()
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Number,
    Text,
}

#[derive(Debug)]
struct Column {
    name: String,
    kind: Kind,
}

/// All columns of the rows, in the order in which they first appear.
fn columns(rows: &[Row]) -> Vec<Column> {
    let mut names: Vec<&str> = Vec::new();
    let mut seen = BTreeSet::new();
    for (name, _) in rows.iter().flatten() {
        if seen.insert(name.as_str()) {
            names.push(name);
        }
    }
    let values = |name: &str| {
        rows.iter()
            .filter_map(move |row| value(row, name))
            .filter(|value| !value.is_null())
            .collect::<Vec<_>>()
    };
    let kind = |values: &[&Value]| match values {
        values if values.iter().all(|value| value.is_i64()) && !values.is_empty() => Kind::Integer,
        values if values.iter().all(|value| value.is_number()) => Kind::Number,
        _ => Kind::Text,
    };
    names.into_iter().map(|name| Column { name: name.to_owned(), kind: kind(&values(name)) }).collect()
}

fn value<'a>(row: &'a Row, name: &str) -> Option<&'a Value> {
    row.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

fn write_table(file: AtomicFile, rows: &[Row], provenance: String) -> Result<AtomicFile, ParquetError> {
    let columns = columns(rows);
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder("runs").with_fields(fields).build()?;
    let about = vec![
        KeyValue::new("seamline".to_owned(), provenance),
        KeyValue::new("seamline_version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
    ];
    let properties =
        WriterProperties::builder().set_compression(Compression::SNAPPY).set_key_value_metadata(Some(about));
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build()))?;
    for group in rows.chunks(ROWS_IN_A_GROUP) {
        let mut group_writer = writer.next_row_group()?;
        for column in &columns {
            write_column(&mut group_writer, column, group)?;
        }
        group_writer.close()?;
    }
    writer.into_inner()
}

/// Every column may be empty in a row: cells of different sweeps have different keys.
fn field(column: &Column) -> Result<Arc<Type>, ParquetError> {
    let (physical, logical) = match column.kind {
        Kind::Integer => (Physical::INT64, None),
        Kind::Number => (Physical::DOUBLE, None),
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let builder = Type::primitive_type_builder(&column.name, physical);
    Ok(Arc::new(builder.with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build()?))
}

fn write_column(
    group: &mut SerializedRowGroupWriter<'_, AtomicFile>,
    column: &Column,
    rows: &[Row],
) -> Result<(), ParquetError> {
    let Some(mut writer) = group.next_column()? else { return Ok(()) };
    let present: Vec<Option<&Value>> =
        rows.iter().map(|row| value(row, &column.name).filter(|value| !value.is_null())).collect();
    let levels: Vec<i16> = present.iter().map(|value| i16::from(value.is_some())).collect();
    let values = present.into_iter().flatten();
    match column.kind {
        Kind::Integer => {
            let values: Vec<i64> = values.filter_map(Value::as_i64).collect();
            writer.typed::<Int64Type>().write_batch(&values, Some(&levels), None)?;
        }
        Kind::Number => {
            let values: Vec<f64> = values.filter_map(Value::as_f64).collect();
            writer.typed::<DoubleType>().write_batch(&values, Some(&levels), None)?;
        }
        Kind::Text => {
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let values: Vec<ByteArray> = values.map(|value| text(value).into_bytes().into()).collect();
            writer.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?;
        }
    }
    writer.close()
}
