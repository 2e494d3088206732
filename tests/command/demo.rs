//! `seamline demo`, and that every command which the program prints works when it is pasted.

use crate::support::{assert_contains, folder, program, refuses, scenario, succeeds};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// Paste a line into a shell, in a folder, with the command on the path; what it prints.
fn paste(line: &str, folder: &Path) -> String {
    let commands = tempfile::tempdir().unwrap();
    symlink(program("seamline"), commands.path().join("seamline")).unwrap();
    let path = format!("{}:{}", commands.path().display(), std::env::var("PATH").unwrap());
    let output =
        Command::new("bash").args(["-e", "-c", line]).current_dir(folder).env("PATH", path).output().unwrap();
    assert!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The commands in what was printed: after `Next:` and `Reproduce:`, or on lines of their own.
fn commands(printed: &str) -> Vec<String> {
    let starts = ["Next: ", "Reproduce: ", "  "];
    let line = |line: &str| {
        let command = starts.iter().find_map(|start| line.strip_prefix(start));
        command.filter(|it| it.starts_with("seamline ")).map(str::to_owned)
    };
    printed.lines().filter_map(line).collect()
}

/// Two seeds and little time, for what is only to run.
fn shorten(command: &str) -> String {
    let short = [
        ("seamline demo ", " --seeds 1 --set 'duration=3 s'"),
        ("seamline run ", " --seeds 1 --set 'duration=3 s'"),
    ];
    let mut parts = Vec::new();
    for part in command.split("; ") {
        let option = short.iter().find(|(start, _)| part.starts_with(start) && !part.contains("--seeds"));
        match (option, part.split_once(" > ")) {
            (_, Some(_)) | (None, _) => parts.push(part.to_owned()),
            (Some((_, option)), None) => parts.push(format!("{part}{option}")),
        }
    }
    parts.join("; ")
}

#[test]
fn a_demo_compares_a_scheme_and_an_agent_with_none() {
    let folder = folder();
    let text = succeeds(&["demo", "--seeds", "2", "--set", "duration=20 s"], folder.path());
    assert_contains(&text, &["ehn", "freeze", "snoop", "baseline", "Report: seamline-demo/report.html"]);
    let page = fs::read_to_string(folder.path().join("seamline-demo/report.html")).unwrap();
    assert_contains(&page, &["seamline demo handover"]);
    assert_eq!(commands(&text).len(), 4, "one to reproduce it, three to go on: {text}");
}

/// Of every demo, with a recording of the user's own or with a sample.
#[test]
fn every_command_that_a_demo_prints_works_when_pasted() {
    for name in ["handover", "starlink", "mahimahi", "leoem", "delay-series"] {
        let folder = folder();
        let text = succeeds(&["demo", name, "--seeds", "1", "--set", "duration=3 s"], folder.path());
        let printed = commands(&text);
        assert_eq!(printed.len(), 4, "{text}");
        for command in printed.iter().filter(|it| !it.contains("advise")) {
            paste(&shorten(command), folder.path());
        }
        if name != "handover" && name != "starlink" {
            let own = format!("--recording seamline-demo/sample.{name}");
            let text = paste(&format!("seamline demo {own} --seeds 1 --set 'duration=3 s'"), folder.path());
            for command in commands(&text).iter().filter(|it| it.contains("--recording")) {
                paste(&shorten(command), folder.path());
            }
        }
    }
}

/// The one that asks for an advice, the same below each demo.
#[test]
fn the_advice_that_a_demo_recommends_works_when_pasted() {
    let folder = folder();
    let text = succeeds(&["demo", "quickstart", "--seeds", "1", "--set", "duration=1 s"], folder.path());
    let advice: Vec<String> = commands(&text).into_iter().filter(|it| it.contains("advise")).collect();
    assert_eq!(advice.len(), 1);
    assert_contains(&paste(&format!("{} --seeds 2 --quiet", advice[0]), folder.path()), &["transfer time"]);
}

#[test]
fn every_command_that_init_prints_works_when_pasted() {
    for name in ["handover", "leoem", "mahimahi", "delay-series"] {
        let folder = folder();
        let text = succeeds(&["init", "my own.toml", "--from", name], folder.path());
        let printed = commands(&text);
        assert_eq!(printed.len(), 1, "{text}");
        paste(&shorten(&printed[0]), folder.path());
    }
}

#[test]
fn a_demo_prints_the_scenario_it_runs() {
    let folder = folder();
    let printed = succeeds(&["demo", "--print"], folder.path());
    let shipped = fs::read_to_string(scenario("handover.toml")).unwrap();
    let (schema, rest) = shipped.split_once('\n').unwrap();
    assert!(schema.starts_with("#:schema "), "the schema is not next to every copy");
    assert_eq!(printed, rest);
    fs::write(folder.path().join("my.toml"), &printed).unwrap();
    assert_eq!(succeeds(&["check", "my.toml"], folder.path()), "my.toml: valid, 8 grid cells, 40 runs\n");
}

#[test]
fn a_demo_writes_one_capture_and_a_report() {
    let folder = folder();
    let text = succeeds(&["demo", "quickstart", "--seeds", "2", "--set", "duration=1 s"], folder.path());
    assert_contains(&text, &["seamline-demo/5-cubic-seed1.pcapng", "Wireshark"]);
    let mut names: Vec<String> = fs::read_dir(folder.path().join("seamline-demo"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["5-cubic-seed1.pcapng", "report.html"]);
}

#[test]
fn a_demo_without_recordings_refuses_one() {
    let folder = folder();
    succeeds(&["demo", "leoem", "--seeds", "1", "--set", "duration=3 s"], folder.path());
    let arguments = ["demo", "handover", "--recording", "seamline-demo/sample.leoem"];
    assert_contains(&refuses(&arguments, folder.path()), &["the demo handover uses no recording"]);
    let arguments = ["demo", "mahimahi", "--recording", "seamline-demo/sample.leoem"];
    assert_contains(
        &refuses(&arguments, folder.path()),
        &["this recording has the format leoem, not mahimahi"],
    );
}
