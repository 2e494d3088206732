//! `seamline mobile` over an outage of the lab.

use crate::support::{folder, succeeds};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

/// A daemon for so many seconds, in a shell: it listens at `mobile.sock`, and its log goes to `log`.
pub(crate) fn daemon_script(options: &str, seconds: f64) -> String {
    let seamline = assert_cmd::cargo::cargo_bin("seamline");
    format!(
        "'{}' mobile --socket mobile.sock {options} > log 2>&1 & d=$!; sleep {seconds}; kill $d; wait $d",
        seamline.display()
    )
}

/// Run the lab until the emulator was on time, each time in a folder of its own, for which something is prepared that ends when it is
/// dropped. The folder, what the lab says as JSON, and what was prepared.
pub(crate) fn on_time<T>(prepare: impl Fn(&Path) -> T, arguments: &[&str]) -> (TempDir, Value, T) {
    const ATTEMPTS: usize = 4;
    const LATEST_US: f64 = 3000.0;
    for attempt in 1.. {
        let folder = folder();
        let prepared = prepare(folder.path());
        let document: Value = serde_json::from_str(&succeeds(arguments, folder.path())).unwrap();
        let late = document["emulation"]["lateness_p99_us"].as_f64().unwrap();
        if late <= LATEST_US || attempt == ATTEMPTS {
            return (folder, document, prepared);
        }
        println!("the host was busy: {late} us");
    }
    unreachable!("the last attempt returns")
}
