//! The commands that run agents through faults, for some seconds.
#![cfg(target_os = "linux")]

use seamline_testing::{punctual, skip, turn};
use std::process::Command;
use std::sync::Mutex;

/// Both look at times.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// By how many milliseconds the host may be late. Datagrams have 100 ms to arrive.
const MOST_LATE_MS: u64 = 30;

/// What the command prints, if this host has what it takes.
fn xtask(test: &str, arguments: &[&str]) -> Option<String> {
    let _turn = turn(ONE_AT_A_TIME.lock());
    let test_program = std::env::current_exe().unwrap();
    let host = test_program.ancestors().nth(2).unwrap().join("seamline-host");
    assert!(host.exists(), "{} is missing; build it: cargo build -p seamline-host", host.display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command.args(arguments).arg("--host").arg(host).output().unwrap();
    let [printed, errors] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    if output.status.code() == Some(2) {
        skip(test, errors);
        return None;
    }
    print!("{printed}{errors}");
    assert_eq!(output.status.code(), Some(0));
    Some(printed)
}

/// Each agent and the daemon once or more.
#[test]
fn bytes_arrive_as_they_were_sent_whatever_happens() {
    let name = "bytes_arrive_as_they_were_sent_whatever_happens";
    punctual(MOST_LATE_MS, || {
        let Some(printed) = xtask(name, &["soak", "--seed", "1", "--duration", "10s"]) else { return };
        assert!(printed.contains("each byte as it was sent"), "{printed}");
    });
}

#[test]
fn kills_leave_nothing_that_is_in_the_way() {
    let name = "kills_leave_nothing_that_is_in_the_way";
    punctual(MOST_LATE_MS, || {
        let Some(printed) = xtask(name, &["kills", "--seed", "1", "--count", "1"]) else { return };
        for subject in ["snoop", "eln-ack", "obtcp-base-station", "obtcp-mobile-router", "split", "mobile"] {
            assert!(printed.contains(&format!("{subject}: 1 kill")), "{printed}");
        }
        assert!(["sender: 1 kill", "sender: skipped"].iter().any(|it| printed.contains(it)), "{printed}");
    });
}
