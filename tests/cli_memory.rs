//! The estimate of a run's memory against what runs take.
#![cfg(target_os = "linux")]

mod support;

use nix::sys::resource::{UsageWho, getrusage};
use seamline_experiment::memory::estimate;
use seamline_scenario::Plan;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use support::{folder, program};

/// The variable with the arguments of the command to measure.
const ARGUMENTS: &str = "SEAMLINE_ARGUMENTS";

/// The most memory that a command has had at a time, in bytes: what the kernel accounts to a process of which it is the only child.
fn peak(arguments: &str, folder: &Path) -> f64 {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "measures_for_others", "--ignored", "--nocapture"]).env(ARGUMENTS, arguments);
    let output = command.current_dir(folder).stderr(Stdio::inherit()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let measured = text.lines().find_map(|line| line.split_once("peak: ")).expect("a measurement");
    measured.1.trim().parse().unwrap()
}

/// The other end of [`peak`].
#[test]
#[ignore = "a part of the measurement of another test"]
fn measures_for_others() {
    let Ok(arguments) = std::env::var(ARGUMENTS) else { return };
    let mut command = Command::new(program("seamline"));
    assert!(command.args(arguments.split(' ')).stdout(Stdio::null()).status().unwrap().success());
    println!("\npeak: {}", getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss() * 1024);
}

fn scenario(duration: &str, interval: &str, queue: &str, flows: &str) -> String {
    let mut text = String::new();
    let _ = write!(
        text,
        "duration = \"{duration}\"\nseeds = 1\nnodes = [\"a\", \"b\"]\n\n[output]\ninterval = \"{interval}\"\n\n[[link]]\nname = \"air\"\n\
         from = \"a\"\nto = \"b\"\nrate = \"1 Gbit/s\"\none_way_delay = \"50 ms\"\nqueue = {{ {queue} }}\n\n{flows}"
    );
    text
}

/// Never less than a run takes, and no more than a few times as much: otherwise fewer would run at a time than fit.
#[test]
fn runs_take_no_more_than_estimated_and_not_much_less() {
    let flow = |keys: &str| {
        format!(
            "[[flow]]\nname = \"main\"\nfrom = \"a\"\nto = \"b\"\nprofile = \"rfc\"\nvariant = \"sack\"\n{keys}\n"
        )
    };
    let deep = "discipline = \"drop-tail\", limit = \"100000 packets\"";
    let short = "discipline = \"drop-tail\", limit = \"10 packets\"";
    let folder = folder();
    let nothing = {
        std::fs::write(folder.path().join("it.toml"), scenario("20 ms", "1 s", short, &flow(""))).unwrap();
        peak("run it.toml --quiet", folder.path())
    };
    for (name, text) in [
        (
            "connections",
            scenario("1 s", "1 s", short, &flow("count = 10000\ntcp = { receive_buffer = \"64 kB\" }")),
        ),
        ("a deep queue", scenario("10 s", "1 s", deep, &flow("tcp = { receive_buffer = \"500 MB\" }"))),
        (
            "a queue without limit",
            scenario(
                "10 s",
                "1 s",
                "discipline = \"unlimited\"",
                &flow("tcp = { receive_buffer = \"200 MB\" }"),
            ),
        ),
        ("rows", scenario("1000 s", "5 ms", short, &flow("size = \"1 MB\""))),
    ] {
        std::fs::write(folder.path().join("it.toml"), &text).unwrap();
        let plan = Plan::new(Path::new("it.toml"), text, &[]).unwrap();
        let estimated = estimate(&plan.cells[0].scenario, true) as f64;
        let taken = peak("run it.toml --quiet --table none", folder.path()) - nothing;
        let factor = estimated / taken;
        assert!((1.0..6.0).contains(&factor), "{name}: {estimated} bytes are estimated, {taken} were taken");
    }
}
