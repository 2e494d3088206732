//! Log lines, one per event: `key=value` pairs, or one JSON object, for people and for journald.

use seamline_wire::Instant;
use serde_json::{Map, Value};
use std::fmt::{self, Display, Write};
use std::time::{Duration, SystemTime};

/// How much an event matters: the priorities of syslog (RFC 5424, section 6.2.1) that a live part uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Something happened as it may.
    #[default]
    Info,
    /// Help is reduced, or something needs attention.
    Warning,
    /// A part has failed, and is restarted.
    Error,
}

impl Level {
    /// Its name, in one word.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Info => "info",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
    /// Its number, as journald takes it.
    pub const fn priority(self) -> u8 {
        match self {
            Level::Info => 6,
            Level::Warning => 4,
            Level::Error => 3,
        }
    }
}

/// How lines are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Format {
    /// As JSON objects instead of `key=value`.
    pub json: bool,
    /// Each behind its priority, such as `<6>`, which journald takes off (sd-daemon(3)).
    pub has_priorities: bool,
}

impl Format {
    /// For standard output, with priorities if that is the journal.
    #[cfg(target_os = "linux")]
    pub fn of_stdout(json: bool) -> Self {
        let stream = std::env::var("JOURNAL_STREAM").unwrap_or_default();
        let stdout = nix::sys::stat::fstat(std::io::stdout());
        let identity = stdout.map(|it| format!("{}:{}", it.st_dev, it.st_ino));
        Format { json, has_priorities: identity.is_ok_and(|identity| identity == stream) }
    }

    /// A line, with its end.
    pub fn write(self, line: &Line) -> String {
        let text = if self.json { line.to_json() } else { line.to_string() };
        match self.has_priorities {
            true => format!("<{}>{text}\n", line.level.priority()),
            false => text + "\n",
        }
    }
}

/// An event and its fields, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The event's name, in one word.
    pub event: &'static str,
    /// How much it matters.
    pub level: Level,
    /// When it happened, since 1970; `None` if it is no line of a log. Only lines of a log show their level.
    pub time: Option<Instant>,
    /// Names and values.
    pub fields: Vec<(&'static str, Value)>,
}

impl Line {
    /// A line without fields about something that happened as it may.
    pub fn new(event: &'static str) -> Self {
        Line { event, level: Level::Info, time: None, fields: Vec::new() }
    }
    /// A line without fields about something that needs attention.
    pub fn warning(event: &'static str) -> Self {
        Line { level: Level::Warning, ..Line::new(event) }
    }
    /// A line without fields about a failure.
    pub fn error(event: &'static str) -> Self {
        Line { level: Level::Error, ..Line::new(event) }
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

    /// It happened at this time since 1970.
    #[must_use]
    pub fn at(self, wall: Instant) -> Self {
        Line { time: Some(wall), ..self }
    }

    /// As one JSON object.
    pub fn to_json(&self) -> String {
        let mut object = Map::new();
        if let Some(time) = self.time {
            object.insert("time".to_owned(), iso(time).into());
            object.insert("level".to_owned(), self.level.name().into());
        }
        object.insert("event".to_owned(), self.event.into());
        self.fields.iter().for_each(|(name, value)| {
            object.insert((*name).to_owned(), value.clone());
        });
        Value::Object(object).to_string()
    }
}

/// In UTC, to the microsecond (ISO 8601, RFC 3339).
fn iso(wall: Instant) -> String {
    let since_1970 = Duration::from_nanos(wall.as_nanos());
    humantime::format_rfc3339_micros(SystemTime::UNIX_EPOCH + since_1970).to_string()
}

impl Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(time) = self.time {
            write!(f, "time={} level={} ", iso(time), self.level.name())?;
        }
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

    #[test]
    fn a_line_of_a_log_has_its_time_and_level_in_front_and_for_journald_its_priority() {
        // The second before a leap day, whose nanoseconds are cut off.
        let wall = Instant::from_nanos(1_709_164_799_000_001_999);
        let line = Line::warning("overload").with("frames", 7).at(wall);
        let text = "time=2024-02-28T23:59:59.000001Z level=warning event=overload frames=7";
        let [json, has_priorities] = [true; 2];
        assert_eq!(Format::default().write(&line), format!("{text}\n"));
        assert_eq!(Format { has_priorities, ..Format::default() }.write(&line), format!("<4>{text}\n"));
        let written = Format { json, has_priorities }.write(&Line { level: Level::Error, ..line });
        let object: Value = serde_json::from_str(written.strip_prefix("<3>").unwrap()).unwrap();
        let expected = serde_json::json!({
            "time": "2024-02-28T23:59:59.000001Z", "level": "error", "event": "overload", "frames": 7
        });
        assert_eq!(object, expected);
        assert_eq!(Format::default().write(&Line::new("status")), "event=status\n");
    }
}
