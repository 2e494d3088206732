//! The pictures: well-formed, with every name and number in them as text.

use crate::common;
use roxmltree::Document;
use seamline_report::picture::bars::{Bar, Group, bars, grouped_bars};
use seamline_report::picture::cdf::{Distribution, cdf};
use seamline_report::picture::dots::{Axes, Dot, Panel as DotPanel, dots};
use seamline_report::picture::forest::{Panel, Row, Scale, forest, strip};
use seamline_report::picture::frame::Names;
use seamline_report::picture::lines::{Line, Parameter, lines};
use seamline_report::picture::matrix::{Field, Matrix, Panel as MatrixPanel, matrix};
use seamline_report::picture::over_time;
use seamline_report::series::RunSeries;
use seamline_report::statistics::Estimate;
use seamline_report::{File, Report};

const NAMES: Names<'static> =
    Names { picture: "p", title: common::NASTY, remark: "<remark>", axis: "goodput (Mbit/s)" };

/// All text of a picture, which must be well-formed.
fn texts(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap_or_else(|error| panic!("{error} in {svg}"));
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|node| node.text().unwrap_or_default().to_owned()).collect()
}

fn attribute(svg: &str, tag: &str, class: &str, name: &str) -> Vec<f64> {
    let document = Document::parse(svg).unwrap();
    let such = document.descendants().filter(|node| node.has_tag_name(tag));
    let such = such.filter(|node| node.attribute("class").is_some_and(|known| known.contains(class)));
    such.filter_map(|node| node.attribute(name)?.parse().ok()).collect()
}

/// The coordinates of all intervals, from left to right or from above to below.
fn whiskers(svg: &str, axis: usize) -> Vec<f64> {
    let document = Document::parse(svg).unwrap();
    let such = document.descendants().filter(|node| node.attribute("class") == Some("whisker"));
    let data = such.flat_map(|node| node.attribute("d").unwrap().split(['M', 'L']));
    data.filter_map(|point| point.split(' ').nth(axis)?.parse().ok()).collect()
}

fn bar(label: &str, mean: f64, half: f64, published: Option<f64>) -> Bar {
    Bar { label: label.into(), value: common::estimate(mean, half), published }
}

#[test]
fn bars_are_as_long_as_their_values() {
    let svg = bars(NAMES, &[bar("one <&>", 10.0, 1.0, None), bar("two", 20.0, 2.0, Some(15.0))]);
    let texts = texts(&svg);
    for wanted in
        ["one <&>", "two", "10.0 ± 1.00", "20.0 ± 2.00", "published", "goodput (Mbit/s)", "<remark>"]
    {
        assert!(texts.iter().any(|text| text == wanted), "{wanted} in {texts:?}");
    }
    let lengths = attribute(&svg, "rect", "area", "width");
    assert_eq!(lengths.len(), 2);
    assert!((lengths[1] / lengths[0] - 2.0).abs() < 1e-3, "{lengths:?}");
}

/// The ends of every interval and bar lie within the axis, which begins to the right of the names.
#[test]
fn an_interval_below_zero_stays_off_the_names() {
    let svg = bars(NAMES, &[bar("reaches below", 10.0, 25.0, None), bar("lies below", -4.0, 1.0, None)]);
    let zero = attribute(&svg, "line", "axis", "x1");
    let names_end = attribute(&svg, "text", "label", "x")[0];
    let zero = zero.iter().copied().find(|x| zero.iter().filter(|other| *other == x).count() > 1).unwrap();
    let least = whiskers(&svg, 0).into_iter().fold(f64::INFINITY, f64::min);
    assert!(names_end < least && least < zero, "{names_end} {least} {zero}");
    let begins = attribute(&svg, "rect", "area", "x");
    assert!((begins[0] - zero).abs() < 0.02 && begins[1] < zero, "{begins:?} {zero}");
    let entry = |mean, half| Some((common::estimate(mean, half), None));
    let groups = [Group { label: "below".into(), bars: vec![entry(10.0, 25.0), entry(-4.0, 1.0)] }];
    let svg = grouped_bars(NAMES, &["one".into(), "two".into()], &groups);
    let lowest = whiskers(&svg, 1).into_iter().fold(0.0, f64::max);
    assert!(lowest < attribute(&svg, "text", "label", "y")[0] - 19.0, "above the names of the groups");
    let heights = attribute(&svg, "rect", "area", "height");
    assert!((heights[0] / heights[1] - 2.5).abs() < 1e-2, "{heights:?}");
}

#[test]
fn groups_tell_their_series_apart_without_colour() {
    let entry = |mean| Some((common::estimate(mean, 1.0), Some(mean + 2.0)));
    let groups = [
        Group { label: "first".into(), bars: vec![entry(10.0), entry(20.0)] },
        Group { label: "second".into(), bars: vec![None, entry(5.0)] },
    ];
    let svg = grouped_bars(NAMES, &["plain".into(), "EHN".into()], &groups);
    let heights = attribute(&svg, "rect", "area", "height");
    assert!((heights[1] / heights[0] - 2.0).abs() < 1e-2, "{heights:?}");
    assert!(svg.contains("<pattern id=\"p-hatch1\"") && svg.contains("url(#p-hatch1)"));
    let texts = texts(&svg);
    for wanted in ["first", "second", "plain", "EHN", "published", "–"] {
        assert!(texts.iter().any(|text| text == wanted), "{wanted} in {texts:?}");
    }
}

#[test]
fn a_distribution_ends_at_the_share_of_those_that_came() {
    let distribution = Distribution { name: "x".into(), values: vec![3.0, 1.0], cases: 4 };
    let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.25), (3.0, 0.25), (3.0, 0.5), (9.0, 0.5)];
    assert_eq!(distribution.corners(9.0), corners);
    let svg = cdf(NAMES, "share", &[distribution]);
    assert!(texts(&svg).contains(&"x (n = 4, 2 never)".to_owned()));
}

fn linear(name: &str) -> Parameter<'_> {
    Parameter { name, logarithmic: false }
}

/// Powers of ten are equally far apart, and zero has no place.
#[test]
fn a_logarithmic_axis_has_its_decades() {
    let points = [0.0, 0.001, 0.01, 0.1].map(|at| (at, common::estimate(1.0, 0.1)));
    let line = Line { name: "one".into(), points: points.to_vec() };
    let svg = lines(NAMES, Parameter { name: "loss", logarithmic: true }, &[line]);
    let found = texts(&svg);
    assert!(
        ["0.001", "0.01", "0.1", "loss"].iter().all(|text| found.contains(&(*text).to_owned())),
        "{found:?}"
    );
    let document = Document::parse(&svg).unwrap();
    let is_line =
        |node: &roxmltree::Node<'_, '_>| node.attribute("class").is_some_and(|it| it.starts_with("series"));
    let path = document.descendants().find(is_line).and_then(|node| node.attribute("d")).expect("a line");
    let places: Vec<f64> =
        path.split(['L', 'M']).filter_map(|at| at.split(' ').next().unwrap().parse().ok()).collect();
    assert_eq!(places.len(), 3, "{path}");
    assert!((places[1] - places[0] - (places[2] - places[1])).abs() < 0.2, "{path}");
}

#[test]
fn lines_differ_in_dashes_and_markers() {
    let line = |name: &str| Line {
        name: name.into(),
        points: (0..5).map(|n| (f64::from(n), common::estimate(f64::from(n), 0.5))).collect(),
    };
    let svg = lines(NAMES, linear("delay (ms)"), &[line("one"), line("two")]);
    assert!(texts(&svg).contains(&"delay (ms)".to_owned()));
    assert_eq!(
        svg.matches("stroke-dasharray").count(),
        2,
        "the second line, in the picture and in its legend"
    );
}

#[test]
fn a_map_is_darker_where_there_is_more() {
    let panel = |title: &str, fields| MatrixPanel { title: title.into(), fields: vec![fields] };
    let map = Matrix {
        rows: vec!["low".into()],
        columns: vec!["a".into(), "b".into()],
        panels: vec![
            panel("ehn", vec![Field::Value(1.0), Field::Nothing]),
            panel("freeze", vec![Field::Value(2.0), Field::Value(3.0)]),
        ],
        legend: Vec::new(),
    };
    let svg = matrix(NAMES, "interruption", "lead", &map);
    let texts = texts(&svg);
    assert!(
        ["1.00", "2.00", "3.00", "low", "b"].iter().all(|wanted| texts.iter().any(|text| text == wanted))
    );
    let place = |colour: &str| svg.find(colour).unwrap_or_else(|| panic!("{colour} is missing"));
    assert!(place("#f3f7fc") < place("#083a6e"), "the least is lightest, the most darkest");
}

/// Cases are set apart by lines between them, none of which hides the axis; dots beyond the axis stand at its ends.
#[test]
fn dots_stand_within_their_axes() {
    let dot = |value: f64| Some(Dot { value, low: value, high: value });
    let panel = DotPanel {
        title: "calm".into(),
        dots: vec![vec![dot(1.0)], vec![dot(100.0)], vec![dot(f64::INFINITY)]],
    };
    let cases = ["1 s", "2 s", "3 s"].map(str::to_owned);
    let series = ["cubic".to_owned()];
    let axes = Axes { cases_name: "outage", cases: &cases, series: &series, least: 10.0, greatest: 1000.0 };
    let svg = dots(NAMES, axes, &[panel]);
    assert!(texts(&svg).iter().any(|text| text == "never"));
    let of = |class: &str, name: &str| attribute(&svg, "line", class, name);
    let upright = |class: &str| {
        let ends = of(class, "x1").into_iter().zip(of(class, "x2"));
        ends.filter(|(from, to)| from == to).map(|(x, _)| x).collect::<Vec<f64>>()
    };
    let (grid, axis) = (upright("grid"), upright("axis"));
    assert_eq!((grid.len(), axis.len()), (2, 1), "{grid:?} {axis:?}");
    assert!(grid.iter().all(|x| *x > axis[0]), "{grid:?} {axis:?}");
}

/// Gains say their sign, what is not sure stands in parentheses, what makes no sense is hatched with the number of its reason, and the
/// largest gain of each panel is darkest.
#[test]
fn a_matrix_can_be_read_without_colour() {
    let gain = |mean: f64, is_sure: bool| {
        let half = if is_sure { mean.abs() / 2.0 } else { mean.abs() + 1.0 };
        Field::Gain(common::estimate(mean, half))
    };
    let panel = |title: &str, fields: [[Field; 2]; 2]| MatrixPanel {
        title: title.into(),
        fields: fields.map(Vec::from).into(),
    };
    let drawn = Matrix {
        rows: vec!["none".into(), "snoop".into()],
        columns: vec!["none".into(), "mobility-vegas".into()],
        panels: vec![
            panel("reno", [[gain(0.0, false), gain(34.6, true)], [gain(-7.5, true), Field::Refused(0)]]),
            panel("cubic", [[gain(0.0, false), gain(3.0, false)], [gain(5.0, true), Field::Nothing]]),
        ],
        legend: vec!["1 hatched, not supported: it makes no sense".into()],
    };
    let svg = matrix(NAMES, "scheme", "agent", &drawn);
    let texts = texts(&svg);
    let wanted = [
        "reno",
        "cubic",
        "mobility-",
        "vegas",
        "(0)",
        "+35",
        "\u{2212}8",
        "1",
        "(+3)",
        "+5",
        "scheme  (fields: ",
        "agent",
        "1 hatched, not supported: it makes no sense",
    ];
    for wanted in wanted {
        assert!(texts.iter().any(|text| text.starts_with(wanted)), "{wanted} is not in {texts:?}");
    }
    assert_eq!(svg.matches("-refused)").count(), 1, "one field is hatched");
    assert_eq!(svg.matches("#083a6e").count(), 2, "the darkest of each panel");
    assert_eq!(texts.iter().filter(|text| *text == "snoop").count(), 1, "rows are named once, at the left");
}

/// A dot lies within the band exactly when the value is accepted, in every panel on its own scale.
#[test]
fn a_forest_shows_what_lies_within_its_band() {
    let value = |mean| Some(common::estimate(mean, 1.0));
    let rows = [Row::Heading("timer".into()), Row::Values("<none>".into()), Row::Values("1 s".into())];
    let panel = |title: &str, accepted, published, values: [f64; 2]| Panel {
        title: title.into(),
        accepted,
        published,
        values: vec![None, value(values[0]), value(values[1])],
    };
    let panels = [
        panel("E1 (%)", (40.0, 60.0), vec![50.0], [28.0, 45.0]),
        panel("E6", (0.0, f64::INFINITY), vec![], [-5.0, 900.0]),
    ];
    let svg = forest(NAMES, &rows, &panels);
    let texts = texts(&svg);
    assert!(["timer", "<none>", "1 s", "E1 (%)", "E6"].iter().all(|it| texts.iter().any(|text| text == it)));
    let (from, wide) = (attribute(&svg, "rect", "band", "x"), attribute(&svg, "rect", "band", "width"));
    let dots = attribute(&svg, "circle", "area", "cx");
    assert_eq!((from.len(), dots.len()), (2, 4));
    let within: Vec<bool> = [(0, 0), (0, 1), (1, 2), (1, 3)]
        .map(|(panel, dot)| from[panel] <= dots[dot] && dots[dot] <= from[panel] + wide[panel])
        .to_vec();
    assert_eq!(within, [false, true, false, true]);
    let heights = attribute(&svg, "circle", "area", "cy");
    assert!(heights[0] == heights[2] && heights[0] < heights[1], "a row is a row in all panels: {heights:?}");
}

/// A gain over nothing is no number, and has no place.
#[test]
fn what_is_not_finite_is_not_drawn() {
    let over_nothing =
        Estimate { mean: f64::INFINITY, low: Some(f64::NAN), high: Some(f64::NAN), samples: 3 };
    let panel = Panel {
        title: "E1".into(),
        accepted: (0.0, 1.0),
        published: vec![],
        values: vec![Some(over_nothing)],
    };
    let forest = forest(NAMES, &[Row::Values("x".into())], &[panel]);
    let strip = strip("E1", &Scale::of((0.0, 1.0), &[], [over_nothing]), &over_nothing);
    for svg in [forest, strip] {
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}

#[test]
fn a_strip_holds_band_interval_and_what_was_published() {
    let measured = common::estimate(45.0, 30.0);
    let svg = strip("E1", &Scale::of((40.0, 60.0), &[50.0], [measured]), &measured);
    let ends = whiskers(&svg, 0);
    assert!(!ends.is_empty() && ends.iter().all(|x| (4.0..=146.0).contains(x)), "{ends:?}");
    assert!(svg.contains("class=\"published\"") && svg.contains("class=\"band\""));
}

/// One file for each panel of each run, well-formed, with axes, units, bands, and a legend that needs no colour.
#[test]
fn runs_over_time_are_files_too() {
    let run = common::series(1);
    let pictures = over_time::of_run(&run);
    let names: Vec<&str> = pictures.iter().map(|picture| picture.name.as_str()).collect();
    let whole = ["time-2-sequence", "time-2-window", "time-2-round-trip", "time-2-queues"];
    assert_eq!(names[..4], whole);
    assert_eq!(names[4..], ["time-2-handover-sequence", "time-2-handover-window"]);
    let axes = ["position (MB)", "window (segments)", "time (ms)", "queue (packets)"];
    for (picture, axis) in pictures.iter().zip(axes) {
        let texts = texts(&picture.svg);
        let legend = if axis == "position (MB)" { "retransmitted" } else { "handover, link down" };
        for wanted in [axis, "time (s)", "handover, link down", legend] {
            assert!(texts.iter().any(|text| text == wanted), "{wanted} in {texts:?}");
        }
        assert!(texts[1].contains("cubic") && texts[1].contains("seed 1"), "{texts:?}");
        assert_eq!(texts.last(), Some(&picture.caption), "a file alone says what is in it");
        let bands = attribute(&picture.svg, "rect", "handover", "x");
        assert_eq!(bands.len(), 2 + 1, "two handovers and the legend");
        let place = |time: f64| 70.0 + time / common::DURATION_S * 670.0;
        assert!((bands[0] - place(5.0)).abs() < 0.1 && (bands[1] - place(15.0)).abs() < 0.1, "{bands:?}");
        assert!(picture.svg.len() < 400_000, "{} is {} bytes", picture.name, picture.svg.len());
        assert!(!picture.svg.contains("NaN") && !picture.svg.contains("inf"), "{}", picture.name);
    }
    let losses = run.flows[0].drops.len();
    let crosses = pictures[0].svg.matches("stroke-width=\"1.8\"").count();
    assert_eq!(crosses, losses + 1, "every loss has its cross, and the legend one");
    let lines = pictures[1].svg.matches("stroke-dasharray").count();
    assert_eq!(lines, 2, "the threshold is dashed, in the picture and in the legend");
    let near = &pictures[4];
    let bands = attribute(&near.svg, "rect", "handover", "width");
    assert!((bands[0] - 0.08 / 5.08 * 670.0).abs() < 0.1, "a second before, four after: {bands:?}");
    let triangles = near.svg.matches("class=\"area s1\"").count();
    assert_eq!(triangles, 5 + 1, "one each second is sent again, and the legend has one");
    assert!(over_time::of_run(&RunSeries::default()).is_empty());
}

/// A window that is 4 but for one sample of 99 among many keeps its peak.
#[test]
fn thinned_pictures_keep_their_peaks() {
    let mut run = common::series(0);
    let sender = &mut run.flows[0].sender;
    let count = sender.time_s.len();
    sender.congestion_window_segments = (0..count).map(|n| if n == count / 3 { 99.0 } else { 4.0 }).collect();
    sender.slow_start_threshold_segments = vec![f64::INFINITY; count];
    let window = &over_time::of_run(&run)[1];
    let document = Document::parse(&window.svg).unwrap();
    let line = document.descendants().find(|node| node.attribute("class") == Some("series s0")).unwrap();
    let data = line.attribute("d").unwrap();
    let heights: Vec<f64> =
        data.split(['M', 'L']).filter_map(|point| point.split(' ').nth(1)?.parse().ok()).collect();
    let (top, bottom) =
        heights.iter().fold((f64::MAX, 0.0f64), |(top, bottom), y| (top.min(*y), bottom.max(*y)));
    assert!(((340.0 - top) / (340.0 - bottom) - 99.0 / 4.0).abs() < 0.05, "{top} {bottom}");
}

#[test]
fn empty_pictures_are_still_pictures() {
    for svg in [
        bars(NAMES, &[]),
        grouped_bars(NAMES, &[], &[]),
        cdf(NAMES, "share", &[]),
        lines(NAMES, linear("x"), &[]),
        forest(NAMES, &[], &[]),
    ] {
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        texts(&svg);
    }
}

fn pictures_of(report: &Report) -> Vec<File> {
    let files = seamline_report::files::of_report(report, false).unwrap().into_iter();
    files.filter(|file| file.name.ends_with(".svg")).collect()
}

#[test]
fn files_of_pictures_say_where_they_come_from() {
    let report = common::report();
    for file in pictures_of(&report) {
        let text = String::from_utf8(file.bytes).unwrap();
        let document = Document::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", file.name));
        let metadata = document.descendants().find(|node| node.has_tag_name("metadata")).expect(&file.name);
        let embedded = metadata.text().unwrap();
        assert!(embedded.contains(&format!("reproduce: {}\n", report.provenance.reproduce)), "{embedded}");
        assert!(
            embedded.contains(&format!("scenario_blake3: {}\n", report.provenance.scenario_blake3)),
            "{embedded}"
        );
    }
}

#[test]
fn a_report_has_its_pictures() {
    let files = pictures_of(&common::report());
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert!(names.contains(&"goodput.svg") && names.contains(&"recovery.svg"), "{names:?}");
    for file in &files {
        texts(std::str::from_utf8(&file.bytes).unwrap());
    }
}

/// An interruption that the scenario sets is the same everywhere, and no result; of one that a protocol causes each seed's
/// mean counts once.
#[test]
fn interruptions_are_shown_where_they_differ() {
    let mut report = common::report();
    let name = |file: &File| file.name == "interruption.svg";
    assert!(!pictures_of(&report).iter().any(name), "80 ms each");
    for run in &mut report.cells[1].runs {
        for handover in &mut run.flows[0].handovers {
            handover.interruption_ms = Some(100.0 + run.seed as f64);
        }
        run.flows[0].handovers[1].interruption_ms = None;
    }
    let seeds: Vec<u64> = report.cells[1].runs.iter().map(|run| run.seed).collect();
    let mean = 100.0 + seeds.iter().sum::<u64>() as f64 / seeds.len() as f64;
    let files = pictures_of(&report);
    let svg = std::str::from_utf8(&files.iter().find(|file| name(file)).expect("drawn").bytes).unwrap();
    let texts = texts(svg);
    assert!(texts.iter().any(|text| text.starts_with("80")), "{texts:?}");
    assert!(texts.iter().any(|text| text.starts_with(&format!("{mean}")) && text.contains('±')), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("(ms)")), "{texts:?}");
}
