//! JSON, a list for each column: `pandas.DataFrame(document["columns"])`.

use super::table::Table;
use crate::files::ReportError;
use crate::model::Provenance;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A table as a JSON document with its provenance; absent values are `null`.
///
/// # Errors
/// Never in practice: every value can be written as JSON.
pub fn json(table: &Table, provenance: &Provenance) -> Result<String, ReportError> {
    let document = Document { provenance, table: table.name, columns: Columns(table) };
    let text = serde_json::to_string(&document);
    text.map(|text| text + "\n").map_err(|error| ReportError(format!("{}.json: {error}", table.name)))
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
