//! Recordings of networks.

use seamline_net::Schedule;
use seamline_recordings::formats::csv::{self, ColumnMap};
use seamline_recordings::formats::table::{parse_columns, read_columns};
use seamline_recordings::formats::{delay_series, leoem, mahimahi};
use seamline_recordings::{FORMATS, ImportError, Measured, Recording, recognise};
use seamline_wire::{Duration, Instant};

/// Each format reads it or names the line; what is read can be summed up and followed.
pub(crate) fn check(bytes: &[u8]) {
    let recording = match Recording::from_bytes("file", bytes) {
        Ok(recording) => recording,
        Err(error) => return check_error(&error),
    };
    // The Parquet library panics on some damaged files, which the reader makes an error of, but a fuzzer does not.
    if FORMATS.iter().any(|format| format.name == "parquet" && (format.looks_like)(&recording)) {
        return;
    }
    match recognise(&recording) {
        Ok(found) => assert!(!found.summary.is_empty()),
        Err(reasons) => reasons.iter().for_each(|(_, error)| check_error(error)),
    }
    for format in FORMATS {
        judge_measured((format.read)(&recording));
    }
    if let Ok(columns) = parse_columns("time=t,down=rate:Mbit/s,rtt=delay:ms,loss=loss:%,cell=cell") {
        judge_measured(read_columns(&recording, &columns));
    }
    let options = leoem::LeoemOptions::default();
    judge(leoem::parse(&recording, options));
    judge(
        mahimahi::parse(&recording).map(|it| Schedule { capacity: Some(it.into()), ..Schedule::default() }),
    );
    judge(
        delay_series::parse(&recording, Duration::from_millis(10))
            .map(|it| Schedule { one_way_delay: Some(it), ..Schedule::default() }),
    );
    judge(csv::parse(&recording, &columns()));
}

/// Those of the corpus.
fn columns() -> ColumnMap {
    let column = |name: &str, unit| Some((name.to_owned(), unit));
    ColumnMap {
        time: ("t".to_owned(), 1.0),
        rate: column("rate", 1e6),
        one_way_delay: column("delay", 1e-3),
        loss: column("loss", 0.01),
    }
}

/// What is read is in order and within the recording.
fn judge_measured(read: Result<Measured, ImportError>) {
    let measured = match read {
        Ok(measured) => measured,
        Err(error) => return check_error(&error),
    };
    let end = Instant::ZERO + measured.length;
    assert!(measured.probes.windows(2).all(|pair| pair[0].sent <= pair[1].sent));
    for rates in &measured.rates {
        assert!(rates.samples.iter().all(|it| it.from < it.until && it.until <= end));
        assert!(rates.samples.windows(2).all(|pair| pair[0].until <= pair[1].from));
    }
}

fn judge(read: Result<Schedule, ImportError>) {
    match read {
        Ok(schedule) => {
            let _ = format!("{schedule:?}");
        }
        Err(error) => check_error(&error),
    }
}

fn check_error(error: &ImportError) {
    let text = error.to_string();
    assert!(text.starts_with("file") && !error.expected.is_empty() && !error.help.is_empty(), "{text}");
}
