//! Letting new connections pass while those that are split are not handed on.

use super::rules::{Passed, Rules};
use seamline_daemon::Line;
use seamline_daemon::clock;
use seamline_wire::{Duration, Instant};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// After so long without a turn of the loop, which comes every 100 ms, new connections pass.
const PATIENCE: Duration = Duration::from_millis(500);
const LOOK: u8 = 100;
/// How often the kernel is asked for its counts.
const COUNT: Duration = Duration::from_secs(1);

/// What the threads know of each other.
#[derive(Debug)]
pub(super) struct Shared {
    rules: Mutex<Rules>,
    /// When the loop came round last, by the monotonic clock, in nanoseconds.
    progress: AtomicU64,
    pub(super) stop: AtomicBool,
    /// The loop does not come round.
    pub(super) is_stalled: AtomicBool,
    pub(super) stalls: AtomicU64,
    /// What the kernel has counted: see [`Passed`].
    pub(super) taken: AtomicU64,
    pub(super) passed: AtomicU64,
}

impl Shared {
    pub(super) fn new(rules: Rules) -> Self {
        Shared {
            rules: Mutex::new(rules),
            progress: AtomicU64::new(clock::monotonic().as_nanos()),
            stop: AtomicBool::new(false),
            is_stalled: AtomicBool::new(false),
            stalls: AtomicU64::new(0),
            taken: AtomicU64::new(0),
            passed: AtomicU64::new(0),
        }
    }
    pub(super) fn rules(&self) -> MutexGuard<'_, Rules> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
    pub(super) fn come_round(&self) {
        self.progress.store(clock::monotonic().as_nanos(), Ordering::Relaxed);
    }

    /// Ask the kernel for its counts. That it does not answer ends nothing.
    pub(super) fn count(&self) {
        if let Ok(Passed { taken, passed }) = Rules::passed() {
            self.taken.store(taken, Ordering::Relaxed);
            self.passed.store(passed, Ordering::Relaxed);
        }
    }

    /// Until it is to stop. The loop itself begins again to take connections, once it comes round.
    pub(super) fn guard(&self, say: impl Fn(Line)) {
        let mut counted_at = Instant::ZERO;
        while !self.stop.load(Ordering::Relaxed) {
            let _ = nix::poll::poll(&mut [], nix::poll::PollTimeout::from(LOOK));
            let progress = Instant::from_nanos(self.progress.load(Ordering::Relaxed));
            let now = clock::monotonic();
            if now.saturating_since(counted_at) >= COUNT {
                counted_at = now;
                self.count();
            }
            let silent = now.saturating_since(progress);
            if silent > PATIENCE && !self.is_stalled.swap(true, Ordering::SeqCst) {
                self.stalls.fetch_add(1, Ordering::Relaxed);
                let done = self.rules().take(false);
                let line = Line::new("bypass")
                    .with("why", "the agent does not come round: new connections pass")
                    .with("for_ms", silent.as_millis());
                say(match done {
                    Ok(()) => line,
                    Err(error) => line.with("error", error.to_string()),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::split::rules::Entrance;
    use seamline_lab::system::Namespace;
    use std::process::Command;
    use std::thread;

    fn begins() -> bool {
        let listed = Command::new("nft").args(["list", "chain", "inet", "seamline_split", "begin"]).output();
        String::from_utf8(listed.unwrap().stdout).unwrap().contains("tproxy")
    }

    /// Nobody comes round: within a second nothing is handed over any more.
    #[test]
    fn new_connections_pass_while_the_loop_hangs() {
        let has_nft = Command::new("nft").arg("-v").output().is_ok();
        let Some(namespace) = Namespace::new().ok().filter(|_| has_nft) else {
            let strict = std::env::var_os("SEAMLINE_UNEXPECTED_SKIPS").is_some_and(|value| value == "fail");
            assert!(!strict, "new_connections_pass_while_the_loop_hangs may not be skipped here");
            return println!("SKIPPED new_connections_pass_while_the_loop_hangs: it takes root, and nft");
        };
        namespace
            .within(|| -> std::io::Result<()> {
                assert!(Command::new("ip").args(["link", "set", "lo", "up"]).status()?.success());
                let entrance =
                    Entrance { interface: "b0".to_owned(), listener: "127.0.0.1:1".parse().unwrap() };
                let rules = Rules::new(&["b0".to_owned(), "b1".to_owned()], vec![entrance], false)?;
                let shared = Shared::new(rules);
                let (said, lines) = std::sync::mpsc::channel();
                thread::scope(|scope| {
                    scope.spawn(|| shared.guard(|line| said.send(line).unwrap()));
                    for _ in 0..10 {
                        shared.come_round();
                        let _ = nix::poll::poll(&mut [], nix::poll::PollTimeout::from(100_u8));
                    }
                    assert!(begins() && lines.try_recv().is_err());
                    let hung = clock::monotonic();
                    while begins() {
                        assert!(clock::monotonic().saturating_since(hung) < Duration::from_secs(1));
                    }
                    shared.stop.store(true, Ordering::SeqCst);
                });
                assert_eq!(lines.recv().unwrap().event, "bypass");
                assert_eq!(shared.stalls.load(Ordering::SeqCst), 1);
                Ok(())
            })
            .unwrap();
    }
}
