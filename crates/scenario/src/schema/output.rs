//! `[output]`: files to write beside the report.

use crate::codes::Code;
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
    /// Whether the records of all runs keep their intervals, rather than that of the first run of each cell.
    pub intervals_of_every_run: bool,
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
            intervals_of_every_run: false,
            show_every_interval: false,
        }
    }
}

/// More intervals than this in a run are taken for a mistake.
const MOST_INTERVALS: u64 = 1_000_000;

pub(crate) const INTERVALS: &[(&str, bool)] = &[("first run", false), ("every run", true)];

/// Read where output goes in runs of this length.
pub(super) fn read(mut reader: Reader<'_>, duration: Duration) -> OutputSpec {
    let mut output = OutputSpec {
        pcapng: reader.optional("pcapng", text).map(PathBuf::from),
        events: reader.optional("events", text).map(PathBuf::from),
        intervals_of_every_run: reader.choice("intervals_of", INTERVALS).unwrap_or(false),
        ..OutputSpec::default()
    };
    let interval = reader.optional("interval", |node| match units::positive_duration(node)? {
        interval if duration.as_nanos() / interval.as_nanos() > MOST_INTERVALS => {
            Err(Complaint::new(format!("that makes more than {MOST_INTERVALS} intervals"))
                .code(Code::OutOfBounds))
        }
        interval => Ok(interval),
    });
    if let Some(interval) = interval {
        output.interval = interval;
        output.show_every_interval = true;
    }
    reader.finish();
    output
}
