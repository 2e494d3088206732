//! Who may tell the daemon things: only its own user. By the mode of its socket, any other user is refused by the kernel.
#![cfg(target_os = "linux")]

mod support;

use nix::unistd::{Gid, Uid, setfsgid, setfsuid};
use seamline_mobile::Settings;
use seamline_mobile::system::ask;
use seamline_wire::codec::IpVersion;
use std::fs::{Permissions, set_permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;
use support::{Phone, pause};

/// By convention of a user who owns nothing.
const NOBODY: u32 = 65_534;

/// Do something as another user. The kernel asks a thread's file-system identity whether it may write to a socket's file, and one that is not root's has
/// no privilege over files either (credentials(7), capabilities(7)).
fn as_nobody<T: Send>(task: impl FnOnce() -> T + Send) -> T {
    let other = move || {
        setfsgid(Gid::from_raw(NOBODY));
        setfsuid(Uid::from_raw(NOBODY));
        // An impossible user changes nothing: this returns who it is.
        assert_eq!(setfsuid(Uid::from_raw(u32::MAX)).as_raw(), NOBODY);
        task()
    };
    std::thread::scope(|scope| scope.spawn(other).join().unwrap())
}

fn set_mode(path: &Path, mode: u32) {
    set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn another_user_of_the_host_can_tell_the_daemon_nothing() {
    let name = "another_user_of_the_host_can_tell_the_daemon_nothing";
    let Some(phone) = Phone::or_skip(name, Settings::default(), IpVersion::V4) else { return };
    let (_stream, mut server) = phone.connect();
    server.send(1000);
    server.drain(Duration::from_millis(100));
    // The folder lets everybody through, so that the socket's own mode is what refuses.
    set_mode(phone.daemon.socket.parent().unwrap(), 0o755);
    for command in ["up wwan0", "down wwan0", "soon wwan0 1s", "status", ""] {
        let error = as_nobody(|| ask(&phone.daemon.socket, command)).expect_err(command);
        assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{command:?}: {error}");
        assert!(error.to_string().contains(&phone.daemon.socket.display().to_string()), "{error}");
    }
    assert_eq!(server.next(Duration::from_millis(100)), None, "{}", phone.log());
    assert!(!phone.log().contains("event=link"), "{}", phone.log());
    let status = ask(&phone.daemon.socket, "status").unwrap();
    assert!(status.contains("acknowledgments=0 "), "{status}");

    // With another mode the same user is heard: nothing else had kept him out.
    set_mode(&phone.daemon.socket, 0o666);
    assert_eq!(as_nobody(|| ask(&phone.daemon.socket, "up wwan0")).unwrap(), "ok");
    pause(Duration::from_millis(20));
    assert!(server.next(Duration::from_millis(500)).is_some(), "{}", phone.log());
}
