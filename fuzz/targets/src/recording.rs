//! Recordings of networks.

use seamline_net::Schedule;
use seamline_recordings::formats::csv::{self, ColumnMap};
use seamline_recordings::formats::{delay_series, leoem, mahimahi};
use seamline_recordings::{ImportError, Recording, recognise};
use seamline_wire::Duration;

/// Each format reads it or names the line; what is read can be summed up and followed.
pub(crate) fn check(bytes: &[u8]) {
    let recording = match Recording::from_bytes("file", bytes) {
        Ok(recording) => recording,
        Err(error) => return check_error(&error),
    };
    match recognise(&recording) {
        Ok(found) => assert!(!found.summary.is_empty()),
        Err(reasons) => reasons.iter().for_each(|(_, error)| check_error(error)),
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
