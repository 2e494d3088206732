//! Orbit Mean-elements Messages (OMM, CCSDS 502.0-B) in the four forms that CelesTrak and Space-Track write: JSON, key = value
//! notation (KVN), XML and CSV. In each, an element set is some keywords with values, and they have the same names in all forms.

use crate::OrbitError;
use roxmltree::{Document, Node};
use serde_json::{Map, Value};
use sgp4::Elements;

/// The first keyword of a message in KVN.
const VERSION: &str = "CCSDS_OMM_VERS";
/// Keywords that SGP4 does not need and that a message may leave out, with what the reader takes for them.
const OPTIONAL: [(&str, &str); 5] = [
    ("CLASSIFICATION_TYPE", "U"),
    ("ELEMENT_SET_NO", "0"),
    ("REV_AT_EPOCH", "0"),
    ("EPHEMERIS_TYPE", "0"),
    ("MEAN_MOTION_DDOT", "0"),
];

/// The keywords of one element set, and the line at which it begins.
type Message = (usize, Map<String, Value>);

/// Read messages; `None` when the text is of none of these forms.
pub(crate) fn read(text: &str) -> Option<Result<Vec<Elements>, OrbitError>> {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let messages = match first {
        _ if first.starts_with(['[', '{']) => return Some(from_json(text)),
        _ if first.starts_with('<') => from_xml(text),
        _ if first.starts_with(VERSION) => from_kvn(text),
        _ if first.split(',').any(|name| name.trim_matches('"') == "MEAN_MOTION") => from_csv(text),
        _ => return None,
    };
    Some(messages.and_then(|messages| messages.into_iter().map(elements).collect()))
}

fn from_json(text: &str) -> Result<Vec<Elements>, OrbitError> {
    let read = |error: serde_json::Error| OrbitError::at(error.line(), no_message(&error.to_string()));
    match text.trim_start().starts_with('[') {
        true => serde_json::from_str(text).map_err(read),
        false => Ok(vec![serde_json::from_str(text).map_err(read)?]),
    }
}

fn from_kvn(text: &str) -> Result<Vec<Message>, OrbitError> {
    let mut messages: Vec<Message> = Vec::new();
    let lines = text.lines().zip(1..).map(|(line, number)| (line.trim(), number));
    for (line, number) in lines.filter(|(line, _)| !line.is_empty() && !line.starts_with("COMMENT")) {
        let (key, value) = line
            .split_once('=')
            .ok_or_else(|| OrbitError::at(number, no_message("a line is `KEYWORD = value`")))?;
        if key.trim() == VERSION {
            messages.push((number, Map::new()));
        }
        // A unit may stand behind the value, in brackets.
        let value = value.split('[').next().unwrap_or_default();
        let (_, message) =
            messages.last_mut().ok_or_else(|| OrbitError::at(number, no_message("no version")))?;
        insert(message, key, value);
    }
    Ok(messages)
}

fn from_xml(text: &str) -> Result<Vec<Message>, OrbitError> {
    let document = Document::parse(text)
        .map_err(|error| OrbitError::at(error.pos().row as usize, no_message(&error.to_string())))?;
    let is_message = |node: &Node<'_, '_>| node.tag_name().name() == "omm";
    let message = |node: Node<'_, '_>| {
        let mut message = Map::new();
        for leaf in node.descendants().filter(|node| node.is_element()) {
            insert(&mut message, leaf.tag_name().name(), leaf.text().unwrap_or_default());
        }
        (document.text_pos_at(node.range().start).row as usize, message)
    };
    Ok(document.descendants().filter(is_message).map(message).collect())
}

fn from_csv(text: &str) -> Result<Vec<Message>, OrbitError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let wrong = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        OrbitError::at(line as usize, no_message(&error.to_string()))
    };
    let names = reader.headers().map_err(wrong)?.clone();
    let message = |record: Result<csv::StringRecord, csv::Error>| {
        let record = record.map_err(wrong)?;
        let mut message = Map::new();
        names.iter().zip(&record).for_each(|(name, value)| insert(&mut message, name, value));
        Ok((record.position().map_or(1, csv::Position::line) as usize, message))
    };
    reader.records().map(message).collect()
}

fn insert(message: &mut Map<String, Value>, key: &str, value: &str) {
    let value = value.trim();
    // Times are in UTC, which some writers say.
    let value = if key.trim() == "EPOCH" { value.trim_end_matches('Z') } else { value };
    if !value.is_empty() {
        message.insert(key.trim().to_owned(), Value::String(value.to_owned()));
    }
}

fn elements((line, mut message): Message) -> Result<Elements, OrbitError> {
    for (key, value) in OPTIONAL {
        message.entry(key).or_insert_with(|| Value::String(value.to_owned()));
    }
    serde_json::from_value(Value::Object(message))
        .map_err(|error| OrbitError::at(line, no_message(&error.to_string())))
}

fn no_message(why: &str) -> String {
    format!("this is no Orbit Mean-elements Message: {why}")
}
