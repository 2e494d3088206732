//! A log that several threads write to, and how often they do something.

use seamline_host::{Journal, Line, clock};
use seamline_wire::{Duration, Instant};
use std::sync::mpsc::{Receiver, Sender, channel};

/// How often a waiting thread checks whether it is to stop.
pub(super) const CHECK: Duration = Duration::from_millis(100);
/// The shortest time between two warnings about the same thing.
pub(super) const WARN: Duration = Duration::from_secs(60);

/// The journal, and lines of other threads for it.
pub(super) struct Log {
    journal: Journal,
    lines: Receiver<Line>,
}

/// Where other threads put their lines.
#[derive(Clone, Debug)]
pub(super) struct LogSender(Sender<Line>);

impl Log {
    pub(super) fn new(journal: Journal) -> (LogSender, Self) {
        let (sender, lines) = channel();
        (LogSender(sender), Log { journal, lines })
    }
    pub(super) fn write(&mut self, line: Line) {
        self.journal.write([line.at(clock::wall())].into_iter());
    }
    /// Write the lines of other threads.
    pub(super) fn write_received(&mut self) {
        self.journal.write(self.lines.try_iter());
    }
}

impl LogSender {
    pub(super) fn send(&self, line: Line) {
        // The thread with the journal ends after all others.
        let _ = self.0.send(line.at(clock::wall()));
    }
}

/// Something that is done once in a period.
#[derive(Clone, Copy, Debug)]
pub(super) struct Every {
    period: Duration,
    last: Option<Instant>,
}

impl Every {
    /// It is due at once, then once in each period.
    pub(super) const fn new(period: Duration) -> Self {
        Every { period, last: None }
    }
    /// Whether it is due. If so, the next period begins.
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        let is_due = self.last.is_none_or(|last| now.saturating_since(last) >= self.period);
        if is_due {
            self.last = Some(now);
        }
        is_due
    }
    /// It was done now, whether or not it was due.
    pub(super) fn restart(&mut self, now: Instant) {
        self.last = Some(now);
    }
}
