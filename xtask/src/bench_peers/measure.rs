//! CPU time and memory of whole processes, from the operating system.

use nix::libc;
use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

/// Linux counts the memory of a process in KiB, macOS in bytes.
const MEMORY_UNIT: f64 = if cfg!(target_os = "macos") { 1.0 } else { 1024.0 };

/// What one process did.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    /// Packets delivered, as the process printed.
    pub(super) packets: f64,
    /// User and system time in seconds.
    pub(super) cpu_seconds: f64,
    /// The most memory that was resident, in bytes; at least that of this process, which the system counts until the other program starts.
    pub(super) peak_bytes: f64,
}

impl Measured {
    /// Packets delivered for each second of CPU time.
    pub(super) fn rate(&self) -> f64 {
        self.packets / self.cpu_seconds
    }
}

/// Run a process to its end; its output's first word is the number of packets it delivered.
pub(super) fn process(command: &mut Command) -> Result<Measured, String> {
    process_with(command, |text| text.split_whitespace().next()?.parse().ok())
}

/// Run a process to its end; `packets` reads from its output the number of packets it delivered.
pub(super) fn process_with(
    command: &mut Command,
    packets: impl Fn(&str) -> Option<f64>,
) -> Result<Measured, String> {
    let describe = format!("{command:?}");
    let ended = run(command).map_err(|error| format!("{describe}: {error}"))?;
    let text = ended.output;
    if !ended.status.success() {
        return Err(format!("{describe}: {}: {text}{}", ended.status, ended.errors));
    }
    Ok(Measured {
        packets: packets(&text).ok_or_else(|| format!("{describe}: printed no number of packets: {text}"))?,
        cpu_seconds: seconds(ended.usage.ru_utime) + seconds(ended.usage.ru_stime),
        peak_bytes: ended.usage.ru_maxrss as f64 * MEMORY_UNIT,
    })
}

struct Ended {
    status: ExitStatus,
    usage: libc::rusage,
    output: String,
    errors: String,
}

fn run(command: &mut Command) -> io::Result<Ended> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // Both pipes at the same time: a process waits when one of them is full.
    let errors = child.stderr.take().map(|pipe| thread::spawn(|| text(pipe)));
    let output = child.stdout.take().map(text).transpose()?.unwrap_or_default();
    let (status, usage) = wait(&child)?;
    let errors = errors.and_then(|reader| reader.join().ok()).transpose()?.unwrap_or_default();
    Ok(Ended { status, usage, output, errors })
}

fn text(mut pipe: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    pipe.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Wait for the end of a process, and for what it used. The usage of all children together has no peak memory of a single one.
fn wait(child: &Child) -> io::Result<(ExitStatus, libc::rusage)> {
    let (mut status, mut usage) = (0, MaybeUninit::zeroed());
    #[expect(unsafe_code, reason = "neither the standard library nor nix reports what one child used")]
    // SAFETY: both pointers are valid, and a `rusage` of zeros is valid should the call fail.
    let (ended, usage) = unsafe {
        let ended = libc::wait4(child.id().cast_signed(), &raw mut status, 0, usage.as_mut_ptr());
        (ended, usage.assume_init())
    };
    match ended {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok((ExitStatus::from_raw(status), usage)),
    }
}

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_measured_by_itself() {
        let shell = |script: &str| process(Command::new("sh").args(["-c", script]));
        let large = shell("x=$(head -c 50000000 /dev/zero | tr '\\0' x); echo 7 packets").unwrap();
        let small = shell("echo 8; head -c 200000 /dev/zero >&2").unwrap();
        assert_eq!((large.packets, small.packets), (7.0, 8.0));
        assert!(large.peak_bytes > small.peak_bytes + 2e7, "{large:?} {small:?}");
        assert!(large.cpu_seconds > small.cpu_seconds && small.cpu_seconds > 0.0, "{large:?} {small:?}");
        assert!(shell("echo none").unwrap_err().contains("no number of packets"));
        assert!(shell("echo lost >&2; exit 3").unwrap_err().contains("lost"));
    }
}
