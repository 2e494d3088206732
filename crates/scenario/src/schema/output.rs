//! `[output]`: files to write in addition to the report.

use super::event_kind::EventKind;
use crate::codes::Code;
use crate::keys::{Keys, choice, index_of, named, path, positive_time, table, whole};
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
    /// Directory for all events and packets as tables (Parquet), two for each run.
    pub parquet: Option<PathBuf>,
    /// Which events lists and tables of events contain, by their names in [`EventKind::NAMES`].
    pub only_events: Option<Vec<&'static str>>,
    /// The names of the nodes, links and cells at which these are recorded; of groups, those of all members, too.
    pub only_at: Option<Vec<String>>,
    /// Of what happens with every packet, only the first of each kind at each element is recorded, and every n-th after it.
    pub every: u32,
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
            parquet: None,
            only_events: None,
            only_at: None,
            every: 1,
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

/// The length of intervals of runs that ask for none: a second, or in very long runs the first of 2, 5, 10, 20, ... seconds that makes no
/// more than [`MOST_INTERVALS`].
pub(super) fn default_interval(duration: Duration) -> Duration {
    let mut steps = (0..).flat_map(|power| [1, 2, 5].map(|step| step * 10u64.pow(power)));
    let fits = |seconds: &u64| duration.as_nanos() / (seconds * 1_000_000_000) <= MOST_INTERVALS;
    Duration::from_secs(steps.find(fits).unwrap_or(1))
}

const INTERVALS: &[(&str, bool)] = &[("first run", false), ("every run", true)];

fn set_interval(output: &mut OutputSpec, interval: Duration) {
    output.interval = interval;
    output.show_every_interval = true;
}

/// Where output goes in runs of this length, and what it contains; `known` are the names of nodes, links and cells.
pub(super) fn keys<'a>(duration: Duration, known: &[&'a str]) -> Keys<'a, OutputSpec> {
    let names = known.to_vec();
    let place = index_of("node, link, cell or group", known.to_vec());
    let place = place.map(move |index| Ok(names[index].to_owned()), |_| None);
    table! { OutputSpec;
        .definition("output");
        optional pcapng: path(), "Directory for packet captures, relative to the working directory";
        optional events: path(), "Directory for event lists (CSV), relative to the working directory";
        optional parquet: path(), "Directory for all events and all captured packets as Parquet tables, relative to the working directory";
        optional only_events: named(EventKind::choices()).one_or_many(), "Kinds of events that `events` and `parquet` record [default: all]";
        optional only_at: place.one_or_many(), "Names of the nodes, links and radio cells, or of groups of them, whose events `events` and `parquet` record [default: all]";
        key every: whole(1, 1_000_000_000), "Record only every n-th event of the kinds `segment sent`, `acknowledgment`, `sender`, `delivered` and `queue`, counted for each kind and element, and every n-th packet of each interface in captures; counting begins with the first, which is recorded. All other events are recorded";
        optional xplot: path(), "Directory for time-sequence graphs (xplot), relative to the working directory";
        optional iperf3: path(), "Directory for results in the JSON format of iperf3, relative to the working directory";
        property interval: positive_time(), "Length of an interval in tables and records; by default longer in runs of more than 1,000,000 s", |it, show| show(&it.interval), set_interval;
        key intervals_of (intervals_of_every_run): choice(INTERVALS), "Which runs of each cell keep their intervals in the record";
    }
    .check(move |reader, it| {
            if duration.as_nanos() / it.interval.as_nanos() > MOST_INTERVALS {
                let complaint = Complaint::new(format!("that makes more than {MOST_INTERVALS} intervals"));
                reader.refuse_value("interval", complaint.code(Code::OutOfBounds));
            }
        })
}
