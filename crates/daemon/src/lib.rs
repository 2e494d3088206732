//! What programs have in common that run for long on real hosts: a log that holds nobody up, the two clocks, a socket at which they are told things, and errors that say what was tried.

#[cfg(target_os = "linux")]
pub mod clock;
#[cfg(target_os = "linux")]
pub mod control;
pub mod journal;
pub mod log;

pub use journal::Journal;
pub use log::Line;

use std::fmt::Display;
use std::io;

/// The same kind of error, which also says what was tried.
pub fn explained(error: impl Into<io::Error>, tried: impl Display) -> io::Error {
    let error = error.into();
    io::Error::new(error.kind(), format!("{tried}: {error}"))
}
