//! The cells of a grid: how many, in which order, and what `--set` does to them.

use crate::support::{self, flow, link};
use seamline_scenario::schema::loss::LossModel;
use seamline_scenario::{Parts, Plan};
use std::path::Path;
use std::sync::Arc;

fn with(grid: &str) -> String {
    "duration = \"1 s\"\nnodes = [\"a\", \"b\"]".to_owned()
        + &link("wire", ["a", "b"], "rate = \"1 Mbit/s\"\none_way_delay = \"1 ms\"")
        + &flow("main", ["a", "b"], "variant = \"reno\"")
        + grid
}

fn plan(grid: &str, overrides: &[&str]) -> Plan {
    support::plan(&with(grid), overrides)
}

fn values(plan: &Plan) -> Vec<String> {
    let cell = |cell: &seamline_scenario::Cell| {
        let values: Vec<String> = cell.values.iter().map(|(_, value)| value.to_string()).collect();
        values.join(" ")
    };
    plan.cells.iter().map(cell).collect()
}

#[test]
fn no_grid_is_one_cell() {
    assert_eq!(values(&plan("", &[])), [""]);
}

#[test]
fn axes_multiply_and_the_last_varies_fastest() {
    let grid = "[grid]\nflow.main.variant = ['reno', 'cubic']\nlink.wire.rate = ['1 Mbit/s', '2 Mbit/s', '3 Mbit/s']";
    let cells = values(&plan(grid, &[]));
    assert_eq!(cells.len(), 6);
    assert_eq!(&cells[..4], ["reno 1 Mbit/s", "reno 2 Mbit/s", "reno 3 Mbit/s", "cubic 1 Mbit/s"]);
}

#[test]
fn spaces_around_what_set_sets_mean_nothing() {
    for text in ["flow.main.variant=cubic", "flow.main.variant = \"cubic\"", " flow.main.variant= cubic "] {
        assert_eq!(plan("", &[text]).cells[0].scenario.flows[0].variant_name, "cubic", "{text}");
    }
}

#[test]
fn quoted_and_bare_keys_are_the_same() {
    let bare = plan("[grid]\nlink.wire.rate = ['1 Mbit/s']", &[]);
    let quoted = plan("[grid]\n'link.wire.rate' = ['1 Mbit/s']", &[]);
    assert_eq!(bare.cells[0].values[0].0, quoted.cells[0].values[0].0);
}

#[test]
fn keys_of_a_zip_group_vary_together_and_groups_multiply() {
    let grid = "
        [grid]
        flow.main.variant = ['reno', 'cubic', 'vegas']
        [[grid.zip]]
        link.wire.rate = ['1 Mbit/s', '2 Mbit/s']
        link.wire.one_way_delay = ['10 ms', '20 ms']
        [[grid.zip]]
        duration = ['1 s', '2 s']
        warm_up = ['0 s', '1 s']";
    let cells = values(&plan(grid, &[]));
    assert_eq!(cells.len(), 3 * 2 * 2);
    assert!(cells.iter().all(|cell| cell.contains("1 Mbit/s 10 ms") || cell.contains("2 Mbit/s 20 ms")));
    assert!(cells.contains(&"vegas 2 Mbit/s 20 ms 2 s 1 s".to_owned()));
}

#[test]
fn cells_hold_what_the_grid_sets() {
    let plan = plan("[grid]\nlink.wire.rate = ['1 Mbit/s', '2 Mbit/s']", &[]);
    let rates: Vec<u64> =
        plan.cells.iter().map(|cell| cell.scenario.links[0].down.rate.bits_per_second()).collect();
    assert_eq!(rates, [1_000_000, 2_000_000]);
}

#[test]
fn a_key_that_is_set_does_not_vary_any_more() {
    let grid = "[grid]\nflow.main.variant = ['reno', 'cubic']\nlink.wire.rate = ['1 Mbit/s', '2 Mbit/s']";
    let plan = plan(grid, &["flow.main.variant=vegas", "link.wire.one_way_delay=\"7 ms\"", "seeds=4"]);
    assert_eq!(plan.cells.len(), 2);
    assert_eq!(plan.runs(), 8);
    assert!(plan.cells.iter().all(|cell| cell.scenario.flows[0].variant_name == "vegas"));
    assert!(plan.cells.iter().all(|cell| cell.scenario.links[0].up.one_way_delay.as_millis() == 7));
}

#[test]
fn an_axis_can_be_given_other_values() {
    let grid = "[grid]\nflow.main.variant = ['reno', 'cubic']";
    assert_eq!(values(&plan(grid, &["grid.flow.main.variant=['vegas']"])), ["vegas"]);
}

#[test]
fn a_grid_too_large_is_refused() {
    let list = format!("[{}]", vec!["1"; 400].join(","));
    let text = with(&format!("[grid]\nseeds = {list}\nflow.main.count = {list}"));
    let diagnostics = Plan::new(Path::new("grid.toml"), text, &[]).unwrap_err();
    assert!(diagnostics.render(false).contains("160000 cells"));
}

const LABELLED: &str = "
    [[grid.zip]]
    name = 'scheme'
    labels = ['plain', 'other']
    flow.main.variant = ['reno', 'cubic']";

#[test]
fn labels_go_with_the_last_key_that_they_stand_for() {
    assert_eq!(values(&plan(LABELLED, &[])), ["plain", "other"]);
    assert_eq!(values(&plan(LABELLED, &["flow.main.variant=vegas"])), [""]);
    assert_eq!(values(&plan(LABELLED, &["grid.flow.main.variant=['vegas', 'sack']"])), ["vegas", "sack"]);
    let two = format!("{LABELLED}\n link.wire.rate = ['1 Mbit/s', '2 Mbit/s']");
    assert_eq!(values(&plan(&two, &["flow.main.variant=vegas"])), ["plain", "other"]);
}

#[test]
fn a_loss_trace_is_read_once_for_all_cells() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fates.txt");
    std::fs::write(&path, "0001\n0100\n").unwrap();
    let loss = format!("link.wire.loss={{ model = \"trace\", file = {path:?} }}");
    let plan = plan("[grid]\nflow.main.variant = ['reno', 'cubic']", &[&loss]);
    let traces: Vec<&Arc<[bool]>> = plan
        .cells
        .iter()
        .flat_map(|cell| [&cell.scenario.links[0].down, &cell.scenario.links[0].up])
        .map(|direction| match &direction.loss[0].model {
            LossModel::Trace(fates) => fates,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(traces.len(), 4);
    assert_eq!(traces[0][..], [false, false, false, true, false, true, false, false]);
    assert!(traces.iter().all(|trace| Arc::ptr_eq(trace, traces[0])));
}

/// Where asked for, combinations that do not go together are left out and named with the reason; whatever else is wrong stays wrong, and
/// a grid with nothing else in it is refused as ever.
#[test]
fn refused_combinations_can_be_left_out() {
    let without_refused = |grid: &str| Plan::without_refused(Path::new("grid.toml"), with(grid), &[]);
    let pairs = "[grid]\nflow.main.congestion_control = ['reno', 'vegas']\nflow.main.recovery = ['sack', 'vegas-fine']\n";
    let text = |grid: &str| with(grid).replace("variant = \"reno\"", "");
    let plan = Plan::without_refused(Path::new("grid.toml"), text(pairs), &[]).expect("the others run");
    let refused: Vec<(String, &[String])> = plan
        .refused
        .iter()
        .map(|cell| (cell.values.iter().map(|(_, value)| format!("{value} ")).collect(), &cell.reasons[..]))
        .collect();
    assert_eq!(refused.len() + plan.cells.len(), 4);
    let (pair, reasons) = &refused[refused.len() - 1];
    assert_eq!(pair, "vegas sack ");
    assert!(reasons[0].contains("Vegas reduces its window by its own rule"), "{reasons:?}");
    assert!(Plan::new(Path::new("grid.toml"), text(pairs), &[]).is_err());
    let alone = "[grid]\nflow.main.congestion_control = ['vegas']\nflow.main.recovery = ['sack']\n";
    assert!(Plan::without_refused(Path::new("grid.toml"), text(alone), &[]).is_err());
    let unknown = "[grid]\nflow.main.variant = ['reno', 'rhino']\n";
    assert!(without_refused(unknown).is_err());
    assert!(plan_is_whole(
        &without_refused("[grid]\nflow.main.variant = ['reno', 'cubic']\n").expect("valid")
    ));
}

fn plan_is_whole(plan: &Plan) -> bool {
    plan.refused.is_empty() && plan.cells.len() == 2
}

/// Of each grid cell: the keys that do not apply to the TCP of a kernel. `None` when the plan is rejected because of them.
fn unused(keys: &str, overrides: &[&str]) -> Option<Vec<Vec<String>>> {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    match Plan::new(Path::new("test.toml"), with(keys), &overrides) {
        Ok(plan) => {
            let keys = |cell: &seamline_scenario::Cell| {
                cell.scenario.unused.iter().map(|it| it.key.clone()).collect()
            };
            Some(plan.cells.iter().map(keys).collect())
        }
        Err(diagnostics) => {
            let message = diagnostics.render(false);
            assert!(message.contains("a parameter of Seamline's TCP"), "{message}");
            None
        }
    }
}

#[test]
fn parameters_of_our_tcp_need_a_grid_cell_with_it() {
    let key = "tcp = { minimum_rto = '200 ms', segment_size = '1400 bytes' }\n";
    let both = [vec![], vec!["tcp.minimum_rto".to_owned()]];
    let grid = |stacks: &str| format!("{key}[grid]\nstack = {stacks}");
    assert_eq!(unused(&grid("['seamline', 'linux-6.12']"), &[]).unwrap(), both);
    assert_eq!(unused(&grid("['linux-6.1', 'linux-6.12']"), &[]), None);
    assert_eq!(unused(key, &["grid.stack=['seamline', 'linux-6.12']"]).unwrap(), both);
    // The file has it for our TCP.
    assert_eq!(unused(key, &["stack=linux-6.12"]).unwrap(), both[1..]);
    assert_eq!(unused("", &["stack=linux-6.12", "flow.main.tcp.nagle=false"]), None);
    assert_eq!(unused("stack = 'linux-6.12'", &["grid.flow.main.profile=['rfc', 'linux']"]), None);
    assert_eq!(
        unused("tcp = { segment_size = '1400 bytes' }\nstack = 'linux-6.12'", &[]).unwrap(),
        both[..1]
    );
}

fn parts(grid: &str, most: usize) -> Result<Parts<'static>, String> {
    let parts = Parts::new(Path::new("test.toml"), with(grid), &[], most, &mut |_| {});
    parts.map_err(|diagnostics| diagnostics.render(false))
}

#[test]
fn parts_have_the_cells_of_the_plan_in_order() {
    let grid = "[grid]\nflow.main.variant = ['reno', 'cubic']\nlink.wire.rate = ['1 Mbit/s', '2 Mbit/s', '3 Mbit/s', '4 Mbit/s', '5 Mbit/s']\n\
                seeds = [[1], [2, 3]]";
    let whole = plan(grid, &[]);
    for (most, sizes) in
        [(1, vec![1; 20]), (6, vec![6, 6, 6, 2]), (10, vec![10, 10]), (20, vec![20]), (99, vec![20])]
    {
        let parts = parts(grid, most).unwrap();
        let plans: Vec<_> = parts.ranges().map(|cells| parts.part(cells)).collect();
        let of_parts: Vec<usize> = plans.iter().map(|plan| plan.cells.len()).collect();
        assert_eq!(of_parts, sizes);
        assert_eq!(parts.single().is_some(), sizes.len() == 1);
        let cells = plans.iter().flat_map(|plan| &plan.cells);
        for (cell, expected) in cells.zip(&whole.cells) {
            assert_eq!(format!("{cell:?}"), format!("{expected:?}"));
        }
        let totals = parts.totals();
        assert_eq!((totals.cells.len(), totals.runs()), (20, 30));
        assert_eq!(totals.identity(), whole.identity());
        assert_eq!((plans[0].base.clone(), plans[0].axes.clone()), (whole.base.clone(), whole.axes.clone()));
    }
    assert_eq!(Parts::from(&whole).totals().identity(), whole.identity());
}

/// A mistake in one of the last cells, and a parameter that applies only there.
#[test]
fn what_is_wrong_in_a_later_part_is_found_at_once() {
    let wrong = "[grid]\nlink.wire.rate = ['1 Mbit/s', '2 Mbit/s', '3 Mbit/s', '4 Mbit']";
    assert_eq!(parts(wrong, 2).unwrap_err(), parts(wrong, 99).unwrap_err());
    assert!(parts(wrong, 2).unwrap_err().contains("4 Mbit"));
    let stacks = |list: &str| format!("[grid]\nflow.main.profile = ['rfc']\nflow.main.stack = [{list}]");
    let kernels = stacks("'linux-6.12', 'linux-7.3'");
    assert_eq!(parts(&kernels, 1).unwrap_err(), parts(&kernels, 99).unwrap_err());
    let with_ours = parts(&stacks("'linux-6.12', 'linux-7.3', 'seamline'"), 1).unwrap();
    let names: Vec<&String> = with_ours.totals().kernels.iter().collect();
    assert_eq!(names, ["linux-6.12", "linux-7.3"]);
}
