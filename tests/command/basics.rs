//! The command as a person or a script meets it: exit codes, what goes where, files.

use crate::support::{assert_contains, folder, refuses, scenario, seamline, stderr, stdout, succeeds};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn without_arguments_it_shows_all_subcommands_in_groups() {
    let output = seamline(&[], &folder().keep());
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert_contains(text, &["Experiments:\n", "Papers:\n", "Real Linux TCP:\n", "Tools:\n", "seamline-host"]);
    let lines = text.lines().filter(|line| line.starts_with("  ") && !line.starts_with("  seamline"));
    let names: Vec<&str> = lines.filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names.len(), 26, "{text}");
    let help = succeeds(&["--help"], folder().path());
    for name in names {
        assert_contains(&help, &[&format!("\n  {name} ")]);
        succeeds(&[name, "--help"], folder().path());
    }
    assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    assert_eq!(stderr(&output), "");
}

#[test]
fn commands_for_real_hosts_are_refused_with_their_new_name() {
    for name in ["mobile", "agent", "sender"] {
        let hint = format!("`seamline {name}` is now `seamline-host {name}`");
        assert_contains(&refuses(&[name, "--help"], folder().path()), &[&hint]);
    }
}

#[test]
fn a_mistyped_command_gets_a_tip_and_code_2() {
    let output = seamline(&["dmeo"], &folder().keep());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("tip: a similar subcommand exists: 'demo'"), "{}", stderr(&output));
    assert_eq!(stdout(&output), "");
    let output = seamline(&["demo", "starlnik"], &folder().keep());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("starlink"), "{}", stderr(&output));
}

#[test]
fn a_bad_scenario_ends_with_code_2_and_nothing_on_standard_output() {
    let folder = folder();
    let file = folder.path().join("bad.toml");
    fs::write(&file, "duration = \"5\"\nnodes = [\"a\"]\ncolour = 1\n").unwrap();
    for command in ["run", "check"] {
        let output = seamline(&[command, path(&file)], folder.path());
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(stdout(&output), "");
        for expected in ["bad.toml:1:12", "the unit is missing", "bad.toml:3:1", "unknown key `colour`"] {
            assert!(stderr(&output).contains(expected), "{expected} in {}", stderr(&output));
        }
        assert!(!stderr(&output).contains('\u{1b}'), "colour without a terminal");
    }
}

#[test]
fn a_file_that_is_not_there_is_bad_input() {
    let output = seamline(&["run", "nothing.toml"], &folder().keep());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot read nothing.toml"));
}

#[test]
fn a_run_ends_in_verdicts_and_says_how_to_repeat_it() {
    let folder = folder();
    let file = scenario("quickstart.toml");
    let output = seamline(&["run", &file, "--seeds", "2", "--set", "duration=3 s"], folder.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    for expected in ["mean of 2 seeds", "± ", "baseline", "x [", "cubic: flow main, seed 1"] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let repeat = format!("Reproduce: seamline run {} --seeds 2 --set 'duration=3 s'", &file);
    assert!(text.contains(&repeat), "{repeat} in {text}");
    assert!(stderr(&output).starts_with("warning: the interval of"), "{}", stderr(&output));
    assert!(stderr(&output).contains("use --seeds"), "{}", stderr(&output));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was asked to be written");
}

#[test]
fn json_is_one_document_and_the_same_twice() {
    let file = scenario("quickstart.toml");
    let arguments = ["run", &file, "--json", "--quiet", "--seeds", "2", "--set", "duration=2 s"];
    let (one, other) = (seamline(&arguments, &folder().keep()), seamline(&arguments, &folder().keep()));
    assert_eq!(one.stdout, other.stdout);
    assert_eq!(stderr(&one), "");
    let document: serde_json::Value = serde_json::from_slice(&one.stdout).unwrap();
    assert_eq!(document["cells"].as_array().unwrap().len(), 5);
    assert_eq!(document["cells"][0]["values"]["flow.main.variant"], "newreno");
    assert_eq!(document["cells"][1]["runs"][1]["seed"], 2);
    assert_eq!(document["summary"][1]["against"]["cell"], 0);
    assert_eq!(document["provenance"]["overrides"][0], "duration=2 s");
}

#[test]
fn captures_and_events_are_written_whole() {
    let folder = folder();
    let file = scenario("quickstart.toml");
    let arguments =
        ["run", &file, "--seeds", "2", "--set", "duration=1 s", "--pcapng", "out", "--events", "out"];
    let output = seamline(&arguments, folder.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let mut names: Vec<String> = fs::read_dir(folder.path().join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names.len(), 10, "a capture and a list for each of five cells: {names:?}");
    assert_eq!(&names[..2], ["1-newreno-seed1.csv", "1-newreno-seed1.pcapng"]);
    assert!(names.iter().all(|name| stdout(&output).contains(name)));
    let capture = fs::read(folder.path().join("out/1-newreno-seed1.pcapng")).unwrap();
    assert_eq!(capture[..4], [0x0a, 0x0d, 0x0d, 0x0a], "a section header block (pcapng, section 4.1)");
    let events = fs::read_to_string(folder.path().join("out/1-newreno-seed1.csv")).unwrap();
    let columns = events.lines().next().unwrap().split(',').count();
    assert!(events.lines().all(|line| line.split(',').count() == columns));
    assert!(events.contains("radio/down,dropped,main") && events.contains("laptop,delivered,main"));
}

#[test]
fn what_cannot_be_written_is_reported_and_leaves_nothing_behind() {
    let folder = folder();
    fs::write(folder.path().join("occupied"), "a file, not a folder").unwrap();
    let file = scenario("quickstart.toml");
    let arguments = ["run", &file, "--seeds", "1", "--set", "duration=1 s", "--pcapng", "occupied"];
    let output = seamline(&arguments, folder.path());
    assert_eq!(output.status.code(), Some(2));
    let wanted = "--pcapng: cannot write to `occupied`: it is a file, not a directory";
    assert!(stderr(&output).contains(wanted), "{}", stderr(&output));
    assert_eq!(stdout(&output), "");
}

/// A limit of the file size stands in for a full disk: the write fails in the middle.
#[cfg(unix)]
#[test]
fn a_disk_that_fills_up_leaves_no_half_written_file() {
    let binary = assert_cmd::cargo::cargo_bin("seamline");
    let file = scenario("quickstart.toml");
    // The last write of a short run, and one in the middle of a long run.
    for (duration, blocks) in [("5 s", 16), ("60 s", 1024)] {
        for (option, ending) in [("--pcapng", "pcapng"), ("--events", "csv")] {
            let folder = folder();
            let script = format!(
                "trap '' XFSZ; ulimit -f {blocks}; exec '{}' run '{}' --seeds 1 --set 'duration={duration}' {option} out",
                binary.display(),
                file
            );
            let output =
                Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
            let message = format!("error: cannot write out/1-newreno-seed1.{ending}: File too large");
            assert!(stderr(&output).contains(&message), "{}", stderr(&output));
            assert_eq!(fs::read_dir(folder.path().join("out")).unwrap().count(), 0);
            // What was computed is shown nevertheless.
            assert_contains(stdout(&output), &["baseline", "westwood+", "Reproduce: seamline run"]);
        }
    }
}

#[cfg(unix)]
#[test]
#[expect(clippy::disallowed_methods, reason = "a run of another process has to be under way")]
fn interrupted_it_shows_the_seeds_that_are_complete() {
    let folder = folder();
    let binary = assert_cmd::cargo::cargo_bin("seamline");
    let file = scenario("quickstart.toml");
    let child = Command::new(binary)
        .args(["run", &file, "--seeds", "2000", "--json"])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_contains(stderr(&output), &["interrupted after", "of 10000 runs", "tip: seamline sweep"]);
    let document: serde_json::Value = serde_json::from_str(stdout(&output)).expect("a whole document");
    let cells = document["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 5);
    let seeds = |cell: &serde_json::Value| -> Vec<u64> {
        cell["runs"].as_array().unwrap().iter().map(|run| run["seed"].as_u64().unwrap()).collect()
    };
    let first = seeds(&cells[0]);
    assert!((1..2000).contains(&first.len()), "{first:?}");
    assert!(cells.iter().all(|cell| seeds(cell) == first), "seeds that not all cells have");
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_that_is_full_is_a_failure_with_words_and_one_that_is_closed_without() {
    let binary = assert_cmd::cargo::cargo_bin("seamline");
    let shell = |script: &str| {
        let script = script.replace("seamline", &format!("'{}'", binary.display()));
        Command::new("sh").args(["-c", &script]).output().unwrap()
    };
    let output = shell("seamline list > /dev/full");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot write to standard output"));
    let output = shell("{ sleep 1; seamline list; echo $? >&2; } | true");
    assert_eq!(stderr(&output).trim(), "141");
}

#[test]
fn the_list_names_everything_with_its_source() {
    let output = seamline(&["list"], &folder().keep());
    let text = stdout(&output);
    for expected in ["cubic", "RFC 9438", "westwood+", "starlink", "gilbert-elliott", "mahimahi"] {
        assert!(text.contains(expected), "{expected}");
    }
    let output = seamline(&["list", "variants"], &folder().keep());
    assert!(stdout(&output).starts_with("Variants") && !stdout(&output).contains("Profiles"));
    let keys = stdout(&seamline(&["list", "keys"], &folder().keep())).to_owned();
    for expected in ["[[flow]]", "flow.vegas\n", "Minimum retransmission timeout (default: \"200 ms\")"] {
        assert!(keys.contains(expected), "{expected}");
    }
}

/// Everything as one document: the choices, and the systems that the papers name.
#[test]
fn the_list_has_the_systems_of_the_papers() {
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(stdout(&seamline(arguments, &folder().keep()))).unwrap()
    };
    let document = json(&["list", "--json"]);
    assert!(document["choices"].as_array().is_some_and(|choices| choices.len() > 50));
    let systems = document["systems"].as_array().unwrap();
    assert_eq!(json(&["list", "systems", "--json"]), document["systems"]);
    let of = |name: &str| systems.iter().find(|system| system["name"] == name).unwrap();
    assert_eq!(of("M-TCP")["chosen_by"], "agent: kind = \"m-tcp\"");
    assert_eq!((&of("Snoop")["status"], &of("Snoop")["paper"]), (&"both".into(), &"ELO".into()));
    assert!(of("Snoop")["claims"].as_array().unwrap().contains(&"L1".into()));
    assert_eq!(of("C-snoop")["status"], "no specification found");
    let text = stdout(&seamline(&["list"], &folder().keep())).to_owned();
    for expected in ["Systems that the reproduced papers name", "Adaptive packet combining", "link: arq"] {
        assert!(text.contains(expected), "{expected}");
    }
}

/// Papers need what ns-2 does; other users are not offered it.
#[test]
fn what_only_comparisons_need_is_listed_when_asked_for() {
    let folder = folder();
    let historical = stdout(&seamline(&["list", "--historical"], folder.path())).to_owned();
    for expected in ["ns2-2.1b7", "flow.NAME.ns2.vegas_rounds_difference", "agent.NAME.snoop.profile"] {
        assert!(historical.contains(expected), "{expected}");
    }
    assert!(!historical.contains("linux") && !historical.contains("flow.NAME.vegas."), "{historical}");
    for arguments in [&["list"][..], &["list", "keys"], &["schema"], &["completions", "bash"]] {
        let output = seamline(arguments, folder.path());
        assert!(output.status.success() && !stdout(&output).contains("ns2"), "{arguments:?}");
    }
}

/// Twenty seconds of each kind of recording, made up here.
fn recordings(folder: &Path) -> Vec<(&'static str, PathBuf)> {
    let satellite = |second: usize| 100 + second / 8;
    let leoem: String = (0..20)
        .map(|second| {
            format!(
                "{second}$[-1, {0}, {0}, -2]$4$[0.002, 0.001, 0.002]$0.01{second:02}\n",
                satellite(second)
            )
        })
        .collect();
    let mahimahi: String = (1..20_000).step_by(2).map(|millis| format!("{millis}\n")).collect();
    let delay: String = (0..2000).map(|line| format!("{}.5\n", 20 + line / 100 % 7)).collect();
    let write = |name: &'static str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        (name, path)
    };
    vec![write("leoem", leoem), write("mahimahi", mahimahi), write("delay-series", delay)]
}

#[test]
fn a_recording_is_known_by_its_content() {
    let folder = folder();
    for (kind, file) in recordings(folder.path()) {
        let arguments =
            ["demo", "--recording", path(&file), "--seeds", "1", "--set", "duration=3 s", "--table", "none"];
        let output = seamline(&arguments, folder.path());
        assert_eq!(output.status.code(), Some(0), "{kind}: {}", stderr(&output));
        let repeat = format!("Reproduce: seamline demo {kind} --recording {}", path(&file));
        assert!(stdout(&output).contains(&repeat), "{repeat} in {}", stdout(&output));
    }
    fs::write(folder.path().join("poem"), "tyger tyger\nburning bright\n").unwrap();
    let output = seamline(&["demo", "--recording", "poem"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("poem looks like none of the known formats: seamline, ping"));
}

/// Every scenario that ships runs; those over a recording get one made up here, and the real ones that lie
/// next to the project where there are any.
#[test]
fn every_scenario_that_ships_runs() {
    let folder = folder();
    let made_up = recordings(folder.path());
    let mut seen = 0;
    for entry in fs::read_dir(scenario("")).unwrap() {
        let file = entry.unwrap().path();
        let is_about_differences = path(&file).ends_with(".differences.toml");
        if is_about_differences || file.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let mut arguments =
            vec!["run".to_owned(), path(&file).to_owned(), "--json".to_owned(), "--quiet".to_owned()];
        arguments
            .extend(["--seeds", "1", "--set", "duration=3 s", "--set", "warm_up=0 s"].map(str::to_owned));
        if text.contains("file = \"\"") {
            let stem = file.file_stem().unwrap().to_str().unwrap();
            let (_, recording) =
                made_up.iter().find(|(kind, _)| *kind == stem || stem == "recording").unwrap();
            let key = text.lines().find_map(|line| line.strip_prefix("#   seamline run")).unwrap();
            let key = key.split_once("--set ").unwrap().1.split_once('=').unwrap().0;
            let check = seamline(&["check", path(&file)], folder.path());
            assert!(stderr(&check).contains("expected the path of a recording"), "{}", stderr(&check));
            arguments.extend(["--set".to_owned(), format!("{key}={}", path(recording))]);
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = seamline(&arguments, folder.path());
        assert_eq!(output.status.code(), Some(0), "{}: {}", file.display(), stderr(&output));
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let delivered = &document["cells"][0]["runs"][0]["flows"][0]["delivered_bytes"];
        assert!(delivered.as_u64().unwrap() > 10_000, "{}: {delivered}", file.display());
        seen += 1;
    }
    assert!(seen >= 6);
}

#[test]
fn real_recordings_run_where_there_are_any() {
    let folder = folder();
    for (kind, name) in [
        ("leoem", "leoem/Starlink_SEA_NY_15_BP_path.log.gz"),
        ("mahimahi", "mahimahi/TMobile-LTE-short.down.gz"),
        ("delay-series", "leocc/delay_example.txt.gz"),
    ] {
        let Some(file) = seamline_testing::recording("real_recordings_run_where_there_are_any", name) else {
            return;
        };
        let arguments =
            ["demo", "--recording", path(&file), "--seeds", "1", "--set", "duration=5 s", "--table", "none"];
        let output = seamline(&arguments, folder.path());
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
        assert!(stdout(&output).contains(&format!("seamline demo {kind}")));
    }
}
