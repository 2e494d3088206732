//! The document with most keys runs.

use seamline_experiment::{RunOptions, run};
use seamline_scenario::Plan;
use std::path::Path;

#[test]
fn the_document_with_most_keys_runs() {
    let overrides = ["duration=2 s", "seeds=1", "warm_up=0 s", "flow.download.stop=2 s"].map(str::to_owned);
    let text = include_str!("../../scenario/tests/every_key.toml").to_owned();
    let plan = Plan::new(Path::new("every_key.toml"), text, &overrides)
        .unwrap_or_else(|diagnostics| panic!("{}", diagnostics.render(false)));
    assert_eq!(plan.cells.len(), 4);
    let folder = tempfile::tempdir().unwrap();
    let here = Some(folder.path().to_owned());
    let mut options = RunOptions::default();
    options.folders().into_iter().for_each(|(_, folder)| folder.clone_from(&here));
    let results = run(&plan, &options, &|| ()).unwrap();
    assert!(results.iter().all(|cell| cell.runs[0].flows.iter().all(|flow| flow.delivered_bytes > 0)));
}
