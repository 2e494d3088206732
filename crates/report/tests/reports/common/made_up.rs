//! A paper's page with everything on it.

use seamline_report::export::table::Table;
use seamline_report::paper::result::mean_and_interval;
use seamline_report::paper::{
    CellResult, ClaimResult, Entry, Listing, PaperReport, Part, RunsOfFigure, Section, Tone, Verdict,
};
use seamline_report::picture::Picture;
use seamline_report::picture::bars::{Bar, bars};
use seamline_report::picture::frame::Names;
use seamline_report::statistics::Estimate;

fn claim(id: &str, measured: Option<Estimate>, verdict: Verdict) -> ClaimResult {
    let cell = CellResult {
        paper: Some(7.25),
        accept: Some([None, Some(8.0)]),
        verdict: Some(verdict),
        ..CellResult::new("a <cell>".into(), "%", Some(super::estimate(7.0, 0.5)))
    };
    let (mean, ci95) = mean_and_interval(measured);
    ClaimResult {
        id: id.into(),
        statement: super::NASTY.into(),
        paper: serde_json::json!([12, 15.5]),
        unit: "Mbit/s",
        accept: [Some(10.0), Some(20.0)],
        measured: mean,
        ci95,
        cells: vec![cell],
        verdict,
        fails_at: vec!["loss <5 %>".into()],
        note: "links are \"ideal\"".into(),
        aggregate: "mean of <all>".into(),
        r#where: "section 4".into(),
        other_programs: Vec::new(),
        readings: Vec::new(),
        cause: None,
        seeds: measured.map(|measured| measured.samples),
    }
}

fn picture(name: &'static str) -> Picture {
    let names = Names { picture: name, title: "Figure 3", remark: "", axis: "Mbit/s" };
    let bar = Bar { label: "EHN".into(), value: super::estimate(15.0, 1.0), published: Some(15.0) };
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
        title: super::NASTY.into(),
        citation: "A. Author, 2003".into(),
        facts: "3 cells".into(),
        warnings: vec!["too <few> seeds".into()],
        claims: vec![
            claim("E1", Some(super::estimate(15.0, 1.0)), Verdict::Reproduced),
            claim("E2", Some(super::estimate(25.0, 1.0)), Verdict::NotReproduced),
            claim("E3", None, Verdict::Inconclusive),
            claim("E4", Some(exact), Verdict::DirectionOnly),
            claim("E5", Some(Estimate::single(14.0)), Verdict::Inconclusive),
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
                look: super::NASTY.into(),
                shown_s: Some((4.0, 9.0)),
                runs: vec![super::series(0), super::series(1)],
            },
            RunsOfFigure {
                name: "fig4".into(),
                title: "Figure 4".into(),
                runs: vec![super::series(0)],
                ..RunsOfFigure::default()
            },
        ],
        tables: vec![
            Table::new("cells").real("goodput", [Some(1.5), None].into_iter()),
            Table::new("nothing").whole("seeds", [].into_iter()),
        ],
        provenance: super::provenance(),
    }
}
