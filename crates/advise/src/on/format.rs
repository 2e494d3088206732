//! Format the answer as text: what to do first, then what was asked, the table, and how to install it.

use super::answer::{CandidateAdvice, PathAdvice, PathVerdict};
use super::format_table::table;
use super::judge::DELAY_INDIFFERENCE;
use super::path::Source;
use crate::question::Traffic;
use crate::significance::INDIFFERENCE;
use seamline_report::quantity::{bit_rate, bytes, millis, plural};
use seamline_report::statistics::Estimate;
use seamline_report::text_table::{aligned, indented};
use std::fmt::Write;

/// The answer as text for a terminal.
pub fn format_path_advice(advice: &PathAdvice) -> String {
    format!(
        "{}\n{}\n{}\n{}{}",
        verdict(advice),
        setting(advice),
        table(advice),
        together(advice),
        installation(advice)
    )
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// `23.1 % (95 % interval 18.0 % to 28.2 %)`.
fn share_of(gain: &Estimate) -> String {
    let interval = match (gain.low, gain.high) {
        (Some(low), Some(high)) => format!(" (95 % interval {} to {})", percent(low), percent(high)),
        _ => String::new(),
    };
    format!("{}{interval}", percent(gain.mean))
}

/// What of several is installed where: `bbr at the server and snoop at the gateway`.
fn named(advice: &PathAdvice, names: &[String]) -> String {
    let at = |name: &String| {
        let installed = advice.candidate(name).map_or("", |it| it.installed.as_str());
        format!("{name} at {}", with_article(installed))
    };
    let all: Vec<String> = names.iter().map(at).collect();
    all.join(" and ")
}

fn with_article(place: &str) -> String {
    match place {
        "both ends" => place.to_owned(),
        "bottleneck, an end" => "the bottleneck and at an end".to_owned(),
        "gateway, mobile router" => "the gateway and the mobile router".to_owned(),
        place => format!("the {place}"),
    }
}

fn verdict(advice: &PathAdvice) -> String {
    let names = match &advice.verdict {
        PathVerdict::Use { candidate } => std::slice::from_ref(candidate),
        PathVerdict::UseTogether { candidates } => candidates,
        PathVerdict::LeaveIt => return leave_it(advice) + &shorter(advice),
        PathVerdict::NothingToCompare => {
            return "No answer: no transfer of today's hosts was complete in time, so gains have no measure. Use a smaller --file, or --horizon \"30 s\".\n".to_owned();
        }
    };
    let found = advice.confirmed(&names.join(" + "));
    let Some((found, gain)) = found.and_then(|found| Some((found, found.gain?))) else {
        return leave_it(advice);
    };
    let least = if gain.low.is_none() { "at least " } else { "" };
    format!(
        "Use {}: {least}{} {} than CUBIC, which most hosts use today{}.\n{}",
        named(advice, names),
        share_of(&gain),
        advice.question.traffic.pick("less time", "more goodput"),
        round_trips(advice, found),
        shorter(advice)
    )
}

/// What becomes of the round trips, when it is not negligible.
fn round_trips(advice: &PathAdvice, found: &CandidateAdvice) -> String {
    let Some(today) = advice.confirmed.first() else { return String::new() };
    let word = match found.round_trip_cut {
        Some(cut) if cut.mean > DELAY_INDIFFERENCE => "and",
        Some(cut) if cut.mean < -DELAY_INDIFFERENCE => "but",
        _ => return String::new(),
    };
    format!(", {word} round trips of {}", in_place_of(found, today))
}

/// `84.0 ms in place of 163 ms in the median and ... at 95 %`.
fn in_place_of(found: &CandidateAdvice, today: &CandidateAdvice) -> String {
    let shown = |it: Option<Estimate>| it.map_or_else(|| "-".to_owned(), |it| millis(it.mean));
    format!(
        "{} in place of {} in the median and {} in place of {} at 95 %",
        shown(found.round_trip_median_ms),
        shown(today.round_trip_median_ms),
        shown(found.round_trip_p95_ms),
        shown(today.round_trip_p95_ms)
    )
}

fn leave_it(advice: &PathAdvice) -> String {
    let what =
        advice.question.traffic.pick("is significantly faster than", "has significantly more goodput than");
    let one = format!("{:.0} %", INDIFFERENCE * 100.0);
    let mut text = format!("Leave it: nothing {what} CUBIC, which most hosts use today, by more than {one}.");
    if let Some((best, gain)) = most_promising(advice) {
        let _ =
            write!(text, " The most promising, {}, has {}: more seeds may tell.", best.name, share_of(&gain));
    }
    text + "\n"
}

/// The candidate with the greatest gain that may still be one, under the other seeds where it was run with them.
fn most_promising(advice: &PathAdvice) -> Option<(&CandidateAdvice, Estimate)> {
    let all = if advice.confirmed.is_empty() { &advice.candidates } else { &advice.confirmed };
    let gains = all.iter().filter_map(|it| Some((it, it.gain?)));
    let open = gains.filter(|(_, gain)| gain.mean > INDIFFERENCE && gain.high.is_some());
    open.max_by(|one, other| one.1.mean.total_cmp(&other.1.mean))
}

/// What else there is: less delay, or more goodput at its price.
fn shorter(advice: &PathAdvice) -> String {
    let kinds = [
        ("For shorter round trips", advice.shorter_round_trips.as_deref()),
        ("Not advised, for round trips more than double", advice.at_the_price_of_delay.as_deref()),
    ];
    let line = |(why, name): (&str, Option<&str>)| {
        let (found, today) = (advice.confirmed(name?)?, advice.confirmed.first()?);
        Some(format!(
            "{why}: {} has round trips of {}; {} gained: {}.\n",
            named(advice, std::slice::from_ref(&found.name)),
            in_place_of(found, today),
            unit(advice),
            share_of(&found.gain?)
        ))
    };
    kinds.into_iter().filter_map(line).collect()
}

fn setting(advice: &PathAdvice) -> String {
    let path = &advice.question.path;
    let mut text = String::new();
    for read in &path.recordings {
        let _ = writeln!(text, "{} read as {}: {}", read.file, read.format, read.summary);
        read.notes.iter().for_each(|note| text += &format!("  {note}\n"));
    }
    let from = |source: Source, option: &str| match source {
        Source::Recording => "mean of the recording, in which it varies".to_owned(),
        Source::Option => format!("given by {option}"),
    };
    let rate = bit_rate(path.rate.value.bits_per_second() as f64);
    let round_trip = millis(path.round_trip.value.as_millis_f64());
    let loss = match path.loss {
        Some(loss) => format!("{} ({})", percent(loss.value), from(loss.from, "--loss")),
        None => "none: not in the recording, and not given by --loss".to_owned(),
    };
    let _ = writeln!(text, "  rate        {rate} ({})", from(path.rate.from, "--rate"));
    let _ = writeln!(text, "  round trip  {round_trip} ({})", from(path.round_trip.from, "--round-trip"));
    let _ = writeln!(text, "  lost        {loss}");
    let _ = writeln!(
        text,
        "  handovers   {}",
        if path.handovers == 0 {
            "none in the recording".to_owned()
        } else {
            format!("{} in the recording", path.handovers)
        }
    );
    let _ = writeln!(text, "  queue       before the bottleneck: {}", path.queue_text);
    text + &runs(advice)
}

fn runs(advice: &PathAdvice) -> String {
    let question = &advice.question;
    let what = match question.traffic {
        Traffic::File(size) => format!("a file of {}", bytes(size)),
        Traffic::Horizon(span) => format!("a flow without end, watched for {span}"),
    };
    let way = if question.upload { "the host sends" } else { "the host receives" };
    let recording = &advice.recording;
    let place = match recording.begins_within_s {
        Some(within) => format!(
            "each begins at another place in the first {} of the recording; intervals cover these places, not other recordings",
            millis(within * 1e3)
        ),
        None => {
            "all begin at the same place of the recording; intervals do not cover other places".to_owned()
        }
    };
    format!(
        "  traffic     {what}; {way}; the server is next to the gateway, so all of the delay is behind the gateway\n  \
           runs        {}: {} for each candidate; {place}\n",
        advice.runs,
        plural(advice.seeds as usize, "seed"),
    )
}

/// What the best bring under other seeds, alone and together.
fn together(advice: &PathAdvice) -> String {
    let mut text = String::new();
    let Some(today) = advice.confirmed.first() else { return text };
    let seeds = today.outcome.samples;
    let comparisons = 2 * (advice.confirmed.len() - 1);
    let again = advice.confirmed.iter().skip(1).filter_map(|it| Some((it, it.gain?)));
    let _ = writeln!(
        text,
        "Run again with {seeds} other seeds, which had no part in choosing (significant for all {comparisons} comparisons together); gains over today's:"
    );
    let rows = again.map(|(it, gain)| {
        let sure = if it.is_gain { "" } else { "not significantly more than 1 %" };
        vec![it.name.clone(), share_of(&gain), sure.to_owned()]
    });
    text += &indented(&aligned(&rows.collect::<Vec<_>>(), "lrl"));
    if let Some(combination) = &advice.combination {
        let (names, more) = (combination.candidates.join(" and "), share_of(&combination.over_best));
        let so = if combination.is_more { "so all of it is advised" } else { "so the best alone is advised" };
        let _ = writeln!(text, "  {names} against the best alone: {more} of today's {}; {so}", unit(advice));
    }
    text + "\n"
}

fn unit(advice: &PathAdvice) -> &'static str {
    advice.question.traffic.pick("time", "goodput")
}

fn installation(advice: &PathAdvice) -> String {
    let mut names: Vec<&String> = match &advice.verdict {
        PathVerdict::Use { candidate } => vec![candidate],
        PathVerdict::UseTogether { candidates } => candidates.iter().collect(),
        PathVerdict::LeaveIt | PathVerdict::NothingToCompare => Vec::new(),
    };
    names.extend(advice.shorter_round_trips.as_ref());
    let line = |it: &CandidateAdvice| {
        format!("Install {} at {}: {}\n", it.name, with_article(&it.installed), it.how)
    };
    names.into_iter().filter_map(|name| advice.candidate(name)).map(line).collect()
}
