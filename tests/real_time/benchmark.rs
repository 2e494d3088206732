//! `seamline benchmark` and `seamline load`

use crate::support::{
    self, assert_contains, folder, refuses, seamline, shared_lab_or_skip, stderr, stdout, succeeds,
};
use serde_json::json;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

#[test]
fn bad_input_ends_with_code_2_and_says_what_there_is() {
    let folder = folder();
    let text = refuses(&["benchmark", "--remedy", "cubik"], folder.path());
    assert_contains(&text, &["cubik", "cubic", "acknowledgments", "mptcp"]);
    fs::create_dir(folder.path().join("out")).unwrap();
    fs::write(folder.path().join("out/runs.jsonl"), "{\"case\": 1}\n").unwrap();
    let text = refuses(&["benchmark", "--again", "--out", "out"], folder.path());
    assert_contains(&text, &["out/runs.jsonl:1: ", "tip: "]);
    let text = refuses(&["load", "fetch", "127.0.0.1", "--duration", "5"], folder.path());
    assert_contains(&text, &["--duration", "unit"]);
    let text = refuses(&["load", "fetch", "127.0.0.1", "--until", "5 s"], folder.path());
    assert_contains(&text, &["SEAMLINE_TIME_ZERO", "seamline lab"]);
    let text = refuses(&["load", "fetch", "nobody.invalid"], folder.path());
    assert_contains(&text, &["nobody.invalid"]);
    let output = seamline(&["load", "fetch", "127.0.0.1", "--port", "1"], folder.path());
    assert_eq!((output.status.code(), stdout(&output)), (Some(1), ""));
    assert_contains(stderr(&output), &["cannot connect to 127.0.0.1:1"]);
}

/// A line of the file of runs.
fn kept_run(kernel: &str, outage_ms: u64) -> String {
    let case = json!({
        "remedy": "cubic", "outage_ms": outage_ms, "loses_acknowledgment": true, "has_loss": false, "traffic": "bulk",
    });
    let measured = json!({
        "first_data_ms": 123.0, "progress_ms": 123.0, "full_rate_ms": 456.0, "stall_ms": 800.0, "rate_before_bps": 2e7,
        "missed_bytes": 1e6, "dropped": 0,
    });
    let run = json!({
        "case": case, "run": 1, "definition": 1, "measured": measured, "repeated": 0, "warnings": [], "kernel": kernel,
    });
    format!("{run}\n")
}

#[test]
fn what_is_kept_is_shown_again_whatever_its_outages() {
    let folder = folder();
    fs::create_dir(folder.path().join("out")).unwrap();
    let runs = kept_run("6.18", 700) + &kept_run("6.18", 1000);
    fs::write(folder.path().join("out/runs.jsonl"), runs).unwrap();
    let text = succeeds(&["benchmark", "--again", "--out", "out"], folder.path());
    assert_contains(&text, &["0.7 s", "1 s", "123"]);
    let text = succeeds(&["benchmark", "--again", "--out", "out", "--outage", "700 ms"], folder.path());
    assert!(text.contains("0.7 s") && !text.contains("1 s"), "{text}");
}

/// A server that says where it listens.
fn serving(limits: &str, folder: &Path) -> (Child, String) {
    let program = assert_cmd::cargo::cargo_bin("seamline");
    let script = format!("{limits} exec '{}' load serve --port 0", program.display());
    let mut command = Command::new("sh");
    let mut server =
        command.args(["-c", &script]).current_dir(folder).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    let port = line.split("on port ").nth(1).and_then(|rest| rest.split(';').next());
    let port = port.unwrap_or_else(|| panic!("{line}")).to_owned();
    (server, port)
}

#[test]
fn a_server_outlives_what_it_cannot_take() {
    let folder = folder();
    let (mut server, port) = serving("ulimit -n 16;", folder.path());
    assert_ne!(port, "0");
    let address = format!("127.0.0.1:{port}");
    let many: Vec<TcpStream> = (0..30).map(|_| TcpStream::connect(&address).unwrap()).collect();
    let fetch = ["load", "fetch", "127.0.0.1", "--port", &port, "--duration", "1 s"];
    // It has room for some of them; whatever becomes of one more.
    seamline(&fetch, folder.path());
    drop(many);
    let output = seamline(&fetch, folder.path());
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_contains(stdout(&output), &["bytes in"]);
}

#[test]
fn the_results_of_a_fetch_are_small_and_the_observations_are_written_if_asked_for() {
    let folder = folder();
    let (mut server, port) = serving("", folder.path());
    let fetch = |more: &[&str]| {
        let fetch = ["load", "fetch", "127.0.0.1", "--port", &port, "--duration", "1 s", "--json", "it.json"];
        let output = seamline(&[&fetch, more].concat(), folder.path());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        std::fs::read(folder.path().join("it.json")).unwrap()
    };
    let [short, full] = [fetch(&[]), fetch(&["--full"])];
    server.kill().unwrap();
    server.wait().unwrap();
    assert!((200..4000).contains(&short.len()), "{} bytes", short.len());
    let [short, full] = [short, full].map(|text| serde_json::from_slice::<serde_json::Value>(&text).unwrap());
    assert!(short["bytes"].as_u64().unwrap() > 1_000_000 && short["samples"].is_null(), "{short}");
    assert!(
        short["gaps_ms"]["p50"].as_f64().unwrap() <= short["gaps_ms"]["max"].as_f64().unwrap(),
        "{short}"
    );
    let samples = full["samples"].as_array().unwrap();
    assert!(samples.len() > 500, "{}", samples.len());
    assert_eq!(samples.last().unwrap()["bytes"], full["bytes"]);
    let refused = seamline(&["load", "fetch", "127.0.0.1", "--full"], folder.path());
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
}

/// As a user of the lab would: the gap of a link, seen by an application.
#[test]
fn a_load_inside_of_the_lab_tells_of_the_outage() {
    seamline_testing::punctual(30, || {
        let Some(_lab) = shared_lab_or_skip("a_load_inside_of_the_lab_tells_of_the_outage") else { return };
        let folder = folder();
        let file = support::scenario("handover-benchmark.toml");
        let program = assert_cmd::cargo::cargo_bin("seamline");
        let program = program.display();
        let serve = format!("server=exec {program} load serve");
        let fetch = format!("{program} load fetch server --until '6 s' --json timeline.json");
        let set = ["--set", "link.radio.handover={at=['2 s'],interruption='1 s'}"];
        let arguments =
            [&["lab", &file, "--quiet", "--serve", &serve][..], &set, &["--", "sh", "-c", &fetch]].concat();
        let text = succeeds(&arguments, folder.path());
        let mut stalls = text.lines().filter(|line| line.starts_with("no data for"));
        // Longer than the outage, and begun with it.
        let is_the_outage = |stall: &str| {
            let numbers: Vec<f64> = stall.split(' ').filter_map(|word| word.parse().ok()).collect();
            (990.0..3500.0).contains(&numbers[0]) && (1.9..2.2).contains(&numbers[1])
        };
        assert!(stalls.any(is_the_outage), "{text}");
        assert!(folder.path().join("timeline.json").exists());
    });
}
