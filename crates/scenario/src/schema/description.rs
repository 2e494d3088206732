//! The keys of scenario files as data, as JSON Schema and as a page of reference.

use super::{keys, start};
use crate::keys::json_schema as as_json_schema;
use crate::keys::json_schema::one_or_many;
use crate::keys::{KeyShape, KindShape, Shape, TableShape, reference_page};
use serde_json::{Value, json};

/// The keys of a scenario file, without those that only comparisons with older work need.
pub fn description() -> TableShape {
    let mut description = with_historical();
    description.drop_historical();
    description
}

/// All keys of a scenario file.
pub fn with_historical() -> TableShape {
    keys().describe(&mut start())
}

/// The kinds of the error models (`loss`) or of the schedules (`schedule`) of a link.
pub fn kinds(table: &str) -> Vec<KindShape> {
    let whole = description();
    let link = whole.key("link").and_then(|key| key.takes.table());
    let table = link.and_then(|link| link.key(table)).and_then(|key| key.takes.table());
    table.into_iter().flat_map(|table| &table.keys).flat_map(|key| key.kinds.clone()).collect()
}

/// The JSON Schema (draft-07) of scenario files, for editors that complete and check them; indented, ending with a line
/// break. What depends on several keys at once only the reader checks.
pub fn json_schema(description: &TableShape) -> String {
    let (mut schema, mut definitions) = as_json_schema::json_schema(description);
    definitions.insert("axis".to_owned(), axis());
    let about = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Seamline scenario",
        "description": "An experiment: nodes, links, flows, and what varies",
        // The grid can set what is needed.
        "if": { "not": { "required": ["grid"] } },
        "then": { "required": ["duration", "nodes", "link", "flow"] },
        "definitions": definitions,
    });
    if let (Some(schema), Value::Object(about)) = (schema.as_object_mut(), about) {
        schema.extend(about);
    }
    serde_json::to_string_pretty(&schema).map(|text| text + "\n").unwrap_or_default()
}

/// The page of reference, in Markdown.
pub fn reference() -> String {
    let intro = "\
# Keys of scenario files

Generated from the tables of keys in `crates/scenario/src/schema`. An explanation with examples is in
`scenarios/README.md`. Quantities are text with a unit: times `ns us ms s min h`, rates `bit/s
kbit/s Mbit/s Gbit/s Tbit/s B/s kB/s MB/s GB/s`, shares `%`, sizes `B kB MB GB TB KiB MiB GiB TiB` and `packets`, speeds `m/s
km/h`, distances `m km`. `seamline list --historical` shows the keys and names that only comparisons with older work need.
";
    intro.to_owned() + &reference_page("Scenario", &description())
}

/// The key `seeds`.
pub(super) fn seeds(most: i64) -> Value {
    let mut seeds = one_or_many(json!({ "type": "integer", "minimum": 0 }));
    seeds["minimum"] = 1.into();
    seeds["maximum"] = most.into();
    seeds["minItems"] = 1.into();
    seeds["uniqueItems"] = true.into();
    seeds
}

/// The table `grid`, which is taken out of the document before it is read.
pub(super) fn grid() -> KeyShape {
    let label = json!({
        "name": { "type": "string", "description": "What the labels are: \"scheme\"" },
        "labels": { "type": "array", "minItems": 1, "description": "Name of each row of the group" },
    });
    let group = json!({ "type": "object", "properties": label, "additionalProperties": axis() });
    let schema = json!({
        "type": "object",
        "properties": { "zip": one_or_many(group) },
        "additionalProperties": axis(),
    });
    let about = "What varies: dotted keys with lists of values; every combination is a grid cell. Keys in a [[grid.zip]] vary together, with `labels` for their rows";
    KeyShape::new("grid", about, Shape::Other(schema, "table of lists"))
}

/// A list of values, below any number of tables.
fn axis() -> Value {
    json!({
        "type": ["object", "array"],
        "minItems": 1,
        "additionalProperties": { "$ref": "#/definitions/axis" },
    })
}
