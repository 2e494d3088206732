//! Reports of runs, as a person asks for them.

use crate::support::{assert_contains, folder, scenario, seamline, stderr, stdout, succeeds, table};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const SHORT: [&str; 4] = ["--seeds", "2", "--set", "duration=4 s"];

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn with_report<'a>(file: &'a str, place: &'a str) -> Vec<&'a str> {
    [&["run", file, "--report", place], &SHORT[..]].concat()
}

#[test]
fn a_report_has_its_page_pictures_and_tables() {
    let folder = folder();
    let file = scenario("quickstart.toml");
    let text = succeeds(&with_report(&file, "out"), folder.path());
    assert_contains(&text, &["out/report.html"]);
    let names = names(&folder.path().join("out"));
    for name in ["report.html", "goodput.svg", "runs.csv", "runs.json", "runs.parquet", "segments.parquet"] {
        assert!(names.contains(name), "{name} in {names:?}");
    }
    let page = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    let [seeds, set] = ["seeds", "set"].map(|name| format!("<span class=\"whole\">--{name}</span>"));
    let command = format!("seamline run {file} {seeds} 2 {set} &#39;duration=4 s&#39;");
    assert_contains(
        &page,
        &["A slow, lossy link", &command, "vegas", "nodes = [&quot;server&quot;", "id=\"run-4\""],
    );
    let (comments, runs) = table(&folder.path().join("out/runs.csv"));
    assert_eq!(runs.len(), 1 + 5 * 2, "five cells, two seeds");
    assert!(runs[0].starts_with("cell,cell_name,flow.main.variant,seed,flow,variant,delivered_bytes,"));
    let command = format!("# reproduce: seamline run {file} --seeds 2 --set 'duration=4 s'");
    assert!(comments.contains(&command), "{command} in {comments:?}");
}

#[test]
fn the_numbers_are_those_of_the_json_document() {
    let folder = folder();
    let file = scenario("quickstart.toml");
    let arguments = [&with_report(&file, "out")[..], &["--json"]].concat();
    let document: serde_json::Value = serde_json::from_str(&succeeds(&arguments, folder.path())).unwrap();
    let table = fs::read_to_string(folder.path().join("out/runs.json")).unwrap();
    let table: serde_json::Value = serde_json::from_str(&table).unwrap();
    for cell in 0..5 {
        for seed in 0..2 {
            let flow = &document["cells"][cell]["runs"][seed]["flows"][0];
            for column in
                ["goodput_bits_per_second", "retransmissions", "delivered_bytes", "round_trip_mean_ms"]
            {
                assert_eq!(table["columns"][column][2 * cell + seed], flow[column], "{column}");
            }
        }
    }
    assert_eq!(table["provenance"]["scenario_blake3"], document["provenance"]["scenario_blake3"]);
}

#[test]
fn a_name_in_html_is_the_page_alone_and_the_same_twice() {
    let folder = folder();
    let file = scenario("quickstart.toml");
    succeeds(&with_report(&file, "one.html"), folder.path());
    succeeds(&with_report(&file, "two.html"), folder.path());
    assert_eq!(names(folder.path()), ["one.html".to_owned(), "two.html".to_owned()].into());
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert_eq!(read("one.html"), read("two.html"));
}

/// Handovers, two flows and queues: a demo's page stays below three megabytes.
#[test]
fn a_demo_writes_a_report_that_opens_quickly() {
    let folder = folder();
    let text =
        succeeds(&["demo", "starlink", "--seeds", "1", "--report", "out", "--table", "none"], folder.path());
    assert_contains(&text, &["out/report.html"]);
    let size = fs::metadata(folder.path().join("out/report.html")).unwrap().len();
    assert!((200_000..3_000_000).contains(&size), "{size} bytes");
    assert!(names(&folder.path().join("out")).contains("recovery.svg"));
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_the_run() {
    let folder = folder();
    fs::write(folder.path().join("occupied"), "a file, not a folder").unwrap();
    let output = seamline(&with_report(&scenario("quickstart.toml"), "occupied"), folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert_contains(
        stderr(&output),
        &["--report: cannot write to `occupied`: it is a file, not a directory"],
    );
    assert_eq!(stdout(&output), "");
}

/// A band ends when the mobile node can be reached again, not with the run.
#[test]
fn bands_of_mobile_nodes_are_as_long_as_their_interruptions() {
    let folder = folder();
    let file = scenario("mobile-ip.toml");
    let arguments = ["run", &file, "--seeds", "1", "--set", "duration=22 s", "--report", "out", "--quiet"];
    succeeds(&arguments, folder.path());
    let page = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    let data = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let bands = data["runs"][0]["bands"].as_array().unwrap();
    assert!(bands.len() >= 3, "{bands:?}");
    let table = fs::read_to_string(folder.path().join("out/handovers.json")).unwrap();
    let columns = serde_json::from_str::<serde_json::Value>(&table).unwrap()["columns"].take();
    for (place, band) in bands.iter().enumerate() {
        let interruption_s = columns["interruption_ms"][place].as_f64().unwrap() / 1e3;
        let (start, end) = (band["start_s"].as_f64().unwrap(), band["end_s"].as_f64().unwrap());
        assert!((end - start - interruption_s).abs() < 1e-6, "{band} and {interruption_s}");
        assert!(band["movement_detected_s"].as_f64().unwrap() > start, "{band}");
    }
}
