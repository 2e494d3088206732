//! The sky over a terminal: the tracks of the satellites that served it.

use super::Run;
use seamline_orbit::{Horizon, Passage, Route};
use seamline_report::picture::frame::titled;
use seamline_report::picture::style::{colour, stroke_of};
use seamline_report::picture::svg::{Anchor, FAINT, Svg, px};
use seamline_report::quantity::plural;

const WIDTH: f64 = 560.0;
const CENTRE: (f64, f64) = (280.0, 320.0);
const RADIUS: f64 = 230.0;
/// So many tracks have numbers; more would cover each other.
const NUMBERED: usize = 14;

/// Zenith in the middle, horizon at the edge, north up, east to the right as on a map.
pub(super) fn draw(run: &Run<'_>, passage: &Passage) -> String {
    let title = format!("Sky over {} ({})", passage.terminal(), run.name);
    let stays = stays(passage);
    let remark = format!(
        "{}, in the order of their numbers. North is up, east is right; a dot: here a satellite takes over",
        plural(stays.len(), "stay")
    );
    let mut svg = titled(WIDTH, 600.0, &title, &remark);
    rings(&mut svg);
    if let Horizon::Elevation(degrees) = run.terminals[0].horizon {
        let style =
            "class=\"axis\" fill=\"none\" stroke=\"#1f2430\" stroke-width=\"1\" stroke-dasharray=\"6 4\"";
        ring(&mut svg, degrees, style);
        let below = (CENTRE.0 + 6.0, CENTRE.1 + distance(degrees) + 14.0);
        svg.text(
            below,
            Anchor::Start,
            &format!("least elevation {degrees}°"),
            "class=\"tick\" font-size=\"11\"",
        );
    }
    for (place, stay) in stays.iter().enumerate() {
        let points: Vec<(f64, f64)> = stay.iter().map(point).collect();
        svg.path(points.iter().copied(), &stroke_of(place % 7, "series", "2.5"));
        if let Some(first) = points.first() {
            svg.circle(*first, 3.5, &format!("class=\"area s{}\" fill=\"{}\"", place % 7, colour(place)));
            if stays.len() <= NUMBERED {
                let number = (place + 1).to_string();
                svg.text(
                    (first.0 - 6.0, first.1 - 4.0),
                    Anchor::End,
                    &number,
                    "class=\"label\" font-size=\"11\"",
                );
            }
        }
    }
    svg.finish()
}

/// The routes of each stay with one satellite.
fn stays(passage: &Passage) -> Vec<Vec<Route>> {
    let satellite = |route: &Option<Route>| route.map(|it| it.satellite);
    let groups = passage.routes().chunk_by(|one, other| satellite(one) == satellite(other));
    groups
        .map(|group| group.iter().flatten().copied().collect())
        .filter(|stay: &Vec<Route>| !stay.is_empty())
        .collect()
}

fn point(route: &Route) -> (f64, f64) {
    place(f64::from(route.azimuth), f64::from(route.elevation))
}

fn place(azimuth: f64, elevation: f64) -> (f64, f64) {
    let radius = distance(elevation);
    let angle = azimuth.to_radians();
    (CENTRE.0 + radius * libm::sin(angle), CENTRE.1 - radius * libm::cos(angle))
}

/// From the middle of the picture to an elevation.
fn distance(elevation: f64) -> f64 {
    RADIUS * (90.0 - elevation) / 90.0
}

/// All directions of an elevation.
fn ring(svg: &mut Svg, elevation: f64, style: &str) {
    let radius = distance(elevation);
    let (r, d) = (px(radius), px(2.0 * radius));
    let start = format!("M{} {}", px(CENTRE.0 - radius), px(CENTRE.1));
    svg.data(&format!("{start}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0"), style);
}

fn rings(svg: &mut Svg) {
    for elevation in [0.0, 30.0, 60.0] {
        ring(svg, elevation, "class=\"grid\" fill=\"none\" stroke=\"#c9ced6\" stroke-width=\"1\"");
        let above = (CENTRE.0 + 4.0, CENTRE.1 - distance(elevation) + 13.0);
        let style = format!("class=\"faint\" fill=\"{FAINT}\" font-size=\"11\"");
        svg.text(above, Anchor::Start, &format!("{elevation}°"), &style);
    }
    for (azimuth, name) in [(0.0, "N"), (90.0, "E"), (180.0, "S"), (270.0, "W")] {
        svg.line(CENTRE, place(azimuth, 0.0), "class=\"grid\" stroke=\"#e3e6eb\" stroke-width=\"1\"");
        let (x, y) = place(azimuth, -6.0);
        svg.text((x, y + 4.0), Anchor::Middle, name, "class=\"label\" font-weight=\"bold\"");
    }
}
