//! Publishes the counters by HTTP or in a file.

use super::log::{CHECK, Every, LogSender, WARN};
use super::timed_stream::wait_until;
use nix::poll::PollFlags;
use seamline_host::socket::{pause, wait};
use seamline_host::{Line, clock, explained};
use seamline_wire::Duration;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

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
    Nowhere,
    Clients(TcpListener),
    File(PathBuf),
}

/// For a request and its answer together.
const TIMEOUT: Duration = Duration::from_millis(500);

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
                To::Clients(listener)
            }
            Some(Metrics::File(path)) => {
                replace(path, "")?;
                To::File(path.clone())
            }
            None => To::Nowhere,
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
    pub(super) fn serve(&self, stop: &AtomicBool, log: &LogSender) {
        match &self.to {
            To::Nowhere => {}
            To::Clients(listener) => self.answer_all(listener, stop),
            To::File(path) => self.keep_up_to_date(path, stop, log),
        }
    }

    fn keep_up_to_date(&self, path: &Path, stop: &AtomicBool, log: &LogSender) {
        let mut warning = Every::new(WARN);
        while !stop.load(Ordering::Relaxed) {
            pause(CHECK);
            let Some(text) = self.take_new() else { continue };
            let Err(error) = replace(path, &text) else { continue };
            if warning.is_due(clock::monotonic()) {
                log.send(Line::new("warning").with("why", error.to_string()));
            }
        }
    }

    fn take_new(&self) -> Option<String> {
        let mut latest = self.latest();
        std::mem::take(&mut latest.is_new).then(|| latest.text.clone())
    }

    fn answer_all(&self, listener: &TcpListener, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            wait(listener, PollFlags::POLLIN, CHECK);
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
            wait_until(asked, PollFlags::POLLIN, until, stop)?;
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
            wait_until(asked, PollFlags::POLLOUT, until, stop)?;
            let written = asked.write(rest)?;
            rest = &rest[written..];
        }
        Ok(())
    }
}

/// Replace the file as a whole: until then readers get the old one.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    write_new(new.as_ref(), text)
        .and_then(|()| fs::rename(&new, path))
        .map_err(|error| explained(error, format_args!("writing {}", path.display())))
}

/// Write a file that is not there. What a process that was killed has left is removed; a link that another user has put there is never followed.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    File::create_new(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::log::Log;
    use seamline_host::Journal;
    use std::thread;

    fn asker(publisher: &Publisher) -> TcpStream {
        let To::Clients(listener) = &publisher.to else { unreachable!("it was opened so") };
        TcpStream::connect(listener.local_addr().unwrap()).unwrap()
    }

    /// Ask in pieces, each a while after the last; what is answered, and after how many milliseconds.
    fn ask(publisher: &Publisher, pieces: &[&[u8]], apart: u64) -> (String, u64) {
        let begun = clock::monotonic();
        let mut asked = asker(publisher);
        let mut answer = String::new();
        for piece in pieces {
            // The server resets a client that it no longer waits for.
            if asked.write_all(piece).is_err() {
                break;
            }
            pause(Duration::from_millis(apart));
        }
        let _ = asked.read_to_string(&mut answer);
        (answer, clock::monotonic().saturating_since(begun).as_millis())
    }

    #[test]
    fn a_link_beside_the_file_is_not_followed_and_a_leftover_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [path, new, victim] = ["a.prom", "a.prom.new", "victim"].map(|name| folder.path().join(name));
        let read = |path| fs::read_to_string(path).unwrap();
        fs::write(&victim, "secret").unwrap();
        std::os::unix::fs::symlink(&victim, &new).unwrap();
        replace(&path, "it 7\n").unwrap();
        assert_eq!((read(&victim), read(&path)), ("secret".to_owned(), "it 7\n".to_owned()));
        fs::write(&new, "half of i").unwrap();
        replace(&path, "it 8\n").unwrap();
        assert_eq!(read(&path), "it 8\n");
        assert!(fs::symlink_metadata(&path).unwrap().is_file() && !new.exists());
    }

    #[test]
    fn slow_clients_are_answered_and_endless_ones_block_nothing() {
        let publisher = Publisher::open(Some(&Metrics::Http("127.0.0.1:0".parse().unwrap()))).unwrap();
        publisher.publish("it 7\n".to_owned());
        let (stop, (sender, _log)) = (AtomicBool::new(false), Log::new(Journal::new(io::sink(), false)));
        let (slow, endless, is_finished) = thread::scope(|scope| {
            let serving = scope.spawn(|| publisher.serve(&stop, &sender));
            let slow = ask(&publisher, &[b"GET / HTTP/1.1\r\n", b"\r\n"], 150);
            let endless = ask(&publisher, &[b"x".as_slice(); 30], 100);
            let waiting = asker(&publisher);
            pause(Duration::from_millis(150));
            stop.store(true, Ordering::Relaxed);
            pause(Duration::from_millis(250));
            let is_finished = serving.is_finished();
            drop(waiting);
            (slow, endless, is_finished)
        });
        assert!(slow.0.ends_with("\r\n\r\nit 7\n"), "{slow:?}");
        assert!(endless.0.is_empty() && (400..2000).contains(&endless.1), "{endless:?}");
        assert!(is_finished, "it waits for a client though it is to stop");
    }
}
