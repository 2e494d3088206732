//! Mistakes of new users: each gets a clear error that names the place and the cure.

use crate::support::{assert_contains, folder, refuses, scenario, seamline, shell, skip, stderr, stdout};
use std::fs;
use std::path::Path;

/// The smallest scenario with a piece of it replaced, checked, run and swept: all say the same.
fn mistake(from: &str, to: &str, expected: &[&str]) {
    let folder = folder();
    let text = fs::read_to_string(scenario("quickstart.toml")).unwrap();
    assert!(text.contains(from), "{from} is not in the scenario");
    fs::write(folder.path().join("my.toml"), text.replacen(from, to, 1)).unwrap();
    let message = refuses(&["check", "my.toml"], folder.path());
    assert_contains(&message, expected);
    assert_contains(&message, &["my.toml:", "^"]);
    assert_contains(&refuses(&["run", "my.toml"], folder.path()), expected);
    assert_contains(&refuses(&["sweep", "my.toml", "--out", "out"], folder.path()), expected);
    assert!(!folder.path().join("out").exists(), "nothing is begun");
}

#[test]
fn a_mistyped_key() {
    mistake(
        "one_way_delay",
        "one_way_dealy",
        &["unknown key `one_way_dealy`", "tip: a similar key exists: `one_way_delay`"],
    );
}

#[test]
fn a_mistyped_unit() {
    mistake("20 ms", "20 mss", &["`mss` is not a unit of a time", "tip: a similar unit exists: `ms`"]);
    mistake("10 Mbit/s", "10 Mbps", &["`Mbps` is an ambiguous unit", "tip: did you mean Mbit/s or MB/s?"]);
}

#[test]
fn a_mistyped_scheme() {
    mistake("\"cubic\"", "\"cubik\"", &["no such value", "tip: a similar value exists: `cubic`"]);
    mistake("bernoulli", "bernouli", &["no such value", "tip: a similar value exists: `bernoulli`"]);
}

#[test]
fn a_negative_rate() {
    mistake("10 Mbit/s", "-10 Mbit/s", &["invalid `rate` in link \"radio\"", "must not be negative"]);
}

#[test]
fn an_empty_grid() {
    let from = "[\"newreno\", \"sack\", \"westwood+\", \"vegas\", \"cubic\"]";
    mistake(
        from,
        "[]",
        &["`flow.main.variant` has no values in the grid", "an empty list leaves nothing to run"],
    );
}

#[test]
fn a_trace_that_cannot_be_read() {
    let folder = folder();
    let file = scenario("mahimahi.toml");
    let with = |trace: &str| {
        let set = format!("link.radio.down.schedule.file={trace}");
        refuses(&["run", &file, "--set", &set], folder.path())
    };
    assert_contains(&with("nowhere.gz"), &["error[SL019]", "nowhere.gz"]);
    fs::write(folder.path().join("poem"), "1\n2\ntyger tyger\n").unwrap();
    assert_contains(&with("poem"), &["error[SL020]", "poem:3", "tyger"]);
    fs::create_dir(folder.path().join("folder")).unwrap();
    assert_contains(&with("folder"), &["error[SL019]", "folder"]);
    fs::write(folder.path().join("torn.gz"), [0x1f, 0x8b, 8, 0, 1, 2, 3]).unwrap();
    assert_contains(&with("torn.gz"), &["error[SL0", "torn.gz"]);
}

#[test]
fn mistyped_commands_and_options() {
    let folder = folder();
    for (typed, tip) in [
        (&["swep", "x"][..], "a similar subcommand exists: 'sweep'"),
        (&["explian", "a"], "a similar subcommand exists: 'explain'"),
        (&["run", "x.toml", "--seed", "3"], "a similar argument exists: '--seeds'"),
        (&["sweep", "x.toml", "--ouT", "d"], "a similar argument exists: '--out'"),
    ] {
        assert_contains(&refuses(typed, folder.path()), &[tip]);
    }
    assert_contains(&refuses(&["run", "x.toml", "--seeds", "0"], folder.path()), &["0 is not in 1.."]);
    assert_contains(&refuses(&["run", "x.toml", "--jobs", "0"], folder.path()), &["invalid value '0'"]);
}

/// The results of a run outlive a standard output without room.
#[cfg(target_os = "linux")]
#[test]
fn a_standard_output_without_room_loses_no_result() {
    let folder = folder();
    let run = format!("run '{}' --seeds 2 --set 'duration=2 s'", scenario("quickstart.toml"));
    let output = shell(&format!("TMPDIR=$PWD; export TMPDIR; seamline {run} > /dev/full"), folder.path());
    assert_eq!(output.status.code(), Some(1));
    assert_contains(stderr(&output), &["error: cannot write to standard output: No space left on device"]);
    let (_, place) = stderr(&output).split_once("the results are in ").unwrap();
    let kept = fs::read_to_string(place.lines().next().unwrap().trim()).unwrap();
    let whole = shell(&format!("seamline {run}"), folder.path());
    assert_eq!(kept, stdout(&whole));
}

/// On a terminal (here one that `script` makes) errors are coloured, unless `NO_COLOR` is set.
#[cfg(target_os = "linux")]
#[test]
fn colours_are_for_terminals_without_no_color() {
    let folder = folder();
    fs::write(folder.path().join("bad.toml"), "duration = 5\n").unwrap();
    let binary = assert_cmd::cargo::cargo_bin("seamline");
    let on_terminal = |before: &str| {
        let inner = format!("{before} '{}' check bad.toml", binary.display());
        shell(&format!("script -qec \"{inner}\" /dev/null < /dev/null"), folder.path())
    };
    let output = on_terminal("env -u NO_COLOR TERM=xterm");
    if !stdout(&output).contains("SL009") {
        return skip("colours_are_for_terminals_without_no_color", stderr(&output));
    }
    assert!(stdout(&output).contains('\u{1b}'), "no colour on a terminal");
    assert!(!stdout(&on_terminal("env NO_COLOR=1 TERM=xterm")).contains('\u{1b}'));
    let piped = seamline(&["check", "bad.toml"], Path::new(folder.path()));
    assert!(!stderr(&piped).contains('\u{1b}'));
}

#[cfg(target_os = "linux")]
#[test]
fn the_lab_refuses_several_runs_at_the_same_time() {
    let folder = folder();
    let text = refuses(&["lab", &scenario("lab-quick.toml"), "--jobs", "2"], folder.path());
    assert_contains(&text, &["--jobs: the lab runs in real time", "tip: leave it out"]);
}
