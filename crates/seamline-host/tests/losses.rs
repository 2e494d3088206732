//! `seamline-host agent eln-ack` at a base station and `seamline-host sender --losses` at the server, between kernels that know of
//! neither.
#![cfg(all(target_os = "linux", feature = "ebpf"))]

mod support;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use support::cgroup::Cgroup;
use support::{HOST, folder, host, program, shared_lab_or_skip, skip, stderr, stdout};

/// A download through a base station: the air loses packets of data, whatever fills them.
const SCENARIO: &str = r#"
title = "A lossy hop behind a base station"
duration = "12 s"
seeds = 1
nodes = ["server", "station", "phone"]

[[link]]
name = "wired"
from = "server"
to = "station"
rate = "100 Mbit/s"
one_way_delay = "20 ms"
queue = { discipline = "drop-tail", limit = "500 packets" }

[[link]]
name = "air"
from = "station"
to = "phone"
rate = "20 Mbit/s"
one_way_delay = "5 ms"
queue = { discipline = "drop-tail", limit = "80 packets" }
down = { loss = { model = "bernoulli", probability = "3 %" } }

[[agent]]
name = "station"
kind = "eln-ack"
link = "air"

[[flow]]
name = "download"
from = "server"
to = "phone"
variant = "cubic"
"#;

/// What a run gave.
#[derive(Debug)]
struct Outcome {
    goodput_mbit: f64,
    retransmissions: f64,
    /// What the sender has counted; empty without one.
    counted: String,
}

impl Outcome {
    fn count(&self, name: &str) -> u64 {
        let line = self
            .counted
            .lines()
            .find(|line| line.trim_start().split_once(' ').is_some_and(|it| it.1 == name));
        line.map_or(0, |line| line.split_whitespace().next().unwrap().parse().unwrap())
    }
}

fn begin_sender(cgroup: &Cgroup) -> Child {
    let sender = Command::new(program(HOST))
        .args(["sender", "--losses", "--cgroup", cgroup.name()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    #[expect(clippy::disallowed_methods, reason = "waits for another process")]
    std::thread::sleep(std::time::Duration::from_secs(1));
    sender
}

fn end_sender(sender: Child) -> String {
    kill(Pid::from_raw(sender.id().cast_signed()), Signal::SIGTERM).unwrap();
    let output = sender.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output).to_owned()
}

/// A run of the lab inside of the cgroup, with the agent, and with the sender or without it.
fn run(cgroup: &Cgroup, scenario: &str, with_sender: bool) -> Outcome {
    let folder = folder();
    std::fs::write(folder.path().join("lossy.toml"), scenario).unwrap();
    std::fs::write(folder.path().join("agent.toml"), "[eln_ack]\nlists_losses = true\n").unwrap();
    let sender = with_sender.then(|| begin_sender(cgroup));
    let document = lab(cgroup, folder.path());
    let counted = sender.map(end_sender).unwrap_or_default();
    let flow = &document["cells"][0]["runs"][0]["flows"][0];
    let outcome = Outcome {
        goodput_mbit: flow["goodput_bits_per_second"].as_f64().unwrap() / 1e6,
        retransmissions: flow["retransmissions"].as_f64().unwrap(),
        counted,
    };
    println!("{outcome:?}");
    outcome
}

fn lab(cgroup: &Cgroup, folder: &Path) -> Value {
    let agent = format!(
        "station=exec {} agent eln-ack --config {}/agent.toml --in $SEAMLINE_WIRED --out $SEAMLINE_WIRELESS > agent.log 2>&1",
        program(HOST).display(),
        folder.display()
    );
    let script = format!(
        "echo $$ > {}/cgroup.procs && exec \"$0\" lab lossy.toml --json --quiet --agent \"$1\"",
        cgroup.name()
    );
    let output = Command::new("sh")
        .args(["-c", &script])
        .arg(program("seamline"))
        .arg(agent)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn cgroup_or_skip(test: &str) -> Option<Cgroup> {
    let checked = host(&["sender", "--check"], folder().path());
    match checked.status.success().then(Cgroup::new).flatten() {
        Some(cgroup) => Some(cgroup),
        None => {
            skip(test, stderr(&checked));
            None
        }
    }
}
