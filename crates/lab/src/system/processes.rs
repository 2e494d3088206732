//! Processes inside namespaces: finding them, and ending them.

use super::{Identity, Namespace, explained};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process;
use std::time::{Duration, Instant};

/// How often those that begin while others end are looked for.
const ROUNDS: usize = 20;
/// How long the kernel may take to end a process that cannot refuse.
const KILLING: Duration = Duration::from_secs(2);

/// The processes that run in the namespace, this one excepted.
///
/// # Errors
/// When `/proc` cannot be read.
pub fn processes_in(namespace: &Namespace) -> io::Result<Vec<u32>> {
    having(&BTreeSet::from([namespace.identity()?]))
}

/// End all processes in the namespaces, this one excepted: by SIGTERM, and those that still run after the `grace` by SIGKILL.
/// Says which there were.
///
/// # Errors
/// When some cannot be ended, as another user's.
pub fn end_all(namespaces: &[&Namespace], grace: Duration) -> io::Result<Vec<u32>> {
    let identities = namespaces.iter().map(|namespace| namespace.identity()).collect::<io::Result<_>>()?;
    end(|| having(&identities), grace)
}

/// The processes whose namespace is one of these, this one excepted.
pub(super) fn having(identities: &BTreeSet<Identity>) -> io::Result<Vec<u32>> {
    // Of those that have just ended, or are another user's, nothing is known: they are none of ours.
    let is_inside = |id: &u32| Identity::of_process(*id).is_ok_and(|identity| identities.contains(&identity));
    Ok(all()?.into_iter().filter(is_inside).collect())
}

/// All processes, this one excepted.
pub(super) fn all() -> io::Result<Vec<u32>> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")? {
        found.extend(entry?.file_name().to_str().and_then(|name| name.parse::<u32>().ok()));
    }
    found.retain(|id| *id != process::id());
    Ok(found)
}

/// End what `find` finds, again and again until it finds nothing.
pub(super) fn end(find: impl Fn() -> io::Result<Vec<u32>>, grace: Duration) -> io::Result<Vec<u32>> {
    let mut ended = BTreeSet::new();
    let asked = hold(&find)?;
    signal(&asked, Signal::TERM, &mut ended);
    wait_for(asked.iter().map(|(_, process)| process.as_fd()), grace);
    for _ in 0..ROUNDS {
        let left = hold(&find)?;
        if left.is_empty() {
            return Ok(ended.into_iter().collect());
        }
        signal(&left, Signal::KILL, &mut ended);
        wait_for(left.iter().map(|(_, process)| process.as_fd()), KILLING);
    }
    Err(io::Error::other(format!(
        "processes {:?} do not end; `sudo kill -9` with their numbers may",
        find()?
    )))
}

/// References to the processes found, which stay theirs even if others get their numbers.
fn hold(find: impl Fn() -> io::Result<Vec<u32>>) -> io::Result<Vec<(u32, OwnedFd)>> {
    let mut held = Vec::new();
    for id in find()? {
        match refer_to(id) {
            Ok(process) => held.push((id, process)),
            // It has ended since it was found.
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
            Err(error) => return Err(explained(error, format_args!("referring to process {id}"))),
        }
    }
    // A process that is found again has not ended between being found and being referred to.
    let again = if held.is_empty() { Vec::new() } else { find()? };
    Ok(held.into_iter().filter(|(id, _)| again.contains(id)).collect())
}

/// A descriptor of the process, which can be read from when it has ended.
pub(super) fn refer_to(id: u32) -> io::Result<OwnedFd> {
    let id = i32::try_from(id).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidInput)?;
    Ok(pidfd_open(id, PidfdFlags::empty())?)
}

fn signal(processes: &[(u32, OwnedFd)], signal: Signal, reached: &mut BTreeSet<u32>) {
    for (id, process) in processes {
        // One that has just ended needs no signal, and one that refuses it will be found again.
        if pidfd_send_signal(process, signal).is_ok() {
            reached.insert(*id);
        }
    }
}

/// Wait until all of them have ended, but no longer than this.
pub(crate) fn wait_for<'a>(processes: impl IntoIterator<Item = BorrowedFd<'a>>, time: Duration) {
    #[expect(clippy::disallowed_methods, reason = "real processes end in real time")]
    let until = Instant::now() + time;
    for process in processes {
        if !ends_before(process, until) {
            return;
        }
    }
}

/// Wait until the process has ended, but no longer than `until`; whether it has.
fn ends_before(process: BorrowedFd<'_>, until: Instant) -> bool {
    loop {
        #[expect(clippy::disallowed_methods, reason = "real processes end in real time")]
        let left = until.saturating_duration_since(Instant::now());
        // Rounded up, so that the last wait is no busy one.
        let timeout =
            PollTimeout::try_from(left.as_millis() + u128::from(!left.is_zero())).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(process, PollFlags::POLLIN)], timeout) {
            Ok(1..) => return true,
            Ok(_) if left.is_zero() => return false,
            _ => {}
        }
    }
}
