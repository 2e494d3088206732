//! Runs of the lab that the host was not too busy for.

use crate::support::{folder, succeeds};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

/// Where the record of the emulation is in what the lab says of a command's visit.
pub(crate) const OF_VISIT: &str = "/emulation";
/// Where that of its only run is in what it says of a plan.
pub(crate) const OF_RUN: &str = "/cells/0/runs/0/emulation";

/// Run the lab until the emulator was on time, each time in a folder of its own, for which something is prepared that ends when it is
/// dropped. The folder, what the lab says as JSON, in which the record of the emulation is at this place, and what was prepared.
pub(crate) fn on_time<T>(
    prepare: impl Fn(&Path) -> T,
    arguments: &[&str],
    emulation: &str,
) -> (TempDir, Value, T) {
    const ATTEMPTS: usize = 4;
    const LATEST_US: f64 = 3000.0;
    for attempt in 1.. {
        let folder = folder();
        let prepared = prepare(folder.path());
        let document: Value = serde_json::from_str(&succeeds(arguments, folder.path())).unwrap();
        let late = document.pointer(emulation).unwrap()["lateness_p99_us"].as_f64().unwrap();
        if late <= LATEST_US || attempt == ATTEMPTS {
            return (folder, document, prepared);
        }
        println!("the host was busy: {late} us");
    }
    unreachable!("the last attempt returns")
}
