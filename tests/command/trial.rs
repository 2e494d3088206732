//! `seamline trial`
#![cfg(target_os = "linux")]

use crate::support::{assert_contains, folder, refuses, seamline, stderr, succeeds};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A server of loads, until it is dropped; and its port.
struct Server(Child, String);

impl Server {
    fn begin() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_seamline"));
        let mut child =
            command.args(["load", "serve", "--port", "0"]).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.split("port ").nth(1).unwrap().split(';').next().unwrap().to_owned();
        Server(child, port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Periods of a second, and commands that write down when they are called.
fn arguments<'a>(port: &'a str, pairs: &'a str) -> Vec<&'a str> {
    let mut all =
        vec!["trial", "127.0.0.1", "--port", port, "--on", "echo on >> calls", "--off", "echo off >> calls"];
    all.extend([
        "--period", "1 s", "--settle", "100 ms", "--slot", "200 ms", "--out", "out", "--pairs", pairs,
    ]);
    all
}

fn calls(folder: &Path) -> String {
    fs::read_to_string(folder.join("calls")).unwrap().replace('\n', " ")
}

#[test]
fn help_is_on_and_off_in_turn_and_a_trial_continues() {
    let (folder, server) = (folder(), Server::begin());
    let text = succeeds(&arguments(&server.1, "1"), folder.path());
    assert_contains(
        &text,
        &["goodput (Mbit/s)", "request, 95th percentile (ms)", "too few pairs", "trial-goodput.svg"],
    );
    assert_eq!(calls(folder.path()), "on off off ");
    let page = fs::read_to_string(folder.path().join("out/trial.md")).unwrap();
    assert_contains(&page, &["# With help and without it", "![", "trial-requests.svg"]);
    fs::remove_file(folder.path().join("calls")).unwrap();
    succeeds(&arguments(&server.1, "2"), folder.path());
    assert_eq!(calls(folder.path()), "off on off ", "the second pair begins without help");
    let rows = succeeds(&["trial", "--again", "--out", "out", "--json"], folder.path());
    let rows: serde_json::Value = serde_json::from_str(&rows).unwrap();
    assert_eq!((&rows[0]["quantity"], &rows[0]["pairs"]), (&"goodput".into(), &2.into()), "{rows}");
    assert!(rows[0]["with_help"].as_f64().unwrap() > 1.0, "{rows}");
    let other = [arguments(&server.1, "2"), vec!["--stall", "300 ms"]].concat();
    assert_contains(&refuses(&other, folder.path()), &["period 0 was measured with other", "tip: "]);
}

/// The last whole pair is kept, the half one measured again.
#[test]
fn an_interrupted_trial_switches_help_off_and_keeps_what_is_measured() {
    seamline_testing::punctual(100, || {
        let (folder, server) = (folder(), Server::begin());
        let interrupted =
            arguments(&server.1, "50").iter().map(|it| format!("'{it}'")).collect::<Vec<_>>().join(" ");
        let shell = format!(
            "exec timeout --signal INT --preserve-status 3.5 {} {interrupted}",
            env!("CARGO_BIN_EXE_seamline")
        );
        let output = Command::new("sh").args(["-c", &shell]).current_dir(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
        assert_contains(stderr(&output), &["finished periods are kept"]);
        assert!(calls(folder.path()).starts_with("on off off ") && calls(folder.path()).ends_with("off "));
        let periods = fs::read_to_string(folder.path().join("out/periods.jsonl")).unwrap();
        assert!((2..=3).contains(&periods.lines().count()), "{periods}");
        fs::remove_file(folder.path().join("calls")).unwrap();
        succeeds(&arguments(&server.1, "2"), folder.path());
        assert_eq!(calls(folder.path()), "off on off ");
    });
}

#[test]
fn what_cannot_be_measured_is_said() {
    let folder = folder();
    let bare = ["trial", "127.0.0.1", "--out", "out"];
    assert_contains(&refuses(&bare, folder.path()), &["--on <COMMAND>", "--off <COMMAND>"]);
    let nobody = ["trial", "127.0.0.1", "--out", "out", "--agent", "no.sock"];
    let output = seamline(&nobody, folder.path());
    assert_eq!(output.status.code(), Some(1));
    assert_contains(stderr(&output), &["no.sock"]);
    let short: Vec<&str> =
        arguments("1", "1").into_iter().map(|it| if it == "200 ms" { "600 ms" } else { it }).collect();
    assert_contains(&refuses(&short, folder.path()), &["--period 1 s", "--slot (600 ms)"]);
    let failing =
        ["trial", "127.0.0.1", "--out", "out", "--on", "echo no gateway >&2; false", "--off", "true"];
    let output = seamline(&failing, folder.path());
    assert_eq!(output.status.code(), Some(1));
    assert_contains(stderr(&output), &["no gateway"]);
}
