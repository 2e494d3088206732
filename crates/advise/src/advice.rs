//! The answer.

use crate::causes::Disagreement;
pub use crate::closed_form::ClosedForm;
use crate::link::AccessLink;
use crate::question::Traffic;
use crate::recording::Recording;
pub use crate::search::{Bound, Effort};
use seamline_report::statistics::Estimate;
use serde::Serialize;

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum Verdict {
    /// Hand over, with the stack as it is.
    HandOver,
    /// Hand over with this scheme; with the stack as it is that brings nothing that is sure.
    HandOverWith {
        /// Its name.
        scheme: String,
    },
    /// Stay.
    Stay,
    /// Neither is better for sure, by more than [`Advice::indifference`].
    NoClearDifference,
    /// Stay: the handover would not be complete before the host must go back.
    NeverComplete,
    /// The file is there before the handover would begin.
    NothingToDecide,
}

/// How one scheme fares.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SchemeAdvice {
    /// Its name; `none` is the stack as it is.
    pub name: String,
    /// The ends at which it must be installed; `None` for the stack as it is.
    pub installed: Option<String>,
    /// Whether it must hear of a handover beforehand.
    pub needs_prediction: bool,
    /// Where it is specified.
    pub cite: Option<String>,
    /// Seconds until the file is there, or bytes within the horizon, with the handover asked for; `None` when the handover
    /// would never be complete.
    pub outcome: Option<Estimate>,
    /// Seconds saved, or bytes more, than staying; at least so much where staying is incomplete, at most where this is, and `None` where
    /// both are.
    pub gain: Option<Estimate>,
    /// Whether that is more than [`Advice::indifference`] for sure, all schemes being asked about at once.
    pub gains: bool,
    /// Seconds saved, or bytes more, than the stack as it is with the same handover, likewise.
    pub over_stock: Option<Estimate>,
    /// Whether that is more than [`Advice::indifference`] for sure, all schemes being asked about at once.
    pub better_than_stock: bool,
    /// The longest interruption that is worth it at the stay asked for: t*_MAX; not searched where staying is incomplete.
    pub longest_interruption: Option<Bound>,
    /// The shortest stay that is worth it at the interruption asked for: T_MIN; likewise.
    pub shortest_stay: Option<Bound>,
    /// Over the interruption: seconds, and seconds until the file is there or bytes within the horizon.
    pub over_interruption: Vec<(f64, Estimate)>,
    /// How many runs of the handover asked for ended without the whole file; with any, times are the least, without an interval.
    pub incomplete: usize,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// What to do.
    pub verdict: Verdict,
    /// The old link.
    pub from: AccessLink,
    /// The new link.
    pub to: AccessLink,
    /// The interruption in seconds.
    pub interruption_s: f64,
    /// The stay in seconds; `None` without a return.
    pub stay_s: Option<f64>,
    /// From the start of the flow to the handover, in seconds, before what the seed adds.
    pub at_s: f64,
    /// How long beforehand schemes that need it hear of a handover, in seconds.
    pub lead_s: f64,
    /// How much base stations keep for the host while it is away and send on; `None` when it is lost.
    pub forward: Option<String>,
    /// What is sent.
    pub traffic: Traffic,
    /// Whether the host sends it; otherwise it is sent to the host.
    pub upload: bool,
    /// The links that are recorded, and where in them the runs begin.
    pub recordings: Vec<Recording>,
    /// How long the longest run of staying and of the handover asked for went on, in seconds.
    pub longest_run_s: f64,
    /// The variant of TCP.
    pub variant: String,
    /// The profile of TCP.
    pub profile: String,
    /// Staying: seconds until the file is there, or bytes within the horizon.
    pub stays: Estimate,
    /// How many runs of staying ended without the whole file; with any, the time is the least, without an interval.
    pub stays_incomplete: usize,
    /// How many runs of the probes of bounds did.
    pub incomplete_probes: usize,
    /// Differences of so many seconds or bytes count for nothing: 1 % of staying.
    pub indifference: f64,
    /// The schemes, the stack as it is first.
    pub schemes: Vec<SchemeAdvice>,
    /// The scheme to deploy: of those that are better than the stack as it is and than staying, for sure, and not worse for sure than the
    /// best of them, each time by more than the indifference, the one that demands least.
    pub deploy: Option<String>,
    /// What arithmetic says.
    pub closed_form: ClosedForm,
    /// Where it and the simulation of the stack as it is differ, and why.
    pub disagreements: Vec<Disagreement>,
    /// How the bounds were searched.
    pub effort: Effort,
    /// How many seeds the handover asked for was run with.
    pub seeds: u32,
    /// How many runs were made.
    pub runs: usize,
}

impl Advice {
    /// The stack as it is.
    pub fn stock(&self) -> Option<&SchemeAdvice> {
        self.schemes.first()
    }
    /// The scheme of this name.
    pub fn scheme(&self, name: &str) -> Option<&SchemeAdvice> {
        self.schemes.iter().find(|scheme| scheme.name == name)
    }
}
