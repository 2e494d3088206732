//! Processes with an identity for as long as the machine runs.

use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::process;
use std::str::FromStr;

/// A process: numbers are used again, but not at the same time, so a process is identified together with the time at which it began.
/// Numbers mean something in one PID namespace only. Written as the three joined by `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::system) struct Owner {
    pub(in crate::system) id: u32,
    /// In ticks of the kernel's clock since the machine began (proc(5)).
    started: u64,
    /// The inode of its PID namespace (namespaces(7)).
    namespace: u64,
}

impl Owner {
    pub(in crate::system) fn this_process() -> io::Result<Self> {
        let id = process::id();
        match began(id)? {
            Some(started) => Ok(Owner { id, started, namespace: numbered_in()? }),
            None => Err(io::Error::other("this process has ended")),
        }
    }

    /// Whether it has ended for certain: of processes in other PID namespaces nothing is known.
    pub(super) fn has_ended(self) -> bool {
        let is_known_here = numbered_in().is_ok_and(|namespace| namespace == self.namespace);
        is_known_here && !matches!(began(self.id), Ok(Some(started)) if started == self.started)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}-{}", self.id, self.started, self.namespace)
    }
}

impl FromStr for Owner {
    type Err = io::Error;

    fn from_str(text: &str) -> io::Result<Self> {
        let numbers: Vec<u64> = text.split('-').map_while(|number| number.parse().ok()).collect();
        let owner = match numbers[..] {
            [id, started, namespace] => u32::try_from(id).ok().map(|id| Owner { id, started, namespace }),
            _ => None,
        };
        owner.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, format!("{text} names no process")))
    }
}

/// The PID namespace in which processes have their numbers here.
fn numbered_in() -> io::Result<u64> {
    fs::metadata("/proc/self/ns/pid").map(|namespace| namespace.ino())
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
