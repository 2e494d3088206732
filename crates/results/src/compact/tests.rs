use super::*;
use parquet::basic::Type;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::json;
use std::fs::File;

/// A line with a flow, of a sweep and a cell of one key.
fn line(sweep: &str, key: &str, cell: (&str, Value), completion_s: Option<f64>) -> String {
    let flow = json!({
        "name": "main", "variant": "reno", "delivered_bytes": 1, "goodput_bits_per_second": 1.0, "measured_from_s": 0.0,
        "measured_to_s": 1.0, "retransmissions": 0, "timeouts": 0, "fast_recoveries": 0, "completion_s": completion_s, "handovers": []
    });
    let run = json!({ "seed": 1, "flows": [flow], "links": [], "agents": [] });
    let (run, cell) =
        (serde_json::from_value(run).unwrap(), [(cell.0.to_owned(), cell.1)].into_iter().collect());
    let line = Line { key: key.to_owned(), engine: "engine".to_owned(), sweep: sweep.to_owned(), cell, run };
    line.to_text().unwrap()
}

/// Two sweeps in two files, a line of the first in both. What the second row of a column is decides its kind, and the order of columns is
/// that of sweeps and keys.
#[test]
fn it_does_not_matter_how_many_lines_are_read_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let first = [
        line("two", "b", ("queue", "fifo".into()), None),
        line("one", "d", ("rate", 2.into()), None),
        line("one", "c", ("rate", 1.into()), Some(0.5)),
    ];
    let second = [first[2].clone(), line("two", "a", ("queue", 7.into()), None)];
    std::fs::write(folder.path().join("runs.jsonl"), first.concat()).unwrap();
    std::fs::write(folder.path().join("runs-1-of-2.jsonl"), second.concat()).unwrap();
    let read = |batch| {
        let (path, count) = compact_in(folder.path(), batch).unwrap();
        let file = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        let columns = file.metadata().file_metadata().schema_descr().columns().to_vec();
        let columns: Vec<(String, Type)> =
            columns.iter().map(|it| (it.name().to_owned(), it.physical_type())).collect();
        let rows: Vec<String> =
            file.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
        assert_eq!(count, rows.len());
        (file.num_row_groups(), columns, rows)
    };
    let (groups, columns, rows) = read(usize::MAX);
    let (groups_of_one, columns_of_one, rows_of_one) = read(1);
    assert_eq!((groups, groups_of_one), (1, 4));
    assert_eq!((&columns, &rows), (&columns_of_one, &rows_of_one));
    let keys: Vec<bool> = rows
        .iter()
        .zip(["c", "d", "a", "b"])
        .map(|(row, key)| row.contains(&format!("key: \"{key}\"")))
        .collect();
    assert_eq!(keys, [true; 4], "{rows:#?}");
    let kind = |name: &str| columns.iter().find(|(known, _)| known == name).unwrap().1;
    assert_eq!((kind("rate"), kind("queue")), (Type::INT64, Type::BYTE_ARRAY));
    assert_eq!(kind("completion_s"), Type::DOUBLE);
    let place = |name: &str| columns.iter().position(|(known, _)| known == name).unwrap();
    assert!(place("rate") < place("queue"));
}

#[test]
fn a_file_that_was_replaced_meanwhile_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.jsonl");
    std::fs::write(&path, line("one", "c", ("rate", 1.into()), None)).unwrap();
    let mut index = Index::of(vec![path.clone()]).unwrap();
    std::fs::write(&path, line("one", "d", ("rate", 1.into()), None)).unwrap();
    let Indexed { file, place, key, .. } = &index.lines[0];
    let error = index.files.read(*file, *place, key).unwrap_err().to_string();
    assert!(error.contains("replaced"), "{error}");
}
