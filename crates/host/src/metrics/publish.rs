//! Publishes the counters by HTTP or in a file.

use super::log::{CHECK, Every, LogSender, WARN};
use super::scrapes::serve;
use seamline_host::socket::pause;
use seamline_host::{Line, clock, explained};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Where the counters go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Metrics {
    /// An HTTP server at this address, with the counters at `/metrics`.
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
            To::Clients(listener) => serve(listener, stop, || self.latest().text.clone()),
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

    #[test]
    fn a_link_next_to_the_file_is_not_followed_and_a_leftover_is_replaced() {
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
}
