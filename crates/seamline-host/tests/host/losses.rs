//! `seamline-host agent eln-ack` at a base station and `seamline-host sender --losses` at the server, between kernels that know of
//! neither.
#![cfg(feature = "ebpf")]

use crate::support::cgroup::{Cgroup, end};
use crate::support::{HOST, folder, program, shared_lab_or_skip, stderr, stdout};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

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

/// What is there to help.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Help {
    Nothing,
    Agent,
    AgentAndSender,
}

/// A run of the lab inside of the cgroup.
fn run(cgroup: &Cgroup, scenario: &str, help: Help) -> Outcome {
    let folder = folder();
    let kind = if help == Help::Nothing { "none" } else { "eln-ack" };
    std::fs::write(folder.path().join("lossy.toml"), scenario.replace("eln-ack", kind)).unwrap();
    std::fs::write(folder.path().join("agent.toml"), "[eln_ack]\nlists_losses = true\n").unwrap();
    let sender = (help == Help::AgentAndSender).then(|| cgroup.begin_sender(&["--losses"]));
    let document = lab(cgroup, folder.path(), help != Help::Nothing);
    let counted = sender.map_or_else(String::new, |sender| {
        let output = end(sender, Signal::SIGTERM);
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output).to_owned()
    });
    let flow = &document["cells"][0]["runs"][0]["flows"][0];
    let outcome = Outcome {
        goodput_mbit: flow["goodput_bits_per_second"].as_f64().unwrap() / 1e6,
        retransmissions: flow["retransmissions"].as_f64().unwrap(),
        counted,
    };
    println!("{outcome:?}");
    outcome
}

fn lab(cgroup: &Cgroup, folder: &Path, with_agent: bool) -> Value {
    let agent = format!(
        "station=exec {} agent eln-ack --config {}/agent.toml --in $SEAMLINE_WIRED --out $SEAMLINE_WIRELESS > agent.log 2>&1",
        program(HOST).display(),
        folder.display()
    );
    let script = format!(
        "echo $$ > {}/cgroup.procs && exec \"$0\" lab lossy.toml --json --quiet \"$@\"",
        cgroup.name()
    );
    let output = Command::new("sh")
        .args(["-c", &script])
        .arg(program("seamline"))
        .args(if with_agent { vec!["--agent", &agent] } else { Vec::new() })
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn losses_over_the_air_cost_a_stock_sender_no_window() {
    let name = "losses_over_the_air_cost_a_stock_sender_no_window";
    let (Some(_lab), Some(cgroup)) = (shared_lab_or_skip(name), Cgroup::or_skip(name)) else { return };
    // What the air lets through of 20 Mbit/s, less headers.
    for (loss, percent, kept) in [("3 %", 3.0, 0.97), ("5 %", 5.0, 0.95)] {
        let scenario = SCENARIO.replace("3 %", loss);
        let [none, alone, both] =
            [Help::Nothing, Help::Agent, Help::AgentAndSender].map(|help| run(&cgroup, &scenario, help));
        // At this loss cubic keeps a window of some five segments; what it does not know of changes nothing.
        for without in [none, alone] {
            assert!((0.3..3.0).contains(&without.goodput_mbit), "{without:?}");
        }
        assert!((12.0..20.0 * kept).contains(&both.goodput_mbit), "{both:?}");
        assert!(both.count("recoveries that kept the window: losses over the air") >= 10, "{both:?}");
        assert_eq!(both.count("of them reduced after all: congestion or a timeout"), 0, "{both:?}");
        // Nobody but the kernel sends again: what was lost, and what is lost of that; and what the queue drops.
        let segments = both.goodput_mbit * 1e6 * 12.0 / 8.0 / 1448.0;
        let share = both.retransmissions / segments * 100.0;
        assert!((0.7 * percent..3.0 * percent + 2.0).contains(&share), "{share} % sent again: {both:?}");
    }
}

/// Where the queue before the agent is full, the pair is plain TCP: no list says otherwise.
#[test]
fn congestion_costs_the_window_as_ever() {
    let name = "congestion_costs_the_window_as_ever";
    let (Some(_lab), Some(cgroup)) = (shared_lab_or_skip(name), Cgroup::or_skip(name)) else { return };
    let scenario = SCENARIO
        .replace("100 Mbit/s", "10 Mbit/s")
        .replace("500 packets", "40 packets")
        .replace("down = { loss = { model = \"bernoulli\", probability = \"3 %\" } }\n", "");
    let alone = run(&cgroup, &scenario, Help::Agent);
    let both = run(&cgroup, &scenario, Help::AgentAndSender);
    assert!(both.count("acknowledgments with losses listed") > 0, "{both:?}");
    assert_eq!(both.count("recoveries that kept the window: losses over the air"), 0, "{both:?}");
    assert!((0.9..1.1).contains(&(both.goodput_mbit / alone.goodput_mbit)), "{both:?} {alone:?}");
    // A window that was never reduced would lose some of each round trip: far more than one segment in fifty.
    let segments = both.goodput_mbit * 1e6 * 12.0 / 8.0 / 1448.0;
    assert!((1.0..segments / 50.0).contains(&both.retransmissions), "{both:?} {alone:?}");
}

/// The queue behind the agent drops what has passed it, and so everything is listed as lost over the air: what a receiver that lies
/// says, too. The sender finds the queue by its own round trips.
#[test]
fn a_queue_behind_the_agent_costs_the_window_as_ever() {
    let name = "a_queue_behind_the_agent_costs_the_window_as_ever";
    let (Some(_lab), Some(cgroup)) = (shared_lab_or_skip(name), Cgroup::or_skip(name)) else { return };
    let scenario =
        SCENARIO.replace("down = { loss = { model = \"bernoulli\", probability = \"3 %\" } }\n", "");
    let alone = run(&cgroup, &scenario, Help::Agent);
    let both = run(&cgroup, &scenario, Help::AgentAndSender);
    let reduced = "recoveries that reduced it: losses over the air, and a queue that the window fills";
    assert!(both.count(reduced) > 0, "{both:?}");
    assert_eq!(both.count("recoveries that kept the window: losses over the air"), 0, "{both:?}");
    assert!((0.9..1.1).contains(&(both.goodput_mbit / alone.goodput_mbit)), "{both:?} {alone:?}");
    let segments = both.goodput_mbit * 1e6 * 12.0 / 8.0 / 1448.0;
    assert!((1.0..segments / 50.0).contains(&both.retransmissions), "{both:?} {alone:?}");
}
