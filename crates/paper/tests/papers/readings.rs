//! The readings of every paper: what they change, what supports them, and that none found by search is taken. And why claims that are
//! not reproduced are not.

use seamline_paper::documents::{Documents, Findings};
use seamline_paper::readings::Deviations;
use seamline_paper::{ALL, Paper, Verdict, find};
use seamline_report::paper::Ground;
use seamline_scenario::Plan;
use std::path::Path;

fn plan(paper: &Paper, figure: &str, set: &[String]) -> Plan {
    let text = paper.scenario(figure).unwrap_or_else(|| panic!("no scenario {figure}"));
    let file = format!("papers/{}/{figure}.toml", paper.name);
    Plan::new(Path::new(&file), text.to_owned(), set).unwrap_or_else(|error| panic!("{file}: {error:?}"))
}

/// How many cells of a scenario these settings change.
fn changed(paper: &Paper, figure: &str, set: &[String]) -> usize {
    let (taken, tried) = (plan(paper, figure, &[]), plan(paper, figure, set));
    assert_eq!(taken.cells.len(), tried.cells.len());
    taken.cells.iter().zip(&tried.cells).filter(|(a, b)| a.identity != b.identity).count()
}

fn deviations(text: &str) -> Deviations {
    toml::from_str(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Every other reading is one that the scenarios take, and it changes every cell it is tried on or only those it is about.
#[test]
fn readings_change_the_scenarios() {
    for paper in ALL {
        let deviations = deviations(paper.deviations);
        for deviation in &deviations.deviation {
            assert!(!deviation.reason.is_empty() && !deviation.silent.is_empty());
            assert_eq!(deviation.r#try.is_empty(), deviation.figures.is_empty(), "{}", deviation.id);
        }
        for reading in deviations.readings().expect("in order") {
            for figure in &reading.figures {
                let changes = changed(paper, figure, &reading.set) > 0;
                let measures = !(reading.symbols.is_empty() && reading.measures.is_empty());
                assert!(
                    changes || (reading.set.is_empty() && measures),
                    "{} changes nothing",
                    reading.name()
                );
            }
            assert!(reading.about.is_some() || !reading.source.is_empty(), "{}", reading.name());
        }
    }
}

/// Nothing that was found by search is set in a scenario, part by part.
#[test]
fn nothing_found_by_search_is_taken() {
    let mut found = 0;
    for paper in ALL {
        let readings = deviations(paper.deviations).readings().expect("in order");
        let own = readings.iter().filter(|it| it.ground == Ground::Search);
        for reading in own {
            found += 1;
            let differs = |figure: &String| changed(paper, figure, &reading.set) > 0;
            assert!(reading.figures.iter().all(differs), "{}: {} is taken", paper.id, reading.name());
        }
    }
    assert!(found > 5, "{found}");
}

const SILENT: &str = "[[deviation]]\nid = \"queue\"\nsilent = \"its length\"\nreading = \"50\"\nkey = \"link.*.queue\"\n\
                      reason = \"the default\"\nfigures = [\"a\"]\n";

/// The reader refuses a reading found by search as the one taken.
#[test]
fn a_reading_found_by_search_cannot_be_taken() {
    assert!(deviations(SILENT).readings().is_ok());
    let error = deviations(&format!("{SILENT}ground = \"search\"\n")).readings().expect_err("refused");
    assert!(error.contains("queue: a reading found by search cannot be the one taken"), "{error}");
    let leaked = |from: &str, to: &str| {
        let paper = find("X").expect("bundled");
        assert!(paper.deviations.contains(from));
        let text = paper.deviations.replacen(from, to, 1);
        Documents::of(&Paper { deviations: text.leak(), ..*paper })
    };
    assert!(leaked("id = \"tcp\"", "id = \"tcp\"").is_ok());
    let error = leaked("id = \"tcp\"", "id = \"tcp\"\nground = \"search\"").expect_err("refused").to_string();
    assert!(error.contains("deviations.toml: tcp: a reading found by search"), "{error}");
}

/// What a reading measures has to be a claim.
#[test]
fn a_reading_measures_claims_of_the_paper() {
    let paper = find("O").expect("bundled");
    let with = |from: &str, to: &str| {
        assert!(paper.deviations.contains(from));
        Documents::of(&Paper { deviations: paper.deviations.replace(from, to).leak(), ..*paper })
    };
    let documents = with("measures.O1", "measures.O1").expect("as bundled");
    let measured: Vec<&String> = documents.readings.iter().flat_map(|it| it.measures.keys()).collect();
    assert_eq!(measured, ["O1", "O2", "O3"]);
    let error = with("measures.O1", "measures.O11").expect_err("refused").to_string();
    assert!(error.contains("deviations.toml: measures: there is no claim \"O11\""), "{error}");
    let error = with("gain = \"less\"", "gains = \"less\"").expect_err("refused").to_string();
    assert!(error.contains("unknown field `gains`"), "{error}");
}

/// A combination sets all that its parts set and is supported as well as the weakest of them.
#[test]
fn readings_combine() {
    let own = |name: &str, set: &str, ground: &str| {
        format!(
            "[[reading]]\nname = \"{name}\"\nset = [\"{set}\"]\nground = \"{ground}\"\nsource = \"so\"\nfigures = [\"a\"]\n"
        )
    };
    let together = |parts: &str| {
        format!("[[reading]]\nname = \"all\"\ncombines = [{parts}]\nsource = \"so\"\nfigures = [\"a\"]\n")
    };
    let (one, two, three) =
        (own("one", "x=1", "text"), own("two", "y=2", "history"), own("three", "y=3", "search"));
    let all = |text: String| deviations(&format!("{SILENT}{text}")).readings();
    let found = all(format!("{one}{two}{}", together("\"one\", \"two\""))).expect("in order");
    let last = found.last().expect("the combination");
    assert_eq!((last.set.join(" "), last.ground), ("x=1 y=2".to_owned(), Ground::History));
    let found = all(format!("{one}{three}{}", together("\"one\", \"three\""))).expect("in order");
    assert_eq!(found.last().expect("the combination").ground, Ground::Search);
    let error = all(format!("{two}{three}{}", together("\"two\", \"three\""))).expect_err("y twice");
    assert!(error.contains("two of its readings set y"), "{error}");
    let error = all(format!("{}{one}", together("\"one\""))).expect_err("not yet there");
    assert!(error.contains("no reading \"one\" before it"), "{error}");
    assert!(all(format!("{one}{one}")).expect_err("twice").contains("two readings \"one\""));
}

/// Each claim has a recorded verdict, and one that is not reproduced a cause with the run or calculation that shows it.
#[test]
fn what_is_not_reproduced_has_a_cause() {
    let mut reproduced = 0;
    for paper in ALL {
        let Documents { claims, findings, verdicts, .. } = Documents::of(paper).expect("files in order");
        let ids: Vec<&String> = claims.claim.iter().map(|claim| &claim.id).collect();
        assert_eq!(verdicts.len(), ids.len(), "{}", paper.id);
        for id in ids {
            let verdict = verdicts.get(id).unwrap_or_else(|| panic!("no verdict on {id}"));
            assert_ne!(*verdict, Verdict::Inconclusive, "{id}");
            assert!(findings.of.contains_key(id), "nothing was found out about {id}");
            let shown = findings.cause.get(id).map(|cause| cause.shown_by.len());
            match verdict {
                Verdict::Reproduced => assert_eq!(shown, None, "{id} is reproduced"),
                _ => assert!(shown.is_some_and(|letters| letters > 40), "{id} has no cause"),
            }
            reproduced += usize::from(*verdict == Verdict::Reproduced);
        }
        let Findings { cause, of } = findings;
        for id in cause.keys().chain(of.keys()) {
            assert!(claims.claim.iter().any(|claim| claim.id == *id), "{id}");
        }
    }
    assert!(reproduced > 10, "{reproduced}");
}
