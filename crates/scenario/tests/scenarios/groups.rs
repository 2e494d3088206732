//! How many nodes groups may bring, and what they and the links to them may be called.

use crate::support::{flow, link, plan};
use seamline_scenario::Plan;

const KEYS: &str = "rate = \"1 Mbit/s\"\none_way_delay = \"5 ms\"";

/// A hub, groups of so many nodes, and a flow from the hub to the first of them.
fn groups(named: &[String], groups: &[(&str, u32)], links: &[(&str, &str)]) -> String {
    let mut text = format!("duration = \"5 s\"\nnodes = {named:?}\n");
    for (name, count) in groups {
        text += &format!("\n[[group]]\nname = \"{name}\"\ncount = {count}\n");
    }
    links.iter().for_each(|(name, to)| text += &link(name, ["hub", to], KEYS));
    let (_, first) = links[0];
    text + &flow("main", ["hub", first], "variant = \"reno\"")
}

fn refused(text: String) -> String {
    Plan::new("test.toml".as_ref(), text, &[]).expect_err("a bad scenario passed").render(false)
}

fn hub() -> Vec<String> {
    vec!["hub".to_owned()]
}

#[test]
fn as_many_nodes_as_fit_and_one_more() {
    let links = [("out", "far")];
    let fits = plan(&groups(&hub(), &[("far", 10_000), ("near", 9_999)], &links), &[]);
    assert_eq!(fits.cells[0].scenario.nodes.len(), 20_000);
    let message = refused(groups(&hub(), &[("far", 10_000), ("near", 10_000)], &links));
    assert!(message.contains("error[SL013]: invalid `count` in group \"near\""), "{message}");
    assert!(
        message.contains("test.toml:10:9") && message.contains("that makes 20001 nodes; at most 20000 fit"),
        "{message}"
    );
    assert!(message.contains("1 error;"), "{message}");
}

#[test]
fn nodes_by_name_are_bounded_too() {
    let named: Vec<String> =
        hub().into_iter().chain((1..=20_000).map(|number| format!("n{number}"))).collect();
    let message = refused(groups(&named, &[], &[("out", "n1")]));
    assert!(message.contains("error[SL013]: invalid `nodes` in the scenario"), "{message}");
    assert!(message.contains("that makes 20001 nodes") && message.contains("1 error;"), "{message}");
}

/// What only looks alike: no node, link or record has the name of another.
#[test]
fn numbered_names_that_are_unique_are_accepted() {
    let links = [("seat", "x"), ("seat-3", "x-3"), ("seat-1-1", "x-3-2")];
    let plan = plan(&groups(&hub(), &[("x", 2), ("x-3", 2)], &links), &[]);
    let links = &plan.cells[0].scenario.links;
    let names: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["seat-1", "seat-2", "seat-3-1", "seat-3-2", "seat-1-1"]);
}

/// In whichever order the file has them.
#[test]
fn a_name_of_a_group_is_no_name_of_a_member() {
    for order in [[("x", 1), ("x-1", 2)], [("x-1", 2), ("x", 1)]] {
        let message = refused(groups(&hub(), &order, &[("out", "x")]));
        assert!(
            message.contains("error[SL007]: invalid `name` in group")
                && message.contains("is called \"x-1\""),
            "{message}"
        );
    }
}

#[test]
fn two_links_never_have_one_name() {
    for order in [[("seat", "x"), ("seat-1", "hob")], [("seat-1", "hob"), ("seat", "x")]] {
        let named = [hub(), vec!["hob".to_owned()]].concat();
        let message = refused(groups(&named, &[("x", 2)], &order));
        assert!(
            message.contains("error[SL007]: invalid `name` in link")
                && message.contains("is called \"seat-1\""),
            "{message}"
        );
        assert!(message.contains("1 error;"), "{message}");
    }
}
