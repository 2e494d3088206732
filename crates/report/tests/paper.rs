//! The page of a paper: claims, verdicts, pictures.

mod common;

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::RcDom;
use seamline_record::statistics::Estimate;
use seamline_report::paper::{Claim, PaperReport, Verdict, html, summary};
use seamline_report::picture::Picture;
use seamline_report::picture::bars::{Bar, bars};
use seamline_report::picture::frame::Names;

fn claim(id: &str, measured: Option<Estimate>) -> Claim {
    let accepted = (10.0, 20.0);
    Claim {
        id: id.into(),
        statement: common::NASTY.into(),
        published: Some(15.0),
        accepted,
        verdict: Verdict::of(measured.as_ref(), accepted),
        measured,
        unit: "Mbit/s".into(),
        note: "links are \"ideal\"".into(),
    }
}

#[test]
fn a_verdict_looks_at_the_mean_and_at_both_ends() {
    let of = |mean, half| Verdict::of(Some(&common::estimate(mean, half)), (10.0, 20.0));
    assert_eq!(of(15.0, 5.0), Verdict::Confirmed, "ends included");
    assert_eq!(of(15.0, 5.1), Verdict::Likely);
    assert_eq!(of(9.0, 2.0), Verdict::Unclear);
    assert_eq!(of(9.0, 0.5), Verdict::Refuted, "too small");
    assert_eq!(of(25.0, 1.0), Verdict::Refuted, "too good");
    assert_eq!(of(0.0, 40.0), Verdict::Unclear, "an interval that holds everything says nothing");
    assert_eq!(Verdict::of(None, (10.0, 20.0)), Verdict::NotMeasured);
    assert_eq!(Verdict::of(Some(&Estimate::single(12.0)), (10.0, 20.0)), Verdict::Confirmed);
    assert_eq!(Verdict::of(Some(&Estimate::single(9.0)), (10.0, 20.0)), Verdict::Refuted);
    assert_eq!(Verdict::of(Some(&Estimate::single(f64::NAN)), (10.0, 20.0)), Verdict::Unclear);
}

#[test]
fn the_page_of_a_paper_is_whole() {
    let claims = vec![
        claim("E1", Some(common::estimate(15.0, 1.0))),
        claim("E2", Some(common::estimate(25.0, 1.0))),
        claim("E3", None),
    ];
    assert_eq!(summary(&claims), "1 of 3 claims confirmed, 1 refuted, 1 not measured");
    let names = Names { picture: "fig3", title: "Figure 3", remark: "", axis: "Mbit/s" };
    let bar = Bar { label: "EHN".into(), value: common::estimate(15.0, 1.0), published: Some(15.0) };
    let picture =
        Picture { name: "fig3".into(), svg: bars(names, &[bar]), caption: "Longer is better.".into() };
    let paper = PaperReport {
        title: common::NASTY.into(),
        citation: "A. Author, 2003".into(),
        claims,
        pictures: vec![picture],
        deviations: vec!["No <radio> model.".into()],
        provenance: common::provenance(),
    };
    let page = html(&paper);
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(page.as_str());
    let errors: Vec<String> = dom.errors.borrow().iter().map(ToString::to_string).collect();
    assert_eq!(errors, Vec::<String>::new());
    for wanted in [
        "✓ confirmed",
        "✗ refuted",
        "[14.0, 16.0] Mbit/s (n = 5)",
        "10.0 to 20.0 Mbit/s",
        "No &lt;radio&gt; model.",
    ] {
        assert!(page.contains(wanted), "{wanted}");
    }
    if let Some(place) = std::env::var_os("SEAMLINE_SCREENSHOTS") {
        std::fs::write(std::path::Path::new(&place).join("paper.html"), &page).unwrap();
    }
}
