//! What is kept of a build.

use super::Plan;
use super::work::Work;
use crate::Error;
use crate::check::release;
use crate::configuration::congestion_controls;
use crate::edits;
use crate::error::failed;
use crate::record::{CONFIG, IMAGE, MODULES, Origin, RECORD, Record};
use crate::store::remove;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Collect the image, the configuration, the modules and the record in a folder.
///
/// # Errors
/// When the image does not run, or something cannot be copied.
pub(super) fn complete(
    work: &Work,
    plan: &Plan,
    origin: Origin,
    missing_options: Vec<String>,
    modules: &[PathBuf],
) -> Result<PathBuf, Error> {
    let complete = work.at("complete");
    remove(&complete)?;
    let folder = complete.join(MODULES);
    fs::create_dir_all(&folder).map_err(failed("cannot create", &folder))?;
    let image = complete.join(IMAGE);
    copy(&work.objects().join(IMAGE), &image)?;
    copy(&work.objects().join(".config"), &complete.join(CONFIG))?;
    for module in modules {
        copy(module, &folder.join(module.file_name().unwrap_or_default()))?;
    }
    let config = fs::read_to_string(complete.join(CONFIG)).map_err(failed("cannot read", &complete))?;
    let release = release(&image)?;
    let record = Record {
        changes: edits::reasons(&release)?,
        release,
        hz: plan.hz,
        origin,
        built: now(),
        built_by: env!("CARGO_PKG_VERSION").to_owned(),
        congestion_controls: congestion_controls(&config),
        missing_options,
    };
    let text = serde_json::to_vec_pretty(&record).map_err(|error| Error::Failed(error.to_string()))?;
    let path = complete.join(RECORD);
    fs::write(&path, text).map_err(failed("cannot write", &path))?;
    Ok(complete)
}

fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    fs::copy(from, to).map(drop).map_err(failed("cannot copy", from))
}

/// Seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "the record says when the kernel was built")]
fn now() -> u64 {
    std::time::SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
