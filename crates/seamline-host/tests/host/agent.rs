//! `seamline-host agent`: what it refuses, and a run that ends on a signal.

use crate::support::{HOST, assert_contains, folder, host, program, stderr, with_interfaces};
use std::fs;

fn refused(arguments: &[&str], code: i32) -> String {
    let output = host(&[&["agent"], arguments].concat(), folder().path());
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
    stderr(&output).to_owned()
}

#[test]
fn what_makes_no_sense_is_refused_with_the_reason() {
    let same = refused(&["snoop", "--in", "b0", "--out", "b0"], 2);
    assert!(same.contains("same interface, b0"), "{same}");
    let missing = refused(&["snoop", "--in", "no-such-1", "--out", "no-such-2"], 2);
    assert!(missing.contains("no-such-1"), "{missing}");
    let vague = refused(&["snoop", "--in", "b0", "--out", "b1", "--metrics", "localhost:9477"], 2);
    assert!(vague.contains("127.0.0.1:9477") && vague.contains("./localhost:9477"), "{vague}");
    assert!(refused(&["snopp", "--in", "b0", "--out", "b1"], 2).contains("snoop"));
}

#[test]
fn a_missing_interface_is_named_with_those_that_exist() {
    let message = refused(&["snoop", "--in", "nope", "--out", "lo"], 2);
    assert!(message.contains("--in: there is no interface `nope`\ntip: this host has "), "{message}");
    assert!(message.lines().any(|line| line.starts_with("tip:") && line.contains("lo")), "{message}");
}

#[test]
fn obtcp_takes_a_role_in_both_spellings_and_its_old_names_are_refused() {
    let at = ["--in", "no-such-1", "--out", "no-such-2"];
    for role in ["base-station", "base station", "mobile-router", "mobile router"] {
        let missing = refused(&[&["obtcp", "--role", role], &at[..]].concat(), 2);
        assert_contains(&missing, &["no-such-1"]);
    }
    for (old, role) in [("obtcp-bs", "base-station"), ("obtcp-mr", "mobile-router")] {
        let message = format!("`agent {old}` is now `agent obtcp --role {role}`");
        assert_contains(&refused(&[&[old], &at[..]].concat(), 2), &[&message]);
    }
    assert_contains(
        &refused(&[&["obtcp"], &at[..]].concat(), 2),
        &["--role base-station", "--role mobile-router"],
    );
    let other = refused(&[&["snoop", "--role", "base-station"], &at[..]].concat(), 2);
    assert_contains(&other, &["for obtcp only"]);
}

/// The kinds that scenarios have and hosts do not are known by name, and each refusal says what to use.
#[test]
fn agents_for_simulations_are_refused_with_a_sentence() {
    let at = ["--in", "no-such-1", "--out", "no-such-2"];
    for kind in seamline_agent::ALL.iter().filter(|kind| !kind.runs_on_real_hosts) {
        let message = refused(&[&[kind.name], &at[..]].concat(), 2);
        let sentence = format!("the agent `{}` runs in simulations only", kind.name);
        assert_contains(&message, &[&sentence, "tip: "]);
    }
}

#[test]
fn a_file_with_mistakes_is_refused_with_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.toml");
    for (text, expected) in [
        ("connections = 100\nmemry = \"1 MB\"\n", ["agent.toml:2", "memory"]),
        ("[snoop]\ncache = -1\n", ["agent.toml:2", "cache"]),
        ("[obtcp]\ncache = 10\n", ["agent.toml:1", "obtcp"]),
        ("idle = \n", ["agent.toml:1", "idle"]),
    ] {
        fs::write(&path, text).unwrap();
        let why = refused(&["snoop", "--in", "b0", "--out", "b1", "--config", path.to_str().unwrap()], 2);
        assert!(expected.iter().all(|word| why.contains(word)), "{why}");
    }
}

#[test]
fn a_file_for_split_has_keys_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("split.toml");
    for (text, expected) in [
        ("memory = \"1 MB\"\n", ["split.toml:1", "memory"]),
        ("[split]\nbuffer = \"1 kB\"\n", ["split.toml:2", "4096 bytes"]),
        ("[snoop]\ncache = 10\n", ["split.toml:1", "snoop"]),
    ] {
        fs::write(&path, text).unwrap();
        let why = refused(&["split", "--in", "b0", "--out", "b1", "--config", path.to_str().unwrap()], 2);
        assert!(expected.iter().all(|word| why.contains(word)), "{why}");
    }
}

#[test]
fn only_agents_that_keep_packets_hand_them_over() {
    for kind in [&["eln-ack"][..], &["obtcp", "--role", "mobile-router"], &["split"]] {
        let flags =
            ["--in", "b0", "--out", "b1", "--hand-over-at", "127.0.0.1:1022", "--hand-over-from", "::1"];
        let why = refused(&[kind, &flags].concat(), 2);
        assert_contains(&why, &["snoop, and obtcp --role base-station"]);
    }
    assert!(refused(&["split", "--in", "b0", "--out", "b1", "--control", "x"], 2).contains("--control"));
    let everybody = ["snoop", "--in", "b0", "--out", "b1", "--hand-over-at", "127.0.0.1:1022"];
    assert!(refused(&everybody, 2).contains("--hand-over-from"));
    let nowhere = ["hand-over", "--control", "/no/such", "--to", "[::1]:1022", "10.0.0.1"];
    assert!(refused(&nowhere, 1).contains("/no/such"));
    assert!(refused(&["hand-over", "--control", "x", "--to", "10.0.0.1", "10.0.0.1"], 2).contains("--to"));
    assert!(refused(&["hand-over", "--control", "x", "--to", "[::1]:1022"], 2).contains("HOST"));
}

/// Each with the exit code of mistakes in what was asked for, and the fix.
#[test]
fn a_host_that_is_not_set_up_for_an_agent_is_refused() {
    let agent = format!("{} agent snoop --in b0 --out b1", program(HOST).display());
    for (prepare, expected) in [
        ("ulimit -n 20", ["may open 20 files", "LimitNOFILE="]),
        (
            "ip link add br0 type bridge; ip link set b1 master br0",
            ["interface b1 is a port of the bridge br0", "ip link set b1 nomaster"],
        ),
        (
            "ip addr add 10.3.3.3/24 dev b0",
            ["interface b0 has the address 10.3.3.3/24", "ip address delete 10.3.3.3/24 dev b0"],
        ),
    ] {
        let name = "a_host_that_is_not_set_up_for_an_agent_is_refused";
        let Some(output) = with_interfaces(name, &format!("{prepare}; exec {agent}")) else { return };
        assert_eq!(output.status.code(), Some(2), "{prepare}: {}", stderr(&output));
        assert_contains(stderr(&output), &expected);
    }
}

/// In a namespace of its own.
#[test]
fn it_ends_when_it_is_asked_to_with_what_it_has_done() {
    let name = "it_ends_when_it_is_asked_to_with_what_it_has_done";
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("agent.toml");
    fs::write(&config, "connections = 1000\nmemory = \"8 MB\"\n[snoop]\ncache = 50\n").unwrap();
    let script = format!(
        "{program} agent snoop --in b0 --out b1 --config {config} --dry-run --json --control {control} & bridge=$!
        until [ -S {control} ] || ! kill -0 $bridge; do sleep 0.1; done; {program} agent hand-over --control {control} --to 10.9.9.9:1022 10.0.0.1 fd00::1 >&2
        kill -TERM $bridge; wait $bridge",
        program = program(HOST).display(),
        config = config.display(),
        control = folder.path().join("control").display()
    );
    let Some(output) = with_interfaces(name, &script) else { return };
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{message}");
    let log = String::from_utf8(output.stdout).unwrap();
    let events: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events[0]["event"], "start");
    assert_eq!((&events[0]["connections"], &events[0]["dry_run"]), (&1000.into(), &true.into()));
    assert_eq!(events.last().unwrap()["event"], "stop");
    let reported = events.iter().find(|event| event["event"] == "hand-over").unwrap();
    assert_eq!((&reported["hosts"], &reported["connections"]), (&"10.0.0.1 fd00::1".into(), &0.into()));
    assert!(message.contains("handed out: 0 connections, 0 packets"), "{message}");
    assert!(!folder.path().join("control").exists(), "it removes its socket");
    assert!(message.contains("MiB, for 1000 connections"), "{message}");
}
