//! Papers, their figures, claims and verdicts. One program: every test program is linked with the whole simulator.

mod all_flows;
mod beyond;
mod closed_forms;
mod diagrams;
mod files;
mod matrix;
mod other_programs;
mod readings;
mod single_runs;
mod statistics;
mod support;
mod systems;
mod verdicts;
