//! The random numbers of a reference run: those of ns-2's generator. A directory's own record of losses and clock phases shows that ours
//! draws the same.

use super::layout;
use super::mrg32k3a::{clock_phase, loss_indices};
use super::replay::most_arrivals;
use super::setup::Setup;
use crate::support::at;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Clock phases agree when they differ by less than this fraction of a tick: ns-2's Tcl prints a draw
/// rounded to a multiple of 1/(2^31 - 1).
const PHASE_TOLERANCE: f64 = 1e-9;

/// What a directory records about one seed.
#[derive(Debug, Deserialize)]
struct Record {
    seed: u32,
    #[serde(rename = "boot_time_over_tick")]
    phase: f64,
    #[serde(rename = "boot_time_over_tick_vegas")]
    phase_of_vegas: f64,
    /// How many packets the lists cover.
    #[serde(rename = "n")]
    count: u64,
    /// By packet error ratio: the packets lost.
    #[serde(flatten)]
    lists: BTreeMap<String, Vec<u64>>,
}

/// What a directory records about its runs.
#[derive(Debug, Default)]
pub(super) struct Dice {
    records: Vec<Record>,
}

impl Dice {
    /// Read the records of a directory, if it has any.
    pub(super) fn read(paths: &[PathBuf]) -> Result<Dice, String> {
        let mut dice = Dice::default();
        for path in paths {
            let text = layout::read(path)?;
            let records: Result<Vec<Record>, _> = serde_json::from_str(&text);
            dice.records.extend(records.map_err(at(path))?);
        }
        Ok(dice)
    }

    /// How many recorded lists and phases our generator reproduces, and how many there are.
    pub(super) fn agreement(&self) -> (usize, usize) {
        let agree = |record: &Record| {
            let lists = record.lists().filter(|(per, list)| record.is_generated(*per, list)).count();
            let phases = [(record.phase, false), (record.phase_of_vegas, true)];
            let phases = phases.iter().filter(|(recorded, is_vegas)| {
                (recorded - clock_phase(record.seed, *is_vegas)).abs() < PHASE_TOLERANCE
            });
            lists + phases.count()
        };
        let total = self.records.iter().map(|record| record.lists.len() + 2).sum();
        (self.records.iter().map(agree).sum(), total)
    }
}

/// The packets that a run loses at its error model, in order of arrival: those listed, or those drawn.
pub(super) fn losses(setup: &Setup) -> Vec<u64> {
    match setup.per {
        0.0 => setup.droplist.clone(),
        per => loss_indices(setup.seed, per, most_arrivals(setup)),
    }
}

/// The acknowledgments that a run loses on their first hop: family e draws them from a generator of their own.
pub(super) fn lost_acknowledgments(setup: &Setup) -> Vec<u64> {
    const SEEDS_APART: u32 = 1000;
    if setup.ackper == 0.0 {
        return Vec::new();
    }
    loss_indices(SEEDS_APART + setup.seed, setup.ackper, most_arrivals(setup))
}

impl Record {
    fn lists(&self) -> impl Iterator<Item = (f64, &Vec<u64>)> {
        self.lists.iter().filter_map(|(per, list)| Some((per.parse().ok()?, list)))
    }
    fn is_generated(&self, per: f64, list: &[u64]) -> bool {
        loss_indices(self.seed, per, self.count) == list
    }
}
