//! Tables of keys as JSON Schema (draft-07), for editors that complete and check a file.

use super::shape::{KeyShape, Shape, TableShape};
use crate::units::pattern;
use serde_json::{Map, Value, json};

/// The schema of the outermost table, and of the tables with a name of their own: their definitions.
pub fn json_schema(root: &TableShape) -> (Value, Map<String, Value>) {
    let mut definitions = Map::new();
    let schema = table(root, &mut definitions);
    (schema, definitions)
}

/// A table with its keys and no others. Of the required keys only `name` is demanded: a grid can set the others, by the name.
fn table(shape: &TableShape, definitions: &mut Map<String, Value>) -> Value {
    let own: Vec<&KeyShape> = shape.keys.iter().collect();
    let mut properties = properties(own.iter().copied(), definitions);
    let mut schema = json!({ "type": "object", "additionalProperties": false });
    if own.iter().any(|key| key.is_required && key.name == "name") {
        schema["required"] = json!(["name"]);
    }
    let mut cases = Vec::new();
    for selector in &own {
        for kind in &selector.kinds {
            let further = self::properties(kind.table.keys.iter(), definitions);
            let names: Vec<&str> = own.iter().copied().chain(&kind.table.keys).map(|key| key.name).collect();
            further.iter().for_each(|(name, takes)| merge(&mut properties, name, takes));
            cases.push(json!({
                "if": { "properties": { selector.name: { "const": kind.choice.name } }, "required": [selector.name] },
                "then": { "properties": further, "propertyNames": { "enum": names } },
            }));
        }
    }
    schema["properties"] = Value::Object(properties);
    if !cases.is_empty() {
        schema["allOf"] = cases.into();
    }
    schema
}

fn properties<'k>(
    keys: impl Iterator<Item = &'k KeyShape>,
    definitions: &mut Map<String, Value>,
) -> Map<String, Value> {
    keys.map(|key| (key.name.to_owned(), described(key, definitions))).collect()
}

fn described(key: &KeyShape, definitions: &mut Map<String, Value>) -> Value {
    let mut schema = value(&key.takes, definitions);
    let default = key.default.as_ref().map(|default| format!(" (default: {default})")).unwrap_or_default();
    schema["description"] = format!("{}{default}", key.about).into();
    schema
}

/// Where kinds use one key differently, only each kind describes it.
fn merge(properties: &mut Map<String, Value>, name: &str, takes: &Value) {
    match properties.get_mut(name) {
        None => drop(properties.insert(name.to_owned(), takes.clone())),
        Some(known) if known == takes => {}
        Some(known) => *known = json!({ "description": known["description"] }),
    }
}

fn value(shape: &Shape, definitions: &mut Map<String, Value>) -> Value {
    match shape {
        Shape::Text => json!({ "type": "string" }),
        Shape::Name => json!({ "type": "string", "pattern": "^[^\\s.]+$" }),
        Shape::Boolean => json!({ "type": "boolean" }),
        Shape::Integer { least, most } if *most == i64::MAX => json!({ "type": "integer", "minimum": least }),
        Shape::Integer { least, most } => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Shape::Number { least, most } => json!({ "type": "number", "minimum": least, "maximum": most }),
        Shape::Quantity(quantity, words) => {
            let words = if words.is_empty() { String::new() } else { format!("|^({})$", words.join("|")) };
            json!({ "type": "string", "pattern": pattern(*quantity) + &words })
        }
        Shape::Choice(choices) => {
            json!({ "enum": choices.iter().map(|choice| choice.name).collect::<Vec<_>>() })
        }
        Shape::OpenChoice(choices, others, _) => {
            let names = choices.iter().map(|choice| choice.name).chain(others.iter().copied());
            json!({ "enum": names.collect::<Vec<_>>() })
        }
        Shape::OneOrMany(item) => one_or_many(value(item, definitions)),
        Shape::Range(item) => {
            let mut schema = one_or_many(value(item, definitions));
            schema["minItems"] = 2.into();
            schema["maxItems"] = 2.into();
            schema
        }
        Shape::Pair(item) => {
            json!({ "type": "array", "items": value(item, definitions), "minItems": 2, "maxItems": 2 })
        }
        Shape::Table(shape) => match shape.definition {
            Some(name) => shared(name, shape, definitions),
            None => table(shape, definitions),
        },
        Shape::Other(schema, _) => schema.clone(),
    }
}

/// A value, or a list of such values. Keywords of JSON Schema apply to one type each, so that both stand side
/// by side; validators explain alternatives (`anyOf`) badly. One of some words has no type and needs them.
pub fn one_or_many(value: Value) -> Value {
    if value.get("type").is_none() {
        return json!({ "anyOf": [value, { "type": "array", "items": value }] });
    }
    let mut schema = value.clone();
    schema["type"] = json!([value["type"], "array"]);
    schema["items"] = value;
    schema
}

/// A table that is described once. Its definition has no type: each use determines whether a list is allowed.
fn shared(name: &str, shape: &TableShape, definitions: &mut Map<String, Value>) -> Value {
    if !definitions.contains_key(name) {
        let mut schema = table(shape, definitions);
        schema.as_object_mut().map(|schema| schema.remove("type"));
        definitions.insert(name.to_owned(), schema);
    }
    json!({ "type": "object", "allOf": [{ "$ref": format!("#/definitions/{name}") }] })
}
