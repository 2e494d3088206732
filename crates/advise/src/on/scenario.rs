//! A candidate as a scenario.

use super::answer::PathAdvice;
use super::candidates::{Change, PROFILE, TODAY};
use super::question::PathQuestion;
use crate::question::Traffic;
use seamline_config::units::{GREATEST_RATE, LONGEST_TIME};
use seamline_scenario::schema::schedule::ScheduleSpec;
use seamline_wire::Duration;
use std::fmt::Write;

/// The name of the recorded link.
pub(super) const PATH: &str = "path";

/// The time limit of a transfer: this multiple of its time at the mean rate, and at least [`LEAST_LIMIT_S`].
const LIMIT_FACTOR: f64 = 20.0;
const LEAST_LIMIT_S: f64 = 120.0;
/// Nearly all transfers end within this multiple, and some round trips.
const EXPECTED_FACTOR: f64 = 3.0;
const EXPECTED_ROUND_TRIPS: f64 = 20.0;
/// Packets that the wired link before the recorded one holds: more than any window.
const WIRE_PACKETS: u32 = 1_000_000;

/// How long a run may last.
pub(super) fn limit(question: &PathQuestion) -> Duration {
    match question.traffic {
        Traffic::Horizon(span) => span,
        Traffic::File(_) => {
            let seconds =
                (LIMIT_FACTOR * at_mean_rate(question)).clamp(LEAST_LIMIT_S, LONGEST_TIME.as_secs_f64());
            Duration::from_secs_f64(seconds)
        }
    }
}

/// How long a run will last at the most, as a rule.
pub(super) fn expected(question: &PathQuestion) -> Duration {
    match question.traffic {
        Traffic::Horizon(span) => span,
        Traffic::File(_) => {
            let begins = EXPECTED_ROUND_TRIPS * question.path.round_trip.value.as_secs_f64();
            Duration::from_secs_f64(EXPECTED_FACTOR * at_mean_rate(question) + begins).min(limit(question))
        }
    }
}

fn at_mean_rate(question: &PathQuestion) -> f64 {
    question.bytes() * 8.0 / question.path.rate.value.bits_per_second() as f64
}

/// Whose conditions a scenario has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conditions {
    /// Those of the recording, which the scenario names.
    Recorded,
    /// The means. The recording is put in their place later.
    Means,
}

/// The scenario of today's hosts, for `--out`.
pub fn todays_scenario(question: &PathQuestion, advice: &PathAdvice) -> String {
    remarks(advice) + &text(question, &Change::default(), advice.seeds, Conditions::Recorded)
}

/// The scenario of what is advised, for `--out`; `None` when that is to change nothing.
pub fn advised_scenario(question: &PathQuestion, advice: &PathAdvice) -> Option<String> {
    let change = advice.advised_change.as_ref()?;
    Some(remarks(advice) + &text(question, change, advice.seeds, Conditions::Recorded))
}

/// What a scenario file cannot express.
fn remarks(advice: &PathAdvice) -> String {
    match advice.recording.begins_within_s {
        Some(within) => format!(
            "# `seamline advise --on` lets each seed begin at another place in the first {within:.1} s of the recording; here all begin at\n\
             # its beginning.\n\n"
        ),
        None => String::new(),
    }
}

/// The scenario of a candidate.
pub(super) fn text(question: &PathQuestion, change: &Change, seeds: u32, conditions: Conditions) -> String {
    let has_router = change.agent.as_ref().is_some_and(|agent| agent.at_router.is_some());
    let router = if has_router { "\"router\", " } else { "" };
    let mut text = format!(
        "title = \"Over a recorded path\"\nduration = \"{} ns\"\nseeds = {seeds}\n\
         nodes = [\"server\", \"gateway\", {router}\"host\"]\n\n",
        limit(question).as_nanos()
    );
    text += &wire(question, "internet", "server", "gateway");
    text += &path(question, change, conditions, if has_router { "router" } else { "host" });
    if has_router {
        text += &wire(question, "local", "router", "host");
    }
    text + &agents(change) + &flow(question, change)
}

/// A wired link that is faster than the recorded one, so that no queue builds up before it.
fn wire(question: &PathQuestion, name: &str, from: &str, to: &str) -> String {
    let rate =
        question.path.rate.value.bits_per_second().saturating_mul(100).min(GREATEST_RATE.bits_per_second());
    format!(
        "[[link]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"{rate} bit/s\"\none_way_delay = \"0 s\"\n\
         queue = {{ discipline = \"drop-tail\", limit = \"{WIRE_PACKETS} packets\" }}\n\n"
    )
}

fn path(question: &PathQuestion, change: &Change, conditions: Conditions, to: &str) -> String {
    let path = &question.path;
    let mut text = format!("[[link]]\nname = \"{PATH}\"\nfrom = \"gateway\"\nto = \"{to}\"\n");
    let is_recorded = conditions == Conditions::Recorded;
    let both = |has: fn(&ScheduleSpec) -> bool| path.means.schedules.iter().all(has);
    if !(is_recorded && both(ScheduleSpec::has_capacity)) {
        let _ = writeln!(text, "rate = \"{} bit/s\"", path.rate.value.bits_per_second());
    }
    if !(is_recorded && both(ScheduleSpec::has_delay)) {
        let _ = writeln!(text, "one_way_delay = \"{} ns\"", path.round_trip.value.as_nanos() / 2);
    }
    text += change.queue.as_deref().unwrap_or(&path.queue);
    if let Some(loss) = path.loss.filter(|loss| path.means.loss.is_none() && loss.value > 0.0) {
        let percent = loss.value * 100.0;
        let _ = writeln!(text, "loss = {{ model = \"bernoulli\", probability = \"{percent} %\" }}");
    }
    if is_recorded {
        let _ = writeln!(text, "{}", path.schedule);
    }
    let lead = change.lead.map(|lead| format!(", lead = \"{} ns\"", lead.as_nanos())).unwrap_or_default();
    if path.has_handovers() {
        let _ = writeln!(text, "notice = {{ to = \"host\"{lead} }}");
    }
    text + "\n"
}

fn agents(change: &Change) -> String {
    let Some(agent) = &change.agent else { return String::new() };
    let table = |name: &str, link: &str, keys: &str| {
        format!("[[agent]]\nname = \"{name}\"\nkind = \"{}\"\nlink = \"{link}\"\n{keys}\n", agent.kind)
    };
    let second = agent.at_router.map(|keys| table("router", "local", keys)).unwrap_or_default();
    table("gateway", PATH, agent.keys) + &second
}

fn flow(question: &PathQuestion, change: &Change) -> String {
    let size = match question.traffic {
        Traffic::File(bytes) => format!("size = \"{bytes} B\"\n"),
        Traffic::Horizon(_) => String::new(),
    };
    let keys: Vec<String> = change.tcp.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    let leocc = match question.path.reconfigurations {
        Some((first, every)) if change.variant == Some("leocc") => format!(
            "leocc = {{ first_reconfiguration = \"{} ns\", reconfigured_every = \"{} ns\" }}\n",
            first.as_nanos(),
            every.as_nanos()
        ),
        _ => String::new(),
    };
    let tcp = if keys.is_empty() { String::new() } else { format!("tcp = {{ {} }}\n", keys.join(", ")) };
    format!(
        "[[flow]]\nname = \"transfer\"\nfrom = \"{}\"\nto = \"{}\"\nvariant = \"{}\"\nprofile = \"{PROFILE}\"\nhandover = \"{}\"\n{tcp}{leocc}{size}",
        question.sender(),
        question.receiver(),
        change.variant.unwrap_or(TODAY),
        change.scheme.map_or("none", |scheme| scheme.name)
    )
}
