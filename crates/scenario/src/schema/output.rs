//! `[output]`: files to write in addition to the report.

use crate::codes::Code;
use crate::keys::{Keys, choice, path, positive_time, table};
use crate::units::Complaint;
use seamline_wire::Duration;
use std::path::PathBuf;

/// Files to write in addition to the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputSpec {
    /// Directory for captures, one for each run.
    pub pcapng: Option<PathBuf>,
    /// Directory for event lists (CSV), one for each run.
    pub events: Option<PathBuf>,
    /// Directory for time-sequence graphs (xplot), one for each flow of each run.
    pub xplot: Option<PathBuf>,
    /// Directory for results in the format of iperf3, one for each flow of each run.
    pub iperf3: Option<PathBuf>,
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
            xplot: None,
            iperf3: None,
            interval: Duration::from_secs(1),
            intervals_of_every_run: false,
            show_every_interval: false,
        }
    }
}

/// More intervals than this in a run are taken for a mistake.
const MOST_INTERVALS: u64 = 1_000_000;

const INTERVALS: &[(&str, bool)] = &[("first run", false), ("every run", true)];

fn set_interval(output: &mut OutputSpec, interval: Duration) {
    output.interval = interval;
    output.show_every_interval = true;
}

/// Where output goes in runs of this length.
pub(super) fn keys<'a>(duration: Duration) -> Keys<'a, OutputSpec> {
    table! { OutputSpec;
        .definition("output");
        optional pcapng: path(), "Directory for packet captures, relative to the working directory";
        optional events: path(), "Directory for event lists (CSV), relative to the working directory";
        optional xplot: path(), "Directory for time-sequence graphs (xplot), relative to the working directory";
        optional iperf3: path(), "Directory for results in the JSON format of iperf3, relative to the working directory";
        property interval: positive_time(), "Length of an interval in tables and records", |it, show| show(&it.interval), set_interval;
        key intervals_of (intervals_of_every_run): choice(INTERVALS), "Which runs of each cell keep their intervals in the record";
    }
    .check(move |reader, it| {
            if duration.as_nanos() / it.interval.as_nanos() > MOST_INTERVALS {
                let complaint = Complaint::new(format!("that makes more than {MOST_INTERVALS} intervals"));
                reader.refuse_value("interval", complaint.code(Code::OutOfBounds));
            }
        })
}
