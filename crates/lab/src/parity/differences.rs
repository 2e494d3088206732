//! Known differences: an explanation each, with the rows that it covers.

use crate::parity::compare::{Mark, Pair, ScenarioParity};
use crate::parity::quantity::Quantity;
use serde::{Deserialize, Serialize};

/// A known reason why rows differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// Between which places.
    pub between: Pair,
    /// Whether there is more or less of it at the second.
    pub direction: Direction,
    /// In these scenarios; everywhere when there are none.
    #[serde(default)]
    pub scenarios: Vec<String>,
    /// In cells whose name has one of these in it; in all when there are none.
    #[serde(default)]
    pub cells: Vec<String>,
    /// With these releases of the kernel, such as `6.1`; with all when there are none.
    #[serde(default)]
    pub kernels: Vec<String>,
    /// Of these quantities.
    pub quantities: Vec<Quantity>,
    /// The reason, with its evidence.
    pub why: String,
}

/// Which way a difference goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// There is more of it at the second.
    More,
    /// There is less of it.
    Less,
}

/// A row that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Differing {
    /// The scenario.
    pub scenario: String,
    /// The cell.
    pub cell: String,
    /// The row.
    pub row: String,
    /// Between which places.
    pub between: Pair,
    /// Certainly, or perhaps.
    pub mark: Mark,
    /// The second by the first.
    pub ratio: Option<f64>,
    /// The indices of the [`Difference`]s that explain it.
    pub explained_by: Vec<usize>,
}

/// The differences found, compared with those known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// What is known.
    pub known: Vec<Difference>,
    /// What was found.
    pub found: Vec<Differing>,
    /// The indices of known differences that explain nothing, although their scenarios were run.
    pub stale: Vec<usize>,
}

impl Judged {
    /// Rows that certainly differ without an explanation.
    pub fn unexplained(&self) -> impl Iterator<Item = &Differing> {
        self.found.iter().filter(|found| found.mark == Mark::Beyond && found.explained_by.is_empty())
    }

    /// Rows whose runs vary too much to decide whether they differ.
    pub fn undecided(&self) -> impl Iterator<Item = &Differing> {
        self.found.iter().filter(|found| found.mark == Mark::Undecided && found.explained_by.is_empty())
    }

    /// The rows that an explanation covers.
    pub fn explained_by(&self, index: usize) -> impl Iterator<Item = &Differing> {
        self.found.iter().filter(move |found| found.explained_by.contains(&index))
    }
}

/// Read what is known.
///
/// # Errors
/// What is wrong with it, and where.
pub fn read(text: &str) -> Result<Vec<Difference>, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[serde(default)]
        difference: Vec<Difference>,
    }
    toml::from_str::<File>(text).map(|file| file.difference).map_err(|error| error.to_string())
}

/// What is known of a kernel, given its release such as `6.1.192`.
pub fn of_kernel(known: Vec<Difference>, release: &str) -> Vec<Difference> {
    let is_of = |kernel: &String| {
        release
            .strip_prefix(kernel.as_str())
            .is_some_and(|rest| !rest.starts_with(|it: char| it.is_ascii_digit()))
    };
    let fits =
        |difference: &Difference| difference.kernels.is_empty() || difference.kernels.iter().any(is_of);
    known.into_iter().filter(fits).collect()
}

/// Find out what differs, and which of it is known. Stale differences are found only if all cells were run.
pub fn judge(known: Vec<Difference>, scenarios: &[ScenarioParity], are_whole: bool) -> Judged {
    let mut found = Vec::new();
    for scenario in scenarios {
        for cell in &scenario.cells {
            for row in &cell.rows {
                for (between, comparison) in Pair::ALL.into_iter().zip(&row.comparisons) {
                    if !matches!(comparison.mark, Mark::Undecided | Mark::Beyond) {
                        continue;
                    }
                    let direction = if comparison.more { Direction::More } else { Direction::Less };
                    let explains = |difference: &Difference| {
                        difference.covers(&scenario.name, &cell.name, row.quantity)
                            && (difference.between, difference.direction) == (between, direction)
                    };
                    found.push(Differing {
                        scenario: scenario.name.clone(),
                        cell: cell.name.clone(),
                        row: row.name.clone(),
                        between,
                        mark: comparison.mark,
                        ratio: comparison.ratio.map(|ratio| ratio.mean),
                        explained_by: (0..known.len()).filter(|place| explains(&known[*place])).collect(),
                    });
                }
            }
        }
    }
    let was_run = |difference: &Difference| {
        difference.scenarios.is_empty()
            || scenarios.iter().any(|scenario| difference.scenarios.contains(&scenario.name))
    };
    let explains_something =
        |place: usize| found.iter().any(|it: &Differing| it.explained_by.contains(&place));
    let stale = (0..known.len())
        .filter(|place| are_whole && was_run(&known[*place]) && !explains_something(*place))
        .collect();
    Judged { known, found, stale }
}

impl Difference {
    fn covers(&self, scenario: &str, cell: &str, quantity: Quantity) -> bool {
        (self.scenarios.is_empty() || self.scenarios.iter().any(|name| name == scenario))
            && (self.cells.is_empty() || self.cells.iter().any(|part| cell.contains(part.as_str())))
            && self.quantities.contains(&quantity)
    }
}

#[cfg(test)]
mod tests;
