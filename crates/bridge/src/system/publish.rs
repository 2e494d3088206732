//! Publishes the counters by HTTP or in a file.

use super::timed_stream::wait;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use seamline_host::{Line, clock, explained};
use seamline_wire::{Duration, Instant};
use std::fs;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard};
use std::thread;

/// Where the counters go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Metrics {
    /// An HTTP server at this address, which answers any path.
    Http(SocketAddr),
    /// A file that is replaced as a whole each second.
    File(PathBuf),
}

/// The latest text, and where it is published.
#[derive(Debug)]
pub(super) struct Publisher {
    latest: Mutex<Latest>,
    to: To,
}

#[derive(Debug, Default)]
struct Latest {
    text: String,
    /// Not in the file yet.
    is_new: bool,
}

#[derive(Debug)]
enum To {
    Nobody,
    Askers(TcpListener),
    File(PathBuf),
}

/// For a request and its answer together.
const TIMEOUT: Duration = Duration::from_millis(500);
/// How often it checks for work and for the stop, in milliseconds.
const LOOK: u8 = 100;
/// The shortest time between two warnings that the file cannot be written.
const WARN: Duration = Duration::from_secs(60);

impl Publisher {
    /// # Errors
    /// If the address cannot be bound, or the file cannot be written.
    pub(super) fn open(metrics: Option<&Metrics>) -> io::Result<Self> {
        let to = match metrics {
            Some(Metrics::Http(address)) => {
                let made = TcpListener::bind(address);
                let listener =
                    made.map_err(|error| explained(error, format_args!("listening at {address}")))?;
                listener.set_nonblocking(true)?;
                To::Askers(listener)
            }
            Some(Metrics::File(path)) => {
                replace(path, "")?;
                To::File(path.clone())
            }
            None => To::Nobody,
        };
        Ok(Publisher { latest: Mutex::default(), to })
    }

    /// Replace the text. Waits neither for the file nor for a client.
    pub(super) fn publish(&self, text: String) {
        *self.latest() = Latest { text, is_new: true };
    }

    fn latest(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Answer clients, or keep the file up to date, until stopped.
    pub(super) fn serve(&self, stop: &AtomicBool, say: &Sender<Line>) {
        match &self.to {
            To::Nobody => {}
            To::Askers(listener) => self.answer_all(listener, stop),
            To::File(path) => self.keep_up_to_date(path, stop, say),
        }
    }

    fn keep_up_to_date(&self, path: &Path, stop: &AtomicBool, say: &Sender<Line>) {
        let mut warned_at: Option<Instant> = None;
        while !stop.load(Ordering::Relaxed) {
            thread::park_timeout(std::time::Duration::from_millis(LOOK.into()));
            let Some(text) = self.take_new() else { continue };
            let Err(error) = replace(path, &text) else { continue };
            let now = clock::monotonic();
            if warned_at.is_none_or(|at| now.saturating_since(at) >= WARN) {
                warned_at = Some(now);
                // Who listens ends after this does.
                let _ = say.send(Line::new("warning").with("why", error.to_string()).at(clock::wall()));
            }
        }
    }

    fn take_new(&self) -> Option<String> {
        let mut latest = self.latest();
        std::mem::take(&mut latest.is_new).then(|| latest.text.clone())
    }

    fn answer_all(&self, listener: &TcpListener, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            let _ = poll(&mut [PollFd::new(listener.as_fd(), PollFlags::POLLIN)], PollTimeout::from(LOOK));
            if let Ok((mut asked, _)) = listener.accept() {
                let _ = self.answer(&mut asked, stop);
            }
        }
    }

    /// The request is read to its empty line, for closing with bytes unread would reset the connection.
    fn answer(&self, asked: &mut TcpStream, stop: &AtomicBool) -> io::Result<()> {
        asked.set_nonblocking(true)?;
        let until = clock::monotonic() + TIMEOUT;
        let mut request = [0; 4096];
        let mut length = 0;
        while length < request.len() && !request[..length].windows(4).any(|end| end == b"\r\n\r\n") {
            wait(asked, PollFlags::POLLIN, until, stop)?;
            match asked.read(&mut request[length..])? {
                0 => break,
                more => length += more,
            }
        }
        let body = self.latest().text.clone();
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        let mut rest = answer.as_bytes();
        while !rest.is_empty() {
            wait(asked, PollFlags::POLLOUT, until, stop)?;
            let written = asked.write(rest)?;
            rest = &rest[written..];
        }
        Ok(())
    }
}

/// As a whole: whoever reads it meanwhile reads the old one.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    fs::write(&beside, text)
        .and_then(|()| fs::rename(&beside, path))
        .map_err(|error| explained(error, format_args!("writing {}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pause(millis: u64) {
        #[expect(clippy::disallowed_methods, reason = "who asks does so in real time")]
        thread::sleep(std::time::Duration::from_millis(millis));
    }

    fn asker(publisher: &Publisher) -> TcpStream {
        let To::Askers(listener) = &publisher.to else { unreachable!("it was opened so") };
        TcpStream::connect(listener.local_addr().unwrap()).unwrap()
    }

    /// Ask in pieces, each a while after the last; what is answered, and after how many milliseconds.
    fn ask(publisher: &Publisher, pieces: &[&[u8]], apart: u64) -> (String, u64) {
        let begun = clock::monotonic();
        let mut asked = asker(publisher);
        let mut answer = String::new();
        for piece in pieces {
            // Who is no longer waited for is told so by a reset.
            if asked.write_all(piece).is_err() {
                break;
            }
            pause(apart);
        }
        let _ = asked.read_to_string(&mut answer);
        (answer, clock::monotonic().saturating_since(begun).as_millis())
    }

    #[test]
    fn who_asks_slowly_is_answered_and_who_never_comes_to_an_end_holds_up_nobody() {
        let publisher = Publisher::open(Some(&Metrics::Http("127.0.0.1:0".parse().unwrap()))).unwrap();
        publisher.publish("it 7\n".to_owned());
        let (stop, (say, _said)) = (AtomicBool::new(false), std::sync::mpsc::channel());
        let (slow, endless, is_finished) = thread::scope(|scope| {
            let serving = scope.spawn(|| publisher.serve(&stop, &say));
            let slow = ask(&publisher, &[b"GET / HTTP/1.1\r\n", b"\r\n"], 150);
            let endless = ask(&publisher, &[b"x".as_slice(); 30], 100);
            let waiting = asker(&publisher);
            pause(150);
            stop.store(true, Ordering::Relaxed);
            pause(250);
            let is_finished = serving.is_finished();
            drop(waiting);
            (slow, endless, is_finished)
        });
        assert!(slow.0.ends_with("\r\n\r\nit 7\n"), "{slow:?}");
        assert!(endless.0.is_empty() && (400..2000).contains(&endless.1), "{endless:?}");
        assert!(is_finished, "it waits for somebody though it is to stop");
    }
}
