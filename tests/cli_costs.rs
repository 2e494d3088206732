//! What a user may make large costs no more than in proportion. `cargo bench --bench costs` measures more, and larger ones.

mod support;

#[allow(dead_code, reason = "the benchmark uses the rest of it")]
#[path = "../benches/costs/cases.rs"]
mod cases;

use cases::CASES;
use nix::sys::resource::{UsageWho, getrusage};
use support::{folder, seamline, stderr};

/// CPU time of all commands that have ended so far, in seconds.
fn spent() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    [usage.user_time(), usage.system_time()]
        .iter()
        .map(|it| it.tv_sec() as f64 + it.tv_usec() as f64 / 1e6)
        .sum()
}

/// CPU time of the work of a size, in seconds: the least of three runs.
fn seconds(name: &str, size: u64) -> f64 {
    let case = CASES.iter().find(|case| case.name == name).unwrap();
    let folder = folder();
    let run = |_| {
        let arguments = (case.prepare)(size, folder.path());
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let _ = std::fs::remove_dir_all(folder.path().join("out"));
        let before = spent();
        let output = seamline(&arguments, folder.path());
        assert!(output.status.success() || arguments[0] == "check", "{}", stderr(&output));
        spent() - before
    };
    (0..3).map(run).fold(f64::INFINITY, f64::min) / (case.times)(size)
}

/// Time grows with the size to the power of 1 if it is in proportion, of 2 if everything is looked at for everything. CPU time is that of
/// the command alone, so that a busy machine changes little; the bounds leave room for what it does, and for what each command costs
/// before it begins.
#[test]
fn nothing_grows_much_faster_than_in_proportion() {
    for (name, small, large) in [
        ("sack, rfc: slow start into a deep queue", 3_000, 60_000),
        ("sweep that compares schemes", 200, 2_000),
        ("report, separate flows", 200, 3_000),
        ("check of a grid with a mistake per value", 100, 1_000),
    ] {
        let (first, second) = (seconds(name, small), seconds(name, large));
        let exponent = libm::log(second / first) / libm::log(large as f64 / small as f64);
        assert!(
            (0.4..1.35).contains(&exponent),
            "{name}: {first} s for {small}, {second} s for {large}: {exponent}"
        );
    }
}

/// What is said of a thousand cells in such a case, which must be wrong.
fn refused(name: &str) -> String {
    let folder = folder();
    let case = CASES.iter().find(|case| case.name == name).unwrap();
    let arguments = (case.prepare)(1_000, folder.path());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = seamline(&arguments, folder.path());
    assert_eq!(output.status.code(), Some(2));
    stderr(&output).to_owned()
}

/// All cells share a mistake.
#[test]
fn a_mistake_in_a_grid_is_said_once() {
    let text = refused("check of a grid with one mistake");
    assert_eq!(text.matches("error[").count(), 1, "{text}");
    assert!(text.contains("1 error; nothing was run"), "{text}");
}

/// Each value of a grid is wrong: the first twenty are shown, and all are counted.
#[test]
fn of_many_mistakes_the_first_are_shown() {
    let text = refused("check of a grid with a mistake per value");
    assert_eq!(text.matches("error[").count(), 20);
    assert!(text.contains("... and 980 more") && text.contains("1000 errors; nothing was run"), "{text}");
}
