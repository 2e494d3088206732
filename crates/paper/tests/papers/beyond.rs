//! Beyond a paper: tables and maps are made of the records they say, sentences turn with the records, and the schemes
//! that hear no predictions are the same whatever is predicted.

use seamline_experiment::record::RunRecord;
use seamline_experiment::run_seed;
use seamline_paper::beyond::benefit::{comparison, map};
use seamline_paper::beyond::conclusions::{Conclusion, Conclusions, Standing, judge};
use seamline_paper::beyond::shown::Shown;
use seamline_paper::beyond::text::paragraph;
use seamline_paper::bundled::Beyond;
use seamline_paper::records::CellRecords;
use seamline_paper::{Paper, find};
use seamline_scenario::Plan;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

fn paper() -> &'static Paper {
    find("E").expect("bundled")
}

fn files() -> &'static Beyond {
    paper().beyond.as_ref().expect("asked beyond")
}

fn plan(name: &str, set: &[&str]) -> Plan {
    let (_, text) = files().scenarios.iter().find(|(known, _)| *known == name).expect(name);
    let set: Vec<String> = set.iter().map(|it| (*it).to_owned()).collect();
    Plan::new(Path::new(name), (*text).to_owned(), &set).unwrap_or_else(|error| panic!("{name}: {error:?}"))
}

fn shown() -> Shown {
    toml::from_str::<Shown>(files().shown).expect("shown.toml")
}

fn conclusions() -> Conclusions {
    toml::from_str::<Conclusions>(files().conclusions).expect("conclusions.toml")
}

/// Records of every cell of every scenario, all alike but for the seeds.
fn all_alike() -> Vec<CellRecords> {
    let mut records = Vec::new();
    for (name, _) in files().scenarios {
        for cell in plan(name, &[]).cells {
            let last = |path: &str| path.rsplit('.').next().expect("a last part").to_owned();
            let values = cell.values.iter().map(|(path, value)| (last(path), value.to_string()));
            let runs = (1..=5).map(|seed| crate::support::run(seed, &[("download", 1000.0 * seed as f64)]));
            records.push(CellRecords {
                figure: (*name).to_owned(),
                values: values.collect(),
                runs: runs.collect(),
            });
        }
    }
    records
}

/// Change the goodput of the cells with these values.
fn scale(
    records: &mut [CellRecords],
    figures: &[String],
    values: &BTreeMap<String, String>,
    factor: impl Fn(usize) -> f64,
) {
    let chosen = records.iter_mut().filter(|cell| {
        figures.contains(&cell.figure)
            && values.iter().all(|(key, value)| cell.values.get(key).is_some_and(|own| own == value))
    });
    for cell in chosen {
        for (seed, run) in cell.runs.iter_mut().enumerate() {
            run.flows[0].goodput_bits_per_second *= factor(seed);
        }
    }
}

fn values(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// Every scenario is shown, over keys of its grid, and has the baseline.
#[test]
fn what_is_shown_is_there() {
    let shown = shown();
    let named = shown.comparison.iter().map(|it| &it.scenario).chain(shown.map.iter().map(|it| &it.scenario));
    let named: Vec<&str> = named.map(String::as_str).collect();
    assert_eq!(named, files().scenarios.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let records = all_alike();
    for of in &shown.comparison {
        let it = comparison(of, &shown, &records);
        assert_eq!(it.rows.len(), 16, "{}", of.title);
        assert!(it.rows.iter().all(|row| row.factor.is_some_and(|factor| factor.samples == 5)));
        let schemes: Vec<&str> = it.rows.iter().take(4).map(|row| row.scheme.as_str()).collect();
        assert_eq!(schemes, ["none", "ehn", "tr-acks", "freeze"], "a group stands together");
    }
    let leads = ["none", "60 ms", "150 ms", "320 ms", "1 s"];
    let rows: [&[&str]; 4] = [
        &["0 ms", "50 ms", "100 ms", "200 ms"],
        &["0 ms", "100 ms", "300 ms", "1 s"],
        &["0 %", "15 %", "50 %", "80 %"],
        &["0 %", "10 %", "20 %", "50 %"],
    ];
    for (of, rows) in shown.map.iter().zip(rows) {
        let it = map(of, &shown, &records);
        assert_eq!(
            (it.x, it.y),
            (leads.map(str::to_owned).to_vec(), rows.iter().map(|it| (*it).to_owned()).collect())
        );
    }
}

/// A map's fields are factors over the field of the baseline at the same place; its own are exactly 1.
#[test]
fn benefits_are_factors_at_the_same_place() {
    let shown = shown();
    let mut records = all_alike();
    let only = ["notices-late".to_owned()];
    scale(
        &mut records,
        &only,
        &values(&[("scheme", "freeze"), ("lead", "60 ms"), ("late", "50 ms")]),
        |_| 1.25,
    );
    scale(&mut records, &only, &values(&[("lead", "1 s")]), |seed| 1.0 + seed as f64);
    let it = map(&shown.map[0], &shown, &records);
    let none = it.schemes.iter().find(|own| own.scheme == "none").expect("the baseline");
    for factor in none.factor.iter().flatten() {
        let factor = factor.expect("measured");
        assert_eq!((factor.mean, factor.low, factor.high), (1.0, Some(1.0), Some(1.0)));
    }
    let freeze = it.schemes.iter().find(|own| own.scheme == "freeze").expect("a scheme");
    for (row, factors) in freeze.factor.iter().enumerate() {
        for (column, factor) in factors.iter().enumerate() {
            let expected = if (row, column) == (1, 1) { 1.25 } else { 1.0 };
            assert!((factor.expect("measured").mean - expected).abs() < 1e-12, "{row} {column}");
        }
    }
}

/// Records of which a sentence is true: the compared cells gain what its bounds ask for.
fn bearing_out(conclusion: &Conclusion) -> Vec<CellRecords> {
    let mut records = all_alike();
    let measures = [(&conclusion.measure, conclusion.accept)]
        .into_iter()
        .chain(conclusion.also.iter().map(|it| (&it.measure, it.accept)));
    for (measure, accept) in measures {
        let gain = crate::support::within(accept);
        scale(&mut records, &conclusion.figures, &measure.of, |_| 1.0 + gain / 100.0);
    }
    records
}

/// Each sentence stands on records that bear it out, falls with others, and is left open by noise and single seeds.
#[test]
fn every_conclusion_turns_with_the_records() {
    let conclusions = conclusions();
    assert!(conclusions.conclusion.len() >= 5);
    for conclusion in &conclusions.conclusion {
        let id = &conclusion.id;
        let standing = |records: &[CellRecords]| {
            let results = judge(&conclusions, records);
            results.into_iter().find(|it| it.id == *id).expect("judged").standing
        };
        let changed = |factor: fn(usize) -> f64| {
            let mut records = bearing_out(conclusion);
            scale(&mut records, &conclusion.figures, &conclusion.measure.of, factor);
            standing(&records)
        };
        assert_eq!(changed(|_| 1.0), Standing::Holds, "{id}");
        let opposite: fn(usize) -> f64 = if conclusion.accept[0].is_finite() { |_| 0.5 } else { |_| 2.0 };
        assert_eq!(changed(opposite), Standing::NoLongerHolds, "{id}");
        let noise: fn(usize) -> f64 = |seed| [0.3, 2.1, 0.4, 2.3, 0.9][seed];
        assert_eq!(changed(noise), Standing::Inconclusive, "{id}");
        let mut single = bearing_out(conclusion);
        single.iter_mut().for_each(|cell| cell.runs.truncate(1));
        assert_eq!(standing(&single), Standing::Inconclusive, "{id}");
    }
}

/// What does not stand is marked in the paragraph.
#[test]
fn the_paragraph_says_what_does_not_stand() {
    let results = judge(&conclusions(), &[]);
    let text = paragraph(&results);
    assert_eq!(text.matches("[inconclusive with so few seeds]").count(), results.len());
}

/// A sentence refers to scenarios, keys and values that are there, and unknown keys are refused.
#[test]
fn conclusions_refer_to_what_is_there() {
    let records = all_alike();
    for result in judge(&conclusions(), &records) {
        assert!(result.measured.is_some(), "{} compares cells that are not there", result.id);
        assert!(!result.because.is_empty() && result.sentence.ends_with('.'), "{}", result.id);
    }
    let damaged = files().conclusions.replacen("because =", "becuase = \"\"\nbecause =", 1);
    let error = toml::from_str::<Conclusions>(&damaged).expect_err("an unknown key").to_string();
    assert!(error.contains("unknown field `becuase`"), "{error}");
}

/// The maps differ from each other in what they vary, and from nothing else.
#[test]
fn maps_vary_one_thing() {
    let base = |name: &str| {
        let mut base = plan(name, &[]).base;
        base.as_object_mut().expect("a table").remove("title");
        base
    };
    let first = base("notices-late");
    for of in &shown().map {
        assert_eq!(base(&of.scenario), first, "{}", of.scenario);
    }
}

/// EHN and TR-ACKs hear no predictions, so they are left out of the maps of these; Freeze-TCP does.
#[test]
fn only_freeze_listens_to_predictions() {
    let records = |scheme: &str, notice: &str| -> RunRecord {
        let plan = plan("5g", &["duration=30 s", &format!("link.radio.notice={notice}")]);
        let wanted = ["cubic", "lost", scheme];
        let cell = plan
            .cells
            .iter()
            .find(|cell| {
                wanted.iter().all(|it| cell.values.iter().any(|(_, value)| value.to_string() == *it))
            })
            .expect("a cell");
        run_seed(&cell.scenario, 2, &AtomicBool::new(false)).expect("not stopped")
    };
    let none = "{ to = \"terminal\" }";
    let many =
        "{ to = \"terminal\", lead = \"320 ms\", error = \"1 s\", lost = \"20 %\", false_per_minute = 20 }";
    for scheme in ["none", "ehn", "tr-acks"] {
        assert_eq!(records(scheme, none), records(scheme, many), "{scheme}");
    }
    assert_ne!(records("freeze", none), records("freeze", many));
    assert_ne!(records("none", none), records("ehn", none), "there are handovers");
}
