//! Many curves in one picture, and pictures in the dark.

use roxmltree::Document;
use seamline_report::picture::cdf::{Distribution, cdf};
use seamline_report::picture::curves::{Curve, curves};
use seamline_report::picture::frame::Names;
use seamline_report::picture::standalone;
use std::collections::BTreeSet;

const NAMES: Names<'static> = Names { picture: "p", title: "t", remark: "r", axis: "a" };

fn distributions(count: usize) -> String {
    let one = |n: usize| Distribution {
        name: format!("curve {n}"),
        values: (1..=20).map(|value| f64::from(value) + n as f64).collect(),
        cases: 22,
    };
    cdf(NAMES, "share", &(0..count).map(one).collect::<Vec<_>>())
}

fn over_time(count: usize) -> String {
    let one =
        |n: usize| Curve { name: format!("curve {n}"), points: vec![(0.0, n as f64), (5.0, 2.0 * n as f64)] };
    curves(NAMES, (0.0, 10.0), &(0..count).map(one).collect::<Vec<_>>(), &[], "handover")
}

/// Colour and dashes of all curves, and how many markers there are.
fn looks(svg: &str) -> (Vec<(String, String)>, usize) {
    let document = Document::parse(svg).unwrap();
    let paths: Vec<_> = document.descendants().filter(|node| node.has_tag_name("path")).collect();
    let of = |class: &'static str| {
        paths.iter().filter(move |node| node.attribute("class").is_some_and(|it| it.starts_with(class)))
    };
    let look = |node: &roxmltree::Node<'_, '_>| {
        ["stroke", "stroke-dasharray"].map(|name| node.attribute(name).unwrap_or_default().to_owned()).into()
    };
    (of("series").map(look).collect(), of("area").count())
}

#[test]
fn twelve_curves_differ_in_more_than_seven_colours() {
    for (svg, markers) in [(distributions(12), 12 * 3 + 12), (over_time(12), 12 * 4 + 12)] {
        let (looks, found) = looks(&svg);
        assert_eq!(looks.len(), 12);
        assert_eq!(looks.iter().collect::<BTreeSet<_>>().len(), 12, "colour and dashes: {looks:?}");
        // The seventh colour is a second blue.
        assert_ne!(looks[0].1, looks[6].1, "dashes of both blues");
        assert_eq!(found, markers, "on each curve, and in the legend");
    }
    for svg in [distributions(3), over_time(3)] {
        assert_eq!(looks(&svg).1, 0, "few curves need no markers");
    }
}

#[test]
fn a_picture_of_its_own_is_dark_in_the_dark() {
    let svg = distributions(12);
    let alone = standalone(&svg);
    Document::parse(&alone).unwrap();
    assert!(!svg.contains("<style>"), "within a page its style would hold for the whole page");
    assert_eq!(alone.matches("prefers-color-scheme: dark").count(), 1);
    let document = Document::parse(&svg).unwrap();
    let classes: BTreeSet<&str> = document
        .descendants()
        .filter_map(|node| node.attribute("class"))
        .flat_map(str::split_whitespace)
        .collect();
    for class in classes.iter().filter(|class| !["series", "area", "tick"].contains(class)) {
        assert!(alone.contains(&format!(".{class}")), "{class} has a colour in the dark");
    }
    for place in 0..7 {
        assert!(alone.contains(&format!(".s{place}.series {{ stroke: ")), "s{place}");
        assert!(alone.contains(&format!(".s{place}.area {{ fill: ")), "s{place}");
    }
}
