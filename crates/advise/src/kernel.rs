//! Runs over the TCP of a real kernel, and the decisive points of an answer, for a check against one: staying, the handover with the
//! unmodified stack, and the handover with the scheme to deploy.

use crate::advice::Advice;
use crate::closed_form::ClosedForm;
use crate::limit::limit;
use crate::question::{Question, Traffic};
use crate::recording::Recording;
use crate::runs::offset;
use crate::scenario::{MOBILE, SERVER, Way, text_of};
use crate::significance::{estimate_of, is_gain};
use crate::solve::MOBILE_END;
use seamline_report::record::RunRecord;
use seamline_report::statistics::Estimate;
use seamline_tcp::handover::{self, Installed, Scheme};
use seamline_wire::Duration;
use serde::Serialize;

/// A check needs some seeds for an interval, and kernels are slower than the simulator.
const SEEDS: u32 = 5;

/// Where a decisive point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// The host stays on the old link.
    Stays,
    /// It hands over with the unmodified stack.
    Stock,
    /// It hands over with the scheme to deploy.
    Deployed,
}

/// A run over a kernel.
#[derive(Clone, Debug)]
pub struct KernelRun {
    /// Its scenario, with one seed.
    pub scenario: String,
    /// The nodes that have our endpoint, with a scheme; the kernel is at all others.
    pub ours: &'static [&'static str],
}

/// Makes one run over a kernel: its record, `None` when it was stopped, or why it failed.
pub type RunOverKernel<'a> = dyn Fn(&KernelRun) -> Result<Option<RunRecord>, String> + Sync + 'a;

/// A point to run over a kernel.
#[derive(Clone, Debug)]
pub struct KernelPoint {
    /// Which it is.
    pub what: What,
    /// By seed, from 1.
    pub runs: Vec<KernelRun>,
    /// What the answer says: a completion time in seconds, or bytes.
    predicted: Estimate,
}

/// The result of a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckedPoint {
    /// Which it is.
    pub what: What,
    /// What the answer says.
    pub predicted: Estimate,
    /// What the kernel's TCP does.
    pub measured: Estimate,
    /// How many runs ended without the whole file.
    pub incomplete: usize,
}

/// An answer that was checked against a kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Checked {
    /// The kernel.
    pub kernel: String,
    /// The points, staying first.
    pub points: Vec<CheckedPoint>,
    /// Whether it pays off to hand over with the unmodified stack: significantly, and by more than the indifference.
    pub stock_gains: bool,
    /// Likewise with the scheme to deploy; `None` if it was not checked.
    pub deployed_gains: Option<bool>,
}

/// The points to check.
///
/// # Errors
/// Why an answer cannot be checked.
pub fn decisive(question: &Question, advice: &Advice) -> Result<Vec<KernelPoint>, String> {
    let Some(stock) = advice.stock().and_then(|stock| stock.outcome) else {
        return Err("there is no handover that completes".to_owned());
    };
    let way = Way { at: question.at, interruption: question.interruption, stay: question.stay };
    let point = |what, scheme: Option<&Scheme>, way: Option<Way>, predicted| {
        let seeds = 1..=question.seeds.min(SEEDS);
        let runs = seeds.map(|seed| run_of(question, &advice.recordings, scheme, way, seed));
        Ok::<_, String>(KernelPoint { what, runs: runs.collect::<Result<_, _>>()?, predicted })
    };
    let mut points =
        vec![point(What::Stays, None, None, advice.stays)?, point(What::Stock, None, Some(way), stock)?];
    let deployed = advice.deploy.as_deref().and_then(|name| advice.scheme(name));
    if let Some(scheme) = deployed.filter(|scheme| scheme.installed.as_deref() == Some(MOBILE_END))
        && let (Some(outcome), Some(registered)) = (scheme.outcome, handover::find(&scheme.name))
    {
        points.push(point(What::Deployed, Some(registered), Some(way), outcome)?);
    }
    Ok(points)
}

/// The run that an answer makes first: the host stays, and nothing helps it.
pub fn first_over_kernel(question: &Question) -> KernelRun {
    run_at(question, None, None, 1)
}

/// The run of one seed: its handover is as much later, and its recordings begin at the same places, as in a simulation.
///
/// # Errors
/// When the conditions of a link cannot begin elsewhere.
pub(crate) fn run_of(
    question: &Question,
    recordings: &[Recording],
    scheme: Option<&Scheme>,
    way: Option<Way>,
    seed: u32,
) -> Result<KernelRun, String> {
    Ok(run_at(&begun(question, recordings, seed)?, scheme, way, seed))
}

fn run_at(question: &Question, scheme: Option<&Scheme>, way: Option<Way>, seed: u32) -> KernelRun {
    let limit = limit(question, &ClosedForm::of(question));
    let way = way.map(|way| Way { at: way.at + offset(question, seed), ..way });
    let text = text_of(question, scheme, way, limit);
    let scenario = text.replacen(&format!("seeds = {}", question.seeds), &format!("seeds = [{seed}]"), 1);
    let ours: &[_] = match scheme.map(|scheme| scheme.installed) {
        None => &[],
        Some(Installed::MobileEnd) => &[MOBILE],
        Some(Installed::BothEnds) => &[SERVER, MOBILE],
    };
    KernelRun { scenario, ours }
}

/// A question whose recordings begin where the runs of this seed do.
fn begun(question: &Question, recordings: &[Recording], seed: u32) -> Result<Question, String> {
    let mut question = question.clone();
    for recording in recordings.iter().filter(|recording| recording.begins_within_s.is_some()) {
        let link = if recording.is_old_link() { &mut question.from } else { &mut question.to };
        *link = link.beginning_at(recording.offset(seed.into())).ok_or_else(|| {
            format!(
                "each seed starts at another place of the schedule of {}, which has no `start`",
                link.name
            )
        })?;
    }
    Ok(question)
}

/// Judge the records of all points, in their order, each by seed.
pub fn judge(
    question: &Question,
    advice: &Advice,
    kernel: &str,
    points: &[KernelPoint],
    records: &[Vec<RunRecord>],
) -> Checked {
    let values: Vec<Vec<f64>> =
        records.iter().map(|records| records.iter().map(|it| value(question, it)).collect()).collect();
    let checked = points.iter().zip(&values).zip(records).map(|((point, values), records)| CheckedPoint {
        what: point.what,
        predicted: point.predicted,
        measured: estimate_of(values),
        incomplete: records.iter().filter(|it| is_incomplete(question, it)).count(),
    });
    let gains = |place: usize| {
        let sign = question.traffic.pick(1.0, -1.0);
        let gains: Vec<f64> =
            values[0].iter().zip(&values[place]).map(|(stays, moves)| sign * (stays - moves)).collect();
        is_gain(&gains, 1, advice.indifference)
    };
    Checked {
        kernel: kernel.to_owned(),
        points: checked.collect(),
        stock_gains: gains(1),
        deployed_gains: (points.len() > 2).then(|| gains(2)),
    }
}

fn is_incomplete(question: &Question, record: &RunRecord) -> bool {
    matches!(question.traffic, Traffic::File(_))
        && record.flows.iter().any(|flow| flow.completion_s.is_none())
}

/// The completion time in seconds, or the bytes within the horizon.
fn value(question: &Question, record: &RunRecord) -> f64 {
    let flow = record.flows.first();
    let limit = || limit(question, &ClosedForm::of(question));
    match question.traffic {
        Traffic::File(_) => {
            flow.and_then(|flow| flow.completion_s).unwrap_or_else(|| Duration::as_secs_f64(limit()))
        }
        Traffic::Horizon(_) => flow.map_or(0.0, |flow| flow.delivered_bytes as f64),
    }
}
