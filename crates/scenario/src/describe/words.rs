//! What a value may be.

use crate::units::{Quantity, pattern};
use serde_json::{Value, json};

pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

/// A name of a node, a link, a flow.
pub(super) fn name() -> Value {
    json!({ "type": "string", "pattern": "^[^\\s.]+$" })
}

/// The path of a file.
pub(super) fn path() -> Value {
    json!({ "type": "string" })
}

pub(super) fn boolean() -> Value {
    json!({ "type": "boolean" })
}

pub(super) fn integer(least: i64, most: i64) -> Value {
    json!({ "type": "integer", "minimum": least, "maximum": most })
}

pub(super) fn number(least: f64, most: f64) -> Value {
    json!({ "type": "number", "minimum": least, "maximum": most })
}

/// A number with its unit.
pub(super) fn quantity(quantity: Quantity) -> Value {
    json!({ "type": "string", "pattern": pattern(quantity) })
}

pub(super) fn time() -> Value {
    quantity(Quantity::Time)
}

pub(super) fn share() -> Value {
    quantity(Quantity::Share)
}

pub(super) fn rate() -> Value {
    quantity(Quantity::Rate)
}

/// One of these names.
pub(super) fn choice<'a>(names: impl IntoIterator<Item = &'a str>) -> Value {
    json!({ "enum": names.into_iter().collect::<Vec<_>>() })
}

/// One of the names that a reader knows.
pub(super) fn one_of<T>(choices: &[(&str, T)]) -> Value {
    choice(choices.iter().map(|(name, _)| *name))
}

/// A value, or a list of such values. Keywords of JSON Schema apply to one type each, so that both stand side
/// by side; validators explain alternatives (`anyOf`) badly.
pub(super) fn one_or_many(value: Value) -> Value {
    let mut schema = value.clone();
    schema["type"] = json!([value["type"], "array"]);
    schema["items"] = value;
    schema
}

/// A value, or the least and the greatest.
pub(super) fn range(value: Value) -> Value {
    let mut schema = one_or_many(value);
    schema["minItems"] = 2.into();
    schema["maxItems"] = 2.into();
    schema
}

/// A table that is described once, under this name.
pub(super) fn shared(definition: &str) -> Value {
    json!({ "type": "object", "allOf": [{ "$ref": format!("#/definitions/{definition}") }] })
}
