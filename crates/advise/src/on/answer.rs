//! The answer.

use super::candidates::{Change, Group};
use super::question::PathQuestion;
use crate::recording::Recording;
use seamline_report::statistics::Estimate;
use serde::Serialize;

/// The recommendation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum PathVerdict {
    /// Install one thing.
    Use {
        /// The candidate.
        candidate: String,
    },
    /// Install the best of several groups: more than the best alone.
    UseTogether {
        /// The candidates.
        candidates: Vec<String>,
    },
    /// Nothing is significantly better than today's hosts by more than what is negligible.
    LeaveIt,
    /// Today's transfers are not complete in time, so gains have no measure.
    NothingToCompare,
}

/// The results of one candidate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CandidateAdvice {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub group: Group,
    /// Where it is installed.
    pub installed: String,
    /// How: the command or setting.
    pub how: String,
    /// Goodput in bit/s within the horizon, or completion time in seconds.
    pub outcome: Estimate,
    /// The gain over today's hosts as a share: more data, or time saved. A lower bound without an interval where today's
    /// transfers are incomplete; `None` for today's hosts and where this candidate's are.
    pub gain: Option<Estimate>,
    /// Whether that gain is significantly above 1 %, corrected for everything that was compared.
    pub is_gain: bool,
    /// Whether it is significantly below -1 %, corrected likewise.
    pub is_loss: bool,
    /// Median round-trip time under the load of the flow, in ms: mean over the runs. `None` where the sender's connection ends
    /// at the gateway, so that its round trips are not those of the path.
    pub round_trip_median_ms: Option<Estimate>,
    /// What 95 % of round-trip times do not exceed, in ms: mean over the runs.
    pub round_trip_p95_ms: Option<Estimate>,
    /// The share by which that falls below that of today's hosts; negative where it grows.
    pub round_trip_cut: Option<Estimate>,
    /// Whether it falls significantly by more than 10 %, corrected for everything that was compared.
    pub cuts_round_trip: bool,
    /// Whether it more than doubles: then the candidate is not advised, whatever it gains.
    pub doubles_round_trip: bool,
    /// The longest time without new data, in seconds: mean over the runs.
    pub longest_stall_s: Estimate,
    /// How many runs ended without the whole file. If any did, times are lower bounds.
    pub incomplete: usize,
}

/// The best of several groups together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Combination {
    /// The candidates that it is made of.
    pub candidates: Vec<String>,
    /// The gain over the best of them alone, as a share of today's outcome.
    pub over_best: Estimate,
    /// Whether that is significantly above 1 %.
    pub is_more: bool,
}

/// The answer to a question.
#[derive(Clone, Debug, Serialize)]
pub struct PathAdvice {
    /// The recommendation.
    pub verdict: PathVerdict,
    /// The question.
    #[serde(flatten)]
    pub question: PathQuestion,
    /// The recording, and where in it the runs begin.
    pub recording: Recording,
    /// Number of seeds of the comparison; the confirmation has as many others.
    pub seeds: u32,
    /// Number of comparisons for which significance is corrected (Bonferroni).
    pub comparisons: usize,
    /// All candidates, today's hosts first.
    pub candidates: Vec<CandidateAdvice>,
    /// What was run again with other seeds, today's hosts first; empty when nothing was worth it.
    pub confirmed: Vec<CandidateAdvice>,
    /// The best of several groups together, with these other seeds; `None` when there are not several.
    pub combination: Option<Combination>,
    /// A candidate that gains most, but more than doubles round trips.
    pub at_the_price_of_delay: Option<String>,
    /// A candidate that shortens round trips and costs no goodput, when what is advised does not do it already.
    pub shorter_round_trips: Option<String>,
    /// Number of runs.
    pub runs: usize,
    /// What is advised, as a change of a scenario.
    #[serde(skip)]
    pub(super) advised_change: Option<Change>,
}

impl PathAdvice {
    /// Today's hosts in the comparison.
    pub fn today(&self) -> Option<&CandidateAdvice> {
        self.candidates.first()
    }
    /// The candidate with this name in the comparison.
    pub fn candidate(&self, name: &str) -> Option<&CandidateAdvice> {
        self.candidates.iter().find(|it| it.name == name)
    }
    /// The candidate with this name in the confirmation.
    pub fn confirmed(&self, name: &str) -> Option<&CandidateAdvice> {
        self.confirmed.iter().find(|it| it.name == name)
    }
}
