//! Where results are to go, checked before anything runs.

use crate::Outcome;
use crate::terminal::Failure;
use seamline_experiment::atomic::AtomicFile;
use seamline_experiment::pages::is_page;
use std::path::Path;

/// Check a folder for results, and make it if need be. `option` names the argument.
pub(crate) fn folder(option: &str, folder: &Path) -> Outcome {
    if folder.exists() && !folder.is_dir() {
        let tip = "give a directory; it is created if it does not exist";
        return Err(refused(option, folder, "it is a file, not a directory", tip));
    }
    let tip = "choose another directory; it is created if it does not exist";
    // Unfinished, it leaves nothing behind.
    let probe = AtomicFile::create(&folder.join("probe"));
    probe.map(drop).map_err(|error| refused(option, folder, &error.cause.to_string(), tip))
}

/// Check that a file is new, unless `force` lets it be replaced.
pub(crate) fn new_file(file: &Path, force: bool) -> Outcome {
    if file.exists() && !force {
        let message = format!("{} exists\ntip: choose another file, or use --force", file.display());
        return Err(Failure::Input(message));
    }
    Ok(())
}

/// Check the place of a report: a single page, or a folder.
pub(crate) fn report(option: &str, place: &Path) -> Outcome {
    if !is_page(place) {
        return folder(option, place);
    }
    if place.is_dir() {
        let tip = "a name that ends in .html is that of a page; choose another one";
        return Err(refused(option, place, "it is a directory", tip));
    }
    let above = place.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    folder(option, above)
}

fn refused(option: &str, place: &Path, why: &str, tip: &str) -> Failure {
    Failure::Input(format!("{option}: cannot write to `{}`: {why}\ntip: {tip}", place.display()))
}
