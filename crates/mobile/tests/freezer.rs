//! Closing windows on a real kernel.
#![cfg(all(target_os = "linux", feature = "ebpf"))]

#[path = "support/ethernet.rs"]
mod ethernet;
mod support;

use ethernet::Ethernet;
use libbpf_rs::query::ProgInfoIter;
use nix::ifaddrs::{InterfaceAddress, getifaddrs};
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, bind, send, socket};
use seamline_host::log::Format;
use seamline_lab::system::netlink::bring_up_loopback;
use seamline_mobile::connections::Key;
use seamline_mobile::system::{Daemon, Freezer, Options, ask};
use seamline_mobile::{HAS_FREEZER, Settings};
use seamline_wire::codec::{Headers, IpHeader, encode_to_vec};
use seamline_wire::{Flags, Segment, TransportPort};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Write};
use std::net::IpAddr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use support::{Phone, Running, Server, VERSIONS, pause};

/// Set for the process that is stopped or killed: the path of its socket.
const VICTIM: &str = "SEAMLINE_TEST_VICTIM";

/// How often two calls meet, of which one could undo what the other does.
const ROUNDS: u16 = 5000;

const FAR: seamline_wire::Instant = seamline_wire::Instant::MAX;

static ALONE: Mutex<()> = Mutex::new(());

/// Whether the program can be loaded here; if not, it prints why. One test at a time holds what it returns.
fn freezer_or_skip(name: &str) -> Option<MutexGuard<'static, ()>> {
    const { assert!(HAS_FREEZER) };
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Err(error) = Freezer::open(1) else { return Some(alone) };
    support::skip(name, error);
    None
}

fn freezing() -> Settings {
    Settings::read("mobile.toml".as_ref(), "[default]\nfreeze = true\nfreeze_margin = \"200 ms\"").unwrap()
}

fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "the kernel's timers go by real time")]
    Instant::now()
}

fn until(what: &str, holds: impl Fn() -> bool) -> Duration {
    let begin = now();
    while !holds() {
        assert!(now() < begin + Duration::from_secs(10), "{what}");
        pause(Duration::from_millis(5));
    }
    now() - begin
}

/// Over a device without a link layer. Whatever is read has a right checksum, or it would not have been read.
#[test]
fn every_segment_of_a_frozen_connection_says_that_the_window_is_closed() {
    let name = "every_segment_of_a_frozen_connection";
    let Some(_alone) = freezer_or_skip(name) else { return };
    for version in VERSIONS {
        let Some(phone) = Phone::or_skip(name, freezing(), version) else { return };
        let (mut stream, mut server) = phone.connect();
        server.send(1000);
        let last = server.next(Duration::from_secs(1)).expect("an acknowledgment of the data").segment;
        assert!(last.window > 0);
        let noticed_at = now();
        assert_eq!(ask(&phone.daemon.socket, "going-down wwan0 in 500 ms").unwrap(), "ok");
        let closed = server.next(Duration::from_millis(500)).expect("a closed window").segment;
        let after = (now() - noticed_at).as_millis();
        // The round trip is some milliseconds of the test's own, the margin 200. Before the loss it must have gone.
        assert!((200..500).contains(&after), "{version:?}: {after} ms: {}", phone.log());
        assert_eq!((closed.window, closed.acknowledgment), (0, last.acknowledgment));
        stream.write_all(&[1; 3000]).unwrap();
        let data = server.next_data(Duration::from_millis(300)).expect("the host's own data").segment;
        assert_eq!(data.window, 0);
        server.drain(Duration::from_millis(20));
        let received = server.send(1000);
        let seen = server.next(Duration::from_millis(300)).expect("the kernel's acknowledgment").segment;
        assert_eq!((seen.window, seen.acknowledgment), (0, received));
        server.drain(Duration::from_millis(100));
        assert_eq!(ask(&phone.daemon.socket, "up wwan0").unwrap(), "ok");
        for _ in 0..3 {
            let seen = server.next(Duration::from_millis(300)).expect("it is opened").segment;
            assert_eq!((seen.flags, seen.length, seen.acknowledgment), (Flags::ACK, 0, received));
            // Since the first one the application has read nothing.
            assert!(seen.window > 0 && seen.window <= last.window, "{seen:?} after {last:?}");
        }
        server.send(1000);
        let open = server.next(Duration::from_millis(300)).expect("an acknowledgment").segment;
        assert!(open.window > 0, "{open:?}");
        let status = ask(&phone.daemon.socket, "status").unwrap();
        assert!(status.contains(" freezing=0 ") && status.contains(" frozen=1 thawed=1 "), "{status}");
    }
}

/// The kernel waits 40 ms and more for a second segment (`TCP_DELACK_MIN`) where its application talks with the other end. On a busy host the
/// daemon may come later than that.
#[test]
fn one_segment_that_arrives_at_a_frozen_connection_is_acknowledged_at_once() {
    let name = "one_segment_that_arrives_at_a_frozen_connection";
    let Some(_alone) = freezer_or_skip(name) else { return };
    for version in VERSIONS {
        let is_caught_up = (0..5).any(|_| {
            let Some(phone) = Phone::or_skip(name, freezing(), version) else { return true };
            let outcome = one_segment_arrives(&phone);
            println!("{outcome:?}\n{}", phone.log());
            outcome.is_ok()
        });
        assert!(is_caught_up, "{version:?}");
    }
}

/// At a connection of the phone that is frozen, and of which the kernel says nothing for a while. Why that cannot be seen.
fn one_segment_arrives(phone: &Phone) -> Result<(), &'static str> {
    let (mut stream, mut server) = phone.connect();
    let mut talk = |server: &mut Server| {
        server.send(1000);
        server.drain(Duration::from_millis(10));
        stream.write_all(&[1; 100]).unwrap();
        server.next_data(Duration::from_millis(300)).expect("the host's own data").segment.window
    };
    talk(&mut server);
    let open = talk(&mut server);
    server.send(1000);
    if server.next(Duration::from_millis(30)).is_some() {
        return Err("the kernel does not wait");
    }
    server.drain(Duration::from_millis(20));
    assert_eq!(ask(&phone.daemon.socket, "going-down wwan0 in 500 ms").unwrap(), "ok");
    // It waits where there is an answer to be sent, not after a silence.
    assert!((0..50).any(|_| talk(&mut server) == 0), "it is not frozen");
    // More than what the kernel has room for besides; the application reads nothing.
    for _ in 0..40 {
        server.send(1400);
    }
    server.drain(Duration::from_millis(50));
    talk(&mut server);
    // From a margin before the loss on nothing more should come.
    pause(Duration::from_millis(30));
    let received = server.send(1000);
    let seen = server.next(Duration::from_millis(300)).expect("an acknowledgment").segment;
    assert_eq!((seen.window, seen.acknowledgment), (0, received));
    // It is logged after that.
    server.drain(Duration::from_millis(20));
    let log = phone.log();
    let mut caught_up = log.lines().filter(|line| line.contains("event=catch-up"));
    if !caught_up.any(|line| line.contains(&format!("acknowledgment={}", received.0))) {
        return Err("the kernel was faster");
    }
    // What the kernel wanted to advertise last is less than what it advertised before.
    assert_eq!(ask(&phone.daemon.socket, "up wwan0").unwrap(), "ok");
    let thawed = server.next(Duration::from_millis(300)).expect("it is opened").segment;
    assert_eq!(thawed.acknowledgment, received);
    assert!(thawed.window > 0 && thawed.window < open, "{thawed:?} after {open}");
    Ok(())
}

/// Over Ethernet with offloads, and with the kernel's TCP at the other end: it stops, stays stopped though it probes the window, and goes on.
#[test]
fn a_frozen_sender_stops_until_it_is_thawed() {
    let name = "a_frozen_sender_stops";
    let Some(_alone) = freezer_or_skip(name) else { return };
    for version in VERSIONS {
        let Some(ethernet) = Ethernet::or_skip(name, version) else { return };
        let daemon = Running::start(&ethernet.phone, freezing());
        let download = ethernet.download();
        freeze(&daemon.socket, &download);
        ask(&daemon.socket, "up wwan0").unwrap();
        let before = download.bytes();
        let after = until("data again", || download.bytes() > before);
        assert!(after < Duration::from_millis(150), "{version:?}: {after:?}: {}", daemon.log());
    }
}

/// A notice about the link holds for the tunnel over it, and it is the tunnel's packets whose window is closed.
#[test]
fn a_sender_behind_a_tunnel_over_the_link_stops_and_goes_on() {
    let name = "a_sender_behind_a_tunnel";
    let Some(_alone) = freezer_or_skip(name) else { return };
    for version in VERSIONS {
        let Some(ethernet) = Ethernet::or_skip(name, version) else { return };
        let Some(ethernet) = ethernet.through_a_tunnel() else {
            return support::skip(name, "this kernel has no VXLAN");
        };
        let tunnels = BTreeMap::from([("vx0".to_owned(), "wwan0".to_owned())]);
        let daemon = Running::start(&ethernet.phone, Settings { tunnels, ..freezing() });
        let download = ethernet.download();
        freeze(&daemon.socket, &download);
        ask(&daemon.socket, "up wwan0").unwrap();
        let before = download.bytes();
        let after = until("data again", || download.bytes() > before);
        // It is logged after that.
        until("a repeat", || daemon.log().contains("event=repeat "));
        let log = daemon.log();
        assert!(after < Duration::from_millis(150), "{version:?}: {after:?}: {log}");
        let repeats = log.lines().filter(|line| line.contains("event=repeat ")).collect::<Vec<_>>();
        assert!(matches!(repeats[..], [line] if line.contains(" link=vx0 ")), "{log}");
    }
}

/// The next device may have the number of one that went unnoticed.
#[test]
fn what_is_not_there_any_more_is_attached_again() {
    let name = "what_is_not_there_any_more_is_attached_again";
    let Some(_alone) = freezer_or_skip(name) else { return };
    let Some((namespace, _interface, _tun)) = support::interface_or_skip(name) else { return };
    let index = namespace.within(|| Ok(nix::net::if_::if_nametoindex("wwan0")?)).unwrap();
    let key = Key { local: "10.9.0.1:40001".parse().unwrap(), remote: "10.9.0.2:443".parse().unwrap() };
    let mut freezer = Freezer::open(1).unwrap();
    for there in [BTreeSet::from([index]), BTreeSet::new()] {
        namespace.within(|| freezer.attach(index)).unwrap();
        assert!(freezer.close(&key, index, FAR).is_ok());
        freezer.keep(|interface| there.contains(&interface));
        assert_eq!(freezer.close(&key, index, FAR).is_ok(), !there.is_empty());
    }
    namespace.within(|| freezer.attach(index)).unwrap();
    assert!(freezer.close(&key, index, FAR).is_ok());
}

/// The time may be put off while packets leave.
#[test]
fn what_is_noted_while_the_time_is_changed_is_not_lost() {
    let name = "what_is_noted_while_the_time_is_changed";
    let Some(_alone) = freezer_or_skip(name) else { return };
    let Some((namespace, ..)) = support::interface_or_skip(name) else { return };
    bring_up_loopback(&namespace).unwrap();
    let [IpAddr::V4(from), IpAddr::V4(to)] = support::addresses(VERSIONS[0]) else { unreachable!() };
    let key = Key { local: (from, 40_001).into(), remote: (to, 443).into() };
    let packet = |window| {
        let headers = Headers {
            ip: IpHeader::v4(from, to),
            source_port: TransportPort(40_001),
            destination_port: TransportPort(443),
            segment: Segment { flags: Flags::ACK, window, ..Segment::default() },
        };
        encode_to_vec(&headers, &[]).unwrap()
    };
    let mut freezer = Freezer::open(1).unwrap();
    let index = namespace.within(|| Ok(nix::net::if_::if_nametoindex("lo")?)).unwrap();
    namespace.within(|| freezer.attach(index)).unwrap();
    let (meet, sent) = (Barrier::new(2), AtomicU16::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let kernel = namespace.within(|| packet_socket("lo")).unwrap();
            for window in 1..=ROUNDS {
                meet.wait();
                send(kernel.as_raw_fd(), &packet(window), MsgFlags::empty()).unwrap();
                sent.store(window, Ordering::Release);
                meet.wait();
            }
        });
        let mut lost = 0;
        for window in 1..=ROUNDS {
            freezer.close(&key, index, FAR).unwrap();
            meet.wait();
            while sent.load(Ordering::Acquire) < window {
                freezer.close(&key, index, FAR).unwrap();
            }
            meet.wait();
            lost += u32::from(freezer.open_window(&key).unwrap() != Some(window));
        }
        assert_eq!(lost, 0, "of {ROUNDS}");
    });
}

/// What sends IPv4 packets by an interface and is no raw IP socket: what the daemon sends by such is not noted.
fn packet_socket(interface: &str) -> io::Result<OwnedFd> {
    let flags = SockFlag::SOCK_CLOEXEC;
    let socket = socket(AddressFamily::Packet, SockType::Datagram, flags, SockProtocol::EthIp)?;
    let of_interface = |it: &InterfaceAddress| it.interface_name == interface;
    let address = getifaddrs()?.filter(of_interface).find_map(|it| it.address?.as_link_addr().copied());
    bind(socket.as_raw_fd(), &address.ok_or(io::ErrorKind::NotFound)?)?;
    Ok(socket)
}

/// Freeze a download.
fn begin_freeze(socket: &Path, download: &ethernet::Download) {
    until("data", || download.bytes() > 1_000_000);
    ask(socket, "going-down wwan0 in 600 ms").unwrap();
    until("a freeze", || ask(socket, "status").is_ok_and(|status| status.contains(" freezing=1 ")));
}

/// See that it stands still for so long.
fn stands_still(download: &ethernet::Download, time: Duration) {
    // What was under way.
    pause(Duration::from_millis(100));
    let bytes = download.bytes();
    pause(time);
    assert_eq!(download.bytes() - bytes, 0, "in {time:?}");
}

/// Freeze a download for as long as the timeout.
fn freeze(socket: &Path, download: &ethernet::Download) {
    begin_freeze(socket, download);
    ask(socket, "down wwan0").unwrap();
    // The sender asks after 0.2 and 0.6 s, at the latest, whether the window is still closed.
    stands_still(download, Duration::from_millis(700));
}

/// Our programs that are in the kernel. A look ends early where a program goes meanwhile, hence several.
fn in_the_kernel() -> BTreeSet<u32> {
    let programs = |_| ProgInfoIter::default().map(|it| (it.id, it.name.to_string_lossy().into_owned()));
    let ours = |(id, name): (u32, String)| "seamline_freeze".starts_with(&name).then_some(id);
    (0..5).flat_map(programs).filter_map(ours).collect()
}

/// A daemon in a process of its own, whose log is next to its socket.
fn victim(ethernet: &Ethernet, socket: &Path) -> Child {
    let log = File::create(socket.with_extension("log")).unwrap();
    let spawned = ethernet.phone.within(|| {
        Command::new(std::env::current_exe()?)
            .args(["--exact", "a_window_opens_again_whatever_becomes_of_the_daemon"])
            .env(VICTIM, socket)
            .arg("--nocapture")
            .stdout(log)
            .stderr(Stdio::null())
            .spawn()
    });
    let victim = spawned.unwrap();
    until("a daemon", || ask(socket, "status").is_ok());
    victim
}

fn run_until_killed(socket: &Path) {
    let options =
        Options { socket: socket.to_owned(), is_dry: false, format: Format::default(), metrics: None };
    let (_open, stop) = UnixStream::pair().unwrap();
    Daemon::open(freezing(), &options).unwrap().run(&stop, std::io::stdout()).unwrap();
}

#[test]
fn a_window_opens_again_whatever_becomes_of_the_daemon() {
    if let Some(socket) = std::env::var_os(VICTIM) {
        return run_until_killed(Path::new(&socket));
    }
    let name = "a_window_opens_again_whatever";
    let Some(_alone) = freezer_or_skip(name) else { return };
    let Some(ethernet) = Ethernet::or_skip(name, VERSIONS[0]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let before = in_the_kernel();
    let mut daemon = victim(&ethernet, &socket);
    let its_own: BTreeSet<u32> = in_the_kernel().difference(&before).copied().collect();
    assert!(!its_own.is_empty());
    let download = ethernet.download();

    // Stopped while it has not heard that the link was lost: the kernel opens the window at the announced time.
    begin_freeze(&socket, &download);
    signal("STOP", &daemon);
    // Until a margin after the loss would have been.
    stands_still(&download, Duration::from_millis(150));
    let bytes = download.bytes();
    // The sender's next question is answered with the truth.
    until("data by the kernel alone", || download.bytes() > bytes);
    signal("CONT", &daemon);
    until("a thaw", || ask(&socket, "status").is_ok_and(|status| status.contains(" thawed=1 ")));

    // Killed while it holds the window closed for half a minute.
    freeze(&socket, &download);
    let bytes = download.bytes();
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    until("nothing is attached", || in_the_kernel().is_disjoint(&its_own));
    let after = until("data without a daemon", || download.bytes() > bytes);
    // It has been asked after 0.2 and 0.6 s, and will be after 1.4 s.
    assert!(after < Duration::from_secs(3), "{after:?}");
}

fn signal(name: &str, process: &Child) {
    let seen = Command::new("sh").args(["-c", &format!("kill -{name} {}", process.id())]).status().unwrap();
    assert!(seen.success());
}

#[test]
fn a_daemon_that_fails_thaws_before_it_ends_and_says_so() {
    let name = "a_daemon_that_fails_thaws";
    let Some(_alone) = freezer_or_skip(name) else { return };
    let Some(ethernet) = Ethernet::or_skip(name, VERSIONS[0]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let mut daemon = victim(&ethernet, &socket);
    let download = ethernet.download();
    begin_freeze(&socket, &download);
    let bytes = download.bytes();
    // It waits for more descriptors than it may have now, which poll(2) refuses.
    let process = daemon.id().to_string();
    let limited = Command::new("prlimit").args(["--pid", &process, "--nofile=3:3"]).status().unwrap();
    assert!(limited.success());
    // Something that wakes it; nobody may be there to answer any more.
    let _ = ask(&socket, "up lo");
    assert!(!daemon.wait().unwrap().success());
    let log = std::fs::read_to_string(socket.with_extension("log")).unwrap();
    assert!(log.contains("reason=\"the daemon ends\"") && log.contains("event=repeat "), "{log}");
    let stop = log.lines().find(|line| line.contains(" event=stop "));
    let has = |line: &str| line.contains(" freezing=0 ") && line.contains(" frozen=1 thawed=1 ");
    assert!(stop.is_some_and(has), "{log}");
    until("data", || download.bytes() > bytes);
}
