//! Loading and attaching the programs, and what is left of them.
#![cfg(all(target_os = "linux", feature = "ebpf"))]

mod support;

use libbpf_rs::query::ProgInfoIter;
use rustix::net::{AddressFamily, SocketType, sockopt};
use seamline_lab::clock;
use seamline_lab::system::Namespace;
use seamline_sender::{Attached, Counter, Error, Places};
use seamline_testing::cgroup::{self, Cgroup};
use seamline_wire::Duration;
use std::collections::BTreeSet;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use support::{alone, skip};

/// Set for the process that is killed.
const VICTIM: &str = "SEAMLINE_TEST_VICTIM";

/// Whether everything is there; if not, it prints why.
fn ready_or_skip(test: &str) -> bool {
    let why = match seamline_sender::check() {
        Ok(off) if off.is_empty() => return true,
        Ok(off) => off.iter().map(ToString::to_string).collect(),
        Err(error) => error.to_string(),
    };
    skip(test, &why);
    false
}

/// Our programs that are in the kernel, by number and name. A look ends early where a program goes meanwhile, hence several.
/// Connections of other tests that are still closing keep those of their congestion control.
fn in_the_kernel() -> BTreeSet<(u32, String)> {
    let look = |_| ProgInfoIter::default().map(|it| (it.id, it.name.to_string_lossy().into_owned()));
    (0..5).flat_map(look).filter(|(_, name)| name.starts_with("seamline_")).collect()
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let end = clock::monotonic() + Duration::from_secs(10);
    while !holds() {
        assert!(clock::monotonic() < end, "{what}: {:?}", in_the_kernel());
        #[expect(clippy::disallowed_methods, reason = "waits for another process")]
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn what_does_not_exist_is_refused() {
    let _alone = alone();
    let missing = Places { cgroup: "/sys/fs/cgroup/nowhere".into(), ..Places::default() };
    let Err(Error::Input(message)) = Attached::new(&missing) else { panic!("there is no such cgroup") };
    assert!(message.contains("/sys/fs/cgroup/nowhere"), "{message}");
    let interfaces = vec!["nowhere0".to_owned()];
    let missing = Places { cgroup: "/tmp".into(), interfaces, ..Places::default() };
    let Err(Error::Input(message)) = Attached::new(&missing) else { panic!("there is no such interface") };
    assert!(message.contains("\"nowhere0\"") && message.contains("ip link"), "{message}");
    if ready_or_skip("what_does_not_exist_is_refused") {
        let no_cgroup = Places { cgroup: "/tmp".into(), ..Places::default() };
        let Err(Error::Input(message)) = Attached::new(&no_cgroup) else { panic!("/tmp is no cgroup") };
        assert!(message.contains("/tmp") && message.contains("cgroup2"), "{message}");
    }
}

/// The connections that one watches, and those that it leaves alone.
fn counted(attached: &Attached) -> (u64, u64) {
    let counters = attached.counters().unwrap();
    (counters.of(Counter::Connections), counters.of(Counter::OtherControl))
}

/// Both ends of a connection over the loopback interface, with cubic, whatever the host's connections use.
fn both_ends() -> (OwnedFd, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    for socket in [listener.as_fd(), client.as_fd()] {
        sockopt::set_tcp_congestion(socket, "cubic").unwrap();
    }
    rustix::net::connect(&client, &listener.local_addr().unwrap()).unwrap();
    (client, listener.accept().unwrap().0)
}

#[test]
fn of_two_at_a_time_each_connection_has_one() {
    let _alone = alone();
    if !ready_or_skip("of_two_at_a_time_each_connection_has_one") {
        return;
    }
    let cgroup = Cgroup::enter().unwrap();
    let places = Places { cgroup: cgroup.path().to_owned(), ..Places::default() };
    let (first, second) = (Attached::new(&places).unwrap(), Attached::new(&places).unwrap());
    let names = registered();
    assert!(names.contains("seamline_cubic ") && names.contains("seamline_cubic2"), "{names}");
    let _open = both_ends();
    let mut found = [counted(&first), counted(&second)];
    found.sort_unstable();
    assert_eq!(found, [(0, 2), (2, 0)]);
    // The other one has the next connections to itself.
    drop(first);
    let before = counted(&second);
    let _open = both_ends();
    assert_eq!(counted(&second), (before.0 + 2, before.1));
}

#[test]
fn a_tenth_is_refused_and_the_others_go_on() {
    let _alone = alone();
    if !ready_or_skip("a_tenth_is_refused") {
        return;
    }
    let cgroup = Cgroup::enter().unwrap();
    let places = Places { cgroup: cgroup.path().to_owned(), ..Places::default() };
    let mut nine: Vec<_> = (0..9).map(|_| Attached::new(&places).unwrap()).collect();
    let Err(Error::Host(message)) = Attached::new(&places) else { panic!("all names are taken") };
    assert!(message.contains("9 seamline senders run on this host"), "{message}");
    assert_eq!(in_the_kernel().iter().filter(|(_, name)| name == "seamline_marks").count(), 9);
    drop(nine.pop());
    Attached::new(&places).unwrap();
}

#[test]
fn an_interface_that_is_named_twice_is_taken_once() {
    let _alone = alone();
    if !ready_or_skip("an_interface_that_is_named_twice") {
        return;
    }
    let cgroup = Cgroup::enter().unwrap();
    Namespace::new().unwrap().enter().unwrap();
    let interfaces = vec!["lo".to_owned(), "lo".to_owned()];
    let places = Places { cgroup: cgroup.path().to_owned(), interfaces, ..Places::default() };
    let attached = Attached::new(&places).unwrap();
    assert_eq!(attached.off, []);
}

#[test]
fn nothing_is_left_of_a_killed_process() {
    if std::env::var_os(VICTIM).is_some() {
        return hold_until_killed();
    }
    let _alone = alone();
    if !ready_or_skip("nothing_is_left_of_a_killed_process") {
        return;
    }
    until("nobody has the name", || !is_registered());
    let before = in_the_kernel();
    let new = || in_the_kernel().difference(&before).cloned().collect::<BTreeSet<(u32, String)>>();
    let mut victim = Victim::begin();
    let all = ["seamline_marks", "seamline_resend", "seamline_in_ack"];
    // Long names are cut.
    let is_there = |name: &&str| new().iter().any(|(_, found)| name.starts_with(found.as_str()));
    // The programs are in the kernel before the congestion control has its name.
    until("all are there", || all.iter().all(is_there) && is_registered());
    victim.kill().unwrap();
    until("nothing is left", || new().is_empty() && !is_registered());
}

/// A process that holds what it attached until it is killed. It does not outlive a test that fails: it would keep the name from all others.
struct Victim(Child);

impl Victim {
    fn begin() -> Self {
        let mut itself = Command::new(std::env::current_exe().unwrap());
        let itself = itself.args(["--exact", "nothing_is_left_of_a_killed_process"]).env(VICTIM, "1");
        Self(itself.stdout(Stdio::null()).spawn().unwrap())
    }

    fn kill(&mut self) -> io::Result<()> {
        self.0.kill()?;
        self.0.wait()?;
        std::fs::remove_dir(cgroup::of_process(self.0.id()).unwrap())
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        // Where the test has killed it, there is nothing to do.
        let _ = self.kill();
    }
}

fn is_registered() -> bool {
    registered().contains("seamline_cubic")
}

fn registered() -> String {
    std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap()
}

fn hold_until_killed() {
    let cgroup = Cgroup::enter().unwrap();
    Namespace::new().unwrap().enter().unwrap();
    let interfaces = vec!["lo".to_owned()];
    let places = Places { cgroup: cgroup.path().to_owned(), interfaces, ..Places::default() };
    let attached = Attached::new(&places).unwrap();
    loop {
        attached.wait(std::time::Duration::from_secs(1)).unwrap();
    }
}
