//! The matrix of agents and schemes: its fields are gains over no help with the same congestion control, what was refused says why, and
//! its sentences turn with the records.

use seamline_paper::beyond::conclusions::{Conclusion, Conclusions, Standing, judge};
use seamline_paper::beyond::matrix::{Field, is_sure, matrix};
use seamline_paper::beyond::shown::Shown;
use seamline_paper::bundled::Beyond;
use seamline_paper::find;
use seamline_paper::records::CellRecords;
use seamline_paper::run::Refused;
use seamline_scenario::Plan;
use std::collections::BTreeMap;
use std::path::Path;

fn files() -> &'static Beyond {
    find("L").expect("bundled").beyond.as_ref().expect("asked beyond")
}

fn shown() -> Shown {
    toml::from_str::<Shown>(files().shown).expect("shown.toml")
}

fn conclusions() -> Conclusions {
    toml::from_str::<Conclusions>(files().conclusions).expect("conclusions.toml")
}

type Values = BTreeMap<String, String>;

/// Records of every cell, whose goodput is the seed times `factor` of its values.
fn records(factor: impl Fn(&Values, usize) -> f64) -> Vec<CellRecords> {
    let (name, text) = files().scenarios[0];
    let plan = Plan::without_refused(Path::new(name), text.to_owned(), &[]).expect("valid");
    let cell = |cell: &seamline_scenario::Cell| {
        let last = |path: &str| path.rsplit('.').next().expect("a last part").to_owned();
        let values: Values =
            cell.values.iter().map(|(path, value)| (last(path), value.to_string())).collect();
        let goodput = |seed: u64| 1e3 * seed as f64 * factor(&values, seed as usize - 1);
        let runs = (1..=5).map(|seed| crate::support::run(seed, &[("download", goodput(seed))])).collect();
        CellRecords { figure: name.to_owned(), values, runs }
    };
    plan.cells.iter().map(cell).collect()
}

fn is(values: &Values, wanted: &[(&str, &str)]) -> bool {
    wanted.iter().all(|(key, value)| values[*key] == *value)
}

/// Each congestion control has its own baseline, and a gain that differs from seed to seed may not be sure.
#[test]
fn fields_are_gains_over_no_help() {
    let records = records(|values, seed| {
        let control = if values["variant"] == "cubic" { 4.0 } else { 1.0 };
        let help = match () {
            () if is(values, &[("agent", "snoop"), ("scheme", "ehn")]) => 3.0,
            () if is(values, &[("agent", "split"), ("scheme", "none")]) => [0.5, 2.0, 0.4, 2.2, 1.1][seed],
            () => 1.0,
        };
        control * help
    });
    let shown = shown();
    let it = matrix(&shown.matrix[0], &shown, &records, &[]);
    assert_eq!((it.rows.len(), it.columns.len(), it.panels.len(), it.seeds()), (8, 7, 6, 5));
    for panel in &it.panels {
        let baseline = panel.baseline_megabits_per_second.expect("there are runs").mean;
        let expected = if panel.name == "cubic" { 12.0 } else { 3.0 };
        assert!((baseline - expected).abs() < 1e-9, "{}: {baseline}", panel.name);
        for (row, fields) in it.rows.iter().zip(&panel.fields) {
            for (column, field) in it.columns.iter().zip(fields) {
                let Some(gain) = field.gain() else {
                    assert_eq!(row, "split", "{column} is refused");
                    continue;
                };
                match (row.as_str(), column.as_str()) {
                    ("snoop", "ehn") => assert!((gain.mean - 200.0).abs() < 1e-9 && is_sure(gain)),
                    ("split", "none") => assert!(!is_sure(gain)),
                    _ => assert!(gain.mean.abs() < 1e-9 && !is_sure(gain), "{row} {column}"),
                }
            }
        }
    }
}

/// A combination that is refused has its reason in place of a number; one that was not run has nothing.
#[test]
fn what_is_refused_says_why() {
    let mut records = records(|_, _| 1.0);
    let gone = |cell: &CellRecords| is(&cell.values, &[("agent", "split"), ("scheme", "freeze")]);
    records.retain(|cell| !gone(cell) && !is(&cell.values, &[("agent", "snoop"), ("scheme", "ehn")]));
    let refused: Vec<Refused> = ["reno", "cubic"]
        .map(|variant| Refused {
            figure: "agents-meet-schemes".to_owned(),
            values: [("agent", "split"), ("scheme", "freeze"), ("variant", variant)]
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .into(),
            reason: "they do not go together".to_owned(),
        })
        .into();
    let shown = shown();
    let it = matrix(&shown.matrix[0], &shown, &records, &refused);
    assert_eq!(it.reasons, ["they do not go together"]);
    let place = |all: &[String], name: &str| all.iter().position(|own| own == name).expect("there");
    for panel in &it.panels {
        let at = |row, column| &panel.fields[place(&it.rows, row)][place(&it.columns, column)];
        let is_refused = matches!(at("split", "freeze"), Field::Refused(0));
        assert_eq!(is_refused, ["reno", "cubic"].contains(&panel.name.as_str()), "{}", panel.name);
        assert!(matches!(at("snoop", "ehn"), Field::Nothing));
    }
}

/// Records of which a sentence is true: each comparison of it has what its bounds ask for.
fn bearing_out(conclusion: &Conclusion, factor: impl Fn(usize) -> f64) -> Vec<CellRecords> {
    let own = [(&conclusion.measure, conclusion.accept, true)];
    let also = conclusion.also.iter().map(|it| (&it.measure, it.accept, false));
    let all: Vec<_> = own.into_iter().chain(also).collect();
    records(|values, seed| {
        let matching = all.iter().filter(|(measure, ..)| {
            let only = measure.only.iter().all(|(key, among)| among.contains(&values[key]));
            only && measure.of.iter().all(|(key, value)| values[key] == *value)
        });
        let product = matching.map(|(_, accept, is_own)| {
            (1.0 + crate::support::within(*accept) / 100.0) * if *is_own { factor(seed) } else { 1.0 }
        });
        product.product()
    })
}

/// Each sentence compares cells that are there, falls with other records, and is left open by noise.
#[test]
fn every_conclusion_turns_with_the_records() {
    let conclusions = conclusions();
    assert!(conclusions.conclusion.len() >= 5);
    for conclusion in &conclusions.conclusion {
        let id = &conclusion.id;
        let with = |factor: fn(usize) -> f64| {
            let results = judge(&conclusions, &bearing_out(conclusion, factor));
            results.into_iter().find(|it| it.id == *id).expect("judged")
        };
        assert!(with(|_| 1.0).measured.is_some(), "{id} compares cells that are not there");
        let opposite: fn(usize) -> f64 = if conclusion.accept[0].is_finite() { |_| 0.3 } else { |_| 3.0 };
        assert_eq!(with(opposite).standing, Standing::NoLongerHolds, "{id}");
        let noise: fn(usize) -> f64 = |seed| [0.1, 4.1, 0.2, 4.3, 0.9][seed];
        assert_eq!(with(noise).standing, Standing::Inconclusive, "{id}");
        assert!(!conclusion.because.is_empty() && conclusion.sentence.ends_with('.'), "{id}");
    }
}
