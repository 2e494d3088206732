//! Waiting for a guest, and saying why one ended badly.

use super::machine::Running;
use super::shared::Shared;
use seamline_wire::{Duration, Instant};
use std::fmt;
use std::fs;
use std::io;
use std::process::ExitStatus;
use std::thread;
use std::time;

/// How often the host looks.
const LOOK_EVERY: time::Duration = time::Duration::from_millis(5);
/// A guest whose clock stands still for so long is reported.
const STANDS_STILL: time::Duration = time::Duration::from_secs(20);
/// Lines of the kernel's log in an error.
const LOG_LINES: usize = 12;

/// How a guest ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with a result.
    Complete,
    /// The caller gave it up.
    Stopped,
}

/// Why a guest has no result.
#[derive(Debug)]
pub enum GuestError {
    /// Its kernel gave up: what it printed last.
    Panicked(String),
    /// Its kernel ended early: how, and what it printed last.
    Died(ExitStatus, String),
    /// The host does not let it run.
    Host(io::Error),
}

impl fmt::Display for GuestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GuestError::Panicked(log) => write!(f, "the guest's kernel panicked; its last words:\n{log}"),
            GuestError::Died(status, log) if log.is_empty() => {
                write!(f, "the guest's kernel ended early ({status}) and printed nothing")
            }
            GuestError::Died(status, log) => {
                write!(f, "the guest's kernel ended early ({status}); its last words:\n{log}")
            }
            GuestError::Host(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for GuestError {}

impl From<io::Error> for GuestError {
    fn from(error: io::Error) -> Self {
        GuestError::Host(error)
    }
}

/// What the host sees of a guest while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glance {
    /// The virtual time since the program began.
    pub now: Instant,
    /// Whether the clock has stood still for long: a program computes or polls without ever waiting.
    pub stands_still: bool,
}

impl Running {
    /// Wait until it ends. `look` is called every few milliseconds, and ends the guest by returning `false`.
    ///
    /// # Errors
    /// When it ends without a result.
    pub fn wait(&mut self, look: &mut dyn FnMut(Glance) -> bool) -> Result<Ended, GuestError> {
        let mut glance = Glance { now: Instant::ZERO, stands_still: false };
        let mut moved = clock();
        loop {
            if self.has_ended()? {
                let status = self.end()?;
                return self.ended(status);
            }
            let now = self.progress();
            if now != glance.now {
                (glance.now, moved) = (now, clock());
            }
            glance.stands_still = moved.elapsed() >= STANDS_STILL;
            if !look(glance) {
                return Ok(Ended::Stopped);
            }
            wait_a_little();
        }
    }

    fn progress(&self) -> Instant {
        let written = fs::read(self.path(Shared::Progress)).unwrap_or_default();
        let nanos = written.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        Instant::ZERO + Duration::from_nanos(nanos)
    }

    fn ended(&self, status: ExitStatus) -> Result<Ended, GuestError> {
        if self.path(Shared::Result).exists() {
            return Ok(Ended::Complete);
        }
        if let Some(error) = self.ran_out_of_room() {
            return Err(error.into());
        }
        let log = self.log();
        let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
        Err(match log.contains("Kernel panic") {
            true => GuestError::Panicked(last),
            false => GuestError::Died(status, last),
        })
    }
}

#[expect(clippy::disallowed_methods, reason = "waits for a process of the host")]
fn wait_a_little() {
    thread::sleep(LOOK_EVERY);
}

#[expect(clippy::disallowed_methods, reason = "how long a process takes")]
pub(super) fn clock() -> time::Instant {
    time::Instant::now()
}
