//! Probes that were held during an outage and delivered after it.
//!
//! Their round trip jumps up and then falls as fast as time passes, as all of them go on their way together. A burst of other
//! traffic that fills a queue at once looks the same. So a wait counts as an outage only when it exceeds what queueing makes of
//! this recording: the tail of the waits of all probes is taken to be exponential, and fitted to their 95th percentile.

use super::outages::Run;
use super::tail::longest_by_chance;
use crate::measured::Probe;
use seamline_wire::Duration;

/// Probes that were held come back together: closer than this share of the distance at which they were sent.
const TOGETHER: f64 = 0.5;
/// Fewer pairs than this do not show that a round trip falls as fast as time passes.
pub(super) const FEWEST_PAIRS: usize = 2;
/// Probes that met the outage on the way back come first, then a step, then those that met it on the way there. So this many
/// pairs that are not together do not end a run.
const BREAKS: usize = 2;
/// The usual round trip is the median of so many.
const USUAL: usize = 21;

/// The median round trip of the last probes before an index; `None` when none came back.
pub(super) fn usual_before(probes: &[Probe], index: usize) -> Option<Duration> {
    median(probes[..index].iter().rev())
}

/// The median round trip of the first probes from an index on.
pub(super) fn usual_after(probes: &[Probe], index: usize) -> Option<Duration> {
    median(probes.get(index..)?.iter())
}

fn median<'a>(probes: impl Iterator<Item = &'a Probe>) -> Option<Duration> {
    let mut recent: Vec<Duration> = probes.filter_map(Probe::round_trip).take(USUAL).collect();
    recent.sort_unstable();
    recent.get(recent.len() / 2).copied()
}

/// Runs of probes that were held.
pub(super) fn runs(probes: &[Probe], longest_queue: Duration) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut at = 1;
    while at < probes.len() {
        match run_from(probes, at).filter(|run| run.wait > longest_queue) {
            Some(run) => {
                at = run.to;
                runs.push(run);
            }
            None => at += 1,
        }
    }
    runs
}

/// The longest wait that queueing is expected to make in this recording.
pub(super) fn longest_queue(probes: &[Probe]) -> Duration {
    let excess = |group: &[Probe]| -> Vec<Duration> {
        let usual = median(group.iter()).unwrap_or(Duration::ZERO);
        group.iter().filter_map(Probe::round_trip).map(|it| it - usual.min(it)).collect()
    };
    let waits = probes.chunks(USUAL).flat_map(excess).collect();
    // Half of all probes wait longer than usual.
    longest_by_chance(waits, 0.5).unwrap_or(Duration::ZERO)
}

/// The run that begins at an index, if the probes from there on came back together.
fn run_from(probes: &[Probe], from: usize) -> Option<Run> {
    let step = probes[from].sent.saturating_since(probes[from - 1].sent);
    // Most probes end here, without a look at those before.
    let first = probes[from].round_trip()?;
    let previous = probes[from - 1].round_trip().unwrap_or(Duration::ZERO);
    if first < previous + step {
        return None;
    }
    let before = usual_before(probes, from)?;
    if first < before + step * FEWEST_PAIRS as u64 {
        return None;
    }
    let (to, together) = together_from(probes, from);
    if together < FEWEST_PAIRS {
        return None;
    }
    let held = probes[from..to].iter().filter_map(Probe::round_trip).count();
    // The first met no queue that built up meanwhile. Where the path changed with the outage, it had the old delay there and the new one
    // back.
    let change = least(&probes[to..])
        .zip(least_before(probes, from))
        .map_or((before, before), |(new, old)| (old, new));
    let doubt = (change.0.max(change.1) - change.0.min(change.1)).mul_f64(0.5);
    let usual = if change.1 > change.0 { before + doubt } else { before - doubt.min(before) };
    Some(Run { from, to, held, wait: first - usual.min(first), usual, doubt })
}

/// The least round trip of some probes around an outage: queues that built up in it need a while to drain.
fn least(probes: &[Probe]) -> Option<Duration> {
    probes.iter().filter_map(Probe::round_trip).take(4 * USUAL).min()
}

fn least_before(probes: &[Probe], index: usize) -> Option<Duration> {
    probes[..index].iter().rev().filter_map(Probe::round_trip).take(4 * USUAL).min()
}

/// The end of a run behind its last pair that came back together, and how many pairs did.
fn together_from(probes: &[Probe], from: usize) -> (usize, usize) {
    let (mut to, mut together, mut apart) = (from + 1, 0, 0);
    let mut last = &probes[from];
    // The outage was over when the first of them came back: what was sent later was not held by it.
    let came = last.sent + last.round_trip().unwrap_or(Duration::ZERO);
    for (index, probe) in probes.iter().enumerate().skip(from + 1) {
        if probe.sent > came {
            break;
        }
        if probe.round_trip().is_none() {
            continue;
        }
        if came_together(last, probe) {
            (to, together, apart) = (index + 1, together + 1, 0);
        } else {
            apart += 1;
        }
        if apart > BREAKS {
            break;
        }
        last = probe;
    }
    (to, together)
}

fn came_together(one: &Probe, other: &Probe) -> bool {
    let (Some(first), Some(second)) = (one.round_trip(), other.round_trip()) else { return false };
    let (came, next) = (one.sent + first, other.sent + second);
    let apart = next.saturating_since(came).max(came.saturating_since(next));
    apart <= other.sent.saturating_since(one.sent).mul_f64(TOGETHER)
}
