//! The pages of the reference about this command and its metrics.

mod monitoring;

use crate::Cli;
use clap::CommandFactory;
use seamline_bridge::metrics::Snapshot;
use seamline_bridge::{SplitCounters, SplitPaths};
use seamline_host::metrics::Process;
use seamline_mobile::{Agent, Settings};
use seamline_testing::{assert_current, commands};

#[test]
fn reference_of_the_commands_is_current() {
    let text = commands(&Cli::command());
    let intro = "# Commands of `seamline-host`\n\n`seamline-host COMMAND --help` says the same.\n";
    assert_current("docs/reference/commands-host.md", &format!("{intro}\n{}\n", text.trim_end()));
}

/// The text of each part for Prometheus.
struct Parts {
    agent: String,
    split: String,
    mobile: String,
    sender: String,
}

fn parts() -> Parts {
    let process = Process::default();
    Parts {
        agent: Snapshot::default().text(["wired0", "wireless0"], &process),
        split: SplitCounters::default().text(&SplitPaths::default(), &process),
        mobile: Agent::new(Settings::default(), false).metrics(&process),
        sender: seamline_sender::Counters::default().metrics(&process),
    }
}

#[test]
fn reference_of_the_metrics_is_current() {
    let Parts { agent, split, mobile, sender } = parts();
    let [agent, split, mobile, sender] = [agent, split, mobile, sender].map(|text| table(&text));
    let page = format!(
        "# Metrics\n\n`seamline-host agent`, `mobile` and `sender` export these with `--metrics` as \
         [Prometheus text](../how-to/agent-monitoring.md). A counter only grows. A gauge is a current value. A histogram counts times by their \
         length. The last line of an agent's log has its counters and gauges, too, without prefix and `_total`. With `--dry-run` the counters of \
         an agent are what it would have done.\n\n\
         ## Metrics of `agent snoop`, `agent eln-ack` and `agent obtcp`\n\nLabels: `interface` is its name; `side` is `wired` or `wireless`; \
         `direction` is that of the data, `to_wireless` or `to_wired`; `by` is `agent` or `sender`.\n\n{agent}\n\
         ## Metrics of `agent split`\n\n{split}\n\
         ## Metrics of `mobile`\n\n`link_up` has the label `interface`.\n\n{mobile}\n\
         ## Metrics of `sender`\n\n{sender}"
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
