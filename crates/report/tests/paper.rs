//! The page of a paper: claims with the verdicts that they are given, sections, files.

mod common;

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::RcDom;
use seamline_record::statistics::Estimate;
use seamline_report::export::table::Table;
use seamline_report::paper::{
    Badge, Behind, Claim, Entry, Listing, PaperReport, Part, Published, Section, Tone, html, tally,
};
use seamline_report::picture::Picture;
use seamline_report::picture::bars::{Bar, bars};
use seamline_report::picture::frame::Names;

fn badge(words: &str, tone: Tone) -> Badge {
    Badge { words: words.into(), tone }
}

fn claim(id: &str, measured: Option<Estimate>, verdict: Badge) -> Claim {
    let behind = Behind {
        name: "a <cell>".into(),
        measured: Some(common::estimate(7.0, 0.5)),
        unit: "%".into(),
        published: Some(7.25),
        accepted: Some((f64::NEG_INFINITY, 8.0)),
        verdict: Some(verdict.clone()),
    };
    Claim {
        id: id.into(),
        statement: common::NASTY.into(),
        place: "section 4".into(),
        published: Published::Range(12.0, 15.5),
        accepted: (10.0, 20.0),
        aggregate: "mean of <all>".into(),
        measured,
        unit: "Mbit/s".into(),
        verdict,
        note: "links are \"ideal\"".into(),
        behind: vec![behind],
    }
}

fn picture(name: &'static str) -> Picture {
    let names = Names { picture: name, title: "Figure 3", remark: "", axis: "Mbit/s" };
    let bar = Bar { label: "EHN".into(), value: common::estimate(15.0, 1.0), published: Some(15.0) };
    Picture { name: name.into(), svg: bars(names, &[bar]), caption: "Longer is better.".into() }
}

fn paper() -> PaperReport {
    let listing = Listing {
        columns: vec!["Silence".into(), "Value".into()],
        words: 1,
        rows: vec![vec![
            Entry::Named("no-radio".into(), "No <radio> model.".into()),
            Entry::Judged("1.5".into(), Tone::Partly),
        ]],
    };
    let exact = Estimate { mean: 31.0, low: Some(31.0), high: Some(31.0), samples: 1 };
    PaperReport {
        title: common::NASTY.into(),
        citation: "A. Author, 2003".into(),
        facts: "3 cells".into(),
        warnings: vec!["too <few> seeds".into()],
        claims: vec![
            claim("E1", Some(common::estimate(15.0, 1.0)), badge("reproduced", Tone::Good)),
            claim("E2", Some(common::estimate(25.0, 1.0)), badge("not reproduced", Tone::Bad)),
            claim("E3", None, badge("inconclusive", Tone::Open)),
            claim("E4", Some(exact), badge("direction only", Tone::Partly)),
            claim("E5", Some(Estimate::single(14.0)), badge("inconclusive", Tone::Open)),
        ],
        sections: vec![
            Section {
                id: "figures",
                title: "Figures & tables".into(),
                parts: vec![Part::Pictures(vec![picture("fig3")]), Part::Table(listing)],
            },
            Section {
                id: "beyond",
                title: "Beyond".into(),
                parts: vec![
                    Part::Words("More & more".into()),
                    Part::Folded("Folded".into(), vec![Part::WidePicture(picture("map"))]),
                ],
            },
        ],
        tables: vec![
            Table::new("cells").real("goodput", [Some(1.5), None].into_iter()),
            Table::new("nothing").whole("seeds", [].into_iter()),
        ],
        provenance: common::provenance(),
    }
}

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
    other.claims[0].verdict = badge("not reproduced", Tone::Bad);
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
    let expected =
        ["provenance.json", "cells.csv", "cells.json", "cells.parquet", "fig3.svg", "map.svg", "report.html"];
    assert_eq!(names, expected);
    assert_eq!(files[6].bytes, html(&paper()).into_bytes());
    let document: serde_json::Value = serde_json::from_slice(&files[2].bytes).unwrap();
    assert_eq!(document["provenance"]["scenario_blake3"], "00ff".repeat(16));
}
