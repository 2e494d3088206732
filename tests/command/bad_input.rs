//! Input that is no scenario, recording or folder, and text that would drive a terminal.
#![cfg(unix)]

use crate::support::{assert_contains, folder, refuses, scenario, seamline, shell, stderr, stdout, succeeds};
use std::fs;
use std::process::Command;

#[test]
fn devices_pipes_and_endless_text_are_no_scenario() {
    let folder = folder();
    Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap();
    for file in ["/dev/zero", "pipe"] {
        for command in [&["run", file][..], &["check", file], &["sweep", file, "--out", "out"]] {
            let message = refuses(command, folder.path());
            assert_contains(
                &message,
                &[&format!("cannot read {file}: it is a pipe or device, not a regular file")],
            );
        }
    }
    for file in ["/dev/zero", "pipe"] {
        let orbit = ["orbit", "--tle", file, "--gateway", "48.1,11.5", "--terminal", "48.2,11.6"];
        for command in [&["convert", file, "--out", "it.csv"][..], &["compare", file, file], &orbit] {
            assert_contains(
                &refuses(command, folder.path()),
                &["it is a pipe or device, not a regular file"],
            );
        }
    }
    assert_contains(&refuses(&["run", "."], folder.path()), &["it is a directory, not a regular file"]);
    fs::write(folder.path().join("long.toml"), " ".repeat((16 << 20) + 1)).unwrap();
    assert_contains(&refuses(&["check", "long.toml"], folder.path()), &["at most 16 MiB"]);
}

#[test]
fn a_standard_error_without_room_changes_no_exit_code() {
    let folder = folder();
    let code = |command: &str| shell(&format!("{command} 2> /dev/full"), folder.path()).status.code();
    assert_eq!(code("seamline check missing.toml"), Some(2));
    assert_eq!(code("seamline recording show missing"), Some(2));
    fs::copy(scenario("quickstart.toml"), folder.path().join("it.toml")).unwrap();
    // With a warning: one seed gives no interval.
    assert_eq!(code("seamline run it.toml --seeds 1 --set 'duration=2 s'"), Some(0));
}

#[test]
fn a_dash_reads_the_scenario_from_standard_input() {
    let folder = folder();
    let file = scenario("quickstart.toml");
    let run = |place: &str, input: &str| {
        let set = "--seeds 1 --set 'duration=2 s' -q --json";
        shell(&format!("seamline run {place} {set} {input}"), folder.path())
    };
    let (typed, named) = (run("-", &format!("< '{file}'")), run(&format!("'{file}'"), ""));
    assert_eq!(typed.status.code(), Some(0), "{}", stderr(&typed));
    let cells = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["cells"].clone();
    assert_eq!(cells(stdout(&typed)), cells(stdout(&named)));
}

#[test]
fn recordings_of_other_kinds_are_named() {
    let folder = folder();
    Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap();
    fs::write(folder.path().join("packed"), [0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3]).unwrap();
    fs::write(folder.path().join("other"), b"\xfd7zXZ\x00rest").unwrap();
    for (file, message) in [
        ("/dev/zero", &["it is a pipe or device"][..]),
        ("pipe", &["it is a pipe or device"]),
        ("packed", &["Zstandard (.zst)", "zstd -d"]),
        ("other", &["xz (.xz)", "xz -d"]),
    ] {
        assert_contains(&refuses(&["demo", "--recording", file], folder.path()), message);
        let set = format!("link.space.schedule.file={file}");
        assert_contains(&refuses(&["run", &scenario("leoem.toml"), "--set", &set], folder.path()), message);
    }
}

#[test]
fn control_characters_of_a_scenario_do_not_reach_the_terminal() {
    let folder = folder();
    let text = fs::read_to_string(scenario("quickstart.toml")).unwrap();
    let title = text.lines().find(|line| line.starts_with("title")).unwrap().to_owned();
    let text = text.replace(&title, "title = \"Red \\u001b[31m and \\u202e and \\u009b\"");
    fs::write(folder.path().join("my.toml"), text).unwrap();
    let message = succeeds(
        &["run", "my.toml", "--seeds", "2", "--set", "duration=2 s", "--report", "page.html"],
        folder.path(),
    );
    assert_contains(&message, &["Red \\u{1b}[31m and \\u{202e} and \\u{9b}: 5 grid cells"]);
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert_contains(&page, &["<title>Red \u{fffd}[31m and \u{fffd} and \u{fffd}"]);
    let set = "flow.main.variant=\"\\u001b[31m\"";
    let message = refuses(&["run", "my.toml", "--set", set], folder.path());
    assert!(!message.contains('\u{1b}'));
}

#[test]
fn places_for_results_are_checked_first() {
    let folder = folder();
    fs::write(folder.path().join("file"), "").unwrap();
    fs::create_dir(folder.path().join("folder.html")).unwrap();
    let file = scenario("quickstart.toml");
    for option in ["--report", "--pcapng", "--events"] {
        let message = refuses(&["run", &file, option, "file"], folder.path());
        assert_contains(
            &message,
            &[option, "cannot write to `file`: it is a file, not a directory", "tip: "],
        );
        let message = refuses(&["run", &file, option, "/proc/nope"], folder.path());
        assert_contains(&message, &[option, "cannot write to `/proc/nope`"]);
    }
    let message = refuses(&["run", &file, "--report", "folder.html"], folder.path());
    assert_contains(&message, &["--report", "it is a directory"]);
    let message = refuses(&["sweep", &file, "--out", "file"], folder.path());
    assert_contains(&message, &["--out", "it is a file, not a directory"]);
    assert_contains(&refuses(&["paper", "E", "--out", "file"], folder.path()), &["--out", "it is a file"]);
}

#[test]
fn more_workers_than_runs_are_not_started() {
    let folder = folder();
    let file = scenario("quickstart.toml");
    let run = ["run", &file, "--seeds", "2", "--set", "duration=1 s", "-j", "5000"];
    let output = seamline(&run, folder.path());
    assert_eq!(output.status.code(), Some(0));
    assert_contains(stderr(&output), &["note: --jobs 5000: ", "at a time, for there are only"]);
    assert_contains(&refuses(&["run", &file, "-j", "0"], folder.path()), &["invalid value '0'"]);
}

#[test]
fn damaged_lines_are_numbered_and_can_be_repaired() {
    let folder = folder();
    let file = scenario("quickstart.toml");
    let sweep = ["sweep", &file, "--seeds", "2", "--set", "duration=1 s", "--out", "out"];
    succeeds(&sweep, folder.path());
    let path = folder.path().join("out/runs.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[2] = "broken";
    let cut = lines.join("\n");
    fs::write(&path, &cut[..cut.len() - 20]).unwrap();
    let compared = seamline(&["compare", "out", "out"], folder.path());
    let parts = ["1 damaged line skipped: line 3", "sed -i '3d'", "the last line is incomplete"];
    assert_contains(stderr(&compared), &parts);
    let command = stderr(&compared).split_once('(').unwrap().1.split_once(')').unwrap().0.to_owned();
    shell(&command, folder.path());
    succeeds(&sweep, folder.path());
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&fs::read_to_string(&path).unwrap()), sorted(&text));
}

#[test]
fn the_usage_of_advise_names_what_it_requires() {
    let folder = folder();
    let help = succeeds(&["advise", "--help"], folder.path());
    assert_contains(&help, &["<--file <SIZE>|--horizon <TIME>|--on <RECORDING>>"]);
    let links = ["advise", "--from", "geo", "--to", "geo", "--interruption", "1 s"];
    assert_contains(&refuses(&links, folder.path()), &["--file <SIZE>|--horizon <TIME>"]);
}
