//! Writes the log on a thread of its own, so that a slow or dead reader never blocks the program.

use crate::log::{Format, Line};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Most bytes that may wait to be written. When a link comes up, each of 4096 connections logs some hundred bytes.
const MOST_WAITING: usize = 4 << 20;
/// How long dropping the journal waits for what is still to be written.
const CLOSING_TIMEOUT: Duration = Duration::from_secs(1);

/// A log written by a thread of its own.
#[derive(Debug)]
pub struct Journal {
    lines: Option<Sender<String>>,
    /// Bytes that are not written yet.
    waiting: Arc<AtomicUsize>,
    /// Lines dropped for lack of room since the last one written.
    lost: u64,
    format: Format,
    done: Receiver<()>,
}

impl Journal {
    /// Write to `out` in this format. Write errors are ignored.
    pub fn new(mut out: impl Write + Send + 'static, format: Format) -> Self {
        let (lines, receiver) = channel::<String>();
        let (ended, done) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let left = waiting.clone();
        std::thread::spawn(move || {
            for text in receiver {
                let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
                left.fetch_sub(text.len(), Ordering::Relaxed);
            }
            // The journal may have stopped waiting.
            let _ = ended.send(());
        });
        Journal { lines: Some(lines), waiting, lost: 0, format, done }
    }

    /// Queue lines for writing. When too much waits they are dropped; the next line written is preceded by a count of them.
    pub fn write(&mut self, lines: impl Iterator<Item = Line>) {
        for line in lines {
            if self.waiting.load(Ordering::Relaxed) > MOST_WAITING {
                self.lost += 1;
                continue;
            }
            if self.lost > 0 {
                let lost = std::mem::take(&mut self.lost);
                self.send(&Line { time: line.time, ..Line::warning("log-lost").with("lines", lost) });
            }
            self.send(&line);
        }
    }

    fn send(&self, line: &Line) {
        let text = self.format.write(line);
        self.waiting.fetch_add(text.len(), Ordering::Relaxed);
        if let Some(lines) = &self.lines {
            // Cannot fail: the thread outlives this sender.
            let _ = lines.send(text);
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        drop(self.lines.take());
        // A reader that has stopped reading must not keep the program from ending.
        let _ = self.done.recv_timeout(CLOSING_TIMEOUT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::sync::{Mutex, PoisonError};

    /// Writes nothing while the test holds its lock.
    #[derive(Clone, Default)]
    struct Slow(Arc<Mutex<Vec<u8>>>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_stalled_reader_blocks_nothing_and_later_gets_a_count_of_lost_lines() {
        const LINES: usize = 200_000;
        let slow = Slow::default();
        let mut journal = Journal::new(slow.clone(), Format::default());
        let held = slow.0.lock().unwrap();
        let line = Line::new("repeat").with("local", "10.0.0.1:40000").with("link", "wwan0");
        journal.write((0..LINES).map(|_| line.clone()));
        drop(held);
        while journal.waiting.load(Ordering::Relaxed) > 0 {
            std::thread::yield_now();
        }
        journal.write([line].into_iter());
        drop(journal);
        let text = String::from_utf8(slow.0.lock().unwrap().clone()).unwrap();
        let written = text.lines().filter(|line| line.starts_with("event=repeat")).count();
        assert!(written < LINES && text.len() < MOST_WAITING + 1000, "{written}, {} bytes", text.len());
        let lost = format!("event=log-lost lines={}", LINES + 1 - written);
        assert_eq!(text.lines().rev().nth(1), Some(lost.as_str()));
    }

    #[test]
    fn dropping_the_journal_does_not_wait_for_a_stalled_reader() {
        let slow = Slow::default();
        let _held = slow.0.lock().unwrap();
        let mut journal = Journal::new(slow.clone(), Format::default());
        journal.write([Line::new("stop")].into_iter());
        drop(journal);
    }
}
