//! What interfaces must be like for an agent: nobody else forwards their frames.

use seamline_host::interface::primary_name;
use seamline_host::lock::{Lock, WITHOUT};
use seamline_host::{Line, explained};
use std::io::{self, ErrorKind};

/// The interfaces of an agent. No other agent can have them meanwhile.
#[derive(Debug)]
pub(super) struct Claim {
    locks: [Option<Lock>; 2],
}

impl Claim {
    /// # Errors
    /// If another agent has one of them, or one is missing.
    pub(super) fn new([wired, wireless]: &[String; 2]) -> io::Result<Self> {
        let locks = [lock(&primary_name(wired)?)?, lock(&primary_name(wireless)?)?];
        Ok(Claim { locks })
    }

    /// A warning if other agents cannot be kept away.
    pub(super) fn warning(&self) -> Option<Line> {
        self.locks.iter().any(Option::is_none).then(|| Line::new("warning").with("why", WITHOUT))
    }
}

fn lock(name: &str) -> io::Result<Option<Lock>> {
    Lock::take(&format!("agent-{name}")).map_err(|error| match error.kind() {
        ErrorKind::ResourceBusy => {
            let why = "another agent is at the interface already, and both would forward every frame";
            explained(error, format_args!("interface {name}: {why}"))
        }
        _ => explained(error, format_args!("interface {name}: checking for another agent")),
    })
}
