//! `seamline lab --agent`: commands in place of a scenario's agents, between kernel TCP ends.

use crate::support::on_time::{OF_RUN, on_time};
use crate::support::{
    HOST, assert_contains, folder, program, refuses, scenario, seamline, shared_lab_or_skip, stderr,
};
use serde_json::Value;
use std::path::Path;

/// A real agent, as a user would begin it: of the kind that the scenario has there. Its log goes to a file of its name.
fn real(agent: &str) -> String {
    format!(
        "{agent}=exec '{}' agent $SEAMLINE_KIND ${{SEAMLINE_ROLE:+--role $SEAMLINE_ROLE}} --in $SEAMLINE_WIRED --out $SEAMLINE_WIRELESS \
         > {agent}.log 2>&1",
        program(HOST).display()
    )
}

/// The value of a counter in the last line of a log.
fn counted(folder: &Path, agent: &str, counter: &str) -> u64 {
    let log = std::fs::read_to_string(folder.join(format!("{agent}.log"))).unwrap();
    let last = log.lines().last().unwrap_or_default();
    let found = last.split(' ').find_map(|word| word.strip_prefix(counter)?.strip_prefix('='));
    found.unwrap_or_else(|| panic!("no {counter} in {log}")).parse().unwrap()
}

/// A bundled scenario as one cell: without its grid, with agents of this kind, and 1 % loss.
fn one_cell(file: &str, kind: &str, folder: &Path) {
    let text = std::fs::read_to_string(scenario(file)).unwrap();
    // "[grid]" or "[[grid.zip]]".
    let (network, _) = text.split_once("[grid").unwrap();
    let network = network.trim_end_matches('[').replace("kind = \"none\"", &format!("kind = \"{kind}\""));
    assert!(network.contains("probability = \"1 %\""));
    std::fs::write(folder.join("scenario.toml"), network).unwrap();
}

/// One run of six seconds with real agents, in a folder with their logs, until the emulator was on time: the goodput in Mbit/s.
fn run(file: &str, kind: &str, agents: &[&str]) -> (tempfile::TempDir, f64) {
    let agents: Vec<String> = agents.iter().map(|agent| real(agent)).collect();
    let mut arguments = vec!["lab", "scenario.toml", "--json", "--quiet", "--seeds", "1"];
    arguments.extend(["--set", "duration=6 s"]);
    agents.iter().for_each(|agent| arguments.extend(["--agent", agent]));
    let (folder, document, ()) = on_time(|folder| one_cell(file, kind, folder), &arguments, OF_RUN);
    let run = &document["cells"][0]["runs"][0];
    let emulation = &run["emulation"];
    let stacks = emulation["stacks"].as_array().unwrap();
    assert_eq!(stacks.len(), 2 + agents.len(), "{stacks:?}");
    assert_eq!(emulation["payload_unknown"], 0);
    (folder, run["flows"][0]["goodput_bits_per_second"].as_f64().unwrap() / 1e6)
}

#[test]
fn a_real_agent_stands_where_the_simulated_one_would() {
    let Some(_lab) = shared_lab_or_skip("a_real_agent_stands_where_the_simulated_one_would") else { return };
    for kind in ["snoop", "split"] {
        let (folder, goodput) = run("lossy-hop.toml", kind, &["station"]);
        println!("{kind}: {goodput} Mbit/s");
        // Without help it is 2.4 Mbit/s: at this loss the window of CUBIC is some ten segments.
        assert!((4.0..19.5).contains(&goodput), "{kind}: {goodput} Mbit/s");
        match kind {
            "split" => assert_eq!(counted(folder.path(), "station", "begun"), 1),
            _ => assert!(counted(folder.path(), "station", "local_retransmissions") > 0),
        }
    }
}

/// The one behind the first lossy hop asks the one before it, and repairs the second hop.
#[test]
fn two_real_agents_talk_to_each_other() {
    let Some(_lab) = shared_lab_or_skip("two_real_agents_talk_to_each_other") else { return };
    let (folder, goodput) = run("two-lossy-hops.toml", "obtcp", &["station", "train"]);
    println!("obtcp: {goodput} Mbit/s");
    for agent in ["station", "train"] {
        let [again, messages] =
            ["local_retransmissions", "messages"].map(|name| counted(folder.path(), agent, name));
        println!("{agent}: {again} sent again, {messages} messages");
        assert!(again > 0 && messages > 0, "{agent}");
    }
}

#[test]
fn a_command_that_ends_ends_the_run() {
    let Some(_lab) = shared_lab_or_skip("a_command_that_ends_ends_the_run") else { return };
    for (command, message) in [
        ("station=exit 3", "has ended with exit code 3 before any packet passed"),
        ("station=sleep 60 & sleep 50", "nothing passes it within 10 s"),
        (
            &format!("{} & sleep 2; kill -9 $!; exit 4", real("station").replace("exec ", "")),
            "has ended with exit code 4",
        ),
    ] {
        let folder = folder();
        one_cell("lossy-hop.toml", "snoop", folder.path());
        #[expect(
            clippy::disallowed_methods,
            reason = "whatever the command has started ends with the run, not by itself"
        )]
        let begin = std::time::Instant::now();
        let arguments = ["lab", "scenario.toml", "--agent", command, "--seeds", "1", "--quiet"];
        let output = seamline(&arguments, folder.path());
        assert!(begin.elapsed() < std::time::Duration::from_secs(40), "{:?}", begin.elapsed());
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert_contains(stderr(&output), &["the command in place of agent \"station\"", message]);
    }
}

/// A crash costs the comparison its own run, and no other.
#[test]
fn a_command_that_ends_is_left_out_of_the_comparison() {
    let Some(_lab) = shared_lab_or_skip("a_command_that_ends_is_left_out_of_the_comparison") else { return };
    let folder = folder();
    one_cell("lossy-hop.toml", "snoop", folder.path());
    let agent = real("station").replace("exec ", "");
    let command = format!("{agent} & if [ $SEAMLINE_SEED = 2 ]; then wait; fi; sleep 1; kill -9 $!; exit 4");
    let arguments = ["parity", "scenario.toml", "--real", "--agent", &command, "--json", "--seeds", "2"];
    let output = seamline(&[&arguments[..], &["--set", "duration=3 s"]].concat(), folder.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let left_out: Vec<&str> =
        document["scenarios"][0]["left_out"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let crashed = left_out.iter().filter(|it| it.contains("seed 1: the command in place of agent"));
    assert_eq!(crashed.count(), 2, "{left_out:?}");
    assert!(left_out.iter().all(|it| !it.contains("seed 2: the command")), "{left_out:?}");
    assert_contains(stderr(&output), &["runs are left out"]);
}

/// What is finished is not lost by what fails after it.
#[test]
fn a_command_that_ends_leaves_what_was_run_before() {
    let Some(_lab) = shared_lab_or_skip("a_command_that_ends_leaves_what_was_run_before") else { return };
    let folder = folder();
    one_cell("lossy-hop.toml", "snoop", folder.path());
    let agent = real("station").replace("exec ", "");
    let command = format!("{agent} & if [ $SEAMLINE_SEED = 1 ]; then wait; fi; sleep 2; kill -9 $!; exit 4");
    let arguments = ["lab", "scenario.toml", "--agent", &command, "--json", "--seeds", "3"];
    let output = seamline(&[&arguments[..], &["--set", "duration=4 s"]].concat(), folder.path());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert_contains(
        stderr(&output),
        &["after 1 of 3 runs", "completed every grid cell: 1", "has ended with exit code 4"],
    );
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let runs = document["cells"][0]["runs"].as_array().unwrap();
    assert_eq!(runs.iter().map(|run| run["seed"].as_u64()).collect::<Vec<_>>(), [Some(1)]);
    assert!(runs[0]["flows"][0]["goodput_bits_per_second"].as_f64().unwrap() > 1e6, "{runs:?}");
}

#[test]
fn mistakes_are_named() {
    let Some(_lab) = shared_lab_or_skip("mistakes_are_named") else { return };
    let (folder, file) = (folder(), scenario("lossy-hop.toml"));
    let message = refuses(&["lab", &file, "--agent", "mast=true"], folder.path());
    assert_contains(&message, &["has no agent \"mast\"", "it has station"]);
    let message =
        refuses(&["lab", &file, "--agent", "station=true", "--agent", "station=true"], folder.path());
    assert_contains(&message, &["given twice"]);
    let nobody = "grid.agent.station.kind=['none']";
    let message = refuses(&["lab", &file, "--set", nobody, "--agent", "station=true"], folder.path());
    assert_contains(&message, &["no agent stands at \"station\"", "agent.station.kind"]);
    let message = refuses(&["lab", &file, "--agent", "station"], folder.path());
    assert_contains(&message, &["should be AGENT=COMMAND"]);
    let split = "grid.agent.station.kind=['split']";
    let message = refuses(&["lab", &file, "--set", split], folder.path());
    assert_contains(&message, &["splits connections", "--agent station=COMMAND"]);
    let train = scenario("train.toml");
    let message = refuses(&["lab", &train, "--agent", "bs1=true"], folder.path());
    assert_contains(&message, &["\"bs1\" is at a cell"]);
}
