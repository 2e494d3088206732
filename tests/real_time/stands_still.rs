//! Virtual time that stands still is reported: in a command, and in a run over the TCP of a kernel.

use crate::support::{self, assert_contains, folder, kernel_or_skip, scenario};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

fn begin(words: &[&str], folder: &Path) -> Child {
    let mut command = Command::new(support::program("seamline"));
    command.args(words).current_dir(folder).env("TMPDIR", folder);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Wait for the warning, then interrupt the command. It must say what runs.
fn assert_warns(mut command: Child, what: &str) {
    let itself = pid(&command);
    // These processes would not end by themselves. The test is over long before.
    std::thread::spawn(move || {
        wait(Duration::from_secs(120));
        kill(itself, Signal::SIGKILL)
    });
    let errors = BufReader::new(command.stderr.take().unwrap());
    let lines: Vec<String> = errors
        .lines()
        .map(Result::unwrap)
        .inspect(|line| {
            if line.contains("stands still") {
                kill(itself, Signal::SIGINT).unwrap();
            }
        })
        .collect();
    assert_eq!(command.wait().unwrap().code(), Some(130));
    let warnings: Vec<&String> = lines.iter().filter(|line| line.contains("stands still")).collect();
    assert_eq!(warnings.len(), 1, "{lines:?}");
    assert_contains(warnings[0], &["warning: virtual time stands still at ", what]);
}

fn pid(child: &Child) -> Pid {
    Pid::from_raw(child.id().cast_signed())
}

/// The processes that a process has started.
fn children(of: Pid) -> Vec<Pid> {
    let all = fs::read_dir("/proc").unwrap().flatten();
    let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_child = |number: &i32| {
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        after_name.split_whitespace().nth(1) == Some(&of.to_string())
    };
    numbers.filter(is_child).map(Pid::from_raw).collect()
}

#[test]
fn a_command_that_never_waits_is_reported() {
    if kernel_or_skip("a_command_that_never_waits_is_reported").is_none() {
        return;
    }
    let folder = folder();
    let script = "while :; do :; done";
    let words = ["lab", &scenario("lab-quick.toml"), "--virtual", "--", "sh", "-c", script];
    assert_warns(begin(&words, folder.path()), "it runs sh -c 'while :; do :; done'");
}

/// Nothing of the user's runs in such a guest, so the test stops the guest instead.
#[test]
fn a_run_over_a_kernel_that_makes_no_progress_is_reported() {
    let Some(kernel) = kernel_or_skip("a_run_over_a_kernel_that_makes_no_progress_is_reported") else {
        return;
    };
    let folder = folder();
    let file = scenario("quickstart.toml");
    // Not so long that parts of it are tried first, in guests of their own.
    let words = ["run", &file, "--stack", &kernel, "--seeds", "1", "--set", "duration=590 s"];
    let run = begin(&[&words[..], &["--set", "grid.flow.main.variant=['cubic']"]].concat(), folder.path());
    let guest = loop {
        if let Some(guest) = children(pid(&run)).first() {
            break *guest;
        }
        wait(Duration::from_millis(10));
    };
    wait(Duration::from_secs(1));
    kill(guest, Signal::SIGSTOP).unwrap();
    assert_warns(run, "it runs the run with seed 1");
}

#[expect(clippy::disallowed_methods, reason = "waits for other processes")]
fn wait(time: Duration) {
    std::thread::sleep(time);
}
