//! What the log says when there is too little time, memory or room in the table for all connections.

use super::log::WARN;
use crate::engine::Engine;
use seamline_host::{Every, Line};
use seamline_wire::Instant;

/// Each kind of shortage is reported at most once a minute, with what it cost since the last report.
#[derive(Debug)]
pub(super) struct Shortage {
    time: Report<1>,
    memory: Report<2>,
    places: Report<2>,
}

/// When something was reported last, and the counters at that time.
#[derive(Debug)]
pub(super) struct Report<const N: usize> {
    due: Every,
    reported: [u64; N],
}

impl<const N: usize> Report<N> {
    pub(super) fn new() -> Self {
        Report { due: Every::new(WARN), reported: [0; N] }
    }
    /// What these counters have grown by, if one has and a report is due.
    pub(super) fn look(&mut self, now: Instant, counters: [u64; N]) -> Option<[u64; N]> {
        if counters == self.reported || !self.due.is_due(now) {
            return None;
        }
        let before = std::mem::replace(&mut self.reported, counters);
        Some(std::array::from_fn(|place| counters[place] - before[place]))
    }
}

impl Shortage {
    pub(super) fn new() -> Self {
        Shortage { time: Report::new(), memory: Report::new(), places: Report::new() }
    }

    /// The lines that are due. `overload` frames have passed for which there was no time.
    pub(super) fn look(&mut self, now: Instant, engine: &Engine, overload: u64) -> Vec<Line> {
        let (counters, limits) = (engine.agent_counters(), engine.settings().parameters.limits);
        let mut lines = Vec::new();
        if let Some([frames]) = self.time.look(now, [overload]) {
            lines.push(Line::warning("overload").with("frames", frames));
        }
        let kept_bytes = engine.kept_bytes();
        let is_full = kept_bytes >= limits.bytes / 10 * 9;
        let lost = [counters.not_cached, counters.cleared];
        if let Some([not_cached, cleared]) = is_full.then(|| self.memory.look(now, lost)).flatten() {
            let line =
                Line::warning("memory-full").with("kept_bytes", kept_bytes).with("memory", limits.bytes);
            lines.push(line.with("not_cached", not_cached).with("caches_cleared", cleared));
        }
        if let Some([evicted, no_room]) = self.places.look(now, [counters.evicted, counters.unknown]) {
            let line = Line::warning("table-full").with("connections", limits.connections);
            lines.push(line.with("evicted", evicted).with("no_room", no_room));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use seamline_wire::Duration;

    #[test]
    fn growth_is_reported_once_a_minute() {
        let mut report = Report::new();
        let at = |seconds| Instant::from_secs(seconds);
        assert_eq!(report.look(at(1), [0, 0]), None);
        assert_eq!(report.look(at(2), [5, 0]), Some([5, 0]));
        assert_eq!(report.look(at(3), [9, 1]), None, "not due");
        assert_eq!(report.look(at(2) + Duration::from_secs(60), [9, 1]), Some([4, 1]));
        assert_eq!(report.look(at(500), [9, 1]), None, "nothing new");
    }
}
