//! Publishes the counters by HTTP or in a file.

use super::scrapes::serve;
use crate::socket::pause;
use crate::{Every, Line, clock, explained};
use seamline_wire::{Duration, Instant};
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};

/// How often a waiting thread checks whether it is to stop.
pub(super) const CHECK: Duration = Duration::from_millis(100);
/// The shortest time between two warnings that the file cannot be written.
const WARN: Duration = Duration::from_secs(60);
/// How often the text is made again.
const PERIOD: Duration = Duration::from_secs(1);

/// Where the counters go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Metrics {
    /// An HTTP server at this address, with the counters at `/metrics`.
    Http(SocketAddr),
    /// A file that is replaced as a whole each second. Every user can read it.
    File(PathBuf),
}

impl FromStr for Metrics {
    type Err = String;

    /// An address with a port, or the path of a file.
    fn from_str(given: &str) -> Result<Self, String> {
        match given.parse() {
            Ok(address) => Ok(Metrics::Http(address)),
            Err(_) if given.contains('/') || !given.contains(':') => Ok(Metrics::File(given.into())),
            Err(_) => Err(format!(
                "{given} is no address with a port, such as 127.0.0.1:9477; for a file of that name write ./{given}"
            )),
        }
    }
}

/// Where the counters will be published: everything that can fail is done.
#[derive(Debug)]
pub struct Publisher(To);

#[derive(Debug)]
enum To {
    Nowhere,
    Clients(TcpListener),
    File(PathBuf),
}

impl Publisher {
    /// # Errors
    /// If the address cannot be bound, or the file cannot be written.
    pub fn open(metrics: Option<&Metrics>) -> io::Result<Self> {
        Ok(Publisher(match metrics {
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
        }))
    }

    /// Publish from now on, in a thread of its own. A file that cannot be written is reported once a minute.
    pub fn begin(self, warn: impl Fn(Line) + Send + 'static) -> Publishing {
        let shared = Arc::<Shared>::default();
        let thread = match self.0 {
            To::Nowhere => return Publishing::default(),
            To::Clients(listener) => {
                let shared = shared.clone();
                thread::spawn(move || serve(&listener, &shared.stop, || shared.latest().text.clone()))
            }
            To::File(path) => {
                let shared = shared.clone();
                thread::spawn(move || shared.keep_up_to_date(&path, warn))
            }
        };
        Publishing { shared, thread: Some(thread), last: None }
    }
}

/// Counters are published until this is dropped; by default nowhere.
#[derive(Debug, Default)]
pub struct Publishing {
    shared: Arc<Shared>,
    /// `None` if they are published nowhere.
    thread: Option<JoinHandle<()>>,
    last: Option<Instant>,
}

impl Publishing {
    /// Replace the text once a second. Waits neither for the file nor for a client.
    pub fn publish(&mut self, now: Instant, text: impl FnOnce() -> String) {
        let is_due = self.last.is_none_or(|last| now.saturating_since(last) >= PERIOD);
        if self.thread.is_some() && is_due {
            self.last = Some(now);
            *self.shared.latest() = Latest { text: text(), is_new: true };
        }
    }
    /// How often [`Publishing::publish`] is to be called; `None` if it need not be.
    pub fn period(&self) -> Option<Duration> {
        self.thread.is_some().then_some(PERIOD)
    }
}

impl Drop for Publishing {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

#[derive(Debug, Default)]
struct Shared {
    latest: Mutex<Latest>,
    stop: AtomicBool,
}

#[derive(Debug, Default)]
struct Latest {
    text: String,
    /// Not in the file yet.
    is_new: bool,
}

impl Shared {
    fn latest(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn keep_up_to_date(&self, path: &Path, warn: impl Fn(Line)) {
        let mut warning = Every::new(WARN);
        while !self.stop.load(Ordering::Relaxed) {
            pause(CHECK);
            let Some(text) = self.take_new() else { continue };
            let Err(error) = replace(path, &text) else { continue };
            if warning.is_due(clock::monotonic()) {
                warn(Line::warning("warning").with("why", error.to_string()));
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
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o644).open(path)?;
    // Whatever the umask of a service: node_exporter is another user.
    file.set_permissions(Permissions::from_mode(0o644))?;
    file.write_all(text.as_bytes())
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
        let found = fs::symlink_metadata(&path).unwrap();
        assert!(found.is_file() && !new.exists());
        assert_eq!(found.permissions().mode() & 0o777, 0o644);
    }

    #[test]
    fn what_is_published_can_be_read_both_ways() {
        let folder = tempfile::tempdir().unwrap();
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        for metrics in [Metrics::Http(address), Metrics::File(folder.path().join("a.prom"))] {
            let mut publishing = Publisher::open(Some(&metrics)).unwrap().begin(|line| panic!("{line}"));
            let begun = clock::monotonic();
            publishing.publish(begun, || "it 7\n".to_owned());
            publishing.publish(begun, || panic!("it is not due"));
            while metrics.read().unwrap() != "it 7\n" {
                assert!(clock::monotonic().saturating_since(begun) < Duration::from_secs(5));
                pause(CHECK);
            }
        }
        assert!(Metrics::Http(address).read().unwrap_err().to_string().contains("http://127.0.0.1:"));
        let mut nowhere = Publisher::open(None).unwrap().begin(|_| {});
        nowhere.publish(clock::monotonic(), || panic!("nobody reads it"));
        assert_eq!(nowhere.period(), None);
    }

    #[test]
    fn an_address_is_told_from_a_file() {
        let file = |path: &str| Ok(Metrics::File(path.into()));
        assert_eq!("[::1]:9477".parse(), Ok(Metrics::Http("[::1]:9477".parse().unwrap())));
        assert_eq!("a.prom".parse(), file("a.prom"));
        assert_eq!("./localhost:9477".parse(), file("./localhost:9477"));
        assert!("localhost:9477".parse::<Metrics>().unwrap_err().contains("127.0.0.1:9477"));
    }
}
