//! One finished run, as one line of JSON.

use seamline_experiment::record::RunRecord;
use seamline_experiment::report::ENGINE;
use seamline_scenario::Plan;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One finished run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// BLAKE3 of the cell, the seed and the program, 128 bits in hexadecimal: two lines with the same key are
    /// the same line.
    pub key: String,
    /// The program that computed it ([`ENGINE`]).
    pub engine: String,
    /// The sweep it belongs to: the identity of its plan.
    pub sweep: String,
    /// What the grid set.
    pub cell: Map<String, Value>,
    /// What came of it.
    pub run: RunRecord,
}

impl Line {
    /// The line of a run that has just finished.
    pub(crate) fn new(plan: &Plan, sweep: &str, cell: usize, run: RunRecord) -> Self {
        let cell = &plan.cells[cell];
        Line {
            key: cell.identity.run_key(run.seed, ENGINE),
            engine: ENGINE.to_owned(),
            sweep: sweep.to_owned(),
            cell: cell.values.iter().map(|(path, value)| (path.clone(), value.to_json())).collect(),
            run,
        }
    }

    /// As text, ending with a line break.
    ///
    /// # Errors
    /// Never in practice: every value can be written as JSON.
    pub fn to_text(&self) -> serde_json::Result<String> {
        serde_json::to_string(self).map(|text| text + "\n")
    }
}
