//! `stack`: flows with the TCP of a kernel in virtual time, in `run` and `sweep`.
#![cfg(target_os = "linux")]

use crate::support::{
    assert_contains, folder, kernel_or_skip, refuses, scenario, seamline, stderr, stdout, succeeds,
};
use serde_json::Value;
use std::path::Path;

/// A name under which no kernel is built.
const MISSING: &str = "linux-2.6";

const SCENARIO: &str = r#"
title = "Two flows"
duration = "5 s"
nodes = ["a", "b", "c", "d"]
seeds = 2

[[link]]
name = "left"
from = "a"
to = "b"
rate = "10 Mbit/s"
one_way_delay = "20 ms"
queue = { discipline = "drop-tail", limit = "40 packets" }

[[link]]
name = "middle"
from = "b"
to = "c"
rate = "100 Mbit/s"
one_way_delay = "1 ms"

[[link]]
name = "right"
from = "c"
to = "d"
rate = "10 Mbit/s"
one_way_delay = "10 ms"
loss = { model = "bernoulli", probability = "0.1 %" }

[[flow]]
name = "kernel"
from = "a"
to = "d"
variant = "cubic"

[[flow]]
name = "ours"
from = "b"
to = "c"
variant = "sack"
size = "2 MB"
"#;

/// A folder with the scenario, and the name of a kernel. `None`, having said so, where none is built.
fn place_or_skip(test: &str) -> Option<(tempfile::TempDir, String)> {
    kernel_or_skip(test).map(|kernel| (place(), kernel))
}

fn place() -> tempfile::TempDir {
    let folder = folder();
    std::fs::write(folder.path().join("two.toml"), SCENARIO).unwrap();
    folder
}

fn results(words: &[&str], folder: &Path) -> Value {
    serde_json::from_str(&succeeds(words, folder)).unwrap()
}

fn goodput(run: &Value, flow: usize) -> f64 {
    run["flows"][flow]["goodput_bits_per_second"].as_f64().unwrap() / 1e6
}

#[test]
fn a_kernel_and_our_tcp_share_a_network() {
    let Some((folder, kernel)) = place_or_skip("a_kernel_and_our_tcp_share_a_network") else { return };
    let stack = format!("flow.kernel.stack={kernel:?}");
    let words = ["run", "two.toml", "--set", &stack, "--set", "flow.kernel.variant=bbr", "--json", "--quiet"];
    let first = results(&words, folder.path());
    assert_eq!(first["cells"], results(&words, folder.path())["cells"]);
    let runs = first["cells"][0]["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    for run in runs {
        let emulation = &run["emulation"];
        let release = emulation["kernel"].as_str().unwrap();
        let version = kernel.strip_prefix("linux-").unwrap();
        assert!(release.starts_with(&format!("{version}.")), "{emulation}");
        assert_eq!(emulation["stacks"], serde_json::json!([["a", "linux"], ["d", "linux"]]));
        assert_eq!(
            (&emulation["lateness_max_us"], &emulation["lost_at_interfaces"]),
            (&0.0.into(), &0.into())
        );
        // BBR fills its link of 10 Mbit/s in spite of the losses; the other flow has 100 Mbit/s for its 2 MB.
        assert!((8.0..10.0).contains(&goodput(run, 0)), "{run}");
        assert!((0.16..0.5).contains(&run["flows"][1]["completion_s"].as_f64().unwrap()), "{run}");
    }
    assert_ne!(goodput(&runs[0], 0), goodput(&runs[1], 0), "seeds differ");
}

#[test]
fn a_grid_compares_stacks_and_leaves_ours_as_it_is() {
    let Some((folder, kernel)) = place_or_skip("a_grid_compares_stacks") else { return };
    let grid = format!("grid.stack=[\"seamline\", {kernel:?}]");
    let both = results(&["run", "two.toml", "--set", &grid, "--json", "--quiet"], folder.path());
    let ours = results(&["run", "two.toml", "--json", "--quiet"], folder.path());
    assert_eq!(both["cells"][0]["runs"], ours["cells"][0]["runs"]);
    let all = ["run", "two.toml", "--stack", &kernel, "--json", "--quiet"];
    assert_eq!(both["cells"][1]["runs"], results(&all, folder.path())["cells"][0]["runs"]);
    assert_ne!(both["cells"][0]["runs"], both["cells"][1]["runs"]);
}

#[test]
fn parameters_of_our_tcp_apply_to_our_tcp_only() {
    let Some((folder, kernel)) = place_or_skip("parameters_of_our_tcp_apply_to_our_tcp_only") else { return };
    let run = |more: &[&str]| {
        let grid = format!("grid.stack=[\"seamline\", {kernel:?}]");
        let words = [&["run", "two.toml", "--set", &grid, "--seeds", "1", "--json"], more].concat();
        let output = seamline(&words, folder.path());
        let document: Value = serde_json::from_str(stdout(&output)).unwrap();
        let runs = [0, 1].map(|cell| document["cells"][cell]["runs"][0]["flows"].clone());
        (runs, stderr(&output).to_owned())
    };
    let (plain, notes) = run(&[]);
    assert!(!notes.contains("do not apply"), "{notes}");
    let (limited, notes) = run(&["--set", "flow.kernel.tcp.window_limit=4"]);
    assert_contains(&notes, &["flow kernel has the TCP of", "do not apply: `tcp.window_limit`"]);
    assert_ne!(plain[0], limited[0]);
    assert_eq!(plain[1], limited[1]);
}

#[test]
fn settings_of_the_kernel_apply() {
    let Some((folder, kernel)) = place_or_skip("settings_of_the_kernel_apply") else { return };
    let run = |more: &[&str]| {
        let words =
            [&["run", "two.toml", "--stack", &kernel, "--seeds", "1", "--json", "--quiet"], more].concat();
        goodput(&results(&words, folder.path())["cells"][0]["runs"][0], 0)
    };
    // A window of about 4 KiB in a round trip of 63 ms.
    let narrow = run(&["--set", "sysctl=\"net.ipv4.tcp_rmem=4096 8192 8192\""]);
    assert!((0.2..1.2).contains(&narrow), "{narrow}");
    assert!(run(&[]) > 3.0);
    let unknown = ["run", "two.toml", "--stack", &kernel, "--set", "sysctl=\"net.ipv4.no_such=1\""];
    let failed = seamline(&unknown, folder.path());
    assert_eq!(failed.status.code(), Some(1));
    assert_contains(stderr(&failed), &["no_such"]);
}

#[test]
fn a_sweep_over_stacks_continues() {
    let Some((folder, kernel)) = place_or_skip("a_sweep_over_stacks_continues") else { return };
    let grid = format!("grid.stack=[\"seamline\", {kernel:?}]");
    let words = ["sweep", "two.toml", "--set", &grid, "--out", "out", "--json", "--quiet"];
    let shard = |shard| [&words[..], &["--shard", shard]].concat();
    succeeds(&shard("1/2"), folder.path());
    succeeds(&shard("2/2"), folder.path());
    let swept = results(&words, folder.path());
    let run = results(&["run", "two.toml", "--set", &grid, "--json", "--quiet"], folder.path());
    for cell in 0..2 {
        for seed in 0..2 {
            let of = |from: &Value| goodput(&from["cells"][cell]["runs"][seed], 0);
            assert_eq!(of(&swept), of(&run), "cell {cell}, seed {seed}");
        }
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = place();
    let refused = |more: &[&str], parts: &[&str]| {
        let words = [&["run", "two.toml"], more].concat();
        let output = refuses(&words, folder.path());
        assert_contains(&output, parts);
    };
    refused(&["--stack", MISSING], &["there is no kernel", "seamline kernel build 2.6"]);
    refused(
        &["--stack", MISSING, "--set", "flow.kernel.handover=ehn"],
        &["does not have the handover scheme ehn"],
    );
    refused(&["--stack", "6.12"], &["no name of a TCP stack"]);
    refused(&["--set", "flow.kernel.variant=htcp"], &["stack = \"linux-6.12\""]);
    refused(&["--set", "sysctl=vm.swappiness=1"], &["no setting of the kernel's network"]);
    let two = ["--set", "flow.kernel.stack=\"linux-2.6\"", "--set", "flow.ours.stack=\"linux-2.4\""];
    refused(&two, &["all kernels of a scenario are the same"]);
    let shared = ["--set", "flow.kernel.stack=\"linux-2.6\"", "--set", "flow.ours.from=a"];
    refused(&shared, &["a host has one TCP"]);
    let split = "agent=[{ name = \"pep\", kind = \"split\", link = \"middle\" }]";
    refused(&["--set", "flow.kernel.stack=\"linux-2.6\"", "--set", split], &["splits connections"]);
    let window = ["--stack", MISSING, "--set", "flow.kernel.tcp.window_limit=10"];
    refused(&window, &["invalid `tcp.window_limit` in flow \"kernel\"", "error[SL015]", "take it out"]);
}

/// Bundled scenarios with parts that the TCP of a kernel does not go with.
const NEED_OUR_TCP: [(&str, &str); 3] = [
    ("constellation", "splits connections"),
    ("handover", "handover scheme"),
    ("lossy-hop", "splits connections"),
];

/// Settings of scenarios that have hundreds of hosts otherwise: a guest has a network namespace for each.
const SMALLER: [(&str, &[&str]); 2] = [
    ("fleet", &["--set", "group.train.count=4", "--set", "group.coach.count=4"]),
    ("train", &["--set", "group.host.count=20"]),
];

/// The long run: `cargo test --release --test command -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes for each kernel"]
fn every_bundled_scenario_runs_over_every_kernel() {
    let folder = folder();
    let kernels = results(&["kernel", "list", "--json"], folder.path());
    let kernels: Vec<&str> =
        kernels["kernels"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert!(!kernels.is_empty(), "seamline kernel build 6.12");
    let scenarios = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios")).unwrap();
    let mut names: Vec<String> = scenarios
        .filter_map(|file| Some(file.unwrap().file_name().to_str()?.strip_suffix(".toml")?.to_owned()))
        .filter(|name| !name.ends_with(".differences"))
        .collect();
    names.sort();
    let demos = results(&["list", "demos", "--json"], folder.path());
    // A demonstration has a sample of the recordings that its scenario needs.
    let is_demo = |name: &str| demos.as_array().unwrap().iter().any(|it| it["name"] == name);
    for (kernel, name) in kernels.iter().flat_map(|kernel| names.iter().map(move |name| (kernel, name))) {
        let file = scenario(&format!("{name}.toml"));
        let what = if is_demo(name) { ["demo", name] } else { ["run", &file] };
        let mut words = [&what[..], &["--stack", kernel, "--seeds", "1", "--json", "--quiet"]].concat();
        words.extend(SMALLER.iter().filter(|(larger, _)| larger == name).flat_map(|(_, settings)| *settings));
        let reason = NEED_OUR_TCP.iter().find(|(refused, _)| refused == name);
        if let Some((_, reason)) = reason {
            assert_contains(&refuses(&words, folder.path()), &[reason]);
            println!("{kernel} {name}: needs our TCP ({reason})");
            continue;
        }
        let document = results(&words, folder.path());
        for cell in document["cells"].as_array().unwrap() {
            let run = &cell["runs"][0];
            let delivered: f64 = run["flows"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["delivered_bytes"].as_f64().unwrap())
                .sum();
            assert!(delivered > 0.0, "{kernel} {name} {}: {run}", cell["name"]);
            let emulation = &run["emulation"];
            assert_eq!(emulation["lateness_max_us"], 0.0, "{kernel} {name}: {emulation}");
        }
        println!("{kernel} {name}: {} grid cells", document["cells"].as_array().unwrap().len());
    }
}

/// A paper's schemes on networks of today, next to the TCP of a kernel where no scheme is needed.
#[test]
fn beyond_a_paper_the_kernel_runs_what_needs_no_scheme() {
    let test = "beyond_a_paper_the_kernel_runs_what_needs_no_scheme";
    let Some(kernel) = kernel_or_skip(test) else { return };
    let folder = folder();
    let run = |stack: &[&str]| {
        let words =
            ["paper", "X", "--seeds", "1", "--duration", "6 s", "--no-readings", "--beyond", "--out", "out"];
        let text = succeeds(&[&words[..], stack].concat(), folder.path());
        let found = std::fs::read_to_string(folder.path().join("out/beyond.json")).unwrap();
        (text, serde_json::from_str::<Value>(&found).unwrap())
    };
    let goodput = |found: &Value| {
        let rows =
            found["comparisons"].as_array().unwrap().iter().flat_map(|it| it["rows"].as_array().unwrap());
        rows.map(|row| {
            let goodput = row["goodput_megabits_per_second"]["mean"].as_f64().unwrap();
            (row["scheme"] == "none", goodput)
        })
        .collect::<Vec<_>>()
    };
    let (_, ours) = run(&[]);
    let (text, over_kernel) = run(&["--stack", &kernel]);
    assert_contains(&text, &[&format!("{kernel} ran 16 of the 48 grid cells")]);
    assert_eq!((&ours["over_kernel"], &over_kernel["over_kernel"]["cells"]), (&Value::Null, &16.into()));
    let (ours, over_kernel) = (goodput(&ours), goodput(&over_kernel));
    assert_eq!(ours.len(), 48);
    for ((has_no_scheme, ours), (_, kernels)) in ours.into_iter().zip(over_kernel) {
        assert!(has_no_scheme || ours == kernels, "schemes have our TCP: {ours} and {kernels}");
        // One second, in which slow start may not have ended.
        assert!((0.2..5.0).contains(&(kernels / ours)), "{ours} and {kernels}");
    }
    let runs = std::fs::read_to_string(folder.path().join("out/beyond/lte-wifi/runs.jsonl")).unwrap();
    let runs = runs.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let packets = runs.filter_map(|line| line["run"]["emulation"]["packets"].as_u64()).collect::<Vec<_>>();
    assert!(packets.len() == 4 && packets.iter().all(|packets| *packets > 1000), "{packets:?}");
    let missing = ["paper", "X", "--beyond", "--stack", MISSING, "--out", "other"];
    assert_contains(&refuses(&missing, folder.path()), &[MISSING, "kernel build"]);
}
