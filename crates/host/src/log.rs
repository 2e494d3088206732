//! Log lines, one per event: `key=value` pairs, or one JSON object.

use seamline_wire::Instant;
use serde_json::{Map, Value};
use std::fmt::{self, Display, Write};

/// An event and its fields, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The event's name, in one word.
    pub event: &'static str,
    /// Names and values.
    pub fields: Vec<(&'static str, Value)>,
}

impl Line {
    /// A line without fields.
    pub fn new(event: &'static str) -> Self {
        Line { event, fields: Vec::new() }
    }

    /// With a number, a boolean or a text.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.fields.push((name, value.into()));
        self
    }

    /// With anything that implements `Display`.
    #[must_use]
    pub fn shown(self, name: &'static str, value: impl Display) -> Self {
        self.with(name, value.to_string())
    }

    /// With the time since 1970, in seconds, as the first field.
    #[must_use]
    pub fn at(mut self, wall: Instant) -> Self {
        self.fields.insert(0, ("time", wall.as_secs_f64().into()));
        self
    }

    /// As one JSON object.
    pub fn to_json(&self) -> String {
        let mut object = Map::new();
        object.insert("event".to_owned(), self.event.into());
        self.fields.iter().for_each(|(name, value)| {
            object.insert((*name).to_owned(), value.clone());
        });
        Value::Object(object).to_string()
    }
}

impl Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event={}", self.event)?;
        for (name, value) in &self.fields {
            f.write_char(' ')?;
            write!(f, "{name}=")?;
            match value {
                Value::String(text) if is_plain(text) => f.write_str(text)?,
                // JSON's quotes and escapes keep the value on one line.
                other => write!(f, "{other}")?,
            }
        }
        Ok(())
    }
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_graphic() && !"\"=\\".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_whatever_is_in_it() {
        let line = Line::new("refused")
            .with("count", 3)
            .with("message", "up a\n\"b\"")
            .with("by", "wwan0")
            .with("empty", "");
        assert_eq!(line.to_string(), r#"event=refused count=3 message="up a\n\"b\"" by=wwan0 empty="""#);
        let object: Value = serde_json::from_str(&line.to_json()).unwrap();
        assert_eq!((&object["event"], &object["count"]), (&Value::from("refused"), &Value::from(3)));
    }
}
