//! `seamline-host sender` next to a sender of the lab.

use crate::support::cgroup::{Cgroup, end};
use crate::support::{HOST, assert_contains, folder, host_refuses, program, stderr, stdout};
use nix::sys::signal::Signal;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A download over a link that is gone for 2.5 s; acknowledgments are out of its reach at once, so that none is lost.
const SCENARIO: &str = r#"
title = "A download over a link that is gone for 2.5 s"
duration = "9 s"
seeds = 1
nodes = ["server", "gateway", "phone"]

[[link]]
name = "core"
from = "server"
to = "gateway"
rate = "1 Gbit/s"
one_way_delay = "0.1 ms"
queue = { discipline = "unlimited" }
up = { one_way_delay = "24.9 ms" }

[[link]]
name = "radio"
from = "gateway"
to = "phone"
rate = "20 Mbit/s"
one_way_delay = "24.9 ms"
queue = { discipline = "drop-tail", limit = "83 packets" }
up = { one_way_delay = "0.1 ms" }
notice = { to = "phone" }

[link.handover]
at = ["3 s"]
interruption = "2500 ms"
queued = "drop"
in_service = "drop"
in_flight = "drop"
arriving = "drop"

[[flow]]
name = "download"
from = "server"
to = "phone"
variant = "cubic"
start = "1 s"
handover = "ehn"
"#;
const LINK_UP: f64 = 5.5;
/// The lab ends with its command, some time after this.
const LOOKED_AT_UNTIL: f64 = 8.4;

/// What happened after the link was up again.
#[derive(Debug)]
struct After {
    first_sent_ms: f64,
    delivered_bytes: f64,
    dropped: usize,
}

fn after(events: &Path) -> After {
    let mut after = After { first_sent_ms: f64::INFINITY, delivered_bytes: 0.0, dropped: 0 };
    for line in fs::read_to_string(events).unwrap().lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let time = fields[0].parse::<f64>().unwrap();
        if !(LINK_UP..LOOKED_AT_UNTIL).contains(&time) {
            continue;
        }
        let since = (time - LINK_UP) * 1e3;
        match fields[2] {
            "segment sent" | "segment sent again" if fields[1] == "server" => {
                after.first_sent_ms = after.first_sent_ms.min(since);
            }
            "delivered" => after.delivered_bytes += fields[5].parse::<f64>().unwrap(),
            "dropped" => after.dropped += 1,
            _ => {}
        }
    }
    after
}

/// The lab inside of the cgroup; what the command wrote, and what happened.
fn lab(cgroup: &Cgroup, command: &str) -> (String, After) {
    let folder = folder();
    fs::write(folder.path().join("gone.toml"), SCENARIO).unwrap();
    let (binary, host) = (program("seamline"), program(HOST));
    let (binary, host) = (binary.to_str().unwrap(), host.to_str().unwrap());
    let script = format!(
        "echo $$ > {}/cgroup.procs && exec {binary} lab gone.toml --seamline phone --at server --flows --quiet \
         --events events -- sh -c '{}'",
        cgroup.name(),
        command.replace("SEAMLINE_HOST", host)
    );
    let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    (stdout(&output).to_owned(), after(&folder.path().join("events/seed1.csv")))
}

#[test]
fn a_stock_sender_goes_on_at_once_after_a_handover_and_loses_no_more_than_without() {
    let Some(cgroup) = Cgroup::or_skip("a_stock_sender_goes_on_at_once") else { return };
    // Where the phone's last acknowledgment was a delayed one, the link goes before it, and the repeated one is news to a stock sender, too.
    let mut without = (0..4).map(|_| lab(&cgroup, "sleep 9").1);
    let without = without.find(|it| it.first_sent_ms > 250.0).expect("a stock sender waits for its timer");
    let sender = format!(
        "SEAMLINE_HOST sender --cgroup {} --interface seam0 & sender=$!; sleep 8.5; kill -INT $sender; wait $sender",
        cgroup.name()
    );
    let (message, with) = lab(&cgroup, &sender);
    assert_contains(
        &message,
        &[" level=info event=timeout window=", "event=restored from=", "1 windows restored"],
    );
    assert!((25.0..60.0).contains(&with.first_sent_ms), "{with:?}");
    assert!(with.delivered_bytes > 1.1 * without.delivered_bytes, "{with:?} {without:?}");
    let link = 20e6 / 8.0 * (LOOKED_AT_UNTIL - LINK_UP);
    assert!((0.8 * link..link).contains(&with.delivered_bytes), "{with:?} of {link}");
    assert!(with.dropped <= without.dropped + 30, "{with:?} {without:?}");
}

#[test]
fn it_ends_when_asked_to_and_says_what_it_has_counted() {
    let Some(cgroup) = Cgroup::or_skip("it_ends_when_asked_to") else { return };
    let folder = folder();
    let metrics = folder.path().join("sender.prom");
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let output = end(cgroup.begin_sender(&["--metrics", metrics.to_str().unwrap()]), signal);
        let text = fs::read_to_string(&metrics).unwrap();
        assert_contains(
            &text,
            &["seamline_sender_build_info{version=", "seamline_sender_timeouts_total 0\n"],
        );
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_contains(stderr(&output), &["ready: new connections in", cgroup.name()]);
        assert_contains(stdout(&output), &["0 connections", "0 timeouts", "0 windows restored"]);
    }
    let output = end(cgroup.begin_sender(&["--json"]), Signal::SIGINT);
    let stop: serde_json::Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!((&stop["event"], &stop["windows_restored"]), (&"stop".into(), &0.into()));
}

#[test]
fn what_is_not_there_is_refused() {
    let message = host_refuses(&["sender", "--cgroup", "/sys/fs/cgroup/nowhere"], folder().path());
    assert_contains(&message, &["/sys/fs/cgroup/nowhere"]);
    assert_contains(&host_refuses(&["sender"], folder().path()), &["--cgroup <PATH>"]);
    assert_contains(
        &host_refuses(&["sender", "--cgroup", "/tmp", "--interface", "nowhere0"], folder().path()),
        &["\"nowhere0\"", "ip link"],
    );
}
