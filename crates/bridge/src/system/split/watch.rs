//! Letting new connections pass while those that are split are not handed on.

use super::routes::Routes;
use super::rules::{Passed, Rules};
use seamline_host::Line;
use seamline_host::clock;
use seamline_wire::{Duration, Instant};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// After so long without a turn of the loop, which comes every 100 ms, new connections pass.
const TIMEOUT: Duration = Duration::from_millis(500);
const LOOK: u8 = 100;
/// How often the kernel is asked for its counts, and for the way of what is handed over.
const ASK: Duration = Duration::from_secs(1);

/// What the threads know of each other.
#[derive(Debug)]
pub(super) struct Shared {
    rules: Mutex<Rules>,
    routes: Arc<Routes>,
    /// When the loop came round last, by the monotonic clock, in nanoseconds.
    progress: AtomicU64,
    pub(super) stop: AtomicBool,
    /// The loop does not come round. Changes while the rules are locked only.
    pub(super) is_stalled: AtomicBool,
    pub(super) stalls: AtomicU64,
    /// What the kernel has counted: see [`Passed`].
    pub(super) taken: AtomicU64,
    pub(super) passed: AtomicU64,
}

impl Shared {
    pub(super) fn new(rules: Rules) -> Self {
        Shared {
            routes: rules.routes(),
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
        self.progress.store(clock::monotonic().as_nanos(), Ordering::SeqCst);
    }

    /// Ask the kernel for its counts. That it does not answer ends nothing.
    pub(super) fn count(&self) {
        if let Ok(Passed { taken, passed }) = Rules::passed() {
            self.taken.store(taken, Ordering::Relaxed);
            self.passed.store(passed, Ordering::Relaxed);
        }
    }

    /// The loop comes round: where it did not, connections are taken again, if they shall be. Whether it did not.
    ///
    /// # Errors
    /// When who holds the table is gone.
    pub(super) fn resume(&self, takes: bool) -> io::Result<bool> {
        if !self.is_stalled.load(Ordering::SeqCst) {
            return Ok(false);
        }
        let mut rules = self.rules();
        self.is_stalled.store(false, Ordering::SeqCst);
        rules.take(takes).map(|()| true)
    }

    /// Until it is to stop. The loop itself begins again to take connections, once it comes round.
    pub(super) fn guard(&self, say: impl Fn(Line)) {
        while self.is_on_after_a_look() {
            self.bypass().into_iter().for_each(&say);
        }
    }

    /// Likewise, for what other programs are begun for, which may take their time: no guard waits for them.
    pub(super) fn look_after(&self, say: impl Fn(Line)) {
        let mut asked_at = Instant::ZERO;
        let mut trouble = None;
        while self.is_on_after_a_look() {
            let now = clock::monotonic();
            if now.saturating_since(asked_at) < ASK {
                continue;
            }
            asked_at = now;
            self.count();
            let happened = self.keep_routes();
            if happened != trouble {
                happened.iter().cloned().for_each(&say);
            }
            trouble = happened;
        }
    }

    fn is_on_after_a_look(&self) -> bool {
        let _ = nix::poll::poll(&mut [], nix::poll::PollTimeout::from(LOOK));
        !self.stop.load(Ordering::Relaxed)
    }

    /// There may be a program that removes rules that it does not know.
    fn keep_routes(&self) -> Option<Line> {
        let why = match self.routes.restore() {
            Ok(false) => return None,
            Ok(true) => {
                "the ip rule or the route for split connections was gone: it is there again".to_owned()
            }
            Err(error) => error.to_string(),
        };
        Some(Line::new("warning").with("why", why))
    }

    /// Have new connections pass, if the loop does not come round.
    fn bypass(&self) -> Option<Line> {
        if self.silence() <= TIMEOUT || self.is_stalled.load(Ordering::SeqCst) {
            return None;
        }
        let mut rules = self.rules();
        // The loop may have come round while this waited for the rules; then it would not look again.
        let silence = self.silence();
        if silence <= TIMEOUT {
            return None;
        }
        self.is_stalled.store(true, Ordering::SeqCst);
        self.stalls.fetch_add(1, Ordering::Relaxed);
        let line = Line::new("bypass")
            .with("why", "the agent does not come round: new connections pass")
            .with("for_ms", silence.as_millis());
        Some(match rules.take(false) {
            Ok(()) => line,
            Err(error) => line.with("error", error.to_string()),
        })
    }

    /// Since the loop came round last.
    fn silence(&self) -> Duration {
        clock::monotonic().saturating_since(Instant::from_nanos(self.progress.load(Ordering::SeqCst)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::split::rules::{Entrance, Terms};
    use seamline_lab::system::Namespace;
    use std::process::Command;
    use std::sync::mpsc::{Receiver, channel};
    use std::thread;

    fn begins() -> bool {
        let listed = Command::new("nft").args(["list", "chain", "inet", "seamline_split", "begin"]).output();
        let listed = listed.unwrap();
        assert!(listed.status.success(), "the table is gone");
        String::from_utf8(listed.stdout).unwrap().contains("tproxy")
    }

    /// With a guard, in a namespace of its own.
    fn guarded(test: &str, task: impl FnOnce(&Shared, &Receiver<Line>) + Send) {
        let has_nft = Command::new("nft").arg("-v").output().is_ok();
        let Some(namespace) = Namespace::new().ok().filter(|_| has_nft) else {
            return seamline_testing::skip(test, "it needs root and nft");
        };
        let within = namespace.within(|| {
            assert!(Command::new("ip").args(["link", "set", "lo", "up"]).status()?.success());
            let entrance = Entrance { interface: "b0".to_owned(), listener: "127.0.0.1:1".parse().unwrap() };
            let interfaces = ["b0".to_owned(), "b1".to_owned()];
            let terms = Terms { interfaces, entrances: vec![entrance], beginnings: 1000, is_dry: false };
            let shared = Shared::new(Rules::new(terms)?);
            let (said, lines) = channel();
            thread::scope(|scope| {
                scope.spawn(|| shared.guard(|line| said.send(line).unwrap()));
                let _stop = Stop(&shared);
                task(&shared, &lines);
            });
            Ok(())
        });
        within.unwrap();
    }

    /// Also when a test fails: its guard would go on for ever.
    struct Stop<'a>(&'a Shared);

    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.stop.store(true, Ordering::SeqCst);
        }
    }

    fn come_round(shared: &Shared, times: u8) {
        for _ in 0..times {
            shared.come_round();
            let _ = nix::poll::poll(&mut [], nix::poll::PollTimeout::from(100_u8));
        }
    }

    /// Nobody comes round: within a second nothing is handed over any more, until somebody does.
    #[test]
    fn new_connections_pass_while_the_loop_hangs() {
        guarded("new_connections_pass_while_the_loop_hangs", |shared, lines| {
            come_round(shared, 10);
            assert!(begins() && lines.try_recv().is_err());
            let hung = clock::monotonic();
            while begins() {
                assert!(clock::monotonic().saturating_since(hung) < Duration::from_secs(1));
            }
            assert_eq!(lines.recv().unwrap().event, "bypass");
            shared.come_round();
            assert!(shared.resume(true).unwrap() && !shared.resume(true).unwrap());
            come_round(shared, 5);
            assert!(begins() && lines.try_recv().is_err());
            assert_eq!(shared.stalls.load(Ordering::SeqCst), 1);
        });
    }

    /// It holds the rules, which the guard waits for. Were it to let connections pass then, they would for ever.
    #[test]
    fn who_comes_round_while_the_guard_waits_for_the_rules_is_not_bypassed() {
        guarded("who_comes_round_while_the_guard_waits_for_the_rules_is_not_bypassed", |shared, lines| {
            let held = shared.rules();
            let _ = nix::poll::poll(&mut [], nix::poll::PollTimeout::from(900_u16));
            shared.come_round();
            drop(held);
            come_round(shared, 5);
            assert!(begins() && lines.try_recv().is_err());
            assert_eq!(shared.stalls.load(Ordering::SeqCst), 0);
        });
    }
}
