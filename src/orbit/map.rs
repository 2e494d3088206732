//! The map: coasts, terminals, gateways, and the ground tracks of the satellites that served.

use super::Run;
use seamline_orbit::{Passage, Relay, geodetic, shortest_way};
use seamline_report::picture::frame::{Key, legend, titled};
use seamline_report::picture::style::{marker, stroke_of};
use seamline_report::picture::svg::{Anchor, Svg, px};
use seamline_report::quantity::plural;
use std::fmt::Write;

/// One closed line a row: longitude and latitude in tenths of a degree.
const COASTLINES: &str = include_str!("coastlines.txt");
const WIDTH: f64 = 760.0;
const TOP: f64 = 54.0;
const MARGIN: f64 = 12.0;
/// Half the least width of the map, in degrees.
const LEAST: f64 = 6.0;
/// Terminals whose satellites are drawn.
const MOST_TRACKS: usize = 20;

/// A stretch of Earth, latitudes and longitudes equally long in its middle.
struct Window {
    /// Longitude and latitude of the middle.
    centre: (f64, f64),
    /// Half its width and height, in degrees.
    half: (f64, f64),
    /// Pixels for a degree of longitude and of latitude.
    scale: (f64, f64),
}

impl Window {
    /// Around points, each a longitude and a latitude.
    fn around(points: &[(f64, f64)]) -> Window {
        let first = points.first().copied().unwrap_or((0.0, 0.0));
        let turned = |longitude: f64| (longitude - first.0 + 540.0).rem_euclid(360.0) - 180.0;
        let fold = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| (low.min(it), high.max(it)))
        };
        let (west, east) = fold(&mut points.iter().map(|it| turned(it.0)));
        let (south, north) = fold(&mut points.iter().map(|it| it.1));
        let middle = (south + north) / 2.0;
        let stretch = libm::cos(middle.to_radians()).max(0.3);
        let half_width = ((east - west) * 0.6).max(LEAST / stretch).min(180.0);
        // No map is flatter than 2.5 to 1 or higher than 1.4 to 1.
        let room = half_width * stretch;
        let half_height = ((north - south) * 0.6).clamp(room / 2.5, room / 1.4).min(90.0);
        let half_width = half_width.max((north - south) * 0.6 * 1.4 / stretch).min(180.0);
        let half_height = half_height.max(((north - south) * 0.6).min(half_width * stretch / 1.4));
        let centre = (first.0 + (west + east) / 2.0, middle.clamp(half_height - 90.0, 90.0 - half_height));
        let x = (WIDTH - 2.0 * MARGIN) / (2.0 * half_width);
        Window { centre, half: (half_width, half_height), scale: (x, x / stretch) }
    }

    fn height(&self) -> f64 {
        2.0 * self.half.1 * self.scale.1
    }

    /// The degrees of longitude from the middle.
    fn off_centre(&self, longitude: f64) -> f64 {
        (longitude - self.centre.0 + 540.0).rem_euclid(360.0) - 180.0
    }

    fn place(&self, longitude_off_centre: f64, latitude: f64) -> (f64, f64) {
        let x = MARGIN + (longitude_off_centre + self.half.0) * self.scale.0;
        (x, TOP + (self.centre.1 + self.half.1 - latitude) * self.scale.1)
    }

    fn point(&self, (longitude, latitude): (f64, f64)) -> (f64, f64) {
        self.place(self.off_centre(longitude), latitude)
    }
}

pub(super) fn draw(run: &Run<'_>) -> String {
    let tracks: Vec<Vec<(f64, f64)>> =
        run.passages.iter().take(MOST_TRACKS).flat_map(|passage| ground_tracks(run, passage)).collect();
    let terminals: Vec<Vec<(f64, f64)>> = run
        .terminals
        .iter()
        .map(|it| it.track.waypoints().iter().map(|(_, place)| (place.longitude, place.latitude)).collect())
        .collect();
    let gateways: Vec<(f64, f64)> =
        run.setup.gateways.iter().map(|it| (it.place.longitude, it.place.latitude)).collect();
    let served: Vec<(f64, f64)> = used_gateways(run).into_iter().map(|place| gateways[place]).collect();
    let way = run.passages.iter().find_map(|passage| way(run, passage));
    let points: Vec<(f64, f64)> = terminals
        .iter()
        .flatten()
        .chain(&served)
        .chain(tracks.iter().flatten())
        .chain(way.iter().flatten())
        .copied()
        .collect();
    let window = Window::around(&points);
    let title = format!("Where {} serves {}", run.name, plural(run.terminals.len(), "terminal"));
    let dots = if way.is_some() { "; dots: the way over links at the beginning" } else { "" };
    let remark = format!("from {} on{dots}", run.setup.start);
    let mut svg = titled(WIDTH, TOP + window.height() + 40.0, &title, &remark);
    let clip = format!(
        "<clipPath id=\"map\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>",
        px(MARGIN),
        px(TOP),
        px(WIDTH - 2.0 * MARGIN),
        px(window.height())
    );
    svg.define(&clip);
    land(&mut svg, &window);
    graticule(&mut svg, &window);
    for (place, track) in tracks.iter().enumerate() {
        line(&mut svg, &window, track, &(stroke_of(place % 7, "series", "2") + CLIPPED));
    }
    if let Some(way) = &way {
        line(
            &mut svg,
            &window,
            way,
            &format!(
                "class=\"axis\" fill=\"none\" stroke=\"#1f2430\" stroke-width=\"1.2\" stroke-dasharray=\"3 3\"{CLIPPED}"
            ),
        );
        let dot = |svg: &mut Svg, at: &(f64, f64)| {
            svg.circle(window.point(*at), 2.2, &format!("class=\"area s5\" fill=\"#3d4a5c\"{CLIPPED}"))
        };
        way[1..way.len() - 1].iter().for_each(|at| dot(&mut svg, at));
    }
    for track in &terminals {
        line(
            &mut svg,
            &window,
            track,
            &format!("class=\"axis\" fill=\"none\" stroke=\"#1f2430\" stroke-width=\"1.5\"{CLIPPED}"),
        );
    }
    let in_window = |point: &&(f64, f64)| {
        window.off_centre(point.0).abs() <= window.half.0
            && (point.1 - window.centre.1).abs() <= window.half.1
    };
    gateways.iter().filter(in_window).for_each(|it| marker(&mut svg, 3, window.point(*it)));
    terminals
        .iter()
        .filter_map(|track| track.first())
        .filter(in_window)
        .for_each(|it| marker(&mut svg, 1, window.point(*it)));
    let keys = [Key::Marker(1), Key::Marker(3), Key::Line(0, false)];
    let names = ["terminal", "gateway", "satellite while it serves"].map(str::to_owned);
    legend(&mut svg, "map", &keys, &names, (MARGIN, TOP + window.height() + 10.0), WIDTH - 2.0 * MARGIN);
    svg.finish()
}

const CLIPPED: &str = " clip-path=\"url(#map)\"";

/// The gateways that served anyone, by their place in the list.
fn used_gateways(run: &Run<'_>) -> Vec<usize> {
    let mut used: Vec<usize> = run
        .passages
        .iter()
        .flat_map(|it| it.routes().iter().flatten())
        .map(|it| it.gateway as usize)
        .collect();
    used.sort_unstable();
    used.dedup();
    used
}

/// The points below the satellites of a terminal while they served it, up to 40 a stay.
fn ground_tracks(run: &Run<'_>, passage: &Passage) -> Vec<Vec<(f64, f64)>> {
    let services = passage.services();
    let track = |service: &seamline_orbit::Service| {
        let span = service.until - service.from;
        let pieces = (span.as_secs_f64() / passage.step().as_secs_f64()).clamp(1.0, 40.0) as u64;
        let point = |piece: u64| {
            let at = passage.start().after(service.from + span * piece / pieces);
            let below = geodetic(run.setup.constellation.position(service.satellite as usize, at));
            (below.longitude, below.latitude)
        };
        (0..=pieces).map(point).collect()
    };
    services.iter().map(track).collect()
}

/// Over links between satellites: the terminal, the points below the satellites of its first path, and the gateway.
fn way(run: &Run<'_>, passage: &Passage) -> Option<Vec<(f64, f64)>> {
    if run.setup.relay != Relay::InterSatelliteLinks || run.passages.len() > 1 {
        return None;
    }
    let (place, route) =
        passage.routes().iter().enumerate().find_map(|(place, route)| Some((place, (*route)?)))?;
    let at = passage.step() * place as u64;
    let space = run.setup.constellation.snapshot(passage.start().after(at));
    let grid = run.setup.constellation.grid()?;
    let (satellites, _) = shortest_way(grid, &space, route.satellite as usize, route.exit as usize)?;
    let below = satellites.into_iter().map(|satellite| geodetic(space.positions()[satellite]));
    let ends =
        [run.terminals[0].track.at(at.as_secs_f64()), run.setup.gateways[route.gateway as usize].place];
    let all = [ends[0]].into_iter().chain(below).chain([ends[1]]);
    Some(all.map(|place| (place.longitude, place.latitude)).collect())
}

fn land(svg: &mut Svg, window: &Window) {
    svg.rect(
        (MARGIN, TOP),
        (WIDTH - 2.0 * MARGIN, window.height()),
        "class=\"grid\" fill=\"none\" stroke=\"#c9ced6\" stroke-width=\"1\"",
    );
    let mut data = String::new();
    for row in COASTLINES.lines().filter(|row| !row.starts_with('#')) {
        let points: Vec<(f64, f64)> = row.split(' ').filter_map(coast_point).collect();
        // Longitudes run from -180 to 180: Earth once more to the left and to the right.
        for turn in [-360.0, 0.0, 360.0] {
            let shifted = || points.iter().map(|point| (point.0 + turn - window.centre.0, point.1));
            let is_seen = shifted().any(|(x, y)| {
                x.abs() <= window.half.0 * 1.5 && (y - window.centre.1).abs() <= window.half.1 * 1.5
            });
            if !is_seen {
                continue;
            }
            for (place, (x, y)) in shifted().enumerate() {
                let (x, y) = window.place(x, y);
                let _ = write!(data, "{}{} {}", if place == 0 { "M" } else { "L" }, px(x), px(y));
            }
            data.push('Z');
        }
    }
    svg.data(
        &data,
        &format!("class=\"handover\" fill=\"#ece7dc\" stroke=\"#b9b09c\" stroke-width=\"0.8\"{CLIPPED}"),
    );
}

fn coast_point(text: &str) -> Option<(f64, f64)> {
    let (longitude, latitude) = text.split_once(',')?;
    let degrees = |tenths: &str| tenths.parse::<f64>().ok().map(|it| it / 10.0);
    Some((degrees(longitude)?, degrees(latitude)?))
}

/// Lines of latitude and longitude, 1, 2, 5, 10, 20 or 30 degrees apart.
fn graticule(svg: &mut Svg, window: &Window) {
    let wanted = window.half.0 / 3.0;
    let step = [1.0, 2.0, 5.0, 10.0, 20.0, 30.0].into_iter().find(|step| *step >= wanted).unwrap_or(30.0);
    const LINE: &str = "class=\"grid\" stroke=\"#d5dae1\" stroke-width=\"0.7\"";
    const LABEL: &str = "class=\"tick\" font-size=\"10\"";
    let bottom = TOP + window.height();
    let range = |middle: f64, half: f64| {
        let (first, last) = (((middle - half) / step).ceil() as i64, ((middle + half) / step).floor() as i64);
        (first..=last).map(move |place| place as f64 * step)
    };
    for longitude in range(window.centre.0, window.half.0) {
        let (x, _) = window.place(longitude - window.centre.0, 0.0);
        svg.line((x, TOP), (x, bottom), LINE);
        if x > WIDTH - MARGIN - 30.0 {
            continue;
        }
        let shown = (longitude + 540.0).rem_euclid(360.0) - 180.0;
        svg.text((x + 2.0, bottom - 3.0), Anchor::Start, &format!("{shown}°"), LABEL);
    }
    for latitude in range(window.centre.1, window.half.1) {
        let (_, y) = window.place(0.0, latitude);
        svg.line((MARGIN, y), (WIDTH - MARGIN, y), LINE);
        svg.text((MARGIN + 3.0, y - 3.0), Anchor::Start, &format!("{latitude}°"), LABEL);
    }
}

/// A line that does not jump where it leaves the map on one side and comes back on the other.
fn line(svg: &mut Svg, window: &Window, points: &[(f64, f64)], style: &str) {
    let jumps = |one: &(f64, f64), other: &(f64, f64)| {
        (window.off_centre(one.0) - window.off_centre(other.0)).abs() > 180.0
    };
    for piece in points.chunk_by(|one, other| !jumps(one, other)).filter(|piece| piece.len() > 1) {
        svg.path(piece.iter().map(|point| window.point(*point)), style);
    }
}
