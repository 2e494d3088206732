//! One line for each thing that happens: `key=value`, or one JSON object.

use serde_json::{Map, Value};
use std::fmt;

/// What happened, with its particulars in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Line(Vec<(&'static str, Value)>);

impl Line {
    /// A line without particulars.
    pub fn new(event: &'static str) -> Self {
        Line(vec![("event", event.into())])
    }
    /// With a number, a truth or a word.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.0.push((name, value.into()));
        self
    }
    /// As one JSON object.
    pub fn to_json(&self) -> String {
        let fields = self.0.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        Value::Object(fields.collect::<Map<_, _>>()).to_string()
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, value)) in self.0.iter().enumerate() {
            let between = if place == 0 { "" } else { " " };
            match value {
                Value::String(text) if is_plain(text) => write!(f, "{between}{name}={text}")?,
                // JSON's quotes and escapes keep it on one line.
                other => write!(f, "{between}{name}={other}")?,
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
        let line = Line::new("warning").with("count", 3).with("why", "a\n\"b\"").with("interface", "wwan0");
        assert_eq!(line.to_string(), r#"event=warning count=3 why="a\n\"b\"" interface=wwan0"#);
        let object: Value = serde_json::from_str(&line.to_json()).unwrap();
        assert_eq!((&object["event"], &object["count"]), (&Value::from("warning"), &Value::from(3)));
    }
}
