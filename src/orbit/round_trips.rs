//! The round-trip time over time, with handovers and outages.

use super::Run;
use seamline_orbit::Passage;
use seamline_report::picture::frame::{Frame, Key, bands, legend, titled};
use seamline_report::picture::style::{Mark, stroke, strokes, upright};
use seamline_report::quantity::{digits, plural};
use seamline_report::scale::Linear;

const WIDTH: f64 = 760.0;
const BOTTOM: f64 = 340.0;
/// Where the marks of handovers stand.
const FOOT: f64 = 12.0;

pub(super) fn draw(run: &Run<'_>, passage: &Passage) -> String {
    let title = format!("Round-trip time of {} over {}", passage.terminal(), run.name);
    let (handovers, outages) = (passage.handovers(), passage.outages());
    let round_trips = passage.round_trips();
    let range = match (round_trips.first(), round_trips.last()) {
        (Some(least), Some(most)) => {
            format!("{} to {} ms", digits(least.as_millis_f64()), digits(most.as_millis_f64()))
        }
        _ => "no path at any time".to_owned(),
    };
    let remark =
        format!("{range}; {}, {}", plural(handovers.len(), "handover"), plural(outages.len(), "outage"));
    let mut svg = titled(WIDTH, BOTTOM + 84.0, &title, &remark);
    let frame = frame(passage);
    bands(&mut svg, &frame, outages.iter().map(|it| (it.from.as_secs_f64(), it.until.as_secs_f64())));
    frame.draw_y(&mut svg, "round-trip time (ms)");
    frame.draw_x(&mut svg, "time (s)", false);
    for points in stretches(passage) {
        svg.path(points.into_iter().map(|(at, value)| frame.place(at, value)), &stroke(0));
    }
    let marks = handovers.iter().map(|it| {
        let x = frame.x.place(it.at.as_secs_f64());
        upright((x, BOTTOM), BOTTOM - FOOT)
    });
    strokes(&mut svg, &marks.collect::<String>());
    let mut entries = vec!["round-trip time".to_owned(), "handover (at the foot)".to_owned()];
    let mut keys = vec![Key::Line(0, false), Key::Mark(Mark::Sent)];
    if !outages.is_empty() {
        entries.push("no path".to_owned());
        keys.push(Key::Band);
    }
    legend(&mut svg, "round-trips", &keys, &entries, (70.0, BOTTOM + 52.0), WIDTH - 90.0);
    svg.finish()
}

fn frame(passage: &Passage) -> Frame {
    let round_trips = passage.round_trips();
    let ms = |it: Option<&seamline_wire::Duration>| it.map_or(0.0, |it| it.as_millis_f64());
    let (least, most) = (ms(round_trips.first()), ms(round_trips.last()));
    let room = ((most - least) * 0.15).max(most * 0.02).max(0.1);
    Frame {
        x: Linear { low: 0.0, high: passage.duration().as_secs_f64(), first: 70.0, last: WIDTH - 20.0 },
        y: Linear { low: (least - 2.0 * room).max(0.0), high: most + room, first: BOTTOM, last: 60.0 },
    }
}

/// The corners of the curve, in one piece for each stretch with a path.
fn stretches(passage: &Passage) -> Vec<Vec<(f64, f64)>> {
    let step = passage.step().as_secs_f64();
    let mut at = 0;
    let mut pieces = Vec::new();
    for group in passage.routes().chunk_by(|one, other| one.is_some() == other.is_some()) {
        let corners = group.iter().zip(at..).filter_map(|(route, place)| {
            let value = route.as_ref()?.one_way_delay.as_millis_f64() * 2.0;
            let from = place as f64 * step;
            Some([(from, value), (from + step, value)])
        });
        let corners: Vec<(f64, f64)> = corners.flatten().collect();
        if !corners.is_empty() {
            pieces.push(corners);
        }
        at += group.len();
    }
    pieces
}
