//! Parquet files with flat columns.

use super::columns::Column;
use super::rows::Rows;
use super::time::TimeForm;
use super::{guess, read_rows};
use crate::Recording;
use crate::contained;
use crate::error::ImportError;
use crate::measured::Measured;
use ::parquet::basic::{ConvertedType, LogicalType, TimeUnit, TimestampType, Type as Physical};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::Field;
use ::parquet::record::reader::RowIter;
use ::parquet::schema::types::{Type, TypePtr};

/// Most rows for each byte of a file, and most of all: a few bytes can stand for any number of equal rows.
const ROWS_PER_BYTE: usize = 64;
const MOST_ROWS: usize = 1 << 24;

/// Whether it is a Parquet file.
pub fn looks_like(recording: &Recording) -> bool {
    recording.binary().is_some()
}

/// Read a Parquet file, by the names of its columns.
///
/// # Errors
/// When it is broken or packed in a way that is not read, no column is a time or none holds a value, a value is out of range, or times
/// decrease.
pub fn read(recording: &Recording) -> Result<Measured, ImportError> {
    undamaged(recording, || {
        let (mut rows, columns) = ParquetRows::open(recording, guess::columns)?;
        read_rows(recording, &mut rows, &columns, true)
    })
}

/// Read a Parquet file, by columns that the caller names.
pub(super) fn read_columns(recording: &Recording, columns: &[Column]) -> Result<Measured, ImportError> {
    undamaged(recording, || {
        let (mut rows, columns) = ParquetRows::open(recording, |_| columns.to_vec())?;
        read_rows(recording, &mut rows, &columns, false)
    })
}

/// Read, and make an error of a panic: the Parquet library panics on some damaged files.
fn undamaged(
    recording: &Recording,
    read: impl FnOnce() -> Result<Measured, ImportError>,
) -> Result<Measured, ImportError> {
    let damaged =
        || recording.whole("damaged pages".into(), "a Parquet file", "fetch it again, or write it again");
    contained(read).unwrap_or_else(|| Err(damaged()))
}

fn broken(recording: &Recording, why: &ParquetError) -> ImportError {
    let text = why.to_string();
    let help = if matches!(why, ParquetError::NYI(_)) || text.contains("Disabled feature") {
        "write it with the compression \"snappy\", \"gzip\", \"zstd\" or \"lz4\""
    } else {
        "fetch it again, or write it again"
    };
    recording.whole(text, "a Parquet file", help)
}

struct ParquetRows<'a> {
    recording: &'a Recording,
    names: Vec<String>,
    /// How many nanoseconds one is in each column that has times.
    nanos: Vec<Option<i64>>,
    rows: Option<RowIter<'a>>,
    number: u64,
}

impl<'a> ParquetRows<'a> {
    /// Open a file for the columns that `choose` takes from the names of all.
    fn open(
        recording: &'a Recording,
        choose: impl FnOnce(&[String]) -> Vec<Column>,
    ) -> Result<(Self, Vec<Column>), ImportError> {
        let Some(bytes) = recording.binary() else {
            return Err(recording.whole("text".into(), "a Parquet file", "read it as CSV"));
        };
        let broken = |why| broken(recording, &why);
        let reader = SerializedFileReader::new(bytes.clone()).map_err(broken)?;
        let metadata = reader.metadata().file_metadata();
        let rows = usize::try_from(metadata.num_rows()).unwrap_or(usize::MAX);
        if rows > MOST_ROWS.min(bytes.len().saturating_mul(ROWS_PER_BYTE)) {
            let found = format!("{rows} rows in {} bytes", bytes.len());
            return Err(recording.whole(found, "fewer rows", "cut the recording into parts"));
        }
        let flat: Vec<TypePtr> =
            metadata.schema().get_fields().iter().filter(|it| it.is_primitive()).cloned().collect();
        let all: Vec<String> = flat.iter().map(|it| it.name().to_owned()).collect();
        let columns = choose(&all);
        let wanted = |it: &TypePtr| columns.iter().any(|column| column.name == it.name());
        let fields: Vec<TypePtr> = flat.into_iter().filter(wanted).collect();
        let nanos = fields.iter().map(|it| nanos(it)).collect();
        let schema = Type::group_type_builder(metadata.schema().name()).with_fields(fields.clone());
        let schema = schema.build().map_err(broken)?;
        if fields.is_empty() {
            // Nothing to read: the names go into the error.
            return Ok((
                ParquetRows { recording, names: all, nanos: Vec::new(), rows: None, number: 0 },
                columns,
            ));
        }
        let rows = RowIter::from_file_into(Box::new(reader)).project(Some(schema)).map_err(broken)?;
        let names = fields.iter().map(|it| it.name().to_owned()).collect();
        Ok((ParquetRows { recording, names, nanos, rows: Some(rows), number: 0 }, columns))
    }
}

/// How many nanoseconds one is in a column of times; `None` for other columns.
fn nanos(column: &Type) -> Option<i64> {
    let info = column.get_basic_info();
    if let Some(LogicalType::Timestamp(TimestampType { unit, .. })) = info.logical_type_ref() {
        return match unit {
            TimeUnit::MILLIS => Some(1_000_000),
            TimeUnit::MICROS => Some(1_000),
            TimeUnit::NANOS => Some(1),
        };
    }
    match (info.converted_type(), column.get_physical_type()) {
        (ConvertedType::TIMESTAMP_MILLIS, _) => Some(1_000_000),
        (ConvertedType::TIMESTAMP_MICROS, _) => Some(1_000),
        (_, Physical::INT96) => Some(1),
        _ => None,
    }
}

impl Rows for ParquetRows<'_> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn form(&self, column: usize) -> Option<TimeForm> {
        self.nanos.get(column).copied().flatten().map(|_| TimeForm::Number(1))
    }

    fn next(&mut self, fields: &mut Vec<String>) -> Result<Option<u64>, ImportError> {
        let Some(row) = self.rows.as_mut().and_then(Iterator::next) else { return Ok(None) };
        let row = row.map_err(|why| broken(self.recording, &why))?;
        self.number += 1;
        fields.clear();
        let units = self.nanos.iter().copied();
        fields.extend(row.get_column_iter().zip(units).map(|((_, field), nanos)| text(field, nanos)));
        Ok(Some(self.number))
    }
}

/// A value as text, times in nanoseconds.
fn text(field: &Field, nanos: Option<i64>) -> String {
    let times = |value: i64, nanos: i64| (i128::from(value) * i128::from(nanos)).to_string();
    match field {
        Field::Long(value) => nanos.map_or_else(|| value.to_string(), |nanos| times(*value, nanos)),
        Field::Str(text) => text.clone(),
        Field::TimestampMillis(millis) => times(*millis, 1_000_000),
        Field::TimestampMicros(micros) => times(*micros, 1_000),
        Field::Float(value) => value.to_string(),
        Field::Double(value) => value.to_string(),
        Field::Null | Field::Bool(_) | Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => {
            String::new()
        }
        other => other.to_string(),
    }
}
