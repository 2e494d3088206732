//! Tables as text.
//!
//! Comma-separated values (RFC 4180, with line feeds) are below comment lines with their provenance. RFC 4180 has no
//! comments, but its readers do: `comment="#"` in pandas, `comment_prefix="#"` in polars, `comment.char="#"` in R.
//! JSON has a list for each column: `pandas.DataFrame(document["columns"])`.

use super::table::{Data, Table};
use crate::provenance::Provenance;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A table as CSV: its comments, a header, the rows; absent values are empty.
pub fn csv(table: &Table, provenance: &Provenance) -> String {
    let rows = csv_rows(table);
    format!("# table: {}\n{}{rows}", table.name, comments(provenance))
}

/// The same without comments.
pub fn csv_rows(table: &Table) -> String {
    let header: Vec<String> = table.columns.iter().map(|column| quoted(&column.name)).collect();
    let mut text = header.join(",") + "\n";
    for row in 0..table.rows() {
        for (place, column) in table.columns.iter().enumerate() {
            if place > 0 {
                text.push(',');
            }
            match &column.data {
                Data::Text(values) => text += &values[row].as_deref().map_or(String::new(), quoted),
                Data::Whole(values) => text += &values[row].map_or(String::new(), |value| value.to_string()),
                Data::Real(values) => text += &values[row].map_or(String::new(), |value| value.to_string()),
                Data::Truth(values) => text += if values[row] { "true" } else { "false" },
            }
        }
        text.push('\n');
    }
    text
}

/// The provenance of a table, a comment line for each field.
pub(crate) fn comments(provenance: &Provenance) -> String {
    let fields = provenance.fields().into_iter();
    fields.map(|(name, value)| format!("# {name}: {}\n", in_one_line(&value))).collect()
}

/// What would end a comment, or could not be seen in it, is written as an escape.
fn in_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\u{2028}' | '\u{2029}' => line.extend(letter.escape_unicode()),
            letter if letter.is_control() => line.extend(letter.escape_default()),
            letter => line.push(letter),
        }
    }
    line
}

/// Readers that know comments take `#` for the beginning of one within a line, too, unless it is quoted.
fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r', '#']) || text.starts_with(' ') || text.ends_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// A table as a JSON document with its provenance; absent values are `null`.
pub fn json(table: &Table, provenance: &Provenance) -> String {
    let document = Document { provenance, table: table.name, columns: Columns(table) };
    serde_json::to_string(&document).expect("columns can be written as JSON") + "\n"
}

/// A table as an array with an object for each row; absent values are `null`.
pub fn json_rows(table: &Table) -> String {
    let row = |row: usize| -> serde_json::Map<String, serde_json::Value> {
        table.columns.iter().map(|column| (column.name.clone(), column.data.value(row))).collect()
    };
    let rows: Vec<_> = (0..table.rows()).map(row).collect();
    serde_json::to_string_pretty(&rows).expect("rows can be written as JSON") + "\n"
}

#[derive(serde::Serialize)]
struct Document<'a> {
    provenance: &'a Provenance,
    table: &'static str,
    columns: Columns<'a>,
}

struct Columns<'a>(&'a Table);

impl Serialize for Columns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.columns.len()))?;
        for column in &self.0.columns {
            map.serialize_entry(&column.name, &column.data)?;
        }
        map.end()
    }
}
