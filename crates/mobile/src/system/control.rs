//! The socket at which modems and scripts tell things, and the other end of it.

use super::explained;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The longest datagram that is read; a longer one is cut and will not be understood.
const LONGEST: usize = 512;
/// How long the daemon has to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// The daemon's socket. Its path is removed with it.
#[derive(Debug)]
pub(super) struct Control {
    socket: UnixDatagram,
    path: PathBuf,
    /// Device and inode: another daemon may have taken the path since.
    identity: (u64, u64),
}

impl Control {
    /// Listen at a path, for this user alone. What a killed daemon has left there is replaced.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let what = || format!("listening at {}", path.display());
        let socket = match UnixDatagram::bind(path) {
            Err(error) if error.kind() == ErrorKind::AddrInUse => {
                clear(path).map_err(|error| explained(error, what()))?;
                UnixDatagram::bind(path)
            }
            bound => bound,
        };
        let socket = socket.map_err(|error| explained(error, what()))?;
        socket.set_nonblocking(true)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))
            .map_err(|error| explained(error, what()))?;
        Ok(Control { socket, path: path.to_owned(), identity: identity(path)? })
    }

    /// The next datagram and whose it is, if one waits.
    pub(super) fn receive(&self) -> io::Result<Option<(String, SocketAddr)>> {
        let mut room = [0; LONGEST];
        loop {
            return match self.socket.recv_from(&mut room) {
                Ok((length, from)) => Ok(Some((String::from_utf8_lossy(&room[..length]).into_owned(), from))),
                Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => Err(explained(error, "reading what is told")),
            };
        }
    }

    /// Answer whoever can be answered; nobody has to listen.
    pub(super) fn answer(&self, to: &SocketAddr, text: &str) {
        if !to.is_unnamed() {
            let _ = self.socket.send_to_addr(text.as_bytes(), to);
        }
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|identity| identity == self.identity) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    fs::symlink_metadata(path).map(|file| (file.dev(), file.ino()))
}

/// Remove a socket at which nobody listens.
fn clear(path: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.file_type().is_socket() {
        let text = "there is a file that is no socket; choose another path";
        return Err(io::Error::new(ErrorKind::AlreadyExists, text));
    }
    match UnixDatagram::unbound()?.connect(path) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(error) => Err(error),
        Ok(()) => Err(io::Error::new(ErrorKind::AddrInUse, "another daemon listens there")),
    }
}

/// Tell a daemon something without waiting for an answer.
///
/// # Errors
/// When nobody listens at the path.
pub fn tell(path: &Path, text: &str) -> io::Result<()> {
    let sent = UnixDatagram::unbound().and_then(|socket| socket.send_to(text.as_bytes(), path));
    sent.map(|_| ()).map_err(|error| unheard(error, path))
}

/// Tell a daemon something and return its answer.
///
/// # Errors
/// When nobody listens at the path, or does not answer for 2 s.
pub fn ask(path: &Path, text: &str) -> io::Result<String> {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    let number = ASKED.fetch_add(1, Ordering::Relaxed);
    let name = format!("seamline-mobile-{}-{number}.sock", std::process::id());
    let own = Own(std::env::temp_dir().join(name));
    let socket = UnixDatagram::bind(&own.0).map_err(|error| {
        explained(error, format_args!("making a socket for the answer at {}", own.0.display()))
    })?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.send_to(text.as_bytes(), path).map_err(|error| unheard(error, path))?;
    let mut room = vec![0; 64 * 1024];
    match socket.recv(&mut room) {
        Ok(length) => Ok(String::from_utf8_lossy(&room[..length]).into_owned()),
        Err(error) if error.kind() == ErrorKind::WouldBlock => {
            Err(io::Error::new(ErrorKind::TimedOut, format!("no answer from {} in 2 s", path.display())))
        }
        Err(error) => Err(error),
    }
}

/// A path that is removed in the end.
struct Own(PathBuf);

impl Drop for Own {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn unheard(error: io::Error, path: &Path) -> io::Error {
    explained(error, format_args!("no daemon can be reached at {}", path.display()))
}
