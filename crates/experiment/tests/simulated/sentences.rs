//! Names of results, their baselines, and the sentences about them.

use crate::support::{flow, link};
use seamline_experiment::record::{FlowRecord, HandoverRecord, IntervalRecord};
use seamline_experiment::summary::label;
use seamline_experiment::text::{interval_table, sentences, verdicts};
use seamline_experiment::{RunOptions, run, summarise};
use seamline_scenario::Plan;

fn plan(general: &str, grid: &str) -> Plan {
    let text = format!("duration = \"1 s\"\nnodes = [\"a\", \"b\"]\n{general}")
        + &link("wire", ["a", "b"], "rate = \"1 Mbit/s\"\none_way_delay = \"1 ms\"")
        + &flow("main", ["a", "b"], "variant = \"reno\"")
        + grid;
    crate::support::plan(&text, &[])
}

/// The sentences about a plan, and its lines of verdict.
fn sentences_and_verdicts(plan: &Plan) -> (Vec<String>, String) {
    let results = run(plan, &RunOptions::default(), &|| ()).unwrap();
    let summaries = summarise(plan, &results, None);
    (sentences(plan, &summaries), verdicts(plan, &summaries))
}

/// `handover` is a scheme of a flow, and a condition of a link.
#[test]
fn grid_cells_are_compared_under_the_same_link_conditions() {
    let grid = "
        [grid]
        flow.main.variant = ['reno', 'cubic']
        link.wire.handover = [{ at = '100 ms', interruption = '1 ms' }, { at = '200 ms', interruption = '9 ms' }]";
    let plan = plan("", grid);
    let results = run(&plan, &RunOptions::default(), &|| ()).unwrap();
    let summaries = summarise(&plan, &results, None);
    let against: Vec<Option<usize>> =
        summaries.iter().map(|summary| summary.against.as_ref().map(|against| against.cell)).collect();
    assert_eq!(against, [None, None, Some(0), Some(1)]);
    let label = label(&plan, 3);
    assert!(label.starts_with("cubic, link.wire.handover = {"), "{label}");
}

/// The label of a group has no dot, and names grid cells by its value alone if it is a scheme.
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

#[test]
fn a_run_with_zero_goodput_has_no_factor() {
    let grid = "[grid]\nlink.wire.one_way_delay = ['1 ms', '2 s']";
    for seeds in ["seeds = 1", "seeds = 2"] {
        let (sentences, verdicts) = sentences_and_verdicts(&plan(seeds, grid));
        let expected = "link.wire.one_way_delay = 2 s has no factor relative to link.wire.one_way_delay = 1 ms: \
                        the goodput of a run is zero.";
        assert_eq!(sentences, [expected]);
        assert!(verdicts.contains("no factor (the goodput of a run is zero)"), "{verdicts}");
    }
}

#[test]
fn different_seeds_are_not_reported_as_zero_goodput() {
    let (sentences, verdicts) = sentences_and_verdicts(&plan("", "[grid]\nseeds = [2, 3, 4]"));
    assert_eq!(sentences, ["seeds = 3, seeds = 4 have no factor relative to seeds = 2: their seeds differ."]);
    assert!(verdicts.contains("no factor (their seeds differ)") && !verdicts.contains("zero"), "{verdicts}");
}

/// A node may move on before it is reachable, and a run may end before.
#[test]
fn an_incomplete_handover_shows_what_ended_it() {
    let row = IntervalRecord {
        from_s: 0.0,
        to_s: 10.0,
        bytes: 1000,
        retransmissions: 0,
        timeouts: 0,
        congestion_window_segments: 2.0,
        smoothed_round_trip_ms: 5.0,
    };
    let met = |link: &str, start_s| HandoverRecord {
        link: link.to_owned(),
        start_s,
        interruption_ms: None,
        first_data_ms: None,
        recovery_ms: None,
        following_second_bytes: 0,
        stalled_bytes: 0,
        lost_packets: 0,
        movement_detected_ms: None,
        registered_ms: None,
    };
    let plan = plan("", "");
    let record = run(&plan, &RunOptions::default(), &|| ()).unwrap()[0].runs[0].flows[0].clone();
    let handovers = vec![met("phone", 1.0), met("laptop", 2.0), met("phone", 3.0)];
    let table = interval_table(&FlowRecord { handovers, intervals: vec![row], ..record }, true, usize::MAX);
    let lines: Vec<&str> =
        table.lines().filter_map(|line| line.split_once("handover of ")).map(|it| it.1).collect();
    let expected = [
        "phone at 1 s: unreachable until the next handover, not recovered",
        "laptop at 2 s: unreachable until the end, not recovered",
        "phone at 3 s: unreachable until the end, not recovered",
    ];
    assert_eq!(lines, expected);
}
