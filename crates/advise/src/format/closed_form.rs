//! Format the closed form, and why the simulation differs from it.

use super::{amount, at_least, time};
use crate::advice::Advice;
use crate::causes::{Begun, Cause, Disagreement, OnLink, TOLERANCE};
use seamline_report::quantity::{bit_rate, bytes, count, digits};

pub(super) fn closed_form(advice: &Advice) -> String {
    let form = &advice.closed_form;
    let [old, new] = form.payload_bits_per_second;
    let bound = |found: Option<f64>| found.map_or("never".to_owned(), time);
    let mut text = format!(
        "Closed form (fully used links, {} and {} of payload): stays {}, {}; t*_MAX {}, T_MIN {}\n",
        bit_rate(old),
        bit_rate(new),
        amount(advice, form.stays),
        handover(advice),
        bound(form.longest_interruption_s),
        bound(form.shortest_stay_s)
    );
    let links = [&advice.question.from, &advice.question.to];
    let left =
        |rates: [Option<f64>; 2]| links.into_iter().zip(rates).filter_map(|(link, left)| Some((link, left?)));
    for (link, left) in left(form.window_limited_bits_per_second) {
        let window = bytes(form.window_bytes as u64);
        text += &format!("  (a window of at most {window} leaves {} of {})\n", bit_rate(left), link.name);
    }
    for (link, left) in left(form.loss_limited_bits_per_second) {
        let left = bit_rate(left);
        text += &format!("  (in the long run random losses alone leave {left} of {})\n", link.name);
    }
    text += &agreement(advice);
    text + &advice.disagreements.iter().map(|found| disagreement(advice, found)).collect::<String>()
}

fn handover(advice: &Advice) -> String {
    if advice.question.stay.is_some_and(|stay| advice.question.interruption >= stay) {
        return "the handover never completes".to_owned();
    }
    format!("hands over {}", amount(advice, advice.closed_form.moves))
}

/// What the simulation agrees on.
fn agreement(advice: &Advice) -> String {
    let was_simulated = advice.stock().is_some_and(|stock| stock.outcome.is_some());
    let agrees = |stays: bool| advice.disagreements.iter().all(|found| found.stays != stays);
    let about = match (agrees(true), was_simulated && agrees(false)) {
        (true, true) => "staying and the handover",
        (true, false) => "staying",
        (false, true) => "the handover",
        (false, false) => "",
    };
    let mut text = String::new();
    if !about.is_empty() {
        text += &format!(
            "  For {about}, the closed form agrees with the simulation of the unmodified stack, within {:.0} % or the interval of the mean.\n",
            TOLERANCE * 100.0
        );
    }
    if !was_simulated {
        text += "  The requested handover was not simulated.\n";
    }
    text
}

fn disagreement(advice: &Advice, found: &Disagreement) -> String {
    let stock_incomplete = advice.stock().map_or(0, |stock| stock.incomplete);
    let mut text = format!(
        "  For {}, the closed form gives {}, and the simulation of the unmodified stack {}{}",
        if found.stays { "staying" } else { "the handover" },
        amount(advice, found.closed_form),
        at_least(if found.stays { advice.stays_incomplete } else { stock_incomplete }),
        amount(advice, found.simulated.mean)
    );
    if found.causes.is_empty() {
        return text + "; the records show no cause.\n";
    }
    text += ". Effects that it ignores:\n";
    for cause in &found.causes {
        text += &format!("    {}\n", format_cause(cause));
    }
    text + &format!("    {}\n", explained_part(advice, found))
}

/// How much of the difference the causes explain.
fn explained_part(advice: &Advice, found: &Disagreement) -> String {
    let difference = (found.simulated.mean - found.closed_form).abs();
    let rest = difference - found.accounted;
    let [whole, accounted, rest_text] = [difference, found.accounted, rest].map(|it| amount(advice, it));
    if found.accounted <= 0.0 {
        return format!(
            "together: none of these effects is measured in seconds, so nothing of the difference of {whole} is explained"
        );
    }
    let is_limited = found.causes.iter().any(|cause| matches!(cause, Cause::WindowLimited { .. }));
    let window = if is_limited { "and that window " } else { "" };
    if rest > 0.0 {
        return format!(
            "together: these seconds {window}explain at most {accounted} of the difference of {whole}; {rest_text} remain unexplained"
        );
    }
    format!(
        "together: these seconds {window}explain up to {accounted} of the difference of {whole} (some data was delivered during them)"
    )
}

fn on_links(on: &[OnLink]) -> String {
    let each: Vec<String> = on.iter().map(|on| format!("{} on {}", time(on.seconds), on.link)).collect();
    each.join(" and ")
}

fn format_slow_start(begun: &Begun) -> String {
    let Begun { round_trips, round_trip_s, cost } = begun;
    format!(
        "{round_trips} round trips of {} on {}, computed cost {}",
        time(*round_trip_s),
        cost.link,
        time(cost.seconds)
    )
}

fn format_cause(cause: &Cause) -> String {
    match cause {
        Cause::SlowStart { begun } => {
            format!("slow start: {}", begun.iter().map(format_slow_start).collect::<Vec<_>>().join("; "))
        }
        Cause::Timer { on, timeouts } => format!(
            "timer: the flow waited {} for its retransmission timer after the link was up again ({} timeouts per run)",
            on_links(on),
            count(*timeouts)
        ),
        Cause::SlowRecovery { on, not_regained } => {
            let mut parts = Vec::new();
            if !on.is_empty() {
                parts.push(format!(
                    "data arrived again, but it took another {} until the previous goodput was reached",
                    on_links(on)
                ));
            }
            if *not_regained > 0.0 {
                parts.push(format!("not recovered after {} handovers per run", count(*not_regained)));
            }
            format!("recovery: {}", parts.join("; "))
        }
        Cause::VaryingConditions { link, payload_bits_per_second } => format!(
            "conditions of {link} vary over time; the closed form uses a constant {} of payload",
            bit_rate(*payload_bits_per_second)
        ),
        Cause::WindowLimited { link, window_bytes, share } => format!(
            "window-limited: a window of at most {} fills {} % of {link}",
            bytes(*window_bytes as u64),
            digits(share * 100.0)
        ),
        Cause::LossLimited { link, share } => {
            format!(
                "loss-limited: in the long run the losses limit this TCP to {} % of {link}",
                digits(share * 100.0)
            )
        }
        Cause::QueueOverflow { packets } => {
            format!("queue overflow: full queues dropped {} packets per run", count(*packets))
        }
        Cause::LostAtHandovers { packets } => {
            format!("losses: {} packets per run were lost at handovers", count(*packets))
        }
    }
}
