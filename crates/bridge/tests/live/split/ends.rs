//! How connections end, and that none hangs.

use super::{Router, accepted, routed, rules, settings};
use crate::hop::Hop;
use crate::hosts::pause;
use crate::net::{Net, now};
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrStorage, bind, connect, socket};
use seamline_bridge::system::Split;
use seamline_host::uninterrupted;
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::thread::{self, JoinHandle};
use std::time::Duration;

fn content(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|offset| (offset % 251) as u8).collect()
}

/// To one client, once it has ended its side.
fn answer(listener: TcpListener, bytes: usize) -> JoinHandle<()> {
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        assert_eq!(stream.read(&mut [0]).unwrap(), 0);
        stream.write_all(&content(bytes)).unwrap();
    })
}

/// To the end.
fn heard(mut client: TcpStream) -> Vec<u8> {
    client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut heard = Vec::new();
    let end = client.read_to_end(&mut heard);
    assert!(end.is_ok(), "{} bytes, then {end:?}", heard.len());
    heard
}

/// A client that has ended its side, and a server that answers it with so many bytes.
fn half_closed(net: &Net, bytes: usize) -> (TcpStream, JoinHandle<()>) {
    let listener = net.fixed.within(|| TcpListener::bind("10.77.0.1:4000")).unwrap();
    let client = net.mobile.within(|| TcpStream::connect("10.77.0.1:4000")).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    (client, answer(listener, bytes))
}

/// The server's half has hung up, full of what the client's half has no room for yet.
#[test]
fn a_long_answer_comes_whole_to_who_has_ended_his_side_first() {
    const BYTES: usize = 20_000_000;
    let Some(net) = routed("a_long_answer_comes_whole_to_who_has_ended_his_side_first") else { return };
    let hop = Hop::begin(&net, 0);
    let router = Router::begin(&net, Split { buffer: 4_000_000, ..settings() });
    let (client, server) = half_closed(&net, BYTES);
    assert!(heard(client) == content(BYTES));
    server.join().unwrap();
    let it = router.end(false);
    hop.end();
    assert_eq!((it.begun, it.ended, it.bytes_to_wireless), (1, 1, BYTES as u64), "{it:?}");
}

/// All was handed on, and both ends have ended; but the client has no room for it yet.
#[test]
fn what_was_handed_on_arrives_before_the_end() {
    const BYTES: usize = 1_000_000;
    let Some(net) = routed("what_was_handed_on_arrives_before_the_end") else { return };
    let hop = Hop::begin(&net, 0);
    let router = Router::begin(&net, Split { buffer: 4_000_000, ..settings() });
    let (client, server) = half_closed(&net, BYTES);
    server.join().unwrap();
    pause(500);
    let client = thread::spawn(move || {
        pause(1000);
        heard(client)
    });
    let it = router.end(false);
    assert!(client.join().unwrap() == content(BYTES));
    hop.end();
    assert_eq!((it.begun, it.ended, it.reset), (1, 1, 0), "{it:?}");
}

/// The client has ended its side. As long as the server says something now and then it may; then both are reset.
#[test]
fn who_is_left_half_closed_is_reset_after_a_while_and_not_before() {
    seamline_testing::punctual(100, || {
        let Some(net) = routed("who_is_left_half_closed_is_reset_after_a_while") else { return };
        let hop = Hop::begin(&net, 0);
        let half_closed = seamline_wire::Duration::from_secs(2);
        let router = Router::begin(&net, Split { half_closed, ..settings() });
        let listener = net.fixed.within(|| TcpListener::bind("10.77.0.1:4000")).unwrap();
        let mut open = net.mobile.within(|| TcpStream::connect("10.77.0.1:4000")).unwrap();
        let (_other, _) = listener.accept().unwrap();
        let mut client = net.mobile.within(|| TcpStream::connect("10.77.0.1:4000")).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        assert_eq!(server.read(&mut [0]).unwrap(), 0);
        for _ in 0..4 {
            pause(1200);
            server.write_all(&[7]).unwrap();
        }
        client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        client.read_exact(&mut [0; 4]).unwrap();
        let begun = now();
        assert_eq!(uninterrupted(|| client.read(&mut [0])).unwrap_err().kind(), ErrorKind::ConnectionReset);
        let after = now() - begun;
        assert!((1500..5000).contains(&after), "{after} ms");
        open.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        assert_eq!(
            uninterrupted(|| open.read(&mut [0])).unwrap_err().kind(),
            ErrorKind::WouldBlock,
            "one that is open stays"
        );
        let it = router.end(true);
        hop.end();
        assert_eq!((it.begun, it.expired, it.reset), (2, 1, 1), "{it:?}");
    });
}

/// All was handed to the kernel long ago; the client has closed its side, and reads slowly.
#[test]
fn a_slow_reader_of_a_half_closed_connection_gets_everything() {
    seamline_testing::punctual(100, || {
        // More than the client's kernel takes in unread, and less than what on a busy host waits for a doubled timer of the server's.
        const BYTES: usize = 600_000;
        let Some(net) = routed("a_slow_reader_of_a_half_closed_connection_gets_everything") else { return };
        let hop = Hop::begin(&net, 0);
        let half_closed = seamline_wire::Duration::from_secs(1);
        let router = Router::begin(&net, Split { half_closed, buffer: 4_000_000, ..settings() });
        let listener = net.fixed.within(|| TcpListener::bind("10.77.0.1:4000")).unwrap();
        let client = net.mobile.within(|| TcpStream::connect("10.77.0.1:4000")).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        server.write_all(&content(BYTES)).unwrap();
        server.shutdown(Shutdown::Write).unwrap();
        pause(4000);
        drop(client.shutdown(Shutdown::Write));
        assert!(heard(client) == content(BYTES));
        let it = router.end(false);
        hop.end();
        assert_eq!((it.begun, it.ended, it.expired), (1, 1, 0), "{it:?}");
    });
}

/// Connections to the fixed host from these ports, under way; the kernel chooses for 0.
fn dial<const N: usize>(net: &Net, version: u8, ports: [u16; N]) -> [TcpStream; N] {
    let [own, server]: [IpAddr; 2] = match version {
        4 => [Ipv4Addr::UNSPECIFIED.into(), Ipv4Addr::new(10, 77, 0, 1).into()],
        _ => [Ipv6Addr::UNSPECIFIED.into(), Ipv6Addr::new(0xfd77, 0, 0, 0, 0, 0, 0, 1).into()],
    };
    let family = if version == 4 { AddressFamily::Inet } else { AddressFamily::Inet6 };
    let begin = |port| {
        let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
        let socket = socket(family, SockType::Stream, flags, None).unwrap();
        bind(socket.as_raw_fd(), &SockaddrStorage::from(SocketAddr::new(own, port))).unwrap();
        let begun = connect(socket.as_raw_fd(), &SockaddrStorage::from(SocketAddr::new(server, 4000)));
        assert_eq!(begun, Err(Errno::EINPROGRESS));
        let stream = TcpStream::from(socket);
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream
    };
    net.mobile.within(|| Ok(ports.map(begin))).unwrap()
}

/// Three come at once where there is room for one: they have been answered before new ones pass.
#[test]
fn nobody_who_was_answered_hangs_where_it_becomes_full() {
    let Some(net) = routed("nobody_who_was_answered_hangs_where_it_becomes_full") else { return };
    let hop = Hop::begin(&net, 0);
    let router = Router::begin(&net, Split { connections: 1, ..settings() });
    let listener = net.fixed.within(|| TcpListener::bind("10.77.0.1:4000")).unwrap();
    let mut clients = dial(&net, 4, [0; 3]);
    let servers = thread::spawn(move || {
        [(); 3].map(|()| {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(b"answer").unwrap();
            stream
        })
    });
    for client in &mut clients {
        let mut heard = [0; 6];
        client.read_exact(&mut heard).unwrap();
        assert_eq!(&heard, b"answer");
    }
    drop((clients, servers.join().unwrap()));
    router.wait_for("event=full");
    router.wait_for("event=room");
    let it = router.end(false);
    hop.end();
    assert_eq!((it.begun, it.ended), (3, 3), "{it:?}");
}

/// A client that has come once from this port, and whose server has ended first, so that the end is waited out at the router.
fn come_once(net: &Net, version: u8, listener: &TcpListener) {
    let [mut client] = dial(net, version, [6000]);
    drop(accepted(listener));
    assert_eq!(uninterrupted(|| client.read(&mut [0])).unwrap(), 0);
    drop(client);
    // The last acknowledgment frees the port.
    pause(200);
}

fn listen(net: &Net, version: u8) -> TcpListener {
    let address = if version == 4 { "10.77.0.1:4000" } else { "[fd77::1]:4000" };
    net.fixed.within(|| TcpListener::bind(address)).unwrap()
}

#[test]
fn who_comes_again_from_the_same_port_is_split_again() {
    let Some(net) = routed("who_comes_again_from_the_same_port_is_split_again") else { return };
    let hop = Hop::begin(&net, 0);
    let router = Router::begin(&net, settings());
    for version in [4, 6] {
        let listener = listen(&net, version);
        come_once(&net, version, &listener);
        come_once(&net, version, &listener);
    }
    let it = router.end(false);
    hop.end();
    assert_eq!((it.begun, it.ended), (4, 4), "{it:?}");
}

/// Room or not, it is split: what is left of the older connection is in the way of what would pass. The router has a service at the
/// server's port, which never hears of it.
#[test]
fn who_comes_again_from_the_same_port_and_finds_no_room_is_served() {
    for (version, address) in [(4, "0.0.0.0:4000"), (6, "[::]:4000")] {
        let name = "who_comes_again_from_the_same_port_and_finds_no_room_is_served";
        let Some(net) = routed(name) else { return };
        let hop = Hop::begin(&net, 0);
        let router = Router::begin(&net, Split { connections: 1, ..settings() });
        let service = net.bridge.within(|| TcpListener::bind(address)).unwrap();
        let listener = listen(&net, version);
        come_once(&net, version, &listener);
        router.wait_for("event=room");
        let [held] = dial(&net, version, [0]);
        let server = accepted(&listener);
        pause(300);
        come_once(&net, version, &listener);
        service.set_nonblocking(true).unwrap();
        assert_eq!(service.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "{}", rules(&net));
        drop((held, server));
        let it = router.end(false);
        hop.end();
        assert_eq!((it.begun, it.ended), (3, 3), "IPv{version}: {it:?}");
    }
}

/// A service of the router's own has the client's port at all addresses.
#[test]
fn who_cannot_be_split_is_reset_and_the_log_says_why() {
    let Some(net) = routed("who_cannot_be_split_is_reset_and_the_log_says_why") else { return };
    let hop = Hop::begin(&net, 0);
    let router = Router::begin(&net, settings());
    let _service = net.bridge.within(|| TcpListener::bind("0.0.0.0:5555")).unwrap();
    let [mut client] = dial(&net, 4, [5555]);
    assert_eq!(uninterrupted(|| client.read(&mut [0])).unwrap_err().kind(), ErrorKind::ConnectionReset);
    router.wait_for("10.77.0.2:5555");
    let it = router.end(false);
    hop.end();
    assert_eq!((it.begun, it.refused), (0, 1), "{it:?}");
}
