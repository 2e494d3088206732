//! Forwards new connections unsplit while the relay's loop is stalled.

use super::routes::Routes;
use super::rules::{Passed, Rules};
use crate::system::log::CHECK;
use seamline_host::socket::pause;
use seamline_host::{Every, Line, clock};
use seamline_wire::{Duration, Instant};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// New connections are forwarded unsplit after this time without a turn of the loop, which makes one every 100 ms.
const TIMEOUT: Duration = Duration::from_millis(500);
/// How often the kernel's counters are read, and the routes checked.
const ASK: Duration = Duration::from_secs(1);

/// State shared by the threads.
#[derive(Debug)]
pub(super) struct Shared {
    rules: Mutex<Rules>,
    routes: Arc<Routes>,
    /// When the loop last made a turn, by the monotonic clock, in nanoseconds.
    progress: AtomicU64,
    pub(super) stop: AtomicBool,
    /// The loop is stalled. Changes only while the rules are locked.
    pub(super) is_stalled: AtomicBool,
    pub(super) stalls: AtomicU64,
    /// The kernel's counters: see [`Passed`].
    pub(super) taken: AtomicU64,
    pub(super) passed: AtomicU64,
    pub(super) limited: AtomicU64,
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
            limited: AtomicU64::new(0),
        }
    }
    pub(super) fn rules(&self) -> MutexGuard<'_, Rules> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
    pub(super) fn come_round(&self) {
        self.progress.store(clock::monotonic().as_nanos(), Ordering::SeqCst);
    }

    /// Read the kernel's counters. A failure is ignored.
    pub(super) fn count(&self) {
        if let Ok(Passed { taken, passed, limited }) = Rules::passed() {
            self.taken.store(taken, Ordering::Relaxed);
            self.passed.store(passed, Ordering::Relaxed);
            self.limited.store(limited, Ordering::Relaxed);
        }
    }

    /// The loop makes turns again: after a stall, split new connections again if `takes`. Returns whether there was a stall.
    ///
    /// # Errors
    /// If the process that holds the table has ended.
    pub(super) fn resume(&self, takes: bool) -> io::Result<bool> {
        if !self.is_stalled.load(Ordering::SeqCst) {
            return Ok(false);
        }
        let mut rules = self.rules();
        self.is_stalled.store(false, Ordering::SeqCst);
        rules.take(takes).map(|()| true)
    }

    /// Run until stopped. The loop itself resumes splitting when it makes turns again.
    pub(super) fn guard(&self, say: impl Fn(Line)) {
        while self.goes_on() {
            self.bypass().into_iter().for_each(&say);
        }
    }

    /// Run until stopped. Tasks that start other programs are in this thread, so that the guard never waits for them.
    pub(super) fn look_after(&self, say: impl Fn(Line)) {
        let mut check = Every::new(ASK);
        let mut trouble = None;
        while self.goes_on() {
            if !check.is_due(clock::monotonic()) {
                continue;
            }
            self.count();
            let happened = self.keep_routes();
            if happened != trouble {
                happened.iter().cloned().for_each(&say);
            }
            trouble = happened;
        }
    }

    /// Pause. Returns whether to continue after it.
    fn goes_on(&self) -> bool {
        pause(CHECK);
        !self.stop.load(Ordering::Relaxed)
    }

    /// Some programs remove rules that they do not know.
    fn keep_routes(&self) -> Option<Line> {
        let why = match self.routes.restore() {
            Ok(false) => return None,
            Ok(true) => {
                "the ip rule or the route for split connections was missing and has been restored".to_owned()
            }
            Err(error) => error.to_string(),
        };
        Some(Line::warning("warning").with("why", why))
    }

    /// Forward new connections unsplit if the loop is stalled.
    fn bypass(&self) -> Option<Line> {
        if self.silence() <= TIMEOUT || self.is_stalled.load(Ordering::SeqCst) {
            return None;
        }
        let mut rules = self.rules();
        // The loop may have made a turn while this waited for the rules; then it would not check again.
        let silence = self.silence();
        if silence <= TIMEOUT {
            return None;
        }
        self.is_stalled.store(true, Ordering::SeqCst);
        self.stalls.fetch_add(1, Ordering::Relaxed);
        let line = Line::warning("bypass")
            .with("why", "the relay does not respond: new connections are forwarded unsplit")
            .with("for_ms", silence.as_millis());
        Some(match rules.take(false) {
            Ok(()) => line,
            Err(error) => line.with("error", error.to_string()),
        })
    }

    /// Time since the loop's last turn.
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
            let (sender, lines) = channel();
            thread::scope(|scope| {
                scope.spawn(|| shared.guard(|line| sender.send(line).unwrap()));
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
            pause(CHECK);
        }
    }

    /// The loop makes no turns: within a second nothing is handed over any more, until it does.
    #[test]
    fn new_connections_pass_while_the_loop_hangs() {
        seamline_testing::punctual(30, || {
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
        });
    }

    /// It holds the rules, which the guard waits for. Were it to let connections pass then, they would for ever.
    #[test]
    fn who_comes_round_while_the_guard_waits_for_the_rules_is_not_bypassed() {
        seamline_testing::punctual(30, || {
            guarded(
                "who_comes_round_while_the_guard_waits_for_the_rules_is_not_bypassed",
                |shared, lines| {
                    let held = shared.rules();
                    pause(Duration::from_millis(900));
                    shared.come_round();
                    drop(held);
                    come_round(shared, 5);
                    assert!(begins() && lines.try_recv().is_err());
                    assert_eq!(shared.stalls.load(Ordering::SeqCst), 0);
                },
            );
        });
    }
}
