//! The notes that a user gets about results, recordings and long experiments besides the numbers.

use crate::support::{assert_contains, folder, program, refuses, seamline, stderr, succeeds};
use std::fs;
use std::path::Path;

/// One link, one flow, and nothing random.
const PLAIN: &str = r#"
title = "Plain"
duration = "10 s"
seeds = 2
nodes = ["a", "b"]
link = [{ name = "wire", from = "a", to = "b", rate = "10 Mbit/s", one_way_delay = "100 ms" }]
flow = [{ name = "main", from = "a", to = "b", variant = "newreno" }]
"#;

fn warnings(folder: &Path, set: &[&str]) -> String {
    fs::write(folder.join("plain.toml"), PLAIN).unwrap();
    let mut arguments = vec!["run", "plain.toml"];
    set.iter().for_each(|set| arguments.extend(["--set", set]));
    let output = seamline(&arguments, folder);
    assert!(output.status.success(), "{}", stderr(&output));
    stderr(&output).to_owned()
}

#[test]
fn results_are_explained_by_what_the_scenario_lacks() {
    let folder = folder();
    let message = warnings(folder.path(), &[]);
    assert_contains(&message, &["all seeds gave the same results", "link wire has no queue limit"]);
    assert!(!message.contains("limited by its window") && !message.contains("ever arrived"), "{message}");

    let limited = warnings(
        folder.path(),
        &[
            "flow.main.tcp.receive_buffer=64 kB",
            "link.wire.queue={ discipline = \"drop-tail\", limit = \"50 packets\" }",
        ],
    );
    assert_contains(&limited, &["flow main was limited by its window of 64", "raise `tcp.receive_buffer`"]);
    assert!(!limited.contains("no queue limit"), "{limited}");

    let late = warnings(folder.path(), &["flow.main.start=9.95 s"]);
    assert_contains(&late, &["nothing of flow main ever arrived"]);

    let random = warnings(
        folder.path(),
        &["link.wire.down={ loss = { model = \"bernoulli\", probability = \"1 %\" } }"],
    );
    assert!(!random.contains("all seeds gave the same"), "{random}");
}

#[test]
fn a_variant_that_only_kernels_have_leads_to_the_lab() {
    let folder = folder();
    fs::write(folder.path().join("plain.toml"), PLAIN).unwrap();
    let message = refuses(&["check", "plain.toml", "--set", "flow.main.variant=bbr2"], folder.path());
    assert_contains(&message, &["no such value", "seamline lab FILE --congestion bbr2"]);
}

#[test]
fn a_recording_says_what_it_was_read_as() {
    let folder = folder();
    let delays: String = (0..100).map(|line| format!("{}.5\n", 20 + line % 10)).collect();
    fs::write(folder.path().join("ms.txt"), delays).unwrap();
    let read = |file: &str| {
        let set = ["--set", "duration=2 s", "--set", "warm_up=0 s", "--seeds", "1"];
        seamline(&[&["demo", "--recording", file][..], &set].concat(), folder.path())
    };
    let message = read("ms.txt");
    assert!(message.status.success(), "{}", stderr(&message));
    assert_contains(
        stderr(&message),
        &["ms.txt read as delay-series: 1 s, one-way delay 25.0 ms on average (20.5 to 29.5)"],
    );

    fs::write(folder.path().join("s.txt"), "0.0205\n0.0305\n").unwrap();
    assert_eq!(read("s.txt").status.code(), Some(2));
    assert_contains(stderr(&read("s.txt")), &["if the values are seconds, multiply them by 1000"]);
}

#[test]
fn a_long_experiment_states_its_time_and_memory_first() {
    let folder = folder();
    let message = warnings(folder.path(), &["duration=4 s"]);
    assert!(!message.contains("will take about"), "{message}");
    fs::write(folder.path().join("plain.toml"), PLAIN).unwrap();
    let set = ["--set", "duration=900000 s", "--set", "link.wire.rate=1 Gbit/s"];
    let first = first_line(&[&["run", "plain.toml"][..], &set].concat(), folder.path());
    assert_contains(&first, &["2 runs will take about", "of memory for records, judged by the first 20"]);
}

/// The first line that a long command says, which is then ended.
fn first_line(arguments: &[&str], folder: &Path) -> String {
    let mut run = std::process::Command::new(program("seamline"))
        .args(arguments)
        .current_dir(folder)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let message = run.stderr.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(message), &mut first).unwrap();
    run.kill().unwrap();
    run.wait().unwrap();
    first
}

#[test]
fn long_advice_states_its_time_and_memory_first() {
    let links = ["--from", "lte", "--to", "wifi", "--interruption", "300 ms", "--seeds", "2", "--no-check"];
    let asked = [&["advise", "--horizon", "8000 h"][..], &links].concat();
    let first = first_line(&asked, folder().path());
    assert_contains(
        &first,
        &["up to ", " runs will take up to ", " h on ", "of memory, judged by the first 20"],
    );
}

#[test]
fn a_split_connection_is_no_slower_than_the_flow_it_serves() {
    let folder = folder();
    let scenario = r#"
        title = "Split"
        duration = "20 s"
        warm_up = "5 s"
        nodes = ["a", "b", "c"]
        link = [
            { name = "wire", from = "a", to = "b", rate = "100 Mbit/s", one_way_delay = "100 ms", queue = { discipline = "drop-tail", limit = "1000 packets" } },
            { name = "air", from = "b", to = "c", rate = "30 Mbit/s", one_way_delay = "10 ms", queue = { discipline = "drop-tail", limit = "200 packets" } },
        ]
        agent = [{ name = "bs", kind = "none", link = "air" }]
        flow = [{ name = "main", from = "a", to = "c", variant = "cubic", profile = "linux" }]
        grid = { agent.bs.kind = ["none", "split"] }
    "#;
    fs::write(folder.path().join("split.toml"), scenario).unwrap();
    let text = succeeds(&["run", "split.toml", "--json", "-q"], folder.path());
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let goodput = |cell: usize| {
        document["cells"][cell]["runs"][0]["flows"][0]["goodput_bits_per_second"].as_f64().unwrap()
    };
    let (none, split) = (goodput(0), goodput(1));
    assert!((0.95..1.5).contains(&(split / none)) && split < 30e6, "none {none}, split {split}");
}
