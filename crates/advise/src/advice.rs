//! The answer.

use crate::causes::Disagreement;
pub use crate::closed_form::ClosedForm;
use crate::kernel::Checked;
use crate::question::Question;
use crate::recording::Recording;
pub use crate::search::{Bound, Effort};
use seamline_report::statistics::Estimate;
use serde::Serialize;

/// The recommendation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum Verdict {
    /// Hand over with the unmodified TCP stack.
    HandOver,
    /// Hand over with this scheme; with the unmodified stack there is no significant gain.
    HandOverWith {
        /// Its name.
        scheme: String,
    },
    /// Stay.
    Stay,
    /// Neither is significantly better by more than [`Advice::indifference`].
    NoClearDifference,
    /// Stay: the host must return before the handover completes.
    NeverComplete,
    /// The file is complete before the handover would begin.
    NothingToDecide,
}

/// The results of one scheme.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SchemeAdvice {
    /// Its name; `none` is the unmodified stack.
    pub name: String,
    /// The ends at which it must be installed; `None` for the unmodified stack.
    pub installed: Option<String>,
    /// Whether it must be notified of a handover in advance.
    pub needs_prediction: bool,
    /// Where it is specified.
    pub cite: Option<String>,
    /// The completion time in seconds, or the bytes delivered within the horizon, with the requested handover; `None`
    /// when the handover never completes.
    pub outcome: Option<Estimate>,
    /// The gain over staying: seconds saved, or additional bytes. A lower bound where staying is incomplete, an upper
    /// bound where this scheme is, and `None` where both are.
    pub gain: Option<Estimate>,
    /// Whether that gain significantly exceeds [`Advice::indifference`], corrected for comparing all schemes at once.
    pub gains: bool,
    /// The gain over the unmodified stack with the same handover, with the same bounds.
    pub over_stock: Option<Estimate>,
    /// Whether that gain significantly exceeds [`Advice::indifference`], corrected for comparing all schemes at once.
    pub better_than_stock: bool,
    /// The longest interruption that pays off at the requested stay: t*_MAX; not searched where staying is
    /// incomplete.
    pub longest_interruption: Option<Bound>,
    /// The shortest stay that pays off at the requested interruption: T_MIN; not searched where staying is
    /// incomplete.
    pub shortest_stay: Option<Bound>,
    /// The outcome over the interruption: pairs of the interruption in seconds, and the completion time in seconds or
    /// the bytes within the horizon.
    pub over_interruption: Vec<(f64, Estimate)>,
    /// How many runs of the requested handover ended without the whole file. If any did, times are lower bounds
    /// without an interval.
    pub incomplete: usize,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The recommendation.
    pub verdict: Verdict,
    /// The question.
    #[serde(flatten)]
    pub question: Question,
    /// The recorded links, and where in the recordings the runs begin.
    pub recordings: Vec<Recording>,
    /// The length of the longest run of staying and of the requested handover, in seconds.
    pub longest_run_s: f64,
    /// The outcome of staying: the completion time in seconds, or the bytes delivered within the horizon.
    pub stays: Estimate,
    /// How many runs of staying ended without the whole file. If any did, the time is a lower bound without an
    /// interval.
    pub stays_incomplete: usize,
    /// How many runs of the bound search ended without the whole file.
    pub incomplete_probes: usize,
    /// Differences up to this many seconds or bytes are negligible: 1 % of staying.
    pub indifference: f64,
    /// The schemes; the unmodified stack is first.
    pub schemes: Vec<SchemeAdvice>,
    /// The scheme to deploy. Candidates are significantly better than the unmodified stack and than staying, and not
    /// significantly worse than the best scheme, each by more than the indifference. Of these it is the one with the
    /// fewest requirements.
    pub deploy: Option<String>,
    /// The closed-form result.
    pub closed_form: ClosedForm,
    /// Where the closed form and the simulation of the unmodified stack differ, and why.
    pub disagreements: Vec<Disagreement>,
    /// How thoroughly the bounds were searched.
    pub effort: Effort,
    /// The number of runs.
    pub runs: usize,
    /// The decisive points over the TCP of a kernel, if that was checked.
    pub checked: Option<Checked>,
}

impl Advice {
    /// The unmodified stack.
    pub fn stock(&self) -> Option<&SchemeAdvice> {
        self.schemes.first()
    }
    /// The scheme with this name.
    pub fn scheme(&self, name: &str) -> Option<&SchemeAdvice> {
        self.schemes.iter().find(|scheme| scheme.name == name)
    }
}
