//! One period.

use super::{Downloads, Period, Shape, Trial, has_help};
use crate::load::{Fetch, Request, Summary, Timeline, What};
use crate::process::Process;
use crate::run::RunError;
use seamline_host::control::ask;
use seamline_lab::clock::monotonic;
use seamline_wire::{Duration, Instant};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

/// What switches help on and off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switch {
    /// Commands for `sh -c`.
    Commands {
        /// On.
        on: String,
        /// Off.
        off: String,
    },
    /// An agent on this host, by the path of its control socket.
    Agent(PathBuf),
}

/// A switch takes no longer.
const LONGEST_SWITCH: Duration = Duration::from_secs(60);
/// How long after an attempt to connect has failed the next one is made.
const AGAIN: Duration = Duration::from_secs(1);

impl Switch {
    /// Switch.
    ///
    /// # Errors
    /// When the command fails, or takes longer than a minute; when the agent does not answer; or `stop` was set.
    pub fn turn(&self, on: bool, stop: &AtomicBool) -> Result<(), RunError> {
        match self {
            Switch::Commands { on: command, .. } if on => run(command, stop),
            Switch::Commands { off: command, .. } => run(command, stop),
            Switch::Agent(socket) => {
                let command = if on { "resume" } else { "pause" };
                let answer = ask(socket, command).map_err(|error| RunError::Failed(error.to_string()))?;
                match answer.starts_with("ok ") {
                    true => Ok(()),
                    false => Err(RunError::Failed(format!("the agent refuses `{command}`: {answer}"))),
                }
            }
        }
    }
}

fn run(command: &str, stop: &AtomicBool) -> Result<(), RunError> {
    let failed = |why: &str| RunError::Failed(format!("the command '{command}' failed: {}", why.trim()));
    let arguments = ["-c".to_owned(), command.to_owned()];
    let process = Process::start(Path::new("/bin/sh"), &arguments, Path::new("."), None);
    let ended = process.and_then(|process| process.wait(LONGEST_SWITCH, stop));
    match ended.map_err(|error| failed(&error.to_string()))? {
        None => Err(RunError::Stopped),
        Some(ended) if !ended.success => Err(failed(&ended.errors)),
        Some(_) => Ok(()),
    }
}

impl Trial {
    /// Run the period of this number.
    ///
    /// # Errors
    /// When help could not be switched, or `stop` was set: then the period does not count.
    pub fn run(&self, number: u32, stop: &AtomicBool) -> Result<Period, RunError> {
        let Shape { period_ms, settle_ms, slot_ms, .. } = self.shape;
        let [period, settle, slot] = [period_ms, settle_ms, slot_ms].map(Duration::from_millis);
        let began = monotonic();
        #[expect(clippy::disallowed_methods, reason = "says when it was")]
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mut it = Period {
            number,
            has_help: has_help(number),
            began_unix_s: since_1970.as_secs(),
            shape: self.shape,
            downloads: Downloads::default(),
            answers_ms: Vec::new(),
            unanswered: 0,
        };
        self.switch.turn(it.has_help, stop)?;
        wait_until(began + settle, stop)?;
        for what in [What::Bulk, What::Requests(self.shape.request_bytes)].into_iter().cycle() {
            let left = (began + period).saturating_since(monotonic());
            if left < slot {
                break;
            }
            self.slot(what, &mut it, stop)?;
        }
        wait_until(began + period, stop)?;
        Ok(it)
    }

    /// Fetch for the time of a slot. Without a connection, try again until it is over.
    fn slot(&self, what: What, it: &mut Period, stop: &AtomicBool) -> Result<(), RunError> {
        let end = monotonic() + Duration::from_millis(self.shape.slot_ms);
        loop {
            let began = monotonic();
            let duration = end.saturating_since(began);
            if duration == Duration::ZERO {
                return Ok(());
            }
            let fetch = Fetch { server: self.server, is_mptcp: false, what, duration, zero: None };
            let fetched = fetch.run(stop);
            if stop.load(Ordering::Relaxed) {
                return Err(RunError::Stopped);
            }
            match &fetched {
                // That it has ended early is counted as time without a connection, if the next one takes time to begin.
                Ok((timeline, _)) => it.add(what, timeline),
                Err(_) => {
                    let next = (monotonic() + AGAIN).min(end);
                    wait_until(next, stop)?;
                    it.add_lost(what, next.saturating_since(began));
                }
            }
        }
    }
}

impl Period {
    fn add(&mut self, what: What, timeline: &Timeline) {
        let summary = Summary::of(timeline, Duration::from_millis(self.shape.stall_ms));
        match what {
            What::Bulk => {
                let stalls = || summary.stalls.iter().map(|stall| stall.length_ms / 1e3);
                let sum = &mut self.downloads;
                sum.bytes += summary.bytes;
                sum.duration_s += timeline.end_s;
                sum.stalled_s += stalls().sum::<f64>();
                sum.longest_stall_s = stalls().fold(sum.longest_stall_s, f64::max);
            }
            What::Requests(_) => {
                self.answers_ms.extend(timeline.requests.iter().filter_map(Request::answered_ms));
                // The last one of a slot is cut off by its end.
                let open = timeline.requests.iter().filter(|it| it.answered_s.is_none());
                let is_late = |at_s: f64| timeline.end_s - at_s >= self.shape.slot_ms as f64 / 2e3;
                self.unanswered += open.filter(|it| is_late(it.asked_s)).count() as u32;
            }
        }
    }
    fn add_lost(&mut self, what: What, time: Duration) {
        let seconds = time.as_secs_f64();
        match what {
            What::Bulk => {
                let sum = &mut self.downloads;
                sum.duration_s += seconds;
                sum.stalled_s += seconds;
                sum.longest_stall_s = sum.longest_stall_s.max(seconds);
                sum.failed += 1;
            }
            What::Requests(_) => self.unanswered += 1,
        }
    }
}

fn wait_until(until: Instant, stop: &AtomicBool) -> Result<(), RunError> {
    while monotonic() < until {
        if stop.load(Ordering::Relaxed) {
            return Err(RunError::Stopped);
        }
        let left = until.saturating_since(monotonic()).min(Duration::from_millis(50));
        #[expect(clippy::disallowed_methods, reason = "waits in real time")]
        std::thread::sleep(std::time::Duration::from_nanos(left.as_nanos()));
    }
    Ok(())
}
