//! The files of shards come together.

use crate::error::Error;
use crate::json_lines::{self, Rest};
use crate::store::{Keys, Line, each_line, open};
use crate::sweep::{Progress, Shard};
use seamline_experiment::lines::LineFile;
use std::path::{Path, PathBuf};

/// Bytes that are appended together where lines move from file to file.
const BATCH: usize = 1 << 20;

/// Take the lines of shards that are done into the main file. What cannot be read of a file stays where it is.
pub(crate) fn merge(file: &mut LineFile, others: &[PathBuf], progress: &dyn Progress) -> Result<(), Error> {
    let main = [file.path().to_owned()];
    let mut known = Keys::default();
    each_line(&main, &mut known, drop)?;
    for path in others.iter().filter(|path| Shard::owns(path)) {
        let (shard, _) = match open(path) {
            Err(Error::Refused { reason, .. }) => {
                progress.note(&format!("{reason}; it is left in place"));
                continue;
            }
            opened => opened?,
        };
        let Rest { damaged, .. } = json_lines::each_of(path, |_: Line| {})?;
        if !damaged.is_empty() {
            progress.note(&format!("{} contains unreadable lines and is left in place", path.display()));
            continue;
        }
        let moved = append_lines_of(path, file, &mut known)?;
        shard.remove().map_err(|cause| Error::write(path, cause))?;
        progress.note(&format!("{}: {moved} runs moved into {}", path.display(), file.path().display()));
    }
    Ok(())
}

/// Append those lines of a file that are not known to another, a few at a time. Returns how many that were.
fn append_lines_of(path: &Path, to: &mut LineFile, known: &mut Keys) -> Result<usize, Error> {
    let (mut batch, mut moved, mut written) = (String::new(), 0, Ok(()));
    let mut append = |batch: &mut String| {
        if written.is_ok() {
            written = to.append(batch).map_err(|cause| Error::write(to.path(), cause));
        }
        batch.clear();
    };
    let take = |line: Line| {
        moved += 1;
        batch.extend(line.to_text());
        if batch.len() >= BATCH {
            append(&mut batch);
        }
    };
    each_line(&[path.to_owned()], known, take)?;
    append(&mut batch);
    written.map(|()| moved)
}
