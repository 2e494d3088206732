//! Format one line for each scheme.

use super::{amount, at_least, bounded, time};
use crate::advice::{Advice, Bound, SchemeAdvice};
use seamline_report::export::table::Table;
use seamline_report::statistics::Estimate;
use seamline_report::text_table::TextTable;

/// In the column of schemes, for staying.
const NO_HANDOVER: &str = "no handover";

/// The schemes in columns, followed by a legend.
pub(super) fn table(advice: &Advice) -> String {
    let outcome = advice.question.traffic.pick("transfer time", "delivered");
    let head = ["scheme", outcome, "gain over staying", "t*_MAX", "T_MIN", "installed at"];
    let stays = format!("{}{}", at_least(advice.stays_incomplete), with_half_width(advice, &advice.stays));
    let mut staying = vec![NO_HANDOVER.to_owned(), stays];
    staying.resize(head.len(), String::new());
    let rows = advice.schemes.iter().map(|scheme| row(advice, scheme));
    let mut text = TextTable::new("l", head).with([staying]).with(rows).to_text();
    text += &format!(
        "  t*_MAX: the longest interruption for which the handover pays off, {}; T_MIN: the shortest stay for which it pays off, with an interruption of {}\n",
        advice.question.stay.map_or("without a return".to_owned(), |stay| format!(
            "with a stay of {}",
            time(stay.as_secs_f64())
        )),
        time(advice.question.interruption.as_secs_f64())
    );
    text + &incomplete(advice)
}

/// A row for staying, and for each scheme. Bounds are empty where the search found none.
pub fn to_table(advice: &Advice) -> Table {
    let (name, unit) = advice.question.traffic.pick(("completion", "s"), ("delivered", "bytes"));
    let rows = || std::iter::once(None::<&SchemeAdvice>).chain(advice.schemes.iter().map(Some));
    let found = |bound: &Option<Bound>| match bound {
        Some(Bound::At { seconds, .. }) => Some(*seconds),
        _ => None,
    };
    let kind = |bound: &Option<Bound>| bound.as_ref().map_or("", Bound::kind).to_owned();
    let of = |read: &dyn Fn(&SchemeAdvice) -> Option<String>| {
        rows().map(|row| row.and_then(read).unwrap_or_default()).collect::<Vec<_>>().into_iter()
    };
    Table::new("schemes")
        .text("scheme", rows().map(|row| row.map_or(NO_HANDOVER, |it| &it.name).to_owned()))
        .estimate(name, unit, rows().map(|row| row.map_or(Some(advice.stays), |it| it.outcome)))
        .whole(
            "incomplete_runs",
            rows().map(|row| row.map_or(advice.stays_incomplete, |it| it.incomplete) as u64),
        )
        .estimate("gain_over_staying", unit, rows().map(|row| row?.gain))
        .real("longest_interruption_s", rows().map(|row| found(&row?.longest_interruption)))
        .text("interruption_pays_off", of(&|it| Some(kind(&it.longest_interruption))))
        .real("shortest_stay_s", rows().map(|row| found(&row?.shortest_stay)))
        .text("stay_pays_off", of(&|it| Some(kind(&it.shortest_stay))))
        .text("installed_at", of(&|it| it.installed.clone()))
}

/// The note on runs that ended without the whole file.
fn incomplete(advice: &Advice) -> String {
    let moves: usize = advice.schemes.iter().map(|scheme| scheme.incomplete).sum();
    let Advice { stays_incomplete: stays, incomplete_probes: probes, .. } = advice;
    if stays + moves + probes == 0 {
        return String::new();
    }
    let mut text = format!(
        "  {stays} of {} runs of staying, {moves} runs of the requested handover and {probes} probes of bounds ended without the whole file; \
         their times are lower bounds (\"at least\")\n",
        advice.question.seeds
    );
    if *stays > 0 {
        text += "  bounds are not searched where staying never completes\n";
    }
    text
}

fn row(advice: &Advice, scheme: &SchemeAdvice) -> Vec<String> {
    let none = || "-".to_owned();
    let outcome = scheme.outcome.as_ref().map_or_else(none, |outcome| {
        format!("{}{}", at_least(scheme.incomplete), with_half_width(advice, outcome))
    });
    let gain = scheme.gain.as_ref().map_or_else(none, |gain| {
        let bounded = bounded(gain, advice.stays_incomplete, scheme.incomplete);
        let sure = match gain.mean {
            _ if scheme.gains => "",
            mean if mean <= 0.0 => "",
            mean if mean <= advice.indifference => " negligible",
            _ => " not significant",
        };
        format!("{bounded}{}{sure}", with_half_width(advice, gain))
    });
    let name = if scheme.name == "none" { "none (unmodified stack)" } else { &scheme.name };
    let limit =
        |found: &Option<Bound>, beyond: [&str; 2]| found.as_ref().map_or_else(none, |it| bound(it, beyond));
    vec![
        name.to_owned(),
        outcome,
        gain,
        limit(&scheme.longest_interruption, ["over ", "never"]),
        limit(&scheme.shortest_stay, ["under ", "never"]),
        scheme.installed.clone().unwrap_or_else(none),
    ]
}

fn bound(found: &Bound, [beyond, never]: [&str; 2]) -> String {
    match found {
        Bound::At { over_seeds: Some(over), resolution_s, .. } => {
            // The resolution of the search limits the precision.
            let half = over.half_width().unwrap_or(0.0).max(resolution_s / 2.0);
            format!("{} ± {}", time(over.mean), time(half))
        }
        Bound::At { seconds, .. } => format!("about {}", time(*seconds)),
        Bound::Always { probed_to_s } => format!("{beyond}{}", time(*probed_to_s)),
        Bound::Never { .. } => never.to_owned(),
    }
}

fn with_half_width(advice: &Advice, value: &Estimate) -> String {
    let half = value.half_width().filter(|half| *half > 0.0);
    let half = half.map(|half| format!(" ± {}", amount(advice, half))).unwrap_or_default();
    format!("{}{half}", amount(advice, value.mean))
}
