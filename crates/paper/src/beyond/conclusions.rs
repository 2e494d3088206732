//! `papers/ID/beyond/conclusions.toml`: what a reader should conclude. The sentences were written after looking at
//! results, so each names the number that supports it, and is judged again in every run.

use crate::claims::Condition;
use crate::documents::NothingElse;
use crate::evaluate::{CellResult, Evidence, finite, judge_on};
use crate::measure::Measure;
use crate::records::CellRecords;
use crate::verdict::Verdict;
use seamline_report::paper::result::mean_and_interval;
use serde::{Deserialize, Serialize};
use std::fmt;

/// All conclusions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conclusions {
    /// The conclusions, in the order in which they are read.
    pub conclusion: Vec<Conclusion>,
}

/// One sentence, with the measure that supports it.
#[derive(Clone, Debug, Deserialize)]
pub struct Conclusion {
    /// Its name.
    pub id: String,
    /// The sentence.
    pub sentence: String,
    /// The mechanism behind it.
    pub because: String,
    /// The scenarios it is measured on.
    pub figures: Vec<String>,
    /// How it is measured.
    #[serde(flatten)]
    pub measure: Measure,
    /// Bounds of the statistic.
    pub accept: [f64; 2],
    /// Further conditions.
    #[serde(default)]
    pub also: Vec<Condition>,
    #[serde(flatten)]
    _rest: NothingElse,
}

/// Whether a sentence still stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The records support it.
    Holds,
    /// They do not.
    NoLongerHolds,
    /// The intervals are too wide.
    Inconclusive,
}

impl From<Verdict> for Standing {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Reproduced => Standing::Holds,
            Verdict::DirectionOnly | Verdict::NotReproduced => Standing::NoLongerHolds,
            Verdict::Inconclusive => Standing::Inconclusive,
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Standing::Holds => "holds",
            Standing::NoLongerHolds => "no longer holds",
            Standing::Inconclusive => "inconclusive with so few seeds",
        })
    }
}

/// A conclusion and what was measured.
#[derive(Clone, Debug, Serialize)]
pub struct ConclusionResult {
    /// Its name.
    pub id: String,
    /// The sentence.
    pub sentence: String,
    /// The mechanism behind it.
    pub because: String,
    /// Whether it still stands.
    pub standing: Standing,
    /// The measured number in percent; `null` without records.
    pub measured: Option<f64>,
    /// Its 95 % interval.
    pub ci95: Option<[f64; 2]>,
    /// Bounds; `null` is none.
    pub accept: [Option<f64>; 2],
    /// The cells behind it, and the further conditions.
    pub cells: Vec<CellResult>,
}

/// Judge every conclusion by these records.
pub fn judge(conclusions: &Conclusions, records: &[CellRecords]) -> Vec<ConclusionResult> {
    let judged = conclusions.conclusion.iter().map(|conclusion| {
        let Conclusion { id, sentence, because, figures, measure, accept, also, .. } = conclusion;
        let judged = judge_on(figures, measure, *accept, also, Evidence { records, closed_form: None });
        let (measured, ci95) = mean_and_interval(judged.value);
        ConclusionResult {
            id: id.clone(),
            sentence: sentence.clone(),
            because: because.clone(),
            standing: judged.verdict.into(),
            measured,
            ci95,
            accept: accept.map(finite),
            cells: judged.cells,
        }
    });
    judged.collect()
}

impl ConclusionResult {
    /// The measured number with its interval; zero has no sign.
    pub(crate) fn format_measured(&self) -> String {
        let signed = |percent: f64| format!("{:+.1}", (percent * 10.0).round() / 10.0 + 0.0);
        match (self.measured, self.ci95) {
            (Some(mean), Some([low, high])) => {
                format!("{} % [{}, {}]", signed(mean), signed(low), signed(high))
            }
            (Some(mean), None) => format!("{} %", signed(mean)),
            (None, _) => "nothing".to_owned(),
        }
    }
}
