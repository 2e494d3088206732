//! The files of every paper agree with each other.

use seamline_paper::beyond::conclusions::Conclusions;
use seamline_paper::beyond::shown::Shown;
use seamline_paper::claims::Claims;
use seamline_paper::figures::Figures;
use seamline_paper::measure::Measure;
use seamline_paper::{ALL, Paper};
use seamline_scenario::Plan;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn plan(paper: &Paper, figure: &str, set: &[String]) -> Plan {
    let text = paper.scenario(figure).unwrap_or_else(|| panic!("no scenario {figure}"));
    let file = format!("papers/{}/{figure}.toml", paper.name);
    Plan::new(Path::new(&file), text.to_owned(), set).unwrap_or_else(|error| panic!("{file}: {error:?}"))
}

/// What each key of the grid can be.
fn values(plan: &Plan) -> BTreeMap<String, BTreeSet<String>> {
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, value) in plan.cells.iter().flat_map(|cell| &cell.values) {
        let key = path.rsplit('.').next().expect("a last part").to_owned();
        values.entry(key).or_default().insert(value.to_string());
    }
    values
}

fn refers_to(measure: &Measure) -> Vec<(String, String)> {
    let one = measure.of.iter().map(|(key, value)| (key.clone(), value.clone()));
    let over = measure
        .over
        .iter()
        .flat_map(|(key, them)| them.as_slice().iter().map(|it| (key.clone(), it.clone())));
    let among = measure.among.iter().flat_map(|(key, them)| them.iter().map(|it| (key.clone(), it.clone())));
    let only = measure.only.iter().flat_map(|(key, them)| them.iter().map(|it| (key.clone(), it.clone())));
    one.chain(over).chain(among).chain(only).collect()
}

/// A claim names scenarios, values of their grids, and flows that exist; its bounds are in order.
#[test]
fn claims_refer_to_what_is_there() {
    for paper in ALL {
        let claims = toml::from_str::<Claims>(paper.claims).expect("claims.toml");
        let mut ids = BTreeSet::new();
        for claim in &claims.claim {
            assert!(ids.insert(claim.id.clone()), "{} twice", claim.id);
            assert!(claim.accept[0] <= claim.accept[1], "{}", claim.id);
            for figure in claim.decided_by() {
                let plan = plan(paper, figure, &[]);
                let measures = claim.also.iter().map(|it| &it.measure).chain([&claim.measure]);
                for measure in measures {
                    // A claim may draw on several figures, each with keys of its own.
                    for (key, value) in refers_to(measure) {
                        let found = claim.decided_by().any(|figure| {
                            let known = values(&self::plan(paper, figure, &[]));
                            known.get(&key).is_some_and(|it| it.contains(&value))
                        });
                        assert!(found, "{}: {key} = {value}", claim.id);
                    }
                    let line = measure.line.as_deref();
                    assert!(line.is_none_or(|line| paper.scenario(line).is_some()), "{}: {line:?}", claim.id);
                    let flows: Vec<&str> =
                        plan.cells[0].scenario.flows.iter().map(|it| it.name.as_str()).collect();
                    let found = measure.flow.as_deref().is_none_or(|flow| {
                        flows.iter().any(|name| {
                            flow.strip_suffix('*').map_or(*name == flow, |it| name.starts_with(it))
                        })
                    });
                    assert!(found, "{}: no flow {:?} in {flows:?}", claim.id, measure.flow);
                }
            }
        }
    }
}

/// A key that the program does not read is a mistake, in a claim, in what is measured, and in a further condition.
#[test]
fn unknown_keys_of_claims_are_refused() {
    let text = seamline_paper::find("E").expect("bundled").claims;
    assert!(toml::from_str::<Claims>(text).is_ok());
    for (after, wrong) in [
        ("id = \"E1\"", "statment"),
        ("statistic = \"gain\"", "flows"),
        ("what = \"adjusted window over slow start, mobile node\"", "where"),
        ("paper = \"E\"", "year"),
    ] {
        assert!(text.contains(after));
        let damaged = text.replacen(after, &format!("{after}\n{wrong} = \"\""), 1);
        let error = toml::from_str::<Claims>(&damaged).expect_err(wrong).to_string();
        assert!(error.contains(&format!("unknown field `{wrong}`")), "{error}");
    }
}

/// Figures of every kind refuse keys that the program does not read, too.
#[test]
fn unknown_keys_of_figures_are_refused() {
    for (id, table) in
        [("E", "figure"), ("V", "lines"), ("V", "over_time"), ("O", "gains"), ("O", "equation")]
    {
        let text = seamline_paper::find(id).expect("bundled").figures;
        assert!(toml::from_str::<Figures>(text).is_ok());
        let head = format!("[[{table}]]");
        assert!(text.contains(&head), "{id}: {table}");
        let damaged = text.replacen(&head, &format!("{head}\ncolour = \"red\""), 1);
        let error = toml::from_str::<Figures>(&damaged).expect_err(table).to_string();
        assert!(error.contains("unknown field `colour`"), "{error}");
    }
}

/// Every figure is drawn of a scenario that is there, by keys of its grid and a flow of its own, and every scenario is
/// drawn or what a claim is measured on.
#[test]
fn figures_show_what_is_there() {
    for paper in ALL {
        let figures = toml::from_str::<Figures>(paper.figures).expect("figures.toml");
        let bars = figures.figure.iter().map(|it| (&it.figure, [Some(&it.group), it.series.as_ref()]));
        let lines = figures.lines.iter().map(|it| (&it.figure, [Some(&it.axis.key), it.series.as_ref()]));
        let times = figures.over_time.iter().map(|it| (&it.figure, [Some(&it.series), None]));
        let mut drawn: BTreeSet<&str> = figures.lines.iter().filter_map(|it| it.line.as_deref()).collect();
        for (figure, keys) in bars.chain(lines).chain(times) {
            let (scenario, flow) = (&figure.scenario, &figure.flow);
            drawn.insert(scenario);
            let plan = plan(paper, scenario, &[]);
            let known = values(&plan);
            assert!(keys.into_iter().flatten().all(|key| known.contains_key(key)), "{scenario}: {keys:?}");
            assert!(
                plan.cells[0].scenario.flows.iter().any(|known| known.name == *flow),
                "{scenario}: {flow}"
            );
        }
        for curve in figures.gains.iter().flat_map(|gains| &gains.curve) {
            drawn.insert(&curve.scenario);
            let known = values(&plan(paper, &curve.scenario, &[]));
            let over =
                curve.over.iter().flat_map(|(key, them)| them.as_slice().iter().map(move |it| (key, it)));
            for (key, value) in curve.of.iter().chain(over) {
                assert!(known[key].contains(value), "{}: {key} = {value}", curve.name);
            }
        }
        for equation in &figures.equation {
            assert!(equation.lines().is_some(), "{}", equation.name);
        }
        let claims = toml::from_str::<Claims>(paper.claims).expect("claims.toml");
        drawn.extend(claims.claim.iter().flat_map(|claim| claim.decided_by()).map(String::as_str));
        assert_eq!(drawn, paper.scenarios.iter().map(|(name, _)| *name).collect::<BTreeSet<_>>());
        for timed in &figures.over_time {
            let plan = plan(paper, &timed.figure.scenario, &[]);
            assert!(plan.cells[0].scenario.output.intervals_of_every_run, "{}", timed.figure.picture());
        }
    }
}

/// What the paper states is in every scenario.
#[test]
fn paper_e_keeps_its_stated_parameters() {
    let paper = seamline_paper::find("e").expect("bundled");
    for (name, text) in paper.scenarios {
        for stated in [
            "duration = \"300 s\"",
            "rate = \"100 Mbit/s\"\none_way_delay = \"50 ms\"",
            "rate = \"10 Mbit/s\"\none_way_delay = \"3 ms\"",
            "rate = \"2 Mbit/s\"\none_way_delay = \"5 ms\"",
            "every = \"5 s\"",
            "advertisement_interval = \"100 ms\"",
            "segment_size = \"1000 bytes\"",
        ] {
            assert!(text.contains(stated), "{name}: {stated}");
        }
    }
    let runs: usize = ["fig3", "fig4"].iter().map(|figure| plan(paper, figure, &[]).runs()).sum();
    assert_eq!(runs, 4 * 240, "the paper's grid, with four times the five seeds of the first runs");
}

/// What is asked beyond a paper: every scenario is shown, with the baseline among its schemes, and conclusions refer to what is
/// there.
#[test]
fn what_lies_beyond_is_there() {
    for (paper, beyond) in ALL.iter().filter_map(|paper| Some((paper, paper.beyond.as_ref()?))) {
        let shown = toml::from_str::<Shown>(beyond.shown).expect("shown.toml");
        assert_eq!(
            shown.scenarios().collect::<Vec<_>>(),
            beyond.scenarios.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            "{}",
            paper.id
        );
        let mut known: BTreeMap<&str, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for (name, text) in beyond.scenarios {
            let file = format!("papers/{}/beyond/{name}.toml", paper.name);
            let plan = Plan::without_refused(Path::new(&file), (*text).to_owned(), &[]);
            let values = values(&plan.unwrap_or_else(|error| panic!("{file}: {error:?}")));
            assert!(values[&shown.scheme].contains(&shown.baseline), "{file}");
            known.insert(name, values);
        }
        for conclusion in
            toml::from_str::<Conclusions>(beyond.conclusions).expect("conclusions.toml").conclusion
        {
            let measures = conclusion.also.iter().map(|it| &it.measure).chain([&conclusion.measure]);
            for (key, value) in measures.flat_map(refers_to) {
                let found =
                    |figure: &String| known[figure.as_str()].get(&key).is_some_and(|it| it.contains(&value));
                assert!(conclusion.figures.iter().all(found), "{}: {key} = {value}", conclusion.id);
            }
        }
    }
}

/// Table 1 of paper ehn-2004 is read from the schemes and agents themselves; it denies Snoop end-to-end semantics, against its own text.
#[test]
fn table_1_agrees_but_for_one_entry() {
    assert_eq!(seamline_paper::features::matches("table1"), Some(31.0));
    let rows = seamline_paper::features::rows();
    let differ: Vec<&str> = rows
        .iter()
        .filter(|(_, entries)| entries.iter().any(|(own, paper)| own != paper))
        .map(|row| row.0)
        .collect();
    assert_eq!(differ, ["End-to-end semantics"]);
}
