//! The closed form beside the simulation, and why they differ.

use super::{amount, at_least, time};
use crate::advice::Advice;
use crate::causes::{Begun, Cause, Disagreement, OnLink, TOLERANCE};
use seamline_report::quantity::{bit_rate, bytes, count, digits};

pub(super) fn closed_form(advice: &Advice) -> String {
    let form = &advice.closed_form;
    let [old, new] = form.payload_bits_per_second;
    let bound = |found: Option<f64>| found.map_or("never".to_owned(), time);
    let mut text = format!(
        "Closed form (links that are always full, {} and {} of payload): stays {}, {}; t*_MAX {}, T_MIN {}\n",
        bit_rate(old),
        bit_rate(new),
        amount(advice, form.stays),
        handover(advice),
        bound(form.longest_interruption_s),
        bound(form.shortest_stay_s)
    );
    for (link, left) in [&advice.from, &advice.to].into_iter().zip(form.window_limited_bits_per_second) {
        if let Some(left) = left {
            text += &format!(
                "  (a window of at most {} leaves {} of {})\n",
                bytes(form.window_bytes as u64),
                bit_rate(left),
                link.name
            );
        }
    }
    for (link, left) in [&advice.from, &advice.to].into_iter().zip(form.loss_limited_bits_per_second) {
        if let Some(left) = left {
            text += &format!(
                "  (in the long run random losses alone leave {} of {})\n",
                bit_rate(left),
                link.name
            );
        }
    }
    text += &agreement(advice);
    text + &advice.disagreements.iter().map(|found| disagreement(advice, found)).collect::<String>()
}

fn handover(advice: &Advice) -> String {
    if advice.stay_s.is_some_and(|stay| advice.interruption_s >= stay) {
        return "no handover that is complete".to_owned();
    }
    format!("hands over {}", amount(advice, advice.closed_form.moves))
}

/// What was simulated and is as it says.
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
            "  For {about} the simulation of the stack as it is agrees, within {:.0} % or the interval of its mean.\n",
            TOLERANCE * 100.0
        );
    }
    if !was_simulated {
        text += "  A handover as asked was not simulated.\n";
    }
    text
}

fn disagreement(advice: &Advice, found: &Disagreement) -> String {
    let stock_incomplete = advice.stock().map_or(0, |stock| stock.incomplete);
    let mut text = format!(
        "  It says {} for {}, the simulation of the stack as it is {}{}",
        amount(advice, found.closed_form),
        if found.stays { "staying" } else { "the handover" },
        at_least(if found.stays { advice.stays_incomplete } else { stock_incomplete }),
        amount(advice, found.simulated.mean)
    );
    if found.causes.is_empty() {
        return text + "; the records show no reason.\n";
    }
    text += ". What it leaves out:\n";
    for cause in &found.causes {
        text += &format!("    {}\n", cause_text(cause));
    }
    text + &format!("    {}\n", the_rest(advice, found))
}

/// How much of the difference the causes explain, if nothing is delivered while they last.
fn the_rest(advice: &Advice, found: &Disagreement) -> String {
    let difference = (found.simulated.mean - found.closed_form).abs();
    let rest = difference - found.accounted;
    let [whole, accounted, rest_text] = [difference, found.accounted, rest].map(|it| amount(advice, it));
    if found.accounted <= 0.0 {
        return format!(
            "together: none of these is measured in seconds, so nothing of the difference of {whole} is explained"
        );
    }
    let is_limited = found.causes.iter().any(|cause| matches!(cause, Cause::WindowLimited { .. }));
    let window = if is_limited { "(with that window) " } else { "" };
    if rest > 0.0 {
        return format!(
            "together these explain {window}up to {accounted} of the difference of {whole}; the remaining {rest_text} is not explained"
        );
    }
    format!(
        "together these explain {window}up to {accounted} of the difference of {whole} (they overlap: some data was delivered during them)"
    )
}

fn on_links(on: &[OnLink]) -> String {
    let each: Vec<String> = on.iter().map(|on| format!("{} on {}", time(on.seconds), on.link)).collect();
    each.join(" and ")
}

fn begun_on(begun: &Begun) -> String {
    let Begun { round_trips, round_trip_s, cost } = begun;
    format!(
        "{round_trips} round trips of {} on {}, by arithmetic {}",
        time(*round_trip_s),
        cost.link,
        time(cost.seconds)
    )
}

fn cause_text(cause: &Cause) -> String {
    match cause {
        Cause::SlowStart { begun } => {
            format!("slow start: {}", begun.iter().map(begun_on).collect::<Vec<_>>().join("; "))
        }
        Cause::Timer { on, timeouts } => format!(
            "timer: the flow waited {} for its retransmission timer after the link was back ({} timeouts a run)",
            on_links(on),
            count(*timeouts)
        ),
        Cause::SlowRecovery { on, not_regained } => {
            let mut parts = Vec::new();
            if !on.is_empty() {
                parts.push(format!("data came again, but it took {} more to be at pace", on_links(on)));
            }
            if *not_regained > 0.0 {
                parts.push(format!("pace not regained after {} handovers a run", count(*not_regained)));
            }
            format!("recovery: {}", parts.join("; "))
        }
        Cause::VaryingConditions { link, payload_bits_per_second } => format!(
            "conditions of {link} change over time; the closed form takes {} of payload throughout",
            bit_rate(*payload_bits_per_second)
        ),
        Cause::WindowLimited { link, window_bytes, share } => format!(
            "window-limited: a window of at most {} fills {} % of {link}",
            bytes(*window_bytes as u64),
            digits(share * 100.0)
        ),
        Cause::LossLimited { link, share } => {
            format!(
                "loss-limited: in the long run this TCP fills {} % of {link} at its losses",
                digits(share * 100.0)
            )
        }
        Cause::QueueOverflow { packets } => {
            format!("queue overflow: {} packets a run found a queue full", count(*packets))
        }
        Cause::LostAtHandovers { packets } => {
            format!("losses: {} packets a run were lost at handovers", count(*packets))
        }
    }
}
