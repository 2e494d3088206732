//! The outermost table, the grid and the output.

use super::words::{integer, name, one_of, one_or_many, shared, text, time};
use super::{agent, flow, key, link, mobile, schedule, table};
use crate::schema::group::MOST;
use crate::schema::output::INTERVALS;
use serde_json::{Value, json};

pub(super) fn scenario() -> Value {
    let mut schema = table(vec![
        key("title", "What a person calls it", text()),
        key("description", "Why, at length", text()),
        key("duration", "How long a run lasts", time()),
        key("warm_up", "What is left out of all means, from the start", time()),
        key("seeds", "A number of seeds (1, 2, ... n), or a list of seeds", seeds()),
        key("nodes", "The names of the nodes", one_or_many(name())),
        key("group", "Nodes that are alike", one_or_many(shared("group"))),
        key("link", "The links between them", one_or_many(shared("link"))),
        key("cell", "Radio cells", one_or_many(shared("cell"))),
        key("mobile", "Nodes that move between cells", one_or_many(shared("mobile"))),
        key("agent", "Who helps on the way", one_or_many(shared("agent"))),
        key("flow", "Who sends what to whom", one_or_many(shared("flow"))),
        key("grid", "What varies: dotted keys with lists of values; every combination is a cell", grid()),
        key("output", "Files to write beside the report", shared("output")),
    ]);
    let about = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Seamline scenario",
        "description": "An experiment: nodes, links, flows, and what varies",
        // The grid can set what is needed.
        "if": { "not": { "required": ["grid"] } },
        "then": { "required": ["duration", "nodes", "link", "flow"] },
        "definitions": definitions(),
    });
    if let (Some(schema), Value::Object(about)) = (schema.as_object_mut(), about) {
        schema.extend(about);
    }
    schema
}

/// Without a type: whoever refers to them says whether a list is good, too.
fn definitions() -> Value {
    let mut definitions = json!({
        "group": group(),
        "link": link::link(),
        "direction": link::direction(),
        "queue": link::queue(),
        "loss": link::loss(),
        "schedule": schedule::schedule(),
        "handover": link::handover(),
        "notice": link::notice(),
        "cell": mobile::cell(),
        "mobile": mobile::mobile(),
        "movement": mobile::movement(),
        "protocol": mobile::protocol(),
        "agent": agent::agent(),
        "flow": flow::flow(),
        "tcp": flow::tcp(),
        "output": output(),
    });
    for definition in definitions.as_object_mut().into_iter().flat_map(|entries| entries.values_mut()) {
        definition.as_object_mut().map(|definition| definition.remove("type"));
    }
    definitions["axis"] = axis();
    definitions
}

fn group() -> Value {
    let mut schema = table(vec![
        key("name", "What they are called, with a number behind it: host-1, host-2", name()),
        key("count", "How many there are", integer(1, MOST)),
    ]);
    schema["required"] = json!(["name"]);
    schema
}

fn seeds() -> Value {
    let mut seeds = one_or_many(json!({ "type": "integer", "minimum": 0 }));
    seeds["minimum"] = 1.into();
    seeds["maximum"] = 1_000_000.into();
    seeds["minItems"] = 1.into();
    seeds["uniqueItems"] = true.into();
    seeds
}

fn grid() -> Value {
    let label = json!({
        "name": { "type": "string", "description": "What the labels are: \"scheme\"" },
        "labels": { "type": "array", "minItems": 1, "description": "What each row of the group is called" },
    });
    let group = json!({ "type": "object", "properties": label, "additionalProperties": axis() });
    json!({ "type": "object", "properties": { "zip": one_or_many(group) }, "additionalProperties": axis() })
}

/// A list of values, below any number of tables.
fn axis() -> Value {
    json!({
        "type": ["object", "array"],
        "minItems": 1,
        "additionalProperties": { "$ref": "#/definitions/axis" },
    })
}

fn output() -> Value {
    table(vec![
        key("pcapng", "Folder for captures, from where the command runs", text()),
        key("events", "Folder for lists of events (CSV)", text()),
        key("interval", "Length of an interval in tables and records", time()),
        key("intervals_of", "Which runs keep their intervals in the record", one_of(INTERVALS)),
    ])
}
