//! What splitting connections has done, for the log and as text for Prometheus (its exposition format 0.0.4).

use seamline_host::Line;
use std::fmt::Write;

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

type Of = (&'static str, &'static str, &'static str, fn(&SplitCounters) -> u64);

const ALL: &[Of] = &[
    ("handed_over", "counter", "SYNs that were handed over, or would have been.", |it| it.taken),
    ("passed", "counter", "SYNs that passed because too many came in a second.", |it| it.passed),
    ("begun", "counter", "Connections that were split.", |it| it.begun),
    ("open", "gauge", "Connections that are split now.", |it| it.open),
    ("ended", "counter", "Split connections that have ended in order.", |it| it.ended),
    ("refused", "counter", "Connections whose other end refused, or did not answer.", |it| it.refused),
    ("reset", "counter", "Split connections that were reset.", |it| it.reset),
    ("expired", "counter", "Split connections that were reset after silence.", |it| it.expired),
    ("bytes_to_wired", "counter", "Bytes handed on to ends on the wired side.", |it| it.bytes_to_wired),
    ("bytes_to_wireless", "counter", "Bytes handed on to ends on the wireless side.", |it| {
        it.bytes_to_wireless
    }),
    ("bypasses", "counter", "How often the agent did not come round, and new connections passed.", |it| {
        it.stalls
    }),
    ("bypass", "gauge", "Whether new connections pass for that reason.", |it| it.is_stalled.into()),
];

impl SplitCounters {
    /// As text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (name, kind, help, of) in ALL {
            let suffix = if *kind == "gauge" { "" } else { "_total" };
            let name = format!("seamline_agent_split_{name}{suffix}");
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {}", of(self));
        }
        out
    }

    /// As a line of the log.
    pub fn line(&self, event: &'static str) -> Line {
        ALL.iter().fold(Line::new(event), |line, (name, _, _, of)| line.with(name, of(self)))
    }
}
