//! The log's way out. Whoever reads it slowly, or no longer, does not hold up the program.

use crate::log::Line;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Bytes that may wait to be written: one link's return writes some hundred for each of 4096 connections.
const MOST_WAITING: usize = 4 << 20;
/// How long the end waits for what is still to be written.
const PATIENCE: Duration = Duration::from_secs(1);

/// A log that a thread of its own writes.
#[derive(Debug)]
pub struct Journal {
    lines: Option<Sender<String>>,
    /// Bytes that are not written yet.
    waiting: Arc<AtomicUsize>,
    /// Lines that there was no room for.
    lost: u64,
    json: bool,
    done: Receiver<()>,
}

impl Journal {
    /// Write to `out`, as JSON or not. That it cannot be written ends nothing.
    pub fn new(mut out: impl Write + Send + 'static, json: bool) -> Self {
        let (lines, receiver) = channel::<String>();
        let (ended, done) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let left = waiting.clone();
        std::thread::spawn(move || {
            for text in receiver {
                let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
                left.fetch_sub(text.len(), Ordering::Relaxed);
            }
            // Nobody may be waiting any more.
            let _ = ended.send(());
        });
        Journal { lines: Some(lines), waiting, lost: 0, json, done }
    }

    /// Have lines written. Where too much waits, they are lost, and the next that is not says how many were.
    pub fn write(&mut self, lines: impl Iterator<Item = Line>) {
        for line in lines {
            if self.waiting.load(Ordering::Relaxed) > MOST_WAITING {
                self.lost += 1;
                continue;
            }
            if self.lost > 0 {
                let lost = std::mem::take(&mut self.lost);
                self.send(&Line::new("log-lost").with("lines", lost));
            }
            self.send(&line);
        }
    }

    fn send(&self, line: &Line) {
        let text = if self.json { line.to_json() } else { line.to_string() } + "\n";
        self.waiting.fetch_add(text.len(), Ordering::Relaxed);
        if let Some(lines) = &self.lines {
            // The thread ends after this does.
            let _ = lines.send(text);
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        drop(self.lines.take());
        // A reader that has stopped reading keeps nobody from ending.
        let _ = self.done.recv_timeout(PATIENCE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::sync::{Mutex, PoisonError};

    /// Writes nothing while somebody holds its lock.
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
    fn a_reader_that_does_not_read_stalls_nobody_and_hears_what_was_lost() {
        const LINES: usize = 200_000;
        let slow = Slow::default();
        let mut journal = Journal::new(slow.clone(), false);
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
    fn the_end_does_not_wait_for_a_reader_for_ever() {
        let slow = Slow::default();
        let _held = slow.0.lock().unwrap();
        let mut journal = Journal::new(slow.clone(), true);
        journal.write([Line::new("stop")].into_iter());
        drop(journal);
    }
}
