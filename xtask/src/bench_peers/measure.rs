//! CPU time of whole processes, from the operating system.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::process::Command;

/// What one process did.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    /// Packets delivered, as the process printed.
    pub(super) packets: f64,
    /// User and system time in seconds.
    pub(super) cpu_seconds: f64,
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

/// Run a process to its end; `packets` reads from its output the number of packets it delivered. No other child of this process may end
/// meanwhile.
pub(super) fn process_with(
    command: &mut Command,
    packets: impl Fn(&str) -> Option<f64>,
) -> Result<Measured, String> {
    let describe = format!("{command:?}");
    let before = children_cpu_microseconds()?;
    let output = command.output().map_err(|e| format!("{describe}: {e}"))?;
    let after = children_cpu_microseconds()?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!(
            "{describe}: {}: {text}{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    Ok(Measured {
        packets: packets(&text).ok_or_else(|| format!("{describe}: printed no number of packets: {text}"))?,
        cpu_seconds: (after - before) as f64 / 1e6,
    })
}

fn children_cpu_microseconds() -> Result<i64, String> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|e| format!("getrusage: {e}"))?;
    Ok(usage.user_time().num_microseconds() + usage.system_time().num_microseconds())
}
