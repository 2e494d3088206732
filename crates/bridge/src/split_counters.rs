//! The counters of split connections, for the log and as Prometheus text.

use crate::metrics::{Series, counter, gauge};
use seamline_host::Line;

/// Everything at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SplitCounters {
    /// SYNs that were handed over; with a dry run, that would have been.
    pub taken: u64,
    /// SYNs that passed because more came in a second than are handed over.
    pub passed: u64,
    /// Connections that were split.
    pub begun: u64,
    /// Connections that are split now.
    pub open: u64,
    /// Of those split, that have ended in order.
    pub ended: u64,
    /// Whose other end refused, or did not answer.
    pub refused: u64,
    /// That one end has reset, or that were open when it was to stop.
    pub reset: u64,
    /// That were reset after silence.
    pub expired: u64,
    /// Bytes handed on to ends on the wired side.
    pub bytes_to_wired: u64,
    /// Bytes handed on to ends on the wireless side.
    pub bytes_to_wireless: u64,
    /// How often the loop did not come round, and new connections passed.
    pub stalls: u64,
    /// Whether it is so now.
    pub is_stalled: bool,
}

const ALL: &[Series<SplitCounters>] = &[
    counter("split_handed_over", "SYNs taken for splitting; in a dry run, SYNs that would be taken.", |it| {
        it.taken
    }),
    counter("split_passed", "SYNs forwarded unsplit because of the rate limit.", |it| it.passed),
    counter("split_begun", "Connections split.", |it| it.begun),
    gauge("split_open", "Connections split now.", |it| it.open),
    counter("split_ended", "Split connections that closed normally.", |it| it.ended),
    counter("split_refused", "Connections refused or unanswered by the server.", |it| it.refused),
    counter("split_reset", "Split connections that were reset.", |it| it.reset),
    counter("split_expired", "Split connections reset because they were idle.", |it| it.expired),
    counter("split_bytes_to_wired", "Bytes relayed to hosts on the wired side.", |it| it.bytes_to_wired),
    counter("split_bytes_to_wireless", "Bytes relayed to hosts on the wireless side.", |it| {
        it.bytes_to_wireless
    }),
    counter("split_bypasses", "Times the relay stalled and new connections were forwarded unsplit.", |it| {
        it.stalls
    }),
    gauge(
        "split_bypass",
        "1 while new connections are forwarded unsplit because the relay has stalled.",
        |it| it.is_stalled.into(),
    ),
];

impl SplitCounters {
    /// As Prometheus text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        ALL.iter().for_each(|series| series.write(&mut out, std::iter::once(("", self))));
        out
    }

    /// As a line of the log.
    pub fn line(&self, event: &'static str) -> Line {
        let name = |series: &Series<Self>| series.name.trim_start_matches("split_");
        ALL.iter().fold(Line::new(event), |line, series| line.with(name(series), (series.of)(self)))
    }
}
