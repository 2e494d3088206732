//! The question as a scenario.

use crate::advice::Advice;
use crate::link::AccessLink;
use crate::question::{Question, Traffic};
use crate::search::span;
use seamline_config::units::GREATEST_RATE;
use seamline_tcp::handover::{self, Scheme};
use seamline_wire::Duration;

/// The times of the handover and of the return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Way {
    /// From the start of the flow to the handover.
    pub(crate) at: Duration,
    /// At the handover and at the return.
    pub(crate) interruption: Duration,
    /// From the handover to the return, no less than the interruption; `None` without a return.
    pub(crate) stay: Option<Duration>,
}

/// The name of the host that the mobile one talks to.
pub(crate) const SERVER: &str = "server";
/// The name of the mobile host.
pub(crate) const MOBILE: &str = "mobile";

/// The links behind the base stations, whose conditions may vary over time: the old one and the new one.
pub(crate) const RECORDED_LINKS: [&str; 2] = ["to-old", "to-new"];

/// The scenario of an answer, for `--out`: the requested handover, with the scheme to deploy if there is one. `None`
/// where no handover completes.
pub fn to_keep(question: &Question, advice: &Advice) -> Option<String> {
    let stock = advice.stock().and_then(|stock| stock.outcome)?;
    let scheme = advice.deploy.as_deref().and_then(handover::find);
    let duration = match question.traffic {
        Traffic::File(_) => span((2.0 * advice.stays.mean.max(stock.mean)).max(1.0)),
        Traffic::Horizon(span) => span,
    };
    let last_move = question.at + question.stay.unwrap_or(Duration::ZERO) + question.interruption;
    let duration = duration.max(last_move + Duration::from_secs(1));
    Some(remarks(question, advice) + &text(question, scheme, duration))
}

/// Comments on what the seeds vary in `advise` and a scenario file cannot express.
fn remarks(question: &Question, advice: &Advice) -> String {
    let mut text = format!(
        "# One handover as `seamline advise` was asked about. There each seed also draws its time, from {} to {} after the\n\
         # start; here it is the earliest of these under all seeds.\n",
        question.at,
        question.at + question.from.round_trip
    );
    for recording in &advice.recordings {
        if let Some(within) = recording.begins_within_s {
            text += &format!(
                "# There each seed starts at a different offset in the first {within} s of the recording of {}; here all start at its beginning.\n",
                recording.link
            );
        }
    }
    text + "\n"
}

/// The scenario of a question under a scheme, with the requested interruption and stay.
pub fn text(question: &Question, scheme: Option<&Scheme>, duration: Duration) -> String {
    let way = Way { at: question.at, interruption: question.interruption, stay: question.stay };
    text_of(question, scheme, Some(way), duration)
}

/// Without `way` the host stays where it is.
pub(crate) fn text_of(
    question: &Question,
    scheme: Option<&Scheme>,
    way: Option<Way>,
    duration: Duration,
) -> String {
    let mut text = format!(
        "title = \"Handover from one link to another\"\nduration = \"{} ns\"\nseeds = {}\n\
         nodes = [\"{SERVER}\", \"gateway\", \"station-old\", \"station-new\", \"{MOBILE}\"]\n\n",
        duration.as_nanos(),
        question.seeds
    );
    text += &wire("internet", SERVER, "gateway", question);
    for (name, link) in [("old", &question.from), ("new", &question.to)] {
        text += &link_behind(name, link, question);
        text += &cell(name, link, question);
    }
    text + &mobile(question, scheme, way) + &flow(question, scheme)
}

/// The rate of the wired links. They are faster than either link, up to the maximum rate, so that no queue builds up
/// before them.
fn wire_rate(question: &Question) -> u64 {
    let faster = question.from.rate.bits_per_second().max(question.to.rate.bits_per_second());
    (100 * faster).min(GREATEST_RATE.bits_per_second())
}

fn wire(name: &str, from: &str, to: &str, question: &Question) -> String {
    format!(
        "[[link]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"{} bit/s\"\none_way_delay = \"0 s\"\n\n",
        wire_rate(question)
    )
}

fn conditions(link: &AccessLink) -> String {
    format!(
        "rate = \"{} bit/s\"\none_way_delay = \"{} ns\"\n{}",
        link.rate.bits_per_second(),
        link.round_trip.as_nanos() / 2,
        link.tables
    )
}

/// The air of a radio cell has constant conditions; a link whose conditions vary is placed behind the base station.
fn link_behind(name: &str, link: &AccessLink, question: &Question) -> String {
    let to = format!("station-{name}");
    if !link.scheduled {
        return wire(&format!("to-{name}"), "gateway", &to, question);
    }
    format!("[[link]]\nname = \"to-{name}\"\nfrom = \"gateway\"\nto = \"{to}\"\n{}\n", conditions(link))
}

/// The link-up notification carries the round-trip time, unless it varies over time.
fn cell(name: &str, link: &AccessLink, question: &Question) -> String {
    let air = match link.scheduled {
        false => {
            let known = link.round_trip.as_nanos();
            format!("{}known_round_trip_time = \"{known} ns\"\n", conditions(link))
        }
        true => format!("rate = \"{} bit/s\"\none_way_delay = \"0 s\"\n", wire_rate(question)),
    };
    let forward = question.forward.as_ref();
    let forward = forward.map(|most| format!("forward_departed = \"{most}\"\n")).unwrap_or_default();
    format!(
        "[[cell]]\nname = \"{name}\"\nbase_station = \"station-{name}\"\n{air}in_flight_upwards = \"drop\"\n{forward}\n"
    )
}

fn mobile(question: &Question, scheme: Option<&Scheme>, way: Option<Way>) -> String {
    let mut moves = Vec::new();
    if let Some(way) = way {
        moves.push(format!("{{ at = \"{} ns\", cell = \"new\" }}", way.at.as_nanos()));
        let back = way.stay.map(|stay| way.at + stay);
        moves.extend(back.map(|back| format!("{{ at = \"{} ns\", cell = \"old\" }}", back.as_nanos())));
    }
    let interruption = way.map_or(0, |way| way.interruption.as_nanos());
    let notice = match scheme {
        Some(scheme) if scheme.traits.needs_prediction => {
            format!(" lead = \"{} ns\" ", question.lead.as_nanos())
        }
        _ => String::new(),
    };
    format!(
        "[[mobile]]\nname = \"{MOBILE}\"\ncells = [\"old\", \"new\"]\nprotocol = {{ kind = \"none\" }}\nnotice = {{{notice}}}\n\
         movement = {{ interruption = \"{interruption} ns\", timetable = [{}] }}\n\n",
        moves.join(", ")
    )
}

fn flow(question: &Question, scheme: Option<&Scheme>) -> String {
    let size = match question.traffic {
        Traffic::File(bytes) => format!("size = \"{bytes} B\"\n"),
        Traffic::Horizon(_) => String::new(),
    };
    let (name, from, to) = match question.upload {
        false => ("download", SERVER, MOBILE),
        true => ("upload", MOBILE, SERVER),
    };
    format!(
        "[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\nvariant = \"{}\"\nprofile = \"{}\"\nhandover = \"{}\"\n{size}",
        question.variant,
        question.profile,
        scheme.map_or("none", |scheme| scheme.name)
    )
}
