//! `[output]`: files to write beside the report.

use crate::reader::{Reader, text};
use crate::units::{self, Complaint};
use seamline_wire::Duration;
use std::path::PathBuf;

/// Files to write beside the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputSpec {
    /// Folder for captures, one for each run.
    pub pcapng: Option<PathBuf>,
    /// Folder for event lists (CSV), one for each run.
    pub events: Option<PathBuf>,
    /// Length of an interval in the record of a run.
    pub interval: Duration,
    /// Whether tables show every interval, because the file asks for this length; otherwise they show as
    /// few as fit a screen.
    pub show_every_interval: bool,
}

impl Default for OutputSpec {
    fn default() -> Self {
        OutputSpec {
            pcapng: None,
            events: None,
            interval: Duration::from_secs(1),
            show_every_interval: false,
        }
    }
}

pub(super) fn read(mut reader: Reader<'_>) -> OutputSpec {
    let mut output = OutputSpec {
        pcapng: reader.optional("pcapng", text).map(PathBuf::from),
        events: reader.optional("events", text).map(PathBuf::from),
        ..OutputSpec::default()
    };
    let shortest = Duration::from_millis(1);
    let interval = reader.optional("interval", |node| match units::positive_duration(node)? {
        interval if interval < shortest => Err(Complaint::new("must be 1 ms or longer")),
        interval => Ok(interval),
    });
    if let Some(interval) = interval {
        output.interval = interval;
        output.show_every_interval = true;
    }
    reader.finish();
    output
}
