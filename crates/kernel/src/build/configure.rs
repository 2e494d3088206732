//! Writing the configuration, and checking what came of it.

use super::work::Work;
use crate::configuration::{fragment, lacking, wanted};
use crate::error::failed;
use crate::{Error, process};
use std::fs;
use std::sync::atomic::AtomicBool;

/// Configure with the list and the options of the edits. Returns the wanted options that this kernel does not have.
///
/// # Errors
/// When it lacks a required one.
pub(super) fn configure(work: &Work, options: &[String], stop: &AtomicBool) -> Result<Vec<String>, Error> {
    let wanted = wanted(options);
    let list = work.at("wanted.config");
    fs::write(&list, fragment(&wanted)).map_err(failed("cannot write", &list))?;
    let objects = work.objects();
    fs::create_dir_all(&objects).map_err(failed("cannot create", &objects))?;
    let log = work.log("configure")?;
    let mut make = work.make();
    make.arg(format!("KCONFIG_ALLCONFIG={}", list.display())).arg("allnoconfig");
    if !process::run(&mut make, &log, stop, &mut |_| ())? {
        return Err(Error::Failed(format!(
            "the kernel cannot be configured:\n{}the log is {}",
            process::errors_in(&log),
            log.display()
        )));
    }
    let config = objects.join(".config");
    let config = fs::read_to_string(&config).map_err(failed("cannot read", &config))?;
    let lacking = lacking(&wanted, &config);
    if lacking.required.is_empty() {
        return Ok(lacking.wanted);
    }
    Err(Error::Input(format!(
        "this kernel cannot be used: it has no {}\ntip: use another version, such as {}",
        lacking.required.join(", "),
        crate::store::RECOMMENDED
    )))
}
