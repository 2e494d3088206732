//! Why the closed form and the simulation differ, from the records of the runs.

use crate::closed_form::{ClosedForm, parameters, segment};
use crate::link::AccessLink;
use crate::question::{Question, Traffic};
use crate::runs::Sample;
use crate::scenario::MOBILE;
use crate::significance::estimate_of;
use seamline_model::transfer::{slow_start_cost, slow_start_round_trips};
use seamline_record::record::HandoverRecord;
use seamline_record::statistics::Estimate;
use serde::Serialize;

/// Differences up to this share of the closed form, or within the interval of the mean, are none.
pub const TOLERANCE: f64 = 0.05;
/// What costs less than this share of the closed form explains nothing.
const WORTH_TELLING: f64 = 0.01;

/// What the closed form leaves out, as it was found in the runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "cause", rename_all = "kebab-case")]
pub enum Cause {
    /// Slow start at the beginning and after each interruption.
    SlowStart {
        /// Round trips and their length in seconds, for each link that is begun on.
        round_trips: Vec<(u32, f64)>,
        /// What they cost by arithmetic, in seconds of the link.
        seconds: f64,
    },
    /// The link was back, and the sender still waited for its retransmission timer.
    Timer {
        /// Seconds for each run, over all of its handovers.
        seconds: f64,
        /// Timeouts for each run.
        timeouts: f64,
    },
    /// Data arrived again, but the flow was not at its pace yet.
    SlowRecovery {
        /// Seconds for each run until it was, over all of its handovers that saw it.
        seconds: f64,
        /// Handovers for each run after which the pace was not regained at all.
        not_regained: f64,
    },
    /// Random losses keep the flow below what the link carries, by the closed form for losses.
    LossLimited {
        /// The link.
        link: String,
        /// Its share that is left.
        share: f64,
    },
    /// Packets found a queue full.
    QueueOverflow {
        /// For each run.
        packets: f64,
    },
    /// Packets were lost at handovers.
    LostAtHandovers {
        /// For each run.
        packets: f64,
    },
}

/// A number that the closed form and the simulation disagree about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disagreement {
    /// Whether the host stays; otherwise it hands over as asked.
    pub stays: bool,
    /// By the closed form: seconds until the file is there, or bytes within the horizon.
    pub closed_form: f64,
    /// By simulation of the stack as it is.
    pub simulated: Estimate,
    /// What the runs show that the closed form leaves out; empty when nothing was found.
    pub causes: Vec<Cause>,
}

/// Whether they disagree, and why.
pub(crate) fn disagreement(
    question: &Question,
    form: &ClosedForm,
    stays: bool,
    samples: &[Sample],
) -> Option<Disagreement> {
    let closed_form = if stays { form.stays } else { form.moves };
    let values: Vec<f64> = samples.iter().map(|sample| sample.value).collect();
    let simulated = estimate_of(&values);
    let tolerance = (TOLERANCE * closed_form).max(simulated.half_width().unwrap_or(0.0));
    if (simulated.mean - closed_form).abs() <= tolerance {
        return None;
    }
    let seconds = match question.traffic {
        Traffic::File(_) => closed_form,
        Traffic::Horizon(span) => span.as_secs_f64(),
    };
    let least = WORTH_TELLING * seconds;
    let mut causes = Vec::new();
    causes.extend(slow_start(question, samples, least));
    causes.extend(timer(question, samples, least));
    causes.extend(recovery(samples, least));
    causes.extend(loss_limited(question, form, stays));
    causes.extend(packets(samples));
    Some(Disagreement { stays, closed_form, simulated, causes })
}

fn mean_of(samples: &[Sample], of: impl Fn(&Sample) -> f64) -> f64 {
    samples.iter().map(of).sum::<f64>() / samples.len().max(1) as f64
}

/// The handovers that met the flow, those of recorded links included: while a run goes on, these go on too.
fn handovers(sample: &Sample) -> impl Iterator<Item = &HandoverRecord> {
    let end = sample.flow.completion_s.unwrap_or(f64::INFINITY);
    sample.flow.handovers.iter().filter(move |handover| handover.start_s < end)
}

/// At the beginning from the initial window; on each link that was reached by a handover from one segment, where
/// there were timeouts.
fn slow_start(question: &Question, samples: &[Sample], least: f64) -> Option<Cause> {
    let parameters = parameters(question);
    let [payload, _] = segment(&parameters);
    let own = |sample: &Sample| handovers(sample).filter(|handover| handover.link == MOBILE).count();
    let moves = samples.iter().map(own).max().unwrap_or(0);
    let timeouts = samples.iter().any(|sample| sample.flow.timeouts > 0);
    let from_one_segment = if timeouts { moves.min(2) } else { 0 };
    let begun: [(&AccessLink, f64); 3] =
        [(&question.from, parameters.window.initial), (&question.to, 1.0), (&question.from, 1.0)];
    let (mut seconds, mut round_trips) = (0.0, Vec::new());
    for (link, segments) in &begun[..1 + from_one_segment] {
        let (rate, round_trip) = (link.rate.bits_per_second() as f64, link.round_trip.as_secs_f64());
        let initial = segments * payload * 8.0;
        seconds += slow_start_cost(rate, round_trip, initial);
        round_trips.push((slow_start_round_trips(rate, round_trip, initial), round_trip));
    }
    (seconds > least).then_some(Cause::SlowStart { round_trips, seconds })
}

/// From the end of an interruption until data arrives, beyond the way from the sender.
fn timer(question: &Question, samples: &[Sample], least: f64) -> Option<Cause> {
    let way = question.from.round_trip.max(question.to.round_trip).as_secs_f64();
    let waited = |sample: &Sample| {
        let of = handovers(sample)
            .filter_map(|handover| Some((handover.first_data_ms? - handover.interruption_ms?) / 1e3 - way));
        of.map(|seconds| seconds.max(0.0)).sum::<f64>()
    };
    let seconds = mean_of(samples, waited);
    let timeouts = mean_of(samples, |sample| sample.flow.timeouts as f64);
    (seconds > least && timeouts > 0.0).then_some(Cause::Timer { seconds, timeouts })
}

fn recovery(samples: &[Sample], least: f64) -> Option<Cause> {
    let slow = |sample: &Sample| {
        let of = handovers(sample);
        let slow = of.filter_map(|handover| Some(handover.recovery_ms? - handover.first_data_ms?));
        slow.map(|millis| (millis / 1e3).max(0.0)).sum::<f64>()
    };
    let lost = |sample: &Sample| {
        let of = handovers(sample).filter(|handover| handover.recovery_ms.is_none());
        of.count() as f64
    };
    let (seconds, not_regained) = (mean_of(samples, slow), mean_of(samples, lost));
    (seconds > least || not_regained > 0.0).then_some(Cause::SlowRecovery { seconds, not_regained })
}

fn loss_limited(question: &Question, form: &ClosedForm, stays: bool) -> Vec<Cause> {
    let links = [&question.from, &question.to];
    let seen = if stays { 1 } else { 2 };
    let rates = form.loss_limited_bits_per_second.into_iter().zip(form.payload_bits_per_second);
    let limited = links.iter().zip(rates).take(seen);
    limited
        .filter_map(|(link, (left, carries))| {
            Some(Cause::LossLimited { link: link.name.clone(), share: left? / carries })
        })
        .collect()
}

fn packets(samples: &[Sample]) -> Vec<Cause> {
    let overflow = |sample: &Sample| {
        sample
            .links
            .iter()
            .map(|link| link.dropped_by_full_queue + link.dropped_by_queue_management)
            .sum::<u64>() as f64
    };
    let lost = |sample: &Sample| {
        sample.flow.handovers.iter().map(|handover| handover.lost_packets).sum::<u64>() as f64
    };
    let (overflow, lost) = (mean_of(samples, overflow), mean_of(samples, lost));
    let mut causes = Vec::new();
    if overflow > 0.0 {
        causes.push(Cause::QueueOverflow { packets: overflow });
    }
    if lost > 0.0 {
        causes.push(Cause::LostAtHandovers { packets: lost });
    }
    causes
}
