//! The tables, read back by readers that we did not write.

use crate::common;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use seamline_report::export;
use seamline_report::export::table::{self, Data, Table};
use seamline_report::files;
use std::collections::BTreeMap;

fn written() -> BTreeMap<String, Vec<u8>> {
    let files = files::of_report(&common::report(), false).unwrap();
    files.into_iter().map(|file| (file.name, file.bytes)).collect()
}

fn parquet(name: &str) -> SerializedFileReader<bytes::Bytes> {
    SerializedFileReader::new(bytes::Bytes::from(written()[name].clone())).unwrap()
}

#[test]
fn every_table_comes_in_every_format() {
    let names: Vec<String> = written().into_keys().collect();
    for table in ["runs", "handovers", "links", "outcomes", "senders", "queues"] {
        for ending in ["csv", "json", "parquet"] {
            assert!(names.contains(&format!("{table}.{ending}")), "{table}.{ending} in {names:?}");
        }
    }
    assert!(names.contains(&"segments.parquet".to_owned()) && names.contains(&"provenance.json".to_owned()));
}

#[test]
fn parquet_gives_back_what_went_in() {
    let reader = parquet("runs.parquet");
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 10);
    let value = |row: usize, name: &str| {
        rows[row]
            .get_column_iter()
            .find(|(column, _)| *column == name)
            .map(|(_, field)| field.clone())
            .unwrap()
    };
    assert_eq!(value(6, "cell_name"), Field::Str("cubic".into()));
    assert_eq!(value(6, "flow.main.variant"), Field::Str("cubic".into()), "what the grid set has its column");
    assert_eq!(value(6, "seed"), Field::Long(2));
    assert_eq!(value(6, "goodput_bits_per_second"), Field::Double(10e6 + 2.0));
    assert_eq!(value(6, "round_trip_min_ms"), Field::Null);
}

/// More rows than are written together, with gaps in every kind of column that may have them.
#[test]
fn long_tables_and_empty_cells_come_back() {
    const ROWS: usize = 100_001;
    let is_there = |row: &usize| !row.is_multiple_of(3);
    let table = Table::new("long")
        .with("word", Data::Text((0..ROWS).map(|row| is_there(&row).then(|| row.to_string())).collect()))
        .with("number", Data::Whole((0..ROWS).map(|row| is_there(&row).then_some(row as i64)).collect()))
        .truth("truth", (0..ROWS).map(|row| row.is_multiple_of(2)));
    let bytes = export::write_parquet(Vec::new(), &table, vec![("about", "this".to_owned())]).unwrap();
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    assert_eq!(reader.num_row_groups(), 2);
    let mut count = 0;
    for (row, found) in reader.get_row_iter(None).unwrap().map(Result::unwrap).enumerate() {
        let found: Vec<Field> = found.get_column_iter().map(|(_, field)| field.clone()).collect();
        let (word, number) = match is_there(&row) {
            true => (Field::Str(row.to_string()), Field::Long(row as i64)),
            false => (Field::Null, Field::Null),
        };
        assert_eq!(found, [word, number, Field::Bool(row.is_multiple_of(2))], "row {row}");
        count += 1;
    }
    assert_eq!(count, ROWS);
    assert!(export::csv(&table, &common::provenance()).contains("\nword,number,truth\n,,true\n1,1,false\n"));
}

#[test]
fn parquet_knows_where_it_comes_from() {
    let reader = parquet("segments.parquet");
    let metadata = reader.metadata().file_metadata().key_value_metadata().unwrap().clone();
    let value =
        |key: &str| metadata.iter().find(|entry| entry.key == key).and_then(|entry| entry.value.clone());
    assert_eq!(value("seamline_version").as_deref(), Some("0.1.0"));
    assert_eq!(value("scenario_text"), Some(common::provenance().scenario_text));
    assert_eq!(value("seeds").as_deref(), Some("1, 2, ..., 5"));
    let report = common::report();
    let segments: usize =
        report.series.iter().flat_map(|run| &run.flows).map(|flow| flow.segments.len()).sum();
    assert_eq!(reader.metadata().file_metadata().num_rows(), segments as i64, "every segment, none merged");
}

#[test]
fn json_holds_columns_and_provenance() {
    let document: serde_json::Value = serde_json::from_slice(&written()["handovers.json"]).unwrap();
    assert_eq!(document["provenance"]["scenario_blake3"], "00ff".repeat(16));
    assert_eq!(document["columns"]["recovery_ms"].as_array().unwrap().len(), 20);
    assert_eq!(document["columns"]["recovery_ms"][11], serde_json::Value::Null, "never recovered");
    let senders: serde_json::Value = serde_json::from_slice(&written()["senders.json"]).unwrap();
    assert_eq!(senders["columns"]["slow_start_threshold_segments"][0], serde_json::Value::Null, "infinite");
}

/// What the air delivered to a node that had left counts as delivered; so its loss has a column of its own.
#[test]
fn losses_by_departure_are_reported() {
    let report = common::report();
    let links = table::summary(&report).into_iter().find(|table| table.name == "links").unwrap();
    let column = links.columns.iter().find(|column| column.name == "lost_to_departure").unwrap();
    assert_eq!(column.data, Data::Whole(vec![Some(17), Some(17)]));
    assert!(common::page(&report).contains("Node left"));
}

/// Header and rows, the comments skipped.
fn read_csv(text: &str) -> (csv::StringRecord, Vec<csv::StringRecord>) {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    (header, reader.records().map(Result::unwrap).collect())
}

/// Values with line breaks stay in their comments; a reader that knows comments finds the table below them.
#[test]
fn csv_says_where_it_comes_from() {
    let mut report = common::report();
    report.provenance.reproduce = "seamline run 'a\nseed,flow\r\n1,main\u{2028}\u{85}'.toml".into();
    report.provenance.overrides = vec!["title=\"one\ntwo\"".into()];
    let files = files::of_report(&report, false).unwrap();
    let tables: Vec<_> = files.iter().filter(|file| file.name.ends_with(".csv")).collect();
    assert!(tables.len() >= 6, "{} tables", tables.len());
    for file in tables {
        let text = std::str::from_utf8(&file.bytes).unwrap();
        let comments: Vec<&str> = text.lines().take_while(|line| line.starts_with('#')).collect();
        let table = file.name.strip_suffix(".csv").unwrap();
        let expected = [
            format!("# table: {table}"),
            "# seamline_version: 0.1.0".to_owned(),
            "# engine: 0.1.0+fedcba".to_owned(),
            "# revision: 0123456789ab".to_owned(),
            "# scenario: my \"scenario\".toml".to_owned(),
            format!("# scenario_blake3: {}", "00ff".repeat(16)),
            "# seeds: 1, 2, ..., 5".to_owned(),
            r"# reproduce: seamline run 'a\nseed,flow\r\n1,main\u{2028}\u{85}'.toml".to_owned(),
            "# override: title=\"one\\ntwo\"".to_owned(),
        ];
        assert_eq!(comments, expected, "{table}");
        let json = files.iter().find(|other| other.name == format!("{table}.json")).unwrap();
        let document: serde_json::Value = serde_json::from_slice(&json.bytes).unwrap();
        let columns = document["columns"].as_object().unwrap();
        let (header, rows) = read_csv(text);
        let names: std::collections::BTreeSet<&str> = header.iter().collect();
        assert_eq!(names, columns.keys().map(String::as_str).collect(), "{table}");
        assert!(columns.values().all(|column| column.as_array().unwrap().len() == rows.len()), "{table}");
    }
}

#[test]
fn csv_quotes_what_needs_it() {
    let mut report = common::report();
    report.cells[1].name = "a \"b\", c\nd #5".into();
    let table = table::summary(&report).remove(0);
    let (_, rows) = read_csv(&export::csv(&table, &common::provenance()));
    assert_eq!(rows.len(), 10);
    assert_eq!(&rows[5][1], "a \"b\", c\nd #5");
    assert_eq!(&rows[5][3], "1");
}
