//! The causes that the records show.

use super::{Begun, Cause, OnLink};
use crate::closed_form::{ClosedForm, parameters, segment};
use crate::question::Question;
use crate::runs::Sample;
use crate::scenario::{MOBILE, RECORDED_LINKS};
use seamline_model::transfer::{self, SlowStart};
use seamline_report::record::HandoverRecord;

/// The effects that make a transfer slower than the closed form; effects below `least` seconds are left out.
pub(super) fn slowing(
    question: &Question,
    form: &ClosedForm,
    stays: bool,
    samples: &[Sample],
    least: f64,
) -> Vec<Cause> {
    let mut causes = Vec::new();
    causes.extend(window_limited(question, form, stays));
    causes.extend(slow_start(question, form, samples, least));
    causes.extend(timer(question, samples, least));
    causes.extend(recovery(question, samples, least));
    causes.extend(loss_limited(question, form, stays));
    causes.extend(packets(samples));
    causes
}

/// The used links whose conditions vary over time.
pub(super) fn varying(question: &Question, form: &ClosedForm, stays: bool) -> Vec<Cause> {
    let seen = if stays { 1 } else { 2 };
    let links = [&question.from, &question.to].into_iter().zip(form.payload_bits_per_second).take(seen);
    let varying = links.filter(|(link, _)| link.scheduled);
    varying
        .map(|(link, payload_bits_per_second)| Cause::VaryingConditions {
            link: link.name.clone(),
            payload_bits_per_second,
        })
        .collect()
}

fn mean_of(samples: &[Sample], of: impl Fn(&Sample) -> f64) -> f64 {
    samples.iter().map(of).sum::<f64>() / samples.len().max(1) as f64
}

/// The handovers during the flow, those of recorded links included; recorded handovers continue after the flow has
/// ended. Each comes with the link after it: 0 is the old link, 1 the new one.
fn handovers(sample: &Sample) -> impl Iterator<Item = (usize, &HandoverRecord)> {
    let end = sample.flow.completion_s.unwrap_or(f64::INFINITY);
    let mut own = 0;
    let met = sample.flow.handovers.iter().filter(move |handover| handover.start_s < end);
    met.map(move |handover| {
        if handover.link == MOBILE {
            own += 1;
            return (own % 2, handover);
        }
        (usize::from(handover.link.starts_with(RECORDED_LINKS[1])), handover)
    })
}

/// The mean seconds per run by link, where there are any.
fn by_link(
    question: &Question,
    samples: &[Sample],
    seconds: impl Fn(&HandoverRecord) -> Option<f64>,
) -> Vec<OnLink> {
    let links = [&question.from, &question.to].into_iter().enumerate();
    let of = |index: usize| {
        mean_of(samples, |sample| {
            let there = handovers(sample).filter(|(link, _)| *link == index);
            there.filter_map(|(_, handover)| seconds(handover)).map(|seconds| seconds.max(0.0)).sum()
        })
    };
    let all = links.map(|(index, link)| OnLink { link: link.name.clone(), seconds: of(index), index });
    all.filter(|on| on.seconds > 0.0).collect()
}

fn total(on: &[OnLink]) -> f64 {
    on.iter().map(|on| on.seconds).sum()
}

/// Slow start at the beginning starts from the initial window. On each link after a handover it starts from one
/// segment if there were timeouts. It ends at the window limit.
fn slow_start(question: &Question, form: &ClosedForm, samples: &[Sample], least: f64) -> Option<Cause> {
    let parameters = parameters(question);
    let [payload, _] = segment(&parameters);
    let own = |sample: &Sample| handovers(sample).filter(|(_, handover)| handover.link == MOBILE).count();
    let moves = samples.iter().map(own).max().unwrap_or(0);
    let timeouts = samples.iter().any(|sample| sample.flow.timeouts > 0);
    let from_one_segment = if timeouts { moves.min(2) } else { 0 };
    let begin = |(index, segments): (usize, f64)| {
        let link = [&question.from, &question.to][index];
        let round_trip_s = link.round_trip.as_secs_f64();
        let rate = (link.rate.bits_per_second() as f64).min(form.window_bytes * 8.0 / round_trip_s);
        let SlowStart { round_trips, cost } =
            transfer::slow_start(rate, round_trip_s, segments * payload * 8.0);
        Begun { round_trips, round_trip_s, cost: OnLink { link: link.name.clone(), seconds: cost, index } }
    };
    let all = [(0, parameters.window.initial), (1, 1.0), (0, 1.0)];
    let begun: Vec<Begun> = all.into_iter().take(1 + from_one_segment).map(begin).collect();
    let seconds: f64 = begun.iter().map(|begun| begun.cost.seconds).sum();
    (seconds > least).then_some(Cause::SlowStart { begun })
}

/// The time from the end of an interruption until data arrives, minus the path delay from the sender.
fn timer(question: &Question, samples: &[Sample], least: f64) -> Option<Cause> {
    let way = question.from.round_trip.max(question.to.round_trip).as_secs_f64();
    let waited =
        |handover: &HandoverRecord| Some((handover.first_data_ms? - handover.interruption_ms?) / 1e3 - way);
    let on = by_link(question, samples, waited);
    let timeouts = mean_of(samples, |sample| sample.flow.timeouts as f64);
    (total(&on) > least && timeouts > 0.0).then_some(Cause::Timer { on, timeouts })
}

fn recovery(question: &Question, samples: &[Sample], least: f64) -> Option<Cause> {
    let slow = |handover: &HandoverRecord| Some((handover.recovery_ms? - handover.first_data_ms?) / 1e3);
    let lost = |sample: &Sample| {
        let of = handovers(sample).filter(|(_, handover)| handover.recovery_ms.is_none());
        of.count() as f64
    };
    let (on, not_regained) = (by_link(question, samples, slow), mean_of(samples, lost));
    (total(&on) > least || not_regained > 0.0).then_some(Cause::SlowRecovery { on, not_regained })
}

/// The used links of which the flow can use only a part, with that share.
fn shares<'a>(
    question: &'a Question,
    form: &ClosedForm,
    stays: bool,
    left: [Option<f64>; 2],
) -> impl Iterator<Item = (&'a str, f64)> {
    let rates = left.into_iter().zip(form.payload_bits_per_second);
    let links = [&question.from, &question.to].into_iter().zip(rates).take(if stays { 1 } else { 2 });
    links.filter_map(|(link, (left, carries))| Some((link.name.as_str(), left? / carries)))
}

fn window_limited(question: &Question, form: &ClosedForm, stays: bool) -> Vec<Cause> {
    let limited = shares(question, form, stays, form.window_limited_bits_per_second);
    let window_bytes = form.window_bytes;
    limited.map(|(link, share)| Cause::WindowLimited { link: link.to_owned(), window_bytes, share }).collect()
}

fn loss_limited(question: &Question, form: &ClosedForm, stays: bool) -> Vec<Cause> {
    let limited = shares(question, form, stays, form.loss_limited_bits_per_second);
    limited.map(|(link, share)| Cause::LossLimited { link: link.to_owned(), share }).collect()
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
