//! What results are compared with, as a person names it.

use crate::support::{assert_contains, folder, refuses, scenario, succeeds};
use serde_json::Value;

/// A grid of agent by loss, in which neither key is a scheme.
fn grid<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let common = [
        "run",
        file,
        "--seeds",
        "2",
        "--table",
        "none",
        "--set",
        "duration=4 s",
        "--set",
        "grid.agent.station.kind=['none','snoop']",
        "--set",
        "grid.link.air.down.loss.probability=['0.1 %','1 %']",
    ];
    [&common[..], more].concat()
}

/// The baseline of each row, by its cell.
fn baselines(document: &str, of: impl Fn(&Value) -> &Value) -> Vec<Option<u64>> {
    let document: Value = serde_json::from_str(document).unwrap();
    document["summary"].as_array().unwrap().iter().map(|row| of(row)["cell"].as_u64()).collect()
}

#[test]
fn a_named_baseline_replaces_the_usual_one() {
    let (folder, file) = (folder(), scenario("lossy-hop.toml"));
    let named = ["--baseline", "agent.station.kind=none", "--json"];
    let document = succeeds(&grid(&file, &named), folder.path());
    let document_value: Value = serde_json::from_str(&document).unwrap();
    let cells = document_value["cells"].as_array().unwrap();
    let against = baselines(&document, |row| &row["against"]);
    let value = |cell: usize, key: &str| cells[cell]["values"][key].clone();
    for (cell, against) in against.iter().enumerate() {
        let is_baseline = value(cell, "agent.station.kind") == "none";
        assert_eq!(against.is_none(), is_baseline, "cell {cell}");
        if let Some(against) = against {
            let loss = "link.air.down.loss.probability";
            let against = usize::try_from(*against).unwrap();
            assert_eq!(value(against, "agent.station.kind"), "none");
            assert_eq!(value(against, loss), value(cell, loss));
        }
    }
    let reproduce = document_value["provenance"]["reproduce"].as_str().unwrap();
    assert!(reproduce.ends_with(" --baseline agent.station.kind=none"), "{reproduce}");
}

/// Without a named baseline, an axis with `none` has a section of its own, in the terminal, the document and the page.
#[test]
fn an_axis_with_none_is_compared_along() {
    let (folder, file) = (folder(), scenario("lossy-hop.toml"));
    let document = succeeds(&grid(&file, &["--json", "--report", "out.html"]), folder.path());
    let along = baselines(&document, |row| &row["along"][0]);
    assert_eq!(along.iter().filter(|it| it.is_some()).count(), along.len() / 2, "{along:?}");
    let page = std::fs::read_to_string(folder.path().join("out.html")).unwrap();
    let sentence = "times the goodput of none, everything else equal";
    assert_contains(
        &page,
        &["Relative to agent.station.kind = none", "agent.station.kind = snoop reached ", sentence],
    );
    let text = succeeds(&grid(&file, &[]), folder.path());
    assert_contains(&text, &["Compared with agent.station.kind = none, everything else equal"]);
}

#[test]
fn what_is_not_in_the_grid_is_refused_with_what_is() {
    let (folder, file) = (folder(), scenario("lossy-hop.toml"));
    for (baseline, expected) in [
        ("flow.main.mss=none", "the grid does not vary \"flow.main.mss\""),
        ("agent.station.kind=split", "\"split\" is not a value of agent.station.kind"),
        ("agent.station.kind", "should be KEY=VALUE"),
    ] {
        let message = refuses(&grid(&file, &["--baseline", baseline]), folder.path());
        assert_contains(&message, &[expected, "agent.station.kind: none, snoop"]);
    }
}
