//! The process of `nft` that the table belongs to: the kernel removes the table with it, and it ends with this program, however that ends.
#![expect(
    unsafe_code,
    reason = "only an unsafe function can set what a new process does before its program begins"
)]

use nix::sys::signal::{SigSet, Signal};
use seamline_host::process::run;
use seamline_host::socket::pause;
use seamline_host::{clock, explained};
use seamline_wire::Duration;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// So long it may take to end; then it is killed.
const TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Owner {
    nft: Child,
}

impl Owner {
    /// # Errors
    /// When `nft` is missing, or was built without what reads commands.
    pub(super) fn new() -> io::Result<Self> {
        let version = run("nft", "nftables", &["-V"], "")?;
        if version.is_ok_and(|version| is_without_commands(&version)) {
            let why = "this nft cannot hold rules, for it was built without its command line (nft -V: \"cli: no\"): install one that has it";
            return Err(io::Error::new(io::ErrorKind::Unsupported, why));
        }
        let mut command = Command::new("nft");
        // It keeps a history of its input in a file in HOME; here it must not.
        command.arg("-i").env("HOME", "/dev/null").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let ignored = ignored_signals();
        // SAFETY: the closure makes one system call only, on a value made before.
        unsafe { command.pre_exec(move || Ok(ignored.thread_block()?)) };
        let nft = command.spawn().map_err(|error| explained(error, "running nft"))?;
        Ok(Owner { nft })
    }

    /// # Errors
    /// When it has ended.
    pub(super) fn write(&mut self, rules: &str) -> io::Result<()> {
        let written = self.nft.stdin.as_mut().map(|stdin| stdin.write_all(rules.as_bytes()));
        written.unwrap_or(Ok(())).map_err(|error| explained(error, "writing to nft, which holds the rules"))
    }

    /// # Errors
    /// When it has ended, and the table with it.
    pub(super) fn check(&mut self) -> io::Result<()> {
        match self.nft.try_wait()? {
            None => Ok(()),
            Some(status) => Err(io::Error::other(format!(
                "nft, which held the rules, has ended ({status}): without them no connection can stay split"
            ))),
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        drop(self.nft.stdin.take());
        let until = clock::monotonic() + TIMEOUT;
        while clock::monotonic() < until {
            if !matches!(self.nft.try_wait(), Ok(None)) {
                return;
            }
            pause(Duration::from_millis(2));
        }
        let _ = self.nft.kill();
        let _ = self.nft.wait();
    }
}

/// Signals that `nft` ignores. Ctrl-C and systemd send them to all processes of this program, but open connections need the rules until
/// they have ended.
fn ignored_signals() -> SigSet {
    [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect()
}

/// `version` is the output of `nft -V`.
fn is_without_commands(version: &str) -> bool {
    version.lines().any(|line| line.trim().strip_prefix("cli:").is_some_and(|cli| cli.trim() == "no"))
}

#[cfg(test)]
mod tests {
    use super::is_without_commands;

    /// As main.c of nftables 1.0.6 prints it.
    #[test]
    fn a_build_without_commands_is_known() {
        let reported =
            |cli: &str| format!("nftables v1.0.6 (Lester Gooch #5)\n  cli:\t\t{cli}\n  json:\t\tno\n");
        assert!(is_without_commands(&reported("no")));
        assert!(!is_without_commands(&reported("editline")) && !is_without_commands(&reported("readline")));
    }
}
