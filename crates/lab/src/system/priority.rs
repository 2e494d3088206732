//! Letting the thread that forwards packets run when its time has come.

use nix::sys::prctl;
use rustix::process::setpriority_process;
use seamline_host::scheduling::set_policy;
use std::fmt;

/// Below the kernel's own threads that serve interrupts (50), above everything ordinary.
const REAL_TIME_PRIORITY: libc::c_int = 10;

/// How a thread is preferred to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// It runs before all ordinary threads (`SCHED_FIFO`).
    RealTime,
    /// It gets most of a processor that it shares (nice -20).
    Favoured,
    /// As everything else.
    Ordinary,
}

impl fmt::Display for Priority {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Priority::RealTime => write!(formatter, "SCHED_FIFO {REAL_TIME_PRIORITY}"),
            Priority::Favoured => formatter.write_str("nice -20"),
            Priority::Ordinary => formatter.write_str("ordinary"),
        }
    }
}

/// Prefer the calling thread as much as this process may, and let its sleeps end on time instead of within 50 microseconds.
/// Threads and processes that it starts are ordinary again, but for how exact their sleeps are ([`super::Command`]
/// resets that for what it runs).
///
/// The kernel stops real-time threads that never sleep for 50 ms of each second: the thread must wait for its work.
#[must_use = "reports include the priority obtained"]
pub fn raise() -> Priority {
    // It cannot fail: every process may set 1 ns.
    let _ = prctl::set_timerslack(1);
    if set_policy(libc::SCHED_FIFO, REAL_TIME_PRIORITY).is_ok() {
        return Priority::RealTime;
    }
    let favoured = set_policy(libc::SCHED_OTHER, 0).is_ok() && setpriority_process(None, -20).is_ok();
    if favoured { Priority::Favoured } else { Priority::Ordinary }
}
