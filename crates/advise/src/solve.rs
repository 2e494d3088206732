//! Compute the answer to a question.

use crate::advice::{Advice, SchemeAdvice, Verdict};
use crate::bounds::{effort, search_bounds};
use crate::causes::disagreement;
use crate::closed_form::ClosedForm;
use crate::error::AdviseError;
use crate::kernel::RunOverKernel;
use crate::question::{Question, Traffic};
use crate::runs::{Point, Runs, STAYS, Watch, known, schemes, values};
use crate::scenario::Way;
use crate::significance::{INDIFFERENCE, estimate_of, is_gain, without_interval};
use seamline_report::statistics::Estimate;
use seamline_tcp::handover::Installed;

/// Where a scheme is installed that works with any peer.
pub(crate) const MOBILE_END: &str = "mobile end";

/// Answer a question. Where it names a stack, `over_kernel` makes all runs.
///
/// # Errors
/// When a table of a link is invalid, a run over a kernel fails, or the caller asked to stop.
pub fn advise(
    question: &Question,
    watch: Watch<'_>,
    over_kernel: Option<&RunOverKernel<'_>>,
) -> Result<Advice, AdviseError> {
    let form = ClosedForm::of(question);
    let mut runs = Runs::new(question, &form, watch, over_kernel)?;
    runs.ensure(&[STAYS], question.seeds as usize)?;
    let stays = known(runs.of(STAYS));
    let least = INDIFFERENCE * stays.mean;
    let is_done = |seconds: &f64| *seconds <= question.at.as_secs_f64();
    let nothing_to_decide =
        matches!(question.traffic, Traffic::File(_)) && values(runs.of(STAYS)).iter().all(is_done);
    let effort = effort(question);
    let mut schemes = without_results(question);
    if !nothing_to_decide {
        run_as_requested(question, &mut runs, &mut schemes, least)?;
    }
    let incomplete_as_requested = runs.incomplete_in_all();
    let stays_incomplete = runs.incomplete(STAYS);
    if !nothing_to_decide && stays_incomplete == 0 {
        search_bounds(question, &mut runs, effort, &mut schemes)?;
    }
    let deploy = deployed(question, &runs, &schemes, least);
    let verdict = if nothing_to_decide {
        Verdict::NothingToDecide
    } else {
        verdict(question, &runs, &schemes, deploy.as_deref(), least)
    };
    let disagreements = disagreements(question, &form, &runs);
    Ok(Advice {
        verdict,
        question: question.clone(),
        recordings: runs.recordings.clone(),
        longest_run_s: longest_run(question, &runs),
        stays,
        stays_incomplete,
        incomplete_probes: runs.incomplete_in_all() - incomplete_as_requested,
        indifference: least,
        schemes,
        deploy,
        closed_form: form,
        disagreements,
        effort,
        runs: runs.count,
        checked: None,
    })
}

/// The longest run of staying and of the requested handover; probes of bounds do not count.
fn longest_run(question: &Question, runs: &Runs<'_>) -> f64 {
    if let Traffic::Horizon(span) = question.traffic {
        return span.as_secs_f64();
    }
    let moves = (0..schemes(question).len()).filter_map(|scheme| as_requested(question, scheme));
    let all = std::iter::once(STAYS).chain(moves);
    all.flat_map(|point| runs.of(point)).map(|sample| sample.value).fold(0.0, f64::max)
}

/// The requested handover under a scheme; `None` when it never completes.
pub(crate) fn as_requested(question: &Question, scheme: usize) -> Option<Point> {
    let stay = question.stay;
    let way = Way { at: question.at, interruption: question.interruption, stay };
    let complete = stay.is_none_or(|stay| question.interruption < stay);
    complete.then_some(Point { scheme, way: Some(way) })
}

/// One entry per scheme, without results.
fn without_results(question: &Question) -> Vec<SchemeAdvice> {
    let installed = |installed: Installed| match installed {
        Installed::MobileEnd => MOBILE_END,
        Installed::BothEnds => "both ends",
    };
    let of = schemes(question).into_iter();
    of.map(|scheme| SchemeAdvice {
        name: scheme.map_or("none", |scheme| scheme.name).to_owned(),
        installed: scheme.map(|scheme| installed(scheme.installed).to_owned()),
        needs_prediction: scheme.is_some_and(|scheme| scheme.traits.needs_prediction),
        cite: scheme.map(|scheme| scheme.cite.to_owned()),
        ..SchemeAdvice::default()
    })
    .collect()
}

/// Run the requested handover under all schemes and seeds.
fn run_as_requested(
    question: &Question,
    runs: &mut Runs<'_>,
    schemes: &mut [SchemeAdvice],
    least: f64,
) -> Result<(), AdviseError> {
    let Some(stock) = as_requested(question, 0) else { return Ok(()) };
    let points: Vec<Point> = (0..schemes.len()).map(|scheme| Point { scheme, ..stock }).collect();
    runs.ensure(&points, question.seeds as usize)?;
    let (stock_gains, stays_incomplete) = (runs.gains(stock), runs.incomplete(STAYS));
    let stock_incomplete = runs.incomplete(stock);
    let asked = schemes.len();
    for (advice, point) in schemes.iter_mut().zip(points) {
        let gains = runs.gains(point);
        advice.outcome = Some(known(runs.of(point)));
        advice.incomplete = runs.incomplete(point);
        advice.gain = difference(&gains, stays_incomplete, advice.incomplete);
        // The unmodified stack is tested first and alone. An incomplete run only has an upper bound of the gain.
        let gains_are_the_least = advice.incomplete == 0;
        let asked_at_once = if point.scheme == 0 { 1 } else { asked - 1 };
        advice.gains = gains_are_the_least && is_gain(&gains, asked_at_once, least);
        if point.scheme > 0 {
            let over: Vec<f64> = gains.iter().zip(&stock_gains).map(|(gain, stock)| gain - stock).collect();
            advice.better_than_stock = gains_are_the_least && is_gain(&over, asked - 1, least);
            advice.over_stock = difference(&over, stock_incomplete, advice.incomplete);
        }
    }
    Ok(())
}

/// The gain of the second of two over the first: a lower bound where the first is incomplete, an upper bound where
/// the second is, hence without an interval; unknown where both are.
fn difference(gains: &[f64], first_incomplete: usize, second_incomplete: usize) -> Option<Estimate> {
    match (first_incomplete, second_incomplete) {
        (0, 0) => Some(estimate_of(gains)),
        (0, _) | (_, 0) => Some(without_interval(estimate_of(gains))),
        _ => None,
    }
}

/// Among the schemes that are significantly better than the unmodified stack and than staying, select those that are
/// not significantly worse than the best, each by more than `least`. Of these prefer one that only the mobile end
/// needs, then one that needs no prediction, then the better one.
fn deployed(question: &Question, runs: &Runs<'_>, schemes: &[SchemeAdvice], least: f64) -> Option<String> {
    let gains =
        |scheme: usize| as_requested(question, scheme).map(|point| runs.gains(point)).unwrap_or_default();
    let mean = |scheme: usize| schemes[scheme].gain.map_or(f64::NEG_INFINITY, |gain| gain.mean);
    let candidates: Vec<usize> = (0..schemes.len())
        .filter(|scheme| schemes[*scheme].gains && schemes[*scheme].better_than_stock)
        .collect();
    let best = gains(candidates.iter().copied().max_by(|one, other| mean(*one).total_cmp(&mean(*other)))?);
    let not_worse = candidates.iter().copied().filter(|scheme| {
        let short: Vec<f64> = best.iter().zip(gains(*scheme)).map(|(best, own)| best - own).collect();
        !is_gain(&short, candidates.len(), least)
    });
    let demands = |scheme: usize| {
        let asked = &schemes[scheme];
        (asked.installed.as_deref() != Some(MOBILE_END), asked.needs_prediction)
    };
    let chosen = not_worse
        .min_by(|one, other| demands(*one).cmp(&demands(*other)).then(mean(*other).total_cmp(&mean(*one))));
    chosen.map(|scheme| schemes[scheme].name.clone())
}

fn verdict(
    question: &Question,
    runs: &Runs<'_>,
    schemes: &[SchemeAdvice],
    deploy: Option<&str>,
    least: f64,
) -> Verdict {
    let Some(stock) = as_requested(question, 0) else { return Verdict::NeverComplete };
    if schemes[0].gains {
        return Verdict::HandOver;
    }
    if let Some(scheme) = deploy {
        return Verdict::HandOverWith { scheme: scheme.to_owned() };
    }
    let losses: Vec<f64> = runs.gains(stock).iter().map(|gain| -gain).collect();
    let losses_are_the_least = runs.incomplete(STAYS) == 0;
    if losses_are_the_least && is_gain(&losses, 1, least) {
        Verdict::Stay
    } else {
        Verdict::NoClearDifference
    }
}

fn disagreements(
    question: &Question,
    form: &ClosedForm,
    runs: &Runs<'_>,
) -> Vec<crate::causes::Disagreement> {
    let stays = runs.of(STAYS);
    let moves = as_requested(question, 0).map_or(&[][..], |point| runs.of(point));
    let pairs = [(true, stays), (false, moves)].into_iter().filter(|(_, samples)| !samples.is_empty());
    pairs.filter_map(|(which, samples)| disagreement(question, form, which, samples)).collect()
}
