//! The lab without root: a process that is nobody becomes root in a user namespace of its own, and does there all that a lab
//! does. It has no test harness, because a user namespace can only be entered by a process with a single thread.
//! Root runs it again as nobody.

#[cfg(target_os = "linux")]
mod support;

fn main() {
    // `cargo nextest` asks for a list of tests, and a filter may ask for others.
    #[cfg(target_os = "linux")]
    if !std::env::args().any(|argument| argument == "--list") {
        linux::run();
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use crate::support::skip;
    use nix::unistd::geteuid;
    use seamline_lab::system::netlink::{bring_up_loopback, dropped};
    use seamline_lab::system::processes::{end_all, processes_in};
    use seamline_lab::system::{
        Command, Interface, Namespace, Privileges, StateDirectory, Tun, priority, privileges, settings,
    };
    use std::ffi::OsString;
    use std::fs::{self, Permissions};
    use std::net::UdpSocket;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    use std::process;
    use std::time::Duration;

    const NAME: &str = "rootless";
    const NOBODY: u32 = 65534;

    pub(super) fn run() {
        if geteuid().is_root() {
            as_nobody()
        } else {
            as_user()
        }
        println!("{NAME} ... ok");
    }

    /// The same program, where nobody may read it, as nobody.
    fn as_nobody() {
        assert_eq!(privileges::obtain().unwrap(), Privileges::Given, "root needs no user namespace");
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let program = folder.path().join(NAME);
        fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        let mut command = process::Command::new(&program);
        let status =
            command.current_dir("/").env_remove("XDG_RUNTIME_DIR").uid(NOBODY).gid(NOBODY).status().unwrap();
        assert!(status.success(), "as nobody: {status}");
    }

    fn as_user() {
        let user = geteuid();
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let state = StateDirectory::at(&folder.path().join("state")).unwrap();
        Namespace::new().expect_err("a user may not make namespaces");
        match privileges::obtain() {
            Ok(obtained) => assert_eq!(obtained, Privileges::UserNamespace),
            Err(error) => return skip(NAME, error),
        }
        assert!(geteuid().is_root(), "inside, {user} is root");
        println!("priority: {}", priority::raise());
        assert_eq!(privileges::obtain().unwrap(), Privileges::Given, "once is enough");

        let namespace = Namespace::new().unwrap();
        bring_up_loopback(&namespace).unwrap();
        packets(&namespace);
        settings::write(&namespace, "ipv4/ip_forward", "1").unwrap();
        settings::write(&namespace, "ipv4/tcp_congestion_control", "reno").unwrap();
        assert_eq!(settings::read(&namespace, "ipv4/ip_forward").unwrap(), "1");
        let file = state.register(&[&namespace]).unwrap();
        command(&namespace);
        drop(file);
    }

    fn packets(namespace: &Namespace) {
        let tun = Tun::open(namespace, "world").unwrap();
        let interface = Interface {
            name: "world".to_owned(),
            mtu: 1500,
            queue_packets: 10,
            addresses: vec![("10.7.0.2".parse().unwrap(), 24)],
            routes: vec![("0.0.0.0".parse().unwrap(), 0)],
            congestion_control: None,
        };
        interface.bring_up(namespace).unwrap();
        let socket = namespace.within(|| UdpSocket::bind("10.7.0.2:0")).unwrap();
        socket.send_to(b"out", ("198.51.100.1", 9)).unwrap();
        assert_eq!(tun.read(&mut [0; 2000]).unwrap(), Some(20 + 8 + 3));
        assert_eq!(dropped(namespace, "world").unwrap().sent, 0);
    }

    fn command(namespace: &Namespace) {
        let text =
            "setsid sleep 1000 & test $(getent hosts server | cut -d' ' -f1) = 10.7.0.9 || exit 4; exit 5";
        let mut command =
            Command { arguments: ["sh", "-c", text].map(OsString::from).to_vec(), ..Command::default() };
        command.hosts = vec![("10.7.0.9".parse().unwrap(), "server".to_owned())];
        assert_eq!(command.start(namespace).unwrap().wait().unwrap(), 5);
        assert_eq!(processes_in(namespace).unwrap().len(), 1);
        assert_eq!(end_all(&[namespace], Duration::from_secs(1)).unwrap().len(), 1);
        assert!(processes_in(namespace).unwrap().is_empty());
    }
}
