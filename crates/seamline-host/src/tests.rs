//! The pages of the reference about this command and its metrics.

use crate::Cli;
use clap::CommandFactory;
use seamline_bridge::SplitCounters;
use seamline_bridge::metrics::Snapshot;
use seamline_testing::{assert_current, commands};

#[test]
fn reference_of_the_commands_is_current() {
    let text = commands(&Cli::command());
    let intro = "# Commands of `seamline-host`\n\n`seamline-host COMMAND --help` says the same.\n";
    assert_current("docs/reference/commands-host.md", &format!("{intro}\n{}\n", text.trim_end()));
}

#[test]
fn reference_of_the_metrics_is_current() {
    let agent = table(&Snapshot::default().text(["wired0", "wireless0"]));
    let split = table(&SplitCounters::default().text());
    let page = format!(
        "# Metrics\n\n`seamline-host agent --metrics` exports these as [Prometheus text](../how-to/agent-monitoring.md). A counter only \
         grows. A gauge is a current value. The last line of the log has the same values, without prefix and `_total`. With `--dry-run` \
         they count what the agent would have done.\n\n\
         ## Metrics of `agent snoop`, `agent eln-ack` and `agent obtcp`\n\nNames with `interface` have a label of that name.\n\n{agent}\n\
         ## Metrics of `agent split`\n\n{split}"
    );
    assert_current("docs/reference/metrics.md", &page);
}

/// A row for each metric of a text for Prometheus.
fn table(text: &str) -> String {
    let mut rows = "| metric | type | meaning |\n|---|---|---|\n".to_owned();
    let mut meaning = "";
    for line in text.lines() {
        if let Some((_, help)) = line.strip_prefix("# HELP ").and_then(|line| line.split_once(' ')) {
            meaning = help.trim_end_matches('.');
        } else if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|line| line.split_once(' '))
        {
            rows += &format!("| `{name}` | {kind} | {meaning} |\n");
        }
    }
    rows
}
