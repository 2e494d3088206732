//! JSON, a list for each column: `pandas.DataFrame(document["columns"])`.

use super::table::{Data, Table};
use crate::files::ReportError;
use crate::model::Provenance;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// A table as a JSON document with its provenance; absent values are `null`.
///
/// # Errors
/// Never in practice: every value can be written as JSON.
pub fn json(table: &Table, provenance: &Provenance) -> Result<String, ReportError> {
    let document = Document { table, provenance };
    let text = serde_json::to_string(&document);
    text.map(|text| text + "\n").map_err(|error| ReportError(format!("{}.json: {error}", table.name)))
}

struct Document<'a> {
    table: &'a Table,
    provenance: &'a Provenance,
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("provenance", self.provenance)?;
        map.serialize_entry("table", self.table.name)?;
        map.serialize_entry("columns", &Columns(self.table))?;
        map.end()
    }
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

impl Serialize for Data {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fn list<S: Serializer, T: Serialize>(serializer: S, values: &[T]) -> Result<S::Ok, S::Error> {
            let mut list = serializer.serialize_seq(Some(values.len()))?;
            values.iter().try_for_each(|value| list.serialize_element(value))?;
            list.end()
        }
        match self {
            Data::Text(values) => list(serializer, values),
            Data::Whole(values) => list(serializer, values),
            Data::Real(values) => list(serializer, values),
            Data::Truth(values) => list(serializer, values),
        }
    }
}
