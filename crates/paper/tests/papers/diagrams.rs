//! Networks and message charts: those that papers ask for are drawn, and a run that fails is not hidden.

use seamline_paper::figures::Figures;
use seamline_paper::page::diagrams::diagrams;
use seamline_paper::{ALL, PaperOptions};
use seamline_report::picture::Picture;
use std::sync::Arc;

fn options(set: &[&str]) -> PaperOptions {
    PaperOptions {
        out: std::path::PathBuf::new(),
        set: set.iter().map(|&text| text.to_owned()).collect(),
        most_seeds: None,
        readings: false,
        stack: None,
        command: String::new(),
    }
}

fn drawn(id: &str) -> Vec<Picture> {
    let paper = seamline_paper::find(id).expect("bundled");
    diagrams(paper, &options(&["seeds=2"]), &Arc::default()).expect("files in order").expect("not stopped")
}

#[test]
fn every_diagram_that_is_asked_for_is_drawn() {
    for paper in ALL {
        let figures = toml::from_str::<Figures>(paper.figures).expect("figures.toml");
        let networks = figures.network.iter().map(|it| it.name.as_str());
        let asked: Vec<&str> =
            networks.chain(figures.message_chart.iter().map(|it| it.name.as_str())).collect();
        let drawn = drawn(paper.id);
        let names: Vec<&str> = drawn.iter().map(|picture| picture.name.as_str()).collect();
        assert_eq!(names, asked, "{}", paper.id);
        assert!(drawn.iter().all(|picture| !picture.caption.is_empty()), "{}", paper.id);
    }
}

/// What the flow chart of paper L and the timing diagrams of paper O are about is in the packets of the runs.
#[test]
fn charts_of_losses_show_how_they_are_repaired() {
    let has = |id: &str, name: &str, wanted: &[&str]| {
        let picture = drawn(id).into_iter().find(|picture| picture.name == name).expect("drawn");
        for text in wanted {
            assert!(picture.svg.contains(text), "{id} {name}: {text}");
        }
    };
    has("L", "fig2-air", &["(congestion: 1)", "(air: 0)"]);
    has("L", "fig2-congestion", &["(congestion: 1)"]);
    has("O", "fig5", &["data 12–15, lost (4 packets)", "data 12 again", "data 15 again"]);
    has(
        "O",
        "fig6",
        &[
            "data 12–15, lost (4 packets)",
            "SNACK 12–15",
            "lost by congestion: nothing",
            "data 12–15 again (4 packets)",
        ],
    );
}

#[test]
fn a_run_that_fails_is_reported() {
    let paper = seamline_paper::find("L").expect("bundled");
    let unwritable = options(&["output.pcapng=/dev/null/captures"]);
    let error = diagrams(paper, &unwritable, &Arc::default()).expect_err("the folder cannot be made");
    assert!(error.to_string().contains("/dev/null/captures"), "{error}");
}
