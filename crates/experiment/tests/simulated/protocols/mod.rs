//! The example of mobility protocols without its grid, for the tests of single protocols.
#![allow(dead_code, reason = "each test uses its part of this")]

use crate::support::plan;
use seamline_experiment::record::{HandoverRecord, RunRecord};
use seamline_experiment::{RunOptions, run};

const EXAMPLE: &str = include_str!("../../../../../scenarios/mobility-protocols.toml");
/// Moves that take time below IP.
pub(crate) const MOVES: &str = "mobile.mobile.movement={ every = \"9.7 s\", interruption = \"100 ms\" }";

pub(crate) fn text() -> &'static str {
    EXAMPLE.split("[[grid.zip]]").next().unwrap()
}
pub(crate) fn protocol(kind: &str) -> String {
    format!("mobile.mobile.protocol={{ kind = \"{kind}\", home_agent = \"home\" }}")
}
/// The runs with these settings; later ones replace earlier ones.
pub(crate) fn runs(own: &[&str], more: &[&str]) -> Vec<RunRecord> {
    let results = run(&plan(text(), &[own, more].concat()), &RunOptions::default(), &|| ()).unwrap();
    results.into_iter().flat_map(|cell| cell.runs).collect()
}
pub(crate) fn handovers(runs: &[RunRecord]) -> Vec<&HandoverRecord> {
    runs.iter().flat_map(|run| &run.flows[0].handovers).collect()
}
/// Milliseconds that so many bytes take at a rate in Mbit/s.
pub(crate) fn ms(bytes: f64, rate: f64) -> f64 {
    bytes * 8.0 / rate / 1e3
}
/// Ten moves, a fifth of all packets lost on the air, and warnings that are false or never come.
pub(crate) fn bad_warnings_and_losses(lead: &str) -> Vec<String> {
    let steps: Vec<String> = (1..=10)
        .map(|n| format!("{{ at = \"{} s\", cell = \"cell{}\" }}", f64::from(n) * 9.7, 1 + n % 2))
        .collect();
    let loss = "loss={ model = \"bernoulli\", probability = \"20 %\" }";
    vec![
        format!("cell.cell1.{loss}"),
        format!("cell.cell2.{loss}"),
        format!("mobile.mobile.notice={{ lead = \"{lead}\", lost = \"30 %\", false_per_minute = 6 }}"),
        format!("mobile.mobile.movement={{ timetable = [{}] }}", steps.join(", ")),
        "flow.download.size=30 kB".to_owned(),
        "duration=2000 s".to_owned(),
        "seeds=3".to_owned(),
    ]
}
