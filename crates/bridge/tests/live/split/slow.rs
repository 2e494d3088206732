//! Clients that read nothing, by the hundred, of one host: what they take, and what is left for another one.

use super::{Router, made_a_router, settings};
use crate::hop::Hop;
use crate::hosts::{inside, ip, pause};
use crate::net::{Net, now};
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrStorage, bind, connect, setsockopt, socket, sockopt,
};
use seamline_bridge::system::{Metrics, Split};
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// The server of each has a thread of its own.
const fn server(port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 77, 0, 1)), port)
}
const OF_ATTACKER: SocketAddr = server(4000);
const OF_VICTIM: SocketAddr = server(4001);
const ATTACKER: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 2);
const VICTIM: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 5);

/// A server that sends to everyone without end, and a client with another address.
struct Attacked {
    net: Net,
    stop: Arc<AtomicBool>,
    servers: [JoinHandle<()>; 2],
}

impl Attacked {
    fn begin(test: &str) -> Option<Self> {
        let net = made_a_router(Net::alone_or_skip(test)?, test)?;
        ip(&net.mobile, &format!("addr add {VICTIM}/24 dev d0"));
        ip(&net.bridge, &format!("route add {VICTIM}/32 dev b1"));
        let stop = Arc::new(AtomicBool::new(false));
        let servers = [OF_ATTACKER, OF_VICTIM].map(|address| {
            let until = Arc::clone(&stop);
            inside(&net.fixed, move || serve(address, &until))
        });
        Some(Attacked { net, stop, servers })
    }

    /// So many connections of one address, under way.
    fn dial(&self, from: Ipv4Addr, count: usize, receive_buffer: Option<usize>) -> Vec<TcpStream> {
        let begin = || {
            let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
            let socket = socket(AddressFamily::Inet, SockType::Stream, flags, None).unwrap();
            if let Some(bytes) = receive_buffer {
                setsockopt(&socket, sockopt::RcvBuf, &bytes).unwrap();
            }
            let own = SocketAddr::new(from.into(), 0);
            bind(socket.as_raw_fd(), &SockaddrStorage::from(own)).unwrap();
            let to = if from == VICTIM { OF_VICTIM } else { OF_ATTACKER };
            let _ = connect(socket.as_raw_fd(), &SockaddrStorage::from(to));
            TcpStream::from(socket)
        };
        let dial = || {
            let dialled = (0..count).map(|number| {
                if number % 20 == 19 {
                    pause(50);
                }
                begin()
            });
            Ok(dialled.collect())
        };
        self.net.mobile.within(dial).unwrap()
    }

    /// The most bytes of three times: this host may have other work.
    fn best_goodput(&self) -> u64 {
        (0..3).map(|_| self.goodput()).max().unwrap_or_default()
    }

    /// Bytes that the victim gets in two seconds, by a connection of its own.
    fn goodput(&self) -> u64 {
        let mut stream = self.dial(VICTIM, 1, None).pop().unwrap();
        let (begun, mut bytes, mut room) = (now(), 0, vec![0; 65_536]);
        while now() - begun < 2000 {
            match stream.read(&mut room) {
                Ok(0) => break,
                Ok(length) => bytes += length as u64,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::NotConnected) => {
                    pause(1)
                }
                Err(error) => panic!("after {bytes} bytes: {error}"),
            }
        }
        bytes
    }

    fn end(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.servers.into_iter().for_each(|server| server.join().unwrap());
    }
}

/// Without blocking for any of them, and with little memory of its own.
fn serve(address: SocketAddr, stop: &AtomicBool) {
    let listener = TcpListener::bind(address).unwrap();
    nix::sys::socket::listen(&listener, nix::sys::socket::Backlog::new(4096).unwrap()).unwrap();
    setsockopt(&listener, sockopt::SndBuf, &65_536).unwrap();
    listener.set_nonblocking(true).unwrap();
    let (mut clients, blob) = (Vec::<TcpStream>::new(), vec![7; 16_384]);
    while !stop.load(Ordering::Relaxed) {
        while let Ok((client, _)) = listener.accept() {
            client.set_nonblocking(true).unwrap();
            clients.push(client);
        }
        clients.retain_mut(|client| match client.write(&blob) {
            Err(error) => error.kind() == ErrorKind::WouldBlock,
            Ok(_) => true,
        });
        if clients.len() != 1 {
            pause(1);
        }
    }
}

/// What the file of metrics says.
fn metric(path: &PathBuf, name: &str) -> u64 {
    let text = std::fs::read_to_string(path).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("seamline_agent_split_{name} ")));
    line.unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
}

/// One host gets half of the places, and its memory stays small; what comes beyond that passes. Another one is split, and gets what it got before. Once the first
/// one is gone it is split again.
#[test]
fn who_reads_nothing_takes_little_and_leaves_room() {
    const TEST: &str = "who_reads_nothing_takes_little_and_leaves_room";
    const PLACES: u64 = 600;
    let Some(attacked) = Attacked::begin(TEST) else { return };
    let hop = Hop::begin(&attacked.net, 0);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("split.prom");
    let metrics = Some(Metrics::File(path.clone()));
    let connections = PLACES as u32;
    let router = Router::begin(&attacked.net, Split { connections, buffer: 512_000, metrics, ..settings() });
    let before = attacked.best_goodput();

    let slow = attacked.dial(ATTACKER, 1500, Some(4096));
    pause(4000);
    let [open, kept, limited, passed] =
        ["open", "kept_bytes", "limited", "passed_limited_total"].map(|name| metric(&path, name));
    let during = attacked.best_goodput();
    pause(1500);
    let begun = metric(&path, "begun_total");
    println!(
        "{TEST}: {open} of {PLACES} places, {} KiB, {passed} pass; the other host: {before} bytes before, {during} during",
        kept >> 10
    );
    assert!((PLACES / 2..PLACES / 2 + 50).contains(&open), "{open}");
    assert!(limited == 1 && passed > 500, "{limited}, {passed}");
    assert!(kept > 1 << 20 && kept < open * (512 << 10), "{kept}");
    assert!(begun > open, "the other host is split");
    // The attacked hosts share the processors of this one.
    assert!(during * 4 > before, "{during} after {before}");
    assert!(router.log().contains("host=10.77.0.2 "), "{}", router.log());

    drop(slow);
    let since = now();
    while metric(&path, "limited") > 0 {
        assert!(now() - since < 60_000, "{} open: {}", metric(&path, "open"), router.log());
        pause(100);
    }
    let passed = metric(&path, "passed_limited_total");
    let (open, again) = (metric(&path, "begun_total"), attacked.dial(ATTACKER, 5, None));
    pause(2500);
    assert_eq!((metric(&path, "begun_total"), metric(&path, "passed_limited_total")), (open + 5, passed));
    drop(again);
    router.end(true);
    hop.end();
    attacked.end();
}

/// Whatever they have read before: a host that has more memory than is left gets no more, and another one does.
#[test]
fn who_stops_reading_keeps_no_more_memory_than_is_left() {
    const TEST: &str = "who_stops_reading_keeps_no_more_memory_than_is_left";
    const MEMORY: u64 = 32 << 20;
    let Some(attacked) = Attacked::begin(TEST) else { return };
    let hop = Hop::begin(&attacked.net, 0);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("split.prom");
    let metrics = Some(Metrics::File(path.clone()));
    let memory = Some(MEMORY);
    let router = Router::begin(
        &attacked.net,
        Split { connections: 400, buffer: 2_000_000, memory, metrics, ..settings() },
    );
    let before = attacked.best_goodput();
    let mut slow = attacked.dial(ATTACKER, 150, None);
    let mut room = vec![0; 65_536];
    let begun = now();
    while now() - begun < 3000 {
        slow.iter_mut().for_each(|stream| drop(stream.read(&mut room)));
    }
    pause(4000);
    let [kept, shrunk] = ["kept_bytes", "buffers_shrunk_total"].map(|name| metric(&path, name));
    let during = attacked.best_goodput();
    println!(
        "{TEST}: {} of {} KiB, {shrunk} times smaller; the other host: {before} bytes before, {during} during",
        kept >> 10,
        MEMORY >> 10
    );
    assert!(kept > MEMORY / 8 && kept < MEMORY, "{kept}");
    assert!(shrunk > 0 && router.log().contains("event=memory-full"), "{shrunk}: {}", router.log());
    // The attacked hosts share the processors of this one.
    assert!(during * 4 > before, "{during} after {before}");
    drop(slow);
    router.end(true);
    hop.end();
    attacked.end();
}
