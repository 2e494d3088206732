//! The numbers of many runs of a case.

use crate::case::Case;
use crate::measure::Measured;
use crate::store::Run;

/// A median and an interval that holds the true one with a chance of at least 95 %, whatever the distribution: between two of the sorted
/// values (the sign test; W. R. Thompson, 1936). It takes six values; of fewer it is all of their range, with a chance that is less.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Median {
    /// The median.
    pub median: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The chance that the interval leaves out what it is about, at most.
const ERROR: f64 = 0.05;

impl Median {
    /// The median of some values; `None` without any.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let n = values.len();
        let (lower, upper) = (values.get(n.checked_sub(1)? / 2)?, values.get(n / 2)?);
        let out = outermost(n);
        // Infinity, for what never came, has no middle with itself.
        let median = if lower == upper { *lower } else { f64::midpoint(*lower, *upper) };
        Some(Median { median, low: values[out], high: values[n - 1 - out] })
    }
}

/// How many values at each end the interval of `n` values leaves out.
fn outermost(n: usize) -> usize {
    // Twice the chance that at most so many of n fair coins fall on one side.
    let mut chance = libm::pow(0.5, n as f64) * 2.0;
    let (mut total, mut out) = (chance, 0);
    while out + 1 < n / 2 {
        chance *= (n - out) as f64 / (out + 1) as f64;
        total += chance;
        if total > ERROR {
            break;
        }
        out += 1;
    }
    out
}

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

/// The place of the first data in [`QUANTITIES`].
pub const FIRST_DATA: usize = 0;
/// The place of progress.
pub const PROGRESS: usize = 1;
/// The place of the full rate.
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

/// A case and what came of its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The case.
    pub case: Case,
    /// By [`QUANTITIES`].
    pub medians: Vec<Option<Median>>,
    /// Runs that count.
    pub runs: usize,
}

/// What came of the runs of these cases.
pub fn summarise(cases: &[Case], runs: &[Run]) -> Vec<Cell> {
    let cell = |case: &Case| {
        let runs: Vec<&Run> =
            runs.iter().filter(|run| run.job.case == *case && run.doubts.is_empty()).collect();
        let median = |quantity: &Quantity| {
            let values = runs.iter().filter_map(|run| (quantity.of)(case, &run.measured));
            Median::of(values.collect())
        };
        Cell { case: *case, medians: QUANTITIES.iter().map(median).collect(), runs: runs.len() }
    };
    cases.iter().map(cell).collect()
}
