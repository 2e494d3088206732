//! The pictures: well-formed, with every name and number in them as text.

mod common;

use roxmltree::Document;
use seamline_report::picture::bars::{Bar, Group, bars, grouped_bars};
use seamline_report::picture::cdf::{Distribution, cdf};
use seamline_report::picture::forest::{Panel, Row, Scale, forest, strip};
use seamline_report::picture::frame::Names;
use seamline_report::picture::heat::{Map, heat_map};
use seamline_report::picture::lines::{Line, lines};
use seamline_report::picture::{self};

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
    let of = |class: &str, name: &str| attribute(&svg, "line", class, name);
    let (whiskers, zero) = (of("whisker", "x1"), of("axis", "x1"));
    let names_end = attribute(&svg, "text", "label", "x")[0];
    let zero = zero.iter().copied().find(|x| zero.iter().filter(|other| *other == x).count() > 1).unwrap();
    let least = whiskers.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(names_end < least && least < zero, "{names_end} {least} {zero}");
    let begins = attribute(&svg, "rect", "area", "x");
    assert!((begins[0] - zero).abs() < 0.02 && begins[1] < zero, "{begins:?} {zero}");
    let entry = |mean, half| Some((common::estimate(mean, half), None));
    let groups = [Group { label: "below".into(), bars: vec![entry(10.0, 25.0), entry(-4.0, 1.0)] }];
    let svg = grouped_bars(NAMES, &["one".into(), "two".into()], &groups);
    let lowest = attribute(&svg, "line", "whisker", "y1").into_iter().fold(0.0, f64::max);
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

#[test]
fn lines_differ_in_dashes_and_markers() {
    let line = |name: &str| Line {
        name: name.into(),
        points: (0..5).map(|n| (f64::from(n), common::estimate(f64::from(n), 0.5))).collect(),
    };
    let svg = lines(NAMES, "delay (ms)", &[line("one"), line("two")]);
    assert!(texts(&svg).contains(&"delay (ms)".to_owned()));
    assert_eq!(
        svg.matches("stroke-dasharray").count(),
        2,
        "the second line, in the picture and in its legend"
    );
}

#[test]
fn a_map_is_darker_where_there_is_more() {
    let map = Map {
        rows: vec!["low".into(), "high".into()],
        columns: vec!["a".into(), "b".into()],
        values: vec![vec![Some(1.0), None], vec![Some(2.0), Some(3.0)]],
    };
    let svg = heat_map(NAMES, "interruption", "scheme", &map);
    let texts = texts(&svg);
    assert!(
        ["1.00", "2.00", "3.00", "low", "b"].iter().all(|wanted| texts.iter().any(|text| text == wanted))
    );
    let place = |colour: &str| svg.find(colour).unwrap_or_else(|| panic!("{colour} is missing"));
    assert!(place("#f3f7fc") < place("#083a6e"), "the least is lightest, the most darkest");
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

#[test]
fn a_strip_holds_band_interval_and_what_was_published() {
    let measured = common::estimate(45.0, 30.0);
    let svg = strip("E1", &Scale::of((40.0, 60.0), &[50.0], [measured]), &measured);
    let ends: Vec<f64> =
        [attribute(&svg, "line", "whisker", "x1"), attribute(&svg, "line", "whisker", "x2")].concat();
    assert!(ends.iter().all(|x| (4.0..=146.0).contains(x)), "{ends:?}");
    assert!(svg.contains("class=\"published\"") && svg.contains("class=\"band\""));
}

#[test]
fn empty_pictures_are_still_pictures() {
    for svg in [
        bars(NAMES, &[]),
        grouped_bars(NAMES, &[], &[]),
        cdf(NAMES, "share", &[]),
        lines(NAMES, "x", &[]),
        forest(NAMES, &[], &[]),
    ] {
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        texts(&svg);
    }
}

#[test]
fn a_report_has_its_pictures() {
    let files = picture::files(&common::report());
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert!(names.contains(&"goodput.svg") && names.contains(&"recovery.svg"), "{names:?}");
    for file in &files {
        texts(std::str::from_utf8(&file.bytes).unwrap());
    }
}
