//! Sample recordings, for users without one: made by the generators, in the formats of others.

use crate::atomic::{self, WriteError};
use seamline_net::Schedule;
use seamline_net::generate::{CellularParameters, StarlinkParameters, cellular, starlink};
use seamline_net::schedule::Capacity;
use seamline_recordings::formats::{delay_series, path_log};
use seamline_recordings::measured::Conditions;
use seamline_recordings::native;
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const LENGTH: Duration = Duration::from_secs(120);
/// What one line of a mahimahi trace lets through.
const OPPORTUNITY_BYTES: u32 = 1500;

/// Write a sample recording. `format` is the `kind` of a schedule that reads it: `leoem` or `delay-series`, a path over
/// Starlink; `mahimahi`, the capacity of a drive through LTE cells; or `seamline`, both directions of a Starlink terminal.
///
/// # Errors
/// When the file cannot be written.
///
/// # Panics
/// For another format.
pub fn write_sample(format: &str, path: &Path) -> Result<PathBuf, WriteError> {
    let stream = Stream::new(1, "sample/path");
    let made = match format {
        "mahimahi" => cellular(&CellularParameters::lte(LENGTH), stream),
        _ => starlink(&StarlinkParameters::downlink(LENGTH), stream),
    };
    let schedule = made.expect("the generator's own parameters make a schedule");
    let text = match format {
        "leoem" => path_log(&schedule, LENGTH),
        "delay-series" => delays(&schedule),
        "mahimahi" => opportunities(&schedule),
        "seamline" => terminal(schedule),
        other => panic!("there is no sample of the format {other}"),
    };
    atomic::write(path, text.as_bytes())
}

/// Both directions: the downlink as given, and the uplink whose reconfigurations are the same.
fn terminal(down: Schedule) -> String {
    let up = starlink(&StarlinkParameters::uplink(LENGTH), Stream::new(1, "sample/path"));
    let up = up.expect("the generator's own parameters make a schedule");
    native::write(&Conditions { down, up }, LENGTH, &["a sample, generated".to_owned()])
}

/// One line per interval: the one-way delay in milliseconds.
fn delays(schedule: &Schedule) -> String {
    let interval = delay_series::USUAL_INTERVAL;
    let mut text = String::new();
    let mut at = Instant::ZERO;
    while at < Instant::ZERO + LENGTH {
        let delay = schedule.one_way_delay.as_ref().map_or(Duration::ZERO, |delay| delay.at(at));
        let _ = writeln!(text, "{:.3}", delay.as_millis_f64());
        at += interval;
    }
    text
}

/// One line per opportunity to send 1500 bytes: its time in milliseconds.
fn opportunities(schedule: &Schedule) -> String {
    let Some(Capacity::Rate(rate)) = &schedule.capacity else { return String::new() };
    let mut text = String::new();
    let mut at = Instant::ZERO;
    loop {
        at = rate.end_of_transmission(at, OPPORTUNITY_BYTES);
        if at >= Instant::ZERO + LENGTH {
            return text;
        }
        let _ = writeln!(text, "{}", at.as_millis());
    }
}
