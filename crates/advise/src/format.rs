//! Format the answer as text: the verdict first, then the schemes, the closed form, and what to deploy.

mod closed_form;
mod kernel;
mod table;

use crate::advice::{Advice, SchemeAdvice, Verdict};
use crate::question::Traffic;
use crate::recording::Recording;
use crate::significance::INDIFFERENCE;
use crate::solve::MOBILE_END;
use closed_form::closed_form;
use seamline_report::quantity::{bit_rate, bytes, digits, millis};
use seamline_report::statistics::Estimate;
use seamline_wire::Duration;
use table::table;
pub use table::to_table;

/// The answer as text for a terminal.
pub fn format_advice(advice: &Advice) -> String {
    let mut text = format!("{}\n{}\n{}", verdict(advice), kernel::check(advice), setting(advice));
    if advice.verdict != Verdict::NothingToDecide {
        text += &format!("\n{}", table(advice));
    }
    text += &format!("\n{}\n{}", closed_form(advice), deployment(advice));
    text
}

/// A span of time.
fn time(seconds: f64) -> String {
    if seconds < 0.0 { format!("-{}", millis(-seconds * 1e3)) } else { millis(seconds * 1e3) }
}

/// A transfer time, or an amount of data.
fn amount(advice: &Advice, value: f64) -> String {
    match advice.question.traffic {
        Traffic::File(_) => time(value),
        Traffic::Horizon(_) if value < 0.0 => format!("-{}", bytes(-value as u64)),
        Traffic::Horizon(_) => bytes(value as u64),
    }
}

/// `12.3 s (95 % interval 10.1 s to 14.5 s)`; the absolute value of a gain or a loss.
fn with_interval(advice: &Advice, value: &Estimate) -> String {
    let (low, high) = value.ends();
    let (low, high) = if value.mean < 0.0 { (-high, -low) } else { (low, high) };
    let interval = match value.low {
        Some(_) => format!(" (95 % interval {} to {})", amount(advice, low), amount(advice, high)),
        None => String::new(),
    };
    format!("{}{interval}", amount(advice, value.mean.abs()))
}

/// Of runs that ended without the whole file only a lower bound of the time is known.
fn at_least(incomplete: usize) -> &'static str {
    if incomplete > 0 { "at least " } else { "" }
}

/// The prefix of a difference: a lower bound when the first of two is incomplete, an upper bound when the second is.
fn bounded(gain: &Estimate, first_incomplete: usize, second_incomplete: usize) -> &'static str {
    match (first_incomplete > 0, second_incomplete > 0) {
        (false, false) => "",
        (first, _) if first == (gain.mean >= 0.0) => "at least ",
        _ => "at most ",
    }
}

fn sooner(advice: &Advice, gain: &Estimate) -> String {
    let [gained, lost] = advice.question.traffic.pick(["sooner", "later"], ["more", "less"]);
    let what = if gain.mean < 0.0 { lost } else { gained };
    format!("{} {what}", with_interval(advice, gain))
}

/// The gain of a scheme over staying; unknown when both are incomplete.
fn sooner_than_staying(advice: &Advice, scheme: Option<&SchemeAdvice>) -> Option<String> {
    let scheme = scheme?;
    let gain = scheme.gain?;
    let bounded = bounded(&gain, advice.stays_incomplete, scheme.incomplete);
    Some(format!("{bounded}{}", sooner(advice, &gain)))
}

/// Why there is no clear difference.
fn no_difference(advice: &Advice) -> String {
    let gain = advice.stock().and_then(|stock| stock.gain);
    let ends = gain.map(|gain| gain.ends()).filter(|_| gain.is_some_and(|gain| gain.low.is_some()));
    if ends.is_some_and(|(low, high)| low.abs().max(high.abs()) <= advice.indifference) {
        return format!("That is less than {} and therefore negligible.", indifference());
    }
    "Use more seeds for a clearer answer.".to_owned()
}

/// `1 % of staying`.
fn indifference() -> String {
    format!("{:.0} % of staying", INDIFFERENCE * 100.0)
}

fn verdict(advice: &Advice) -> String {
    let stock = sooner_than_staying(advice, advice.stock());
    let what = match advice.question.traffic {
        Traffic::File(size) => format!("the file of {} arrives", bytes(size)),
        Traffic::Horizon(span) => format!("a flow without end delivers within {span}"),
    };
    let than = format!("than on {} alone", advice.question.from.name);
    let is_known = stock.is_some();
    let stock = stock.unwrap_or_else(|| "an unknown amount sooner or later".to_owned());
    match &advice.verdict {
        Verdict::NoClearDifference if !is_known => format!(
            "No clear difference: runs end without the whole file, both on {} alone and after a handover with the unmodified stack.",
            advice.question.from.name
        ),
        Verdict::HandOver => format!("Hand over: with the unmodified stack, {what} {stock} {than}."),
        Verdict::HandOverWith { scheme } => {
            let with = sooner_than_staying(advice, advice.scheme(scheme)).unwrap_or_default();
            format!("Hand over only with {scheme}: {what} {with} {than}; with the unmodified stack {stock}.")
        }
        Verdict::Stay => format!("Stay: after a handover with the unmodified stack, {what} {stock} {than}."),
        Verdict::NoClearDifference => format!(
            "No clear difference: after a handover with the unmodified stack, {what} {stock} {than}. {}",
            no_difference(advice)
        ),
        Verdict::NeverComplete => format!(
            "Stay: the handover takes {}, but the host must return after {}, before it completes.",
            time(advice.question.interruption.as_secs_f64()),
            time(advice.question.stay.unwrap_or(Duration::ZERO).as_secs_f64())
        ),
        Verdict::NothingToDecide => format!(
            "Nothing to decide: {what} after {}, before the handover at {} would begin.",
            with_interval(advice, &advice.stays),
            time(advice.question.at.as_secs_f64())
        ),
    }
}

fn setting(advice: &Advice) -> String {
    let stay = match advice.question.stay {
        Some(stay) => format!("return {} later", time(stay.as_secs_f64())),
        None => "no return".to_owned(),
    };
    let mut text = format!(
        "Handover at {}, {stay}. Each time, no packets pass for {}. Packets in flight are lost, and {}.\n",
        time(advice.question.at.as_secs_f64()),
        time(advice.question.interruption.as_secs_f64()),
        match &advice.question.forward {
            Some(most) => format!("base stations buffer and forward up to {most} for the host meanwhile"),
            None => "so are packets that wait or arrive for the host meanwhile".to_owned(),
        }
    );
    for (which, link) in [("from", &advice.question.from), ("to", &advice.question.to)] {
        text += &format!(
            "  {which:<4}  {}: {}, round trip {}{}  [{}]\n",
            link.name,
            bit_rate(link.rate.bits_per_second() as f64),
            time(link.round_trip.as_secs_f64()),
            link.loss.map(|loss| format!(", {} % lost", digits(loss * 100.0))).unwrap_or_default(),
            link.source
        );
    }
    text += &advice.recordings.iter().map(|it| recording(advice, it)).collect::<String>();
    text + &format!(
        "  TCP   {}, {}{}; schemes that need it are notified {} before a handover\n  \
         {} runs: {} seeds each as requested, {} for each probe of a bound; a seed also draws the time of the handover,\n  \
         up to a round trip of {} later\n",
        advice.question.variant,
        match &advice.question.stack {
            Some(stack) => format!("of {stack}"),
            None => format!("profile {}", advice.question.profile),
        },
        if advice.question.upload { ", the host sends" } else { "" },
        time(advice.question.lead.as_secs_f64()),
        advice.runs,
        advice.question.seeds,
        advice.effort.seeds,
        advice.question.from.name
    )
}

/// Which part of a recording the intervals cover.
fn recording(advice: &Advice, recording: &Recording) -> String {
    let Recording { link, length_s, repeats, begins_within_s, .. } = recording;
    let length = time(*length_s);
    let end = if *repeats { "and repeats" } else { "and keeps its last values" };
    match begins_within_s {
        Some(within) => {
            let longest = within + advice.longest_run_s;
            let beyond = match longest > *length_s && !*repeats {
                true => format!("; the longest run may extend {} beyond its end", time(longest - length_s)),
                false => String::new(),
            };
            format!(
                "  each seed starts at a different offset in the first {} of the recording of {link}, which is {length} long {end}{beyond}; \
                 intervals cover these offsets, not other recordings\n",
                time(*within)
            )
        }
        None => format!(
            "  every seed starts at the same offset of the recording of {link}, which is {length} long {end}: the answer covers the {} \
             from there, and intervals do not cover other offsets\n",
            time(advice.longest_run_s)
        ),
    }
}

fn deployment(advice: &Advice) -> String {
    let Some(scheme) = advice.deploy.as_deref().and_then(|name| advice.scheme(name)) else {
        return match advice.verdict {
            Verdict::NothingToDecide | Verdict::NeverComplete => "Deploy: nothing.\n".to_owned(),
            _ => format!(
                "Deploy: nothing. No scheme is significantly better (5 % level for all schemes together) than the unmodified stack \
                 and than staying, by more than {}.\n",
                indifference()
            ),
        };
    };
    let stock = advice.stock().and_then(|stock| stock.outcome).map_or(f64::NAN, |outcome| outcome.mean);
    let share = |over: f64| digits(over.abs() / stock * 100.0);
    let stock_incomplete = advice.stock().map_or(0, |stock| stock.incomplete);
    let over = scheme.over_stock.map(|over| {
        let bounded = bounded(&over, stock_incomplete, scheme.incomplete);
        format!("{bounded}{}, or {} %,", sooner(advice, &over), share(over.mean))
    });
    let over = over.unwrap_or_default();
    let needs = if scheme.needs_prediction {
        format!(
            "; it must be notified of a handover in advance, here by {}",
            time(advice.question.lead.as_secs_f64())
        )
    } else {
        String::new()
    };
    format!(
        "Deploy: {}, at {}: {over} than the unmodified stack with the same handover{needs} [{}].\n",
        scheme.name,
        if scheme.installed.as_deref() == Some(MOBILE_END) { "the mobile end alone" } else { "both ends" },
        scheme.cite.as_deref().unwrap_or_default()
    )
}
