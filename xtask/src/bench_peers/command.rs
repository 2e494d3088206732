//! Runs of the command `seamline`, as a side of a comparison.

use super::measure::{Measured, process_with};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes of data in a packet.
const PAYLOAD: f64 = 1448.0;

/// The command as it is installed, next to this one.
pub(super) fn seamline() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let seamline = own.with_file_name("seamline");
    match seamline.is_file() {
        true => Ok(seamline),
        false => Err(format!(
            "{} is missing\ntip: cargo build --package seamline, with the same --profile",
            seamline.display()
        )),
    }
}

/// Run a scenario with one seed on one processor. `more` are further arguments.
pub(super) fn run(seamline: &Path, scenario: &Path, seed: u32, more: &[&str]) -> Result<Measured, String> {
    let mut command = Command::new(seamline);
    command.arg("run").arg(scenario).args(["--json", "--quiet", "--jobs", "1"]);
    command.args(["--set", &format!("seeds=[{seed}]")]).args(more);
    process_with(&mut command, |text| {
        let results: Value = serde_json::from_str(text).ok()?;
        let flows = results["cells"][0]["runs"][0]["flows"].as_array()?;
        flows.iter().map(|flow| flow["delivered_bytes"].as_f64().map(|bytes| bytes / PAYLOAD)).sum()
    })
}
