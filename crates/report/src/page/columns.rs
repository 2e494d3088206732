//! The runs of the time panels, encoded for the page and small enough for it.

use super::thin::thinned;
use crate::encode::Columns;
use crate::series::{FlowSeries, HandoverBand, RunSeries, SegmentSent};
use serde::Serialize;

/// As many bytes of encoded runs go into a page.
const ROOM: usize = 2_400_000;
/// How far apart in time segments and acknowledgments are taken together, as parts of a run: from not at
/// all on until everything fits.
const STEPS: [f64; 6] = [0.0, 1e-5, 5e-5, 2e-4, 1e-3, 5e-3];
const MICROS: f64 = 1e6;

/// The runs of a page.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    /// What is known of each run, for the script.
    pub(crate) runs: Vec<RunMeta>,
    /// The columns of each run.
    pub(crate) texts: Vec<String>,
    /// What is omitted, a sentence each.
    pub(crate) remarks: Vec<String>,
    /// Runs that belong together and apart from others; none when all do.
    pub(crate) groups: Vec<Group>,
}

/// Neighbouring runs of which one is shown, or two side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Group {
    /// The title that a reader chooses it by.
    pub(crate) title: String,
    /// What to see in it.
    pub(crate) look: String,
    /// The place of its first run.
    pub(crate) first: usize,
    /// How many runs it has.
    pub(crate) count: usize,
    /// What is shown of them at first, in seconds; everything without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shown: Option<(f64, f64)>,
}

/// The metadata of a run, without its columns.
#[derive(Debug, Serialize)]
pub(crate) struct RunMeta {
    name: String,
    seed: u64,
    duration: f64,
    flows: Vec<FlowMeta>,
    queues: Vec<String>,
    bands: Vec<HandoverBand>,
    notes: Vec<String>,
}

impl RunMeta {
    /// The name of the cell.
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

#[derive(Debug, Serialize)]
struct FlowMeta {
    name: String,
    variant: String,
    /// The length of a bin of what was delivered, in seconds.
    bin: f64,
    /// The longest segment in bytes.
    segment_size: u32,
}

/// Encode as many runs as fit, in as much detail as fits.
pub(crate) fn encode(series: &[&RunSeries]) -> Encoded {
    let mut texts = Vec::new();
    for step in STEPS {
        texts = fitting(series, step);
        if texts.len() == series.len() {
            return with_remarks(series, texts, step);
        }
    }
    with_remarks(series, texts, STEPS[STEPS.len() - 1])
}

/// The first runs, as many as there is room for.
fn fitting(series: &[&RunSeries], step: f64) -> Vec<String> {
    let mut room = ROOM;
    let texts = series.iter().map(|run| text(run, step * run.duration_s));
    let fitting = texts.map_while(|text| {
        room = room.checked_sub(text.len())?;
        Some(text)
    });
    fitting.collect()
}

fn with_remarks(series: &[&RunSeries], texts: Vec<String>, step: f64) -> Encoded {
    let kept = texts.len();
    let mut remarks = Vec::new();
    if step > 0.0 {
        let shortest = series.iter().map(|run| run.duration_s).fold(f64::INFINITY, f64::min);
        remarks.push(format!(
            "To keep this page small, neighboring segments and acknowledgments less than {} ms apart are drawn \
             as one. All retransmissions, losses and timeouts are shown. With --report DIR, segments.parquet has every segment.",
            crate::quantity::digits(step * shortest * 1e3)
        ));
    }
    if kept < series.len() {
        remarks.push(format!("To keep this page small, the time panels show only the first {kept} cells."));
    }
    let runs = series.iter().take(kept).map(|run| meta(run)).collect();
    Encoded { runs, texts, remarks, groups: Vec::new() }
}

fn meta(run: &RunSeries) -> RunMeta {
    let flow = |flow: &FlowSeries| FlowMeta {
        name: flow.flow.clone(),
        variant: flow.variant.clone(),
        bin: flow.delivered_bin_s,
        segment_size: flow.segments.iter().map(|segment| segment.length).max().unwrap_or(1),
    };
    RunMeta {
        name: run.name.clone(),
        seed: run.seed,
        duration: run.duration_s,
        flows: run.flows.iter().map(flow).collect(),
        queues: run.queues.iter().map(|queue| queue.link.clone()).collect(),
        bands: run.handovers.clone(),
        notes: run.notes.clone(),
    }
}

/// The columns of a run, in the order in which `assets/decode.js` reads them.
fn text(run: &RunSeries, merge_s: f64) -> String {
    let mut columns = Columns::default();
    for flow in &run.flows {
        write_flow(&mut columns, &thinned(flow, merge_s));
    }
    for queue in &run.queues {
        columns.numbers(queue.time_s.iter().copied(), MICROS);
        columns.whole(queue.packets.iter().map(|packets| *packets as i64));
    }
    columns.finish()
}

fn write_flow(columns: &mut Columns, flow: &FlowSeries) {
    for again in [false, true] {
        let such: Vec<&SegmentSent> =
            flow.segments.iter().filter(|segment| segment.retransmission == again).collect();
        columns.numbers(such.iter().map(|segment| segment.time_s), MICROS);
        columns.whole(such.iter().map(|segment| segment.start as i64));
        columns.whole(such.iter().map(|segment| i64::from(segment.length)));
    }
    let acks = &flow.acknowledgments;
    columns.numbers(acks.iter().map(|ack| ack.time_s), MICROS);
    columns.whole(acks.iter().map(|ack| ack.position as i64));
    columns.whole(acks.iter().map(|ack| ack.window_edge.saturating_sub(ack.position) as i64));
    let blocks = &flow.selective;
    columns.numbers(blocks.iter().map(|block| block.time_s), MICROS);
    columns.whole(blocks.iter().map(|block| block.start as i64));
    columns.whole(blocks.iter().map(|block| block.end.saturating_sub(block.start) as i64));
    let drops = &flow.drops;
    columns.numbers(drops.iter().map(|drop| drop.time_s), MICROS);
    columns.whole(drops.iter().map(|drop| drop.start as i64));
    columns.numbers(flow.timeouts_s.iter().copied(), MICROS);
    columns.numbers(flow.recoveries_s.iter().copied(), MICROS);
    let sender = &flow.sender;
    columns.numbers(sender.time_s.iter().copied(), MICROS);
    columns.numbers(sender.congestion_window_segments.iter().copied(), 100.0);
    columns.numbers(sender.slow_start_threshold_segments.iter().copied(), 100.0);
    columns.numbers(sender.smoothed_round_trip_ms.iter().copied(), 100.0);
    columns.numbers(sender.retransmission_timeout_ms.iter().copied(), 100.0);
    columns.whole(sender.bytes_in_flight.iter().map(|bytes| *bytes as i64));
    columns.whole(flow.delivered_bytes.iter().map(|bytes| *bytes as i64));
}
