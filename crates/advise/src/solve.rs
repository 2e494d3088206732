//! From a question to its answer.

use crate::advice::{Advice, SchemeAdvice, Verdict};
use crate::causes::disagreement;
use crate::closed_form::{ClosedForm, parameters, segment};
use crate::error::AdviseError;
use crate::limit::limit;
use crate::question::{Question, Traffic};
use crate::runs::{Point, Runs, Sample, Watch, schemes};
use crate::scenario::Way;
use crate::search::{Axis, Bound, Effort, Found, search, span};
use crate::significance::{estimate_of, is_gain};
use seamline_record::statistics::Estimate;
use seamline_tcp::handover::Installed;
use seamline_wire::Duration;

/// So many packets are simulated in some seconds; a search that needs more uses fewer seeds, then fewer probes.
const PACKETS: f64 = 20e6;
/// A run costs as much as so many packets before its first.
const PACKETS_TO_BEGIN: f64 = 1000.0;
/// A search with fewer seeds says little.
const LEAST_SEEDS: usize = 3;
/// Where a scheme is installed that any peer will do for.
pub(crate) const MOBILE_END: &str = "mobile end";
/// A stay is no shorter.
const SHORTEST_STAY_S: f64 = 1e-3;

/// Answer a question.
///
/// # Errors
/// When a table of a link is wrong, or somebody asked to stop.
pub fn advise(question: &Question, watch: Watch<'_>) -> Result<Advice, AdviseError> {
    let form = ClosedForm::of(question);
    let mut runs = Runs::new(question, limit(question, &form), watch)?;
    let seeds = question.seeds as usize;
    let stays = Point { scheme: 0, way: None };
    runs.ensure(&[stays], seeds)?;
    let values = values(runs.of(stays));
    let is_done = |seconds: &f64| *seconds <= question.at.as_secs_f64();
    let nothing_to_decide = matches!(question.traffic, Traffic::File(_)) && values.iter().all(is_done);
    let effort = effort(question);
    let mut schemes = blank();
    if !nothing_to_decide {
        run_as_asked(question, &mut runs, &mut schemes)?;
        search_bounds(question, &mut runs, effort, &mut schemes)?;
    }
    let deploy = deployed(question, &runs, &schemes);
    let verdict = if nothing_to_decide {
        Verdict::NothingToDecide
    } else {
        verdict(question, &runs, &schemes, deploy.as_deref())
    };
    let disagreements = disagreements(question, &form, &runs);
    Ok(Advice {
        verdict,
        from: question.from.clone(),
        to: question.to.clone(),
        interruption_s: question.interruption.as_secs_f64(),
        stay_s: question.stay.map(Duration::as_secs_f64),
        at_s: question.at.as_secs_f64(),
        lead_s: question.lead.as_secs_f64(),
        forward: question.forward.clone(),
        traffic: question.traffic,
        recordings: runs.recordings.clone(),
        longest_run_s: longest_run(question, &runs),
        variant: question.variant.clone(),
        profile: question.profile.clone(),
        stays: estimate_of(&values),
        schemes,
        deploy,
        closed_form: form,
        disagreements,
        effort,
        seeds: question.seeds,
        runs: runs.count,
    })
}

/// Of all that was asked for, the probes of bounds left out.
fn longest_run(question: &Question, runs: &Runs<'_>) -> f64 {
    if let Traffic::Horizon(span) = question.traffic {
        return span.as_secs_f64();
    }
    let moves = (0..schemes().len()).filter_map(|scheme| as_asked(question, scheme));
    let all = std::iter::once(Point { scheme: 0, way: None }).chain(moves);
    all.flat_map(|point| runs.of(point)).map(|sample| sample.value).fold(0.0, f64::max)
}

/// How hard the bounds will be searched: as hard as some seconds allow.
pub fn effort(question: &Question) -> Effort {
    let (form, schemes) = (ClosedForm::of(question), schemes().len());
    let [payload, _] = segment(&parameters(question));
    let bytes = match question.traffic {
        Traffic::File(bytes) => bytes as f64,
        Traffic::Horizon(_) => form.stays.max(form.moves),
    };
    let packets = PACKETS_TO_BEGIN + bytes / payload;
    let all = question.seeds as usize;
    let affordable = |grid: usize, halvings: usize| {
        let probes = schemes * 2 * (grid + halvings);
        ((PACKETS / packets) as usize).saturating_sub(schemes * all) / probes
    };
    let (grid, halvings) = if affordable(8, 5) >= LEAST_SEEDS.min(all) { (8, 5) } else { (5, 3) };
    let seeds = affordable(grid, halvings).clamp(LEAST_SEEDS.min(all), all);
    Effort { seeds, grid, halvings }
}

fn values(samples: &[Sample]) -> Vec<f64> {
    samples.iter().map(|sample| sample.value).collect()
}

fn as_asked(question: &Question, scheme: usize) -> Option<Point> {
    let stay = question.stay;
    let way = Way { at: question.at, interruption: question.interruption, stay };
    let complete = stay.is_none_or(|stay| question.interruption < stay);
    complete.then_some(Point { scheme, way: Some(way) })
}

/// Nothing is known of any scheme.
fn blank() -> Vec<SchemeAdvice> {
    let installed = |installed: Installed| match installed {
        Installed::MobileEnd => MOBILE_END,
        Installed::BothEnds => "both ends",
    };
    let of = schemes().into_iter();
    of.map(|scheme| SchemeAdvice {
        name: scheme.map_or("none", |scheme| scheme.name).to_owned(),
        installed: scheme.map(|scheme| installed(scheme.installed).to_owned()),
        needs_prediction: scheme.is_some_and(|scheme| scheme.traits.needs_prediction),
        cite: scheme.map(|scheme| scheme.cite.to_owned()),
        outcome: None,
        gain: None,
        gains: false,
        over_stock: None,
        better_than_stock: false,
        longest_interruption: None,
        shortest_stay: None,
        over_interruption: Vec::new(),
        incomplete: 0,
    })
    .collect()
}

/// The handover as asked, under all schemes and seeds.
fn run_as_asked(
    question: &Question,
    runs: &mut Runs<'_>,
    schemes: &mut [SchemeAdvice],
) -> Result<(), AdviseError> {
    let Some(stock) = as_asked(question, 0) else { return Ok(()) };
    let points: Vec<Point> = (0..schemes.len()).map(|scheme| Point { scheme, ..stock }).collect();
    runs.ensure(&points, question.seeds as usize)?;
    let stock_gains = runs.gains(stock);
    let asked = schemes.len();
    for (advice, point) in schemes.iter_mut().zip(points) {
        let samples = runs.of(point);
        let gains = runs.gains(point);
        advice.outcome = Some(estimate_of(&values(samples)));
        advice.incomplete = samples.iter().filter(|sample| !sample.complete).count();
        advice.gain = Some(estimate_of(&gains));
        // The stack as it is is asked about first and alone.
        advice.gains = is_gain(&gains, if point.scheme == 0 { 1 } else { asked - 1 });
        if point.scheme > 0 {
            let over: Vec<f64> = gains.iter().zip(&stock_gains).map(|(gain, stock)| gain - stock).collect();
            advice.better_than_stock = is_gain(&over, asked - 1);
            advice.over_stock = Some(estimate_of(&over));
        }
    }
    Ok(())
}

fn search_bounds(
    question: &Question,
    runs: &mut Runs<'_>,
    effort: Effort,
    schemes: &mut [SchemeAdvice],
) -> Result<(), AdviseError> {
    let interruptions = search_interruption(question, runs, effort, schemes.len())?;
    for (scheme, (advice, found)) in schemes.iter_mut().zip(interruptions).enumerate() {
        advice.over_interruption = curve(question, runs, scheme, &found);
        advice.longest_interruption = Some(found.bound);
    }
    let stays = search_stay(question, runs, effort, schemes.len())?;
    for (advice, bound) in schemes.iter_mut().zip(stays) {
        advice.shortest_stay = Some(bound);
    }
    Ok(())
}

fn curve(question: &Question, runs: &Runs<'_>, scheme: usize, found: &Found) -> Vec<(f64, Estimate)> {
    let point = |at: f64| {
        let way = Way { at: question.at, interruption: span(at), stay: question.stay };
        estimate_of(&values(runs.of(Point { scheme, way: Some(way) })))
    };
    let mut probes = found.probes.clone();
    if as_asked(question, scheme).is_some() {
        probes.push(question.interruption.as_secs_f64());
    }
    probes.sort_by(f64::total_cmp);
    probes.dedup();
    probes.into_iter().map(|at| (at, point(at))).collect()
}

/// What is left of the transfer on the old link, or of the horizon, when the handover begins, in seconds.
fn what_is_left(question: &Question, runs: &Runs<'_>) -> f64 {
    let whole = match question.traffic {
        Traffic::File(_) => estimate_of(&values(runs.of(Point { scheme: 0, way: None }))).mean,
        Traffic::Horizon(span) => span.as_secs_f64(),
    };
    whole - question.at.as_secs_f64()
}

fn search_interruption(
    question: &Question,
    runs: &mut Runs<'_>,
    effort: Effort,
    schemes: usize,
) -> Result<Vec<Found>, AdviseError> {
    let longest =
        what_is_left(question, runs).min(question.stay.map_or(f64::INFINITY, Duration::as_secs_f64));
    let steps = (effort.grid - 1) as f64;
    let grid = (0..effort.grid).map(|n| longest * n as f64 / steps).collect();
    let way = |at: f64| Way { at: question.at, interruption: span(at), stay: question.stay };
    search(runs, schemes, &Axis { grid, way: &way, between: f64::midpoint }, effort)
}

/// Between a stay in which the file is done, or that lasts beyond the horizon, and the interruption itself.
fn search_stay(
    question: &Question,
    runs: &mut Runs<'_>,
    effort: Effort,
    schemes: usize,
) -> Result<Vec<Bound>, AdviseError> {
    let shortest = question.interruption.as_secs_f64().max(SHORTEST_STAY_S);
    let forever = Way { at: question.at, interruption: question.interruption, stay: None };
    let points: Vec<Point> = (0..schemes).map(|scheme| Point { scheme, way: Some(forever) }).collect();
    runs.ensure(&points, effort.seeds)?;
    let longest = match question.traffic {
        Traffic::Horizon(span) => (span - question.at).as_secs_f64(),
        Traffic::File(_) => {
            let done = points.iter().flat_map(|point| runs.of(*point)).map(|sample| sample.value);
            done.fold(0.0, f64::max) - question.at.as_secs_f64()
        }
    };
    if longest <= shortest {
        return Ok(vec![Bound::Never { probed_to_s: longest.max(0.0) }; schemes]);
    }
    let steps = (effort.grid - 1) as f64;
    let part = |n: usize| libm::pow(longest / shortest, n as f64 / steps);
    let mut grid: Vec<f64> = (0..effort.grid).map(|n| longest / part(n)).collect();
    if let Some(last) = grid.last_mut() {
        *last = shortest;
    }
    let way = |stay: f64| Way {
        at: question.at,
        interruption: question.interruption,
        stay: Some(span(stay).max(question.interruption)),
    };
    let found = search(runs, schemes, &Axis { grid, way: &way, between: |a, b| (a * b).sqrt() }, effort)?;
    Ok(found.into_iter().map(|found| found.bound).collect())
}

/// Among the schemes that are better than the stack as it is and than staying, for sure, those that are not worse for sure than the
/// best; of these one that only the mobile end needs, then one that needs no prediction, then the better one.
fn deployed(question: &Question, runs: &Runs<'_>, schemes: &[SchemeAdvice]) -> Option<String> {
    let gains = |scheme: usize| as_asked(question, scheme).map(|point| runs.gains(point)).unwrap_or_default();
    let mean = |scheme: usize| schemes[scheme].gain.map_or(f64::NEG_INFINITY, |gain| gain.mean);
    let sure: Vec<usize> = (0..schemes.len())
        .filter(|scheme| schemes[*scheme].gains && schemes[*scheme].better_than_stock)
        .collect();
    let best = gains(sure.iter().copied().max_by(|one, other| mean(*one).total_cmp(&mean(*other)))?);
    let not_worse = sure.iter().copied().filter(|scheme| {
        let short: Vec<f64> = best.iter().zip(gains(*scheme)).map(|(best, own)| best - own).collect();
        !is_gain(&short, sure.len())
    });
    let demands = |scheme: usize| {
        let asked = &schemes[scheme];
        (asked.installed.as_deref() != Some(MOBILE_END), asked.needs_prediction)
    };
    let chosen = not_worse
        .min_by(|one, other| demands(*one).cmp(&demands(*other)).then(mean(*other).total_cmp(&mean(*one))));
    chosen.map(|scheme| schemes[scheme].name.clone())
}

fn verdict(question: &Question, runs: &Runs<'_>, schemes: &[SchemeAdvice], deploy: Option<&str>) -> Verdict {
    let Some(stock) = as_asked(question, 0) else { return Verdict::NeverComplete };
    if schemes[0].gains {
        return Verdict::HandOver;
    }
    if let Some(scheme) = deploy {
        return Verdict::HandOverWith { scheme: scheme.to_owned() };
    }
    let losses: Vec<f64> = runs.gains(stock).iter().map(|gain| -gain).collect();
    if is_gain(&losses, 1) { Verdict::Stay } else { Verdict::NoClearDifference }
}

fn disagreements(
    question: &Question,
    form: &ClosedForm,
    runs: &Runs<'_>,
) -> Vec<crate::causes::Disagreement> {
    let stays = runs.of(Point { scheme: 0, way: None });
    let moves = as_asked(question, 0).map_or(&[][..], |point| runs.of(point));
    let pairs = [(true, stays), (false, moves)].into_iter().filter(|(_, samples)| !samples.is_empty());
    pairs.filter_map(|(which, samples)| disagreement(question, form, which, samples)).collect()
}
