//! A log that several threads write to.

use seamline_host::{Journal, Line, clock};
use seamline_wire::Duration;
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
