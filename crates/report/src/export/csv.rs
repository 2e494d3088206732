//! Comma-separated values (RFC 4180, with line feeds).

use super::table::{Data, Table};

/// A table as CSV with a header; absent values are empty.
pub fn csv(table: &Table) -> String {
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

fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) || text.starts_with(' ') || text.ends_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
