//! The first segment that two stacks send differently in the same scenario under the same seed.

use seamline_report::series::{Acknowledgment, FlowSeries, SegmentSent, SenderColumns};
use std::fmt::Write;

/// Segments sent within this time of each other count as sent at the same time: a tick of the kernel's timers at 1000 Hz.
pub const SAME_TIME_S: f64 = 1e-3;
/// Segments shown before the difference, and after it.
const BEFORE: usize = 4;
const AFTER: usize = 4;

/// What two stacks have sent for one flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstDifference {
    /// The flow.
    pub flow: String,
    /// How many segments are the same before it.
    pub same: usize,
    /// How it is different.
    pub kind: Kind,
    /// What each of the two did, the first stack first.
    pub sides: [Side; 2],
}

/// How the first different segments differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Other bytes.
    Range,
    /// The same bytes at another time.
    Time,
    /// One sends nothing more.
    Missing,
}

/// One stack around the difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// The segments around the difference: some before it, itself, and some after it.
    pub segments: Vec<SegmentSent>,
    /// The last acknowledgment before it.
    pub acknowledgment: Option<Acknowledgment>,
    /// The sender's state before it.
    pub state: Option<State>,
}

/// The state of a sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// When it was recorded.
    pub time_s: f64,
    /// In segments.
    pub congestion_window: f64,
    /// In segments.
    pub slow_start_threshold: f64,
    /// In milliseconds.
    pub smoothed_round_trip_ms: f64,
    /// In milliseconds.
    pub retransmission_timeout_ms: f64,
    /// In bytes.
    pub bytes_in_flight: f64,
}

/// Compare what two stacks have sent. `None` when all is the same to the end.
pub fn first_difference(flows: [&FlowSeries; 2]) -> Option<FirstDifference> {
    let [one, other] = flows.map(|flow| &flow.segments);
    let same = one.iter().zip(other).take_while(|(one, other)| difference(one, other).is_none()).count();
    let kind = match (one.get(same), other.get(same)) {
        (None, None) => return None,
        (Some(one), Some(other)) => difference(one, other)?,
        _ => Kind::Missing,
    };
    Some(FirstDifference {
        flow: flows[0].flow.clone(),
        same,
        kind,
        sides: flows.map(|flow| side(flow, same)),
    })
}

fn difference(one: &SegmentSent, other: &SegmentSent) -> Option<Kind> {
    if (one.start, one.length, one.retransmission) != (other.start, other.length, other.retransmission) {
        return Some(Kind::Range);
    }
    ((one.time_s - other.time_s).abs() > SAME_TIME_S).then_some(Kind::Time)
}

fn side(flow: &FlowSeries, same: usize) -> Side {
    let until = flow.segments.get(same).map_or(f64::INFINITY, |segment| segment.time_s);
    let range = same.saturating_sub(BEFORE)..(same + 1 + AFTER).min(flow.segments.len());
    Side {
        segments: flow.segments.get(range).unwrap_or_default().to_vec(),
        acknowledgment: flow.acknowledgments.iter().rev().find(|it| it.time_s <= until).copied(),
        state: state(&flow.sender, until),
    }
}

/// The last state recorded before a time. Samples at that very time may be from after the segment.
fn state(columns: &SenderColumns, until: f64) -> Option<State> {
    let place = columns.time_s.iter().rposition(|time_s| *time_s < until)?;
    Some(State {
        time_s: columns.time_s[place],
        congestion_window: columns.congestion_window_segments[place],
        slow_start_threshold: columns.slow_start_threshold_segments[place],
        smoothed_round_trip_ms: columns.smoothed_round_trip_ms[place],
        retransmission_timeout_ms: columns.retransmission_timeout_ms[place],
        bytes_in_flight: columns.bytes_in_flight[place],
    })
}

/// The difference as text. `names` are those of the two stacks.
pub fn text(found: &FirstDifference, names: [&str; 2]) -> String {
    let what = match found.kind {
        Kind::Range => "they send different bytes",
        Kind::Time => "they send the same bytes at different times",
        Kind::Missing => "one sends nothing more",
    };
    let mut text = format!("flow {}: {} segments are the same; then {what}\n", found.flow, found.same);
    let rows = found.sides.iter().map(|side| side.segments.len()).max().unwrap_or(0);
    let _ = writeln!(text, "  {:>8}  {:<38}  {:<38}", "segment", names[0], names[1]);
    let first = found.same.saturating_sub(BEFORE);
    for row in 0..rows {
        let [one, other] =
            found.sides.each_ref().map(|side| side.segments.get(row).map(segment).unwrap_or_default());
        let mark = if first + row == found.same { ">" } else { " " };
        let _ = writeln!(text, "{mark} {:>8}  {one:<38}  {other:<38}", first + row + 1);
    }
    for (side, name) in found.sides.iter().zip(names) {
        let _ = writeln!(text, "  {name}, before it: {}", before(side));
    }
    text
}

fn segment(it: &SegmentSent) -> String {
    let kind = if it.retransmission { " R" } else { "" };
    format!("{:.6} s {}:{}{kind}", it.time_s, it.start, it.start + u64::from(it.length))
}

fn before(side: &Side) -> String {
    let acknowledgment = side.acknowledgment.map_or("no acknowledgment".to_owned(), |it| {
        format!("ACK {} at {:.6} s, window to {}", it.position, it.time_s, it.window_edge)
    });
    let state = side.state.map(|it| {
        format!(
            "; cwnd {:.2}, ssthresh {:.2}, SRTT {:.3} ms, RTO {:.1} ms, {:.0} bytes in flight (at {:.6} s)",
            it.congestion_window,
            it.slow_start_threshold,
            it.smoothed_round_trip_ms,
            it.retransmission_timeout_ms,
            it.bytes_in_flight,
            it.time_s
        )
    });
    acknowledgment + &state.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(segments: &[(f64, u64)]) -> FlowSeries {
        let segment = |(time_s, start): &(f64, u64)| SegmentSent {
            time_s: *time_s,
            start: *start,
            length: 1000,
            retransmission: false,
        };
        FlowSeries { segments: segments.iter().map(segment).collect(), ..FlowSeries::default() }
    }

    #[test]
    fn the_first_segment_that_differs_is_found_with_the_kind_of_difference() {
        let one = flow(&[(0.0, 0), (0.1, 1000), (0.2, 2000)]);
        assert_eq!(first_difference([&one, &one]), None);
        let near = flow(&[(0.0, 0), (0.1009, 1000), (0.2, 2000)]);
        assert_eq!(first_difference([&one, &near]), None, "within a tick");
        for (other, same, kind) in [
            (flow(&[(0.0, 0), (0.1, 1000), (0.2, 3000)]), 2, Kind::Range),
            (flow(&[(0.0, 0), (0.102, 1000), (0.2, 2000)]), 1, Kind::Time),
            (flow(&[(0.0, 0), (0.1, 1000)]), 2, Kind::Missing),
        ] {
            let found = first_difference([&one, &other]).unwrap();
            assert_eq!((found.same, found.kind), (same, kind));
        }
    }

    /// A sample at the time of a segment may be from after it.
    #[test]
    fn the_state_is_that_before_the_difference() {
        let mut one = flow(&[(0.0, 0), (0.1, 1000)]);
        let values = || vec![1.0, 2.0, 3.0];
        one.sender = SenderColumns {
            time_s: vec![0.0, 0.05, 0.1],
            congestion_window_segments: values(),
            slow_start_threshold_segments: values(),
            smoothed_round_trip_ms: values(),
            retransmission_timeout_ms: values(),
            bytes_in_flight: values(),
        };
        let other = flow(&[(0.0, 0), (0.1, 7000)]);
        let found = first_difference([&one, &other]).unwrap();
        assert_eq!(found.sides[0].state.unwrap().congestion_window, 2.0);
        assert_eq!(found.sides[1].state, None);
        let text = text(&found, ["simulator", "linux-6.12"]);
        assert!(text.contains("1 segments are the same") && text.contains(">        2"), "{text}");
    }
}
