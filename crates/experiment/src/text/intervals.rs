//! The table of one run, in the style of iperf3, with handovers between the rows.

use seamline_report::quantity::{bit_rate, bytes, count, millis, plural};
use seamline_report::record::{FlowRecord, HandoverRecord, IntervalRecord};
use seamline_report::statistics::nearest_rank;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The approximate maximum number of rows, unless every interval is requested.
const MOST_ROWS: usize = 12;
/// The handovers of more links or mobile nodes than this are only counted.
const MOST_LINKS: usize = 8;
const BAR_WIDTH: f64 = 20.0;
const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// The table of a flow in one run. `every` shows every interval; otherwise intervals are merged until they fit a
/// screen.
pub fn interval_table(flow: &FlowRecord, every: bool) -> String {
    let rows = if every { flow.intervals.clone() } else { merged(&flow.intervals) };
    let fastest = rows.iter().map(rate).fold(0.0, f64::max);
    let mut text = String::from(
        "   Interval (s)      Transfer      Goodput                         Retr  RTO   Cwnd       RTT\n",
    );
    let mut handovers = flow.handovers.iter().peekable();
    let links: BTreeSet<&str> = flow.handovers.iter().map(|handover| handover.link.as_str()).collect();
    for row in &rows {
        write_row(&mut text, row, fastest);
        if links.len() > MOST_LINKS {
            let here: Vec<&HandoverRecord> =
                std::iter::from_fn(|| handovers.next_if(|handover| handover.start_s < row.to_s)).collect();
            write_handovers(&mut text, &here);
        }
        while let Some(handover) = handovers.next_if(|handover| handover.start_s < row.to_s) {
            let is_last = !handovers.clone().any(|later| later.link == handover.link);
            write_handover(&mut text, handover, is_last);
        }
    }
    text
}

fn write_row(text: &mut String, row: &IntervalRecord, fastest: f64) {
    let span = format!("{}-{}", seconds(row.from_s), seconds(row.to_s));
    let share = if fastest > 0.0 { rate(row) / fastest } else { 0.0 };
    let _ = writeln!(
        text,
        "   {span:<14} {:>11} {:>13} {:<20} {:>7} {:>4} {:>6} {:>9}",
        bytes(row.bytes),
        bit_rate(rate(row)),
        bar(share),
        row.retransmissions,
        row.timeouts,
        count(row.congestion_window_segments),
        millis(row.smoothed_round_trip_ms),
    );
}

/// The handovers of many links, or mobile nodes.
fn write_handovers(text: &mut String, handovers: &[&HandoverRecord]) {
    let median = |read: fn(&HandoverRecord) -> Option<f64>| {
        let mut known: Vec<f64> = handovers.iter().filter_map(|handover| read(handover)).collect();
        known.sort_by(f64::total_cmp);
        Some((known.len(), nearest_rank(&known, 500)?))
    };
    if handovers.is_empty() {
        return;
    }
    let _ = write!(text, "   ~~ {}", plural(handovers.len(), "handover"));
    if let Some((_, interruption)) = median(|handover| handover.interruption_ms) {
        let _ = write!(text, ": interrupted for {}", millis(interruption));
    }
    if let Some((_, first)) = median(|handover| handover.first_data_ms) {
        let _ = write!(text, ", data after {}", millis(first));
    }
    match median(|handover| handover.recovery_ms) {
        Some((count, recovery)) => {
            let _ = writeln!(text, ", {count} recovered after {} (medians)", millis(recovery));
        }
        None => text.push_str(", none recovered\n"),
    }
}

/// `is_last`: no other handover of the same link, or mobile node, follows.
fn write_handover(text: &mut String, handover: &HandoverRecord, is_last: bool) {
    let HandoverRecord { link, start_s, .. } = handover;
    let _ = write!(text, "   ~~ handover of {link} at {} s", seconds(*start_s));
    match handover.interruption_ms {
        Some(interruption) => {
            let what = if handover.movement_detected_ms.is_some() { "unreachable" } else { "without link" };
            let _ = write!(text, ": {} {what}", millis(interruption));
        }
        None if is_last => text.push_str(": unreachable until the end"),
        None => text.push_str(": unreachable until the next handover"),
    }
    if let Some(first) = handover.first_data_ms {
        let _ = write!(text, ", data after {}", millis(first));
    }
    match handover.recovery_ms {
        Some(recovery) => {
            let _ = writeln!(text, ", recovered after {}", millis(recovery));
        }
        None => text.push_str(", not recovered\n"),
    }
}

fn rate(row: &IntervalRecord) -> f64 {
    let seconds = row.to_s - row.from_s;
    if seconds > 0.0 { row.bytes as f64 * 8.0 / seconds } else { 0.0 }
}

fn seconds(seconds: f64) -> String {
    let text = format!("{seconds:.2}");
    text.strip_suffix(".00").map(str::to_owned).unwrap_or(text)
}

/// A bar of [`BAR_WIDTH`] for a share of one.
fn bar(share: f64) -> String {
    let eighths = (share.clamp(0.0, 1.0) * BAR_WIDTH * 8.0).round() as usize;
    let mut bar: String = std::iter::repeat_n(EIGHTHS[7], eighths / 8).collect();
    bar.extend(eighths.checked_rem(8).filter(|rest| *rest > 0).map(|rest| EIGHTHS[rest - 1]));
    bar
}

/// Merge intervals in steps of 1, 2, 5, 10, ... until the rows fit.
fn merged(intervals: &[IntervalRecord]) -> Vec<IntervalRecord> {
    let wanted = intervals.len().div_ceil(MOST_ROWS);
    let steps = (0..).flat_map(|power: u32| [1, 2, 5].map(|step| step * 10usize.pow(power.min(12))));
    let step = steps.into_iter().find(|step| *step >= wanted).unwrap_or(wanted);
    intervals.chunks(step.max(1)).filter_map(sum).collect()
}

fn sum(rows: &[IntervalRecord]) -> Option<IntervalRecord> {
    let (first, last) = (rows.first()?, rows.last()?);
    Some(IntervalRecord {
        from_s: first.from_s,
        bytes: rows.iter().map(|row| row.bytes).sum(),
        retransmissions: rows.iter().map(|row| row.retransmissions).sum(),
        timeouts: rows.iter().map(|row| row.timeouts).sum(),
        ..last.clone()
    })
}
