//! A socket at which a daemon is told things by others of its host, and the other end of it.

use crate::explained;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, socket};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The longest datagram that is read; a longer one is cut and will not be understood.
const LONGEST: usize = 4096;
/// How long the daemon has to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// The daemon's socket. Its path is removed with it.
#[derive(Debug)]
pub struct Control {
    socket: UnixDatagram,
    path: PathBuf,
    /// Device and inode: another daemon may have taken the path since.
    identity: (u64, u64),
}

impl Control {
    /// Listen at a path, for this user alone. What a killed daemon has left there is replaced.
    ///
    /// # Errors
    /// When there is something else, another daemon listens there, or this user may not write there.
    pub fn open(path: &Path) -> io::Result<Self> {
        let what = || format!("listening at {}", path.display());
        let socket = match bind(path) {
            Err(error) if error.kind() == ErrorKind::AddrInUse => {
                clear(path).map_err(|error| explained(error, what()))?;
                bind(path)
            }
            bound => bound,
        };
        let socket = socket.map_err(|error| explained(error, what()))?;
        socket.set_nonblocking(true)?;
        Ok(Control { socket, path: path.to_owned(), identity: identity(path)? })
    }

    /// The next datagram and whose it is, if one waits.
    ///
    /// # Errors
    /// When the socket cannot be read.
    pub fn receive(&self) -> io::Result<Option<(String, SocketAddr)>> {
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

    /// Answer whoever can be answered; nobody has to listen. What is an answer itself gets none: two daemons of which one was told something
    /// in the other's name would never stop.
    pub fn answer(&self, to: &SocketAddr, told: &str, text: &str) {
        let is_answer = told.starts_with("ok") || told.starts_with("error:");
        if !to.is_unnamed() && !is_answer {
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

/// A socket at a path, for this user alone from the first moment: the file takes the mode of its descriptor (unix(7)).
fn bind(path: &Path) -> io::Result<UnixDatagram> {
    let socket = socket(AddressFamily::Unix, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)?;
    let descriptor = fs::File::from(socket);
    descriptor.set_permissions(fs::Permissions::from_mode(0o600))?;
    nix::sys::socket::bind(descriptor.as_raw_fd(), &UnixAddr::new(path)?)?;
    Ok(UnixDatagram::from(OwnedFd::from(descriptor)))
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

/// Tell a daemon something and return its answer.
///
/// # Errors
/// When nobody listens at the path, or does not answer for 2 s.
pub fn ask(path: &Path, text: &str) -> io::Result<String> {
    let own = Own::new().map_err(|error| explained(error, "making a socket for the answer"))?;
    let socket = UnixDatagram::bind(own.0.join("answer"))
        .map_err(|error| explained(error, format_args!("listening in {}", own.0.display())))?;
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

/// A folder for this user alone, which is removed in the end. An address without a path would take none, but the daemon may be in another
/// network namespace, where such an address means nothing.
struct Own(PathBuf);

impl Own {
    /// Whatever is there already, others may have made.
    fn new() -> io::Result<Self> {
        static ASKED: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = ASKED.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("seamline-{}-{number}", std::process::id()));
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => return made.map(|()| Own(path)),
            }
        }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn unheard(error: io::Error, path: &Path) -> io::Error {
    explained(error, format_args!("no daemon can be reached at {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_is_its_users_alone_before_it_has_a_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        // Nothing is done to the file after this.
        let _socket = bind(&path).unwrap();
        let mode = fs::symlink_metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn what_others_have_made_where_the_answer_goes_is_gone_by() {
        let [first, second] = [Own::new().unwrap(), Own::new().unwrap()];
        assert_ne!(first.0, second.0);
        let mode = fs::metadata(&first.0).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let path = first.0.clone();
        drop(first);
        assert!(!path.exists());
    }
}
