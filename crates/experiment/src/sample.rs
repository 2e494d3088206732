//! A sample recording, for users without one.

use crate::atomic::{self, WriteError};
use seamline_net::generate::{StarlinkParameters, path_log, starlink};
use seamline_wire::Duration;
use seamline_wire::random::Stream;
use std::path::{Path, PathBuf};

const LENGTH: Duration = Duration::from_secs(120);

/// Write a satellite path log in LeoEM's format, made by the Starlink generator.
///
/// # Errors
/// When the file cannot be written.
pub fn write_path_log(path: &Path) -> Result<PathBuf, WriteError> {
    let made = starlink(&StarlinkParameters::downlink(LENGTH), Stream::new(1, "sample/path"));
    let schedule = made.expect("the generator's own parameters make a schedule");
    atomic::write(path, path_log(&schedule, LENGTH).as_bytes())
}
