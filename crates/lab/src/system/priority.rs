//! Letting the thread that forwards packets run when its time has come.
#![expect(unsafe_code, reason = "no safe wrapper sets a thread's scheduling policy")]

use nix::sys::prctl;
use rustix::process::setpriority_process;
use std::fmt;
use std::io;

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

/// Set the calling thread's policy, which nothing that it starts inherits.
fn set_policy(policy: libc::c_int, priority: libc::c_int) -> io::Result<()> {
    // SAFETY: `sched_param` is integers alone, for which zero is a value.
    let mut parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    parameters.sched_priority = priority;
    // SAFETY: 0 is the calling thread, and the kernel only reads the parameters, which outlive the call.
    let result =
        unsafe { libc::sched_setscheduler(0, policy | libc::SCHED_RESET_ON_FORK, &raw const parameters) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
