//! The document with most keys runs, and the page on real agents names their keys.

use seamline_agent::Parameters;
use seamline_scenario::keys::TableShape;
use seamline_scenario::schema::agent::{RealSplit, real_keys, real_split_keys};
use seamline_scenario::{Plan, RunOptions, run};
use std::path::Path;

#[test]
fn the_document_with_most_keys_runs() {
    let overrides = ["duration=2 s", "seeds=1", "warm_up=0 s", "flow.download.stop=2 s"].map(str::to_owned);
    let text = include_str!("every_key.toml").to_owned();
    let plan = Plan::new(Path::new("every_key.toml"), text, &overrides)
        .unwrap_or_else(|diagnostics| panic!("{}", diagnostics.render(false)));
    assert_eq!(plan.cells.len(), 4);
    let folder = tempfile::tempdir().unwrap();
    let here = Some(folder.path().to_owned());
    let options = RunOptions { pcapng: here.clone(), events: here, ..RunOptions::default() };
    let results = run(&plan, &options, &|| ()).unwrap();
    assert!(results.iter().all(|cell| cell.runs[0].flows.iter().all(|flow| flow.delivered_bytes > 0)));
}

/// The keys for real hosts alone stand in their own page; the others in the page of reference.
#[test]
fn every_key_for_real_hosts_is_named() {
    let pages =
        [include_str!("../../../docs/agent.md"), include_str!("../../../docs/reference/keys.md")].concat();
    let names = |word: &str| {
        pages.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|named| named == word)
    };
    let mut tables: Vec<TableShape> = vec![real_split_keys().describe(&mut RealSplit::default())];
    tables
        .extend(seamline_agent::ALL.iter().map(|kind| real_keys(kind).describe(&mut Parameters::default())));
    let mut seen = 0;
    while let Some(table) = tables.pop() {
        for key in table.keys {
            assert!(names(key.name), "`{}` is in neither page", key.name);
            tables.extend(key.takes.table().cloned());
            seen += 1;
        }
    }
    assert!(seen > 40, "{seen}");
}
