//! Tables with named columns: CSV and Parquet.

use crate::support::*;
use parquet::basic::{
    Compression, GzipLevel, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel,
};
use parquet::data_type::{DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};
use seamline_recordings::formats::table::{parse_columns, read_columns};
use seamline_recordings::measured::{DelayMeaning, Direction, RateMeaning};
use seamline_recordings::{Recording, recognise};
use seamline_wire::{Duration, Instant};
use std::sync::Arc;

#[track_caller]
fn refused(content: &str, expected: &str) {
    let error = refusal(content);
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn names_and_units_say_what_columns_hold() {
    let measured = read(sample!("csv.csv"));
    let [down, up] = &measured.rates[..] else { panic!("{:?}", measured.rates) };
    // The missing value at 500 ms is not one of zero.
    assert_eq!(spans(&down.samples, kilobits), [(0, 1000, 8000), (1000, 1500, 16_000), (1500, 2500, 4000)]);
    assert_eq!((down.meaning, up.direction, up.samples.len()), (RateMeaning::Goodput, Direction::Up, 4));
    let delays = &measured.delays[0];
    assert_eq!((delays.meaning, delays.loaded), (DelayMeaning::RoundTrip, true));
    assert_eq!(spans(&delays.samples, Duration::as_millis)[..2], [(0, 500, 20), (500, 1500, 30)]);
    assert_eq!(spans(&measured.losses[0].samples, |share| share)[1], (500, 1000, 0.025));
    assert_eq!(measured.handovers, [Instant::from_millis(1000)]);
    assert_eq!(measured.began, None);
    let notes = measured.notes.join("\n");
    assert!(notes.contains("down_mbps as down (Mbit/s)") && notes.contains("Missing fields: 3"), "{notes}");
}

#[test]
fn separators_dates_and_zones() {
    let measured = read(sample!("csv-semicolon.csv"));
    assert_eq!(measured.began, Some(1_730_498_251.5));
    assert_eq!(spans(&measured.rates[0].samples, kilobits), [(0, 1000, 5000), (1000, 2000, 6000)]);
    assert_eq!(spans(&measured.delays[0].samples, Duration::as_micros)[1].2, 46_500);
    assert!(!measured.notes.iter().any(|note| note.contains("no time zone")));
    let unzoned = read(&sample!("csv-semicolon.csv").replace("-07:00", ""));
    assert!(unzoned.notes.iter().any(|note| note.contains("read as UTC")));
    let epochs = "timestamp\trtt_us\n1700000000123\t20000\n1700000001123\t30000\n";
    let epochs = read(epochs);
    assert!((epochs.began.unwrap() - 1_700_000_000.123).abs() < 1e-6);
    assert_eq!(spans(&epochs.delays[0].samples, Duration::as_millis), [(0, 1000, 20), (1000, 2000, 30)]);
}

#[test]
fn tables_are_refused_by_line_and_field() {
    refused(&sample!("csv.csv").replace("1.5,30", "1.5,slow"), "file:3, rtt_ms: found \"slow\"");
    refused(
        &sample!("csv.csv").replace("1500,", "900,"),
        "file:5, time_ms: found \"900\" after a later time",
    );
    refused(&sample!("csv.csv").replace("2.5,A", "250,A"), "file:3, loss_percent: found \"250\"");
    refused(&sample!("csv.csv").replace("500,-", "later,-"), "file:3, time_ms: found \"later\"");
    refused(&sample!("csv.csv").replace("0,8,1,20,0,A", "0,8,1"), "file:2: found");
    refused("time_s,down_mbps\n", "file: found no record");
    refused(
        "time_s,down_mbps\n1,1\n99999999,1\n",
        "file:3, time_s: found \"99999999\", expected times within a year",
    );
    // Without units, names say too little: nobody claims it.
    assert!(recognise(&text("when,what\n1,2\n")).unwrap_err().is_empty());
    assert!(recognise(&text("{\"time\": 1, \"rtt\": 2}\n")).unwrap_err().is_empty());
}

#[test]
fn the_caller_can_name_the_columns() {
    let table = text("when,what,else\n0,5,x\n2,7,x\n");
    let read = |list: &str| read_columns(&table, &parse_columns(list).unwrap());
    let measured = read("time=when:s, down-capacity=what:Mbit/s, cell=else").unwrap();
    assert_eq!(measured.rates[0].meaning, RateMeaning::Capacity);
    assert_eq!(spans(&measured.rates[0].samples, kilobits), [(0, 2000, 5000), (2000, 4000, 7000)]);
    assert!(measured.handovers.is_empty());
    let minutes = read("time=when:ms, up-delay=what:ms").unwrap();
    assert_eq!(minutes.delays[0].meaning, DelayMeaning::OneWay(Direction::Up));
    assert_eq!(minutes.delays[0].samples[1].from, Instant::from_millis(2));
    let missing = read("time=then:s, rtt=what:ms").unwrap_err().to_string();
    assert!(missing.starts_with("file:1, then: found the columns"), "{missing}");
    let nothing = read("time=when:s").unwrap_err().to_string();
    assert!(nothing.contains("a column of times, and one of rates, delays or losses"), "{nothing}");
    for (list, expected) in [
        ("when", "expected WHAT=NAME"),
        ("speed=what", "expected one of time, down, up"),
        ("down=what", "found no unit, expected one of bit/s"),
        ("rtt=what:Mbit/s", "found the unit \"Mbit/s\""),
    ] {
        let error = parse_columns(list).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

fn column(name: &str, physical: Physical, logical: Option<LogicalType>) -> TypePtr {
    let column = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    Arc::new(column.with_logical_type(logical).build().unwrap())
}

/// A file with times in microseconds, rates and round trips, of which one is missing.
fn parquet_file(names: [&str; 3], compression: Compression) -> Vec<u8> {
    let timestamp = LogicalType::timestamp(true, TimeUnit::MICROS);
    let fields = vec![
        column(names[0], Physical::INT64, Some(timestamp)),
        column(names[1], Physical::DOUBLE, None),
        column(names[2], Physical::INT64, None),
    ];
    let schema = Arc::new(Type::group_type_builder("table").with_fields(fields).build().unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let times = [1_700_000_000_250_000, 1_700_000_001_250_000, 1_700_000_002_250_000];
    let mut next = group.next_column().unwrap().unwrap();
    next.typed::<Int64Type>().write_batch(&times, Some(&[1, 1, 1]), None).unwrap();
    next.close().unwrap();
    let mut next = group.next_column().unwrap().unwrap();
    next.typed::<DoubleType>().write_batch(&[8.0, 12.5], Some(&[1, 0, 1]), None).unwrap();
    next.close().unwrap();
    let mut next = group.next_column().unwrap().unwrap();
    next.typed::<Int64Type>().write_batch(&[20, 30, 40], Some(&[1, 1, 1]), None).unwrap();
    next.close().unwrap();
    group.close().unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn parquet_is_read_by_its_columns() {
    let file = parquet_file(["timestamp", "throughput_mbps", "rtt_ms"], Compression::UNCOMPRESSED);
    let recording = Recording::from_bytes("file", &file).unwrap();
    let read = recognise(&recording).unwrap();
    assert_eq!(read.format, "parquet");
    let measured = read.measured;
    assert_eq!(measured.began, Some(1_700_000_000.25));
    assert_eq!(spans(&measured.rates[0].samples, kilobits), [(0, 2000, 8000), (2000, 4000, 12_500)]);
    assert_eq!(spans(&measured.delays[0].samples, Duration::as_millis)[2], (2000, 3000, 40));
    let unnamed = parquet_file(["when", "what", "else"], Compression::SNAPPY);
    let unnamed = Recording::from_bytes("file", &unnamed).unwrap();
    assert!(recognise(&unnamed).unwrap_err()[0].1.to_string().contains("when, what, else"));
    let columns = parse_columns("time=when, up=what:Mbit/s").unwrap();
    assert_eq!(read_columns(&unnamed, &columns).unwrap().rates[0].direction, Direction::Up);
}

/// polars writes zstd unless it is told otherwise, Arrow and DuckDB snappy, ClickHouse lz4.
#[test]
fn compressed_parquet_is_read() {
    let (gzip, zstd) = (Compression::GZIP(GzipLevel::default()), Compression::ZSTD(ZstdLevel::default()));
    let names = ["timestamp", "throughput_mbps", "rtt_ms"];
    let plain = parquet_file(names, Compression::UNCOMPRESSED);
    for compression in [Compression::SNAPPY, gzip, zstd, Compression::LZ4, Compression::LZ4_RAW] {
        let file = parquet_file(names, compression);
        assert_ne!(file, plain);
        let [read, expected] = [file, plain.clone()].map(|file| {
            let recording = Recording::from_bytes("file", &file).unwrap();
            format!("{:?}", recognise(&recording).unwrap().measured)
        });
        assert_eq!(read, expected, "{compression}");
    }
}

#[test]
fn broken_parquet_is_refused() {
    let file = parquet_file(["timestamp", "throughput_mbps", "rtt_ms"], Compression::SNAPPY);
    for end in [4, file.len() / 2, file.len() - 1] {
        let recording = Recording::from_bytes("file", &file[..end]).unwrap();
        let error = recognise(&recording).unwrap_err()[0].1.to_string();
        assert!(error.starts_with("file: found ") && error.contains("expected a Parquet file"), "{error}");
    }
}
