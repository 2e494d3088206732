//! The one thread that stores lines.

use seamline_experiment::lines::LineFile;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;

/// Lines that could not be stored.
#[derive(Debug)]
pub(crate) struct Unstored {
    pub(crate) cause: io::Error,
    pub(crate) lines: Vec<String>,
}

/// Store lines as they come. While the disk is busy lines gather, and all of them go in the next write, so
/// that every line is soon safe and the disk never holds up the runs. After a failure, which sets `failed`,
/// lines are kept.
pub(crate) fn write_lines(
    file: &mut LineFile,
    lines: Receiver<String>,
    failed: &AtomicBool,
) -> Result<(), Unstored> {
    while let Ok(first) = lines.recv() {
        let batch: Vec<String> = std::iter::once(first).chain(lines.try_iter()).collect();
        if let Err(cause) = file.append(&batch.concat()) {
            failed.store(true, Ordering::Relaxed);
            return keep(file, cause, batch, lines);
        }
    }
    Ok(())
}

/// Gather what still comes, and try once more at the end: another program may have made room.
fn keep(
    file: &mut LineFile,
    cause: io::Error,
    mut kept: Vec<String>,
    lines: Receiver<String>,
) -> Result<(), Unstored> {
    kept.extend(lines);
    let stored = kept.iter().take_while(|line| file.append(line).is_ok()).count();
    kept.drain(..stored);
    Err(Unstored { cause, lines: kept })
}
