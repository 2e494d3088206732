//! Where the counters can be read: by HTTP, or in a file.

use seamline_daemon::explained;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Where the counters go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Metrics {
    /// Whoever asks at this address by HTTP, for any path, is told.
    Http(SocketAddr),
    /// A file that is replaced as a whole each second.
    File(PathBuf),
}

/// The latest text, and where it goes.
#[derive(Debug)]
pub(super) struct Publisher {
    text: Mutex<String>,
    listener: Option<TcpListener>,
    file: Option<PathBuf>,
}

/// Nobody who asks is waited for longer.
const PATIENCE: Duration = Duration::from_millis(500);

impl Publisher {
    pub(super) fn open(metrics: Option<&Metrics>) -> io::Result<Self> {
        let mut publisher = Publisher { text: Mutex::default(), listener: None, file: None };
        match metrics {
            Some(Metrics::Http(address)) => {
                let made = TcpListener::bind(address);
                let listener =
                    made.map_err(|error| explained(error, format_args!("listening at {address}")))?;
                listener.set_nonblocking(true)?;
                publisher.listener = Some(listener);
            }
            Some(Metrics::File(path)) => {
                publisher.file = Some(path.clone());
                publisher.publish(String::new())?;
            }
            None => {}
        }
        Ok(publisher)
    }

    /// That is the latest.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn publish(&self, text: String) -> io::Result<()> {
        let written = self.file.as_ref().map_or(Ok(()), |path| {
            let mut beside = path.clone().into_os_string();
            beside.push(".new");
            fs::write(&beside, &text)
                .and_then(|()| fs::rename(&beside, path))
                .map_err(|error| explained(error, format_args!("writing {}", path.display())))
        });
        *self.text.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = text;
        written
    }

    /// Answer those who ask, until it is to stop.
    pub(super) fn serve(&self, stop: &AtomicBool) {
        use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
        use std::os::fd::AsFd;
        let Some(listener) = &self.listener else { return };
        while !stop.load(Ordering::Relaxed) {
            let _ = poll(&mut [PollFd::new(listener.as_fd(), PollFlags::POLLIN)], PollTimeout::from(100_u8));
            if let Ok((mut asked, _)) = listener.accept() {
                let _ = self.answer(&mut asked);
            }
        }
    }

    /// The request is read to its empty line, for closing with bytes unread would reset the connection.
    fn answer(&self, asked: &mut std::net::TcpStream) -> io::Result<()> {
        asked.set_nonblocking(false)?;
        asked.set_read_timeout(Some(PATIENCE))?;
        asked.set_write_timeout(Some(PATIENCE))?;
        let mut request = [0; 4096];
        let mut length = 0;
        while length < request.len() && !request[..length].windows(4).any(|end| end == b"\r\n\r\n") {
            match asked.read(&mut request[length..])? {
                0 => break,
                more => length += more,
            }
        }
        let body = self.text.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
        write!(
            asked,
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
    }
}
