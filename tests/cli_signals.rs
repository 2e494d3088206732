//! Requests to stop, closed pipes, and what they leave behind.
#![cfg(unix)]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use support::{assert_contains, folder, program, scenario, stderr, stdout};

/// How long a stop may take: a second for the program, and one for a busy host.
const SOON: Duration = Duration::from_secs(2);

fn start(arguments: &[&str], folder: &Path) -> Child {
    let mut command = Command::new(program("seamline"));
    command.args(arguments).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Wait until something is true of a process that runs.
#[expect(clippy::disallowed_methods, reason = "another process is under way")]
fn wait_for(child: &mut Child, what: impl Fn() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended too early");
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("it never began");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Send a signal; the process must end soon.
#[expect(clippy::disallowed_methods, reason = "another process is under way")]
fn stop(child: Child, signal: &str) -> Output {
    let begun = Instant::now();
    Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(begun.elapsed() < SOON, "it took {:?}", begun.elapsed());
    output
}

fn size_of_files(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries.map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
}

/// Days of one fast link: minutes of computing on any host.
const LONG: [&str; 6] =
    ["--set", "duration=800000 s", "--set", "link.radio.rate=1 Gbit/s", "--set", "seeds=1"];

#[test]
fn one_long_run_stops_at_once_and_leaves_no_capture() {
    seamline_testing::punctual(50, || {
        for (signal, code) in [("INT", 130), ("TERM", 143)] {
            let folder = folder();
            let captures = folder.path().join("captures");
            let file = scenario("quickstart.toml");
            let files = ["run", &file, "--pcapng", "captures", "--events", "captures"];
            let mut run = start(&[&files[..], &LONG].concat(), folder.path());
            wait_for(&mut run, || size_of_files(&captures) > 100_000);
            let output = stop(run, signal);
            assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
            assert_contains(
                stderr(&output),
                &["interrupted after 0 of 5 runs; no seed", "files of unfinished runs are removed"],
            );
            assert_eq!(stdout(&output), "");
            assert_eq!(fs::read_dir(&captures).unwrap().count(), 0, "temporary files are left");
        }
    });
}

#[test]
#[expect(clippy::disallowed_methods, reason = "another process is under way")]
fn the_other_commands_that_simulate_stop_at_once() {
    seamline_testing::punctual(50, || {
        let file = scenario("quickstart.toml");
        let commands: [&[&str]; 4] = [
            &["sweep", &file, "--out", "out"],
            &["demo", "quickstart"],
            &[
                "advise",
                "--from",
                "rate=1 Gbit/s, round_trip=20 ms",
                "--to",
                "rate=2 Gbit/s, round_trip=20 ms",
                "--interruption",
                "100 ms",
                "--horizon",
                "4000 s",
            ],
            &["paper", "--out", "out", "E"],
        ];
        for command in commands {
            let folder = folder();
            let long: &[&str] = if ["sweep", "demo"].contains(&command[0]) { &LONG } else { &[] };
            let mut run = start(&[command, long].concat(), folder.path());
            std::thread::sleep(Duration::from_secs(2));
            assert_eq!(run.try_wait().unwrap(), None, "{command:?} ended too early");
            let output = stop(run, "INT");
            assert_eq!(output.status.code(), Some(130), "{command:?}: {}", stderr(&output));
            assert_contains(stderr(&output), &["interrupted"]);
        }
    });
}

#[test]
fn a_closed_standard_output_loses_no_file() {
    let folder = folder();
    let run =
        format!("run '{}' --seeds 2 --set 'duration=2 s' --report page.html", scenario("quickstart.toml"));
    let output =
        support::shell(&format!("{{ sleep 1; seamline {run} -q; echo $? >&2; }} | true"), folder.path());
    assert_eq!(stderr(&output).trim(), "141");
    assert!(folder.path().join("page.html").exists());
}

/// What a run shows in a terminal of 40 columns, made by `script`. `None` skips the test.
#[cfg(target_os = "linux")]
fn on_terminal(term: &str, more: &str, folder: &Path) -> Option<Output> {
    let (program, file) = (program("seamline"), scenario("quickstart.toml"));
    let run = format!("stty rows 24 cols 40; TERM={term} '{}' run '{file}' {more}", program.display());
    fs::write(folder.join("run.sh"), run).unwrap();
    let output = support::shell("script -qec 'sh run.sh' /dev/null < /dev/null", folder);
    if !output.status.success() {
        support::skip("what_is_shown_fits_a_narrow_terminal", stderr(&output));
        return None;
    }
    Some(output)
}

/// Only the command to copy is one line, however long.
#[cfg(target_os = "linux")]
#[test]
fn results_fit_a_narrow_terminal() {
    let folder = folder();
    let Some(output) = on_terminal("xterm", "--seeds 2 --table all --quiet", folder.path()) else { return };
    let shown = stdout(&output).replace('\r', "");
    assert_contains(&shown, &["Interval (s)      Goodput  Retr  RTO", "\n      110 retransmitted"]);
    for line in shown.lines().filter(|line| !line.starts_with("Reproduce: seamline run ")) {
        assert!(line.chars().count() <= 40, "{line}");
    }
}

/// The progress of a run in one line, and none without a cursor.
#[cfg(target_os = "linux")]
#[test]
fn progress_fits_a_narrow_terminal_and_is_left_out_on_a_dumb_one() {
    let folder = folder();
    let Some(output) = on_terminal("xterm", "--seeds 40 > out.txt", folder.path()) else { return };
    assert_contains(stdout(&output), &["/200 runs, "]);
    let drawn = stdout(&output).replace("\u{1b}[2K", "");
    let widest = drawn.split(['\r', '\n']).map(|line| line.chars().count()).max().unwrap();
    assert!((30..=40).contains(&widest), "{widest}: {drawn:?}");
    let Some(output) = on_terminal("dumb", "--seeds 40 > out.txt", folder.path()) else { return };
    assert!(!stdout(&output).contains(['\u{1b}', '█']));
}

/// Days over a recorded gigabit: it never finishes, and says that it has no advice.
#[test]
#[expect(clippy::disallowed_methods, reason = "another process is under way")]
fn advice_on_a_recording_stops_at_once() {
    seamline_testing::punctual(50, || {
        let folder = folder();
        let recording = "# seamline recording 1\n# length_s = 900000\ntime_s,down_mbps,up_mbps,down_delay_ms,up_delay_ms\n\
                     0,1000,1000,20,20\n800000,1000,1000,20.5,20.5\n";
        fs::write(folder.path().join("days.csv"), recording).unwrap();
        let asked = ["advise", "--on", "days.csv", "--horizon", "400000 s"];
        let mut run = start(&asked, folder.path());
        let begun = Instant::now();
        wait_for(&mut run, || begun.elapsed() > Duration::from_secs(1));
        let output = stop(run, "INT");
        assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
        assert_contains(stderr(&output), &["an incomplete set of runs gives no advice"]);
        assert_eq!(stdout(&output), "");
    });
}
