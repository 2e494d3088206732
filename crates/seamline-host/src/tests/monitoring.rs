//! The dashboard and the alert rules of `packaging/monitoring` fit the metrics that live parts export, and Prometheus' own tool accepts all.

use super::{Parts, parts};
use seamline_host::metrics::samples;
use seamline_testing::skip;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/monitoring")
}

fn text(name: &str) -> String {
    let path = folder().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn dashboard() -> Value {
    serde_json::from_str(&text("seamline-dashboard.json")).unwrap()
}

fn panels(dashboard: &Value) -> &[Value] {
    dashboard["panels"].as_array().unwrap()
}

fn expressions(dashboard: &Value) -> Vec<&str> {
    let targets = panels(dashboard).iter().filter_map(|panel| panel["targets"].as_array()).flatten();
    targets.map(|target| target["expr"].as_str().unwrap()).collect()
}

/// Words in a text that begin like a metric of Seamline.
fn metrics_in(text: &str) -> BTreeSet<&str> {
    let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
    words.filter(|word| ["agent_", "mobile_", "sender_"].iter().any(|part| is_of(word, part))).collect()
}

fn is_of(word: &str, part: &str) -> bool {
    word.strip_prefix("seamline_").is_some_and(|rest| rest.starts_with(part))
}

#[test]
fn every_metric_of_the_dashboard_and_of_the_rules_is_exported() {
    let Parts { agent, split, mobile, sender } = parts();
    let exported = samples(&(agent + &split + &mobile + &sender)).unwrap();
    // A host without links exports no sample of theirs.
    let mut known: BTreeSet<&str> = exported.iter().map(|it| it.name.as_str()).collect();
    known.insert("seamline_mobile_link_up");
    let (rules, test, dashboard) =
        (text("seamline-alerts.yml"), text("seamline-alerts.test.yml"), dashboard());
    let shown = expressions(&dashboard).join("\n");
    for (name, text, least) in [("rules", &rules, 15), ("test", &test, 15), ("dashboard", &shown, 35)] {
        let named = metrics_in(text);
        let unknown: Vec<&&str> = named.difference(&known).collect();
        assert!(unknown.is_empty(), "{name}: {unknown:?}");
        assert!(named.len() >= least, "{name}: {named:?}");
    }
}

#[test]
fn every_alert_lasts_and_says_what_to_do_and_has_a_test() {
    let (rules, test) = (text("seamline-alerts.yml"), text("seamline-alerts.test.yml"));
    let alerts: Vec<&str> = rules.split("- alert: ").skip(1).collect();
    assert!(alerts.len() >= 10);
    for alert in alerts {
        let name = alert.lines().next().unwrap();
        for key in ["for: ", "severity: ", "summary: ", "description: ", "action: "] {
            assert!(alert.lines().any(|line| line.trim_start().starts_with(key)), "{name} has no {key}");
        }
        assert!(test.contains(&format!("alertname=\"{name}\"")), "{name} is not tested to fire");
        assert!(test.contains(&format!("alertname: {name}, eval_time")), "{name} is not tested to be silent");
    }
}

#[test]
fn panels_of_the_dashboard_are_apart_and_say_what_they_show() {
    let dashboard = dashboard();
    let number = |value: &Value| value.as_u64().unwrap();
    let (mut ids, mut places) = (BTreeSet::new(), BTreeSet::new());
    for panel in panels(&dashboard) {
        assert!(ids.insert(number(&panel["id"])), "{panel}");
        let place = &panel["gridPos"];
        for x in number(&place["x"])..number(&place["x"]) + number(&place["w"]) {
            for y in number(&place["y"])..number(&place["y"]) + number(&place["h"]) {
                assert!(x < 24 && places.insert((x, y)), "{} overlaps another", panel["title"]);
            }
        }
        let is_row = panel["type"] == "row";
        assert!(is_row || panel["description"].as_str().is_some_and(|text| text.ends_with('.')), "{panel}");
        assert!(is_row || panel["datasource"]["uid"] == "${datasource}", "{panel}");
    }
}

/// What Prometheus' tool prints on standard error or output; an error if it refuses. `None` where it is not installed.
fn promtool(arguments: &[&str], input: &str) -> Option<Result<String, String>> {
    let mut command = Command::new("promtool");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    Some(if output.status.success() { Ok(text) } else { Err(text) })
}

#[test]
fn prometheus_accepts_metrics_rules_and_the_expressions_of_the_dashboard() {
    let name = "prometheus_accepts_metrics_rules_and_the_expressions_of_the_dashboard";
    let run = |arguments: &[&str], input: &str| match promtool(arguments, input) {
        None => false,
        Some(outcome) => {
            outcome.unwrap_or_else(|why| panic!("{arguments:?}: {why}"));
            true
        }
    };
    let path = |name: &str| folder().join(name).display().to_string();
    if !run(&["check", "rules", &path("seamline-alerts.yml")], "") {
        return skip(name, "it takes promtool: apt install prometheus");
    }
    run(&["test", "rules", &path("seamline-alerts.test.yml")], "");
    let Parts { agent, split, mobile, sender } = parts();
    [agent, split, mobile, sender].iter().for_each(|text| assert!(run(&["check", "metrics"], text)));
    let dashboard = dashboard();
    let rules: String = expressions(&dashboard)
        .iter()
        .enumerate()
        .map(|(number, expression)| {
            let expression = expression.replace("$__rate_interval", "5m").replace("$instance", ".*");
            format!("      - record: panel_{number}\n        expr: {}\n", Value::from(expression))
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("panels.yml");
    fs::write(&file, format!("groups:\n  - name: panels\n    rules:\n{rules}")).unwrap();
    run(&["check", "rules", file.to_str().unwrap()], "");
    let broken = "groups:\n  - name: a\n    rules:\n      - record: b\n        expr: sum(\n";
    fs::write(&file, broken).unwrap();
    assert!(promtool(&["check", "rules", file.to_str().unwrap()], "").unwrap().is_err());
}
