//! The Unix socket at which a daemon takes commands from its host, and the client side of it.

use crate::{explained, folder_of, uninterrupted};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, socket};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt, chown};
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The longest command in bytes; a longer one is truncated and refused.
const LONGEST: usize = 4096;
/// How long the client waits for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// The daemon's socket. Dropping it removes its path.
#[derive(Debug)]
pub struct Control {
    socket: UnixDatagram,
    path: PathBuf,
    /// Device and inode: another daemon may have taken over the path.
    identity: (u64, u64),
}

impl Control {
    /// Listen at a path that only this user can write to. The socket of a killed daemon is replaced, and a missing folder is made.
    ///
    /// # Errors
    /// When the path is no socket, another daemon listens there, or this user may not write there.
    pub fn open(path: &Path) -> io::Result<Self> {
        let what = || format!("listening at {}", path.display());
        let folder = folder_of(path);
        if !folder.exists() {
            fs::DirBuilder::new().mode(0o700).create(folder).map_err(|error| explained(error, what()))?;
        }
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

    /// The next command and its sender, if one waits.
    ///
    /// # Errors
    /// When the socket cannot be read.
    pub fn receive(&self) -> io::Result<Option<(String, SocketAddr)>> {
        let mut room = [0; LONGEST];
        match uninterrupted(|| self.socket.recv_from(&mut room)) {
            Ok((length, from)) => Ok(Some((String::from_utf8_lossy(&room[..length]).into_owned(), from))),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(explained(error, "reading a command")),
        }
    }

    /// Answer a command whose sender has an address; errors are ignored. A message that is itself an answer gets none: otherwise a command
    /// with the spoofed address of another daemon would start an endless exchange.
    pub fn answer(&self, to: &SocketAddr, command: &str, text: &str) {
        let is_answer = command.starts_with("ok") || command.starts_with("error:");
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

/// A socket at a path that only this user can ever write to: the file takes the mode of its descriptor (unix(7)).
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

/// Remove a socket at which no process listens.
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

/// Send a daemon a command and return its answer.
///
/// # Errors
/// When no daemon listens at the path, or it does not answer for 2 s.
pub fn ask(path: &Path, text: &str) -> io::Result<String> {
    let daemon = fs::symlink_metadata(path).map_err(|error| unreachable(error, path))?;
    let own =
        PrivateFolder::near(path).map_err(|error| explained(error, "making a socket for the answer"))?;
    let socket = own
        .answerable_by(daemon.uid())
        .map_err(|error| explained(error, format_args!("listening in {}", own.0.display())))?;
    socket.set_read_timeout(Some(ANSWER_TIMEOUT))?;
    socket.send_to(text.as_bytes(), path).map_err(|error| unreachable(error, path))?;
    let mut room = vec![0; 64 * 1024];
    match uninterrupted(|| socket.recv(&mut room)) {
        Ok(length) => Ok(String::from_utf8_lossy(&room[..length]).into_owned()),
        Err(error) if error.kind() == ErrorKind::WouldBlock => {
            Err(io::Error::new(ErrorKind::TimedOut, format!("no answer from {} in 2 s", path.display())))
        }
        Err(error) => Err(error),
    }
}

/// A temporary folder that only this user and the daemon can enter. An abstract socket address would take no folder, but the daemon may
/// be in another network namespace, where such an address means nothing.
struct PrivateFolder(PathBuf);

impl PrivateFolder {
    /// Next to the daemon's socket, which is a place that the daemon sees, or where this user may not create anything there, in that for
    /// temporary files.
    fn near(socket: &Path) -> io::Result<Self> {
        match PrivateFolder::new_in(folder_of(socket)) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                PrivateFolder::new_in(&std::env::temp_dir())
            }
            made => made,
        }
    }
    /// Never reuses a folder: another user may have made it.
    fn new_in(parent: &Path) -> io::Result<Self> {
        static ASKED: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = ASKED.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("seamline-{}-{number}", std::process::id()));
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => return made.map(|()| PrivateFolder(path)),
            }
        }
    }
    /// A socket in it that a daemon of this user can write to.
    fn answerable_by(&self, user: u32) -> io::Result<UnixDatagram> {
        let path = self.0.join("answer");
        let socket = UnixDatagram::bind(&path)?;
        if user != nix::unistd::geteuid().as_raw() {
            chown(&path, Some(user), None)?;
            chown(&self.0, Some(user), None)?;
        }
        Ok(socket)
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn unreachable(error: io::Error, path: &Path) -> io::Error {
    explained(error, format_args!("no daemon can be reached at {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_user_can_write_to_the_socket_from_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        // `bind` is the last step that touches the file.
        let _socket = bind(&path).unwrap();
        let mode = fs::symlink_metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn an_existing_folder_is_never_used_for_the_answer() {
        let parent = tempfile::tempdir().unwrap();
        let [first, second] = [(); 2].map(|()| PrivateFolder::near(&parent.path().join("socket")).unwrap());
        assert_ne!(first.0, second.0);
        assert_eq!(first.0.parent(), Some(parent.path()));
        let mode = fs::metadata(&first.0).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let path = first.0.clone();
        drop(first);
        assert!(!path.exists());
    }

    /// As root only: the daemon of another user gets the folder, with the socket in it.
    #[test]
    fn a_daemon_of_another_user_can_answer() {
        if !nix::unistd::geteuid().is_root() {
            return seamline_testing::skip("a_daemon_of_another_user_can_answer", "it takes root");
        }
        let parent = tempfile::tempdir().unwrap();
        let folder = PrivateFolder::near(&parent.path().join("socket")).unwrap();
        let _socket = folder.answerable_by(65_534).unwrap();
        let owner = |path: &Path| fs::symlink_metadata(path).unwrap().uid();
        assert_eq!([owner(&folder.0), owner(&folder.0.join("answer"))], [65_534; 2]);
    }
}
