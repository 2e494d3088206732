//! The programs at work, until somebody asks to stop.

use super::Arguments;
use crate::Outcome;
use crate::interrupt::Interrupt;
use crate::terminal::{Failure, note, print};
use seamline_sender::{Attached, Error, Off, Places};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long it may take until somebody who asks to stop is heard, at most.
const PATIENCE: Duration = Duration::from_millis(200);

pub(super) fn run(arguments: &Arguments) -> Outcome {
    let Some(cgroup) = arguments.cgroup.clone() else { return check() };
    let interrupt = Interrupt::listen()?;
    let places = Places {
        cgroup,
        interfaces: arguments.interface.clone(),
        destinations: arguments.destination.clone(),
    };
    let attached = Attached::new(&places).map_err(failure)?;
    warn_of(attached.off());
    if !arguments.quiet {
        note("ready", format!("connections that begin in {} heed handover marks", places.cgroup.display()));
    }
    while !interrupt.flag().load(Ordering::Relaxed) {
        let events = attached.wait(PATIENCE).map_err(failure)?;
        let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
        if !arguments.quiet && !lines.is_empty() {
            print(&lines)?;
        }
    }
    print(&attached.counters().map_err(failure)?.to_string())
}

fn check() -> Outcome {
    let off = seamline_sender::check().map_err(failure)?;
    warn_of(&off);
    let found = if off.is_empty() { "all programs" } else { "the other programs" };
    print(&format!("the kernel takes {found}\n"))
}

fn warn_of(off: &[Off]) {
    off.iter().for_each(|off| note("warning", off));
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Input(text) => Failure::Input(text),
        Error::Host(text) => Failure::Runtime(format!(
            "{text}\ntip: seamline doctor says what this host lacks for eBPF programs"
        )),
    }
}
