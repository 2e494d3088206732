//! Importers: what they read, and what they say of files that are wrong. No input makes them panic.

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use seamline_net::Schedule;
use seamline_net::schedule::{Capacity, Fates};
use seamline_recordings::formats::csv::ColumnMap;
use seamline_recordings::formats::leoem::LeoemOptions;
use seamline_recordings::formats::{csv, delay_series, leoem, mahimahi};
use seamline_recordings::{ImportError, Recording};
use seamline_wire::{Duration, Instant, Rate};
use std::io::Write;

fn text(text: &str) -> Recording {
    Recording::from_bytes("made up.log", text.as_bytes()).unwrap()
}

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn leoem_options() -> LeoemOptions {
    LeoemOptions { interruption: ms(100), fates: Fates::SEAMLESS }
}

fn columns() -> ColumnMap {
    ColumnMap {
        time: ("t".into(), 1.0),
        rate: Some(("down".into(), 1e6)),
        one_way_delay: Some(("owd".into(), 1e-3)),
        loss: Some(("loss".into(), 0.01)),
    }
}

#[track_caller]
fn says(error: ImportError, line: Option<u64>, field: Option<&str>, found: &str) {
    assert_eq!(&*error.file, "made up.log");
    assert_eq!((error.line, error.field.as_deref()), (line, field), "{error}");
    assert!(error.found.contains(found), "{error}");
    assert!(!error.expected.is_empty() && !error.help.is_empty());
}

#[test]
fn mahimahi_is_read_and_checked() {
    let chances = mahimahi::parse(&text("0\n5\n5\n9\n")).unwrap();
    assert_eq!(chances.period(), ms(9));
    assert_eq!(chances.next_after(Instant::from_millis(1)).at, Instant::from_millis(5));
    assert_eq!(chances.next_after(Instant::from_millis(1)).bytes, 3000);
    let error = |lines: &str| mahimahi::parse(&text(lines)).unwrap_err();
    says(error(""), None, None, "no record");
    says(error("\n\n"), None, None, "no record");
    says(error("0\n0\n"), None, None, "zero");
    says(error("1\n2\nx3\n"), Some(3), Some("time"), "x3");
    says(error("1\n-2\n"), Some(2), Some("time"), "-2");
    says(error("1\n2.5\n"), Some(2), Some("time"), "2.5");
    says(error("9\n3\n"), Some(2), Some("time"), "3 after 9");
    says(error("99999999999999999999999\n"), Some(1), Some("time"), "999");
    says(error("18446744073709551615\n"), Some(1), Some("time"), "184");
}

#[test]
fn delay_series_are_read_and_checked() {
    let steps = delay_series::parse(&text("12\n12\n7.5\n"), ms(10)).unwrap();
    let at = |millis| steps.at(Instant::from_millis(millis)).as_nanos();
    assert_eq!(
        [at(0), at(19), at(20), at(29), at(30)],
        [12_000_000, 12_000_000, 7_500_000, 7_500_000, 12_000_000]
    );
    let error = |lines: &str| delay_series::parse(&text(lines), ms(10)).unwrap_err();
    says(error(""), None, None, "no record");
    says(error("1\nNaN\n"), Some(2), Some("one-way delay"), "NaN");
    says(error("1\n-1\n"), Some(2), Some("one-way delay"), "-1");
    says(error("1e300\n"), Some(1), Some("one-way delay"), "1e300");
}

#[test]
fn leoem_logs_are_read_and_checked() {
    let log = "7$[-1, 5, 6, -2]$4$[0.1, 0.1, 0.1]$0.3\n8$[-1, 5, 7, -2]$4$[0.1]$0.25\n9$NULL\n10$NULL\n\
               11$[-1, 8, 7, -2]$4$[0.1]$0.2\n12$[-1, 8, 9, 7, -2]$4$[]$0.1\n";
    let schedule = leoem::parse(&text(log), leoem_options()).unwrap();
    let delay = schedule.one_way_delay.unwrap();
    assert_eq!(
        [0, 1, 3, 4, 5].map(|second| delay.at(Instant::from_secs(second)).as_millis()),
        [300, 250, 250, 200, 100]
    );
    let handovers: Vec<_> = schedule
        .handovers
        .as_slice()
        .iter()
        .map(|h| (h.at.as_secs_f64(), h.interruption.as_millis()))
        .collect();
    // The last satellite changes at 1 s, and there is no path in [2 s, 4 s). The middle of a path does not count.
    assert_eq!(handovers, [(1.0, 100), (2.0, 2000)]);
    let error = |lines: &str| leoem::parse(&text(lines), leoem_options()).unwrap_err();
    says(error(""), None, None, "no record");
    says(error("1$NULL\n"), None, None, "no record");
    says(error("1$[-1, 5, -2]$3$[0.1]$0.3\n1$NULL\n"), Some(2), Some("second"), "1 after 1");
    says(error("1$[-1, 5, -2]$3$[0.1]\n"), Some(1), None, "1$[-1");
    says(error("1$5, 6$3$[0.1]$0.3\n"), Some(1), Some("node ids"), "5, 6");
    says(error("1$[-1, a, -2]$3$[0.1]$0.3\n"), Some(1), Some("node ids"), "a");
    says(error("1$[-1, 5, -2]$3$[0.1]$-0.3\n"), Some(1), Some("total"), "-0.3");
    says(error("1.5$NULL\n"), Some(1), Some("second"), "1.5");
}

#[test]
fn csv_tables_are_read_and_checked() {
    let table = "owd,t,down,loss,else\n20,100,8,0,x\n30,101.5,4,2.5,y\n";
    let Schedule { capacity, one_way_delay, loss, .. } = csv::parse(&text(table), &columns()).unwrap();
    let Some(Capacity::Rate(rate)) = capacity else { panic!("no rate") };
    let at = [Instant::ZERO, Instant::from_millis(1499), Instant::from_millis(1500)];
    assert_eq!(at.map(|at| rate.steps().at(at)), [8, 8, 4].map(Rate::from_megabits_per_second));
    assert_eq!(at.map(|at| one_way_delay.clone().unwrap().at(at)), [20, 20, 30].map(ms));
    assert_eq!(at.map(|at| loss.clone().unwrap().at(at)), [0.0, 0.0, 0.025]);
    let error = |lines: &str| csv::parse(&text(lines), &columns()).unwrap_err();
    says(error("t,down,owd\n"), Some(1), Some("loss"), "t, down, owd");
    says(error("t,down,owd,loss\n"), None, None, "no record");
    says(error("t,down,owd,loss\n1,2,3,4\n2,2,3\n"), Some(3), None, "3");
    says(error("t,down,owd,loss\n1,2,3,101\n"), Some(2), Some("loss"), "101");
    says(error("t,down,owd,loss\n1,fast,3,1\n"), Some(2), Some("down"), "fast");
    says(error("t,down,owd,loss\n2,2,3,1\n2,2,3,1\n"), Some(3), Some("t"), "after");
    let quoted = csv::parse(&text("t,down,owd,loss\n\"1\", 2 ,3,1\n"), &columns());
    assert!(quoted.is_ok(), "{quoted:?}");
}

#[test]
fn gzip_is_seen_by_its_content() {
    let pack = |bytes: &[u8]| {
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    };
    let packed = pack(b"1\n2\n");
    let recording = Recording::from_bytes("made up.log", &packed).unwrap();
    assert_eq!(mahimahi::parse(&recording).unwrap().period(), ms(2));
    says(Recording::from_bytes("made up.log", &packed[..packed.len() - 6]).unwrap_err(), None, None, "");
    says(Recording::from_bytes("made up.log", b"1\n\xff2\n").unwrap_err(), Some(2), None, "0xff");
    // 513 MiB of nothing in half a megabyte.
    let bomb = pack(&vec![b'0'; 513 << 20]);
    says(Recording::from_bytes("made up.log", &bomb).unwrap_err(), None, None, "longer");
}

#[test]
fn an_error_reads_as_one_sentence() {
    let error = mahimahi::parse(&text("1\nx\n")).unwrap_err().to_string();
    let expected = "made up.log:2, time: found \"x\", expected one whole number of milliseconds per line, not \
                    decreasing; each line of a mahimahi recording is a time and nothing else";
    assert_eq!(error, expected);
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_every_way(&bytes);
    }

    #[test]
    fn almost_right_files_never_panic(text in "[0-9$NULe.,\\[\\]\\-\n ]{0,200}") {
        read_every_way(text.as_bytes());
        read_every_way(format!("t,down,owd,loss\n{text}").as_bytes());
    }
}

fn read_every_way(bytes: &[u8]) {
    let Ok(recording) = Recording::from_bytes("made up.log", bytes) else { return };
    if let Ok(chances) = mahimahi::parse(&recording) {
        assert!(chances.next_after(Instant::from_secs(1)).at > Instant::from_secs(1));
    }
    if let Ok(steps) = delay_series::parse(&recording, ms(10)) {
        steps.at(Instant::from_secs(1));
    }
    let _ = leoem::parse(&recording, leoem_options());
    let _ = csv::parse(&recording, &columns());
}
