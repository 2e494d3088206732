//! The numbers of many runs of a case.

use crate::case::Case;
use crate::measure::Measured;
use crate::store::Run;
use seamline_report::statistics::Median;

/// A number of a run, and how it is called.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    /// Its name.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// It: infinite where it never came, `None` where there is no such thing.
    pub of: fn(&Case, &Measured) -> Option<f64>,
}

/// The index of the first data in [`QUANTITIES`].
pub const FIRST_DATA: usize = 0;
/// The index of progress.
pub const PROGRESS: usize = 1;
/// The index of the full rate.
pub const FULL_RATE: usize = 2;

/// All of them, in the order of tables.
pub const QUANTITIES: &[Quantity] = &[
    Quantity {
        name: "first data",
        unit: "ms",
        of: |case, it| (!case.remedy.is_mptcp).then(|| it.first_data_ms.unwrap_or(f64::INFINITY)),
    },
    Quantity { name: "progress", unit: "ms", of: |_, it| Some(it.progress_ms.unwrap_or(f64::INFINITY)) },
    Quantity {
        name: "full rate",
        unit: "ms",
        of: |case, it| {
            (case.traffic == crate::case::Traffic::Bulk).then(|| it.full_rate_ms.unwrap_or(f64::INFINITY))
        },
    },
    Quantity { name: "stall", unit: "ms", of: |_, it| Some(it.stall_ms) },
    Quantity { name: "missed", unit: "kB", of: |_, it| Some(it.missed_bytes / 1e3) },
    Quantity { name: "dropped", unit: "packets", of: |_, it| Some(it.dropped as f64) },
];

/// A case and the results of its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The case.
    pub case: Case,
    /// By [`QUANTITIES`].
    pub medians: Vec<Option<Median>>,
    /// Runs that count.
    pub runs: usize,
}

/// The results of these cases.
pub fn summarise(cases: &[Case], runs: &[Run]) -> Vec<Cell> {
    let cell = |case: &Case| {
        let runs: Vec<&Run> =
            runs.iter().filter(|run| run.job.case == *case && run.warnings.is_empty()).collect();
        let median = |quantity: &Quantity| {
            let values = runs.iter().filter_map(|run| (quantity.of)(case, &run.measured));
            Median::of(values.collect())
        };
        Cell { case: *case, medians: QUANTITIES.iter().map(median).collect(), runs: runs.len() }
    };
    cases.iter().map(cell).collect()
}
