//! Who runs first.
#![expect(unsafe_code, reason = "sched_setscheduler has no safe wrapper")]

use nix::errno::Errno;
use std::fmt;

const RESET_ON_FORK: libc::c_int = 0x4000_0000;

/// How the calling thread is scheduled (sched(7)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// At the lowest real-time priority: before all programs that are not real-time.
    RealTime,
    /// As other programs, since the process may not change it.
    Normal(Errno),
    /// As it was; nobody asked for anything else.
    AsBefore,
}

impl fmt::Display for Scheduling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scheduling::RealTime => f.write_str("real-time"),
            Scheduling::Normal(why) => write!(f, "normal ({})", why.desc()),
            Scheduling::AsBefore => f.write_str("normal"),
        }
    }
}

/// Have the calling thread run before programs that are not real-time, if the process may (`CAP_SYS_NICE`, or `RLIMIT_RTPRIO`). Threads that it
/// starts are scheduled as usual. The kernel leaves a share of each processor to the others.
pub fn run_first() -> Scheduling {
    // SAFETY: the calls take numbers and return one.
    let (current, lowest) =
        unsafe { (libc::sched_getscheduler(0), libc::sched_get_priority_min(libc::SCHED_RR)) };
    match set_policy(libc::SCHED_RR, lowest) {
        // Who has started it may have done so.
        Err(_) if [libc::SCHED_RR, libc::SCHED_FIFO].contains(&(current & !RESET_ON_FORK)) => {
            Scheduling::RealTime
        }
        Err(why) => Scheduling::Normal(why),
        Ok(_) => Scheduling::RealTime,
    }
}

/// Set the calling thread's policy, which nothing that it starts inherits.
///
/// # Errors
/// When the process may not.
pub fn set_policy(policy: libc::c_int, priority: libc::c_int) -> nix::Result<()> {
    // SAFETY: `sched_param` is integers alone, for which zero is a value.
    let mut parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    parameters.sched_priority = priority;
    // SAFETY: 0 is the calling thread, and the kernel only reads the parameters, which outlive the call.
    let result = unsafe { libc::sched_setscheduler(0, policy | RESET_ON_FORK, &raw const parameters) };
    Errno::result(result).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread of its own, so that the other tests run as before.
    #[test]
    fn what_is_reported_is_what_the_kernel_says() {
        let [policy, of_child, reported] = std::thread::spawn(|| {
            // SAFETY: it takes a number and returns one.
            let policy = || unsafe { libc::sched_getscheduler(0) } & 0xff;
            let reported = i32::from(run_first() == Scheduling::RealTime) * libc::SCHED_RR;
            [policy(), std::thread::spawn(policy).join().unwrap(), reported]
        })
        .join()
        .unwrap();
        assert_eq!((policy, of_child), (reported, libc::SCHED_OTHER));
    }
}
