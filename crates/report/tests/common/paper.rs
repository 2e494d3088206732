//! A paper's page with everything on it.

use seamline_report::export::table::Table;
use seamline_report::paper::{
    Badge, Behind, Claim, Entry, Listing, PaperReport, Part, Published, RunsOfFigure, Section, Tone,
};
use seamline_report::picture::Picture;
use seamline_report::picture::bars::{Bar, bars};
use seamline_report::picture::frame::Names;
use seamline_report::statistics::Estimate;

pub(crate) fn badge(words: &str, tone: Tone) -> Badge {
    Badge { words: words.into(), tone }
}

fn claim(id: &str, measured: Option<Estimate>, verdict: Badge) -> Claim {
    let behind = Behind {
        name: "a <cell>".into(),
        measured: Some(super::common::estimate(7.0, 0.5)),
        unit: "%".into(),
        published: Some(7.25),
        accepted: Some((f64::NEG_INFINITY, 8.0)),
        verdict: Some(verdict.clone()),
    };
    Claim {
        id: id.into(),
        statement: super::common::NASTY.into(),
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
    let bar = Bar { label: "EHN".into(), value: super::common::estimate(15.0, 1.0), published: Some(15.0) };
    Picture { name: name.into(), svg: bars(names, &[bar]), caption: "Longer is better.".into() }
}

/// A paper with everything in it, made up.
pub(crate) fn paper() -> PaperReport {
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
        title: super::common::NASTY.into(),
        citation: "A. Author, 2003".into(),
        facts: "3 cells".into(),
        warnings: vec!["too <few> seeds".into()],
        claims: vec![
            claim("E1", Some(super::common::estimate(15.0, 1.0)), badge("reproduced", Tone::Good)),
            claim("E2", Some(super::common::estimate(25.0, 1.0)), badge("not reproduced", Tone::Bad)),
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
            Section { id: "time", title: "Over time".into(), parts: vec![Part::TimePanels] },
            Section {
                id: "beyond",
                title: "Beyond".into(),
                parts: vec![
                    Part::Words("More & more".into()),
                    Part::Folded("Folded".into(), vec![Part::WidePicture(picture("map"))]),
                ],
            },
        ],
        over_time: vec![
            RunsOfFigure {
                name: "fig3".into(),
                title: "Figure 3".into(),
                look: super::common::NASTY.into(),
                shown_s: Some((4.0, 9.0)),
                runs: vec![super::common::series(0), super::common::series(1)],
            },
            RunsOfFigure {
                name: "fig4".into(),
                title: "Figure 4".into(),
                runs: vec![super::common::series(0)],
                ..RunsOfFigure::default()
            },
        ],
        tables: vec![
            Table::new("cells").real("goodput", [Some(1.5), None].into_iter()),
            Table::new("nothing").whole("seeds", [].into_iter()),
        ],
        provenance: super::common::provenance(),
    }
}
