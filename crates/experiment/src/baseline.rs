//! Baselines that a user names: a key of the grid and the value to compare with.

use seamline_scenario::plan::{Cell, Plan};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The value that stands for "no help" on any axis.
const NONE: &str = "none";

/// Compares each grid cell with the grid cell that has this value on its axis, and otherwise the same values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    key: String,
    value: String,
    /// The keys that vary together with the key, including itself.
    axis: Vec<String>,
}

impl Baseline {
    /// Read `KEY=VALUE`.
    ///
    /// # Errors
    /// When the key is no axis of the grid, or the value is not on it. The message lists what is.
    pub fn new(plan: &Plan, text: &str) -> Result<Self, String> {
        let Some((key, value)) = text.split_once('=') else {
            return Err(format!("--baseline {text:?} should be KEY=VALUE\n{}", tip(plan)));
        };
        let (key, value) = (key.trim(), value.trim().trim_matches(['"', '\'']));
        let key = key.strip_prefix("grid.").unwrap_or(key);
        let values = values(plan, key);
        if values.is_empty() {
            return Err(format!("--baseline: the grid does not vary {key:?}\n{}", tip(plan)));
        }
        if !values.iter().any(|known| known == value) {
            return Err(format!("--baseline: {value:?} is not a value of {key} in the grid\n{}", tip(plan)));
        }
        Ok(Baseline::of(plan, key, value))
    }

    fn of(plan: &Plan, key: &str, value: &str) -> Self {
        let axis = plan.axes.iter().find(|axis| axis.iter().any(|known| known == key));
        Baseline { key: key.to_owned(), value: value.to_owned(), axis: axis.cloned().unwrap_or_default() }
    }

    /// One for each axis of the grid that has the value `none`.
    pub(crate) fn without_help(plan: &Plan) -> Vec<Self> {
        let has_none = |key: &&String| all_values(plan, key).any(|value| value == NONE);
        let keys = plan.axes.iter().filter_map(|axis| axis.iter().find(has_none));
        keys.map(|key| Baseline::of(plan, key, NONE)).collect()
    }

    /// For each grid cell the one that it is compared with.
    pub(crate) fn cells(&self, plan: &Plan) -> Vec<Option<usize>> {
        let is_baseline = |cell: &Cell| {
            cell.values.iter().any(|(key, value)| *key == self.key && value.to_string() == self.value)
        };
        let is_on_axis = |key: &str| self.axis.iter().any(|known| known == key);
        let mut cells = first_that_agree(&plan.cells, is_on_axis, is_baseline);
        // Of several rows of an axis with the same value, a cell that is one of them is its own baseline.
        for (place, _) in plan.cells.iter().enumerate().filter(|(_, cell)| is_baseline(cell)) {
            cells[place] = Some(place);
        }
        cells
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.key, self.value)
    }
}

/// For each grid cell the first of those chosen that has the same values, apart from the keys that `is_ignored` names.
pub(crate) fn first_that_agree(
    cells: &[Cell],
    is_ignored: impl Fn(&str) -> bool,
    is_chosen: impl Fn(&Cell) -> bool,
) -> Vec<Option<usize>> {
    let others = |cell: &Cell| -> Vec<String> {
        let values = cell.values.iter().filter(|(key, _)| !is_ignored(key));
        values.map(|(key, value)| format!("{key}={value}")).collect()
    };
    let mut first = BTreeMap::new();
    for (place, cell) in cells.iter().enumerate().filter(|(_, cell)| is_chosen(cell)) {
        first.entry(others(cell)).or_insert(place);
    }
    cells.iter().map(|cell| first.get(&others(cell)).copied()).collect()
}

/// The values of a key in the grid, in grid order.
fn all_values(plan: &Plan, key: &str) -> impl Iterator<Item = String> {
    let values = plan.cells.iter().flat_map(|cell| &cell.values).filter(move |(known, _)| known == key);
    values.map(|(_, value)| value.to_string())
}

/// The same without duplicates.
fn values(plan: &Plan, key: &str) -> Vec<String> {
    let mut known = BTreeSet::new();
    all_values(plan, key).filter(|value| known.insert(value.clone())).collect()
}

fn tip(plan: &Plan) -> String {
    let axes = plan.axes.iter().flatten().map(|key| format!("\n  {key}: {}", values(plan, key).join(", ")));
    match plan.axes.is_empty() {
        true => "tip: there is no grid; --set \"grid.KEY=[...]\" varies a key".to_owned(),
        false => format!("tip: the grid varies{}", axes.collect::<String>()),
    }
}
