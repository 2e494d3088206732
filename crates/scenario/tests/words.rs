//! What results are called, what they are compared with, and how that is put into words.

mod support;

use seamline_scenario::summary::label;
use seamline_scenario::{Plan, RunOptions, run, summarise};
use support::{flow, link};

fn plan(general: &str, grid: &str) -> Plan {
    let text = format!("duration = \"1 s\"\nnodes = [\"a\", \"b\"]\n{general}")
        + &link("wire", ["a", "b"], "rate = \"1 Mbit/s\"\none_way_delay = \"1 ms\"")
        + &flow("main", ["a", "b"], "variant = \"reno\"")
        + grid;
    support::plan(&text, &[])
}

/// `handover` is a scheme of a flow, and a condition of a link.
#[test]
fn cells_are_compared_under_the_same_conditions_of_the_link() {
    let grid = "
        [grid]
        flow.main.variant = ['reno', 'cubic']
        link.wire.handover = [{ at = '100 ms', interruption = '1 ms' }, { at = '200 ms', interruption = '9 ms' }]";
    let plan = plan("", grid);
    let results = run(&plan, &RunOptions::default(), &|| ()).unwrap();
    let summaries = summarise(&plan, &results);
    let against: Vec<Option<usize>> =
        summaries.iter().map(|summary| summary.against.as_ref().map(|against| against.cell)).collect();
    assert_eq!(against, [None, None, Some(0), Some(1)]);
    let label = label(&plan, 3);
    assert!(label.starts_with("cubic, link.wire.handover = {"), "{label}");
}

/// The label of a group is dotless, and calls cells by its value alone where it names schemes.
#[test]
fn the_label_of_a_group_names_schemes() {
    let grid = "
        [[grid.zip]]
        name = 'scheme'
        labels = ['plain', 'other']
        flow.main.variant = ['reno', 'cubic']";
    let plan = plan("", grid);
    assert_eq!([label(&plan, 0), label(&plan, 1)], ["plain", "other"]);
}
