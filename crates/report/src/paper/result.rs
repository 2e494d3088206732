//! The results of a paper's claims, as `claims.json` stores them and the page shows them.

use crate::escape::Text;
use crate::statistics::Estimate;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// A judgement as text, and how good it is. The caller judges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Badge {
    /// The judgement: `reproduced`.
    pub words: String,
    /// How good it is.
    pub tone: Tone,
}

/// How good a judgement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tone {
    /// As it should be.
    Good,
    /// Partly as it should be.
    Partly,
    /// Not as it should be.
    Bad,
    /// Undecided.
    Open,
}

impl Tone {
    /// A sign next to the word, so that a table can be read at a glance and without colour.
    pub fn sign(self) -> &'static str {
        match self {
            Tone::Good => "✓",
            Tone::Partly => "≈",
            Tone::Bad => "✗",
            Tone::Open => "?",
        }
    }

    /// The class that gives it its colour.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Tone::Good => "better",
            Tone::Partly => "partly",
            Tone::Bad => "worse",
            Tone::Open => "open",
        }
    }
}

impl Badge {
    /// As HTML: sign and text.
    pub(crate) fn html(&self) -> String {
        let (class, sign) = (self.tone.class(), self.tone.sign());
        format!("<span class=\"badge {class}\">{sign}&nbsp;{}</span>", Text(&self.words))
    }
}

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Inside the bounds.
    Reproduced,
    /// The right sign, outside the bounds; or the claim itself holds and a further condition does not.
    DirectionOnly,
    /// Neither.
    NotReproduced,
    /// Undecided: a bound lies within the interval or on its end, or there is no interval or no finite number.
    Inconclusive,
}

impl Verdict {
    const ALL: [Verdict; 4] =
        [Verdict::Reproduced, Verdict::DirectionOnly, Verdict::NotReproduced, Verdict::Inconclusive];

    /// The name in files: `direction_only`.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::DirectionOnly => "direction_only",
            Verdict::NotReproduced => "not_reproduced",
            Verdict::Inconclusive => "inconclusive",
        }
    }

    /// How good it is.
    pub fn tone(self) -> Tone {
        match self {
            Verdict::Reproduced => Tone::Good,
            Verdict::DirectionOnly => Tone::Partly,
            Verdict::NotReproduced => Tone::Bad,
            Verdict::Inconclusive => Tone::Open,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name().replace('_', " "))
    }
}

impl From<Verdict> for Badge {
    fn from(verdict: Verdict) -> Self {
        Badge { words: verdict.to_string(), tone: verdict.tone() }
    }
}

/// A claim and what was measured: an entry of `claims.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimResult {
    /// Its name: `E3`.
    pub id: String,
    /// The claim in a sentence.
    pub statement: String,
    /// The paper's number, two numbers, or word.
    pub paper: Value,
    /// The unit of its numbers: `%`, `Mbit/s`; empty for a factor.
    pub unit: &'static str,
    /// Bounds, ends included; `null` is none.
    pub accept: [Option<f64>; 2],
    /// The measured number; `null` without records.
    pub measured: Option<f64>,
    /// Its 95 % interval.
    pub ci95: Option<[f64; 2]>,
    /// The cells and further conditions behind it.
    pub cells: Vec<CellResult>,
    /// The verdict on the claim.
    pub verdict: Verdict,
    /// The parts of its range and the further conditions that are not reproduced.
    pub fails_at: Vec<String>,
    /// The reason for the verdict; may be empty.
    pub note: String,
    /// How cells became one number.
    pub aggregate: String,
    /// Where the paper makes the claim.
    pub r#where: String,
    /// The same measured with other programs.
    pub other_programs: Vec<OtherProgram>,
    /// The claim under other readings of the paper.
    pub readings: Vec<UnderReading>,
    /// Why it is not reproduced; `None` for one that is, or whose cause is not known.
    pub cause: Option<Cause>,
    /// How many seeds the interval is over; `None` where no seed is involved.
    #[serde(skip)]
    pub seeds: Option<usize>,
}

/// The number of another program for the same question, next to that of a claim.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct OtherProgram {
    /// The program and what of it: `Vegas of ns-2 2.35`.
    pub program: String,
    /// Its number with unit: `2.81 Mb/s`.
    pub measured: String,
    /// How the run was made.
    pub run: String,
}

/// What supports a reading of a paper, from the strongest to the weakest.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// The paper's own words allow it.
    #[default]
    Text,
    /// The programs and standards of the paper's time.
    History,
    /// The paper's numbers fit together with it.
    Arithmetic,
    /// It was found by trying values. Such a reading is shown, and never taken.
    Search,
}

impl fmt::Display for Ground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ground::Text => "text",
            Ground::History => "history",
            Ground::Arithmetic => "arithmetic",
            Ground::Search => "search",
        })
    }
}

/// A claim under another reading of the paper.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnderReading {
    /// The name of the reading.
    pub reading: String,
    /// What supports it.
    pub ground: Ground,
    /// How it measures the claim, where that is not the claim's own way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measures: Option<String>,
    /// The unit of its numbers.
    pub unit: &'static str,
    /// The measured number; `null` where nothing could be measured.
    pub measured: Option<f64>,
    /// Its 95 % interval.
    pub ci95: Option<[f64; 2]>,
    /// The verdict under it.
    pub verdict: Verdict,
    /// The parts of its range and the further conditions that are not reproduced under it.
    pub fails_at: Vec<String>,
}

/// Whose it is that a claim is not reproduced.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CauseKind {
    /// This program's: an error, or a decision that the paper does not support.
    Ours,
    /// The paper's numbers do not fit together.
    Arithmetic,
    /// The paper's simulator did something that it does not state.
    Simulator,
}

impl fmt::Display for CauseKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CauseKind::Ours => "ours",
            CauseKind::Arithmetic => "the paper's arithmetic",
            CauseKind::Simulator => "the paper's simulator",
        })
    }
}

/// Why a claim is not reproduced.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// Whose it is.
    pub kind: CauseKind,
    /// The run, reading or calculation that shows it.
    pub shown_by: String,
}

impl ClaimResult {
    /// What belongs next to the verdict, in lines: where it fails, the numbers of other programs, the verdicts under other readings,
    /// and the cause.
    pub fn below_verdict(&self) -> Vec<String> {
        let fails =
            (!self.fails_at.is_empty()).then(|| format!("not reproduced at: {}", self.fails_at.join("; ")));
        let others =
            self.other_programs.iter().map(|it| format!("{}: {} ({})", it.program, it.measured, it.run));
        let cause = self.cause.as_ref().map(|cause| format!("cause: {}; {}", cause.kind, cause.shown_by));
        fails.into_iter().chain(others).chain(self.other_readings()).chain(cause).collect()
    }

    /// The readings with each verdict, if there are any.
    fn other_readings(&self) -> Option<String> {
        let with = |verdict: Verdict| {
            let own = self.readings.iter().filter(|it| it.verdict == verdict);
            let names: Vec<String> = own.map(|it| format!("{} ({})", it.reading, it.ground)).collect();
            (!names.is_empty()).then(|| format!("{verdict}: {}", names.join("; ")))
        };
        let lines: Vec<String> = Verdict::ALL.into_iter().filter_map(with).collect();
        (!lines.is_empty()).then(|| format!("under other readings {}", lines.join(". ")))
    }

    /// The readings, not found by search, under which it is reproduced.
    pub fn reproduced_under(&self) -> impl Iterator<Item = &UnderReading> {
        let counts = |it: &&UnderReading| it.verdict == Verdict::Reproduced && it.ground != Ground::Search;
        self.readings.iter().filter(counts)
    }
}

impl ClaimResult {
    /// The measured number with its interval.
    pub fn estimate(&self) -> Option<Estimate> {
        estimate(self.measured, self.ci95, self.seeds)
    }

    /// Whether both are the same claim, measured in the same way.
    pub fn is_measured_as(&self, other: &Self) -> bool {
        self.aggregate == other.aggregate
    }

    /// What marks its number next to that of the same claim, if it is measured in another way: its unit and a dagger.
    pub fn mark_of_other_measure(&self, taken: &Self) -> String {
        if self.is_measured_as(taken) { String::new() } else { format!(" {} †", self.unit) }
    }

    /// The paper's number, or both ends of its range; empty for a word.
    pub fn published(&self) -> Vec<f64> {
        match &self.paper {
            Value::Array(ends) => ends.iter().filter_map(Value::as_f64).collect(),
            other => other.as_f64().into_iter().collect(),
        }
    }

    /// The paper's number, range or word: `40 %`, `12 to 15 %`, `above`.
    pub fn format_published(&self, unit: &str) -> String {
        match self.published()[..] {
            [value] => format!("{value}{unit}"),
            [low, high] => format!("{low} to {high}{unit}"),
            _ => self.paper.as_str().map_or_else(|| self.paper.to_string(), str::to_owned),
        }
    }
}

/// One cell, pair of cells, or further condition behind a claim.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellResult {
    /// The name of the cell, or the condition.
    pub cell: String,
    /// The number; `null` where there is none.
    pub measured: Option<f64>,
    /// Its unit.
    pub unit: &'static str,
    /// Its 95 % interval.
    pub ci95: Option<[f64; 2]>,
    /// The paper's number for it, if there is one.
    pub paper: Option<f64>,
    /// Bounds, if this cell has its own.
    pub accept: Option<[Option<f64>; 2]>,
    /// The verdict by these bounds.
    pub verdict: Option<Verdict>,
}

impl CellResult {
    /// A number without bounds.
    pub fn new(cell: String, unit: &'static str, value: Option<Estimate>) -> Self {
        let (measured, ci95) = mean_and_interval(value);
        CellResult { cell, measured, unit, ci95, paper: None, accept: None, verdict: None }
    }

    /// The measured number with its interval.
    pub fn estimate(&self) -> Option<Estimate> {
        estimate(self.measured, self.ci95, None)
    }
}

/// A mean and its 95 % interval, as files have them.
pub fn mean_and_interval(value: Option<Estimate>) -> (Option<f64>, Option<[f64; 2]>) {
    (value.map(|value| value.mean), value.and_then(|value| Some([value.low?, value.high?])))
}

fn estimate(mean: Option<f64>, ci95: Option<[f64; 2]>, seeds: Option<usize>) -> Option<Estimate> {
    let [low, high] = ci95.map_or([None, None], |ends| ends.map(Some));
    Some(Estimate { mean: mean?, low, high, samples: seeds.unwrap_or(1) })
}

/// The number of claims with each verdict: `9 claims: 6 reproduced, 3 inconclusive`.
pub fn tally(claims: &[ClaimResult]) -> String {
    let counts = Verdict::ALL.into_iter().filter_map(|kind| {
        let count = claims.iter().filter(|claim| claim.verdict == kind).count();
        (count > 0).then(|| format!("{count} {kind}"))
    });
    format!("{} claims: {}", claims.len(), counts.collect::<Vec<_>>().join(", "))
}

/// How many claims the readings taken reproduce, or another one that was not found by search; nothing without other readings.
pub fn tally_with_readings(claims: &[ClaimResult]) -> Option<String> {
    claims.iter().any(|claim| !claim.readings.is_empty()).then_some(())?;
    let holds = |claim: &&ClaimResult| {
        claim.verdict == Verdict::Reproduced || claim.reproduced_under().next().is_some()
    };
    let count = claims.iter().filter(holds).count();
    Some(format!(
        "{count} of {} reproduced by the readings taken or by another that was not found by search",
        claims.len()
    ))
}
