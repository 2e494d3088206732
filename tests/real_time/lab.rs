//! `seamline lab`: real packets, in namespaces of its own.

use crate::support::{
    assert_contains, folder, lab_or_skip, refuses, scenario, seamline, skip, stderr, stdout, succeeds,
};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The arguments of a lab over a short form of the bundled scenario.
fn short<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let set = ["--set", "duration=3 s", "--set", "link.radio.handover.at=['1.5 s']"];
    [&["lab", file], &set[..], more].concat()
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    #[expect(clippy::disallowed_methods, reason = "waits for other processes")]
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(20), "{what}");
        #[expect(clippy::disallowed_methods, reason = "waits for other processes")]
        sleep(Duration::from_millis(20));
    }
}

/// Processes whose command line holds a word.
fn processes(word: &str) -> Vec<i32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(number) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if line.split(|byte| *byte == 0).any(|part| part == word.as_bytes()) {
            found.push(number);
        }
    }
    found
}

/// Results name what ran: the congestion control of the command line, not the variant of the scenario.
#[test]
fn results_are_labelled_by_the_congestion_control_that_ran() {
    let Some(_alone) = lab_or_skip("results_are_labelled") else { return };
    let (folder, file) = (folder(), scenario("lab-quick.toml"));
    let more = ["--congestion", "reno", "--set", "flow.download.variant=cubic", "--json", "--quiet"];
    for (more, expected) in [(&more[..], "reno"), (&more[2..], "cubic")] {
        let document: Value = serde_json::from_str(&succeeds(&short(&file, more), folder.path())).unwrap();
        assert_eq!(document["cells"][0]["runs"][0]["flows"][0]["variant"], expected);
        assert_eq!(document["summary"][0]["variant"], expected);
    }
    // The grid of the scenario varies what the option replaces.
    let more = ["--congestion", "reno", "--json", "--quiet", "--report", "out"];
    let document: Value = serde_json::from_str(&succeeds(&short(&file, &more), folder.path())).unwrap();
    assert_eq!(document["cells"].as_array().unwrap().len(), 1);
    assert_eq!(document["summary"][0]["variant"], "reno");
    assert_eq!(document["cells"][0]["runs"][0]["flows"][0]["variant"], "reno");
    let runs = std::fs::read_to_string(folder.path().join("out/runs.csv")).unwrap();
    assert!(!runs.contains("newreno") && !runs.contains("cubic"), "{runs}");
}

#[test]
fn a_scenario_gives_the_same_records_files_and_pages_as_in_the_simulator() {
    let Some(_alone) = lab_or_skip("a_scenario_gives_the_same_records") else { return };
    let (folder, file) = (folder(), scenario("lab-quick.toml"));
    let grid = ["--set", "grid.flow.download.variant=['newreno']"];
    let files = ["--pcapng", "captures", "--xplot", "graphs", "--iperf3", "results"];
    let more = [&["--json", "--report", "out", "--quiet"], &files[..], &grid].concat();
    let document: Value = serde_json::from_str(&succeeds(&short(&file, &more), folder.path())).unwrap();
    let run = &document["cells"][0]["runs"][0];
    let flow = &run["flows"][0];
    let goodput = flow["goodput_bits_per_second"].as_f64().unwrap();
    assert!(
        (8e6..19.4e6).contains(&goodput),
        "{goodput} of 20 Mbit/s, two packets in a hundred being headers"
    );
    let handover = &flow["handovers"][0];
    assert_eq!(handover["interruption_ms"], 150.0);
    let first_data = handover["first_data_ms"].as_f64().unwrap();
    assert!((150.0..2000.0).contains(&first_data), "{first_data}");
    assert!(flow["round_trip_min_ms"].as_f64().unwrap() >= 40.0);
    assert!(
        flow["intervals"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["congestion_window_segments"].as_f64() > Some(2.0))
    );
    assert_eq!(run["emulation"]["stacks"], serde_json::json!([["server", "linux"], ["phone", "linux"]]));
    assert_eq!(run["emulation"]["lost_at_interfaces"], 0);
    let page = std::fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert_contains(&page, &["A download with two handovers", "newreno"]);
    let capture = std::fs::read_dir(folder.path().join("captures")).unwrap().next().unwrap().unwrap();
    assert!(capture.metadata().unwrap().len() > 100_000, "every packet at the sender is in it");
    assert_formats_of_others(folder.path(), goodput);
}

/// The files of iperf3 and xplot are about the same flow.
fn assert_formats_of_others(folder: &Path, goodput: f64) {
    let only = |folder: &Path| {
        let mut files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let file = files.next().unwrap();
        assert!(files.next().is_none(), "one flow, one seed");
        std::fs::read_to_string(file).unwrap()
    };
    let result: Value = serde_json::from_str(&only(&folder.join("results"))).unwrap();
    let received = result["end"]["sum_received"]["bits_per_second"].as_f64().unwrap();
    assert!((received / goodput - 1.0).abs() < 0.001, "{received} and {goodput}");
    assert_contains(result["start"]["system_info"].as_str().unwrap(), &["Linux"]);
    let graph = only(&folder.join("graphs"));
    assert_contains(&graph, &["timeval double\n", "download (time sequence graph)"]);
    let segments = graph.lines().filter(|line| line.starts_with("uarrow ")).count() as f64;
    let expected = goodput / 8.0 / 1448.0;
    assert!((1.0..40.0).contains(&(segments / expected)), "{segments} segments, {expected} each second");
    assert!(graph.ends_with("go\n"));
}

#[test]
fn our_endpoint_can_be_at_either_end_and_ipv6_between() {
    let Some(_alone) = lab_or_skip("our_endpoint_can_be_at_either_end") else { return };
    let (folder, file) = (folder(), scenario("lab-quick.toml"));
    // What a move is answered with may be known at one end alone.
    let mover = &["--seamline", "phone", "--ipv6", "--set", "flow.download.handover=ehn"][..];
    for ends in [&["--seamline", "server"], mover] {
        let cubic = ["--set", "grid.flow.download.variant=['cubic']"];
        let more = [&["--json", "--quiet"], &cubic[..], ends].concat();
        let document: Value = serde_json::from_str(&succeeds(&short(&file, &more), folder.path())).unwrap();
        let run = &document["cells"][0]["runs"][0];
        let goodput = run["flows"][0]["goodput_bits_per_second"].as_f64().unwrap();
        assert!((6e6..19.4e6).contains(&goodput), "{ends:?}: {goodput}");
        let stacks = run["emulation"]["stacks"].as_array().unwrap();
        assert_eq!(stacks.iter().filter(|stack| stack[1] == "seamline").count(), 1, "{stacks:?}");
    }
}

#[test]
fn a_command_runs_where_hosts_have_names_and_its_exit_code_is_passed_on() {
    let Some(_alone) = lab_or_skip("a_command_runs_where_hosts_have_names") else { return };
    let (folder, file) = (folder(), scenario("lab-quick.toml"));
    let ask = "getent hosts server; echo $SEAMLINE_NODE sees $SEAMLINE_PEER_NAME at $SEAMLINE_PEER; exit 7";
    let output = seamline(&["lab", &file, "--", "sh", "-c", ask], folder.path());
    assert_eq!(output.status.code(), Some(7), "{}", stderr(&output));
    assert_contains(stdout(&output), &["server", "phone sees server at 10.0.0.1"]);
    assert_contains(stderr(&output), &["99th percentile"]);
    let elsewhere = ["lab", &file, "--at", "server", "--quiet", "--", "sh", "-c", "echo $SEAMLINE_NODE"];
    assert_eq!(succeeds(&elsewhere, folder.path()), "server\n");
    let missing = seamline(&["lab", &file, "--", "no-such-command"], folder.path());
    assert_eq!(missing.status.code(), Some(1));
    assert_contains(stderr(&missing), &["starting no-such-command", "cannot be run"]);
}

#[test]
fn a_round_trip_through_the_network_takes_as_long_as_its_links() {
    let Some(_alone) = lab_or_skip("a_round_trip_through_the_network") else { return };
    let (folder, file) = (folder(), scenario("lab-quick.toml"));
    // Python's socket and clock, none of ours: connect() takes one round trip.
    let server =
        "server=python3 -c 'import socket;s=socket.create_server((\"\",7));[s.accept() for _ in range(10)]'";
    let client = "import os,socket,time\nfor _ in range(10):\n t=time.monotonic();socket.create_connection((os.environ['SEAMLINE_PEER'],7));print(time.monotonic()-t)";
    let output =
        seamline(&["lab", &file, "--serve", server, "--quiet", "--", "python3", "-c", client], folder.path());
    if stderr(&output).contains("starting python3") {
        return skip("a_round_trip_through_the_network", "no python3");
    }
    let seconds: Vec<f64> = stdout(&output).lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(seconds.len(), 10, "{}", stderr(&output));
    let least = seconds.iter().copied().fold(f64::MAX, f64::min);
    assert!((0.040..0.060).contains(&least), "{seconds:?}: twice 20 ms");
}

#[test]
fn what_the_lab_cannot_do_is_refused_with_what_can_be_done() {
    let Some(_alone) = lab_or_skip("what_the_lab_cannot_do") else { return };
    let (folder, file) = (folder(), scenario("lab-quick.toml"));
    let message = |more: &[&str]| refuses(&[&["lab", &file], more].concat(), folder.path());
    let vegas = ["--set", "grid.flow.download.variant=['vegas-nobody-has']"];
    assert_contains(&message(&vegas), &["vegas-nobody-has"]);
    assert_contains(
        &message(&["--congestion", "nobody-has-it"]),
        &["no congestion control \"nobody-has-it\"", "it has", "reno", "--seamline server"],
    );
    assert_contains(
        &message(&["--seamline", "nowhere"]),
        &["no flow begins or ends at \"nowhere\"", "server, phone"],
    );
    assert_contains(
        &message(&["--at", "nowhere", "--", "true"]),
        &["no command can run at \"nowhere\"", "server, phone"],
    );
    assert_contains(&message(&["--serve", "server", "--", "true"]), &["NODE=COMMAND"]);
    // A command's connections have no variant, but what is asked for is there or refused.
    assert_contains(
        &message(&["--congestion", "nobody-has-it", "--", "true"]),
        &["no congestion control \"nobody-has-it\"", "it has", "reno"],
    );
    assert_contains(&message(&["--seamline", "nowhere", "--", "true"]), &["\"nowhere\"", "server, phone"]);
    assert_contains(
        &message(&["--seamline", "phone", "--", "true"]),
        &["no command can run at \"phone\"", "our endpoint", "--at another node"],
    );
    let report = folder.path().join("report");
    assert_contains(
        &message(&["--report", report.to_str().unwrap(), "--", "true"]),
        &["--report", "command"],
    );
    assert!(!report.exists());
    let ehn = ["--set", "flow.download.handover=ehn"];
    assert_contains(
        &message(&ehn),
        &["\"ehn\"", "the kernel's TCP does not have", "--seamline server --seamline phone"],
    );
}

/// A lab whose command starts something in the background that would outlive it.
fn with_a_daemon(word: &str, runtime: &Path) -> Child {
    // One of them goes where looking through the lab's namespaces does not find it.
    let script = format!("(setsid unshare -n sleep {word} & ); exec sleep {word}");
    let lab = Command::new(assert_cmd::cargo::cargo_bin("seamline"))
        .args(["lab", &scenario("lab-quick.toml"), "--quiet", "--", "sh", "-c", &script])
        .env("XDG_RUNTIME_DIR", runtime)
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("both are there", || processes(word).len() == 2);
    lab
}

fn state(runtime: &Path) -> Vec<String> {
    let folder = std::fs::read_dir(runtime.join("seamline")).unwrap();
    folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn the_environment_names_the_peer() {
    let Some(_alone) = lab_or_skip("the_environment_names_the_peer") else { return };
    let (folder, file) = (folder(), scenario("lab-quick.toml"));
    let message = |more: &[&str]| {
        let command = ["--quiet", "--", "sh", "-c", "echo $SEAMLINE_NODE $SEAMLINE_PEER_NAME $SEAMLINE_PEER"];
        let output = seamline(&[&["lab", &file], more, &command].concat(), folder.path());
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output).split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let phone = message(&[]);
    assert_eq!((&phone[..2], phone[2].contains('.')), (&["phone".to_owned(), "server".to_owned()][..], true));
    let server = message(&["--at", "server", "--ipv6"]);
    assert_eq!(
        (&server[..2], server[2].contains(':')),
        (&["server".to_owned(), "phone".to_owned()][..], true)
    );
    assert_ne!(phone[2], server[2]);
}

#[test]
fn nothing_is_left_after_an_interrupt() {
    let Some(_alone) = lab_or_skip("nothing_is_left_after_an_interrupt") else { return };
    let runtime = folder();
    let word = "31415.901";
    let mut lab = with_a_daemon(word, runtime.path());
    assert_eq!(state(runtime.path()).len(), 1);
    // `timeout` and terminals that close tell it twice.
    kill(Pid::from_raw(lab.id() as i32), Signal::SIGTERM).unwrap();
    kill(Pid::from_raw(lab.id() as i32), Signal::SIGINT).unwrap();
    let status = lab.wait().unwrap();
    assert!(!status.success());
    assert_eq!((processes(word), state(runtime.path())), (Vec::new(), Vec::new()));
}

#[test]
fn what_a_killed_lab_leaves_is_removed_at_the_next_start() {
    let Some(_alone) = lab_or_skip("what_a_killed_lab_leaves") else { return };
    let runtime = folder();
    let word = "31415.902";
    let mut lab = with_a_daemon(word, runtime.path());
    lab.kill().unwrap();
    lab.wait().unwrap();
    wait_until("the command itself ends with the lab", || processes(word).len() == 1);
    let next: Output = Command::new(assert_cmd::cargo::cargo_bin("seamline"))
        .args(["lab", &scenario("lab-quick.toml"), "--", "true"])
        .env("XDG_RUNTIME_DIR", runtime.path())
        .output()
        .unwrap();
    assert!(next.status.success(), "{}", stderr(&next));
    assert_contains(stderr(&next), &["ended 1 process", "killed"]);
    assert_eq!((processes(word), state(runtime.path())), (Vec::new(), Vec::new()));
}

#[test]
fn it_needs_no_root_where_user_namespaces_are_allowed() {
    let Some(_alone) = lab_or_skip("it_needs_no_root").filter(|_| geteuid().is_root()) else { return };
    let folder = folder();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let (command, file) = (folder.path().join("seamline"), folder.path().join("quick.toml"));
    std::fs::copy(assert_cmd::cargo::cargo_bin("seamline"), &command).unwrap();
    std::fs::copy(scenario("lab-quick.toml"), &file).unwrap();
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&command)
        .args(["lab", file.to_str().unwrap(), "--quiet", "--", "sh", "-c", "id -u; getent hosts server"])
        .env_remove("XDG_RUNTIME_DIR")
        .current_dir(folder.path())
        .output()
        .unwrap();
    if stderr(&output).contains("user namespace") {
        return skip("it_needs_no_root", stderr(&output));
    }
    assert_contains(stdout(&output), &["0\n", "server"]);
    assert!(output.status.success(), "{}", stderr(&output));
}
