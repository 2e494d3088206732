use super::{Difference, judge, of_kernel, read};
use crate::parity::compare::{Cell, Comparison, Mark, Row, ScenarioParity};
use crate::parity::quantity::Quantity;

const KNOWN: &str = r#"
[[difference]]
between = "kernel-by-ours"
direction = "more"
scenarios = ["one"]
cells = ["cubic"]
quantities = ["goodput"]
why = "It does."
"#;

fn known() -> Vec<Difference> {
    read(KNOWN).expect("it is well formed")
}

/// A scenario in which the kernel's goodput in a cell is judged so.
fn scenario(name: &str, cell: &str, mark: Mark, more: bool) -> ScenarioParity {
    let same = Comparison { ratio: None, mark: Mark::Within, more: false };
    let row = Row {
        name: "goodput".to_owned(),
        quantity: Quantity::Goodput,
        values: [None; 3],
        comparisons: [same, Comparison { ratio: None, mark, more }],
    };
    let cells = vec![Cell { name: cell.to_owned(), rows: vec![row] }];
    ScenarioParity { name: name.to_owned(), title: String::new(), cells, repeated: 0, left_out: Vec::new() }
}

#[test]
fn a_difference_is_explained_only_where_the_explanation_applies() {
    let unexplained = |scenario| judge(known(), &[scenario], true).unexplained().count();
    assert_eq!(unexplained(scenario("one", "cubic, 1 s", Mark::Beyond, true)), 0);
    assert_eq!(unexplained(scenario("two", "cubic, 1 s", Mark::Beyond, true)), 1);
    assert_eq!(unexplained(scenario("one", "sack, 1 s", Mark::Beyond, true)), 1);
    assert_eq!(unexplained(scenario("one", "cubic, 1 s", Mark::Beyond, false)), 1);
    assert_eq!(unexplained(scenario("one", "sack, 1 s", Mark::Undecided, true)), 0);
}

#[test]
fn an_explanation_without_its_difference_is_stale_where_everything_was_run() {
    let stale = |scenario, are_whole| judge(known(), &[scenario], are_whole).stale;
    assert_eq!(stale(scenario("one", "cubic", Mark::Within, true), true), [0]);
    assert_eq!(stale(scenario("one", "cubic", Mark::Within, true), false), Vec::<usize>::new());
    assert_eq!(stale(scenario("one", "cubic", Mark::Beyond, true), true), Vec::<usize>::new());
    assert_eq!(stale(scenario("two", "cubic", Mark::Within, true), true), Vec::<usize>::new());
}

#[test]
fn what_is_misspelt_is_refused() {
    let error = read(&KNOWN.replace("why", "wy")).expect_err("there is no such key");
    assert!(error.contains("wy"), "{error}");
    assert!(read(&KNOWN.replace("goodput", "badput")).is_err());
}

#[test]
fn the_bundled_file_can_be_read_and_names_bundled_scenarios() {
    let names: Vec<&str> = crate::parity::suite::ALL.iter().map(|bundled| bundled.name).collect();
    for difference in read(crate::parity::suite::DIFFERENCES).expect("it is well formed") {
        let strange: Vec<_> =
            difference.scenarios.iter().filter(|name| !names.contains(&name.as_str())).collect();
        assert!(strange.is_empty(), "no scenario is called {strange:?}");
    }
}

#[test]
fn an_explanation_applies_to_the_releases_that_it_names() {
    let text = format!("{KNOWN}kernels = [\"6.1\", \"7.3\"]\n");
    let count = |release| of_kernel(read(&text).expect("it is well formed"), release).len();
    assert_eq!(["6.1.192", "7.3.4", "6.12.117", "6.2"].map(count), [1, 1, 0, 0]);
    assert_eq!(of_kernel(known(), "6.12.117").len(), 1);
}
