//! The table holds what the lines hold, read back through the library's reader.

#[path = "../../scenario/tests/support/mod.rs"]
mod support;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use seamline_experiment::record::{HandoverRecord, LinkRecord};
use seamline_experiment::report::provenance_of;
use seamline_results::sweep::Progress;
use seamline_results::{Line, SweepOptions, compact, sweep};
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::atomic::AtomicBool;
use support::{flow, link, plan};

struct Nobody;

impl Progress for Nobody {
    fn begins(&self, _: usize) {}
    fn finished_one(&self) {}
    fn note(&self, _: &str) {}
}

/// Two flows in opposite directions, four cells, two seeds of different lengths.
fn scenario() -> String {
    let keys = r#"
        rate = "5 Mbit/s"
        one_way_delay = "10 ms"
        loss = { model = "bernoulli", probability = "1 %" }
        handover = { at = "1 s", interruption = "50 ms" }
    "#;
    "duration = \"2 s\"\nseeds = [3, 18446744]\nnodes = [\"a\", \"b\"]".to_owned()
        + &link("wire", ["a", "b"], keys)
        + &flow("one", ["a", "b"], "size = \"100 kB\"")
        + &flow("two", ["b", "a"], "variant = \"cubic\"")
        + "[grid]\nflow.one.variant = [\"reno\", \"vegas\"]\nflow.two.count = [1, 2]"
}

#[test]
fn every_flow_of_every_run_is_a_row_with_its_values() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(&scenario(), &[]);
    let provenance = provenance_of(&plan, "seamline sweep test.toml".to_owned());
    let options = SweepOptions { out: folder.path().to_owned(), shard: None, add: false, only_flows: false };
    sweep(&plan, &provenance, &options, &AtomicBool::new(false), &Nobody).unwrap();
    let (path, count) = compact(folder.path()).unwrap();
    assert_eq!(count, 2 * 4 * 2);
    let text = std::fs::read_to_string(folder.path().join("runs.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Line>(line).unwrap());
    let lines: BTreeMap<String, Line> = lines.map(|line| (line.key.clone(), line)).collect();

    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let about = reader.metadata().file_metadata().key_value_metadata().unwrap();
    let about = about.iter().find(|entry| entry.key == "seamline").unwrap().value.clone().unwrap();
    assert!(about.contains("seamline sweep test.toml") && about.contains("bernoulli"));
    let mut rows = 0;
    for row in reader.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        let row: BTreeMap<String, &Field> =
            row.get_column_iter().map(|(name, it)| (name.clone(), it)).collect();
        let text = |name: &str| match row[name] {
            Field::Str(text) => text.clone(),
            other => panic!("{name}: {other:?}"),
        };
        let line = &lines[&text("key")];
        let flow = line.run.flows.iter().find(|flow| flow.name == text("flow")).unwrap();
        assert_eq!(row["seed"], &Field::Long(line.run.seed as i64));
        assert_eq!(text("variant"), flow.variant);
        assert_eq!(row["goodput_bits_per_second"], &Field::Double(flow.goodput_bits_per_second));
        assert_eq!(row["timeouts"], &Field::Long(flow.timeouts as i64));
        assert_eq!(row["flow.two.count"], &Field::Long(line.cell["flow.two.count"].as_i64().unwrap()));
        assert_eq!(text("flow.one.variant"), line.cell["flow.one.variant"].as_str().unwrap());
        assert_eq!(row["completion_s"], &flow.completion_s.map_or(Field::Null, Field::Double));
        let handovers: Vec<HandoverRecord> = serde_json::from_str(&text("handovers")).unwrap();
        assert_eq!(handovers, flow.handovers);
        let links: Vec<LinkRecord> = serde_json::from_str(&text("links")).unwrap();
        assert_eq!(links, line.run.links);
        rows += 1;
    }
    assert_eq!(rows, count);
}
