//! The command after `Reproduce:`, pasted into a shell, gives the results that it stands below.

use crate::support::{assert_contains, folder, shell, stderr, stdout, succeeds};
use std::fs;
use std::path::Path;

/// What a shell needs quotes for is in the name of the file and in a value.
const FILE: &str = "my $own path.toml";
const SCENARIO: &str = r#"
title = "Two ways"
duration = "3 s"
seeds = 2
nodes = ["a", "b"]
link = [{ name = "wire", from = "a", to = "b", rate = "10 Mbit/s", one_way_delay = "20 ms", queue = { discipline = "drop-tail", limit = "40 packets" } }]
flow = [{ name = "main", from = "a", to = "b" }]
grid = { flow.main.variant = ["newreno", "sack"] }
"#;

/// Run a command, paste what it says reproduces its results, and compare; the command that it says.
fn assert_reproduces(arguments: &[&str], folder: &Path) -> String {
    let printed = succeeds(arguments, folder);
    let again = printed.lines().find_map(|line| line.strip_prefix("Reproduce: "));
    let again = again.unwrap_or_else(|| panic!("{arguments:?}: {printed}"));
    let output = shell(&format!("{again} --quiet"), folder);
    assert!(output.status.success(), "{again}\n{}", stderr(&output));
    assert_eq!(results(stdout(&output)), results(&printed), "{again}");
    again.to_owned()
}

/// What was printed, without the files that were written.
fn results(printed: &str) -> Vec<&str> {
    let lines = printed.lines().filter(|line| !line.is_empty() && *line != "Written:");
    lines.filter(|line| !line.starts_with("  out/") && !line.starts_with("  parts/")).collect()
}

#[test]
fn runs_and_sweeps() {
    let folder = folder();
    fs::write(folder.path().join(FILE), SCENARIO).unwrap();
    let loss = r#"link.wire.down={ loss = { model = "bernoulli", probability = "1 %" } }"#;
    let few = ["--seeds", "3", "--baseline", "flow.main.variant=sack", "--quiet"];
    let run = [&["run", FILE, "--set", loss, "--report", "out"][..], &few].concat();
    let again = assert_reproduces(&run, folder.path());
    assert_contains(&again, &["'my $own path.toml'", "--seeds 3", "--baseline", "'link.wire.down="]);

    let sweep = [&["sweep", FILE, "--set", loss, "--out", "the parts"][..], &few].concat();
    let again = assert_reproduces(&sweep, folder.path());
    assert_contains(&again, &["--out 'the parts'"]);
    fs::remove_dir_all(folder.path().join("the parts")).unwrap();
    let afresh = shell(&format!("{again} --quiet"), folder.path());
    assert!(afresh.status.success(), "{}", stderr(&afresh));
    assert_eq!(stdout(&afresh), succeeds(&sweep, folder.path()), "what is stored, and what runs again");
}

#[test]
fn advice() {
    let folder = folder();
    let links = ["--from", "lte, loss=0.5 %", "--to", "wifi", "--interruption", "0.3 s", "--stay", "4 s"];
    let more = ["--file", "300 kB", "--upload", "--seeds", "2", "--quiet", "--no-check"];
    let again = assert_reproduces(&[&["advise"][..], &links, &more].concat(), folder.path());
    assert_contains(&again, &["--from 'lte, loss=0.5 %'", "--upload", "--seeds 2"]);
}

#[test]
fn papers() {
    let folder = folder();
    let short = ["paper", "X", "--seeds", "2", "--duration", "130 s", "--no-readings", "--quiet"];
    let again = assert_reproduces(&[&short[..], &["--out", "the paper"]].concat(), folder.path());
    assert_contains(&again, &["--duration '130 s'", "--out 'the paper'"]);
}
