//! `seamline init`

use crate::support::{assert_contains, folder, refuses, scenario, seamline, stderr, succeeds};
use std::fs;

#[test]
fn what_it_writes_is_valid_and_runs() {
    let folder = folder();
    let text = succeeds(&["init"], folder.path());
    assert_eq!(text, "Written: scenario.toml\nNext: seamline run scenario.toml\n");
    assert_eq!(
        succeeds(&["check", "scenario.toml"], folder.path()),
        "scenario.toml: valid, 2 grid cells, 10 runs\n"
    );
    let run = succeeds(&["run", "scenario.toml", "--seeds", "1", "--set", "duration=11 s"], folder.path());
    assert_contains(&run, &["newreno", "cubic", "handover of radio at"]);
    let written = fs::read_to_string(folder.path().join("scenario.toml")).unwrap();
    let comments = written.lines().filter(|line| line.contains("# ")).count();
    assert!(comments > 20, "{comments} comments");
}

/// What stands behind a # works when the # is taken away, one line at a time.
#[test]
fn every_line_that_is_commented_out_can_be_used() {
    let folder = folder();
    succeeds(&["init"], folder.path());
    let written = fs::read_to_string(folder.path().join("scenario.toml")).unwrap();
    let lines: Vec<&str> = written.lines().collect();
    let mut used = 0;
    for (place, line) in lines.iter().enumerate() {
        let Some(code) = line.strip_prefix("# ").filter(|code| code.contains(" = ")) else { continue };
        let key = code.split(" = ").next().unwrap();
        let mut edited: Vec<&str> = lines.clone();
        // A key stands once in its table.
        let same = |other: &str| other.split(" = ").next() == Some(key);
        let begin = lines[..place].iter().rposition(|line| line.starts_with('[')).unwrap();
        if let Some(other) = (begin..place).find(|other| same(lines[*other])) {
            edited[other] = "";
        }
        if key == "schedule" {
            for (other, line) in lines.iter().enumerate().take(place).skip(begin) {
                if line.starts_with("handover") {
                    edited[other] = "";
                }
            }
        }
        edited[place] = code;
        if key == "pcapng" {
            edited[place - 1] = "[output]";
        }
        fs::write(folder.path().join("edited.toml"), edited.join("\n")).unwrap();
        let output = seamline(&["check", "edited.toml"], folder.path());
        let needs_a_file = code.contains("trace.gz") && stderr(&output).contains("SL019");
        assert!(output.status.success() || needs_a_file, "{code}: {}", stderr(&output));
        used += 1;
    }
    assert!(used >= 10, "{used}");
}

#[test]
fn a_file_that_is_there_is_kept_unless_forced() {
    let folder = folder();
    fs::write(folder.path().join("my.toml"), "mine").unwrap();
    assert_contains(&refuses(&["init", "my.toml"], folder.path()), &["error: my.toml exists", "--force"]);
    assert_eq!(fs::read_to_string(folder.path().join("my.toml")).unwrap(), "mine");
    succeeds(&["init", "my.toml", "--force"], folder.path());
    assert!(fs::read_to_string(folder.path().join("my.toml")).unwrap().contains("[[link]]"));
}

#[test]
fn it_can_begin_from_any_bundled_scenario() {
    let folder = folder();
    for name in [
        "starlink",
        "lte-drive",
        "train-wifi",
        "quickstart",
        "leoem",
        "mahimahi",
        "delay-series",
        "recording",
    ] {
        let file = format!("{name}.toml");
        let text = succeeds(&["init", &file, "--from", name], folder.path());
        assert_contains(&text, &[&format!("Next: seamline run {file}")]);
        let written = fs::read_to_string(folder.path().join(&file)).unwrap();
        assert!(!written.contains("#:schema"), "its schema is not next to it");
        let shipped = fs::read_to_string(scenario(&file)).unwrap();
        let format = if name == "recording" { "seamline" } else { name };
        let shipped = shipped.replace("file = \"\"", &format!("file = \"sample.{format}\""));
        assert_eq!(shipped, format!("#:schema ../docs/scenario.schema.json\n{written}"));
    }
    let refusal = refuses(&["init", "x.toml", "--from", "starlnik"], folder.path());
    assert_contains(&refusal, &["starlnik", "a similar value exists: 'starlink'"]);
}

#[test]
fn the_schema_comes_along_on_demand() {
    let folder = folder();
    let text = succeeds(&["init", "my.toml", "--schema"], folder.path());
    assert_contains(&text, &["Written: my.toml and scenario.schema.json\n"]);
    let written = fs::read_to_string(folder.path().join("my.toml")).unwrap();
    assert!(written.starts_with("#:schema ./scenario.schema.json\n"));
    let schema = fs::read_to_string(folder.path().join("scenario.schema.json")).unwrap();
    assert_eq!(schema, succeeds(&["schema"], folder.path()));
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/scenario.schema.json");
    assert_eq!(schema, fs::read_to_string(committed).unwrap());
}
