//! Processes told apart for as long as the machine runs.

use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::process;
use std::str::FromStr;

/// A process: numbers are used again, but not at the same time, so the time at which it began tells it from others.
/// Written as the two joined by `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::system) struct Owner {
    pub(in crate::system) id: u32,
    /// In ticks of the kernel's clock since the machine began (proc(5)).
    started: u64,
}

impl Owner {
    pub(in crate::system) fn this_process() -> io::Result<Self> {
        let id = process::id();
        match began(id)? {
            Some(started) => Ok(Owner { id, started }),
            None => Err(io::Error::other("this process has ended")),
        }
    }

    pub(super) fn is_alive(self) -> bool {
        matches!(began(self.id), Ok(Some(started)) if started == self.started)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}", self.id, self.started)
    }
}

impl FromStr for Owner {
    type Err = io::Error;

    fn from_str(text: &str) -> io::Result<Self> {
        let numbers = text
            .split_once('-')
            .and_then(|(id, started)| Some(Owner { id: id.parse().ok()?, started: started.parse().ok()? }));
        numbers.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, format!("{text} names no process")))
    }
}

/// When a process began; `None` for one that has ended and of which only the exit status is kept.
fn began(id: u32) -> io::Result<Option<u64>> {
    let status = fs::read_to_string(format!("/proc/{id}/stat"))?;
    // The second field is the program's name, which may contain anything: what follows its closing parenthesis counts.
    let fields: Vec<&str> = status.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let ended = fields.first().is_none_or(|state| ["Z", "X"].contains(state));
    let started = fields.get(19).and_then(|ticks| ticks.parse().ok());
    let started =
        started.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, format!("/proc/{id}/stat is odd")))?;
    Ok(if ended { None } else { Some(started) })
}
