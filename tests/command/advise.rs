//! `seamline advise`

use crate::support::{
    assert_contains, folder, kernel_or_skip, refuses, seamline, shell, stderr, stdout, succeeds,
};
use std::fs;
use std::path::Path;

/// Small enough for seconds. Whether a kernel is built must not matter.
const ASKED: [&str; 14] = [
    "advise",
    "--no-check",
    "--from",
    "lte",
    "--to",
    "wifi, loss=0.1 %",
    "--interruption",
    "50 ms",
    "--stay",
    "2 s",
    "--file",
    "1 MB",
    "--seeds",
    "2",
];

fn asked(further: &[&'static str]) -> Vec<&'static str> {
    ASKED.iter().chain(further).copied().collect()
}

#[test]
fn the_answer_begins_with_what_to_do_and_ends_with_how_to_ask_again() {
    let folder = folder();
    let text = succeeds(&asked(&[]), folder.path());
    let first = text.lines().next().unwrap();
    assert!(
        ["Hand over", "Stay", "No clear difference"].iter().any(|word| first.starts_with(word)),
        "{first}"
    );
    assert_contains(
        &text,
        &["Huang et al., ACM MobiSys 2012", "wifi, changed as given", "t*_MAX", "T_MIN", "no handover"],
    );
    assert_contains(&text, &["none (unmodified stack)", "freeze", "mobile end", "Closed form", "\nDeploy: "]);
    let (_, again) = text.split_once("Reproduce: seamline ").unwrap();
    assert_contains(again, &["--to 'wifi, loss=0.1 %' --interruption '50 ms' --stay '2 s'", "--seeds 2"]);
    assert_eq!(succeeds(&asked(&["--jobs", "1"]), folder.path()), text, "processors change nothing");
}

#[test]
fn json_and_files() {
    let folder = folder();
    let text = succeeds(&asked(&["--json", "--out", "advice"]), folder.path());
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(document["verdict"]["do"].is_string());
    assert_eq!(document["to"]["loss"], 0.001);
    let schemes = document["schemes"].as_array().unwrap();
    assert_eq!(schemes[0]["name"], "none");
    assert!(schemes.iter().all(|scheme| scheme["longest_interruption"]["kind"].is_string()));
    assert_eq!(fs::read_to_string(folder.path().join("advice/advice.json")).unwrap(), text);
    assert!(fs::read_to_string(folder.path().join("advice/advice.svg")).unwrap().starts_with("<svg"));
    succeeds(&["check", "advice/scenario.toml"], folder.path());
}

/// Nothing is run for a folder that cannot be there, a quiet command says nothing, and seeds have a limit.
#[test]
fn what_cannot_be_kept_is_refused_at_once() {
    let folder = folder();
    fs::write(folder.path().join("taken"), "no folder").unwrap();
    let error = refuses(&asked(&["--out", "taken/advice"]), folder.path());
    assert_contains(&error, &["error: --out: cannot write to `taken/advice`", "tip: choose another"]);
    let mut many: Vec<&str> = ASKED.to_vec();
    *many.last_mut().unwrap() = "4000000000";
    assert_contains(&refuses(&many, folder.path()), &["4000000000 is not in 1..=10000"]);
}

#[test]
fn the_host_can_send() {
    let folder = folder();
    let text = succeeds(&asked(&["--upload", "--out", "up", "-q"]), folder.path());
    assert_contains(&text, &["the host sends", " --upload --seeds 2"]);
    let scenario = fs::read_to_string(folder.path().join("up/scenario.toml")).unwrap();
    assert_contains(&scenario, &["name = \"upload\"\nfrom = \"mobile\"\nto = \"server\""]);
    let ran = succeeds(&["run", "up/scenario.toml", "--seeds", "1", "--json"], folder.path());
    assert_contains(&ran, &["\"completion_s\""]);
}

#[test]
fn mistakes_end_with_code_2_and_the_fix() {
    let folder = folder();
    let with = |option: &str, value: &'static str| {
        let place = ASKED.iter().position(|word| *word == option).unwrap() + 1;
        let mut words = ASKED;
        words[place] = value;
        refuses(&words, folder.path())
    };
    assert_contains(&with("--from", "starlnk"), &["error: --from: there is no link `starlnk`", "`starlink`"]);
    assert_contains(&with("--interruption", "50"), &["error: --interruption: `50`", "unit"]);
    assert_contains(&with("--to", "lte, rate=-1 Mbit/s"), &["error: --to, rate", "must not be negative"]);
    let table = with("--to", "lte, loss={ model = \"bernouli\", probability = \"1 %\" }");
    assert_contains(&table, &["a similar value exists: `bernoulli`"]);
    let no_file = ["advise", "--from", "lte", "--to", "wifi", "--interruption", "50 ms"];
    assert_contains(&refuses(&no_file, folder.path()), &["--file <SIZE>|--horizon <TIME>"]);
    assert_contains(&refuses(&no_file[..5], folder.path()), &["--interruption <TIME>"]);
}

#[test]
fn the_long_help_names_the_links_with_their_sources() {
    let text = succeeds(&["advise", "--help"], folder().path());
    assert_contains(&text, &["Links by name:", "starlink", "Ookla", "wlan-802.11b", "IEEE 802.11b"]);
}

/// The answer in the tutorial is what the command in it prints, to the byte.
#[test]
fn the_tutorial_shows_what_is_printed() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tutorials/should-i-hand-over.md");
    let page = fs::read_to_string(page).unwrap();
    let command = "seamline advise --from geo --to wlan-802.11b --interruption \"2.5 s\" --stay \"7 s\" --file \"10 MB\"";
    let (_, after) = page.split_once(command).expect("the command");
    let (_, shown) = after.split_once("```text\n").expect("its answer");
    let (shown, _) = shown.split_once("```\n").unwrap();
    let output = shell(command, folder().path());
    assert_eq!(stdout(&output), shown, "{}", stderr(&output));
}

/// The name of a kernel, and a folder with a recording of a path; `None` skips the test.
fn kernel_and_recording_or_skip(test: &str) -> Option<(String, tempfile::TempDir)> {
    let (kernel, folder) = (kernel_or_skip(test)?, folder());
    let rows: String = (0..120).map(|second| format!("{second},{},40\n", 4 + second / 10)).collect();
    fs::write(folder.path().join("path.csv"), format!("time_s,down_mbps,rtt_ms\n{rows}")).unwrap();
    Some((kernel, folder))
}

const ON_RECORDING: [&str; 9] =
    ["advise", "--from", "recording=path.csv", "--to", "lte", "--interruption", "50 ms", "--seeds", "2"];

fn answer(further: &[&str], folder: &Path) -> serde_json::Value {
    serde_json::from_str(&succeeds(&[&ON_RECORDING, further, &["--quiet", "--json"]].concat(), folder))
        .unwrap()
}

/// A recording begins at another place under each seed, over the kernel as in the simulation.
#[test]
fn runs_can_be_over_a_kernel() {
    let Some((kernel, folder)) = kernel_and_recording_or_skip("runs_can_be_over_a_kernel") else { return };
    // The file is there before the handover, so only staying is run.
    let asked = ["--file", "2 MB", "--at", "10 s"];
    let over_kernel = answer(&[&asked[..], &["--stack", &kernel]].concat(), folder.path());
    let simulated = answer(&[&asked[..], &["--no-check"]].concat(), folder.path());
    assert_eq!(
        (&over_kernel["stack"], &simulated["stack"]),
        (&kernel.as_str().into(), &serde_json::Value::Null)
    );
    assert_eq!((&over_kernel["runs"], &over_kernel["checked"]), (&2.into(), &serde_json::Value::Null));
    assert!(over_kernel["recordings"][0]["begins_within_s"].as_f64() > Some(10.0), "{over_kernel}");
    let [mean, width] = [&over_kernel, &simulated]
        .map(|answer| {
            let [mean, low, high] =
                ["mean", "low", "high"].map(|part| answer["stays"][part].as_f64().unwrap());
            [mean, high - low]
        })
        .into_iter()
        .reduce(|one, other| [one[0] / other[0], one[1] / other[1]])
        .unwrap();
    assert!((0.97..1.03).contains(&mean), "{mean}");
    assert!((0.8..1.25).contains(&width), "seeds differ by where they begin: {width}");

    let text =
        succeeds(&[&ON_RECORDING[..], &asked, &["--stack", &kernel, "--quiet"]].concat(), folder.path());
    assert_contains(&text, &[&format!("cubic, of {kernel}; "), &format!("--stack {kernel} --seeds 2")]);
    let both = [&ON_RECORDING[..], &asked, &["--stack", &kernel, "--profile", "rfc"]].concat();
    assert_contains(
        &refuses(&both, folder.path()),
        &["'--stack <STACK>' cannot be used with '--profile <NAME>'"],
    );
}

/// Every host without a scheme has the TCP of the kernel.
#[test]
#[ignore = "it takes minutes"]
fn a_whole_answer_over_a_kernel() {
    let Some((kernel, folder)) = kernel_and_recording_or_skip("a_whole_answer_over_a_kernel") else { return };
    let asked = ["--file", "100 kB", "--at", "20 ms"];
    let over_kernel = answer(&[&asked[..], &["--stack", &kernel]].concat(), folder.path());
    let simulated = answer(&[&asked[..], &["--no-check"]].concat(), folder.path());
    let [schemes, ours] = [&over_kernel, &simulated].map(|answer| answer["schemes"].as_array().unwrap());
    assert_eq!(schemes.len(), ours.len());
    for (scheme, ours) in schemes.iter().zip(ours) {
        let mean = |of: &serde_json::Value| of["outcome"]["mean"].as_f64().unwrap();
        let ratio = mean(scheme) / mean(ours);
        assert!((0.5..2.0).contains(&ratio), "{}: {ratio}", scheme["name"]);
    }
}

/// A capacity that rises and falls between 4 and 20 Mbit/s, for so many milliseconds.
fn drive(folder: &Path, length: u32) {
    let (mut credit, mut text) = (0, String::new());
    for time in 1..=length {
        let phase = time % 16_000;
        credit += 4000 + 2 * if phase < 8000 { phase } else { 16_000 - phase };
        while credit >= 12_000 {
            text += &format!("{time}\n");
            credit -= 12_000;
        }
    }
    fs::write(folder.join("drive.txt"), text).unwrap();
}

const ON: [&str; 11] = [
    "advise",
    "--on",
    "drive.txt",
    "--round-trip",
    "60 ms",
    "--loss",
    "0.5 %",
    "--horizon",
    "6 s",
    "--seeds",
    "5",
];

fn asked_on(further: &[&'static str]) -> Vec<&'static str> {
    ON.iter().chain(further).copied().collect()
}

#[test]
fn a_recording_is_answered_first_with_what_to_use() {
    let folder = folder();
    drive(folder.path(), 32_000);
    let text = succeeds(&asked_on(&[]), folder.path());
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("Use ") || first.starts_with("Leave it"), "{first}");
    assert_contains(
        &text,
        &["drive.txt read as mahimahi: 32 s, capacity 12.0 Mbit/s", "(mean of the recording"],
    );
    assert_contains(
        &text,
        &["60.0 ms (given by --round-trip)", "0.5 % (given by --loss)", "which help", "95 % RTT"],
    );
    assert_contains(
        &text,
        &[
            "which had no part in choosing",
            "\nReproduce: seamline advise --on drive.txt --round-trip '60 ms'",
        ],
    );
    assert_eq!(succeeds(&asked_on(&["--jobs", "1"]), folder.path()), text, "processors change nothing");
}

#[test]
fn the_answer_for_a_recording_as_json_csv_and_files() {
    let folder = folder();
    drive(folder.path(), 32_000);
    let text = succeeds(&asked_on(&["--json", "--out", "advice", "-q"]), folder.path());
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["path"]["rate"]["from"], "recording");
    assert_eq!(document["path"]["round_trip"], serde_json::json!({ "s": 0.06, "from": "option" }));
    let candidates = document["candidates"].as_array().unwrap();
    assert!(candidates.len() > 12, "{}", candidates.len());
    assert_eq!((&candidates[0]["name"], &candidates[0]["gain"]), (&"cubic".into(), &serde_json::Value::Null));
    let files = folder.path().join("advice");
    assert_eq!(fs::read_to_string(files.join("advice.json")).unwrap(), text);
    assert!(fs::read_to_string(files.join("advice.svg")).unwrap().starts_with("<svg"));
    succeeds(&["check", "advice/today.toml"], folder.path());
    if document["verdict"]["do"] != "leave-it" {
        succeeds(&["run", "advice/advised.toml", "--seeds", "1", "--table", "none"], folder.path());
    }
    let csv = succeeds(&asked_on(&["--format", "csv", "-q"]), folder.path());
    assert_eq!(csv.lines().count(), candidates.len() + 1);
    assert!(csv.starts_with("group,candidate,goodput_"), "{csv}");
}

#[test]
fn a_ping_needs_a_rate_and_links_need_no_recording() {
    let folder = folder();
    let line = |n: u32| format!("64 bytes from 192.0.2.1: icmp_seq={n} ttl=55 time={}.5 ms\n", 40 + n % 7);
    let ping: String = (1..=60).map(line).collect();
    fs::write(folder.path().join("ping.txt"), format!("PING a (192.0.2.1) 56(84) bytes of data.\n{ping}"))
        .unwrap();
    let error = refuses(&["advise", "--on", "ping.txt"], folder.path());
    assert_contains(
        &error,
        &["error: --on: ping.txt (ping: ", "has no capacity", "tip: add --rate \"20 Mbit/s\""],
    );
    let both = ["advise", "--on", "ping.txt", "--from", "lte"];
    assert_contains(&refuses(&both, folder.path()), &["cannot be used with"]);
    assert_contains(&refuses(&["advise", "--rate", "3 Mbit/s"], folder.path()), &["--on <RECORDING>"]);
    let from = [
        "advise",
        "--no-check",
        "--from",
        "recording=ping.txt, rate=5 Mbit/s",
        "--to",
        "wifi",
        "--interruption",
        "50 ms",
        "--file",
        "100 kB",
        "--seeds",
        "2",
    ];
    let output = seamline(&from, folder.path());
    assert_contains(stderr(&output), &["ping.txt read as ping", "its means are taken: round trip 43"]);
    assert_eq!(output.status.code(), Some(0));
}

/// The answer in the tutorial about recordings is what the command in it prints, to the byte.
#[test]
fn the_tutorial_on_recordings_shows_what_is_printed() {
    let folder = folder();
    drive(folder.path(), 60_000);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tutorials/own-recording.md");
    let page = fs::read_to_string(page).unwrap();
    let command = "seamline advise --on drive.txt --round-trip \"60 ms\" --loss \"0.1 %\" --horizon \"15 s\"";
    let (_, after) = page.split_once(command).expect("the command");
    let (_, shown) = after.split_once("```text\n").expect("its answer");
    let (shown, _) = shown.split_once("```\n").unwrap();
    let words =
        ["advise", "--on", "drive.txt", "--round-trip", "60 ms", "--loss", "0.1 %", "--horizon", "15 s"];
    assert_eq!(succeeds(&words, folder.path()), shown);
}
