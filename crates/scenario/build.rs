//! Notes the commit this is built from, for the provenance of results.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rustc-env=SEAMLINE_REVISION={}", revision().unwrap_or_else(|| "unknown".to_owned()));
    let log = Path::new("../../.git/logs/HEAD");
    if log.exists() {
        println!("cargo:rerun-if-changed={}", log.display());
    }
    println!("cargo:rerun-if-changed=build.rs");
}

fn revision() -> Option<String> {
    let arguments = ["describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"];
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    (output.status.success() && !text.is_empty()).then(|| text.to_owned())
}
