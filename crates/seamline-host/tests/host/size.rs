//! The size of `seamline-host` as it is installed: built for release, without symbols.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The largest size in bytes. A file of less than a quarter of it cannot be the whole command.
const MOST: u64 = 4_000_000;

#[test]
fn the_release_build_stays_small() {
    let skip = |why: String| seamline_testing::skip("the_release_build_stays_small", why);
    let binaries = Path::new(env!("CARGO_BIN_EXE_seamline-host")).parent().unwrap();
    let release = binaries.with_file_name("release").join("seamline-host");
    if !release.is_file() {
        return skip(format!("{} was not built", release.display()));
    }
    let folder = tempfile::tempdir().unwrap();
    let stripped = folder.path().join("stripped");
    match Command::new("strip").arg("-o").arg(&stripped).arg(&release).status() {
        Ok(status) => assert!(status.success(), "strip: {status}"),
        Err(error) => return skip(format!("strip: {error}")),
    }
    let bytes = fs::metadata(stripped).unwrap().len();
    assert!((MOST / 4..MOST).contains(&bytes), "{bytes} bytes, at most {MOST} are allowed");
}
