//! `--parquet` and `seamline convert`.

use crate::support::{refuses, succeeds};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const SCENARIO: &str = r#"
duration = "3 s"
nodes = ["server", "phone"]

[[link]]
name = "radio"
from = "server"
to = "phone"
rate = "10 Mbit/s"
one_way_delay = "20 ms"
queue = { discipline = "drop-tail", limit = "30 packets" }
handover = { at = ["1.5 s"], interruption = "100 ms" }

[[flow]]
name = "main"
from = "server"
to = "phone"
variant = "cubic"
"#;

fn record(options: &[&str], folder: &Path) {
    fs::write(folder.join("my.toml"), SCENARIO).unwrap();
    let arguments = [&["run", "my.toml", "--seeds", "1"], options].concat();
    succeeds(&arguments, folder);
}

fn rows(text: &str, event: &str) -> usize {
    text.lines().filter(|line| line.split(',').nth(2) == Some(event)).count()
}

#[test]
fn tables_become_the_files_that_the_run_writes_itself() {
    let folder = tempfile::tempdir().unwrap();
    record(&["--parquet", "tables", "--events", "direct", "--pcapng", "direct"], folder.path());
    for (table, file) in [("seed1-events.parquet", "seed1.csv"), ("seed1-packets.parquet", "seed1.pcapng")] {
        let table = format!("tables/{table}");
        assert!(succeeds(&["convert", &table], folder.path()).contains(&format!("Written: tables/{file}")));
        let read = |place: &str| fs::read(folder.path().join(place).join(file)).unwrap();
        assert!(read("tables") == read("direct"), "{file} differs");
        assert!(refuses(&["convert", &table], folder.path()).contains("exists"));
        succeeds(&["convert", &table, "--force"], folder.path());
    }
    let refusal = refuses(&["convert", "my.toml"], folder.path());
    assert!(refusal.contains("cannot read my.toml: it is not a Parquet file"), "{refusal}");
}

#[test]
fn a_part_is_recorded_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let list = |options: &[&str]| {
        record(&[&["--events", "out"], options].concat(), folder.path());
        fs::read_to_string(folder.path().join("out/seed1.csv")).unwrap()
    };
    let all = list(&[]);
    let some = list(&["--set", "output.only_events=['sender', 'dropped']"]);
    assert_eq!(rows(&some, "sender"), rows(&all, "sender"));
    assert_eq!(some.lines().count() - 1, rows(&all, "sender") + rows(&all, "dropped"));
    let here = list(&["--set", "output.only_at='radio'"]);
    assert_eq!(rows(&here, "queue"), rows(&all, "queue"));
    assert!(here.lines().skip(1).all(|line| line.split(',').nth(1).unwrap().starts_with("radio/")));
    let few = list(&["--set", "output.every=10"]);
    let at = |place: &str| all.lines().filter(|line| line.contains(&format!(",{place},sender,"))).count();
    assert_eq!(rows(&few, "sender"), at("server").div_ceil(10) + at("phone").div_ceil(10));
    assert_eq!(rows(&few, "dropped"), rows(&all, "dropped"));
    let refusal = refuses(&["run", "my.toml", "--set", "output.only_at='radoi'"], folder.path());
    assert!(refusal.contains("no such node, link, cell or group") && refusal.contains("radio"), "{refusal}");
}

/// The name of a group stands for all of its members.
#[test]
fn a_group_is_recorded_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let group = "\n[[group]]\nname = \"phone\"\ncount = 2\n";
    let text = SCENARIO.replace(r#""server", "phone"]"#, r#""server"]"#) + group;
    fs::write(folder.path().join("group.toml"), text).unwrap();
    let elements = |place: &str| {
        let only = format!("output.only_at='{place}'");
        succeeds(&["run", "group.toml", "--seeds", "1", "--events", "out", "--set", &only], folder.path());
        let rows = fs::read_to_string(folder.path().join("out/seed1.csv")).unwrap();
        let elements = rows.lines().skip(1).map(|row| row.split(',').nth(1).unwrap().to_owned());
        elements.collect::<BTreeSet<String>>().into_iter().collect::<Vec<_>>()
    };
    assert_eq!(elements("radio-2"), ["radio-2/down", "radio-2/up"]);
    assert_eq!(elements("radio"), ["radio-1/down", "radio-1/up", "radio-2/down", "radio-2/up"]);
    assert_eq!(elements("phone"), ["phone-1", "phone-2"]);
}
