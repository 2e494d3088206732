//! The page of a paper: claims with the verdicts that they are given, sections, files.

use crate::common;
use crate::common::made_up::paper;
use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::RcDom;
use seamline_report::paper::{PaperReport, Verdict, html, tally};

fn errors_in(page: &str) -> Vec<String> {
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(page);
    let errors: Vec<String> = dom.errors.borrow().iter().map(ToString::to_string).collect();
    errors
}

/// The row of a claim.
fn row<'a>(page: &'a str, id: &str) -> &'a str {
    let from = page.find(&format!("<tr id=\"claim-{id}\"")).unwrap_or_else(|| panic!("no row of {id}"));
    let to = page[from..].find("</tr>").unwrap();
    &page[from..from + to]
}

#[test]
fn the_page_of_a_paper_is_whole() {
    let page = html(&paper());
    assert_eq!(errors_in(&page), Vec::<String>::new());
    for wanted in [
        "5 claims: 1 reproduced, 1 direction only, 1 not reproduced, 2 inconclusive",
        "A. Author, 2003",
        "too &lt;few&gt; seeds",
        "No &lt;radio&gt; model.",
        "More &amp; more",
        "href=\"#beyond\">Beyond</a>",
        "1.5 <span class=\"partly\">≈</span>",
        "a &lt;cell&gt;",
        "below 8 %",
        "7.25 %",
        "seamline run &#39;my &quot;scenario&quot;.toml&#39;",
    ] {
        assert!(page.contains(wanted), "{wanted}");
    }
    if let Some(place) = std::env::var_os("SEAMLINE_SCREENSHOTS") {
        std::fs::write(std::path::Path::new(&place).join("paper.html"), &page).unwrap();
    }
    assert_eq!(errors_in(&html(&PaperReport::default())), Vec::<String>::new(), "a paper without anything");
}

/// What the claim is given is what the row shows: word, sign and class, and never a judgement of the page's own.
#[test]
fn a_row_shows_the_verdict_it_is_given() {
    let page = html(&paper());
    for (id, class, sign, words) in [
        ("E1", "better", "✓", "reproduced"),
        ("E2", "worse", "✗", "not reproduced"),
        ("E3", "open", "?", "inconclusive"),
        ("E4", "partly", "≈", "direction only"),
    ] {
        let badge = format!("<span class=\"badge {class}\">{sign}&nbsp;{words}</span>");
        assert!(row(&page, id).contains(&badge), "{id}: {}", row(&page, id));
        let glance = format!("<a class=\"{class}\" href=\"#claim-{id}\"");
        assert!(page.contains(&glance), "{glance}");
    }
    let mut other = paper();
    other.claims[0].verdict = Verdict::NotReproduced;
    assert!(row(&html(&other), "E1").contains("✗&nbsp;not reproduced"), "although the number is as accepted");
}

#[test]
fn a_row_says_what_was_measured_and_how_well() {
    let page = html(&paper());
    let has = |id: &str, parts: &[&str]| {
        for part in parts {
            assert!(row(&page, id).contains(part), "{id}: {part} in {}", row(&page, id));
        }
    };
    let paper = "<strong>12 to 15.5 Mbit/s</strong><small>accepted: 10 to 20 Mbit/s</small>";
    has(
        "E1",
        &[
            "<strong>15.0</strong> [14.0, 16.0] Mbit/s<small>5 seeds</small>",
            paper,
            "aria-label=\"E1 measured\"",
        ],
    );
    has("E3", &["<div>nothing</div>"]);
    has("E4", &["<strong>31.0</strong> Mbit/s<small>exact</small>"]);
    has("E5", &["<strong>14.0</strong> Mbit/s<small>one seed: no interval</small>"]);
}

#[test]
fn kinds_of_verdicts_are_counted_in_the_order_of_how_good_they_are() {
    assert_eq!(tally(&[]), "0 claims: ");
    let claims = paper().claims;
    assert_eq!(tally(&claims[1..3]), "2 claims: 1 not reproduced, 1 inconclusive");
}

/// Tables with rows in every format, every picture, folded ones too, and the page when all of it is there.
#[test]
fn the_files_of_a_paper() {
    let files = paper().files().unwrap();
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let expected = ["provenance.json", "cells.csv", "cells.json", "cells.parquet", "fig3.svg", "map.svg"];
    assert_eq!(names[..6], expected);
    let over_time = |cell: usize| {
        let kinds = ["sequence", "window", "round-trip", "queues", "handover-sequence", "handover-window"];
        kinds.map(|kind| format!("-time-{cell}-{kind}.svg"))
    };
    let of_figures = [("fig3", 1), ("fig3", 2), ("fig4", 1)];
    let expected: Vec<String> = of_figures
        .into_iter()
        .flat_map(|(figure, cell)| over_time(cell).map(|name| format!("{figure}{name}")))
        .chain(["report.html".to_owned()])
        .collect();
    assert_eq!(names[6..], expected);
    assert_eq!(files.last().unwrap().bytes, html(&paper()).into_bytes());
    let document: serde_json::Value = serde_json::from_slice(&files[2].bytes).unwrap();
    assert_eq!(document["provenance"]["scenario_blake3"], "00ff".repeat(16));
}

/// The panels stand where a section has them, with the runs of each figure; without runs there is none of it.
#[test]
fn runs_over_time_stand_where_they_belong() {
    let page = html(&paper());
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is missing"));
    assert!(place("id=\"time\"") < place("id=\"stage\"") && place("id=\"stage\"") < place("id=\"beyond\""));
    assert_eq!(page.matches("id=\"stage\"").count(), 1);
    assert_eq!(page.matches("<script type=\"text/plain\" id=\"run-").count(), 3);
    let data = &page[place("id=\"data\">") + 10..];
    let data: serde_json::Value = serde_json::from_str(&data[..data.find("</script>").unwrap()]).unwrap();
    let groups = serde_json::json!([
        {"title": "Figure 3", "look": common::NASTY, "first": 0, "count": 2, "shown": [4.0, 9.0]},
        {"title": "Figure 4", "look": "", "first": 2, "count": 1},
    ]);
    assert_eq!(data["groups"], groups);
    let mut without = paper();
    without.over_time.clear();
    let page = html(&without);
    assert!(!page.contains("id=\"stage\"") && page.contains("\"groups\":[]"));
}
