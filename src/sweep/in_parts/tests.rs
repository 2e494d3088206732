use super::*;
use seamline_experiment::report::provenance_of;
use seamline_experiment::{Baseline, Job, run_seed, summarise};
use seamline_results::sweep::{Progress, SweepOutcome};
use seamline_results::{SweepOptions, sweep_with};
use std::path::Path;
use std::sync::atomic::AtomicBool;

struct Silent;

impl Progress for Silent {
    fn begins(&self, _: usize) {}
    fn finished_one(&self) {}
    fn note(&self, _: &str) {}
}

/// Twelve grid cells with two seeds each, in parts of at most so many: two axes with schemes, one of them with `none`, and a third.
fn parts(most: usize) -> Parts<'static> {
    let text = include_str!("../../../scenarios/lossy-hop.toml").to_owned();
    let settings = [
        "duration=1 s",
        "warm_up=0 s",
        "seeds=[1, 2]",
        "grid.link.air.down.loss.probability=['0.1 %','1 %','3 %']",
        "grid.agent.station.kind=['snoop','none']",
        "grid.flow.download.variant=['reno','cubic']",
    ];
    Parts::new(Path::new("lossy-hop.toml"), text, &settings.map(str::to_owned), most, &mut |_| {}).unwrap()
}

fn swept(parts: &Parts<'_>, folder: &Path) -> SweepOutcome {
    let stop = AtomicBool::new(false);
    let run = |plan: &Plan, Job { cell, seed }: Job| {
        let scenario = &plan.cells[cell].scenario;
        Ok(run_seed(scenario, scenario.seeds[seed], &stop))
    };
    let options = SweepOptions { out: folder.to_owned(), shard: None, add: false, only_flows: false };
    sweep_with(parts, &provenance(parts), &options, &stop, &Silent, &run).unwrap()
}

fn provenance(parts: &Parts<'_>) -> Provenance {
    provenance_of(parts.first(), "seamline sweep".to_owned())
}

/// What is printed of results that are in memory as a whole: rows, document and text; and what a reader should know.
fn whole(parts: &Parts<'_>, folder: &Path, baseline: Option<&Baseline>) -> ([String; 3], Vec<String>) {
    let (plan, results) = (parts.single().unwrap(), swept(parts, folder).results.unwrap());
    let summary = summarise(plan, &results, baseline);
    let text = verdicts(plan, &summary);
    let report = pages::report(plan, results, &summary, provenance(parts));
    let document = ResultDocument::new(plan, &report).to_json().unwrap();
    ([csv_rows(&outcomes(&report)), document, text], report.warnings)
}

/// The words of a text, which is aligned by part and has headings for each; without those of the headings.
fn words(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with(' ')).flat_map(str::split_whitespace).collect()
}

#[test]
fn results_in_parts_are_those_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let all = parts(usize::MAX);
    assert_eq!(all.totals().cells.len(), 12);
    for name in [None, Some("agent.station.kind=none"), Some("link.air.down.loss.probability=1 %")] {
        let named = name.map(|name| Baseline::new(&all, name).unwrap());
        let ([rows, document, text], warnings) = whole(&all, folder.path(), named.as_ref());
        for (most, at_once) in [(5, 2), (5, 5), (1, 4), (7, 11), (7, 12), (7, 100), (100, 5)] {
            let parts = parts(most);
            let baseline = name.map(|name| Baseline::new(&parts, name).unwrap());
            let mut in_parts = InParts {
                parts: &parts,
                stored: StoredRuns::new(&parts, folder.path(), false).unwrap(),
                comparisons: Comparisons::new(&parts, baseline.as_ref()),
                provenance: provenance(&parts),
                at_once,
                check: &|| Ok(()),
            };
            let what = format!("{name:?}, {at_once} at once");
            let mut print = |format| {
                let mut text = String::new();
                let mut out = |piece: &str| {
                    text += piece;
                    Ok(())
                };
                assert_eq!(in_parts.print(format, &mut out).unwrap(), warnings, "{what}");
                text
            };
            assert_eq!(print(Format::Csv), rows, "{what}");
            assert_eq!(print(Format::Json), document, "{what}");
            if name.is_some() {
                assert_eq!(words(&print(Format::Table)), words(&text), "{what}");
            }
        }
    }
}

#[test]
fn an_interrupt_ends_it_between_parts() {
    let folder = tempfile::tempdir().unwrap();
    let parts = parts(5);
    swept(&parts, folder.path());
    let mut in_parts = InParts {
        parts: &parts,
        stored: StoredRuns::new(&parts, folder.path(), true).unwrap(),
        comparisons: Comparisons::new(&parts, None),
        provenance: provenance(&parts),
        at_once: 2,
        check: &|| Err(Failure::Interrupted("interrupted".to_owned(), 130)),
    };
    let outcome = in_parts.print(Format::Csv, &mut |_| Ok(()));
    assert!(matches!(outcome, Err(Failure::Interrupted(_, 130))), "{outcome:?}");
}
