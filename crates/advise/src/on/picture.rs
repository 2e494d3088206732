//! The figure: gains and round-trip times of all candidates, line below line.

use super::answer::{CandidateAdvice, PathAdvice};
use super::candidates::Group;
use super::format_table::HEADINGS;
use crate::significance::INDIFFERENCE;
use seamline_report::picture::Picture;
use seamline_report::picture::forest::{Panel, Row, forest};
use seamline_report::picture::frame::Names;
use seamline_report::statistics::Estimate;

/// A dot and its 95 % interval for each candidate, in groups.
pub fn forest_of(advice: &PathAdvice) -> Picture {
    let mut rows = Vec::new();
    let mut of_row: Vec<Option<&CandidateAdvice>> = Vec::new();
    for (group, name) in HEADINGS {
        let own: Vec<&CandidateAdvice> = advice.candidates.iter().filter(|it| it.group == group).collect();
        if own.is_empty() {
            continue;
        }
        rows.push(Row::Heading(name.to_owned()));
        of_row.push(None);
        rows.extend(own.iter().map(|it| Row::Values(it.name.clone())));
        of_row.extend(own.into_iter().map(Some));
    }
    if let Some(confirmed) = advice.confirmed.iter().find(|it| it.group == Group::Combination) {
        rows.extend([Row::Heading("together, other seeds".to_owned()), Row::Values(confirmed.name.clone())]);
        of_row.extend([None, Some(confirmed)]);
    }
    let panel = |title: &str, accepted, read: &dyn Fn(&CandidateAdvice) -> Option<Estimate>| Panel {
        title: title.to_owned(),
        accepted,
        published: Vec::new(),
        values: of_row.iter().map(|it| it.and_then(read)).collect(),
    };
    let percent = |share: f64| share * 100.0;
    let negligible = (-percent(INDIFFERENCE), percent(INDIFFERENCE));
    let todays = |read: fn(&CandidateAdvice) -> Option<Estimate>| {
        advice.today().and_then(read).map_or(0.0, |it| it.mean)
    };
    let (median, p95) = (todays(|it| it.round_trip_median_ms), todays(|it| it.round_trip_p95_ms));
    let gain = advice.question.traffic.pick("time saved (%)", "more goodput (%)");
    let panels = [
        panel(gain, negligible, &|it| it.gain.map(|gain| gain.map(percent))),
        panel("median RTT (ms)", (median, median), &|it| it.round_trip_median_ms),
        panel("95 % RTT (ms)", (p95, p95), &|it| it.round_trip_p95_ms),
        panel("longest stall (s)", (0.0, 0.0), &|it| Some(it.longest_stall_s)),
    ];
    let files: Vec<&str> = advice.question.path.recordings.iter().map(|it| it.file.as_str()).collect();
    let title = format!("What helps on {}", files.join(" and "));
    let remark =
        format!("means of {} seeds and 95 % intervals; band: today's, for gains 1 % around it", advice.seeds);
    Picture {
        name: "advice".to_owned(),
        svg: forest(
            Names {
                picture: "advice",
                title: &title,
                remark: &remark,
                axis: "gains over today's CUBIC; round trips and stalls under the load of the flow",
            },
            &rows,
            &panels,
        ),
        caption: "An interval right of the band is more than today's CUBIC gets.".to_owned(),
    }
}
