//! The JSON of one test.

use super::{json, text};
use crate::error::ImportError;
use crate::file::{Recording, quoted};
use serde::Deserialize;
use serde_json::Value;

const WHAT: &str = "JSON of iperf3";

#[derive(Default, Deserialize)]
pub(super) struct Document {
    #[serde(default)]
    start: Start,
    #[serde(default)]
    pub(super) intervals: Vec<Interval>,
    #[serde(default)]
    pub(super) end: End,
    pub(super) error: Option<String>,
    /// Whether it was made of text, which has three digits of each number.
    #[serde(skip)]
    pub(super) is_text: bool,
}

#[derive(Default, Deserialize)]
struct Start {
    version: Option<String>,
    timestamp: Option<Timestamp>,
    #[serde(default)]
    test_start: TestStart,
    accepted_connection: Option<Value>,
}

#[derive(Deserialize)]
struct Timestamp {
    timesecs: f64,
    timemillisecs: Option<f64>,
}

#[derive(Default, Deserialize)]
struct TestStart {
    protocol: Option<String>,
    #[serde(default)]
    reverse: u8,
}

#[derive(Deserialize)]
pub(super) struct Interval {
    pub(super) streams: Vec<Stream>,
}

#[derive(Deserialize)]
pub(super) struct Stream {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) bytes: f64,
    pub(super) rtt: Option<f64>,
    pub(super) packets: Option<f64>,
    pub(super) lost_packets: Option<f64>,
    #[serde(default)]
    pub(super) omitted: bool,
    pub(super) sender: Option<bool>,
}

#[derive(Default, Deserialize)]
pub(super) struct End {
    pub(super) sum: Option<Summary>,
    pub(super) sender_tcp_congestion: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Summary {
    pub(super) packets: Option<f64>,
    pub(super) lost_packets: Option<f64>,
}

/// One line of a stream of events; everything else in it is left out, such as the whole document that may follow.
#[derive(Deserialize)]
struct Event {
    event: Option<String>,
    #[serde(default)]
    data: Value,
}

impl Document {
    /// That of a test in text.
    pub(super) fn of_text(intervals: Vec<Interval>, udp: bool, error: Option<String>) -> Self {
        let protocol = Some(if udp { "UDP" } else { "TCP" }.to_owned());
        let start = Start { test_start: TestStart { protocol, reverse: 0 }, ..Start::default() };
        Document { start, intervals, error, is_text: true, ..Document::default() }
    }

    /// Whether the end that wrote the file sends this stream. Versions before 3.7 do not say so of each stream.
    pub(super) fn sends(&self, stream: &Stream) -> bool {
        let server = self.start.accepted_connection.is_some();
        stream.sender.unwrap_or(server == (self.start.test_start.reverse != 0))
    }

    pub(super) fn is_udp(&self) -> bool {
        self.start.test_start.protocol.as_deref() == Some("UDP")
    }

    /// The begin in seconds since 1970.
    pub(super) fn began(&self) -> Option<f64> {
        let it = self.start.timestamp.as_ref()?;
        Some(it.timemillisecs.map_or(it.timesecs, |millis| millis * 1e-3))
    }

    fn take(&mut self, name: &str, data: Value) -> Result<(), serde_json::Error> {
        match name {
            "start" => self.start = serde_json::from_value(data)?,
            "interval" => self.intervals.push(serde_json::from_value(data)?),
            "end" => self.end = serde_json::from_value(data)?,
            "error" => self.error = data.as_str().map(str::to_owned),
            _ => {}
        }
        Ok(())
    }
}

/// Read the first test of a file, and count them.
pub(super) fn read(recording: &Recording) -> Result<(Document, usize), ImportError> {
    let (document, tests) = match json::keys(recording)[..] {
        [] => text::read(recording)?,
        ["event", "data"] => events(recording)?,
        _ => whole(recording)?,
    };
    if let Some(version) = document.start.version.as_ref().filter(|it| !it.starts_with("iperf 3")) {
        let help = "if it is output of another program, read it as CSV with named columns";
        return Err(recording.whole(quoted(version), "a version \"iperf 3...\" in start.version", help));
    }
    Ok((document, tests))
}

fn whole(recording: &Recording) -> Result<(Document, usize), ImportError> {
    let first = json::read(recording, WHAT)?;
    let more = json::documents::<serde::de::IgnoredAny>(recording, WHAT).skip(1);
    Ok((first, 1 + more.take_while(Result::is_ok).count()))
}

fn events(recording: &Recording) -> Result<(Document, usize), ImportError> {
    let (mut document, mut tests) = (Document::default(), 0);
    for event in json::documents::<Event>(recording, WHAT) {
        let Event { event, data } = match event {
            Ok(event) => event,
            // A test that was stopped leaves half a line.
            Err(_) if !document.intervals.is_empty() => break,
            Err(error) => return Err(error),
        };
        let Some(name) = event else { continue };
        tests += usize::from(name == "start");
        if tests > 1 {
            continue;
        }
        let number = document.intervals.len();
        document.take(&name, data).map_err(|why| {
            let help = "correct the line, or record the test again";
            let place = format!("event {name}, after {number} intervals");
            let wrong = recording.whole(why.to_string(), WHAT, help);
            ImportError { field: Some(place.into()), ..wrong }
        })?;
    }
    Ok((document, tests))
}
