//! The table of one run, in the style of iperf3, with handovers between the rows.

use seamline_report::quantity::{bit_rate, bytes, count, millis, plural};
use seamline_report::record::{FlowRecord, HandoverRecord, IntervalRecord};
use seamline_report::statistics::nearest_rank;
use seamline_report::text_table::aligned;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The approximate maximum number of rows, unless every interval is requested.
const MOST_ROWS: usize = 12;
/// The handovers of more links or mobile nodes than this are only counted.
const MOST_LINKS: usize = 8;
/// The longest bar, and the shortest that still shows something.
const BAR_WIDTH: usize = 20;
const LEAST_BAR: usize = 6;
const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// A column: its head, and what it shows of an interval.
type Column = (&'static str, fn(&IntervalRecord) -> String);

const COLUMNS: [Column; 7] = [
    ("Interval (s)", |row| format!("{}-{}", seconds(row.from_s), seconds(row.to_s))),
    ("Transfer", |row| bytes(row.bytes)),
    (GOODPUT, |row| bit_rate(rate(row))),
    ("Retr", |row| row.retransmissions.to_string()),
    ("RTO", |row| row.timeouts.to_string()),
    ("Cwnd", |row| count(row.congestion_window_segments)),
    ("RTT", |row| millis(row.smoothed_round_trip_ms)),
];
/// Bars of it are in a column of their own.
const GOODPUT: &str = "Goodput";
/// The columns that are left out where the table would be too wide, in this order.
const LEAST_NEEDED: [&str; 4] = ["Cwnd", "Transfer", "RTT", "RTO"];

/// The table of a flow in one run, in so many columns of text. `every` shows every interval; otherwise intervals are merged until they
/// fit a screen.
pub fn interval_table(flow: &FlowRecord, every: bool, columns: usize) -> String {
    let rows = if every { flow.intervals.clone() } else { merged(&flow.intervals) };
    let lines = fitting(&rows, columns);
    let mut lines = lines.iter().map(|line| format!("   {line}\n"));
    let mut text = lines.next().unwrap_or_default();
    let mut handovers = flow.handovers.iter().peekable();
    let links: BTreeSet<&str> = flow.handovers.iter().map(|handover| handover.link.as_str()).collect();
    for (row, line) in rows.iter().zip(lines) {
        text += &line;
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

/// A head and a line for each row, with the columns and bars for which there is room.
fn fitting(rows: &[IntervalRecord], columns: usize) -> Vec<String> {
    let mut shown = COLUMNS.to_vec();
    let mut least_needed = LEAST_NEEDED.iter();
    loop {
        let lines = aligned_rows(rows, &shown, 0);
        // Three spaces are before a line, and two before a bar.
        let width = 3 + lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let bar = columns.saturating_sub(width + 2).min(BAR_WIDTH);
        if bar >= LEAST_BAR {
            return aligned_rows(rows, &shown, bar);
        }
        match least_needed.next().filter(|_| width > columns) {
            None => return lines,
            Some(name) => shown.retain(|column| column.0 != *name),
        }
    }
}

fn aligned_rows(rows: &[IntervalRecord], shown: &[Column], bar_width: usize) -> Vec<String> {
    let fastest = rows.iter().map(rate).fold(0.0, f64::max);
    let with_bar = |cell: &dyn Fn(&Column) -> String, bar: String| -> Vec<String> {
        let cells = shown.iter().flat_map(|column| {
            let bar = (bar_width > 0 && column.0 == GOODPUT).then(|| bar.clone());
            [Some(cell(column)), bar].into_iter().flatten()
        });
        cells.collect()
    };
    let head = with_bar(&|column| column.0.to_owned(), String::new());
    let line = |row: &IntervalRecord| {
        let share = if fastest > 0.0 { rate(row) / fastest } else { 0.0 };
        with_bar(&|column| column.1(row), bar(share, bar_width))
    };
    let cells: Vec<Vec<String>> = std::iter::once(head).chain(rows.iter().map(line)).collect();
    let goodput = shown.iter().position(|column| column.0 == GOODPUT).unwrap_or(0);
    let alignment: String = (0..cells[0].len())
        .map(|column| if column == 0 || (bar_width > 0 && column == goodput + 1) { 'l' } else { 'r' })
        .collect();
    aligned(&cells, &alignment)
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

/// A bar of this width for a share of one.
fn bar(share: f64, width: usize) -> String {
    let eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0).round() as usize;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn row(from_s: f64, bytes: u64) -> IntervalRecord {
        IntervalRecord {
            from_s,
            to_s: from_s + 10.0,
            bytes,
            retransmissions: 12,
            timeouts: 3,
            congestion_window_segments: 17.25,
            smoothed_round_trip_ms: 143.2,
        }
    }

    /// At every width, nothing is wider; from a width on, all of it is there.
    #[test]
    fn a_table_fits_into_its_columns() {
        let rows = [row(90.0, 1_250_000), row(100.0, 12_500_000)];
        for columns in 30..120 {
            let lines = fitting(&rows, columns);
            let widest = 3 + lines.iter().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= columns.max(38), "{columns}: {lines:#?}");
            assert_eq!(lines[0].contains("Cwnd"), columns >= 63, "{columns}: {lines:#?}");
        }
        let narrow = fitting(&rows, 40);
        assert_eq!(narrow[0], "Interval (s)      Goodput  Retr  RTO");
        let widest = fitting(&rows, usize::MAX);
        assert!(widest[2].contains(&"█".repeat(BAR_WIDTH)) && widest[1].contains("██  "), "{widest:#?}");
        assert!(fitting(&rows, 80)[2].contains(&"█".repeat(LEAST_BAR)));
    }
}
