//! Baselines that a user names: a key of the grid and the value to compare with.

use seamline_scenario::plan::{Cell, Plan};
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
        let has_none = |key: &&String| values(plan, key).iter().any(|value| value == NONE);
        let keys = plan.axes.iter().filter_map(|axis| axis.iter().find(has_none));
        keys.map(|key| Baseline::of(plan, key, NONE)).collect()
    }

    /// The grid cell that this one is compared with.
    pub(crate) fn cell(&self, plan: &Plan, cell: usize) -> Option<usize> {
        let is_baseline = |cell: &Cell| {
            cell.values.iter().any(|(key, value)| *key == self.key && value.to_string() == self.value)
        };
        // Of several rows of an axis with the same value, a cell that is one of them is its own baseline.
        if is_baseline(&plan.cells[cell]) {
            return Some(cell);
        }
        let is_on_axis = |key: &str| self.axis.iter().any(|known| known == key);
        let own = &plan.cells[cell];
        plan.cells.iter().position(|other| is_baseline(other) && agree(own, other, is_on_axis))
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.key, self.value)
    }
}

/// Whether two grid cells have the same values, apart from the keys that `is_ignored` names.
pub(crate) fn agree(one: &Cell, other: &Cell, is_ignored: impl Fn(&str) -> bool) -> bool {
    let [one, other] = [one, other].map(|cell| {
        let values = cell.values.iter().filter(|(key, _)| !is_ignored(key));
        values.map(|(key, value)| format!("{key}={value}"))
    });
    one.eq(other)
}

/// The values of a key in the grid, without duplicates, in grid order.
fn values(plan: &Plan, key: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for (_, value) in plan.cells.iter().flat_map(|cell| &cell.values).filter(|(known, _)| known == key) {
        let value = value.to_string();
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

fn tip(plan: &Plan) -> String {
    let axes = plan.axes.iter().flatten().map(|key| format!("\n  {key}: {}", values(plan, key).join(", ")));
    match plan.axes.is_empty() {
        true => "tip: there is no grid; --set \"grid.KEY=[...]\" varies a key".to_owned(),
        false => format!("tip: the grid varies{}", axes.collect::<String>()),
    }
}
