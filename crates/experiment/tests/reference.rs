//! The key reference is valid and complete.

use seamline_experiment::{RunOptions, run};
use seamline_scenario::Plan;
use std::path::{Path, PathBuf};

fn reference() -> String {
    let page = include_str!("../../../scenarios/README.md");
    let (_, rest) = page.split_once("```toml\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

#[test]
fn the_reference_is_a_scenario_that_runs() {
    let overrides = ["duration=2 s", "seeds=1", "warm_up=0 s", "flow.download.stop=2 s"].map(str::to_owned);
    let plan = Plan::new(Path::new("reference.toml"), reference(), &overrides)
        .unwrap_or_else(|diagnostics| panic!("{}", diagnostics.render(false)));
    assert_eq!(plan.cells.len(), 4);
    let folder = tempfile::tempdir().unwrap();
    let here = Some(folder.path().to_owned());
    let options = RunOptions { pcapng: here.clone(), events: here, ..RunOptions::default() };
    let results = run(&plan, &options, &|| ()).unwrap();
    assert!(results.iter().all(|cell| cell.runs[0].flows.iter().all(|flow| flow.delivered_bytes > 0)));
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Every key that a schema file reads is on its page; keys for real hosts only are on the page about agents.
#[test]
fn every_key_is_named() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenario/src/schema");
    let scenarios = include_str!("../../../scenarios/README.md");
    let real_hosts = include_str!("../../../docs/agent.md");
    let mut keys = 0;
    for path in files(&folder) {
        let page = if path.ends_with("agent/real.rs") { real_hosts } else { scenarios };
        let source = std::fs::read_to_string(&path).unwrap();
        let asks = [
            "optional(\"",
            "required(\"",
            "or(\"",
            "choice(\"",
            "table(\"",
            "node(\"",
            "quantiles(reader, \"",
        ];
        for ask in asks {
            for rest in source.split(ask).skip(1) {
                let key = rest.split('"').next().unwrap();
                let named = page
                    .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
                    .any(|word| word == key);
                assert!(named, "`{key}` of {} is not in its page", path.display());
                keys += 1;
            }
        }
    }
    assert!(keys > 80, "{keys}");
}
