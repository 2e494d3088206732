//! The benchmark as pictures.

use crate::case::{Case, Traffic};
use crate::remedy::{self, Remedy};
use crate::summary::{Cell, FIRST_DATA, FULL_RATE, PROGRESS, QUANTITIES};
use crate::text::seconds;
use seamline_report::picture::Picture;
use seamline_report::picture::dots::{Axes, Dot, Panel, dots};
use seamline_report::picture::frame::Names;

/// The pictures: the name of the file, the index of the quantity, the kind of traffic, the title, the caption.
const DRAWN: [(&str, usize, Traffic, &str, &str); 3] = [
    (
        "handovers-first-data",
        FIRST_DATA,
        Traffic::Bulk,
        "A download over an outage: when data arrives again",
        "When the first data arrives after the link is back, by remedy, for each length of outage: the lower the better; a round trip is 50 ms.",
    ),
    (
        "handovers-full-rate",
        FULL_RATE,
        Traffic::Bulk,
        "A download over an outage: when its rate is back",
        "When the rate from before is there again, by remedy, for each length of outage: the distance to the picture above is what the window takes.",
    ),
    (
        "handovers-answers",
        PROGRESS,
        Traffic::Requests,
        "Requests over an outage: when the next answer is complete",
        "When the next answer is complete after the link is back, by remedy, for each length of outage: what a user of requests waits for.",
    ),
];

/// Whatever the axis of time shows, in milliseconds.
const AXIS_MS: (f64, f64) = (10.0, 5000.0);

/// All of them for which there are runs.
pub fn pictures(cells: &[Cell]) -> Vec<Picture> {
    let drawn = DRAWN.iter().filter_map(|(name, quantity, traffic, title, caption)| {
        let cells: Vec<&Cell> = cells
            .iter()
            .filter(|cell| cell.case.traffic == *traffic && cell.medians[*quantity].is_some())
            .collect();
        let svg = draw(&cells, *quantity, name, title)?;
        Some(Picture { name: (*name).to_owned(), caption: (*caption).to_owned(), svg })
    });
    drawn.collect()
}

fn draw(cells: &[&Cell], quantity: usize, name: &str, title: &str) -> Option<String> {
    let outages = distinct(cells.iter().map(|cell| cell.case.outage_ms));
    let is_there = |remedy: &&Remedy| cells.iter().any(|cell| cell.case.remedy == *remedy);
    let remedies: Vec<&str> = remedy::ALL.iter().filter(is_there).map(|remedy| remedy.name).collect();
    let conditions = distinct(cells.iter().map(|cell| condition(&cell.case)));
    let dot = |condition: &(bool, bool), outage: u64, remedy: &str| {
        let is_it = |cell: &&&Cell| {
            let case = &cell.case;
            (self::condition(case), case.outage_ms, case.remedy.name) == (*condition, outage, remedy)
        };
        let median = (*cells.iter().find(is_it)?.medians.get(quantity)?)?;
        Some(Dot { value: median.median, low: median.low, high: median.high })
    };
    let panels: Vec<Panel> = conditions
        .iter()
        .map(|condition| Panel {
            title: condition_text(*condition),
            dots: outages
                .iter()
                .map(|outage| remedies.iter().map(|remedy| dot(condition, *outage, remedy)).collect())
                .collect(),
        })
        .collect();
    if panels.is_empty() {
        return None;
    }
    let names = Names {
        picture: name,
        title,
        remark: "dot: median of the runs; line: its interval; at the lower edge: at most 10 ms; at the upper: never within 5 s; \
                 within an outage from left to right as in the legend",
        axis: &format!("{} after link-up ({})", QUANTITIES[quantity].name, QUANTITIES[quantity].unit),
    };
    let axes = Axes {
        cases_name: "outage (each run's within 20 %)",
        cases: &outages.iter().map(|outage| seconds(*outage)).collect::<Vec<_>>(),
        series: &remedies.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(),
        least: AXIS_MS.0,
        greatest: AXIS_MS.1,
    };
    Some(dots(names, axes, &panels))
}

fn condition(case: &Case) -> (bool, bool) {
    (case.loses_acknowledgment, case.has_loss)
}

fn condition_text((loses_acknowledgment, has_loss): (bool, bool)) -> String {
    let acknowledgment =
        if loses_acknowledgment { "an acknowledgment lost" } else { "no acknowledgment lost" };
    let loss = if has_loss { ", random loss" } else { "" };
    format!("{acknowledgment}{loss}")
}

/// Each value once, in the order of their first appearance.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.fold(Vec::new(), |mut seen, value| {
        if !seen.contains(&value) {
            seen.push(value);
        }
        seen
    })
}
