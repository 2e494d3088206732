//! The numbers of a run.

use crate::case::{Job, LOOKED_AT};
use crate::load::Timeline;
use crate::load::timeline::Stall;
use seamline_wire::Duration;
use serde::{Deserialize, Serialize};

/// Raised whenever something else is run or measured under the same name: what was kept under another number is not mixed with it.
pub const DEFINITION: u32 = 1;
/// For how long the rate is looked at that a connection had.
pub(crate) const BEFORE_S: f64 = 2.0;
/// How long before the outage that ends: remedies that are notified of it have done nothing by then, and nothing is cut off.
pub(crate) const UNTIL_S: f64 = 0.5;
/// Over how long the rate is taken.
const WINDOW_S: f64 = 0.1;
/// Which part of the rate from before counts as full.
const FULL: f64 = 0.9;

/// How a connection recovered after its link was back. Times are in milliseconds since then; `None` is not within five seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// When the first segment with data arrived. The kernel does not report it for MPTCP.
    pub first_data_ms: Option<f64>,
    /// When the application had more: of a bulk download more bytes, of requests the next answer whole.
    pub progress_ms: Option<f64>,
    /// From when on data arrived for 100 ms at 90 % of the rate from before. For bulk downloads.
    pub full_rate_ms: Option<f64>,
    /// The longest time in which the application got nothing, from the begin of the outage to five seconds after its end.
    pub stall_ms: f64,
    /// The rate from before: at which the application got its data in two seconds that end half a second before the outage, in bits per
    /// second.
    pub rate_before_bps: f64,
    /// How much less than at that rate it got in the five seconds after the link was back, in bytes; below zero it got more.
    pub missed_bytes: f64,
    /// Packets that the queue of the radio link dropped in these five seconds, because it was full.
    pub dropped: u64,
}

/// The numbers of a run, from what its client saw and from when the queue dropped packets, in seconds since time zero of the lab.
pub fn measure(job: &Job, timeline: &Timeline, drops_s: &[f64]) -> Measured {
    let (down_s, up_s) = (job.link_down().as_secs_f64(), job.link_up().as_secs_f64());
    let end_s = up_s + LOOKED_AT.as_secs_f64();
    let after = |at_s: f64| (at_s - up_s) * 1e3;
    let before = timeline.bytes_per_second(down_s - UNTIL_S - BEFORE_S, down_s - UNTIL_S);
    let got = (timeline.bytes_by(end_s) - timeline.bytes_by(up_s)) as f64;
    let is_bulk = timeline.requests.is_empty();
    let progress_s = if is_bulk {
        first_more(timeline, up_s, |sample| sample.bytes)
    } else {
        timeline.requests.iter().filter_map(|request| request.answered_s).find(|at_s| *at_s > up_s)
    };
    let within = |at_s: &f64| *at_s <= end_s;
    let has_segments = timeline.samples.iter().any(|sample| sample.segments.is_some());
    let first_data_s =
        has_segments.then(|| first_more(timeline, up_s, |sample| sample.segments.unwrap_or(0))).flatten();
    Measured {
        first_data_ms: first_data_s.filter(within).map(after),
        progress_ms: progress_s.filter(within).map(after),
        full_rate_ms: is_bulk.then(|| full_rate(timeline, (down_s, up_s, end_s))).flatten().map(after),
        stall_ms: longest_stall_ms(timeline, (down_s, end_s)),
        rate_before_bps: before * 8.0,
        missed_bytes: before * LOOKED_AT.as_secs_f64() - got,
        dropped: drops_s.iter().filter(|at_s| (up_s..end_s).contains(at_s)).count() as u64,
    }
}

/// The longest time without anything for the application that touches the time between two instants.
fn longest_stall_ms(timeline: &Timeline, (from_s, to_s): (f64, f64)) -> f64 {
    let ends = |gap: &Stall| (gap.from_s + gap.length_ms / 1e3).min(to_s);
    let gaps = timeline.stalls(Duration::ZERO);
    let within = gaps.iter().filter(|gap| ends(gap) > from_s && gap.from_s < to_s);
    within.map(|gap| (ends(gap) - gap.from_s) * 1e3).fold(0.0, f64::max)
}

/// When there was first more of something than by `since_s`.
fn first_more(timeline: &Timeline, since_s: f64, of: impl Fn(&crate::load::Sample) -> u64) -> Option<f64> {
    let had = timeline.last_by(since_s).map_or(0, &of);
    let more = timeline.samples.iter().find(|sample| sample.at_s > since_s && of(sample) > had);
    more.map(|sample| sample.at_s)
}

/// From when on what arrived was as much as before.
fn full_rate(timeline: &Timeline, (down_s, up_s, end_s): (f64, f64, f64)) -> Option<f64> {
    // What arrives is counted by the kernel; of MPTCP only what the application gets is known.
    let arrived = |at_s: f64| {
        timeline.last_by(at_s).map_or(0.0, |sample| match sample.segments {
            Some(segments) => segments as f64,
            None => sample.bytes as f64,
        })
    };
    let before = (arrived(down_s - UNTIL_S) - arrived(down_s - UNTIL_S - BEFORE_S)) / BEFORE_S;
    let wanted = FULL * before * WINDOW_S;
    let samples = timeline.samples.iter().filter(|sample| sample.at_s > up_s && sample.at_s <= end_s);
    samples
        .map(|sample| sample.at_s)
        .find(|&from_s| arrived(from_s + WINDOW_S) - arrived(from_s - 1e-9) >= wanted)
}
